"""Maps of findings, and tables before and after."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from pellucid.base.errors import DataError
from pellucid.plotting import before_and_after, findings_map
from pellucid.quality import Cleaner, Finding, Findings, Fix


def test_a_cell_shows_its_gravest_finding() -> None:
    found = [
        Finding("a", "note", ("x", "y"), np.array([0, 1]), "note"),
        Finding("b", "error", ("y",), np.array([1]), "error"),
        Finding("c", "warning", ("x",), np.array([], dtype=int), "about the whole column"),
    ]
    ax = findings_map(Findings(found, 3, ["x", "y"]))
    assert ax.images[0].get_array().tolist() == [[1, 1], [1, 3], [0, 0]]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["error", "warning", "note"]
    assert ax.get_title() == "4 of 6 cells have a finding"


def test_long_tables_are_drawn_in_bands() -> None:
    ax = findings_map(Findings([Finding("a", "error", ("x",), np.array([999]), "last")], 1000, ["x"]))
    bands = ax.images[0].get_array()
    assert bands.shape == (250, 1)
    assert bands[-1, 0] == 3
    assert bands[:-1].max() == 0


def test_nothing_found() -> None:
    assert findings_map(Findings([], 3, ["x"])).get_title() == "0 of 3 cells have a finding"


TABLE = pd.DataFrame({"city": [" Bonn", "Ulm", " Ulm", "Ulm"], "n": [1.0, 2.0, 3.0, 2.0], "same": [1, 1, 1, 1]})


def test_changed_cells_and_dropped_rows() -> None:
    log = Cleaner(remedies=[Fix("trim", ("city",)), Fix("drop_duplicates")]).fit(TABLE).log_
    before, after = before_and_after(log, TABLE)
    left, right = before.tables[0].get_celld(), after.tables[0].get_celld()
    assert [left[i, 0].get_text().get_text() for i in range(4)] == ["city", "' Bonn'", "' Ulm'", "Ulm"]
    assert [right[i, 0].get_text().get_text() for i in range(4)] == ["city", "Bonn", "Ulm", "dropped"]
    assert [left[i, -1].get_text().get_text() for i in range(1, 4)] == ["0", "2", "3"]
    assert to_hex(left[1, 0].get_facecolor()) != to_hex(left[3, 0].get_facecolor())


def test_columns_and_rows_asked_for() -> None:
    log = Cleaner(remedies=[Fix("trim", ("city",))]).fit(TABLE).log_
    _, after = before_and_after(log, TABLE, columns=["n", "city"], rows=[1])
    cells = after.tables[0].get_celld()
    assert [cells[1, j].get_text().get_text() for j in range(2)] == ["2", "Ulm"]
    with pytest.raises(DataError, match="columns must be those"):
        before_and_after(log, TABLE, columns=["x"])
    with pytest.raises(DataError, match="nothing was changed"):
        before_and_after(Cleaner(remedies=[]).fit(TABLE).log_, TABLE)
