"""Principal component analysis."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Literal

import numpy as np
from scipy.special import gammaln
from sklearn.utils import Tags

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import DataError, ParameterError, count, format_message
from pellucid.base.randomness import seed_from
from pellucid.base.threads import serial_blas
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec, infer_schema
from pellucid.decomposition._axes import NARROW, Axes, by_chance, by_covariance, by_lanczos, by_rows
from pellucid.estimator.roles import Transformer
from pellucid.estimator.trace import Trace
from pellucid.models.linear import linear_predictor

__all__ = ["PCA"]

# A random search for k of min(n, p) directions takes about this many passes of k columns: worth it below that share.
_PASSES = 36
_EPS = float(np.finfo(float).eps)
_WIDE = 1000  # columns whose covariances are cheap whatever the number of components


def _check_components(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return None
    if int(value) >= 1 if isinstance(value, Integral) else 0 < value < 1:
        return None
    return f"n_components must be a whole number of at least 1, a share between 0 and 1, 'mle' or None; got {value!r}"


class PCA(Transformer):
    """Finds the directions in which a table spreads most, and gives each row's place along them.

    With X less the means of its columns, the covariance matrix is ``S = X'X / (n - 1)``. Its eigenvectors v, of length
    1 and at right angles to each other, are the components, and

        S v = λ v

    says that the rows' places ``X v`` along v have the variance λ. The first component has the largest variance of all
    directions, the second the largest at right angles to the first, and so on; the share of λ in the sum of all is the
    share of the variance explained. Few components often hold nearly all of it: the others can be dropped, and what is
    lost in going back (`inverse_transform`) is the variance that was dropped.

    ``svd_solver="covariance_eigh"`` forms S in one pass over the rows. "full" triangulates the rows (QR) and takes the
    singular values of the triangle: no square is formed, and narrow components keep their digits. "randomized" finds
    the first few of very many columns by multiplying random directions by S, again and again; "arpack" by Lanczos's
    method. "auto" takes the covariances, and the rows where a component is so narrow that covariances would lose it;
    chance only for few components of more than 1000 columns. Sparse tables stay sparse. Missing values are refused, and
    there are no weights.

    Columns should be on one scale: a column in grams spreads a million times more than the same one in kilograms. Put
    `StandardScaler` before it where units differ. Components are straight; prefer other methods where rows lie along
    curves, and `LinearDiscriminantAnalysis` where classes are to be told apart.

    Attributes
    ----------
    components_ : k x p array
        The directions, one a row, widest first; the largest number of each is positive.
    explained_variance_ : array of k numbers
        Variance along each, with divisor n - 1.
    explained_variance_ratio_ : array of k numbers
        Their shares in the variance of all columns together; 0 for a table that does not vary.
    singular_values_ : array of k numbers
        Of the centered table: the root of (n - 1) times the variance.
    mean_ : array of p numbers
        Mean of every column, which is taken off first.
    n_components_ : number of components k
    n_samples_ : number of rows
    noise_variance_ : mean variance of the directions that were dropped
    svd_solver_ : the way that was taken
    n_features_in_, feature_names_in_ : as in every estimator

    Notes
    -----
    The numbers are scikit-learn's, signs too; where two numbers of a component are equally large the first decides the
    sign. Sparse tables are taken by every solver that keeps them sparse. Random solvers draw other numbers than NumPy's
    for the same seed. `get_covariance` and densities do not depend on ``whiten``, which scikit-learn lets them.

    References
    ----------
    Hotelling, "Analysis of a complex of statistical variables into principal components", 1933. Tipping and Bishop,
    "Probabilistic principal component analysis", 1999. Minka, "Automatic choice of dimensionality for PCA", 2000.

    Examples
    --------
    Four rows on the line y = x / 2, and so one component that says all:

    >>> from pellucid.decomposition import PCA
    >>> pca = PCA().fit([[0, 0], [2, 1], [4, 2], [6, 3]])
    >>> pca.components_[0].round(6)  # (2, 1) / sqrt(5)
    array([0.894427, 0.447214])
    >>> pca.explained_variance_.round(6)  # 20/3 + 5/3, and nothing
    array([8.333333, 0.      ])
    >>> pca.explained_variance_ratio_.round(6)
    array([1., 0.])
    >>> PCA(n_components=1).fit_transform([[0, 0], [2, 1], [4, 2], [6, 3]]).ravel().round(4)
    array([-3.3541, -1.118 ,  1.118 ,  3.3541])
    """

    n_components: int | float | Literal["mle"] | None = param(
        default=None,
        low=0,
        low_open=True,
        kw_only=False,
        check=_check_components,
        doc="How many components: a number; a share of the variance that they must explain together, between 0 and 1; "
        "'mle' for Minka's choice; None for all.",
    )
    copy: bool = param(default=True, doc="Not looked at: the table is never written to.")
    whiten: bool = param(
        default=False, doc="Divide each row's place by the component's deviation: all have variance 1."
    )
    svd_solver: Literal["auto", "full", "covariance_eigh", "arpack", "randomized"] = param(
        default="auto", doc="How components are found; 'auto' chooses by the table's shape."
    )
    tol: float = param(default=0.0, low=0, doc="With 'arpack': how exact; 0 for all digits.")
    iterated_power: int | Literal["auto"] = param(
        default="auto", low=0, doc="With 'randomized': how often directions are multiplied by S; 'auto' for 4 or 7."
    )
    n_oversamples: int = param(default=10, low=1, doc="With 'randomized': directions beyond those asked for.")
    power_iteration_normalizer: Literal["auto", "QR", "LU", "none"] = param(
        default="auto", doc="Not looked at: directions are made orthonormal (QR) after every product."
    )
    random_state: int | np.random.RandomState | None = param(
        default=None, doc="Seed of 'randomized' and 'arpack'; None for another one each time."
    )
    n_jobs: int | None = param(
        default=None, doc="Threads: None or -1 for all available cores. Their number changes no bit of the result."
    )

    input_spec = InputSpec(sparse=True)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    # -------------------------------------------------------------------------------------------------------- fitting

    def _fit(self, d: Design, trace: Trace) -> None:
        self._check_table(d)
        axes = self._axes(d)
        self._keep(d, axes, self._chosen(d, axes))

    def _check_table(self, d: Design) -> None:
        if d.n_rows < 2:
            raise DataError(
                format_message(d.who, "a variance needs two rows or more", actual=f"n_samples = {d.n_rows}")
            )
        most = min(d.n_rows, d.n_cols)
        if isinstance(self.n_components, Integral) and self.n_components > most:
            requirement = f"n_components must be at most min(n_samples, n_features) = {most}"
            raise ParameterError(
                format_message(
                    d.who, requirement, actual=f"got {self.n_components} with svd_solver={self.svd_solver!r}"
                )
            )
        self._check_pair(d, most)

    def _check_pair(self, d: Design, most: int) -> None:
        """Refuses settings that do not go together."""
        who, solver, k = d.who, self.svd_solver, self.n_components
        if solver in ("arpack", "randomized") and not (k is None or isinstance(k, Integral)):
            requirement = f"svd_solver={solver!r} takes a number of components"
            raise ParameterError(
                format_message(
                    who, requirement, actual=f"got n_components={k!r}", hint="use 'full' or 'covariance_eigh'"
                )
            )
        if solver == "arpack" and (most if k is None else k) >= most:  # type: ignore[operator]
            requirement = f"svd_solver='arpack' finds fewer components than min(n_samples, n_features) = {most}"
            raise ParameterError(
                format_message(who, requirement, actual=f"got n_components={k!r}", hint="use 'full' for all of them")
            )
        if k == "mle" and d.n_rows < d.n_cols:
            requirement = "n_components='mle' is only supported if n_samples >= n_features"
            raise ParameterError(
                format_message(who, requirement, actual=f"got {count(d.n_rows, 'row')} and {count(d.n_cols, 'column')}")
            )
        if solver == "full" and d.n_rows < d.n_cols and d.table.is_sparse:
            requirement = "svd_solver='full' takes a sparse table with as many rows as columns or more"
            actual = f"got {count(d.n_rows, 'row')} and {count(d.n_cols, 'column')}"
            raise ParameterError(
                format_message(
                    who, requirement, actual=actual, hint="use 'randomized' or 'arpack', which keep it sparse"
                )
            )

    def _axes(self, d: Design) -> Axes:
        solver, threads = self._solver(d), self._threads
        self.svd_solver_: str = solver
        if solver == "covariance_eigh":
            axes = by_covariance(d, threads)
            if self.svd_solver == "auto" and self._too_narrow(d, axes):
                self.svd_solver_ = "full"
                axes = by_rows(d, threads)
            return axes
        if solver == "full":
            return by_rows(d, threads)
        k = min(d.n_rows, d.n_cols) if self.n_components is None else int(self.n_components)
        seed = seed_from(self.random_state)
        if solver == "arpack":
            return by_lanczos(d, k, self.tol, seed, threads)
        rounds = self.iterated_power
        if isinstance(rounds, str):
            rounds = 7 if k < 0.1 * min(d.n_rows, d.n_cols) else 4
        return by_chance(d, k, self.n_oversamples, int(rounds), seed, threads)

    def _solver(self, d: Design) -> str:
        if self.svd_solver != "auto":
            return self.svd_solver
        few = isinstance(self.n_components, Integral) and _PASSES * (
            int(self.n_components) + self.n_oversamples
        ) < min(d.n_rows, d.n_cols)  # fmt: skip
        if d.n_cols > _WIDE and few:
            return "randomized"
        return "covariance_eigh" if d.n_rows >= d.n_cols or d.table.is_sparse else "full"

    def _too_narrow(self, d: Design, axes: Axes) -> bool:
        """Would a component have fewer than nine digits?"""
        kept = axes.variances[: self._chosen(d, axes)]
        return d.n_rows >= d.n_cols and bool(kept[-1] < NARROW * kept[0])

    def _chosen(self, d: Design, axes: Axes) -> int:
        """How many of the directions found are kept."""
        k = self.n_components
        if k is None:
            return len(axes.variances)
        if isinstance(k, str):
            return _minka(axes.variances, d.n_rows)
        if isinstance(k, Integral):
            return int(k)
        shares = np.cumsum(axes.variances) / (axes.total or 1.0)
        return min(int(np.searchsorted(shares, float(k), side="right")) + 1, len(shares))

    def _keep(self, d: Design, axes: Axes, k: int) -> None:
        kept, unit = axes.first(k), axes.unit
        with np.errstate(over="ignore"):
            self.explained_variance_: Floats = kept.variances / unit / unit
        if not np.isfinite(self.explained_variance_).all():
            requirement, hint = "variances must fit into 64-bit floats", "divide the columns by a constant before"
            raise DataError(format_message(d.who, requirement, actual="those of this table are too large", hint=hint))
        self.components_: Floats = np.ascontiguousarray(kept.directions)
        self.explained_variance_ratio_: Floats = kept.variances / (axes.total or 1.0)
        self.singular_values_: Floats = np.sqrt(kept.variances * axes.divisor) / unit
        self.mean_: Floats = axes.mean
        self.n_components_, self.n_samples_ = k, d.n_rows
        most = min(d.n_rows, d.n_cols)
        left = max(axes.total - float(kept.variances.sum()), 0.0) if k < most else 0.0
        left = left if left > 1e-14 * axes.total else 0.0  # rounding is no noise
        self.noise_variance_ = float(left / unit / unit / (most - k)) if k < most else 0.0
        self._unit_ = unit

    # ------------------------------------------------------------------------------------------------------- answers

    def _weights(self) -> Floats:
        """What centered rows in the unit are multiplied by."""
        if not self.whiten:
            return self.components_ / self._unit_
        deviation = np.sqrt(self.explained_variance_) * self._unit_
        # A direction without variance stays without: its places are rounding.
        safe = np.where(deviation > 0, deviation, 1.0)
        return np.ascontiguousarray(self.components_ / safe[:, None])

    def _transform(self, d: Design) -> Array:
        with serial_blas():
            out, _ = _core.project(
                d.matrix, self._unit_, self.mean_ * self._unit_, self._weights(), False, self._threads
            )
        return out.astype(d.dtype, copy=False)

    def inverse_transform(self, X: Any) -> Array:
        """Rows in the columns of the fit again, from their places along the components.

        What was dropped is lost: the rows come back on the plane that the components span.

        Parameters
        ----------
        X : table of n rows and k columns, as `transform` makes it
        """
        self._check_fitted()
        d = infer_schema(X, InputSpec(), type(self).__name__)
        if d.n_cols != self.n_components_:
            requirement = f"X must have {count(self.n_components_, 'column')}, one for each component"
            raise DataError(
                format_message(d.who, requirement, actual=f"got {d.n_cols}", hint="give what transform makes")
            )
        W = self.components_ * np.sqrt(self.explained_variance_)[:, None] if self.whiten else self.components_
        return linear_predictor(d.matrix, W.T, self.mean_, self._threads).astype(d.dtype, copy=False)

    def score_samples(self, X: Any) -> Array:
        """The logarithm of each row's density under the model of Tipping and Bishop.

        A normal distribution around the means: along the components with their variances, in every other direction
        with ``noise_variance_``. Directions without variance are left out: the density is that on the plane in which
        the fitted rows lie.
        """
        d = self._validate_predict(X)
        p, k, unit = self.n_features_in_, self.n_components_, self._unit_
        with serial_blas():
            t, squares = _core.project(d.matrix, unit, self.mean_ * unit, self.components_, True, self._threads)
        assert squares is not None
        spread = self.explained_variance_ * unit * unit
        noise = self.noise_variance_ * unit * unit
        live = spread > _EPS * p * spread[0]
        inside = (t[:, live] ** 2 / spread[live]).sum(axis=1)
        level, width = np.log(self.explained_variance_[live]).sum(), int(live.sum())
        if k < p and noise > 0:
            inside += np.maximum(squares - (t * t).sum(axis=1), 0.0) / noise
            level, width = level + (p - k) * np.log(self.noise_variance_), width + p - k
        density = np.asarray(-0.5 * (inside + level + width * np.log(2 * np.pi)))
        return density.astype(d.dtype, copy=False)

    def score(self, X: Any, y: Any = None) -> float:
        """The mean of `score_samples`: how well the components describe these rows.

        Parameters
        ----------
        X : a table with the columns that `fit` saw
        y : not looked at
        """
        return float(self.score_samples(X).mean())

    def get_covariance(self) -> Floats:
        """The covariance matrix as the components have it: theirs, and ``noise_variance_`` in other directions."""
        self._check_fitted()
        V, extra = self.components_, np.maximum(self.explained_variance_ - self.noise_variance_, 0.0)
        with serial_blas():
            return np.asarray((V.T * extra) @ V + self.noise_variance_ * np.eye(self.n_features_in_))

    def get_precision(self) -> Floats:
        """The inverse of `get_covariance`."""
        self._check_fitted()
        p, k, noise = self.n_features_in_, self.n_components_, self.noise_variance_
        spread = self.explained_variance_
        if (k < p and not noise > 0) or not (spread > _EPS * p * spread[0]).all():
            requirement, hint = "an inverse needs a variance above zero in every direction", "keep fewer components"
            raise DataError(
                format_message(type(self).__name__, requirement, actual="the fitted table has none in some", hint=hint)
            )
        V, base = self.components_, 1 / noise if k < p else 0.0
        with serial_blas():
            return np.asarray((V.T * (1 / spread - base)) @ V + base * np.eye(p))

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names of the new columns: pca0, pca1, ...

        Parameters
        ----------
        input_features : not looked at
        """
        self._check_fitted()
        prefix = type(self).__name__.lower()
        return np.array([f"{prefix}{i}" for i in range(self.n_components_)], dtype=object)


