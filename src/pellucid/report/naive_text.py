"""The model beside the naive forecast of a series, in sentences."""

from __future__ import annotations

from pellucid.report.outcome import Held, NaiveForecast, Outcome
from pellucid.report.page_text import figures


def past_value(naive: NaiveForecast, target: str) -> str:
    """What the naive forecast repeats.

    >>> past_value(NaiveForecast(24, "machine", {}, 0.0, 0.0, "better"), "load")
    "the value of load 24 rows before, of the same 'machine'"
    """
    text = f"the preceding value of {target}" if naive.lag == 1 else f"the value of {target} {naive.lag} rows before"
    return text if not naive.series else text + f"{'' if naive.lag == 1 else ','} of the same {naive.series!r}"


def naive_in_headline(outcome: Outcome) -> str:
    """What the headline must add where the naive forecast is better, or the model not shown to be; else nothing."""
    held, verdict = outcome.held, outcome.verdict
    if held is None or verdict is None or held.naive is None:
        return ""
    naive, value = held.naive, past_value(held.naive, str(outcome.task.target))
    score = " ".join(_scores(held)[:2])
    if naive.conclusion == "worse":
        return f"Where it is known, {value} is a better prediction: {score}."
    if naive.conclusion == "not shown" and verdict.is_better:
        return f"It is not shown to be better than {value}: {score}."
    return ""


def naive_sentence(outcome: Outcome) -> str:
    """The naive forecast beside the model, and what it needs; nothing where the table is no series."""
    held = outcome.held
    if held is None or held.naive is None:
        return ""
    naive, value = held.naive, past_value(held.naive, str(outcome.task.target))
    word, naive_score, model_score = _scores(held)
    low, high, _ = figures([naive.gain_low, naive.gain_high, held.figures[0].value])
    result = {
        "better": "so the model is better",
        "worse": "so the naive forecast is better",
        "not shown": "so neither is shown to be better",
        "too few rows": "which are too few rows to compare the two",
    }[naive.conclusion]
    interval = "" if naive.conclusion == "too few rows" else (
        f" (95 % interval of the improvement of the model over it: {low} to {high})"
    )  # fmt: skip
    return (
        f"The naive forecast repeats {value}. On the held-out rows it has {word} {naive_score}, the model "
        f"{model_score}, {result}{interval}. It needs {value} when a prediction is made."
    )


def naive_warning(outcome: Outcome) -> list[str]:
    """The comparison with the naive forecast where it speaks against the model, and what would help."""
    held = outcome.held
    if held is None or held.naive is None or held.naive.conclusion not in ("worse", "not shown"):
        return []
    return [naive_sentence(outcome) + " Where that is known, a column with it lets the models use it."]


def _scores(held: Held) -> tuple[str, str, str]:
    """The first metric, and the naive forecast and the model by it."""
    first = held.figures[0]
    naive = held.naive.values[first.word] if held.naive is not None else float("nan")
    naive_score, model_score = figures([naive, first.value])
    return first.word, naive_score, model_score
