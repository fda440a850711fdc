"""A fitted model as a module of plain Python that needs nothing but `math`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pellucid.export._branches import Arrays, as_arrays
from pellucid.export._code_printer import CodePrinter, broken
from pellucid.export._form import (
    Among,
    Choose,
    Expression,
    Input,
    Kernels,
    LeafTree,
    Lookup,
    Median,
    Program,
    Test,
    Total,
    Trees,
    Whole,
)
from pellucid.export._program import program_of
from pellucid.export._python_texts import (
    AMOUNT,
    BARE,
    CODE,
    DAY_NUMBER,
    EXP,
    FIRST_LARGEST,
    FLOOR,
    LOWER,
    MOMENT,
    NUMBER,
    TEXT,
    TEXT_CODE,
    TEXT_NUMBER,
    TIME,
    VALUE,
    WALK,
    WALK_SETS,
    WEIGHTED_MEDIAN,
)
from pellucid.export._raw_text import NumberGrammar
from pellucid.quality.grammars import AmountGrammar, TimeGrammar

__all__ = ["to_python"]

NO_WIDTH = "\u200b\u2060\ufeff"  # characters of no width, which no program takes for blanks


def to_python(model: Any) -> str:
    """A fitted model as a module of plain Python, which imports nothing but `math`, and `re` where it reads raw texts.

    The module has ``predict(row)``, for a classifier that has probabilities ``predict_proba(row)`` as well, and the
    tuples ``COLUMNS`` and ``CLASSES``. A row is a dict from the names of the columns, or a sequence of their values in
    the order of ``COLUMNS``; None and NaN are missing, and go where the model lets them go. A small tree is written as
    nested ifs, as one would by hand; many or large trees as tables and a loop.

    Parameters
    ----------
    model : a fitted linear model, discriminant analysis, support vector machine, tree, forest, boosted model, AdaBoost
        of trees, rule model or GaussianNB of Pellucid; or a scikit-learn Pipeline with steps of Pellucid before one,
        also in a ColumnTransformer or FeatureUnion: scalers, selectors, SimpleImputer, MissingIndicator, OneHotEncoder,
        OrdinalEncoder, PolynomialFeatures, DateTimeFeatures, and a Cleaner with remedies that look at one cell at a
        time; or a search that found one

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


