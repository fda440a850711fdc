"""From a fitted model, or a function, to its working.

A working is written once, in ``shown/<module of the estimator>.py`` (``shown/<family>_<module>.py`` where two families
have a module of that name), by a function that says what it shows:

    @shows("DummyRegressor.fit")
    def dummy_regressor(w, model, data): ...

It is given an empty `Working`, the model and the data as a `Given`, and adds steps and cells; everything else, checks
and all renderings, follows from the cells.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property, partial
from importlib import import_module
from importlib.util import find_spec
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

from pellucid.base.errors import DataError, ParameterError, format_message, join_some
from pellucid.base.types import Array, Floats, History
from pellucid.data.design import attach_weight, check_finite
from pellucid.working.expression import Axis, WorkingError
from pellucid.working.model import Working

_FOLDER = "pellucid.working.shown"
_written: dict[str, Callable[..., None]] = {}


@dataclass
class Given:
    """The data of a working: X as an array with the names of its columns, and what else was passed."""

    X: Floats
    names: list[str]
    table: Any = None  # the X that was passed, for the model's own methods
    y: Array | None = None  # numbers of one target, or labels
    target: int = 0
    weight: Floats | None = None
    rows: list[int] = field(default_factory=list)
    run_again: Callable[[], History] = dict
    options: dict[str, Any] = field(default_factory=dict)
    row_axis: Axis = field(default_factory=lambda: Axis("row", []))
    column_axis: Axis = field(default_factory=lambda: Axis("column", [], "j", "p"))

    @cached_property
    def record(self) -> History:
        """What the kernel tells of its passes. The fit is run again for it, with its trace on, when first asked for."""
        return self.run_again()


def shows(*keys: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Register the working of ``"Estimator.method"`` or ``"module.function"``."""

    def register(function: Callable[..., None]) -> Callable[..., None]:
        _written.update(dict.fromkeys(keys, function))
        return function

    return register


def known() -> list[str]:
    """Everything that has a working, as ``"Estimator.method"`` and ``"module.function"``."""
    for file in sorted((Path(__file__).parent / "shown").glob("[!_]*.py")):
        import_module(f"{_FOLDER}.{file.stem}")
    return sorted(_written)


def _find(key: str, *modules: str) -> Callable[..., None] | None:
    for module in modules:
        if key not in _written and find_spec(f"{_FOLDER}.{module}") is not None:
            import_module(f"{_FOLDER}.{module}")
    return _written.get(key)


def written_for(model: Any, method: str) -> Callable[..., None]:
    """The working of a class, or of the nearest class that it inherits from."""
    for cls in type(model).__mro__:
        path = cls.__module__.split(".")
        writer = _find(f"{cls.__name__}.{method}", "_".join(path[-2:]), path[-1])
        if writer is not None:
            return writer
    raise ParameterError(
        format_message(
            type(model).__name__,
            f"no working of {method} is written for this estimator",
            hint=f'write one with @shows("{type(model).__name__}.{method}"); CONTRIBUTING.md shows how',
        )
    )


def show_method(
    model: Any,
    method: str,
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    rows: Sequence[int] | None = None,
    target: int = 0,
    **options: Any,
) -> Working:
    """The working of one method of a fitted model. Estimators call it from ``show_fit`` and its siblings."""
    model._check_fitted()
    write = written_for(model, method)
    if y is None and method not in ("predict", "transform") and model.__sklearn_tags__().target_tags.required:
        requirement, hint = f"show_{method} needs the target", "pass the X and y that the model was fitted on"
        raise DataError(format_message(type(model).__name__, requirement, actual="got none", hint=hint))
    data = _read(model, method, X, y, sample_weight, target, options)
    working = Working(f"{type(model).__name__}: {method}")
    data.rows = _asked(model, rows, len(data.row_axis))
    if method != "predict":
        working.asked = data.rows
        if rows is not None and data.rows:
            working.note(
                f"Rows are numbered from 1 here; {'those' if len(data.rows) > 1 else 'the one'} asked for, "
                f"{join_some(data.rows)} counted from 0, {'are rows' if len(data.rows) > 1 else 'is row'} "
                f"{join_some(row + 1 for row in data.rows)}."
            )
    write(working, model, data)
    return working


def _asked(model: Any, rows: Sequence[int] | None, n: int) -> list[int]:
    if rows is None:
        return []
    indices = [int(row) for row in np.atleast_1d(np.asarray(rows, dtype=np.intp))]
    outside = [row for row in indices if not -n <= row < n]
    if outside:
        raise DataError(
            format_message(
                type(model).__name__, f"rows must be between 0 and {n - 1}", actual=f"got {join_some(outside)}"
            )
        )
    return [row % n for row in indices]


