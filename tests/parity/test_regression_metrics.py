"""Scores of a regression against scikit-learn's, on random and on awkward data."""

from __future__ import annotations

import inspect
import warnings
from typing import Any, NamedTuple

import numpy as np
import pytest
import sklearn.metrics as peer
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.exceptions import UndefinedMetricWarning

from pellucid import metrics as ours

Array = NDArray[np.float64]

LOSSES = [
    "mean_absolute_error",
    "mean_squared_error",
    "root_mean_squared_error",
    "median_absolute_error",
    "mean_absolute_percentage_error",
    "mean_pinball_loss",
    "d2_absolute_error_score",
]
LOGARITHMIC = ["mean_squared_log_error", "root_mean_squared_log_error"]
SCORES = ["explained_variance_score", "r2_score"]


class Case(NamedTuple):
    true: Array
    predicted: Array
    weight: Array | None
    outputs: Any


# Quarters, so that constant columns, ties and exact halves of the weight are exact in both libraries.
QUARTERS = st.integers(-400, 400).map(lambda whole: whole / 4)


@st.composite
def cases(draw: st.DrawFn, at_least: int = 2) -> Case:
    n, m = draw(st.integers(at_least, 12)), draw(st.integers(1, 3))
    values = draw(st.sampled_from([QUARTERS, st.sampled_from([0.0, 1.0, -2.0]), st.just(3.0)]))
    true, predicted = (np.array(draw(st.lists(values, min_size=n * m, max_size=n * m))).reshape(n, m) for _ in range(2))
    if draw(st.booleans()):
        predicted[:, 0] = true[:, 0]
    weight = None
    if draw(st.booleans()):
        weight = np.array(draw(st.lists(st.integers(0, 8), min_size=n, max_size=n))) / 8
        weight[draw(st.integers(0, n - 1))] += 1
    words = ["raw_values", "uniform_average"]
    outputs = draw(st.sampled_from(words) if m == 1 else st.sampled_from([*words, [0.5, 2.0, 3.0][:m]]))
    if m == 1 and draw(st.booleans()):
        true, predicted = true[:, 0], predicted[:, 0]
    return Case(true, predicted, weight, outputs)


def compare(name: str, case: Case, **options: Any) -> None:
    wanted = getattr(peer, name)(
        case.true, case.predicted, sample_weight=case.weight, multioutput=case.outputs, **options
    )
    found = getattr(ours, name)(
        case.true, case.predicted, sample_weight=case.weight, multioutput=case.outputs, **options
    )
    assert np.shape(found) == np.shape(wanted)
    assert isinstance(found, float) == isinstance(wanted, float)
    np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("name", LOSSES)
@settings(max_examples=60, deadline=None)
@given(case=cases())
def test_losses(name: str, case: Case) -> None:
    compare(name, case)


@pytest.mark.parametrize("name", LOGARITHMIC)
@settings(max_examples=40, deadline=None)
@given(case=cases(at_least=1))
def test_logarithmic_losses(name: str, case: Case) -> None:
    compare(name, case._replace(true=np.abs(case.true) - 0.75, predicted=np.abs(case.predicted)))


@pytest.mark.parametrize("alpha", [0, 0.1, 0.5, 1.0])
@settings(max_examples=20, deadline=None)
@given(case=cases(at_least=1))
def test_pinball(alpha: float, case: Case) -> None:
    compare("mean_pinball_loss", case, alpha=alpha)


@pytest.mark.parametrize("force_finite", [True, False])
@pytest.mark.parametrize("name", SCORES)
@settings(max_examples=60, deadline=None)
@given(case=cases(), by_variance=st.booleans())
def test_shares_of_variance(name: str, force_finite: bool, case: Case, by_variance: bool) -> None:
    case = case._replace(outputs="variance_weighted") if by_variance else case
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # scikit-learn divides by the spread 0
        compare(name, case, force_finite=force_finite)


@settings(max_examples=40, deadline=None)
@given(case=cases(at_least=1))
def test_largest_error(case: Case) -> None:
    true, predicted = (values.reshape(len(values), -1)[:, 0] for values in case[:2])
    assert ours.max_error(true, predicted) == peer.max_error(true, predicted)


