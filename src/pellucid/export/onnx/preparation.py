"""Writers of scalers, powers, quantiles, bins, products, selections and imputers of numbers and words."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, combinations_with_replacement
from typing import Any

import numpy as np

from pellucid.base.types import Floats
from pellucid.data.kinds import is_missing
from pellucid.export.onnx.columns import MISSING_WORDS, Cell, Columns
from pellucid.export.onnx.curves import expm1, flat_tables, log1p, normal_quantile, places_among
from pellucid.export.onnx.graph import ML, Graph
from pellucid.export.onnx.writing import Answer, read, refuse, repeated, writes, written


def made(graph: Graph, tensor: str, width: int) -> Answer:
    """The columns of a tensor as the answer of a transformer."""
    return Answer(columns=Columns.of(graph, tensor, width))


# -------------------------------------------------------------------------------------------------------------- scalers


@writes("StandardScaler", "MinMaxScaler", "MaxAbsScaler", "RobustScaler", "MeanNormalizer")
def scaler(graph: Graph, model: Any, columns: Columns) -> Answer:
    """``(x - center) / divisor + offset``, kept between two limits."""
    center, divisor, offset = (np.asarray(part, dtype=np.float64) for part in model._line())
    found = graph.add(graph.div(graph.sub(read(graph, model, columns), center), divisor), offset)
    low, high = model._limits()
    if np.isfinite(low) or np.isfinite(high):
        bounded = graph.op("Clip", found, float(low), float(high))
        found = graph.where(graph.op("IsNaN", found), found, bounded)
    return made(graph, found, len(columns))


@writes("Normalizer")
def normalizer(graph: Graph, model: Any, columns: Columns) -> Answer:
    """Rows over their size; a row of zeros stays."""
    x = read(graph, model, columns)
    largest = graph.over("ReduceMax", graph.op("Abs", x))
    unit = graph.where(graph.op("Greater", largest, 0.0), largest, 1.0)
    near = graph.div(x, unit)
    if model.norm == "max":
        return made(graph, near, len(columns))
    kind = "ReduceL1" if model.norm == "l1" else "ReduceL2"
    size = graph.over(kind, near)
    return made(graph, graph.div(near, graph.where(graph.op("Greater", size, 0.0), size, 1.0)), len(columns))


@writes("Binarizer")
def binarizer(graph: Graph, model: Any, columns: Columns) -> Answer:
    """1 above the threshold, else 0."""
    above = graph.op("Greater", read(graph, model, columns), float(model.threshold))
    return made(graph, graph.number(above), len(columns))


# --------------------------------------------------------------------------------------------------------------- powers


@writes("PowerTransformer")
def powers(graph: Graph, model: Any, columns: Columns) -> Answer:
    """Box-Cox or Yeo-Johnson, scaled."""
    power, center, mean, scale = (np.asarray(part, dtype=np.float64).reshape(1, -1) for part in model._powers())
    x = read(graph, model, columns)
    if model.method == "box-cox":
        x = graph.refuse(x, graph.op("LessOrEqual", x, 0.0), "PowerTransformer with box-cox takes numbers above zero")
        found = _raised(graph, graph.sub(graph.op("Log", x), center), power)
    else:
        found = _yeo_johnson(graph, x, power, center)
    return made(graph, graph.div(graph.sub(found, mean), scale), len(columns))


def _raised(graph: Graph, logs: str, power: Floats) -> str:
    """``(e^(a l) - 1) / a`` of a logarithm l; l itself where a is 0."""
    zero = np.abs(power) < np.finfo(np.float64).eps
    safe = np.where(zero, 1.0, power)
    return graph.where(graph.constant(zero), logs, graph.div(expm1(graph, graph.mul(logs, safe)), safe))


def _yeo_johnson(graph: Graph, x: str, power: Floats, center: Floats) -> str:
    """Of a column whose center is below zero minus the same of -x, -center and 2 - power."""
    turned = center < 0
    sign, power, center = np.where(turned, -1.0, 1.0), np.where(turned, 2 - power, power), np.abs(center)
    x = graph.mul(x, sign)
    zero = np.abs(power) < np.finfo(np.float64).eps
    with np.errstate(invalid="ignore", divide="ignore"):
        ground = np.where(zero, center, np.expm1(power * center) / np.where(zero, 1.0, power))
    below = graph.op("Less", x, 0.0)
    size = log1p(graph, graph.op("Abs", x))
    up = _raised(graph, graph.sub(size, center), power)
    down = graph.op("Neg", _raised(graph, size, 2 - power))
    down = graph.mul(graph.sub(down, ground), np.exp(-power * center))
    return graph.mul(graph.where(below, down, up), sign)


@writes("LogTransformer")
def logs(graph: Graph, model: Any, columns: Columns) -> Answer:
    """Logarithms of shifted columns."""
    x = graph.add(read(graph, model, columns), np.asarray(model.shift_, dtype=np.float64))
    x = graph.refuse(
        x, graph.op("LessOrEqual", x, 0.0), "LogTransformer takes numbers that are above zero when shifted"
    )
    base = 1.0 if model.base == "e" else float(np.log(model.base))
    return made(graph, graph.div(graph.op("Log", x), base), len(columns))


@writes("RootTransformer")
def roots(graph: Graph, model: Any, columns: Columns) -> Answer:
    """Roots; of odd degree, those of negative numbers are negative."""
    x = read(graph, model, columns)
    if model._even:
        x = graph.refuse(x, graph.op("Less", x, 0.0), "RootTransformer of even degree takes numbers of zero or more")
    size = graph.op("Pow", graph.op("Abs", x), 1.0 / int(model.degree))
    return made(graph, graph.mul(graph.op("Sign", x), size), len(columns))


@writes("QuantileTransformer")
def quantiles(graph: Graph, model: Any, columns: Columns) -> Answer:
    """The place of a value among the quantiles of its column, or the normal number there."""
    x, shares, curves = read(graph, model, columns), np.asarray(model.references_), np.asarray(model.quantiles_).T
    known = ~np.isnan(curves[:, 0])
    curves = np.where(known[:, None], curves, 0.0)
    first, last = curves[:, 0].reshape(1, -1), curves[:, -1].reshape(1, -1)
    found = _shares(graph, x, shares, curves)
    normal = model._normal()
    if len(normal):
        margin, low, high = normal
        inside = graph.op("Clip", normal_quantile(graph, graph.op("Clip", found, 1e-300, 1.0)), float(low), float(high))
        found = graph.where(graph.op("Greater", graph.add(x, margin), last), float(high), inside)
        found = graph.where(graph.op("Less", graph.sub(x, margin), first), float(low), found)
    else:
        found = graph.where(graph.op("Less", x, last), found, float(shares[-1]))
        found = graph.where(graph.op("Greater", x, first), found, 0.0)
    lost = graph.op("Or", graph.op("IsNaN", x), graph.constant(~known.reshape(1, -1)))
    return made(graph, graph.where(lost, np.nan, found), len(columns))


def _shares(graph: Graph, x: str, shares: Floats, curves: Floats) -> str:
    """n x p: linear between the quantiles; at several equal ones the middle of their shares."""
    if len(shares) == 1:
        return graph.mul(x, 0.0)
    place = graph.op("Clip", graph.sub(places_among(graph, x, list(curves)), 1), 0, len(shares) - 1)
    apart = np.diff(curves, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        slopes = np.where(apart > 0, np.diff(shares) / apart, 0.0)
    slopes = np.hstack([slopes, np.zeros((len(curves), 1))])
    firsts = np.array([np.searchsorted(own, own, side="left") for own in curves])
    tied = 0.5 * (shares + shares[firsts])
    at = graph.add(place, flat_tables(list(curves))[1].reshape(1, -1))
    corner = graph.take(flat_tables(list(curves))[0], at)
    along = graph.mul(graph.sub(x, corner), graph.take(flat_tables(list(slopes))[0], at))
    between = graph.add(graph.take(shares, place), along)
    return graph.where(graph.op("Equal", corner, x), graph.take(flat_tables(list(tied))[0], at), between)


@writes("KBinsDiscretizer")
def bins(graph: Graph, model: Any, columns: Columns) -> Answer:
    """The number of the interval, or a column for each."""
    x = read(graph, model, columns)
    place = places_among(graph, x, [np.asarray(edges[1:-1], dtype=np.float64) for edges in model.bin_edges_])
    if model.encode == "ordinal":
        return made(graph, graph.number(place), len(columns))
    parts = [
        graph.take(np.eye(int(width)), graph.op("Squeeze", graph.take(place, [j], axis=1), [1]))
        for j, width in enumerate(model.n_bins_.tolist())
    ]
    return made(graph, graph.beside(parts), int(model.n_bins_.sum()))


# ------------------------------------------------------------------------------------------------- products and choices


@writes("PolynomialFeatures")
def products(graph: Graph, model: Any, columns: Columns) -> Answer:
    """Products of columns: those of one degree more are those of the degree before times a column."""
    x, terms = read(graph, model, columns), model._terms_
    listed = combinations if terms.distinct else combinations_with_replacement
    wide = range(terms.columns)
    blocks = [repeated(graph, np.ones(1))] if terms.ones else []
    now = x
    places: dict[tuple[int, ...], int] = {(j,): j for j in wide}
    for degree in range(1, (min(terms.high, terms.columns) if terms.distinct else terms.high) + 1):
        if degree > 1:
            keys = list(listed(wide, degree))
            before = graph.take(now, [places[key[:-1]] for key in keys], axis=1)
            now = graph.mul(before, graph.take(x, [key[-1] for key in keys], axis=1))
            places = {key: k for k, key in enumerate(keys)}
        if degree >= max(terms.low, 1):
            blocks.append(now)
    return made(graph, graph.beside(blocks), int(terms.count))


@writes("SelectKBest", "SelectPercentile", "SelectFpr", "SelectFdr", "SelectFwe", "GenericUnivariateSelect")
@writes("VarianceThreshold", "CorrelationFilter", "SelectFromModel", "SequentialFeatureSelector")
def selection(graph: Graph, model: Any, columns: Columns) -> Answer:
    """The columns that stay, as they are."""
    kept = [int(j) for j in np.flatnonzero(model.get_support())]
    if not kept:
        refuse(model, "keeps no column", "loosen its rule")
    return Answer(columns=columns.take(kept))


@writes("RFE", "RFECV")
def elimination(graph: Graph, model: Any, columns: Columns) -> Answer:
    """The columns that stay, and what the model says that was fitted to them."""
    kept = columns.take([int(j) for j in np.flatnonzero(model.get_support())])
    return replace(written(graph, model.estimator_, kept), columns=kept)


# ------------------------------------------------------------------------------------------------------------- imputers


@writes("SimpleImputer")
def imputer(graph: Graph, model: Any, columns: Columns) -> Answer:
    """What is missing in a column is filled with one value."""
    kept = [int(j) for j in model._kept_]
    words = [j for j in kept if isinstance(model._value(j), str)]
    parts: list[Columns] = []
    if not words:
        x = columns.take(kept).matrix()
        fills = np.array([float(model._value(j)) for j in kept])
        flags, x = _gone(graph, x, model)
        parts.append(Columns.of(graph, graph.where(flags, fills, x), len(kept)))
    else:
        parts += [_filled(graph, model, columns, j) for j in kept]
    if model.indicator_ is not None and len(model.indicator_.features_):
        parts.append(_indicators(graph, model, columns, [int(j) for j in model.indicator_.features_], words))
    return Answer(columns=Columns.joined(graph, parts))


def _gone(graph: Graph, x: str, model: Any) -> tuple[str, str]:
    """Where numbers are missing, and the numbers."""
    if is_missing(model.missing_values):
        return graph.op("IsNaN", x), x
    x = graph.refuse(x, graph.op("IsNaN", x), f"{type(model).__name__}: what is missing must be as it says")
    return graph.op("Equal", x, float(model.missing_values)), x


def _gone_words(graph: Graph, x: str, model: Any) -> str:
    """Where words are missing."""
    keys = list(MISSING_WORDS) if is_missing(model.missing_values) else [str(model.missing_values)]
    found = graph.op("LabelEncoder", x, domain=ML, keys_strings=keys, values_int64s=[1] * len(keys), default_int64=0)
    return graph.flag(found)


def _filled(graph: Graph, model: Any, columns: Columns, j: int) -> Columns:
    value, label = model._value(j), columns.cells[j].label
    if isinstance(value, str):
        x = columns.words(j)
        found = graph.where(_gone_words(graph, x, model), np.array(value, dtype=object), x)
        return Columns(graph, (Cell(label, found, is_text=True),))
    flags, x = _gone(graph, columns.number(j), model)
    return Columns(graph, (Cell(label, graph.where(flags, float(value), x)),))


def _indicators(graph: Graph, model: Any, columns: Columns, places: list[int], words: list[int]) -> Columns:
    """Columns of 0 and 1 for what is missing."""
    flags = [
        _gone_words(graph, columns.words(j), model) if j in words else _gone(graph, columns.number(j), model)[0]
        for j in places
    ]
    return Columns.of(graph, graph.beside([graph.number(flag) for flag in flags]), len(places))


@writes("MissingIndicator")
def indicator(graph: Graph, model: Any, columns: Columns) -> Answer:
    """1 where a value is missing, for the columns that had missing ones."""
    places = [int(j) for j in model.features_]
    if not places:
        refuse(model, "makes no column, since none had missing values", "leave it out, or set features='all'")
    return Answer(columns=_indicators(graph, model, columns, places, []))
