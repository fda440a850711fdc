"""Files with one basket per line: which they are, and how they are written."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from pellucid.data.basket_lines import line_layout
from pellucid.data.baskets import basket_lines_of_file, baskets_from_file
from tests.report.interaction_tables import GOODS, basket_lists, lines, padded

LISTS = [tuple(sorted(basket)) for basket in basket_lists()]


def numbered(separator: str) -> str:
    return "".join(f"{k + 1}{separator}{line}\n" for k, line in enumerate(lines(separator).splitlines()))


TEXTS = {
    "commas": lines(","),
    "semicolons": lines(";"),
    "tabs": lines("\t"),
    "blanks": lines(" "),
    "comma and blank": lines(", "),
    "quotes": "".join(",".join(f'"{item}"' for item in basket) + "\n" for basket in basket_lists()),
    "a number in front": numbered(","),
    "a code in front": "".join(f"T{k},{line}\n" for k, line in enumerate(lines().splitlines())),
    "a count in front": "".join(f"{line.count(',') + 1},{line}\n" for line in lines().splitlines()),
    "comments": "# orders of May\n# from the shop\n" + lines(),
    "numbered columns": padded().write_csv(),
    "filled up": padded().write_csv(include_header=False),
    "braces": "".join(f"{{{line}}}\n" for line in lines().splitlines()),
    "other line ends": lines().replace("\n", "\r\n"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_baskets_however_they_are_written(tmp_path: Path, name: str) -> None:
    file = tmp_path / "orders.csv"
    file.write_text(TEXTS[name], encoding="utf-8", newline="")
    assert basket_lines_of_file(file) is not None
    assert list(baskets_from_file(file)) == LISTS


def test_item_numbers_in_a_packed_file(tmp_path: Path) -> None:
    text = "".join(" ".join(str(GOODS.index(item) + 30) for item in basket) + "\n" for basket in basket_lists())
    file = tmp_path / "orders.dat.gz"
    file.write_bytes(gzip.compress(text.encode()))
    assert basket_lines_of_file(file) is not None
    assert len(baskets_from_file(file)) == len(LISTS)


def _rows(*columns: object) -> str:
    return "".join(",".join(map(str, row)) + "\n" for row in zip(*columns, strict=True))  # type: ignore[call-overload]


RANDOM = np.random.default_rng(0)
OTHERS = {
    "a table": "a,b\n" + _rows(range(50), range(50)),
    "a table with short rows": "a,b,c\n" + _rows(range(40), range(40), range(40)) + "7\n8,9\n" * 5,
    "measurements": "".join(
        ",".join(f"{v:.2f}" for v in RANDOM.normal(size=n)) + "\n" for n in RANDOM.integers(2, 9, 60)
    ),
    "prose": "It was the best of times, it was the worst of times.\nThe age of wisdom, the age, of foolishness.\n" * 20,
    "sentences": "the cat sat on the mat\nthe dog and the cat\na dog is in the house of the cat\n" * 20,
    "words": "".join(f"word{k}\n" for k in range(80)),
    "cells missing at the end": "name,town,note\n" + "".join(
        f"p{k},{['Rome', 'Oslo'][k % 2]},{['', 'late', ''][k % 3]}\n".replace(",\n", ",\n") for k in range(60)
    ),
    "too few lines": "bread,milk\nmilk\nbread,milk,tea\n",
    "cells of several lines": "id,note,size\n" + "".join(
        f'{k},"{note}",{size}\n'
        for k in range(30) for note in ("late", "first, then\nsecond", "broken") for size in ("S", "M", "L", "XL")
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_other_texts_are_not_taken_for_baskets(name: str) -> None:
    assert line_layout(OTHERS[name]) is None


def test_categories_that_are_numbered_through_are_items() -> None:
    """As mushrooms are often given: the second column goes on where the first one ends."""
    sizes, start, columns = (2, 4, 3, 5, 2), 1, []
    for size in sizes:
        columns.append(RANDOM.integers(start, start + size, 80))
        start += size
    layout = line_layout(_rows(*columns))
    assert layout is not None
    assert "numbered through" in layout.evidence[0]
    assert line_layout(_rows(*columns[1:])) is None  # items from 3 on
    assert line_layout(_rows(*(column - column.min() + 1 for column in columns))) is None  # a table of codes


def test_the_user_may_say_that_a_file_holds_baskets() -> None:
    layout = line_layout(OTHERS["too few lines"], forced=True)
    assert layout is not None
    assert layout.delimiter == ","


def test_what_is_said_of_the_lines_is_said_of_those_looked_at() -> None:
    one_line_twice = lines() + "tea,tea,rusk\n"
    layout, other = line_layout(lines()), line_layout(one_line_twice)
    assert layout is not None
    assert other is not None
    n = len(LISTS)
    assert layout.evidence[0].startswith(f"the {n} lines looked at differ in length")
    assert layout.evidence[-1] == f"of the {n} lines looked at, none names a value twice"
    assert other.evidence[-1] == f"of the {n + 1} lines looked at, {n} name no value twice"
