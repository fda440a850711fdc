"""Trees, forests, AdaBoost and boosting as ONNX: exact at thresholds, with missing values and categories."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from pellucid import boosting, ensemble, tree
from pellucid.export.onnx import to_onnx

from .test_onnx import agree, answers, classes, mixed, near, numbers, target

pytestmark = pytest.mark.exhaustive  # every model in every language

LATER = numbers(150, seed=7)
FACES = ("GradientBoosting", "BoostedTrees", "XGBoost", "LightGBM", "CatBoost")


def thresholds(nodes: Any) -> Any:
    """The thresholds of a tree's tests, and their columns."""
    inner = nodes.n_children > 0
    return nodes.feature[inner], nodes.threshold[inner]


def around(X: Any, feature: Any, threshold: Any) -> Any:
    """Rows that lie at thresholds, and at the 64-bit and 32-bit numbers beside them and halfway between these."""
    rows = []
    for k, (j, t) in enumerate(zip(feature, threshold, strict=True)):
        single = np.float32(t)
        step = np.nextafter(single, np.float32(np.inf))
        beside = (t, np.nextafter(t, -np.inf), np.nextafter(t, np.inf), float(single), float(step))
        for value in (*beside, (float(single) + float(step)) / 2):
            row = X[k % len(X)].copy()
            row[j] = value
            rows.append(row)
    return np.array(rows)


def one(face: str, kind: str, **settings: Any) -> Any:
    """A small model of a face."""
    return getattr(boosting, f"{face}{kind}")(n_estimators=12, random_state=0, **settings)


# ----------------------------------------------------------------------------------------------------------- thresholds


@pytest.mark.parametrize("inputs", ["columns", "matrix"])
def test_rows_at_thresholds(inputs: Any) -> None:
    X = numbers(400) * [1.0, 1e-3, 1e6, 1]
    y = X[:, 0] + X[:, 1] * 1e3 * X[:, 3]
    model = tree.DecisionTreeRegressor().fit(X, y)
    agree(model, around(X, *thresholds(model.tree_)), inputs=inputs, tolerance=1e-15)


@pytest.mark.parametrize("face", FACES)
def test_rows_at_thresholds_of_boosting(face: str) -> None:
    X = numbers(400)
    model = one(face, "Regressor").fit(X, X[:, 0] * X[:, 1])
    cuts = [thresholds(model._forest_.tree(t)) for t in range(12)]
    agree(model, around(X, *(np.concatenate(part) for part in zip(*cuts, strict=True))), tolerance=1e-12)


@pytest.mark.parametrize("name", ["DecisionTree", "RandomForest"])
def test_rows_of_32_bits_at_thresholds(name: str) -> None:
    X = numbers(300).astype(np.float32)
    model = grower(name, "Classifier").fit(X, classes(X))
    nodes = model.tree_ if name == "DecisionTree" else model._forest_.tree(0)
    agree(model, around(X, *thresholds(nodes)).astype(np.float32), dtype="float32")


def test_values_that_32_bits_cannot_tell_apart() -> None:
    low, high = np.float64(np.float32(0.1)), np.float64(np.nextafter(np.float32(0.1), np.float32(1)))
    middle = (low + high) / 2
    X = np.array([[np.nextafter(middle, -1)], [middle], [np.nextafter(middle, 1)]])
    model = tree.DecisionTreeClassifier().fit(X, ["a", "b", "c"])
    assert model.predict(X).tolist() == ["a", "b", "c"]
    agree(model, X)
    agree(ensemble.RandomForestClassifier(20, random_state=0).fit(X, ["a", "b", "c"]), X)


def test_thresholds_meant_as_below() -> None:
    X = np.array([[1.0], [2], [3], [4]])
    model = tree.DecisionTreeRegressor(threshold="value").fit(X, [1.0, 2, 3, 4])
    agree(model, np.arange(0, 5, 0.25).reshape(-1, 1))
    X = numbers(300)
    model = ensemble.RandomForestRegressor(9, threshold="value", random_state=0).fit(X, X[:, 0] * X[:, 1])
    agree(model, X)


# ---------------------------------------------------------------------------------------------------- trees and forests


SINGLE = ("DecisionTree", "RandomForest", "ExtraTrees")


