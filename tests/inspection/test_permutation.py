"""Permutation importance: every form of table, any number of processes, bytes moved, words."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from pellucid.base.errors import DataError, ParameterError
from pellucid.inspection import Importance, permutation_importance
from pellucid.linear_model import LinearRegression

RNG = np.random.default_rng(0)
X = np.where(RNG.random((60, 3)) < 0.3, 0.0, RNG.normal(size=(60, 3)))
Y = X @ [3.0, 0.0, 1.0] + 0.1 * RNG.normal(size=60)
WEIGHT = RNG.integers(1, 4, size=60).astype(float)
NAMES = ["width", "color", "age"]


def importance(table: Any = X, **settings: Any) -> Importance:
    model = LinearRegression().fit(table, Y)
    found = permutation_importance(model, table, Y, **{"random_state": 0, **settings})
    assert isinstance(found, Importance)
    return found


def test_by_hand() -> None:
    """Two rows, an exact model: swapped, R² falls from 1 to 1 - 2 / 0.5 = -3; in place it stays."""
    table, target = np.array([[0.0], [1.0]]), np.array([0.0, 1.0])
    model = LinearRegression().fit(table, target)
    found = permutation_importance(model, table, target, n_repeats=30, random_state=0)
    assert set(found.importances.round(9).ravel()) == {0.0, 4.0}
    assert found.importances_mean == pytest.approx(found.importances.mean(axis=1))
    swapped = (found.importances > 2).mean()
    assert found.importances_std == pytest.approx(4 * (swapped * (1 - swapped)) ** 0.5)


def test_the_mean_fall_of_an_exact_model_is_two() -> None:
    """Over all orders the mean of sum (y_i - y_p(i))² is 2 SST, so R² falls by 2."""
    table = np.arange(50.0)[:, None]
    model = LinearRegression().fit(table, table.ravel())
    found = permutation_importance(model, table, table.ravel(), n_repeats=400, random_state=0)
    assert found.importances_mean[0] == pytest.approx(2, abs=4 * found.importances_std[0] / 20)


@pytest.mark.parametrize(
    "settings", [{}, {"max_samples": 20}, {"sample_weight": WEIGHT}], ids=["plain", "part", "weights"]
)
@pytest.mark.parametrize(
    "form",
    [
        lambda X: pd.DataFrame(X, columns=NAMES),
        lambda X: pd.DataFrame(X, columns=NAMES, index=range(100, 160)).astype({"age": "Float64"}),
        lambda X: pl.DataFrame({name: X[:, j] for j, name in enumerate(NAMES)}),
        sp.csr_array,
        sp.csc_matrix,
        np.asfortranarray,
        lambda X: X.tolist(),
    ],
    ids=["pandas", "pandas of two types", "polars", "csr", "csc", "by column", "list"],
)
def test_every_form_of_table_gives_the_same(form: Any, settings: dict[str, Any]) -> None:
    table = form(X)
    np.testing.assert_allclose(
        importance(table, **settings).importances, importance(**settings).importances, atol=1e-12
    )


@pytest.mark.parametrize("jobs", [2, 8])
def test_processes_do_not_change_a_bit(jobs: int) -> None:
    for settings in ({}, {"max_samples": 0.5, "sample_weight": WEIGHT}, {"scoring": "neg_mean_absolute_error"}):
        alone, spread = importance(**settings), importance(n_jobs=jobs, **settings)
        assert alone.importances.tobytes() == spread.importances.tobytes()


def test_the_table_is_left_as_it_was() -> None:
    for table in (X.copy(), pd.DataFrame(X), sp.csc_array(X)):
        before = pickle.dumps(table)
        importance(table)
        assert pickle.dumps(table) == before
    locked = X.copy()
    locked.flags.writeable = False
    importance(locked)


class Watching(BaseEstimator):
    """Notes the tables that it is given, and answers with the sum of the first column times the row's place."""

    def fit(self, X: Any, y: Any = None) -> Watching:
        self.fitted_ = True
        return self

    def score(self, X: Any, y: Any = None) -> float:
        self.seen_ = [*getattr(self, "seen_", []), X.__array_interface__["data"][0]]
        return float(np.arange(len(X)) @ X[:, 0])


def test_the_whole_table_is_copied_once() -> None:
    """Bytes: every score but the first, of the user's own table, reads the same memory."""
    model = Watching().fit(X)
    found = permutation_importance(model, X, None, n_repeats=4, random_state=0)
    assert model.seen_[0] == X.__array_interface__["data"][0]
    assert len(model.seen_) == 1 + 3 * 4
    assert len(set(model.seen_[1:])) == 1
    assert (found.importances[1:] == 0).all()
    assert (found.importances[0] != 0).all()


