"""Remedies applied to a table, with a log of everything that they change."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np

from pellucid.base.declare import param
from pellucid.base.errors import DataError, format_message, short_repr
from pellucid.base.types import Array
from pellucid.data.design import Design, InputSpec
from pellucid.data.table import Table
from pellucid.data.target import read_target
from pellucid.estimator.roles import Transformer
from pellucid.estimator.trace import Trace
from pellucid.quality.actions import ACTIONS, TYPES, State, check_remedy
from pellucid.quality.checking import check
from pellucid.quality.findings import Finding, Findings, Fix
from pellucid.quality.log import ChangeLog
from pellucid.quality.lossless import text_changes, type_changes
from pellucid.quality.selection import Selection, check_actions

__all__ = ["Cleaned", "Cleaner"]


@dataclass(frozen=True)
class Cleaned:
    """A cleaned table and how it came about.

    table : the cleaned table, in the library of the original
    y : the target of the rows that are left, where one was passed
    rows : positions in the original of the rows that are left
    log : every change
    """

    table: Any
    y: Any
    rows: Array
    log: ChangeLog


def _leaks(fix: Fix, target: Any) -> bool:
    """Does a remedy work out the target from other columns, or another column from the target?"""
    if target is None or fix.action not in ("fill_from", "by_group", "extract_value", "impute"):
        return False
    used = [fix.settings.get("key"), *fix.settings.get("of", ())]
    return target in fix.columns or target in used


def _check_remedies(value: Any) -> str | None:
    if isinstance(value, str):
        return None if value == "suggested" else f"remedies must be 'suggested' or a list of Fix; got {value!r}"
    listed = isinstance(value, Findings) or (
        isinstance(value, Iterable) and all(isinstance(item, Fix | Finding) for item in value)
    )
    return None if listed else f"remedies must be 'suggested', findings, or a list of Fix; got {short_repr(value)}"


class Cleaner(Transformer):
    """Cleans a table without harming it, and logs every change.

    By default, only lossless changes are made: blanks around texts are removed, letters that were certainly read in the
    wrong encoding are repaired, cells that hold only blanks or a marker in ``missing`` become missing, and a column of
    text gets a type if every text converts and converts back. No valid value is replaced by another one, no row is
    dropped, and nothing is guessed.

    Everything else that `check` finds is a suggestion with a name, such as "merge_values:City", and a confidence.
    ``actions`` says which of them are applied. Suggestions are applied in stages, text first, then types, then what
    depends on other columns, then rows; after each stage the table is checked again. ``fit`` learns from a table which
    remedies there are and what they fill in; ``clean`` applies them to this or another table and returns the cleaned
    table with its log; ``transform`` does the same but keeps every row, so that it can stand in a pipeline. The given
    table is never written to.

    `ChangeLog.replay` makes the same changes again on the original and gives the cleaned table, cell by cell.

    Attributes
    ----------
    remedies_ : list of Fix
        What is applied, with everything that was learned among the settings: ``Cleaner(remedies=c.remedies_)`` does the
        same.
    findings_ : Findings or None
        What was found in the table of ``fit``, before anything was done; None where no suggestion is applied, so that
        the table was not checked.
    log_ : ChangeLog
        What ``clean`` changes in the table of ``fit``.
    stored_kinds_ : list of str
        How the table of ``fit`` stores each column: "number", "flag", "category", "ordered", "text" or "time".

    Examples
    --------
    >>> from pellucid.quality import Cleaner, Fix
    >>> cleaner = Cleaner(remedies=[Fix("trim", ("x0",)), Fix("to_missing", ("x1",), {"values": [-999]})])
    >>> cleaner.fit_transform([[" a", 4], ["b", -999]]).tolist()
    [['a', 4], ['b', None]]
    >>> print(cleaner.log_)
    2 cells changed, 0 rows of 2 dropped
      1. x0: 1 cell changed, e.g. row 0: ' a' -> 'a'; chosen
      2. x1: 1 cell changed, e.g. row 1: -999 -> missing; chosen
    """

    remedies: Any = param(
        default="suggested",
        check=_check_remedies,
        doc="'suggested' for those that `check` suggests, or findings, or a list of `Fix` in the order of use.",
    )
    actions: Any = param(
        default="lossless",
        check=check_actions,
        doc="'lossless' for changes that lose nothing; 'suggested' to apply suggestions that make values missing, "
        "merge spellings, convert units, fill in what follows from other columns and drop repeated rows of a table "
        "with a key; 'all' for every suggestion; or a list of actions ('merge_values'), suggestions "
        "('merge_values:City') and remedies. Lossless changes come first in any case.",
    )
    confidence: Literal["high", "medium", "low"] = param(
        default="medium",
        doc="Suggestions that are not named with their column are applied from this confidence on.",
    )
    missing: Any = param(
        default=(), doc="Markers that mean missing wherever a cell holds one of them, such as ['NA', '-999']."
    )
    rules: Any = param(default=(), doc="Rules of yours, a list of `Rule`, for `check`.")
    target: Any = param(
        default=None,
        doc="Name of the column that is the target, for `check`. What is suggested never fills in the target from "
        "other columns, nor another column from the target.",
    )
    n_jobs: int | None = param(
        default=None, doc="Threads: None or -1 for all available cores. Their number changes no bit of the result."
    )

    input_spec = InputSpec(raw=True, missing=True, categories=True, check_finite="never")

    def _fit(self, d: Design, trace: Trace) -> None:
        state = State.of(d.table, d.who)
        self.stored_kinds_ = [str(kind) for kind in d.table.kinds]
        findings: Findings | None = self.__dict__.get("_known")
        suggests = isinstance(self.remedies, str) and not self._selection.is_empty
        self.findings_: Findings | None = self._check(d.table) if findings is None and suggests else findings
        if isinstance(self.remedies, str):
            self.remedies_: list[Fix] = self._suggested(state)
        else:
            self.remedies_ = self._chosen(state)
        self._names_out_ = list(state.names)
        self.log_ = ChangeLog(state.changes, d.n_rows, State.of(d.table, d.who).names, state.names)

    def fit_findings(self, X: Any, found: Findings) -> Self:
        """Like ``fit``, with what `check` found in the table before, so that it is not looked through again.

        Parameters
        ----------
        X : a table
        found : what ``check(X, target=..., rules=...)`` gave, with the target and the rules of this cleaner

        Examples
        --------
        >>> from pellucid.quality import check
        >>> table = [["12 oz", 5.0], ["16 oz", 7.0], ["N/A", 5.5], ["12 oz", 6.0], ["16 oz", 5.1], ["12 oz", 5.2]]
        >>> Cleaner().fit_findings(table, check(table)).remedies_ == Cleaner().fit(table).remedies_
        True
        """
        self.__dict__["_known"] = found
        try:
            fitted: Self = self.fit(X)
            return fitted
        finally:
            del self.__dict__["_known"]

    def _check(self, table: Any) -> Findings:
        return check(table, target=self.target, rules=self.rules, n_jobs=self.n_jobs)

    def _chosen(self, state: State) -> list[Fix]:
        applied: list[Fix] = []
        for item in self.remedies:
            fix = item.fix if isinstance(item, Finding) else item
            if fix is not None:
                why = item.explanation if isinstance(item, Finding) else "chosen"
                applied += _apply(state, fix, why)
        return applied

    @property
    def _selection(self) -> Selection:
        return Selection.of(self.actions, self.confidence)

    def _suggested(self, state: State) -> list[Fix]:
        """Lossless changes, and stage by stage what is wanted of the suggestions for the table as it stands."""
        selection = self._selection
        applied = _apply_all(state, text_changes(state, self.missing))
        applied += _apply_all(state, type_changes(state))
        findings, n_checked = self.findings_, 0
        selection = selection.with_conversions(findings or ())
        for stage in selection.stages:
            for fix in selection.remedies:
                if ACTIONS[fix.action].stage == stage:
                    applied += _apply(state, fix, "chosen")
            if len(state.changes) > n_checked and not selection.is_empty:
                findings, n_checked = self._check(state.now()), len(state.changes)
            for finding in findings or ():
                if finding.fix is not None and ACTIONS[finding.fix.action].stage == stage:
                    applied += self._applied_suggestion(state, finding, selection)
            if stage < TYPES:
                applied += _apply_all(state, type_changes(state))
        return applied

    def _applied_suggestion(self, state: State, finding: Finding, selection: Selection) -> list[Fix]:
        fix = finding.fix
        if fix is None or not selection.wants(finding) or _leaks(fix, self.target):
            return []
        if not set(fix.columns) <= set(state.names):
            return []
        return _apply(state, fix, finding.explanation)

    def clean(self, X: Any, y: Any = None) -> Cleaned:
        """Applies every remedy to a table, rows dropped included.

        Parameters
        ----------
        X : a table with the columns that `fit` saw
        y : target of the rows, optional; it loses the rows that the table loses

        Returns
        -------
        Cleaned : the table, the target, the rows that are left and the log
        """
        d = self._validate_predict(X)
        state = self._applied(d.table, keep_rows=False)
        log = ChangeLog(state.changes, d.n_rows, State.of(d.table, d.who).names, state.names)
        return Cleaned(state.now(), self._rows_of(y, state.rows, d), state.rows, log)

    def _rows_of(self, y: Any, rows: Array, d: Design) -> Any:
        if y is None:
            return None
        read = read_target(y, d.who)
        if len(read) != d.n_rows:
            raise DataError(
                format_message(
                    d.who, "X and y must have the same number of rows", actual=f"got {d.n_rows} and {len(read)}"
                )
            )
        if len(rows) == d.n_rows:
            return y
        return y.iloc[rows] if hasattr(y, "iloc") else y[rows] if hasattr(y, "dtype") else read[rows]

    def _transform(self, d: Design) -> Any:
        return self._applied(d.table, keep_rows=True).now()

    def _applied(self, table: Table, keep_rows: bool) -> State:
        state = State.of(table, type(self).__name__)
        for fix in self.remedies_:
            if ACTIONS[fix.action].keeps_rows or not keep_rows:
                _apply(state, fix, self._reason(fix))
        return state

    def _reason(self, fix: Fix) -> str:
        """Why a remedy is applied, as the log of fit has it."""
        return next((change.why for change in self.log_ if change.fix == fix), "chosen")

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The names of the columns that are left, and of the new ones.

        Parameters
        ----------
        input_features : names of the columns, optional
            Those of the fitted table, or x0, x1, ... unless told.
        """
        self._check_fitted()
        names = self._names_in(input_features)
        renamed = dict(zip(self._names_in(None), names, strict=True))
        return np.array([renamed.get(str(name), str(name)) for name in self._names_out_], dtype=object)

    # ------------------------------------------------------------------------------------------------------- in a file

    def save_remedies(self, path: str | Path) -> None:
        """Writes the remedies to a file of JSON, for `load_remedies`. Reading it runs no code."""
        self._check_fitted()
        remedies = [fix.to_dict() for fix in self.remedies_]
        Path(path).write_text(json.dumps(remedies, ensure_ascii=False, indent=1, default=str), encoding="utf-8")

    @classmethod
    def load_remedies(cls, path: str | Path) -> Self:
        """A cleaner, not yet fitted, with the remedies of a file that `save_remedies` wrote."""
        entries = json.loads(Path(path).read_text(encoding="utf-8"))
        return cls(remedies=[Fix.from_dict(entry) for entry in entries])


def _apply_all(state: State, proposals: Iterable[tuple[Fix, str]]) -> list[Fix]:
    return [applied for fix, why in proposals for applied in _apply(state, fix, why)]


def _apply(state: State, fix: Fix, why: str) -> list[Fix]:
    """Applies a remedy, once what it has to learn is learned; what was applied comes back."""
    check_remedy(fix, state.names, state.who)
    action = ACTIONS[fix.action]
    each = [Fix(fix.action, (name,), fix.settings) for name in fix.columns]
    settled = [fix] if action.settle is None else [action.settle(state, remedy) for remedy in each]
    state.why = why
    for remedy in settled:
        state.step += 1
        action.apply(state, remedy)
    return settled
