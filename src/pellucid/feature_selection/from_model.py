"""The columns that a fitted model gives weight to."""

from __future__ import annotations

import copy
import numbers
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.callback import with_callbacks
from sklearn.exceptions import NotFittedError as SklearnNotFittedError
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from pellucid.base.declare import param
from pellucid.base.errors import DataError, NotFittedError, ParameterError, count, format_message, short_repr
from pellucid.base.types import Array, Flags, Floats
from pellucid.data.design import Design, Schema, apply_schema
from pellucid.estimator.roles import OptionalTargetAndWeight
from pellucid.estimator.trace import Trace
from pellucid.feature_selection._selector import target_of
from pellucid.feature_selection._wrapped import WrappedSelector, check_getter, fit_inside, importances_of, is_whole

__all__ = ["SelectFromModel"]

# A penalty on absolute values sets coefficients to exactly zero: what is left above this counts.
_NOTHING = 1e-5


def _check_threshold(value: Any) -> str | None:
    if value is None or (isinstance(value, numbers.Real) and not isinstance(value, bool) and value == value):
        return None
    if isinstance(value, str):
        factor, star, word = value.rpartition("*")
        try:
            fine = word.strip() in ("mean", "median") and (not star or np.isfinite(float(factor)))
        except ValueError:
            fine = False
        if fine:
            return None
    words = "threshold must be None, a number, 'mean', 'median' or a multiple such as '1.25*mean'"
    return f"{words}; got {value!r}"


def _check_order(value: Any) -> str | None:
    real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    fine = real and (abs(value) == np.inf or (value == int(value) and value != 0))
    return None if fine else f"norm_order must be a whole number other than 0, inf or -inf; got {value!r}"


def _check_most(value: Any) -> str | None:
    zero = isinstance(value, numbers.Integral) and not isinstance(value, bool) and int(value) == 0
    fine = value is None or zero or is_whole(value) or callable(value)
    return None if fine else f"max_features must be None, a whole number of at least 0, or a function; got {value!r}"


def _learns_in_parts(self: Any) -> bool:
    inner = self.estimator_ if hasattr(self, "estimator_") else self.estimator
    return hasattr(inner, "partial_fit")


