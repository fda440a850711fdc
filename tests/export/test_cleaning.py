"""Exports hold the cleaning too: on raw, dirty rows they predict what the model predicts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.pipeline import Pipeline, make_pipeline

from pellucid.base.errors import DataTypeError, ParameterError
from pellucid.boosting import BoostedTreesRegressor
from pellucid.export import to_onnx, to_python
from pellucid.impute import SimpleImputer
from pellucid.linear_model import LogisticRegression
from pellucid.preprocessing import OneHotEncoder
from pellucid.quality import Cleaner, Fix
from pellucid.tree import DecisionTreeClassifier

from .test_code import LANGUAGES, assert_same, run

random = np.random.RandomState(4)
N = 120
NUMBERS = random.randint(-300, 4000, N) / 4
CITIES = np.array(["Oslo", "Rome", "Bern", "Lima"], dtype=object)[random.randint(0, 4, N)]
BLANKS = ("", " ", "  ", "\t", "\u00a0", "\u2009\u200b", "\ufeff\n")
ODD_NUMBERS = [
    "12 oz",
    " 7",
    "7 ",
    "1e3",
    "+5",
    ".5",
    "5.",
    "-",
    "",
    "1e",
    "0x10",
    "1_000",
    "(3)",
    "twelve",
    "NaN",
    "1,5",
]
ODD_CITIES = ["  Bern\u00a0", "BERN", "n.a.", "Roma", "\u200bLima", "", " ", None, "Lima\u00a0Norte"]


def raw_rows(rows: int) -> pd.DataFrame:
    """Text as a file has it: blanks, markers of missing values, a city written in two ways."""
    draw = random.randint(0, len(BLANKS), (rows, 2))
    price = [f"{value:.2f}" for value in NUMBERS[:rows]]
    price = ["?" if i % 9 == 0 else text for i, text in enumerate(price)]
    city = [f"{BLANKS[i]}{city}{BLANKS[j]}" for city, (i, j) in zip(CITIES, draw, strict=False)]
    city = [
        "n.a." if i % 11 == 0 else "Roma" if text.strip() == "Rome" and i % 2 else text for i, text in enumerate(city)
    ]
    weight = np.where(np.arange(rows) % 10 == 0, -999.0, NUMBERS[:rows] / 7)
    return pd.DataFrame({"price": price, "city": city, "weight": weight})


def odd_rows() -> pd.DataFrame:
    """Rows unlike those of the fit."""
    rows = max(len(ODD_NUMBERS), len(ODD_CITIES))
    return pd.DataFrame(
        {
            "price": [ODD_NUMBERS[i % len(ODD_NUMBERS)] for i in range(rows)],
            "city": [ODD_CITIES[i % len(ODD_CITIES)] for i in range(rows)],
            "weight": [(-999.0, np.nan, 4e5, -3.0)[i % 4] for i in range(rows)],
        }
    )


REMEDIES = [
    Fix("trim", ("city",), {"inner": False}),
    Fix("to_missing", ("city",), {"values": ["n.a."]}),
    Fix("merge_values", ("city",), {"pairs": [["Roma", "Rome"]]}),
    Fix("to_number", ("price",), {"exact": True, "missing": ["?"]}),
    Fix("to_missing", ("weight",), {"values": [-999]}),
    Fix("clip", ("weight",), {"min": -20.0, "max": 100.0}),
]
NAMES = ["price", "city", "weight"]


def fitted(model: Any, one_hot: bool = False) -> Pipeline:
    """The model behind the cleaning, as a report leaves it."""
    X = raw_rows(N)
    steps: list[tuple[str, Any]] = [("cleaner", Cleaner(remedies=REMEDIES))]
    if one_hot:
        numbers = make_pipeline(SimpleImputer(strategy="median"))
        encode = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        steps.append(("columns", make_column_transformer((numbers, ["price", "weight"]), (encode, ["city"]))))
    y = NUMBERS if hasattr(model, "loss") else np.where(NUMBERS + 200 * (CITIES == "Rome") > 500, "high", "low")
    return Pipeline([*steps, ("model", model)]).fit(X, y)


MODELS: dict[str, Any] = {
    "tree": lambda: fitted(DecisionTreeClassifier(max_depth=5, random_state=0)),
    "boosting": lambda: fitted(BoostedTreesRegressor(n_estimators=10, random_state=0)),
    "linear": lambda: fitted(LogisticRegression(), one_hot=True),
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", MODELS)
def test_dirty_rows(name: str, language: str) -> None:
    model = MODELS[name]()
    assert_same(model, language, raw_rows(N))
    assert_same(model, language, odd_rows())


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("decimal", "thousands"), [(",", "."), (",", ""), (".", ","), (".", "'")])
def test_other_ways_to_write_numbers(decimal: str, thousands: str, language: str) -> None:
    texts = [f"{value:,.2f}".replace(",", "T").replace(".", decimal).replace("T", thousands) for value in NUMBERS * 5]
    X = pd.DataFrame({"price": texts})
    remedy = Fix("to_number", ("price",), {"exact": True, "decimal": decimal, "thousands": thousands})
    tree = DecisionTreeClassifier(max_depth=6, random_state=0)
    model = Pipeline([("cleaner", Cleaner(remedies=[remedy])), ("tree", tree)]).fit(X, NUMBERS > 400)
    odd = ["1.234.567,5", "1,234.5", "12,3", "12.3", "1'000", "12.34.567", "1,2,3", ",5", "5,", "1.234", "1,234", "x"]
    assert_same(model, language, pd.DataFrame({"price": [*texts, *odd]}))


@pytest.mark.parametrize(
    ("remedy", "message"),
    [
        (Fix("repair_encoding", ("city",)), "repair_encoding has no form in other languages"),
        (Fix("trim", ("city",), {"inner": True}), "trim with these settings has no form in other languages"),
        (
            Fix("by_group", ("city",), {"key": "weight"}),
            "by_group with these settings has no form in other languages",
        ),
    ],
)
def test_what_cannot_be_written_is_refused(remedy: Fix, message: str) -> None:
    X = raw_rows(N)
    X["price"] = NUMBERS
    model = Pipeline([("cleaner", Cleaner(remedies=[remedy])), ("tree", DecisionTreeClassifier(random_state=0))])
    with pytest.raises(ParameterError, match=message):
        to_python(model.fit(X, NUMBERS > 0))


def test_onnx_refuses_a_cleaning() -> None:
    with pytest.raises(DataTypeError, match="Cleaner has no ONNX form"):
        to_onnx(MODELS["tree"]())


def test_a_cleaning_that_changes_numbers_alone_needs_no_text() -> None:
    X = raw_rows(N)[["weight"]]
    cleaner = Cleaner(remedies=REMEDIES[-2:])
    model = Pipeline([("cleaner", cleaner), ("tree", DecisionTreeClassifier(max_depth=3, random_state=0))])
    model.fit(X, NUMBERS > 300)
    assert run(model, "python", odd_rows()[["weight"]])[0] == model.predict(odd_rows()[["weight"]]).tolist()
