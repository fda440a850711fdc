"""What the printers of Python and C share: both are languages of statements, functions and nested ifs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar

from pellucid.export._branches import branches, can_loop
from pellucid.export._form import Choose, Expression, Hold, Kernels, LeafTree, Median, Program, Step, Test, Total, Trees
from pellucid.export._printer import Printer
from pellucid.export._size import MOST_NESTED, NESTED_NODES, check_nodes

_LONGEST = 110  # letters of a line


class CodePrinter(Printer):
    """A program as statements.

    row : the name of the array of a row's columns
    vector : the name of the array that the model reads
    functions : texts of functions that stand before the main one
    tables : texts of constants
    """

    WHO: ClassVar[str]
    NAN: ClassVar[str]
    INFINITY: ClassVar[str]
    END_OF_IF: ClassVar[str] = ""
    END_OF_FUNCTION: ClassVar[str] = ""

    def __init__(self, program: Program, row: str) -> None:
        super().__init__(program)
        self.functions: list[str] = []
        self.tables: list[str] = []
        self.row = row
        self.vector = "z" if program.prepares else row

    # ------------------------------------------------------------------------------------------- what a language writes

    @abstractmethod
    def comment(self, labels: list[str]) -> str:
        """Names of columns behind a statement."""

    @abstractmethod
    def hold(self, name: str, value: Expression) -> list[str]:
        """A value under a name."""

    @abstractmethod
    def chain(self, name: str, form: Choose) -> list[str]:
        """A choice under a name, case after case."""

    @abstractmethod
    def total(self, step: Total) -> list[str]:
        """Terms added one by one."""

    @abstractmethod
    def median(self, step: Median) -> list[str]:
        """A weighted median."""

    @abstractmethod
    def kernels(self, step: Kernels) -> list[str]:
        """Sums of a kernel over vectors, by a loop."""

    @abstractmethod
    def looped(self, step: Trees) -> list[str]:
        """Trees as arrays and a loop."""

    @abstractmethod
    def called(self, step: Trees) -> list[str]:
        """Trees as functions of nested ifs, and their calls."""

    @abstractmethod
    def opened(self, name: str) -> list[str]:
        """The first lines of a tree's function."""

    @abstractmethod
    def asked(self, test: Test) -> str:
        """The line before what is done where a test holds."""

    @abstractmethod
    def leaf(self, tree: LeafTree, node: int) -> str:
        """The answer of a node."""

    @abstractmethod
    def handed_on(self, name: str) -> list[str]:
        """The answer is that of another function."""

    # ---------------------------------------------------------------------------------------------------------- written

    def number(self, value: float) -> str:
        if value != value:
            return self.NAN
        if value in (float("inf"), float("-inf")):
            return self.INFINITY if value > 0 else f"-{self.INFINITY}"
        return repr(float(value))

    def given(self, place: int) -> str:
        return f"{self.row}[{place}]"

    def cell(self, place: int) -> str:
        return f"{self.vector}[{place}]"

    def place_of_table(self, text: str) -> int:
        """The number of a constant; the same text is kept once."""
        if text not in self.tables:
            self.tables.append(text)
        return self.tables.index(text)

    def numbers(self, values: Iterable[float]) -> str:
        """Constants beside each other."""
        return ", ".join(map(self.number, values))

    def said(self, *forms: Expression | Test) -> str:
        """The columns that occur, as a comment."""
        labels = [self.label(j) for j in self.columns_in(*forms)]
        return self.comment(labels[:3]) if labels else ""

    def step(self, step: Step) -> list[str]:
        """The lines of a step."""
        match step:
            case Hold(name, Choose(cases, otherwise)) if len(cases) > 2:
                return self.chain(name, Choose(cases, otherwise))
            case Hold(name, value):
                return self.hold(name, value)
            case Total():
                return self.total(step)
            case Median():
                return self.median(step)
            case Trees():
                return self._trees(step)
            case Kernels():
                return self.kernels(step)
        raise TypeError(f"no step: {step!r}")

    def _trees(self, step: Trees) -> list[str]:
        check_nodes(self.WHO, step)
        many = step.nodes > NESTED_NODES and all(can_loop(tree) for tree in step.trees)
        return self.looped(step) if many else self.called(step)

    def nested(self, tree: LeafTree, name: str) -> list[str]:
        """A tree as nested ifs: functions, of which the first answers; what lies too deep is one of its own."""
        todo, made = [(0, name)], []
        while todo:
            root, own = todo.pop(0)
            lines = self.opened(own)
            waiting: list[tuple[int, int, str]] = [(root, 1, "")]
            while waiting:
                node, depth, text = waiting.pop()
                pad = "    " * depth
                lines += [text] if text else []
                if node < 0:
                    continue
                if tree.nodes.n_children[node] == 0:
                    lines.append(f"{pad}{self.leaf(tree, node)}")
                elif depth > MOST_NESTED:
                    todo.append((node, f"{name}_node_{node}"))
                    lines += [f"{pad}{line}" for line in self.handed_on(todo[-1][1])]
                else:
                    waiting += self._branch(tree, node, depth)
            made.append("\n".join([*lines, self.END_OF_FUNCTION] if self.END_OF_FUNCTION else lines))
        return made

    def _branch(self, tree: LeafTree, node: int, depth: int) -> list[tuple[int, int, str]]:
        """What is left to write of a node, the last first: nodes with their depth, and the lines before them."""
        split, pad = branches(tree, node), "    " * depth
        own = split.otherwise == node
        left = [(-1, depth, f"{pad}{self.leaf(tree, node)}") if own else (split.otherwise, depth, "")]
        for test, child in reversed(split.tests):
            left += [(-1, depth, f"{pad}{self.END_OF_IF}")] if self.END_OF_IF else []
            left.append((child, depth + 1, f"{pad}{self.asked(test)}"))
        return left


def broken(items: Iterable[Any]) -> str:
    """Items over lines of a readable length, a comma behind each."""
    lines, line = [], ""
    for item in items:
        if len(line) + len(item) > _LONGEST:
            lines.append(line.rstrip())
            line = ""
        line += f"{item}, "
    return "\n".join(f"    {one}" for one in [*lines, line.rstrip()] if one)
