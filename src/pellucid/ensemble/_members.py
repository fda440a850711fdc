"""What ensembles of named models share: their door, their names, their fits, and answers put side by side."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import MetaEstimatorMixin
from sklearn.exceptions import NotFittedError as SklearnNotFittedError
from sklearn.utils import Bunch, Tags, get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, _routing_enabled, process_routing
from sklearn.utils.metaestimators import _BaseComposition
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from pellucid.base.declare import param
from pellucid.base.errors import (
    DataError,
    DataTypeError,
    ParameterError,
    PellucidError,
    format_message,
    join_some,
    noun_list,
    short_repr,
)
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec, attach_weight
from pellucid.data.target import attach_numbers, attach_one_column
from pellucid.estimator.estimator import Estimator
from pellucid.estimator.roles import Regressor, r2
from pellucid.estimator.trace import Trace

DROP = "drop"


# ------------------------------------------------------------------------------------------------------------- failures


def failed(who: str, what: str, error: Exception) -> PellucidError:
    """The error of a model inside, with who it was and what it was given in front; of another's the first line."""
    body, _, hint = str(error).partition("\nhint: ")
    body = body.strip().rstrip(".")
    if not isinstance(error, PellucidError):
        body = ": ".join([type(error).__name__, *body.splitlines()[:1]])
    kind = ParameterError if isinstance(error, ParameterError) else DataError
    if kind is DataError and isinstance(error, TypeError):
        kind = DataTypeError
    return kind(format_message(who, what, actual=body, hint=hint))


def fitted(who: str, what: str | Callable[[], str], model: Any, X: Any, y: Any, params: dict[str, Any]) -> Any:
    """The model, fitted; where it raises, the sentence says which it was: `what`, asked for only then if it can be."""
    try:
        return model.fit(X, y, **params)
    except MemoryError:
        raise
    except Exception as error:
        raise failed(who, what if isinstance(what, str) else what(), error) from error


# -------------------------------------------------------------------------------------------------------------- classes


def codes_of(who: str, what: str, labels: Any, classes: Array) -> Array:
    """Labels as places in the sorted classes; one that is not among them is refused."""
    array = np.asarray(labels)
    codes = np.clip(np.searchsorted(classes, array), 0, len(classes) - 1)
    unmatched = classes[codes] != array
    if np.any(unmatched):
        unknown = sorted({repr(value) for value in array[unmatched].tolist()})
        hint = f"y has {join_some(map(str, classes.tolist()))}"
        raise DataError(
            format_message(
                who, f"{what} must answer with classes of y", actual=f"it answers {join_some(unknown)}", hint=hint
            )
        )
    return codes


def aligned(values: Any, model_classes: Array, classes: Array, absent: float) -> Floats:
    """Columns in the order of all classes, those of classes that a model has not met filled with `absent`."""
    array = np.asarray(values)
    if len(model_classes) == len(classes):
        return array
    full = np.full((len(array), len(classes)), absent)
    if array.ndim == 1:  # the decision between two classes is one number, for the second of them
        array = np.column_stack([-array, array])
    full[:, np.searchsorted(classes, model_classes)] = array
    return full


# --------------------------------------------------------------------------------------------------------------- target


# -------------------------------------------------------------------------------------------------------- named members


