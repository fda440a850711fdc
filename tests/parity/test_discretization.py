"""KBinsDiscretizer against scikit-learn's: the same edges and the same bins; trees against its decision trees."""

from __future__ import annotations

import warnings
from typing import Any, get_args

import numpy as np
import pandas as pd
import pytest
import sklearn.preprocessing as peers
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from pellucid.preprocessing import KBinsDiscretizer
from pellucid.preprocessing._cuts import METHODS

from .drawn import numbers

WEIGHTED = ("averaged_inverted_cdf", "inverted_cdf")


def table(random: np.random.Generator, kind: int, rows: int) -> np.ndarray:
    """Normal, skewed, whole numbers with many ties, and a constant column among others."""
    X = [
        random.normal(size=(rows, 3)) * 10.0 ** random.integers(-3, 4, size=3),
        random.exponential(size=(rows, 3)) ** 3,
        random.integers(0, 6, size=(rows, 3)).astype(float),
        np.column_stack([random.normal(size=rows), np.full(rows, 7.0)]),
    ][kind]
    return np.asarray(X, order=random.choice(["C", "F"]))


def fitted(cls: Any, settings: dict[str, Any], X: Any, weight: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about columns that are constant, and bins that have no width
        return cls(**settings).fit(X, sample_weight=weight)


def assert_alike(settings: dict[str, Any], X: Any, weight: Any) -> None:
    ours, peer = (fitted(cls, settings, X, weight) for cls in (KBinsDiscretizer, peers.KBinsDiscretizer))
    np.testing.assert_array_equal(ours.n_bins_, peer.n_bins_)
    size = np.abs(X).max()
    for mine, theirs in zip(ours.bin_edges_, peer.bin_edges_, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-14 * size)
    assert ours.get_feature_names_out().tolist() == peer.get_feature_names_out().tolist()
    # With ties a value may be an edge, which rounding of the edge moves to the other side.
    later = np.random.default_rng(0).permutation(X + 1e-9 * size)
    found, wanted = ours.transform(later), peer.transform(later)
    assert type(found) is type(wanted)
    assert found.dtype == wanted.dtype
    dense = [np.asarray(one.toarray() if hasattr(one, "toarray") else one) for one in (found, wanted)]
    np.testing.assert_array_equal(*dense)
    back, theirs = ours.inverse_transform(found), peer.inverse_transform(wanted)
    constant = np.isnan(theirs)  # ours gives the constant back
    np.testing.assert_allclose(
        np.where(constant, 0, back), np.where(constant, 0, theirs), rtol=1e-12, atol=1e-14 * size
    )
    np.testing.assert_array_equal(back[constant], np.broadcast_to(X[0], back.shape)[constant])


@pytest.mark.filterwarnings("ignore:invalid value encountered in add")  # the peer's, of a constant column
@pytest.mark.parametrize("number", numbers(40))
@pytest.mark.parametrize("encode", ["onehot", "onehot-dense", "ordinal"])
@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_random_settings(strategy: str, encode: str, number: int) -> None:
    random = np.random.default_rng(number)
    rows = int(random.choice([1, 2, 3, 7, 50, 700]))
    X, weight = table(random, number % 4, rows), None
    methods = get_args(METHODS)
    method = str(random.choice(methods))
    if number % 3 == 0:
        weight = random.integers(1, 4, size=rows).astype(float)
        method = str(random.choice(WEIGHTED))
    k = int(random.integers(2, 12))
    n_bins: Any = k if random.random() < 0.5 else random.integers(2, 9, size=X.shape[1])
    settings = {"n_bins": n_bins, "encode": encode, "strategy": strategy, "quantile_method": method}
    assert_alike(settings, X, weight)


@pytest.mark.parametrize("number", numbers(30))
def test_centers_of_clusters(number: int) -> None:
    """Where no center starts without values: from there on the two algorithms go different ways."""
    random = np.random.default_rng(number)
    X = random.normal(size=(int(random.choice([100, 400, 1000])), 2))
    k = int(random.integers(2, 5))
    settings = {"n_bins": k, "strategy": "kmeans", "encode": "ordinal"}
    ours, peer = (fitted(cls, settings, X, None) for cls in (KBinsDiscretizer, peers.KBinsDiscretizer))
    for mine, theirs in zip(ours.bin_edges_, peer.bin_edges_, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_the_same_rows_are_drawn(strategy: str, weighted: bool) -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(3000, 2))
    weight = random.random(3000) if weighted else None
    settings = {"strategy": strategy, "subsample": 500, "random_state": 3}
    assert_alike(settings, X, weight)


@pytest.mark.parametrize("given", [None, np.float32, np.float64])
@pytest.mark.parametrize("of_table", [np.float32, np.float64, np.int64])
@pytest.mark.parametrize("encode", ["onehot", "ordinal"])
def test_types(encode: str, of_table: Any, given: Any) -> None:
    X = (np.random.default_rng(0).normal(size=(60, 2)) * 10).astype(of_table)
    ours, peer = (fitted(cls, {"encode": encode, "dtype": given}, X, None) for cls in
                  (KBinsDiscretizer, peers.KBinsDiscretizer))  # fmt: skip
    assert ours.transform(X).dtype == peer.transform(X).dtype


def test_frames_come_out_alike() -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0, 9.0], "b c": [0.5, -1.0, 4.0, 4.5]})
    for encode in ("ordinal", "onehot-dense"):
        found, wanted = (
            cls(2, encode=encode).set_output(transform="pandas").fit_transform(frame)
            for cls in (KBinsDiscretizer, peers.KBinsDiscretizer)
        )
        pd.testing.assert_frame_equal(found, wanted)