def grower(name: str, kind: str, **settings: Any) -> Any:
    """A tree, or a forest of a few."""
    home = tree if name == "DecisionTree" else ensemble
    more = {} if name == "DecisionTree" else {"n_estimators": 15}
    return getattr(home, f"{name}{kind}")(random_state=0, **more, **settings)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("name", SINGLE)
def test_trees_of_classes(name: str, k: int) -> None:
    X = numbers(300)
    weight = np.random.RandomState(2).rand(300)
    agree(grower(name, "Classifier", max_depth=6).fit(X, classes(X, k), sample_weight=weight), LATER)
    agree(grower(name, "Classifier", class_weight="balanced").fit(X, classes(X, k)), LATER)


@pytest.mark.parametrize("name", SINGLE)
def test_trees_of_numbers(name: str) -> None:
    X = numbers(300)
    agree(grower(name, "Regressor").fit(X, X[:, 0] * 1e6), LATER)
    agree(grower(name, "Regressor", min_samples_leaf=5).fit(X, X[:, :3]), LATER)


@pytest.mark.parametrize("name", SINGLE)
def test_trees_of_several_labels(name: str) -> None:
    X = numbers(300)
    y = np.column_stack([classes(X, 2), classes(X[:, ::-1], 3)])
    found = agree(grower(name, "Classifier", max_depth=4).fit(X, y), LATER)
    assert found["label"].shape == (150, 2)


@pytest.mark.parametrize("name", SINGLE)
def test_trees_of_mixed_tables(name: str) -> None:
    table, later = mixed(400), mixed(200, seed=8)
    later.loc[3, "kind"], later.loc[4, "place"] = "never seen", "nowhere"
    y = target(table)
    agree(grower(name, "Regressor").fit(table, y), later)
    agree(grower(name, "Classifier").fit(table, np.where(y > y.median(), "yes", "no")), later)


@pytest.mark.parametrize("name", SINGLE)
def test_trees_of_listed_categories(name: str) -> None:
    random = np.random.RandomState(0)
    X = np.column_stack([random.randint(0, 40, 400), random.randn(400)]).astype(float)
    y = np.sin(X[:, 0] * 7) + X[:, 1]
    X[::9, 0] = np.nan
    later = np.column_stack([random.randint(0, 50, 200), random.randn(200)]).astype(float)  # 40 to 49 were never seen
    agree(grower(name, "Regressor", categorical_features=[0]).fit(X, y), later)


@pytest.mark.parametrize("seed", range(6))
def test_categories_that_a_node_never_met(seed: int) -> None:
    random = np.random.RandomState(seed)
    words = np.array([f"w{k:02d}" for k in range(33)])  # bits in two words, of which most nodes need one
    table = pd.DataFrame({"w": words[random.randint(0, 33, 300)], "x": random.randn(300)})
    table.loc[random.rand(300) < 0.2, "w"] = None
    y = table["w"].map(dict(zip(words, random.randn(33), strict=True))).fillna(0.4) + table["x"]
    later = pd.DataFrame({"w": np.tile([*words, None], 5), "x": random.randn(170)})
    agree(tree.DecisionTreeRegressor().fit(table, y), later)
    agree(ensemble.RandomForestRegressor(5, random_state=0).fit(table, y), later)
    agree(tree.C45Classifier().fit(table, np.where(y > y.median(), "yes", "no")), later)


def test_codes_that_are_none() -> None:
    random = np.random.RandomState(0)
    X = np.column_stack([random.randint(0, 12, 300), random.randn(300)]).astype(float)
    y = np.sin(X[:, 0] * 7) + X[:, 1]
    later = np.column_stack([random.choice([0.5, -1, 3, 11, 11.5, 12, 99, np.nan], 100), random.randn(100)])
    for model in (
        tree.DecisionTreeRegressor(categorical_features=[0]),
        tree.DecisionTreeRegressor(categorical_features=[0], surrogates=1, max_depth=4),
        ensemble.RandomForestRegressor(5, categorical_features=[0], random_state=0),
        *(one(face, "Regressor", categorical_features=[0]) for face in FACES[1:]),
        one("CatBoost", "Regressor", categorical_features=[0], one_hot_max_size=20),
    ):
        agree(model.fit(X, y), later)


def test_votes_of_trees() -> None:
    X = numbers(300)
    agree(ensemble.RandomForestClassifier(9, voting="hard", max_depth=3, random_state=0).fit(X, classes(X)), LATER)


