"""Who says how good a set of columns is: cross-validation of any model, or least squares from shared cross products.

Both answer two questions about the set A of columns in use: the score on each fold if one of the others came in
(`adding`), and if one of A went out (`removing`). The answer has a row a column of the table, NaN where the question
does not arise, and a column a fold.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from sklearn.base import clone

from pellucid import _core
from pellucid.base.errors import DataError, format_message
from pellucid.base.parallel import is_ours, run
from pellucid.base.types import Array, Flags, Floats
from pellucid.data.design import Design
from pellucid.feature_selection._selector import target_of
from pellucid.feature_selection._wrapped import part_of
from pellucid.linear_model import LinearRegression
from pellucid.model_selection._folds import read_folds
from pellucid.model_selection.validation import fit_and_score, scorers_of, tell_failures

# Scores that follow from a sum of squared errors.
SHARED = (None, "r2", "neg_mean_squared_error", "neg_root_mean_squared_error")
# A column of which less than this share is left when the others are taken off goes the careful way.
_LEAST_REST = 1e-7


class Judge(Protocol):
    """Scores of sets that differ from A in one column."""

    def adding(self, used: Flags) -> Floats: ...
    def removing(self, used: Flags) -> Floats: ...


class Validated:
    """Fits and scores every set on every fold."""

    def __init__(self, d: Design, model: Any, folds: Any, scoring: Any, n_jobs: int | None) -> None:
        self.d, self.model, self.folds, self.n_jobs = d, model, folds, n_jobs
        self.scorers = scorers_of(d.who, scoring)
        self.y = target_of(d)

    def _scores(self, sets: list[Array]) -> Floats:
        """One row a set of columns, one column a fold."""
        settings: tuple[Any, ...] = (self.scorers, {}, False, False, np.nan)
        tables = [part_of(self.d, columns) for columns in sets]
        calls = [(clone(self.model), X, self.y, *fold, *settings) for X in tables for fold in self.folds]
        done = run(fit_and_score, calls, self.n_jobs, "selection of columns", threads=is_ours(self.model))
        tell_failures(self.d.who, done)
        return np.array([fold.scores["score"] for fold in done]).reshape(len(sets), len(self.folds))

    def _changed(self, used: Flags, waiting: Array) -> Floats:
        out = np.full((len(used), len(self.folds)), np.nan)
        sets = [np.flatnonzero(used ^ (np.arange(len(used)) == j)) for j in waiting]
        if sets:
            out[waiting] = self._scores(sets)
        return out

    def adding(self, used: Flags) -> Floats:
        return self._changed(used, np.flatnonzero(~used))

    def removing(self, used: Flags) -> Floats:
        return self._changed(used, np.flatnonzero(used) if used.sum() > 1 else np.empty(0, dtype=int))


class Fold(NamedTuple):
    """Cross products of [X | y] about the means of the training rows, in units that are powers of two.

    S over the training rows, T over the rows held out; n of the latter, and their sum of squares about their own mean.
    """

    S: Floats
    T: Floats
    n: int
    sst: float


class LeastSquares:
    """Scores of least squares on the cross products of each fold: no row is read again.

    With  ``S = [Sxx Sxy; Syx Syy]``  over the training rows, T over the rows held out about the same means, and A the
    columns in use, let  ``C = S_AA^-1 S_A.``  hold the coefficients of every column on A. Then column j less what A
    says of it has  ``s_j = S_jj - S_jA C_j``  left and  ``b_j = (S_jy - S_jA C_y) / s_j``  is its coefficient if it
    comes in; held-out errors have the sum of squares  ``t_yy - 2 b_j t_jy + b_j² t_jj``,  where t are the entries of
    ``B' T B``  with  ``B = [-C; I]``.  If column j of A goes out, the coefficients beta change by
    ``-G_j beta_j / G_jj``,  ``G = S_AA^-1``. A round costs p² |A| operations a fold, whatever the number of rows.
    """

    def __init__(self, folds: list[Fold], scoring: Any, careful: Validated) -> None:
        self.folds, self.scoring, self.careful = folds, scoring, careful
        self.p = len(folds[0].S) - 1

    # A set of nearly dependent columns has no stable coefficients here: every fold must be able to answer.
    def adding(self, used: Flags) -> Floats:
        A, out = np.flatnonzero(used), np.full((self.p, len(self.folds)), np.nan)
        doubtful = np.zeros(self.p, dtype=bool)
        for f, fold in enumerate(self.folds):
            solved = _coefficients(fold.S, A)
            if solved is None:
                return self.careful.adding(used)
            rest, product, sse, cross, square = _residuals(fold, A, solved)
            own = np.diag(fold.S)[:-1]
            doubtful |= (own > 0) & (rest < _LEAST_REST * own)
            b = np.divide(product, rest, out=np.zeros(self.p), where=(own > 0) & (rest > 0))
            out[:, f] = _scored(sse - 2 * b * cross + b * b * square, fold, self.scoring)
        out[used] = np.nan
        again = np.flatnonzero(doubtful & ~used)
        if len(again):
            out[again] = self.careful._changed(used, again)[again]
        return out

    def removing(self, used: Flags) -> Floats:
        A, out = np.flatnonzero(used), np.full((self.p, len(self.folds)), np.nan)
        if len(A) < 2:
            return out
        for f, fold in enumerate(self.folds):
            varying = A[np.diag(fold.S)[A] > 0]
            solved = _coefficients(fold.S, varying)
            if solved is None:
                return self.careful.removing(used)
            G = _inverse(fold.S[np.ix_(varying, varying)])
            beta, T = solved[:, -1], fold.T[np.ix_(varying, varying)]
            error = fold.T[varying, -1] - T @ beta  # held-out products of the columns with the errors
            sse = fold.T[-1, -1] - 2 * beta @ fold.T[varying, -1] + beta @ T @ beta
            step = beta / np.diag(G)
            change = 2 * step * (G @ error) + step**2 * np.einsum("ij,ik,kj->j", G, T, G, optimize=True)
            out[A, f] = _scored(np.array([sse]), fold, self.scoring)  # a constant column changes nothing
            out[varying, f] = _scored(sse + change, fold, self.scoring)
        return out


def _coefficients(S: Floats, A: Array) -> Floats | None:
    """C = S_AA^-1 S_A. ; None where the columns are too near to dependent ones. Constant columns get zeros."""
    C = np.zeros((len(A), len(S)))
    varying = np.diag(S)[A] > 0
    use = A[varying]
    if len(use) == 0:
        return C
    try:
        factor = cho_factor(S[np.ix_(use, use)], lower=True)
    except LinAlgError:
        return None
    rest = np.diag(factor[0]) ** 2
    if (rest < _LEAST_REST * np.diag(S)[use]).any():
        return None
    C[varying] = cho_solve(factor, S[use])
    return C


def _inverse(S: Floats) -> Floats:
    return np.asarray(cho_solve(cho_factor(S, lower=True), np.eye(len(S)))) if len(S) else np.zeros((0, 0))


def _residuals(fold: Fold, A: Array, C: Floats) -> tuple[Floats, Floats, float, Floats, Floats]:
    """What is left of every column when A is taken off.

    Over the training rows its square and its product with y; over the rows held out the square of what is left of y,
    and of every column its product with that and its square.
    """
    S, T = fold.S, fold.T
    rest = np.diag(S)[:-1] - np.einsum("aj,aj->j", S[A, :-1], C[:, :-1])
    product = S[:-1, -1] - C[:, :-1].T @ S[A, -1]
    TC = T[A] - T[np.ix_(A, A)] @ C  # products of A with what is left of every column, and of y
    square = np.diag(T)[:-1] - np.einsum("aj,aj->j", C[:, :-1], T[A, :-1] + TC[:, :-1])
    cross = T[:-1, -1] - T[:-1, A] @ C[:, -1] - C[:, :-1].T @ TC[:, -1]
    sse = float(T[-1, -1] - C[:, -1] @ (T[A, -1] + TC[:, -1]))
    return rest, product, sse, cross, square


def _scored(sse: Floats, fold: Fold, scoring: Any) -> Floats:
    sse = np.maximum(sse, 0.0)
    if scoring in (None, "r2"):
        return np.asarray(1 - sse / fold.sst)
    mean = -sse / fold.n
    return np.asarray(-np.sqrt(-mean) if scoring == "neg_root_mean_squared_error" else mean)


# -------------------------------------------------------------------------------------------------------------- choice


def judge_of(d: Design, model: Any, cv: Any, scoring: Any, n_jobs: int | None, threads: int) -> Judge:
    """Shared cross products where the model is plain least squares, and cross-validation else."""
    y = target_of(d)
    table = d.numbers if d.numbers is not None else part_of(d, range(d.n_cols))
    _, _, folds = read_folds(d.who, model, table, y, None, cv)
    careful = Validated(d, model, folds, scoring, n_jobs)
    if not _is_shared(d, model, scoring, folds):
        return careful
    parts = [_fold(d, train, test, bool(model.fit_intercept), threads) for train, test in folds]
    if any(part is None or not part.sst > 0 for part in parts):
        return careful
    return LeastSquares([part for part in parts if part is not None], scoring, careful)


def _is_shared(d: Design, model: Any, scoring: Any, folds: Any) -> bool:
    plain = type(model) is LinearRegression and not model.positive and model.solver in ("auto", "normal")
    tall = all(len(train) > d.n_cols + 1 and len(test) > 1 for train, test in folds)
    known = scoring is None or (isinstance(scoring, str) and scoring in SHARED)
    return plain and known and tall and d.y_is_vector and not d.classes and d.dtype == np.float64


def _fold(d: Design, train: Array, test: Array, center: bool, threads: int) -> Fold | None:
    """The cross products of one fold; None where they leave the range of numbers."""
    status, weight, mean, scale, S = _moments(d, train, center, threads)
    if status != 0:
        raise d.explain_not_finite()
    _, n, other, other_scale, own = _moments(d, test, True, threads)
    unit = scale.copy()
    unit[-1] = 1.0  # the target in its own unit: mean squared errors are asked for
    with np.errstate(over="ignore", invalid="ignore"):
        apart = (other - mean) * unit
        T = own * (unit / other_scale) * (unit / other_scale)[:, None] + n * np.outer(apart, apart)
        S = S * (unit / scale) * (unit / scale)[:, None]
        sst = float(own[-1, -1] / other_scale[-1] / other_scale[-1])
    noise = 2 * np.finfo(np.float64).eps * np.abs(mean) * unit
    constant = np.flatnonzero(~(np.diag(S)[:-1] > weight * noise[:-1] ** 2))
    S[constant], S[:, constant] = 0.0, 0.0
    return Fold(S, T, len(test), sst) if np.isfinite(S).all() and np.isfinite(T).all() else None


def _moments(d: Design, rows: Array, center: bool, threads: int) -> tuple[int, float, Floats, Floats, Floats]:
    X = d.numbers[rows]
    y = np.ascontiguousarray(d.y[rows])
    matrix = _core.csr(X.data, X.indices, X.indptr, d.n_cols) if d.table.is_sparse else _core.dense(X)
    return _core.moments(matrix, y, None, center, threads)


def refuse_no_scores(who: str, scores: Floats) -> None:
    """At least one candidate must have a score."""
    if np.isnan(scores).all():
        requirement, hint = "at least one set of columns must have a score", "look at the scoring and the folds"
        raise DataError(format_message(who, requirement, actual="every score is NaN", hint=hint))
