"""Partial dependence: what a model answers, on average over the rows, as one or two columns take given values."""

from __future__ import annotations

import numbers
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.utils.validation import check_is_fitted

from pellucid.base.errors import DataError, ParameterError, count, format_message, join_some
from pellucid.base.types import Array, Floats
from pellucid.data.kinds import NUMERIC, Kind
from pellucid.data.swap import swap
from pellucid.data.table import Table, read_table

__all__ = ["Dependence", "partial_dependence"]

WHO = "partial_dependence"
CELLS = 2_000_000  # of the table that one call of the model sees: 16 MB of doubles
What = Literal["average", "individual", "both"]
Response = Literal["auto", "predict_proba", "decision_function"]


class Dependence(dict[str, Any]):
    """What `partial_dependence` found.

    By key as scikit-learn has it, with the model's outputs in front: ``grid_values``, and ``average`` (outputs x grid)
    and ``individual`` (outputs x rows x grid) where they were asked for. As attributes, without that axis where the
    model has one output:

    feature_names : names of the one or two columns
    grid_values : the values of each
    average : the mean answer at each point of the grid, one axis a column
    individual : the answer for each row at each point, or None where it was not asked for
    deciles : of each column of numbers; empty for one of names
    response : the method that was asked
    """

    feature_names: list[str]
    grid_values: list[Array]
    average: Floats
    individual: Floats | None
    deciles: list[Floats]
    response: str

    def __init__(
        self,
        kind: What,
        grid_values: list[Array],
        average: Floats,
        individual: Floats | None,
        names: list[str],
        deciles: list[Floats],
        response: str,
    ) -> None:
        super().__init__(grid_values=grid_values)
        if kind != "individual":
            self["average"] = average
        if individual is not None:
            self["individual"] = individual
        self.feature_names, self.grid_values, self.deciles, self.response = names, grid_values, deciles, response
        self.average = average[0] if len(average) == 1 else average
        self.individual = individual[0] if individual is not None and len(individual) == 1 else individual

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (dict(self), dict(vars(self)))

    def __str__(self) -> str:
        outputs = np.atleast_2d(self.average) if len(self.grid_values) == 1 else None
        if outputs is None:
            sizes = " x ".join(str(len(axis)) for axis in self.grid_values)
            return f"partial dependence on {' and '.join(self.feature_names)}, {sizes} points"
        heads = ["average"] if len(outputs) == 1 else [f"output {k}" for k in range(len(outputs))]
        lines = [f"{self.feature_names[0]:>12}" + "".join(f"  {head:>10}" for head in heads)]
        shown = np.unique(np.linspace(0, len(self.grid_values[0]) - 1, 12).round().astype(int))
        for i in shown:
            value = self.grid_values[0][i]
            text = f"{value:12.5g}" if isinstance(value, numbers.Real) else f"{value!s:>12}"
            lines.append(text + "".join(f"  {figure:10.4g}" for figure in outputs[:, i]))
        if len(shown) < len(self.grid_values[0]):
            lines.append(f"{len(shown)} of {len(self.grid_values[0])} points shown")
        return "\n".join(lines)


def _again(items: dict[str, Any], attributes: dict[str, Any]) -> Dependence:
    made = Dependence.__new__(Dependence)
    made.update(items)
    vars(made).update(attributes)
    return made


