"""The workbook's formulas, worked out by LibreOffice from nothing, give the working's numbers, after a change too.

All workbooks go through one run of LibreOffice, which takes seconds to start.
"""

from __future__ import annotations

import re
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest

from pellucid import working as language
from pellucid.base.errors import MissingExtraError
from pellucid.working import Working, count, mean, mode, sum_, where
from pellucid.working.excel import layout, to_excel
from pellucid.working.excel_plan import LONGEST_AXIS, make_plan
from pellucid.working.exercise import Exercise
from pellucid.working.expression import Apply, Reduce
from pellucid.working.functions import FUNCTIONS, REDUCTIONS
from pellucid.working.matrix import Named
from pellucid.working.sheet import WRITERS, Place, formula

from . import office, samples

# ------------------------------------------------------------------------------------------------------------ workbooks


@dataclass
class Case:
    """A workbook, the working whose numbers it must show, and what is changed in it before it is worked out."""

    working: Working
    wanted: Working
    exercise: Exercise | None = None
    change: dict[Place, Any] = field(default_factory=dict)


def plain_cases() -> dict[str, Case]:
    found = {**samples.models(), "language": samples.language(), "at random": samples.at_random(200, seed=7)}
    found["descent"] = samples.descent(*_line())
    found["many sheets"] = _many_sheets()
    return {name: Case(working, working) for name, working in found.items()}


def _line() -> tuple[np.ndarray, np.ndarray]:
    X, y = samples.ONE_COLUMN
    return X[:, 0], y


def _many_sheets() -> Working:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(230, 2)).round(2)
    return samples.fitted("normal", X, (X @ [1.5, -2] + rng.normal(size=230)).round(2))


def changed_cases() -> dict[str, Case]:
    """One entry of x is another one: the workbook must show the refitted model's working."""
    x, y = samples.ONE_COLUMN
    X, Y = samples.THREE_COLUMNS
    builders: dict[str, tuple[Callable[[Any], Working], np.ndarray]] = {
        "simple": (lambda X: samples.fitted("auto", X, y), x),
        "correlation": (lambda X: samples.fitted("correlation", X, y), x),
        "summary": (lambda X: samples.summary(X, y), x),
        "descent": (lambda X: samples.descent(X[:, 0], y), x),
        **{solver: (lambda X, s=solver: samples.fitted(s, X, Y), X) for solver in ("normal", "qr", "svd")},
    }
    found = {}
    for name, (build, before) in builders.items():
        after = before.copy()
        after[1, 0] += 0.1
        old, new = build(before), build(after)
        found[f"changed {name}"] = Case(old, new, change=_inputs_that_differ(old, new))
    return found


def _inputs_that_differ(old: Working, new: Working) -> dict[Place, Any]:
    steps = [[(step.title, step.sentence, [cell.name for cell in step.cells]) for step in w.steps] for w in (old, new)]
    assert steps[0] == steps[1], "the change must leave the steps as they are"
    places, found = layout(old), {}
    for name, cell in old.cells.items():
        if cell.source is None:
            shape = office.shape(cell)
            was, is_ = (np.reshape(w.cells[name].value, shape) for w in (old, new))
            for i, j in np.argwhere(was != is_):
                found[places[cell].moved(int(i), int(j))] = float(is_[i, j])
    return found


BLANK = ["mean_x", "dx", "Sxy", "slope", "SSE"]


def exercise_cases() -> dict[str, Case]:
    """Exercises with right and wrong answers filled in; one of them with an input changed as well."""
    X, y = samples.ONE_COLUMN
    working = samples.fitted("auto", X, y)
    exercise = working.exercise(BLANK)
    places = make_plan(working, BLANK).places
    at = {name: places[working.cells[name]] for name in working.cells if working.cells[name] in places}
    answers: dict[Place, Any] = {
        at["mean_x"]: 3.001, at["dx"]: -2.0, at["dx"].moved(down=1): 1.0, at["dx"].moved(down=3): 0.0,
        at["Sxy"]: 8.1, at["slope"]: "eight tenths",
    }  # fmt: skip
    complete = {at["dx"].moved(down=i): float(v) for i, v in enumerate(working.value("dx"))}
    complete |= {at[name]: float(working.value(name)) for name in ("mean_x", "Sxy", "slope", "SSE")}
    matrices = samples.fitted("normal", *samples.THREE_COLUMNS)
    names = _names()
    return {
        "exercise": Case(working, working, exercise, answers),
        "complete exercise": Case(working, working, exercise, complete),
        "exercise, other x": Case(working, working, exercise, {**complete, at["x"].moved(down=1): 2.5}),
        "matrix exercise": Case(matrices, matrices, matrices.exercise(["XtX", "coef_1"]), _matrix_answers(matrices)),
        "words": Case(names, names, names.exercise(["most", "any"]), _word_answers(names)),
    }


