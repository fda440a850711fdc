"""What is said of exported SQL: exact numbers, quoted names, NULL, its result's columns, and limits of size."""

from __future__ import annotations

import math
import sqlite3
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pellucid.base.errors import DataError, ParameterError
from pellucid.ensemble import RandomForestClassifier
from pellucid.export._sql_literals import double_literal, identifier, literal
from pellucid.export.sql_code import to_sql
from pellucid.linear_model import LinearRegression, LogisticRegression
from pellucid.naive_bayes import GaussianNB
from pellucid.svm import SVR
from pellucid.tree import DecisionTreeClassifier, DecisionTreeRegressor

from .test_code import assert_same, run, run_sqlite, table, three, two, unseen

SQLITE, DUCKDB = sqlite3.connect(":memory:"), duckdb.connect()
DOUBLES = st.floats(allow_nan=False)


@given(DOUBLES)
@example(0.1)
@example(-0.0)
@example(1e308)
@example(5e-324)
@example(2.2250738585072014e-308)
@example(9007199254740993.0)
@example(math.inf)
@example(-math.inf)
@settings(max_examples=300, deadline=None)
def test_numbers_to_compare_with_are_exact(value: float) -> None:
    """Every 64-bit number comes back as it is."""
    assert SQLITE.execute(f"SELECT {double_literal(value, 'sqlite', exact=True)}").fetchone()[0] == value
    assert DUCKDB.execute(f"SELECT {double_literal(value, 'duckdb', exact=True)}").fetchone()[0] == value
    assert DUCKDB.execute(f"SELECT {double_literal(value, 'postgresql', exact=True)}").fetchone()[0] == value


@given(DOUBLES)
@settings(max_examples=300, deadline=None)
def test_other_numbers_are_exact_to_a_bit(value: float) -> None:
    """What is added and multiplied may be off by the last bit in SQLite."""
    found = SQLITE.execute(f"SELECT {double_literal(value, 'sqlite')}").fetchone()[0]
    assert found == value or abs(found - value) <= math.ulp(value)


@given(st.decimals(-1000, 1000, places=3, allow_nan=False).map(float))
@settings(deadline=None)
def test_short_numbers_stay_readable(value: float) -> None:
    """A threshold of a few digits is written as one would."""
    assert double_literal(value, "sqlite", exact=True) == repr(value)


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "postgresql"])
def test_the_sign_of_zero_is_kept(dialect: str) -> None:
    """Both zeros, one after the other: they are equal as numbers."""
    texts = [double_literal(value, dialect, exact=True) for value in (-0.0, 0.0, -0.0)]
    assert [text.startswith("-") for text in texts] == [True, False, True]


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",))))
@settings(max_examples=200, deadline=None)
def test_any_text_is_a_literal_and_a_name(text: str) -> None:
    """As a value, and as the name of a column."""
    assert SQLITE.execute(f"SELECT {literal(text)}").fetchone()[0] == text
    assert DUCKDB.execute(f"SELECT {literal(text)}").fetchone()[0] == text
    assert SQLITE.execute(f"SELECT 1 AS {identifier(text)}").description[0][0] == text


def described(query: str, X: pd.DataFrame, name: str = "data") -> list[str]:
    """Names of the result's columns in DuckDB."""
    with duckdb.connect() as base:
        base.register(name, X)
        return [column[0] for column in base.execute(query).description]


def test_columns_of_the_result() -> None:
    """prediction, probability_<class>, and what is to be kept before them."""
    X = table(60)
    model = DecisionTreeClassifier().fit(X, three(X))
    wanted = ["prediction", "probability_a", "probability_b", "probability_c"]
    assert described(to_sql(model, dialect="duckdb"), X) == wanted
    query = to_sql(model, dialect="duckdb", keep=['the "key"', "age"])
    assert described(query, X.assign(**{'the "key"': 1}))[:3] == ['the "key"', "age", "prediction"]
    for twice in (["prediction"], ["age", "age"]):
        with pytest.raises(ParameterError, match="keep must name columns once"):
            to_sql(model, keep=twice)
    numbers = DecisionTreeRegressor().fit(X, np.arange(60.0))
    assert described(to_sql(numbers, dialect="duckdb"), X) == ["prediction"]


