"""to_onnx itself: inputs, outputs, metadata, refusals; and what the other tests of ONNX use to compare answers."""

from __future__ import annotations

import builtins
import importlib.util
import json
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pandas as pd
import pytest
from sklearn.pipeline import Pipeline

import pellucid
from pellucid.base.errors import DataTypeError, MissingExtraError, NotFittedError, ParameterError
from pellucid.boosting import BoostedTreesRegressor
from pellucid.dummy import DummyClassifier, DummyRegressor
from pellucid.export.onnx import to_onnx
from pellucid.linear_model import LinearRegression, LogisticRegression
from pellucid.neighbors import KNeighborsClassifier
from pellucid.preprocessing import StandardScaler
from pellucid.tree import DecisionTreeClassifier, DecisionTreeRegressor

pytestmark = pytest.mark.exhaustive  # every model in every language

TOLERANCE = 1e-5


def session(made: Any) -> Any:
    """A running model; onnxruntime's own words about failures are not printed."""
    options = ort.SessionOptions()
    options.log_severity_level = 4
    return ort.InferenceSession(made.SerializeToString(), options, providers=["CPUExecutionProvider"])


def feeds(running: Any, X: Any) -> dict[str, Any]:
    """A table as the inputs want it: numbers as floats of the right size, words with "" where they are missing."""
    found = {}
    for one in running.get_inputs():
        number = {"tensor(double)": np.float64, "tensor(float)": np.float32}.get(one.type)
        if one.name == "X" and one.shape[1] != 1 and not (isinstance(X, pd.DataFrame) and "X" in X):
            found["X"] = np.asarray(X, dtype=number)
            continue
        column = X[one.name] if isinstance(X, pd.DataFrame) else np.asarray(X)[:, int(one.name[1:])]
        values = pd.Series(column)
        if number is None:
            values = values.astype(object).where(values.notna(), "")
            found[one.name] = values.to_numpy(dtype=object).reshape(-1, 1)
        else:
            found[one.name] = values.to_numpy(dtype=number, na_value=np.nan).reshape(-1, 1)
    return found


def answers(made: Any, X: Any) -> dict[str, Any]:
    """What onnxruntime says, by the names of the outputs."""
    running = session(made)
    names = [one.name for one in running.get_outputs()]
    return dict(zip(names, running.run(None, feeds(running, X)), strict=True))


def near(found: Any, wanted: Any, tolerance: float = TOLERANCE) -> None:
    """Numbers that agree, relative to the size of those that are wanted; NaN where NaN is."""
    wanted = np.asarray(wanted.toarray() if hasattr(wanted, "toarray") else wanted, dtype=np.float64)
    found = np.asarray(found, dtype=np.float64).reshape(wanted.shape)
    scale = max(np.abs(wanted[np.isfinite(wanted)]).max(initial=0.0), 1e-300)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(wanted))
    np.testing.assert_allclose(found, wanted, rtol=0, atol=tolerance * scale, equal_nan=True)


def agree(model: Any, X: Any, *, tolerance: float = TOLERANCE, **settings: Any) -> dict[str, Any]:
    """A model and what became of it say the same of every row, and of the first row alone."""
    made = to_onnx(model, **settings)
    for rows in (slice(None), slice(0, 1)):
        part = X.iloc[rows] if isinstance(X, pd.DataFrame) else X[rows]
        found = answers(made, part)
        if "label" in found:
            labels = model.predict(part)
            assert found["label"].tolist() == np.asarray(labels).tolist()
        if "probabilities" in found:
            near(found["probabilities"], model.predict_proba(part), tolerance)
        for k, wanted in enumerate(model.predict_proba(part) if "probabilities_0" in found else []):
            near(found[f"probabilities_{k}"], wanted, tolerance)
        if "scores" in found:
            near(found["scores"], model.decision_function(part), tolerance)
        if "variable" in found:
            method = model.predict if hasattr(model, "predict") else model.transform
            near(found["variable"], method(part), tolerance)
    return answers(made, X)


def fails(model: Any, X: Any, words: str, **settings: Any) -> None:
    """onnxruntime refuses a table, and the name of the operator says why."""
    running = session(to_onnx(model, **settings))
    with pytest.raises(Exception, match=words):
        running.run(None, feeds(running, X))


