"""Categories as numbers: a column of zeros and ones each, or one number each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import scipy.sparse
from sklearn import get_config
from sklearn.utils import Tags
from sklearn.utils._set_output import _get_output_config

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import (
    DataError,
    ParameterError,
    PellucidWarning,
    format_message,
    join_some,
    noun_list,
    short_repr,
    warn,
)
from pellucid.base.types import Array
from pellucid.data.coding import is_nan, objects
from pellucid.data.design import Design, InputSpec
from pellucid.estimator.roles import SameNames
from pellucid.estimator.trace import Trace
from pellucid.preprocessing._encoder import (
    Encoder,
    check_categories,
    check_code,
    check_drop,
    check_dtype,
    check_share,
    equals,
    is_number_nan,
)
from pellucid.preprocessing._groups import Groups, groups_of
from pellucid.preprocessing._terms import bytes_in_words, memory

__all__ = ["OneHotEncoder", "OrdinalEncoder"]

RARE = "infrequent_sklearn"  # scikit-learn's name, so that columns are called alike


class OneHotEncoder(Encoder):
    """Gives every category of a column a column of its own, with a one where a row has it.

    A column with the categories ``c_1 ... c_K`` becomes K columns  ``z_k = 1 if x = c_k, else 0``,  so that no order is
    put between names that have none. With `drop` one of them is left out: K - 1 columns say the same, and a linear
    model with an intercept then has independent columns.

    Categories stand in ascending order, missing values last, as categories of their own: None, then NaN. Values of
    one column must have an order among each other: words and numbers in one column are refused. Rare categories can be
    put together into one column (`min_frequency`, `max_categories`). The result is sparse (CSR) unless told: of K
    columns one holds a one. Values are found by hashing, in one pass. A column with very many categories is better
    encoded by `OrdinalEncoder` for trees, or by the target's mean.

    Parameters, attributes and names are scikit-learn's. Given categories of numbers may stand in any order here.

    Attributes
    ----------
    categories_ : list of arrays
        The categories of each column.
    drop_idx_ : array or None
        Position in `categories_` of the category left out, None where there is none; None if none is left out at all.
    infrequent_categories_ : list of arrays or None
        The categories of each column that were put together, None where there are none; only with `min_frequency` or
        `max_categories`.

    Examples
    --------
    >>> from pellucid.preprocessing import OneHotEncoder
    >>> encoder = OneHotEncoder(sparse_output=False)
    >>> encoder.fit_transform([["red", 1], ["blue", 3], ["red", 3]])
    array([[0., 1., 1., 0.],
           [1., 0., 0., 1.],
           [0., 1., 0., 1.]])
    >>> encoder.get_feature_names_out(["color", "doors"]).tolist()
    ['color_blue', 'color_red', 'doors_1', 'doors_3']
    >>> encoder.inverse_transform([[0, 1, 0, 1]])
    array([['red', 3]], dtype=object)
    """

    categories: Literal["auto"] | list | tuple | np.ndarray = param(  # type: ignore[type-arg]
        default="auto",
        check=check_categories,
        doc="'auto': those that fit sees; or one list a column, in the order of the result.",
    )
    drop: Any = param(
        default=None,
        check=check_drop,
        doc="Category of each column that gets none: 'first', 'if_binary' (the first of two), or a list of them.",
    )
    sparse_output: bool = param(default=True, doc="Is the result a sparse matrix (CSR)? Else it is an array.")
    dtype: Any = param(default=np.float64, check=check_dtype, doc="Type of the result's numbers.")
    handle_unknown: Literal["error", "ignore", "infrequent_if_exist", "warn"] = param(
        default="error",
        doc="What becomes of a category that fit did not see: an error; zeros; the column of the rare ones if there is "
        "one, else zeros; or the same with a warning.",
    )
    min_frequency: int | float | None = param(
        default=None,
        check=check_share,
        doc="Categories that occur less often are put together; a number below 1 is a share of the rows.",
    )
    max_categories: int | None = param(
        default=None, low=1, doc="Most columns for one column, that of the rare categories included."
    )
    feature_name_combiner: Literal["concat", "concat_whole"] | Callable = param(  # type: ignore[type-arg]
        default="concat",
        doc="Name of a new column: 'concat' for column_category, 'concat_whole' for the same with whole numbers "
        "written without a decimal point and no name twice, or a function of the two.",
    )
    n_jobs: int | None = param(
        default=None, doc="Threads: None or -1 for all available cores. Their number changes no bit of the result."
    )

    def _fit(self, d: Design, trace: Trace) -> None:
        counts = self._learn(d)
        self._groups_ = [groups_of(often, d.n_rows, self.min_frequency, self.max_categories) for often in counts]
        self._dropped_ = self._groups_dropped(d)
        self.drop_idx_ = None if self.drop is None else objects(map(Groups.first, self._groups_, self._dropped_))

    def _groups_dropped(self, d: Design) -> list[int | None]:
        """The group of each column that gets no column."""
        if self.drop is None:
            return [None] * d.n_cols
        if isinstance(self.drop, str):
            return [0 if self.drop == "first" or groups.size == 2 else None for groups in self._groups_]
        if len(self.drop) != d.n_cols:
            requirement = f"`drop` should have length equal to the number of features ({d.n_cols})"
            raise DataError(format_message(d.who, requirement, actual=f"got {len(self.drop)}"))
        return [self._group_to_drop(d, j, value) for j, value in enumerate(self.drop)]

    def _group_to_drop(self, d: Design, j: int, value: Any) -> int:
        categories, groups = self.categories_[j].tolist(), self._groups_[j]
        codes = [
            k for k, category in enumerate(categories) if (is_nan(category) if is_nan(value) else category == value)
        ]
        if not codes:
            requirement = (
                "The following categories were supposed to be dropped, but were not found in the training data"
            )
            actual, hint = (
                f"Category: {short_repr(value)}, Feature: {d.table.label(j)}",
                f"there are {join_some(map(short_repr, categories))}",
            )
            raise DataError(format_message(d.who, requirement, actual=actual, hint=hint))
        if groups.rare is not None and codes[0] in groups.rare:
            requirement = (
                f"Unable to drop category {short_repr(value)} from feature {d.table.label(j)} because it is infrequent"
            )
            raise DataError(format_message(d.who, requirement, hint="drop a frequent one, or drop='first'"))
        return int(groups.of[codes[0]])

    @property
    def infrequent_categories_(self) -> list[Array | None]:
        """The categories of each column that were put together."""
        if not hasattr(self, "_groups_") or (self.min_frequency is None and self.max_categories is None):
            raise AttributeError("infrequent_categories_ is there after fit with min_frequency or max_categories")
        pairs = zip(self.categories_, self._groups_, strict=True)
        return [None if groups.rare is None else categories[groups.rare] for categories, groups in pairs]

    # ------------------------------------------------------------------------------------------------------- transform

    def transform(self, X: Any) -> Any:
        """The zeros and ones of each row, sparse unless `sparse_output` is False."""
        self._check_fitted()
        output = _get_output_config("transform", estimator=self)["dense"]
        if output != "default" and self.sparse_output:
            requirement = f"{output.capitalize()} output does not support sparse data"
            hint = (
                f"Set sparse_output=False to output {output} dataframes or disable {output.capitalize()} output via "
                '`ohe.set_output(transform="default")`'
            )
            raise ParameterError(
                format_message(type(self).__name__, requirement, actual="sparse_output=True", hint=hint)
            )
        return self._transform(self._validate_predict(X))

    def _widths(self) -> list[int]:
        """How many columns each column becomes."""
        pairs = zip(self._groups_, self._dropped_, strict=True)
        return [groups.size - (dropped is not None) for groups, dropped in pairs]

    def _places(self) -> tuple[Array, Array]:
        """For each column where its part begins; there the new column of unknown values, then that of each category.

        -1 stands for no column.
        """
        tables, before = [], 0
        for groups, dropped, width in zip(self._groups_, self._dropped_, self._widths(), strict=True):
            new_columns = np.arange(before, before + groups.size)
            if dropped is not None:
                new_columns[dropped + 1 :] -= 1
                new_columns[dropped] = -1
            to_rare = self.handle_unknown in ("infrequent_if_exist", "warn") and groups.rare is not None
            tables.append(np.append(new_columns[-1] if to_rare else -1, new_columns[groups.of]).astype(np.int32))
            before += width
        first = np.cumsum([0, *(len(table) for table in tables[:-1])], dtype=np.int64)
        return first, np.concatenate(tables)

    def _transform(self, d: Design) -> Any:
        codes = self._codes(d, "transform")
        self._warn_of_unknown(codes)
        first, columns = self._places()
        lengths = np.empty(d.n_rows, dtype=np.int64)
        _core.one_hot_lengths(codes.ravel(), first, columns, lengths, self._threads)
        starts = np.zeros(d.n_rows + 1, dtype=np.int64)
        np.cumsum(lengths, out=starts[1:])
        width = sum(self._widths())
        index = np.int32 if max(int(starts[-1]), width) <= np.iinfo(np.int32).max else np.int64
        indices = np.empty(int(starts[-1]), dtype=index)
        _core.one_hot(codes.ravel(), first, columns, starts, indices, self._threads)
        if not self.sparse_output:
            return self._dense(d.n_rows, width, lengths, indices)
        kind = scipy.sparse.csr_array if get_config()["sparse_interface"] == "sparray" else scipy.sparse.csr_matrix
        ones = np.ones(len(indices), dtype=self.dtype)
        result = kind((ones, indices, starts.astype(index)), shape=(d.n_rows, width))
        result.has_canonical_format = True
        return result

    def _dense(self, rows: int, width: int, lengths: Array, indices: Array) -> Array:
        size = rows * width * np.dtype(self.dtype).itemsize
        if size > memory():
            actual = f"{rows:,} rows of {width:,} columns take {bytes_in_words(size)}"
            hint = "use sparse_output=True, or put rare categories together with max_categories"
            raise DataError(
                format_message(type(self).__name__, "the result must fit into memory", actual=actual, hint=hint)
            )
        out = np.zeros((rows, width), dtype=self.dtype)
        out[np.repeat(np.arange(rows), lengths), indices] = 1
        return out

    def _warn_of_unknown(self, codes: Array) -> None:
        if self.handle_unknown == "error" or (self.drop is None and self.handle_unknown != "warn"):
            return
        columns = [j for j, column in enumerate(codes) if column.min() < 0]
        if columns:
            to = "all zeros" if self.handle_unknown == "ignore" else "the infrequent category"
            message = f"Found unknown categories in columns {columns} during transform. These unknown categories will "
            warn(f"{message}be encoded as {to}", PellucidWarning)

    def inverse_transform(self, X: Any) -> Array:
        """The categories behind zeros and ones.

        A row without a one has the category that `drop` left out; else it is None if unknown ones are ignored, and
        refused if not. Rare categories that were put together come back as 'infrequent_sklearn'.

        Parameters
        ----------
        X : table of the columns that `transform` makes
        """
        self._check_fitted()
        widths = self._widths()
        table = self._read_encoded(X, sum(widths), InputSpec(sparse=True))
        table = table.tocsc() if scipy.sparse.issparse(table) else table
        ends = np.cumsum([0, *widths])
        blocks = [table[:, ends[j] : ends[j + 1]] for j in range(len(widths))]
        return self._decoded([self._inverse_column(j, block) for j, block in enumerate(blocks)])

    def _inverse_column(self, j: int, part: Any) -> Array:
        group_names, dropped = self._group_names(j), self._dropped_[j]
        if part.shape[1] == 0:
            return np.repeat(group_names[:1], part.shape[0])
        label = np.asarray(part.argmax(axis=1)).ravel()
        values: Array = (group_names if dropped is None else np.delete(group_names, dropped))[label]
        none = np.asarray(part.sum(axis=1)).ravel() == 0
        if not none.any():
            return values
        if dropped is not None:
            values[none] = group_names[dropped]
            return values
        lenient = self.handle_unknown in ("infrequent_if_exist", "warn") and self._groups_[j].rare is None
        if self.handle_unknown != "ignore" and not lenient:
            requirement = (
                f"Samples {np.flatnonzero(none)} can not be inverted when drop=None and handle_unknown='error'"
            )
            raise DataError(format_message(type(self).__name__, requirement, actual="they contain all zeros"))
        values = values.astype(object)
        values[none] = None
        return values

    def _group_names(self, j: int) -> Array:
        categories, groups = self.categories_[j], self._groups_[j]
        if groups.rare is None:
            return categories
        return np.append(np.delete(categories, groups.rare).astype(object), np.array([RARE], dtype=object))

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names of the new columns: the column's and the category's, with an underscore between them.

        Parameters
        ----------
        input_features : names of the columns, optional
            Those of the fitted table, or x0, x1, ... unless told.
        """
        self._check_fitted()
        combiners = {"concat": _concat, "concat_whole": _concat_whole}
        combiner = self.feature_name_combiner
        combine = combiner if callable(combiner) else combiners[combiner]
        names = []
        for j, name in enumerate(self._names_in(input_features)):
            group_names, dropped = self._group_names(j), self._dropped_[j]
            names += [
                combine(name, category)
                for category in (group_names if dropped is None else np.delete(group_names, dropped))
            ]
        invalid = next((name for name in names if not isinstance(name, str)), None)
        if invalid is not None:
            requirement, actual = "feature_name_combiner must return a text", f"got {short_repr(invalid)}"
            raise ParameterError(format_message(type(self).__name__, requirement, actual=actual))
        return np.array(names if combiner != "concat_whole" else _each_once(names), dtype=object)


