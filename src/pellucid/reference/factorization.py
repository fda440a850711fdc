"""Biases and factors of users and items by alternating least squares, step by step.

A table of ratings has a row for each user and a column for each item, and NaN where there is no rating.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def biases(table: Any, reg_user: float, reg_item: float, passes: int) -> tuple[float, Floats, Floats]:
    """Mean, biases of users and of items: ``b_i = sum (r - m - b_u) / (reg + n_i)``, and b_u alike, in turns."""
    R = np.asarray(table, dtype=float)
    m = float(np.nanmean(R))
    users, items = np.zeros(R.shape[0]), np.zeros(R.shape[1])
    n_users, n_items = (~np.isnan(R)).sum(axis=1), (~np.isnan(R)).sum(axis=0)
    for _ in range(passes):
        items = np.nansum(R - m - users[:, None], axis=0) / (reg_item + n_items)
        users = np.nansum(R - m - items, axis=1) / (reg_user + n_users)
    return m, users, items


def ridge(Z: Floats, t: Floats, penalty: float) -> Floats:
    """``(Z'Z + penalty I)^-1 Z't``"""
    return np.asarray(np.linalg.solve(Z.T @ Z + penalty * np.eye(Z.shape[1]), Z.T @ t))


def factors(
    table: Any, p: Any, q: Any, reg: float, passes: int, by_count: bool = True
) -> tuple[float, Floats, Floats, Floats, Floats]:
    """Mean, biases and factors of users, biases and factors of items: ridge regressions in turns, from a start."""
    R = np.asarray(table, dtype=float)
    p, q = np.array(p, dtype=float), np.array(q, dtype=float)
    m = float(np.nanmean(R))
    b, c = np.zeros(len(p)), np.zeros(len(q))
    for _ in range(passes):
        p, b = _solved(R - m, q, c, reg, by_count)
        q, c = _solved((R - m).T, p, b, reg, by_count)
    return m, b, p, c, q


def _solved(R: Floats, q: Floats, c: Floats, reg: float, by_count: bool) -> tuple[Floats, Floats]:
    """Factors and bias of each row of R, with those of the columns held."""
    factors, bias = np.zeros((len(R), q.shape[1])), np.zeros(len(R))
    for u, row in enumerate(R):
        rated = ~np.isnan(row)
        Z = np.column_stack([q[rated], np.ones(rated.sum())])
        solution = ridge(Z, row[rated] - c[rated], reg * rated.sum() if by_count else reg)
        factors[u], bias[u] = solution[:-1], solution[-1]
    return factors, bias


def implicit_factors(confidence: Any, x: Any, y: Any, reg: float, passes: int) -> tuple[Floats, Floats]:
    """Factors of users and items for confidences c > 0 where something was done, 0 where nothing was.

    ``x_u = (Y' C_u Y + reg I)^-1 Y' C_u p_u``, with the confidence 1 of what was not done; then y in the same way.
    """
    C = np.asarray(confidence, dtype=float)
    x, y = np.array(x, dtype=float), np.array(y, dtype=float)
    done, sure = C > 0, np.where(C > 0, C, 1.0)
    for _ in range(passes):
        x = np.array([_preferred(y, sure[u], done[u], reg) for u in range(len(x))])
        y = np.array([_preferred(x, sure[:, i], done[:, i], reg) for i in range(len(y))])
    return x, y


def _preferred(y: Floats, sure: Floats, done: npt.NDArray[np.bool_], reg: float) -> Floats:
    left = y.T @ (sure[:, None] * y) + reg * np.eye(y.shape[1])
    return np.asarray(np.linalg.solve(left, y.T @ (sure * done)))


def implicit_objective(confidence: Any, x: Any, y: Any, reg: float) -> float:
    """``sum c (p - x . y)^2 + reg (|x|^2 + |y|^2)`` over all pairs."""
    C, x, y = (np.asarray(array, dtype=float) for array in (confidence, x, y))
    errors = (C > 0) - x @ y.T
    return float(np.sum(np.where(C > 0, C, 1.0) * errors**2) + reg * (np.sum(x**2) + np.sum(y**2)))
