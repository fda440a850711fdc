"""Preparation, pipelines and many models in one as ONNX."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer

from pellucid import ensemble, feature_selection, preprocessing
from pellucid.base.errors import DataTypeError
from pellucid.boosting import BoostedTreesClassifier, LightGBMRegressor
from pellucid.calibration import CalibratedClassifierCV
from pellucid.cluster import KMeans
from pellucid.decomposition import PCA
from pellucid.dummy import DummyRegressor
from pellucid.export.onnx import to_onnx
from pellucid.impute import MissingIndicator, SimpleImputer
from pellucid.linear_model import LinearRegression, LogisticRegression, Perceptron, Ridge, RidgeClassifier
from pellucid.model_selection import GridSearchCV
from pellucid.naive_bayes import GaussianNB
from pellucid.neighbors import KNeighborsClassifier
from pellucid.semi_supervised import SelfTrainingClassifier
from pellucid.tree import DecisionTreeClassifier, DecisionTreeRegressor

from .test_onnx import agree, answers, classes, fails, mixed, near, numbers, target

pytestmark = pytest.mark.exhaustive  # every model in every language

LATER = numbers(150, seed=7)


# -------------------------------------------------------------------------------------------------------------- scalers


@pytest.mark.parametrize(
    "model",
    [
        preprocessing.StandardScaler(),
        preprocessing.StandardScaler(with_mean=False),
        preprocessing.StandardScaler(with_std=False),
        preprocessing.MinMaxScaler(feature_range=(-1, 2)),
        preprocessing.MinMaxScaler(clip=True),
        preprocessing.MaxAbsScaler(),
        preprocessing.RobustScaler(),
        preprocessing.MeanNormalizer(),
        preprocessing.PowerTransformer(),
        preprocessing.PowerTransformer(standardize=False),
        preprocessing.QuantileTransformer(n_quantiles=50),
        preprocessing.QuantileTransformer(n_quantiles=50, output_distribution="normal"),
        preprocessing.LogTransformer(shift="auto"),
    ],
    ids=lambda model: type(model).__name__,
)
def test_columns_with_missing_values(model: Any) -> None:
    X = np.round(numbers(300) * [1.0, 100, 0.01, 1] + [0, 1000, 0, 5], 4)
    later = np.round(LATER * [1.0, 100, 0.01, 1] + [0, 1000, 0, 5], 4)
    X[:, 3] = np.round(X[:, 3])  # the same values again and again
    later[:, 3] = np.round(later[:, 3])
    X[::9, 1] = later[::7, 0] = later[3] = np.nan
    if isinstance(model, preprocessing.LogTransformer):
        later = np.where(later < np.nanmin(X, axis=0), np.nan, later)
    agree(model.fit(X), later)
    agree(model, X)


def test_powers_of_positive_columns() -> None:
    X = np.exp(numbers(200))
    model = preprocessing.PowerTransformer(method="box-cox").fit(X)
    agree(model, np.exp(LATER))
    fails(model, -np.exp(LATER), "box-cox takes numbers above zero")


def test_powers_of_columns_far_from_zero_and_tiny_ones() -> None:
    shift, unit = np.array([1e6, -1e6, 0, 0]), np.array([1.0, 1.0, 1e-9, 1e-12])
    model = preprocessing.PowerTransformer().fit(numbers(200) * unit + shift)
    agree(model, LATER * unit + shift, tolerance=1e-5)


def test_quantiles_that_are_equal() -> None:
    X = np.repeat(np.arange(5.0), 20).reshape(-1, 1)
    model = preprocessing.QuantileTransformer(n_quantiles=30).fit(X)
    agree(model, np.linspace(-1, 5, 61).reshape(-1, 1))


@pytest.mark.parametrize("norm", ["l1", "l2", "max"])
def test_normalizer(norm: Any) -> None:
    X = numbers(50)
    later = np.vstack([LATER, np.zeros((1, 4)), [[1e200, 1e200, 0, 0]]])
    agree(preprocessing.Normalizer(norm=norm).fit(X), later)


def test_binarizer() -> None:
    agree(preprocessing.Binarizer(threshold=0.1).fit(numbers(20)), np.array([[0.1, 0.2, np.nextafter(0.1, 1), -1]]))


@pytest.mark.parametrize("encode", ["ordinal", "onehot-dense"])
def test_bins(encode: Any) -> None:
    X = numbers(300)
    model = preprocessing.KBinsDiscretizer(5, encode=encode, strategy="quantile").fit(X)
    edges = np.column_stack([own[1:-1] for own in model.bin_edges_])
    agree(model, np.vstack([LATER, edges]))


@pytest.mark.parametrize(
    "settings",
    [
        {"degree": 2},
        {"degree": 3, "interaction_only": True},
        {"degree": (2, 4), "include_bias": False},
        {"degree": 1},
        {"degree": 5, "interaction_only": True},
    ],
)
def test_products(settings: Any) -> None:
    agree(preprocessing.PolynomialFeatures(**settings).fit(numbers(20)), LATER)


# ------------------------------------------------------------------------------------------------------------- encoders


WORDS = ["kind", "place"]


@pytest.mark.parametrize(
    "settings",
    [
        {"handle_unknown": "ignore"},
        {"handle_unknown": "ignore", "drop": "first"},
        {"handle_unknown": "infrequent_if_exist", "min_frequency": 12},
        {"handle_unknown": "infrequent_if_exist", "max_categories": 3, "drop": "first"},
        {"drop": "if_binary"},
    ],
)
def test_one_hot(settings: Any) -> None:
    table, later = mixed(300, missing=False)[[*WORDS, "count"]], mixed(100, seed=8, missing=False)[[*WORDS, "count"]]
    model = preprocessing.OneHotEncoder(**settings).fit(table)
    agree(model, later)
    later.loc[3, "kind"] = "never seen"
    if "handle_unknown" in settings:
        later.loc[4, "count"] = 77.0
        agree(model, later)
    else:
        fails(model, later, "'kind' holds a category that fit did not see")


def test_one_hot_of_missing_values() -> None:
    table = mixed(300)[WORDS]
    table = table.astype(object).where(table.notna(), np.nan)
    agree(preprocessing.OneHotEncoder(handle_unknown="ignore").fit(table), table.iloc[:120])


def test_ordinal() -> None:
    table, later = mixed(300)[[*WORDS, "count"]], mixed(100, seed=8)[[*WORDS, "count"]]
    table, later = (one.astype(object).where(one.notna(), np.nan) for one in (table, later))
    table["count"], later["count"] = table["count"].astype(float), later["count"].astype(float)
    agree(preprocessing.OrdinalEncoder().fit(table), later)
    model = preprocessing.OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-2)
    later.loc[3, "kind"] = "never seen"
    agree(model.fit(table), later)
    fails(preprocessing.OrdinalEncoder().fit(table), later, "'kind' holds a category that fit did not see")


# ------------------------------------------------------------------------------------------------------------- imputers


@pytest.mark.parametrize("strategy", ["mean", "median", "most_frequent", "constant"])
@pytest.mark.parametrize("flags", [False, True])
def test_imputer_of_numbers(strategy: Any, flags: bool) -> None:
    X, later = numbers(100), LATER.copy()
    X[::5, 1] = X[::7, 2] = later[::3, 1] = later[::4, 0] = np.nan
    agree(SimpleImputer(strategy=strategy, add_indicator=flags).fit(X), later)


def test_imputer_of_a_marked_number() -> None:
    X = np.round(numbers(60))
    agree(SimpleImputer(missing_values=0).fit(X), np.round(LATER))


def test_imputer_of_words_before_an_encoder() -> None:
    table, later = mixed(300)[WORDS], mixed(100, seed=8)[WORDS]
    model = make_pipeline(
        SimpleImputer(strategy="most_frequent"), preprocessing.OneHotEncoder(handle_unknown="ignore")
    ).fit(table)
    agree(model, later)


def test_imputer_of_words_alone() -> None:
    table, later = mixed(300)[["kind", "size"]], mixed(100, seed=8)[["kind", "size"]]
    model = SimpleImputer(strategy="most_frequent").fit(table)
    found = answers(to_onnx(model), later)
    wanted = model.transform(later)
    assert found["variable_kind"].ravel().tolist() == wanted[:, 0].tolist()
    near(found["variable_size"], wanted[:, [1]].astype(float))


def test_indicator() -> None:
    X = numbers(100)
    X[::5, 1] = X[::7, 2] = np.nan
    agree(MissingIndicator().fit(X), X[:40])


# ------------------------------------------------------------------------------------------------------------ pipelines


def prepared(remainder: Any = "drop") -> Any:
    """Numbers scaled, words encoded."""
    figures = make_pipeline(SimpleImputer(), preprocessing.StandardScaler())
    words = make_pipeline(
        SimpleImputer(strategy="constant", fill_value="none"), preprocessing.OneHotEncoder(handle_unknown="ignore")
    )
    return ColumnTransformer([("figures", figures, ["size", "count"]), ("words", words, WORDS)], remainder=remainder)


@pytest.mark.parametrize("remainder", ["drop", "passthrough"])
def test_column_transformer(remainder: Any) -> None:
    table, later = mixed(300), mixed(100, seed=8)
    later.loc[3, "kind"] = "never seen"
    y = target(table)
    made = make_pipeline(prepared(remainder), Ridge()).fit(table, y)
    agree(made, later[["place", "is new", "kind", "count", "size"]])
    agree(make_pipeline(prepared(remainder), LogisticRegression()).fit(table, y > 2), later)
    inputs = {one.name for one in to_onnx(made).graph.input}
    assert inputs == {"size", "count", *WORDS} | ({"is new"} if remainder == "passthrough" else set())


def test_column_transformer_by_place() -> None:
    X = numbers(100)
    for chosen in (slice(0, 2), [0, 1], [True, True, False, False], np.array([0, -3])):
        model = ColumnTransformer([("a", preprocessing.StandardScaler(), chosen)], remainder="passthrough").fit(X)
        agree(model, LATER)
        agree(model, LATER, inputs="matrix")


def test_chains_of_everything() -> None:
    X, later = numbers(200), LATER.copy()
    y = classes(X)
    X[::5, 1] = later[::3, 1] = np.nan
    terms = preprocessing.PolynomialFeatures(2, include_bias=False)
    steps = [
        ("fill", SimpleImputer()),
        ("powers", preprocessing.PowerTransformer()),
        ("nothing", "passthrough"),
        (
            "both",
            FeatureUnion(
                [
                    ("as it is", FunctionTransformer()),
                    ("terms", terms),
                ]
            ),
        ),
        ("few", feature_selection.SelectKBest(k=8)),
        ("model", LogisticRegression()),
    ]
    agree(Pipeline(steps).fit(X, y), later)
    agree(Pipeline(steps[:-1]).fit(X, y), later, inputs="matrix")


def test_search() -> None:
    X = numbers(120)
    search = GridSearchCV(make_pipeline(preprocessing.StandardScaler(), Ridge()), {"ridge__alpha": [0.1, 1.0]}, cv=3)
    agree(search.fit(X, X[:, 0]), LATER)


def test_functions_are_refused() -> None:
    X = numbers(20)
    model = make_pipeline(FunctionTransformer(np.exp), LinearRegression()).fit(X, X[:, 0])
    with pytest.raises(DataTypeError, match="FunctionTransformer with a function has no ONNX operators"):
        to_onnx(model)


def test_columns_read_in_two_ways_are_refused() -> None:
    table = pd.DataFrame({"a": ["x", "y", "x", "z"], "b": [1.0, 2, 3, 4]})
    one = make_pipeline(preprocessing.OrdinalEncoder(), LinearRegression()).fit(table, [1.0, 2, 3, 4])
    model = ensemble.VotingRegressor([("tree", DecisionTreeRegressor()), ("line", one)]).fit(table, [1.0, 2, 3, 4])
    agree(model, table)  # words in both
    X = pd.DataFrame({"a": [0.0, 1, 2, 1]})
    assert to_onnx(DummyRegressor().fit(X, [1, 2, 3, 4])).graph.input[0].name == "a"


# ---------------------------------------------------------------------------------------------------------- many models


def members() -> list[Any]:
    return [("line", LogisticRegression()), ("tree", DecisionTreeClassifier(max_depth=3)), ("bells", GaussianNB())]


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("weights", [None, [1.0, 2.0, 0.5]])
@pytest.mark.parametrize("voting", ["soft", "hard"])
def test_voting(k: int, weights: Any, voting: Any) -> None:
    X = numbers(200)
    agree(ensemble.VotingClassifier(members(), voting=voting, weights=weights).fit(X, classes(X, k)), LATER)


def test_a_baseline_among_members() -> None:
    table = mixed(200)[["kind", "size"]]
    given = [("mean", DummyRegressor()), ("tree", DecisionTreeRegressor(max_depth=3))]
    agree(ensemble.VotingRegressor(given).fit(table, target(mixed(200))), mixed(80, seed=8)[["kind", "size"]])


def test_voting_of_numbers() -> None:
    X = numbers(200)
    pair = [("line", Ridge()), ("out", "drop"), ("tree", DecisionTreeRegressor(max_depth=3))]
    agree(ensemble.VotingRegressor(pair).fit(X, X[:, 0] ** 2), LATER)
    agree(ensemble.VotingRegressor(pair, weights=[1, 5, 3]).fit(X, X[:, 0] ** 2), LATER)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("passthrough", [False, True])
def test_stacking(k: int, passthrough: bool) -> None:
    X = numbers(200)
    given = [*members(), ("plane", RidgeClassifier()), ("sign", Perceptron(random_state=0))]
    agree(ensemble.StackingClassifier(given, cv=3, passthrough=passthrough).fit(X, classes(X, k)), LATER)
    by_label = ensemble.StackingClassifier(members(), cv=3, stack_method="predict", passthrough=passthrough)
    agree(by_label.fit(X, classes(X, k)), LATER)


def test_stacking_of_numbers() -> None:
    X = numbers(200)
    pair = [("line", Ridge()), ("tree", DecisionTreeRegressor(max_depth=3))]
    agree(ensemble.StackingRegressor(pair, cv=3).fit(X, X[:, 0] ** 2), LATER)
    final = LightGBMRegressor(n_estimators=10)
    agree(ensemble.StackingRegressor(pair, final_estimator=final, cv=3, passthrough=True).fit(X, X[:, 0] ** 2), LATER)


def test_bagging() -> None:
    X = numbers(200)
    settings: Any = {"n_estimators": 7, "random_state": 0}
    agree(ensemble.BaggingClassifier(**settings, max_features=0.5).fit(X, classes(X)), LATER)
    agree(ensemble.BaggingClassifier(KNeighborsClassifier(3), voting="hard", **settings).fit(X, classes(X)), LATER)
    agree(ensemble.BaggingRegressor(Ridge(), **settings).fit(X, X[:, 0]), LATER)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("method", ["sigmoid", "isotonic", "temperature"])
@pytest.mark.parametrize("inner", [GaussianNB(), RidgeClassifier(), BoostedTreesClassifier(n_estimators=5)])
def test_calibration(k: int, method: Any, inner: Any) -> None:
    X = numbers(300)
    agree(CalibratedClassifierCV(inner, method=method, cv=3).fit(X, classes(X, k)), LATER)
    agree(CalibratedClassifierCV(inner, method=method, cv=3, ensemble=False).fit(X, classes(X, k)), LATER)


def test_calibration_of_a_fitted_model() -> None:
    X = numbers(300)
    known = DecisionTreeClassifier(max_depth=4).fit(X, classes(X))
    agree(CalibratedClassifierCV(FrozenEstimator(known)).fit(X, classes(X)), LATER)


def test_self_training() -> None:
    X = numbers(200)
    y = (X[:, 0] > 0).astype(int)
    y[50:] = -1
    agree(SelfTrainingClassifier(LogisticRegression()).fit(X, y), LATER)


def test_tables_of_words_in_many_models() -> None:
    table, later = mixed(300), mixed(100, seed=8)
    later.loc[3, "kind"] = "never seen"
    y = np.where(target(table) > 2, "yes", "no")
    given = [
        ("tree", DecisionTreeClassifier(max_depth=4)),
        ("boosted", BoostedTreesClassifier(n_estimators=8)),
        ("line", make_pipeline(prepared("passthrough"), LogisticRegression())),
    ]
    found = agree(ensemble.VotingClassifier(given, voting="soft").fit(table, y), later)
    assert set(found["label"]) == {"yes", "no"}
    model = ensemble.StackingClassifier(given, cv=3).fit(table, y)
    near(answers(to_onnx(model), later)["probabilities"], model.predict_proba(later))


@pytest.mark.parametrize("kind", ["TargetEncoder", "OrderedTargetEncoder"])
@pytest.mark.parametrize("k", [2, 3])
def test_statistics_of_the_target(kind: str, k: int) -> None:
    table, later = mixed(300, missing=False)[WORDS], mixed(100, seed=8, missing=False)[WORDS]
    later.loc[3, "kind"] = "never seen"
    y = target(mixed(300, missing=False))
    model = getattr(preprocessing, kind)(random_state=0)
    agree(model.fit(table, y), later)
    agree(model.fit(table, pd.cut(y, k, labels=["x", "y", "z"][:k]).astype(str)), later)


@pytest.mark.parametrize("degree", [2, 3])
def test_roots(degree: int) -> None:
    X = np.abs(numbers(50)) if degree == 2 else numbers(50)
    later = np.abs(LATER) if degree == 2 else LATER
    agree(preprocessing.RootTransformer(degree).fit(X), later)


@pytest.mark.parametrize("whiten", [False, True])
def test_principal_components(whiten: bool) -> None:
    X = numbers(100) @ np.diag([3.0, 1, 0.5, 0.1])
    agree(PCA(n_components=3, whiten=whiten).fit(X), LATER)
    agree(make_pipeline(PCA(2), LogisticRegression()).fit(X, classes(X)), LATER)


def test_clusters() -> None:
    X = numbers(200)
    agree(KMeans(5, random_state=0).fit(X), LATER)
    agree(make_pipeline(KMeans(5, random_state=0), LinearRegression()).fit(X, X[:, 0]), LATER)