def _read(model: Any, method: str, X: Any, y: Any, sample_weight: Any, target: int, options: dict[str, Any]) -> Given:
    d = model._validate_predict(X)
    if d.X is not None:
        check_finite(d, allow_nan=model.input_spec.missing)
    numbers = d.numbers if d.numbers is not None else np.empty((d.n_rows, 0))
    numbers = numbers.toarray() if hasattr(numbers, "toarray") else numbers
    data = Given(np.asarray(numbers, dtype=np.float64), _names(d, numbers.shape[1]), X)
    data.row_axis = Axis("row", range(1, d.n_rows + 1))
    data.column_axis = Axis("column", data.names, "j", "p")
    data.options = dict(options)
    if y is not None:
        copy(model)._attach_target(d, y)  # a classifier notes the labels that it is shown
    attach_weight(d, sample_weight)
    data.weight = d.weight
    if y is not None and d.y.size:
        _take_target(model, data, d, target)
    elif method == "predict" and target != 0:
        predictions = np.asarray(model.predict(X))
        data.target = _one_of(model, target, predictions.shape[1] if predictions.ndim > 1 else 1)
    data.run_again = partial(_record, model, X, y, sample_weight)
    return data


def _names(d: Any, columns: int) -> list[str]:
    """The names of the columns: the table's own, or x1, x2, ... as the symbols have it."""
    if d.schema.names is not None or columns == 0:
        return [str(name) for name in d.column_labels()[:columns]]
    return ["x"] if columns == 1 else [f"x{j + 1}" for j in range(columns)]


def _one_of(model: Any, target: int, n_targets: int) -> int:
    if not 0 <= target < n_targets:
        last = n_targets - 1
        requirement = f"target must be between 0 and {last}" if last else "there is one target, number 0"
        raise DataError(format_message(type(model).__name__, requirement, actual=f"got {target}"))
    return target


def _take_target(model: Any, data: Given, d: Any, target: int) -> None:
    column = d.y[:, _one_of(model, target, d.y.shape[1])]
    data.y = d.classes[target][column.astype(int)] if d.classes else column
    data.target = target
    data.options["y"] = d.y if not d.y_is_vector else column


def _record(model: Any, X: Any, y: Any, sample_weight: Any) -> History:
    """What the kernel tells of its passes: the fit is run once more, on a copy, with its trace on."""
    again = clone(model)
    if hasattr(model, "_seed_"):
        again.set_params(random_state=model._seed_)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what there is to say was said when the model was fitted
        record: History = again.fit_with_history(X, y, sample_weight, **getattr(model, "_fit_again", dict)())
    mismatches = [name for name, value in _numbers(model) if not _same(value, getattr(again, name, None))]
    if mismatches:
        requirement, actual = (
            "the working needs the data of the fit",
            f"fitted on these, the model has another {mismatches[0]}",
        )
        hint = "pass the X, y and sample_weight that the model was fitted on"
        raise WorkingError(format_message(type(model).__name__, requirement, actual=actual, hint=hint))
    return record


def _numbers(model: Any) -> list[tuple[str, Any]]:
    """The fitted attributes that can be compared."""
    attributes = [
        (name, value) for name, value in vars(model).items() if name.endswith("_") and not name.startswith("_")
    ]
    return [(name, value) for name, value in attributes if isinstance(value, np.ndarray | float | int | str)]


def _same(a: Any, b: Any) -> bool:
    return np.array_equal(a, b, equal_nan=np.asarray(a).dtype.kind == "f")


def _of_working(name: str, write: Callable[..., None], function: Callable[..., Any]) -> bool:
    """Does an option say what is shown, such as which pair of rows, and mean nothing to the function itself?"""
    return name in signature(write).parameters and name not in signature(function).parameters


def show(function: Callable[..., Any], *data: Any, **options: Any) -> Working:
    """The working of a function such as those of `pellucid.stats`, on the data it would be called with.

    Some workings show a part, and take options that say which: ``show(quality.profile, table, column="age")``.

    >>> from pellucid import stats
    >>> show(stats.mean, [1, 2, 6]).value("mean")
    3.0
    """
    module = function.__module__.removeprefix("pellucid.").split(".")[0]
    key = f"{module}.{function.__name__}"
    write = _find(key, module)
    if write is None:
        written = join_some((name for name in known() if name.startswith(f"{module}.")), limit=5)
        raise ParameterError(
            format_message("show", f"no working of {key} is written", actual=f"there are {written}" if written else "")
        )
    working = Working(function.__name__.replace("_", " ").capitalize())
    result = function(
        *data, **{name: value for name, value in options.items() if not _of_working(name, write, function)}
    )
    write(working, result, *data, **options)
    return working
