"""Linear predictions of a fitted model have the same bits with every BLAS kernel and SIMD level."""

from __future__ import annotations

import hashlib
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pellucid import linear_model, svm

from .process import run

REGRESSORS = (
    linear_model.LinearRegression(),
    linear_model.Ridge(),
    linear_model.Lasso(alpha=0.01),
    linear_model.SGDRegressor(random_state=0),
    linear_model.GradientDescentRegressor(),
    svm.LinearSVR(),
)
CLASSIFIERS = (
    linear_model.LogisticRegression(),
    linear_model.RidgeClassifier(),
    linear_model.SGDClassifier(random_state=0),
    linear_model.Perceptron(random_state=0),
    svm.LinearSVC(),
)
# Kernels of OpenBLAS with SSE, AVX2 and AVX-512; a processor that lacks one gets its own.
PROCESSORS = [("Prescott", "baseline"), ("Nehalem", "v3"), ("Haswell", "v4"), ("Zen", "v3"), ("SkylakeX", "v4")]
SCRIPT = """
import hashlib
import pickle
import sys
from pathlib import Path

models, tables = pickle.loads(Path(sys.argv[1]).read_bytes())
digest = lambda values: hashlib.sha256(values.tobytes()).hexdigest()
say([[digest(getattr(model, method)(X)) for X in tables] for model, method in models])
"""


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[list[str]]]:
    """A file with fitted models and tables, and the digests of their predictions in this process."""
    random = np.random.default_rng(0)
    X = random.normal(size=(700, 37))
    y = X[:, 0] - 2 * X[:, 1] + random.normal(size=len(X))
    fitted: list[tuple[Any, str]] = [(model.fit(X, y), "predict") for model in REGRESSORS]
    fitted += [(model.fit(X, np.digitize(y, [-1, 1])), "decision_function") for model in CLASSIFIERS]
    tables = [X, np.asfortranarray(X), X.astype(np.float32)]
    file = tmp_path_factory.mktemp("processors") / "models.pickle"
    file.write_bytes(pickle.dumps((fitted, tables)))
    found = [
        [hashlib.sha256(getattr(model, method)(table).tobytes()).hexdigest() for table in tables]
        for model, method in fitted
    ]
    return file, found


@pytest.mark.filterwarnings("ignore::pellucid.base.errors.ConvergenceWarning")
@pytest.mark.parametrize(("core", "level"), PROCESSORS)
def test_linear_predictions_depend_on_no_processor(core: str, level: str, models: tuple[Path, list[list[str]]]) -> None:
    file, wanted = models
    found = run(SCRIPT, file, env={"OPENBLAS_CORETYPE": core, "PELLUCID_SIMD": level})
    names = [type(model).__name__ for model in (*REGRESSORS, *CLASSIFIERS)]
    assert [name for name, one, other in zip(names, found, wanted, strict=True) if one != other] == []
