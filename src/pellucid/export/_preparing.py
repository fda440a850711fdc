"""Steps before a model: scalers, imputers, encoders, and how pipelines put them together."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.model_selection._search import BaseSearchCV
from sklearn.pipeline import FeatureUnion, Pipeline

from pellucid.base.errors import short_repr
from pellucid.data.kinds import is_missing
from pellucid.export._builder import UNKNOWN, Builder, Feature
from pellucid.export._form import (
    MISSING,
    Among,
    Choose,
    Compare,
    Difference,
    Expression,
    Given,
    Missing,
    Number,
    Product,
    Quotient,
    Sum,
    Test,
)
from pellucid.export._writers import unwrapped, write_step
from pellucid.feature_selection._selector import Selector
from pellucid.impute.indicator import MissingIndicator
from pellucid.impute.simple import SimpleImputer
from pellucid.pipeline.polynomial_regression import PolynomialRegression
from pellucid.preprocessing._scaler import Scaler
from pellucid.preprocessing.encoding import OneHotEncoder, OrdinalEncoder
from pellucid.preprocessing.polynomial import PolynomialFeatures

# ------------------------------------------------------------------------------------------------------------ pipelines


@unwrapped.register(Pipeline)
def _of_pipeline(model: Any) -> tuple[list[Any], Any]:
    *before, last = [step for _, step in model.steps if step is not None and not isinstance(step, str)]
    steps, inner = unwrapped(last)
    return [*before, *steps], inner


@unwrapped.register(BaseSearchCV)
def _of_search(model: Any) -> tuple[list[Any], Any]:
    found = getattr(model, "best_estimator_", None)
    return unwrapped(found) if found is not None else ([], model)


@unwrapped.register(PolynomialRegression)
def _of_polynomial(model: Any) -> tuple[list[Any], Any]:
    found = getattr(model, "pipeline_", None)
    return unwrapped(found) if found is not None else ([], model)


@write_step.register(Pipeline)
def write_pipeline(step: Any, b: Builder) -> None:
    """Steps one after the other."""
    for _, one in step.steps:
        if one is not None and not isinstance(one, str):
            write_step(one, b)


@write_step.register(ColumnTransformer)
def write_columns(step: Any, b: Builder) -> None:
    """Steps side by side, each on columns of its own."""
    before, parts = b.features, list[tuple[slice, list[Feature]]]()
    for name, one, _ in step.transformers_:
        place = step.output_indices_.get(name, slice(0, 0))
        if one == "drop" or place.stop - place.start == 0:
            continue
        b.features = [before[j] for j in step._transformer_to_input_indices[name]]
        if one != "passthrough":
            write_step(one, b)
        parts.append((place, b.features))
    b.features = [feature for _, made in sorted(parts, key=lambda part: part[0].start) for feature in made]


@write_step.register(FeatureUnion)
def write_union(step: Any, b: Builder) -> None:
    """Steps side by side, all on the same columns."""
    before, made = b.features, list[Feature]()
    for _, one in step.transformer_list:
        if one == "drop":
            continue
        b.features = before
        if one != "passthrough":
            write_step(one, b)
        made += b.features
    b.features = made


@write_step.register(Selector)
def write_selector(step: Any, b: Builder) -> None:
    """Some of the columns; those that are left out must not be missing either, where the step refuses that."""
    if not step.input_spec.missing:
        b.required += [(b.number(feature), feature.label) for feature in b.features]
    b.features = [b.features[j] for j in step.get_support(indices=True).tolist()]


# -------------------------------------------------------------------------------------------------------------- numbers


@write_step.register(Scaler)
def write_scaler(step: Any, b: Builder) -> None:
    """(x - center) / divisor + offset, kept between two numbers"""
    width = len(b.features)
    center, divisor, offset = (np.broadcast_to(np.asarray(part, dtype=np.float64), width) for part in step._line())
    low, high = step._limits()
    made = []
    for j, feature in enumerate(b.features):
        line = _line(b.number(feature), float(center[j]), float(divisor[j]), float(offset[j]))
        made.append(Feature(feature.label, value=_kept_between(b, line, low, high)))
    b.features = made


def _line(x: Expression, center: float, divisor: float, offset: float) -> Expression:
    if np.isnan(center) or np.isnan(divisor):
        return Number(MISSING)  # a column of which fit saw no value
    x = x if center == 0 else Difference(x, Number(center))
    x = x if divisor == 1 else Quotient(x, Number(divisor))
    return x if offset == 0 else Sum((x, Number(offset)))


def _kept_between(b: Builder, x: Expression, low: float, high: float) -> Expression:
    if np.isinf(low) and np.isinf(high):
        return x
    held = b.hold(x)
    below, above = Compare("<", held, Number(low)), Compare(">", held, Number(high))
    return Choose(((below, Number(low)), (above, Number(high))), held)


@write_step.register(PolynomialFeatures)
def write_products(step: Any, b: Builder) -> None:
    """Powers and products of the columns, each its first column times a product of one degree less."""
    x = [b.hold(b.number(feature)) for feature in b.features]
    b.required += [(one, feature.label) for one, feature in zip(x, b.features, strict=True)]
    made = []
    for exponents in step.powers_.tolist():
        factors = [j for j, k in enumerate(exponents) for _ in range(k)]
        value: Expression = x[factors[-1]] if factors else Number(1.0)
        for j in reversed(factors[:-1]):
            value = Product(x[j], value)
        named = [(b.features[j].label, k) for j, k in enumerate(exponents) if k]
        label = " ".join(f"{name}^{k}" if k > 1 else name for name, k in named)
        made.append(Feature(label or "1", value=value))
    b.features = made


# ----------------------------------------------------------------------------------------------------------- imputation


@write_step.register(SimpleImputer)
def write_imputer(step: Any, b: Builder) -> None:
    """What is missing becomes a constant of the column."""
    if isinstance(step.missing_values, str):
        requirement = "an imputer whose missing values are a text cannot be written as code"
        raise b.refuse(requirement, f"missing_values is {step.missing_values!r}", "make them NULL in the table")
    made, before = [], b.features
    for j in step._kept_.tolist():
        made.append(_filled(b, before[j], step.statistics_[j], step.missing_values))
    b.features = made
    if step.indicator_ is not None:
        b.features = made + _flags(b, before, step.indicator_)


def _filled(b: Builder, feature: Feature, value: Any, marker: Any) -> Feature:
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, str):
        if feature.value is not None:
            raise b.refuse(
                f"column {feature.label!r} must be names where a name is filled in", f"got {short_repr(value)}"
            )
        return Feature(feature.label, place=feature.place, fill=value)
    if not isinstance(value, bool | int | float):
        requirement = "what an imputer fills in must be a number or a text"
        raise b.refuse(requirement, f"it is {short_repr(value)} in column {feature.label!r}")
    x = b.hold(b.number(feature))
    return Feature(feature.label, value=Choose(((_gap(x, marker), Number(float(value))),), x))


def _gap(x: Expression, marker: Any) -> Test:
    return Missing(x) if is_missing(marker) else Compare("==", x, Number(float(marker)))


def _flags(b: Builder, before: list[Feature], indicator: Any) -> list[Feature]:
    """1 where a value was missing, else 0."""
    made = []
    for j in indicator.features_.tolist():
        feature = before[j]
        x: Expression = Given(feature.place) if feature.value is None else b.hold(feature.value)
        flag = Choose(((_gap(x, indicator.missing_values), Number(1.0)),), Number(0.0))
        made.append(Feature(f"{feature.label} is missing", value=flag))
    return made


@write_step.register(MissingIndicator)
def write_indicator(step: Any, b: Builder) -> None:
    """Where values are missing, as columns."""
    if isinstance(step.missing_values, str):
        requirement = "an indicator of texts that stand for missing values cannot be written as code"
        raise b.refuse(requirement, f"missing_values is {step.missing_values!r}", "make them NULL in the table")
    b.features = _flags(b, b.features, step)


# ------------------------------------------------------------------------------------------------------------- encoders


def _codes(b: Builder, feature: Feature, categories: list[Any], refuses: bool) -> Expression:
    """The code of a category, where -1 is unknown; where unknown ones are refused it must be there."""
    if not refuses:
        return b.hold(b.code(feature, categories, UNKNOWN), "code")
    found = b.hold(b.code(feature, categories, MISSING), "code")
    b.required.append((found, feature.label))
    return found


@write_step.register(OneHotEncoder)
def write_one_hot(step: Any, b: Builder) -> None:
    """A column of 0 and 1 for each category, or group of rare ones."""
    made = []
    known = zip(b.features, step.categories_, step._groups_, step._dropped_, strict=True)
    for feature, categories, groups, dropped in known:
        names = categories.tolist()
        code = _codes(b, feature, names, step.handle_unknown == "error")
        to_rare = step.handle_unknown in ("infrequent_if_exist", "warn") and groups.rare is not None
        for g in range(groups.size):
            if g == dropped:
                continue
            members = np.flatnonzero(groups.of == g).tolist()
            codes = (*((-1,) if to_rare and g == groups.size - 1 else ()), *members)
            said = short_repr(names[members[0]]) if len(members) == 1 else f"one of {len(members)}"
            flag = Choose(((Among(code, codes), Number(1.0)),), Number(0.0))
            made.append(Feature(f"{feature.label} = {said}", value=flag))
    b.features = made


@write_step.register(OrdinalEncoder)
def write_ordinal(step: Any, b: Builder) -> None:
    """The number of each category."""
    made = []
    for feature, known in zip(b.features, step.categories_, strict=True):
        names = known.tolist()
        code = _codes(b, feature, names, step.handle_unknown == "error")
        cases: list[tuple[Test, Expression]] = []
        if step.handle_unknown != "error" and step.unknown_value != UNKNOWN:
            cases.append((Compare("<", code, Number(0.0)), Number(float(step.unknown_value))))
        if is_missing(names[-1]) and names[-1] is not None:
            cases.append((Among(code, (len(names) - 1,)), Number(float(step.encoded_missing_value))))
        made.append(Feature(feature.label, value=Choose(tuple(cases), code) if cases else code))
    b.features = made
