"""CART: the reference, categories, missing values, one fit for many settings, words about bad input, workings."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.typing import NDArray
from sklearn.base import clone

import pellucid.model_selection as search
from pellucid.base.errors import DataError, ParameterError
from pellucid.models.tree.cost_complexity import pruning_path
from pellucid.models.tree.nodes import NodeTest, TreeNodes
from pellucid.reference import cart
from pellucid.tree import DecisionTreeClassifier, DecisionTreeRegressor
from pellucid.working import Working

Floats = NDArray[np.float64]
CLASSES = ("gini", "entropy", "log_loss")
NUMBERS = ("squared_error", "friedman_mse", "absolute_error", "poisson")


def problem(seed: int, n: int = 40, p: int = 3, missing: float = 0.0) -> tuple[Floats, Floats, Floats]:
    """A table, a target of numbers, and weights."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    y = X[:, 0] + X[:, 1] * X[:, -1] + rng.normal(size=n)
    X[rng.random(X.shape) < missing] = np.nan
    return X, y, rng.random(n) + 0.1


# ------------------------------------------------------------------------------------------------------ the reference


def assert_like_reference(model: Any, root: cart.Node) -> None:
    """Every node has the same rows, impurity and answer, and asks the same."""
    tree: TreeNodes = model.tree_
    waiting = [(0, root)]
    seen = 0
    while waiting:
        i, node = waiting.pop()
        seen += 1
        assert tree.n_rows[i] == len(node.rows)
        assert tree.weight[i] == pytest.approx(node.weight)
        assert tree.impurity[i] == pytest.approx(node.impurity, abs=1e-10)
        np.testing.assert_allclose(tree.value[i], node.value, atol=1e-9)
        assert (tree.n_children[i] == 0) == (not node.children)
        if not node.children:
            continue
        assert tree.feature[i] == node.feature
        if node.inside is None:
            assert tree.threshold[i] == node.threshold
        children = list(tree.children(i))
        if tree.n_rows[children[0]] != len(node.children[0].rows) or not np.isclose(
            tree.impurity[children[0]], node.children[0].impurity, atol=1e-9
        ):
            assert node.inside is not None, "only sets of categories may be told by their complement"
            children.reverse()
        waiting += zip(children, node.children, strict=True)
    assert seen == len(tree)


def test_every_criterion_like_the_reference() -> None:
    for seed, criterion in enumerate((*CLASSES, *NUMBERS)):
        X, y, weight = problem(seed, missing=0.1 if seed % 2 else 0.0)
        own = weight if seed % 3 else None
        classes = criterion in CLASSES
        target = np.digitize(y, [-0.5, 0.5]).astype(float) if classes else np.abs(y) if criterion == "poisson" else y
        cls: Any = DecisionTreeClassifier if classes else DecisionTreeRegressor
        model = cls(criterion=criterion, min_samples_leaf=3, max_depth=3).fit(X, target, own)
        rules = cart.Rules(criterion, max_depth=3, min_rows_leaf=3)
        assert_like_reference(model, cart.grow(X, target[:, None], own, rules, [3] if classes else None))


def test_several_targets_like_the_reference() -> None:
    X, y, weight = problem(11)
    Y = np.column_stack([y, X[:, 1] - y])
    model = DecisionTreeRegressor(min_samples_leaf=4).fit(X, Y, weight)
    assert_like_reference(model, cart.grow(X, Y, weight, cart.Rules("squared_error", min_rows_leaf=4)))
    labels = (Y > 0).astype(int)
    classifier = DecisionTreeClassifier(min_samples_leaf=4).fit(X, labels, weight)
    assert_like_reference(classifier, cart.grow(X, labels, weight, cart.Rules(min_rows_leaf=4), [2, 2]))
    assert [p.shape for p in classifier.predict_proba(X)] == [(40, 2), (40, 2)]


def test_options_of_other_texts_like_the_reference() -> None:
    X, y, _ = problem(5)
    labels = (y > 0).astype(int)
    model = DecisionTreeClassifier(threshold="value", weighting="none", max_depth=2, min_samples_leaf=3).fit(X, labels)
    rules = cart.Rules(threshold="value", weighting="none", max_depth=2, min_rows_leaf=3)
    assert_like_reference(model, cart.grow(X, labels[:, None], None, rules, [2]))
    assert set(model.tree_.test[model.tree_.feature >= 0].tolist()) == {NodeTest.BELOW}
    root = int(model.tree_.feature[0])
    assert model.tree_.threshold[0] in X[:, root]


