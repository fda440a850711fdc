"""Labels as they are given: whole numbers, flags or text, in a list, an array or a column of a frame.

Rows that carry several labels at once are a table of zeros and ones with one column a label. What labels must be is
said here and nowhere else.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
import scipy.sparse

from pellucid.base.errors import count, join_some, short_repr
from pellucid.base.types import Array
from pellucid.data.kinds import is_missing
from pellucid.metrics._codes import Coded, code
from pellucid.metrics._read import fail, fail_type, got, refuse_missing, refuse_not_finite


def label_array(who: str, name: str, y: Any) -> Any:
    """The labels as an array of one or two dimensions, of text or of numbers; a sparse table stays one."""
    if scipy.sparse.issparse(y):
        return scipy.sparse.csr_array(y)
    plain = not (isinstance(y, str | bytes | dict | set | frozenset) or y is None)
    array = _from_sequence(who, name, y) if plain else np.empty(())
    if array.ndim == 0:
        hint = "call .collect() first" if hasattr(y, "collect") else "pass one label a row"
        fail_type(who, f"{name} must be array-like: an array, a list or a column of a frame", got(y), hint)
    if array.ndim > 2 or (array.ndim == 2 and array.shape[1] == 0):
        fail(who, f"{name} must be one column of labels", f"unknown is not supported (shape {array.shape})")
    if array.dtype.kind == "c":
        fail(who, f"{name} must hold labels", "Complex data not supported")
    return _of_one_type(who, name, array)


def _from_sequence(who: str, name: str, y: Any) -> Array:
    """As an array; a list of text and other things keeps them apart, where NumPy would make text of all."""
    try:
        if isinstance(y, np.ma.MaskedArray) and np.ma.getmaskarray(y).any():
            refuse_missing(who, name, np.flatnonzero(np.ma.getmaskarray(y).reshape(len(y), -1).any(axis=1)))
        if isinstance(y, list | tuple):
            types = set(map(type, y))
            texts = [item_type for item_type in types if issubclass(item_type, str)]
            # Objects keep a list's texts as they are; an array of equal widths is made of them, which takes longer.
            return np.asarray(y, dtype=object) if texts else np.asarray(y)
        return np.asarray(y)
    except ValueError:
        fail(
            who,
            f"every row of {name} must have the same number of labels",
            "You appear to be using a legacy multi-label data representation",
            "make a table of zeros and ones with one column a label",
        )


def _of_one_type(who: str, name: str, array: Array) -> Array:
    """Objects as text or numbers; missing values, bytes and mixtures refused."""
    if array.dtype.kind == "f":
        refuse_not_finite(who, array, name)
    if array.dtype.kind in "SV":
        _refuse_bytes(who, name)
    if array.dtype.kind in "mM" and np.isnat(array).any():
        refuse_missing(who, name, np.flatnonzero(np.isnat(array).reshape(len(array), -1).any(axis=1)))
    return _of_objects(who, name, array) if array.dtype.kind == "O" else array


def _of_objects(who: str, name: str, array: Array) -> Array:
    values = array.ravel().tolist()
    if set(map(type, values)) == {str}:
        return array
    missing = [i for i, value in enumerate(values) if is_missing(value)]
    if missing:
        refuse_missing(who, name, np.unique(np.array(missing) // (array.size // len(array))))
    if any(isinstance(value, bytes) for value in values):
        _refuse_bytes(who, name)
    texts = [isinstance(value, str) for value in values]
    if all(texts):
        return array
    if any(texts):
        first = [short_repr(values[texts.index(is_text)]) for is_text in (True, False)]
        refuse_mixture(who, f"{name} holds {' and '.join(first)}")
    return _of_numbers(who, name, values).reshape(array.shape)


def _of_numbers(who: str, name: str, values: list[Any]) -> Array:
    """Numbers that stood as objects."""
    odd = [value for value in values if not isinstance(value, int | float | np.number) or not abs(float(value)) < 2**63]
    if odd:
        fail(who, f"{name} must hold whole numbers, flags or text", f"unknown is not supported ({got(odd[0])})")
    plain = np.asarray(values)
    if plain.dtype.kind == "f":
        refuse_not_finite(who, plain, name)
    return plain


def _refuse_bytes(who: str, name: str) -> NoReturn:
    fail_type(
        who,
        f"{name} must hold whole numbers, flags or text",
        "Support for labels represented as bytes is not supported",
        "decode them into text first",
    )


def refuse_mixture(who: str, actual: str) -> NoReturn:
    fail(
        who,
        "labels must be of one type",
        f"Mix of label input types (string and number); {actual}",
        "turn all into text, or into numbers",
    )


def _kind(who: str, name: str, array: Any) -> str:
    """Kind of target: multilabel, continuous, or discrete labels; the names are scikit-learn's."""
    if scipy.sparse.issparse(array):
        if array.shape[1] == 1 or len(np.unique(np.append(array.data, 0))) > 2:
            fail(
                who,
                "Sparse input is only supported when targets are of multilabel type",
                f"{name} is sparse with {count(array.shape[1], 'column')} of other values than zeros and ones",
                f"{name}.toarray()",
            )
        return "multilabel-indicator"
    suffix = "-multioutput" if array.ndim == 2 and array.shape[1] > 1 else ""
    if array.dtype.kind == "f" and (array != np.floor(array)).any():
        return "continuous" + suffix
    if suffix and array.dtype.kind in "buif" and len(np.unique(array)) <= 2:
        return "multilabel-indicator"
    return "multiclass" + suffix


