"""Who takes part, on how many rows: decided before the first model is fitted, from sizes and minutes alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pellucid.base.errors import count
from pellucid.model_selection.comparison import REPEATS
from pellucid.report.candidates import BASELINE, ModelSpec
from pellucid.report.costs import Size

# Shares of the time: the rest is for reading, checks, explanations and the page.
RACE, SEARCH, LAST = 0.5, 0.25, 0.15
ESSENTIAL = (BASELINE, "linear", "tree", "boosting")  # they decide on how many rows the race is run
ALWAYS = (BASELINE, "linear", "tree")  # take part whatever the time
MOST_OF_RACE = 0.35  # what one entrant may take of the race
MOST_OF_ESSENTIAL = 0.5  # what those may take together
STEPS = (1_000_000, 500_000, 300_000, 200_000, 100_000, 50_000, 30_000, 20_000, 10_000, 5_000, 2_000, 1_000)
MOST_CELLS = 100_000_000  # of a matrix: 0.8 GB, and while it is put together twice that
FEW = 5000  # rows up to which a diagnosis may take more folds
MANY_FOLDS, FEW_FOLDS = 5, 3
FITS_PER_FOLD = 2.5  # with the predictions


@dataclass(frozen=True)
class Plan:
    """What is fitted on what.

    rows : of the comparison; folds : its parts; repeats : how many times the rows are divided into folds
    entrants, left : who takes part, and who not and why
    shares : of the race's time, entrant by entrant
    search : seconds for the settings of the leaders: their share, and what the race leaves
    last : seconds for one fit of the winner
    """

    rows: int
    folds: int
    entrants: tuple[ModelSpec, ...]
    left: tuple[tuple[ModelSpec, str], ...]
    shares: tuple[float, ...]
    search: float
    last: float
    repeats: int = 1


def make_plan(specs: Sequence[ModelSpec], size: Size, minutes: float, folds: int) -> Plan:
    """The most rows on which the essential models, and as many others as possible, fit into the time."""
    seconds = 60 * minutes
    most = min(size.rows, _rows_in_memory(size))
    for rows in sorted({min(most, step) for step in STEPS} | {min(most, STEPS[0])}, reverse=True):
        part = replace(size, rows=rows)
        costs = {spec.name: folds * spec.cost(part) for spec in specs}
        able = [e for e in specs if costs[e.name] <= _most(e) * RACE * seconds]
        essential = sum(costs[name] for name in ESSENTIAL if name in costs)
        if essential <= MOST_OF_ESSENTIAL * RACE * seconds or rows <= STEPS[-1]:
            break
    chosen, spent = [], 0.0
    for spec in sorted(able, key=lambda e: (e.name not in ESSENTIAL, costs[e.name])):
        if spec.name in ALWAYS or spent + costs[spec.name] <= RACE * seconds:
            chosen.append(spec.name)
            spent += costs[spec.name]
    kept = tuple(spec for spec in specs if spec.name in chosen or spec.name in ALWAYS)
    left = tuple((e, _why(costs[e.name], rows, minutes)) for e in specs if e not in kept)
    whole = sum(costs[spec.name] for spec in kept)
    shares = tuple(costs[spec.name] / whole for spec in kept)
    repeats = _repeats(rows, whole, RACE * seconds)
    spare = max(0.0, RACE * seconds - repeats * whole)
    return Plan(rows, folds, kept, left, shares, SEARCH * seconds + spare, LAST * seconds, repeats)


def _repeats(rows: int, cost: float, seconds: float) -> int:
    """How many times few rows are divided into folds: one division gives unsteady scores. As the time allows."""
    most = next((repeats for limit, repeats in REPEATS if rows <= limit), 1)
    return max(1, min(most, int(seconds / max(cost, 1e-9))))


def _rows_in_memory(size: Size) -> int:
    """Rows of which there can be a matrix: with the table, a report of 1,000,000 x 30 took 3.3 GB at most."""
    return max(STEPS[-1], MOST_CELLS // max(size.width, 1))


def _most(spec: ModelSpec) -> float:
    """The share of the race above which an entrant stays away."""
    return MOST_OF_ESSENTIAL if spec.name in ESSENTIAL else MOST_OF_RACE


def _why(cost: float, rows: int, minutes: float) -> str:
    needed = max(minutes + 1, cost / (60 * MOST_OF_RACE * RACE))
    about = count(max(1, round(cost)), "second")
    return f"would take about {about} on {count(rows, 'row')}; with --minutes {needed:.0f} it may take part"


def rows_within(spec: ModelSpec, size: Size, seconds: float, n_predicted: int = 0) -> int:
    """The most rows, up to all, that one fit of a model, and the predictions of so many other rows, can take in this
    time, and in memory if it takes a matrix."""
    rows = min(size.rows, _rows_in_memory(size)) if spec.form in ("matrix", "dense", "raw") else size.rows

    def cost(n_rows: int) -> float:
        part = replace(size, rows=n_rows)
        return spec.cost(part) + spec.prediction_cost(part, n_predicted)

    while rows > 1000 and cost(rows) > seconds:
        rows = int(rows * 0.8)
    return rows


def folds_within(spec: ModelSpec, size: Size, seconds: float) -> int:
    """Folds of a diagnosis: five where few rows leave the time for it, as the intervals are narrower, else three. Each
    takes a fit on all of its rows, and fits on a tenth, two, three and six tenths for the learning curve."""
    return MANY_FOLDS if size.rows <= FEW and FITS_PER_FOLD * MANY_FOLDS * spec.cost(size) <= seconds else FEW_FOLDS