def partial_dependence(
    estimator: Any,
    X: Any,
    features: int | str | Sequence[int | str],
    *,
    sample_weight: Any = None,
    categorical_features: Sequence[bool] | Sequence[int] | Sequence[str] | None = None,
    feature_names: Sequence[str] | None = None,
    response_method: Response = "auto",
    percentiles: tuple[float, float] = (0.05, 0.95),
    grid_resolution: int = 100,
    custom_values: Mapping[Any, Any] | None = None,
    method: Literal["auto", "brute"] = "auto",
    kind: What = "average",
) -> Dependence:
    """The average answer of a fitted model as one column, or two together, take given values in every row.

    ``PD(v) = sum_i w_i f(x_i with x_ij = v) / sum_i w_i``,  f the model's answer, x_i the rows of X, j the column, w_i
    the weights or 1 (Friedman 2001). ``individual`` holds the terms of the sum: how the answer for each row would
    change (Goldstein et al. 2015). Rows with lines that are not parallel tell of an interaction that the average hides.

    Many points of the grid are asked for in one call of the model. The average is over all rows, also where the value
    could not occur beside their other columns: with strongly correlated columns read it with care.

    Parameters
    ----------
    estimator : a fitted regressor or classifier
    X : table, over whose rows the average is taken; it is not changed
    features : a column, or a list of one or two, by place or by name
    sample_weight : how much each row counts in the average
    categorical_features : columns whose own values are the grid, by place, name or as one flag a column; columns of
        text and categories are that without being told
    feature_names : names for the columns of an array
    response_method : for a classifier, "predict_proba" or "decision_function"; "auto" takes the first it has. Of two
        classes the answer for the second is shown, of more the answer for each.
    percentiles : the grid's ends, as shares of the rows that lie below
    grid_resolution : points of the grid; a column with fewer different values has these as its grid
    custom_values : the grid itself, by column
    method : "auto" and "brute" are the same: the model is asked (scikit-learn's "recursion", which averages over a
        tree's own training rows, is not offered)
    kind : "average", "individual" or "both"

    Returns
    -------
    Dependence : a dict with scikit-learn's keys, and attributes

    Notes
    -----
    scikit-learn refuses whole numbers, for fear of rounding the grid; here the column becomes one of floats. Missing
    values are left out of the grid. Both use the percentiles of Cunnane, ``h = 0.4 + 0.2 p + n p``.

    Examples
    --------
    y = 2a + b: along a the answer rises by 2 a step, around the mean of b, which is 2.

    >>> from pellucid.linear_model import LinearRegression
    >>> X, y = [[0, 1], [1, 1], [2, 4]], [1, 3, 8]
    >>> found = partial_dependence(LinearRegression().fit(X, y), X, 0, kind="both")
    >>> found.grid_values[0].tolist(), found.average.round(6).tolist()
    ([0, 1, 2], [2.0, 4.0, 6.0])
    >>> found.individual.round(6).tolist()
    [[1.0, 3.0, 5.0], [1.0, 3.0, 5.0], [4.0, 6.0, 8.0]]
    """
    _check_options(percentiles, grid_resolution, method, kind)
    ask = _response(estimator, response_method)
    table = read_table(X, WHO)
    names = _names(table, feature_names)
    columns = _columns(features, names, table)
    by_value = _by_value(categorical_features, names, table)
    weight = None if sample_weight is None else _weights(sample_weight, table.n_rows)
    custom = {_place(key, names, table): _custom(key, values) for key, values in (custom_values or {}).items()}
    axes, deciles = [], []
    for j in columns:
        values = _present(table, j)
        axes.append(custom[j] if j in custom else _axis(values, names[j], by_value[j], percentiles, grid_resolution))
        tenths = np.arange(1, 10) / 10
        deciles.append(np.empty(0) if by_value[j] or not len(values) else _cunnane(values.astype(float), tenths))
    average, individual = _answers(estimator, ask, table, columns, axes, weight, kind != "average")
    sizes = [len(axis) for axis in axes]
    average = average.reshape(-1, *sizes)
    if individual is not None:
        individual = individual.reshape(-1, table.n_rows, *sizes)
    return Dependence(kind, axes, average, individual, [names[j] for j in columns], deciles, ask)


# ------------------------------------------------------------------------------------------------------------ answers


