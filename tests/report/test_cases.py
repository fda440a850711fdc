"""The workings of single rows: which row of the source each is, and what they announce."""

from __future__ import annotations

import re
import warnings
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import polars as pl
import pytest

from pellucid.report.candidates import SUITE
from pellucid.report.columns import Columns
from pellucid.report.decisions import with_calibration, with_threshold
from pellucid.report.local_explanations import _of_classes, working_of
from pellucid.report.outcome import LocalExplanation
from pellucid.report.page_explained import _prepared
from pellucid.report.prepare import StudyConfig, open_table, prepare

if TYPE_CHECKING:
    from pellucid.report.holdout import Predictions

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
    config = StudyConfig("y")
    ready = prepare(open_table(table, config, None, lambda *_: None, associations=False), config, lambda *_: None)
    assert ready.source_rows.tolist() == [row for row in range(N) if row % 10]
    assert ready.table["a"].to_list() == table["a"].to_numpy()[ready.source_rows].tolist()


@pytest.mark.parametrize(
    ("probability", "kinds"),
    [([0.9, 0.8, 0.3, 0.6], ["typical", "least certain", "worst"]), ([1.0, 1.0, 0.0, 0.0], ["typical", "worst"])],
)
def test_the_least_certain_row_is_shown_unless_all_are_equally_certain(
    probability: list[float], kinds: list[str]
) -> None:
    second = np.array(probability)
    answers = SimpleNamespace(
        predicted=(second > 0.5).astype(int), threshold=None, margin=None, classes=[0, 1],
        probability=np.column_stack([1 - second, second]),
    )  # fmt: skip
    chosen = _of_classes(np.array([1, 0, 0, 1]), cast("Predictions", answers))
    assert [kind for kind, _, _ in chosen] == kinds


def test_of_several_classes_the_two_most_probable_ones_decide_which_row_is_least_certain() -> None:
    """The most probable class may be less probable elsewhere, so the reason names what was compared."""
    answers = SimpleNamespace(
        predicted=np.array(["a", "b"]), threshold=None, margin=None, classes=["a", "b", "c"],
        probability=np.array([[0.46, 0.45, 0.09], [0.27, 0.4, 0.33]]),
    )  # fmt: skip
    least = next(
        one for one in _of_classes(np.array(["b", "b"]), cast("Predictions", answers)) if one[0] == "least certain"
    )
    assert least[1:] == (
        "in no held-out row are the probabilities of the two most probable classes closer",
        0,
    )


def test_a_typical_prediction_is_not_called_correct_where_none_is() -> None:
    answers = SimpleNamespace(
        predicted=np.array([1, 1, 0]), threshold=None, margin=None, classes=[0, 1],
        probability=np.array([[0.3, 0.7], [0.2, 0.8], [0.9, 0.1]]),
    )  # fmt: skip
    typical, *_ = _of_classes(np.array([0, 0, 1]), cast("Predictions", answers))
    assert typical[1] == "its certainty is the closest to the median of all predictions, none of which is correct"


@pytest.mark.parametrize("shift", [-6.0, 6.0])
def test_the_working_ends_with_the_class_after_the_calibration(shift: float) -> None:
    """A calibration moves probabilities across one half: the class of the model inside is not the prediction then."""
    spec = next(one for one in SUITE if one.name == "linear")
    model = spec.model(True, 0, Columns(("a", "b"), ("c",))).fit(TABLE, TARGETS["two classes"])
    calibrated = with_calibration(model, "sigmoid", [(-1.0, shift)])
    flipped = np.flatnonzero(calibrated.predict(TABLE) != model.predict(TABLE))
    assert len(flipped)
    row = int(flipped[0])
    last = list(working_of(calibrated, TABLE[row : row + 1], ROW).cells.values())[-1]
    assert last.value == calibrated.predict(TABLE)[row]


BOOSTED = [spec for spec in SUITE if spec.classes is not None and spec.name in ("boosting", "random_forest", "tree")]


@pytest.mark.parametrize("spec", BOOSTED, ids=lambda spec: spec.name)
def test_the_threshold_of_a_decision_is_not_that_of_a_node(spec: Any) -> None:
    """Trees whose nodes are listed for a workbook have thresholds of their own."""
    model = spec.model(True, 0, Columns(("a", "b"), ("c",))).fit(TABLE, TARGETS["two classes"])
    inside = model[-1]
    if "n_estimators" in inside.get_params():
        model = model.set_params(**{f"{model.steps[-1][0]}__n_estimators": 5}).fit(TABLE, TARGETS["two classes"])
    decided = with_threshold(model, 0.2, 1)
    last = list(working_of(decided, TABLE[5:6], ROW).cells.values())[-1]
    assert last.value == decided.predict(TABLE[5:6])[0]


def test_columns_that_are_zero_are_counted_and_not_listed() -> None:
    values = tuple((f"x{j}", float(j % 2)) for j in range(100))
    case = LocalExplanation("typical", "", 0, (), 1, 1, None, None, values)
    text = _prepared(case)
    assert "The first 40 columns are shown; there are 10 more." in text
    assert "50 columns of 100 are 0." in text
