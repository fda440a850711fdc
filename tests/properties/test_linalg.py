"""The linear-algebra kernels against NumPy: moments, products, Cholesky, QR, singular values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
import threadpoolctl
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from pellucid import _core

Array = NDArray[np.float64]
fast = settings(max_examples=40, deadline=None)
threads = st.integers(1, 3)
seeds = st.integers(0, 2**32 - 1)


@pytest.fixture(autouse=True, scope="module")
def serial_blas() -> Iterator[None]:
    """Kernels that call LAPACK from several threads expect it to use one, as `pellucid.base.threads` sees to."""
    with threadpoolctl.threadpool_limits(1, user_api="blas"):
        yield


class View(NamedTuple):
    """A table in one of the layouts that kernels read, and the same numbers as a plain array."""

    matrix: _core.Matrix
    dense: Array
    eps: float


@st.composite
def tables(draw: st.DrawFn, most_columns: int = 20) -> View:
    random = np.random.default_rng(draw(seeds))
    n, p = draw(st.integers(1, 200)), draw(st.integers(1, most_columns))
    X = random.standard_normal((n, p)) * 2.0 ** random.integers(-20, 20, size=p)
    X += draw(st.sampled_from([0.0, 1.0, 1e4])) * np.abs(X).max(axis=0) * random.random(p)
    layout = draw(st.sampled_from(["C", "F", "slice", "backwards", "float32", "csr", "csr64"]))
    if layout == "float32":
        X = X.astype(np.float32).astype(float)
        return View(_core.dense(X.astype(np.float32)), X, 1e-7)
    if layout.startswith("csr"):
        X = X * (random.random((n, p)) < 0.4)
        csr = sp.csr_array(X)
        index = np.int64 if layout == "csr64" else np.int32
        return View(_core.csr(csr.data, csr.indices.astype(index), csr.indptr.astype(index), p), X, 1e-16)
    laid = {
        "C": X,
        "F": np.asfortranarray(X),
        "slice": np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
        "backwards": X[::-1, ::-1].copy()[::-1, ::-1],
    }[layout]
    return View(_core.dense(laid), X, 1e-16)


def direct(X: Array, Y: Array, w: Array, center: bool) -> tuple[Array, Array]:
    """Means and centered cross products in two passes, in extended precision."""
    Z = np.column_stack([X, Y]).astype(np.longdouble)
    mean = w @ Z / w.sum() if center else np.zeros(Z.shape[1])
    apart = Z - mean
    return np.asarray(mean, dtype=float), np.asarray(apart.T @ (w[:, None] * apart), dtype=float)


@fast
@given(tables(), st.integers(1, 3), st.booleans(), st.booleans(), threads, seeds)
def test_moments_are_those_of_two_passes(
    view: View, targets: int, weighted: bool, center: bool, number: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    n, p = view.dense.shape
    Y = random.standard_normal((n, targets)) + 5
    weight = random.uniform(0.1, 3, size=n) if weighted else None
    status, total, mean, scale, cross = _core.moments(view.matrix, Y, weight, center, number)
    w = np.ones(n) if weight is None else weight
    wanted_mean, wanted = direct(view.dense, Y, w, center)
    assert status == 0
    assert total == pytest.approx(w.sum(), rel=1e-12)
    np.testing.assert_array_equal(np.frexp(scale)[0], 0.5)  # powers of two
    sizes = np.sqrt(w.sum()) * np.abs(np.column_stack([view.dense, Y])).max(axis=0)
    np.testing.assert_allclose((mean - wanted_mean) / np.where(sizes > 0, sizes, 1), 0, atol=1e-14)
    found = cross / scale / scale[:, None]
    roots = np.sqrt(np.diag(wanted)) + 1e-13 * sizes  # what rounding of the data themselves leaves open
    share = np.divide(
        found - wanted, np.outer(roots, roots), out=np.zeros_like(wanted), where=np.outer(roots, roots) > 0
    )
    np.testing.assert_allclose(share[:p], 0, atol=1e-9)
    np.testing.assert_allclose(np.diag(share), 0, atol=1e-9)


@fast
@given(tables(), threads)
def test_moments_see_every_number_that_is_not_finite(view: View, number: int) -> None:
    for bad in (np.nan, np.inf, -np.inf):
        X = view.dense.copy()
        X[len(X) // 2, X.shape[1] // 2] = bad
        assert _core.moments(_core.dense(X), np.ones((len(X), 1)), None, True, number)[0] != 0
        assert not _core.all_finite(_core.dense(X), number)
    assert _core.all_finite(view.matrix, number)


@fast
@given(tables(), st.integers(1, 4), threads, seeds)
def test_products(view: View, targets: int, number: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    W, b = random.standard_normal((targets, view.dense.shape[1])), random.standard_normal(targets)
    found = _core.multiply(view.matrix, W, b, number)
    bound = np.abs(view.dense) @ np.abs(W.T) + np.abs(b)
    np.testing.assert_allclose((found - (view.dense @ W.T + b)) / bound, 0, atol=1e-14)


@fast
@given(st.integers(1, 300), st.integers(1, 4), threads, seeds)
def test_cholesky_solves_and_knows_its_condition(n: int, targets: int, number: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    X = random.standard_normal((n + 20, n))
    A, B = X.T @ X, random.standard_normal((n, targets))
    status, rcond, found = _core.cholesky_solve(A, B, number)
    assert status == 0
    truth = 1 / (np.linalg.norm(A, 1) * np.linalg.norm(np.linalg.inv(A), 1))
    assert truth * 0.999 <= rcond <= 30 * truth  # an estimate from below of the inverse's norm
    residual = np.abs(A @ found.T - B).max() / (np.abs(A).max() * np.abs(found).max() * n)
    assert residual < 1e-14


@fast
@given(st.integers(2, 150), threads, seeds)
def test_cholesky_refuses_what_is_not_positive_definite(n: int, number: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    Q = np.linalg.qr(random.standard_normal((n, n)))[0]
    values = np.linspace(1, 2, n)
    values[random.integers(n)] = -0.5
    assert _core.cholesky_solve((Q * values) @ Q.T, np.ones((n, 1)), number)[0] != 0


@fast
@given(tables(), st.booleans(), st.booleans(), threads, seeds)
def test_triangle_of_rows_has_the_gram_of_the_table(
    view: View, weighted: bool, shifted: bool, number: int, seed: int
) -> None:
    """R'R = Z'WZ for Z = ([X | y] - shift) * scale."""
    random = np.random.default_rng(seed)
    n, p = view.dense.shape
    y = random.standard_normal((n, 1))
    Z = np.column_stack([view.dense, y])
    weight = random.uniform(0.1, 3, size=n) if weighted else None
    shift = Z.mean(axis=0) if shifted else np.zeros(p + 1)
    scale = 2.0 ** -np.round(np.log2(np.abs(Z).max(axis=0) + 1e-300))
    R = _core.qr_of_rows(view.matrix, y, weight, shift, scale, False, number).T
    apart = (Z - shift) * scale * np.sqrt(np.ones(n) if weight is None else weight)[:, None]
    np.testing.assert_array_equal(np.tril(R, -1), 0)
    np.testing.assert_allclose(R.T @ R, apart.T @ apart, rtol=0, atol=1e-12 * n)
    centered = _core.qr_of_rows(view.matrix, y, weight, shift, scale, True, number).T
    around = (Z - np.average(Z, axis=0, weights=weight)) * scale
    around *= np.sqrt(np.ones(n) if weight is None else weight)[:, None]
    np.testing.assert_allclose(centered.T @ centered, around.T @ around, rtol=0, atol=1e-12 * n)


@fast
@given(st.integers(1, 90), st.integers(0, 60), threads, seeds)
def test_qr_gives_back_the_table(n: int, more: int, number: int, seed: int) -> None:
    A = np.random.default_rng(seed).standard_normal((n + more, n))
    q, R = _core.qr(A, number)
    np.testing.assert_array_equal(np.tril(R, -1), 0)
    np.testing.assert_allclose(_core.apply_q(q, R).T, A, rtol=0, atol=1e-12)
    Q = _core.apply_q(q, np.eye(n)).T
    np.testing.assert_allclose(Q.T @ Q, np.eye(n), rtol=0, atol=1e-13)


@fast
@given(st.integers(1, 60), st.integers(1, 3), seeds)
def test_triangles_are_solved(n: int, targets: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    R = np.triu(random.standard_normal((n, n))) + 3 * np.eye(n)
    wanted = random.standard_normal((n, targets))
    rcond, found = _core.solve_triangle(R, R @ wanted)
    assert 0 < rcond <= 1
    np.testing.assert_allclose(found.T, wanted, rtol=0, atol=1e-12 / rcond)


# --------------------------------------------------------------------------------------------------- singular values


@fast
@given(st.integers(1, 40), st.integers(0, 20), st.integers(0, 3), threads, seeds)
def test_singular_values_are_numpys(n: int, more: int, extra: int, number: int, seed: int) -> None:
    A = np.random.default_rng(seed).standard_normal((n + more, n))
    below = np.random.default_rng(seed + 1).standard_normal((extra, n))
    status, _, singular, rows = _core.jacobi(np.vstack([A, below]), extra, number)
    assert status == 0
    np.testing.assert_allclose(np.sort(singular)[::-1], np.linalg.svd(A, compute_uv=False), rtol=1e-11, atol=1e-13)
    turned, along = rows[:, : n + more], rows[:, n + more :]
    np.testing.assert_allclose(turned @ turned.T, np.diag(singular**2), rtol=0, atol=1e-11 * singular.max() ** 2)
    np.testing.assert_allclose(turned.T @ along, A @ below.T, rtol=0, atol=1e-11 * singular.max() * n)


@fast
@given(st.integers(2, 12), st.integers(1, 6), seeds)
def test_small_singular_values_come_out_to_many_digits(n: int, steps: int, seed: int) -> None:
    """Columns of very different length: a bidiagonalisation would drown the small values, rotations do not."""
    random = np.random.default_rng(seed)
    Q = np.linalg.qr(random.standard_normal((n + 5, n)))[0]
    lengths = 10.0 ** (-2 * steps * np.arange(n))
    singular = _core.jacobi(Q * lengths, 0, 1)[2]
    np.testing.assert_allclose(np.sort(singular)[::-1], lengths, rtol=1e-11)


@fast
@given(st.integers(1, 20), st.integers(1, 20), st.integers(1, 20), seeds)
def test_rank_is_the_number_of_singular_values_above_noise(n: int, p: int, rank: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    rank = min(rank, n, p)
    A = random.standard_normal((max(n, p), rank)) @ random.standard_normal((rank, p))
    singular = _core.jacobi(A, 0, 1)[2]
    assert (singular > 1e-12 * singular.max()).sum() == rank


# --------------------------------------------------------------------------------------------------- threads and level


@settings(max_examples=15, deadline=None)
@given(st.sampled_from([(3000, 5), (3000, 40), (500, 150)]), seeds)
def test_kernels_give_the_same_bits_on_any_number_of_threads(shape: tuple[int, int], seed: int) -> None:
    random = np.random.default_rng(seed)
    X, y = random.standard_normal(shape), random.standard_normal((shape[0], 1))
    view, zeros, ones = _core.dense(X), np.zeros(shape[1] + 1), np.ones(shape[1] + 1)

    def all_of(number: int) -> list[Any]:
        moments = _core.moments(view, y, None, True, number)
        return [
            moments[4],
            _core.multiply(view, X[:2], y[:2, 0].copy(), number),
            _core.qr_of_rows(view, y, None, zeros, ones, True, number),
            _core.cholesky_solve(X.T @ X + np.eye(shape[1]), y[: shape[1]], number)[2],
            _core.jacobi(X[: shape[1]], 0, number)[2],
        ]

    for other in (all_of(2), all_of(3)):
        for found, wanted in zip(other, all_of(1), strict=True):
            np.testing.assert_array_equal(found, wanted)


@fast
@given(tables(), seeds)
def test_every_simd_level_agrees_with_the_baseline(view: View, seed: int) -> None:
    random = np.random.default_rng(seed)
    y = random.standard_normal((len(view.dense), 1))
    W, b = random.standard_normal((2, view.dense.shape[1])), np.zeros(2)
    before, results = _core.simd_level(), {}
    try:
        for level in ("baseline", "v3", "v4"):
            if _core.set_simd_level(level):
                cross = _core.moments(view.matrix, y, None, True, 1)
                results[level] = cross[4] / cross[3] / cross[3][:, None], _core.multiply(view.matrix, W, b, 1)
    finally:
        _core.set_simd_level(before)
    cross, product = results["baseline"]
    bound = np.abs(view.dense) @ np.abs(W.T)
    sizes = np.sqrt(np.abs(np.diag(cross))) + 1e-13 * np.abs(np.column_stack([view.dense, y])).max(axis=0)
    for found, other in results.values():
        np.testing.assert_allclose((found - cross) / np.maximum(np.outer(sizes, sizes), 1e-300), 0, atol=1e-9)
        np.testing.assert_allclose((other - product) / np.maximum(bound, 1e-300), 0, atol=1e-14)
