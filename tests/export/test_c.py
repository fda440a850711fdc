"""What is said of exported C: no warning, exact constants, codes of categories, and NAN where there is no answer."""

from __future__ import annotations

import math
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pellucid.base.errors import DataError
from pellucid.ensemble import ExtraTreesRegressor, RandomForestClassifier
from pellucid.export.c_code import c_comment, to_c
from pellucid.linear_model import LinearRegression, LogisticRegression
from pellucid.tree import DecisionTreeClassifier, DecisionTreeRegressor

from .test_code import assert_same, compiled, number, table, three, unseen


def said_by(model: Any, body: str, folder: Path, *flags: str) -> list[str]:
    """Lines that a main function with the body prints."""
    main = f"\n#include <stdio.h>\nint main(void) {{ {body} return 0; }}\n"
    program = compiled(to_c(model), main, folder, *flags)
    return subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout.splitlines()


def test_the_file_alone_compiles(tmp_path: Path) -> None:
    """As a unit of its own, optimized, without a warning: what is not used is not there."""
    X = table(120)
    for k, model in enumerate((DecisionTreeClassifier(max_depth=3), RandomForestClassifier(30, random_state=0))):
        folder = tmp_path / str(k)
        folder.mkdir()
        body = 'double row[4] = {0.5, 1.0, 2.0, 0.0}; printf("%g\\n", predict(row));'
        assert len(said_by(model.fit(X, three(X)), body, folder, "-O2", "-Wshadow=local")) == 1


def test_codes_of_categories(tmp_path: Path) -> None:
    """By the names of the categories; -1 for others, NAN for none, and the same answers for codes that are none."""
    X = pd.DataFrame({"the color": ["red", "blue", "green", "red"], "n": [1.0, 2.0, 3.0, 4.0]})
    model = DecisionTreeClassifier().fit(X, ["a", "b", "c", "a"])
    names = ("red", "blue", "green", "other")
    body = "".join(f'printf("%g\\n", code_of_the_color("{name}"));' for name in names)
    body += 'printf("%d\\n", code_of_the_color(0) != code_of_the_color(0));'
    body += "double row[2] = {0.0, 2.0}; int same = 1; double first;"
    body += "row[0] = NAN; first = predict(row);"
    body += "for (int k = 0; k < 3; k++) { row[0] = (double[]){-1, 7, 0.5}[k]; same = same && predict(row) == first; }"
    body += 'printf("%d %s\\n", same, class_name((int)first));'
    *codes, last = said_by(model, body, tmp_path)
    assert codes == ["2", "0", "1", "-1", "1"]
    wanted = model.predict(pd.DataFrame({"the color": [None], "n": [2.0]}, dtype=object).astype({"n": float}))[0]
    assert last == f"1 {wanted}"


def test_no_answer_is_nan(tmp_path: Path) -> None:
    """A linear model refuses missing values."""
    X = table(60, gaps=False)[["age", "children"]]
    model = LogisticRegression().fit(X, three(table(60, gaps=False)))
    body = 'double row[2] = {1.0, NAN}, out[3]; predict_proba(row, out); printf("%g %g\\n", predict(row), out[2]);'
    assert [math.isnan(float(word)) for word in said_by(model, body, tmp_path)[0].replace("-", "").split()] == [
        True
    ] * 2


def test_constants_are_exact(tmp_path: Path) -> None:
    """Coefficients from the least to the largest number, to the last bit."""
    X = pd.DataFrame(np.eye(6), columns=list("abcdef"))
    model = LinearRegression(fit_intercept=False).fit(X, np.arange(6.0))
    model.coef_ = np.array([0.1, 1e308, 5e-324, -1 / 3, 2.0**53 + 2, 1.7976931348623157e308])
    model.intercept_ = 0.0
    body = "for (int k = 0; k < 6; k++) { double row[6] = {0}; row[k] = 1; "
    body += 'printf("%a\\n", predict(row)); }'
    assert [float.fromhex(line) for line in said_by(model, body, tmp_path)] == model.coef_.tolist()


def test_many_nodes_are_arrays() -> None:
    """A forest with sets of categories, walked by a loop."""
    X = table(400)
    model = ExtraTreesRegressor(20, random_state=0).fit(X, number(X))
    text = to_c(model)
    assert "static const double node_threshold[]" in text
    assert "set_word" in text
    assert_same(model, "c", unseen())


def test_two_columns_whose_names_look_alike(tmp_path: Path) -> None:
    """Each has a function of its own."""
    X = pd.DataFrame({"a b": ["x", "y", "x", "y"], "a-b": ["u", "u", "v", "v"], "ÄÖ": ["m", "n", "n", "m"]})
    model = DecisionTreeClassifier().fit(X, [0, 1, 2, 3])
    text = to_c(model)
    used = sorted(set(model.tree_.feature[model.tree_.feature >= 0].tolist()))
    assert used == [0, 1]
    assert "double code_of_a_b(const char *text);" in text
    assert "double code_of_a_b_1(const char *text);" in text


def test_texts_that_c_cannot_hold() -> None:
    """NUL ends a string of C."""
    X = pd.DataFrame({"a": ["x\0y", "x", "x\0y", "x"]})
    with pytest.raises(DataError, match="must not hold the character NUL"):
        to_c(DecisionTreeRegressor().fit(X, [0.0, 1.0, 0.0, 1.0]))


def test_comments_cannot_be_ended() -> None:
    """Whatever a name holds, its comment stays one line without the end of a comment."""
    for text in ("*/", "/*", "??/", "\n", "a\\", "\u2028", "\u202e"):
        said = c_comment(text)
        assert said.isprintable()
        assert not {"*", "/", "?"} & set(said)