def test_kept_columns_belong_to_their_rows() -> None:
    """A key comes out beside the prediction of its row."""
    X = table(50)
    model = DecisionTreeClassifier().fit(X, three(X))
    base = sqlite3.connect(":memory:")
    X.assign(key=range(50)).to_sql("data", base, index=False)
    found = base.execute(to_sql(model, keep=["key"]) + " ORDER BY key DESC").fetchall()
    assert [row[:2] for row in found] == [(k, model.predict(X)[k]) for k in range(49, -1, -1)]


@pytest.mark.parametrize("name", ["data", "select", 'odd " name', "Step_1", "step_0", "a.b"])
def test_any_table(name: str) -> None:
    """The table's name is quoted; subqueries have other names."""
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0]})
    model = LogisticRegression().fit(X, [0, 0, 1, 1])
    base = sqlite3.connect(":memory:")
    X.to_sql(name, base, index=False)
    found = base.execute(to_sql(model, table=name)).fetchall()
    assert [row[0] for row in found] == model.predict(X).tolist()


def test_a_table_in_a_schema() -> None:
    """Names of schema and table."""
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0]})
    model = LinearRegression().fit(X, [1.0, 2.0, 3.0, 4.0])
    with duckdb.connect() as base:
        base.execute('CREATE SCHEMA "my schema"')
        base.register("X", X)
        base.execute('CREATE TABLE "my schema".data AS SELECT * FROM X')
        found = base.execute(to_sql(model, table=("my schema", "data"), dialect="duckdb")).fetchall()
    np.testing.assert_allclose([row[0] for row in found], [1, 2, 3, 4])


def test_a_column_that_is_not_there_is_an_error() -> None:
    """SQLite would read a name in quotes as a text where there is no such column."""
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0]})
    query = to_sql(LinearRegression().fit(X, [1.0, 2.0, 3.0, 4.0]))
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        run_sqlite(query, X.rename(columns={"a": "b"}), None)


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
def test_no_answer_is_null(dialect: str) -> None:
    """Where a linear model refuses a missing value, class and probabilities are NULL, even of a column that is zero."""
    X = table(60, gaps=False)[["age", "children"]]
    model = LogisticRegression().fit(X, two(table(60, gaps=False)))
    model.coef_[0, 1] = 0.0
    later = pd.DataFrame({"age": [1.0, np.nan, 1.0], "children": [np.nan, 1.0, 1.0]})
    query = to_sql(model, dialect=dialect)  # type: ignore[arg-type]
    if dialect == "sqlite":
        base: Any = sqlite3.connect(":memory:")
        later.to_sql("data", base, index=False)
    else:
        base = duckdb.connect()
        base.register("data", later)
    rows = base.execute(query).fetchall()
    assert rows[:2] == [(None, None, None)] * 2
    assert None not in rows[2]


def test_a_column_that_ignores_case_is_compared_letter_by_letter() -> None:
    """SQLite's NOCASE would take RED for red."""
    X = pd.DataFrame({"color": ["red", "blue", "red", "blue"]})
    model = DecisionTreeRegressor().fit(X, [1.0, 2.0, 1.0, 2.0])
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE data (color TEXT COLLATE NOCASE)")
    base.execute("INSERT INTO data VALUES ('red'), ('RED'), ('Blue')")
    later = pd.DataFrame({"color": ["red", "RED", "Blue"]})
    assert [row[0] for row in base.execute(to_sql(model)).fetchall()] == model.predict(later).tolist()


def test_whole_numbers_in_the_table_are_no_whole_division() -> None:
    """Columns of integers are read as doubles."""
    X = pd.DataFrame({"a": [1, 2, 3, 4], "b": [True, False, True, True]})
    model = LinearRegression().fit(X, [1.5, 2.25, 3.0, 4.125])
    for dialect in ("duckdb", "postgresql"):
        with duckdb.connect() as base:
            base.register("data", X)
            found = base.execute(to_sql(model, dialect=dialect)).fetchall()  # type: ignore[arg-type]
        np.testing.assert_allclose([row[0] for row in found], model.predict(X), rtol=1e-9)


