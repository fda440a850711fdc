"""Tables: what is wrong with them, and mending it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from pellucid.cli.out import WORSE, guarded, progress, say, say_json

SHOWN = 60  # findings
SHOWN_SUGGESTIONS = 20


def _taken(data: str, connect: str | None) -> Any:
    from pellucid.report.dataset import load_dataset

    return load_dataset(data, connect, fingerprint=False)


def run_quality(
    data: str,
    target: str | None,
    html: Path | None,
    fail_on: str | None,
    connect: str | None,
    as_json: bool,
    suggest: Path | None = None,
) -> None:
    """`pellucid quality`."""
    with guarded():
        from pellucid.base.errors import ParameterError, format_message
        from pellucid.base.threads import effective_threads
        from pellucid.quality import Findings, check, profile
        from pellucid.quality.column import compute_stats

        if fail_on not in (None, "error", "warning"):
            raise ParameterError(
                format_message("quality", "--fail-on must be error or warning", actual=f"got {fail_on!r}")
            )
        with progress(as_json) as tell:
            tell("reading", 0.0)
            dataset = _taken(data, connect)
            if target is not None and target not in dataset.table.columns:
                raise ParameterError(
                    format_message("quality", "the target must be a column", actual=f"there is no {target!r}")
                )
            tell("describing", 0.3)
            stats = compute_stats(dataset.table, "quality", target, effective_threads(None))
            described = profile(stats, target=target)
            tell("checking", 0.6)
            result = check(stats, target=target)
        findings = Findings([*dataset.findings, *result], result.n_rows, result.names)
        if html is not None:
            described.to_html(html)
        if suggest is not None:
            _write_suggestions(dataset.table, target, suggest)
        if as_json:
            say_json(
                {"source": dataset.source, "profile": described.to_dict(), "findings": list(map(_finding, findings))}
            )
        else:
            say(described)
            say()
            say(f"{len(findings)} findings" if len(findings) != 1 else "1 finding", "bold")
            for finding in findings[:SHOWN]:
                say(finding, {"error": "red", "warning": "yellow"}.get(finding.severity, ""))
            if len(findings) > SHOWN:
                say(f"... and {len(findings) - SHOWN} more: --json has them all")
            if any(finding.suggestion for finding in findings):
                say(f"To apply a suggestion: pellucid clean {shlex.quote(data)} --out OUT --apply NAME")
            if html is not None:
                say(f"The profile is in {html}", "green")
            if suggest is not None:
                say(f"The suggestions are in {suggest}: mark those that are right, then use --fixes", "green")
        grave = {"error": ("error",), "warning": ("error", "warning")}.get(fail_on or "", ())
        if any(finding.severity in grave for finding in findings):
            raise typer.Exit(WORSE)


def _write_suggestions(table: Any, target: str | None, path: Path) -> None:
    """The suggestions that are left once the table was cleaned without loss, as `pellucid clean --fixes` takes them."""
    from pellucid.quality import Cleaner, check
    from pellucid.quality.fixes import write_fixes

    write_fixes(check(Cleaner(target=target).fit(table).clean(table).table, target=target), path)


def _finding(finding: Any) -> dict[str, Any]:
    fix = None if finding.fix is None else finding.fix.to_dict()
    return {
        "check": finding.check,
        "severity": finding.severity,
        "columns": list(map(str, finding.columns)),
        "rows": finding.rows.tolist(),
        "explanation": finding.explanation,
        "remedy": fix,
        "suggestion": finding.suggestion,
        "confidence": finding.confidence,
    }


def _refuse_baskets(data: str, dataset: Any) -> None:
    """One basket per line is no table: there are no columns to clean."""
    from pellucid.base.errors import DataError, format_message

    if dataset.baskets is not None:
        actual = f"{data!r} holds one basket per line: {dataset.evidence[0]}"
        raise DataError(
            format_message(
                "clean", "the file must be a table", actual=actual, hint="pellucid rules finds what goes together"
            )
        )


@dataclass(frozen=True)
class CleanOptions:
    """What `pellucid clean` is asked to do beyond lossless changes.

    apply : names of suggestions, of actions, or "all"; confidence : from which on those without a column are applied
    fixes : an edited file of fixes; suggest : a file to which the suggestions that are left are written
    missing : markers that mean missing
    """

    target: str | None = None
    log: Path | None = None
    apply: tuple[str, ...] = ()
    confidence: str = "medium"
    fixes: Path | None = None
    suggest: Path | None = None
    missing: tuple[str, ...] = ()
    connect: str | None = None
    as_json: bool = False


def run_clean(data: str, out: Path, options: CleanOptions) -> None:
    """`pellucid clean`."""
    with guarded():
        from pellucid.data.slices import n_rows_of
        from pellucid.quality import check
        from pellucid.quality.fixes import suggestions, write_fixes
        from pellucid.quality.writing import write_cleaned

        with progress(options.as_json) as tell:
            tell("reading", 0.0)
            dataset = _taken(data, options.connect)
            _refuse_baskets(data, dataset)
            tell("cleaning", 0.3)
            cleaned = _cleaned(dataset.table, options)
            tell("writing", 0.7)
            write_cleaned(cleaned.table, cleaned.log, out, dataset.origin, "clean")
            if options.log is not None:
                is_json = options.log.suffix == ".json"
                cleaned.log.to_json(options.log) if is_json else cleaned.log.to_csv(options.log)
            tell("checking what is left", 0.8)
            unapplied = suggestions(check(cleaned.table, target=options.target))
            if options.suggest is not None:
                write_fixes(unapplied, options.suggest)
        if options.as_json:
            changes = [
                {"step": c.step, "what": c.what, "column": c.column, "rows": len(c.rows), "why": c.why}
                for c in cleaned.log
            ]
            listed = list(map(_finding, unapplied))
            say_json({"out": str(out), "rows": n_rows_of(cleaned.table), "changes": changes, "suggestions": listed})
            return
        say(cleaned.log)
        if _is_recoded(dataset.origin, out, cleaned.log):
            say("The lines of the file are in several encodings: it was written anew in UTF-8", "yellow")
        say(f"The cleaned table, {n_rows_of(cleaned.table):,} rows, is in {out}", "green")
        for explanation in _left_out(dataset, out):
            say(explanation, "yellow")
        if options.log is not None:
            say(f"The changes are in {options.log}", "green")
        _say_suggestions(
            unapplied, f"pellucid clean {shlex.quote(data)} --out {shlex.quote(str(out))}", options.suggest
        )


def _left_out(dataset: Any, out: Path) -> list[str]:
    """What reading warned of, such as sheets that were not read, unless all of the text is written as it stands."""
    from pellucid.data.rewriting import is_text_file

    if dataset.origin is not None and is_text_file(dataset.origin) and is_text_file(out):
        return []
    texts = [finding.explanation for finding in dataset.findings if finding.severity == "warning"]
    return [text[:1].upper() + text[1:] for text in texts]


def _is_recoded(source: Path | None, out: Path, log: Any) -> bool:
    """Has a file other bytes although no cell was changed? Lines of several encodings are written in one."""
    from pellucid.data.rewriting import is_text_file

    is_changed = log.n_cells or len(log.rows_dropped)
    if source is None or is_changed or not is_text_file(source) or source.suffixes != out.suffixes:
        return False
    return source.read_bytes() != out.read_bytes()


def _cleaned(table: Any, options: CleanOptions) -> Any:
    from pellucid.base.errors import ParameterError, format_message, join_some
    from pellucid.quality import Cleaner, check
    from pellucid.quality.fixes import read_fixes, suggestions

    fixes = () if options.fixes is None else read_fixes(options.fixes)
    actions = [*options.apply, *fixes] or "lossless"
    settings: dict[str, Any] = {"actions": actions, "confidence": options.confidence, "missing": options.missing}
    cleaner = Cleaner(target=options.target, **settings).fit(table)
    applied = {name for fix in cleaner.remedies_ for name in (fix.name, fix.exact_name)}
    unknown = [name for name in options.apply if ":" in name and name not in applied]
    if unknown:
        names = [finding.suggestion for finding in suggestions(check(table, target=options.target))]
        actual = (
            f"there is no {join_some(map(repr, unknown))}; there are {join_some(dict.fromkeys(map(str, names)), 30)}"
        )
        raise ParameterError(
            format_message("clean", "--apply takes the names of suggestions for this table", actual=actual)
        )
    return cleaner.clean(table)


def _say_suggestions(pending: list[Any], command: str, file: Path | None) -> None:
    """What could still be done, and how."""
    if not pending:
        return
    say()
    say(
        f"{len(pending)} suggestions were not applied:" if len(pending) > 1 else "1 suggestion was not applied:",
        "bold",
    )
    for suggestion in pending[:SHOWN_SUGGESTIONS]:
        say(f"  {suggestion.option}\n      {suggestion.confidence} confidence: {suggestion.explanation}")
    if len(pending) > SHOWN_SUGGESTIONS:
        say(f"  ... and {len(pending) - SHOWN_SUGGESTIONS} more: --suggest FILE writes all of them, --json prints them")
    say(f"To apply one: {command} {pending[0].option}")
    if file is not None:
        say(f"All are in {file}: mark those that are right, then {command} --fixes {shlex.quote(str(file))}", "green")
