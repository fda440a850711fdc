"""How many groups: the distortion for every number of centers, and the bend of that curve."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pellucid.base.errors import DataError, format_message
from pellucid.base.types import Array, Floats
from pellucid.cluster.k_means import KMeans

__all__ = ["DistortionCurve", "distortion_curve", "elbow_point"]


@dataclass(frozen=True)
class DistortionCurve:
    """Distortions of k-means for several numbers of centers.

    k : numbers of centers, rising
    distortion : total distortion of each
    average : the same over the number of rows, or the sum of weights: comparable between tables
    silhouette : mean silhouette of each, NaN for one center; None where it was not asked for
    models : the fitted models
    """

    k: Array
    distortion: Floats
    average: Floats
    silhouette: Floats | None
    models: tuple[KMeans, ...]

    @property
    def elbow(self) -> int:
        """Where the curve bends; see `elbow_point`."""
        return elbow_point(self.k, self.distortion)

    @property
    def best_silhouette(self) -> int:
        """The number of centers with the highest silhouette, the smallest of equals."""
        if self.silhouette is None:
            hint = "distortion_curve(X, silhouette=True)"
            raise DataError(format_message("DistortionCurve", "silhouettes must have been asked for", hint=hint))
        return int(self.k[int(np.nanargmax(self.silhouette))])


def elbow_point(k: ArrayLike, distortion: ArrayLike) -> int:
    """The number of centers at the bend of a curve of distortions.

    Both axes are brought to 0 .. 1, ``x = (k - k_1) / (k_m - k_1)`` and ``y = (J - J_m) / (J_1 - J_m)``. The straight
    line between the ends of the curve is ``y = 1 - x``; the bend is where the curve lies farthest below it, where
    ``1 - x - y`` is largest (the first of equals). More centers lower the distortion only a little after it.

    Parameters
    ----------
    k : three or more numbers of centers, rising
    distortion : the total, or average, distortion of each

    Returns
    -------
    int : one of ``k``

    Examples
    --------
    >>> from pellucid.cluster import elbow_point
    >>> elbow_point([1, 2, 3, 4, 5], [100, 40, 10, 8, 6])  # 1 - x - y: 0, 0.39, 0.46, 0.23, 0
    3
    """
    below, numbers = _below(k, distortion)
    return int(numbers[int(np.argmax(below))])


def _below(k: ArrayLike, distortion: ArrayLike) -> tuple[Floats, Array]:
    """How far each point lies below the line between the ends, and the numbers of centers."""
    who = "elbow_point"
    numbers, J = np.asarray(k), np.asarray(distortion, dtype=np.float64)
    if numbers.ndim != 1 or numbers.shape != J.shape or len(numbers) < 3:
        requirement = "k and distortion must be two lists of three numbers or more, as long as each other"
        raise DataError(format_message(who, requirement, actual=f"got shapes {numbers.shape} and {J.shape}"))
    if not (np.diff(numbers) > 0).all():
        raise DataError(format_message(who, "k must rise from number to number", actual=f"got {numbers.tolist()}"))
    if not np.isfinite(J).all() or not J[0] > J[-1]:
        requirement = "distortion must be finite, and larger for the first k than for the last"
        raise DataError(format_message(who, requirement, actual=f"got {J[0]:g} and {J[-1]:g}"))
    x = (numbers - numbers[0]) / (numbers[-1] - numbers[0])
    y = (J - J[-1]) / (J[0] - J[-1])
    return np.asarray(1 - x - y), numbers


def distortion_curve(
    X: Any, k: Iterable[int] = range(1, 11), *, sample_weight: Any = None, silhouette: bool = False, **settings: Any
) -> DistortionCurve:
    """Fits k-means for several numbers of centers and keeps the distortion of each.

    A curve that hits a bad end of one k jumps: ``n_init=10`` makes that rare.

    Parameters
    ----------
    X : table of n rows and p columns
    k : numbers of centers to try
    sample_weight : n numbers, optional
    silhouette : are mean silhouettes wanted too? They compare every row with every other.
    settings : of `KMeans`, such as ``n_init``, ``random_state`` and ``n_jobs``

    Examples
    --------
    >>> from pellucid.cluster import distortion_curve
    >>> X = [[0], [1], [2], [20], [21], [22], [40], [41], [42]]
    >>> curve = distortion_curve(X, range(1, 8), n_init=10, random_state=0)
    >>> curve.distortion[:3].tolist()  # 3 * 20² * 2 + 6, 3 * 10² * 2 + 6, 6
    [2406.0, 606.0, 6.0]
    >>> curve.elbow
    3
    """
    tried = sorted({int(one) for one in k})
    if not tried:
        raise DataError(format_message("distortion_curve", "k must hold a number of centers", actual="it is empty"))
    models = tuple(KMeans(one, **settings).fit(X, sample_weight=sample_weight) for one in tried)
    shapes = np.array([_silhouette(X, model) for model in models]) if silhouette else None
    return DistortionCurve(
        np.array(tried),
        np.array([model.inertia_ for model in models]),
        np.array([model.average_distortion_ for model in models]),
        shapes,
        models,
    )


def _silhouette(X: Any, model: KMeans) -> float:
    from pellucid.metrics import silhouette_score

    known = len(np.unique(model.labels_))
    if not 2 <= known < len(model.labels_):
        return float("nan")
    return silhouette_score(X, model.labels_)
