"""Labels of a target as numbers, and as zeros and ones."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.sparse
from sklearn import get_config
from sklearn.utils import Tags
from sklearn.utils.multiclass import type_of_target, unique_labels

from pellucid.base.declare import param
from pellucid.base.errors import (
    DataError,
    DataTypeError,
    ParameterError,
    PellucidWarning,
    format_message,
    join_some,
    noun_list,
    short_repr,
    warn,
)
from pellucid.base.types import Array
from pellucid.data.coding import encode, objects
from pellucid.preprocessing._labels import LabelTransformer, labels_of, vector_of

__all__ = ["LabelBinarizer", "LabelEncoder", "MultiLabelBinarizer", "label_binarize"]


# ------------------------------------------------------------------------------------------------------- LabelEncoder


class LabelEncoder(LabelTransformer):
    """Numbers the labels of a target from 0 on, in ascending order.

    Label  ``c_k``  of the sorted labels  ``c_0 < c_1 < ...``  becomes  ``k``.  None and NaN are labels too and come
    last. It is for targets; for columns of a table use `OrdinalEncoder`. Labels are found by hashing, in one pass.

    Attributes
    ----------
    classes_ : array
        The labels in ascending order.

    Examples
    --------
    >>> from pellucid.preprocessing import LabelEncoder
    >>> encoder = LabelEncoder().fit(["paris", "paris", "tokyo", "amsterdam"])
    >>> encoder.transform(["tokyo", "amsterdam", "paris"])
    array([2, 0, 1])
    >>> encoder.inverse_transform([1, 0]).tolist()
    ['paris', 'amsterdam']
    """

    def _learn(self, y: Any) -> None:
        array = vector_of(y, type(self).__name__)
        self.classes_ = labels_of(array, self._threads, type(self).__name__) if array.size else array

    def _transform(self, y: Any) -> Array:
        who = type(self).__name__
        array = vector_of(y, who)
        if not array.size:
            return np.empty(0, dtype=np.int64)
        codes = np.full(len(array), -1, dtype=np.int32)
        if len(self.classes_):
            _encode(array, self.classes_, codes, self._threads, who)
        if codes.min() < 0:
            rows = np.flatnonzero(codes < 0)
            strange = list({repr(value): short_repr(value) for value in array[rows[:1000]].tolist()}.values())
            actual = f"y contains previously unseen labels: [{join_some(strange)}] ({noun_list('row', rows)})"
            raise DataError(
                format_message(
                    who, "labels must have been seen in fit", actual=actual, hint="fit on all labels that occur"
                )
            )
        return codes.astype(np.int64)

    def inverse_transform(self, y: Any) -> Array:
        """The labels behind the numbers.

        Parameters
        ----------
        y : n whole numbers from 0 to the number of labels minus 1
        """
        self._check_fitted()
        who, array = type(self).__name__, vector_of(y, type(self).__name__)
        if not array.size:
            return self.classes_[:0]
        is_integer = array.dtype.kind in "biu" or (array.dtype.kind == "f" and (array == np.floor(array)).all())
        inside = is_integer and bool(((array >= 0) & (array < len(self.classes_))).all())
        if not inside:
            codes = np.arange(len(self.classes_))
            strange = [value for value in dict.fromkeys(array.tolist()) if value not in codes]
            actual = f"y contains previously unseen labels: [{join_some(map(short_repr, strange))}]"
            raise DataError(
                format_message(who, f"numbers must be whole and from 0 to {len(self.classes_) - 1}", actual=actual)
            )
        return np.asarray(self.classes_[array.astype(np.int64)])


def _encode(array: Array, classes: Array, codes: Array, threads: int, who: str) -> None:
    try:
        encode(array, classes, codes, threads)
    except TypeError:
        actual, hint = "found a list or a dict in y", "MultiLabelBinarizer takes several labels a row"
        raise DataTypeError(format_message(who, "each label must be one value", actual=actual, hint=hint)) from None


# ----------------------------------------------------------------------------------------------------- LabelBinarizer


def _check_pair(neg_label: Any, pos_label: Any, sparse_output: bool, who: str) -> None:
    if neg_label >= pos_label:
        requirement = f"neg_label={neg_label} must be strictly less than pos_label={pos_label}"
        raise ParameterError(format_message(who, requirement))
    if sparse_output and (pos_label == 0 or neg_label != 0):
        requirement = "Sparse binarization is only supported with non zero pos_label and zero neg_label"
        actual = f"got pos_label={pos_label} and neg_label={neg_label}"
        raise ParameterError(format_message(who, requirement, actual=actual, hint="sparse_output=False"))


def _type_of(y: Any, who: str) -> str:
    """The kind of a target, one that has labels."""
    rows = y.shape[0] if hasattr(y, "shape") and y.shape else len(y) if hasattr(y, "__len__") else -1
    if rows == 0:
        raise DataError(format_message(who, "y must have rows", actual=f"y has 0 samples: {short_repr(y)}"))
    try:
        kind = str(type_of_target(y, input_name="y"))
    except (ValueError, TypeError) as error:
        actual, _, more = str(error).splitlines()[0].rstrip(".").partition(". ")
        hint = "MultiLabelBinarizer takes several labels a row" if more else "pass one label a row"
        raise DataError(format_message(who, "y must hold labels", actual=actual, hint=hint)) from None
    if "multioutput" in kind:
        requirement = "Multioutput target data is not supported with label binarization"
        raise DataError(
            format_message(who, requirement, actual="y has several columns of labels", hint="binarize them one by one")
        )
    if kind == "unknown":
        requirement, hint = "The type of target data is not known", "pass one label a row, all text or all numbers"
        raise DataError(format_message(who, requirement, actual=f"got {short_repr(y)}", hint=hint))
    if "continuous" in kind:
        requirement = f"{kind} target data is not supported with label binarization"
        raise DataError(
            format_message(who, requirement, actual="y holds numbers that are not whole", hint="cut them into classes")
        )
    return kind


def _sparse(found: Any) -> Any:
    """In the form of sparse tables that scikit-learn is set to."""
    kind = scipy.sparse.csr_array if get_config()["sparse_interface"] == "sparray" else scipy.sparse.csr_matrix
    return kind(found)


def label_binarize(y: Any, *, classes: Any, neg_label: int = 0, pos_label: int = 1, sparse_output: bool = False) -> Any:
    """Gives every label a column of its own, with `pos_label` where a row has it and `neg_label` elsewhere.

    Parameters
    ----------
    y : n labels, or an n x K table of zeros and ones
    classes : the K labels, in the order of the columns
    neg_label, pos_label : whole numbers, the first below the second
    sparse_output : is the result a sparse matrix (CSR)?

    Returns
    -------
    n x K numbers, or n x 1 for two labels, which tell of the last of them

    Examples
    --------
    >>> from pellucid.preprocessing import label_binarize
    >>> label_binarize([1, 6], classes=[1, 6, 4, 2])
    array([[1, 0, 0, 0],
           [0, 1, 0, 0]])
    >>> label_binarize(["yes", "no", "no"], classes=["no", "yes"]).ravel().tolist()
    [1, 0, 0]
    """
    return _binarize(y, np.asarray(classes), neg_label, pos_label, sparse_output, "label_binarize")


def _binarize(y: Any, classes: Array, neg_label: int, pos_label: int, sparse_output: bool, who: str) -> Any:
    _check_pair(neg_label, pos_label, sparse_output, who)
    kind = _type_of(y, who)
    if kind == "multilabel-indicator":
        return _binarize_table(y, classes, neg_label, pos_label, sparse_output, who)
    array = vector_of(y, who)
    dtype = array.dtype if array.dtype.kind == "i" and not isinstance(y, list) else np.dtype(np.int64)
    if kind == "binary" and len(classes) == 1:
        column = np.full((len(array), 1), neg_label, dtype=dtype)
        return _sparse(column.astype(np.int64)) if sparse_output else column
    codes = np.full(len(array), -1, dtype=np.int32)
    if len(classes):
        _encode(array, classes, codes, 1, who)
    rows = np.flatnonzero(codes >= 0)
    columns = codes[rows]
    width = len(classes)
    if kind == "binary" and width == 2:
        rows, columns, width = rows[columns == 1], columns[columns == 1] * 0, 1
    if sparse_output:
        starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(array)))])
        ones = np.full(len(rows), pos_label, dtype=np.int64)
        return _sparse(scipy.sparse.csr_array((ones, columns, starts), shape=(len(array), width)))
    out = np.full((len(array), width), neg_label, dtype=dtype)
    out[rows, columns] = pos_label
    return out


def _binarize_table(y: Any, classes: Array, neg: int, pos: int, sparse_output: bool, who: str) -> Any:
    """A table of zeros and ones stays one, with other numbers for them."""
    sparse = scipy.sparse.issparse(y)
    shape = y.shape if hasattr(y, "shape") else np.shape(y)
    if shape[1] != len(classes):
        labels = short_repr(unique_labels(y).tolist())
        actual = f"classes {short_repr(classes.tolist())} mismatch with the labels {labels} found in the data"
        raise DataError(format_message(who, f"y must have {len(classes)} columns", actual=actual))
    if sparse_output:
        matrix = scipy.sparse.csr_array(y).astype(np.int64)
        matrix.data[matrix.data != 0] = pos
        return _sparse(matrix)
    table = y.toarray() if sparse else np.asarray(y)
    dtype = table.dtype if table.dtype.kind == "i" and not isinstance(y, list) else np.dtype(np.int64)
    return np.where(table != 0, pos, neg).astype(dtype)


class LabelBinarizer(LabelTransformer):
    """Gives every label of a target a column of its own, with a one where a row has it.

    With the sorted labels  ``c_1 < ... < c_K``  the target becomes K columns  ``z_k = 1 if y = c_k, else 0``;  for two
    labels one column, that of the second. So a method that knows two classes can learn K, each against the others.
    `inverse_transform` takes the label of the largest number in a row, or for two labels the second where the number is
    above `threshold`. For columns of a table use `OneHotEncoder`.

    Attributes
    ----------
    classes_ : array
        The labels in ascending order.
    y_type_ : str
        'binary', 'multiclass' or 'multilabel-indicator'.
    sparse_input_ : bool
        Was the target of fit sparse?

    Examples
    --------
    >>> from pellucid.preprocessing import LabelBinarizer
    >>> binarizer = LabelBinarizer().fit([1, 2, 6, 4, 2])
    >>> binarizer.transform([1, 6])
    array([[1, 0, 0, 0],
           [0, 0, 0, 1]])
    >>> binarizer.inverse_transform([[0.1, 0.7, 0.2, 0.0]])
    array([2])
    >>> LabelBinarizer().fit_transform(["yes", "no", "no"]).ravel().tolist()
    [1, 0, 0]
    """

    neg_label: int = param(default=0, doc="The number where a row has not the label.")
    pos_label: int = param(default=1, doc="The number where it has; above neg_label.")
    sparse_output: bool = param(default=False, doc="Is the result of transform a sparse matrix (CSR)?")

    def _check_params(self) -> None:
        super()._check_params()
        _check_pair(self.neg_label, self.pos_label, self.sparse_output, type(self).__name__)

    def _learn(self, y: Any) -> None:
        who = type(self).__name__
        self.y_type_ = _type_of(y, who)
        self.sparse_input_ = bool(scipy.sparse.issparse(y))
        if self.y_type_ == "multilabel-indicator":
            self.classes_ = np.arange(y.shape[1] if hasattr(y, "shape") else len(y[0]))
        else:
            self.classes_ = labels_of(vector_of(y, who), self._threads, who)

    def _transform(self, y: Any) -> Any:
        who = type(self).__name__
        if _type_of(y, who).startswith("multilabel") and not self.y_type_.startswith("multilabel"):
            requirement = "The object was not fitted with multilabel input"
            raise DataError(format_message(who, requirement, actual="y is a table of zeros and ones"))
        return _binarize(y, self.classes_, self.neg_label, self.pos_label, self.sparse_output, who)

    def inverse_transform(self, Y: Any, threshold: float | None = None) -> Any:
        """The labels behind columns of numbers.

        Parameters
        ----------
        Y : numbers as `transform` makes them, or scores or probabilities of the labels
        threshold : for two labels, and for a table of zeros and ones: above it a label is there
            Half way between neg_label and pos_label unless told; 0 for scores, 0.5 for probabilities.
        """
        self._check_fitted()
        limit = (self.pos_label + self.neg_label) / 2 if threshold is None else threshold
        table: Any = Y if scipy.sparse.issparse(Y) else np.asarray(Y)
        if self.y_type_ == "multiclass":
            return self.classes_[self._largest(table)]
        above = (table.toarray() if scipy.sparse.issparse(table) else table) > limit
        if self.y_type_ == "binary":
            return self._second(above)
        if above.ndim != 2 or above.shape[1] != len(self.classes_):
            requirement = "The number of class is not equal to the number of dimension of y"
            actual = f"got shape {above.shape} for {len(self.classes_)} classes"
            raise DataError(format_message(type(self).__name__, requirement, actual=actual))
        found_table = above.astype(np.int64)
        return _sparse(found_table) if self.sparse_input_ else found_table

    def _largest(self, table: Any) -> Array:
        if table.ndim != 2 or table.shape[1] < 1:
            requirement = "Y must have a column for each class"
            raise DataError(format_message(type(self).__name__, requirement, actual=f"got shape {table.shape}"))
        best = (
            np.asarray(table.tocsr().argmax(axis=1)).ravel() if scipy.sparse.issparse(table) else table.argmax(axis=1)
        )
        return np.asarray(np.minimum(best, len(self.classes_) - 1))

    def _second(self, above: Array) -> Array:
        if above.ndim == 2 and above.shape[1] > 2:
            actual = f"output_type='binary', but y.shape = {above.shape}"
            raise DataError(format_message(type(self).__name__, "Y must have one column, or two", actual=actual))
        codes = above[:, 1] if above.ndim == 2 and above.shape[1] == 2 else above.reshape(-1)
        return np.asarray(self.classes_[np.minimum(codes.astype(np.int64), len(self.classes_) - 1)])


# ------------------------------------------------------------------------------------------------ MultiLabelBinarizer


def _check_classes(value: Any) -> str | None:
    if value is None or (hasattr(value, "__len__") and not isinstance(value, str | bytes | dict)):
        return None
    return f"classes must be a list of labels or None; got {short_repr(value)}"


class MultiLabelBinarizer(LabelTransformer):
    """Turns sets of labels into a table of zeros and ones.

    Row r has a set of labels  ``L_r``;  with the sorted labels  ``c_1 < ... < c_K``  of all rows it becomes K columns
    ``z_k = 1 if c_k is in L_r, else 0``.  A label that fit did not see is left out with a warning. For one label a row
    use `LabelBinarizer`.

    Attributes
    ----------
    classes_ : array
        The labels in the order of the columns: ascending, or as they were given.

    Examples
    --------
    >>> from pellucid.preprocessing import MultiLabelBinarizer
    >>> binarizer = MultiLabelBinarizer()
    >>> binarizer.fit_transform([{"sci-fi", "thriller"}, {"comedy"}])
    array([[0, 1, 1],
           [1, 0, 0]])
    >>> binarizer.inverse_transform([[1, 0, 1]])
    [('comedy', 'thriller')]
    """

    classes: Any = param(
        default=None, check=_check_classes, doc="The labels in the order of the columns; None: sorted."
    )
    sparse_output: bool = param(default=False, doc="Is the result of transform a sparse matrix (CSR)?")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.one_d_labels, tags.target_tags.two_d_labels = False, True
        return tags

    def _sets(self, y: Any) -> list[list[Any]]:
        """The labels of each row."""
        who = type(self).__name__
        if isinstance(y, str | bytes | dict) or not isinstance(y, Iterable):
            raise DataTypeError(
                format_message(who, "y must be a list of sets of labels", actual=f"got {type(y).__name__}")
            )
        sets = []
        for r, labels in enumerate(y):
            if not isinstance(labels, Iterable):
                requirement, hint = (
                    "each row of y must be a set, list or tuple of labels",
                    "write [label] for a single label",
                )
                raise DataTypeError(
                    format_message(who, requirement, actual=f"row {r} is {short_repr(labels)}", hint=hint)
                )
            sets.append(list(labels))
        return sets

    def _learn(self, y: Any) -> None:
        who = type(self).__name__
        if self.classes is not None:
            classes = list(self.classes)
            if len(set(classes)) < len(classes):
                twice = [label for label in dict.fromkeys(classes) if classes.count(label) > 1]
                requirement = "classes must differ"
                found_twice = f"The classes argument contains duplicate classes: {join_some(map(short_repr, twice))}"
                raise DataError(format_message(who, requirement, actual=found_twice, hint="Remove these duplicates"))
        else:
            sets = self._sets(y)
            try:
                classes = sorted({label for labels in sets for label in labels})
            except TypeError:
                requirement = "labels must have an order among each other, and a hash"
                kinds = sorted({type(label).__name__ for labels in sets for label in labels})
                hint = "turn them into text with str"
                raise DataTypeError(
                    format_message(who, requirement, actual=f"found {noun_list('type', kinds)}", hint=hint)
                ) from None
        all_integers = all(isinstance(label, int) for label in classes)
        self.classes_ = np.array(classes, dtype=int) if all_integers else objects(classes)

    def fit_transform(self, y: Any) -> Any:
        """Fits, and gives the same sets as zeros and ones.

        Parameters
        ----------
        y : a set, list or tuple of labels for each row
        """
        sets = self._sets(y)  # an iterator has its rows only once
        return self.fit(sets).transform(sets)

    def _transform(self, y: Any) -> Any:
        index_of = {label: k for k, label in enumerate(self.classes_.tolist())}
        indices: list[int] = []
        starts: list[int] = [0]
        unknown: set[Any] = set()
        for labels in self._sets(y):
            codes = {index_of.get(label, -1) for label in labels}
            if -1 in codes:
                codes.discard(-1)
                unknown.update(label for label in labels if label not in index_of)
            indices.extend(sorted(codes))
            starts.append(len(indices))
        if unknown:
            warn(f"unknown class(es) {sorted(unknown, key=str)} will be ignored", PellucidWarning)
        ones = np.ones(len(indices), dtype=np.int64)
        matrix = scipy.sparse.csr_array((ones, indices, starts), shape=(len(starts) - 1, len(self.classes_)))
        return _sparse(matrix) if self.sparse_output else matrix.toarray()

    def inverse_transform(self, yt: Any) -> list[tuple[Any, ...]]:
        """The labels of each row.

        Parameters
        ----------
        yt : n x K zeros and ones, as `transform` makes them
        """
        self._check_fitted()
        who = type(self).__name__
        table = yt.toarray() if scipy.sparse.issparse(yt) else np.asarray(yt)
        if table.ndim != 2 or table.shape[1] != len(self.classes_):
            requirement = f"Expected indicator for {len(self.classes_)} classes"
            raise DataError(format_message(who, requirement, actual=f"but got {table.shape[-1] if table.ndim else 0}"))
        strange = np.setdiff1d(table, [0, 1])
        if len(strange):
            requirement = "Expected only 0s and 1s in label indicator"
            raise DataError(
                format_message(who, requirement, actual=f"Also got {join_some(map(short_repr, strange.tolist()))}")
            )
        return [tuple(self.classes_[row != 0].tolist()) for row in table]
