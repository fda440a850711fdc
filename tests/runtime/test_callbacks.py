"""scikit-learn's callbacks on the iterative solvers: every pass is a task, and following it changes no bit."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.callback import FitCallback, ScoringMonitor
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pellucid.linear_model import LinearRegression

RNG = np.random.default_rng(0)
X = np.abs(RNG.standard_normal((80, 6)))
Y = X @ RNG.standard_normal((6, 3)) + RNG.standard_normal((80, 3)) + 5
y = X @ [1.0, 2.0, 0.0, 3.0, -1.0, 0.5] + RNG.standard_normal(80)
WEIGHT = RNG.uniform(0.5, 2, 80)

WAYS = [{"positive": True}, {"solver": "lsqr", "tol": 1e-12}]
ways = pytest.mark.parametrize("settings", WAYS, ids=["positive", "lsqr"])
targets = pytest.mark.parametrize("target", [y, Y], ids=["vector", "three columns"])


@dataclass
class Recorder:
    """Notes every hook, with the estimator as it would be if the fit had stopped there."""

    stop: bool = False
    hooks: list[tuple[str, str]] = field(default_factory=list)
    models: list[Any] = field(default_factory=list)
    arguments: list[tuple[Any, Any, Any]] = field(default_factory=list)

    def setup(self, estimator: Any, context: Any) -> None:
        self.hooks.append(("setup", context.task_name))

    def teardown(self, estimator: Any, context: Any) -> None:
        self.hooks.append(("teardown", context.task_name))

    def on_fit_task_begin(self, estimator: Any, context: Any, *, X: Any, y: Any, metadata: Any) -> None:
        self.hooks.append(("begin", context.task_name))
        self.arguments.append((X, y, metadata))

    def on_fit_task_end(self, estimator: Any, context: Any, *, fitted_estimator: Any) -> bool:
        self.hooks.append(("end", context.task_name))
        self.models.append(fitted_estimator)
        return self.stop

    @property
    def passes(self) -> list[str]:
        return [name for hook, name in self.hooks if hook == "end" and name != "fit"]


@dataclass
class Propagated(Recorder):
    """Goes down from a search or a pipeline to what they fit."""

    max_propagation_depth: int | None = None


def same_bits(one: Any, other: Any) -> None:
    for name in ("coef_", "intercept_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def fitted(callback: Any, target: NDArray[np.float64], weight: Any = None, **settings: Any) -> LinearRegression:
    model = LinearRegression(**settings)
    return (model if callback is None else model.set_callbacks(callback)).fit(X, target, weight)


def test_the_recorder_is_a_callback() -> None:
    assert isinstance(Recorder(), FitCallback)


@ways
@targets
def test_hooks_are_called_in_pairs_around_every_pass(settings: dict[str, Any], target: Any) -> None:
    seen = Recorder()
    model = fitted(seen, target, **settings)
    assert [seen.hooks[0], seen.hooks[1]] == [("setup", "fit"), ("begin", "fit")]
    assert [seen.hooks[-2], seen.hooks[-1]] == [("end", "fit"), ("teardown", "fit")]
    inner = seen.hooks[2:-2]
    assert inner[0::2] == [("begin", name) for name in seen.passes]
    assert inner[1::2] == [("end", name) for name in seen.passes]
    for given_X, given_y, metadata in seen.arguments:
        assert given_X is X
        assert given_y is target
        assert metadata == {"sample_weight": None}
    assert not hasattr(model, "_callback_fit_ctx")


@ways
def test_every_pass_is_told(settings: dict[str, Any]) -> None:
    seen = Recorder()
    model = fitted(seen, y, **settings)
    assert seen.passes == [f"pass {i}" for i in range(1, model.n_iter_ + 1)]


@ways
@targets
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
def test_following_changes_no_bit(settings: dict[str, Any], target: Any, weight: Any) -> None:
    followed, alone = fitted(Recorder(), target, weight, **settings), fitted(None, target, weight, **settings)
    same_bits(followed, alone)
    assert followed.n_iter_ == alone.n_iter_


@ways
@targets
def test_the_model_of_every_pass_predicts(settings: dict[str, Any], target: Any) -> None:
    """And its error falls from pass to pass: both methods minimize it over growing sets."""
    seen = Recorder()
    final = fitted(seen, target, **settings)
    errors = [float(((target - model.predict(X)) ** 2).sum()) for model in seen.models]
    assert len(errors) > 3
    if target is y:
        assert all(later <= earlier * (1 + 1e-9) for earlier, later in pairwise(errors))
    same_bits(seen.models[-1], final)
    same_bits(seen.models[-2], final)  # the last pass leads to the answer
    assert all(model.coef_.shape == final.coef_.shape for model in seen.models)


@ways
def test_a_model_of_a_pass_is_not_changed_by_later_passes(settings: dict[str, Any]) -> None:
    class Copies(Recorder):
        def on_fit_task_end(self, estimator: Any, context: Any, *, fitted_estimator: Any) -> bool:
            copies.append(fitted_estimator.coef_.copy())
            return super().on_fit_task_end(estimator, context, fitted_estimator=fitted_estimator)

    copies: list[Any] = []
    seen = Copies()
    fitted(seen, Y, **settings)
    for model, copy in zip(seen.models, copies, strict=True):
        np.testing.assert_array_equal(model.coef_, copy)


@ways
def test_a_wish_to_stop_ends_the_fit_with_what_there_is(settings: dict[str, Any]) -> None:
    seen = Recorder(stop=True)
    model = fitted(seen, y, **settings)
    assert seen.passes == ["pass 1"]
    assert model.n_iter_ == 1
    same_bits(model, seen.models[0])
    assert not np.array_equal(model.coef_, fitted(None, y, **settings).coef_)
    assert model.predict(X).shape == (80,)


@ways
def test_a_wish_to_stop_holds_for_every_target(settings: dict[str, Any]) -> None:
    seen = Recorder(stop=True)
    model = fitted(seen, Y, **settings)
    assert seen.passes == ["pass 1"] * 3
    same_bits(model, seen.models[-1])


@pytest.mark.parametrize("settings", [{}, {"solver": "qr"}, {"solver": "svd"}], ids=str)
def test_a_direct_solver_is_one_task(settings: dict[str, Any]) -> None:
    seen = Recorder(stop=True)
    model = fitted(seen, y, **settings)
    assert seen.hooks == [("setup", "fit"), ("begin", "fit"), ("end", "fit"), ("teardown", "fit")]
    same_bits(model, fitted(None, y, **settings))


@ways
def test_an_error_in_a_callback_reaches_the_user_and_ends_the_callback(settings: dict[str, Any]) -> None:
    class Failing(Recorder):
        def on_fit_task_end(self, estimator: Any, context: Any, *, fitted_estimator: Any) -> bool:
            raise LookupError(context.task_name)

    seen = Failing()
    with pytest.raises(LookupError, match="pass 1"):
        fitted(seen, y, **settings)
    assert seen.hooks[-1] == ("teardown", "fit")
    same_bits(fitted(None, y, **settings), fitted(Recorder(), y, **settings))


def test_an_error_in_the_fit_ends_the_callback() -> None:
    seen = Recorder()
    with pytest.raises(ValueError, match="infinity"):
        LinearRegression(positive=True).set_callbacks(seen).fit(np.where(X > 1, np.inf, X), y)
    assert [hook for hook, _ in seen.hooks].count("setup") == [hook for hook, _ in seen.hooks].count("teardown")


@ways
def test_a_callback_may_fit_and_predict_itself(settings: dict[str, Any]) -> None:
    class Nested(Recorder):
        def on_fit_task_end(self, estimator: Any, context: Any, *, fitted_estimator: Any) -> bool:
            same_bits(fitted(None, y, **settings), alone)
            same_bits(LinearRegression(solver="qr").fit(X, y), direct)
            return super().on_fit_task_end(estimator, context, fitted_estimator=fitted_estimator)

    alone, direct = fitted(None, y, **settings), LinearRegression(solver="qr").fit(X, y)
    same_bits(fitted(Nested(), y, **settings), alone)


@ways
@targets
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
def test_scoring_monitor(settings: dict[str, Any], target: Any, weight: Any) -> None:
    monitor = ScoringMonitor(scoring=["r2", "neg_mean_squared_error"])
    model = fitted(monitor, target, weight, **settings)
    rows = monitor.get_logs().data
    (whole,) = [row for row in rows if row["task_name"] == "fit"]
    assert whole["r2"] == pytest.approx(model.score(X, target, weight))
    passes = [row["r2"] for row in rows if row["task_name"] != "fit"]
    assert len(passes) > 3
    if target is y:
        assert passes[-1] == pytest.approx(whole["r2"], abs=1e-12)
        assert passes[0] < passes[-1]


def test_progress_bar(capsys: pytest.CaptureFixture[str]) -> None:
    from sklearn.callback import ProgressBar

    model = fitted(ProgressBar(), Y, positive=True)
    assert "LinearRegression - fit" in capsys.readouterr().out
    same_bits(model, fitted(None, Y, positive=True))


@ways
def test_inside_a_pipeline(settings: dict[str, Any]) -> None:
    seen = Propagated()
    pipeline = make_pipeline(StandardScaler(), LinearRegression(**settings)).set_callbacks(seen).fit(X, y)
    alone = make_pipeline(StandardScaler(), LinearRegression(**settings)).fit(X, y)
    assert seen.passes == [f"pass {i}" for i in range(1, pipeline[-1].n_iter_ + 1)]
    same_bits(pipeline[-1], alone[-1])
    assert not hasattr(pipeline[-1], "_skl_callbacks")


@ways
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_inside_a_search(settings: dict[str, Any], n_jobs: int | None) -> None:
    monitor = ScoringMonitor(scoring="r2")
    grid = {"fit_intercept": [True, False]}
    search = GridSearchCV(LinearRegression(**settings).set_callbacks(monitor), grid, cv=3, n_jobs=n_jobs).fit(X, y)
    rows = monitor.get_logs().data
    fits = [row for row in rows if row["task_name"] == "fit"]
    assert len(fits) == 2 * 3 + 1  # two candidates on three folds, and the best one on all
    assert len(rows) > 4 * len(fits)
    assert max(row["r2"] for row in fits) >= search.best_estimator_.score(X, y) - 1e-12
    alone = GridSearchCV(LinearRegression(**settings), grid, cv=3).fit(X, y)
    assert search.best_score_ == alone.best_score_
    same_bits(search.best_estimator_, alone.best_estimator_)


@ways
def test_callbacks_of_a_search_reach_its_fits(settings: dict[str, Any]) -> None:
    seen = Propagated()
    grid = {"fit_intercept": [True, False]}
    search = GridSearchCV(LinearRegression(**settings), grid, cv=3).set_callbacks(seen).fit(X, y)
    assert sum(name == "pass 1" for name in seen.passes) == 2 * 3 + 1
    last = seen.passes[seen.passes.index("search") + 1 :]  # the best candidate, fitted on all rows
    assert last == [f"pass {i}" for i in range(1, search.best_estimator_.n_iter_ + 1)]


@ways
def test_callbacks_can_be_taken_off_and_do_not_hang_on_clones(settings: dict[str, Any]) -> None:
    seen = Recorder()
    model = fitted(seen, y, **settings)
    many = len(seen.hooks)
    same_bits(model.set_callbacks().fit(X, y), fitted(None, y, **settings))
    assert len(seen.hooks) == many
    assert clone(fitted(Recorder(), y, **settings)).get_params() == model.get_params()


# ------------------------------------------------------------------------------------------------------- the record


@ways
@targets
def test_a_recorded_fit_has_the_same_bits(settings: dict[str, Any], target: Any) -> None:
    model = LinearRegression(**settings)
    record = model.fit_with_history(X, target)
    same_bits(model, fitted(None, target, **settings))
    names, rows = record["passes"]
    assert "pass" in names
    assert rows.shape[1] == len(names)


@ways
def test_a_record_holds_every_pass_of_every_target(settings: dict[str, Any]) -> None:
    """The passes of three targets are those of three fits."""
    _, together = LinearRegression(**settings).fit_with_history(X, Y)["passes"]
    apart = [LinearRegression(**settings).fit_with_history(X, Y[:, t].copy())["passes"][1] for t in range(3)]
    assert len(together) == sum(map(len, apart))


@ways
def test_a_recorded_fit_ends_its_callbacks(settings: dict[str, Any]) -> None:
    seen = Recorder()
    model = LinearRegression(**settings).set_callbacks(seen)
    model.fit_with_history(X, y)
    assert seen.hooks[-1] == ("teardown", "fit")
    assert not hasattr(model, "_callback_fit_ctx")


def test_a_new_fit_forgets_the_old_one() -> None:
    """What an iterative fit left behind is not there after a direct one, and the other way round."""
    model = LinearRegression(positive=True).fit(X, y)
    assert model.n_iter_ > 0
    model.set_params(positive=False).fit(X, y)
    assert not hasattr(model, "n_iter_")
    assert len(model.singular_) == 6
    model.set_params(solver="lsqr").fit(X[:, :4] * 7, y)
    assert not hasattr(model, "singular_") or len(model.singular_) == 4
