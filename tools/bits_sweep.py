"""Which estimators predict or learn other last bits with another BLAS kernel or SIMD level.

    python tools/bits_sweep.py [part of a name ...]

Every estimator and setting of the contract (tests/contract/frame.py) is fitted in this process. Then a process for each
line of PROCESSORS predicts with the same fitted models and fits them again. What may differ is stated in
ARCHITECTURE.md; the memory layout may change no bit at all, which tests/contract/test_layouts.py holds.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from tests.contract.frame import (  # noqa: E402  (the tests are no installed package)
    SUBJECTS,
    Subject,
    answers,
    assert_same_bits,
    assert_same_fit,
    fit,
    problem,
)

PROCESSORS = [("Prescott", "baseline"), ("Nehalem", "v3"), ("Zen", "v3"), ("Haswell", "v4"), ("SkylakeX", "v4")]


def data(subject: Subject) -> tuple[np.ndarray, Any]:
    """Thirds are no binary fractions: every order of sums rounds differently."""
    X, y, _ = problem(subject, 70, 11)
    return X / 3, y


def reference(names: list[str]) -> dict[str, bytes]:
    """The fitted models and what they say, pickled one by one."""
    found = {}
    for subject in SUBJECTS:
        if not names or any(name in str(subject) for name in names):
            X, y = data(subject)
            model = fit(subject.make(), X, y)
            found[str(subject)] = pickle.dumps((model, answers(model, X)))
    return found


def differences(known: dict[str, bytes]) -> Iterator[tuple[str, str, str]]:
    """Subject, 'predict' or 'fit', and the first difference."""
    for subject in SUBJECTS:
        if str(subject) not in known:
            continue
        X, y = data(subject)
        model, said = pickle.loads(known[str(subject)])
        try:
            assert_same_bits(answers(model, X), said)
        except AssertionError as difference:
            yield str(subject), "predict", str(difference)
        try:
            assert_same_fit(fit(subject.make(), X, y), model)
        except AssertionError as difference:
            yield str(subject), "fit", str(difference)


def compare(file: Path) -> None:
    for subject, what, difference in differences(pickle.loads(file.read_bytes())):
        print(f"  {what:8}{subject[:80]}: {difference.splitlines()[0][:110]}")


def main() -> None:
    warnings.simplefilter("ignore")
    if sys.argv[1:2] == ["--compare"]:
        compare(Path(sys.argv[2]))
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "models.pickle"
        file.write_bytes(pickle.dumps(reference(sys.argv[1:])))
        for core, level in PROCESSORS:
            print(f"OPENBLAS_CORETYPE={core} PELLUCID_SIMD={level}", flush=True)
            env = {**os.environ, "OPENBLAS_CORETYPE": core, "PELLUCID_SIMD": level}
            subprocess.run([sys.executable, __file__, "--compare", str(file)], env=env, check=True)


if __name__ == "__main__":
    main()
