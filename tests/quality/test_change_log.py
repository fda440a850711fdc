"""The change log: small files, exact replay, and refusal of logs that were altered."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pytest

from pellucid.base.errors import DataError
from pellucid.quality import ChangeLog, Cleaner, Fix
from pellucid.quality.change import decode_rows, encode_rows


def test_rows_as_runs_come_back() -> None:
    random = np.random.default_rng(0)
    for n, share in ((0, 0.0), (1, 1.0), (50, 0.5), (2000, 0.03), (2000, 0.97)):
        rows = np.flatnonzero(random.random(n) < share)
        assert decode_rows(encode_rows(rows)).tolist() == rows.tolist()


def test_a_rule_for_a_million_cells_is_one_line(tmp_path: Path) -> None:
    n = 1_000_000
    table = polars.DataFrame({"x": ["a "] * n, "n": range(n)})
    cleaned = Cleaner().fit(table).clean(table)
    assert cleaned.log.n_cells == n
    cleaned.log.to_json(tmp_path / "log.json")
    cleaned.log.to_csv(tmp_path / "log.csv")
    assert (tmp_path / "log.json").stat().st_size < 1000
    assert (tmp_path / "log.csv").stat().st_size < 1000
    assert ChangeLog.from_json(tmp_path / "log.json").replay(table).equals(cleaned.table)


def test_scattered_cells_take_a_few_bytes_each() -> None:
    random = np.random.default_rng(0)
    hit = random.random(200_000) < 0.1
    table = polars.DataFrame({"x": np.where(hit, "unknown", "a").tolist()})
    log = Cleaner(missing=["unknown"]).fit(table).clean(table).log
    assert len(log.to_json() or "") < 5 * hit.sum()
    assert len(log.to_csv() or "") < 1000


def test_many_different_values_are_cut_for_readers_and_kept_for_replay() -> None:
    table = pandas.DataFrame({"x": [f"text {i} " for i in range(5000)]})
    cleaned = Cleaner().fit(table).clean(table)
    assert len((cleaned.log.to_csv() or "").splitlines()) < 300
    assert "other values" in (cleaned.log.to_csv() or "")
    text = cleaned.log.to_json()
    assert len(text or "") < 5 * sum(map(len, table["x"]))
    assert ChangeLog.from_json(text or "").replay(table).equals(cleaned.table)


def several() -> tuple[Any, Any, str]:
    table = pandas.DataFrame({"x": [" a", "b", " a", None], "n": ["1 kg", "2", "3", "x"], "d": [1, 2, 3, 3]})
    fixes = [Fix("trim", ("x",)), Fix("to_number", ("n",), {"units": ["kg"]}), Fix("drop_column", ("d",))]
    cleaned = Cleaner(remedies=[*fixes, Fix("drop_rows_missing", ("x",))]).fit(table).clean(table)
    return table, cleaned.table, cleaned.log.to_json() or ""


def test_everything_comes_back_from_the_file() -> None:
    table, cleaned, text = several()
    log = ChangeLog.from_json(text)
    assert log.replay(table).equals(cleaned)
    assert log.to_json() == text


def test_an_altered_log_is_refused() -> None:
    _, _, text = several()
    with pytest.raises(DataError, match="does not match its checksum"):
        ChangeLog.from_json(text.replace('" a","a"', '" a","z"'))
    with pytest.raises(DataError, match="it is no JSON"):
        ChangeLog.from_json("{" + text)
    with pytest.raises(DataError, match="its format is not"):
        ChangeLog.from_json("{}")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"action":"trim"', '"action":"polish"', "unknown action, 'polish'"),
        ('"a","0,2"', '"a","0,9"', "names row 9 of 4"),
        ('"values"', '"valves"', "cannot be read"),
    ],
)
def test_a_log_with_a_right_checksum_may_still_be_wrong(old: str, new: str, words: str) -> None:
    _, _, text = several()
    assert old in text
    content = json.loads(text.replace(old, new))
    del content["sha256"]
    content["sha256"] = sha256(json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()).hexdigest()
    with pytest.raises(DataError, match=words):
        ChangeLog.from_json(json.dumps(content))


def test_a_type_is_not_given_to_another_table() -> None:
    table = pandas.DataFrame({"x": ["1", "2", "NA"]})
    log = Cleaner().fit(table).log_
    assert log[0].what == "type"
    with pytest.raises(DataError, match="column 'x' holds 'word' in row 1"):
        log.replay(pandas.DataFrame({"x": ["1", "word", "NA"]}))
