"""Voting: different models, each with one voice, or with as many as it is worth."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import TransformerMixin, clone, is_classifier, is_regressor
from sklearn.utils import Tags
from sklearn.utils.metaestimators import available_if

from pellucid.base.declare import param
from pellucid.base.errors import DataError, ParameterError, count, format_message, short_repr
from pellucid.base.parallel import is_ours, run
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design
from pellucid.data.target import attach_one_label
from pellucid.ensemble._members import (
    NamedMembers,
    NamedRegressor,
    aligned,
    codes_of,
    fitted,
)
from pellucid.estimator.roles import Classifier
from pellucid.estimator.trace import Trace
from pellucid.preprocessing.labels import LabelEncoder

__all__ = ["VotingClassifier", "VotingRegressor"]


class _Voting(TransformerMixin, NamedMembers):
    """Members fitted on the same rows, and how much each counts."""

    _word: ClassVar[str]
    verbose: bool

    weights: Any = param(
        default=None, doc="How much each member counts: one number of at least 0 a member; None counts all alike."
    )

    def _check_members(self) -> None:
        self._refuse(is_classifier if is_classifier(self) else is_regressor, self._word)
        if self.weights is None:
            return
        who, n = type(self).__name__, len(self.estimators)
        try:
            weights = np.asarray(self.weights, dtype=np.float64)
        except (TypeError, ValueError):
            weights = np.empty((0, 0))
        if weights.ndim != 1 or not np.isfinite(weights).all() or (weights < 0).any():
            requirement = "weights must be finite numbers of at least 0, one a member"
            raise ParameterError(format_message(who, requirement, actual=f"got {short_repr(self.weights)}"))
        if len(weights) != n:
            requirement = "Number of `estimators` and weights must be equal"
            raise ParameterError(
                format_message(who, requirement, actual=f"got {count(len(weights), 'weight')}, {count(n, 'estimator')}")
            )
        if not self._shares().any():
            requirement = "one of the weights must be above 0"
            raise ParameterError(
                format_message(who, requirement, actual="those of the members that are left are all 0")
            )

    def _shares(self) -> Floats:
        """The weights of the members that are left."""
        weights = np.ones(len(self.estimators)) if self.weights is None else np.asarray(self.weights, dtype=np.float64)
        active = [not isinstance(model, str) for _, model in self.estimators]
        return np.asarray(weights[active])

    def _fit_members(self, d: Design, y: Any) -> None:
        who, members = type(self).__name__, self._kept()
        X, params = self._inside(d), self._routed(d.weight, self._given)
        calls = []
        for index, (name, model) in enumerate(members):
            if self.verbose:
                print(f"[Voting] ({index + 1} of {len(members)}) Processing {name}")
            what = f"member {name!r} could not be fitted"
            calls.append((who, what, clone(model), X, y, params[name]))
        ours = all(is_ours(model) for _, model in members)
        self.estimators_: list[Any] = run(fitted, calls, self.n_jobs, "members", threads=ours)
        self.named_estimators_ = self._fitted_by_name()

    def _names(self) -> list[str]:
        return [name for name, _ in self._kept()]

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The names of the columns of `transform`: votingclassifier_name, with the class's number where there are more.

        Parameters
        ----------
        input_features : not looked at
            There for scikit-learn's sake.
        """
        self._check_fitted()
        prefix = type(self).__name__.lower()
        return np.array([f"{prefix}_{name}" for name in self._columns()], dtype=object)

    def _columns(self) -> list[str]:
        return self._names()


