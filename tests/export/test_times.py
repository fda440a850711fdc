"""Exports read times and amounts in raw texts: on dirty rows they predict what the model predicts, or refuse them."""

from __future__ import annotations

import warnings
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import Pipeline, make_pipeline

from pellucid.base.errors import DataError, ParameterError
from pellucid.export import to_python, to_sql
from pellucid.impute import SimpleImputer
from pellucid.linear_model import LinearRegression
from pellucid.preprocessing import DateTimeFeatures
from pellucid.preprocessing.datetime_features import FEATURES
from pellucid.quality import Cleaner, Fix
from pellucid.quality.formats import parse_number, parse_time
from pellucid.quality.grammars import amount_grammar, time_grammar
from pellucid.report.cleaning import report_cleaner
from pellucid.tree import DecisionTreeRegressor

from .test_code import LANGUAGES, assert_same, run

random = np.random.RandomState(8)
N = 60
MOMENTS = pd.to_datetime(random.randint(-800_000_000, 2_000_000_000, N), unit="s")
CORNERS = pd.to_datetime(
    [
        "2000-02-29 23:59:59",
        "1900-02-28",
        "1970-01-01",
        "1969-12-31 23:59:59",
        "2024-12-31",
        "2021-01-03",
        "2100-03-01",
    ],
    format="ISO8601",
)
TIMES = MOMENTS.append(CORNERS)
BAD = [
    "",
    " ",
    None,
    "31.02.2021",
    "2021-02-29",
    "29.02.2000",
    "0000-01-01",
    "2021-13-01",
    "1.2.2021",
    "01.02.21",
    "2021-01-01T25:00",
    "2021-01-01 10:60",
    "n.a.",
    "tomorrow",
    "5 Feb 2021",
    "05 FEBRUARY 2021",
    "Feb 5, 2021 1:05 pm",
    "February 29, 2021 1:05 PM",
    "20210205",
    "2021-02-05x",
    "2021-02-05 10:11:12.1234567",
    "2021-02-05T10:11:12Z",
    "2021-02-05T10:11:12+02:00",
    "2021-02-05T10:11:12-0130",
    "10:05",
    "24:00",
    "1:05 am",
    "13:05 PM",
]
CLEANED = [
    "%d.%m.%Y",
    "%Y-%m-%d",
    "%Y-%m-%d %H:%M:%S",
    "%m/%d/%Y %I:%M %p",
    "%d %B %Y",
    "%B %d, %Y %I:%M %p",
    "%Y-%m-%dT%H:%M:%S.%f",
    "%Y-%m-%dT%H:%M:%S%z",
]


def dirty(texts: list[str]) -> list[Any]:
    """The texts with blanks around some, and others that are no times, or times written differently."""
    return [*texts, *(f"\u00a0 {text}\t" for text in texts[:5]), *(text.upper() for text in texts[:5]), *BAD]


def linear(*steps: Any) -> Pipeline:
    """A model in which every feature counts; `weighed` gives each its weight."""
    return make_pipeline(*steps, SimpleImputer(strategy="constant", fill_value=-7.0), LinearRegression())


