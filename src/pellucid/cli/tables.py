"""Tables: what is wrong with them, and mending it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from pellucid.cli.out import WORSE, guarded, progress, say, say_json

SHOWN = 60  # findings


def _taken(data: str, connect: str | None) -> Any:
    from pellucid.report.reading import take_in

    return take_in(data, connect, fingerprint=False)


def run_quality(
    data: str, target: str | None, html: Path | None, fail_on: str | None, connect: str | None, as_json: bool
) -> None:
    """`pellucid quality`."""
    with guarded():
        from pellucid.base.errors import ParameterError, sentence
        from pellucid.base.threads import effective_threads
        from pellucid.quality import Findings, check, profile
        from pellucid.quality.column import look_at

        if fail_on not in (None, "error", "warning"):
            raise ParameterError(sentence("quality", "--fail-on must be error or warning", f"got {fail_on!r}"))
        with progress(as_json) as tell:
            tell("reading", 0.0)
            taken = _taken(data, connect)
            if target is not None and target not in taken.table.columns:
                raise ParameterError(sentence("quality", "the target must be a column", f"there is no {target!r}"))
            tell("describing", 0.3)
            look = look_at(taken.table, "quality", target, effective_threads(None))
            described = profile(look, target=target)
            tell("checking", 0.6)
            found = check(look, target=target)
        findings = Findings([*taken.findings, *found], found.n_rows, found.names)
        if html is not None:
            described.to_html(html)
        if as_json:
            say_json(
                {"source": taken.source, "profile": described.to_dict(), "findings": list(map(_finding, findings))}
            )
        else:
            say(described)
            say()
            say(f"{len(findings)} findings" if len(findings) != 1 else "1 finding", "bold")
            for finding in findings[:SHOWN]:
                say(finding, {"error": "red", "warning": "yellow"}.get(finding.severity, ""))
            if len(findings) > SHOWN:
                say(f"... and {len(findings) - SHOWN} more: --json has them all")
            if html is not None:
                say(f"The profile is in {html}", "green")
        grave = {"error": ("error",), "warning": ("error", "warning")}.get(fail_on or "", ())
        if any(finding.severity in grave for finding in findings):
            raise typer.Exit(WORSE)


def _finding(finding: Any) -> dict[str, Any]:
    remedy = None if finding.remedy is None else finding.remedy.to_dict()
    return {
        "check": finding.check,
        "severity": finding.severity,
        "columns": list(map(str, finding.columns)),
        "rows": finding.rows.tolist(),
        "explanation": finding.explanation,
        "remedy": remedy,
    }


def _refuse_baskets(data: str, taken: Any) -> None:
    """One basket per line is no table: there are no columns to clean."""
    from pellucid.base.errors import DataError, sentence

    if taken.baskets is not None:
        found = f"{data!r} holds one basket per line: {taken.evidence[0]}"
        raise DataError(sentence("clean", "the file must be a table", found, "pellucid rules finds what goes together"))


def run_clean(
    data: str, out: Path, target: str | None, log: Path | None, everything: bool, connect: str | None, as_json: bool
) -> None:
    """`pellucid clean`."""
    with guarded():
        from pellucid.data.slices import n_rows_of
        from pellucid.quality import Cleaner
        from pellucid.quality.writing import write_cleaned

        with progress(as_json) as tell:
            tell("reading", 0.0)
            taken = _taken(data, connect)
            _refuse_baskets(data, taken)
            tell("cleaning", 0.3)
            more: dict[str, Any] = {"actions": "all", "severity": "note"} if everything else {}
            cleaned = Cleaner(target=target, **more).fit(taken.table).clean(taken.table)
            tell("writing", 0.9)
            write_cleaned(cleaned.table, cleaned.log, out, taken.origin, "clean")
            if log is not None:
                cleaned.log.to_json(log) if log.suffix == ".json" else cleaned.log.to_csv(log)
        if as_json:
            changes = [
                {"step": c.step, "what": c.what, "column": c.column, "rows": len(c.rows), "why": c.why}
                for c in cleaned.log
            ]
            say_json({"out": str(out), "rows": n_rows_of(cleaned.table), "changes": changes})
            return
        say(cleaned.log)
        say(f"The cleaned table, {n_rows_of(cleaned.table):,} rows, is in {out}", "green")
        if log is not None:
            say(f"Every change is in {log}", "green")