def _minka(variances: Floats, n: int) -> int:
    """How many components are most probable (Minka 2000, equation 79), from all variances."""
    p = len(variances)
    scores = [_evidence(variances, k, n) for k in range(1, p)]
    return int(np.argmax(scores)) + 1 if scores else 1


def _evidence(variances: Floats, k: int, n: int) -> float:
    p = len(variances)
    if not variances[k - 1] > 1e-14 * variances[0]:
        return -np.inf  # a direction without variance is none
    j = np.arange(1, k + 1)
    uniform_part = -k * np.log(2.0) + (gammaln((p - j + 1) / 2) - np.log(np.pi) * (p - j + 1) / 2).sum()
    noise = max(float(variances[k:].sum()) / (p - k), float(np.finfo(float).eps))
    level = -n / 2 * np.log(variances[:k]).sum() - n * (p - k) / 2 * np.log(noise)
    free = p * k - k * (k + 1) / 2
    spread = np.concatenate([variances[:k], np.full(p - k, noise)])
    pairs = 0.0
    for i in range(k):
        apart = (variances[i] - variances[i + 1 :]) * (1 / spread[i + 1 :] - 1 / spread[i])
        pairs += float(np.log(apart).sum()) + np.log(n) * (p - i - 1)
    return float(uniform_part + level + np.log(2 * np.pi) * (free + k) / 2 - pairs / 2 - k / 2 * np.log(n))
