"""Workings of baskets: every form is rendered, the workbook recalculates, other baskets are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pellucid.association import Apriori, AssociationRules, Eclat, FrequentItemsets
from pellucid.base.errors import DataError, NotFittedError
from pellucid.working import WorkingError, gallery_association  # noqa: F401  (registers its examples)
from pellucid.working.excel import layout, to_excel
from pellucid.working.gallery_base import SHOWN, load
from tests.worked.frame import difference
from tests.worked.frame import load as load_figures
from tests.worked.shown_association import READINGS
from tests.working import office

ORDERS = [["bread", "milk"], ["bread", "milk", "tea"], ["bread", "tea"], ["milk"], []]
MODELS: list[Any] = [
    Apriori(min_support=0.4),
    Apriori(min_support=2, min_length=2),
    Eclat(min_support=0.4, kind="closed"),
    FrequentItemsets(min_support=1, kind="maximal"),
    AssociationRules(min_support=0.2, min_confidence=0.5),
    AssociationRules(min_support=0.9),
    Apriori(min_support=0.9),
    Eclat(min_support=0.9),
]
EXAMPLES = ["003-association-rules-fast-food", "003-apriori-lattice-pruning"]


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_every_form_is_rendered(model: Any, tmp_path: Path) -> None:
    shown = model.fit(ORDERS).show_fit(ORDERS)
    assert shown.value("n") == 5
    for text in (shown.to_text(), shown.to_markdown(), shown.to_latex(), shown.to_html()):
        assert "bread" in text
    assert to_excel(shown, tmp_path / "shown.xlsx").stat().st_size > 0


def test_the_working_gives_the_support_of_every_set() -> None:
    model = Apriori(min_support=0.4).fit(ORDERS)
    shown = model.show_fit(ORDERS)
    for one in model.itemsets_:
        tag = "_".join(str(model.items_.tolist().index(item)) for item in one.items)
        assert shown.value(f"support_{tag}") == one.support
    assert shown.value("support_1_2") == 0.2  # counted, and not frequent
    assert [shown.value(f"frequent_{level.length}") for level in model.levels_] == [3, 2]


def test_a_set_that_is_not_counted_is_named_with_the_part_that_it_falls_with() -> None:
    baskets = [list("ab"), list("ac"), list("bd"), list("ab"), list("ac"), list("bd"), list("cb"), list("cb")]
    shown = Apriori(min_support=2).fit(baskets).show_fit(baskets)
    said = [step.sentence for step in shown.steps]
    assert not any("Not counted" in one for one in said[:-1])
    triangle = [list("abd"), list("acd"), list("bcd"), list("ab"), list("ac"), list("ad")]
    shown = Apriori(min_support=2).fit(triangle).show_fit(triangle)
    assert "Not counted, as a part is not frequent: a + b + c (for b + c)" in shown.steps[-1].sentence


def test_the_rules_asked_for_are_shown() -> None:
    model = AssociationRules(min_support=0.2, min_confidence=0.5).fit(ORDERS)
    shown = model.show_fit(ORDERS, rules=[2, 0])
    assert [step.title for step in shown.steps][2:] == [
        f"Rule {k}: {str(model.rules_[k - 1]).replace('=>', '→')}" for k in (3, 1)
    ]
    assert shown.value("rule_3_lift") == pytest.approx(model.rules_[2].lift, rel=1e-12)
    with pytest.raises(DataError, match="rules must be between 0 and"):
        model.show_fit(ORDERS, rules=[99])


def test_many_baskets_are_counted_but_not_written_out() -> None:
    many = ORDERS * 30
    for model in (Apriori(min_support=0.4), Eclat(min_support=0.4), AssociationRules(min_support=0.4)):
        shown = model.fit(many).show_fit(many)
        assert "150 baskets are too many to be written out" in shown.notes[0]
        assert shown.value("support_0") == 0.6


@pytest.mark.parametrize("model", MODELS[:5], ids=repr)
def test_other_baskets_are_refused(model: Any) -> None:
    model.fit(ORDERS)
    with pytest.raises(WorkingError):
        model.show_fit(ORDERS[:-1])
    with pytest.raises(WorkingError):
        model.show_fit([*ORDERS[:-1], ["bread", "milk", "tea"]])
    with pytest.raises(NotFittedError):
        type(model)().show_fit(ORDERS)


@pytest.mark.parametrize("name", EXAMPLES)
def test_figures_of_examples_stand_in_their_workings(name: str) -> None:
    shown = SHOWN[name](load(name))
    example = load_figures(name)
    given = READINGS[name](shown, example)
    for figure in example.figures:
        message = difference(figure, given[figure.name])
        assert message is None, message


@pytest.mark.slow
def test_workbooks_recalculate_to_the_workings(tmp_path: Path) -> None:
    made = {name: SHOWN[name](load(name)) for name in EXAMPLES}
    made |= {repr(model): model.fit(ORDERS).show_fit(ORDERS) for model in MODELS}
    files = {name: to_excel(shown, tmp_path / f"{k}.xlsx") for k, (name, shown) in enumerate(made.items())}
    done = office.recalculate(list(files.values()), tmp_path / "office")
    for name, shown in made.items():
        wrong = office.differences(shown, done[files[name]], layout(shown))
        assert not wrong, f"{name}: {wrong[:5]}"
