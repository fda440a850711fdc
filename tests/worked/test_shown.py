"""Every example that the gallery shows has its figures in its working, and every figure stands in every rendering."""

from __future__ import annotations

import re

import numpy as np
import pytest

from pellucid.working import Cell, gallery
from pellucid.working.boxes import number
from pellucid.working.printers import latex, unicode

from .frame import all_answers, faults, load, manifest
from .shown import figures, working
from .shown_ada_boost import READINGS as WITH_ADA_BOOST
from .shown_association import READINGS as WITH_ASSOCIATION
from .shown_bayes import READINGS as WITH_BAYES
from .shown_boosted_trees import READINGS as WITH_BOOSTED_TREES
from .shown_cart import READINGS as WITH_CART
from .shown_chaid import READINGS as WITH_CHAID
from .shown_clusters import READINGS as WITH_CLUSTERS
from .shown_components import READINGS as WITH_COMPONENTS
from .shown_discriminants import READINGS as WITH_DISCRIMINANTS
from .shown_edit_distance import READINGS as WITH_EDIT_DISTANCE
from .shown_encoding import READINGS as WITH_ENCODING
from .shown_ensembles import READINGS as WITH_ENSEMBLES
from .shown_forests import READINGS as WITH_FORESTS
from .shown_kd_tree import READINGS as WITH_KD_TREE
from .shown_lasso import READINGS as WITH_LASSO
from .shown_logistic import READINGS as WITH_LOGISTIC
from .shown_lsh import READINGS as WITH_LSH
from .shown_lvq import READINGS as WITH_LVQ
from .shown_maps import READINGS as WITH_MAPS
from .shown_naive_bayes_numbers import READINGS as WITH_NAIVE_BAYES_NUMBERS
from .shown_neighbors import READINGS as WITH_NEIGHBORS
from .shown_networks import READINGS as WITH_NETWORKS
from .shown_outliers import READINGS as WITH_OUTLIERS
from .shown_recommend import READINGS as WITH_RECOMMEND
from .shown_ridge import READINGS as WITH_RIDGE
from .shown_rules import READINGS as WITH_RULES
from .shown_scores import READINGS
from .shown_sgd import READINGS as WITH_SGD
from .shown_svm import READINGS as WITH_SVM
from .shown_trees_by_gain import READINGS as WITH_TREES_BY_GAIN

assert (
    WITH_ADA_BOOST
    is WITH_ASSOCIATION
    is WITH_BAYES
    is WITH_BOOSTED_TREES
    is WITH_CART
    is WITH_CHAID
    is WITH_CLUSTERS
    is WITH_COMPONENTS
    is WITH_OUTLIERS
    is WITH_DISCRIMINANTS
    is WITH_EDIT_DISTANCE
    is WITH_ENCODING
    is WITH_ENSEMBLES
    is WITH_FORESTS
    is WITH_KD_TREE
    is WITH_LASSO
    is WITH_LOGISTIC
    is WITH_LSH
    is WITH_LVQ
    is WITH_MAPS
    is WITH_NAIVE_BAYES_NUMBERS
    is WITH_NEIGHBORS
    is WITH_NETWORKS
    is WITH_RECOMMEND
    is WITH_RIDGE
    is WITH_RULES
    is WITH_SGD
    is WITH_SVM
    is WITH_TREES_BY_GAIN
    is READINGS
)  # one table of readings, filled by every module of them

# Families whose own examples, those they are named first for, must all be shown.
FAMILIES = ("LinearRegression", "GradientDescentRegressor", "stats.", "metrics.", "model_selection.")


@pytest.mark.parametrize("name", sorted(READINGS))
def test_every_figure_stands_in_the_working(name: str) -> None:
    found = faults(load(name).figures, figures(name))
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", sorted(READINGS))
def test_no_reading_without_a_figure(name: str) -> None:
    assert set(figures(name)) <= {figure.name for figure in load(name).figures}


def test_what_the_gallery_shows_is_tested() -> None:
    assert set(gallery.titles()) == set(READINGS)


def test_every_answered_example_of_these_families_is_shown() -> None:
    by = {name: entry["by"] for name, entry in manifest()["example"].items()}
    answered = [name for name in all_answers() if name in by and by[name][0].startswith(FAMILIES)]
    assert sorted(set(answered) - set(READINGS)) == []


@pytest.mark.parametrize("name", sorted(READINGS))
def test_every_number_stands_in_text_markdown_and_latex(name: str) -> None:
    """With 15 digits every single cell, and every entry of columns up to 40 entries, can be read off."""
    shown = working(name)
    text = shown.to_text(digits=15, most_rows=40)
    markdown, tex = shown.to_markdown(digits=15, most_rows=40), shown.to_latex(digits=15, most_rows=40)
    spaced = {"markdown": re.sub(r"\s+", " ", markdown), "latex": re.sub(r"\s+", " ", tex)}
    for cell in shown.cells.values():
        for value in _shown_values(cell):
            box = number(value, 15)
            assert unicode(box) in text, (cell.name, value)
            written = re.sub(r"\s+", " ", latex(box)).strip()
            word = value if isinstance(value, str) else written  # given words stand in markdown without quotes
            assert all(written in page or word in page for page in spaced.values()), (cell.name, value)


def _shown_values(cell: object) -> list[object]:
    if isinstance(cell, Cell) and cell.axis is None:
        return [cell.value]
    values = np.asarray(cell.value)  # type: ignore[attr-defined]
    if values.dtype.kind not in "if":
        return []
    return list(values.ravel()) if len(values) <= 40 else list(values[:20].ravel())
