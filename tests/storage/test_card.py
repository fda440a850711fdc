"""The card of a model: what it says, as text and as JSON, and the fingerprint of the data."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline

import pellucid
from pellucid.base.errors import DataError, DataTypeError, ParameterError
from pellucid.linear_model import Lasso, LinearRegression, LogisticRegression
from pellucid.preprocessing import OneHotEncoder, StandardScaler
from pellucid.storage import ModelCard, card_of, fingerprint, load, read_card, save
from pellucid.tree import DecisionTreeClassifier

AGE = [31.0, 42.0, 53.0, 24.0, 35.0, 61.0]
TOWN = ["Ulm", "Bonn", "Ulm", "Köln", "Bonn", "Ulm"]
SIZE = ["S", "M", "L", "M", "S", "L"]
Y = pd.Series(["yes", "no", "yes", "no", "no", "yes"], name="bought")
ORDER = ["S", "M", "L"]
PANDAS = pd.DataFrame({"age": AGE, "town": TOWN, "size": pd.Categorical(SIZE, categories=ORDER, ordered=True)})
POLARS = pl.DataFrame({"age": AGE, "town": TOWN, "size": pl.Series(SIZE, dtype=pl.Enum(ORDER))})


@pytest.fixture
def model() -> Any:
    return DecisionTreeClassifier(max_depth=2, random_state=0).fit(PANDAS, Y)


def test_what_a_card_says(model: Any) -> None:
    card = card_of(model, PANDAS, Y, metrics={"accuracy": 1.0}, notes="A first try.")
    assert (card.name, card.model) == ("DecisionTreeClassifier", "pellucid.tree.DecisionTreeClassifier")
    assert card.task == "classification"
    assert [(one.name, one.kind, one.levels) for one in card.columns] == [
        ("age", "number", None),
        ("town", "text", ("Bonn", "Köln", "Ulm")),
        ("size", "ordered", ("S", "M", "L")),
    ]
    assert (card.target, card.classes, card.n_rows) == ("bought", ("no", "yes"), 6)
    assert card.metrics == {"accuracy": 1.0}
    assert card.settings["max_depth"] == 2
    assert card.versions["pellucid"] == pellucid.__version__
    assert set(card.versions) == {"pellucid", "python", "numpy", "scikit-learn"}
    assert card.notes == "A first try."
    assert card.time is None


def test_a_card_without_data_says_what_the_model_remembers(model: Any) -> None:
    card = card_of(model)
    assert [(one.name, one.kind, one.levels) for one in card.columns] == [
        ("age", "number", None),
        ("town", "text", ("Bonn", "Köln", "Ulm")),
        ("size", "ordered", ("L", "M", "S")),
    ]
    assert card.classes == ("no", "yes")
    assert card.n_rows is card.fingerprint is card.target is None


def test_a_card_of_a_plain_array() -> None:
    card = card_of(Lasso(alpha=0.1).fit([[1.0, 2.0], [2.0, 1.0], [3.0, 5.0]], [1.0, 2.0, 3.0]))
    assert [(one.name, one.kind) for one in card.columns] == [("x0", "number"), ("x1", "number")]
    assert card.task == "regression"
    assert card.classes is None


def test_a_card_of_a_pipeline() -> None:
    columns = ColumnTransformer([("age", StandardScaler(), ["age"]), ("town", OneHotEncoder(), ["town"])])
    pipeline = make_pipeline(columns, LogisticRegression(C=2.0)).fit(PANDAS, Y)
    card = card_of(pipeline, name="who buys")
    assert (card.name, card.model, card.task) == ("who buys", "sklearn.pipeline.Pipeline", "classification")
    assert [one.name for one in card.columns] == ["age", "town", "size"]
    assert card.settings["steps"][1][1]["settings"]["C"] == 2.0
    assert card.settings["steps"][0][1]["class"] == "sklearn.compose.ColumnTransformer"
    assert "[columntransformer: ColumnTransformer, logisticregression: LogisticRegression]" in str(card)
    assert [one.kind for one in card_of(pipeline, PANDAS).columns] == ["number", "text", "ordered"]


def test_tasks() -> None:
    assert card_of(StandardScaler().fit([[1.0], [2.0]])).task == "transformation"
    assert card_of(make_pipeline(StandardScaler()).fit([[1.0], [2.0]])).task == "transformation"


def test_a_card_is_json_and_back(model: Any) -> None:
    card = card_of(model, PANDAS, Y, metrics={"a": 0.1, "b": -math.inf}, notes="zwei\nZeilen", time="2024-02-29")
    again = ModelCard.from_json(card.to_json())
    assert again == card
    assert again.to_json() == card.to_json()
    assert json.loads(card.to_json())["metrics"] == {"a": 0.1, "b": "-inf"}
    assert math.isnan(ModelCard.from_json(card_of(model, metrics={"a": math.nan}).to_json()).metrics["a"])


def test_the_card_of_a_file(model: Any, tmp_path: Path) -> None:
    card = card_of(model, PANDAS, Y, metrics={"accuracy": np.float32(0.5)}, notes="kept")
    save(model, tmp_path / "with", card=card)
    assert read_card(tmp_path / "with") == card
    save(model, tmp_path / "without")
    assert read_card(tmp_path / "without") == card_of(model)
    assert list(load(tmp_path / "with").predict(PANDAS)) == list(model.predict(PANDAS))


def test_the_text_of_a_card(model: Any) -> None:
    text = str(card_of(model, PANDAS, Y, metrics={"accuracy": 0.93}, notes="Holds for adults.", time="spring"))
    lines = text.splitlines()
    assert lines[0] == "DecisionTreeClassifier"
    assert "task:        classification" in lines
    assert "trained on:  6 rows x 3 columns" in lines
    assert "target:      bought: classes no, yes" in lines
    assert "  accuracy  0.93" in lines
    assert "  town  text: Bonn, Köln, Ulm" in lines
    assert any(line.startswith("  max_depth ") and line.endswith("  2") for line in lines)
    assert "time:        spring" in lines
    assert lines[-2:] == ["notes", "  Holds for adults."]
    assert all(len(line) <= 130 for line in lines)


def test_a_card_has_no_addresses_in_it() -> None:
    from pellucid.feature_selection import SelectKBest, f_regression

    chosen = SelectKBest(f_regression, k=1).fit([[1.0, 2.0], [2.0, 1.0], [3.0, 5.0]], [1.0, 2.0, 3.0])
    card = card_of(chosen)
    assert card.settings["score_func"] == "f_regression"
    assert "0x" not in card.to_json()


def test_what_a_card_refuses(model: Any) -> None:
    with pytest.raises(DataTypeError, match="card_of: model must be an estimator; got int"):
        card_of(3)
    with pytest.raises(DataError, match="X has 2 columns and the model was fitted to 3"):
        card_of(model, PANDAS[["age", "town"]])
    with pytest.raises(DataError, match="it has no 'size'"):
        card_of(model, PANDAS.rename(columns={"size": "height"}))
    with pytest.raises(DataError, match="X and y must have the same number of rows; X has 6 and y 5"):
        card_of(model, PANDAS, Y[:5])
    with pytest.raises(ParameterError, match="metrics must be numbers by name; got 'accuracy': 'high'"):
        card_of(model, metrics={"accuracy": "high"})  # type: ignore[dict-item]
    with pytest.raises(DataError, match="ModelCard: the text must be what to_json wrote"):
        ModelCard.from_json("{}")


# ---------------------------------------------------------------------------------------------------------- fingerprint


def everything() -> dict[str, Any]:
    return {
        "number": [1.5, -0.0, math.nan, 4.0],
        "whole": [1, 2, 3, 4],
        "flag": [True, False, True, True],
        "text": ["ä", "b", "", "b"],
        "time": np.array(["2024-02-29T12:00:01", "1969-12-31T23:59:59", "2024-01-01", "2024-01-02"], "datetime64[us]"),
    }


def test_the_fingerprint_does_not_depend_on_the_library() -> None:
    plain = pd.DataFrame(everything())
    polars = pl.DataFrame(everything())
    prints = {fingerprint(plain), fingerprint(polars), fingerprint(polars.to_arrow())}
    prints.add(fingerprint(plain.assign(text=plain["text"].astype("category"))))
    prints.add(fingerprint(plain.assign(text=plain["text"].astype(object))))
    prints.add(fingerprint(polars.with_columns(pl.col("text").cast(pl.Categorical))))
    prints.add(fingerprint(plain.assign(time=plain["time"].astype("datetime64[ns]"))))
    prints.add(fingerprint(plain.assign(whole=plain["whole"].astype(float))))
    assert len(prints) == 1


def test_missing_values_are_the_same_everywhere() -> None:
    plain = pd.DataFrame({"a": [1.0, None], "b": ["x", None], "c": pd.Series([1, None], dtype="Int64")})
    polars = pl.DataFrame({"a": [1.0, None], "b": ["x", None], "c": [1, None]})
    assert fingerprint(plain) == fingerprint(polars) == fingerprint(polars.to_arrow())
    assert fingerprint(plain) != fingerprint(plain.assign(b=["x", ""]))


def test_a_pyarrow_table_of_numbers() -> None:
    assert fingerprint(pa.table({"a": [1, 2]})) == fingerprint(pd.DataFrame({"a": [1.0, 2.0]}))


@pytest.mark.parametrize("name", list(everything()))
def test_every_value_counts(name: str) -> None:
    plain = pd.DataFrame(everything())
    swapped = plain.copy()
    swapped[name] = plain[name].to_numpy()[[0, 1, 3, 2]] if name != "flag" else ~plain[name]
    assert fingerprint(swapped) != fingerprint(plain)


def test_names_order_and_target_count() -> None:
    plain = pd.DataFrame(everything())
    others = [
        plain.rename(columns={"whole": "part"}),
        plain[["whole", "number", "flag", "text", "time"]],
        plain.iloc[:3],
    ]
    prints = {fingerprint(one) for one in (plain, *others)} | {fingerprint(plain, [1, 2, 3, 4])}
    assert len(prints) == 5
    assert fingerprint(plain, ["a", "b", "a", "b"]) == fingerprint(plain, pd.Series(["a", "b", "a", "b"]))


def test_arrays_of_all_kinds() -> None:
    X = np.arange(6.0).reshape(3, 2)
    same = {
        fingerprint(X),
        fingerprint(np.asfortranarray(X)),
        fingerprint(X.tolist()),
        fingerprint(X.astype(np.float32)),
    }
    assert same == {fingerprint(X.astype(int))} == {fingerprint(scipy.sparse.csr_array(X))}
    assert fingerprint(np.array([["a", "b"], ["c", "a"]])) == fingerprint(
        np.array([["a", "b"], ["c", "a"]], dtype=object)
    )


def test_a_fingerprint_stays_what_it_is() -> None:
    """Of one column of two numbers, worked out by hand: the words of the format and the numbers' own bytes."""
    import hashlib
    import struct

    said = b'pellucid table 1\n["a", "numbers", 2]\n' + struct.pack("<dd", 1.0, 2.5)
    assert fingerprint(pd.DataFrame({"a": [1.0, 2.5]})) == hashlib.sha256(said).hexdigest()
    texts = b'pellucid table 1\n["a", "texts", 3]\n["x", "y"]' + struct.pack("<qqq", 1, 0, -1)
    assert fingerprint(pl.DataFrame({"a": ["y", "x", None]})) == hashlib.sha256(texts).hexdigest()


def test_a_line_of_a_card_for_a_model_without_columns() -> None:
    assert card_of(LinearRegression().fit([[1.0], [2.0]], [1.0, 2.0])).columns[0].name == "x0"
