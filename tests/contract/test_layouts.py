"""The memory layout of a table changes no bit of what is learned or predicted."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from . import tables
from .frame import SUBJECTS, Problem, Subject, answers, assert_same_bits, assert_same_fit, case, fit, problem

pytestmark = pytest.mark.filterwarnings("ignore::pellucid.base.errors.PellucidWarning")
LAYOUTS = {
    "F order": np.asfortranarray,
    "every second row and third column": tables.strided,
    "every second column of F order": lambda X: np.asfortranarray(np.repeat(X, 2, axis=1))[:, ::2],
    "rows and columns backwards": tables.reversed_view,
}
# The last columns of a row fill no vector; a tall table has several blocks of rows; a wide one has fewer rows than
# columns, for which some solvers take another way.
SIZES = {"small": (70, 11), "tall": (1100, 37), "wide": (30, 45)}


@cache
def data(subject: Subject, size: str) -> Problem:
    """A problem whose sums are inexact in every order: thirds are no binary fractions."""
    X, y, weight = problem(subject, *SIZES[size])
    return Problem(X / 3, y, weight)


@cache
def model_of_rows(subject: Subject, size: str) -> tuple[Any, dict[str, Any]]:
    """The model fitted to the table in C order, and what it says about that table."""
    X, y, _ = data(subject, size)
    model = fit(subject.make(), X, y)
    return model, answers(model, X)


def refuses_wide(subject: Subject) -> bool:
    """Does this solver need as many rows as columns?"""
    return subject.name == "LinearRegression" and subject.params.get("solver") in ("qr", "normal")


def cases() -> list[Any]:
    """Every subject on a small table; other sizes count as exhaustive."""
    return [
        case(subject, size, id=f"{subject}-{size}", exhaustive=size != "small")
        for subject in SUBJECTS
        for size in SIZES
        if size != "wide" or not refuses_wide(subject)
    ]


@pytest.mark.parametrize(("subject", "size"), cases())
def test_predictions_have_the_same_bits_for_every_layout(subject: Subject, size: str) -> None:
    X = data(subject, size).X
    model, wanted = model_of_rows(subject, size)
    for name, layout in LAYOUTS.items():
        assert_same_bits(answers(model, layout(X)), wanted, name)


@pytest.mark.parametrize(("subject", "size"), cases())
def test_fits_have_the_same_bits_for_every_layout(subject: Subject, size: str) -> None:
    X, y, _ = data(subject, size)
    model, _ = model_of_rows(subject, size)
    for layout in LAYOUTS.values():
        assert_same_fit(fit(subject.make(), layout(X), y), model)
