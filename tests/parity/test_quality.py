"""Profiles and associations against pandas, SciPy, polars and NumPy."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats

from pellucid.quality import Accumulator, correlation_ratio, cramers_v, profile

from .drawn import numbers


def column(random: np.random.Generator) -> np.ndarray:
    """Random numbers: many or few values, missing ones, far from zero, whole or not, float32 or integers."""
    n = int(random.choice([1, 2, 3, 50, 1000, 20_000]))
    x = random.normal(size=n) * 10.0 ** random.integers(-6, 7) + random.choice([0, 0, 1e5])
    if random.random() < 0.4:
        x = np.round(x)
    if random.random() < 0.3:
        x = random.integers(0, 9, size=n).astype(float)
    kind = random.choice(["f64", "gaps", "f32", "i32", "i64", "u8"])
    if kind == "gaps":
        x[random.random(n) < 0.3] = np.nan
    if kind in ("i32", "i64", "u8"):
        return random.integers(0, int(random.choice([3, 200])), size=n).astype(
            {"i32": "i4", "i64": "i8", "u8": "u1"}[kind]
        )
    return x.astype(np.float32) if kind == "f32" else x


@pytest.mark.parametrize("seed", numbers(60))
def test_numbers_are_described_as_pandas_and_scipy_do(seed: int) -> None:
    x = column(np.random.default_rng(seed))
    ours = profile(pd.DataFrame({"x": x}), associations=False)["x"]
    series = pd.Series(x.astype(np.float64))
    present = series.dropna()
    assert ours.missing == int(series.isna().sum())
    assert ours.distinct == series.nunique()
    if present.empty:
        assert ours.kind == "empty"
        return
    found = ours.numbers
    assert found is not None
    size = 1e-12 * float(present.abs().max())
    assert found.mean == pytest.approx(present.mean(), rel=1e-11, abs=size)
    assert found.sd == pytest.approx(present.std(), rel=1e-9, abs=size, nan_ok=True)
    assert found.quartiles == pytest.approx(present.quantile([0.25, 0.5, 0.75]).tolist(), rel=1e-12, abs=size)
    assert (found.minimum, found.maximum) == (present.min(), present.max())
    if present.nunique() > 1:
        # Deviations lose what the mean has more than they: the tolerance says so.
        lost = 1e-10 + 1e-13 * float(present.abs().max() / present.std())
        assert found.skewness == pytest.approx(stats.skew(present.to_numpy()), rel=1e-6, abs=lost)
        if len(present) > 2:
            assert found.skewness_adjusted == pytest.approx(present.skew(), rel=1e-6, abs=10 * lost)
    counts = present.value_counts()
    assert found.n_modes == (0 if counts.max() == 1 and len(present) > 1 else len(present.mode()))
    assert list(found.modes) == pytest.approx(present.mode().tolist()[:10] if found.n_modes else [])
    assert ours.top[0].count == counts.max()
    outside = (present < found.fences.low) | (present > found.fences.high)
    assert found.outside_fences == int(outside.sum())
    if len(found.histogram.edges) > 2:
        assert list(found.histogram.counts) == np.histogram(present, found.histogram.edges)[0].tolist()


@pytest.mark.parametrize("seed", numbers(20))
def test_v_is_scipys_association(seed: int) -> None:
    random = np.random.default_rng(seed)
    n = int(random.choice([8, 60, 3000]))
    x = random.choice(list("abcde")[: int(random.integers(2, 6))], size=n)
    y = np.where(random.random(n) < 0.4, x, random.choice(list("uvw"), size=n))
    table = pd.crosstab(x, y).to_numpy()
    if min(table.shape) < 2:
        table = table[:, :]
        with pytest.raises(ValueError, match="at least two categories"):
            cramers_v(x, y)
        return
    assert cramers_v(x, y) == pytest.approx(stats.contingency.association(table, method="cramer"), rel=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_the_ratio_is_the_share_that_an_analysis_of_variance_explains(seed: int) -> None:
    random = np.random.default_rng(seed)
    groups = random.choice(list("abc"), size=200)
    x = random.normal(size=200) + 0.5 * (groups == "a")
    f = stats.f_oneway(*(x[groups == k] for k in "abc")).statistic
    share = f * 2 / (f * 2 + 197)  # F = (share / 2) / ((1 - share) / 197)
    assert correlation_ratio(groups, x) ** 2 == pytest.approx(share, rel=1e-9)


@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_pearson_is_that_of_pandas(gaps: float) -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(5000, 6)) @ random.normal(size=(6, 6)) + np.array([0, 5, 1e4, 0, 0, 0])
    X[random.random(X.shape) < gaps] = np.nan
    frame = pd.DataFrame(X, columns=list("abcdef"))
    for found in (profile(frame), Accumulator().add(frame[:1234]).add(frame[1234:]).profile()):
        assert found.associations is not None
        np.testing.assert_allclose(found.associations.pearson.array, frame.corr().to_numpy(), rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_duplicate_rows_are_those_of_pandas_and_polars(seed: int) -> None:
    random = np.random.default_rng(seed)
    n = 400
    frame = pd.DataFrame(
        {
            "a": random.choice([0.0, 1.5, np.nan], n),
            "b": random.choice(["x", "y", None], n),
            "c": random.integers(0, 3, n),
            "d": pd.to_datetime(random.choice(["2020-01-01", "2021-01-01"], n)),
            "e": random.random(n) < 0.5,
        }
    )
    assert profile(frame).duplicates == int(frame.duplicated().sum())
    other = pl.from_pandas(frame)
    assert profile(other).duplicates == n - other.n_unique()


def test_texts_are_counted_as_pandas_counts_them() -> None:
    random = np.random.default_rng(1)
    words = pd.Series([f"word {k}" for k in random.zipf(1.5, 5000)])
    words[random.random(5000) < 0.1] = None
    found = profile(pd.DataFrame({"w": words}))["w"]
    counts = words.value_counts()
    assert (found.missing, found.distinct) == (int(words.isna().sum()), words.nunique())
    assert [entry.count for entry in found.top] == counts.tolist()[:10]
    assert all(counts[entry.value] == entry.count for entry in found.top)
    assert found.lengths is not None
    assert found.lengths.mean == pytest.approx(words.dropna().str.len().mean())
