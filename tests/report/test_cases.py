"""The workings of single rows: which row of the source each is, and what they announce."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import polars as pl
import pytest

from pellucid.report.cases import working_of
from pellucid.report.columns import Columns
from pellucid.report.prepare import Wish, open_table, prepare
from pellucid.report.suite import SUITE

RANDOM = np.random.default_rng(0)
N = 90
TABLE = pl.DataFrame({"a": RANDOM.normal(size=N), "b": RANDOM.normal(size=N), "c": RANDOM.choice(["u", "v", "w"], N)})
TARGETS: dict[str, Any] = {
    "two classes": (TABLE["a"].to_numpy() > 0).astype(int),
    "many classes": np.arange(N) % 8,
    "a number": TABLE["a"].to_numpy() * 3,
}
ROW = 4321
COUNTED = re.compile(r"[Rr]ow [01]\b|[Rr]ows? (numbers )?(asked about )?(are |is )?(counted|numbered) from 0|rows=\[")


def _texts(found: Any) -> list[str]:
    return [
        found.title,
        found.intro,
        *found.notes,
        *(text for step in found.steps for text in (step.title, step.sentence)),
    ]


WORKED = [
    pytest.param(spec, kind, id=f"{spec.name}, {kind}")
    for kind in TARGETS
    for spec in SUITE
    if (spec.number if kind == "a number" else spec.classes) is not None
]


@pytest.mark.parametrize(("spec", "kind"), WORKED)
def test_the_row_has_its_number_in_the_source(spec: Any, kind: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few rows for a network
        model = spec.model(kind != "a number", 0, Columns(("a", "b"), ("c",))).fit(TABLE, TARGETS[kind])
    texts = _texts(working_of(model, TABLE[5:6], ROW))
    assert not [text for text in texts if COUNTED.search(text)]
    titled = any(text.startswith(f"Row {ROW}") for text in texts)
    assert titled or spec.name in ("baseline", "stacking")  # which have a table of rows


def test_of_many_classes_the_forest_shows_all_shares_and_the_class() -> None:
    spec = next(one for one in SUITE if one.name == "forest")
    model = spec.model(True, 0, Columns(("a", "b"), ("c",))).fit(TABLE, TARGETS["many classes"])
    found = working_of(model, TABLE[5:6], ROW)
    shares = next(cell for name, cell in found.cells.items() if name.endswith("_P"))
    np.testing.assert_allclose(shares.value, model.predict_proba(TABLE[5:6])[0])
    assert model.predict(TABLE[5:6])[0] in [cell.value for cell in found.cells.values() if np.ndim(cell.value) == 0]
    assert "The leaf of each tree" not in " ".join(_texts(found))


def test_rows_of_the_source_are_known_where_some_are_left_out() -> None:
    table = TABLE.with_columns(y=pl.when(pl.int_range(N) % 10 == 0).then(None).otherwise(pl.col("a") + 1))
    wish = Wish("y")
    ready = prepare(open_table(table, wish, None, lambda *_: None, associations=False), wish, lambda *_: None)
    assert ready.source_rows.tolist() == [row for row in range(N) if row % 10]
    assert ready.table["a"].to_list() == table["a"].to_numpy()[ready.source_rows].tolist()
