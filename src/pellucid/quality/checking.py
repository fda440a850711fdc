"""A table looked through for what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np

from pellucid.base.errors import ParameterError, format_message, join_some
from pellucid.base.threads import effective_threads
from pellucid.quality.checks.registry import Check, all_checks
from pellucid.quality.column import TableStats, code_together, compute_stats
from pellucid.quality.findings import Finding, Findings
from pellucid.quality.rules import Rule
from pellucid.quality.selection import with_needs

__all__ = ["check", "list_checks"]

Own = Callable[[TableStats], list[Finding]]


def check(
    table: Any,
    *,
    target: Any = None,
    rules: Iterable[Rule] = (),
    checks: Sequence[str | Own] | Mapping[str, Mapping[str, Any]] | None = None,
    ignore: Iterable[str | tuple[str, Any]] = (),
    n_jobs: int | None = None,
) -> Findings:
    """What is wrong with a table: found without being told what to look for, and by rules of your own.

    Every check reads the table once and points at cells: text where numbers belong, several formats in one column,
    words that stand for nothing, impossible and far-out values, misspellings, repeated keys, rows that break what
    all others keep (city and state, price times quantity), columns that give the target away, and more. A finding is
    an *error* where cells are wrong, a *warning* where they are suspicious, a *note* where there is something to know;
    it comes with a remedy for `Cleaner` where there is one.

    Parameters
    ----------
    table : a dataframe, a NumPy array or a list of rows.
    target : the name of the column to be predicted, for leakage and imbalance; None if there is none.
    rules : what must hold in any case: a list of `Rule`.
    checks : the names of the checks to run, or a dict from names to their limits, to run all with some limits changed,
        as in ``{"outliers": {"fence": 5}}``; a function of yours from a `Look` to findings may stand in the list. None
        runs all. ``list_checks()`` lists names, meanings and limits.
    ignore : names of checks to leave out, or pairs of a check and a column.
    n_jobs : threads for coding the columns.

    Returns
    -------
    Findings
        The gravest first.

    Examples
    --------
    >>> table = [["12 oz", 5.0], ["16 oz", 7.0], ["N/A", 5.5], ["12 oz", 6.0], ["16 oz", 5.1], ["12 oz", 5.2]]
    >>> for finding in check(table, checks=["placeholders"]):
    ...     print(finding)
    warning x0: 'N/A' seems to stand for a missing value among numbers (row 2)
        medium confidence, --apply to_missing:x0: to_missing('x0', values=['N/A'])
    """
    who = "check"
    selected = _chosen(checks, who)
    left_out, pairs = _ignored(ignore, who)
    threads = effective_threads(n_jobs)
    stats = compute_stats(table, who, target, threads)
    if checks is None or isinstance(checks, Mapping):
        code_together(stats.columns, threads)
    findings: list[Finding] = []
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # numbers near the largest overflow on the way
        for run in [run for name, run in selected if name not in left_out]:
            findings += run(stats)
    for rule in rules:
        if not isinstance(rule, Rule):
            raise ParameterError(
                format_message(who, "rules must be a list of Rule", actual=f"got {type(rule).__name__}")
            )
        findings += rule.findings(stats)
    reported = [finding for finding in findings if not any((finding.check, name) in pairs for name in finding.columns)]
    return Findings(with_needs(reported), stats.n_rows, [column.name for column in stats])


def _run_of(check: Check, settings: Mapping[str, Any]) -> Own:
    return lambda stats: check.run(stats, dict(settings))


def _chosen(checks: Any, who: str) -> list[tuple[str, Own]]:
    """The checks to run under their names."""
    available = all_checks()
    if checks is None or isinstance(checks, Mapping):
        settings = dict(checks or {})
        _refuse_unknown(settings, available, who)
        for name, limits in settings.items():
            wrong = sorted(set(limits) - set(available[name].limits))
            if wrong:
                requirement = f"the limits of {name!r} are {join_some(map(repr, available[name].limits)) or 'none'}"
                raise ParameterError(format_message(who, requirement, actual=f"got {join_some(map(repr, wrong))}"))
        return [(name, _run_of(check, settings.get(name, {}))) for name, check in available.items()]
    listed = [checks] if isinstance(checks, str) or callable(checks) else list(checks)
    _refuse_unknown([name for name in listed if not callable(name)], available, who)
    return [
        (getattr(item, "__name__", "own"), item) if callable(item) else (item, _run_of(available[item], {}))
        for item in listed
    ]


def _ignored(ignore: Any, who: str) -> tuple[set[str], set[tuple[str, Any]]]:
    listed = [ignore] if isinstance(ignore, str) else list(ignore)
    names = {item for item in listed if isinstance(item, str)}
    pairs = {tuple(item) for item in listed if not isinstance(item, str)}
    _refuse_unknown([*names, *(pair[0] for pair in pairs)], all_checks(), who)
    return names, pairs


def _refuse_unknown(names: Iterable[Any], available: Mapping[str, Check], who: str) -> None:
    for name in names:
        if name not in available:
            near = get_close_matches(str(name), available, n=1)
            hint = f"did you mean {near[0]!r}" if near else "list_checks() lists them"
            raise ParameterError(
                format_message(who, "checks must be known by name", actual=f"there is no {name!r}", hint=hint)
            )


def list_checks() -> dict[str, str]:
    """The names of all checks with what each looks for and its limits.

    >>> list_checks()["text_flags"]
    'True and false written in several ways in one column: yes, ja, 1, Y.'
    """
    descriptions = {}
    for name, check in all_checks().items():
        limits = ", ".join(f"{key}={value!r}" for key, value in check.limits.items())
        descriptions[name] = check.about + (f" ({limits})" if limits else "")
    return descriptions
