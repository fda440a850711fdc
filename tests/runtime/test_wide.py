"""What a fit costs grows with the number of columns, not with its square."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline

from pellucid.impute import SimpleImputer
from pellucid.linear_model import LogisticRegression
from pellucid.naive_bayes import NaiveBayes
from pellucid.preprocessing import OneHotEncoder, StandardScaler
from pellucid.tree import DecisionTreeClassifier

FEW, MANY, ROWS = 300, 1200, 48
MOST = 6.0  # four times the columns are four times the work, a square would be sixteen times


def _table(columns: int) -> tuple[pl.DataFrame, Any]:
    """Every third column words, the others numbers, every sixth with a gap."""
    random = np.random.default_rng(columns)
    numbers = random.normal(size=(ROWS, columns))
    numbers[3, 1::6] = np.nan
    words = np.array(["red", "green", "blue"])[random.integers(0, 3, size=(ROWS, columns))]
    frame = pl.DataFrame({f"x{j}": words[:, j] if j % 3 == 0 else numbers[:, j] for j in range(columns)})
    return frame.with_columns(pl.col(pl.Float64).fill_nan(None)), np.arange(ROWS) % 2


def _prepared(frame: pl.DataFrame) -> Any:
    words = [name for name, dtype in frame.schema.items() if dtype == pl.String]
    numbers = [name for name, dtype in frame.schema.items() if dtype != pl.String]
    parts = [
        ("numbers", make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), numbers),
        ("words", OneHotEncoder(handle_unknown="ignore", sparse_output=False), words),
    ]
    return make_pipeline(ColumnTransformer(parts), LogisticRegression(n_jobs=1))


MODELS: dict[str, Callable[[pl.DataFrame], Any]] = {
    "tree": lambda frame: DecisionTreeClassifier(max_leaf_nodes=8, random_state=0),
    "bayes": lambda frame: NaiveBayes(n_jobs=1),
    "linear": _prepared,
}


def _work(name: str, columns: int) -> int:
    """How many functions, of Python and compiled ones, are called by a fit and a prediction."""
    frame, y = _table(columns)
    model = MODELS[name](frame)
    calls = 0

    def count(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        model.fit(frame, y).predict(frame)
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize("name", MODELS)
def test_four_times_the_columns_are_about_four_times_the_work(name: str) -> None:
    _work(name, 100)  # what is imported and set up once
    assert _work(name, MANY) < MOST * _work(name, FEW)
