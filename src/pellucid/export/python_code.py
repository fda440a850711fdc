"""A fitted model as a module of plain Python that needs nothing but `math`."""

from __future__ import annotations

from typing import Any

from pellucid.export._branches import Arrays, as_arrays, branches, can_loop
from pellucid.export._form import (
    Among,
    Choose,
    Expression,
    Hold,
    LeafTree,
    Lookup,
    Median,
    Program,
    Step,
    Total,
    Trees,
    Whole,
)
from pellucid.export._printer import Printer
from pellucid.export._program import program_of
from pellucid.export._python_texts import CODE, EXP, FIRST_LARGEST, NUMBER, VALUE, WALK, WALK_SETS, WEIGHTED_MEDIAN
from pellucid.export._size import MOST_NESTED, NESTED_NODES, check_nodes

__all__ = ["to_python"]


def to_python(model: Any) -> str:
    """A fitted model as a module of plain Python, which imports nothing but `math`.

    The module has ``predict(row)``, for a classifier that has probabilities ``predict_proba(row)`` as well, and the
    tuples ``COLUMNS`` and ``CLASSES``. A row is a dict from the names of the columns, or a sequence of their values in
    the order of ``COLUMNS``; None and NaN are missing, and go where the model lets them go. A small tree is written as
    nested ifs, as one would by hand; many or large trees as tables and a loop.

    Parameters
    ----------
    model : a fitted linear model, tree, forest, boosted model, AdaBoost of trees, rule model or GaussianNB of Pellucid;
        or a scikit-learn Pipeline with steps of Pellucid before one, also in a ColumnTransformer or FeatureUnion:
        scalers, selectors, SimpleImputer, MissingIndicator, OneHotEncoder, OrdinalEncoder, PolynomialFeatures; or a
        search that found one

    Returns
    -------
    str : the text of the module

    Examples
    --------
    >>> from pellucid.export.python_code import to_python
    >>> from pellucid.tree import DecisionTreeClassifier
    >>> model = DecisionTreeClassifier().fit([[1], [2], [3], [4]], ["no", "no", "yes", "yes"])
    >>> module = {}
    >>> exec(to_python(model), module)
    >>> module["predict"]([2.6]), module["predict_proba"]({"x0": 2.5})
    ('yes', [1.0, 0.0])
    """
    return PythonPrinter(program_of(model, "to_python")).module()


