"""A fitted model as one file of C99."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Sequence
from typing import Any

from pellucid.base.errors import DataError, format_message, short_repr
from pellucid.export._branches import Arrays, as_arrays
from pellucid.export._c_texts import HELPERS, NEEDED, WALK, WALK_SETS
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
from pellucid.export._raw_text import BLANKS, NumberGrammar, RawText
from pellucid.quality.grammars import AmountGrammar, TimeGrammar

__all__ = ["to_c"]

EPOCH = datetime.datetime(1970, 1, 1)
_FEW_CODES = 8  # that are compared one by one


def to_c(model: Any) -> str:
    """A fitted model as one file of C99 that needs the standard library alone (``-lm``).

    The file has ``double predict(const double *row)``: a number, or for a classifier the number of the class, whose
    label ``class_name(number)`` gives; and for one that has probabilities ``void predict_proba(const double *row,
    double *out)``, one a class. A row has the values of the columns in the order of the comment at the top; NAN is
    missing. A column of names is given by the codes of its categories, which stand in the comment;
    ``code_of_<column>(text)`` finds them, and -1 is a category that the model does not know. A column of times is given
    in microseconds since 1970, which ``time_of_<column>(text)`` reads, and an amount such as "$1,234.50" as the number
    of ``number_of_<column>(text)``. Where the model refuses a
    missing value the answers are NAN.

    Parameters
    ----------
    model : what `to_python` takes

    Returns
    -------
    str : the text of the file

    Examples
    --------
    >>> from pellucid.export.c_code import to_c
    >>> from pellucid.tree import DecisionTreeRegressor
    >>> text = to_c(DecisionTreeRegressor().fit([[1], [2], [3], [4]], [0, 0, 5, 5]))
    >>> "double predict(const double *row)" in text, "if (row[0] > 2.5) {" in text or "if (row[0] <= 2.5) {" in text
    (True, True)
    """
    return CPrinter(program_of(model, "to_c")).file()


def c_string(text: str) -> str:
    """A text as a string of C: bytes of UTF-8, of which all but plain letters and signs are octal."""
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError:
        requirement = "names must be text that UTF-8 can hold"
        raise DataError(
            format_message("to_c", requirement, actual=f"got {short_repr(text)}", hint="rename it before fit")
        ) from None
    if b"\0" in data:
        requirement = "names must not hold the character NUL, at which a string of C ends"
        raise DataError(
            format_message("to_c", requirement, actual=f"got {short_repr(text)}", hint="rename it before fit")
        )
    plain = (chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\?' else f"\\{byte:03o}" for byte in data)
    return f'"{"".join(plain)}"'


def _blanks() -> str:
    return ", ".join(map(c_string, BLANKS))


def c_character(sign: str) -> str:
    """A sign of a number grammar as a character of C."""
    return f"\\{ord(sign):03o}"


def _c_number(text: str, grammar: NumberGrammar) -> str:
    """The number that a text stands for, as a constant; NAN where it is none."""
    if not re.fullmatch(grammar.pattern, text):
        return "NAN"
    plain = text.replace(grammar.thousands, "") if grammar.thousands else text
    return repr(float(plain.replace(grammar.decimal, ".")))


def c_time_format(grammar: TimeGrammar) -> str:
    """The pieces of a grammar for `time_from`: %, letter and the least and most digits; or which names there are."""
    written = ""
    for one in grammar.pieces:
        if isinstance(one, str):
            written += one
        elif one.letter == "b":
            lengths = {len(name) for name, _ in one.names}
            written += "%b" + ("s" if lengths == {3} else "l" if ("jan", 1) not in one.names else "a")
        else:
            written += f"%{one.letter}{one.least}{one.most}" if one.most else f"%{one.letter}{int(len(one.names) > 2)}0"
    return written


def _c_value(text: str, raw: RawText, printer: CPrinter) -> str:
    """The number or time that a text stands for, as a constant."""
    if raw.time is not None:
        time = raw.time.parse(text)
        since = None if time is None else (time - EPOCH) // datetime.timedelta(microseconds=1)
        return printer.INFINITY if since is None and raw.refuses else "NAN" if since is None else f"{since}.0"
    number = raw.number.parse(text) if isinstance(raw.number, AmountGrammar) else None
    return "NAN" if number is None else repr(number)


def c_comment(text: str) -> str:
    """A text inside of a comment: nothing that could end it, go on in another line or be read as another sign."""
    return "".join(_in_comment(sign) for sign in repr(text))


def _in_comment(sign: str) -> str:
    if sign in "*/?\\":
        return f"\\x{ord(sign):02x}" if sign != "\\" else "\\\\"
    return sign if sign.isprintable() else f"\\u{ord(sign):04x}"


class CPrinter(CodePrinter):
    """A program as C."""

    WHO = "to_c"
    AND, OR, ALWAYS, NEVER = "&&", "||", "1", "0"
    NAN, INFINITY = "NAN", "INFINITY"
    END_OF_IF, END_OF_FUNCTION = "}", "}"

    def __init__(self, program: Program) -> None:
        self.cleans = any(one.kind == "category" and one.read for one in program.inputs)
        super().__init__(program, "x" if self.cleans else "row")

    # ------------------------------------------------------------------------------------------------------ expressions

    def call(self, function: str, arguments: tuple[Expression, ...]) -> str:
        told = [self.expression(one) for one in arguments]
        if function == "max":
            return f"largest_of({self._listed(told)})"
        return f"{'fabs' if function == 'abs' else function}({told[0]})"

    @staticmethod
    def _listed(told: Sequence[str]) -> str:
        return f"(const double[]){{{', '.join(told)}}}, {len(told)}"

    def choose(self, form: Choose) -> str:
        parts = [f"{self.test(test)} ? {self.expression(value)} : " for test, value in form.cases]
        return f"({''.join(parts)}{self.expression(form.otherwise)})"

    def lookup(self, form: Lookup) -> str:
        keys = self._table(self.number(key) for key in form.keys)
        values = self._table(self.number(value) for value in form.values)
        key, rest = self.expression(form.key), self.number(form.otherwise)
        return f"lookup({key}, {keys}, {values}, {len(form.keys)}, {rest})"

    def _table(self, items: Iterable[str]) -> str:
        return f"table_{self.place_of_table('{' + ', '.join(items) + '}')}"

    def first_largest(self, of: tuple[Expression, ...]) -> str:
        return f"first_largest({self._listed([self.expression(one) for one in of])})"

    def missing(self, of: Expression) -> str:
        return f"isnan({self.expression(of)})"

    def among(self, form: Among) -> str:
        x = self.atom(form.of)
        if len(form.codes) <= _FEW_CODES:
            one_by_one = " || ".join(f"{x} == {code}" for code in form.codes)
            return one_by_one if len(form.codes) == 1 else f"({one_by_one})"
        codes = self._table(f"{code}.0" for code in form.codes)
        return f"place_of({x}, {codes}, {len(form.codes)}) >= 0"

    def whole(self, form: Whole) -> str:
        x = self.atom(form.of)
        return f"({x} >= 0 && {x} < {form.below} && {x} == floor({x}))"

    # ------------------------------------------------------------------------------------------------------------ parts

    def file(self) -> str:
        """The whole text."""
        body = "\n".join(self._answers())
        names = self._coders()
        coders = [self._coder(name, self.program.inputs[j]) for j, name in names.items()]
        called = {name for name in HELPERS if any(name in part for part in (body, *self.functions, *coders))}
        called |= {needed for name in called for needed in NEEDED.get(name, ())}
        most = max((len(step.values) for step in self.program.steps if isinstance(step, Median)), default=0)
        helpers = [
            text.replace("COUNT", str(most)).replace("BLANKS", _blanks())
            for name, text in HELPERS.items()
            if name in called
        ]
        prototypes = ["double predict(const double *row);"]
        prototypes += ["void predict_proba(const double *row, double *out);"] if self.program.probabilities else []
        prototypes += ["const char *class_name(int number);"] if self.program.classes else []
        prototypes += [f"double {name}(const char *text);" for name in names.values()]
        includes = ["#include <math.h>", *(["#include <stdlib.h>", "#include <string.h>"] if names else [])]
        tables = [f"static const double table_{k}[] = {text};" for k, text in enumerate(self.tables)]
        sections = [self._head(names), "\n".join(includes), "\n".join(prototypes)]
        sections += [*(["\n".join(tables)] if tables else []), *helpers, *self.functions, body, *self._naming(names)]
        return "\n\n".join(sections) + "\n"

    def _head(self, coders: dict[int, str]) -> str:
        p = self.program
        lines = [f"/* A fitted {p.who} as C99, written by Pellucid. Compile with -std=c99, link with -lm."]
        lines += [" *", " * double predict(const double *row) answers for one row, whose columns are"]
        for j, one in enumerate(p.inputs):
            kind = one.kind if one.read else "not read"
            lines.append(f" *   {j}  {c_comment(str(one.name))}  {kind}")
            if j in coders and one.kind == "time":
                lines[-1] += f": the number from {coders[j]}(text), microseconds since 1970"
            elif j in coders and one.kind != "category":
                lines[-1] += f": the number from {coders[j]}(text)"
            elif j in coders:
                lines[-1] += f": a code from {coders[j]}(text), -1 for any other name"
                lines += [f" *        {code}  {c_comment(str(value))}" for code, value in enumerate(one.categories)]
        lines.append(
            " * NAN is a missing value. Where the model refuses a missing or an unknown one, the answers are NAN."
        )
        lines += [f" * {note}" for note in p.notes]
        if p.classes:
            lines.append(" * The answer is the number of a class:")
            lines += [f" *   {k}  {c_comment(str(label))}" for k, label in enumerate(p.classes)]
        return "\n".join([*lines, " */"])

    def _coders(self) -> dict[int, str]:
        """Place of each column of names, and the name of the function that finds its codes."""
        found: dict[int, str] = {}
        for j, one in enumerate(self.program.inputs):
            if one.read and (one.kind == "category" or one.raw is not None):
                plain = re.sub(r"[^A-Za-z0-9]+", "_", str(one.name))[:40].strip("_")
                stem = {"category": "code_of", "time": "time_of"}.get(one.kind, "number_of")
                name = f"{stem}_{plain}" if plain else f"{stem}_column_{j}"
                found[j] = name if name not in found.values() else f"{name}_{j}"
        return found

    def _naming(self, coders: dict[int, str]) -> list[str]:
        found = []
        if self.program.classes:
            labels = ",\n".join(f"        {c_string(str(label))}" for label in self.program.classes)
            count = len(self.program.classes)
            found.append(
                "const char *class_name(int number) {\n    static const char *const labels[] = {\n"
                f"{labels}}};\n    return number >= 0 && number < {count} ? labels[number] : 0;\n}}"
            )
        return [*found, *(self._coder(name, self.program.inputs[j]) for j, name in coders.items())]

    def _coder(self, name: str, column: Input) -> str:
        texts = [str(value) for value in column.categories]
        if len(set(texts)) < len(texts):
            requirement = f"the categories of column {str(column.name)!r} must differ as text"
            raise DataError(
                format_message(
                    "to_c", requirement, actual="two of them read the same", hint="turn them into text before fit"
                )
            )
        lines = [f"double {name}(const char *text) {{", "    if (text == 0) return NAN;"]
        if column.raw is not None and (column.raw.time is not None or isinstance(column.raw.number, AmountGrammar)):
            return "\n".join([*lines, *self._value_from_text(column.raw), "}"])
        lines += self._stripping(column.raw) if column.raw is not None else []
        equal = "same_text(text, end, {})" if column.raw is not None and column.raw.strip else "strcmp(text, {}) == 0"
        if column.raw is not None and column.raw.number is not None:
            return "\n".join([*lines, *self._number_from_text(column.raw, equal), "}"])
        lines += [
            f"    if ({equal.format(c_string(str(value)))}) return {'NAN' if code != code else f'{code:.0f}'};"
            for value, code in column.codes
        ]
        return "\n".join([*lines, "    return -1;", "}"])

    @staticmethod
    def _stripping(raw: RawText) -> list[str]:
        if not raw.strip:
            return []
        return [
            "    const char *end = text + strlen(text);",
            "    strip(&text, &end);",
            "    if (text == end) return NAN;",
        ]

    def _value_from_text(self, raw: RawText) -> list[str]:
        """The lines that read an amount or a time, whose blanks around it never count."""
        replaced = [
            f"    if (same_text(text, end, {c_string(before)})) return "
            f"{'NAN' if after is None else _c_value(after, raw, self)};"
            for before, after in raw.replaced
        ]
        strip = ["    strip(&text, &end);"]
        lines = ["    const char *end = text + strlen(text);"]
        lines += [*strip, *replaced] if raw.strip else [*replaced, *strip]
        bad = self.INFINITY if raw.refuses else self.NAN
        if raw.time is not None:
            call = f"iso_from(text, end, {int(raw.time.zone == 'drop')}, {bad})"
            if not raw.time.is_iso:
                call = f"time_from(text, end, {c_string(c_time_format(raw.time))}, {bad})"
            return [*lines, "    if (text == end) return NAN;", f"    return {call};"]
        assert isinstance(raw.number, AmountGrammar)
        units = ", ".join(map(c_string, raw.number.spellings))
        lines.append(f"    static const char *const units[] = {{{units}}};")
        decimal, thousands = (
            f"'{c_character(sign)}'" if sign else "0" for sign in (raw.number.decimal, raw.number.thousands)
        )
        count = len(raw.number.spellings)
        return [*lines, f"    return amount_from(text, end, {decimal}, {thousands}, units, {count});"]

    @staticmethod
    def _number_from_text(raw: RawText, equal: str) -> list[str]:
        """The lines that read a number: what texts stand for, then the grammar."""
        assert isinstance(raw.number, NumberGrammar)
        end = "end" if raw.strip else "text + strlen(text)"
        lines = []
        for before, after in raw.replaced:
            replacement = "NAN" if after is None else _c_number(after, raw.number)
            lines.append(f"    if ({equal.format(c_string(before))}) return {replacement};")
        decimal, thousands = (
            f"'{c_character(sign)}'" if sign else "0" for sign in (raw.number.decimal, raw.number.thousands)
        )
        return [*lines, f"    return number_from(text, {end}, {decimal}, {thousands});"]

    # ------------------------------------------------------------------------------------------------------------ steps

    def _answers(self) -> list[str]:
        p = self.program
        steps = [line for step in p.steps for line in self.step(step)]
        lines = [*self._inputs(), *self._cells()]
        if not p.probabilities:
            lines += [*self._required("return NAN;"), *steps, f"    return {self.expression(p.answer)};"]
            return ["double predict(const double *row) {", "    (void)row;", *lines, "}"]
        k = len(p.probabilities)
        gone = f"{{ for (int k = 0; k < {k}; k++) out[k] = NAN; return NAN; }}"
        lines += [*self._required(gone), *steps]
        lines += [f"    out[{k}] = {self.expression(one)};" for k, one in enumerate(p.probabilities)]
        lines += [f"    return {self.expression(p.answer)};"]
        return [
            "static double answers(const double *row, double *out) {",
            "    (void)row;",
            *lines,
            "}",
            "",
            f"double predict(const double *row) {{\n    double out[{k}];\n    return answers(row, out);\n}}",
            "",
            "void predict_proba(const double *row, double *out) {\n    answers(row, out);\n}",
        ]

    def _inputs(self) -> list[str]:
        if not self.cleans:
            return []
        lines = [f"    double x[{len(self.program.inputs)}];"]
        for j, one in enumerate(self.program.inputs):
            if one.read and one.kind == "category":
                known = f"known_code(row[{j}], {len(one.categories)}, {self.number(one.unknown)})"
                lines.append(f"    x[{j}] = {known}; /* {c_comment(str(one.name))} */")
            elif one.read:
                lines.append(f"    x[{j}] = row[{j}]; /* {c_comment(str(one.name))} */")
        return [*lines, "    (void)x;"]

    def _cells(self) -> list[str]:
        if not self.program.prepares:
            return []
        lines = [f"    const double {hold.name} = {self.expression(hold.value)};" for hold in self.program.holds]
        lines.append(f"    double z[{max(len(self.program.cells), 1)}];")
        for j, cell in enumerate(self.program.cells):
            if cell.used:
                lines.append(f"    z[{j}] = {self.expression(cell.value)}; /* {c_comment(cell.label)} */")
        return [*lines, "    (void)z;"]

    def _required(self, gone: str) -> list[str]:
        required = self.program.required
        return [f"    if ({self.missing(value)}) {gone} /* {c_comment(said)} */" for value, said in required]

    def comment(self, labels: list[str]) -> str:
        return f" /* {', '.join(map(c_comment, labels))} */"

    def hold(self, name: str, value: Expression) -> list[str]:
        return [f"    const double {name} = {self.expression(value)};"]

    def chain(self, name: str, form: Choose) -> list[str]:
        lines = [f"    double {name};"]
        for k, (test, value) in enumerate(form.cases):
            word = "if" if k == 0 else "else if"
            lines.append(f"    {word} ({self.test(test)}) {name} = {self.expression(value)};{self.said(test)}")
        return [*lines, f"    else {name} = {self.expression(form.otherwise)};"]

    def total(self, step: Total) -> list[str]:
        added = [f"    {step.name} += {self.expression(term)};{self.said(term)}" for term in step.terms]
        return [f"    double {step.name} = {self.number(step.start)};", *added]

    def median(self, step: Median) -> list[str]:
        told = ", ".join(self.expression(value) for value in step.values)
        by = self._table(map(self.number, step.weights))
        actual = f"weighted_median((const double[]){{{told}}}, {by}, {len(step.values)})"
        return [f"    const double {step.name} = {actual};"]

    def kernels(self, step: Kernels) -> list[str]:
        name, (m, p), count = f"kernels_{step.names[0]}", step.vectors.shape, len(step.names)
        vectors = _braced(map(self.number, step.vectors.ravel().tolist()))
        weights = _braced(map(self.number, step.coef.T.ravel().tolist()))
        is_rbf, gamma = step.kernel == "rbf", self.number(step.gamma)
        product = f"{gamma} * sum + {self.number(step.coef0)}"
        value = {"rbf": f"exp(-{gamma} * sum)", "poly": f"pow({product}, {step.degree})", "sigmoid": f"tanh({product})"}
        term = "(x[j] - vector[j]) * (x[j] - vector[j])" if is_rbf else "x[j] * vector[j]"
        lines = [
            f"static const double {name}_vector[] = {vectors};",
            f"static const double {name}_weight[] = {weights};",
            "",
            f"static void {name}(const double *x, double *s) {{",
            f"    for (int i = 0; i < {m}; i++) {{",
            f"        const double *vector = {name}_vector + {p} * i;",
            "        double sum = 0;",
            f"        for (int j = 0; j < {p}; j++) sum += {term};",
            f"        const double value = {value[step.kernel]};",
            f"        for (int k = 0; k < {count}; k++) s[k] += {name}_weight[{count} * i + k] * value;",
            "    }",
            "}",
        ]
        self.functions.append("\n".join(lines))
        sums = f"sums_{step.names[0]}"
        first = f"    double {sums}[{len(step.names)}] = {{{self.numbers(step.start)}}};"
        named = [f"    const double {one} = {sums}[{k}];" for k, one in enumerate(step.names)]
        return [first, f"    {name}({self.vector}, {sums});", *named]

    # ------------------------------------------------------------------------------------------------------------ trees

    def called(self, step: Trees) -> list[str]:
        calls = []
        for t, tree in enumerate(step.trees):
            self.functions += reversed(self.nested(tree, f"tree_{t}"))  # C wants a function before its call
            place = f"sums + {tree.first}" if tree.first else "sums"
            calls.append(f"    tree_{t}({self.vector}, {place});")
        return self._summed(step, calls)

    def _summed(self, step: Trees, calls: list[str]) -> list[str]:
        sums = f"    double sums[{len(step.names)}] = {{{self.numbers(step.start)}}};"
        lines = [f"    const double {name} = sums[{k}];" for k, name in enumerate(step.names)]
        if len(step.names) > 1:  # a calibration of two classes reads the sum of one
            lines += [f"    (void){name};" for name in step.names]
        return [sums, *calls, *lines]

    def opened(self, name: str) -> list[str]:
        return [f"static void {name}(const double *{self.vector}, double *s) {{", f"    (void){self.vector};"]

    def asked(self, test: Test) -> str:
        return f"if ({self.test(test)}) {{{self.said(test)}"

    def handed_on(self, name: str) -> list[str]:
        return [f"{name}({self.vector}, s);", "return;"]

    def leaf(self, tree: LeafTree, node: int) -> str:
        values = enumerate(tree.values[node].tolist())
        return " ".join([*(f"s[{k}] += {self.number(value)};" for k, value in values if value != 0), "return;"])

    def looped(self, step: Trees) -> list[str]:
        a: Arrays = as_arrays(step.trees)
        width = len(a.leaf[0])
        whole = [("unsigned char", "kind"), ("int", "column"), ("int", "left"), ("int", "right"), ("int", "root")]
        arrays = [f"static const {kind} node_{name}[] = {_braced(map(str, getattr(a, name)))};" for kind, name in whole]
        arrays.append(f"static const int tree_first[] = {_braced(map(str, a.first))};")
        arrays.append(f"static const double node_threshold[] = {_braced(map(self.number, a.threshold))};")
        leaves = [self.number(value) for leaf in a.leaf for value in leaf]
        arrays.append(f"static const double leaf_value[] = {_braced(leaves)};")
        if a.sets:
            arrays.append(f"static const int set_start[] = {_braced(map(str, a.set_start))};")
            arrays.append(f"static const unsigned long set_word[] = {_braced(f'{word}UL' for word in a.sets)};")
        walk = WALK_SETS if a.sets else WALK
        self.functions += ["\n".join(arrays), walk.replace("TREES", str(len(a.root))).replace("WIDTH", str(width))]
        return self._summed(step, [f"    add_trees({self.vector}, sums);"])


def _braced(items: Iterable[str]) -> str:
    return "{\n" + broken(items).rstrip(",") + "}"
