"""The least error that any rule can make between known densities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.integrate import quad

from pellucid.stats._sample import Sample, fail
from pellucid.stats.normal import normal_density, normal_probability

_WHO = "bayes_error"
_LARGEST = 1e50  # beyond it squares do not fit into floats
_PLACES = 4001  # at which densities that are functions are compared first


class Region(NamedTuple):
    """Where one class is the best answer: from low to high."""

    low: float
    high: float
    winner: int


@dataclass(frozen=True)
class BayesError:
    """The least error, and where it comes from.

    error : the probability of a wrong answer of the best rule
    thresholds : where the best answer changes, ascending
    regions : the best answer between them
    areas : of each class, the probability that it is true and another one is answered; they sum to the error
    priors : of each class
    """

    error: float
    thresholds: tuple[float, ...]
    regions: tuple[Region, ...]
    areas: tuple[float, ...]
    priors: tuple[float, ...]


@dataclass(frozen=True)
class _Class:
    """A density with its prior; its normal parameters where it is one."""

    prior: float
    density: Callable[[Any], Any]
    normal: tuple[float, float] | None = None

    def weighted(self, x: Any) -> Sample:
        return self.prior * np.asarray(self.density(x), dtype=np.float64)

    def share(self, low: float, high: float) -> float:
        """P(this class and low < x < high)."""
        if self.prior == 0 or not low < high:
            return 0.0
        if self.normal is not None:
            return self.prior * normal_probability(low, high, *self.normal)
        # In parts that grow from both ends: a narrow peak stands at an end, being where another class wins or wins not.
        steps = (high - low) * 10.0 ** -np.arange(7)
        ends = np.unique(np.clip(np.concatenate([low + steps, high - steps]), low, high)).tolist()
        found = sum(
            quad(lambda x: float(self.density(x)), a, b, limit=200, epsabs=1e-13, epsrel=1e-11)[0]
            for a, b in pairwise(ends)
        )
        return self.prior * float(found)


def bayes_error(
    densities: Sequence[Any] | Sample, priors: ArrayLike | None = None, *, limits: tuple[float, float] | None = None
) -> BayesError:
    """The least error between classes whose densities are known: no classifier can be better on such data.

    The best rule answers with the class of the largest ``P(c) f_c(x)``. It is wrong with probability

    ``error = integral of (sum_c P(c) f_c(x) - max_c P(c) f_c(x)) dx``

    which for two classes is the area under the smaller of the two weighted densities. Normal densities cross where a
    quadratic equation is solved, so that thresholds and areas are exact; for functions, crossings are found between
    4001 places within ``limits`` and by bisection, and areas by adaptive integration (to about 1e-10).

    Parameters
    ----------
    densities : two or more
        Each a pair (mean, standard deviation) of a normal density, or a function of x whose integral is 1.
    priors : probabilities of the classes, equal unless told
    limits : the ends of x, needed where a density is a function

    Returns
    -------
    BayesError : error, thresholds, regions and areas

    Examples
    --------
    Two bells of width 1 whose centers are 2 apart: the threshold is half way, and the share of each beyond it is that
    of a normal population beyond one standard deviation.

    >>> found = bayes_error([(0, 1), (2, 1)])
    >>> found.thresholds, round(found.error, 6)
    ((1.0,), 0.158655)

    Of two uniform densities that overlap in a third of each, the answer there is a guess.

    >>> low, high = (lambda x: (0 <= x) & (x < 3)), (lambda x: (2 <= x) & (x < 5))
    >>> round(bayes_error([lambda x: low(x) / 3, lambda x: high(x) / 3], limits=(0, 5)).error, 6)
    0.166667
    """
    classes = _read(densities, priors, limits)
    ends = (-np.inf, np.inf) if limits is None else (float(limits[0]), float(limits[1]))
    cuts = _normal_crossings(classes) if all(c.normal for c in classes) else _crossings(classes, *ends)
    regions = _regions(classes, [x for x in cuts if ends[0] < x < ends[1]], *ends)
    areas = [0.0] * len(classes)
    for low, high, winner in regions:
        for k, one in enumerate(classes):
            if k != winner:
                areas[k] += one.share(low, high)
    thresholds = tuple(region.low for region in regions[1:])
    priors_ = tuple(one.prior for one in classes)
    return BayesError(float(sum(areas)), thresholds, regions, tuple(areas), priors_)


# -------------------------------------------------------------------------------------------------------------- reading


def _read(
    densities: Sequence[Any] | Sample, priors: ArrayLike | None, limits: tuple[float, float] | None
) -> list[_Class]:
    densities = list(densities) if isinstance(densities, np.ndarray) else densities
    if not isinstance(densities, Sequence) or len(densities) < 2:
        got = f"got {len(densities)}" if isinstance(densities, Sequence) else f"got {type(densities).__name__}"
        fail(_WHO, "densities must be a list of two or more", got, "[(mean, sd), (mean, sd)]")
    shares = _priors(priors, len(densities))
    if limits is not None and not (len(limits) == 2 and limits[0] < limits[1]):
        fail(_WHO, "limits must be a lower and a higher end", f"got {limits!r}", "")
    found = [_density(one, float(p), k) for k, (one, p) in enumerate(zip(densities, shares, strict=True))]
    if any(one.normal is None for one in found) and (limits is None or not np.isfinite(limits).all()):
        hint = "limits=(low, high) between which all of it lies"
        fail(_WHO, "a density that is a function needs finite limits", f"got {limits!r}", hint)
    if limits is not None:
        _check_integrals(found, float(limits[0]), float(limits[1]))
    return found


def _check_integrals(classes: list[_Class], low: float, high: float) -> None:
    for k, one in enumerate(classes):
        if one.normal is not None:
            continue
        places = np.linspace(low, high, _PLACES)
        _winners(classes, places)
        whole = replace(one, prior=1.0)
        top = float(places[np.argmax(np.broadcast_to(whole.weighted(places), places.shape))])
        integral = whole.share(low, top) + whole.share(top, high)
        if abs(integral - 1) > 0.01:
            actual = f"that of number {k} between {low:g} and {high:g} is {integral:.4g}"
            fail(_WHO, "the integral of a density must be 1", actual, "divide it by this, or give other limits")


def _density(given: Any, prior: float, k: int) -> _Class:
    if callable(given):
        return _Class(prior, _for_arrays(given))
    try:
        mean, sd = (float(value) for value in given)
    except (TypeError, ValueError):
        fail(_WHO, "each density must be (mean, sd) or a function", f"number {k} is {given!r}", "")
    if not (np.isfinite(mean) and 0 < sd < np.inf):
        fail(_WHO, "a normal density needs a finite mean and a positive sd", f"number {k} is ({mean:g}, {sd:g})", "")
    if not (abs(mean) < _LARGEST and 1 / _LARGEST < sd < _LARGEST):
        actual = f"number {k} is ({mean:g}, {sd:g})"
        fail(_WHO, f"means and widths must be between 1/{_LARGEST:g} and {_LARGEST:g}", actual, "choose another unit")
    return _Class(prior, lambda x: normal_density(x, mean, sd), (mean, sd))


def _for_arrays(density: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function as it is, or called number by number where it takes no array, as one with an ``if`` does not."""
    try:
        density(np.array([0.0, 1.0]))
    except (TypeError, ValueError):
        return np.vectorize(density, otypes=[np.float64])
    return density


