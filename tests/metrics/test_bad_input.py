"""Bad input: every public metric answers, or refuses in one clear sentence that is the library's own.

All public functions are gone over. One that is added later is covered as soon as its first arguments have known names;
otherwise `test_every_function_is_covered` says what to add.
"""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

from pellucid import metrics
from pellucid.base.errors import DataError, ParameterError

OTHERS = ("scorer", "edits", "distances", "pairwise", "gower", "kernels")
FUNCTIONS = {
    name: getattr(metrics, name)
    for name in metrics.__all__
    if inspect.isfunction(getattr(metrics, name))
    # Scorers take models, edit distances take single texts, distances take tables: they have tests of their own.
    and not any(word in getattr(metrics, name).__module__ for word in OTHERS)
}
SHAPE = re.compile(r"[a-z_0-9]+: [^\n]+[.?](\nhint: [^\n]+\.)?")
NAN, INF = float("nan"), float("inf")

LABELS = ([0, 1, 1, 0, 1], [0, 1, 0, 0, 1])
NUMBERS = ([1.0, 2.0, 4.0, 3.0, 5.0], [1.5, 2.0, 3.0, 3.5, 4.0])
SCORES = ([0, 1, 1, 0, 1], [0.1, 0.8, 0.4, 0.3, 0.9])
CHANCES = ([0.5, 0.25, 0.25, 0.0], [0.25, 0.25, 0.25, 0.25])
ROWS = ([[0.0, 1.0], [0.5, 1.0], [4.0, 2.0], [5.0, 2.0], [4.5, 1.0]], [0, 0, 1, 1, 1])
ITEMS = (["a", "b", "c"], ["b", "d"])
USERS = ([["a", "b"], ["c", "b"]], [["b"], ["a"]])
GAINS = ([[3, 1, 2], [0, 1, 1]], [[0.9, 0.1, 0.5], [0.3, 0.2, 0.5]])

# What the first two arguments are, by their names; and what else a function must be given.
DATA: dict[tuple[str, ...], Any] = {
    ("y_true", "y_pred"): LABELS,
    ("y1", "y2"): LABELS,
    ("labels_true", "labels_pred"): LABELS,
    ("y_true", "y_score"): SCORES,
    ("y_true", "y_proba"): SCORES,
    ("y_true", "y_prob"): SCORES,
    ("y_true", "scores"): SCORES,
    ("y_true", "pred_decision"): SCORES,
    ("x", "y"): ([0.0, 0.5, 1.0], [0.0, 1.0, 1.0]),
    ("p", "q"): CHANCES,
    ("p", "base"): CHANCES[:1],
    ("p",): CHANCES[:1],
    ("X", "labels"): ROWS,
    ("recommended", "relevant"): ITEMS,
    (): (),
}
OWN_DATA = {"mean_average_precision": USERS, "hit_rate": USERS, "mean_reciprocal_rank": USERS}
OWN_DATA |= dict.fromkeys(("dcg_score", "ndcg_score"), GAINS)
ALSO: dict[str, dict[str, Any]] = {
    "adjusted_r2_score": {"n_columns": 1},
    "fbeta_score": {"beta": 2},
    "expected_cost": {"costs": [[0, 1], [5, 0]]},
    "weighted_misclassification_rate": {"weights": [1, 2, 1, 1, 1]},
    "precision_at_k": {"k": 2},
    "recall_at_k": {"k": 2},
    "top_k_accuracy_score": {"k": 1},
}
OF_NUMBERS = {"regression", "explained", "deviance"}


def data_of(name: str) -> Any:
    """Good arguments of a function; None where they are not known."""
    if name in OWN_DATA:
        return OWN_DATA[name]
    function = FUNCTIONS[name]
    if function.__module__.rsplit(".", 1)[-1] in OF_NUMBERS:
        return NUMBERS
    positional = [
        parameter.name
        for parameter in inspect.signature(function).parameters.values()
        if parameter.kind is parameter.POSITIONAL_OR_KEYWORD
    ]
    return DATA.get(tuple(positional[:2]))


CASES = [name for name in FUNCTIONS if data_of(name)]


def test_every_function_is_covered() -> None:
    unknown = [name for name in FUNCTIONS if data_of(name) is None]
    assert not unknown, f"add good data of these to DATA or OWN_DATA: {unknown}"


