"""Stopping a model before it learns rows by heart, and going back to where it was best."""

from __future__ import annotations

from typing import Any, Self

from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.utils import Tags, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from pellucid.base.declare import Declared, param
from pellucid.base.types import Array
from pellucid.model_selection.iterations import IterationCurve, Watch, held_out, name_of, one_scorer, stages

__all__ = ["EarlyStopping"]


def _has(name: str) -> Any:
    def check(self: Any) -> bool:
        return hasattr(getattr(self, "estimator_", self.estimator), name)

    return available_if(check)


class EarlyStopping(Declared, MetaEstimatorMixin, BaseEstimator):
    """Follows a model through its iterations and stops when rows held out are no longer predicted better.

    After every iteration the model is scored on rows that it is not fitted to. When ``patience`` iterations in a row
    have brought no improvement of more than ``min_improvement``, it stops and goes back to the iteration with the
    highest score.

    Attributes
    ----------
    estimator_ : the fitted model, of the best iteration (of the last one with ``roll_back=False``)
    best_iteration_, best_score_ : where and what the highest score was
    n_iter_ : iterations that were run
    curve_ : `IterationCurve` with the scores of all of them
    classes_, n_features_in_, feature_names_in_ : those of the model, where it has them

    Notes
    -----
    It takes `GradientDescentRegressor`, anything with ``partial_fit``, and anything with ``warm_start`` and a number of
    iterations. The rows held out choose the iteration, so the best score is a little too good: judge the model on other
    rows.

    References
    ----------
    Prechelt: Early stopping - but when? Neural Networks: Tricks of the Trade (1998).

    Examples
    --------
    >>> from pellucid.linear_model import GradientDescentRegressor
    >>> X, y = [[i / 10] for i in range(40)], [i / 5 + 1 for i in range(40)]
    >>> model = EarlyStopping(GradientDescentRegressor(), patience=3, min_improvement=1e-4).fit(X, y)
    >>> model.n_iter_ <= 1000, round(model.best_score_, 2)
    (True, 1.0)
    """

    estimator: Any = param(default=None, kw_only=False, doc="The model; one that is fitted in iterations.")
    patience: int = param(default=10, low=1, doc="Iterations in a row without improvement that end the run.")
    min_improvement: float = param(default=0.0, low=0, doc="What the score must gain to count as an improvement.")
    max_iterations: int = param(default=1000, low=1, doc="Most iterations.")
    iterations: str | None = param(
        default=None, doc="Name of the parameter that counts iterations; found by itself where it has a usual name."
    )
    scoring: Any = param(default=None, doc="None for the model's own score, a name of `get_scorer_names`, a function.")
    validation_fraction: float = param(
        default=0.2, low=0, high=1, low_open=True, high_open=True, doc="Share of the rows that is held out."
    )
    roll_back: bool = param(default=True, doc="Go back to the best iteration? Otherwise the last one is kept.")
    random_state: Any = param(default=0, doc="Seed of the split.")

    def fit(self, X: Any, y: Any, X_val: Any = None, y_val: Any = None, **params: Any) -> Self:
        """Runs the model until rows held out are no longer predicted better.

        Parameters
        ----------
        X, y : table and target
        X_val, y_val : rows to hold out; without them a share of X is
        params : for every iteration's ``fit``

        Returns
        -------
        self
        """
        self._check_params()
        who = type(self).__name__
        parts = held_out(who, self.estimator, X, y, X_val, y_val, self.validation_fraction, self.random_state)
        watch = Watch(
            one_scorer(who, self.estimator, self.scoring), parts, self.patience, self.min_improvement, self.roll_back
        )
        stopped, model = False, None
        run = stages(who, self.estimator, parts[0], parts[1], self.max_iterations, self.iterations, params)
        for iteration, model in run:
            stopped = watch.see(iteration, model)
            if stopped:
                break
        self.curve_: IterationCurve = watch.curve(name_of(self.scoring), stopped)
        self.estimator_ = watch.best_model if self.roll_back else model
        self.n_iter_ = len(self.curve_.iterations)
        self.best_iteration_, self.best_score_ = self.curve_.best_iteration, self.curve_.best_score
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags, tags.regressor_tags = inner.classifier_tags, inner.regressor_tags
        tags.input_tags, tags.target_tags = inner.input_tags, inner.target_tags
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "estimator_")

    def __getattr__(self, name: str) -> Any:
        if name in ("classes_", "n_features_in_", "feature_names_in_") and "estimator_" in vars(self):
            return getattr(self.estimator_, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @_has("predict")  # type: ignore[untyped-decorator]
    def predict(self, X: Any) -> Array:
        """What the model predicts."""
        return self._ask("predict", X)

    @_has("predict_proba")  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Array:
        """The probability of each class."""
        return self._ask("predict_proba", X)

    @_has("decision_function")  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Array:
        """The model's decision values."""
        return self._ask("decision_function", X)

    def score(self, X: Any, y: Any) -> float:
        """The score that stopping looked at."""
        check_is_fitted(self)
        return one_scorer(type(self).__name__, self.estimator, self.scoring)(self.estimator_, X, y)

    def _ask(self, method: str, X: Any) -> Array:
        check_is_fitted(self)
        found: Array = getattr(self.estimator_, method)(X)
        return found