def _answers(
    model: Any, ask: str, table: Table, columns: list[int], axes: list[Array], weight: Floats | None, keep: bool
) -> tuple[Floats, Floats | None]:
    """Mean answer (outputs x points) and, if kept, each row's (outputs x rows x points)."""
    points = int(np.prod([len(axis) for axis in axes]))
    copies = int(np.clip(CELLS // (table.n_rows * table.n_cols), 1, points))
    changed = swap(table, copies, _dtype(table, axes))
    means, single = [], []
    for values in _blocks(axes, copies):
        answer = _ask(model, ask, changed.filled(columns, values))
        answer = answer.reshape(len(values[0]), table.n_rows, -1)  # points, rows, outputs
        means.append(np.average(answer, axis=1, weights=weight))
        if keep:
            single.append(answer)
    return np.concatenate(means).T, np.concatenate(single).T if keep else None


def _blocks(axes: list[Array], size: int) -> Iterator[list[Array]]:
    """The grid in blocks of points: the values of each column there. The last column changes fastest."""
    shape = tuple(len(axis) for axis in axes)
    points = int(np.prod(shape))
    for start in range(0, points, size):
        places = np.unravel_index(np.arange(start, min(start + size, points)), shape)
        yield [axis[place] for axis, place in zip(axes, places, strict=True)]


def _dtype(table: Table, axes: list[Array]) -> Any:
    """What an array must be to hold the grid: its own type if it can, floats instead of whole numbers, or objects."""
    if table.is_frame or table.is_sparse:
        return None
    own = table.source.dtype
    if own.kind in "fO" and all(axis.dtype.kind in "biuf" for axis in axes):
        return own
    if own.kind in "biuf" and all(axis.dtype.kind in "biuf" for axis in axes):
        return np.result_type(own, *axes)
    return np.dtype(object)


def _response(estimator: Any, response_method: str) -> str:
    """The method of the model that is asked."""
    check_is_fitted(estimator)
    if is_regressor(estimator):
        if response_method != "auto":
            requirement = "a regressor answers with predict: response_method must be 'auto'"
            raise ParameterError(format_message(WHO, requirement, actual=f"got {response_method!r}"))
        return "predict"
    if not is_classifier(estimator):
        requirement = "'estimator' must be a fitted regressor or classifier"
        raise ParameterError(format_message(WHO, requirement, actual=f"got {type(estimator).__name__}"))
    if isinstance(estimator.classes_[0], np.ndarray):
        raise ParameterError(format_message(WHO, "Multiclass-multioutput estimators are not supported"))
    offered = {"auto": ("predict_proba", "decision_function")}.get(response_method, (response_method,))
    if not set(offered) <= {"predict_proba", "decision_function"}:
        requirement = "response_method must be 'auto', 'predict_proba' or 'decision_function'"
        raise ParameterError(format_message(WHO, requirement, actual=f"got {response_method!r}"))
    found = [name for name in offered if hasattr(estimator, name)]
    if not found:
        raise ParameterError(
            format_message(WHO, f"{type(estimator).__name__} must have {' or '.join(offered)}", actual="it has not")
        )
    return found[0]


def _ask(model: Any, method: str, X: Any) -> Floats:
    answer = np.asarray(getattr(model, method)(X), dtype=np.float64)
    return answer[:, 1] if method == "predict_proba" and answer.shape[1] == 2 else answer


# --------------------------------------------------------------------------------------------------------------- grid


def _axis(values: Array, name: str, by_value: bool, percentiles: tuple[float, float], resolution: int) -> Array:
    distinct = _distinct(values)
    if len(distinct) == 0:
        raise DataError(
            format_message(WHO, f"column {name!r} must have values to make a grid of", actual="all are missing")
        )
    if by_value or len(distinct) < resolution:
        return distinct
    low, high = _cunnane(values.astype(np.float64), np.array(percentiles, dtype=np.float64))
    if np.allclose(low, high):
        hint = "widen percentiles, or give custom_values"
        actual = f"in column {name!r} both are {low:.6g}"
        raise ParameterError(
            format_message(WHO, "percentiles are too close to each other to build the grid", actual=actual, hint=hint)
        )
    return np.linspace(low, high, num=resolution)


def _cunnane(values: Floats, shares: Floats) -> Floats:
    """Quantiles between the ordered values: at place h = 0.4 + 0.2 p + n p, counted from 1."""
    ordered, n = np.sort(values), len(values)
    if n == 1:
        return np.full(len(shares), ordered[0])
    h = 0.4 + 0.2 * shares + n * shares
    below = np.floor(np.clip(h, 1, n - 1)).astype(int)
    part = np.clip(h - below, 0, 1)
    return np.asarray((1 - part) * ordered[below - 1] + part * ordered[below])


def _present(table: Table, j: int) -> Array:
    """The values of a column that are not missing, as numbers where they are numbers."""
    values = table.column(j)[~table.missing(j)]
    if table.kinds[j] in NUMERIC and values.dtype.kind not in "biuf":
        return values.astype(np.float64)
    return values


def _distinct(values: Array) -> Array:
    if values.dtype.kind != "O":
        found = np.unique(values)
        return found.astype(object) if found.dtype.kind in "US" else found
    try:
        ordered = sorted(set(values.tolist()))
    except TypeError:  # values of several types have no order of their own
        ordered = sorted(set(values.tolist()), key=lambda value: (type(value).__name__, str(value)))
    return np.array([*ordered, None], dtype=object)[:-1]


def _custom(key: Any, values: Any) -> Array:
    given = list(values) if not isinstance(values, np.ndarray) else values
    found = np.asarray(given, dtype=object if any(isinstance(value, str) for value in given) else None)
    if found.ndim != 1 or len(found) == 0:
        raise ParameterError(
            format_message(WHO, f"custom_values of {key!r} must be a list of values", actual=f"got shape {found.shape}")
        )
    return found


# ------------------------------------------------------------------------------------------------------------ columns


def _names(table: Table, given: Sequence[str] | None) -> list[str]:
    if given is None:
        own = table.names
        return [str(name) for name in own] if own is not None else [f"x{j}" for j in range(table.n_cols)]
    names = [str(name) for name in given]
    if len(names) != table.n_cols or len(set(names)) < len(names):
        requirement = "feature_names must hold one name a column, and should not contain duplicates"
        raise ParameterError(
            format_message(WHO, requirement, actual=f"got {join_some(names)} for {count(table.n_cols, 'column')}")
        )
    return names


def _columns(features: Any, names: list[str], table: Table) -> list[int]:
    asked = [features] if isinstance(features, str | numbers.Integral) else list(features)
    found = [_place(feature, names, table) for feature in asked]
    if len(found) not in (1, 2) or len(set(found)) < len(found):
        raise ParameterError(
            format_message(WHO, "features must be one column or two different ones", actual=f"got {features!r}")
        )
    return found


def _place(feature: Any, names: list[str], table: Table) -> int:
    if isinstance(feature, str):
        if feature not in names:
            raise ParameterError(
                format_message(WHO, f"there is no column {feature!r}", actual=f"there are {join_some(names, 8)}")
            )
        return names.index(feature)
    whole = isinstance(feature, numbers.Integral) and not isinstance(feature, bool | np.bool_)
    if not whole or not 0 <= feature < table.n_cols:
        requirement = f"all features must be in [0, {table.n_cols - 1}], or names of columns"
        raise ParameterError(format_message(WHO, requirement, actual=f"got {feature!r}"))
    return int(feature)


def _by_value(told: Any, names: list[str], table: Table) -> list[bool]:
    """Columns whose grid is their own values: names and flags, and those told."""
    found = [kind not in NUMERIC or kind == Kind.FLAG for kind in table.kinds]
    given = [] if told is None else list(told)
    if given and all(isinstance(flag, bool | np.bool_) for flag in given):
        if len(given) != table.n_cols:
            requirement = "categorical_features must have one flag a column"
            raise ParameterError(
                format_message(WHO, requirement, actual=f"got {len(given)} for {count(table.n_cols, 'column')}")
            )
        given = [j for j, flag in enumerate(given) if flag]
    for feature in given:
        found[_place(feature, names, table)] = True
    return found


# ------------------------------------------------------------------------------------------------------------- checks


def _check_options(percentiles: Any, grid_resolution: Any, method: Any, kind: Any) -> None:
    shares = list(percentiles) if isinstance(percentiles, list | tuple | np.ndarray) else []
    if len(shares) != 2 or not all(isinstance(share, numbers.Real) and 0 <= float(share) <= 1 for share in shares):
        requirement = "'percentiles' must be a sequence of 2 elements whose values must be in [0, 1]"
        raise ParameterError(format_message(WHO, requirement, actual=f"got {percentiles!r}"))
    if shares[0] >= shares[1]:
        requirement = "percentiles[0] must be strictly less than percentiles[1]"
        raise ParameterError(format_message(WHO, requirement, actual=f"got {percentiles!r}"))
    if not isinstance(grid_resolution, numbers.Integral) or isinstance(grid_resolution, bool) or grid_resolution < 2:
        requirement = "'grid_resolution' must be strictly greater than 1 and a whole number"
        raise ParameterError(format_message(WHO, requirement, actual=f"got {grid_resolution!r}"))
    if method not in ("auto", "brute"):
        requirement, hint = "method must be 'auto' or 'brute'", "both ask the model"
        raise ParameterError(format_message(WHO, requirement, actual=f"got {method!r}", hint=hint))
    if kind not in ("average", "individual", "both"):
        raise ParameterError(
            format_message(WHO, "kind must be 'average', 'individual' or 'both'", actual=f"got {kind!r}")
        )


def _weights(given: Any, rows: int) -> Floats:
    weight = np.asarray(given, dtype=np.float64)
    if weight.shape != (rows,) or not np.isfinite(weight).all() or (weight < 0).any() or not weight.any():
        requirement = "sample_weight must hold one finite number a row, none below zero and not all zero"
        raise DataError(format_message(WHO, requirement, actual=f"got shape {weight.shape} for {count(rows, 'row')}"))
    return weight