@pytest.mark.parametrize("split", ["ordered", "one_versus_rest"])
def test_categories_like_all_subsets(split: str) -> None:
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = np.column_stack([rng.integers(0, 6, 60), rng.normal(size=60)]).astype(float)
        X[rng.random(60) < 0.05 * (seed % 2), 0] = np.nan
        y = np.isin(X[:, 0], [1, 4]) * 2.0 + X[:, 1] + rng.normal(size=60)
        how: dict[str, Any] = {
            "categorical_features": [0],
            "category_split": split,
            "max_depth": 2,
            "min_samples_leaf": 3,
        }
        rules = cart.Rules(
            "squared_error", categories=frozenset([0]), category_split=split, max_depth=2, min_rows_leaf=3
        )
        assert_like_reference(DecisionTreeRegressor(**how).fit(X, y), cart.grow(X, y[:, None], None, rules))
        for cuts in ([0.5], [0.0, 1.5]):
            labels = np.digitize(y, cuts)
            root = cart.grow(
                X, labels[:, None], None, cart.Rules(**{**vars(rules), "criterion": "gini"}), [len(cuts) + 1]
            )
            model = DecisionTreeClassifier(**how).fit(X, labels)
            assert model.tree_.impurity[model.tree_.is_leaf].sum() == pytest.approx(
                sum(leaf.impurity for leaf in cart.leaves_of(root))
            )


def test_pruning_like_the_reference() -> None:
    X, y, weight = problem(8, n=50)
    model = DecisionTreeRegressor(min_samples_leaf=2)
    path = model.cost_complexity_pruning_path(X, y, weight)
    found = np.array(cart.pruning_path(cart.grow(X, y[:, None], weight, cart.Rules("squared_error", min_rows_leaf=2))))
    np.testing.assert_allclose(np.column_stack([path.ccp_alphas, path.impurities, path.n_leaves]), found, atol=1e-10)
    for k in (1, 5, len(found) - 1):
        small = clone(model).set_params(ccp_alpha=path.ccp_alphas[k]).fit(X, y, weight)
        assert small.get_n_leaves() == path.n_leaves[k]


# ----------------------------------------------------------------------------------------------- one fit, many settings


SETTINGS: dict[str, list[Any]] = {
    "ccp_alpha": [0.0, 0.001, 0.02, 0.5, 0.0],
    "max_depth": [1, 4, None, 2],
    "min_samples_split": [2, 9, 0.5, 3],
    "max_leaf_nodes": [2, 7, 12, 3],
}


def assert_same_nodes(a: Any, b: Any) -> None:
    """Two fitted trees are the same in every bit."""
    assert set(vars(a)) == set(vars(b))
    for one in fields(TreeNodes):
        left, right = getattr(a.tree_, one.name), getattr(b.tree_, one.name)
        assert (left.dtype, left.shape) == (right.dtype, right.shape), one.name
        assert left.tobytes() == right.tobytes(), one.name


@pytest.mark.parametrize("cls", [DecisionTreeClassifier, DecisionTreeRegressor])
@pytest.mark.parametrize("name", SETTINGS)
def test_a_path_holds_the_models_fitted_alone(cls: type[Any], name: str) -> None:
    X, y, weight = problem(21, n=120, p=4, missing=0.05)
    X[:, 3] = np.random.default_rng(0).integers(0, 5, 120)
    target = y if cls is DecisionTreeRegressor else np.digitize(y, [-0.5, 0.5])
    for more in ({}, {"max_features": 2, "random_state": 5, "ccp_alpha": 0.002}):
        made = cls(**{"categorical_features": [3], **more})
        path = made.fit_path(name, SETTINGS[name], X, target, sample_weight=weight)
        said = path.answer("predict", X)
        for value, model, answer in zip(SETTINGS[name], path.models, said, strict=True):
            alone = clone(made).set_params(**{name: value}).fit(X, target, weight)
            assert_same_nodes(alone, model)
            np.testing.assert_array_equal(alone.predict(X), answer)


