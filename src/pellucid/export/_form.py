"""The one form that a fitted model is written in before any language: a small program over the columns of a row.

A row's columns are numbers, of which NaN is missing; a column of names is the number of its category. The program makes
*cells* of the columns (what scalers, imputers and encoders do), then *steps* over the cells (sums, trees, choices), and
ends with an answer and, for classes, their probabilities. Writers (`_linear`, `_trees`, ...) make programs; printers
(`python_code`, `c_code`, `sql_code`) turn any program into text. A comparison with a missing value never holds, and no
test is turned round: so NaN of Python and C, and NULL of SQL, lead the same way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pellucid.base.types import Floats
from pellucid.export._raw_text import RawText
from pellucid.models.tree.nodes import TreeNodes

MISSING = float("nan")

# ---------------------------------------------------------------------------------------------------------- expressions


@dataclass(frozen=True)
class Number:
    """A constant; NaN is the missing value."""

    value: float


@dataclass(frozen=True)
class Given:
    """A column of the row, as it comes."""

    place: int


@dataclass(frozen=True)
class Cell:
    """A column as the model reads it."""

    place: int


@dataclass(frozen=True)
class Name:
    """What an earlier step worked out."""

    text: str


@dataclass(frozen=True)
class Sum:
    """Terms added from left to right."""

    terms: tuple[Expression, ...]


@dataclass(frozen=True)
class Difference:
    """left - right"""

    left: Expression
    right: Expression


@dataclass(frozen=True)
class Product:
    """left times right"""

    left: Expression
    right: Expression


@dataclass(frozen=True)
class Quotient:
    """left / right; the divisor is never zero"""

    left: Expression
    right: Expression


@dataclass(frozen=True)
class Call:
    """A function of one number, or the largest of several, "max"; "log" is that of a number above zero."""

    function: Literal["exp", "log", "tanh", "abs", "floor", "sin", "cos", "max"]
    arguments: tuple[Expression, ...]


@dataclass(frozen=True)
class Choose:
    """The value of the first case whose test holds, else `otherwise`."""

    cases: tuple[tuple[Test, Expression], ...]
    otherwise: Expression


@dataclass(frozen=True)
class Lookup:
    """The entry of a table under a number; `otherwise` where there is none, or the number is missing."""

    key: Expression
    keys: tuple[float, ...]  # ascending
    values: tuple[float, ...]
    otherwise: float


@dataclass(frozen=True)
class FirstLargest:
    """The place of the largest of several numbers, the first of equals."""

    of: tuple[Expression, ...]


Expression = (
    Number | Given | Cell | Name | Sum | Difference | Product | Quotient | Call | Choose | Lookup | FirstLargest
)

# ---------------------------------------------------------------------------------------------------------------- tests


@dataclass(frozen=True)
class Compare:
    """left sign right; it never holds for a missing value."""

    sign: Literal["<", "<=", ">", ">=", "=="]
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Missing:
    """The value is missing."""

    of: Expression


@dataclass(frozen=True)
class Among:
    """The value is one of these whole numbers, ascending."""

    of: Expression
    codes: tuple[int, ...]


@dataclass(frozen=True)
class Whole:
    """The value is a whole number from 0 to below - 1."""

    of: Expression
    below: int


@dataclass(frozen=True)
class All:
    """Every part holds; without parts it always does."""

    parts: tuple[Test, ...]


@dataclass(frozen=True)
class AnyOf:
    """At least one part holds; without parts it never does."""

    parts: tuple[Test, ...]


Test = Compare | Missing | Among | Whole | All | AnyOf

# ---------------------------------------------------------------------------------------------------------------- steps


@dataclass(frozen=True)
class Hold:
    """A value under a name."""

    name: str
    value: Expression


@dataclass(frozen=True)
class Total:
    """A number and terms added to it one by one, under a name."""

    name: str
    start: float
    terms: tuple[Expression, ...]


@dataclass(frozen=True)
class LeafTree:
    """A tree, and what each of its nodes adds where it answers.

    nodes : asks cells by their places
    sizes : categories of each cell, 0 for numbers
    values : nodes x width
    first : the first of the sums that the values are added to
    """

    nodes: TreeNodes
    sizes: tuple[int, ...]
    values: Floats
    first: int = 0


@dataclass(frozen=True)
class Trees:
    """Sums, under names, of what the leaves add that a row ends in, tree after tree."""

    names: tuple[str, ...]
    start: tuple[float, ...]
    trees: tuple[LeafTree, ...]

    @property
    def nodes(self) -> int:
        """Of all trees."""
        return sum(len(tree.nodes) for tree in self.trees)

    @property
    def asked(self) -> set[int]:
        """Places of the cells that the trees ask."""
        found: set[int] = set()
        for tree in self.trees:
            own = tree.nodes.feature[~tree.nodes.is_leaf]
            found.update(int(j) for j in (*own.tolist(), *tree.nodes.surrogate_feature.tolist()))
        return found


@dataclass(frozen=True)
class Median:
    """A weighted median under a name: of values in rising order the first up to which the weights make up half."""

    name: str
    values: tuple[Expression, ...]
    weights: tuple[float, ...]


@dataclass(frozen=True)
class Kernels:
    """Sums, under names, of a kernel between the cells and vectors: start_k + sum_s coef_ks K(cells, vector_s)."""

    names: tuple[str, ...]
    start: tuple[float, ...]
    vectors: Floats
    coef: Floats  # one row per sum
    kernel: Literal["poly", "rbf", "sigmoid"]
    gamma: float
    coef0: float = 0.0
    degree: int = 1

    @property
    def asked(self) -> set[int]:
        """Places of the cells that the kernel reads."""
        return set(range(self.vectors.shape[1]))


Step = Hold | Total | Trees | Median | Kernels

# -------------------------------------------------------------------------------------------------------------- program


@dataclass(frozen=True)
class Input:
    """A column of the row.

    name : as the table has it
    kind : "number", "flag", "category", or "time" for microseconds since 1970
    categories : of a category, by their codes
    unknown : code of a value that is none of them; NaN where it counts as missing
    read : does anything ask for it?
    raw : how its text is read, where the model cleans it first
    """

    name: Any
    kind: Literal["number", "flag", "category", "time"] = "number"
    categories: tuple[Any, ...] = ()
    unknown: float = MISSING
    read: bool = True
    raw: RawText | None = None

    @property
    def is_raw_value(self) -> bool:
        """Is it read as text, and a number made of it?"""
        return self.raw is not None and self.raw.is_value

    @property
    def codes(self) -> tuple[tuple[Any, float], ...]:
        """The values of a category with their codes: its names, and the texts that stand for one of them or for a
        missing value. So does an empty text that is no name, as files have it where a database has NULL."""
        own = {value: float(code) for code, value in enumerate(self.categories)}
        replaced = dict(self.raw.replaced) if self.raw is not None else {}
        codes = {value: code for value, code in own.items() if value not in replaced}
        for text, after in replaced.items():
            codes[text] = MISSING if after is None else own.get(after, self.unknown)
        if any(isinstance(value, str) for value in codes):
            codes.setdefault("", MISSING)
        return tuple(codes.items())


@dataclass(frozen=True)
class Prepared:
    """A cell: how it is made of the row's columns, what it is called, and whether anything asks for it."""

    value: Expression
    label: str
    used: bool = True