def _priors(given: ArrayLike | None, n: int) -> Sample:
    if given is None:
        return np.full(n, 1 / n)
    try:
        found = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        fail(_WHO, "priors must hold numbers", str(error), "")
    if found.shape != (n,) or not (found >= 0).all() or abs(found.sum() - 1) > 1e-9:
        fail(_WHO, f"priors must be {n} probabilities that sum to 1", f"got {found.tolist()}", "divide by their sum")
    return found


# ------------------------------------------------------------------------------------------------------------ crossings


def _normal_crossings(classes: list[_Class]) -> list[float]:
    """Where two weighted normal densities are equal, of every pair."""
    found: set[float] = set()
    for one, other in combinations(classes, 2):
        if one.prior > 0 and other.prior > 0:
            assert one.normal is not None
            assert other.normal is not None
            found.update(_pair(*one.normal, one.prior, *other.normal, other.prior))
    return sorted(found)


def _pair(m: float, s: float, p: float, mean: float, sd: float, prior: float) -> list[float]:
    """Where  ln p - ln s - z²/2 = ln prior - ln(r s) - ((z - d) / r)²/2  with  z = (x - m) / s, s the smaller width."""
    if s > sd:
        m, s, p, mean, sd, prior = mean, sd, prior, m, s, p
    d, r = (mean - m) / s, sd / s
    gap = float(np.log(p / prior) + np.log(r))
    # (1 - r²) z² - 2 d z + d² + 2 gap r² = 0; its discriminant, over 4, is r² (d² - 2 gap (1 - r²))
    a, c = (1 - r) * (1 + r), d * d + 2 * gap * r * r
    if abs(a) <= 1e-15:
        return [] if d == 0 else [m + s * c / (2 * d)]
    inside = d * d - 2 * gap * a
    if inside <= 0:
        return []
    q = d + float(np.copysign(r * np.sqrt(inside), d))  # the root that loses no digits; the other is c / (a root)
    return [m + s * z for z in (q / a, c / q)] if q else []