class VotingClassifier(_Voting, Classifier):
    """Different classifiers vote on the class of each row.

    With members t = 1..T, weights ``w_t`` and classes k:

        hard:  ``V_k = sum_t w_t [member t says k]``
        soft:  ``P_k = sum_t w_t P_t(k | x) / sum_t w_t``

    and the class with the largest ``V_k``, or ``P_k``, wins; of equals the first in the order of `classes_`. Each
    member is fitted on all rows. Hard voting asks nothing but labels; soft voting lets a member that is sure count more
    than one that wavers, and wants probabilities that mean what they say (`CalibratedClassifierCV` helps).

    It helps where members err on different rows: of many voters that are right more often than not, and independent,
    the majority is right nearly always. Members that err together gain nothing by voting. Where some members are better
    than others and nobody knows by how much, `StackingClassifier` learns the weights; one model that is steady enough
    is easier to explain.

    Attributes
    ----------
    estimators_ : the fitted members, those dropped left out
    named_estimators_ : the same by name; 'drop' for those left out
    le_ : the labels as numbers 0, 1, ..., as in scikit-learn
    classes_ : labels, sorted
    n_features_in_, feature_names_in_ : columns seen in fit

    Notes
    -----
    As scikit-learn, but: members learn the labels themselves, not their numbers, so that class weights by label work
    inside; weights of members must be at least 0; a member without probabilities is named when a soft vote is fitted,
    not when it is asked. `transform` gives numbers of labels, as there.

    Examples
    --------
    Three members, of which two always say one class: whatever the third finds, it is outvoted unless it counts more.

    >>> from pellucid.dummy import DummyClassifier
    >>> from pellucid.ensemble import VotingClassifier
    >>> from pellucid.tree import DecisionTreeClassifier
    >>> always = DummyClassifier(strategy="constant", constant="no")
    >>> members = [("a", always), ("b", always), ("tree", DecisionTreeClassifier())]
    >>> X, y = [[1], [2], [3], [4]], ["no", "no", "yes", "yes"]
    >>> VotingClassifier(members).fit(X, y).predict([[4]]).tolist()
    ['no']
    >>> VotingClassifier(members, weights=[1, 1, 3]).fit(X, y).predict([[4]]).tolist()
    ['yes']
    >>> VotingClassifier(members, voting="soft", weights=[1, 1, 3]).fit(X, y).predict_proba([[4]]).tolist()
    [[0.4, 0.6]]
    """

    voting: Literal["hard", "soft"] = param(
        default="hard", doc="Count labels ('hard'), or take the mean of the probabilities ('soft')."
    )
    flatten_transform: bool = param(
        default=True,
        doc="Does `transform` of a soft vote put the members' columns side by side, or in a third dimension?",
    )
    verbose: bool = param(default=False, doc="Print each member's name before it is fitted.")

    _word = "classifier"

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = False
        if tags.transformer_tags is not None:
            tags.transformer_tags.preserves_dtype = []
        return tags

    def _check_members(self) -> None:
        super()._check_members()
        if self.voting == "soft":
            for name, model in self._kept():
                self._refuse_silent(name, model)

    def _refuse_silent(self, name: str, model: Any) -> None:
        if not hasattr(model, "predict_proba"):
            requirement = "voting='soft' needs a probability of every class from every member"
            actual = f"member {name!r}, a {type(model).__name__}, has no predict_proba"
            hint = "use voting='hard', drop it, or put CalibratedClassifierCV around it"
            raise ParameterError(format_message(type(self).__name__, requirement, actual=actual, hint=hint))

    def _attach_target(self, d: Design, y: Any) -> None:
        attach_one_label(d, y)
        self.classes_ = d.classes[0]

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Fits every member on all rows.

        Parameters
        ----------
        X : table of n rows, in any form that the members take
        y : n labels
        sample_weight : n numbers, optional
            How much each row counts; handed to every member.
        **fit_params : passed on to the members by scikit-learn's metadata routing

        Returns
        -------
        self
        """
        return self._fit_with(X, y, sample_weight, fit_params)

    def _fit(self, d: Design, trace: Trace) -> None:
        labels = self.classes_[d.y[:, 0].astype(int)]
        self._fit_members(d, labels)
        self.le_ = LabelEncoder().fit(labels)
        if self.voting == "soft":
            for name, model in zip(self._names(), self.estimators_, strict=True):
                self._refuse_silent(name, model)

    # ---------------------------------------------------------------------------------------------------------- answers

    def predict(self, X: Any) -> Array:
        """The class with the most votes, or with the largest mean probability; the first of equals."""
        self._check_fitted()
        scores = self.predict_proba(X) if self.voting == "soft" else self.votes(X)
        return np.asarray(self.classes_[scores.argmax(axis=1)])

    def votes(self, X: Any) -> Floats:
        """How much weight of the members says each class, one column a class: what a hard vote counts."""
        self._check_fitted()
        codes = self._codes(X)
        counts = np.zeros((len(codes), len(self.classes_)))
        for column, weight in zip(codes.T, self._shares(), strict=True):
            counts[np.arange(len(codes)), column] += weight
        return counts

    def _is_soft(self) -> bool:
        if self.voting == "hard":
            raise AttributeError(f"predict_proba is not available when voting={self.voting!r}")
        return True

    @available_if(_is_soft)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """The weighted mean of the members' probabilities, one column a class in the order of `classes_`."""
        self._check_fitted()
        return np.asarray(np.average(self._probabilities(X), axis=0, weights=self._weights_of_average()))

    def _weights_of_average(self) -> Floats | None:
        return None if self.weights is None else self._shares()

    def _codes(self, X: Any) -> Array:
        """What each member says, as places in `classes_`: one column a member."""
        who = type(self).__name__
        codes = [
            codes_of(who, f"member {name!r}", model.predict(X), self.classes_)
            for name, model in zip(self._names(), self.estimators_, strict=True)
        ]
        return np.column_stack(codes)

    def _probabilities(self, X: Any) -> Floats:
        """Members, rows, classes."""
        return np.asarray(
            [aligned(model.predict_proba(X), model.classes_, self.classes_, 0.0) for model in self.estimators_]
        )

    def transform(self, X: Any) -> Array:
        """What each member says of each row.

        Returns
        -------
        array : of a hard vote the numbers of the labels, one column a member; of a soft vote the probabilities, member
            after member (n x members·classes), or members x n x classes with ``flatten_transform=False``
        """
        self._check_fitted()
        if self.voting == "hard":
            return self._codes(X)
        probabilities = self._probabilities(X)
        return np.hstack(list(probabilities)) if self.flatten_transform else probabilities

    def _columns(self) -> list[str]:
        if self.voting == "hard":
            return self._names()
        if not self.flatten_transform:
            actual = "get_feature_names_out is not supported when `voting='soft'` and `flatten_transform=False`"
            raise DataError(format_message(type(self).__name__, "only a table has names of columns", actual=actual))
        return [f"{name}{k}" for name in self._names() for k in range(len(self.classes_))]


