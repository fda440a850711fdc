"""Equal bits for one, two and three threads, on every SIMD level; and the levels agree with each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pellucid import _core

from .process import run

LEVELS = ["baseline", "v3", "v4"]
LEVELS = LEVELS[: LEVELS.index(_core.best_simd_level()) + 1]

# Sizes of several blocks everywhere: rows of the moments and of the triangles, tiles of the Cholesky factor (128
# columns), rounds of rotations (16,384 numbers), rows of a product (1,024) and of its transpose (16,384).
SCRIPT = """
import hashlib
import warnings
import numpy as np
import scipy.sparse
from pellucid import _core
from pellucid.linear_model import LinearRegression

warnings.simplefilter("ignore")
random = np.random.default_rng(0)
tall = random.standard_normal((40_000, 12)) + 1
broad = random.standard_normal((1500, 200))
dependent = np.column_stack([tall[:5000], tall[:5000, :3] - 2 * tall[:5000, 3:6]])
sparse = scipy.sparse.random_array((40_000, 260), density=0.01, rng=random, format="csr")

def target(X, outputs):
    # Made without BLAS, whose sums depend on its threads.
    slopes = random.standard_normal((X.shape[1], outputs))
    y = X @ slopes if scipy.sparse.issparse(X) else np.einsum("ij,jk->ik", X, slopes)
    y = y + random.standard_normal(y.shape)
    return y[:, 0] if outputs == 1 else y

CASES = {
    "normal": (tall, 3, {}),
    "normal, many columns": (broad, 1, {}),
    "normal, F order": (np.asfortranarray(tall), 1, {}),
    "normal, float32": (tall.astype(np.float32), 1, {}),
    "normal, sparse": (sparse[:, :140], 1, {"solver": "normal"}),
    "normal, no intercept": (tall, 1, {"fit_intercept": False}),
    "simple": (tall[:, :1], 1, {"solver": "simple"}),
    "correlation": (tall[:, :1], 2, {"solver": "correlation"}),
    "qr": (tall, 2, {"solver": "qr"}),
    "qr, many columns": (broad, 1, {"solver": "qr"}),
    "qr, sparse": (sparse[:, :40], 1, {"solver": "qr"}),
    "svd": (tall, 1, {"solver": "svd"}),
    "svd, many columns": (broad, 1, {"solver": "svd"}),
    "svd, wide": (broad[:150], 2, {"solver": "svd"}),
    "svd, dependent": (dependent, 1, {}),
    "lsqr": (tall, 2, {"solver": "lsqr", "tol": 1e-12}),
    "lsqr, sparse": (sparse, 1, {"tol": 1e-12}),
    "positive": (tall, 2, {"positive": True}),
    "positive, many columns": (broad, 1, {"positive": True}),
    "positive, sparse": (sparse[:, :140], 1, {"positive": True}),
}

def digest(values):
    return hashlib.sha256(np.ascontiguousarray(values).tobytes()).hexdigest()

def outcome(model, X, y, weight):
    found = {"coef": model.coef_, "intercept": model.intercept_, "predict": model.predict(X)}
    found["score"] = model.score(X, y, weight)
    if model.solver_ == "svd":
        found["singular"] = model.singular_
    elif model.solver_ not in ("lsqr", "positive"):
        summary = model.summary(X, y, weight)
        found["summary"] = np.concatenate([np.ravel(summary.intervals), np.ravel(summary.sse), np.ravel(summary.ssr)])
    return {name: digest(values) for name, values in found.items()}

found = {"level": _core.simd_level(), "cases": {}}
for name, (X, outputs, settings) in CASES.items():
    y, weight = target(X, outputs), random.uniform(0.1, 3, X.shape[0])
    weight = weight if "," not in name else None
    models = [LinearRegression(n_jobs=threads, **settings).fit(X, y, weight) for threads in (1, 2, 3)]
    found["cases"][name] = [[outcome(model, X, y, weight) for model in models], models[0].coef_.ravel().tolist()]
say(found)
"""


@pytest.fixture(scope="module")
def levels() -> dict[str, Any]:
    """What each level found, in a process of its own with the level forced from outside."""
    return {level: run(SCRIPT, env={"PELLUCID_SIMD": level}) for level in LEVELS}


def test_the_environment_forces_the_level(levels: dict[str, Any]) -> None:
    assert [found["level"] for found in levels.values()] == LEVELS


@pytest.mark.parametrize("level", LEVELS)
def test_one_two_and_three_threads_give_equal_bits(level: str, levels: dict[str, Any]) -> None:
    differing = [
        (name, part)
        for name, ((one, *more), _) in levels[level]["cases"].items()
        for part in one
        if any(other[part] != one[part] for other in more)
    ]
    assert not differing, ", ".join(f"{part} of {name}" for name, part in differing)


@pytest.mark.parametrize("level", LEVELS[1:])
def test_levels_agree_to_rounding(level: str, levels: dict[str, Any]) -> None:
    for name, (_, coef) in levels[level]["cases"].items():
        wanted = np.array(levels["baseline"]["cases"][name][1])
        tolerance = 1e-5 if "float32" in name else 1e-9 if name == "lsqr, sparse" else 1e-12
        np.testing.assert_allclose(
            coef, wanted, rtol=0, atol=tolerance * np.abs(wanted).max(), err_msg=f"{name} on {level}"
        )


def test_threads_of_blas_change_no_bit(levels: dict[str, Any]) -> None:
    """Not even in workers, where BLAS is told to keep to one thread."""
    alone = run(SCRIPT, env={"PELLUCID_SIMD": LEVELS[-1], "OPENBLAS_NUM_THREADS": "1"})
    differing = [
        (name, part)
        for name, ((one, *_), _) in levels[LEVELS[-1]]["cases"].items()
        for part in one
        if alone["cases"][name][0][0][part] != one[part]
    ]
    assert not differing, ", ".join(f"{part} of {name}" for name, part in differing)


def test_an_unknown_level_is_refused_and_changes_nothing() -> None:
    before = _core.simd_level()
    assert not _core.set_simd_level("v5")
    assert _core.simd_level() == before
