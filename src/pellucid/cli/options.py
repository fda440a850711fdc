"""What a user chose on the command line, where it takes several options to say it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class SqlOptions:
    """Of an exported query: the table that it reads, the dialect, and the columns that identify its rows."""

    table: str = "data"
    dialect: str = "sqlite"
    key: tuple[str, ...] = ()


@dataclass(frozen=True)
class DecisionChoice:
    """How rows of two classes are to be decided: the fields of `pellucid.report.thresholds.DecisionOptions`."""

    threshold: str | None = None
    cost_fp: float | None = None
    cost_fn: float | None = None
    positive: str | None = None

    @property
    def is_given(self) -> bool:
        """Did the user choose any of these?"""
        return self != DecisionChoice()


@dataclass(frozen=True)
class StudyOptions:
    """What report, compare and train have in common: the table, its target, and how its rows are used.

    connect : the database of a query
    drop, keep : columns to leave out, and columns to use although they may be known only after the target
    group, time : columns that say which rows belong together and when a row was recorded
    """

    target: str | None
    task: str | None = None
    measure: str | None = None
    minutes: float = 1.0
    drop: tuple[str, ...] = ()
    group: str | None = None
    time: str | None = None
    keep: tuple[str, ...] = ()
    connect: str | None = None
    seed: int = 0
    as_json: bool = False
    decision: DecisionChoice = field(default_factory=DecisionChoice)