def test_a_single_leaf() -> None:
    X = numbers(30)
    agree(tree.DecisionTreeRegressor().fit(X, np.full(30, 2.5)), LATER)
    agree(tree.DecisionTreeClassifier().fit(X, ["only"] * 30), LATER)
    agree(ensemble.RandomForestRegressor(3).fit(X, np.ones(30)), LATER)


def test_infinite_rows_are_taken_the_same_way() -> None:
    X = numbers(100)
    model = tree.DecisionTreeRegressor(max_depth=3).fit(X, X[:, 0])
    later = LATER.copy()
    later[0, 0], later[1, 0] = 1e308, -1e308
    agree(model, later)


def test_surrogates() -> None:
    X = numbers(300)
    X[:, 1] = X[:, 0] + 0.2 * X[:, 1]
    y = classes(X, 3)
    X[::4, 0] = np.nan
    later = LATER.copy()
    later[:, 1] = later[:, 0] + 0.2 * later[:, 1]
    later[::3, 0] = later[::5, 1] = np.nan
    model = tree.DecisionTreeClassifier(max_depth=4, surrogates=2).fit(X, y)
    assert len(model.tree_.surrogate_feature)
    agree(model, later)
    agree(tree.DecisionTreeRegressor(max_depth=4, surrogates=2).fit(X, X[:, 2]), later)


@pytest.mark.parametrize("kind", ["ID3Classifier", "C45Classifier", "CHAIDClassifier"])
def test_trees_of_many_branches(kind: str) -> None:
    table, later = mixed(300), mixed(150, seed=8)
    later.loc[3, "kind"] = "never seen"
    columns = ["kind", "place"] if kind == "ID3Classifier" else list(table)
    y = np.where(target(table) > 2, "yes", "no")
    if kind == "ID3Classifier":
        table, later = (one.astype(object).fillna("none").astype(str) for one in (table, later))
    agree(getattr(tree, kind)().fit(table[columns], y), later[columns])


def test_chaid_of_numbers() -> None:
    table = mixed(300)
    agree(tree.CHAIDRegressor().fit(table, target(table)), mixed(150, seed=8))


# ------------------------------------------------------------------------------------------------------------- AdaBoost


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("depth", [1, 3])
def test_ada_boost_of_classes(k: int, depth: int) -> None:
    X = numbers(300)
    base = tree.DecisionTreeClassifier(max_depth=depth)
    agree(ensemble.AdaBoostClassifier(base, n_estimators=20, random_state=0).fit(X, classes(X, k)), LATER)


def test_ada_boost_of_mixed_tables() -> None:
    table, later = mixed(300), mixed(150, seed=8)
    later.loc[3, "kind"] = "never seen"
    y = np.where(target(table) > 2, "yes", "no")
    agree(ensemble.AdaBoostClassifier(n_estimators=20, random_state=0).fit(table, y), later)


def test_ada_boost_of_numbers() -> None:
    X = numbers(300)
    agree(ensemble.AdaBoostRegressor(n_estimators=15, random_state=0).fit(X, X[:, 0] * X[:, 1]), LATER)


def test_ada_boost_of_other_models() -> None:
    from pellucid.linear_model import LinearRegression, LogisticRegression

    X = numbers(300)
    agree(ensemble.AdaBoostClassifier(LogisticRegression(), n_estimators=5, random_state=0).fit(X, classes(X)), LATER)
    model = ensemble.AdaBoostRegressor(LinearRegression(), n_estimators=5, random_state=0)
    agree(model.fit(X, X[:, 0] ** 2 + X[:, 1]), LATER)


# ------------------------------------------------------------------------------------------------------------- boosting


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("face", FACES)
def test_boosted_classes(face: str, k: int) -> None:
    X, later = numbers(300), LATER.copy()
    y = classes(X, k)
    X[::6, 0] = X[::7, 2] = later[::5, 0] = later[::4, 1] = np.nan
    agree(one(face, "Classifier").fit(X, y, sample_weight=np.random.RandomState(1).rand(300)), later)


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "quantile", "huber", "poisson"])
@pytest.mark.parametrize("face", FACES)
def test_boosted_numbers(face: str, loss: Any) -> None:
    X, later = numbers(300), LATER.copy()
    y = np.exp(X[:, 0]) + (X[:, 1] > 0)
    X[::6, 0] = later[::5, 0] = later[::4, 1] = np.nan
    agree(one(face, "Regressor", loss=loss).fit(X, y), later)


