"""The workbooks of clusters, components and outliers, worked out by LibreOffice from nothing."""

from __future__ import annotations

from typing import Any

import pytest

from pellucid.working import Working
from pellucid.working.excel import layout, to_excel

from . import clusters, office

NAMES = list(clusters.workings())


@pytest.fixture(scope="module")
def books(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Working, Any]]:
    shown = clusters.workings()
    folder = tmp_path_factory.mktemp("clusters")
    files = {name: to_excel(one, folder / f"{i}.xlsx") for i, (name, one) in enumerate(shown.items())}
    done = office.recalculate(list(files.values()), tmp_path_factory.mktemp("office"))
    return {name: (shown[name], done[file]) for name, file in files.items()}


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_workbook_recalculates_to_the_working(name: str, books: dict[str, tuple[Working, Any]]) -> None:
    shown, book = books[name]
    wrong = office.differences(shown, book, layout(shown))
    assert not wrong, f"{len(wrong)} numbers differ: " + "; ".join(wrong[:5])
