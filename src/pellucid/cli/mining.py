"""Rules of baskets, and recommendations."""

from __future__ import annotations

from pellucid.cli.out import guarded, progress, say, say_json


def run_rules(baskets: str, support: float, confidence: float, most: int, as_json: bool) -> None:
    """`pellucid rules`."""
    with guarded():
        from pellucid.association import AssociationRules
        from pellucid.report.baskets import baskets_of_file, headline

        with progress(as_json) as tell:
            tell("reading", 0.0)
            given = baskets_of_file(baskets)
            tell("looking for rules", 0.3)
            model = AssociationRules(min_support=support, min_confidence=confidence).fit(given)
        if as_json:
            shown = [
                {
                    "if": list(map(str, rule.antecedent)),
                    "then": list(map(str, rule.consequent)),
                    "support": rule.support,
                    "confidence": rule.confidence,
                    "lift": rule.lift,
                }
                for rule in model.rules_[:most]
            ]
            say_json({"baskets": model.n_baskets_, "rules": len(model.rules_), "shown": shown})
            return
        say(headline(model), "bold")
        for note in model.notes_:
            say(f"! {note}", "yellow")
        if not len(model.rules_):
            say("hint: a smaller --support or --confidence finds more")
            return
        say(f"{'support':>8}  {'confidence':>10}  {'lift':>6}  rule", "bold")
        for rule in model.rules_[:most]:
            say(f"{rule.support:8.4f}  {rule.confidence:10.3f}  {rule.lift:6.2f}  {rule}")
        if len(model.rules_) > most:
            say(f"... and {len(model.rules_) - most:,} more: --most shows them")


def run_recommend(ratings: str, users: tuple[str, ...], most: int, seed: int, as_json: bool) -> None:
    """`pellucid recommend`."""
    with guarded():
        from pellucid.quality import profile, read
        from pellucid.report.ratings import choose, rating_table, recommendations
        from pellucid.report.task import rating_columns

        with progress(as_json) as tell:
            tell("reading", 0.0)
            table = read(ratings).table
            found = rating_columns(profile(table, associations=False))
            names = found or tuple(table.columns[:3])
            best, model, errors, held = choose(rating_table(table, names), seed, tell)
        asked = None if not users else [_as_known(user, model.users_) for user in users]
        listing = recommendations(model, asked, most)
        if as_json:
            say_json({"recommender": best, "errors": errors, "recommendations": listing.rows})
            return
        say(
            f"Recommending by {best}: an error of {errors[best][0]:.3f} on {len(held):,} ratings that were kept back",
            "bold",
        )
        for user, place, item, score in listing.rows:
            say(f"{user:>12}  {place:>3}. {item}  ({score})")


def _as_known(user: str, known: object) -> object:
    """A user as the table has them: numbers are numbers."""
    import numpy as np

    kind = np.asarray(known).dtype.kind
    try:
        return int(user) if kind in "iu" else float(user) if kind == "f" else user
    except ValueError:
        return user
