"""``NearestCentroid`` against scikit-learn's, and its reference."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from sklearn.neighbors import NearestCentroid as Peer

from pellucid.base.errors import DataError, ParameterError, PellucidWarning
from pellucid.neighbors import NearestCentroid
from pellucid.reference import nearest_centroid as reference

RANDOM = np.random.default_rng(0)
CODES = RANDOM.integers(0, 3, size=80)
X = RANDOM.normal(size=(80, 4)) * [1, 2, 3, 4] + CODES[:, None]
Y = np.array(["ash", "birch", "cedar"])[CODES]
NUMBERS = ("centroids_", "deviations_", "within_class_std_dev_", "class_prior_")


def both(settings: dict[str, Any], table: Any, y: Any) -> tuple[Any, Any]:
    ours = NearestCentroid(**settings).fit(table, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the peer warns of columns without spread
        return ours, Peer(**settings).fit(table, y)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@pytest.mark.parametrize("shrink", [None, 0.5])
@pytest.mark.parametrize("priors", ["uniform", "empirical", [0.2, 0.5, 0.3]], ids=str)
@pytest.mark.parametrize("form", ["plain", "float32", "sparse", "shifted", "constant column"])
def test_numbers_and_answers_are_the_peers(metric: str, shrink: Any, priors: Any, form: str) -> None:
    table: Any = {
        "plain": X,
        "float32": X.astype(np.float32),
        "sparse": scipy.sparse.csr_array(np.where(X > 1, X, 0)),
        "shifted": X + 1e6,
        "constant column": np.column_stack([X, np.full(80, 2.0)]),
    }[form]
    ours, peer = both({"metric": metric, "shrink_threshold": shrink, "priors": priors}, table, Y)
    # Single precision is summed in double precision here; far from zero the peer's means lose digits.
    share = {"float32": 1e-4, "shifted": 1e-8}.get(form, 1e-10)
    for name in NUMBERS:
        want = np.asarray(getattr(peer, name)).reshape(np.shape(getattr(ours, name)))
        np.testing.assert_allclose(getattr(ours, name), want, rtol=share, atol=share)
    if form == "sparse" and priors != "uniform":
        return  # the peer cannot divide a sparse table
    np.testing.assert_array_equal(ours.predict(table), peer.predict(table))
    if metric == "euclidean" and form in ("plain", "float32"):
        np.testing.assert_allclose(ours.predict_proba(table), peer.predict_proba(table), rtol=share, atol=1e-12)
        np.testing.assert_allclose(ours.decision_function(table), peer.decision_function(table), rtol=share, atol=share)
        np.testing.assert_allclose(ours.predict_log_proba(table), peer.predict_log_proba(table), rtol=share, atol=share)
    assert hasattr(ours, "predict_proba") == hasattr(peer, "predict_proba") == (metric == "euclidean")


def test_a_constant_column_has_no_say() -> None:
    """The mean of equal numbers is that number: no rounding becomes a spread to divide by, as the peer's does."""
    table = np.column_stack([X, np.full(80, 0.1)])
    ours, without = (NearestCentroid(priors="empirical").fit(part, Y) for part in (table, X))
    assert ours.within_class_std_dev_[4] == 0
    np.testing.assert_allclose(ours.predict_proba(table), without.predict_proba(X), rtol=1e-10)


def test_two_classes_have_one_score() -> None:
    ours, peer = both({}, X, Y == "ash")
    np.testing.assert_allclose(ours.decision_function(X), peer.decision_function(X), rtol=1e-10)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@pytest.mark.parametrize("shrink", [None, 0.3])
