"""The card of a model: what it is, what it was trained on, how good it is; plain values, made to be read."""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import sklearn
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from pellucid import __version__
from pellucid.base.errors import DataError, DataTypeError, ParameterError, count, format_message, join_some, short_repr
from pellucid.data.kinds import NUMERIC, Kind, is_missing
from pellucid.data.own_codes import declared_order, own_codes
from pellucid.data.table import Table, read_table
from pellucid.data.target import read_target
from pellucid.data.texts import code_texts
from pellucid.storage._card_text import SHOWN, lines_of
from pellucid.storage.fingerprints import fingerprint

__all__ = ["CardColumn", "ModelCard", "card_of"]

TEXT_LEVELS = 100  # a column of texts with more distinct ones is no column of categories
_TASKS = {
    "classifier": "classification",
    "regressor": "regression",
    "transformer": "transformation",
    "clusterer": "clustering",
    "outlier_detector": "outlier detection",
    "rule_miner": "rule mining",
    "recommender": "recommendation",
}


@dataclass(frozen=True)
class CardColumn:
    """A column of the training data: its name, the kind of its values, and of categories the levels."""

    name: str
    kind: str | None = None
    levels: tuple[Any, ...] | None = None


@dataclass(frozen=True)
class ModelCard:
    """What a model file says about its model.

    name, model : what the model is called, and its class
    task : classification, regression, transformation, clustering, outlier detection ...
    columns : of the training data
    target, classes : the name of the target, and its classes
    n_rows, fingerprint : rows of the training data, and a SHA-256 of their values (`pellucid.storage.fingerprint`)
    metrics : figures by name, as they were given
    settings : of the estimator, with those of the estimators in it
    versions : of pellucid, python, numpy and scikit-learn
    notes : free text
    time : as it was given; nothing here reads a clock
    left_out : columns of the table that the model does not read; None where they are not known
    """

    name: str
    model: str
    task: str | None = None
    columns: tuple[CardColumn, ...] = ()
    target: str | None = None
    classes: tuple[Any, ...] | None = None
    n_rows: int | None = None
    fingerprint: str | None = None
    metrics: dict[str, float] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    notes: str = ""
    time: str | None = None
    left_out: tuple[str, ...] | None = None

    def to_json(self) -> str:
        """The card as JSON, the same text for the same card; figures that are not finite as words."""
        content = asdict(self)
        content["metrics"] = {name: _json_number(value) for name, value in self.metrics.items()}
        return json.dumps(content, sort_keys=True, indent=2, allow_nan=False, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> ModelCard:
        """A card from what `to_json` wrote.

        Examples
        --------
        >>> card = ModelCard("price", "pellucid.linear_model.Lasso", metrics={"r2": 0.5})
        >>> ModelCard.from_json(card.to_json()) == card
        True
        """
        try:
            return card_from(json.loads(text))
        except (ValueError, RecursionError):
            raise DataError(
                format_message("ModelCard", "the text must be what to_json wrote", actual=f"got {short_repr(text)}")
            ) from None

    def __str__(self) -> str:
        return "\n".join(lines_of(self))


def card_from(content: Any) -> ModelCard:
    """A card from plain values; ValueError if they are those of none."""
    names = set(ModelCard.__dataclass_fields__)
    if type(content) is not dict or set(content) | {"left_out"} != names:  # older files do not know these columns
        raise ValueError("a card has other parts")
    said = {"left_out": None, **content}
    text_or_none = (said[name] for name in ("task", "target", "fingerprint", "time"))
    right = (
        all(type(said[name]) is str for name in ("name", "model", "notes"))
        and all(part is None or type(part) is str for part in text_or_none)
        and (said["n_rows"] is None or type(said["n_rows"]) is int)
        and all(type(said[name]) is dict for name in ("metrics", "settings", "versions"))
        and type(said["columns"]) is list
        and all(said[name] is None or type(said[name]) is list for name in ("classes", "left_out"))
    )
    if not right:
        raise ValueError("a part of a card is of another kind")
    said["metrics"] = {name: float(value) for name, value in said["metrics"].items()}
    said["columns"] = tuple(_column_from(one) for one in said["columns"])
    for name in ("classes", "left_out"):
        said[name] = None if said[name] is None else tuple(said[name])
    return ModelCard(**said)


def _column_from(content: Any) -> CardColumn:
    if type(content) is not dict or set(content) != {"name", "kind", "levels"} or type(content["name"]) is not str:
        raise ValueError("a column of a card has other parts")
    levels = content["levels"]
    return CardColumn(content["name"], content["kind"], None if levels is None else tuple(levels))


# ------------------------------------------------------------------------------------------------------------- making


def card_of(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    name: str | None = None,
    target: str | None = None,
    metrics: Mapping[str, float] | None = None,
    notes: str | None = None,
    time: str | None = None,
) -> ModelCard:
    """The card of a fitted model.

    Parameters
    ----------
    model : a fitted estimator
    X, y : the training data, where their kinds, levels, number and fingerprint are to stand in the card; without them
        the card has what the model itself remembers
    name : of the model; its class's unless told
    target : the name of the target; that of the column `y` unless told
    metrics : figures by name, `{"accuracy": 0.93}`
    notes : free text
    time : when it was trained, in any words; a card has no time unless given

    Returns
    -------
    ModelCard

    Examples
    --------
    >>> from pellucid.linear_model import LinearRegression
    >>> model = LinearRegression().fit([[1.0], [2.0], [3.0]], [2.0, 4.0, 6.0])
    >>> card = card_of(model, [[1.0], [2.0], [3.0]], [2.0, 4.0, 6.0], metrics={"r2": 1.0})
    >>> card.task, card.n_rows, card.columns[0].kind
    ('regression', 3, 'number')
    """
    if not isinstance(model, BaseEstimator):
        raise DataTypeError(
            format_message("card_of", "model must be an estimator", actual=f"got {type(model).__name__}")
        )
    table = None if X is None else read_table(X, "card_of")
    if table is not None:
        _check_columns(model, table)
    labels = None if y is None else read_target(y, "card_of")
    if table is not None and labels is not None and len(labels) != table.n_rows:
        actual = f"X has {table.n_rows} and y {len(labels)}"
        raise DataError(format_message("card_of", "X and y must have the same number of rows", actual=actual))
    return ModelCard(
        name=type(model).__name__ if name is None else str(name),
        model=class_path(type(model)),
        task=_task(model),
        columns=_columns_of_table(table, model) if table is not None else _columns_of_model(model),
        target=_target_name(y) if target is None else str(target),
        classes=_classes(model),
        n_rows=None if table is None else table.n_rows,
        fingerprint=None if X is None else fingerprint(X, y),
        metrics=_checked_metrics(metrics or {}),
        settings=_settings(model),
        versions={
            "pellucid": __version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scikit-learn": sklearn.__version__,
        },
        notes="" if notes is None else str(notes),
        time=None if time is None else str(time),
    )


def class_path(cls: type) -> str:
    """The class as its users import it: without the modules that are private, and without its own module."""
    parts = cls.__module__.split(".")
    public = parts[:2] if parts[0] in ("pellucid", "sklearn") else parts
    return ".".join([*public, cls.__qualname__])


def _check_columns(model: Any, table: Table) -> None:
    wide = getattr(model, "n_features_in_", None)
    names = getattr(model, "feature_names_in_", None)
    if wide is not None and table.n_cols != wide:
        actual = f"X has {count(table.n_cols, 'column')} and the model was fitted to {wide}"
        raise DataError(format_message("card_of", "X must be the table that fit saw", actual=actual))
    if names is not None and table.names is not None:
        gone = sorted(set(map(str, names)) - set(map(str, table.names)))
        if gone:
            raise DataError(
                format_message(
                    "card_of", "X must be the table that fit saw", actual=f"it has no {join_some(map(repr, gone))}"
                )
            )


def _task(model: Any) -> str | None:
    tags = model.__sklearn_tags__()
    kind = tags.estimator_type
    if kind is None and (tags.transformer_tags is not None or hasattr(model, "transform")):
        kind = "transformer"
    return _TASKS.get(str(kind))


def _classes(model: Any) -> tuple[Any, ...] | None:
    found = getattr(model, "classes_", None)
    if found is None:
        return None
    if isinstance(found, list):  # several targets
        return tuple([plain(label) for label in np.asarray(one).tolist()] for one in found)
    return tuple(plain(label) for label in np.asarray(found).tolist())


def _target_name(y: Any) -> str | None:
    name = getattr(y, "name", None)
    return name if isinstance(name, str) else None


def _checked_metrics(metrics: Mapping[str, float]) -> dict[str, float]:
    for name, value in metrics.items():
        number = isinstance(value, (int, float, np.number)) and not isinstance(value, (bool, np.complexfloating))
        if not isinstance(name, str) or not number:
            actual = f"got {short_repr(name)}: {short_repr(value)}"
            raise ParameterError(
                format_message("card_of", "metrics must be numbers by name", actual=actual, hint='{"accuracy": 0.93}')
            )
    return {name: float(value) for name, value in metrics.items()}


# ------------------------------------------------------------------------------------------------------------ columns


def _columns_of_table(table: Table, model: Any) -> tuple[CardColumn, ...]:
    kinds = (Kind.NUMBER,) * table.n_cols if table.is_sparse else table.kinds
    names = table.names or tuple(f"x{j}" for j in range(table.n_cols))
    return tuple(CardColumn(str(names[j]), str(kind.value), _levels(table, j, kind)) for j, kind in enumerate(kinds))


def _levels(table: Table, j: int, kind: Kind) -> tuple[Any, ...] | None:
    """The categories of a column: in their own order where it has one, else sorted."""
    if kind in NUMERIC or kind == Kind.TIME:
        return None
    order = declared_order(table, j)
    if order is not None:
        return tuple(map(plain, order))
    coded = code_texts(table, j)
    own = None if coded is not None else own_codes(table, j)
    if coded is not None:
        found: list[Any] = sorted(coded.values)
    elif own is not None:
        found = sorted(
            (value for value in own.counts() if not is_missing(value)), key=lambda one: (str(type(one)), one)
        )
    else:
        found = sorted({str(value) for value in table.column(j).tolist() if not is_missing(value)})
    return tuple(map(plain, found)) if kind != Kind.TEXT or len(found) <= TEXT_LEVELS else None


def _columns_of_model(model: Any) -> tuple[CardColumn, ...]:
    """What the model, or the first step of a pipeline, remembers of the columns."""
    while isinstance(model, Pipeline) and model.steps:
        model = model.steps[0][1]
    schema = getattr(model, "schema_", None)
    names = getattr(model, "feature_names_in_", None)
    if schema is None:
        n = getattr(model, "n_features_in_", 0)
        return tuple(CardColumn(str(names[j]) if names is not None else f"x{j}") for j in range(n))
    own = schema.names if schema.names is not None else [f"x{j}" for j in range(schema.n_cols)]
    kinds: Sequence[Kind | None] = schema.kinds or [_kind_without_look(model)] * schema.n_cols
    levels = {j: tuple(map(plain, values)) for j, values in schema.categories.items()}
    return tuple(
        CardColumn(str(name), None if kind is None else str(kind.value), levels.get(j))
        for j, (name, kind) in enumerate(zip(own, kinds, strict=True))
    )


def _kind_without_look(model: Any) -> Kind | None:
    """An estimator that reads numbers and kept no kinds was fitted to a plain array of them."""
    input_spec = getattr(model, "input_spec", None)
    return Kind.NUMBER if input_spec is not None and input_spec.values and not input_spec.raw else None


# ----------------------------------------------------------------------------------------------------------- settings


def _settings(model: Any) -> dict[str, Any]:
    return {name: _setting(value) for name, value in sorted(model.get_params(deep=False).items())}


def _setting(value: Any, depth: int = 0) -> Any:
    """A setting as plain values: an estimator as its class and settings, what is not plain as words."""
    if depth > 20:
        return short_repr(value)
    if isinstance(value, BaseEstimator):
        inner = {name: _setting(part, depth + 1) for name, part in sorted(value.get_params(deep=False).items())}
        return {"class": class_path(type(value)), "settings": inner}
    if isinstance(value, Mapping):
        return {str(key): _setting(part, depth + 1) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_setting(part, depth + 1) for part in value]
    if isinstance(value, (set, frozenset)):
        return sorted((_setting(part, depth + 1) for part in value), key=repr)
    if isinstance(value, np.ndarray):
        return f"array of shape {value.shape}" if value.size > SHOWN else _setting(value.tolist(), depth + 1)
    return plain(value)


def plain(value: Any) -> Any:
    """A value as JSON has it; others as words, without addresses in memory."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or type(value) in (str, bool, int):
        return value
    if type(value) is float:
        return _json_number(value)
    if callable(value):
        return getattr(value, "__name__", type(value).__name__)
    if hasattr(value, "isoformat"):
        return value.isoformat()
    text = str(value)
    return type(value).__name__ if " at 0x" in text else text


def _json_number(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)
