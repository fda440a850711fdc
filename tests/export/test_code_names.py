"""Names of columns, categories and classes stay data, whatever stands in them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline

from pellucid.linear_model import LogisticRegression
from pellucid.preprocessing import OneHotEncoder
from pellucid.tree import DecisionTreeClassifier

from .test_code import LANGUAGES, assert_same, run

pytestmark = pytest.mark.exhaustive  # every model in every language

# Each would end a string, a comment or a line of a language, or is a word that means something to it.
HOSTILE = (
    "quote \" and ' and `",
    '"""\nimport os\n"""',
    "new\nline\r\nand\ttab",
    "end */ of comment /* and // more",
    "trigraph ??/",
    "??/\n??'",
    "back\\slash\\",
    "\\",
    "{braces} %s %d {0}",
    "'; DROP TABLE data; --",
    '" AS x; SELECT 1 --',
    "select",
    "Größe in µm",
    "имя 名前 😀",
    "right\u202eto left",
    "line\u2028separator",
    "\x1b[31m bell \x07",
    "# comment",
    "$dollar$ $1 :name ?1 @x",
    "",
)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("hostile", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names_stay_data(hostile: str, language: str) -> None:
    """A column, a category and a class with the name: a tree that asks all of them answers as before."""
    column = hostile or "no name"
    X = pd.DataFrame({column: [1.0, 1.0, 2.0, 2.0], f"{column} too": [hostile, "plain", hostile, "plain"]})
    model = DecisionTreeClassifier().fit(X, [hostile, "b", "c", "d"])
    assert set(model.tree_.feature.tolist()) == {-1, 0, 1}
    later = pd.DataFrame({column: [1.0, 2.5, 9.0, np.nan], f"{column} too": ["plain", hostile, None, "unknown"]})
    assert_same(model, language, pd.concat([X, later], ignore_index=True))


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_hostile_names_at_once(language: str) -> None:
    """Many columns, categories and classes, through a pipeline and a linear model."""
    random = np.random.RandomState(0)
    names = [name or "no name" for name in HOSTILE]
    X = pd.DataFrame({name: random.randn(90) for name in names})
    X["x0"] = np.array(HOSTILE, dtype=object)[random.randint(0, len(HOSTILE), 90)]
    y = np.array(HOSTILE, dtype=object)[random.randint(0, len(HOSTILE), 90)]
    steps = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["x0"]), remainder="passthrough")
    model = make_pipeline(steps, LogisticRegression()).fit(X, y)
    assert_same(model, language, X[:30])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("names", [("x1", "x0"), ("z0", "k0"), ("t", "step_0"), ("score", "leaf_0"), ("row", "x")])
def test_names_that_the_code_itself_uses(names: tuple[str, str], language: str) -> None:
    """A column may be called as the code calls its own things."""
    X = pd.DataFrame({names[0]: [1.0, 2.0, 3.0, 4.0, 5.0], names[1]: [2.0, 1.0, 4.0, 3.0, 2.0]})
    assert_same(LogisticRegression().fit(X, ["a", "b", "a", "c", "b"]), language, X)
    assert_same(DecisionTreeClassifier().fit(X, ["a", "b", "a", "c", "b"]), language, X)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("labels", [(3, 7), (2.0, -1.0), (True, False), ("1", "01")])
def test_labels_keep_their_kind(labels: tuple[Any, Any], language: str) -> None:
    """Numbers, flags and texts as classes."""
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0]})
    assert_same(DecisionTreeClassifier().fit(X, np.array([*labels, *labels])), language, X)


def test_columns_without_names() -> None:
    """An array has the columns x0, x1, ..."""
    X = np.array([[1.0, 5.0], [2.0, 4.0], [3.0, 3.0], [4.0, 2.0]])
    model = DecisionTreeClassifier().fit(X, [0, 0, 1, 1])
    for language in LANGUAGES:
        later = pd.DataFrame(X + 0.5, columns=["x0", "x1"])
        assert run(model, language, later)[0] == model.predict(later.to_numpy()).tolist()


def test_names_that_are_no_texts() -> None:
    """Columns called by numbers or times, categories and labels that are NumPy's texts."""
    X = pd.DataFrame({7: [1.0, 2.0, 1.0, 2.0], pd.Timestamp("2020-01-01"): [np.str_("u"), "u", np.str_("v"), "v"]})
    y = np.array([np.str_("a"), "b", "c", "d"], dtype=object)
    model = DecisionTreeClassifier().fit(X.set_axis(X.columns.astype(object), axis=1), y)
    later = X.set_axis([7, str(pd.Timestamp("2020-01-01"))], axis=1)
    for language in LANGUAGES:
        assert run(model, language, later)[0] == ["a", "b", "c", "d"]