def test_a_search_over_strengths_grows_one_tree_a_fold(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y, _ = problem(2, n=90)
    grown = []
    grow = DecisionTreeRegressor._grow

    def counted(self: Any, d: Any) -> TreeNodes:
        grown.append(d.n_rows)
        return grow(self, d)

    monkeypatch.setattr(DecisionTreeRegressor, "_grow", counted)
    found = search.GridSearchCV(DecisionTreeRegressor(), {"ccp_alpha": [0.0, 0.01, 0.1, 1.0]}, cv=3).fit(X, y)
    assert len(grown) == 4  # three folds, and the best on all rows
    scores = [
        search.cross_val_score(DecisionTreeRegressor(ccp_alpha=alpha), X, y, cv=3).mean()
        for alpha in (0.0, 0.01, 0.1, 1.0)
    ]
    np.testing.assert_allclose(found.cv_results_["mean_test_score"], scores, rtol=1e-12)


# ----------------------------------------------------------------------------------------------------------- odd tables


def test_names_in_a_frame_are_categories_and_unseen_ones_count_as_missing() -> None:
    frame = pd.DataFrame({"color": ["red", "blue", "green", "red", "blue", "green"], "size": [1, 2, 3, 4, 5, 6]})
    y = [1.0, 5.0, 5.0, 1.0, 5.0, 5.0]
    model = DecisionTreeRegressor().fit(frame, y)
    assert model.tree_.test[0] == NodeTest.SUBSET
    assert model.predict(frame).tolist() == y
    new = pd.DataFrame({"size": [1, 1], "color": ["violet", None]})
    assert model.predict(new).tolist() == [5.0, 5.0]  # the larger side
    same = DecisionTreeRegressor().fit(pl.DataFrame(frame.to_dict("list")), y)
    assert same.predict(pl.DataFrame(frame.to_dict("list"))).tolist() == y


def test_codes_that_fit_did_not_see_count_as_missing() -> None:
    model = DecisionTreeRegressor(categorical_features=[0]).fit([[0.0], [2.0], [1.0]], [0.0, 1.0, 0.0])
    missing = model.predict([[np.nan]])[0]
    given = np.array([[7.0], [-1.0], [1.5], [2.0]])
    assert model.predict(given).tolist() == [missing, missing, missing, 1.0]
    assert given[0, 0] == 7.0


def test_a_hundred_thousand_categories() -> None:
    rng = np.random.default_rng(0)
    codes = rng.permutation(100_000).astype(float)[:, None]
    y = (codes[:, 0] % 7 == 3).astype(float)
    model = DecisionTreeRegressor(categorical_features=[0]).fit(codes, y)
    assert model.get_n_leaves() == 2
    np.testing.assert_array_equal(model.predict(codes), y)


def test_a_chain_ten_thousand_deep() -> None:
    """Classes in turn: a cut after k rows gains most for k = 1, so that rows are split off one by one."""
    n = 10_000
    x, y = np.arange(n, dtype=float)[:, None], np.arange(n) % 2
    model = DecisionTreeClassifier().fit(x, y)
    assert model.get_depth() == n - 1
    np.testing.assert_array_equal(model.predict(x), y)
    assert pruning_path(model.tree_).leaves[-1] == 1
    assert isinstance(model.show_predict(x, rows=[n - 1]), Working)


def test_two_rows_one_class_identical_rows_and_no_values() -> None:
    two = DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "b"])
    assert two.predict([[1.4], [1.6]]).tolist() == ["a", "b"]
    one = DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "a"])
    assert (one.get_n_leaves(), one.predict_proba([[5.0]]).tolist()) == (1, [[1.0]])
    same = DecisionTreeClassifier().fit([[1.0], [1.0], [1.0]], ["a", "b", "b"])
    np.testing.assert_allclose(same.predict_proba([[1.0]]), [[1 / 3, 2 / 3]])
    nothing = DecisionTreeRegressor().fit([[np.nan, 1.0], [np.nan, 2.0]], [1.0, 2.0])
    assert nothing.tree_.feature[0] == 1


def test_ties_go_to_the_first_column_and_the_lowest_cut() -> None:
    X = np.array([[0, 0], [1, 1], [2, 2], [3, 3]], dtype=float)
    model = DecisionTreeClassifier(max_depth=1).fit(X, [0, 1, 1, 0])  # cuts at 0.5 and 2.5 gain the same
    assert (model.tree_.feature[0], model.tree_.threshold[0]) == (0, 0.5)
    seeds = [DecisionTreeClassifier(random_state=seed).fit(X, [0, 1, 1, 0]) for seed in range(5)]
    for other in seeds[1:]:
        np.testing.assert_array_equal(other.tree_.threshold, seeds[0].tree_.threshold)


def test_values_that_collide_in_single_precision_are_told_apart() -> None:
    x = np.array([[1.0], [1.0 + 2**-40]])
    model = DecisionTreeClassifier().fit(x, [0, 1])
    assert model.predict(x).tolist() == [0, 1]


