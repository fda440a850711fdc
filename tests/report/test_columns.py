"""Columns are used by what their values mean: no identifier and no code is a number for a model."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.pipeline import make_pipeline

from pellucid.dummy import DummyClassifier
from pellucid.quality import profile
from pellucid.report.cleaning import report_cleaner
from pellucid.report.columns import Columns, columns_of, origin, preparation, roles_of, with_names_apart
from pellucid.report.fitted_use import roles_as_fitted

N = 240
RNG = np.random.default_rng(0)
DAYS = np.datetime64("2019-01-01") + RNG.integers(0, 900, N).astype("timedelta64[D]")
TABLE = pl.DataFrame(
    {
        "member": RNG.permutation(np.arange(90_001, 90_001 + N)),
        "phone": RNG.integers(2 * 10**9, 9 * 10**9, N),
        "zip": [None if i % 40 == 0 else float(z) for i, z in enumerate(RNG.choice([35233, 2134, 10001, 94110], N))],
        "joined": [int(str(day).replace("-", "")) for day in DAYS],
        "seen": 1_600_000_000 + 3600 * RNG.integers(0, 9000, N),
        "satisfied": RNG.choice(["low", "medium", "high"], N),
        "built": RNG.integers(1950, 2020, N),
        "income": RNG.choice(np.arange(10_000, 90_000), N, replace=False),
    }
)
PROFILE = profile(TABLE, associations=False)


def found() -> Columns:
    return columns_of(roles_of(PROFILE, None), PROFILE)


def test_the_role_follows_from_the_meaning() -> None:
    columns = found()
    assert columns.numbers == ("built", "income")
    assert columns.codes == ("zip",)
    assert columns.times == ("joined", "seen")
    assert columns.scales == (("satisfied", ("low", "medium", "high")),)
    assert columns.formats == (("joined", "%Y%m%d"), ("seen", "%s"))
    reasons = {role.column: role.why for role in roles_of(PROFILE, None) if role.role == "left out"}
    assert list(reasons) == ["member", "phone"]


def prepared(form: Any) -> tuple[list[str], Any]:
    fitted = preparation(found(), form).fit(TABLE)
    return [str(name) for name in fitted.get_feature_names_out()], fitted.transform(TABLE)


def test_models_that_split_see_ranks_dates_and_a_column_per_code() -> None:
    names, table = prepared("table")
    assert {"zip_2134", "zip_35233", "joined_year", "seen_hour", "satisfied"} <= set(names)
    assert "zip" not in names
    ranks = dict(zip(TABLE["satisfied"], np.asarray(table["satisfied"]).tolist(), strict=True))
    assert ranks == {"low": 0.0, "medium": 1.0, "high": 2.0}


def test_a_matrix_has_a_column_per_level() -> None:
    names, table = prepared("matrix")
    assert {"zip_2134", "satisfied_low", "satisfied_high", "joined_month"} <= set(names)
    assert np.isfinite(np.asarray(table)).all()


def test_an_identifier_of_few_things_is_a_category() -> None:
    table = pl.DataFrame({"store_id": RNG.integers(101, 131, 900), "x": RNG.normal(size=900)})
    described = profile(table, associations=False)
    assert described["store_id"].semantic.name == "identifier"
    assert columns_of(roles_of(described, None), described).codes == ("store_id",)


@pytest.mark.parametrize("values", [[20240131, 20240229, 0] * 40, [20240131.0, 20240229.0, None] * 40])
def test_what_is_no_date_is_missing(values: list[Any]) -> None:
    table = pl.DataFrame({"day": [*values, *(int(str(day).replace("-", "")) for day in DAYS)]}, strict=False)
    described = profile(table, associations=False)
    columns = columns_of(roles_of(described, None), described)
    made = preparation(columns, "table").fit(table).transform(table)
    assert int(np.isnan(np.asarray(made["day_year"])).sum()) == 40


def test_the_only_column_is_used_even_if_it_counts_the_rows() -> None:
    table = pl.DataFrame({"x": np.arange(1, 61), "y": RNG.normal(size=60)})
    roles = roles_of(profile(table, associations=False), "y")
    assert [role.role for role in roles] == ["number"]


@pytest.mark.parametrize(
    ("values", "numbers"),
    [
        (["$1,200.50", "$80.00", "$9.25"], [1200.5, 80.0, 9.25]),
        (["12.5%", "40%", "7.25%"], [12.5, 40.0, 7.25]),
        (["30 kg", "7.5 kg", "12 kg"], [30.0, 7.5, 12.0]),
        (["12.5%", "0.4", "7.25%"], None),  # is 0.4 a share or a percentage?
        (["30 kg", "7.5 lb", "12 kg"], None),
        (["0", "1", "2", "3+"], None),  # levels
        # below the limit of detection: models see the limit
        (["<0.5", "<0.5", "<0.5", *(f"{k}.5" for k in range(12))], [0.5, 0.5, 0.5, *(k + 0.5 for k in range(12))]),
        (["+1", "+44", "+49"], None),  # calling codes
        (["three", "7", "12"], [3.0, 7.0, 12.0]),
        (["72801C", "72801", "72802A"], None),
        ([*(f"{k}.5 °C" for k in range(25)), "err"], [*(k + 0.5 for k in range(25)), None]),
        ([*(str(k) for k in range(1, 25)), "X"], None),  # chromosomes
        ([*(f"{k}.5 °C" for k in range(12)), "err"], None),  # the words are too many
    ],
)
def test_amounts_in_text_are_numbers_if_all_of_them_are(values: list[str], numbers: list[float] | None) -> None:
    table = pl.DataFrame({"v": values * 20, "x": RNG.normal(size=20 * len(values))})
    cleaned = report_cleaner(table).clean(table)
    assert cleaned.table["v"].to_list() == (values if numbers is None else numbers) * 20
    assert cleaned.log.n_cells == 0  # the texts in the file stay


def test_a_column_that_says_train_or_test_is_no_feature() -> None:
    random = np.random.default_rng(0)
    part = np.where(random.random(300) < 0.8, "train", "test")
    roles = {
        role.column: role
        for role in roles_of(profile(pl.DataFrame({"split": part, "x": random.normal(size=300)})), None)
    }
    assert roles["split"].role == "left out"
    assert "which part of the data" in roles["split"].why
    test_kind = pl.DataFrame({"kind": np.where(part == "train", "pretest", "test"), "x": random.normal(size=300)})
    assert roles_of(profile(test_kind), None)[0].role == "category"


def test_what_is_said_of_scales_and_times_is_what_was_fitted() -> None:
    """A matrix has a column for each level of a scale, a table its ranks; the parts of a time are those that vary."""
    y = np.arange(N) % 2
    roles = {}
    for form in ("table", "matrix"):
        model = make_pipeline(preparation(found(), form), DummyClassifier()).fit(TABLE, y)
        roles[form] = {role.column: role for role in roles_as_fitted(roles_of(PROFILE, None), model)}
    assert (roles["table"]["satisfied"].role, roles["matrix"]["satisfied"].role) == ("ordinal", "category")
    assert roles["table"]["satisfied"].why.endswith("ranks")
    assert roles["matrix"]["satisfied"].why == "one column for each frequent value"
    assert roles["table"]["joined"].why.startswith("taken apart into year, month, day, day of week: ")


def test_repeated_identifiers_are_counted() -> None:
    table = pl.DataFrame({"order_id": [f"ORD-{i:05d}" for i in [*range(198), 3, 7]], "x": RNG.normal(size=200)})
    (why,) = [role.why for role in roles_of(profile(table, associations=False), None) if role.column == "order_id"]
    assert "several" not in why
    assert "2 rows with a value that an earlier row has" in why


@pytest.mark.parametrize("form", ["table", "matrix"])
def test_new_columns_never_have_the_name_of_others(form: Any) -> None:
    """A column that was encoded before stands beside its own; a text says what a missing value is called."""
    colors = ["red", "blue", "None", None] * 60
    table = pl.DataFrame(
        {"color": colors, "color_red": [1.5, 0.0, 0.0, 0.5] * 60, "day": DAYS, "day_month": RNG.random(N)}
    )
    columns = Columns(("color_red", "day_month"), ("color",), ("day",))
    assert not with_names_apart(Columns(("day_month",), ("color",)), table).prefixed
    apart = with_names_apart(columns, table)
    names = [str(name) for name in preparation(apart, form).fit(table).get_feature_names_out()]
    assert len(set(names)) == len(names)
    origins = [origin(name, apart) for name in names]
    assert {("color_red", ""), ("day_month", ""), ("day", "month")} <= set(origins)
    assert form == "table" or ("color", "red") in origins


def test_values_that_repeat_are_not_said_to_be_unique() -> None:
    zips = [f"{k % 200:05d}" for k in range(240)]
    described = profile(pl.DataFrame({"zip_code": zips, "x": RNG.normal(size=240)}), associations=False)
    role = roles_of(described, None)[0]
    assert role.role == "left out"
    assert "every row has its own" not in role.why
    assert "200 different values in 240 rows" in role.why


def test_a_value_that_occurs_once_is_not_said_to_say_nothing() -> None:
    """Months, each with one row, are no identifiers; there is only no second row to learn from."""
    months = [f"{1980 + k // 12}-{k % 12 + 1:02d}" for k in range(240)]
    role = roles_of(profile(pl.DataFrame({"month": months, "x": RNG.normal(size=240)}), associations=False), None)[0]
    assert "identifier" not in role.why
