"""What writers of models share: the columns of a row, how they are read, and the names of what is worked out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pellucid.base.errors import DataError, ParameterError, format_message, short_repr
from pellucid.data.design import Schema
from pellucid.data.kinds import Kind, is_missing
from pellucid.export._form import (
    MISSING,
    Call,
    Cell,
    Choose,
    Compare,
    Difference,
    Expression,
    FirstLargest,
    Given,
    Hold,
    Input,
    Kernels,
    Lookup,
    Missing,
    Name,
    Number,
    Prepared,
    Product,
    Program,
    Quotient,
    Step,
    Sum,
    Test,
    Total,
    Trees,
    Whole,
    parts_of,
    program_forms,
    step_forms,
    table_of,
    walk,
)

_SHORT = 20  # terms of a sum that is written in one line
UNKNOWN = -1.0  # the code of a category that fit did not see, where it is told from a missing one


def plain(value: Any) -> Any:
    """A name or label as one of Python's own values: a number or flag as it is, everything else as text."""
    value = value.item() if isinstance(value, np.generic) else value
    return value if type(value) in (bool, int, float) else str(value)


@dataclass(frozen=True)
class Feature:
    """A column on its way to the model.

    label : for comments
    place : of the row's column, while nothing has been made of it
    value : what it is, once it is a number
    fill : the name that stands in for a missing one
    """

    label: str
    place: int = -1
    value: Expression | None = None
    fill: Any = None


@dataclass(frozen=True)
class Answer:
    """What a model predicts: a number, or the place of a class, with the probabilities of the classes where it has any.

    scores : the decision values, one for two classes
    """

    value: Expression
    probabilities: tuple[Expression, ...] = ()
    classes: tuple[Any, ...] = ()
    scores: tuple[Expression, ...] = ()


