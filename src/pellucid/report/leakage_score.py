"""The search for columns that may be known only after the target, and the scores with and without them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from pellucid import metrics
from pellucid.base.errors import join_some
from pellucid.base.types import Array
from pellucid.data.slices import take_columns, take_rows
from pellucid.quality import Profile
from pellucid.report.candidates import candidate_models
from pellucid.report.columns import Columns, columns_of, with_names_apart
from pellucid.report.holdout_split import HoldoutSplit, folds_of, sample
from pellucid.report.leakage import Search, Suspect, find_suspects, suspected_columns, unsuspected_notes
from pellucid.report.outcome import Leak, MetricValue, Role, Task
from pellucid.report.page_text import figures
from pellucid.report.structure import RowStructure

MOST_ROWS = 4000  # of the quick model
MOST_CELLS = 200_000


@dataclass(frozen=True)
class Screening:
    """A table whose columns are screened.

    table, y, task : the table, its target and the task
    roles, profile : of its columns
    structure, parting : how its rows depend on each other, and how they were split
    seed : of the quick model
    """

    table: Any
    y: Array
    task: Task
    roles: tuple[Role, ...]
    profile: Profile
    structure: RowStructure
    parting: HoldoutSplit
    seed: int

    @property
    def for_classes(self) -> bool:
        return self.task.kind != "number"

    def columns_of(self, roles: Sequence[Role]) -> Columns:
        """The columns by role, with the formats of times that are stored as text."""
        columns = columns_of(roles, self.profile)
        known = {**self.structure.time_formats, **dict(columns.formats)}
        formats = tuple((name, known[name]) for name in columns.times if name in known)
        return with_names_apart(replace(columns, formats=formats), self.table)

    def suspects(self, keep: Sequence[str]) -> tuple[Suspect, ...]:
        """Columns that models should not see unless the user says so."""
        return find_suspects(self._search, keep)

    def notes(self, suspects: Sequence[Suspect]) -> tuple[str, ...]:
        """What the page says about columns that are no suspects but tell a lot."""
        return unsuspected_notes(self._search, suspects)

    @property
    def _search(self) -> Search:
        names, target = self.columns_of(self.roles).used, str(self.task.target)
        return Search(self.table, self.y, self.for_classes, target, names, self._structure, self.gain_of)

    @property
    def _structure(self) -> RowStructure:
        return self.structure if self.parting.in_time else replace(self.structure, times=None)

    def gain_of(self, names: Sequence[str]) -> float:
        """How far boosted trees on these columns get from guessing (0) to knowing (1), on one fold of training rows."""
        roles = [role for role in self.roles if role.column in names]
        columns = self.columns_of(roles)
        if not columns.used:
            return 0.0
        wanted = "linear" if columns.only_texts else "boosting"
        spec = next(one for one in candidate_models(self.for_classes, columns)[0] if one.name == wanted)
        train = self.parting.train
        n_rows = min(MOST_ROWS, max(500, MOST_CELLS // len(columns.used)))
        rows = train[sample(self.y[train], n_rows, self.for_classes, False, self.seed)]
        structure = self._structure.of(rows)
        if not self.parting.grouped:
            structure = replace(structure, groups=None)
        learn, test = folds_of(self.y[rows], self.for_classes, structure, self.seed)[-1]
        X = take_columns(self.table, columns.used)
        model = spec.model(self.for_classes, self.seed, columns)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the models of the comparison say what there is to say
            model.fit(take_rows(X, rows[learn]), self.y[rows[learn]])
        return _gain(model, take_rows(X, rows[test]), self.y[rows[test]], self.for_classes)


def _gain(model: Any, X: Any, y: Array, for_classes: bool) -> float:
    """R² of numbers, 2 AUC - 1 of two classes, balanced accuracy above chance of several."""
    if not for_classes:
        return float(metrics.r2_score(y, model.predict(X)))
    labels = model.classes_
    if len(labels) == 2 and len(np.unique(y)) == 2 and hasattr(model, "predict_proba"):
        return 2 * float(metrics.roc_auc_score(y == labels[1], model.predict_proba(X)[:, 1])) - 1
    present = np.unique(y)
    predicted = np.asarray(model.predict(X))
    recall = np.mean([(predicted[y == label] == label).mean() for label in present])
    return float((recall - 1 / len(labels)) / (1 - 1 / len(labels)))


def with_suspects_left_out(roles: Sequence[Role], suspects: Sequence[Suspect]) -> tuple[Role, ...]:
    """The roles, with the suspects left out."""
    reasons = {name: suspect.reason for suspect in suspects for name in suspect.columns}
    return tuple(
        Role(role.column, "left out", f"may be known only after the target: {reasons[role.column]}")
        if role.column in reasons
        else role
        for role in roles
    )


@dataclass(frozen=True)
class SuspectTrial:
    """What is needed to score the chosen model with the suspects.

    model : unfitted, for all columns; columns : all of them, the suspects included
    train, held : positions of the rows to fit on and to score on
    """

    model: Any
    columns: Columns
    train: Array
    held: Array


def leaks_of(suspects: Sequence[Suspect], honest: MetricValue, dishonest: MetricValue) -> tuple[Leak, ...]:
    """Each suspect with the first score on the held-out rows, with all suspects and without them."""
    return tuple(
        Leak(suspect.columns, suspect.reason, honest.word, with_columns=dishonest.value, without_columns=honest.value)
        for suspect in suspects
    )


def refit(trial: SuspectTrial, table: Any, y: Array) -> tuple[Any, Any]:
    """The model with the suspects, fitted on the training rows, and what it sees of the held-out rows."""
    X = take_columns(table, trial.columns.used)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a column that gives the target away is what this fit is about
        fitted = clone(trial.model).fit(take_rows(X, trial.train), y[trial.train])
    return fitted, take_rows(X, trial.held)


def leak_sentences(leaks: Sequence[Leak], target: str | None) -> tuple[str, ...]:
    """What was left out, what that costs, and how to take it back."""
    if not leaks:
        return ()
    first, one = leaks[0], len(_names(leaks)) == 1
    without, with_them = figures([first.without_columns, first.with_columns])
    return (
        *_left_out(leaks, target),
        f"On the same held-out rows the {first.metric} is {without} without {'this column' if one else 'these columns'}"
        f" and {with_them} with {'it' if one else 'them'}. The honest score is the one without; {_how_to_keep(leaks)}",
    )


def leaks_in_headline(leaks: Sequence[Leak], target: str | None) -> str:
    """Which columns the score does without."""
    names = _names(leaks)
    return f"This is without {join_some(names, 3)}, which may be known only after {target}." if names else ""


def suspect_sentences(suspects: Sequence[Suspect], target: str | None) -> list[str]:
    """What was left out, why, and how to take it back; without scores."""
    how = _how_to_keep(suspects)
    return [*_left_out(suspects, target), how[0].upper() + how[1:]] if suspects else []


def _left_out(suspects: Sequence[Suspect | Leak], target: str | None) -> list[str]:
    return [
        f"{_quoted(one.columns)} may be known only after {target!r}: {one.reason}. "
        f"{'It was' if len(one.columns) == 1 else 'They were'} left out."
        for one in suspects
    ]


def _how_to_keep(suspects: Sequence[Suspect | Leak]) -> str:
    names = _names(suspects)
    columns = "the column is" if len(names) == 1 else "the columns are"
    return (
        f"if {columns} known when a prediction is wanted, use {' '.join(f'--keep {_shell(name)}' for name in names)}."
    )


def _names(suspects: Sequence[Suspect | Leak]) -> tuple[str, ...]:
    return tuple(suspected_columns([Suspect(one.columns, one.reason) for one in suspects]))


def _quoted(names: Sequence[str]) -> str:
    quoted = [repr(name) for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"


def _shell(name: str) -> str:
    return name if name.replace("_", "").replace("-", "").isalnum() else f'"{name}"'