class SelectFromModel(OptionalTargetAndWeight, WrappedSelector):
    """Keeps the columns to which a fitted model gives weight enough.

    A column stays if its importance is at least  ``threshold``:  ``|coef_j|`` of a linear model (the norm over several
    rows of coefficients), or ``feature_importances_`` of a tree or forest.

    One fit answers for all columns: the quickest way that asks a model. Coefficients say how much y changes with one
    unit of a column: bring the columns to one scale first, or the unit decides. Of two columns that say the same a
    model may weigh either, or both half: `CorrelationFilter` first. `SequentialFeatureSelector` asks what a column is
    worth on rows held out instead.

    Attributes
    ----------
    estimator_ : the fitted model
    threshold_ : float
        The number that importances are compared with.
    max_features_ : int
        Most columns, where `max_features` is given.

    Examples
    --------
    ``y = 3 a + 0 b + c``: importances 3, 0 and 1, whose mean is 4/3.

    >>> from pellucid.feature_selection import SelectFromModel
    >>> from pellucid.linear_model import LinearRegression
    >>> X = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]
    >>> selector = SelectFromModel(LinearRegression()).fit(X, [0, 3, 0, 1, 4])
    >>> round(float(selector.threshold_), 4), selector.get_support().tolist()
    (1.3333, [True, False, False])

    Notes
    -----
    As scikit-learn: with ``threshold=None`` it is 1e-5 for a model with an L1 penalty, by its name or `penalty`, and
    the mean of the importances else.
    """

    threshold: Any = param(
        default=None,
        check=_check_threshold,
        doc="Least importance: a number, 'mean', 'median', '1.25*mean', or None: 1e-5 for an L1 penalty, else 'mean'.",
    )
    prefit: bool = param(default=False, doc="Is the model fitted already? Then `fit` copies it.")
    norm_order: Any = param(
        default=1, check=_check_order, doc="Norm over several rows of coefficients: 1, 2, ..., inf."
    )
    max_features: Any = param(
        default=None,
        check=_check_most,
        doc="Most columns: a number, or a function of X; threshold=-inf leaves it alone.",
    )
    importance_getter: Any = param(
        default="auto", check=check_getter, doc="'auto', the name of an attribute, or a function of the fitted model."
    )

    @available_if(_learns_in_parts)  # type: ignore[untyped-decorator]
    @with_callbacks  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any = None, **more: Any) -> Self:
        """Lets the model learn from one more part of a table.

        Parameters
        ----------
        X, y : some rows of the table, and their target
        more : what else the model's `partial_fit` takes, such as `classes`

        Returns
        -------
        self
        """
        self._check_params()
        if self.prefit:
            return self.fit(X, y) if not hasattr(self, "estimator_") else self
        known = getattr(self, "estimator_", None)
        first, model = known is None, clone(self.estimator) if known is None else known
        model.partial_fit(X, y, **more) if y is not None else model.partial_fit(X, **more)
        self.estimator_: Any = model
        if first:
            d = apply_schema(X, self._schema_inside(), self.input_spec, type(self).__name__)
            self._keep_schema(Schema(d.n_cols, d.table.names, d.table.names_are_text))
            self._keep_most(X)
        return self

    def _fit_table(self, X: Any, y: Any, sample_weight: Any, record: bool) -> Trace:
        trace = super()._fit_table(X, None if self.prefit and y is None else y, sample_weight, record)
        self._keep_most(X)
        return trace

    def _attach_target(self, d: Design, y: Any) -> None:
        if not self.prefit or y is not None:
            super()._attach_target(d, y)

    def _fit(self, d: Design, trace: Trace) -> None:
        if self.prefit:
            self._check_prefit()
            self.estimator_ = copy.deepcopy(self.estimator)
            return
        self._refuse_weight(d)
        more = {} if d.weight is None else {"sample_weight": d.weight}
        table = d.table.source.to_native() if d.table.is_frame else d.table.source
        self.estimator_ = fit_inside(clone(self.estimator), table, target_of(d), **more)
        self._scores()  # a model without importances is refused here, not when columns are asked for

    def _keep_most(self, X: Any) -> None:
        if self.max_features is None:
            return
        most = self.max_features(X) if callable(self.max_features) else self.max_features
        if not isinstance(most, numbers.Integral) or isinstance(most, bool) or most < 0:
            requirement = "max_features must give a whole number of at least 0"
            raise ParameterError(format_message(type(self).__name__, requirement, actual=f"got {short_repr(most)}"))
        self.max_features_ = int(most)

    # -------------------------------------------------------------------------------------------------- a fitted model

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "estimator_") or (bool(self.prefit) and not callable(self.max_features))

    def _check_fitted(self) -> None:
        if self.prefit and not hasattr(self, "estimator_"):
            if callable(self.max_features):
                requirement = (
                    "When `prefit=True` and `max_features` is a callable, call `fit` before calling `transform`"
                )
                raise NotFittedError(format_message(type(self).__name__, requirement))
            self._check_params()
            self._check_prefit()
            return
        super()._check_fitted()

    def _check_prefit(self) -> None:
        try:
            check_is_fitted(self.estimator)
        except SklearnNotFittedError:
            requirement = "When `prefit=True`, `estimator` is expected to be a fitted estimator"
            raise NotFittedError(
                format_message(type(self).__name__, requirement, actual=f"{type(self.estimator).__name__} is not")
            ) from None

    def _validate_predict(self, X: Any) -> Design:
        self._check_fitted()
        schema = getattr(self, "schema_", None) or self._schema_inside()
        return apply_schema(X, schema, self.input_spec, type(self).__name__)

    def _schema_inside(self) -> Schema:
        """What the model inside saw, for one that was fitted before."""
        model = getattr(self, "estimator_", self.estimator)
        names = getattr(model, "feature_names_in_", None)
        return Schema(len(self._scores()), None if names is None else tuple(names), True)

    def _names_in(self, input_features: Any) -> list[str]:
        if hasattr(self, "n_features_in_"):
            return super()._names_in(input_features)
        names = self._schema_inside().names
        chosen = input_features if input_features is not None else names
        return [f"x{j}" for j in range(len(self._scores()))] if chosen is None else [str(name) for name in chosen]

    # ------------------------------------------------------------------------------------------------------ importances

    def _scores(self) -> Floats:
        """One importance a column: absolute values, or their norm over several rows."""
        model = getattr(self, "estimator_", self.estimator)
        values = importances_of(type(self).__name__, model, self.importance_getter)
        found = np.abs(values) if values.ndim == 1 else np.linalg.norm(values, axis=0, ord=self.norm_order)
        wanted = getattr(self, "n_features_in_", len(found))
        if len(found) != wanted:
            requirement = "importances must be one number a column"
            raise DataError(
                format_message(
                    type(self).__name__, requirement, actual=f"got {len(found)} for {count(wanted, 'column')}"
                )
            )
        return np.asarray(found)

    @property
    def threshold_(self) -> float:
        """The number that importances are compared with."""
        self._check_fitted()
        return threshold_of(self.threshold, getattr(self, "estimator_", self.estimator), self._scores())

    def _support(self) -> Flags:
        scores = self._scores()
        most = getattr(self, "max_features_", self.max_features)
        support = np.ones(len(scores), dtype=bool)
        if most is not None:
            support[np.argsort(-scores, kind="stable")[most:]] = False
        support[scores < self.threshold_] = False
        return support


def threshold_of(threshold: Any, model: Any, scores: Array) -> float:
    """A threshold as a number."""
    chosen = threshold if threshold is not None else (_NOTHING if _is_sparse_model(model) else "mean")
    if not isinstance(chosen, str):
        return float(chosen)
    factor, star, word = chosen.rpartition("*")
    middle = float(np.median(scores) if word.strip() == "median" else np.mean(scores))
    return float(factor) * middle if star else middle


def _is_sparse_model(model: Any) -> bool:
    """Does its penalty set coefficients to exactly zero?"""
    name = type(model).__name__
    if getattr(model, "penalty", None) == "l1" or "Lasso" in name:
        return True
    share = {"ElasticNet": "l1_ratio", "LogisticRegression": "l1_ratio"}.get(name, "l1_ratio_")
    known = ("ElasticNet", "ElasticNetCV", "LogisticRegression", "LogisticRegressionCV")
    ratio = getattr(model, share, None)
    return name in known and ratio is not None and bool(np.all(np.isclose(ratio, 1.0)))
