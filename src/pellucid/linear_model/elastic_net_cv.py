"""The elastic net with its penalty chosen by cross-validation."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn.model_selection import check_cv

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import DataError, ParameterError, format_message, short_repr
from pellucid.base.parallel import run
from pellucid.base.randomness import seed_from
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec
from pellucid.estimator.single import SingleTargetMixin
from pellucid.estimator.trace import Trace
from pellucid.linear_model._coordinate_descent import Answer, Cost, SolverChoice, alpha_grid, check_precompute, solve
from pellucid.linear_model._linear import LinearRegressor, check_representable
from pellucid.linear_model._routed import RoutedFolds
from pellucid.linear_model.paths import alphas_of, enet_path, numbers_of
from pellucid.models.linear import linear_predictor

__all__ = ["ElasticNetCV"]


def _alphas(value: Any) -> str | None:
    try:
        alphas_of("", value, 1.0)
    except ParameterError:
        return (
            f"alphas must be a whole number of at least 1 or a list of numbers of at least 0; got {short_repr(value)}"
        )
    return None


class CoordinateCV(RoutedFolds, SingleTargetMixin, LinearRegressor):
    """The lasso and the elastic net with penalties chosen by folds, but for the mixes that are tried."""

    eps: float = param(
        default=1e-3,
        low=0,
        low_open=True,
        doc="The smallest alpha as a share of the largest, where they are not given.",
    )
    alphas: Any = param(
        default=100, check=_alphas, doc="The alphas to try, or how many, in even steps of their logarithm."
    )
    fit_intercept: bool = param(default=True, doc="Is there an intercept? It is never penalized.")
    precompute: Any = param(
        default="auto",
        check=check_precompute,
        doc="Kept for scikit-learn's sake: products of columns are worked out where they pay.",
    )
    max_iter: int = param(default=1000, low=1, doc="Most passes over the columns that are looked at, for each alpha.")
    tol: float = param(
        default=1e-4,
        low=0,
        doc="Stop when the duality gap is at most this share of the mean square of the (centered) target.",
    )
    copy_X: bool = param(default=True, doc="Kept for scikit-learn's sake: X is never changed.")
    cv: Any = param(default=None, doc="Folds: a number (None is 5), a splitter, or pairs of training and test rows.")
    verbose: bool | int = param(default=False, doc="Kept for scikit-learn's sake.")
    n_jobs: int | None = param(default=None, doc="Folds fitted at a time by joblib; None is one, -1 one a core.")
    positive: bool = param(default=False, doc="Only coefficients of zero or more.")
    random_state: int | np.random.RandomState | None = param(default=None, doc="Seed of selection='random'.")
    selection: Literal["cyclic", "random"] = param(
        default="cyclic", doc="Columns of a pass: in their order, or drawn one by one."
    )
    cost: Cost = param(
        default="half_squared",
        doc="What stands before the penalty: 'half_squared' is half the mean squared error, as scikit-learn has it; "
        "'squared' the mean squared error, whose alpha counts half as much.",
    )

    input_spec = InputSpec(sparse=True)

    def _ratios(self) -> list[float]:
        return [1.0]

    def _way(self, threads: int) -> SolverChoice:
        return SolverChoice(
            self.cost,
            bool(self.fit_intercept),
            bool(self.positive),
            float(self.tol),
            int(self.max_iter),
            self.selection,
            seed=seed_from(self.random_state) if self.selection == "random" else 0,
            threads=threads,
        )

    def _fit(self, d: Design, trace: Trace) -> None:
        solver, ratios = self._way(self._threads), self._ratios()
        requested = alphas_of(d.who, self.alphas, self.eps)
        if isinstance(requested, int):
            grids = np.array([alpha_grid(d, ratio, self.eps, requested, solver) for ratio in ratios])
        else:
            grids = np.tile(requested, (len(ratios), 1))
        folds = [self._rows(d, train, test) for train, test in self._pairs(d)]
        calls = [(d, weight, test_rows, grids, ratios, solver) for weight, test_rows in folds]
        fold_results = run(_fold_errors, calls, self.n_jobs, f"{d.who}: folds", threads=True)
        errors = np.array([mse for mse, _ in fold_results])  # folds x ratios x alphas
        mean = errors.mean(axis=0)
        best = np.unravel_index(np.argmin(mean), mean.shape)
        self.alpha_: float = float(grids[best])
        self.l1_ratio_: float = float(ratios[int(best[0])])
        self.alphas_: Floats = grids[0] if len(ratios) == 1 or not isinstance(requested, int) else grids
        self.mse_path_: Floats = np.squeeze(np.moveaxis(errors, 0, 2))
        solution = solve(d, [self.alpha_], self.l1_ratio_, solver)
        check_representable(d, solution.coefs, solution.intercepts)
        self._set_coef(
            solution.coefs[0, 0].astype(d.dtype), float(solution.intercepts[0, 0]) if self.fit_intercept else 0.0
        )
        self.n_iter_: int = int(solution.passes[0, 0])
        self.dual_gap_: float = float(solution.gaps[0, 0])
        _together([fold_solution for _, fold_solution in fold_results]).warn(d.who, solver, grids.ravel().tolist())
        solution.warn(d.who, solver, [self.alpha_])

    def _pairs(self, d: Design) -> list[tuple[Any, Any]]:
        """Training rows and rows held out, for every fold."""
        try:
            splitter = check_cv(self.cv)
        except (ValueError, TypeError):
            requirement = "cv must be a number of folds from 2 up, a splitter, or pairs of rows"
            raise ParameterError(format_message(d.who, requirement, actual=f"got {short_repr(self.cv)}")) from None
        try:
            return list(splitter.split(np.zeros((d.n_rows, 1)), d.y[:, 0], **self._split_params))
        except ValueError as error:
            requirement = "the rows must be enough for the folds of cv"
            raise DataError(
                format_message(d.who, requirement, actual=str(error).rstrip("."), hint="use fewer folds, or another cv")
            ) from None

    def _rows(self, d: Design, train: Any, test: Any) -> tuple[Floats, Array]:
        """Weights of all rows in a fold's fit (zero for those held out), and the rows held out."""
        rows, test_rows = np.asarray(train), np.asarray(test)
        rows = np.flatnonzero(rows) if rows.dtype == bool else rows
        test_rows = np.flatnonzero(test_rows) if test_rows.dtype == bool else test_rows
        times, row_weight = np.bincount(rows, minlength=d.n_rows).astype(np.float64), d.unit_weight[0]
        weight = times if row_weight is None else times * row_weight
        for words, count in (
            ("fit", weight.any()),
            ("test", len(test_rows) > 0 and (row_weight is None or row_weight[test_rows].any())),
        ):
            if not count:
                requirement = f"every fold must have rows with a weight above zero to {words} on"
                raise DataError(
                    format_message(d.who, requirement, actual="one has none", hint="use fewer folds, or another cv")
                )
        return weight, test_rows


