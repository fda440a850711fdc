"""The fingerprint of the estimators: blind to names that the map of renames lists, and to no value."""

from __future__ import annotations

import decimal
import json
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator

import pellucid
from tools import fingerprint
from tools.fingerprint import Entry, Renames, hash_value

X = np.array([[1.0, 2.0], [3.0, 4.0]])


@dataclass
class Line:
    """What a fit leaves behind, under its old names."""

    slopes: Any
    start: float
    way: str


class LinearPredictor:
    """The same fields under other names, in another order."""

    def __init__(self, slopes: Any, start: float) -> None:
        self.solver, self.intercept, self.coef = "dense", start, slopes

    @cached_property
    def norm(self) -> float:
        return float(np.linalg.norm(self.coef))


class Old(BaseEstimator):
    def __init__(self, measure: str = "squares") -> None:
        self.measure = measure

    def fit(self, X: Any) -> Any:
        self.line_, self.ended_ = Line(X[0] / 3, 0.5, "full"), "enough"
        return self

    def answer(self, X: Any) -> Any:
        return X @ self.line_.slopes + self.line_.start


class New(BaseEstimator):
    step = 0.0

    def __init__(self, scoring: str = "squared_error") -> None:
        self.scoring = scoring

    def fit(self, X: Any) -> Any:
        self.predictor_, self.stop_reason_ = LinearPredictor(X[0] / 3 + self.step, 0.5), "tol"
        return self

    def predict(self, X: Any) -> Any:
        return X @ (X[0] / 3) + 0.5


RENAMES = {
    "estimators": {"Old": "New"},
    "parameters": {"*": {"measure": "scoring"}},
    "attributes": {"Old": {"line_": "predictor_", "ended_": "stop_reason_", "answer": "predict"}},
    "values": {"Old.measure": {"squares": "squared_error", "odd": "custom"}, "Old": {"enough": "tol"}},
}


@pytest.fixture
def before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of hashes that was written before the change of names."""
    set_models(monkeypatch, Old(), Old(measure="odd"))
    file = tmp_path / "before.json"
    assert fingerprint.main(["--write", str(file)]) == 0
    set_models(monkeypatch, New(), New(scoring="custom"))
    return file


def set_models(monkeypatch: pytest.MonkeyPatch, *models: Any) -> None:
    datasets = partial(dict, {"table": fingerprint._table(X)})
    monkeypatch.setattr(fingerprint, "entries", lambda: [Entry(model, datasets) for model in models])


def compare(file: Path, renames: dict[str, Any]) -> int:
    table = file.with_name("renames.json")
    table.write_text(json.dumps(renames), encoding="utf-8")
    return fingerprint.main(["--compare", str(file), "--renames", str(table)])


def test_names_in_the_map_of_renames_do_not_count(before: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert compare(before, RENAMES) == 0
    assert "all 6 hashes are equal" in capsys.readouterr().out


@pytest.mark.parametrize("section", RENAMES)
def test_a_name_that_is_not_in_the_map_is_reported(
    before: Path, section: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compare(before, {key: names for key, names in RENAMES.items() if key != section}) == 1
    rows = capsys.readouterr().out.splitlines()
    assert all(row.startswith(("new", "missing", "changed")) for row in rows[:-1])


def test_the_last_bit_of_an_inner_array_is_reported(
    before: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(New, "step", 1e-16)
    assert compare(before, RENAMES) == 1
    *rows, counts = capsys.readouterr().out.splitlines()
    assert [row.split() for row in rows] == [
        ["changed", "line_", "table", "Old()"],
        ["changed", "line_", "table", "Old(measure='odd')"],
    ]
    assert counts == "2 changed"


def test_an_error_in_fit_is_reported(
    before: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delattr(LinearPredictor, "__init__")
    assert compare(before, RENAMES) == 1
    rows = capsys.readouterr().out.splitlines()
    assert rows[-1] == "6 missing, 2 raises"


def test_a_property_that_was_computed_before_does_not_count() -> None:
    fresh, computed = LinearPredictor(X[0], 1.0), LinearPredictor(X[0], 1.0)
    assert computed.norm > 0
    assert hash_value(fresh) == hash_value(computed) == hash_value(Line(X[0], 1.0, "full"))


@pytest.mark.parametrize(
    ("value", "other"),
    [
        (X, X.T),
        (X, X.astype(np.float32)),
        (X, X.ravel()),
        (0.0, -0.0),
        (1, True),
        ("ash", "birch"),
        ([1, 2], [2, 1]),
        ({"ash": 1, "birch": 2}, {"ash": 2, "birch": 1}),
        (np.array(["ash", "birch"]), np.array(["birch", "ash"])),
        ([Line(X, 1.0, "full")], [Line(X, 2.0, "full")]),
    ],
    ids=repr,
)
def test_values_that_differ_have_other_hashes(value: Any, other: Any) -> None:
    assert hash_value(value) != hash_value(other)


def test_a_value_without_a_rule_is_an_error() -> None:
    with pytest.raises(TypeError, match=r"no rule for how to hash a decimal\.Decimal"):
        hash_value(decimal.Decimal(1))


@pytest.mark.parametrize(
    ("renames", "message"),
    [
        ({"attributes": {"*": {"a_": "c_", "b_": "c_"}}}, "two attributes of . have the same new name"),
        ({"methods": {}}, "no section methods"),
    ],
    ids=["ambiguous", "unknown section"],
)
def test_a_map_that_cannot_be_used_is_an_error(renames: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Renames(renames)


def test_every_public_estimator_has_entries_and_the_map_in_the_repository_is_valid() -> None:
    Renames(json.loads(fingerprint.RENAMES.read_text(encoding="utf-8")))
    assert {type(entry.model).__name__ for entry in fingerprint.entries()} == set(dict(pellucid.all_estimators()))