def _matrix_answers(working: Working) -> dict[Place, Any]:
    blank = ["XtX", "coef_1"]
    place = make_plan(working, blank).places[working.cells["XtX"]]
    G = working.value("XtX")
    found = {place.moved(i, j): float(G[i, j]) for i, j in np.ndindex(*G.shape)}
    return found | {place.moved(0, 1): -1.0}


def _names() -> Working:
    w = Working("Words")
    rows = w.axis("row", 4)
    w.step("Data")
    d = w.given("word", ["b", "a", "b", "c"], rows)
    w.step("Figures")
    w.cell("most", mode(d))
    w.cell("any", count(d) > 3)
    return w


def _word_answers(working: Working) -> dict[Place, Any]:
    places = make_plan(working, ["most", "any"]).places
    return {places[working.cells["most"]]: "b ", places[working.cells["any"]]: 1.0}


@pytest.fixture(scope="module")
def cases() -> dict[str, Case]:
    return {**plain_cases(), **changed_cases(), **exercise_cases()}


@pytest.fixture(scope="module")
def files(cases: dict[str, Case], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("workbooks")
    found = {}
    for number, (name, case) in enumerate(cases.items()):
        found[name] = to_excel(case.working, folder / f"{number}.xlsx", case.exercise)
        if case.change:
            office.edit(found[name], folder / f"changed-{number}.xlsx", office.put(case.change))
            found[name] = folder / f"changed-{number}.xlsx"
    return found


@pytest.fixture(scope="module")
def books(files: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Every workbook, worked out by LibreOffice."""
    done = office.recalculate(list(files.values()), tmp_path_factory.mktemp("office"))
    return {name: done[file] for name, file in files.items()}


# -------------------------------------------------------------------------------------------- numbers from the formulas

PLAIN = [*samples.MODELS, "language", "at random", "descent", "many sheets"]
CHANGED = [f"changed {name}" for name in ("simple", "correlation", "summary", "descent", "normal", "qr", "svd")]


@pytest.mark.slow
@pytest.mark.parametrize("name", [*PLAIN, *CHANGED])
def test_libreoffice_gets_the_same_numbers(name: str, cases: dict[str, Case], books: dict[str, Any]) -> None:
    case = cases[name]
    places = {case.wanted.cells[cell.name]: place for cell, place in layout(case.working).items()}
    assert places
    assert not (wrong := office.differences(case.wanted, books[name], places)), "\n".join(wrong)


def test_a_change_of_x_changes_the_answer() -> None:
    for name, case in changed_cases().items():
        assert case.change, name
        last = [cell for cell in case.working.cells.values() if cell.source is not None][-1]
        assert case.wanted.value(last.name) != pytest.approx(last.value, rel=1e-6), name


@pytest.mark.parametrize("name", PLAIN)
def test_values_beside_the_formulas(name: str, cases: dict[str, Case], files: dict[str, Path]) -> None:
    """What a program that does not calculate shows."""
    book, working = openpyxl.load_workbook(files[name], data_only=True), cases[name].working
    for named, place in layout(working).items():
        got = office.read(book, place, office.shape(named)).ravel()
        want = np.ravel(np.asarray(named.value, dtype=object))
        if isinstance(want[0], str):
            assert list(got) == list(want)
        else:
            np.testing.assert_allclose(got.astype(float), want.astype(float), rtol=1e-15)


def test_allowance_is_no_loophole() -> None:
    """What equals the model's number is allowed next to nothing beyond the billionth."""
    for name, working in samples.models().items():
        allowed = office.margins(working)
        for cell in working.cells.values():
            if cell.attribute and "condition" not in cell.attribute:
                assert (allowed[cell.name] <= 1e-8 * np.abs(cell.value).max() + 1e-11).all(), (name, cell.name)


# ------------------------------------------------------------------------------------------------------- the language


def _nodes(tree: Any) -> list[Any]:
    return [tree, *(node for child in tree.children() if not isinstance(child, Named) for node in _nodes(child))]


def test_every_part_of_the_language_was_tried() -> None:
    workings = [samples.language(), samples.descent(*_line())]
    nodes = [n for w in workings for cell in w.cells.values() if cell.source is not None for n in _nodes(cell.source)]
    assert {node.function for node in nodes if isinstance(node, Apply)} == set(FUNCTIONS)
    assert {node.function for node in nodes if isinstance(node, Reduce)} == set(REDUCTIONS)
    named = {language.Cell, language.Block}
    assert {type(node) for node in nodes} | named == set(WRITERS)


# Functions that Excel has had since 2010 or before, and LibreOffice too. What came later is stored with a prefix.
SHARED = {
    "ABS", "ATAN2", "AVERAGE", "BETADIST", "BETAINV", "CHIDIST", "COS", "COUNTBLANK", "COUNTIF", "EXACT", "EXP",
    "FALSE", "FDIST", "IF", "IFERROR", "INDEX", "INT", "ISBLANK", "ISERROR", "LN", "LOG", "LOOKUP", "LOWER", "MATCH",
    "MAX", "MEDIAN", "MIN",
    "MINVERSE", "MMULT", "NA", "NORMSDIST", "NORMSINV", "PI", "RANK", "ROUND", "ROW", "ROWS", "SIGN", "SIN", "SMALL",
    "SQRT", "STDEV", "SUM", "SUMPRODUCT", "SUMSQ", "TANH", "TDIST", "TINV", "TRANSPOSE", "TRIM", "TRUE", "VAR",
}  # fmt: skip


def test_only_functions_that_both_programs_have(files: dict[str, Path]) -> None:
    for file in files.values():
        with zipfile.ZipFile(file) as parts:
            sheets = [parts.read(name).decode() for name in parts.namelist() if name.startswith("xl/worksheets/sheet")]
        formulas = [re.sub('"[^"]*"', "", text) for sheet in sheets for text in re.findall("<f[^>]*>(.*?)</f>", sheet)]
        used = {name for text in formulas for name in re.findall(r"([A-Z][A-Z0-9.]*|_\w+[\w.]*)\(", text)}
        assert used <= SHARED


def written(tree: Any, **values: Any) -> str:
    """A formula over cells in row 1 and columns in rows 1 to 3."""
    places = {cell: Place("S", 0, at) for at, cell in enumerate(values.values())}
    return formula(tree, places, "S").text


def test_flags_count_in_excel_too() -> None:
    """Excel's sums pass over TRUE and FALSE, and TRUE=1 is false there; LibreOffice takes them for numbers."""
    rows = language.Axis("row", [1, 2, 3])
    f = language.Cell("f", axis=rows, value=np.array([True, False, True]))
    x = language.Cell("x", axis=rows, value=np.array([1.0, 2, 3]))
    one = language.Cell("one", value=True)
    assert written(sum_(f), f=f) == "SUMPRODUCT(1*$A$1:$A$3)"
    assert written(sum_(x > 1), x=x) == "SUMPRODUCT(1*($A$1:$A$3>1))"
    assert written(sum_(f * x), f=f, x=x) == "SUMPRODUCT($A$1:$A$3*$B$1:$B$3)"
    assert written(mean(f), f=f) == "AVERAGE(1*$A$1:$A$3)"
    assert written(language.equal(one, 1), one=one) == "1*$A$1=1"
    assert written(sum_(where(x > 1, x, 0)), x=x) == "SUM(IF($A$1:$A$3>1,$A$1:$A$3,0))"


# ------------------------------------------------------------------------------------------------------------ exercises


def checks(case: Case, book: Any, name: str) -> list[Any]:
    assert case.exercise is not None
    plan = make_plan(case.working, case.exercise.blank)
    named = case.working.cells[name]
    return [value or "" for value in office.read(book, plan.checks[named], office.shape(named)).ravel()]


def score(case: Case, book: Any) -> str:
    assert case.exercise is not None
    return str(book[make_plan(case.working, case.exercise.blank).first.name]["A2"].value)


@pytest.mark.slow
def test_answers_are_checked(cases: dict[str, Case], books: dict[str, Any]) -> None:
    case, book = cases["exercise"], books["exercise"]
    assert checks(case, book, "mean_x") == ["right"]  # 3.001 for 3
    assert checks(case, book, "dx") == ["right", "not yet", "", "right", ""]
    assert checks(case, book, "Sxy") == ["not yet"]
    assert checks(case, book, "slope") == ["not yet"]  # not a number
    assert checks(case, book, "SSE") == [""]
    assert score(case, book) == "3 of 9 right"


@pytest.mark.slow
def test_cells_that_follow_wait_for_the_answers(cases: dict[str, Case], books: dict[str, Any]) -> None:
    working, blank = cases["exercise"].working, cases["exercise"].exercise.blank
    places = make_plan(working, blank).places
    assert not books["exercise"]["Working"].cell(places[working.cells["product"]].row + 1, 5).value
    done = {cell: place for cell, place in places.items() if cell.name not in blank}
    assert not office.differences(working, books["complete exercise"], done)
    assert score(cases["complete exercise"], books["complete exercise"]) == "9 of 9 right"


@pytest.mark.slow
def test_what_is_right_follows_the_inputs(cases: dict[str, Case], books: dict[str, Any]) -> None:
    """x_2 is 2.5 for 2: the mean is 3.1, so that 3, right before, no longer is."""
    case, book = cases["exercise, other x"], books["exercise, other x"]
    assert checks(case, book, "mean_x") == ["not yet"]
    assert checks(case, book, "dx") == ["not yet"] * 5
    assert score(case, book) == "0 of 9 right"


@pytest.mark.slow
def test_matrices_and_words_are_checked(cases: dict[str, Case], books: dict[str, Any]) -> None:
    wrong = checks(cases["matrix exercise"], books["matrix exercise"], "XtX")
    assert wrong == ["right", "not yet"] + ["right"] * 14
    assert score(cases["matrix exercise"], books["matrix exercise"]) == "15 of 17 right"
    assert checks(cases["words"], books["words"], "most") == ["right"]
    assert checks(cases["words"], books["words"], "any") == ["right"]


def test_only_blank_cells_are_unlocked_and_answers_are_hidden(tmp_path: Path) -> None:
    working = samples.fitted("auto", *samples.ONE_COLUMN)
    book = openpyxl.load_workbook(working.exercise(BLANK).to_excel(tmp_path / "e.xlsx"))
    assert {sheet.title: sheet.sheet_state for sheet in book} == {
        "Working": "visible", "Answers": "hidden", "Score": "hidden",
    }  # fmt: skip
    sheet = book["Working"]
    assert sheet.protection.sheet
    assert not sheet.protection.password
    unlocked = {(cell.row - 1, cell.column - 1) for row in sheet for cell in row if not cell.protection.locked}
    places = make_plan(working, BLANK).places
    blank = {(places[named].row + i, places[named].column) for named in places if named.name in BLANK
             for i in range(office.shape(named)[0])}  # fmt: skip
    assert unlocked == blank
    assert all(sheet.cell(row + 1, column + 1).value is None for row, column in unlocked)


def test_nothing_visible_gives_the_answers_away(tmp_path: Path) -> None:
    working = samples.fitted("auto", *samples.ONE_COLUMN)
    book = openpyxl.load_workbook(working.exercise(["slope"]).to_excel(tmp_path / "e.xlsx"), data_only=True)
    places = make_plan(working, ["slope"]).places
    for name in ("slope", "intercept", "fitted", "SSE"):
        assert not office.read(book, places[working.cells[name]], (1, 1))[0, 0]


# ------------------------------------------------------------------------------------------------------- other promises


def test_words_are_never_formulas(tmp_path: Path) -> None:
    working = samples.language()
    book = openpyxl.load_workbook(to_excel(working, tmp_path / "w.xlsx"))
    for sheet in book:
        for row in sheet:
            for cell in row:
                if isinstance(cell.value, str) and cell.value in ("=a", "=b", "=c", "+b", "@c", "=1+1"):
                    assert cell.data_type == "s"


def test_undefined_and_infinite(tmp_path: Path) -> None:
    w = Working("Odd numbers")
    x = w.given("x", [1.0, np.nan, np.inf], w.axis("row", 3))
    a = w.given("a", 0.0)
    w.step("Figures")
    w.cell("mean", mean(x))
    w.cell("quotient", 1 / a)
    w.cell("twice", x * 2 + float("nan"))
    w.given("empty", "")
    book = openpyxl.load_workbook(to_excel(w, tmp_path / "odd.xlsx"), data_only=True)
    found = {name: office.read(book, layout(w)[w.cells[name]], (1, 1))[0, 0] for name in ("mean", "quotient", "twice")}
    assert found == {"mean": "#N/A", "quotient": "#DIV/0!", "twice": "#N/A"}


def test_empty_columns(tmp_path: Path) -> None:
    w = Working("Nothing")
    x = w.given("x", np.empty(0), w.axis("row", 0))
    w.cell("sum", sum_(x))
    book = openpyxl.load_workbook(to_excel(w, tmp_path / "none.xlsx"))
    assert office.read(book, layout(w)[w.cells["sum"]], (1, 1))[0, 0] == 0


def test_a_small_working_stands_on_one_sheet_and_a_large_one_on_many(tmp_path: Path) -> None:
    small = openpyxl.load_workbook(to_excel(samples.descent(*_line()), tmp_path / "s.xlsx"))
    assert small.sheetnames == ["Working"]
    large = openpyxl.load_workbook(to_excel(_many_sheets(), tmp_path / "l.xlsx"))
    assert large.sheetnames[:2] == ["1 Data", "2 Design matrix"]


def test_sheet_names_are_allowed(tmp_path: Path) -> None:
    w = Working("Names")
    rows = w.axis("row", 300)
    for i, title in enumerate(["a/b:c*d?[e]\\'", "a" * 60, "a" * 60, ""]):
        w.step(title)
        w.given(f"x{i}", np.arange(300.0), rows)
    names = openpyxl.load_workbook(to_excel(w, tmp_path / "n.xlsx")).sheetnames
    assert names == ["1 abcde", "2 " + "a" * 29, "3 " + "a" * 29, "4"]


def test_long_columns_are_cut_and_what_follows_is_a_number(tmp_path: Path) -> None:
    n = LONGEST_AXIS + 1
    w = Working("Long")
    w.step("Data")
    x = w.given("x", np.arange(float(n)), w.axis("row", n))
    w.step("Figures")
    center = w.cell("center", mean(x))
    w.cell("twice", center * 2)
    book = openpyxl.load_workbook(to_excel(w, tmp_path / "long.xlsx"))
    sheet, places = book["2 Figures"], layout(w)
    assert x not in places
    assert sheet.cell(places[center].row + 1, places[center].column + 1).value == (n - 1) / 2
    assert str(sheet.cell(places[w.cells["twice"]].row + 1, 3).value).startswith("=")
    text = " ".join(str(cell.value) for row in book["1 Data"].iter_rows(max_row=6) for cell in row if cell.value)
    assert "Not live: x." in text
    assert "written as a number too: center." in text
    assert book["1 Data"].max_row < 40


def test_properties_name_the_working_and_nobody(tmp_path: Path) -> None:
    path = to_excel(samples.descent(*_line()), tmp_path / "p.xlsx")
    properties = openpyxl.load_workbook(path).properties
    assert properties.title == "Gradient descent"
    assert not properties.creator
    assert not properties.lastModifiedBy


def test_missing_xlsxwriter(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    with pytest.raises(MissingExtraError, match=r"to_excel: needs XlsxWriter.*\nhint: pip install pellucid\[excel\]"):
        to_excel(samples.descent(*_line()), tmp_path / "x.xlsx")
