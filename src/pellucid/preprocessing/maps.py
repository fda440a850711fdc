"""Rows in other coordinates: polar ones, products of two columns, similarities to landmarks."""

from __future__ import annotations

from numbers import Real
from typing import Any, Literal

import numpy as np
from sklearn.utils import Tags

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import DataError, ParameterError, count, format_message, short_repr
from pellucid.base.randomness import seed_from, uniform
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec, infer_schema
from pellucid.data.figures import Figures, check_range
from pellucid.estimator.roles import Transformer
from pellucid.estimator.trace import Trace
from pellucid.preprocessing._cuts import column_quantiles
from pellucid.preprocessing._terms import bytes_in_words, memory

__all__ = ["PolarMap", "QuadraticMap", "RBFLandmarks"]


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_) and bool(np.isfinite(float(value)))


class _Map(Transformer):
    """What the maps share: float32 stays float32, and a result that does not fit into memory is refused."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _check_size(self, d: Design, width: int, hint: str) -> None:
        size = d.n_rows * width * d.dtype.itemsize
        if size > memory():
            actual = f"{d.n_rows:,} rows of {width:,} columns take {bytes_in_words(size)}"
            raise DataError(format_message(d.who, "the result must fit into memory", actual=actual, hint=hint))


# ---------------------------------------------------------------------------------------------------------------- polar


def _check_center(value: Any) -> str | None:
    if _is_number(value) or (isinstance(value, str) and value == "mean"):
        return None
    if not isinstance(value, str) and hasattr(value, "__len__") and len(value) and all(_is_number(c) for c in value):
        return None
    return f"center must be 'mean', a number for all columns, or one number for each; got {short_repr(value)}"


class PolarMap(_Map):
    """Says how far each row is from a center, and in which direction: rings around it become straight.

    Two columns x, y become  ``radius = sqrt((x - c_x)² + (y - c_y)²)``  and  ``angle = atan2(y - c_y, x - c_x)``,  the
    angle against the x axis, counted against the clock, from -pi to pi.

    Classes that lie in rings around each other cannot be told apart by a straight line in x and y; in the radius one
    cut does it. The map can be undone. The angle jumps from pi to -pi where the negative x axis is crossed. With more
    than two columns there is one radius and an angle less than there are columns:
    ``angle_j = atan2(s_{j+1}, x_j - c_j)``  with the distance ``s_{j+1}`` over the columns behind j, from 0 to pi, and
    the last as above. Of one column the angle is 0 above the center and pi below. Missing values and sparse tables are
    refused. A row at the center has angle 0. float32 stays float32.

    Attributes
    ----------
    center_ : one number a column
        What is taken off.

    Examples
    --------
    >>> from pellucid.preprocessing import PolarMap
    >>> polar = PolarMap(center=0, degrees=True)
    >>> polar.fit_transform([[3, 0], [0, 2], [-1, -1]]).round(4).tolist()
    [[3.0, 0.0], [2.0, 90.0], [1.4142, -135.0]]
    >>> polar.inverse_transform([[2, 90]]).round(4).tolist()
    [[0.0, 2.0]]
    """

    center: Any = param(
        default="mean",
        kw_only=False,
        check=_check_center,
        doc="'mean' for the means of the columns; or given: one number for each column, or one for all.",
    )
    degrees: bool = param(default=False, doc="Are angles in degrees instead of radians?")
    n_jobs: int | None = param(
        default=None, doc="Threads: None or -1 for all available cores. Their number changes no bit of the result."
    )

    def _fit(self, d: Design, trace: Trace) -> None:
        if isinstance(self.center, str):
            figures = Figures.read(d, self._threads)
            check_range(figures.low, figures.high, d.who, d.column_labels())
            self.center_: Floats = figures.means
            return
        given = np.atleast_1d(np.asarray(self.center, dtype=np.float64))
        if len(given) != d.n_cols and hasattr(self.center, "__len__"):
            requirement = "center must be one number for all columns, or one for each"
            raise ParameterError(
                format_message(d.who, requirement, actual=f"got {len(given)} for {count(d.n_cols, 'column')}")
            )
        self.center_ = np.broadcast_to(given, d.n_cols).copy()

    def _transform(self, d: Design) -> Array:
        with np.errstate(over="ignore"):  # looked for below
            apart = np.asarray(d.numbers, dtype=np.float64) - self.center_
            if d.n_cols == 1:
                apart = np.column_stack([apart, np.zeros(d.n_rows)])
            out = np.empty(apart.shape)
            behind = apart[:, -1]  # signed, where there is one column behind: the last angle goes all around
            for j in range(apart.shape[1] - 2, -1, -1):
                out[:, j + 1] = np.arctan2(behind + 0.0, apart[:, j] + 0.0)  # -0 would turn an angle of 0 into pi
                behind = np.hypot(apart[:, j], behind)
        out[:, 0] = behind
        if self.degrees:
            out[:, 1:] = np.degrees(out[:, 1:])
        found = out.astype(d.dtype, copy=False)
        if not np.isfinite(found[:, 0]).all():
            row = int(np.flatnonzero(~np.isfinite(found[:, 0]))[0])
            requirement, hint = f"every radius must fit into {d.dtype}", "divide the columns by a constant before"
            raise DataError(format_message(d.who, requirement, actual=f"that of row {row} is too large", hint=hint))
        return found

    def inverse_transform(self, X: Any) -> Array:
        """The rows in their first coordinates, up to rounding.

        Parameters
        ----------
        X : table of radius and angles, as `transform` makes it
        """
        self._check_fitted()
        d = infer_schema(X, InputSpec(), type(self).__name__)
        p = max(self.n_features_in_, 2)
        if d.n_cols != p:
            requirement = f"X must have a radius and {p - 1} angle{'' if p == 2 else 's'}"
            raise DataError(
                format_message(
                    d.who, requirement, actual=f"got {count(d.n_cols, 'column')}", hint="give what transform makes"
                )
            )
        given = np.asarray(d.numbers, dtype=np.float64)
        angles = np.radians(given[:, 1:]) if self.degrees else given[:, 1:]
        out, rest = np.empty(given.shape), given[:, 0]
        for j in range(p - 1):
            out[:, j] = rest * np.cos(angles[:, j])
            rest = rest * np.sin(angles[:, j])
        out[:, -1] = rest
        return np.asarray((out[:, : self.n_features_in_] + self.center_).astype(d.dtype, copy=False))

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """``"radius"`` and ``"angle"``, or ``"angle_1"``, ``"angle_2"``, ... of more than two columns.

        Parameters
        ----------
        input_features : names of the columns, optional
            Checked against those of the fitted table.
        """
        self._check_fitted()
        p = max(len(self._names_in(input_features)), 2)
        return np.array(["radius", *(["angle"] if p == 2 else [f"angle_{j}" for j in range(1, p)])], dtype=object)


# ------------------------------------------------------------------------------------------------------------ quadratic


class QuadraticMap(_Map):
    """Writes out the products behind the kernel of degree 2: ellipses become planes.

    ``phi(x) = (x_1², sqrt(2) x_1 x_2, ..., sqrt(2) x_1 x_p, x_2², sqrt(2) x_2 x_3, ..., x_p²)``,  whose inner product
    is the square of that of the rows:  ``phi(a) . phi(b) = (a . b)²``.  With `inhomogeneous`, 1 and  ``sqrt(2) x_i``
    come first, and  ``phi(a) . phi(b) = (a . b + 1)²``.

    A model that is linear in phi is quadratic in x: a plane there is an ellipse, parabola or hyperbola here. A kernel
    method works with ``(a . b)²`` and never writes phi out, which is the kernel trick; phi has p (p + 1) / 2 columns.
    `ordered` writes every product  ``x_i x_j``  twice, without the root: p² columns with the same inner product. For
    products up to any degree, without the roots, see `PolynomialFeatures`. Missing values and sparse tables are
    refused, so is a product beyond the largest number. float32 stays float32.

    Attributes
    ----------
    n_output_features_ : int
        How many columns come out.

    Examples
    --------
    >>> from pellucid.preprocessing import QuadraticMap
    >>> phi = QuadraticMap().fit_transform([[1, 2], [3, 4]])
    >>> phi.round(4).tolist()
    [[1.0, 2.8284, 4.0], [9.0, 16.9706, 16.0]]
    >>> round(float(phi[0] @ phi[1]), 10), (1 * 3 + 2 * 4) ** 2
    (121.0, 121)
    >>> QuadraticMap(ordered=True).fit_transform([[1, 2]]).tolist()
    [[1.0, 2.0, 2.0, 4.0]]
    """

    inhomogeneous: bool = param(default=False, doc="Do 1 and the columns themselves, times sqrt(2), come first?")
    ordered: bool = param(default=False, doc="Is every product x_i x_j written twice instead of once times sqrt(2)?")
    n_jobs: int | None = param(
        default=None, doc="Threads: None or -1 for all available cores. Their number changes no bit of the result."
    )

    def _fit(self, d: Design, trace: Trace) -> None:
        p = d.n_cols
        self.n_output_features_ = (p * p if self.ordered else p * (p + 1) // 2) + (1 + p) * self.inhomogeneous

    def _transform(self, d: Design) -> Array:
        self._check_size(d, self.n_output_features_, "use a kernel method, which never writes the products out")
        with np.errstate(over="ignore"):  # looked for below
            found = self._products(d)
        limit = np.sqrt(np.finfo(d.dtype).max) / 2
        if np.abs(d.numbers).max() > limit and not np.isfinite(found).all():
            row, column = (int(place[0]) for place in np.nonzero(~np.isfinite(found)))
            name = self._names(d.column_labels())[column]
            requirement, where = f"every product must fit into {d.dtype}", f"{name!r} of row {row} is too large"
            raise DataError(format_message(d.who, requirement, actual=where, hint="scale the columns before"))
        return found

    def _products(self, d: Design) -> Array:
        p, lead = d.n_cols, (1 + d.n_cols) * self.inhomogeneous
        out = np.empty((d.n_rows, self.n_output_features_), dtype=d.dtype)
        root = d.dtype.type(np.sqrt(2))
        if self.ordered:
            if lead:
                out[:, 0] = 1
                out[:, 1:lead] = d.numbers
            out[:, lead:] = (d.numbers[:, :, None] * d.numbers[:, None, :]).reshape(d.n_rows, p * p)
        else:
            low = 0 if self.inhomogeneous else 2
            plan = _core.PolynomialPlan(p, low, 2, False, bool(self.inhomogeneous))
            _core.polynomial(d.matrix, plan, out, self._threads)
            first, second = np.triu_indices(p)
            mixed = np.flatnonzero(first != second) + lead
            out[:, mixed] *= root
        if lead:
            out[:, 1:lead] *= root
        return out

    def _names(self, columns: list[str]) -> list[str]:
        lead = ["1", *(f"sqrt(2) {name}" for name in columns)] if self.inhomogeneous else []
        if self.ordered:
            return lead + [
                f"{a}^2" if i == j else f"{a} {b}" for i, a in enumerate(columns) for j, b in enumerate(columns)
            ]
        pairs = [(i, j) for i in range(len(columns)) for j in range(i, len(columns))]
        return lead + [f"{columns[i]}^2" if i == j else f"sqrt(2) {columns[i]} {columns[j]}" for i, j in pairs]

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The products in words: ``"a^2"``, ``"sqrt(2) a b"``, ``"b^2"``.

        Parameters
        ----------
        input_features : names of the columns, optional
            Those of the fitted table, or x0, x1, ... unless told.
        """
        self._check_fitted()
        return np.array(self._names(self._names_in(input_features)), dtype=object)