@pytest.mark.parametrize("name", [*LOSSES, *LOGARITHMIC, *SCORES])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_random_data_of_every_size(name: str, weighted: bool, scale: float) -> None:
    random = np.random.default_rng(len(name))
    true = random.lognormal(size=(501, 4)) * scale
    predicted = true * random.lognormal(sigma=0.3, size=true.shape)
    weight = random.uniform(0.1, 5, 501) if weighted else None
    for outputs in ("raw_values", "uniform_average", [1, 2, 3, 4]):
        wanted = getattr(peer, name)(true, predicted, sample_weight=weight, multioutput=outputs)
        found = getattr(ours, name)(true, predicted, sample_weight=weight, multioutput=outputs)
        np.testing.assert_allclose(found, wanted, rtol=1e-10)


@pytest.mark.parametrize("name", ["r2_score", "d2_absolute_error_score"])
def test_one_row_has_no_share(name: str) -> None:
    for module in (ours, peer):
        with pytest.warns(UndefinedMetricWarning, match="score is not well-defined with less than two samples"):
            assert np.isnan(getattr(module, name)([1.0], [2.0]))


@pytest.mark.parametrize("name", [*LOSSES[:-1], *LOGARITHMIC, "explained_variance_score"])
def test_one_row(name: str) -> None:
    compare(name, Case(np.array([3.0]), np.array([5.0]), None, "uniform_average"))
    compare(name, Case(np.array([3.0]), np.array([5.0]), np.array([2.0]), "raw_values"))


def test_no_outputs_named_is_their_mean() -> None:
    true, predicted = [[1, 2], [3, 5]], [[1, 3], [2, 5]]
    assert ours.r2_score(true, predicted, multioutput=None) == peer.r2_score(true, predicted, multioutput=None)


PHRASES: list[tuple[str, str, tuple[Any, Any], dict[str, Any]]] = [
    ("mean_squared_error", "Found array with 0 sample", ([], []), {}),
    ("mean_squared_error", "Found input variables with inconsistent numbers of samples", ([1], [1, 2]), {}),
    ("mean_squared_error", "inconsistent numbers of samples", ([1, 2], [1, 2]), {"sample_weight": [1]}),
    ("r2_score", "contains NaN", ([np.nan, 1], [1, 2]), {}),
    ("r2_score", "contains infinity or a value too large", ([1, 2], [np.inf, 2]), {}),
    ("mean_absolute_error", "different number of output", ([[1, 2]], [[1]]), {}),
    ("mean_absolute_error", "while dim <= 2 is required", ([[[1.0]]], [[[1.0]]]), {}),
    (
        "mean_absolute_error",
        "Custom weights are useful only in multi-output cases",
        ([1, 2], [1, 3]),
        {"multioutput": [1]},
    ),
    ("mean_absolute_error", "equally many custom weights", ([[1, 2]], [[1, 3]]), {"multioutput": [1, 2, 3]}),
    ("mean_absolute_error", "at least one non-zero number", ([1, 2], [1, 3]), {"sample_weight": [0, 0]}),
    ("mean_absolute_error", "Sample weights must be 1D array", ([1, 2], [1, 3]), {"sample_weight": [[1], [2]]}),
    ("max_error", "Multioutput not supported in max_error", ([[1, 2]], [[1, 2]]), {}),
    ("mean_squared_log_error", "Mean Squared Logarithmic Error cannot be used when", ([-1, 2], [1, 2]), {}),
    ("root_mean_squared_log_error", "Root Mean Squared Logarithmic Error cannot be used", ([1, 2], [-3, 2]), {}),
]


@pytest.mark.parametrize(("name", "phrase", "data", "options"), PHRASES, ids=lambda value: str(value)[:40])
def test_their_phrases(name: str, phrase: str, data: Any, options: Any) -> None:
    for module in (ours, peer):
        with pytest.raises(ValueError, match=phrase):
            getattr(module, name)(*data, **options)


@pytest.mark.parametrize("name", [*LOSSES, *LOGARITHMIC, *SCORES, "max_error"])
def test_arguments(name: str) -> None:
    """Same names, kinds and defaults."""
    found, wanted = (
        [(each.name, each.kind, each.default) for each in inspect.signature(getattr(module, name)).parameters.values()]
        for module in (ours, peer)
    )
    assert found == wanted