def weighed(model: Pipeline, X: pd.DataFrame) -> Pipeline:
    """The fitted model with weights that do not depend on how well the system is conditioned."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # columns that depend on each other
        model.fit(X, np.arange(len(X)))
    largest = np.abs(model[:-1].transform(X)).max(axis=0)
    model[-1].coef_ = (1 + np.arange(len(largest)) / 7) / np.maximum(largest, 1)
    return model


def written(form: str) -> list[str]:
    return [text + "Z" if "%z" in form else text for text in TIMES.strftime(form.replace("%z", ""))]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("form", CLEANED)
def test_times_that_the_cleaning_reads(form: str, language: str) -> None:
    X = pd.DataFrame({"when": written(form)})
    cleaner = Cleaner(remedies=[Fix("to_time", ("when",), {"exact": True, "formats": [form], "missing": ["n.a."]})])
    model = weighed(linear(cleaner, DateTimeFeatures(features=list(FEATURES))), X)
    if language == "sqlite" and "%z" in form:
        with pytest.raises(ParameterError, match=r"times with an offset, .* cannot be written for SQLite"):
            to_sql(model)
        return
    assert_same(model, language, pd.DataFrame({"when": dirty(written(form))}))


READ = [None, "%d.%m.%Y", "%Y-%m-%d %H:%M:%S", "%H:%M", "%I:%M %p", "%d %b %Y", "%Y%m%d", "%d/%m/%y"]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("form", READ)
def test_times_that_the_preparation_reads(form: str | None, language: str) -> None:
    """A text that is no time of this form is refused by the model, and in the export its row is."""
    texts = TIMES.strftime(form or "%Y-%m-%dT%H:%M:%S").tolist()
    X = pd.DataFrame({"when": texts, "size": np.arange(len(texts)) / 4})
    split = DateTimeFeatures(columns=["when"], format=form and {"when": form})
    model = weighed(linear(split), X)
    later, refused = dirty(texts), []
    for text in later:
        try:
            model.predict(pd.DataFrame({"when": [text, *texts[:2]], "size": 1.0}))
        except DataError:
            refused.append(text)
    taken = [text for text in later if text not in [*refused, "0000-01-01"]]  # NumPy has a year 0, exports do not
    assert_same(model, language, pd.DataFrame({"when": taken, "size": 1.5}))
    assert refused
    assert_refused(model, language, pd.DataFrame({"when": refused, "size": 1.5}))


def assert_refused(model: Any, language: str, X: pd.DataFrame) -> None:
    """No row gets a prediction."""
    for i in range(len(X)) if language == "python" else [slice(None)]:
        row = X.iloc[[i]] if isinstance(i, int) else X
        if language == "python":
            with pytest.raises(ValueError, match="'when' must hold a value that the model takes"):
                run(model, language, row)
        else:
            assert all(value is None or value != value for value in run(model, language, row)[0])


@pytest.mark.parametrize("language", LANGUAGES)
def test_columns_of_times_and_dates_as_numbers(language: str) -> None:
    """A column that the table stores as times is read by ISO 8601; dates and epochs may be whole numbers."""
    X = pd.DataFrame(
        {
            "seen": TIMES,
            "day": TIMES.strftime("%Y%m%d").astype(float),
            "epoch": TIMES.astype("int64") // 10**9,
            "tick": TIMES.astype("int64") // 10**6,
        }
    )
    forms = {"day": "%Y%m%d", "epoch": "%s", "tick": "%Q"}
    split = DateTimeFeatures(features=list(FEATURES), columns=["seen", *forms], format=forms)
    model = weighed(linear(split), X)
    X.loc[:5, "day"] = [np.nan, 20210229.0, 20200229.0, 20211301.0, 20210101.5, -5.0]
    X = X.astype({"epoch": float})
    X.loc[:3, "epoch"] = [np.nan, -0.5, 1.25, 1e10]
    texts = X.assign(seen=X["seen"].astype(str))
    texts.loc[:3, "seen"] = ["", " 2021-03-04T05:06:07.25Z", "2021-03-04", "2021-03-04 05:06"]
    X.loc[:3, "seen"] = pd.to_datetime(
        [None, "2021-03-04 05:06:07.25", "2021-03-04", "2021-03-04 05:06"], format="ISO8601"
    )
    wanted = model.predict(X)
    np.testing.assert_allclose(np.array(run(model, language, texts)[0], dtype=float), wanted, rtol=1e-9, atol=1e-9)


def test_python_takes_dates_and_times_as_they_are() -> None:
    X = pd.DataFrame({"seen": TIMES})
    model = weighed(linear(DateTimeFeatures(features=list(FEATURES))), X)
    module: dict[str, Any] = {}
    exec(to_python(model), module)
    predictions = [module["predict"]([moment.to_pydatetime()]) for moment in TIMES]
    np.testing.assert_allclose(predictions, model.predict(X), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("form", ["%d.%m.%Y", "%d %B %Y %I:%M %p", "%Y-%m-%d %H:%M:%S", "%H:%M"])
@pytest.mark.parametrize("dialect", ["duckdb", "postgresql"])
def test_databases_may_store_texts_as_dates_and_times(dialect: Any, form: str) -> None:
    """DuckDB makes dates of texts such as 31.01.2024 when it imports a file."""
    texts = TIMES.strftime(form).tolist()
    X = pd.DataFrame({"when": texts})
    split = DateTimeFeatures(columns=["when"], format={"when": form})
    if "%d" in form:
        cleaner = Cleaner(remedies=[Fix("to_time", ("when",), {"exact": True, "formats": [form]})])
        split = make_pipeline(cleaner, DateTimeFeatures())
    model = weighed(linear(split), X)
    kind = "DATE" if "%H" not in form and "%I" not in form else "TIMESTAMP" if "%d" in form else "TIME"
    with duckdb.connect() as base:
        base.execute(f'CREATE TABLE data (row INTEGER, "when" {kind})')
        moments = TIMES.strftime("%H:%M:%S" if kind == "TIME" else "%Y-%m-%d %H:%M:%S")
        base.executemany("INSERT INTO data VALUES (?, ?)", list(enumerate(moments)))
        result = base.execute(to_sql(model, dialect=dialect, keep=["row"]) + " ORDER BY 1").fetchall()
    np.testing.assert_allclose([row[1] for row in result], model.predict(X), rtol=1e-9)


@pytest.mark.parametrize("language", LANGUAGES)
def test_pairs_of_date_and_clock(language: str) -> None:
    X = pd.DataFrame({"day": TIMES.strftime("%Y-%m-%d"), "clock": TIMES.strftime("%H:%M:%S")})
    model = weighed(linear(DateTimeFeatures(pairs=[("day", "clock")])), X)
    assert_same(model, language, X)


# ------------------------------------------------------------------------------------------------------------ amounts

AMOUNTS = {
    "price": [f"${value:,.2f}" for value in random.randint(1, 9_000_000, N) / 100],
    "share": [f"{value} %" for value in random.randint(1, 99, N)],
    "mass": [f"{value / 4:.2f} kg" for value in random.randint(1, 900, N)],
    "cost": [
        f"{value:,.2f} EUR".replace(",", "_").replace(".", ",").replace("_", ".") for value in range(900, 900 + N)
    ],
}
ODD_AMOUNTS = [
    "-$5", "$-5.00", "- $5", "($1,234.50)", "(12 %)", "(5", "5)", "$ 7", "7$", "USD 7", "12%", "12\u00a0%", "12 % ",
    " 3", "3", "+3", "--3", "-+3", "+$-3", "\u22124 kg", "4 KG", "4 kg.", "4 kgs", "kg 4", "kg", "%", "", " ", None,
    "free", "1,23", "12,34,567", "1,234,567.5 kg", "1.234,5 EUR", "1.234 eur", "1,5 EUR", "5e3 kg", "5e kg", ".5 kg",
    "5. kg", "$.50", "0x10 kg", "inf", "nan %", "5 kg 3", "$$5", "(-5)", "5 lb",
]  # fmt: skip


@pytest.fixture(scope="module")
def amounts() -> Pipeline:
    """A tree behind the cleaning that a report would do."""
    X = pd.DataFrame(AMOUNTS)
    cleaner = report_cleaner(X)
    assert {remedy.columns[0] for remedy in cleaner.remedies_ if remedy.settings.get("exact")} == set(X.columns)
    model = DecisionTreeRegressor(max_depth=8, random_state=0)
    return Pipeline([("cleaner", cleaner), ("model", model)]).fit(X, random.rand(N))


@pytest.mark.parametrize("language", LANGUAGES)
def test_amounts_with_units(amounts: Pipeline, language: str) -> None:
    assert_same(amounts, language, pd.DataFrame(AMOUNTS))
    for name in AMOUNTS:
        X = pd.DataFrame(AMOUNTS).iloc[[0] * len(ODD_AMOUNTS)].reset_index(drop=True)
        X[name] = ODD_AMOUNTS
        assert_same(amounts, language, X)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("decimal", "thousands"), [(".", ","), (".", ""), (",", "."), (",", ""), (".", " ")])
def test_every_amount_is_the_same_number(decimal: str, thousands: str, language: str) -> None:
    """A model that repeats the number shows how each text is read."""
    settings = {"exact": True, "decimal": decimal, "thousands": thousands, "units": ["$", "kg", "%"], "words": False}
    remedy = Fix("to_number", ("amount",), settings)
    X = pd.DataFrame({"amount": ["1", "2", "5"]})
    model = linear(Cleaner(remedies=[remedy])).fit(X, [1.0, 2.0, 5.0])
    assert_same(model, language, pd.DataFrame({"amount": ODD_AMOUNTS}))


def test_the_grammars_read_what_the_general_readers_read() -> None:
    for form in CLEANED:
        grammar = time_grammar(form)
        assert grammar is not None
        for text in written(form):
            assert grammar.parse(text) == parse_time(text, [form])
    for name, units in {"price": ["$"], "share": ["%"], "mass": ["kg"]}.items():
        grammar = amount_grammar(".", ",", units)
        assert grammar is not None
        assert [grammar.parse(t) for t in AMOUNTS[name]] == [
            parse_number(t, thousands=",", units=units) for t in AMOUNTS[name]
        ]
    assert amount_grammar(".", "", ["k=1000"]) is None


@pytest.mark.parametrize("form", ["%A %d %Y", "%d.%m.%Y %j"])
def test_a_form_that_code_does_not_know_is_refused(form: str) -> None:
    X = pd.DataFrame({"when": TIMES.strftime(form)})
    model = weighed(linear(DateTimeFeatures(columns=["when"], format={"when": form})), X)
    with pytest.raises(ParameterError, match="the times of column 'when' cannot be written as code"):
        to_python(model)


def test_units_that_multiply_are_refused() -> None:
    remedy = Fix("to_number", ("amount",), {"exact": True, "units": ["k=1000"], "words": False})
    X = pd.DataFrame({"amount": ["1", "2", "5"]})
    model = linear(Cleaner(remedies=[remedy])).fit(X, [1.0, 2.0, 5.0])
    with pytest.raises(ParameterError, match="the cleaning of column 'amount' cannot be written as code"):
        to_python(model)