def numbers(n: int, p: int = 4, seed: int = 0) -> Any:
    """A table of numbers."""
    return np.random.RandomState(seed).randn(n, p)


def classes(X: Any, k: int = 3, seed: int = 1) -> Any:
    """Words that depend on the columns, with some noise."""
    noisy = X[:, 0] + 0.7 * X[:, 1] ** 2 + 0.3 * np.random.RandomState(seed).randn(len(X))
    cuts = np.quantile(noisy, np.linspace(0, 1, k + 1)[1:-1])
    return np.array(["low", "mid", "top", "very"])[np.searchsorted(cuts, noisy)]


def mixed(n: int, seed: int = 0, missing: bool = True) -> Any:
    """A table of numbers, flags and words, with missing values among them."""
    random = np.random.RandomState(seed)
    table = pd.DataFrame(
        {
            "size": random.randn(n),
            "kind": random.choice(["a", "b", "c", "d", "é ü"], n),
            "is new": random.rand(n) < 0.5,
            "count": random.randint(0, 9, n).astype(float),
            "place": random.choice([f"place {k}" for k in range(40)], n),
        }
    )
    if missing:
        for name in ("size", "kind", "place"):
            table.loc[random.rand(n) < 0.1, name] = None
    return table


def target(table: Any, seed: int = 1) -> Any:
    """Numbers that depend on all columns of `mixed`."""
    random = np.random.RandomState(seed)
    kind = table["kind"].map({"a": 0.0, "b": 1.0, "c": -1.0, "d": 2.0}).fillna(0.5).to_numpy()
    place = table["place"].fillna("place 3").str.slice(6).astype(float).to_numpy()
    size = table["size"].fillna(0.3).to_numpy(dtype=float)
    return size + kind + 0.1 * place + table["is new"] * 1.5 + 0.2 * random.randn(len(table))


# --------------------------------------------------------------------------------------------------- inputs and outputs


def test_columns_are_inputs_under_their_names() -> None:
    table = pd.DataFrame({"b": [1.0, 2, 3, 5], "a column": [1.0, 0, 4, 4]})
    model = LinearRegression().fit(table, [1.0, 2, 3, 5])
    made = to_onnx(model)
    assert [one.name for one in made.graph.input] == ["b", "a column"]
    assert [one.name for one in made.graph.output] == ["variable"]
    assert answers(made, table[["a column", "b"]])["variable"].shape == (4, 1)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("inputs", ["columns", "matrix"])
def test_inputs_of_each_kind(inputs: Any, dtype: Any) -> None:
    X = numbers(300)
    model = LogisticRegression().fit(X, classes(X))
    later = numbers(200, seed=5).astype(dtype)
    found = agree(model, later, inputs=inputs, dtype=dtype)
    assert found["probabilities"].dtype == dtype
    made = to_onnx(model, inputs=inputs, dtype=dtype)
    assert len(made.graph.input) == (1 if inputs == "matrix" else 4)


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        (["yes", "no"], object),
        ([3, 7], np.int64),
        ([False, True], bool),
        ([1.0, 2.0], np.float64),
        (np.array([3, 250], dtype=np.uint8), np.int64),
    ],
)
def test_labels_keep_their_type(labels: Any, kind: Any) -> None:
    X = numbers(100)
    y = np.asarray(labels)[(X[:, 0] > 0).astype(int)]
    found = agree(LogisticRegression().fit(X, y), numbers(50, seed=2))
    assert found["label"].dtype == kind


def test_metadata_tells_columns_classes_and_version() -> None:
    X = pd.DataFrame(numbers(60), columns=["a", "b", "c", "label"])
    made = to_onnx(LogisticRegression().fit(X, classes(X.to_numpy())))
    told = {one.key: one.value for one in made.metadata_props}
    assert told["pellucid_version"] == pellucid.__version__
    assert told["model"] == "LogisticRegression"
    assert json.loads(told["columns"]) == ["a", "b", "c", "label"]
    assert json.loads(told["classes"]) == ["low", "mid", "top"]
    assert json.loads(told["outputs"]) == ["label_2", "probabilities"]  # a column has the name already
    assert made.producer_name == "pellucid"