class Builder:
    """Collects a program while the steps of a pipeline and its model are written."""

    def __init__(self, who: str, names: Sequence[Any] | None, n_cols: int) -> None:
        self.who = who
        labels = [f"x{j}" for j in range(n_cols)] if names is None else list(names)
        self.inputs = [Input(label) for label in labels]
        self.features = [Feature(str(label), place=j) for j, label in enumerate(labels)]
        self.holds: list[Hold] = []
        self.cells: list[Prepared] = []
        self.required: list[tuple[Expression, str]] = []
        self.steps: list[Step] = []
        self.notes: list[str] = []
        self._names = 0

    def refuse(self, requirement: str, actual: str = "", hint: str = "") -> ParameterError:
        """The error of a model that cannot be written."""
        return ParameterError(format_message(self.who, requirement, actual=actual, hint=hint))

    def program(self, model: str, answer: Answer) -> Program:
        """Everything together; columns that nothing reads are marked as such."""
        results = (answer.value, *answer.probabilities)
        steps = _used(self.steps, results)
        self.required = [(value, said) for value, said in self.required if self._may_miss(value)]
        asked = _cells_asked(steps, (*results, *(value for value, _ in self.required)))
        cells = [replace(cell, used=j in asked) for j, cell in enumerate(self.cells)]
        roots = [*(cell.value for cell in cells if cell.used), *(value for value, _ in self.required)]
        holds = [hold for hold in _used(self.holds, roots) if isinstance(hold, Hold)]
        program = Program(
            model,
            tuple(self.inputs),
            tuple(holds),
            tuple(cells),
            tuple(self.required),
            tuple(steps),
            answer.value,
            answer.probabilities,
            answer.classes,
            tuple(self.notes),
        )
        read = {form.place for form in program_forms(program) if isinstance(form, Given)}
        inputs = tuple(replace(one, read=j in read) for j, one in enumerate(program.inputs))
        return replace(program, inputs=inputs)

    def _may_miss(self, value: Expression) -> bool:
        """Can a value of the row, a hold or a cell be missing?"""
        match value:
            case Number(constant):
                return bool(np.isnan(constant))
            case Cell(place):
                return self._may_miss(self.cells[place].value)
            case Name(text):
                return any(hold.name == text and self._may_miss(hold.value) for hold in self.holds)
            case Choose(cases, otherwise):
                filled = any(test == Missing(otherwise) for test, _ in cases)
                return any(self._may_miss(one) for _, one in cases) or (not filled and self._may_miss(otherwise))
            case Lookup(values=values, otherwise=rest):
                return bool(np.isnan([*values, rest]).any())
            case Sum() | Difference() | Product() | Quotient():
                return any(self._may_miss(part) for part in parts_of(value))
        return True

    # ------------------------------------------------------------------------------------------------------------ names

    def hold(self, value: Expression, stem: str = "v") -> Expression:
        """A value under a name, for one that is used more than once before there are cells."""
        if isinstance(value, Given | Name | Number):
            return value
        name = f"{stem}_{self._names}"
        self._names += 1
        self.holds.append(Hold(name, value))
        return Name(name)

    def set(self, name: str, value: Expression) -> Name:
        """A value under a name, over cells."""
        self.steps.append(Hold(name, value))
        return Name(name)

    def total(self, name: str, start: float, terms: Sequence[Expression]) -> Name:
        """A sum under a name, over cells."""
        self.steps.append(Total(name, float(start), tuple(terms)))
        return Name(name)

    # ---------------------------------------------------------------------------------------------------------- columns

    def number(self, feature: Feature) -> Expression:
        """A column as a number."""
        if feature.value is not None:
            return feature.value
        if self.inputs[feature.place].kind == "time":
            requirement = (
                f"column {feature.label!r} must be taken apart by DateTimeFeatures before anything else reads it"
            )
            raise self.refuse(requirement, "it holds times")
        if feature.fill is not None or self.inputs[feature.place].kind == "category":
            requirement = f"column {feature.label!r} must be read as numbers or as names throughout"
            raise self.refuse(requirement, "one step reads it as names and another as numbers")
        return Given(feature.place)

    def code(self, feature: Feature, categories: Sequence[Any], unknown: float) -> Expression:
        """The place of a column's value among categories; `unknown` where it is none of them.

        None or NaN among them stands for a missing value.
        """
        places = {k: value for k, value in enumerate(categories) if not is_missing(value)}
        gaps = [k for k, value in enumerate(categories) if is_missing(value)]
        if len(gaps) > 1:
            requirement = f"the categories of column {feature.label!r} must have one missing value at most"
            raise self.refuse(requirement, "None and NaN stand for different categories", "make them one before fit")
        gap = float(gaps[0]) if gaps else unknown
        values = list(places.values())
        if feature.fill is None and all(isinstance(value, bool | int | float) for value in values):
            return self._code_of_number(feature, places, gap, unknown)
        if not all(isinstance(value, str) for value in values):
            raise self.refuse(
                f"the categories of column {feature.label!r} must be texts or numbers", short_repr(values)
            )
        return self._code_of_name(feature, places, gap, unknown)

    def _code_of_number(self, feature: Feature, places: dict[int, Any], gap: float, unknown: float) -> Expression:
        x = self.hold(self.number(feature))
        if isinstance(x, Given) and places and all(isinstance(value, bool) for value in places.values()):
            self.inputs[x.place] = replace(self.inputs[x.place], kind="flag")
        codes = table_of({float(value): float(k) for k, value in places.items()}, x, unknown)
        return codes if gap == unknown else Choose(((Missing(x), Number(gap)),), codes)

    def _code_of_name(self, feature: Feature, places: dict[int, Any], gap: float, unknown: float) -> Expression:
        if feature.value is not None:
            raise self.refuse(f"column {feature.label!r} must be names where categories are", "it is a number by then")
        x, values = self.named(feature, tuple(places.values()), UNKNOWN), list(places.values())
        if feature.fill is not None:
            gap = float(list(places)[values.index(feature.fill)]) if feature.fill in values else unknown
        actual: Expression = x
        if list(places) != list(range(len(places))):
            actual = table_of(dict(enumerate(places)), x, unknown)
        cases: list[tuple[Test, Expression]] = []
        if not np.isnan(gap):
            cases.append((Missing(x), Number(gap)))
        if unknown != UNKNOWN:
            cases.append((Compare("<", x, Number(0.0)), Number(unknown)))
        return Choose(tuple(cases), actual) if cases else actual

    def named(self, feature: Feature, categories: tuple[Any, ...], unknown: float) -> Given:
        """A column of the row as names, read as the codes of these categories."""
        odd = [value for value in categories if not isinstance(value, str | int | float)]
        if odd:
            requirement = f"the categories of column {feature.label!r} must be texts or numbers to be written as code"
            raise self.refuse(requirement, f"got {short_repr(odd[0])}", "turn them into text with str")
        own, categories = self.inputs[feature.place], tuple(map(plain, categories))
        made = replace(own, kind="category", categories=categories, unknown=unknown)
        if own.kind == "category" and own.categories != categories:
            requirement = f"column {feature.label!r} must have the same categories wherever it is read"
            raise self.refuse(requirement, "two steps know it by different ones", "give both the same categories")
        if own.kind == "category" and np.isnan(own.unknown) != np.isnan(unknown):
            made = replace(made, unknown=UNKNOWN)
        self.inputs[feature.place] = made
        return Given(feature.place)

    # ------------------------------------------------------------------------------------------------------------ cells

    def read_cells(self, model: Any) -> tuple[int, ...]:
        """The columns as a model's door gives them; answers how many categories each has, 0 for numbers."""
        schema: Schema = getattr(model, "schema_", None) or Schema(model.n_features_in_, None, True)
        if schema.n_cols != len(self.features):
            requirement = f"{type(model).__name__} must read the columns that come before it"
            raise DataError(
                format_message(self.who, requirement, actual=f"{len(self.features)} come, fit saw {schema.n_cols}")
            )
        sizes = [len(schema.categories.get(j, ())) for j in range(schema.n_cols)]
        listed = getattr(model, "_sizes_", None)
        for j, feature in enumerate(self.features):
            value = self._cell(feature, j, schema, model.input_spec.unknown)
            if listed is not None and listed[j] and j not in schema.categories:
                sizes[j] = int(listed[j])
                x = self.hold(value)
                value = Choose(((Whole(x, sizes[j]), x),), Number(MISSING))
            self.cells.append(Prepared(value, feature.label))
        if not model.input_spec.missing:
            self.required += [(Cell(j), cell.label) for j, cell in enumerate(self.cells)]
        return tuple(sizes)

    def _cell(self, feature: Feature, j: int, schema: Schema, unknown: str) -> Expression:
        known = schema.categories.get(j)
        if known is None:
            value = self.number(feature)
            if schema.kinds is not None and schema.kinds[j] is Kind.FLAG and isinstance(value, Given):
                self.inputs[value.place] = replace(self.inputs[value.place], kind="flag")
            return value
        if feature.value is None and feature.fill is None and unknown == "missing":
            own = self.inputs[feature.place]
            if own.kind != "category":
                return self.named(feature, known, MISSING)
        return self.code(feature, known, MISSING)


