"""One expression, four readings: value, symbols, numbers put in; the spreadsheet's formula is read in test_excel."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pellucid import working as wk
from pellucid.working import Axis, Cell, Expr, Working, WorkingError
from pellucid.working.boxes import number, symbol
from pellucid.working.expression import expr
from pellucid.working.functions import FUNCTIONS, REDUCTIONS
from pellucid.working.notation import Reader, in_symbols, with_numbers
from pellucid.working.printers import latex, mathml, unicode

ROWS = Axis("row", [1, 2, 3])
X = Cell("x", axis=ROWS, value=[2.0, 4.0, 9.0], symbol="x")
A = Cell("a", value=3.0, symbol="a")
B = Cell("b", value=-2.0, symbol="b")


def symbols(tree: Expr) -> str:
    return unicode(Reader().box(tree))


def numbers(tree: Expr) -> str:
    return unicode(Reader(numbers=True).box(tree))


VALUES: list[tuple[Any, float]] = [
    (A + B, 1),
    (A - B, 5),
    (2 * A / 4, 1.5),
    (1 / A + 1 - 1, 1 / 3),
    (A**2 - B**3, 17),
    (-(B**2), -4),
    (wk.exp(A), math.e**3),
    (wk.ln(wk.exp(A)), 3),
    (wk.log(100), 2),
    (wk.log(8, 2), 3),
    (wk.sqrt(A * 12), 6),
    (wk.absolute(B), 2),
    (wk.sign(B), -1),
    (wk.floor(B / 4), -1),
    (wk.rounded(A / 7, 2), 0.43),
    (wk.tanh(A - 3), 0),
    (wk.angle(A * 0, A) * 2 / wk.pi(), 1),
    (wk.angle(A * 0, A * 0), 0),
    (wk.pi() * 0 + 1, 1),
    (wk.where(A > B, 1, 0), 1),
    (wk.where(A <= B, 1, 0), 0),
    (wk.where(wk.equal(A, 3), 7, 0), 7),
    (wk.sum_(X), 15),
    (wk.sum_(X * X), 101),
    (wk.sum_((X - wk.mean(X)) ** 2), 26),
    (wk.mean(X), 5),
    (wk.count(X), 3),
    (wk.min_(X), 2),
    (wk.max_(X), 9),
    (wk.median(X), 4),
    (wk.standard_deviation(X), math.sqrt(13)),
    (wk.arg_max(X), 3),
    (wk.arg_min(X), 1),
    (wk.nth_smallest(X, 2), 4),
    (wk.mode(Cell("v", axis=ROWS, value=[5.0, 7.0, 7.0])), 7),
    (wk.lookup(X, A - 1), 4),
    (wk.dot([A, B], [B, A]), -12),
    (wk.normal_below(A - 3), 0.5),
    (wk.normal_quantile(0.5), 0),
    (wk.student_tail(A - 3, 4), 1),
    (wk.student_critical(1.0, 4), 0),
    (wk.chi_squared_tail(2 * wk.ln(A), 2), 1 / 3),  # e^(-x/2)
    (wk.f_tail(A, 2, 2), 1 / 4),  # 1 / (1 + f)
    (wk.sin(wk.pi() / 6), 0.5),
    (wk.cos(wk.pi() / A), 0.5),
    (wk.smallest(A, B, -1), -2),
]


@pytest.mark.parametrize(("tree", "wanted"), VALUES)
def test_value(tree: Expr, wanted: float) -> None:
    assert tree.value == pytest.approx(wanted, rel=1e-12, abs=1e-12)


def test_every_function_and_reduction_is_tried() -> None:
    """No function of the language without a value worked out by hand above."""
    seen: set[str] = set()

    def walk(tree: Any) -> None:
        seen.add(getattr(tree, "function", ""))
        for child in tree.children():
            walk(child)

    for tree, _ in VALUES:
        walk(tree)
    missing = (set(FUNCTIONS) | set(REDUCTIONS)) - seen - {"<", ">=", "variance"}
    assert missing == set()


def test_columns_are_worked_out_entry_by_entry() -> None:
    np.testing.assert_array_equal((2 * X + A).value, [7, 11, 21])
    np.testing.assert_array_equal(wk.rank(X).value, [1, 2, 3])
    np.testing.assert_array_equal(wk.where(X > 3, "big", "small").value, ["small", "big", "big"])


SYMBOLS = [
    (A + B - A, "a + b − a"),
    (A - (B - A), "a − (b − a)"),
    (A / (B * A), "a / (b a)"),
    ((A + B) * (A - B), "(a + b)(a − b)"),
    (2 * A * B, "2 a b"),
    (-(A**2), "−a²"),
    ((-A) ** 2, "(−a)²"),
    (A ** (B + 1), "a^(b + 1)"),
    (wk.sqrt(A / B), "√(a / b)"),
    (wk.sum_((X - wk.mean(X)) ** 2) / (wk.count(X) - 1), "∑ᵢ (xᵢ − ∑ᵢ xᵢ / n)² / (n − 1)"),
    (wk.exp(-(A**2) / 2), "e^(−a² / 2)"),
    (wk.absolute(A - B), "|a − b|"),
    (wk.log(A, 2), "log₂(a)"),
    (wk.where(A > 0, A, -A), "a if a > 0, else −a"),
    (wk.dot([A, B], [B, A]), "a b + b a"),
]


@pytest.mark.parametrize(("tree", "wanted"), SYMBOLS)
def test_in_symbols(tree: Expr, wanted: str) -> None:
    assert symbols(tree) == wanted


NUMBERS = [
    (A + B, "3 + (−2)"),
    (A - B, "3 − (−2)"),
    (A * B, "3 × (−2)"),
    (B**2, "(−2)²"),
    (A * (B - A), "3(−2 − 3)"),
    (wk.sum_(X), "2 + 4 + 9"),
    (wk.mean(X), "(2 + 4 + 9) / 3"),
    (wk.sum_(X * X), "2 × 2 + 4 × 4 + 9 × 9"),
    (wk.max_(X), "max(2, 4, 9)"),
    (wk.where(A > 0, A + 1, -A), "3 + 1"),
    (wk.lookup(X, 2), "4"),
]


@pytest.mark.parametrize(("tree", "wanted"), NUMBERS)
def test_with_the_numbers_put_in(tree: Expr, wanted: str) -> None:
    assert numbers(tree) == wanted


def test_a_word_and_a_number_below_a_symbol_are_kept_apart() -> None:
    """The value "below 15.5" of column 3 is not 15.53; numbers stand together as in a matrix."""
    w = Working("w")
    w.step("Shares", "")
    for labels, shown in ((["below 15.5", "above"], "N_(below 15.5,3)"), ([1, 2], "N₁₃")):
        axis = Axis("side", labels, "k")
        x = w.given(f"x_{shown}", [2.0, 3.0], axis, symbol="x")
        w.cell(f"N_{shown}", x + 1, symbol="N_3", label="rows")
        assert shown in w.to_text()


def test_a_long_sum_leaves_out_its_middle() -> None:
    long = Cell("x", axis=Axis("row", range(1, 101)), value=np.arange(1.0, 101), symbol="x")
    assert numbers(wk.sum_(long)) == "1 + 2 + … + 100"


def test_formula_and_result() -> None:
    cell = Cell("m", wk.mean(X), value=5.0, symbol=r"\bar{x}")
    assert unicode(in_symbols(cell) or number(0)) == "x̄ = ∑ᵢ xᵢ / n"
    assert unicode(with_numbers(cell) or number(0)) == "x̄ = (2 + 4 + 9) / 3 = 5"
    assert latex(in_symbols(cell) or number(0)) == r"\bar{x} = \frac{\sum_{i} x_{i}}{n}"
    assert "<mover" in mathml(in_symbols(cell) or number(0))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (r"\beta_1", "β₁"),
        (r"\hat{y}", "ŷ"),
        ("S_{xy}", "S_xy"),
        (r"\text{SSE}", "SSE"),
        (r"\text{arm_length}", "arm_length"),
        ("R^2", "R²"),
        (r"\bar{x}_{2}", "x̄₂"),
        (r"\theta_{0}^{(0)}", "θ₀⁽⁰⁾"),
    ],
)
def test_symbols_are_read_from_latex(text: str, wanted: str) -> None:
    assert unicode(symbol(text)) == wanted


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (0.1, "0.1"),
        (-3.0, "−3"),
        (123456789.0, "123456789"),
        (1e20, "1×10²⁰"),
        (1.5e-7, "1.5×10⁻⁷"),
        (math.nan, "undefined"),
    ],
)
def test_numbers_as_they_are_shown(value: float, wanted: str) -> None:
    assert unicode(number(value)) == wanted


leaves = st.sampled_from([A, B]) | st.integers(1, 9).map(expr)
trees = st.recursive(
    leaves,
    lambda inner: (
        st.tuples(st.sampled_from("+-*/"), inner, inner).map(
            lambda t: {"+": t[1] + t[2], "-": t[1] - t[2], "*": t[1] * t[2], "/": t[1] / t[2]}[t[0]]
        )
        | inner.map(lambda t: -t)
        | inner.map(lambda t: t**2)
    ),
    max_leaves=8,
)


@settings(max_examples=300, deadline=None)
@given(trees)
def test_the_formula_read_back_gives_the_value(tree: Expr) -> None:
    """The text with the numbers put in, read as Python, is the value: brackets stand where they must."""
    text = numbers(tree).replace("−", "-").replace("×", "*").replace("²", "**2").replace("·", "*")
    text = text.replace(")(", ")*(")
    import re

    text = re.sub(r"(\d|\)) ?(?=\()", r"\1*", text)
    text = re.sub(r"\)\s*(?=\d)", ")*", text)
    try:
        wanted = float(tree.value)
    except (OverflowError, ZeroDivisionError):
        return
    if not math.isfinite(wanted) or abs(wanted) > 1e100:
        return
    found = eval(text)
    assert found == pytest.approx(wanted, rel=1e-9, abs=1e-9), text


@settings(max_examples=100, deadline=None)
@given(trees)
def test_latex_and_mathml_are_well_formed(tree: Expr) -> None:
    from xml.etree import ElementTree

    written = latex(Reader().box(tree))
    assert written.count("{") == written.count("}")
    assert written.count(r"\left") == written.count(r"\right")
    ElementTree.fromstring(mathml(Reader().box(tree)))


# ---------------------------------------------------------------------------------------------------- working


def small() -> Working:
    w = Working("Small", "A small one.")
    rows = w.axis("row", 3)
    w.step("Data", "Three numbers.")
    x = w.given("x", [1.0, 2.0, 6.0], rows, symbol="x")
    w.step("Mean", "Their mean.")
    m = w.cell("m", wk.mean(x), symbol="m", equals=3.0, attribute="mean_")
    w.cell("d", x - m, symbol="d")
    return w


def test_a_cell_that_is_not_the_models_number_is_named() -> None:
    w = small()
    with pytest.raises(WorkingError, match=r"cell 'wrong' must equal the model's coef_; the formula gives 4.0"):
        w.cell("wrong", w.cells["m"] + 1, equals=5.0, attribute="coef_")  # type: ignore[operator]


def test_the_entry_of_a_column_is_named() -> None:
    w = small()
    with pytest.raises(WorkingError, match=r"the formula gives 0.0, the model has 1.0 \(entry 2\)"):
        w.cell("wrong", w.cells["x"] - 2, equals=[-1, 1, 4], attribute="coef_")  # type: ignore[operator]


def test_names_are_given_once() -> None:
    with pytest.raises(WorkingError, match="'m' is used twice"):
        small().given("m", 1.0)


def test_value_gives_a_copy() -> None:
    w = small()
    w.value("d")[0] = 99
    assert w.value("d").tolist() == [-2, -1, 3]
    with pytest.raises(WorkingError, match="there is no cell 'z'"):
        w.value("z")


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_to_frame(library: str) -> None:
    w = small()
    frame = w.to_frame("Mean", table=1, as_frame=library)
    assert list(frame.columns) == ["row", "d"]
    assert list(frame["d"]) == [-2, -1, 3]
    single = w.to_frame(1, as_frame=library)
    assert list(single["name"]) == ["m"]
    assert list(single["value"]) == [3.0]
    with pytest.raises(WorkingError, match="there is no step 'Nowhere'"):
        w.to_frame("Nowhere")
    with pytest.raises(WorkingError, match="has 2 tables; asked for 5"):
        w.to_frame("Mean", table=5)


def recurring() -> Working:
    w = Working("Halving")
    t = w.axis("pass", 5, "t", "T", raised=True)
    w.step("Start")
    start = w.given("start", 8.0, symbol="h_0")
    w.step("Passes")
    h = w.recurring("h", t, start, symbol="h")
    w.becomes(h, wk.previous(h) / 2)
    w.run(t)
    return w


def test_a_recurring_column_goes_from_pass_to_pass() -> None:
    w = recurring()
    assert w.value("h").tolist() == [4, 2, 1, 0.5, 0.25]
    assert w.passes() == 5
    assert w.at(2).splitlines() == ["Passes, pass 2", "  h⁽²⁾ = 4 / 2 = 2"]
    assert w.steps[1].at(-1).splitlines()[1] == "  h⁽⁵⁾ = 0.5 / 2 = 0.25"
    with pytest.raises(WorkingError, match="passes are counted from 1 to 5; asked for 6"):
        w.at(6)
    with pytest.raises(WorkingError, match="it does not go from pass to pass"):
        w.steps[0].at(0)


def test_a_sum_over_a_window() -> None:
    w = Working("Batches")
    t, visits = w.axis("batch", 2, "t"), w.axis("visit", 5, "v")
    x = w.given("x", [1.0, 2.0, 3.0, 4.0, 5.0], visits, symbol="x")
    found = w.cell("sums", wk.sum_(x, visits, wk.Window(t, [0, 3, 5])), symbol="s")
    assert found.value.tolist() == [6, 9]
    assert unicode(with_numbers(found, 1) or number(0)) == "s₂ = 4 + 5 = 9"


def test_rich_writes_the_same_text() -> None:
    from io import StringIO

    from rich.console import Console

    out = StringIO()
    Console(file=out, width=200, color_system=None).print(small())
    assert out.getvalue().strip() == small().to_text().strip()


def test_renderings_can_be_written_to_files(tmp_path: Any) -> None:
    w = small()
    for name, write in (("a.md", w.to_markdown), ("a.tex", w.to_latex), ("a.html", w.to_html)):
        written = write(tmp_path / name)
        assert (tmp_path / name).read_text(encoding="utf-8") == written
    assert r"\begin{document}" in w.to_latex(standalone=True)