def test_several_scores_ask_the_model_once() -> None:
    class Counted(LinearRegression):
        def predict(self, X: Any) -> Any:
            self.asked = getattr(self, "asked", 0) + 1
            return super().predict(X)

    model = Counted().fit(X, Y)
    names = ["r2", "neg_mean_squared_error", "neg_max_error"]
    found = permutation_importance(model, X, Y, scoring=names, n_repeats=2, random_state=0)
    assert model.asked == 1 + 3 * 2
    assert list(found) == names
    alone = permutation_importance(model, X, Y, scoring="r2", n_repeats=2, random_state=0)
    np.testing.assert_array_equal(found["r2"].importances, alone.importances)


def test_names_order_and_chance() -> None:
    found = importance(pd.DataFrame(X, columns=NAMES), n_repeats=10)
    assert found.feature_names == NAMES
    assert set(found) == {"importances_mean", "importances_std", "importances", "feature_names"}
    assert found["importances_mean"] is found.importances_mean
    assert found.order[0] == 0
    assert found.order[-1] == 1
    assert found.within_chance.tolist() == [False, True, False]
    lines = str(found).splitlines()
    assert [line.split()[0] for line in lines[1:4]] == ["width", "age", "color"]
    assert lines[3].endswith("within chance")
    assert found.baseline == pytest.approx(LinearRegression().fit(X, Y).score(X, Y))


def test_a_wide_table_prints_its_largest() -> None:
    wide = RNG.normal(size=(60, 50))
    text = str(permutation_importance(LinearRegression().fit(wide, Y), wide, Y, n_repeats=1, random_state=0))
    assert "and 20 columns more" in text
    assert "; 1 repeat\n" in text + "\n"


@pytest.mark.parametrize("jobs", [None, 2])
def test_some_columns_have_the_same_bits_as_among_all(jobs: int | None) -> None:
    table = pl.DataFrame({name: X[:, j] for j, name in enumerate(NAMES)})
    whole, part = importance(table), importance(table, columns=["age", "width"], n_jobs=jobs)
    assert part.feature_names == ["age", "width"]
    assert part.baseline == whole.baseline
    assert np.array_equal(part.importances, whole.importances[[2, 0]])
    assert np.array_equal(importance(X, columns=["x2"]).importances, whole.importances[[2]])


@pytest.mark.parametrize(("columns", "words"), [(["x7"], "there is no 'x7'"), ([], "got none")])
def test_columns_that_are_not_there_get_a_sentence(columns: list[str], words: str) -> None:
    with pytest.raises(ParameterError, match=f"columns must name columns of X; {words}"):
        importance(columns=columns)


def test_it_can_be_pickled() -> None:
    found = importance()
    again = pickle.loads(pickle.dumps(found))
    assert type(again) is Importance
    np.testing.assert_array_equal(again.scores, found.scores)
    assert str(again) == str(found)


def test_one_row_and_one_column() -> None:
    model = LinearRegression().fit(X[:, :1], Y)
    found = permutation_importance(model, X[:1, :1], Y[:1], scoring="neg_mean_squared_error", random_state=0)
    assert found.importances.tolist() == [[0.0] * 5]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"n_repeats": 0}, "n_repeats must be a whole number of at least 1; got 0"),
        ({"n_repeats": True}, "n_repeats must be a whole number of at least 1; got True"),
        ({"max_samples": 0.0}, "max_samples must be a share above 0 and at most 1"),
        ({"max_samples": 1.5}, "max_samples must be a share above 0 and at most 1"),
        ({"max_samples": 61}, "max_samples must be <= n_samples .* 60 rows; got 61"),
        ({"max_samples": 0.001}, "draw at least one .* which draws 0"),
        ({"scoring": "flavour"}, "scoring must be a name or a function; got 'flavour'"),
        ({"scoring": 3}, "scoring must be None, a name, a function"),
        ({"scoring": []}, "scoring must be None, a name, a function"),
    ],
    ids=str,
)
def test_wrong_settings_get_a_sentence(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        importance(**settings)


def test_wrong_data_get_a_sentence() -> None:
    model = LinearRegression().fit(X, Y)
    with pytest.raises(DataError, match="y must have one entry a row of X; got 59 for 60 rows"):
        permutation_importance(model, X, Y[1:])
    with pytest.raises(DataError, match="sample_weight must have one entry a row of X; got 2 for 60 rows"):
        permutation_importance(model, X, Y, sample_weight=[1, 2])
    with pytest.raises(DataError, match="Reshape your data"):
        permutation_importance(model, X[:, 0], Y)
    with pytest.raises(
        ParameterError, match="the estimator must have a score, or scoring must be given; object has none"
    ):
        permutation_importance(object(), X, Y)