@pytest.mark.parametrize("name", CASES)
def test_good_data_are_accepted(name: str) -> None:
    function, data = FUNCTIONS[name], data_of(name)
    assert function(*data, **ALSO.get(name, {})) is not None
    function(*[np.array(part, dtype=object if name in OWN_DATA else None) for part in data], **ALSO.get(name, {}))


def outcome(name: str, *data: Any, **options: Any) -> Any:
    """The answer, or None after a refusal. Anything else than a refusal in our shape, or a stray warning, fails."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            answer = FUNCTIONS[name](*data, **{**ALSO.get(name, {}), **options})
        except (DataError, ParameterError) as error:
            answer, refusal = None, str(error)
        else:
            refusal = ""
    who = "recall_score" if name == "sensitivity_score" else name  # two names of one function
    assert not refusal or (SHAPE.fullmatch(refusal) and refusal.startswith(f"{who}: ")), refusal
    for one in said:
        assert issubclass(one.category, UserWarning | FutureWarning | UndefinedMetricWarning), str(one.message)
        assert SHAPE.fullmatch(str(one.message)), str(one.message)
    return answer


def ragged() -> list[Any]:
    return [[1], [1, 2], [1], [0], [1, 1, 1]]


# What no metric takes in place of its data.
REFUSED: dict[str, Callable[[], Any]] = {
    "nothing": lambda: None,
    "a number": lambda: 3.5,
    "a text": lambda: "text",
    "bytes": lambda: b"text",
    "a dict": lambda: {"a": 1},
    "an object": object,
    "an array without dimension": lambda: np.array(1.0),
    "three dimensions": lambda: np.ones((5, 2, 2)),
    "no columns": lambda: np.ones((5, 0)),
    "lists of different lengths": ragged,
    "missing values": lambda: [None] * 5,
    "nan": lambda: [NAN] * 5,
    "one nan": lambda: [0.0, 1.0, NAN, 1.0, 0.0],
    "pandas' missing values": lambda: pd.array([1, None, 2, 1, 0], dtype="Int64"),
    "masked values": lambda: np.ma.array([0, 1, 1, 0, 1], mask=[0, 1, 0, 0, 0]),
    "no time": lambda: np.array(["NaT"] * 5, dtype="datetime64[s]"),
    "complex numbers": lambda: [1j, 2j, 1j, 2j, 1j],
    "lists of bytes": lambda: [b"a", b"b", b"a", b"b", b"a"],
    "dicts": lambda: [{}, {}, {}, {}, {}],
    "a record array": lambda: np.zeros(5, dtype=[("a", float)]),
}
# Items of recommendations are any values that can be told apart.
BY_ITEMS = {name for name in CASES if FUNCTIONS[name].__module__.endswith("recommendation")}


@pytest.mark.parametrize("name", CASES)
def test_what_is_refused(name: str) -> None:
    data = data_of(name)
    for what, make in REFUSED.items():
        for at in range(len(data)):
            answer = outcome(name, *[make() if i == at else part for i, part in enumerate(data)])
            assert answer is None or name in BY_ITEMS, f"{what} was taken as argument {at}: {answer}"


# What some metrics take and others refuse.
ODD: dict[str, Callable[[], Any]] = {
    "no rows": list,
    "an array without rows": lambda: np.empty(0),
    "a table without rows": lambda: np.empty((0, 2)),
    "one row": lambda: [1],
    "one row of text": lambda: ["a"],
    "too many rows": lambda: [1] * 9,
    "all equal": lambda: [0.5] * 5,
    "all zero": lambda: [0] * 5,
    "all the same text": lambda: ["a"] * 5,
    "infinity": lambda: [0.0, 1.0, INF, 1.0, -INF],
    "text": lambda: ["a", "b", "a", "c", "b"],
    "numbers as text": lambda: ["0", "1", "1", "0", "1"],
    "text and numbers": lambda: ["a", 1, "b", 2, 1.5],
    "text and None": lambda: ["a", None, "b", "a", "b"],
    "numbers and flags": lambda: [True, 1, 0, False, 2],
    "flags": lambda: [True, False, True, True, False],
    "times": lambda: np.array([1, 2, 1, 2, 1], dtype="datetime64[s]"),
    "huge whole numbers": lambda: [10**30, 1, 2, 3, 4],
    "whole numbers beyond 2^53": lambda: [2**62, 2**62 + 1, 1, 2, 3],
    "unsigned numbers": lambda: np.array([2**64 - 1, 1, 0, 0, 1], dtype=np.uint64),
    "the largest numbers": lambda: [1.7e308, -1.7e308, 1e308, 0.0, 1.0],
    "the smallest numbers": lambda: [5e-324, 0.0, 5e-324, 1e-310, 0.0],
    "half precision": lambda: np.array([0, 1, 1, 0, 1], dtype=np.float16),
    "other bytes": lambda: np.array([0, 1, 1, 0, 1], dtype=">i4"),
    "every second value": lambda: np.arange(10)[::2],
    "unseen labels": lambda: [7, 8, 9, 7, 8],
    "a column": lambda: [[0], [1], [1], [0], [1]],
    "a table": lambda: [[0, 1], [1, 0], [1, 1], [0, 0], [1, 0]],
    "a table of numbers": lambda: np.arange(10.0).reshape(5, 2),
    "a table of text": lambda: [["a", "b"]] * 5,
    "a sparse table": lambda: sp.csr_array(np.eye(5)),
    "a sparse column": lambda: sp.csr_array(np.ones((5, 1))),
    "a frame": lambda: pd.DataFrame({"a": [0, 1, 1, 0, 1], "b": [1, 1, 0, 0, 1]}),
    "a generator": lambda: (i for i in range(5)),
    "a range": lambda: range(5),
    "a set": lambda: {0, 1},
    "tuples": lambda: [(0, 1), (1,), (0,), (), (1, 2)],
    "categories": lambda: pd.Series(["a", "b", "a", "c", "b"], dtype="category"),
    "empty text": lambda: ["", "", "a", "", "a"],
}


@pytest.mark.parametrize("name", CASES)
def test_what_may_be_refused(name: str) -> None:
    data = data_of(name)
    for make in ODD.values():
        for at in range(len(data)):
            outcome(name, *[make() if i == at else part for i, part in enumerate(data)])
        outcome(name, *[make() for _ in data])


WEIGHTS: dict[str, Any] = {
    "zeros": [0, 0, 0, 0, 0],
    "negative": [1, -1, 1, 1, 1],
    "nan": [1, NAN, 1, 1, 1],
    "infinity": [1, INF, 1, 1, 1],
    "too few": [1],
    "none": [],
    "text": ["a", "b", "a", "b", "a"],
    "missing": [1, None, 1, 1, 1],
    "one text": "balanced",
    "two columns": np.ones((5, 2)),
    "three dimensions": np.ones((5, 1, 1)),
    "lists of different lengths": ragged(),
    "a dict": {0: 1, 1: 2},
    "complex": [1j] * 5,
}
WEIGHTED = [name for name in CASES if "sample_weight" in inspect.signature(FUNCTIONS[name]).parameters]


def rows_of(data: Any) -> int:
    return len(data[0])


@pytest.mark.parametrize("name", WEIGHTED)
def test_weights_that_are_refused(name: str) -> None:
    data = data_of(name)
    for what, weight in WEIGHTS.items():
        fitting = isinstance(weight, list | np.ndarray) and len(weight) == 5
        answer = outcome(name, *data, sample_weight=weight[: rows_of(data)] if fitting else weight)
        assert answer is None, what


@pytest.mark.parametrize("name", WEIGHTED)
def test_rows_of_weight_zero_do_not_count(name: str) -> None:
    data = data_of(name)
    n = rows_of(data)
    twice = [[*part, *part] for part in data]
    alone = outcome(name, *data, sample_weight=[1.0] * n)
    with_others = outcome(name, *twice, sample_weight=[1.0] * n + [0.0] * n)
    assert str(alone) == str(with_others)


@pytest.mark.parametrize("name", WEIGHTED)
def test_one_class_has_no_weight(name: str) -> None:
    """As where it is missing: a figure, or a warning with nan or 0, or a sentence."""
    data = data_of(name)
    weight = [float(i % 2) for i in range(rows_of(data))]
    outcome(name, *data, sample_weight=weight)
    outcome(name, *data, sample_weight=[1.0, *[0.0] * (rows_of(data) - 1)])


PARAMETERS: list[Any] = [None, "none of these", -1, 0, 1, 2.5, NAN, INF, [], [1, "a"], [[1]], {}, object(), True, b"a"]
FREE = {"sample_weight", "weights", "random_state", "normalize", "adjusted", "samplewise", "output_dict", "y_pred"}
FREE |= {"ignore_ties", "force_finite", "drop_intermediate", "sparse", "dtype", "warn_for"}


@pytest.mark.parametrize("name", list(FUNCTIONS))
def test_odd_parameters(name: str) -> None:
    data = data_of(name)
    for parameter in inspect.signature(FUNCTIONS[name]).parameters:
        if parameter in FREE or parameter in list(inspect.signature(FUNCTIONS[name]).parameters)[: len(data)]:
            continue
        for value in PARAMETERS:
            outcome(name, *data, **{parameter: value})


# ---- what has a right answer, though it looks bad


def test_a_thousand_classes() -> None:
    y = np.arange(3_000) % 1_000
    wrong = np.roll(y, 1)
    for labels in (y, y.astype(str), y * 10**12):
        codes = np.unique(labels, return_inverse=True)[1]
        assert metrics.accuracy_score(labels, labels) == metrics.balanced_accuracy_score(labels, labels) == 1
        assert metrics.accuracy_score(labels, np.roll(labels, 1)) == 0
        assert metrics.f1_score(labels, labels, average="macro") == 1
        assert metrics.confusion_matrix(labels, np.roll(labels, 1)).sum() == 3_000
        assert metrics.adjusted_rand_score(labels, codes) == 1
    p = np.full((3_000, 1_000), 1e-3)
    assert metrics.log_loss(y, p) == pytest.approx(np.log(1_000))
    assert metrics.top_k_accuracy_score(y, np.eye(1_000)[wrong], k=1) == 0
    assert metrics.roc_auc_score(y, np.eye(1_000)[y], multi_class="ovr") == 1


def test_all_scores_equal() -> None:
    y, score = SCORES[0], [0.5] * 5
    assert metrics.roc_auc_score(y, score) == 0.5
    assert metrics.average_precision_score(y, score) == pytest.approx(0.6)
    assert metrics.log_loss(y, score) == pytest.approx(np.log(2))
    assert metrics.tune_threshold(y, score, metric="accuracy").score == 0.6
    with pytest.warns(UndefinedMetricWarning):
        assert metrics.precision_score(y, [0] * 5) == 0


@pytest.mark.parametrize("name", ["roc_auc_score", "roc_curve"])
def test_a_fold_with_one_class_is_warned_of(name: str) -> None:
    with pytest.warns(UndefinedMetricWarning):
        answer = FUNCTIONS[name]([1, 1, 1], [0.1, 0.2, 0.3])
    assert np.isnan(np.concatenate([np.atleast_1d(part) for part in np.atleast_1d(answer)])).any()


def test_a_fold_that_lacks_a_class() -> None:
    """Labels that occur on one side only: those of the prediction are counted, those of scores must be named."""
    assert metrics.accuracy_score([0, 1, 0], [0, 2, 0]) == pytest.approx(2 / 3)
    assert metrics.confusion_matrix([0, 1, 0], [0, 2, 0]).tolist() == [[2, 0, 0], [0, 0, 1], [0, 0, 0]]
    p = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1]]
    with pytest.raises(DataError, match="labels"):
        metrics.log_loss([0, 1], p)
    assert metrics.log_loss([0, 1], p, labels=[0, 1, 2]) == pytest.approx(-np.log(0.8))


def test_chances_that_do_not_sum_to_one() -> None:
    p = [[0.5, 0.2], [0.5, 0.5]]
    with pytest.warns(UserWarning, match="do not sum to one"):
        metrics.log_loss([0, 1], p)
    with pytest.raises(DataError, match="sum up to 1"):
        metrics.roc_auc_score([0, 1, 2], np.full((3, 3), 0.5), multi_class="ovr")
    with pytest.raises(DataError, match="must sum to one"):
        metrics.entropy([0.5, 0.2])


ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.integers(),
    st.floats(),
    st.text(max_size=2),
    st.binary(max_size=2),
    st.complex_numbers(),
)


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(CASES),
    st.one_of(ANYTHING, st.lists(ANYTHING, max_size=6), st.lists(st.lists(ANYTHING, max_size=3), max_size=6)),
    st.booleans(),
)
def test_anything_at_all(name: str, value: Any, both: bool) -> None:
    data = data_of(name)
    outcome(name, *[value if both or i == 0 else part for i, part in enumerate(data)])
    outcome(name, *[part if i == 0 else value for i, part in enumerate(data)])