def _crossings(classes: list[_Class], low: float, high: float) -> list[float]:
    """Where the winner changes, between places and by bisection."""
    places = np.linspace(low, high, _PLACES)
    for one in classes:  # a narrow bell may lie between two places
        if one.normal is not None:
            mean, sd = one.normal
            places = np.union1d(places, np.clip(mean + sd * np.linspace(-8, 8, 65), low, high))
    winners = _winners(classes, places)
    found = []
    for i in np.flatnonzero(winners[1:] != winners[:-1]).tolist():
        a, b = float(places[i]), float(places[i + 1])
        while True:
            middle = (a + b) / 2
            if not a < middle < b:
                break
            a, b = (middle, b) if _winners(classes, np.array([middle]))[0] == winners[i] else (a, middle)
        found.append(b)
    return found


def _winners(classes: list[_Class], x: Sample) -> Any:
    """The class with the largest weighted density at each place, the first of equals."""
    values = np.array([np.broadcast_to(one.weighted(x), x.shape) for one in classes])
    if not np.isfinite(values).all() or (values < 0).any():
        k = int(np.flatnonzero(~(np.isfinite(values) & (values >= 0)).all(axis=1))[0])
        where = float(x[np.flatnonzero(~(np.isfinite(values[k]) & (values[k] >= 0)))[0]])
        fail(_WHO, "densities must be finite and not negative", f"number {k} is not at {where:g}", "")
    return values.argmax(axis=0)


def _regions(classes: list[_Class], cuts: list[float], low: float, high: float) -> tuple[Region, ...]:
    """The winner between neighboring cuts; pieces with the same winner are put together."""
    ends = [low, *cuts, high]
    found: list[Region] = []
    for a, b in pairwise(ends):
        if not a < b:
            continue
        winner = _winner_between(classes, a, b)
        if found and found[-1].winner == winner:
            found[-1] = Region(found[-1].low, b, winner)
        else:
            found.append(Region(a, b, winner))
    return tuple(found)


def _winner_between(classes: list[_Class], a: float, b: float) -> int:
    if all(one.normal for one in classes):
        return _normal_winner(classes, a, b)
    return int(_winners(classes, np.array([(a + b) / 2]))[0])


def _normal_winner(classes: list[_Class], a: float, b: float) -> int:
    """By logarithms, since densities far out are too small for floats; beyond the last crossing a step further."""
    sd = max(one.normal[1] for one in classes if one.normal)
    ends = [x for x in (a, b) if np.isfinite(x)]
    if len(ends) == 2:
        x = a + (b - a) / 2
    elif ends:
        step = max(sd, 1e-9 * abs(ends[0]))  # a width may be lost beside a place far from zero
        x = ends[0] + (step if np.isfinite(a) else -step)
    else:
        x = next(one.normal[0] for one in classes if one.normal)
    with np.errstate(divide="ignore"):
        logs = [np.log(one.prior / one.normal[1]) - ((x - one.normal[0]) / one.normal[1]) ** 2 / 2
                for one in classes if one.normal]  # fmt: skip
    return int(np.argmax(logs))
