"""TargetEncoder against scikit-learn's: the same encodings, cross-fits and names, on random settings and data."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.preprocessing import TargetEncoder as Peer

from pellucid.preprocessing import TargetEncoder

from .drawn import numbers
from .test_encoding import table


def target(random: np.random.Generator, n: int) -> Any:
    kind = str(random.choice(["numbers", "whole numbers", "two words", "three words", "flags", "float32"]))
    if kind == "numbers":
        return random.normal(size=n) * 10.0 ** random.integers(-6, 7) + 0.25
    if kind == "float32":
        return (random.normal(size=n) + 0.1).astype(np.float32)
    if kind == "whole numbers":
        return random.integers(0, 4, n)
    if kind == "flags":
        return random.random(n) < 0.4
    return random.choice(["no", "yes"] if kind == "two words" else ["ash", "fir", "yew"], n)


def same(found: Any, wanted: Any, share: float = 1e-9) -> None:
    size = np.abs(np.asarray(wanted, dtype=float)).max(initial=0.0)
    np.testing.assert_allclose(found, wanted, rtol=share, atol=share * size)


@pytest.mark.parametrize("number", numbers(60))
@pytest.mark.filterwarnings("ignore")
def test_random_settings_on_random_tables(number: int) -> None:
    random = np.random.default_rng(number)
    X, later = table(number), table(number, later=True)
    y = target(random, len(X))
    settings = {"smooth": "auto" if random.random() < 0.5 else float(random.choice([0.0, 0.5, 20.0]))}
    ours, peer = TargetEncoder(**settings).fit(X, y), Peer(**settings).fit(X, y)
    assert ours.target_type_ == peer.target_type_
    if peer.classes_ is not None:
        np.testing.assert_array_equal(ours.classes_, peer.classes_)
    share = 1e-5 if y.dtype == np.float32 else 1e-9  # scikit-learn works in the precision of y
    same(ours.target_mean_, peer.target_mean_, share)
    for one, other in zip(ours.encodings_, peer.encodings_, strict=True):
        same(one, other, share)
    same(ours.transform(later), peer.transform(later), share)
    assert ours.get_feature_names_out().tolist() == peer.get_feature_names_out().tolist()
    folds = min(3, len(X))
    if folds < 2 or (peer.classes_ is not None and np.unique(y, return_counts=True)[1].min() < folds):
        return
    cv = KFold(folds) if peer.classes_ is None else StratifiedKFold(folds)
    same(TargetEncoder(cv=cv, **settings).fit_transform(X, y), Peer(cv=cv, **settings).fit_transform(X, y), share)


@pytest.mark.parametrize("labels", [False, True])
def test_the_folds_are_the_same_for_the_same_random_state(labels: bool) -> None:
    random = np.random.default_rng(0)
    X, y = random.integers(0, 6, (80, 2)), random.normal(size=80)
    y = np.where(y > 0, "high", "low") if labels else y
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        for settings in ({"random_state": 7}, {"shuffle": False, "cv": 4}, {"random_state": np.int64(3), "cv": 3}):
            same(TargetEncoder(**settings).fit_transform(X, y), Peer(**settings).fit_transform(X, y))


def test_given_categories() -> None:
    X, y = np.array([["a", "b", "c", "a", "b"]], dtype=object).T, np.array([1.5, 2, 3, 4, 5])
    for smooth in ("auto", 0.0, 2.0):
        settings = {"categories": [["c", "b", "a", "z"]], "smooth": smooth, "cv": KFold(2)}
        ours, peer = TargetEncoder(**settings).fit(X, y), Peer(**settings).fit(X, y)
        same(ours.encodings_[0], peer.encodings_[0])
        same(ours.transform([["z"], ["q"], ["a"]]), peer.transform(np.array([["z"], ["q"], ["a"]], dtype=object)))
        same(TargetEncoder(**settings).fit_transform(X, y), Peer(**settings).fit_transform(X, y))


def test_a_value_outside_the_given_categories_counts_for_none() -> None:
    """scikit-learn counts such rows for the first category of the list."""
    X, y = np.array([["a", "b", "c", "a", "d"]], dtype=object).T, np.array([1.5, 2, 3, 4, 5])
    model = TargetEncoder(categories=[["b", "a"]], smooth=2.0).fit(X, y)
    np.testing.assert_allclose(model.encodings_[0], [(2 + 2 * 3.1) / 3, (5.5 + 2 * 3.1) / 4])
    assert Peer(categories=[["b", "a"]], smooth=2.0).fit(X, y).encodings_[0][0] == pytest.approx((10 + 2 * 3.1) / 5)


def test_frames_of_several_kinds() -> None:
    random = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "word": random.choice(["ash", "fir"], 50),
            "code": pd.Categorical(random.choice(["x", "y", "z"], 50)),
            "flag": random.random(50) < 0.5,
            "gap": np.where(random.random(50) < 0.3, np.nan, random.integers(0, 3, 50)),
        }
    )
    y = random.normal(size=50)
    same(TargetEncoder(cv=KFold(5)).fit_transform(frame, y), Peer(cv=KFold(5)).fit_transform(frame, y))