def _fold_errors(
    d: Design, train: Floats, test_rows: Array, grids: Floats, ratios: list[float], solver: SolverChoice
) -> tuple[Floats, Answer]:
    """Mean squared errors on the rows held out, ratios x alphas.

    The rows held out have weight zero in the fit, so that no part of the table is copied for it.
    """
    mixes = np.repeat(ratios, grids.shape[1])
    solution = solve(d, grids.ravel(), mixes, solver, weight=train)
    rows = d.numbers[test_rows]
    matrix = _core.csr(rows.data, rows.indices, rows.indptr, d.n_cols) if d.table.is_sparse else _core.dense(rows)
    error = linear_predictor(matrix, solution.coefs[0], solution.intercepts[0], solver.threads) - d.y[test_rows]
    weight = d.unit_weight[0]
    mse = np.average(error**2, axis=0, weights=None if weight is None else weight[test_rows])
    return np.asarray(mse).reshape(grids.shape), solution


def _together(solutions: list[Answer]) -> Answer:
    """The folds' answers as those of so many targets."""

    def joined(name: str) -> Array:
        return np.concatenate([getattr(solution, name) for solution in solutions])

    return Answer(
        joined("stops"), joined("passes"), joined("gaps"), joined("coefs"), joined("intercepts"), joined("allowed")
    )


def _mixes(value: Any) -> str | None:
    values = numbers_of(np.atleast_1d(value)) if not isinstance(value, str) else None
    if values is not None and values.size and (values >= 0).all() and (values <= 1).all():
        return None
    return f"l1_ratio must be a number from 0 to 1, or a list of such; got {short_repr(value)}"


class ElasticNetCV(CoordinateCV):
    """An elastic net that chooses its penalty itself, by how well the penalties do on rows held out.

    For every `l1_ratio` r and every alpha it minimizes the cost of `ElasticNet`,
    ``1/(2S) sum_i s_i (y_i - b - x_i . w)² + alpha r ||w||_1 + alpha (1 - r)/2 ||w||²``,  on the rows of each fold's
    training part, takes the mean squared error on the rows held out, and keeps the pair whose mean over the folds is
    smallest (the first of equals: r in the order given, alpha from the largest). The model is then fitted on all rows.

    Along a fold's alphas each fit begins where the one before ended, and products of columns are worked out once for
    all; rows held out have weight zero, so that no part of the table is copied. Unless they are given, alphas fall in
    even steps of their logarithm from the smallest at which every coefficient is zero. Choose r from values such as
    0.1, 0.5, 0.7, 0.9, 0.95, 1: more of them near the lasso.

    cost="half_squared" is the cost above, as scikit-learn has it; with cost="squared" (the mean squared error before
    the penalty) every alpha counts half as much.

    Prefer `ElasticNet` where the penalty is known, and `LassoCV` where columns are to be left out and do not go
    together.

    Attributes
    ----------
    alpha_ : the alpha chosen
    l1_ratio_ : the mix chosen
    coef_ : array of p numbers
    intercept_ : number
    alphas_ : the alphas tried, falling; one row a mix where they were not given and there are several mixes
    mse_path_ : errors: alphas x folds, or mixes x alphas x folds
    n_iter_ : passes of the last fit
    dual_gap_ : the cost of the last fit is at most this much above its minimum
    n_features_in_, feature_names_in_ : columns seen in fit

    Examples
    --------
    Two folds of a target that is twice x. Of each half the centered x is (-1/2, 1/2), so rho = 1/2 and q = 1/4. The
    slope nearest to 2 is that of the lasso with the smaller alpha,  (1/2 - 0.01) / (1/4) = 1.96;  with r = 1/2 it is
    (1/2 - 0.005) / (1/4 + 0.005) = 1.94.

    >>> from pellucid.linear_model import ElasticNetCV
    >>> model = ElasticNetCV(alphas=[0.1, 0.01], l1_ratio=[0.5, 1], cv=2).fit([[0], [1], [2], [3]], [0, 2, 4, 6])
    >>> model.alpha_, model.l1_ratio_, model.mse_path_.shape
    (0.01, 1.0, (2, 2, 2))
    """

    l1_ratio: float | np.ndarray | list | tuple = param(  # type: ignore[type-arg]
        default=0.5, check=_mixes, doc="Share of the l1 penalty, or a list of shares to choose from; 1 is the lasso."
    )

    path = staticmethod(enet_path)

    def _ratios(self) -> list[float]:
        return [float(ratio) for ratio in np.atleast_1d(np.asarray(self.l1_ratio, dtype=np.float64))]
