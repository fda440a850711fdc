"""Rows that are there twice: planted ones are found, with their similarities, and others are not."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from pellucid.base.errors import DataError, ParameterError
from pellucid.quality import exact_duplicates, near_duplicates

SYLLABLES = (
    "ba",
    "ko",
    "mi",
    "ra",
    "shen",
    "tor",
    "al",
    "bert",
    "wick",
    "son",
    "lee",
    "dor",
    "ville",
    "ham",
    "gen",
    "ki",
)


def word(chance: random.Random) -> str:
    return "".join(chance.choices(SYLLABLES, k=chance.randint(2, 4)))


def slip(text: str, chance: random.Random) -> str:
    place = chance.randrange(len(text))
    return chance.choice([text[:place] + text[place + 1 :], text[:place] + "q" + text[place + 1 :], text + "e"])


def people(n: int, copies: int) -> tuple[pd.DataFrame, set[tuple[int, int]]]:
    """n people, and some of them again with two slips; which rows belong together."""
    chance = random.Random(n)
    rows = [[word(chance), word(chance), f"{chance.randint(1, 99)} {word(chance)} road", 10_000 + 7 * k, word(chance)]
            for k in range(n)]  # fmt: skip
    pairs = set()
    for k in range(copies):
        row = list(rows[3 * k])
        for c in chance.sample([0, 1, 2, 4], 2):
            row[c] = slip(row[c], chance)
        pairs.add((3 * k, len(rows)))
        rows.append(row)
    return pd.DataFrame(rows, columns=["given", "surname", "street", "code", "town"]), pairs


def pairs_of(found: Any) -> set[tuple[int, int]]:
    return set(zip(found.left.tolist(), found.right.tolist(), strict=True))


@pytest.mark.parametrize("n", [30, 400])
def test_planted_copies_are_found_and_nothing_else(n: int) -> None:
    table, pairs = people(n, n // 6)
    found = near_duplicates(table)
    assert pairs_of(found) == pairs
    assert found.rows.tolist() == list(range(n, len(table)))
    assert sorted(map(tuple, (group.tolist() for group in found.groups))) == sorted(pairs)


def test_the_same_on_any_number_of_threads() -> None:
    table, _ = people(300, 50)
    one = near_duplicates(table, n_jobs=1)
    for jobs in (2, 3):
        other = near_duplicates(table, n_jobs=jobs)
        assert np.array_equal(one.similarity, other.similarity)
        assert np.array_equal(one.left, other.left)
        assert np.array_equal(one.right, other.right)


def test_any_kind_of_frame() -> None:
    table, pairs = people(60, 10)
    for frame in (table, pl.from_pandas(table), pa.Table.from_pandas(table), table.astype({"town": "category"}),
                  table.to_numpy()):  # fmt: skip
        assert pairs_of(near_duplicates(frame)) == pairs


def test_similarity_is_the_weighted_mean_of_the_columns() -> None:
    """Six rows; "ann" and "anna" are once each: log2(6) bits. "oslo" is there twice: log2(6 / 2)."""
    rows = [["ann", "oslo"], ["anna", "oslo"], ["zoe", "rome"], ["kim", "bonn"], ["leo", "bern"], ["ida", "lima"]]
    found = near_duplicates(rows, threshold=0.5)
    assert pairs_of(found) == {(0, 1)}
    assert found.by_column[0].tolist() == [0.75, 1.0]
    bits = np.log2([6, 3])
    assert found.weights[0] == pytest.approx(bits)
    assert found.similarity[0] == pytest.approx((0.75 * bits[0] + bits[1]) / bits.sum())


def test_swapped_names_are_found() -> None:
    table, _ = people(60, 0)
    table.loc[60] = table.loc[7]
    table.loc[60, ["given", "surname"]] = table.loc[7, ["surname", "given"]].to_numpy()
    found = near_duplicates(table)
    assert pairs_of(found) == {(7, 60)}
    assert found.swapped[0].tolist() == [True, True, False, False, False]
    assert found.similarity[0] == 1
    assert "given and surname swapped" in str(found)


def test_missing_cells_are_neutral_or_count() -> None:
    table, _ = people(60, 0)
    table.loc[60] = table.loc[7]
    table.loc[60, "town"] = None
    assert near_duplicates(table).similarity.tolist() == [1.0]
    assert np.isnan(near_duplicates(table).by_column[0, 4])
    for missing in ("equal", "different"):
        found = near_duplicates(table, missing=missing, threshold=0.6)
        assert found.by_column[0, 4] == 0
        assert found.similarity[0] < 1
    table.loc[7, "town"] = None
    assert near_duplicates(table, missing="equal").by_column[0, 4] == 1
    assert near_duplicates(table, missing="different", threshold=0.6).by_column[0, 4] == 0


def test_rows_that_lack_nearly_everything_are_not_compared() -> None:
    table, _ = people(60, 0)
    table["code"] = table["code"].astype(float)
    for row in (60, 61):
        table.loc[row] = [table.loc[7, "given"], None, None, np.nan, None]
    assert len(near_duplicates(table)) == 0


def test_numbers_and_times_by_closeness() -> None:
    days = pd.date_range("2020-01-01", periods=40, freq="97D")
    name = [word(random.Random(k)) + str(k) for k in range(40)]
    size, member = np.linspace(0, 400, 40) ** 1.1, np.arange(40) % 2 == 0
    table = pd.DataFrame({"name": name, "born": days, "size": size, "member": member})
    table.loc[40] = [table.name[5], table.born[5] + pd.Timedelta(days=3), table["size"][5] + 1.0, table.member[5]]
    found = near_duplicates(table)
    assert pairs_of(found) == {(5, 40)}
    quarter = np.subtract(*np.quantile(table["size"], [0.75, 0.25])) / 4
    assert found.by_column[0, 1] == pytest.approx(0.9)  # 3 days of 30, and two digits of ten at most
    assert found.by_column[0, 2] == pytest.approx(1 - 1 / quarter)
    assert found.by_column[0, 3] == 1


def test_groups_are_chains() -> None:
    base, _ = people(40, 0)
    rows = [base.loc[3].to_list() for _ in range(3)]
    for k, row in enumerate(rows):
        row[2] += "x" * (k + 1)
    table = pd.concat([base, pd.DataFrame(rows, columns=base.columns)], ignore_index=True)
    found = near_duplicates(table)
    assert [group.tolist() for group in found.groups] == [[3, 40, 41, 42]]
    assert found.rows.tolist() == [40, 41, 42]


def test_to_dict_makes_a_table() -> None:
    table, pairs = people(60, 10)
    frame = pd.DataFrame(near_duplicates(table).to_dict())
    assert len(frame) == len(pairs)
    assert list(frame.columns[:4]) == ["left", "right", "similarity", "similarity of given"]
    assert (frame.similarity.diff().dropna() <= 0).all()


@pytest.mark.parametrize(
    "table",
    [
        [["a"]],
        [["", ""], ["", ""]],
        [[None, None], [None, None], ["a", None]],
        [[1e308, -0.0], [-1e308, 0.0], [np.inf, np.nan]],
        np.zeros((5, 2)),
        np.arange(6).reshape(3, 2),
        [[2**60, "x"], [2**60 + 1, "y"]],
        pd.DataFrame({"a": [True, False, True], "b": pd.Categorical(["x", None, "x"])}),
        pd.DataFrame({"a": [[1], [1]], "b": [{}, {}]}),
    ],
    ids=str,
)
def test_odd_tables(table: Any) -> None:
    found = near_duplicates(table)
    assert ((found.similarity >= found.threshold) & (found.similarity <= 1)).all()
    str(found), found.to_dict(), str(exact_duplicates(table))


def test_exact_duplicates() -> None:
    table = pd.DataFrame({"a": [1.0, np.nan, 1.0, np.nan, 2.0, 1.0], "b": ["x", None, "x", None, "x", "y"]})
    found = exact_duplicates(table)
    assert [group.tolist() for group in found.groups] == [[0, 2], [1, 3]]
    assert found.rows.tolist() == [2, 3]
    assert [group.tolist() for group in exact_duplicates(table, ["a"]).groups] == [[0, 2, 5], [1, 3]]
    assert found.to_dict() == {"group": [0, 0, 1, 1], "row": [0, 2, 1, 3]}
    assert str(exact_duplicates([[1], [2]])) == "no two of 2 rows are equal"


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"threshold": 0}, ParameterError, "threshold must be a number above 0"),
        ({"threshold": "auto"}, ParameterError, "threshold must be"),
        ({"missing": "drop"}, ParameterError, "missing must be one of 'neutral'"),
        ({"columns": ["nobody"]}, DataError, "there is no 'nobody'"),
        ({"columns": []}, DataError, "the list is empty"),
        ({"columns": "given"}, ParameterError, "columns must be a list of names"),
    ],
)
def test_what_is_refused(options: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        near_duplicates(people(9, 1)[0], **options)
