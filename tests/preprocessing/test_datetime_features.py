"""DateTimeFeatures: Python's own calendar, every form of times, pairs, missing values, and refusals."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta, timezone
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pellucid.base.errors import DataError, DataTypeError, ParameterError
from pellucid.preprocessing import DateTimeFeatures
from pellucid.preprocessing.datetime_features import FEATURES
from pellucid.reference import datetime_features as reference

NAN = float("nan")
TIMES = st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59))
PARTS = ["year", "month", "day", "hour", "minute", "second"]
NOON = [datetime(2015, 9, 27, 6, 26, 46), None, datetime(2016, 2, 29, 23, 59, 59)]
SPLIT = [[2015, 9, 27, 6, 26, 46], [NAN] * 6, [2016, 2, 29, 23, 59, 59]]


def column(values: Any) -> Any:
    return np.array(list(values), dtype=object)[:, None]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(TIMES, st.none()), min_size=1, max_size=20))
def test_every_feature_is_that_of_pythons_calendar(times: list[datetime | None]) -> None:
    model = DateTimeFeatures(features=list(FEATURES), columns=[0]).fit(column(times))
    found = dict(zip(model.get_feature_names_out(["t"]).tolist(), model.transform(column(times)).T, strict=True))
    if all(t is None for t in times):
        assert np.isnan(np.array(list(found.values()))).all()
        return
    for name in reference.FEATURES:
        np.testing.assert_allclose(found[f"t_{name}"], reference.feature(times, name), rtol=1e-15)
    for name in reference.CYCLES:
        circle = np.column_stack([found[f"t_{name}_sin"], found[f"t_{name}_cos"]])
        np.testing.assert_allclose(circle, reference.on_circle(times, name), atol=1e-12)


def zoned(values: list[Any]) -> Any:
    return pd.DataFrame({"t": pd.to_datetime(values).tz_localize("Europe/Berlin")})


FORMS: dict[str, Any] = {
    "objects": column(NOON),
    "datetime64": np.array(NOON, dtype="datetime64[s]")[:, None],
    "big endian": np.array(NOON, dtype="datetime64[ns]").astype(">M8[ns]")[:, None],
    "pandas": pd.DataFrame({"t": NOON}),
    "pandas with a zone": zoned(NOON),
    "polars": pl.DataFrame({"t": NOON}),
    "polars with a zone": pl.DataFrame({"t": pl.Series(NOON).dt.replace_time_zone("Asia/Tokyo")}),
    "pyarrow": pa.table({"t": NOON}),
    "ISO text": column(["2015-09-27 06:26:46", None, "2016-02-29T23:59:59"]),
    "ISO text with a zone": column(["2015-09-27T06:26:46Z", "", "2016-02-29T23:59:59+02:00"]),
    "text array": np.array([["2015-09-27 06:26:46"], [""], ["2016-02-29 23:59:59.9"]]),
    "German text": column(["27.09.2015 06:26:46", NAN, "29.02.2016 23:59:59"]),
    "American text": column(["09/27/2015 06:26:46", None, "02/29/2016 23:59:59"]),
    "months by name": column(["27 Sep 2015 06:26:46", None, "29 Feb 2016 23:59:59"]),
    "twelve hours": column(["2015/09/27 06:26:46 AM", None, "2016/02/29 11:59:59 PM"]),
    "objects with a zone": column([NOON[0].replace(tzinfo=timezone(timedelta(hours=5))), None, NOON[2]]),
    "pandas text": pd.DataFrame({"t": ["2015-09-27 06:26:46", None, "2016-02-29 23:59:59"]}),
    "polars text": pl.DataFrame({"t": ["2015-09-27 06:26:46", None, "2016-02-29 23:59:59"]}),
}


@pytest.mark.parametrize("form", FORMS)
def test_times_in_any_form(form: str) -> None:
    model = DateTimeFeatures(features=PARTS)
    np.testing.assert_array_equal(model.fit(FORMS[form]).transform(FORMS[form]), SPLIT)
    np.testing.assert_array_equal(DateTimeFeatures().fit_transform(FORMS[form])[0, :6], SPLIT[0])


@pytest.mark.parametrize(
    "table",
    [
        column([date(2015, 9, 27), None]),
        np.array([["2015-09-27"], ["NaT"]], dtype="datetime64[D]"),
        pl.DataFrame({"t": [date(2015, 9, 27), None]}),
        pa.table({"t": [date(2015, 9, 27), None]}),
        pd.DataFrame({"t": pd.period_range("2015-09-27", periods=2, freq="D").where([True, False])}),
        column(["2015-09-27", None]),
        column(["27.09.15", None]),
        column(["20150927", None]),
    ],
)
def test_dates(table: Any) -> None:
    found = DateTimeFeatures(features=["year", "month", "day"]).fit_transform(table)
    np.testing.assert_array_equal(found, [[2015, 9, 27], [NAN] * 3])


@pytest.mark.parametrize(
    "table",
    [
        column([time(6, 26, 46), None]),
        pl.DataFrame({"t": [time(6, 26, 46), None]}),
        pa.table({"t": [time(6, 26, 46), None]}),
        column(["06:26:46", None]),
        column(["6:26:46 AM", ""]),
    ],
)
def test_times_of_day(table: Any) -> None:
    found = DateTimeFeatures(features=["hour", "minute", "second", "year", "timestamp"]).fit_transform(table)
    np.testing.assert_array_equal(found, [[6, 26, 46, 23206], [NAN] * 4])


def test_what_varies_is_chosen() -> None:
    frame = pd.DataFrame({"free": [3, 1], "Date": ["2015-09-27", "2015-09-20"], "Time": ["10:00", "10:30"]})
    apart = DateTimeFeatures().set_output(transform="pandas")
    assert apart.fit_transform(frame).columns.tolist() == ["free", "Date_day", "Time_minute"]
    together = DateTimeFeatures(pairs=[("Date", "Time")], remainder="drop").set_output(transform="polars")
    assert together.fit_transform(frame).to_dict(as_series=False) == {"Date_day": [27, 20], "Date_minute": [0, 30]}
    assert together.features_ == {1: ["day", "minute"]}
    later = frame.assign(Date=["2031-01-05", None])[["Time", "free", "Date"]]
    np.testing.assert_array_equal(together.transform(later).to_numpy(), [[5, 0], [NAN, NAN]])


@pytest.mark.parametrize(
    ("dates", "features"),
    [
        (["2015-01", "2015-02", "2016-03"], ["year", "month"]),
        (["2015-01-31", "2015-03-31", "2016-05-31"], ["year", "month"]),
        (["2015-01-31", "2015-02-28", "2016-04-30"], ["year", "month"]),
        (["2015-01-30", "2015-02-28", "2016-04-30"], ["year", "month", "day", "day_of_week"]),
        (["2015-01-01", "2016-01-01", "2017-01-01"], ["year"]),
        (["2015-01-01", "2015-01-02", "2015-02-01"], ["month", "day", "day_of_week"]),
    ],
)
def test_months_and_years_have_no_weekday(dates: list[str], features: list[str]) -> None:
    """That of their first or last day varies, but says nothing about them."""
    model = DateTimeFeatures(columns=[0], format="%Y-%m" if len(dates[0]) == 7 else "%Y-%m-%d").fit(column(dates))
    assert model.features_ == {0: features}
    model.show_fit(column(dates))


def test_the_form_is_remembered() -> None:
    model = DateTimeFeatures(features=["day", "month"]).fit(column(["13/04/2015", "01/04/2015"]))
    assert model.formats_ == {0: "%d/%m/%Y"}
    assert model.transform(column(["03/04/2015"])).tolist() == [[3, 4]]
    assert model.transform(column([date(2015, 4, 3)])).tolist() == [[3, 4]]
    given = DateTimeFeatures(features=["day", "month"], format="%m/%d/%Y").fit(column(["03/04/2015"]))
    assert given.transform(column(["03/04/2015"])).tolist() == [[4, 3]]
    mixed = pd.DataFrame({"a": ["03/04/2015"], "b": ["2015.12.24"]})
    by_column = DateTimeFeatures(features=["day"], format={"a": "%m/%d/%Y"}).fit(mixed)
    assert by_column.transform(mixed).tolist() == [[4, 24]]


def test_numbers_stay_as_they_are() -> None:
    X = np.array([[1.5, NAN], [-0.0, 1e308]])
    np.testing.assert_array_equal(DateTimeFeatures().fit_transform(X), X)
    flags = pd.DataFrame({"t": pd.to_datetime(["2015-01-01", "2016-01-01"]), "f": [True, False]})
    np.testing.assert_array_equal(DateTimeFeatures(features=["year"]).fit_transform(flags), [[2015, 1], [2016, 0]])


def test_microseconds_count_in_the_timestamp() -> None:
    found = DateTimeFeatures(features=["timestamp", "second"]).fit_transform(
        column([datetime(1970, 1, 1, 0, 0, 1, 250000)])
    )
    assert found.tolist() == [[1.25, 1]]


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (
            lambda: DateTimeFeatures().fit(pd.DataFrame({"d": ["03/04/2015", "05/06/2015"]})),
            "DateTimeFeatures: the form of the dates in column 'd' must be clear; '03/04/2015' could be '%d/%m/%Y', "
            "'%m/%d/%Y'.",
        ),
        (
            lambda: DateTimeFeatures().fit(pd.DataFrame({"d": ["2015-04-03", "Paris"]})),
            "DateTimeFeatures: column 'd' must hold dates or times of one form; it holds 'Paris' in row 1.",
        ),
        (
            lambda: DateTimeFeatures(features=["day"]).fit(column(["2015-04-03"])).transform(column(["2015-02-30"])),
            "DateTimeFeatures: column 'x0' must hold dates or times of the form ISO 8601; it holds '2015-02-30' in row "
            "0.",
        ),
        (
            lambda: DateTimeFeatures(columns=["a"]).fit(pd.DataFrame({"a": ["2015-04-03"], "b": ["x"]})),
            "DateTimeFeatures: column 'b' must hold numbers to be kept; it holds 'x' in row 0.",
        ),
        (
            lambda: DateTimeFeatures(features=["hour"]).fit(column([date(2015, 4, 3)])),
            "DateTimeFeatures: features must suit column 'x0'; it has no time of day for hour.",
        ),
        (
            lambda: DateTimeFeatures(pairs=[(1, 0)]).fit([["2015-04-03", "10:00"]]),
            "DateTimeFeatures: column 'x1' of a pair must hold dates.",
        ),
        (
            lambda: DateTimeFeatures(columns=["c"]).fit(pd.DataFrame({"a": ["2015-04-03"]})),
            "DateTimeFeatures: columns must name columns of the table; got 'c'; there are 'a'.",
        ),
        (
            lambda: DateTimeFeatures().fit(column([date(2015, 4, 3), {"a": 1}])),
            "DateTimeFeatures: column 'x0' must hold dates or times; it holds {'a': 1} in row 1.",
        ),
    ],
)
def test_refusals_are_one_sentence(act: Any, said: str) -> None:
    with pytest.raises((DataError, DataTypeError, ParameterError)) as caught:
        act()
    assert str(caught.value).splitlines()[0] == said


@pytest.mark.parametrize(
    ("cells", "feature", "value"),
    [
        (["2015-04-03", "2015-04-03"], "x0_year", 2015.0),
        ([np.datetime64("NaT"), np.datetime64("NaT")], "x0_year", np.nan),
    ],
)
def test_times_that_do_not_vary_give_a_column(cells: list[Any], feature: str, value: float) -> None:
    """A fold may hold a single date; it must not fail."""
    splitter = DateTimeFeatures()
    result = splitter.fit_transform(np.array(cells, dtype="datetime64[D]").reshape(-1, 1))
    assert splitter.get_feature_names_out().tolist() == [feature]
    np.testing.assert_array_equal(result, [[value], [value]])


def test_durations_are_refused() -> None:
    with pytest.raises(DataTypeError, match="must hold dates or times"):
        DateTimeFeatures().fit(np.array([[5]], dtype="timedelta64[s]"))


def test_parameters_are_refused() -> None:
    with pytest.raises(ParameterError, match="features must be some of year, month"):
        DateTimeFeatures(features=["decade"]).fit([[1]])
    with pytest.raises(ParameterError, match="a column may stand in one pair only; column 'x0' stands in several"):
        DateTimeFeatures(pairs=[(0, 0)]).fit([["2015-04-03", "10:00"]])


def test_dates_stored_as_integers_are_read_by_their_format() -> None:
    table = pd.DataFrame({"day": [20240229, 20230229, 20231231], "seen": [0.0, 86_400.0, np.nan]})
    splitter = DateTimeFeatures(columns=["day", "seen"], format={"day": "%Y%m%d", "seen": "%s"}, features=["day"])
    np.testing.assert_array_equal(splitter.fit_transform(table), [[29, 1], [np.nan, 2], [31, np.nan]])
