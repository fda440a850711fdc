"""A model that was saved and loaded is the same model, bit for bit; saved twice, the same bytes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse

from pellucid.storage import load, save

from .models import each, fitted, frame, others


@each
def test_every_estimator_comes_back_as_it_was(subject: Any, tmp_path: Path) -> None:
    model, table = fitted(subject)
    file = tmp_path / "model.pellucid"
    save(model, file)
    loaded = load(file)
    assert repr(loaded) == repr(model)
    assert frame.settings(loaded) == frame.settings(model)
    frame.assert_same_bits(frame.answers(loaded, table), frame.answers(model, table))
    frame.assert_same_fit(loaded, model)


@each
def test_the_same_model_gives_the_same_bytes(subject: Any, tmp_path: Path) -> None:
    model, _ = fitted(subject, "C order")
    first, second, third = (tmp_path / name for name in ("first", "second", "third"))
    save(model, first)
    save(model, second)
    save(load(first), third)
    assert first.read_bytes() == second.read_bytes() == third.read_bytes()


@pytest.mark.parametrize(("cls", "way"), others())
def test_estimators_of_other_data_come_back_as_they_were(
    cls: type[Any], way: Callable[[type[Any]], tuple[Any, Any]], tmp_path: Path
) -> None:
    model, data = way(cls)
    file = tmp_path / "model.pellucid"
    save(model, file)
    loaded = load(file)
    assert repr(loaded) == repr(model)
    for method in ("transform", "predict"):
        if hasattr(model, method):
            frame.assert_same_bits(getattr(loaded, method)(data), getattr(model, method)(data), method)
    save(loaded, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == file.read_bytes()


@pytest.mark.parametrize("name", ["RandomForestClassifier", "KNeighborsClassifier", "OneHotEncoder", "Lasso"])
def test_packed_files_hold_the_same(name: str, tmp_path: Path) -> None:
    subject = next(one for one in frame.SUBJECTS if one.name == name)
    model, table = fitted(subject)
    plain, packed = tmp_path / "plain", tmp_path / "packed"
    save(model, plain)
    save(model, packed, compress=True)
    assert packed.stat().st_size < plain.stat().st_size
    frame.assert_same_fit(load(packed), model)
    frame.assert_same_bits(frame.answers(load(packed), table), frame.answers(model, table))


def test_a_model_of_a_sparse_table(tmp_path: Path) -> None:
    from pellucid.neighbors import KNeighborsClassifier

    X = scipy.sparse.random(60, 9, density=0.4, format="csr", random_state=0)
    model = KNeighborsClassifier(n_neighbors=3).fit(X, np.arange(60) % 2)
    save(model, tmp_path / "model")
    frame.assert_same_bits(load(tmp_path / "model").predict_proba(X), model.predict_proba(X))


def test_learning_goes_on_after_loading(tmp_path: Path) -> None:
    """What a stream has learned so far is in the file."""
    from pellucid.linear_model import SGDClassifier

    random = np.random.default_rng(0)
    X, y = random.normal(size=(80, 3)), random.integers(0, 2, size=80)
    model = SGDClassifier(random_state=0).partial_fit(X[:40], y[:40], classes=[0, 1])
    save(model, tmp_path / "model")
    loaded = load(tmp_path / "model")
    frame.assert_same_fit(loaded.partial_fit(X[40:], y[40:]), model.partial_fit(X[40:], y[40:]))