def test_file(tmp_path: Any) -> None:
    X = numbers(50)
    model = LinearRegression().fit(X, X[:, 0])
    made = to_onnx(model, tmp_path / "line.onnx", inputs="matrix")
    kept = onnx.load(tmp_path / "line.onnx")
    onnx.checker.check_model(kept, full_check=True)
    assert kept == made


def test_opset_of_choice() -> None:
    X = numbers(80)
    model = DecisionTreeRegressor().fit(X, X[:, 0] * X[:, 1])
    for opset in (18, 21):
        made = to_onnx(model, opset=opset)
        assert made.opset_import[0].version == opset
        agree(model, numbers(40, seed=3), opset=opset)


def test_columns_that_are_not_read_are_no_inputs() -> None:
    table = mixed(200, missing=False)
    model = Pipeline([("scale", StandardScaler()), ("line", LinearRegression())])
    model.fit(table[["size", "count"]], target(table))
    assert [one.name for one in to_onnx(model).graph.input] == ["size", "count"]
    baseline = DummyClassifier().fit(table, table["kind"])
    assert len(to_onnx(baseline).graph.input) == 1


# ------------------------------------------------------------------------------------------------------------- refusals


def test_onnx_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.util.find_spec
    graph = importlib.import_module("pellucid.export.onnx.graph")
    monkeypatch.setattr(graph, "find_spec", lambda name: None if name == "onnx" else real(name))
    model = LinearRegression().fit([[1.0], [2.0], [4.0]], [1.0, 2, 3])
    with pytest.raises(MissingExtraError, match=r"pip install 'pellucid\[onnx\]'"):
        to_onnx(model)


def test_import_needs_no_onnx(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *given: Any, **more: Any) -> Any:
        if name.split(".")[0] == "onnx":
            raise ImportError(name)
        return real(name, *given, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    for name in [name for name in list(importlib.sys.modules) if name.startswith("pellucid.export")]:  # type: ignore[attr-defined]
        monkeypatch.delitem(importlib.sys.modules, name)  # type: ignore[attr-defined]
    assert callable(importlib.import_module("pellucid.export.onnx").to_onnx)


def test_words_of_refusals() -> None:
    X, y = numbers(40), np.arange(40) % 2
    with pytest.raises(NotFittedError, match="LinearRegression must be fitted"):
        to_onnx(LinearRegression())
    with pytest.raises(ParameterError, match="inputs must be 'columns' or 'matrix'"):
        to_onnx(LinearRegression().fit(X, y), inputs="rows")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="opset must be a whole number from 18 on"):
        to_onnx(LinearRegression().fit(X, y), opset=11)
    with pytest.raises(ParameterError, match="got the class LinearRegression"):
        to_onnx(LinearRegression)
    texts = KNeighborsClassifier(1, metric="edit").fit(["tree", "three", "house"], ["a", "a", "b"])
    with pytest.raises(DataTypeError, match="KNeighborsClassifier with metric='edit' has no ONNX operators"):
        to_onnx(texts)
    from pellucid.rules import OneRClassifier

    with pytest.raises(DataTypeError, match="OneRClassifier has no ONNX form yet"):
        to_onnx(OneRClassifier().fit(X, y))
    drawn = DummyClassifier(strategy="uniform").fit(X, y)
    with pytest.raises(DataTypeError, match="draws its answers"):
        to_onnx(drawn)


def test_words_need_columns() -> None:
    table = mixed(100)
    model = DecisionTreeClassifier().fit(table, table["is new"])
    with pytest.raises(DataTypeError, match="inputs='columns'"):
        to_onnx(model, inputs="matrix")


def test_missing_values_are_refused_where_the_model_refuses_them() -> None:
    X = numbers(50)
    model = LinearRegression().fit(X, X[:, 0])
    X[7, 2] = np.nan
    for inputs in ("columns", "matrix"):
        fails(model, X, "LinearRegression takes no missing values", inputs=inputs)


@pytest.mark.parametrize("n", [1, 10_000])
def test_one_row_and_many(n: int) -> None:
    X = numbers(400)
    later = numbers(n, seed=9)
    agree(BoostedTreesRegressor(n_estimators=30).fit(X, X[:, 0] * X[:, 1]), later)
    agree(KNeighborsClassifier(7, weights="distance").fit(X, classes(X)), later)
    agree(DummyRegressor().fit(X, X[:, 0]), later)