def test_every_parameter_of_the_peer_is_there_with_its_default() -> None:
    ours, peer = KBinsDiscretizer().get_params(), peers.KBinsDiscretizer().get_params()
    assert {key: ours[key] for key in peer} == peer


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("number", numbers(40))
def test_cuts_are_those_of_a_decision_tree(number: int, weighted: bool) -> None:
    """Grown best first on one column, which scikit-learn's trees read in single precision."""
    random = np.random.default_rng(number)
    rows, k, least = int(random.choice([5, 20, 100, 1000])), int(random.integers(2, 8)), int(random.choice([1, 1, 3]))
    x = random.normal(size=(rows, 1)) if number % 2 else random.integers(0, 12, size=(rows, 1))
    x = x.astype(np.float32)
    weight = random.integers(1, 4, size=rows).astype(float) if weighted else None
    signal = x[:, 0] + random.normal(size=rows)
    if number % 4 < 2:
        y: Any = np.digitize(signal, [0, 1.5])
        tree: Any = DecisionTreeClassifier(criterion="entropy", max_leaf_nodes=k, min_samples_leaf=least)
    else:
        y, tree = signal, DecisionTreeRegressor(max_leaf_nodes=k, min_samples_leaf=least)
    tree.set_params(random_state=0).fit(x, y, sample_weight=weight)
    wanted = np.sort(tree.tree_.threshold[tree.tree_.children_left >= 0])
    ours = KBinsDiscretizer(k, strategy="tree", min_samples_leaf=least).fit(x, y, sample_weight=weight)
    np.testing.assert_allclose(ours.bin_edges_[0][1:-1], wanted, rtol=1e-6)


@pytest.mark.parametrize(
    "settings",
    [{"n_bins": 1}, {"n_bins": [2, 1]}, {"n_bins": 2.5}, {"n_bins": [2, 2, 2]}, {"dtype": np.int64}, {"subsample": 0},
     {"encode": "x"}, {"strategy": "x"}, {"quantile_method": "x"}],
)  # fmt: skip
def test_what_the_peer_refuses_is_refused(settings: dict[str, Any]) -> None:
    X = [[1.0, 2.0], [2.0, 4.0], [5.0, 0.0]]
    for cls in (KBinsDiscretizer, peers.KBinsDiscretizer):
        with pytest.raises(ValueError, match=next(iter(settings)).replace("n_bins", r"n_bins|number of bins")):
            cls(**settings).fit(X)


def test_weights_need_a_rule_that_knows_them() -> None:
    for cls in (KBinsDiscretizer, peers.KBinsDiscretizer):
        with pytest.raises(ValueError, match="should either be set to 'averaged_inverted_cdf' or 'inverted_cdf'"):
            cls(quantile_method="linear").fit([[1.0], [2.0]], sample_weight=[1.0, 2.0])
