"""What an import loads: nothing that is not needed yet."""

from __future__ import annotations

import sys

import pytest

from .process import run

LOADED = """
import sys

{before}
known = set(sys.modules)
{after}
say(sorted(set(sys.modules) - known))
"""


def modules_loaded_by(after: str, before: str = "") -> list[str]:
    """The modules that `after` loads on top of `before`."""
    modules: list[str] = run(LOADED.format(before=before, after=after))
    return modules


def loaded_by(after: str, before: str = "") -> set[str]:
    """The packages that `after` loads on top of `before`."""
    return {name.split(".")[0] for name in modules_loaded_by(after, before)}


def test_the_package_alone_loads_nothing_but_the_standard_library_and_few_modules() -> None:
    modules = modules_loaded_by("import pellucid")
    assert {name.split(".")[0] for name in modules} <= {"pellucid", *sys.stdlib_module_names}
    assert len([name for name in modules if name.startswith("pellucid")]) < 10
    assert len(modules) < 60


def test_a_family_loads_no_estimator_before_it_is_asked_for() -> None:
    names = loaded_by("import pellucid.linear_model")
    assert not names & {"numpy", "scipy", "sklearn", "pandas", "matplotlib"}


def test_an_estimator_loads_no_dataframe_or_plot_library() -> None:
    """scikit-learn itself loads pandas where it finds it; beyond what scikit-learn loads there is nothing."""
    names = loaded_by(
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
    names = loaded_by("from pellucid import _core; _core.call_blocks(4, 2, lambda block: None)")
    assert not names & {"scipy", "sklearn", "joblib", "pandas"}
