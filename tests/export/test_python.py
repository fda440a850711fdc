"""What is said of exported Python: nothing but math, readable, exact, and as strict about a row as the model."""

from __future__ import annotations

import ast
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

from pellucid.boosting import BoostedTreesRegressor
from pellucid.ensemble import RandomForestClassifier
from pellucid.export.python_code import to_python
from pellucid.linear_model import LinearRegression, LogisticRegression
from pellucid.naive_bayes import GaussianNB
from pellucid.preprocessing import OneHotEncoder
from pellucid.tree import DecisionTreeClassifier, DecisionTreeRegressor

from .test_code import assert_same, number, table, three, two, unseen


def module_of(model: Any) -> dict[str, Any]:
    """The names of the exported module, executed in an empty namespace."""
    found: dict[str, Any] = {}
    exec(to_python(model), found)
    return found


def test_math_alone_is_imported() -> None:
    """Of imports there is one, and no name that Python does not have by itself."""
    X = table(100)
    for model in (RandomForestClassifier(3, random_state=0), BoostedTreesRegressor(n_estimators=3)):
        tree = ast.parse(to_python(model.fit(X, three(X) if hasattr(model, "voting") else number(X))))
        imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
        assert [ast.unparse(node) for node in imports] == ["import math"]


def test_a_small_tree_is_read_as_ifs() -> None:
    """The tree of four rows, as one would write it down."""
    X = pd.DataFrame({"petal length": [1.0, 2.0, 3.0, 4.0]})
    text = to_python(DecisionTreeClassifier().fit(X, ["no", "no", "yes", "yes"]))
    body = "    if x[0] > 2.5:  # 'petal length'\n        return (0.0, 1.0)\n    return (1.0, 0.0)"
    other = "    if x[0] <= 2.5:  # 'petal length'\n        return (1.0, 0.0)\n    return (0.0, 1.0)"
    assert (body in text) != (other in text)
    assert "CLASSES = (\n    'no',\n    'yes',\n)" in text


def test_a_line_is_read_as_a_sum() -> None:
    """y = 1 + 2 a - b, as written."""
    X = pd.DataFrame({"a": [0.0, 1.0, 0.0, 1.0], "b": [0.0, 0.0, 1.0, 1.0]})
    model = LinearRegression().fit(X, [1.0, 3.0, 0.0, 2.0])
    model.coef_, model.intercept_ = np.array([2.0, -1.0]), 1.0
    text = to_python(model)
    assert "    score = 1.0\n    score += 2.0 * x[0]  # 'a'\n    score += -1.0 * x[1]  # 'b'\n    return score" in text


def test_rows_by_name_and_by_place() -> None:
    """A dict in any order, a tuple, an array; a row that is too short is refused."""
    X = table(60, gaps=False)[["age", "children"]]
    model = LogisticRegression().fit(X, two(table(60, gaps=False)))
    predict = module_of(model)["predict_proba"]
    wanted = model.predict_proba(X[:1])[0].tolist()
    row = X.iloc[0]
    for given in (dict(row), {"children": row["children"], "age": row["age"], "more": 1}, tuple(row), row.to_numpy()):
        assert predict(given) == pytest.approx(wanted, rel=1e-12)
    with pytest.raises(ValueError, match="a row must have 2 values; got 1"):
        predict([1.0])
    with pytest.raises(KeyError):
        predict({"age": 1.0})


def test_what_the_model_refuses_is_refused() -> None:
    """A missing value of a linear model, and a text in a column of numbers."""
    X = table(60, gaps=False)[["age", "children"]]
    predict = module_of(LinearRegression().fit(X, number(table(60, gaps=False))))["predict"]
    for missing in (None, math.nan):
        with pytest.raises(ValueError, match="column 'children' must hold a value that the model takes"):
            predict([1.0, missing])
    with pytest.raises(TypeError, match=r"column 'age' must hold numbers; got '1\.0'"):
        predict(["1.0", 2.0])


def test_an_unknown_category_is_refused_where_the_encoder_refuses_it() -> None:
    """handle_unknown='error'."""
    X = table(80, gaps=False)
    model = make_pipeline(OneHotEncoder(), LogisticRegression()).fit(X[['col"our']], two(X))
    predict = module_of(model)["predict"]
    assert predict(["red"]) in ("yes", "no")
    for unknown in ("never seen", None):
        with pytest.raises(ValueError, match="not a missing or unknown one"):
            predict([unknown])


def test_columns_that_nothing_asks_need_not_be_there() -> None:
    """A tree that asks one column reads one column."""
    X = pd.DataFrame({"used": [1.0, 2.0, 3.0, 4.0], "not used": [1.0, 1.0, 1.0, 1.0]})
    predict = module_of(DecisionTreeClassifier().fit(X, [0, 0, 1, 1]))["predict"]
    assert predict({"used": 4.0}) == 1


def test_many_nodes_are_tables_and_a_loop() -> None:
    """The forest is written as arrays, and answers the same."""
    X = table(400)
    model = RandomForestClassifier(40, random_state=0).fit(X, three(X))
    text = to_python(model)
    assert "_THRESHOLD = [" in text
    assert "def _tree_0" not in text
    assert_same(model, "python", unseen())


def test_a_very_deep_tree() -> None:
    """A tree of 150 levels is cut into functions that Python can read."""
    X = pd.DataFrame({"a": np.arange(300.0), "b": np.arange(300.0)[::-1]})
    model = DecisionTreeRegressor(surrogates=1).fit(X, 2.0 ** np.arange(300))
    assert model.get_depth() > 100
    for language in ("python", "c", "sqlite", "duckdb", "postgresql in duckdb"):
        assert_same(model, language, X + 0.25)


def test_numbers_are_exact() -> None:
    """The constants of the text are those of the model, bit for bit."""
    random = np.random.RandomState(0)
    X = pd.DataFrame(random.randn(50, 3) * 10.0 ** random.randint(-200, 200, (50, 3)), columns=list("abc"))
    model = DecisionTreeRegressor().fit(X, random.randn(50) * 1e-300)
    text = to_python(model)
    constants = {node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant)}
    negative = {-value for value in constants if isinstance(value, float)}
    assert set(model.tree_.threshold[~model.tree_.is_leaf].tolist()) <= constants | negative
    assert_same(model, "python", X)


def test_a_value_too_far_for_a_density() -> None:
    """Where squares would be infinite, no class is made up."""
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0, 5.0]})
    module = module_of(GaussianNB().fit(X, ["a", "a", "b", "b"]))
    assert module["predict"]([1e100]) == "b"
    with pytest.raises(ValueError, match="column 'a' must hold a value that the model takes"):
        module["predict"]([1e200])