def test_the_reference_agrees(metric: str, shrink: Any) -> None:
    ours = NearestCentroid(metric, shrink_threshold=shrink, priors="empirical").fit(X, Y)
    found = reference.fit(X, Y.tolist(), metric, shrink)
    np.testing.assert_allclose(ours.centroids_, found.centroids, rtol=1e-12)
    np.testing.assert_allclose(ours.deviations_, found.deviations, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(ours.within_class_std_dev_, found.within, rtol=1e-12)
    if metric == "euclidean":
        np.testing.assert_allclose(
            ours._scores(ours._validate_predict(X)), reference.scores(X, found, ours.class_prior_), rtol=1e-9
        )
    equal = ours.set_params(priors="uniform").fit(X, Y)
    assert equal.predict(X).tolist() == reference.predict(X, found, metric)


def test_a_far_row_first_loses_no_digits() -> None:
    """The first row of a class is where its sums start from: far from the others it must not spoil them."""
    table = np.vstack([[[1e9]], RANDOM.normal(size=(50, 1)), RANDOM.normal(size=(50, 1))])
    y = np.repeat([0, 1], [51, 50])
    found = reference.fit(table, y.tolist())
    np.testing.assert_allclose(NearestCentroid().fit(table, y).within_class_std_dev_, found.within, rtol=1e-12)


def test_centers_without_spread_stay_under_shrinking() -> None:
    model = NearestCentroid(shrink_threshold=1.0).fit([[0.0], [0.0], [2.0], [2.0]], [0, 0, 1, 1])
    np.testing.assert_array_equal(model.centroids_, [[0.0], [2.0]])
    assert model.predict([[0.4], [1.6]]).tolist() == [0, 1]
    single = NearestCentroid().fit([[0.0], [2.0]], ["a", "b"])  # every class has one row
    assert single.predict([[0.4], [1.6]]).tolist() == ["a", "b"]


def test_words() -> None:
    with pytest.raises(DataError, match=r"All features have zero variance: a column must vary; all 2 are constant"):
        NearestCentroid().fit([[1, 2], [1, 2]], [0, 1])
    with pytest.raises(
        DataError, match=r"The number of classes has to be greater than one; got 1 class, 0, in all rows"
    ):
        NearestCentroid().fit([[1], [2]], [0, 0])
    with pytest.raises(ParameterError, match=r"priors must have one number a class; got 2 with 3 classes"):
        NearestCentroid(priors=[0.5, 0.5]).fit(X, Y)
    with pytest.raises(ParameterError, match=r"priors must be non-negative; got \[-1, 2\]"):
        NearestCentroid(priors=[-1, 2]).fit(X, Y)
    with pytest.warns(PellucidWarning, match="The priors do not sum to 1"):
        assert NearestCentroid(priors=[2.0, 1.0, 1.0]).fit(X, Y).class_prior_.tolist() == [0.5, 0.25, 0.25]


@pytest.mark.parametrize("size", [2.0**-1000, 2.0**1000], ids=["tiny", "huge"])
@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_array], ids=["dense", "sparse"])
def test_the_unit_of_the_table_does_not_matter(size: float, form: Any) -> None:
    table = np.where(X > 1, X, 0)
    for settings in ({"priors": "empirical"}, {"shrink_threshold": 0.5}, {"metric": "manhattan"}):
        plain, sized = (NearestCentroid(**settings).fit(form(table * u), Y) for u in (1.0, size))
        np.testing.assert_allclose(sized.centroids_ / size, plain.centroids_, rtol=1e-12)
        np.testing.assert_allclose(sized.within_class_std_dev_ / size, plain.within_class_std_dev_, rtol=1e-12)
        np.testing.assert_array_equal(sized.predict(form(table * size)), plain.predict(form(table)))
        if "metric" not in settings:
            found = sized.predict_proba(form(table * size))
            np.testing.assert_allclose(found, plain.predict_proba(form(table)), rtol=1e-8, atol=1e-12)


def test_a_row_too_far_for_squares_has_the_probabilities_of_its_side() -> None:
    model = NearestCentroid(priors=[0.9, 0.1]).fit([[0.0], [2.0], [5.0], [7.0]], ["low", "low", "high", "high"])
    assert model.predict_proba([[1e200], [-1e308]]).tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert model.predict([[1e200], [-1e308]]).tolist() == ["high", "low"]
