"""Pipelines, column transformers and unions of scikit-learn's, with our estimators in them, over frames."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer

from pellucid.base.errors import DataError, PellucidWarning
from pellucid.boosting import LightGBMClassifier
from pellucid.ensemble import RandomForestClassifier, StackingClassifier
from pellucid.feature_selection import SelectKBest
from pellucid.impute import SimpleImputer
from pellucid.linear_model import LogisticRegression, LogisticRegressionCV
from pellucid.naive_bayes import GaussianNB
from pellucid.preprocessing import MinMaxScaler, OneHotEncoder, OrdinalEncoder, StandardScaler
from pellucid.storage import load, save

from . import hostile
from .models import frame

ROWS = 60
random = np.random.default_rng(0)
COLUMNS: dict[str, Any] = {
    "age": random.normal(40, 10, ROWS).round(1),
    "height": np.where(random.random(ROWS) < 0.1, np.nan, random.normal(1.7, 0.1, ROWS)),
    "town": np.array(["Ulm", "Bonn", "Köln"], dtype=object)[random.integers(0, 3, ROWS)],
    "flag": random.random(ROWS) < 0.5,
}
Y = np.where(COLUMNS["age"] + 5 * COLUMNS["flag"] > 42, "old", "young")
FRAMES = {"pandas": pd.DataFrame(COLUMNS), "polars": pl.DataFrame(COLUMNS)}


def by_name() -> ColumnTransformer:
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    return ColumnTransformer(
        [("numbers", numbers, ["age", "height"]), ("town", OneHotEncoder(sparse_output=False), ["town"])],
        remainder="passthrough",
    )


MODELS: dict[str, Any] = {
    "columns by name": lambda: make_pipeline(by_name(), LogisticRegression()),
    "a forest": lambda: make_pipeline(by_name(), RandomForestClassifier(n_estimators=5, random_state=0)),
    "boosted trees": lambda: make_pipeline(by_name(), LightGBMClassifier(n_estimators=5)),
    "dropped columns": lambda: make_pipeline(
        ColumnTransformer([("age", MinMaxScaler(), ["age"]), ("town", "drop", ["town"])]), GaussianNB()
    ),
    "columns by place": lambda: make_pipeline(
        ColumnTransformer([("first", StandardScaler(), slice(0, 1)), ("town", OrdinalEncoder(), [2])]), GaussianNB()
    ),
    "columns by a flag": lambda: make_pipeline(
        ColumnTransformer([("age", StandardScaler(), np.array([True, False, False, False]))]), GaussianNB()
    ),
    "a union": lambda: make_pipeline(
        ColumnTransformer([("age", "passthrough", ["age"])]),
        FeatureUnion([("scaled", StandardScaler()), ("same", "passthrough"), ("gone", "drop")]),
        LogisticRegression(),
    ),
    "a step that does nothing": lambda: Pipeline(
        [("columns", by_name()), ("nothing", "passthrough"), ("none", None), ("model", GaussianNB())]
    ),
    "a NumPy function": lambda: make_pipeline(
        ColumnTransformer([("log", FunctionTransformer(np.log1p, feature_names_out="one-to-one"), ["age"])]),
        GaussianNB(),
    ),
    "a pipeline in a pipeline": lambda: make_pipeline(
        make_pipeline(by_name()), make_pipeline(SelectKBest(k=2), GaussianNB())
    ),
    "a stack of pipelines": lambda: StackingClassifier(
        [("line", make_pipeline(by_name(), LogisticRegression())), ("bayes", make_pipeline(by_name(), GaussianNB()))],
        cv=3,
    ),
    "folds of scikit-learn's": lambda: make_pipeline(
        by_name(), LogisticRegressionCV(Cs=[0.1, 1.0], cv=StratifiedKFold(3, shuffle=True, random_state=0))
    ),
}


@pytest.mark.parametrize("library", FRAMES)
@pytest.mark.parametrize("name", MODELS)
def test_pipelines_come_back_as_they_were(name: str, library: str, tmp_path: Path) -> None:
    table = FRAMES[library]
    model = MODELS[name]().fit(table, Y)
    file, again = tmp_path / "model", tmp_path / "again"
    save(model, file)
    loaded = load(file)
    assert type(loaded) is type(model)
    assert repr(loaded) == repr(model)
    assert list(loaded.predict(table)) == list(model.predict(table))
    frame.assert_same_bits(loaded.predict_proba(table), model.predict_proba(table))
    save(loaded, again)
    assert again.read_bytes() == file.read_bytes()


def test_columns_chosen_by_their_type(tmp_path: Path) -> None:
    numbers = make_column_selector(dtype_include=np.number)
    model = make_pipeline(ColumnTransformer([("n", SimpleImputer(), numbers)]), GaussianNB()).fit(FRAMES["pandas"], Y)
    save(model, tmp_path / "model")
    loaded = load(tmp_path / "model")
    frame.assert_same_bits(loaded.predict_proba(FRAMES["pandas"]), model.predict_proba(FRAMES["pandas"]))
    frame.assert_same_bits(
        loaded.fit(FRAMES["pandas"], Y).predict_proba(FRAMES["pandas"]), model.predict_proba(FRAMES["pandas"])
    )


@pytest.mark.parametrize("library", FRAMES)
def test_frames_asked_for_with_set_output_are_still_asked_for(library: str, tmp_path: Path) -> None:
    table = FRAMES[library]
    model = by_name().set_output(transform=library).fit(table)  # type: ignore[arg-type]
    save(model, tmp_path / "model")
    found, wanted = load(tmp_path / "model").transform(table), model.transform(table)
    assert type(found) is type(wanted)
    assert found.equals(wanted)


def test_a_sample_weight_that_is_asked_for_is_still_asked_for(tmp_path: Path) -> None:
    import sklearn

    with sklearn.config_context(enable_metadata_routing=True):
        step = LogisticRegression().set_fit_request(sample_weight=True)
        table = FRAMES["pandas"]
        age = ColumnTransformer([("age", "passthrough", ["age"])])
        model = make_pipeline(age, step).fit(table, Y, sample_weight=np.ones(ROWS))
        save(model, tmp_path / "model")
        loaded = load(tmp_path / "model")
        again = loaded.fit(table, Y, sample_weight=np.arange(ROWS) + 1.0)
        wanted = model.fit(table, Y, sample_weight=np.arange(ROWS) + 1.0)
        frame.assert_same_bits(again.predict_proba(table), wanted.predict_proba(table))


def test_another_scikit_learn_is_warned_of(tmp_path: Path) -> None:
    import json

    path = tmp_path / "model"
    save(make_pipeline(StandardScaler(), GaussianNB()).fit([[1.0], [2.0], [3.0], [4.0]], Y[:4]), path)
    parts = hostile.members(path)
    card = json.loads(parts["card.json"])
    card["versions"]["scikit-learn"] = "1.2.3"
    hostile.pack(path, {**parts, "card.json": json.dumps(card).encode()})
    with pytest.warns(PellucidWarning, match=r"saved with 1\.2\.3"):
        load(path)


def test_a_setting_that_an_older_scikit_learn_did_not_have_has_its_default(tmp_path: Path) -> None:
    import json

    path = tmp_path / "model"
    save(make_pipeline(StandardScaler(), GaussianNB()).fit([[1.0], [2.0], [3.0], [4.0]], Y[:4]), path)

    def older(content: Any) -> None:
        pairs = content["objects"][0]["object"]["state"]
        pairs[:] = [pair for pair in pairs if pair[0] != "transform_input"]

    parts = hostile.model_of(path, older)
    hostile.pack(path, parts)
    with pytest.raises(DataError, match="Pipeline has no transform_input"):
        load(path)
    card = json.loads(parts["card.json"])
    card["versions"]["scikit-learn"] = "1.2.3"
    hostile.pack(path, {**parts, "card.json": json.dumps(card).encode()})
    with pytest.warns(PellucidWarning, match=r"saved with 1\.2\.3"):
        assert load(path).transform_input is None
