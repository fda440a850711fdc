"""Could a score this good come from chance alone: the score against those on shuffled targets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.validation import _num_samples

from pellucid.base.errors import ParameterError, format_message
from pellucid.base.parallel import is_ours, run
from pellucid.base.types import Array, Floats
from pellucid.model_selection._folds import read_folds
from pellucid.model_selection.validation import Scorer, fit_and_score, scorers_of

__all__ = ["PermutationTest", "permutation_test_score"]


@dataclass(frozen=True, eq=False)
class PermutationTest:
    """A mean score, those on shuffled targets, and how often chance does as well. Unpacks like scikit-learn's tuple."""

    score: float
    permutation_scores: Floats
    pvalue: float

    def __iter__(self) -> Iterator[Any]:
        return iter((self.score, self.permutation_scores, self.pvalue))

    def __str__(self) -> str:
        low, high = np.quantile(self.permutation_scores, [0.025, 0.975])
        return (
            f"score {self.score:.4g}; on {len(self.permutation_scores)} shuffled targets {low:.4g} to {high:.4g} "
            f"(95 % of them); p = {self.pvalue:.3g}"
        )


def permutation_test_score(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    groups: Any = None,
    cv: Any = None,
    n_permutations: int = 100,
    n_jobs: int | None = None,
    random_state: Any = 0,
    scoring: Any = None,
    params: Mapping[str, Any] | None = None,
) -> PermutationTest:
    """Cross-validates on the target and on shuffled copies of it, which the columns can say nothing about.

    ``p = (number of shuffled scores at least as high + 1) / (n_permutations + 1)``

    Parameters
    ----------
    estimator, X, y, cv, n_jobs, scoring, params : as in `cross_validate`; one score
    groups : targets are shuffled within each group alone
    n_permutations : number of shuffled copies

    Examples
    --------
    >>> from pellucid.linear_model import LinearRegression
    >>> X, y = [[float(i)] for i in range(20)], [i + i % 3 for i in range(20)]
    >>> found = permutation_test_score(LinearRegression(), X, y, n_permutations=19)
    >>> found.pvalue
    0.05
    """
    who = "permutation_test_score"
    if n_permutations < 1:
        raise ParameterError(format_message(who, "n_permutations must be at least 1", actual=f"got {n_permutations!r}"))
    if not (scoring is None or callable(scoring) or isinstance(scoring, str)):
        requirement = "scoring must be one score: None, a name or a function"
        raise ParameterError(format_message(who, requirement, actual=f"got {scoring!r}"))
    X, y, folds = read_folds(who, estimator, X, y, groups, cv)
    random = check_random_state(random_state)
    orders = [np.arange(_num_samples(y)), *(_shuffled(y, groups, random) for _ in range(n_permutations))]
    scorers, given = scorers_of(who, scoring), dict(params or {})
    calls = [(estimator, X, y, order, folds, scorers, given) for order in orders]
    score, *others = run(_mean_score, calls, n_jobs, "permutations", threads=is_ours(estimator))
    shuffled = np.array(others)
    return PermutationTest(score, shuffled, float((np.sum(shuffled >= score) + 1) / (n_permutations + 1)))


def _mean_score(
    estimator: Any, X: Any, y: Any, order: Array, folds: Any, scorers: dict[str, Scorer], params: dict[str, Any]
) -> float:
    target = _safe_indexing(y, order)
    done = [
        fit_and_score(clone(estimator), X, target, train, test, scorers, params, False, False, "raise")
        for train, test in folds
    ]
    return float(np.mean([fold.scores["score"] for fold in done]))


def _shuffled(y: Any, groups: Any, random: np.random.RandomState) -> Array:
    """A new order of the rows; with groups, within each of them."""
    if groups is None:
        return np.asarray(random.permutation(_num_samples(y)))
    labels = np.asarray(groups)
    order = np.arange(len(labels))
    for label in np.unique(labels):
        member = labels == label
        order[member] = random.permutation(order[member])
    return order
