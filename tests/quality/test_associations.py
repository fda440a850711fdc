"""Associations: by hand, by the plain reference, and at their ends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pellucid import working
from pellucid.base.errors import DataError
from pellucid.quality import correlation_ratio, cramers_v, near_duplicates, profile
from pellucid.quality.associations import PairSums
from pellucid.reference import associations as plain
from pellucid.working import show

WORDS = st.lists(st.sampled_from("abcd"), min_size=4, max_size=40)


def test_v_worked_by_hand() -> None:
    # 10 20 / 30 40: e = 12 18 / 28 42, chi² = 4/12 + 4/18 + 4/28 + 4/42 = 50/63, V = sqrt(chi² / 100)
    x = ["r"] * 30 + ["s"] * 70
    y = ["u"] * 10 + ["v"] * 20 + ["u"] * 30 + ["v"] * 40
    assert cramers_v(x, y) == pytest.approx((50 / 63 / 100) ** 0.5)
    # phi² = 50/6300 - 1/99 < 0
    assert cramers_v(x, y, corrected=True) == 0.0


def test_the_ratio_worked_by_hand() -> None:
    # means 2 and 6 about 4: 2 4 + 2 4 = 16 of 9 + 1 + 1 + 9 = 20
    assert correlation_ratio(["a", "a", "b", "b"], [1, 3, 5, 7]) == pytest.approx((16 / 20) ** 0.5)
    assert correlation_ratio(["a", "b", "a", "b"], [1, 1, 3, 3]) == pytest.approx(0.0, abs=1e-12)


@settings(max_examples=100, deadline=None)
@given(WORDS, st.randoms(use_true_random=False))
def test_v_is_that_of_the_reference(x: list[str], random: Any) -> None:
    y = [random.choice("uvw") for _ in x]
    assume(len(set(x)) > 1)
    assume(len(set(y)) > 1)
    assert cramers_v(x, y) == pytest.approx(plain.cramers_v(x, y), abs=1e-7)
    assert cramers_v(y, x) == pytest.approx(cramers_v(x, y), abs=1e-7)
    table = plain.contingency(x, y)
    n, (r, c) = len(x), table.shape
    if min(r - (r - 1) ** 2 / (n - 1), c - (c - 1) ** 2 / (n - 1)) > 1.01:
        wanted = min(1.0, plain.cramers_v(x, y, corrected=True))
        assert cramers_v(x, y, corrected=True) == pytest.approx(wanted, abs=1e-6)


@settings(max_examples=100, deadline=None)
@given(WORDS, st.integers(0, 1000))
def test_the_ratio_is_that_of_the_reference(groups: list[str], seed: int) -> None:
    x = np.random.default_rng(seed).uniform(-5, 5, len(groups))
    assert correlation_ratio(groups, x) == pytest.approx(plain.correlation_ratio(groups, x), abs=1e-9)


def test_rows_without_both_are_left_out() -> None:
    x = ["a", "a", "b", "b", None, "a"]
    y = ["u", "u", "v", "v", "u", None]
    assert cramers_v(x, y) == 1.0
    assert correlation_ratio(["a", "b", None, "a"], [1.0, 2.0, 50.0, np.nan]) == 1.0
    assert cramers_v(pd.Series(x), pd.Series(y)) == 1.0


def test_huge_numbers_do_not_overflow() -> None:
    assert correlation_ratio(["a", "a", "b", "b"], [1e300, 3e300, 5e300, 7e300]) == pytest.approx(0.8**0.5)
    assert correlation_ratio(["a", "a", "b", "b"], [1e-300, 3e-300, 5e-300, 7e-300]) == pytest.approx(0.8**0.5)


def test_refusals() -> None:
    with pytest.raises(DataError, match="cramers_v: x must have at least two categories; there is one"):
        cramers_v(["a", "a"], ["u", "v"])
    with pytest.raises(DataError, match="x and y must be of equal length; got lengths of 2 and 1"):
        cramers_v(["a", "b"], ["u"])
    with pytest.raises(DataError, match="numbers must take at least two different values"):
        correlation_ratio(["a", "b"], [1, 1])
    with pytest.raises(DataError, match="numbers must be finite"):
        correlation_ratio(["a", "b"], [1, np.inf])
    with pytest.raises(DataError, match="numbers must hold numbers"):
        correlation_ratio(["a", "b"], ["x", "y"])
    with pytest.raises(DataError, match="both must be of equal length"):
        correlation_ratio(["a", "b"], [1, 2, 3])
    with pytest.raises(DataError, match="x must hold at least one value"):
        cramers_v([], [])
    with pytest.raises(DataError, match="x must be one column; got shape"):
        cramers_v([["a"], ["b"]], ["a", "b"])


# -------------------------------------------------------------------------------------------------------------- Pearson


def table(rows: int, seed: int) -> Any:
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, 5)) * 10.0 ** np.array([0, 6, -5, 2, 0]) + np.array([0, 1e7, 3, -50, 1])
    X[:, 4] = 0.3 * X[:, 0] + random.normal(size=rows)
    X[random.random(X.shape) < 0.15] = np.nan
    return X


@pytest.mark.parametrize("rows", [10, 500, 70_000])
def test_pearson_is_that_of_the_rows_with_both(rows: int) -> None:
    X = table(rows, rows)
    found = profile(X).associations
    assert found is not None
    for i in range(5):
        for j in range(5):
            assert found.pearson[f"x{i}", f"x{j}"] == pytest.approx(plain.pearson(X[:, i], X[:, j]), abs=1e-9)


def test_sums_of_two_parts_are_the_sums_of_the_whole() -> None:
    X = table(400, 1)
    columns = [np.ascontiguousarray(X[:, j]) for j in range(5)]
    whole = PairSums.start(columns).add(columns)
    first, second = [c[:150] for c in columns], [c[150:] for c in columns]
    parts = PairSums.start(first).add(first).merge(PairSums.start(second).add(second))
    np.testing.assert_allclose(parts.pearson, whole.pearson, rtol=1e-9, atol=1e-12)
    assert parts.line(0, 4) == pytest.approx(whole.line(0, 4))
    both = ~np.isnan(X[:, 0]) & ~np.isnan(X[:, 4])
    assert whole.line(0, 4) == pytest.approx(plain.line(X[both, 0], X[both, 4]))


def test_a_column_that_does_not_vary_has_no_correlation() -> None:
    found = profile(pd.DataFrame({"a": [1.0, 2.5, 3.0], "b": [0.5, np.nan, 0.5], "c": [5.0, 5.5, 5.0]})).associations
    assert found is not None
    assert found.pearson.rows == ("a", "c")
    apart = profile(pd.DataFrame({"a": [1.5, 2.0, np.nan, np.nan], "b": [np.nan, np.nan, 1.5, 2.0]})).associations
    assert apart is not None
    assert np.isnan(apart.pearson["a", "b"])


def test_a_function_is_told_as_the_reference_does() -> None:
    random = np.random.default_rng(9)
    a = random.integers(0, 12, 400)
    frame = pd.DataFrame({"a": a.astype(str), "b": (a % 4).astype(str), "c": random.integers(0, 3, 400).astype(str)})
    frame = frame.map(lambda text: "k" + text)
    found = profile(frame).associations
    assert found is not None
    told = {(one.of, one.column) for one in found.redundant}
    wanted = {(x, y) for x in frame for y in frame if x != y and plain.tells(frame[x].tolist(), frame[y].tolist())}
    assert told == wanted == {("a", "b")}


# -------------------------------------------------------------------------------------------------------------- working


def test_workings_end_in_the_measures(tmp_path: Any) -> None:
    x, y = ["a", "a", "b", "b", "b"], ["u", "v", "v", "v", "u"]
    shown = working.show(cramers_v, x, y)
    assert shown.value("V") == pytest.approx(cramers_v(x, y))
    corrected = working.show(cramers_v, x * 4, y * 4, corrected=True)
    assert corrected.value("V") == pytest.approx(cramers_v(x * 4, y * 4, corrected=True))
    ratio = working.show(correlation_ratio, x, [1.0, 2.0, 4.0, 8.0, np.nan])
    assert ratio.value("eta") == pytest.approx(correlation_ratio(x[:4], [1.0, 2.0, 4.0, 8.0]))
    for name, one in (("v", shown), ("corrected", corrected), ("ratio", ratio)):
        assert all((one.to_text(), one.to_html(), one.to_markdown(), one.to_latex()))
        one.to_excel(tmp_path / f"{name}.xlsx")


def test_missing_values_in_lists_of_words_are_no_category() -> None:
    x, y = ["a", "a", "b", "b", "a", "b"], ["u", "u", "v", "u", "v", float("nan")]
    assert cramers_v(x, y) == cramers_v(x[:5], y[:5])
    assert show(cramers_v, x, y).value("V") == pytest.approx(1 / 6)


def test_the_working_of_a_profile() -> None:
    """1, 2, 2, 3, 7: mean 3, mode 2, so right-skewed; quartiles 2, 2, 3 by ranks and 1.5, 2, 5 by halves."""
    shown = show(profile, [[1], [2], [2], [3], [7]])
    assert shown.value("skew") == "right-skewed"
    assert [shown.value(f"{name}_linear") for name in ("lower", "median", "upper")] == [2, 2, 3]
    assert [shown.value(f"{name}_halves") for name in ("lower", "median", "upper")] == [1.5, 2, 5]
    assert [shown.value(name) for name in ("low", "high", "above_fences")] == [0.5, 4.5, 1]


def test_the_working_of_two_rows_that_are_asked_for() -> None:
    table = pd.DataFrame({"name": ["Braund, Owen Harris", "Cumings, John", "Braund, Owen Haris", "Cumings, Jhon"],
                          "fare": [7.25, 71.3, 7.25, 71.3]})  # fmt: skip
    found = near_duplicates(table)
    for at, pair in enumerate(zip(found.left.tolist(), found.right.tolist(), strict=True)):
        assert show(near_duplicates, table, pair=pair).value("similarity") == pytest.approx(found.similarity[at])
    with pytest.raises(DataError, match="pair must be two rows that were found to be nearly equal; got"):
        show(near_duplicates, table, pair=(0, 1))


def test_many_small_groups_are_not_said_to_tell_a_number() -> None:
    """The means of 200 groups of four rows differ by chance: eta is about 0.5, and says nothing."""
    random = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "plot": [f"plot {k}" for k in random.integers(0, 200, 800)],
            "crop": random.choice(["rye", "oat"], 800),
            "yield": random.normal(size=800),
        }
    )
    table["yield"] += 0.8 * (table["crop"] == "rye")
    first, second = profile(table, target="yield").with_target
    assert (first.column, second.column) == ("crop", "plot")
    assert first.measure == "bias-corrected correlation ratio"
    assert first.value == pytest.approx(correlation_ratio(table["crop"], table["yield"]), abs=0.01)
    assert second.value < 0.2 < correlation_ratio(table["plot"], table["yield"])
    assert profile(table, target="yield", corrected=False).with_target[0].column == "plot"
