"""What an import loads: nothing that is not needed yet."""

from __future__ import annotations

import pytest

from .process import run

LOADED = """
import sys
import time

{before}
known = set(sys.modules)
start = time.process_time()
{after}
seconds = time.process_time() - start
say([seconds, sorted({{name.split(".")[0] for name in set(sys.modules) - known}})])
"""


def loaded_by(after: str, before: str = "") -> tuple[float, set[str]]:
    """Seconds of processor time and top-level modules that `after` loads on top of `before`."""
    seconds, names = run(LOADED.format(before=before, after=after))
    return seconds, set(names)


def test_the_package_alone_loads_nothing_heavy_and_at_once() -> None:
    seconds, names = loaded_by("import pellucid")
    assert not names & {"numpy", "scipy", "sklearn", "pandas", "polars", "pyarrow", "narwhals", "joblib", "matplotlib"}
    assert seconds < 0.1


def test_a_family_loads_no_estimator_before_it_is_asked_for() -> None:
    _, names = loaded_by("import pellucid.linear_model")
    assert not names & {"numpy", "scipy", "sklearn", "pandas", "matplotlib"}


def test_an_estimator_loads_no_dataframe_or_plot_library() -> None:
    """scikit-learn itself loads pandas where it finds it; beyond what scikit-learn loads there is nothing."""
    _, names = loaded_by(
        "from pellucid.linear_model import LinearRegression",
        "import sklearn.base, sklearn.callback, sklearn.exceptions",
    )
    assert "pellucid" in names
    assert not names & {"pandas", "polars", "pyarrow", "matplotlib"}


def test_a_fit_on_arrays_works_where_no_such_library_is_installed() -> None:
    found = run(
        """
        import sys

        for library in ("pandas", "polars", "pyarrow", "matplotlib"):
            sys.modules[library] = None  # as if it were not installed
        import numpy as np
        from pellucid.linear_model import LinearRegression

        X = np.arange(12.0).reshape(6, 2) ** 2
        say(LinearRegression().fit(X, X @ [1.0, 2.0] + 3).predict([[1, 1]]).tolist())
        """
    )
    assert found == pytest.approx([6.0])


def test_the_compiled_core_needs_numpy_alone() -> None:
    _, names = loaded_by("from pellucid import _core; _core.spin(4, 2, 1.0)")
    assert not names & {"scipy", "sklearn", "joblib", "pandas"}
