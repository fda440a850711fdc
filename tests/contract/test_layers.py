"""What import-linter cannot see: the compiled module, and parts of scikit-learn that do an algorithm's work."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import pellucid

ROOT = Path(pellucid.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
SCORERS = "metrics/scorers.py"
PEERS = (
    "sklearn.cluster",
    "sklearn.covariance",
    "sklearn.decomposition",
    "sklearn.discriminant_analysis",
    "sklearn.dummy",
    "sklearn.ensemble",
    "sklearn.feature_extraction",
    "sklearn.feature_selection",
    "sklearn.impute",
    "sklearn.isotonic",
    "sklearn.linear_model",
    "sklearn.manifold",
    "sklearn.metrics",
    "sklearn.mixture",
    "sklearn.naive_bayes",
    "sklearn.neighbors",
    "sklearn.neural_network",
    "sklearn.preprocessing",
    "sklearn.semi_supervised",
    "sklearn.svm",
    "sklearn.tree",
)


@cache
def imported(file: Path) -> set[str]:
    """Every module that a file imports, in full."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return found


def test_algorithms_are_ours() -> None:
    found = {str(file.relative_to(ROOT)): borrowed(file) for file in FILES}
    assert len(found) > 500
    assert not {file: names for file, names in found.items() if names}


def borrowed(file: Path) -> set[str]:
    """What a file imports of a peer that does an algorithm's work."""
    if "sklearn" not in file.read_text(encoding="utf-8"):  # parsing takes longer than reading
        return set()
    found = {name for name in imported(file) if name.startswith(PEERS)}
    if file.relative_to(ROOT).as_posix() == SCORERS:  # the wrapper around a metric is infrastructure, no metric
        assert re.findall(r"from sklearn\.metrics import (.*)", file.read_text(encoding="utf-8")) == [
            "check_scoring as _sort_out",
            "make_scorer",
        ]
        found -= {"sklearn.metrics", "sklearn.metrics.check_scoring", "sklearn.metrics.make_scorer"}
    return found


@pytest.mark.parametrize("layer", ["reference", "plots", "datasets"])
def test_layer_does_not_know_the_kernels(layer: str) -> None:
    users = [file.name for file in (ROOT / layer).rglob("*.py") if "pellucid._core" in imported(file)]
    assert not users
