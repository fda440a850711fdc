"""A deliberate error in an expression makes the check fail, wherever it is planted on the way to the numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from pellucid import stats
from pellucid import working as wk
from pellucid.linear_model import GradientDescentRegressor, LinearRegression
from pellucid.working import Cell, Working, WorkingError
from pellucid.working.expression import expr
from pellucid.working.language import absolute
from pellucid.working.matrix import Named, named_in

X, Y = np.array([[1.0], [2.0], [4.0], [3.0], [5.0]]), np.array([1.0, 3.0, 3.0, 2.0, 5.0])
WIDE = np.array([[1.0, 2.5], [2.0, 1.0], [4.0, 0.5], [3.0, 4.0], [5.0, 5.5], [2.5, 3.0]])
TALL = np.array([1.0, 3.0, 3.0, 2.0, 5.0, 4.0])


def least_squares(solver: str) -> Callable[[], Working]:
    return lambda: LinearRegression(solver=solver).fit(X, Y).show_fit(X, Y)


def descent(**settings: Any) -> Callable[[], Working]:
    model = GradientDescentRegressor(eta0=0.01, max_iter=3, tol=None, random_state=0, **settings)
    return lambda: model.fit(WIDE, TALL).show_fit(WIDE, TALL)


WORKINGS: dict[str, Callable[[], Working]] = {
    "simple": least_squares("simple"),
    "normal": least_squares("normal"),
    "qr": least_squares("qr"),
    "predict": lambda: LinearRegression().fit(WIDE, TALL).show_predict(WIDE),
    "summary": lambda: LinearRegression().fit(X, Y).show_summary(X, Y),
    "stochastic": descent(batch_size=1),
    "batch": descent(),
    "mini-batch": descent(batch_size=2),
    "variance": lambda: wk.show(stats.variance, TALL),
    "correlation": lambda: wk.show(stats.correlation, WIDE[:, 0], TALL),
    "quartiles": lambda: wk.show(stats.quartiles, [1.0, 4.0, 9.0, 16.0, 25.0, 36.0, 50.0]),
}


def ancestors(working: Working) -> set[str]:
    """The worked-out cells that some number of the model depends on."""
    found: set[str] = set()

    def visit(cell: Named) -> None:
        if cell.source is not None and cell.name not in found:
            found.add(cell.name)
            for inner in named_in(cell.source):
                visit(inner)

    for cell in working.cells.values():
        if cell.attribute:
            visit(cell)
    return {name for name in found if isinstance(working.cells[name], Cell)}


def planted(make: Callable[[], Working], name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the working with one expression off by a thousandth, or a whole number by one."""

    right = make().value(name)
    whole = bool((np.asarray(right) == np.round(right)).all())  # a place in a list is off by one

    def off(source: Any) -> Any:
        tree = expr(source)
        return tree + (1 if whole else 0.001 * (1 + absolute(tree)))

    plain_cell, plain_becomes = Working.cell, Working.becomes

    def cell(self: Working, named: str, source: Any, **more: Any) -> Cell:
        return plain_cell(self, named, off(source) if named == name else source, **more)

    def becomes(self: Working, target: Any, source: Any, **more: Any) -> Cell:
        named = target if isinstance(target, str) else target.name
        return plain_becomes(self, target, off(source) if named == name else source, **more)

    monkeypatch.setattr(Working, "cell", cell)
    monkeypatch.setattr(Working, "becomes", becomes)
    make()


def cases() -> Iterator[Any]:
    for name, make in WORKINGS.items():
        for cell in sorted(ancestors(make())):
            yield pytest.param(name, cell, id=f"{name}-{cell}")


@pytest.mark.parametrize(("name", "cell"), list(cases()))
def test_an_error_is_found(name: str, cell: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(WorkingError, match="must equal the model's"):
        planted(WORKINGS[name], cell, monkeypatch)


def test_there_are_many_places_to_err() -> None:
    assert len(list(cases())) > 60
