"""Workbooks of vectorizers, worked out by LibreOffice from nothing."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pellucid.text import CountVectorizer, HashingVectorizer, TfidfTransformer, TfidfVectorizer
from pellucid.working import Working
from pellucid.working.excel import layout, to_excel

X = ["The cat sat on the mat", "The dog, the cat!", "a dog's life = <b>life</b>", None, "dog fox; the dog"]
COUNTS = np.array([[3, 0, 1], [2, 0, 0], [0, 0, 0], [4, 1, 0], [3, 2, 0]])


def office() -> Any:
    """The helpers that stand beside the other tests of workbooks."""
    file = Path(__file__).parent.parent / "working" / "office.py"
    spec = importlib.util.spec_from_file_location("office_of_texts", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def workings() -> dict[str, Working]:
    models: list[tuple[Any, Any]] = [
        (CountVectorizer(ngram_range=(1, 2), stop_words="english"), X),
        (CountVectorizer(analyzer="char_wb", ngram_range=(2, 3), max_features=30), X),
        (TfidfVectorizer(), X),
        (TfidfVectorizer(norm="l1", sublinear_tf=True, smooth_idf=False, log_base=2), X),
        (TfidfVectorizer(norm=None, use_idf=False, binary=True), X),
        (HashingVectorizer(n_features=7), X),
        (HashingVectorizer(alternate_sign=False, norm=None), X),
        (TfidfTransformer(), COUNTS),
        (TfidfTransformer(norm="l1", sublinear_tf=True, add_one=False, log_base=10), COUNTS),
    ]
    found = {}
    for model, table in models:
        model.fit(table)
        found[f"{model} fit"] = model.show_fit(table)
        found[f"{model} transform"] = model.show_transform(table)
    return found


@pytest.mark.slow
def test_the_workbooks_recalculate_to_the_workings(tmp_path: Path) -> None:
    checks, shown = office(), workings()
    files = {name: to_excel(working, tmp_path / f"{i}.xlsx") for i, (name, working) in enumerate(shown.items())}
    done = checks.recalculate(list(files.values()), tmp_path / "office")
    wrong = {
        name: found[:3]
        for name, working in shown.items()
        if (found := checks.differences(working, done[files[name]], layout(working)))
    }
    assert not wrong