@pytest.mark.parametrize("language", ["sqlite", "duckdb", "postgresql", "postgresql in duckdb"])
def test_a_text_that_is_no_number_is_missing(language: str) -> None:
    """As in `pellucid predict`. A flag is no number either."""
    X = pd.DataFrame({"depth": [1.0, 2.0, np.nan, 3.0, 4.0] * 4, "open": [True, False, True, False, False] * 4})
    y = X["depth"].fillna(9) + 20 * X["open"]
    model = DecisionTreeRegressor(random_state=0).fit(X, y)
    cells = [
        "2",
        " 3 ",
        "1e0",
        "+4",
        "4.",
        "9007199254740993",
        "abc",
        "--5",
        "12abc",
        "1,234.5",
        "",
        "1_0",
        "inf",
        "TRUE",
        "false",
        "0x10",
        "nan",
    ]
    numbers = [2.0, 3.0, 1.0, 4.0, 4.0, 2.0**53, *[np.nan] * 11]
    flags = (["true", "FALSE", "1", "0"] * 5)[: len(cells)]
    predictions, _ = run(model, language, pd.DataFrame({"depth": cells, "open": flags}))
    plain = pd.DataFrame({"depth": numbers, "open": ([True, False] * 9)[: len(cells)]})
    assert predictions == model.predict(plain).tolist()


def test_texts_of_numbers_in_sqlite() -> None:
    """Files are imported as text there: numbers are read, an empty cell is missing."""
    X = pd.DataFrame({"a": [1.0, 2.5, np.nan, 4.0, np.nan]})
    model = DecisionTreeRegressor().fit(X, [1.0, 2.0, 3.0, 4.0, 3.0])
    texts = pd.DataFrame({"a": ["1", "2.5", "", "4e0", None]})
    assert run_sqlite(to_sql(model), texts, None)[0] == model.predict(X).tolist()


def test_a_kernel_machine_has_a_limited_number_of_support_vectors() -> None:
    random = np.random.RandomState(0)
    model = SVR(C=0.1, epsilon=0.0).fit(random.rand(1_050, 2), random.rand(1_050))
    assert len(model.support_) > 1_000
    with pytest.raises(ParameterError, match="a kernel machine in SQL may have at most 1,000 support vectors"):
        to_sql(model)


def test_extreme_numbers() -> None:
    """Splits of missing values from all others, and values up to 1e308."""
    X = pd.DataFrame({"a": [1e308, -1e308, np.nan, 5e-324, np.nan, 3.0]})
    model = DecisionTreeRegressor().fit(X, [1.0, 2.0, 3.0, 4.0, 3.0, 1.5])
    for language in ("python", "c", "sqlite", "duckdb", "postgresql in duckdb"):
        assert_same(model, language, X)


def test_a_class_that_cannot_be() -> None:
    """A prior of zero is minus infinity as a logarithm."""
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0, 5.0, 6.0, 9.0]})
    model = GaussianNB(priors=[0.5, 0.5, 0.0]).fit(X, ["a", "a", "b", "b", "c", "c"])
    for language in ("python", "c", "sqlite", "duckdb", "postgresql", "postgresql in duckdb"):
        assert_same(model, language, X + 0.25)


def test_large_models_are_refused() -> None:
    """A query has limits; the sentence says what to do."""
    X = table(1000)
    model = RandomForestClassifier(80, random_state=0).fit(X, three(X))
    with pytest.raises(ParameterError, match="must have at most 20,000 nodes"):
        to_sql(model, dialect="duckdb")


def test_a_forest_of_many_trees() -> None:
    """Sums of more trees than one expression of SQLite may hold."""
    X = table(150)
    model = RandomForestClassifier(1200, max_depth=2, random_state=0).fit(X, two(X))
    assert_same(model, "sqlite", unseen()[:10])


def test_sqlite_is_told_that_it_needs_exp() -> None:
    """Where powers of e are taken, and only there."""
    X = table(60, gaps=False)[["age", "children"]]
    y = two(table(60, gaps=False))
    assert "SQLITE_ENABLE_MATH_FUNCTIONS" in to_sql(LogisticRegression().fit(X, y))
    assert "SQLITE_ENABLE_MATH_FUNCTIONS" not in to_sql(DecisionTreeClassifier().fit(X, y))


def test_texts_that_sql_cannot_hold() -> None:
    """NUL ends a query."""
    X = pd.DataFrame({"a": ["x\0y", "x", "x\0y", "x"]})
    with pytest.raises(DataError, match="without the character NUL"):
        to_sql(DecisionTreeRegressor().fit(X, [0.0, 1.0, 0.0, 1.0]))
