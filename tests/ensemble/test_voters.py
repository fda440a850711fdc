"""Votes by numbers against counting all cases."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

from pellucid.base.errors import PellucidError
from pellucid.ensemble import bootstrap_inclusion, ensemble_error, stage_value, weighted_vote
from pellucid.reference import ada_boost as reference
from pellucid.stats import inclusion_probability
from pellucid.working import show


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("ties", ["half", "wrong", "right"])
def test_majority_against_all_cases(n: int, ties: Any) -> None:
    share = {"half": 0.5, "wrong": 1.0, "right": 0.0}[ties]
    for error in (0.0, 0.2, 0.5, 0.7, 1.0):
        wanted = 0.0
        for wrong in product((0, 1), repeat=n):
            chance = float(np.prod([error if one else 1 - error for one in wrong]))
            wanted += chance * (share if 2 * sum(wrong) == n else float(2 * sum(wrong) > n))
        assert ensemble_error(n, error, ties=ties) == pytest.approx(wanted, abs=1e-12)
        assert show(ensemble_error, n, error, ties=ties).value("error") == pytest.approx(wanted, abs=1e-9)


def test_more_good_voters_err_less() -> None:
    errors = [ensemble_error(n, 0.4) for n in (1, 5, 25, 125)]
    assert errors == sorted(errors, reverse=True)
    assert ensemble_error(25, np.array([0.35, 0.5, 0.65])) == pytest.approx(
        [reference.majority_error(25, e) for e in (0.35, 0.5, 0.65)]
    )


def test_inclusion() -> None:
    assert bootstrap_inclusion(7, draws=3) == pytest.approx(1 - (6 / 7) ** 3)
    assert bootstrap_inclusion(1) == bootstrap_inclusion(1, draws=4) == 1.0
    assert bootstrap_inclusion(9, draws=0) == 0.0
    for n in (2, 10, 1000, float("inf")):
        assert bootstrap_inclusion(n) == pytest.approx(inclusion_probability(n))
    for told in ((10,), (10, 4), (1, 3), (float("inf"),)):
        assert show(bootstrap_inclusion, *told).value("included") == pytest.approx(bootstrap_inclusion(*told))


def test_stage_values() -> None:
    assert stage_value(0.0) == np.inf
    assert stage_value(2 / 3, n_classes=3) == pytest.approx(0, abs=1e-12)
    assert stage_value(0.6, stage="half") == pytest.approx(-0.2027325541)
    assert show(stage_value, [0.2, 0.4], n_classes=3).value("stage") == pytest.approx(
        stage_value([0.2, 0.4], n_classes=3)
    )


def test_votes() -> None:
    assert weighted_vote(["b", "a"]).winner == "a"
    assert weighted_vote(["b", "a", "b"]).votes == {"a": 1.0, "b": 2.0}
    assert show(weighted_vote, ["b", "a", "c"], [1, 2, 0.5]).value("winner") == "a"


def _any(value: Any) -> Any:
    return value


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ensemble_error(0, 0.1), "n_voters must be a whole number of at least 1; got 0"),
        (lambda: ensemble_error(_any(2.5), 0.1), "n_voters must be a whole number"),
        (lambda: ensemble_error(3, 1.2), "error must lie between 0 and 1; got 1.2"),
        (lambda: ensemble_error(3, "a"), "error must lie between 0 and 1; got 'a'"),
        (lambda: ensemble_error(4, 0.1, ties=_any("coin")), "ties must be one of"),
        (lambda: bootstrap_inclusion(0), "n must be a whole number of at least 1; got 0"),
        (lambda: bootstrap_inclusion(4, draws=-1), "draws must be a whole number of at least 0; got -1"),
        (lambda: stage_value(0.1, n_classes=1), "n_classes must be a whole number of at least 2; got 1"),
        (lambda: weighted_vote([]), "somebody must vote"),
        (lambda: weighted_vote([1, 2], [1]), "weights must be one finite number an answer"),
    ],
)
def test_impossible_questions_are_refused(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(PellucidError, match=words):
        call()
