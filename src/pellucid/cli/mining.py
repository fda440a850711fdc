"""Rules of baskets, and recommendations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pellucid.cli.out import guarded, progress, say, say_json


def run_rules(
    data: str, support: float | None, confidence: float, most: int, parts: Mapping[str, str], as_json: bool
) -> None:
    """`pellucid rules`."""
    with guarded():
        from pellucid.report.baskets import headline, mine, statement, warnings

        with progress(as_json) as tell:
            tell("reading", 0.0)
            baskets, recognized = _baskets(data, parts)
            tell("looking for rules", 0.3)
            mined = mine(baskets, support, confidence)
        model, shown = mined.model, list(zip(mined.rules, mined.significant.p_values.tolist(), strict=True))[:most]
        n = model.n_baskets_
        if as_json:
            rows = [_rule_as_json(rule, p, statement(rule, n)) for rule, p in shown]
            say_json(
                {
                    "recognized": recognized,
                    "baskets": n,
                    "items": len(model.items_),
                    "rules": len(mined.rules),
                    "possible": mined.significant.n_possible,
                    "left_out_as_chance": mined.significant.n_chance,
                    "left_out_as_redundant": mined.significant.n_redundant,
                    "shown": rows,
                }
            )
            return
        _say_rules(recognized, headline(mined), [*model.notes_], mined, most)
        for rule, _ in shown[:3]:
            say(statement(rule, n))
        for line in warnings(mined):
            say(f"! {line}", "yellow")


def _rule_as_json(rule: Any, p: float, words: str) -> dict[str, Any]:
    return {
        "if": list(map(str, rule.antecedent)),
        "then": list(map(str, rule.consequent)),
        "baskets": rule.confirms,
        "support": rule.support,
        "confidence": rule.confidence,
        "lift": rule.lift,
        "p": p,
        "in_words": words,
    }


def _say_rules(recognized: list[str], headline: str, notes: list[str], mined: Any, most: int) -> None:
    from pellucid.report.baskets import chance_text

    say(headline, "bold")
    for line in (*recognized, chance_text(mined)):
        say(line)
    for note in notes:
        say(f"! {note}", "yellow")
    if not mined.rules:
        say("hint: a smaller --support or --confidence looks at more rules")
        return
    say(f"{'baskets':>8}  {'support':>8}  {'confidence':>10}  {'lift':>6}  rule", "bold")
    for rule in mined.rules[:most]:
        say(f"{rule.confirms:8,}  {rule.support:8.4f}  {rule.confidence:10.3f}  {rule.lift:6.2f}  {rule}")
    if len(mined.rules) > most:
        say(f"... and {len(mined.rules) - most:,} more: --most shows them")


def _baskets(data: str, parts: Mapping[str, str]) -> tuple[Any, list[str]]:
    """The baskets of a file, and statements on what it was recognized as."""
    from pellucid.base.threads import effective_threads
    from pellucid.quality.column import compute_stats
    from pellucid.report.dataset import load_dataset
    from pellucid.report.interactions.collecting import baskets_from
    from pellucid.report.interactions.recognition import not_recognized, recognize

    taken = load_dataset(data, fingerprint=False, basket_lines="never" if parts else "recognized")
    recognition = None
    if taken.baskets is None:
        stats = compute_stats(taken.table, "rules", None, effective_threads(None))
        recognition = recognize(stats, "baskets", parts, lenient=True)
    if recognition is not None:
        found, notes = baskets_from(stats, recognition)
        return found, [f"Recognized as baskets: {recognition.why}.", *notes]
    if taken.baskets is None:
        names = list(taken.table.columns)
        taken = load_dataset(data, fingerprint=False, basket_lines="always")
        if taken.baskets is None or len(set(map(len, taken.baskets))) < 2:
            raise not_recognized("baskets", names, "rules")
    return taken.baskets, [f"Recognized as one basket per line: {'; '.join(taken.evidence)}."]


def run_recommend(
    data: str, users: tuple[str, ...], most: int, minutes: float, seed: int, parts: Mapping[str, str], as_json: bool
) -> None:
    """`pellucid recommend`."""
    with guarded():
        from pellucid.report.ratings import headline, listings, recommend_from, recommendations, warnings

        with progress(as_json) as tell:
            tell("reading", 0.0)
            interactions, recognition, users = _interactions(data, parts, users)
            found = recommend_from(interactions, recognition.task == "ratings", seed, minutes, tell)
        asked = None if not users else [_as_known(user, found.data.user_ids) for user in users]
        listing = recommendations(found, asked, most)
        if as_json:
            say_json(
                {
                    "recognized": recognition.evidence,
                    "task": recognition.task,
                    "notes": interactions.notes,
                    "headline": headline(found),
                    "errors": found.comparison.errors,
                    "lists": found.comparison.rankings,
                    "recommendations": [dict(zip(listing.heads, row, strict=True)) for row in listing.rows],
                }
            )
            return
        say(headline(found), "bold")
        say(f"Recognized as {recognition.what}: {recognition.why}.")
        for line in (*interactions.notes, *warnings(found)):
            say(f"! {line}", "yellow")
        for table in listings(found)[:-1]:
            say()
            say(table.title, "bold")
            say("  ".join(table.heads))
            for row in table.rows:
                say("  ".join(str(cell) for cell in row))
        say()
        say(listing.title, "bold")
        for user, place, item, score, why in listing.rows:
            say(f"{user:>12}  {place:>3}. {item}  ({score}): {why}")


def _interactions(data: str, parts: Mapping[str, str], users: tuple[str, ...]) -> tuple[Any, Any, tuple[str, ...]]:
    """The ratings or visits of a file, what it was recognized as, and the users without the name of their column."""
    from dataclasses import replace

    from pellucid.base.threads import effective_threads
    from pellucid.quality.column import compute_stats
    from pellucid.report.dataset import load_dataset
    from pellucid.report.interactions.collecting import interactions_from
    from pellucid.report.interactions.recognition import Recognition, not_recognized, recognize

    taken = load_dataset(data, fingerprint=False, basket_lines="never")
    stats = compute_stats(taken.table, "recommend", None, effective_threads(None))
    named = [name for name in users if name in taken.table.columns]
    parts = {**parts, "user": named[0]} if named else dict(parts)
    found = recognize(stats, None, parts)
    if found is not None and found.task == "baskets" and found.roles is not None and found.roles.user is not None:
        found = Recognition("visits", replace(found.roles, basket=None), evidence=found.evidence)
    if found is None or found.task == "baskets":
        found = recognize(stats, "ratings", lenient=True) or recognize(stats, "visits", lenient=True)
    if found is None:
        raise not_recognized("visits", list(taken.table.columns), "recommend")
    return interactions_from(stats, found), found, tuple(name for name in users if name not in named)


def _as_known(user: str, known: object) -> object:
    """A user as the table has them: numbers are numbers."""
    import numpy as np

    kind = np.asarray(known).dtype.kind
    try:
        return int(user) if kind in "iu" else float(user) if kind == "f" else user
    except ValueError:
        return user
