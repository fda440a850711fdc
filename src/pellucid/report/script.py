"""The program that makes the same model again: at most sixty lines that can be read and changed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from inspect import signature
from typing import Any

from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline, make_pipeline

from pellucid.models.intervals import PredictionIntervals
from pellucid.report.outcome import Decisions
from pellucid.report.thresholds import EVEN

WIDTH = 100
MOST_NAMES = 100  # columns that are listed one by one


@dataclass(frozen=True)
class Recipe:
    """What the program does.

    reading : lines that give ``table``
    target, labels : the column to predict, and the type of its classes, "" for numbers
    model : the unfitted pipeline
    columns, form, drop : the columns that it sees, the form in which, and those that the user left out
    fit_rows : how many rows the model learned from, where not all
    cleans : does the model clean new rows before it looks at them?
    decisions, intervals : calibration and threshold of a classifier; prediction intervals of a regression
    """

    reading: tuple[str, ...]
    target: str
    labels: str
    model: Pipeline
    columns: tuple[str, ...]
    form: str
    drop: tuple[str, ...] = ()
    seed: int = 0
    fit_rows: int | None = None
    cleans: bool = False
    decisions: Decisions | None = None
    intervals: PredictionIntervals | None = None


def script_of(recipe: Recipe) -> str:
    """The text of the program."""
    wide = len(recipe.columns) > MOST_NAMES
    modules = _modules(recipe.model[-1:] if wide else recipe.model)
    lines = ['"""Makes the model of the report again and saves it as model-again.pellucid."""', ""]
    lines += _imports(modules, recipe, wide)
    lines += ["", *(line for line in recipe.reading if not line.startswith("from ")), f"target = {recipe.target!r}", ""]
    lines += [
        "# The cleaning of the report: what it changes is in changes.csv.",
        "cleaner, raw = report_cleaner(table, target), table",
        "table = cleaner.clean(table).table",
        f"rows, _ = rows_with_target(table, target, is_number={not recipe.labels})",
        "table = table[rows]",
        f"y = table[target].to_numpy().astype({recipe.labels or 'float'})",
        "",
    ]
    lines += _found_columns(recipe) if wide else [_listed("columns = ", recipe.columns)]
    lines += _model_lines(recipe.model, wide)
    if recipe.fit_rows is not None:
        lines += [
            "# As many rows as fit into the time that was given.",
            f"rows = sample(y, {recipe.fit_rows}, {bool(recipe.labels)}, False, {recipe.seed})",
            "table, y = table[rows], y[rows]",
        ]
    lines.append("model.fit(table.select(columns), y)")
    lines += _decision_lines(recipe.decisions) + _interval_lines(recipe.intervals)
    lines += [*_cleaning_lines(recipe), 'save(model, "model-again.pellucid")', "print(model)"]
    return "\n".join(lines) + "\n"


def _cleaning_lines(recipe: Recipe) -> list[str]:
    """The steps before the model of a report that cleans what it is given."""
    if not recipe.cleans:
        return []
    return [
        "# New rows are cleaned in the same way before the model sees them.",
        "model.steps[:0] = cleaning_steps(cleaner.remedies_, raw.select(columns))",
    ]


def _decision_lines(decisions: Decisions | None) -> list[str]:
    """What was chosen on out-of-fold rows of the comparison: the calibration and the threshold."""
    lines = []
    if decisions is not None and decisions.calibration.method != "none":
        method, numbers = decisions.calibration.method, decisions.calibration.numbers
        lines.append(_listed(f"model = with_calibration(model, {method!r}, ", numbers) + ")")
    if decisions is not None and decisions.threshold != EVEN:
        lines.append(f"model = with_threshold(model, {decisions.threshold!r}, {decisions.positive!r})")
    return ["# Chosen on rows that the model had not seen.", *lines] if lines else []


def _interval_lines(intervals: PredictionIntervals | None) -> list[str]:
    """The prediction intervals, number by number."""
    if intervals is None:
        return []
    named = {"levels": intervals.levels, "borders": intervals.borders, "low": intervals.low, "high": intervals.high}
    return [
        "# How far the truth was from predictions of rows that the model had not seen.",
        "intervals = read_intervals(",
        *(_listed(f"    {name}=", values) + "," if values else f"    {name}=[]," for name, values in named.items()),
        f"    floor={intervals.floor!r},",
        ")",
        "model = with_intervals(model, intervals)",
    ]


def short_script(what: str, reading: tuple[str, ...], model: Any, columns: tuple[str, ...], before: str = "") -> str:
    """The program of a task without a target whose model takes the table as it is.

    Parameters
    ----------
    what : what is made again, for the first line
    reading : lines that give ``table``
    model : the model, of which the settings are told
    columns : those that it is given, all where there are none
    before : a line between the reading and the model
    """
    lines = [f'"""Makes the {what} of the report again and saves the model as model-again.pellucid."""', ""]
    imports = {line for line in reading if line.startswith("from ")} | {"from pellucid import save"}
    imports |= {f"from {module} import {', '.join(sorted(names))}" for module, names in _modules(model).items()}
    lines += [*_by_module(line for line in imports if "make_pipeline" not in line), ""]
    lines += [line for line in reading if not line.startswith("from ")]
    lines += [_listed("table = table.select(", columns) + ")"] if columns else []
    lines += [before] if before else []
    lines += [f"model = {_one_line(model, Names())}.fit(table)", 'save(model, "model-again.pellucid")', "print(model)"]
    return "\n".join(lines) + "\n"


def groups_script(
    reading: tuple[str, ...], model: Pipeline, columns: tuple[str, ...], drop: tuple[str, ...], cleans: bool
) -> str:
    """The program for a table without a target: the same clusters again."""
    wide = len(columns) > MOST_NAMES
    prepare, clusters = model.steps[-2][1], model.steps[-1][1]
    recipe = Recipe(reading, "", "", model, columns, "matrix", cleans=cleans)
    lines = ['"""Repeats the clustering of the report and saves the model as model-again.pellucid."""', ""]
    lines += _imports(_modules(clusters if wide else make_pipeline(prepare, clusters)), recipe, wide)
    lines += ["", *(line for line in reading if not line.startswith("from ")), ""]
    lines += ["cleaner, raw = report_cleaner(table), table", "table = cleaner.clean(table).table", ""]
    lines += _compared_columns(drop) if wide else [_listed("columns = ", columns)]
    names = Names()
    code = [] if wide else f"{names.of(prepare)} = {next(iter(names))}".split("\n")
    lines += [
        *code,
        f"model = make_pipeline(prepare, {_one_line(clusters, names)})",
        "model.fit(table.select(columns))",
    ]
    lines += ["labels = model[-1].labels_", *_cleaning_lines(recipe)]
    lines += ['save(model, "model-again.pellucid")', "print(model)"]
    return "\n".join(lines) + "\n"


def _modules(model: Any) -> dict[str, set[str]]:
    """Module: the names to import from it, of every estimator inside."""
    found: dict[str, set[str]] = {}

    def visit(value: Any) -> None:
        if isinstance(value, Pipeline):
            for _, step in value.steps:
                visit(step)
        elif isinstance(value, ColumnTransformer):
            found.setdefault("sklearn.compose", set()).add("ColumnTransformer")
            for _, step, _ in value.transformers:
                visit(step)
        elif isinstance(value, list | tuple):
            for one in value:
                visit(one)
        elif hasattr(value, "get_params") and not isinstance(value, type):
            module = type(value).__module__.split(".")
            found.setdefault(".".join(module[:2]), set()).add(type(value).__name__)
            for inside in value.get_params(deep=False).values():
                visit(inside)

    visit(model)
    found.setdefault("sklearn.pipeline", set()).add("make_pipeline")
    return found


def _imports(modules: dict[str, set[str]], recipe: Recipe, wide: bool) -> list[str]:
    lines = ["from pellucid import save", "from pellucid.report.cleaning import report_cleaner"]
    lines += ["from pellucid.report.cleaning import rows_with_target"] if recipe.target else []
    lines += [line for line in recipe.reading if line.startswith("from ")]
    if recipe.fit_rows is not None:
        lines.append("from pellucid.report.holdout_split import sample")
    if recipe.cleans:
        lines.append("from pellucid.report.cleaning import cleaning_steps")
    used = " ".join(_decision_lines(recipe.decisions))
    needed = [name for name in ("with_calibration", "with_threshold") if name in used]
    if needed:
        lines.append(f"from pellucid.report.decisions import {', '.join(needed)}")
    if recipe.intervals is not None:
        lines.append("from pellucid.report.intervals import read_intervals, with_intervals")
    if wide:
        if recipe.target:
            lines.append("from pellucid.report.columns import columns_of, preparation, roles_of")
        else:
            lines.append("from pellucid.report.columns import preparation")
            lines.append("from pellucid.report.compared_columns import compared_columns")
        lines.append("from pellucid.quality import profile")
    for module, names in modules.items():
        lines.append(f"from {module} import {', '.join(sorted(names))}")
    return _by_module(lines)


def _by_module(lines: Iterable[str]) -> list[str]:
    """One line of imports for each module, in order."""
    found: dict[str, set[str]] = {}
    for line in lines:
        module, names = line.removeprefix("from ").split(" import ")
        found.setdefault(module, set()).update(names.split(", "))
    return [f"from {module} import {', '.join(sorted(names))}" for module, names in sorted(found.items())]


def _found_columns(recipe: Recipe) -> list[str]:
    """Of many columns: what becomes of each is found again, as the report found it."""
    return [
        "# What becomes of each column: numbers, categories, times and texts, as the report found it.",
        "described = profile(table, associations=False)",
        f"found = columns_of(roles_of(described, {'target' if recipe.target else None}, {recipe.drop!r}), described)",
        f"columns, prepare = list(found.used), preparation(found, {recipe.form!r})",
    ]


def _compared_columns(drop: tuple[str, ...]) -> list[str]:
    """Of many columns of a table without a target: those by which rows are compared are found again."""
    return [
        "# The numbers, categories and times by which rows are compared, as the report found them.",
        f"found = compared_columns(table, profile(table, associations=False), {drop!r}).columns",
        'columns, prepare = list(found.used), preparation(found, "matrix")',
    ]


class Names(dict[str, str]):
    """Preparations by their code: each distinct one is written once, and has a name."""

    def of(self, prepare: ColumnTransformer) -> str:
        code = "\n".join(_preparation(prepare))
        return self.setdefault(code, "prepare" if not self else f"prepare_{len(self) + 1}")


def _model_lines(model: Pipeline, wide: bool) -> list[str]:
    """The preparations, the members of a model that is made of others, and the model."""
    if wide and not isinstance(getattr(model[-1], "estimators", None), list):
        return [f"model = make_pipeline(prepare, {_one_line(model[-1], Names())})"]
    names = Names()
    first = names.of(model[0])
    members = getattr(model[-1], "estimators", None)
    after: list[str] = []
    if isinstance(members, list):
        after.append("members = [")
        after += [f"    ({name!r}, {_one_line(member, names)})," for name, member in members]
        after.append("]")
    after.append(f"model = make_pipeline({first}, {_one_line(model[-1], names, estimators='members')})")
    before = [line for code, name in names.items() for line in (f"{name} = {code}").split("\n")]
    return before + after


def _preparation(prepare: ColumnTransformer) -> list[str]:
    """A preparation in code, column by column."""
    lines = ["ColumnTransformer(", "    ["]
    for name, step, columns in prepare.transformers:
        said = repr(step) if isinstance(step, str) else _one_line(step, Names())
        lines.append(f"        ({name!r}, {said},")
        lines.append(_listed("         ", columns) + "),")
    options = [f"verbose_feature_names_out={prepare.verbose_feature_names_out}"]
    if prepare.sparse_threshold != 0.3:
        options.append(f"sparse_threshold={prepare.sparse_threshold}")
    as_frame = getattr(prepare, "_sklearn_output_config", {}).get("transform")
    ending = f').set_output(transform="{as_frame}")' if as_frame else ")"
    return [*lines, "    ],", f"    {', '.join(options)},", ending]


def _listed(before: str, columns: Any) -> str:
    """A list of names, broken into lines between names."""
    if isinstance(columns, str):
        return before + repr(columns)
    lines, line = [], before + "["
    for place, name in enumerate(columns):
        piece = repr(name) + (", " if place + 1 < len(columns) else "]")
        if len(line) + len(piece) > WIDTH and place:
            lines.append(line.rstrip())
            line = " " * (len(before) + 1)
        line += piece
    return "\n".join([*lines, line])


def _one_line(value: Any, names: Names, **instead: str) -> str:
    """An estimator, a list of them or a plain value in code; settings that are the defaults are not said.

    ``instead`` gives the code of some settings.
    """
    if isinstance(value, Pipeline):
        return f"make_pipeline({', '.join(_one_line(step, names) for _, step in value.steps)})"
    if isinstance(value, ColumnTransformer):
        return names.of(value)
    if isinstance(value, list | tuple):
        inside = ", ".join(_one_line(one, names) for one in value)
        return f"[{inside}]" if isinstance(value, list) else f"({inside}{',' if len(value) == 1 else ''})"
    if not hasattr(value, "get_params") or isinstance(value, type):
        return repr(value)
    default = signature(type(value)).parameters
    said = []
    for name, setting in value.get_params(deep=False).items():
        if name in default and _same(setting, default[name].default):
            continue
        said.append(f"{name}={instead[name] if name in instead else _one_line(setting, names)}")
    return f"{type(value).__name__}({', '.join(said)})"


def _same(value: Any, default: Any) -> bool:
    return type(value) is type(default) and (value is default or value == default)
