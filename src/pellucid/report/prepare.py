"""The first half of the main job: a table is read, described, checked, cleaned and split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from pellucid.base.errors import ParameterError, format_message, join_some
from pellucid.base.threads import effective_threads
from pellucid.base.types import Array
from pellucid.data.slices import column_of, n_rows_of, names_of, take_columns, take_rows
from pellucid.quality import ChangeLog, Findings, Profile, check, profile
from pellucid.quality.column import TableStats, compute_stats
from pellucid.quality.profiling import associated_with_classes
from pellucid.report.cleaning import cleaning_steps, report_cleaner, rows_with_target, with_exact_types
from pellucid.report.columns import MOST_LEVELS, MOST_ONE_HOT, MOST_WORDS, Columns, roles_of
from pellucid.report.comparison import ProgressCallback
from pellucid.report.costs import Size
from pellucid.report.dataset import Dataset, load_dataset
from pellucid.report.holdout_split import HoldoutSplit, split_holdout
from pellucid.report.interactions.recognition import Recognition
from pellucid.report.leakage import Suspect
from pellucid.report.leakage_score import Screening, with_suspects_left_out
from pellucid.report.ordinal import OrderEvidence, ordered_task
from pellucid.report.outcome import Role, Task
from pellucid.report.structure import NONE, RowStructure, StructureOptions, find_structure
from pellucid.report.task import find_task, with_classes, with_robust_measure
from pellucid.report.thresholds import DecisionOptions, check_options
from pellucid.report.without_target import recognized_task

MOST_PAIRED = 500  # columns, up to which every two are compared


@dataclass(frozen=True)
class StudyConfig:
    """What the user asked for, beyond the table.

    target, task, measure : what to predict, the kind of task, and the metric of the comparison; recognized by default
    minutes : about how long it may take
    seed : of everything that is drawn
    drop : columns to leave out
    group, time : the columns that say which rows belong together and when a row was recorded; "none" if neither is
        to be looked for, None to look for it
    parts : columns of a table of interactions that the user named: ("basket", NAME), ("item", NAME), ...
    decision : how rows of two classes are decided
    """

    target: str | None = None
    task: str | None = None
    measure: str | None = None
    minutes: float = 1.0
    seed: int = 0
    drop: tuple[str, ...] = ()
    group: str | None = None
    time: str | None = None
    parts: tuple[tuple[str, str], ...] = ()
    keep: tuple[str, ...] = ()  # columns to use even if they may be known only after the target
    decision: DecisionOptions = field(default_factory=DecisionOptions)


@dataclass(frozen=True)
class Opened:
    """A table as it was read: its values by column, its profile, and the task that it poses.

    recognition : what a table without a target was recognized as; None for an ordinary table
    """

    taken: Dataset
    look: TableStats
    described: Profile
    task: Task
    recognition: Recognition | None = None


def open_table(
    data: Any, config: StudyConfig, connect: str | None, tell: ProgressCallback, *, associations: bool
) -> Opened:
    """Reads a table and describes it.

    Parameters
    ----------
    associations : whether the profile also compares columns with each other and with the target
    """
    tell("reading the table", 0.0)
    may_be_baskets = config.target is None and not config.parts and config.task in (None, "baskets")
    dataset = load_dataset(data, connect, basket_lines="recognized" if may_be_baskets else "never")
    _check_columns(dataset, config)
    tell("describing and checking the table", 0.01)
    target = config.target if config.target in names_of(dataset.table) else None
    stats = compute_stats(with_exact_types(dataset.table), "report", target, effective_threads(None))
    described = profile(stats, associations=False)
    task = find_task(described, config.target, config.task, config.measure)
    if task.target is None:
        recognized = recognized_task(data, dataset, stats, task, config)
        if recognized is not None:
            return Opened(recognized.taken, recognized.look, described, recognized.task, recognized.recognition)
    if associations:
        described = profile(stats, target=config.target, associations=len(stats.columns) <= MOST_PAIRED)
        if task.kind == "several classes" and described[str(task.target)].is_number:
            described = replace(described, with_target=associated_with_classes(stats, str(task.target)))
    return Opened(dataset, stats, described, task)


def _check_columns(dataset: Dataset, config: StudyConfig) -> None:
    names = names_of(dataset.table)
    requested = [
        *config.drop,
        *config.keep,
        *(name for name in (config.group, config.time) if name not in (None, NONE)),
    ]
    unknown = [name for name in requested if name not in names]
    if unknown:
        actual = f"there is no {join_some(map(repr, unknown))}; there are {join_some(map(repr, names), 12)}"
        raise ParameterError(format_message("report", "columns that are named must be in the table", actual=actual))


@dataclass(frozen=True)
class PreparedData:
    """A table ready for models: cleaned, its columns sorted by role, its rows parted."""

    table: Any
    y: Array
    columns: Columns
    roles: tuple[Role, ...]
    task: Task
    findings: Findings
    log: ChangeLog
    structure: RowStructure
    parting: HoldoutSplit
    size: Size
    cleaning: list[tuple[str, Any]]  # steps that do to new rows what was done to these; none where nothing was
    suspects: tuple[Suspect, ...]  # columns that may be known only after the target, which models do not see
    with_suspects: Columns  # all columns, these included
    source_rows: Array  # where in the source the rows of the table stand

    @property
    def for_classes(self) -> bool:
        return self.task.kind != "number"

    @property
    def split_structure(self) -> RowStructure:
        """The structure that the split follows, and the folds with it."""
        split, structure = self.parting, self.structure
        return replace(
            structure,
            times=structure.times if split.in_time else None,
            groups=structure.groups if split.grouped else None,
        )

    def seen(self, rows: Array) -> Any:
        """The columns that models see, of some rows."""
        return take_rows(take_columns(self.table, self.columns.used), rows)


def prepare(opened: Opened, config: StudyConfig, tell: ProgressCallback) -> PreparedData:
    """Checks and cleans a table, and splits its rows."""
    dataset, stats, task = opened.taken, opened.look, opened.task
    target = str(task.target)
    check_findings = check(stats, target=target)
    if task.kind == "number":  # a rare number of things is no rare class
        check_findings = Findings(
            [finding for finding in check_findings if finding.check != "imbalance"],
            check_findings.n_rows,
            check_findings.names,
        )
    findings = Findings([*dataset.findings, *check_findings], n_rows_of(dataset.table), names_of(dataset.table))
    tell("cleaning", 0.03)
    stats.forget()  # codes and values of every column, while models need the memory
    cleaner = report_cleaner(dataset.table, target, check_findings)
    cleaned = cleaner.clean(dataset.table)
    rows, left_out = rows_with_target(cleaned.table, target, task.kind == "number")
    if left_out is not None:
        findings = Findings([left_out, *findings], findings.n_rows, findings.names)
    table = take_rows(cleaned.table, rows)
    source_rows = np.delete(np.arange(n_rows_of(dataset.table)), cleaned.log.rows_dropped)[rows]
    y = column_of(table, target)
    if task.kind != "number":
        y = _labels(y)
        task = with_classes(task, y, config.decision.positive)
    else:
        y = np.asarray(y, dtype=np.float64)
    check_options(task, config.decision)
    again = profile(table, associations=False) if len(cleaned.log) else opened.described
    for_classes = task.kind != "number"
    structure = find_structure(table, y, for_classes, target, StructureOptions(config.time, config.group), config.drop)
    split = split_holdout(y, for_classes, structure, config.seed)
    if not for_classes and config.measure is None:
        task = with_robust_measure(task, y[split.train])
    roles = _without_marks(roles_of(again, target, config.drop), structure, split, config.drop)
    screening = Screening(table, y, task, roles, again, structure, split, config.seed)
    suspects = screening.suspects(config.keep)
    structure = replace(structure, notes=(*structure.notes, *screening.notes(suspects)))
    with_suspects = screening.columns_of(roles)
    roles = with_suspects_left_out(roles, suspects)
    columns = screening.columns_of(roles)
    if not columns.used:
        problem = "every column was left out" if roles else "the table has no column but the target"
        raise ParameterError(
            format_message("report", "there must be columns to learn from", actual=problem, hint=_why_left(roles))
        )
    if task.kind == "several classes" and config.task is None:
        task = ordered_task(
            task, opened.described, OrderEvidence(table, columns.numbers, y, split.train), config.measure
        )
    size = _size(len(split.train), columns, again, task)
    later = cleaning_steps(cleaner.remedies_, take_columns(dataset.table, columns.used))
    return PreparedData(
        table, y, columns, roles, task, findings, cleaned.log, structure, split, size, later, suspects, with_suspects,
        source_rows,
    )  # fmt: skip


def _size(rows: int, columns: Columns, described: Profile, task: Task) -> Size:
    """What the costs of models depend on. Few of a text's words are in any row, and few of all words split rows."""
    names = set(columns.named)
    words = sum(min(column.distinct, MOST_ONE_HOT) for column in described.columns if str(column.name) in names)
    width = len(columns.numbers) + len(columns.gaps) + 4 * len(columns.times) + words
    width += (MOST_WORDS // 50) * len(columns.texts)
    split = (MOST_WORDS // 8) * len(columns.texts) if columns.only_texts else len(columns.used)
    return Size(rows, split, width, max(1, len(task.classes)))


def _labels(y: Array) -> Array:
    """Classes as words or whole numbers: numbers with decimals are words."""
    if y.dtype.kind == "O":
        return y.astype(str)
    if y.dtype.kind != "f":
        return y
    return y.astype(int) if (y == np.floor(y)).all() else y.astype(str)


def _why_left(roles: Sequence[Role]) -> str:
    return "; ".join(f"{role.column}: {role.why}" for role in roles[:3])


def _without_marks(
    roles: Sequence[Role], structure: RowStructure, split: HoldoutSplit, drop: Sequence[str]
) -> tuple[Role, ...]:
    """The roles, with the columns left out that say when a row was recorded or to which group it belongs. Groups that
    go on in time, such as stores, are known when later rows are predicted: they are categories."""
    if split.in_time and not split.grouped and structure.groups is not None and len(structure.group_columns) == 1:
        is_category = int(structure.groups.max()) + 1 <= MOST_LEVELS and structure.group_part is None
        recurring = Role(structure.group_columns[0], "category", "it recurs in later rows")
        roles = [recurring if is_category and role.column == recurring.column else role for role in roles]
    written = "taken apart into its parts, where these vary: times written as text"
    taken_apart = set(structure.time_formats) - set(drop)
    roles = [Role(role.column, "time", written) if role.column in taken_apart else role for role in roles]
    reasons = structure.not_features | (structure.not_group_features if split.grouped else {})
    marks = {role.column for role in roles if role.column in reasons and role.role != "time"}
    if all(role.role == "left out" or role.column in marks for role in roles):
        # A series of one column: a trend along its time is all that there is to learn.
        marks -= {role.column for role in roles if role.role == "number" and role.column in structure.not_features}
        why = "it says when a row was recorded, but no other column is left"
        roles = [
            replace(role, why=why) if role.role == "number" and role.column in structure.not_features else role
            for role in roles
        ]
    return tuple(
        Role(role.column, "left out", reasons[role.column]) if role.column in marks else role for role in roles
    )
