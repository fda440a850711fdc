"""Coefficients along a row of penalties."""

from __future__ import annotations

from inspect import signature
from typing import Any, Literal

import numpy as np

from pellucid.base.errors import DataError, ParameterError, count, format_message, short_repr
from pellucid.base.randomness import seed_from
from pellucid.base.threads import effective_threads
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec, attach_weight, infer_schema
from pellucid.data.target import attach_numbers
from pellucid.linear_model._coordinate_descent import Cost, SolverChoice, alpha_grid, solve
from pellucid.linear_model._linear import check_representable
from pellucid.linear_model.elastic_net import ElasticNet

__all__ = ["enet_path", "lasso_path"]


def enet_path(
    X: Any,
    y: Any,
    *,
    l1_ratio: float = 0.5,
    eps: float = 1e-3,
    n_alphas: int | None = None,
    alphas: Any = None,
    precompute: Any = "auto",
    Xy: Any = None,
    copy_X: bool = True,
    coef_init: Any = None,
    verbose: bool | int = False,
    return_n_iter: bool = False,
    positive: bool = False,
    check_input: bool = True,
    sample_weight: Any = None,
    fit_intercept: bool = False,
    cost: Cost = "half_squared",
    tol: float = 1e-4,
    max_iter: int = 1000,
    selection: Literal["cyclic", "random"] = "cyclic",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> tuple[Any, ...]:
    """Coefficients of the elastic net for many penalties, each found from the one before.

    Minimizes  ``1/(2n) sum_i (y_i - x_i . w)² + alpha r ||w||_1 + alpha (1 - r)/2 ||w||²``  (see `ElasticNet`) for
    every alpha, largest first. Products of columns are worked out once for all of them.

    Parameters
    ----------
    X : table of n rows and p columns
    y : n numbers
    l1_ratio : r, from 0 to 1; 1 is the lasso
    eps : the smallest alpha as a share of the largest, where they are not given
    n_alphas : how many alphas, under scikit-learn's older name
    alphas : the alphas, or how many (100 unless told), in even steps of their logarithm from the smallest at which
    every
        coefficient is zero
    precompute, Xy, copy_X, check_input, verbose : kept for scikit-learn's sake; nothing is taken from them
    coef_init : coefficients to begin with; zeros unless given
    return_n_iter : give the passes of every alpha too?
    positive : only coefficients of zero or more?
    sample_weight : n numbers, optional
    fit_intercept : as scikit-learn's, the path takes X and y as centered unless told to center them
    cost, tol, max_iter, selection, random_state, n_jobs : as in `ElasticNet`

    Returns
    -------
    alphas : a numbers, falling
    coefs : p x a
    dual_gaps : a numbers
    n_iters : a list of passes, where asked for

    Examples
    --------
    The mean product of x and y is 14/3 and x has mean square 14/3, so  w = (14/3 - alpha/2) / (14/3 + alpha/2):

    >>> from pellucid.linear_model import enet_path
    >>> alphas, coefs, gaps = enet_path([[1], [2], [3]], [1, 2, 3], l1_ratio=0.5, alphas=[28/3, 14/3])
    >>> coefs.round(8)
    array([[0.        , 0.33333333]])
    """
    return _path("enet_path", **locals())


def lasso_path(
    X: Any,
    y: Any,
    *,
    eps: float = 1e-3,
    n_alphas: int | None = None,
    alphas: Any = None,
    precompute: Any = "auto",
    Xy: Any = None,
    copy_X: bool = True,
    coef_init: Any = None,
    verbose: bool | int = False,
    return_n_iter: bool = False,
    positive: bool = False,
    **params: Any,
) -> tuple[Any, ...]:
    """Coefficients of the lasso for many penalties, each found from the one before.

    Minimizes  ``1/(2n) sum_i (y_i - x_i . w)² + alpha ||w||_1``  (see `Lasso`) for every alpha, largest first. It is
    `enet_path` with ``l1_ratio=1``, whose parameters and answers it has.

    Examples
    --------
    The mean product of x and y is 14/3 and x has mean square 14/3, so  w = 1 - alpha / (14/3):

    >>> from pellucid.linear_model import lasso_path
    >>> alphas, coefs, gaps = lasso_path([[1], [2], [3]], [1, 2, 3], alphas=[14/3, 7/3])
    >>> coefs.round(10)
    array([[0. , 0.5]])
    """
    explicit = {name: value for name, value in locals().items() if name != "params"}
    more = {
        name: parameter.default for name, parameter in signature(enet_path).parameters.items() if name not in explicit
    }
    unknown = sorted(params.keys() - (more.keys() - {"l1_ratio"}))
    if unknown:
        raise TypeError(f"lasso_path() got an unexpected keyword argument {unknown[0]!r}")
    return _path("lasso_path", **{**more, **explicit, **params, "l1_ratio": 1.0})


def _path(who: str, **options: Any) -> tuple[Any, ...]:
    model = ElasticNet(
        **{
            name: options[name]
            for name in (
                "l1_ratio",
                "positive",
                "fit_intercept",
                "cost",
                "tol",
                "max_iter",
                "selection",
                "random_state",
            )
        }
    )
    model._check_params()
    d = infer_schema(options["X"], InputSpec(sparse=True), who)
    attach_numbers(d, options["y"])
    _refuse_several(d)
    attach_weight(d, options["sample_weight"])
    solver = SolverChoice(
        options["cost"],
        bool(options["fit_intercept"]),
        bool(options["positive"]),
        float(options["tol"]),
        int(options["max_iter"]),
        options["selection"],
        seed=seed_from(options["random_state"]) if options["selection"] == "random" else 0,
        threads=effective_threads(options["n_jobs"]),
    )
    ratio = float(options["l1_ratio"])
    requested = options["alphas"] if options["alphas"] is not None else options["n_alphas"]
    alphas = alphas_of(who, requested, options["eps"])
    if isinstance(alphas, int):
        alphas = alpha_grid(d, ratio, float(options["eps"]), alphas, solver)
    solution = solve(d, alphas, ratio, solver, _start(who, options["coef_init"], d.n_cols))
    check_representable(d, solution.coefs)
    solution.warn(who, solver, alphas.tolist())
    path = (alphas, solution.coefs[0].T.astype(d.dtype, copy=False), solution.gaps[0])
    return (*path, solution.passes[0].tolist()) if options["return_n_iter"] else path


def _refuse_several(d: Design) -> None:
    if d.y.shape[1] > 1:
        requirement, actual = "y must be one column: one target at a time", f"got {d.y.shape[1]} columns"
        hint = "take one path a target; a penalty that couples targets, as scikit-learn has it there, is not offered"
        raise DataError(format_message(d.who, requirement, actual=actual, hint=hint))


def alphas_of(who: str, requested: Any, eps: Any) -> Floats | int:
    """How many alphas, or the alphas themselves, largest first; a sentence where they are neither."""
    if requested is None:
        requested = 100
    if isinstance(requested, int | np.integer) and not isinstance(requested, bool):
        if requested < 1:
            raise ParameterError(
                format_message(who, "the number of alphas must be at least 1", actual=f"got {requested}")
            )
        if not (isinstance(eps, int | float | np.number) and eps > 0):
            raise ParameterError(format_message(who, "eps must be a number above 0", actual=f"got {short_repr(eps)}"))
        return int(requested)
    values = numbers_of(requested)
    if values is None or not values.size or not (np.isfinite(values).all() and (values >= 0).all()):
        requirement = "alphas must be a whole number or a list of numbers of at least 0"
        raise ParameterError(format_message(who, requirement, actual=f"got {short_repr(requested)}"))
    return np.sort(values)[::-1].copy()


def numbers_of(values: Any) -> Floats | None:
    """A list of numbers as an array of one dimension; None when it is something else."""
    try:
        array: Array = np.asarray(values)
    except ValueError:
        return None
    return array.astype(np.float64) if array.ndim == 1 and array.dtype.kind in "iuf" else None


def _start(who: str, initial: Any, p: int) -> Floats | None:
    if initial is None:
        return None
    start = numbers_of(np.ravel(initial))
    if start is None or len(start) != p:
        requirement = "coef_init must have one number a column"
        raise DataError(
            format_message(who, requirement, actual=f"it has shape {np.shape(initial)} for {count(p, 'column')}")
        )
    return start.reshape(1, p)
