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
        model, top_rules = mined.model, list(zip(mined.rules, mined.significant.p_values.tolist(), strict=True))[:most]
        n = model.n_baskets_
        if as_json:
            rows = [_rule_as_json(rule, p, statement(rule, n)) for rule, p in top_rules]
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
        for rule, _ in top_rules[:3]:
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


def _say_rules(recognized: list[str], headline: str, notes: list[str], mined: Any, max_rules: int) -> None:
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
    for rule in mined.rules[:max_rules]:
        say(f"{rule.confirms:8,}  {rule.support:8.4f}  {rule.confidence:10.3f}  {rule.lift:6.2f}  {rule}")
    if len(mined.rules) > max_rules:
        say(f"... and {len(mined.rules) - max_rules:,} more: --most shows them")


def _baskets(data: str, parts: Mapping[str, str]) -> tuple[Any, list[str]]:
    """The baskets of a file, and statements on what it was recognized as."""
    from pellucid.base.threads import effective_threads
    from pellucid.quality.column import compute_stats
    from pellucid.report.dataset import load_dataset
    from pellucid.report.interactions.collecting import baskets_from
    from pellucid.report.interactions.recognition import not_recognized, recognize

    dataset = load_dataset(data, fingerprint=False, basket_lines="never" if parts else "recognized")
    recognition = None
    if dataset.baskets is None:
        stats = compute_stats(dataset.table, "rules", None, effective_threads(None))
        recognition = recognize(stats, "baskets", parts, lenient=True)
    if recognition is not None:
        baskets, notes = baskets_from(stats, recognition)
        return baskets, [f"Recognized as baskets: {recognition.why}.", *notes]
    if dataset.baskets is None:
        names = list(dataset.table.columns)
        dataset = load_dataset(data, fingerprint=False, basket_lines="always")
        if dataset.baskets is None or len(set(map(len, dataset.baskets))) < 2:
            raise not_recognized("baskets", names, "rules")
    return dataset.baskets, [f"Recognized as one basket per line: {'; '.join(dataset.evidence)}."]


def run_recommend(
    data: str, users: tuple[str, ...], most: int, minutes: float, seed: int, parts: Mapping[str, str], as_json: bool
) -> None:
    """`pellucid recommend`."""
    with guarded():
        from pellucid.report.ratings import headline, listings, recommend_from, recommendations, warnings

        with progress(as_json) as tell:
            tell("reading", 0.0)
            interactions, recognition, users = _interactions(data, parts, users)
            outcome = recommend_from(interactions, recognition.task == "ratings", seed, minutes, tell)
        selected_users = None if not users else [_as_known(user, outcome.data.user_ids) for user in users]
        listing = recommendations(outcome, selected_users, most)
        if as_json:
            say_json(
                {
                    "recognized": recognition.evidence,
                    "task": recognition.task,
                    "notes": interactions.notes,
                    "headline": headline(outcome),
                    "errors": outcome.comparison.errors,
                    "lists": outcome.comparison.rankings,
                    "recommendations": [dict(zip(listing.heads, row, strict=True)) for row in listing.rows],
                }
            )
            return
        say(headline(outcome), "bold")
        say(f"Recognized as {recognition.what}: {recognition.why}.")
        for line in (*interactions.notes, *warnings(outcome)):
            say(f"! {line}", "yellow")
        for table in listings(outcome)[:-1]:
            say()
            say(table.title, "bold")
            say("  ".join(table.heads))
            for row in table.rows:
                say("  ".join(str(cell) for cell in row))
        say()
        say(listing.title, "bold")
        for user, rank, item, score, why in listing.rows:
            say(f"{user:>12}  {rank:>3}. {item}  ({score}): {why}")


def _interactions(data: str, parts: Mapping[str, str], users: tuple[str, ...]) -> tuple[Any, Any, tuple[str, ...]]:
    """The ratings or visits of a file, what it was recognized as, and the users without the name of their column."""
    from dataclasses import replace

    from pellucid.base.threads import effective_threads
    from pellucid.quality.column import compute_stats
    from pellucid.report.dataset import load_dataset
    from pellucid.report.interactions.collecting import interactions_from
    from pellucid.report.interactions.recognition import Recognition, not_recognized, recognize

    dataset = load_dataset(data, fingerprint=False, basket_lines="never")
    stats = compute_stats(dataset.table, "recommend", None, effective_threads(None))
    user_columns = [name for name in users if name in dataset.table.columns]
    parts = {**parts, "user": user_columns[0]} if user_columns else dict(parts)
    recognition = recognize(stats, None, parts)
    if (
        recognition is not None
        and recognition.task == "baskets"
        and recognition.roles is not None
        and recognition.roles.user is not None
    ):
        recognition = Recognition("visits", replace(recognition.roles, basket=None), evidence=recognition.evidence)
    if recognition is None or recognition.task == "baskets":
        recognition = recognize(stats, "ratings", lenient=True) or recognize(stats, "visits", lenient=True)
    if recognition is None:
        raise not_recognized("visits", list(dataset.table.columns), "recommend")
    return interactions_from(stats, recognition), recognition, tuple(name for name in users if name not in user_columns)


def _as_known(user: str, known_users: object) -> object:
    """A user as the table has them: numbers are numbers."""
    import numpy as np

    kind = np.asarray(known_users).dtype.kind
    try:
        return int(user) if kind in "iu" else float(user) if kind == "f" else user
    except ValueError:
        return user