class PythonPrinter(Printer):
    """A program as Python."""

    AND, OR, ALWAYS, NEVER = "and", "or", "True", "False"

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.functions: list[str] = []
        self.tables: list[str] = []
        self.vector = "z" if program.prepares else "x"

    # ------------------------------------------------------------------------------------------------------ expressions

    def number(self, value: float) -> str:
        if value != value:
            return "math.nan"
        if value in (float("inf"), float("-inf")):
            return "math.inf" if value > 0 else "-math.inf"
        return repr(float(value))

    def given(self, place: int) -> str:
        return f"x[{place}]"

    def cell(self, place: int) -> str:
        return f"{self.vector}[{place}]"

    def call(self, function: str, arguments: tuple[Expression, ...]) -> str:
        told = ", ".join(self.expression(one) for one in arguments)
        return f"_exp({told})" if function == "exp" else f"{function}({told})"

    def choose(self, form: Choose) -> str:
        parts = [f"{self.expression(value)} if {self.test(test)} else " for test, value in form.cases]
        return f"({''.join(parts)}{self.expression(form.otherwise)})"

    def look_up(self, form: Lookup) -> str:
        keys = (f"{key:.0f}" if key.is_integer() else repr(key) for key in form.keys)
        entries = ", ".join(f"{key}: {self.number(value)}" for key, value in zip(keys, form.values, strict=True))
        return f"{self._table(f'{{{entries}}}')}.get({self.expression(form.key)}, {self.number(form.otherwise)})"

    def _table(self, text: str) -> str:
        if text not in self.tables:
            self.tables.append(text)
        return f"_TABLE_{self.tables.index(text)}"

    def first_largest(self, of: tuple[Expression, ...]) -> str:
        return f"_first_largest({', '.join(self.expression(one) for one in of)})"

    def missing(self, of: Expression) -> str:
        return f"{self.atom(of)} != {self.atom(of)}"

    def among(self, form: Among) -> str:
        if len(form.codes) == 1:
            return f"{self.atom(form.of)} == {form.codes[0]}"
        return f"{self.atom(form.of)} in {{{', '.join(map(str, form.codes))}}}"

    def whole(self, form: Whole) -> str:
        x = self.atom(form.of)
        return f"0 <= {x} < {form.below} and {x} == int({x})"

    # ------------------------------------------------------------------------------------------------------------ parts

    def module(self) -> str:
        """The whole text."""
        body = self._scores()
        sections = [self._head(), *self._reading(), *self.functions, *body]
        sections += [EXP] if any("_exp(" in text for text in body) else []
        sections += [FIRST_LARGEST] if any("_first_largest(" in text for text in body) else []
        sections += [WEIGHTED_MEDIAN] if any("_weighted_median(" in text for text in body) else []
        return "\n\n\n".join(sections) + "\n"

    def _head(self) -> str:
        p = self.program
        lines = [f'"""A fitted {p.who} as plain Python, written by Pellucid: predict(row) answers for one row.', ""]
        lines += ["A row is a dict from the names in COLUMNS, or a sequence of values in their order. None and NaN are"]
        lines += ["missing values.", *p.notes, '"""', "", "import math", "", "COLUMNS = ("]
        lines += [f"    {one.name!r},  # {j}: {one.kind if one.read else 'not read'}" for j, one in enumerate(p.inputs)]
        lines.append(")")
        if p.classes:
            lines += ["CLASSES = (", *(f"    {label!r}," for label in p.classes), ")"]
        for j, one in enumerate(p.inputs):
            if one.kind == "category" and one.read:
                codes = ", ".join(f"{value!r}: {code}" for code, value in enumerate(one.categories))
                lines.append(f"_CODES_{j} = {{{codes}}}  # {one.name!r}")
        lines += [f"_TABLE_{k} = {text}" for k, text in enumerate(self.tables)]
        return "\n".join(lines)

    def _reading(self) -> list[str]:
        read = {one.kind for one in self.program.inputs if one.read}
        found = [VALUE] if read else []
        found += [NUMBER] if read & {"number", "flag"} else []
        return [*found, *([CODE] if "category" in read else [])]

    def _inputs(self) -> list[str]:
        lines = ["    x = ["]
        for j, one in enumerate(self.program.inputs):
            how = f"_number(row, {j})"
            if not one.read:
                how = "None"
            elif one.kind == "category":
                how = f"_code(row, {j}, _CODES_{j}, {self.number(one.unknown)})"
            lines.append(f"        {how},  # {one.name!r}")
        return [*lines, "    ]"]

    def _cells(self) -> list[str]:
        if not self.program.prepares:
            return []
        lines = [f"    {hold.name} = {self.expression(hold.value)}" for hold in self.program.holds]
        lines += ["    z = ["]
        for cell in self.program.cells:
            lines.append(f"        {self.expression(cell.value) if cell.used else None},  # {cell.label!r}")
        return [*lines, "    ]"]

    def _required(self) -> list[str]:
        """What the model refuses is refused."""
        required = [(self.expression(value), label) for value, label in self.program.required]
        if not required:
            return []
        lines = ["    for value, column in ("]
        lines += [f"        ({value}, {label!r})," for value, label in required]
        message = 'f"column {column!r} must hold a value that the model takes, not a missing or unknown one"'
        return [*lines, "    ):", "        if value != value:", f"            raise ValueError({message})"]

    # ------------------------------------------------------------------------------------------------------------ steps

    def _scores(self) -> list[str]:
        """The functions that users call."""
        p = self.program
        steps = [line for step in p.steps for line in self._step(step)]
        answer = self.expression(p.answer)
        code = f"CLASSES[int({answer})]" if p.classes else answer
        lines = [*self._inputs(), *self._cells(), *self._required(), *steps]
        what = "class" if p.classes else "number that is predicted"
        if not p.probabilities:
            return ["\n".join(["def predict(row):", f'    """The {what} of a row."""', *lines, f"    return {code}"])]
        probabilities = ", ".join(self.expression(one) for one in p.probabilities)
        return [
            "\n".join(["def _answers(row):", *lines, f"    return {code}, [{probabilities}]"]),
            'def predict(row):\n    """The class of a row."""\n    return _answers(row)[0]',
            'def predict_proba(row):\n    """The probability of each class, in the order of CLASSES."""\n'
            "    return _answers(row)[1]",
        ]

    def _step(self, step: Step) -> list[str]:
        match step:
            case Hold(name, Choose(cases, otherwise)) if len(cases) > 2:
                return self._chain(name, Choose(cases, otherwise))
            case Hold(name, value):
                return [f"    {name} = {self.expression(value)}"]
            case Total(name, start, terms):
                return self._total(name, start, terms)
            case Median(name, values, weights):
                told = ", ".join(self.expression(value) for value in values)
                by = ", ".join(map(self.number, weights))
                return [f"    {name} = _weighted_median([{told}], [{by}])"]
            case Trees():
                return self._trees(step)
        raise TypeError(f"no step: {step!r}")

    def _total(self, name: str, start: float, terms: tuple[Expression, ...]) -> list[str]:
        lines = [f"    {name} = {self.number(start)}"]
        for term in terms:
            said = self._said(term)
            lines.append(f"    {name} += {self.expression(term)}{said}")
        return lines

    def _chain(self, name: str, form: Choose) -> list[str]:
        lines = []
        for k, (test, value) in enumerate(form.cases):
            word = "if" if k == 0 else "elif"
            lines += [f"    {word} {self.test(test)}:{self._said(test)}", f"        {name} = {self.expression(value)}"]
        return [*lines, "    else:", f"        {name} = {self.expression(form.otherwise)}"]

    def _said(self, *forms: Any) -> str:
        names = [repr(self.label(j)) for j in self.columns_in(*forms)]
        return f"  # {', '.join(names[:3])}" if names else ""

    # ------------------------------------------------------------------------------------------------------------ trees

    def _trees(self, step: Trees) -> list[str]:
        check_nodes("to_python", step)
        start = [f"    {name} = {self.number(value)}" for name, value in zip(step.names, step.start, strict=True)]
        if step.nodes > NESTED_NODES and all(can_loop(tree) for tree in step.trees):
            return self._looped(step)
        first = len([line for line in self.functions if line.startswith("def _tree_")])
        for t, tree in enumerate(step.trees):
            self._nested(tree, f"_tree_{first + t}")
        if len(step.trees) == 1:
            return [f"    {', '.join(step.names)}{',' if len(step.names) == 1 else ''} = _tree_{first}({self.vector})"]
        if len(step.names) == 1:
            calls = [f"    {step.names[0]} += _tree_{first + t}({self.vector})[0]" for t in range(len(step.trees))]
            return [*start, *calls]
        sums = f"    sums = [{', '.join(self.number(value) for value in step.start)}]"
        calls = [f"        ({tree.first}, _tree_{first + t})," for t, tree in enumerate(step.trees)]
        add = [f"        for k, value in enumerate(tree({self.vector}), first):", "            sums[k] += value"]
        return [sums, "    for first, tree in (", *calls, "    ):", *add, f"    {', '.join(step.names)} = sums"]

    def _nested(self, tree: LeafTree, name: str) -> None:
        """Nested ifs; what lies too deep becomes a function of its own."""
        todo = [(0, name)]
        while todo:
            root, own = todo.pop(0)
            lines = [f"def {own}({self.vector}):"]
            waiting: list[tuple[int, int, str]] = [(root, 1, "")]
            while waiting:
                node, depth, before = waiting.pop()
                if before:
                    lines.append(before)
                if node < 0:
                    continue
                pad = "    " * depth
                if tree.nodes.n_children[node] == 0:
                    lines.append(f"{pad}return {self._leaf(tree, node)}")
                elif depth > MOST_NESTED:
                    todo.append((node, f"{name}_node_{node}"))
                    lines.append(f"{pad}return {name}_node_{node}({self.vector})")
                else:
                    self._branch(tree, node, depth, waiting)
            self.functions.append("\n".join(lines))

    def _branch(self, tree: LeafTree, node: int, depth: int, waiting: list[tuple[int, int, str]]) -> None:
        split, pad = branches(tree, node), "    " * depth
        if split.otherwise == node:
            waiting.append((-1, depth, f"{pad}return {self._leaf(tree, node)}"))
        else:
            waiting.append((split.otherwise, depth, ""))
        for test, child in reversed(split.tests):
            waiting.append((child, depth + 1, f"{pad}if {self.test(test)}:{self._said(test)}"))

    def _leaf(self, tree: LeafTree, node: int) -> str:
        values = [self.number(float(value)) for value in tree.values[node]]
        return f"({', '.join(values)}{',' if len(values) == 1 else ''})"

    def _looped(self, step: Trees) -> list[str]:
        """Arrays and a loop."""
        a: Arrays = as_arrays(step.trees)
        names = ("kind", "column", "left", "right", "root", "first")
        arrays = [f"_{name.upper()} = {_lines(map(str, getattr(a, name)))}" for name in names]
        arrays.append(f"_THRESHOLD = {_lines(map(self.number, a.threshold))}")
        leaves = [f"({', '.join(map(self.number, leaf))}{',' if len(leaf) == 1 else ''})" for leaf in a.leaf]
        arrays.append(f"_LEAF = {_lines(leaves)}")
        if a.sets:
            sets = [sum(w << (32 * k) for k, w in enumerate(words)) for words in _cut(a)]
            arrays.append(f"_SET = {_lines(map(str, sets))}")
        self.functions += ["\n".join(arrays), WALK_SETS if a.sets else WALK]
        sums = f"[{', '.join(self.number(value) for value in step.start)}]"
        return [f"    {', '.join(step.names)}{',' if len(step.names) == 1 else ''} = _walk({self.vector}, {sums})"]


def _cut(a: Arrays) -> list[list[int]]:
    return [a.sets[a.set_start[k] : a.set_start[k + 1]] for k in range(len(a.set_start) - 1)]


def _lines(items: Any) -> str:
    """A list over lines of a readable length."""
    lines, line = [], ""
    for item in items:
        if len(line) + len(item) > 110:
            lines.append(line.rstrip())
            line = ""
        line += f"{item}, "
    return "[\n" + "\n".join(f"    {one}" for one in [*lines, line.rstrip()] if one) + "\n]"