@dataclass(frozen=True)
class Program:
    """A fitted model.

    who : its class
    inputs : columns of a row
    holds : named values that the cells are made of
    cells : what the model reads
    required : expressions over columns, holds and cells that must not be missing, and what a message says of each
    steps : over cells
    answer : a number, or the place of a class among `classes`
    probabilities : of the classes; empty where there are none
    """

    who: str
    inputs: tuple[Input, ...]
    holds: tuple[Hold, ...]
    cells: tuple[Prepared, ...]
    required: tuple[tuple[Expression, str], ...]
    steps: tuple[Step, ...]
    answer: Expression
    probabilities: tuple[Expression, ...] = ()
    classes: tuple[Any, ...] = ()
    notes: tuple[str, ...] = field(default=())

    @property
    def prepares(self) -> bool:
        """Are cells anything but the columns themselves?"""
        same = [cell.value == Given(j) for j, cell in enumerate(self.cells)]
        return len(same) != len(self.inputs) or not all(same)


# ------------------------------------------------------------------------------------------------------------- walking


def parts_of(form: Any) -> tuple[Any, ...]:
    """The expressions and tests that an expression or test is made of."""
    match form:
        case Sum(terms):
            return terms
        case Difference(left, right) | Product(left, right) | Quotient(left, right) | Compare(_, left, right):
            return (left, right)
        case Call(_, arguments):
            return arguments
        case Choose(cases, otherwise):
            return (*(part for case in cases for part in case), otherwise)
        case Lookup(key=key):
            return (key,)
        case FirstLargest(of):
            return of
        case Missing(of) | Among(of, _) | Whole(of, _):
            return (of,)
        case All(parts) | AnyOf(parts):
            return parts
    return ()


def walk(form: Any) -> Iterator[Any]:
    """An expression or test and everything that it is made of."""
    waiting = [form]
    while waiting:
        here = waiting.pop()
        yield here
        waiting.extend(reversed(parts_of(here)))


def step_forms(step: Step) -> tuple[Expression, ...]:
    """The expressions of a step; trees have none but tests of cells."""
    match step:
        case Hold(value=value):
            return (value,)
        case Total(terms=terms):
            return terms
        case Median(values=values):
            return values
    return ()


def program_forms(program: Program) -> Iterator[Any]:
    """Every expression and test of a program that something asks for, those of trees left out."""
    roots = [hold.value for hold in program.holds] + [cell.value for cell in program.cells if cell.used]
    roots += [value for value, _ in program.required]
    roots += [form for step in program.steps for form in step_forms(step)]
    for root in (*roots, program.answer, *program.probabilities):
        yield from walk(root)


def table_of(codes: Mapping[Any, float], key: Expression, otherwise: float) -> Expression:
    """A look-up from a dictionary."""
    keys = tuple(sorted(codes))
    if not keys:
        return Number(float(otherwise))
    return Lookup(key, tuple(float(k) for k in keys), tuple(float(codes[k]) for k in keys), float(otherwise))
