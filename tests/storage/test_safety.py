"""Loading runs nothing that a file names, and imports nothing but the library's own modules."""

from __future__ import annotations

import builtins
import importlib
import json
import marshal
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline

from pellucid.ensemble import RandomForestClassifier
from pellucid.linear_model import LogisticRegression
from pellucid.preprocessing import OneHotEncoder, StandardScaler
from pellucid.storage import load, save

from .models import each, fitted, frame


def forbidden(name: str) -> Callable[..., Any]:
    def raises(*args: Any, **kwargs: Any) -> Any:
        raise AssertionError(f"{name} was called")

    return raises


# Everything by which data could become code.
FORBIDDEN: list[tuple[Any, tuple[str, ...]]] = [
    (builtins, ("eval", "exec", "compile")),
    (pickle, ("load", "loads", "Unpickler", "_Unpickler")),
    (marshal, ("load", "loads")),
    (os, ("system", "popen", "fork", "execv")),
    (subprocess, ("Popen", "run")),
    (np, ("load",)),
]


def loaded_without_code(path: Path, patch: pytest.MonkeyPatch) -> Any:
    """Loads a file while everything raises by which data could become code."""
    with patch.context() as inside:
        for module, names in FORBIDDEN:
            for name in names:
                inside.setattr(module, name, forbidden(f"{module.__name__}.{name}"))
        return load(path)


def test_what_is_forbidden_here_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A loader that unpickled would fail these tests."""
    (tmp_path / "model").write_bytes(pickle.dumps(1))
    monkeypatch.setitem(globals(), "load", lambda path: pickle.loads(path.read_bytes()))
    with pytest.raises(AssertionError, match=r"pickle\.loads was called"):
        loaded_without_code(tmp_path / "model", monkeypatch)


@each
def test_loading_runs_nothing_and_imports_nothing(
    subject: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, table = fitted(subject)
    save(model, tmp_path / "model")
    before = set(sys.modules)
    found = loaded_without_code(tmp_path / "model", monkeypatch)
    assert set(sys.modules) == before
    frame.assert_same_bits(frame.answers(found, table), frame.answers(model, table))


FRESH = """
import json, sys
from pellucid.storage import load
before = set(sys.modules)
load(sys.argv[1])
print(json.dumps(sorted(set(sys.modules) - before)))
"""


def test_a_fresh_process_imports_the_models_own_modules_alone(tmp_path: Path) -> None:
    """In a process that has not yet seen the estimators, loading imports these and what they need, and nothing else."""
    X = [[1.0, "a"], [2.0, "b"], [3.0, "a"], [4.0, "b"]]
    columns = ColumnTransformer([("number", StandardScaler(), [0]), ("word", OneHotEncoder(), [1])])
    model = make_pipeline(columns, LogisticRegression()).fit(np.array(X, dtype=object), [0, 1, 0, 1])
    save(model, tmp_path / "model")
    done = subprocess.run(
        [sys.executable, "-c", FRESH, str(tmp_path / "model")], capture_output=True, text=True, check=True, timeout=280
    )
    imported = json.loads(done.stdout)
    assert "pellucid.linear_model.logistic_regression" in imported
    assert {name.split(".")[0] for name in imported} <= {
        "pellucid",
        "sklearn",
        "scipy",
        "numpy",
        *sys.stdlib_module_names,
    }
    assert not [name for name in imported if name.startswith(("pellucid.cli", "pellucid.demo", "pellucid.plotting"))]


def test_classes_are_found_by_name_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No module is imported for a name outside of the allow-list, not even to look whether the class is there."""
    from . import hostile

    asked: list[str] = []
    real = importlib.import_module
    monkeypatch.setattr("pellucid.storage._classes.import_module", lambda name: (asked.append(name), real(name))[1])
    for name in ("antigravity:Any", "pellucid.cli.main:Any", "pellucid.working.__main__:Any", "tests.storage:Any"):
        entry = {"object": {"class": name, "state": []}}
        path = hostile.with_attribute(tmp_path / "m", {"ref": 1000}, entry)
        asked.clear()
        with pytest.raises(ValueError, match="none that a model may hold"):
            load(path)
        assert not asked


def test_no_class_that_a_file_may_name_acts_on_its_own() -> None:
    """Of every class in the layers that files may name: one that ends, enters or opens something is not among them."""
    import pkgutil

    import pellucid
    from pellucid.storage._classes import _layers, class_named

    seen = 0
    for layer in sorted(_layers()):
        package = importlib.import_module(f"pellucid.{layer}")
        for info in pkgutil.walk_packages(package.__path__, f"pellucid.{layer}."):
            module = importlib.import_module(info.name)
            for name, cls in vars(module).items():
                if not isinstance(cls, type) or cls.__module__ != info.name:
                    continue
                try:
                    class_named(f"{info.name}:{name}")
                except ValueError:
                    continue
                seen += 1
                assert not hasattr(cls, "__del__"), cls
                assert not hasattr(cls, "__enter__"), cls
                assert not issubclass(cls, (BaseException, type, os.PathLike)), cls
    assert seen > 200
    assert pellucid.__name__ == "pellucid"


def test_a_forest_from_a_file_is_checked_before_kernels_read_it(tmp_path: Path) -> None:
    """Arrays of a hostile file that are no forest are refused when the model is asked, not read out of bounds."""
    from . import hostile

    random = np.random.default_rng(0)
    X, y = random.normal(size=(80, 3)), random.integers(0, 2, size=80)
    path = tmp_path / "model"
    save(RandomForestClassifier(n_estimators=3, random_state=0).fit(X, y), path)
    parts = hostile.members(path)
    name = max((one for one in parts if one.startswith("arrays/")), key=lambda one: len(parts[one]))
    parts[name] = parts[name][:128] + b"\x7f" * (len(parts[name]) - 128)
    hostile.pack(path, parts)
    with pytest.raises(ValueError, match="these arrays are no forest"):
        load(path).predict(X)
