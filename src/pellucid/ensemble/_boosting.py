"""What the two kinds of AdaBoost share: the door of the model inside, the weights of the rows, and stages."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import MetaEstimatorMixin
from sklearn.utils import Tags, get_tags, indexable
from sklearn.utils.validation import has_fit_parameter

from pellucid.base.declare import param
from pellucid.base.errors import ParameterError, PellucidWarning, format_message, short_repr, warn
from pellucid.base.types import Array, Floats, History
from pellucid.data.design import Design, InputSpec
from pellucid.ensemble._rounds import AnyModels, OwnTrees, answers_of, is_own, warn_of_resampling
from pellucid.ensemble._samples import one_seed
from pellucid.estimator.estimator import Estimator
from pellucid.estimator.path import FitPath
from pellucid.estimator.trace import Trace
from pellucid.models.tree.categories import category_sizes, known_codes
from pellucid.tree import DecisionTreeClassifier

LEAST = float(np.finfo(np.float64).eps)  # no weight of a row falls below it


class Rounds(NamedTuple):
    """What the rounds left: models that count, their stages, the errors of all, why it ended, and the record."""

    models: Any
    stages: list[float]
    errors: list[float]
    ended: str
    weights: list[Floats]
    drawn: list[Array]


class Boosting(MetaEstimatorMixin, Estimator):
    """Models one after the other, each fitted to rows that weigh more where those before were wrong."""

    estimator: Any = param(
        default=None,
        kw_only=False,
        doc="The model of a round. None: a tree of ours, of one test for classes and three levels for numbers.",
    )
    n_estimators: int = param(default=50, low=1, doc="Most rounds, and models.")
    learning_rate: float = param(
        default=1.0, low=0, low_open=True, doc="What a stage value is multiplied by: below 1 more rounds are needed."
    )
    random_state: int | np.random.RandomState | None = param(
        default=None, doc="Seed of drawn rows, and of the models where these draw."
    )
    n_jobs: int | None = param(
        default=None, doc="Threads: None or -1 for all available cores. Their number changes no bit of the result."
    )

    path_parameters = ("n_estimators",)

    # ------------------------------------------------------------------------------------------------------------- door

    def _default(self) -> Any:
        raise TypeError(f"{type(self).__name__} must write _default")

    @property
    def _base(self) -> Any:
        """The model of a round."""
        return self._default() if self.estimator is None else self.estimator

    @property
    def _reads(self) -> bool:
        """Is the table read here? Else the models inside read it, each for itself."""
        return is_own(self._base)

    @property
    def input_spec(self) -> InputSpec:  # type: ignore[override]
        """Those of a tree of ours; a table for another model is handed on as it is."""
        return DecisionTreeClassifier.input_spec if self._reads else InputSpec(values=False)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        if self.estimator is not None and hasattr(self.estimator, "fit") and not inspect.isclass(self.estimator):
            inner = get_tags(self.estimator)
            tags.input_tags, tags.no_validation = copy.copy(inner.input_tags), inner.no_validation
            tags.non_deterministic = inner.non_deterministic
        return tags

    def _check_params(self) -> None:
        super()._check_params()
        model, who = self.estimator, type(self).__name__
        if model is not None and (inspect.isclass(model) or not (hasattr(model, "fit") and hasattr(model, "predict"))):
            actual = f"got the class {model.__name__}" if inspect.isclass(model) else f"got {short_repr(model)}"
            hint = f"make one: {model.__name__}()" if inspect.isclass(model) else "such as DecisionTreeClassifier()"
            raise ParameterError(
                format_message(who, "estimator must be a model with fit and predict", actual=actual, hint=hint)
            )

    def _fit_table(self, X: Any, y: Any, sample_weight: Any, record: bool) -> Trace:
        self._passed = X if self._reads else indexable(X)[0]
        try:
            return super()._fit_table(X, y, sample_weight, record)
        finally:
            del self._passed

    def _validate_predict(self, X: Any) -> Design:
        d = super()._validate_predict(X)
        sizes = getattr(self, "_sizes_", None)
        return d if sizes is None else known_codes(d, sizes)

    # --------------------------------------------------------------------------------------------------------- learning

    def _start(self, d: Design) -> tuple[np.random.RandomState, Floats]:
        """What is drawn from, and the first weights of the rows, which add up to 1."""
        self._seed_ = one_seed(self.random_state)
        if self._reads and self._base.categorical_features is not None:
            self._sizes_: Array = category_sizes(d, self._base.categorical_features)
        weight = np.ones(d.n_rows) if d.weight is None else d.unit_weight[0]
        assert weight is not None
        return np.random.RandomState(self._seed_), np.asarray(weight / weight.sum())

    def _resamples(self, weighting: str) -> bool:
        """Are rows drawn? Asked for, or because the model takes no weights, which is said."""
        if weighting == "resample" or has_fit_parameter(self._base, "sample_weight"):
            return weighting == "resample"
        warn_of_resampling(type(self).__name__, self._base)
        return True

    def _learner(self, d: Design, resample: bool) -> Any:
        base = self._base
        if self._reads and OwnTrees.can(base, resample):
            return OwnTrees(base, d)
        return AnyModels(base, d, self._passed)

    def _keep_rounds(
        self, models: Sequence[Any], stages: Sequence[float], errors: Sequence[float], max_rounds: int
    ) -> None:
        """Keeps the models, and their figures under scikit-learn's names: where there is none, stage 0 and error 1."""
        self.estimators_: Any = models
        self.estimator_weights_: Floats = np.zeros(max_rounds)
        self.estimator_errors_: Floats = np.ones(max_rounds)
        self.estimator_weights_[: len(stages)] = stages
        self.estimator_errors_[: len(errors)] = errors

    def _warn_of_overflow(self, rounds: int, lost: bool = False) -> None:
        """Weights beyond the range of floats: infinite, or all lost to zero."""
        requirement = f"Sample weights have reached infinite values, at iteration {rounds - 1}, causing overflow"
        if lost:
            requirement = f"Sample weights have all become zero, at iteration {rounds - 1}"
        hint = "try lowering the learning_rate"
        warn(
            format_message(type(self).__name__, requirement, actual="the rounds before are kept", hint=hint),
            PellucidWarning,
        )

    # ----------------------------------------------------------------------------------------- many numbers of rounds

    def _fit_path(self, name: str, models: list[Any], X: Any, y: Any, **params: Any) -> FitPath:
        """Fewer rounds are the first ones of more: only the longest fit is made."""
        longest = max(models, key=lambda model: int(model.n_estimators))
        longest.fit(X, y, **params)
        for model in models:
            if model is not longest:
                if longest.ended_ == "perfect" or getattr(longest, "models", None) is not None:
                    model.fit(X, y, **params)  # there are no rounds to be had where one model decides alone
                else:
                    self._take_rounds(model, longest)
        return FitPath(models)

    @staticmethod
    def _take_rounds(model: Any, longest: Any) -> None:
        """Fits a model by giving it the first rounds of another."""
        rounds = int(model.n_estimators)
        model.__dict__.update({key: vars(longest)[key] for key in longest._fitted_names()})
        members = longest.estimators_
        m = min(rounds, len(members))
        model.estimators_ = members.part(0, m) if hasattr(members, "part") else members[:m]
        model.estimator_weights_ = longest.estimator_weights_[:rounds].copy()
        model.estimator_errors_ = longest.estimator_errors_[:rounds].copy()
        if m == rounds:
            model.ended_ = "n_estimators"

    # -------------------------------------------------------------------------------------------------------- answering

    @property
    def _stages(self) -> Floats:
        return np.ascontiguousarray(self.estimator_weights_[: len(self.estimators_)])

    def _asked(self, X: Any) -> Any:
        """A table as `_said` wants it: read once for all models, or as it came."""
        self._check_fitted()
        return self._validate_predict(X) if self._reads else X

    def _said(self, model: Any, data: Any) -> Array:
        """What one model says of each row: the place of a class, or a number."""
        classes = getattr(self, "classes_", None)
        if isinstance(data, Design):
            return np.asarray(model._predict(data) if classes is None else model._predict_codes(data))
        return answers_of(type(self).__name__, model, data, classes)

    @property
    def feature_importances_(self) -> Floats:
        """The importances of the columns in the models, weighted by their stage values; where the models have any."""
        self._check_fitted()
        stages = self._stages
        if not stages.any():
            stages = np.ones(len(stages))
        if hasattr(self.estimators_, "importances"):
            return np.asarray(self.estimators_.importances(stages))
        if not all(hasattr(model, "feature_importances_") for model in self.estimators_):
            requirement = (
                "Unable to compute feature importances since estimator does not have a feature_importances_ attribute"
            )
            raise AttributeError(format_message(type(self).__name__, requirement))
        each = np.stack([model.feature_importances_ for model in self.estimators_])
        return np.asarray(stages @ each / stages.sum())

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """The score after each round, with the models of the rounds so far."""
        raise TypeError(f"{type(self).__name__} must write staged_score")