@pytest.mark.parametrize("face", FACES)
def test_boosting_of_mixed_tables(face: str) -> None:
    table, later = mixed(500), mixed(200, seed=8)
    later.loc[3, "kind"], later.loc[4, "place"] = "never seen", "nowhere"
    y = target(table)
    agree(one(face, "Regressor").fit(table, y), later)
    cut = pd.cut(y, 3, labels=["x", "y", "z"]).astype(str)
    agree(one(face, "Classifier").fit(table, cut), later)
    agree(one(face, "Classifier").fit(table, y > y.median()), later)


@pytest.mark.parametrize("face", FACES[1:])
def test_boosting_of_many_categories(face: str) -> None:
    random = np.random.RandomState(0)
    words = np.array([f"word {k}" for k in range(300)])
    table = pd.DataFrame({"word": words[random.randint(0, 300, 3000)], "x": random.randn(3000)})
    y = np.sin(table["word"].str.slice(5).astype(float) * 3) + table["x"]
    later = pd.DataFrame({"word": [*words, "new", None], "x": random.randn(302)})
    agree(one(face, "Regressor").fit(table, y), later)


@pytest.mark.parametrize("growth", ["oblivious", "depth", "leaf"])
def test_boosting_by_growth(growth: Any) -> None:
    X = numbers(300)
    agree(one("BoostedTrees", "Regressor", growth=growth).fit(X, X[:, 0] * X[:, 1]), LATER)


@pytest.mark.parametrize("face", FACES[1:])
def test_boosting_of_several_targets(face: str) -> None:
    X = numbers(300)
    agree(one(face, "Regressor").fit(X, X[:, :3]), LATER)


@pytest.mark.parametrize("face", FACES[1:])
def test_leaves_that_answer_for_all_classes(face: str) -> None:
    X = numbers(300)
    agree(one(face, "Classifier", vector_leaves=True).fit(X, classes(X)), LATER)


@pytest.mark.parametrize("joined", [1, 2, 3])
def test_statistics_of_joined_categories(joined: int) -> None:
    random = np.random.RandomState(0)
    table = pd.DataFrame({name: random.choice(list("abcdefgh"), 500) for name in ("p", "q", "r")})
    table["x"] = random.randn(500)
    y = (table["p"] == table["q"]) * 2.0 + table["x"] + (table["r"] < "c")
    later = table.sample(200, random_state=1).reset_index(drop=True)
    later.loc[0, "p"] = later.loc[1, "q"] = "new"
    later.loc[2, "r"] = None
    agree(one("CatBoost", "Regressor", max_combinations=joined).fit(table, y), later)
    agree(one("CatBoost", "Classifier", max_combinations=joined).fit(table, y > 1), later)


def test_boosting_of_listed_categories() -> None:
    random = np.random.RandomState(0)
    X = np.column_stack([random.randint(0, 40, 600), random.randn(600)]).astype(float)
    y = np.sin(X[:, 0] * 7) + X[:, 1]
    later = np.column_stack([random.randint(0, 50, 200), random.randn(200)]).astype(float)
    agree(one("LightGBM", "Regressor", categorical_features=[0]).fit(X, y), later, inputs="matrix")


def test_a_loss_of_ones_own() -> None:
    X = numbers(300)

    def squares(y: Any, f: Any) -> Any:
        return f - y, np.ones_like(f)

    agree(one("BoostedTrees", "Regressor", loss=squares).fit(X, X[:, 0]), LATER)


def test_early_stopping_keeps_the_rounds_that_count() -> None:
    X = numbers(400)
    model = boosting.BoostedTreesRegressor(n_estimators=200, early_stopping=True, n_iter_no_change=3, random_state=0)
    model.fit(X, X[:, 0] + 0.5 * np.random.RandomState(1).randn(400))
    assert model.n_estimators_ < 200
    agree(model, LATER)


def test_many_rows_of_a_forest() -> None:
    X = numbers(500)
    model = ensemble.RandomForestClassifier(60, random_state=0).fit(X, classes(X))
    later = numbers(10_000, seed=3)
    found = answers(to_onnx(model, inputs="matrix"), later)
    near(found["probabilities"], model.predict_proba(later))
    assert (found["label"] == model.predict(later)).all()
