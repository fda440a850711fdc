"""The workbook of a boosted model recomputes the prediction when a value of the row changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pellucid.boosting import BoostedTreesClassifier, LightGBMRegressor, XGBoostClassifier
from pellucid.working.excel import layout, to_excel
from pellucid.working.excel_plan import make_plan
from pellucid.working.shown import _tree_paths

from . import office

RNG = np.random.default_rng(11)
N = 200
TABLE = pd.DataFrame(
    {
        "dose": RNG.normal(size=N),
        "weight": np.where(RNG.random(N) < 0.15, np.nan, RNG.normal(70, 10, N)),
        "site": RNG.choice(["north", "south", "east"], N),
    }
)
RESPONSE = TABLE.dose + 2 * (TABLE.site == "south") + 0.1 * TABLE.weight.fillna(60) + RNG.normal(0, 0.1, N)
MODELS: dict[str, tuple[Any, Any]] = {
    "regression": (LightGBMRegressor(n_estimators=6, random_state=0), RESPONSE),
    "two classes": (XGBoostClassifier(n_estimators=4, max_depth=3), np.where(RESPONSE > 8, "high", "low")),
    "three classes": (BoostedTreesClassifier(n_estimators=3, random_state=0), np.digitize(RESPONSE, [7, 8.5])),
}
FIRST, SECOND = 0, int(np.flatnonzero(TABLE.weight.isna())[0])


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Any, Any, Any]]:
    """The workbook of the first row with the values of the second one put into its inputs, recalculated."""
    folder = tmp_path_factory.mktemp("live")
    files: dict[Path, str] = {}
    results = {}
    for name, (model, y) in MODELS.items():
        model.fit(TABLE, y)
        working, target = model.show_predict(TABLE, rows=[FIRST]), model.show_predict(TABLE, rows=[SECOND])
        to_excel(working, folder / "written.xlsx")
        inputs = {}
        for cell in ("x", "missing"):
            place = layout(working)[working.cells[f"r{FIRST}_{cell}"]]
            values = np.asarray(target.cells[f"r{SECOND}_{cell}"].value).tolist()
            inputs |= {place.moved(down=i): value for i, value in enumerate(values)}
        file = folder / f"{name}.xlsx"
        office.edit(folder / "written.xlsx", file, office.put(inputs))
        files[file] = name
        results[name] = (working, target)
    books = office.recalculate(list(files), folder)
    return {files[file]: (*results[files[file]], book) for file, book in books.items()}


@pytest.mark.parametrize("name", MODELS)
def test_the_prediction_follows_the_inputs(name: str, changed: dict[str, tuple[Any, Any, Any]]) -> None:
    working, target, book = changed[name]
    places = layout(working)
    for cell in ("leaf", "score", "prediction"):
        before, after = working.cells[f"r{FIRST}_{cell}"], target.cells[f"r{SECOND}_{cell}"]
        got = office.read(book, places[before], office.shape(before)).ravel().tolist()
        expected = np.ravel(np.asarray(after.value, dtype=object)).tolist()
        assert np.ravel(np.asarray(before.value, dtype=object)).tolist() != expected, "the two rows differ"
        assert got == (pytest.approx(expected) if not isinstance(expected[0], str) else expected)


def test_a_model_that_is_too_large_says_that_its_leaves_are_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_tree_paths, "MOST_NODES", 10)
    model, y = MODELS["regression"]
    working = model.fit(TABLE, y).show_predict(TABLE, rows=[FIRST])
    assert working.cells[f"r{FIRST}_v"].source is None
    said = "Changing a value of a row changes nothing here."
    assert any("The leaves are numbers, not formulas" in note and said in note for note in working.workbook_notes)
    follows = "do not follow a changed value"  # what nobody can do in a text or on a page
    assert said not in str(working)
    assert follows not in str(working)
    pages = make_plan(working).pages
    assert said in " ".join(line for page in pages for line in page.notes)
    assert follows in " ".join(line for page in pages for _, _, _, lines, _ in page.steps for line in lines)


@pytest.mark.parametrize("scale", [1e6, -1e6, 1e300])
def test_a_number_larger_than_the_table_of_categories_is_no_entry_of_it(scale: float) -> None:
    table = TABLE.assign(dose=scale * TABLE.dose.abs())
    model = LightGBMRegressor(n_estimators=6, random_state=0).fit(table, RESPONSE)
    row = int(table.dose.abs().argmax())
    working = model.show_predict(table, rows=[row])
    assert "member" in working.cells
    assert working.cells[f"r{row}_prediction"].value == pytest.approx(model.predict(table)[row])
