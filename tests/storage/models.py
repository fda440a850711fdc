"""Models for the tests of storage: every registered estimator, fitted to data that suit it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pellucid
from pellucid.base.registry import role_of
from pellucid.naive_bayes import GaussianNB


def _contract(name: str) -> Any:
    """A module of the contract tests, which stand in a folder of their own."""
    folder = Path(__file__).parents[1] / "contract"
    if "contract" not in sys.modules:
        spec = spec_from_file_location("contract", folder / "__init__.py", submodule_search_locations=[str(folder)])
        assert spec is not None
        assert spec.loader is not None
        sys.modules["contract"] = module_from_spec(spec)
        spec.loader.exec_module(sys.modules["contract"])
    return import_module(f"contract.{name}")


frame = _contract("frame")
tables = _contract("tables")

TEXTS = ["the ash is a tree", "a birch is white", "the cedar is tall", "ash and birch", "a tall white tree"]
BASKETS = [["bread", "milk"], ["bread", "beer", "eggs"], ["milk", "beer"], ["bread", "milk", "beer"], ["bread", "milk"]]
# Label encoders read a target and no table.
LABELS: dict[str, Any] = {
    "LabelEncoder": ["ash", "birch", "ash"],
    "LabelBinarizer": ["ash", "birch", "cedar"],
    "MultiLabelBinarizer": [("ash", "birch"), ("cedar",)],
}


def _ours(value: Any) -> Any:
    """A setting in which the tests' own classifier is replaced by one of the library's."""
    if type(value).__name__ == "NearestMean":
        return GaussianNB()
    if isinstance(value, (list, tuple)):
        return type(value)(_ours(part) for part in value)
    return value


def _reads_texts(cls: type[Any]) -> bool:
    return cls.__module__.startswith("pellucid.text.")


SUBJECTS = [
    frame.Subject(one.cls, {name: _ours(value) for name, value in one.params.items()})
    for one in frame.SUBJECTS
    if not _reads_texts(one.cls)
]


def _cases() -> list[Any]:
    made_with = {name: {key: _ours(value) for key, value in given.items()} for name, given in frame.MADE_WITH.items()}
    default = [str(frame.Subject(one.cls, made_with.get(one.name, {}))) for one in SUBJECTS]
    return [
        pytest.param(
            one,
            id=str(one),
            marks=[*frame.expected_warnings(one), *([] if str(one) in default else [pytest.mark.exhaustive])],
        )
        for one in SUBJECTS
    ]


each = pytest.mark.parametrize("subject", _cases())


def fitted(subject: Any, form: str = "pandas") -> tuple[Any, Any]:
    """A subject fitted to its problem, with weights where it takes them; and the table."""
    X, y, weight = frame.problem(subject)
    table = frame.FORMS[form](X)
    return frame.fit(subject.make(), table, y, weight if subject.takes_weight else None), table


def _of_texts(cls: type[Any]) -> tuple[Any, Any]:
    made = cls()
    columns = cls.__name__ in ("TfidfTransformer",)
    data: Any = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 1.0], [3.0, 1.0, 0.0]]) if columns else TEXTS
    return made.fit(data), data


def _of_labels(cls: type[Any]) -> tuple[Any, Any]:
    return cls().fit(LABELS[cls.__name__]), LABELS[cls.__name__]


def _of_baskets(cls: type[Any]) -> tuple[Any, Any]:
    return cls().fit(BASKETS), BASKETS


def _of_ratings(cls: type[Any]) -> tuple[Any, Any]:
    random = np.random.default_rng(0)
    triples = [
        (f"user {u}", f"item {i}", float(random.integers(1, 6))) for u in range(12) for i in range(8) if (u * i) % 3
    ]
    if cls.__name__ == "ContentBasedRecommender":
        return cls().fit(triples, {f"item {i}": [1.0 * i, i % 2] for i in range(8)}), triples
    return cls().fit(triples), triples


def others() -> list[Any]:
    """Registered estimators whose input is no table with an answer for each row, with how to fit them."""
    known = {one.cls for one in SUBJECTS}
    found = []
    for name, cls in pellucid.all_estimators():
        if cls in known:
            continue
        way: Callable[[type[Any]], tuple[Any, Any]]
        if name in LABELS:
            way = _of_labels
        elif _reads_texts(cls):
            way = _of_texts
        else:
            way = {"rule_miner": _of_baskets, "recommender": _of_ratings}[str(role_of(cls))]
        found.append(pytest.param(cls, way, id=name))
    return found