class PythonPrinter(CodePrinter):
    """A program as Python."""

    WHO = "to_python"
    AND, OR, ALWAYS, NEVER = "and", "or", "True", "False"
    NAN, INFINITY = "math.nan", "math.inf"

    def __init__(self, program: Program) -> None:
        super().__init__(program, "x")

    # ------------------------------------------------------------------------------------------------------ expressions

    def call(self, function: str, arguments: tuple[Expression, ...]) -> str:
        told = ", ".join(self.expression(one) for one in arguments)
        names = {
            "exp": "_exp",
            "log": "math.log",
            "tanh": "math.tanh",
            "floor": "_floor",
            "sin": "math.sin",
            "cos": "math.cos",
        }
        return f"{names.get(function, function)}({told})"

    def choose(self, form: Choose) -> str:
        parts = [f"{self.expression(value)} if {self.test(test)} else " for test, value in form.cases]
        return f"({''.join(parts)}{self.expression(form.otherwise)})"

    def lookup(self, form: Lookup) -> str:
        keys = (f"{key:.0f}" if key.is_integer() else repr(key) for key in form.keys)
        entries = ", ".join(f"{key}: {self.number(value)}" for key, value in zip(keys, form.values, strict=True))
        table = f"_TABLE_{self.place_of_table(f'{{{entries}}}')}"
        return f"{table}.get({self.expression(form.key)}, {self.number(form.otherwise)})"

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
        sections += [EXP] if any("_exp(" in text for text in (*body, *self.functions)) else []
        sections += [FLOOR] if any("_floor(" in text for text in body) else []
        sections += [FIRST_LARGEST] if any("_first_largest(" in text for text in body) else []
        sections += [WEIGHTED_MEDIAN] if any("_weighted_median(" in text for text in body) else []
        return "\n\n\n".join(sections) + "\n"

    def _head(self) -> str:
        p = self.program
        lines = [f'"""A fitted {p.who} as plain Python, written by Pellucid: predict(row) predicts one row.', ""]
        lines += ["A row is a dict from the names in COLUMNS, or a sequence of values in their order. None and NaN are"]
        lines += ["missing values.", *p.notes, '"""', "", "import math"]
        lines += ["import re"] if any(one.is_raw_value and one.read for one in p.inputs) else []
        lines += ["", "COLUMNS = ("]
        lines += [f"    {one.name!r},  # {j}: {one.kind if one.read else 'not read'}" for j, one in enumerate(p.inputs)]
        lines.append(")")
        if p.classes:
            lines += ["CLASSES = (", *(f"    {label!r}," for label in p.classes), ")"]
        for j, one in enumerate(p.inputs):
            lines += self._constants(j, one) if one.read else []
        lines += [f"_TABLE_{k} = {text}" for k, text in enumerate(self.tables)]
        return "\n".join(lines)

    def _constants(self, j: int, one: Input) -> list[str]:
        """The codes of a column of names, and what raw texts stand for."""
        lines = []
        if one.kind == "category":
            own = [(value, code) for value, code in one.codes if one.raw is None or value not in dict(one.raw.replaced)]
            codes = ", ".join(f"{value!r}: {'math.nan' if code != code else f'{code:.0f}'}" for value, code in own)
            lines.append(f"_CODES_{j} = {{{codes}}}  # {one.name!r}")
        if one.raw is not None:
            texts = ", ".join(f"{before!r}: {after!r}" for before, after in one.raw.replaced)
            lines.append(f"_TEXTS_{j} = {{{texts}}}  # {one.name!r}: what texts stand for")
        grammar = None if one.raw is None else one.raw.number or one.raw.time
        if grammar is not None:
            lines.append(f"_PATTERN_{j} = re.compile({grammar.pattern!r})")
        if one.raw is not None and one.raw.time is not None and one.raw.time.names:
            lines.append(f"_MONTHS_{j} = {one.raw.time.names!r}")
        return lines

    def _reading(self) -> list[str]:
        read = [one for one in self.program.inputs if one.read]
        plain = {one.kind for one in read if one.raw is None}
        raw = [one for one in read if one.raw is not None]
        sections = [VALUE] if read else []
        sections += [NUMBER] if plain & {"number", "flag"} else []
        sections += [CODE] if "category" in plain else []
        sections += [f"_NO_WIDTH = {NO_WIDTH!r}", BARE, TEXT] if raw else []
        grammars = [one.raw.number or one.raw.time for one in raw if one.raw is not None]
        sections += [TEXT_NUMBER] if any(isinstance(one, NumberGrammar) for one in grammars) else []
        sections += [LOWER] if any(isinstance(one, AmountGrammar | TimeGrammar) for one in grammars) else []
        sections += [AMOUNT] if any(isinstance(one, AmountGrammar) for one in grammars) else []
        sections += [TIME, MOMENT, DAY_NUMBER] if any(isinstance(one, TimeGrammar) for one in grammars) else []
        return [*sections, *([TEXT_CODE] if None in grammars else [])]

    def _inputs(self) -> list[str]:
        lines = ["    x = ["]
        for j, one in enumerate(self.program.inputs):
            how = f"_number(row, {j})"
            if not one.read:
                how = "None"
            elif one.raw is not None:
                how = self._raw_input(j, one)
            elif one.kind == "category":
                how = f"_code(row, {j}, _CODES_{j}, {self.number(one.unknown)})"
            lines.append(f"        {how},  # {one.name!r}")
        return [*lines, "    ]"]

    def _raw_input(self, j: int, one: Input) -> str:
        assert one.raw is not None
        text = f"_text(row, {j}, {one.raw.strip}, _TEXTS_{j})"
        if one.raw.number is not None:
            function = "_amount" if isinstance(one.raw.number, AmountGrammar) else "_text_number"
            return f"{function}({text}, _PATTERN_{j}, {one.raw.number.decimal!r}, {one.raw.number.thousands!r})"
        if one.raw.time is not None:
            months, bad = f"_MONTHS_{j}" if one.raw.time.names else "{}", self.INFINITY if one.raw.refuses else self.NAN
            cases = "{}" if one.raw.time.is_iso else "_LOWER"
            return f"_time({text}, _PATTERN_{j}, {''.join(one.raw.time.fields)!r}, {months}, {cases}, {bad})"
        return f"_text_code({text}, _CODES_{j}, {self.number(one.unknown)})"

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
        steps = [line for step in p.steps for line in self.step(step)]
        answer = self.expression(p.answer)
        code = f"CLASSES[int({answer})]" if p.classes else answer
        lines = [*self._inputs(), *self._cells(), *self._required(), *steps]
        what = "class" if p.classes else "number that is predicted"
        if not p.probabilities:
            return ["\n".join(["def predict(row):", f'    """The {what} of a row."""', *lines, f"    return {code}"])]
        probabilities = ", ".join(self.expression(one) for one in p.probabilities)
        return [
            "\n".join(["def _outputs(row):", *lines, f"    return {code}, [{probabilities}]"]),
            'def predict(row):\n    """The class of a row."""\n    return _outputs(row)[0]',
            'def predict_proba(row):\n    """The probability of each class, in the order of CLASSES."""\n'
            "    return _outputs(row)[1]",
        ]

    def comment(self, labels: list[str]) -> str:
        return f"  # {', '.join(map(repr, labels))}"

    def hold(self, name: str, value: Expression) -> list[str]:
        return [f"    {name} = {self.expression(value)}"]

    def chain(self, name: str, form: Choose) -> list[str]:
        lines = []
        for k, (test, value) in enumerate(form.cases):
            word = "if" if k == 0 else "elif"
            lines += [f"    {word} {self.test(test)}:{self.said(test)}", f"        {name} = {self.expression(value)}"]
        return [*lines, "    else:", f"        {name} = {self.expression(form.otherwise)}"]

    def total(self, step: Total) -> list[str]:
        added = [f"    {step.name} += {self.expression(term)}{self.said(term)}" for term in step.terms]
        return [f"    {step.name} = {self.number(step.start)}", *added]

    def median(self, step: Median) -> list[str]:
        told = ", ".join(self.expression(value) for value in step.values)
        return [f"    {step.name} = _weighted_median([{told}], [{self.numbers(step.weights)}])"]

    def kernels(self, step: Kernels) -> list[str]:
        name = f"_kernels_{step.names[0]}"
        rows = zip(step.vectors.tolist(), step.coef.T.tolist(), strict=True)
        pairs = [f"({self._tuple(vector)}, {self._tuple(coef)})" for vector, coef in rows]
        product = f"{step.gamma!r} * sum(a * b for a, b in zip(x, vector)) + {step.coef0!r}"
        value = {
            "rbf": f"_exp({-step.gamma!r} * sum((a - b) ** 2 for a, b in zip(x, vector)))",
            "poly": f"({product}) ** {step.degree}",
            "sigmoid": f"math.tanh({product})",
        }[step.kernel]
        lines = [
            f"def {name}(x, sums):",
            '    """Adds the kernel of the row with each support vector, times its weight."""',
        ]
        lines += [f"    for vector, weights in {name.upper()}:", f"        value = {value}"]
        lines += [
            "        for k, weight in enumerate(weights):",
            "            sums[k] += weight * value",
            "    return sums",
        ]
        self.functions += [f"{name.upper()} = {_bracketed(pairs)}", "\n".join(lines)]
        return [f"    {_unpacked(step.names)} = {name}({self.vector}, [{self.numbers(step.start)}])"]

    # ------------------------------------------------------------------------------------------------------------ trees

    def called(self, step: Trees) -> list[str]:
        first = len([line for line in self.functions if line.startswith("def _tree_")])
        for t, tree in enumerate(step.trees):
            self.functions += self.nested(tree, f"_tree_{first + t}")
        if len(step.trees) == 1:
            return [f"    {_unpacked(step.names)} = _tree_{first}({self.vector})"]
        if len(step.names) == 1:
            calls = [f"    {step.names[0]} += _tree_{first + t}({self.vector})[0]" for t in range(len(step.trees))]
            return [f"    {step.names[0]} = {self.number(step.start[0])}", *calls]
        calls = [f"        ({tree.first}, _tree_{first + t})," for t, tree in enumerate(step.trees)]
        add = [f"        for k, value in enumerate(tree({self.vector}), first):", "            sums[k] += value"]
        loop = ["    for first, tree in (", *calls, "    ):", *add]
        return [f"    sums = [{self.numbers(step.start)}]", *loop, f"    {', '.join(step.names)} = sums"]

    def opened(self, name: str) -> list[str]:
        return [f"def {name}({self.vector}):"]

    def asked(self, test: Test) -> str:
        return f"if {self.test(test)}:{self.said(test)}"

    def handed_on(self, name: str) -> list[str]:
        return [f"return {name}({self.vector})"]

    def leaf(self, tree: LeafTree, node: int) -> str:
        return f"return {self._tuple(tree.values[node].tolist())}"

    def _tuple(self, values: Sequence[float]) -> str:
        return f"({_unpacked([self.number(value) for value in values])})"

    def looped(self, step: Trees) -> list[str]:
        a: Arrays = as_arrays(step.trees)
        names = ("kind", "column", "left", "right", "root", "first")
        arrays = [f"_{name.upper()} = {_bracketed(map(str, getattr(a, name)))}" for name in names]
        arrays.append(f"_THRESHOLD = {_bracketed(map(self.number, a.threshold))}")
        arrays.append(f"_LEAF = {_bracketed(map(self._tuple, a.leaf))}")
        if a.sets:
            sets = [sum(w << (32 * k) for k, w in enumerate(words)) for words in _cut(a)]
            arrays.append(f"_SET = {_bracketed(map(str, sets))}")
        self.functions += ["\n".join(arrays), WALK_SETS if a.sets else WALK]
        return [f"    {_unpacked(step.names)} = _walk({self.vector}, [{self.numbers(step.start)}])"]


def _unpacked(items: Sequence[str]) -> str:
    """Items of a tuple; one alone needs a comma."""
    return f"{', '.join(items)}{',' if len(items) == 1 else ''}"


def _cut(a: Arrays) -> list[list[int]]:
    return [a.sets[a.set_start[k] : a.set_start[k + 1]] for k in range(len(a.set_start) - 1)]


def _bracketed(items: Iterable[str]) -> str:
    return f"[\n{broken(items)}\n]"