# ------------------------------------------------------------------------------------------------------------ landmarks


def _check_landmarks(value: Any) -> str | None:
    words = ("all", "random", "quantiles")
    if (isinstance(value, str) and value in words) or (not isinstance(value, str | dict) and hasattr(value, "__len__")):
        return None
    return f"landmarks must be 'all', 'random', 'quantiles' or a table of landmarks; got {short_repr(value)}"


def _check_gamma(value: Any) -> str | None:
    return None if np.isfinite(float(value)) else f"gamma must be a finite number above 0 or 'scale'; got {value!r}"


class RBFLandmarks(_Map):
    """Says how near each row is to some landmarks: one column for each of them, from 1 at the landmark down to 0.

    ``z_k = exp(-gamma |x - l_k|²)``  with the squared distance of the row x from landmark ``l_k`` and the sharpness
    gamma: a bell around each landmark, wide for a small gamma and narrow for a large one.

    A straight-line model in these columns has any shape it likes in the first ones: what lies between two landmarks can
    be told from what lies outside. With a landmark at every row this is what a kernel method of the Gaussian kernel
    works with, at the price of as many columns as rows; a few well placed ones often do. Scale the columns before, as
    distances add them up. Missing values and sparse tables are refused. float32 stays float32.

    Attributes
    ----------
    landmarks_ : k x p numbers
        The landmarks, one a row.
    gamma_ : float
        The sharpness: as given, or  ``1 / (p Var(X))``  for "scale", with the variance over all cells (1 if that is 0).

    Examples
    --------
    >>> from pellucid.preprocessing import RBFLandmarks
    >>> near = RBFLandmarks(landmarks=[[-2], [1]], gamma=0.3)
    >>> near.fit_transform([[-1]]).round(4).tolist()
    [[0.7408, 0.3012]]
    >>> near.get_feature_names_out().tolist()
    ['landmark_0', 'landmark_1']
    """

    landmarks: Any = param(
        default="random",
        kw_only=False,
        check=_check_landmarks,
        doc="'all' rows of fit; 'random', so many of them; 'quantiles': row k has the k-th of evenly spaced quantiles "
        "of every column, the ends included; or a table of landmarks.",
    )
    n_landmarks: int = param(default=100, low=1, doc="How many, for 'random' and 'quantiles'; at most as many as rows.")
    gamma: float | Literal["scale"] = param(
        default="scale", low=0, low_open=True, check=_check_gamma, doc="The sharpness; 'scale' is above."
    )
    random_state: int | np.random.RandomState | None = param(
        default=None, doc="Which rows are landmarks, for 'random'."
    )
    n_jobs: int | None = param(
        default=None, doc="Threads: None or -1 for all available cores. Their number changes no bit of the result."
    )

    def _fit(self, d: Design, trace: Trace) -> None:
        self.landmarks_: Floats = self._placed(d)
        self.gamma_ = self._scale(d) if isinstance(self.gamma, str) else float(self.gamma)

    def _placed(self, d: Design) -> Floats:
        k = min(int(self.n_landmarks), d.n_rows)
        if not isinstance(self.landmarks, str):
            return self._given(d)
        if self.landmarks == "all" or (self.landmarks == "random" and k == d.n_rows):
            return np.array(d.numbers, dtype=np.float64)
        if self.landmarks == "random":
            self._seed_ = seed_from(self.random_state)
            drawn = np.argsort(uniform(self._seed_, 0, d.n_rows), kind="stable")[:k]
            return np.array(d.numbers[np.sort(drawn)], dtype=np.float64)
        shares = np.linspace(0, 1, k) if k > 1 else np.array([0.5])
        return np.column_stack(column_quantiles(d.numbers, [shares] * d.n_cols, "linear", self._threads))

    def _given(self, d: Design) -> Floats:
        found = infer_schema(self.landmarks, InputSpec(), d.who)
        if found.n_cols != d.n_cols:
            requirement = "landmarks must have the columns of X"
            raise ParameterError(format_message(d.who, requirement, actual=f"got {found.n_cols} instead of {d.n_cols}"))
        return np.array(found.numbers, dtype=np.float64)

    def _scale(self, d: Design) -> float:
        cells = np.ascontiguousarray(d.numbers, dtype=np.float64)  # NumPy adds in another order otherwise
        low, high = cells.min(keepdims=True).ravel(), cells.max(keepdims=True).ravel()
        check_range(low, high, d.who, ["X"])
        unit = float(np.ldexp(1.0, int(np.frexp(max(-low[0], high[0], 1e-300))[1])))  # keeps squares in range
        variance = float((cells / unit).var()) if low[0] < high[0] else 0.0
        scale = 1.0 if variance == 0 else 1 / (d.n_cols * variance) / unit / unit
        if not np.finfo(np.float64).tiny <= scale <= np.finfo(np.float64).max:
            requirement, hint = "gamma='scale' must be a float64", "scale the columns before"
            raise DataError(format_message(d.who, requirement, actual=f"1 / (p Var(X)) is {scale:g}", hint=hint))
        return scale

    def _transform(self, d: Design) -> Array:
        self._check_size(d, len(self.landmarks_), "choose fewer landmarks")
        out = np.empty((d.n_rows, len(self.landmarks_)), dtype=d.dtype)
        _core.similarities(d.matrix, np.ascontiguousarray(self.landmarks_.T), self.gamma_, out, self._threads)
        return out

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """``"landmark_0"``, ``"landmark_1"``, ...

        Parameters
        ----------
        input_features : names of the columns, optional
            Checked against those of the fitted table.
        """
        self._check_fitted()
        self._names_in(input_features)
        return np.array([f"landmark_{k}" for k in range(len(self.landmarks_))], dtype=object)