def clipped(weight: Floats, absent: Array) -> Floats:
    """Weights of at least `LEAST`, but for rows that are left out."""
    weights = np.maximum(weight, LEAST)
    weights[absent] = 0.0
    return weights


def draw(random: np.random.RandomState, weight: Floats) -> Array:
    """As many rows as there are, each with a chance in proportion to its weight, with replacement."""
    return random.choice(len(weight), size=len(weight), replace=True, p=weight / weight.sum())


def recorded(weights: list[Floats], samples: list[Array]) -> History:
    """The weights of the rows before each round, and the rows drawn in it."""
    names = [f"row {i}" for i in range(len(weights[0]) if weights else 0)]
    tables: History = {"weights": (names, np.array(weights, dtype=np.float64).reshape(-1, len(names)))}
    if samples:
        tables["drawn"] = (names, np.array(samples, dtype=np.float64))
    return tables


def losses_of(predicted: Floats, y: Floats, absent: Array, loss: str) -> Floats:
    """The loss of each row under AdaBoost.R2, from 0 to 1; 0 for rows that are left out."""
    unit = float(np.ldexp(1.0, int(np.frexp(np.abs(y).max())[1])))  # distances of any target stay in range
    apart = np.where(absent, 0.0, np.abs(predicted / unit - y / unit))
    largest = apart.max()
    share = apart / largest if largest > 0 else apart
    if loss == "square":
        return np.asarray(share**2)
    return np.asarray(np.where(absent, 0.0, 1 - np.exp(-share)) if loss == "exponential" else share)


def weighted_median(values: Floats, weight: Floats) -> Floats:
    """Of each row of values the first, in rising order, up to which the weights make up half of their sum."""
    order = np.argsort(values, axis=1, kind="stable")
    reached = np.cumsum(weight[order], axis=1)
    position = (reached >= 0.5 * reached[:, -1:]).argmax(axis=1)
    rows = np.arange(len(values))
    return np.asarray(values[rows, order[rows, position]])
