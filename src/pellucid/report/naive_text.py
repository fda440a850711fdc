"""The model beside the naive forecast of a series, in sentences."""

from __future__ import annotations

from pellucid.report.outcome import HoldoutResult, MetricValue, NaiveForecast, StudyResult
from pellucid.report.page_text import figures
from pellucid.report.task import MEASURES


def past_value(naive: NaiveForecast, target: str) -> str:
    """What the naive forecast repeats.

    >>> past_value(NaiveForecast(24, "machine", {}, 0.0, 0.0, "better"), "load")
    "the value of load 24 rows before among those with the same 'machine'"
    """
    text = f"the preceding value of {target}" if naive.lag == 1 else f"the value of {target} {naive.lag} rows before"
    if not naive.series:
        return text
    return text + (
        f" of the same {naive.series!r}" if naive.lag == 1 else f" among those with the same {naive.series!r}"
    )


def naive_in_headline(outcome: StudyResult) -> str:
    """What the headline must add where the naive forecast is better, or the model not shown to be; else nothing."""
    held, verdict = outcome.held, outcome.verdict
    if held is None or verdict is None or held.naive is None:
        return ""
    naive, value = held.naive, past_value(held.naive, str(outcome.task.target))
    first = held.figures[0]
    score = f"by {first.word} ({_scores(first, naive)[0]})"
    if naive.conclusion == "worse":
        return f"Where it is known, {value} is a better prediction {score}."
    if naive.conclusion == "not shown" and verdict.is_better:
        return f"It is not shown to be better than {value} {score}."
    return ""


def naive_sentence(outcome: StudyResult) -> str:
    """The naive forecast beside the model, and what it needs; nothing where the table is no series."""
    held = outcome.held
    if held is None or held.naive is None:
        return ""
    naive, value = held.naive, past_value(held.naive, str(outcome.task.target))
    first = held.figures[0]
    naive_score, model_score = _scores(first, naive)
    low, high, _ = figures([naive.gain_low, naive.gain_high, first.value])
    result = {
        "better": f"the model is better by {first.word}",
        "worse": f"the naive forecast is better by {first.word}",
        "not shown": f"neither is shown to be better by {first.word}",
        "too few rows": "these are too few rows to compare the two",
    }[naive.conclusion]
    interval = "" if naive.conclusion == "too few rows" else (
        f" (95 % interval of the improvement of the model over it: {low} to {high})"
    )  # fmt: skip
    return (
        f"The naive forecast repeats {value}. On the held-out rows its {first.word} is {naive_score}, that of the "
        f"model {model_score}: {result}{interval}. {_contradictions(held, naive)}The naive forecast needs {value} "
        "when a prediction is made."
    )


def naive_warning(outcome: StudyResult) -> list[str]:
    """The comparison with the naive forecast where it speaks against the model, and what would help."""
    held = outcome.held
    if held is None or held.naive is None:
        return []
    speaks_against = held.naive.conclusion in ("worse", "not shown")
    if not speaks_against and (held.naive.conclusion == "too few rows" or not _contradictions(held, held.naive)):
        return []
    return [naive_sentence(outcome) + " Where that is known, a column with it lets the models use it."]


def _contradictions(held: HoldoutResult, naive: NaiveForecast) -> str:
    """The metrics by which the other one of the two has the better score than by the first, in a sentence."""
    model_leads = [_model_leads(one, naive) for one in held.figures]
    others = [one for one, lead in zip(held.figures, model_leads, strict=True) if lead * model_leads[0] < 0]
    if not others:
        return ""
    leader, order = ("The naive forecast", 1) if model_leads[0] > 0 else ("The model", -1)
    scores = [f"{one.word} ({' against '.join(_scores(one, naive)[::order])})" for one in others]
    return f"{leader} has the better {' and '.join(scores)}. "


def _model_leads(one: MetricValue, naive: NaiveForecast) -> float:
    """Above 0 where the model has the better score."""
    sign = next((measure.sign for measure in MEASURES.values() if measure.word == one.word), 1)
    return sign * (one.value - naive.values.get(one.word, one.value))


def _scores(one: MetricValue, naive: NaiveForecast) -> list[str]:
    """The naive forecast and the model by one metric."""
    return figures([naive.values.get(one.word, float("nan")), one.value])