class NamedMembers(MetaEstimatorMixin, _BaseComposition, Estimator):
    """Models under names, of which some may be dropped; their parameters are reached as ``name__parameter``."""

    estimators: Any = param(
        default=None,
        kw_only=False,
        doc="The members: a list of pairs of a name and a model; 'drop' in place of a model leaves it out.",
    )
    n_jobs: int | None = param(default=None, doc="Fits at a time, by joblib; None is one, -1 one a core.")

    input_spec = InputSpec(values=False)  # the members look at them

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters, with `deep` also the members by name and their parameters as ``name__parameter``."""
        params: dict[str, Any] = self._get_params("estimators", deep=deep)
        return params

    def set_params(self, **params: Any) -> Self:
        """Sets parameters; a member by its name, its parameters as ``name__parameter``."""
        self._set_params("estimators", **params)
        return self

    @property
    def named_estimators(self) -> Bunch:
        """The members as they were given, by name."""
        return Bunch(**dict(self.estimators))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        members = [get_tags(model) for _, model in self._kept()] if self._is_sound() else []
        doors = [copy.copy(inner.input_tags) for inner in members]
        tags.no_validation = bool(members) and all(inner.no_validation for inner in members)
        tags.non_deterministic = any(inner.non_deterministic for inner in members)
        for name in ("sparse", "allow_nan", "categorical", "string"):
            setattr(tags.input_tags, name, bool(doors) and all(getattr(spec, name) for spec in doors))
        tags.input_tags.positive_only = any(spec.positive_only for spec in doors)
        return tags

    def _is_sound(self) -> bool:
        """Is `estimators` a list of pairs of a name and a model? `_check_params` says what is wrong otherwise."""
        return _pairs_fault(self.estimators) == ""

    def _kept(self) -> list[tuple[str, Any]]:
        return [(name, model) for name, model in self.estimators if not _dropped(model)]

    def _fitted_by_name(self) -> Bunch:
        """What each name became: its fitted model, or 'drop'."""
        models = iter(self.estimators_)
        return Bunch(**{name: DROP if _dropped(model) else next(models) for name, model in self.estimators})

    def _check_params(self) -> None:
        super()._check_params()
        who = type(self).__name__
        fault = _pairs_fault(self.estimators)
        if fault:
            requirement = (
                "Invalid 'estimators' attribute, 'estimators' should be a non-empty list of (string, estimator) tuples"
            )
            hint = 'such as [("line", LinearRegression()), ("tree", DecisionTreeRegressor())]'
            raise ParameterError(format_message(who, requirement, actual=fault, hint=hint))
        names = [name for name, _ in self.estimators]
        actual = (
            (f"Names provided are not unique: {names}" if len(set(names)) < len(names) else "")
            or _said("Estimator names conflict with constructor arguments", set(names) & set(self._params))
            or _said("Estimator names must not contain __", [name for name in names if "__" in name])
        )
        if actual:
            raise ParameterError(
                format_message(who, "every member needs a name of its own", actual=actual, hint="choose other names")
            )
        if not self._kept():
            raise ParameterError(
                format_message(who, "at least one member must be left", actual="All estimators are dropped")
            )
        self._check_members()

    def _check_members(self) -> None:
        """A subclass says which models it takes."""

    def _refuse(self, is_right: Callable[[Any], bool], word: str) -> None:
        for name, model in self._kept():
            if not is_right(model):
                requirement = f"The estimator {type(model).__name__} should be a {word}"
                raise ParameterError(
                    format_message(type(self).__name__, requirement, actual=f"member {name!r} is none")
                )

    # ---------------------------------------------------------------------------------------------------------- routing

    def get_metadata_routing(self) -> MetadataRouter:
        """Who takes which metadata: this estimator, and the fits of its members."""
        router = MetadataRouter(owner=self).add_self_request(self)
        for name, model in self._kept() if self._is_sound() else []:
            router.add(**{name: model}, method_mapping=MethodMapping().add(caller="fit", callee="fit"))
        return router

    def _routed(self, weight: Floats | None, params: dict[str, Any]) -> dict[str, dict[str, Any]]:
        """What the fit of each member is given besides table and target."""
        names = [name for name, _ in self._kept()]
        if _routing_enabled():
            fit_params = params if weight is None else {**params, "sample_weight": weight}
            routed = process_routing(self, "fit", **fit_params)
            return {name: dict(routed[name].fit) for name in names}
        self._refuse_params(params)
        if weight is None:
            return {name: {} for name in names}
        for name, model in self._kept():
            refuse_weights(type(self).__name__, f"member {name!r} cannot take those given", model, "drop this one")
        return {name: {"sample_weight": weight} for name in names}

    def _refuse_params(self, params: dict[str, Any]) -> None:
        if params:
            actual = f"[{', '.join(map(repr, sorted(params)))}] are passed but metadata routing is not enabled"
            hint = "sklearn.set_config(enable_metadata_routing=True) hands them on"
            raise ParameterError(
                format_message(type(self).__name__, "fit takes X, y and sample_weight", actual=actual, hint=hint)
            )

    # -------------------------------------------------------------------------------------------------------------- fit

    def _fit_table(self, X: Any, y: Any, sample_weight: Any, record: bool) -> Trace:
        self._passed = indexable(X)[0]
        try:
            trace = super()._fit_table(X, y, sample_weight, record)
        finally:
            del self._passed
        first = self.estimators_[0]
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(first, name):
                setattr(self, name, getattr(first, name))
        return trace

    def _inside(self, d: Design) -> Any:
        """The table as the members get it: as it came."""
        return d.table.source.to_native() if d.table.is_frame else self._passed

    def _fit_with(self, X: Any, y: Any, sample_weight: Any, params: dict[str, Any]) -> Self:
        """`fit`, with what else the members are to be given at hand."""
        self._more = params
        try:
            super().fit(X, y, sample_weight)
        finally:
            del self._more
        return self

    @property
    def _given(self) -> dict[str, Any]:
        """What else this fit was given for its members."""
        extra_params: dict[str, Any] = vars(self).get("_more", {})
        return extra_params

    def _sk_visual_block_(self) -> Any:
        from sklearn.utils._repr_html.estimator import _VisualBlock

        names, models = zip(*self.estimators, strict=True)
        return _VisualBlock("parallel", models, names=names)


class NamedRegressor(NamedMembers, Regressor):
    """Members for numbers; several targets are taken where all members take them."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        return tags

    def _attach_target(self, d: Design, y: Any) -> None:
        attach_one_column(d, y)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The coefficient of determination R² = 1 - SSE / SST of the predictions; the mean over several targets."""
        d = self._validate_predict(X)
        attach_numbers(d, y)
        attach_weight(d, sample_weight)
        weight: Any = np.ones(d.n_rows) if d.weight is None else d.unit_weight[0]
        predicted = np.asarray(self.predict(X), dtype=np.float64).reshape(d.y.shape)
        return float(np.mean(r2(d.y, predicted, weight)))


def refuse_weights(who: str, actual: str, model: Any, hint: str) -> None:
    """Weights need a model whose fit takes them."""
    if not has_fit_parameter(model, "sample_weight"):
        requirement = f"Underlying estimator {type(model).__name__} does not support sample weights"
        raise DataTypeError(format_message(who, requirement, actual=actual, hint=f"leave the weights out, or {hint}"))


def _dropped(model: Any) -> bool:
    return isinstance(model, str) and model == DROP


def _said(words: str, names: Iterable[str]) -> str:
    listing = sorted(names)
    return f"{words}: {listing}" if listing else ""


def _pairs_fault(estimators: Any) -> str:
    """What is wrong with the list of members, or nothing."""
    if not isinstance(estimators, list | tuple) or len(estimators) == 0:
        return f"got {short_repr(estimators)}"
    for index, pair in enumerate(estimators):
        if not isinstance(pair, tuple | list) or len(pair) != 2 or not isinstance(pair[0], str):
            return f"entry {index} is {short_repr(pair)}"
        model = pair[1]
        if inspect.isclass(model):
            return f"member {pair[0]!r} is the class {model.__name__}, not a model: {model.__name__}()"
        if not _dropped(model) and not hasattr(model, "fit"):
            return f"member {pair[0]!r} is {short_repr(model)}, which has no fit"
    return ""


def rows_said(rows: Array) -> str:
    """The first rows of a sample, for a message."""
    return noun_list("row", rows.tolist(), limit=5)


# --------------------------------------------------------------------------------------------------------- given models


@dataclass
class GivenFunction:
    """A rule given as a function of the table, in the place of a model."""

    function: Callable[[Any], Any]

    def predict(self, X: Any) -> Array:
        """What the function says of each row."""
        return np.asarray(self.function(X))


def given_model(who: str, k: int, model: Any) -> Any:
    """A model that was given: fitted already, or a function of the table."""
    if not hasattr(model, "predict") and callable(model) and not isinstance(model, type):
        return GivenFunction(model)
    actual = ""
    if isinstance(model, type) or not hasattr(model, "predict"):
        actual = f"model {k + 1} is {short_repr(model)}"
    elif hasattr(model, "fit"):
        try:
            check_is_fitted(model)
        except SklearnNotFittedError:
            actual = f"model {k + 1}, a {type(model).__name__}, is not fitted"
    if actual:
        hint = "give fitted models or functions of the table; FrozenEstimator(model) keeps one fitted in a search"
        raise ParameterError(format_message(who, "models must be ready to predict", actual=actual, hint=hint))
    return model
