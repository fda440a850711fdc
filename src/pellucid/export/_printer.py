"""What the printers of all languages share: expressions and tests as text, with each language's own words."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from pellucid.export._form import (
    All,
    Among,
    AnyOf,
    Call,
    Cell,
    Choose,
    Compare,
    Difference,
    Expression,
    FirstLargest,
    Given,
    Lookup,
    Missing,
    Name,
    Number,
    Product,
    Program,
    Quotient,
    Sum,
    Test,
    Whole,
    walk,
)


class Printer(ABC):
    """Expressions and tests of a program in one language."""

    AND: ClassVar[str]
    OR: ClassVar[str]
    EQUAL: ClassVar[str] = "=="
    ALWAYS: ClassVar[str]
    NEVER: ClassVar[str]

    def __init__(self, program: Program) -> None:
        self.program = program

    # ------------------------------------------------------------------------------------------- what a language writes

    @abstractmethod
    def number(self, value: float) -> str:
        """A constant, to the last bit."""

    @abstractmethod
    def given(self, place: int) -> str:
        """A column of the row."""

    @abstractmethod
    def cell(self, place: int) -> str:
        """A column as the model reads it."""

    @abstractmethod
    def call(self, function: str, arguments: tuple[Expression, ...]) -> str:
        """A function of numbers."""

    @abstractmethod
    def choose(self, form: Choose) -> str:
        """A choice, in parentheses."""

    @abstractmethod
    def lookup(self, form: Lookup) -> str:
        """An entry of a table."""

    @abstractmethod
    def first_largest(self, of: tuple[Expression, ...]) -> str:
        """The place of the largest."""

    @abstractmethod
    def missing(self, of: Expression) -> str:
        """Is it missing?"""

    @abstractmethod
    def among(self, form: Among) -> str:
        """Is it one of these whole numbers?"""

    @abstractmethod
    def whole(self, form: Whole) -> str:
        """Is it a whole number from 0 on?"""

    def compared(self, form: Compare) -> str:
        """A comparison."""
        sign = self.EQUAL if form.sign == "==" else form.sign
        return f"{self.atom(form.left)} {sign} {self.atom(form.right)}"

    # ---------------------------------------------------------------------------------------------------------- written

    def expression(self, form: Expression) -> str:
        """An expression that stands by itself."""
        match form:
            case Number(value):
                return self.number(value)
            case Given(place):
                return self.given(place)
            case Cell(place):
                return self.cell(place)
            case Name(text):
                return text
            case Sum(terms):
                return " + ".join(self.atom(term) for term in terms)
            case Difference(left, right):
                return f"{self.atom(left)} - {self.atom(right)}"
            case Product(left, right):
                return f"{self.atom(left)} * {self.atom(right)}"
            case Quotient(left, right):
                return f"{self.atom(left)} / {self.atom(right)}"
            case Call(function, arguments):
                return self.call(function, arguments)
            case Choose():
                return self.choose(form)
            case Lookup():
                return self.lookup(form)
            case FirstLargest(of):
                return self.first_largest(of)
        raise TypeError(f"no expression: {form!r}")

    def atom(self, form: Expression) -> str:
        """An expression beside a sign."""
        text = self.expression(form)
        return f"({text})" if isinstance(form, Sum | Difference | Product | Quotient) else text

    def test(self, form: Test) -> str:
        """A test that stands by itself."""
        match form:
            case Compare():
                return self.compared(form)
            case Missing(of):
                return self.missing(of)
            case Among():
                return self.among(form)
            case Whole():
                return self.whole(form)
            case All(parts):
                return self._joined(parts, self.AND) if parts else self.ALWAYS
            case AnyOf(parts):
                return self._joined(parts, self.OR) if parts else self.NEVER
        raise TypeError(f"no test: {form!r}")

    def _joined(self, parts: tuple[Test, ...], word: str) -> str:
        if len(parts) == 1:
            return self.test(parts[0])
        return f" {word} ".join(
            f"({self.test(part)})" if isinstance(part, All | AnyOf) and len(part.parts) > 1 else self.test(part)
            for part in parts
        )

    # --------------------------------------------------------------------------------------------------------- comments

    def columns_in(self, *forms: Expression | Test) -> list[int]:
        """Places of the cells that occur, in their order."""
        found = [part.place for form in forms for part in walk(form) if isinstance(part, Cell)]
        return list(dict.fromkeys(found))

    def label(self, place: int) -> str:
        """What a cell is called."""
        return self.program.cells[place].label