def test_weights_of_zero_leave_rows_out_and_huge_ones_stay_in_range() -> None:
    X, y, _ = problem(4)
    weight = np.where(np.arange(len(y)) % 3 == 0, 0.0, 1.0)
    kept = weight > 0
    a, b = DecisionTreeRegressor().fit(X, y, weight), DecisionTreeRegressor().fit(X[kept], y[kept])
    np.testing.assert_array_equal(a.predict(X), b.predict(X))
    np.testing.assert_array_equal(a.tree_.n_rows, b.tree_.n_rows)
    huge = DecisionTreeClassifier(max_depth=2).fit(X, y > 0, np.full(len(y), 1e307))
    np.testing.assert_allclose(
        huge.predict_proba(X), DecisionTreeClassifier(max_depth=2).fit(X, y > 0).predict_proba(X)
    )


def test_a_stump_of_given_weights_is_the_best_of_all_stumps() -> None:
    X, y, weight = problem(9)
    labels = (y > 0).astype(int)
    t = DecisionTreeClassifier(max_depth=1).fit(X, labels, weight).tree_
    costs = [
        sum(float(weight[side].sum()) * cart.impurity_of(labels[side], weight[side], "gini") for side in (left, ~left))
        for j in range(X.shape[1])
        for cut in np.sort(X[:, j])[:-1]
        for left in [X[:, j] <= cut]
    ]
    assert len(t) == 3
    assert float(t.weight[1:] @ t.impurity[1:]) == pytest.approx(min(costs))


def test_targets_of_any_size() -> None:
    X, y, _ = problem(6)
    plain = DecisionTreeRegressor(max_depth=3).fit(X, y).predict(X)
    for scale in (2.0**900, 2.0**-900):
        np.testing.assert_allclose(DecisionTreeRegressor(max_depth=3).fit(X, y * scale).predict(X) / scale, plain)


def test_histograms_of_few_values_are_exact() -> None:
    """Values of fewer kinds than bins: every cut is a border, and the splits are those of all cuts."""
    X, y, weight = problem(14, n=300)
    X = np.round(X, 1)
    for target, cls in ((y, DecisionTreeRegressor), ((y > 0).astype(int), DecisionTreeClassifier)):
        made: Any = [cls(splitter=how, min_samples_leaf=5, max_depth=4) for how in ("best", "histogram")]
        a, b = (model.fit(X, target, weight).tree_ for model in made)
        np.testing.assert_allclose(a.impurity, b.impurity, atol=1e-10)
        np.testing.assert_array_equal(a.n_rows, b.n_rows)
        np.testing.assert_array_equal(made[0].predict(X), made[1].predict(X))


def test_a_surrogate_decides_where_a_value_is_missing() -> None:
    """The second column says what the first does: rows without the first go by the second, each to its own side."""
    rng = np.random.default_rng(0)
    x = rng.permutation(40).astype(float)
    X = np.column_stack([x, -x, rng.normal(size=40)])
    y = (x > 19.5).astype(float)
    X[:, 1] += np.where(x == 19, -1.5, 0)  # a little worse than the first
    model = DecisionTreeRegressor(surrogates=2, max_depth=1).fit(X, y)
    assert model.tree_.feature[0] == 0
    assert model.tree_.surrogate_feature[0] == 1
    new = np.array([[np.nan, -2.0, 0.0], [np.nan, -35.0, 0.0]])
    assert model.predict(new).tolist() == [0.0, 1.0]
    shown = model.show_predict(new)
    assert [shown.value(f"r{row}_prediction") for row in (0, 1)] == [0.0, 1.0]
    assert "asked instead: x2 <= " in shown.to_text()
    plain = DecisionTreeRegressor(max_depth=1).fit(X, y).predict(new)
    assert plain[0] == plain[1]


def test_monotone_answers() -> None:
    X, y, _ = problem(7, n=200)
    grid = np.linspace(-3, 3, 60)
    for sign in (1, -1):
        model = DecisionTreeRegressor(monotonic_cst=[sign, 0, 0], min_samples_leaf=5).fit(X, y)
        for row in X[:20]:
            line = np.tile(row, (60, 1))
            line[:, 0] = grid
            assert (np.diff(model.predict(line)) * sign >= 0).all()
    by_name = DecisionTreeRegressor(monotonic_cst={"a": 1}).fit(pd.DataFrame(X, columns=list("abc")), y)
    by_place = DecisionTreeRegressor(monotonic_cst=[1, 0, 0]).fit(X, y)
    np.testing.assert_array_equal(by_name.tree_.threshold, by_place.tree_.threshold)


