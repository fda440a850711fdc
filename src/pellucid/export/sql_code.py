"""A fitted model as a query of SQL: SQLite, DuckDB or PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from pellucid.base.errors import ParameterError, format_message, short_repr
from pellucid.export._branches import branches
from pellucid.export._form import (
    Among,
    Call,
    Cell,
    Choose,
    Compare,
    Difference,
    Expression,
    Given,
    Hold,
    Input,
    Kernels,
    LeafTree,
    Lookup,
    Median,
    Name,
    Number,
    Product,
    Program,
    Step,
    Sum,
    Test,
    Total,
    Trees,
    Whole,
    walk,
)
from pellucid.export._printer import Printer
from pellucid.export._program import program_of
from pellucid.export._size import (
    MOST_COLUMNS,
    MOST_OF_MEDIAN,
    MOST_SQL_NODES,
    MOST_VECTORS,
    SQL_DEPTH,
    SQL_TERMS,
    check_nodes,
)
from pellucid.export._sql_literals import double_literal, identifier, literal
from pellucid.export._sql_texts import SqlTexts

__all__ = ["to_sql"]

Dialect = Literal["sqlite", "duckdb", "postgresql"]
_EXACT = 2**53
_DIALECTS = ("sqlite", "duckdb", "postgresql")


def to_sql(
    model: Any,
    *,
    table: str | Sequence[str] = "data",
    dialect: Dialect = "sqlite",
    keep: Sequence[str] = (),
    flags: Sequence[str] = (),
) -> str:
    """A fitted model as one SELECT over a table that has its columns.

    The result has the column ``prediction`` and, for a classifier that has probabilities, ``probability_<class>`` for
    each class. Names are quoted and texts escaped, whatever is in them. NULL (and NaN) is a missing value and goes
    where the model lets it go, and so is an empty text that names no category, as imported files have it; where the
    model refuses one, or a category that it does not know, the results are NULL.

    Parameters
    ----------
    model : what `to_python` takes
    table : the table's name; or a sequence, of schema and table say
    dialect : "sqlite" (3.35 or later, with its mathematical functions where the model has probabilities by powers of
        e), "duckdb" or "postgresql" (12 or later)
    keep : names of columns of the table that stand before the prediction, a key for instance: rows have no order
    flags : names of columns in which the texts true and false are flags, besides those that the model knows as such

    Returns
    -------
    str : the query

    Notes
    -----
    Trees become nested CASE, of at most 100,000 nodes; for DuckDB 20,000, whose optimizer takes longer for them than
    the query itself (``PRAGMA disable_optimizer`` goes around it). Kernel machines may have 1,000 support vectors. In
    a column of text, and in SQLite in any column, a text that is no number is missing where the model reads numbers.
    Times are read from their text as the model reads them, such as
    ``31.01.2024``, or from columns of dates and timestamps if the model was fitted on such.

    Examples
    --------
    >>> import sqlite3
    >>> from pellucid.export.sql_code import to_sql
    >>> from pellucid.tree import DecisionTreeClassifier
    >>> model = DecisionTreeClassifier().fit([[1], [2], [3], [4]], ["no", "no", "yes", "yes"])
    >>> base = sqlite3.connect(":memory:")
    >>> _ = base.execute("CREATE TABLE flowers (x0)")
    >>> _ = base.execute("INSERT INTO flowers VALUES (1), (2.5), (2.6)")
    >>> base.execute(to_sql(model, table="flowers")).fetchall()
    [('no', 1.0, 0.0), ('no', 1.0, 0.0), ('yes', 0.0, 1.0)]
    """
    if dialect not in _DIALECTS:
        requirement = f"dialect must be one of {', '.join(map(repr, _DIALECTS))}"
        raise ParameterError(format_message("to_sql", requirement, actual=f"got {short_repr(dialect)}"))
    names = [table] if isinstance(table, str) else list(table)
    if not names or not all(isinstance(name, str) and name for name in names):
        requirement = "table must be a name, or names of schema and table"
        raise ParameterError(format_message("to_sql", requirement, actual=f"got {short_repr(table)}"))
    kept = [keep] if isinstance(keep, str) else list(keep)
    program = program_of(model, "to_sql")
    known = {one.name for one in program.inputs if one.kind == "number"}.intersection(flags)
    inputs = tuple(replace(one, kind="flag") if one.name in known else one for one in program.inputs)
    return SqlPrinter(replace(program, inputs=inputs), dialect).query(names, kept)


def _refuse_names_of_results(keep: Sequence[str], results: Sequence[Column]) -> None:
    """A name must not occur twice in the result."""
    names = {one.name for one in results}
    both = [name for name in keep if name in names or keep.count(name) > 1]
    if both:
        requirement = "keep must name columns once, and none that the result has by itself"
        raise ParameterError(
            format_message(
                "to_sql", requirement, actual=f"got {short_repr(both[0])}", hint="rename it in a view of the table"
            )
        )


@dataclass(frozen=True)
class Column:
    """A column of a subquery: its name, its text, and the columns of earlier subqueries that it reads."""

    name: str
    text: str
    reads: frozenset[str]


class SqlPrinter(Printer):
    """A program as a chain of subqueries, each of which reads the one before."""

    AND, OR, EQUAL, ALWAYS, NEVER = "AND", "OR", "=", "1 = 1", "1 = 0"

    def __init__(self, program: Program, dialect: Dialect) -> None:
        super().__init__(program)
        self.dialect = dialect
        self.texts = SqlTexts(dialect)
        self.double = self.texts.double
        self.columns: list[Column] = []

    # ------------------------------------------------------------------------------------------------------ expressions

    def number(self, value: float) -> str:
        return double_literal(float(value), self.dialect)

    def given(self, place: int) -> str:
        return f"x{place}"

    def cell(self, place: int) -> str:
        return f"z{place}" if self.program.prepares else f"x{place}"

    def call(self, function: str, arguments: tuple[Expression, ...]) -> str:
        told = [self.expression(one) for one in arguments]
        if function == "max":
            return f"{'max' if self.dialect == 'sqlite' else 'GREATEST'}({', '.join(told)})"
        if function == "floor" and self.dialect == "sqlite":  # whose floor() is not everywhere; CAST rounds to zero
            whole = f"CAST({told[0]} AS INTEGER)"
            return f"CAST({whole} - ({told[0]} < {whole}) AS REAL)"
        if function == "exp" and self.dialect == "postgresql":  # it refuses powers that are zero in 64 bits
            return f"CASE WHEN {told[0]} < -745 THEN {self.number(0.0)} ELSE exp({told[0]}) END"
        return f"{'ln' if function == 'log' else function}({told[0]})"

    def choose(self, form: Choose) -> str:
        cases = " ".join(f"WHEN {self.test(test)} THEN {self.expression(value)}" for test, value in form.cases)
        return f"CASE {cases} ELSE {self.expression(form.otherwise)} END"

    def lookup(self, form: Lookup) -> str:
        pairs = zip(form.keys, form.values, strict=True)
        cases = " ".join(f"WHEN {self._key(key)} THEN {self.number(value)}" for key, value in pairs)
        return f"CASE {self.expression(form.key)} {cases} ELSE {self.number(form.otherwise)} END"

    def _key(self, key: float) -> str:
        whole = key.is_integer() and abs(key) < _EXACT
        return str(int(key)) if whole else double_literal(key, self.dialect, exact=True)

    def first_largest(self, of: tuple[Expression, ...]) -> str:
        told = [self.expression(one) for one in of]
        cases = " ".join(f"WHEN {one} THEN {k}" for k, one in enumerate(told[:-1]))
        return f"CASE {self.call('max', of)} {cases} ELSE {len(told) - 1} END"

    def missing(self, of: Expression) -> str:
        return f"{self.atom(of)} IS NULL"

    def among(self, form: Among) -> str:
        if len(form.codes) == 1:
            return f"{self.atom(form.of)} = {form.codes[0]}"
        return f"{self.atom(form.of)} IN ({', '.join(map(str, form.codes))})"

    def whole(self, form: Whole) -> str:
        x = self.atom(form.of)
        return f"{x} >= 0 AND {x} < {form.below} AND {x} = CAST({x} AS BIGINT)"

    def compared(self, form: Compare) -> str:
        sides = [
            double_literal(side.value, self.dialect, exact=True) if isinstance(side, Number) else self.atom(side)
            for side in (form.left, form.right)
        ]
        return f"{sides[0]} {self.EQUAL if form.sign == '==' else form.sign} {sides[1]}"

    # ------------------------------------------------------------------------------------------------------- subqueries

    def query(self, table: Sequence[str], keep: Sequence[str]) -> str:
        """The whole text."""
        p = self.program
        for j, one in enumerate(p.inputs):
            if one.read and one.raw is not None and one.raw.is_value:
                self.texts.add_value(j, one.raw, self._add_text)
        for hold in p.holds:
            self._add(hold.name, hold.value)
        if p.prepares:
            for j, cell in enumerate(p.cells):
                if cell.used:
                    self._add(f"z{j}", cell.value)
        for step in p.steps:
            self._step(step)
        results = self._results()
        _refuse_names_of_results(keep, results)
        layers = self._layers()
        stem = _free_stem(table)
        kept = [f"k{k}" for k in range(len(keep))]
        texts = [self._first(table, keep, stem)]
        for number, layer in enumerate(layers, 1):
            needed = self._needed(layers[number:], results)
            carried = [*kept, *(name for name in self._known(layers[: number - 1]) if name in needed)]
            listed = [*carried, *(f"{one.text} AS {one.name}" for one in layer if one.name in needed)]
            texts.append(self._subquery(f"{stem}{number}", listed, f"{stem}{number - 1}"))
        last = [f"{k} AS {identifier(name)}" for k, name in zip(kept, keep, strict=True)]
        last += [f"{one.text} AS {identifier(one.name)}" for one in results]
        return self._head() + "WITH " + ",\n".join(texts) + f"\nSELECT {_listed(last)}\nFROM {stem}{len(layers)}\n"

    def _head(self) -> str:
        p, name = self.program, {"sqlite": "SQLite", "duckdb": "DuckDB", "postgresql": "PostgreSQL"}[self.dialect]
        lines = [f"-- A fitted {p.who} as a query of {name}, written by Pellucid."]
        for name in ("exp", "ln", "sin", "cos", "tanh") if self.dialect == "sqlite" else ():
            if any(f"{name}(" in one.text for one in (*self.columns, *self._results())):
                lines.append(f"-- {name}() is one of SQLite's mathematical functions (SQLITE_ENABLE_MATH_FUNCTIONS).")
        return "\n".join([*lines, *(f"-- {note}" for note in p.notes), ""])

    def _add(self, name: str, form: Expression | str, *reads: Expression | Test | str) -> None:
        text = form if isinstance(form, str) else self.expression(form)
        roots = reads if isinstance(form, str) else (form,)
        self.columns.append(Column(name, text, self._reads(roots)))

    def _add_text(self, name: str, form: Expression | str, reads: tuple[str, ...]) -> None:
        self._add(name, form, *reads)

    def _reads(self, roots: Sequence[Expression | Test | str]) -> frozenset[str]:
        found: set[str] = set()
        for root in roots:
            if isinstance(root, str):
                found.add(root)
                continue
            for form in walk(root):
                if isinstance(form, Given | Cell | Name):
                    found.add(self.expression(form))
        return frozenset(found)

    def _layers(self) -> list[list[Column]]:
        """Columns by how many subqueries must come before them."""
        level: dict[str, int] = {self._own_name(j): 0 for j in range(len(self.program.inputs))}
        layers: list[list[Column]] = []
        for one in self.columns:
            own = 1 + max((level[name] for name in one.reads), default=0)
            level[one.name] = own
            while len(layers) < own:
                layers.append([])
            layers[own - 1].append(one)
        widest = max((len(layer) for layer in layers), default=0)
        if widest > MOST_COLUMNS:
            requirement = f"a query may work out at most {MOST_COLUMNS:,} numbers side by side"
            hint = "use to_c or to_python, or grow smaller trees"
            raise ParameterError(
                format_message("to_sql", requirement, actual=f"this model needs {widest:,}", hint=hint)
            )
        return layers

    def _needed(self, later: list[list[Column]], results: list[Column]) -> set[str]:
        return {name for layer in later for one in layer for name in one.reads} | {
            name for one in results for name in one.reads
        }

    def _known(self, layers: list[list[Column]]) -> list[str]:
        inputs = [self._own_name(j) for j, one in enumerate(self.program.inputs) if one.read]
        return [*inputs, *(one.name for layer in layers for one in layer)]

    def _subquery(self, name: str, listed: list[str], source: str) -> str:
        # Without MATERIALIZED a database may put the text of a column wherever it is used, again and again.
        return f"{name} AS MATERIALIZED (\n  SELECT {_listed(listed or ['1 AS no_column'], '    ')}\n  FROM {source})"

    def _own_name(self, j: int) -> str:
        """A column of the first subquery: a value, or a text that becomes one."""
        return f"t{j}" if self.program.inputs[j].is_raw_value else f"x{j}"

    def _first(self, table: Sequence[str], keep: Sequence[str], stem: str) -> str:
        listed = [f"t.{identifier(name)} AS k{k}" for k, name in enumerate(keep)]
        inputs = enumerate(self.program.inputs)
        listed += [f"{self._input(one)} AS {self._own_name(j)}" for j, one in inputs if one.read]
        return self._subquery(f"{stem}0", listed, ".".join(map(identifier, table)) + " AS t")

    def _input(self, column: Input) -> str:
        own = f"t.{identifier(column.name)}"
        if column.raw is not None:
            text = self.texts.text(own, column.raw)
            return text if column.raw.is_value else self._codes(text, column)
        if column.kind == "category":
            return self._codes(own, column)
        return self.texts.value(own, is_flag=column.kind == "flag")

    def _codes(self, own: str, column: Input) -> str:
        compared = f"{own} COLLATE BINARY" if self.dialect == "sqlite" else own
        codes = [(self._label(value), "NULL" if code != code else f"{code:.0f}") for value, code in column.codes]
        cases = " ".join(f"WHEN {value} THEN {code}" for value, code in codes)
        known = column.unknown != column.unknown
        if not cases:
            return f"CASE WHEN {own} IS NULL THEN NULL ELSE {'NULL' if known else '-1'} END"
        if known:
            return f"CASE {compared} {cases} END"
        return f"CASE WHEN {own} IS NULL THEN NULL ELSE CASE {compared} {cases} ELSE -1 END END"

    def _label(self, value: Any) -> str:
        if isinstance(value, bool):
            return "TRUE" if value else "FALSE"
        if isinstance(value, int):
            return str(value)
        return literal(value) if isinstance(value, str) else double_literal(float(value), self.dialect, exact=True)

    def _results(self) -> list[Column]:
        """Prediction and probabilities; NULL where something that is needed is missing."""
        p = self.program
        answer = self.expression(p.answer)
        if p.classes:
            cases = " ".join(f"WHEN {k} THEN {self._label(label)}" for k, label in enumerate(p.classes))
            answer = f"CASE {answer} {cases} END"
        found = [("prediction", answer, p.answer)]
        pairs = zip(p.probabilities, p.classes, strict=True) if p.probabilities else ()
        found += [(f"probability_{label}", self.expression(form), form) for form, label in pairs]
        gone = " OR ".join(self.missing(value) for value, _ in p.required)
        roots = [value for value, _ in p.required]
        return [
            Column(name, f"CASE WHEN {gone} THEN NULL ELSE {text} END" if gone else text, self._reads([form, *roots]))
            for name, text, form in found
        ]

    # ------------------------------------------------------------------------------------------------------------ steps

    def _step(self, step: Step) -> None:
        match step:
            case Hold(name, value):
                self._add(name, value)
            case Total(name, start, terms):
                self._total(name, [self.number(start)], [(self.atom(term), self._reads([term])) for term in terms])
            case Trees():
                self._trees(step)
            case Median():
                self._median(step)
            case Kernels():
                self._kernels(step)

    def _kernels(self, step: Kernels) -> None:
        """One column for each support vector, and the sums over them."""
        if len(step.vectors) > MOST_VECTORS:
            requirement = f"a kernel machine in SQL may have at most {MOST_VECTORS:,} support vectors"
            hint = "use to_c or to_python, or fit fewer rows"
            raise ParameterError(
                format_message("to_sql", requirement, actual=f"this model has {len(step.vectors):,}", hint=hint)
            )
        stem = step.names[0]
        for s, vector in enumerate(step.vectors.tolist()):
            terms = [self._kernel_term(step, j, value) for j, value in enumerate(vector)]
            self._total(f"{stem}_sum_{s}", [self.number(0.0)], terms)
            base = Name(f"{stem}_base_{s}")
            self._add(base.text, self._kernel_base(step, Name(f"{stem}_sum_{s}")))
            self._add(f"{stem}_kernel_{s}", self._kernel_value(step, base))
        for name, start, coef in zip(step.names, step.start, step.coef.tolist(), strict=True):
            weighed = [(f"{stem}_kernel_{s}", self.number(w)) for s, w in enumerate(coef) if w != 0]
            self._total(name, [self.number(start)], [(f"{w} * {one}", frozenset([one])) for one, w in weighed])

    @staticmethod
    def _kernel_base(step: Kernels, x: Name) -> Expression:
        if step.kernel == "rbf":
            return Product(Number(-step.gamma), x)
        return Sum((Product(Number(step.gamma), x), Number(step.coef0)))

    @staticmethod
    def _kernel_value(step: Kernels, base: Name) -> Expression:
        if step.kernel != "poly":
            return Call("exp" if step.kernel == "rbf" else "tanh", (base,))
        value: Expression = base if step.degree else Number(1.0)
        for _ in range(step.degree - 1):
            value = Product(value, base)
        return value

    def _kernel_term(self, step: Kernels, j: int, value: float) -> tuple[str, frozenset[str]]:
        apart = Difference(Cell(j), Number(value))
        term = Product(apart, apart) if step.kernel == "rbf" else Product(Number(value), Cell(j))
        return self.expression(term), self._reads([term])

    def _median(self, step: Median) -> None:
        """For each value the weight of all that are not above it; the least value for which that is half."""
        said, half = [self.expression(value) for value in step.values], 0.5 * sum(step.weights)
        if len(said) > MOST_OF_MEDIAN:
            requirement = f"a weighted median in SQL may be over at most {MOST_OF_MEDIAN} answers"
            hint = "use to_c or to_python, or fit fewer rounds"
            raise ParameterError(format_message("to_sql", requirement, actual=f"this model has {len(said)}", hint=hint))
        weights = [self.number(weight) for weight in step.weights]
        reads = frozenset(said)
        for k, value in enumerate(said):
            terms = [
                (
                    f"CASE WHEN {other} {'<=' if i <= k else '<'} {value} THEN {weight} ELSE {self.number(0.0)} END",
                    reads,
                )
                for i, (other, weight) in enumerate(zip(said, weights, strict=True))
            ]
            self._total(f"reached_{k}", [self.number(0.0)], terms)
        enough, none = double_literal(half, self.dialect, exact=True), self.number(float("inf"))
        told = [f"CASE WHEN reached_{k} >= {enough} THEN {value} ELSE {none} END" for k, value in enumerate(said)]
        least = f"{'min' if self.dialect == 'sqlite' else 'LEAST'}({', '.join(told)})" if len(told) > 1 else said[0]
        self._add(step.name, least, *said, *(f"reached_{k}" for k in range(len(said))))

    def _total(self, name: str, start: list[str], terms: list[tuple[str, frozenset[str]]]) -> None:
        """A sum, in parts that are not too long for one expression."""
        parts = [terms[k : k + SQL_TERMS] for k in range(0, len(terms), SQL_TERMS)] or [[]]
        before: list[str] = start
        reads: frozenset[str] = frozenset()
        for k, part in enumerate(parts):
            own = name if k == len(parts) - 1 else f"{name}_part_{k}"
            used = reads.union(*(one for _, one in part))
            self.columns.append(Column(own, " + ".join([*before, *(f"{text}" for text, _ in part)]), used))
            before, reads = [own], frozenset([own])

    def _trees(self, step: Trees) -> None:
        hint = "use to_c or to_python for a model of this size, or grow fewer or smaller trees"
        check_nodes("to_sql", step, MOST_SQL_NODES[self.dialect], hint)
        terms: list[list[tuple[str, frozenset[str]]]] = [[] for _ in step.names]
        for t, tree in enumerate(step.trees):
            width = tree.values.shape[1]
            if width == 1:
                terms[tree.first].append(self._tree_text(tree, t, self._leaf_values(tree)))
                continue
            text, reads = self._tree_text(tree, t, [str(i) for i in range(len(tree.nodes))])
            self.columns.append(Column(f"leaf_{t}", text, reads))
            for k in range(width):
                terms[tree.first + k].append((self._leaf_choice(tree, t, k), frozenset([f"leaf_{t}"])))
        for name, start, own in zip(step.names, step.start, terms, strict=True):
            self._total(name, [self.number(start)], own)

    def _leaf_values(self, tree: LeafTree) -> list[str]:
        return [self.number(float(value)) for value in tree.values[:, 0]]

    def _leaf_choice(self, tree: LeafTree, t: int, k: int) -> str:
        values = tree.values[:, k].tolist()
        said = [i for i in range(len(values)) if self._answers(tree, i) and values[i] != 0]
        cases = " ".join(f"WHEN {i} THEN {self.number(values[i])}" for i in said)
        zero = self.number(0.0)
        return f"CASE leaf_{t} {cases} ELSE {zero} END" if cases else zero

    def _answers(self, tree: LeafTree, i: int) -> bool:
        return bool(tree.nodes.n_children[i] == 0 or tree.nodes.missing_child[i] < 0)

    def _tree_text(self, tree: LeafTree, t: int, said: list[str]) -> tuple[str, frozenset[str]]:
        """Nested CASE from the leaves up; what gets too deep for a parser is a column of its own, worked out before."""
        nodes = tree.nodes
        text, height = [""] * len(nodes), [0] * len(nodes)
        reads: list[frozenset[str]] = [frozenset()] * len(nodes)
        for i in reversed(range(len(nodes))):
            if nodes.n_children[i] == 0:
                text[i] = said[i]
                continue
            split = branches(tree, i)
            cases = " ".join(f"WHEN {self.test(test)} THEN {text[child]}" for test, child in split.tests)
            rest = said[i] if split.otherwise == i else text[split.otherwise]
            below = [child for _, child in split.tests] + ([] if split.otherwise == i else [split.otherwise])
            text[i] = f"CASE {cases} ELSE {rest} END" if cases else rest
            height[i] = 1 + max(height[child] for child in below)
            reads[i] = self._reads([test for test, _ in split.tests]).union(*(reads[child] for child in below))
            if height[i] >= SQL_DEPTH and i > 0:
                own = f"tree_{t}_node_{i}"
                self.columns.append(Column(own, text[i], reads[i]))
                text[i], height[i], reads[i] = own, 0, frozenset([own])
        return text[0], reads[0]


def _free_stem(table: Sequence[str]) -> str:
    """A beginning for the names of subqueries that no table of the query has."""
    stem = "step_"
    while any(name.lower().startswith(stem) for name in table):
        stem = "_" + stem
    return stem


def _listed(items: Sequence[str], pad: str = "  ") -> str:
    return f",\n{pad}".join(items)
