"""The workings of tests and intervals: from the scores of folds to p values, recalculated by LibreOffice too."""

from __future__ import annotations

from typing import Any

import pytest

from pellucid import model_selection
from pellucid.working import Working, known, show
from pellucid.working.excel import layout, to_excel

from . import office

A, B = [0.9, 0.8, 0.85, 0.95], [0.8, 0.75, 0.8, 0.85]
CASES: dict[str, tuple[str, tuple[Any, ...]]] = {
    "t-test": ("corrected_t_test", (A, B, 1 / 3)),
    "equal": ("corrected_t_test", (A, A, 1 / 3)),
    "interval": ("score_interval", (A, 0.25)),
    "few rows": ("mcnemar_test", ([1, 1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 1, 1])),
    "agreed": ("mcnemar_test", ([1, 0], [1, 0])),
    "many rows": ("mcnemar_test", ([1] * 40 + [0] * 20, [0] * 40 + [1] * 20)),
}


def working(name: str) -> Working:
    function, data = CASES[name]
    return show(getattr(model_selection, function), *data)


@pytest.fixture(scope="module")
def books(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Working, Any]]:
    folder = tmp_path_factory.mktemp("books")
    made = {name: working(name) for name in CASES}
    files = {name: to_excel(shown, folder / f"{i}.xlsx") for i, (name, shown) in enumerate(made.items())}
    done = office.recalculate(list(files.values()), tmp_path_factory.mktemp("office"))
    return {name: (made[name], done[files[name]]) for name in CASES}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_the_workbook_recalculates(name: str, books: dict[str, tuple[Working, Any]]) -> None:
    shown, book = books[name]
    wrong = office.differences(shown, book, layout(shown))
    assert not wrong, wrong[:5]


def test_numbers_by_hand() -> None:
    t_test = working("t-test")
    assert t_test.value("mean") == pytest.approx(0.075)
    assert t_test.value("t") == pytest.approx(0.075 / ((1 / 4 + 1 / 3) * 0.0025 / 3) ** 0.5)
    tosses = working("few rows")
    assert tosses.value("chance").tolist() == [c / 64 for c in (1, 6, 15, 20, 15, 6, 1)]
    assert tosses.value("p") == pytest.approx(14 / 64)


def test_they_are_listed() -> None:
    wanted = {f"model_selection.{name}" for name, _ in CASES.values()}
    assert wanted <= set(known())