# ------------------------------------------------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"min_samples_leaf": 0}, "min_samples_leaf must be a whole number of at least 1, or a share of the rows"),
        ({"min_samples_split": 1}, "min_samples_split must be a whole number of at least 2"),
        ({"max_features": 1.5}, "max_features must be a whole number of at least 1, a share"),
        ({"monotonic_cst": [1]}, "monotonic_cst must have one number a column"),
        ({"monotonic_cst": [1, 2, 0]}, "directions must be -1, 0 or 1"),
        ({"monotonic_cst": {"z": 1}}, "there is no column 'z'"),
        ({"categorical_features": ["z"]}, "there is no column 'z'"),
        ({"categorical_features": [7]}, "places from 0 to 2"),
        ({"categorical_features": [True]}, "one flag a column"),
        ({"surrogates": 2, "splitter": "random"}, "surrogates need splitter='best'; got splitter='random'"),
        ({"splitter": "histogram", "criterion": "absolute_error"}, "criterion='absolute_error' needs every value"),
    ],
)
def test_settings_are_refused_in_a_sentence(settings: dict[str, Any], words: str) -> None:
    X, y, _ = problem(0)
    with pytest.raises(ParameterError, match=words):
        DecisionTreeRegressor(**settings).fit(X, y)


def test_data_are_refused_in_a_sentence() -> None:
    X, y, _ = problem(0)
    with pytest.raises(DataError, match=r"codes of its categories; column 'x0' holds -2\.3"):
        DecisionTreeRegressor(categorical_features=[0]).fit(X, y)
    with pytest.raises(DataError, match="takes targets of zero or more; Some value"):
        DecisionTreeRegressor(criterion="poisson").fit(X, y)
    with pytest.raises(DataError, match="needs a target above zero"):
        DecisionTreeRegressor(criterion="poisson").fit(X, np.zeros(len(y)))
    with pytest.raises(ParameterError, match="two classes; Monotonicity constraints are not supported"):
        DecisionTreeClassifier(monotonic_cst=[1, 0, 0]).fit(X, np.arange(len(y)) % 3)
    codes = np.column_stack([X[:, :2], np.arange(len(X)) % 3])
    with pytest.raises(ParameterError, match="column 'x2' holds categories"):
        DecisionTreeRegressor(monotonic_cst=[0, 0, 1], categorical_features=[2]).fit(codes, y)
    with pytest.raises(ParameterError, match="class_weight must have the labels of y as keys"):
        DecisionTreeClassifier(class_weight={"c": 1.0}).fit(X, np.where(y > 0, "a", "b"))


# ------------------------------------------------------------------------------------------------------------ workings


def test_every_node_is_shown() -> None:
    """Each inner node's table ends with its split, each leaf says why it is one; the cells are checked by the model."""
    X, y, weight = problem(13, n=60, p=3, missing=0.08)
    X[:, 2] = np.random.default_rng(1).integers(0, 4, 60)
    cases: list[Any] = [
        (DecisionTreeClassifier(max_depth=3, categorical_features=[2]), np.digitize(y, [-0.5, 0.5])),
        (DecisionTreeClassifier(criterion="entropy", class_weight="balanced", max_leaf_nodes=5), y > 0),
        (DecisionTreeClassifier(weighting="none", threshold="value", max_depth=2), y > 0),
        (DecisionTreeClassifier(splitter="random", random_state=0, max_depth=2), y > 0),
        (DecisionTreeRegressor(max_depth=3, categorical_features=[2]), y),
        (DecisionTreeRegressor(category_split="one_versus_rest", max_depth=2, categorical_features=[2]), y),
        (DecisionTreeRegressor(criterion="absolute_error", max_depth=2), y),
        (DecisionTreeRegressor(criterion="poisson", max_depth=2), np.abs(y)),
        (DecisionTreeRegressor(max_depth=2), np.column_stack([y, -y])),
    ]
    for model, target in cases:
        for own in (None, weight):
            model.fit(X, target, own)
            for node in range(len(model.tree_)):
                shown = model.show_fit(X, target, own, node=node)
                assert any(cell.attribute == "tree_.impurity" for cell in shown.cells.values())
            assert model.show_predict(X, rows=[0, 5, 17]).to_text()
            assert model.show_pruning(X, target, own).value("kept") == model.tree_.n_leaves


def test_a_node_that_is_not_there() -> None:
    X, y, _ = problem(0)
    model = DecisionTreeRegressor(max_depth=1).fit(X, y)
    with pytest.raises(DataError, match="node must be a number from 0 to 2; got 3"):
        model.show_fit(X, y, node=3)