def common_kind(who: str, columns: dict[str, Any]) -> str:
    """The kind of all columns: multiclass (two classes or more) or multilabel-indicator; others are refused."""
    kinds = [_kind(who, name, column) for name, column in columns.items()]
    hint = ""
    if any(kind.startswith("continuous") for kind in kinds):
        hint = "turn scores into labels first, for instance scores >= 0.5, or use a metric of scores"
    if len(set(kinds)) > 1:
        pairs = zip(kinds, columns.values(), strict=True)
        kind_names = ["binary" if k == "multiclass" and len(np.unique(column)) <= 2 else k for k, column in pairs]
        fail(
            who,
            f"{' and '.join(columns)} must be of one kind",
            f"Classification metrics can't handle a mix of {' and '.join(kind_names)} targets",
            hint or "of a table of scores, take the column of the largest as the label",
        )
    if kinds[0] not in ("multiclass", "multilabel-indicator"):
        requirement = f"{' and '.join(columns)} must hold one class a row, or a table of zeros and ones"
        fail(who, requirement, f"{kinds[0]} is not supported", hint)
    return kinds[0]


def read_labels(who: str, name: str, y: Any, labels: Any = None) -> tuple[Array, Array]:
    """One column of labels: the different ones in order (those of ``labels`` where given) and the codes."""
    array = label_array(who, name, y)
    if array.shape[0] == 0:
        fail(who, "a minimum of 1 sample is required", f"Found empty input array `{name}`", "check the selection")
    kind = common_kind(who, {name: array})
    if kind == "multilabel-indicator":
        fail(who, f"{name} must be one column of labels", f"{kind} is not supported", "take one column at a time")
    if labels is None:
        coded = encode(who, {name: array.ravel()})
        return coded.labels, coded.codes[0]
    label_values = label_array(who, "labels", label_list(who, labels))
    coded = encode(who, {name: array.ravel(), "labels": label_values})
    unseen = np.setdiff1d(coded.codes[0], coded.codes[1])
    if len(unseen):
        unknown = join_some(map(repr, coded.labels[unseen].tolist()))
        fail(who, "every label must be one of labels", f"y contains previously unseen labels: {unknown}")
    return coded.labels, coded.codes[0]


def label_list(who: str, labels: Any, unique: bool = True) -> list[Any]:
    """The parameter ``labels``: one or more different labels of one type, in the caller's order."""
    array = label_array(who, "labels", labels)
    listed: list[Any] = (array.toarray() if scipy.sparse.issparse(array) else array).ravel().tolist()
    if not listed:
        fail(who, "'labels' should contain at least one label", "it is empty", "leave it out for all labels")
    if unique and len(set(listed)) < len(listed):
        twice = sorted({repr(label) for label in listed if listed.count(label) > 1})
        fail(who, "labels must be different from each other", f"{join_some(twice)} stands there more than once")
    return listed


def encode(who: str, columns: dict[str, Array]) -> Coded:
    """The different labels of all columns in order, and each column as positions in them."""
    texts = [column.dtype.kind in "OUT" for column in columns.values()]
    if any(texts) and not all(texts):
        examples = " and ".join(join_some(map(repr, np.unique(column).tolist()), 3) for column in columns.values())
        refuse_mixture(who, f"{' and '.join(columns)} hold {examples}")
    times = [column.dtype.kind in "mM" for column in columns.values()]
    if any(times) and len({column.dtype.kind for column in columns.values()}) > 1:
        types = " and ".join(str(column.dtype) for column in columns.values())
        fail(who, "labels must be of one type", f"{' and '.join(columns)} hold {types}")
    return code(list(columns.values()))