def _used(steps: Sequence[Step], roots: Sequence[Expression]) -> list[Step]:
    """The steps whose names something asks for."""
    asked = {form.text for root in roots for form in walk(root) if isinstance(form, Name)}
    kept: list[Step] = []
    for step in reversed(steps):
        if asked.intersection(step.names if isinstance(step, Trees | Kernels) else (step.name,)):
            kept.append(step)
            asked |= {form.text for root in step_forms(step) for form in walk(root) if isinstance(form, Name)}
    return kept[::-1]


def _cells_asked(steps: Sequence[Step], results: Sequence[Expression]) -> set[int]:
    """Places of the cells that steps and results read."""
    actual = {j for step in steps if isinstance(step, Trees | Kernels) for j in step.asked}
    roots = [*results, *(form for step in steps for form in step_forms(step))]
    return actual | {form.place for root in roots for form in walk(root) if isinstance(form, Cell)}


# ------------------------------------------------------------------------------------------------------------- formulas


def logistic(b: Builder, score: Name, name: str = "power") -> tuple[Expression, Expression]:
    """1 / (1 + e^t) and 1 / (1 + e^-t), with a power of e that never overflows: small ones keep their digits."""
    below = Difference(Number(0.0), Call("abs", (score,)))
    small = b.set(name, Call("exp", (b.set(name.replace("power", "exponent"), below),)))
    whole = Sum((Number(1.0), small))
    larger, smaller = Quotient(Number(1.0), whole), Quotient(small, whole)
    above = Compare(">=", score, Number(0.0))
    return Choose(((above, smaller),), larger), Choose(((above, larger),), smaller)


def softmax(b: Builder, scores: Sequence[Expression], prefix: str = "") -> tuple[Expression, ...]:
    """e^s_k / sum of all, with the largest score taken off before; ``prefix`` begins the names of the steps."""
    if len(scores) == 1:
        return (Number(1.0),)
    top = b.set(f"{prefix}largest", Call("max", tuple(scores)))
    below = [b.set(f"{prefix}below_{k}", Difference(score, top)) for k, score in enumerate(scores)]
    powers = [b.set(f"{prefix}power_{k}", Call("exp", (one,))) for k, one in enumerate(below)]
    name = f"{prefix}powers"
    whole = b.set(name, Sum(tuple(powers))) if len(powers) <= _SHORT else b.total(name, 0.0, powers)
    return tuple(Quotient(power, whole) for power in powers)


def largest(of: Sequence[Expression]) -> Expression:
    """The place of the largest, the first of equals."""
    return FirstLargest(tuple(of)) if len(of) > 1 else Number(0.0)


def labels_of(b: Builder, model: Any) -> tuple[Any, ...]:
    """The classes as plain values."""
    if isinstance(model.classes_, list):
        requirement = "a classifier of several targets cannot be exported"
        raise b.refuse(requirement, f"{type(model).__name__} has {len(model.classes_)}", "fit one model a target")
    labels = tuple(np.asarray(model.classes_).tolist())
    odd = [label for label in labels if not isinstance(label, str | int | float)]
    if odd:
        requirement = "labels must be texts, numbers or flags to be written as code"
        raise b.refuse(requirement, f"got {short_repr(odd[0])}", "turn them into text with str")
    return tuple(map(plain, labels))


def refuse_targets(b: Builder, model: Any, targets: int) -> None:
    """One target at a time."""
    if targets != 1:
        requirement = "a regressor of several targets cannot be exported"
        raise b.refuse(requirement, f"{type(model).__name__} has {targets}", "fit one model a target")
