"""The structure of the rows on the page: how they were split, why, and what was considered besides."""

from __future__ import annotations

from html import escape

from pellucid.base.errors import count
from pellucid.report.leakage_score import leak_sentences
from pellucid.report.outcome import StudyResult
from pellucid.report.page_elements import box, paragraphs, section, term_list
from pellucid.report.page_text import text_html


def structure(outcome: StudyResult) -> str:
    """How rows depend on each other and how they were split; nothing where no rows were held out."""
    found = outcome.structure
    if found is None or outcome.held is None:
        return ""
    n_rows = count(outcome.held.rows, "row")
    facts = [("held out", f"{escape(found.split)} ({n_rows})"), ("folds", escape(found.folds))]
    if found.time:
        facts.append(("time", text_html(", ".join(found.time), 200)))
    elif found.order == "time":
        facts.append(("order", "as the rows stand in the table"))
    if found.held_out_from is not None:
        facts.append(("period held out", escape(f"{found.held_out_from} to {found.held_out_to}")))
    if found.group is not None:
        facts.append(("groups", text_html(found.group, 200)))
    why = found.reasons or (
        "Rows were drawn at random. The values do not always show that rows are a process in time, or that some belong "
        "together: if later rows are to be predicted from earlier ones, or rows of new people, sites or objects, say "
        "so with --time or --group.",
    )
    return section(
        "structure",
        "How rows were split, and columns that may leak" if outcome.leaks else "How rows were split",
        paragraphs(why),
        term_list(facts),
        box("What else was considered", found.notes, "pr-plain", 3),
        box(
            "Columns that may be known only afterward",
            leak_sentences(outcome.leaks, outcome.task.target),
            "pr-warn",
            3,
        ),
    )
