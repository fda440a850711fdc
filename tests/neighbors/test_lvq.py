"""Learning vector quantization: the kernel walks as the reference, starts are as said, words are clear."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from pellucid.base.errors import ConvergenceWarning, DataError, ParameterError, UnscaledColumnsWarning
from pellucid.neighbors import LVQClassifier
from pellucid.reference import lvq as reference

RANDOM = np.random.default_rng(0)
CODES = np.repeat([0, 1, 2], 15)
X = np.array([[0.0, 0.0, 0.0], [3.0, 0.0, 1.0], [1.0, 3.0, 0.0]])[CODES] + RANDOM.normal(size=(45, 3))
Y = np.array(["ash", "birch", "cedar"])[CODES]
VARIANTS = ("lvq1", "olvq1", "lvq2.1", "lvq3", "glvq")


def columns(record: Any, table: str) -> dict[str, Any]:
    names, rows = record[table]
    return {name: rows[:, k] for k, name in enumerate(names)}


def orders_of(record: Any, epochs: int) -> list[list[int]]:
    told = columns(record, "updates")
    return [told["row"][told["epoch"] == e].astype(int).tolist() for e in range(epochs)]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(("decay", "weighted"), [("linear", False), ("per_update", True), ("constant", False)])
def test_the_kernel_walks_as_the_reference_does(variant: Any, decay: Any, weighted: bool) -> None:
    weight = RANDOM.integers(1, 5, size=45) / 2 if weighted else None
    model = LVQClassifier(variant=variant, n_prototypes=7, decay=decay, max_iter=4, learning_rate=0.3, random_state=1)
    record = model.set_params(keep_path=True, hold=0.1).fit_with_history(X, Y, weight)
    start, width = model.initial_codebook_, X.max(axis=0) - X.min(axis=0)
    low, high = X.min(axis=0) - 0.1 * width, X.max(axis=0) + 0.1 * width
    rule = reference.Rule(variant, spread=reference.spread(X))
    run = reference.train(
        X, Y.tolist(), start, model.codebook_labels_.tolist(), rule, rate=0.3, epochs=4, decay=decay, weight=weight,
        orders=orders_of(record, 4), box=(np.minimum(low, start.min(axis=0)), np.maximum(high, start.max(axis=0))),
    )  # fmt: skip
    np.testing.assert_allclose(model.codebook_, run.codebook, rtol=1e-9)
    np.testing.assert_allclose(model.codebook_path_, [start, *run.path], rtol=1e-9)
    np.testing.assert_array_equal(model.mistakes_, run.mistakes)
    told = columns(record, "updates")
    for t, update in enumerate(run.updates):
        steps = {
            int(told[f"{who}"][t]): told[f"{who}_step"][t] for who in ("first", "second") if told[f"{who}_step"][t]
        }
        assert steps.keys() == {v for v, step in update.steps.items() if step}
        assert all(abs(steps[v] - update.steps[v]) < 1e-9 for v in steps)
        assert told["first_distance"][t] == pytest.approx(update.distances[int(told["first"][t])], rel=1e-9, abs=1e-12)


def test_rows_of_weight_zero_are_passed_over() -> None:
    weight = np.arange(45.0) % 3
    model = LVQClassifier(n_prototypes=6, max_iter=2, decay="per_update", shuffle=False, hold=None, random_state=0)
    model.fit(X, Y, weight)
    labels = model.codebook_labels_.tolist()
    run = reference.train(
        X, Y.tolist(), model.initial_codebook_, labels, rate=0.1, epochs=2, decay="per_update", weight=weight
    )
    np.testing.assert_allclose(model.codebook_, run.codebook, rtol=1e-9)
    assert not any((X[::3] == vector).all(axis=1).any() for vector in model.initial_codebook_)


def test_a_second_phase_goes_on_where_the_first_ended() -> None:
    model = LVQClassifier(
        n_prototypes=6, max_iter=3, second_variant="lvq3", second_learning_rate=0.05, second_max_iter=2, shuffle=False,
        random_state=0, hold=None,
    ).fit(X, Y)  # fmt: skip
    labels = model.codebook_labels_.tolist()
    first = reference.train(X, Y.tolist(), model.initial_codebook_, labels, rate=0.1, epochs=3)
    second = reference.train(X, Y.tolist(), first.codebook, labels, reference.Rule("lvq3"), rate=0.05, epochs=2)
    np.testing.assert_allclose(model.codebook_, second.codebook, rtol=1e-9)
    assert model.n_iter_ == 5
    assert len(model.mistakes_) == 5


def test_glvq_follows_the_gradient_of_its_cost() -> None:
    """One row, one step: minus a quarter of rate and spread times the slope of f, by differences of the cost."""
    start, labels, row = np.array([[0.0, 0.0], [2.0, 1.0]]), ["a", "b"], np.array([[0.5, 1.5]])
    table = np.vstack([row, [[0.0, 0.0]], [[2.0, 1.0]]])  # the others stand on vectors, which then do not move
    settings: dict[str, Any] = {"init": start, "init_labels": labels, "shuffle": False, "steepness": 3.0}
    model = LVQClassifier(variant="glvq", learning_rate=0.01, max_iter=1, **settings)
    record = model.fit_with_history(table, ["a", "a", "b"])
    told = columns(record, "updates")
    moved = [told[f"{who}_step"][0] * (row[0] - start[int(told[who][0])]) for who in ("first", "second")]
    slope = np.empty((2, 2))
    for v, j in np.ndindex(2, 2):
        ends = []
        for sign in (1, -1):
            near = start.copy()
            near[v, j] += sign * 1e-6
            ends.append(reference.cost(row, ["a"], near, labels, steepness=3.0))
        slope[v, j] = (ends[0] - ends[1]) / 2e-6
    np.testing.assert_allclose(moved, -0.01 * reference.spread(table) / 4 * slope, rtol=1e-5)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("power", [600, -600])
def test_the_unit_of_the_table_does_not_matter(variant: Any, power: int) -> None:
    settings: dict[str, Any] = {"variant": variant, "n_prototypes": 6, "max_iter": 5, "random_state": 0}
    plain, other = LVQClassifier(**settings).fit(X, Y), LVQClassifier(**settings).fit(np.ldexp(X, power), Y)
    np.testing.assert_allclose(np.ldexp(other.codebook_, -power), plain.codebook_, rtol=1e-9)
    np.testing.assert_array_equal(other.predict(np.ldexp(X, power)), plain.predict(X))
    np.testing.assert_allclose(other.decision_function(np.ldexp(X, power)), plain.decision_function(X), atol=1e-9)


def test_where_codebooks_begin() -> None:
    made = {init: LVQClassifier(init=init, n_prototypes=9, random_state=0, max_iter=1).fit(X, Y)
            for init in ("rows", "means", "range", "mixed")}  # fmt: skip
    for vector, label in zip(made["rows"].initial_codebook_, made["rows"].codebook_labels_, strict=True):
        assert (X[label == Y] == vector).all(axis=1).any()
    assert len(np.unique(made["rows"].initial_codebook_, axis=0)) == 9
    for j in range(3):
        assert set(made["mixed"].initial_codebook_[:, j]) <= set(X[:, j])
        assert (made["range"].initial_codebook_[:, j] >= X[:, j].min()).all()
        assert (made["range"].initial_codebook_[:, j] <= X[:, j].max()).all()
    one = LVQClassifier(init="means", n_prototypes=1, allot="each", max_iter=1).fit(X, Y)
    np.testing.assert_allclose(one.initial_codebook_, [X[label == Y].mean(axis=0) for label in one.classes_])
    line = np.array([[0.0], [1.0], [10.0], [11.0], [5.0]])  # two clumps, whose means k-means finds
    two = LVQClassifier(init="means", n_prototypes={"a": 2, "b": 1}, max_iter=1).fit(line, list("aaaab"))
    np.testing.assert_array_equal(np.sort(two.initial_codebook_[:2, 0]), [0.5, 10.5])


def test_vectors_are_shared_out_among_the_classes() -> None:
    y = np.repeat(["few", "many"], [5, 40])
    shares = {
        how: np.unique(
            LVQClassifier(n_prototypes=6, allot=how, max_iter=1).fit(X, y).codebook_labels_, return_counts=True
        )[1]
        for how in ("proportional", "equal", "each")
    }
    assert {how: counts.tolist() for how, counts in shares.items()} == {
        "proportional": [1, 5], "equal": [3, 3], "each": [5, 6],  # five rows are all that there are
    }  # fmt: skip


def test_several_neighbors_vote_as_in_the_reference() -> None:
    model = LVQClassifier(n_prototypes=9, max_iter=5, random_state=0).fit(X, Y)
    for k in (1, 2, 3, 4, 50):
        said = model.set_params(n_neighbors=k).predict(X)
        assert said.tolist() == reference.predict(X, model.codebook_, model.codebook_labels_.tolist(), k)
    scores = model.set_params(n_neighbors=1).decision_function(X)
    np.testing.assert_array_equal(model.classes_[scores.argmax(axis=1)], model.predict(X))
    assert np.abs(scores).max() <= 1
    assert not hasattr(model.set_params(n_neighbors=2), "decision_function")
    assert not hasattr(model, "predict_proba")


def test_learning_in_parts_is_one_epoch_a_part() -> None:
    settings: dict[str, Any] = {"n_prototypes": 6, "shuffle": False, "random_state": 0}
    whole, part = LVQClassifier(max_iter=1, **settings).fit(X, Y), LVQClassifier(**settings).partial_fit(X, Y)
    np.testing.assert_array_equal(part.codebook_, whole.codebook_)
    labels = whole.codebook_labels_.tolist()
    again = reference.train(X[:20], Y[:20].tolist(), whole.codebook_, labels, rate=0.1, decay="constant")
    np.testing.assert_allclose(part.partial_fit(X[:20], Y[:20]).codebook_, again.codebook, rtol=1e-9)
    assert part.n_iter_ == 2
    with pytest.raises(DataError, match=r"labels must be among 'ash', 'birch', 'cedar'; y has 'oak' besides"):
        part.partial_fit(X[:2], ["oak", "ash"])
    with pytest.raises(DataError, match=r"init='rows' takes vectors from rows of each class; class 'cedar' has none"):
        LVQClassifier().partial_fit(X[:30], Y[:30].astype(object), classes=np.array(["ash", "birch", "cedar"], object))
    assert LVQClassifier(init="range", random_state=0).partial_fit(X[:30], Y[:30], classes=np.unique(Y)).n_iter_ == 1


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"n_prototypes": 2}, "n_prototypes must be at least the number of classes; got n_prototypes=2 with 3 classes"),
        ({"n_prototypes": {"ash": 1}}, "n_prototypes by label must name every class once"),
        ({"n_prototypes": {"ash": 0, "birch": 1, "cedar": 1}}, "n_prototypes must be whole numbers of at least 1"),
        ({"init": [[0.0, 0.0]]}, r"init must have one row a vector and the 3 columns of X; got shape \(1, 2\)"),
        ({"init": [[0.0, 0.0, np.nan]]}, "init must be finite; NaN or infinity in row 0"),
        ({"init": [[0.0, 0.0, 0.0]]}, "a given codebook needs the classes of its vectors"),
        ({"init": [[0.0, 0.0, 0.0]], "init_labels": ["ash", "ash"]}, "init_labels must have one label a vector; got 2"),
        ({"init": [[0.0, 0.0, 0.0]], "init_labels": ["oak"]}, "init_labels must be labels that y has; got 'oak'"),
        ({"init_labels": ["ash"]}, "init_labels belong to a given codebook; got init='rows'"),
        ({"init": ["rows"]}, "init must be 'rows', 'means', 'range', 'mixed' or vectors"),
    ],
)  # fmt: skip
def test_impossible_settings_are_said(settings: dict[str, Any], words: str) -> None:
    with pytest.raises((ParameterError, DataError), match=words):
        LVQClassifier(**settings).fit(X, Y)


def test_a_codebook_that_leaves_all_numbers_is_refused_and_one_that_drifts_is_told() -> None:
    noise = RANDOM.permutation(Y)
    settings: dict[str, Any] = {"learning_rate": 0.3, "decay": "constant", "n_prototypes": 3, "random_state": 0}
    with pytest.raises(DataError, match=r"must stay within the range of numbers; a vector left it in epoch \d+ of"):
        LVQClassifier(hold=None, max_iter=5000, **settings).fit(X, noise)
    with pytest.warns(ConvergenceWarning, match=r"vectors should lie among the rows; 3 of 3 were pushed far outside"):
        model = LVQClassifier(max_iter=50, **settings).fit(X, noise)
    width = X.max(axis=0) - X.min(axis=0)
    assert (model.codebook_ >= X.min(axis=0) - width).all()
    assert (model.codebook_ <= X.max(axis=0) + width).all()


def test_columns_of_other_scales_are_named() -> None:
    frame = pd.DataFrame({"income": 1e5 * X[:, 0], "height": X[:, 1]})
    with pytest.warns(UnscaledColumnsWarning, match=r"LVQClassifier: .*'income'.*'height'"):
        LVQClassifier(n_prototypes=3, max_iter=1).fit(frame, Y)


@pytest.mark.parametrize("value", [1e308, -1e308, 5e-324, 0.0])
def test_extreme_and_equal_rows(value: float) -> None:
    table = np.full((6, 2), value)
    table[3:] = -value
    model = LVQClassifier(n_prototypes=2, max_iter=3, random_state=0).fit(table, list("aaabbb"))
    assert np.isfinite(model.codebook_).all()
    if value:
        assert model.score(table, list("aaabbb")) == 1