class VotingRegressor(_Voting, NamedRegressor):
    """The mean of what different regressors predict.

    With members t = 1..T and weights ``w_t``:  ``f(x) = sum_t w_t f_t(x) / sum_t w_t``.

    Each member is fitted on all rows. Where their errors are independent, with the same variance s², the mean errs with
    s² / T; where all err alike nothing is gained. The mean lies between the members' predictions: it is never worse
    than the worst of them on any row, and by squared error never worse than they are on average. `StackingRegressor`
    learns the weights.

    Attributes
    ----------
    estimators_ : the fitted members, those dropped left out
    named_estimators_ : the same by name; 'drop' for those left out
    n_features_in_, feature_names_in_ : columns seen in fit

    Notes
    -----
    As scikit-learn; weights of members must be at least 0, and several targets are taken where all members take them.

    Examples
    --------
    The mean of y is 4, the line predicts 6 at x = 3: together 5; if the line counts three times, 5.5.

    >>> from pellucid.dummy import DummyRegressor
    >>> from pellucid.ensemble import VotingRegressor
    >>> from pellucid.linear_model import LinearRegression
    >>> members = [("mean", DummyRegressor()), ("line", LinearRegression())]
    >>> X, y = [[1], [2], [3]], [2, 4, 6]
    >>> VotingRegressor(members).fit(X, y).predict([[3]]).round(12).tolist()
    [5.0]
    >>> VotingRegressor(members, weights=[1, 3]).fit(X, y).predict([[3]]).round(12).tolist()
    [5.5]
    """

    verbose: bool = param(default=False, doc="Print each member's name before it is fitted.")

    _word = "regressor"

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Fits every member on all rows.

        Parameters
        ----------
        X : table of n rows, in any form that the members take
        y : n numbers
        sample_weight : n numbers, optional
            How much each row counts; handed to every member.
        **fit_params : passed on to the members by scikit-learn's metadata routing

        Returns
        -------
        self
        """
        return self._fit_with(X, y, sample_weight, fit_params)

    def _fit(self, d: Design, trace: Trace) -> None:
        self._fit_members(d, d.y[:, 0] if d.y_is_vector else d.y)

    def predict(self, X: Any) -> Array:
        """The weighted mean of the members' predictions."""
        self._check_fitted()
        weights = None if self.weights is None else self._shares()
        return np.asarray(np.average([model.predict(X) for model in self.estimators_], axis=0, weights=weights))

    def transform(self, X: Any) -> Array:
        """What each member predicts: one column a member."""
        self._check_fitted()
        return np.column_stack([np.asarray(model.predict(X)) for model in self.estimators_])