def _each_once(names: list[str]) -> list[str]:
    """Names of which none occurs twice, as those of a missing value and of the word None would.

    >>> _each_once(["a_None", "b_x", "a_None"])
    ['a_None', 'b_x', 'a_None_2']
    """
    originals, unique_names = set(names), list[str]()
    used = set[str]()
    for name in names:
        number, candidate = 2, name
        while candidate in used or (candidate != name and candidate in originals):
            candidate, number = f"{name}_{number}", number + 1
        used.add(candidate)
        unique_names.append(candidate)
    return unique_names


def _concat(column: str, category: Any) -> str:
    return f"{column}_{category!s}"


def _concat_whole(column: str, category: Any) -> str:
    is_whole = isinstance(category, float | np.floating) and float(category).is_integer()
    return _concat(column, int(category) if is_whole else category)


class OrdinalEncoder(SameNames, Encoder):
    """Gives every category of a column a number: 0, 1, 2, ...

    ``z = k  where  x = c_k``,  with the categories ``c_0, c_1, ...`` of the column in ascending order, or in the order
    that is given. Trees can split such numbers; a linear model or a distance would read an order and a scale into them
    that names do not have: use `OneHotEncoder` there.

    NaN gets `encoded_missing_value`, NaN itself unless told, and no number of its own; None is a category like any
    other. Values of one column must have an order among each other: words and numbers in one column are refused.

    Parameters, attributes and names are scikit-learn's, but for the two that put rare categories together, which only
    `OneHotEncoder` has here. Given categories of numbers may stand in any order.

    Attributes
    ----------
    categories_ : list of arrays
        The categories of each column; NaN, where there was one, stands last.

    Examples
    --------
    >>> from pellucid.preprocessing import OrdinalEncoder
    >>> sizes = OrdinalEncoder(categories=[["small", "medium", "large"]])
    >>> sizes.fit_transform([["medium"], ["small"], ["large"]])
    array([[1.],
           [0.],
           [2.]])
    >>> sizes.inverse_transform([[2.0]])
    array([['large']], dtype=object)
    """

    categories: Literal["auto"] | list | tuple | np.ndarray = param(  # type: ignore[type-arg]
        default="auto",
        check=check_categories,
        doc="'auto': those that fit sees, ascending; or one list a column, in the order of their numbers.",
    )
    dtype: Any = param(default=np.float64, check=check_dtype, doc="Type of the result's numbers.")
    handle_unknown: Literal["error", "use_encoded_value"] = param(
        default="error", doc="What becomes of a category that fit did not see: an error, or `unknown_value`."
    )
    unknown_value: Any = param(
        default=None,
        check=check_code("unknown_value"),
        doc="The number of unknown categories, with handle_unknown='use_encoded_value' only.",
    )
    encoded_missing_value: Any = param(
        default=np.nan, check=check_code("encoded_missing_value"), doc="The number of missing values (NaN)."
    )
    n_jobs: int | None = param(
        default=None, doc="Threads: None or -1 for all available cores. Their number changes no bit of the result."
    )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _check_params(self) -> None:
        super()._check_params()
        who, value = type(self).__name__, self.unknown_value
        if self.handle_unknown == "error" and value is not None:
            requirement = "unknown_value should only be set when handle_unknown is 'use_encoded_value'"
            raise ParameterError(format_message(who, requirement, actual=f"got {value!r}"))
        if self.handle_unknown != "error" and value is None:
            requirement = "unknown_value should be an integer or np.nan when handle_unknown is 'use_encoded_value'"
            raise ParameterError(format_message(who, requirement, actual="got None"))
        if is_number_nan(value) and np.dtype(self.dtype).kind != "f":
            requirement = "When unknown_value is np.nan, the dtype parameter should be a float dtype"
            raise ParameterError(format_message(who, requirement, actual=f"Got {np.dtype(self.dtype)}"))

    def _fit(self, d: Design, trace: Trace) -> None:
        self._learn(d)
        for j, categories in enumerate(self.categories_):
            self._check_free(d, j, len(categories) - self._has_missing(j))

    def _has_missing(self, j: int) -> bool:
        return is_nan(self.categories_[j][-1])

    def _check_free(self, d: Design, j: int, size: int) -> None:
        """The numbers of unknown and of missing values must not be those of categories."""
        label, value = d.table.label(j), self.encoded_missing_value
        if self.unknown_value is not None and 0 <= self.unknown_value < size:
            requirement = (
                f"The used value for unknown_value {self.unknown_value} is one of the values already used for encoding"
            )
            actual, hint = f"column {label} has {size} of them", "choose a number below 0, or np.nan"
            raise DataError(format_message(d.who, f"{requirement} the seen categories", actual=actual, hint=hint))
        if not self._has_missing(j):
            return
        if is_number_nan(value) and np.dtype(self.dtype).kind != "f":
            requirement = "dtype must hold NaN, or encoded_missing_value be a number"
            hint = "set encoded_missing_value to a non-nan value, or set dtype to a float"
            raise DataError(
                format_message(
                    d.who,
                    requirement,
                    actual=(
                        f"There are missing values in features [{j}]: column {label}, and dtype is "
                        f"{np.dtype(self.dtype)}"
                    ),
                    hint=hint,
                )
            )
        if 0 <= value < size:
            requirement = f"encoded_missing_value ({value}) is already used to encode a known category in features"
            actual, hint = f"column {label} has {size} of them", "choose a number below 0, or np.nan"
            raise DataError(format_message(d.who, requirement, actual=actual, hint=hint))

    def _transform(self, d: Design) -> Array:
        codes = self._codes(d, "transform")
        out = np.empty((d.n_rows, d.n_cols), dtype=self.dtype)
        for j, column in enumerate(codes):
            numbers = np.arange(-1, len(self.categories_[j])).astype(self.dtype)
            if self._has_missing(j):
                numbers[-1] = self.encoded_missing_value
            numbers[0] = 0 if self.unknown_value is None else self.unknown_value
            out[:, j] = numbers[column + 1]
        return out

    def inverse_transform(self, X: Any) -> Array:
        """The categories behind the numbers; None for the number of unknown ones.

        Parameters
        ----------
        X : table of numbers as `transform` makes them
        """
        self._check_fitted()
        table = self._read_encoded(X, self.n_features_in_, InputSpec(missing=True))
        return self._decoded([self._inverse_column(j, table[:, j]) for j in range(self.n_features_in_)])

    def _inverse_column(self, j: int, numbers: Array) -> Array:
        categories = self.categories_[j]
        missing = equals(numbers, self.encoded_missing_value) & self._has_missing(j)
        unknown = np.zeros(len(numbers), dtype=bool)
        if self.unknown_value is not None:
            unknown = equals(numbers, self.unknown_value) & ~missing
        size = len(categories) - self._has_missing(j)
        codes = np.where(missing, len(categories) - 1, np.where(unknown, 0, numbers))
        wrong = ~missing & ~unknown & ~((codes >= 0) & (codes < size) & (codes == np.floor(codes)))
        if wrong.any():
            requirement = f"numbers of column 'x{j}' must be whole and from 0 to {size - 1}"
            actual = f"got {short_repr(numbers[wrong][0].item())} in {noun_list('row', np.flatnonzero(wrong))}"
            raise DataError(format_message(type(self).__name__, requirement, actual=actual))
        found_values = categories[codes.astype(np.int64)]
        if self.unknown_value is not None:
            found_values = found_values.astype(object)
            found_values[unknown] = None
        return found_values
