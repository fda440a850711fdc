"""Linear models, discriminants, naive Bayes and neighbors as ONNX, on rows that they have not seen."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

from pellucid import discriminant_analysis, linear_model, naive_bayes, neighbors
from pellucid.base.errors import DataTypeError
from pellucid.dummy import DummyClassifier, DummyRegressor
from pellucid.export.onnx import to_onnx
from pellucid.isotonic import IsotonicRegression
from pellucid.pipeline import PolynomialRegression

from .test_onnx import agree, classes, fails, mixed, near, numbers, session, target

pytestmark = pytest.mark.exhaustive  # every model in every language

LATER = numbers(150, seed=7)


def weights(n: int) -> Any:
    return np.random.RandomState(3).rand(n) + 0.1


# ---------------------------------------------------------------------------------------------------------------- lines


@pytest.mark.parametrize(
    "model",
    [
        linear_model.LinearRegression(),
        linear_model.Ridge(alpha=0.5),
        linear_model.Lasso(alpha=0.05),
        linear_model.ElasticNet(alpha=0.05),
        linear_model.RidgeCV(),
        linear_model.LassoCV(cv=3),
        linear_model.ElasticNetCV(cv=3),
        linear_model.SGDRegressor(random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_lines(model: Any) -> None:
    X = numbers(200)
    agree(model.fit(X, X @ [1.0, -2, 0, 3] + 5, sample_weight=weights(200)), LATER)


def test_line_by_gradient_descent() -> None:
    X = numbers(200)
    agree(linear_model.GradientDescentRegressor().fit(X, X @ [1.0, -2, 0, 3] + 5), LATER)


@pytest.mark.parametrize("model", [linear_model.LinearRegression(), linear_model.Ridge(), linear_model.RidgeCV()])
def test_lines_of_several_targets(model: Any) -> None:
    X = numbers(200)
    agree(model.fit(X, np.column_stack([X[:, 0], X @ [1.0, 2, 3, 4]])), LATER)


def test_coefficients_that_are_sparse() -> None:
    X = numbers(200)
    agree(linear_model.LogisticRegression(l1_ratio=1.0, solver="saga", C=0.1).fit(X, classes(X)).sparsify(), LATER)


def test_large_and_small_columns() -> None:
    X = numbers(200) * [1e8, 1e-8, 1.0, 1e3] + [1e9, 0, 0, 1e4]
    later = LATER * [1e8, 1e-8, 1.0, 1e3] + [1e9, 0, 0, 1e4]
    agree(linear_model.LinearRegression().fit(X, X[:, 1] * 1e8 + X[:, 2]), later)


@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize(
    "model",
    [
        linear_model.LogisticRegression(),
        linear_model.LogisticRegressionCV(cv=3, Cs=3),
        linear_model.SGDClassifier(random_state=0),
        linear_model.SGDClassifier(loss="log_loss", random_state=0),
        linear_model.SGDClassifier(loss="modified_huber", random_state=0),
        linear_model.Perceptron(random_state=0),
        linear_model.RidgeClassifier(),
        linear_model.RidgeClassifierCV(),
    ],
    ids=lambda model: f"{type(model).__name__}-{getattr(model, 'loss', '')}",
)
def test_linear_classes(model: Any, k: int) -> None:
    X = numbers(300)
    agree(model.fit(X, classes(X, k)), LATER)


def test_logistic_one_against_the_rest() -> None:
    X = numbers(300)
    agree(linear_model.LogisticRegression(multi_class="ovr").fit(X, classes(X, 4)), LATER)


def test_ridge_classifier_of_several_labels() -> None:
    X = numbers(200)
    found = agree(
        linear_model.RidgeClassifier().fit(X, np.column_stack([X[:, 0] > 0, X[:, 1] > 0.5]).astype(int)), LATER
    )
    assert found["label"].shape == (150, 2)


def test_perceptron_at_zero() -> None:
    model = linear_model.Perceptron(at_zero="second", fit_intercept=False).fit([[1.0], [-1.0], [2.0]], ["a", "b", "a"])
    agree(model, np.array([[0.0], [1.0], [-1.0]]))


def test_polynomial_regression() -> None:
    X = numbers(100, 1)
    agree(PolynomialRegression(degrees=4).fit(X, X[:, 0] ** 3 - X[:, 0]), numbers(60, 1, seed=4))


@pytest.mark.parametrize("outside", ["clip", "nan"])
def test_isotonic(outside: Any) -> None:
    random = np.random.RandomState(0)
    x = random.rand(200)
    model = IsotonicRegression(out_of_bounds=outside).fit(x.reshape(-1, 1), x**2 + 0.1 * random.randn(200))
    at = np.concatenate([random.rand(300), model.X_thresholds_, [-1.0, 2.0]]).reshape(-1, 1)
    agree(model, at)


def test_isotonic_that_raises() -> None:
    model = IsotonicRegression(out_of_bounds="raise").fit([[1.0], [2.0], [3.0]], [1.0, 2.0, 4.0])
    agree(model, np.array([[1.5], [3.0]]))
    fails(model, np.array([[1.5], [9.0]]), "X must lie where it lay in fit")


# ---------------------------------------------------------------------------------------------------------------- bells


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize(
    "model",
    [
        discriminant_analysis.LinearDiscriminantAnalysis(),
        discriminant_analysis.LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.2),
        discriminant_analysis.QuadraticDiscriminantAnalysis(),
        discriminant_analysis.RegularizedDiscriminantAnalysis(),
        naive_bayes.GaussianNB(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_bells(model: Any, k: int) -> None:
    X = numbers(300) * [1.0, 5, 0.1, 100] + [0, 1, 0, 1000]
    scaled = (X - [0, 1, 0, 1000]) / [1.0, 5, 0.1, 100]
    agree(model.fit(X, classes(scaled, k)), LATER * [1.0, 5, 0.1, 100] + [0, 1, 0, 1000])


@pytest.mark.parametrize("solver", ["svd", "eigen"])
def test_discriminant_as_a_step(solver: Any) -> None:
    X = numbers(200)
    steps = make_pipeline(discriminant_analysis.LinearDiscriminantAnalysis(solver=solver), linear_model.Perceptron())
    agree(steps.fit(X, classes(X)), LATER)


def test_gaussian_bayes_leaves_missing_values_out() -> None:
    X, later = numbers(300), LATER.copy()
    y = classes(X)
    X[::7, 1] = np.nan
    later[::3, 0] = later[::5, 2] = np.nan
    later[4] = np.nan
    agree(naive_bayes.GaussianNB().fit(X, y, sample_weight=weights(300)), later)


def test_gaussian_bayes_of_priors() -> None:
    X = numbers(300)
    agree(naive_bayes.GaussianNB(priors=[0.0, 0.3, 0.7]).fit(X, classes(X)), LATER)


# --------------------------------------------------------------------------------------------------------------- counts


@pytest.mark.parametrize("alpha", [1.0, 0.0])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("kind", ["MultinomialNB", "BernoulliNB", "ComplementNB"])
def test_bayes_of_counts(kind: str, k: int, alpha: float) -> None:
    random = np.random.RandomState(0)
    X = random.poisson([0.5, 1, 2, 3, 0.1], (200, 5)).astype(float)
    y = np.array(["a", "b", "c"])[np.minimum((X[:, 2] + X[:, 3] > 4) + (X[:, 0] > 1) * 1, k - 1)]
    X[y == "b", 4] = 0  # an impossible column, without smoothing
    later = random.poisson([0.5, 1, 2, 3, 0.3], (150, 5)).astype(float)
    later[0] = 0
    agree(getattr(naive_bayes, kind)(alpha=alpha).fit(X, y), later)


def test_counts_below_zero_are_refused() -> None:
    model = naive_bayes.MultinomialNB().fit([[1, 2], [2, 0]], ["a", "b"])
    fails(model, np.array([[-1.0, 2]]), "MultinomialNB takes counts of zero or more")


# ----------------------------------------------------------------------------------------------------------- categories


@pytest.mark.parametrize("unknown", ["smooth", "ignore"])
@pytest.mark.parametrize("smoothing", ["laplace", "none"])
def test_categorical_bayes_of_words(unknown: Any, smoothing: Any) -> None:
    table = mixed(300)[["kind", "place"]]
    later = mixed(200, seed=8)[["kind", "place"]]
    later.loc[3, "kind"] = "never seen"
    later.loc[4] = ["another", "other"]
    y = np.where(mixed(300)["size"].fillna(0) + (table["kind"] == "a") > 0.5, "yes", "no")
    agree(naive_bayes.CategoricalNB(unknown=unknown, smoothing=smoothing).fit(table, y), later)


@pytest.mark.parametrize("missing", ["", None, np.nan, pd.NA])
def test_missing_words_as_they_come(missing: Any) -> None:
    table = mixed(200)[["kind"]]
    model = naive_bayes.CategoricalNB().fit(table, np.where(table["kind"] == "a", "yes", "no"))
    running = session(to_onnx(model))
    found = running.run(["probabilities"], {"kind": np.array([[missing]], dtype=object)})[0]
    near(found, model.predict_proba(pd.DataFrame({"kind": pd.Series([None], dtype=object)})))


def test_categorical_bayes_that_refuses() -> None:
    table = mixed(300)[["kind"]]
    model = naive_bayes.CategoricalNB(unknown="error").fit(table, table["kind"] == "a")
    agree(model, mixed(50, seed=2)[["kind"]])
    fails(model, pd.DataFrame({"kind": ["never seen"]}), "'kind' holds a category that fit did not see")


def test_categorical_bayes_of_codes() -> None:
    random = np.random.RandomState(0)
    X = random.randint(0, [2, 5, 3], (300, 3)).astype(float)
    later = random.randint(0, [3, 7, 3], (200, 3)).astype(float)
    agree(naive_bayes.CategoricalNB(min_categories=4).fit(X, X[:, 1] > 2), later)


@pytest.mark.parametrize("ways", ["gaussian", "kernel", "split", {"size": "kernel", "count": 4.5}])
@pytest.mark.parametrize("unknown", ["smooth", "ignore"])
def test_mixed_bayes(ways: Any, unknown: Any) -> None:
    table, later = mixed(300), mixed(200, seed=8)
    later.loc[3, "kind"] = "never seen"
    y = pd.cut(target(table), 3, labels=["x", "y", "z"]).astype(str)
    agree(naive_bayes.NaiveBayes(numbers=ways, unknown=unknown).fit(table, y), later)


# ----------------------------------------------------------------------------------------------------------- neighbors


METRICS = (
    "euclidean", "manhattan", "chebyshev", "cosine", "hamming", "canberra", "braycurtis", "seuclidean", "mahalanobis",
    "sqeuclidean", "correlation",
)  # fmt: skip


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("weight", ["uniform", "distance", "squared_distance"])
def test_neighbors_by_metric(metric: str, weight: Any) -> None:
    X = np.round(numbers(120), 1)  # equal distances occur
    later = np.vstack([np.round(LATER, 1), X[:20]])
    if metric in ("cosine", "correlation"):  # a distance of zero is one of rounding there, and 1 / d anything
        later = np.round(LATER, 1)
    agree(neighbors.KNeighborsClassifier(5, metric=metric, weights=weight).fit(X, classes(X)), later)
    agree(neighbors.KNeighborsRegressor(5, metric=metric, weights=weight).fit(X, X[:, 0] * X[:, 1]), later)


@pytest.mark.parametrize("metric", ["jaccard", "tanimoto"])
def test_neighbors_of_flags(metric: str) -> None:
    random = np.random.RandomState(0)
    X = (random.rand(100, 6) < 0.4).astype(float)
    model = neighbors.KNeighborsClassifier(3, metric=metric).fit(X, np.where(X[:, 0] > 0, "a", "b"))
    agree(model, (random.rand(80, 6) < 0.3).astype(float))


def test_neighbors_by_other_powers_and_widths() -> None:
    X = numbers(120)
    agree(neighbors.KNeighborsRegressor(4, p=3, weights="distance").fit(X, X[:, 0]), LATER)
    params = {"w": np.array([1.0, 0.5, 2, 0])}
    agree(neighbors.KNeighborsRegressor(4, p=1.5, metric_params=params).fit(X, X[:, 0]), LATER)


def test_neighbors_with_missing_values() -> None:
    X, later = numbers(120), LATER.copy()
    y = classes(X)
    X[::7, 1] = later[::5, 2] = np.nan
    agree(neighbors.KNeighborsClassifier(5, metric="nan_euclidean", weights="distance").fit(X, y), later)


@pytest.mark.parametrize("algorithm", ["brute", "kd_tree", "ball_tree"])
def test_neighbors_by_index(algorithm: Any) -> None:
    X = numbers(200)
    agree(neighbors.KNeighborsClassifier(5, algorithm=algorithm).fit(X, classes(X)), LATER)


def test_neighbors_of_several_targets() -> None:
    X = numbers(150)
    agree(neighbors.KNeighborsRegressor(3).fit(X, X[:, :2]), LATER)
    y = np.column_stack([classes(X, 2), classes(X[:, ::-1], 3)])
    agree(neighbors.KNeighborsClassifier(3, weights="distance").fit(X, y), LATER)


def test_neighbors_at_equal_distances() -> None:
    X = np.array([[0.0], [1], [2], [3], [4], [4], [5]])
    y = ["a", "b", "a", "b", "c", "a", "c"]
    at = np.linspace(-1, 6, 57).reshape(-1, 1)
    for k in (1, 2, 3, 4):
        agree(neighbors.KNeighborsClassifier(k).fit(X, y), at)
        agree(neighbors.KNeighborsClassifier(k, ties="nearest").fit(X, y), at)
        for weight in ("uniform", "distance"):
            agree(neighbors.KNeighborsClassifier(k, include_equal=True, weights=weight).fit(X, y), at)
            agree(neighbors.KNeighborsRegressor(k, include_equal=True, weights=weight).fit(X, X[:, 0]), at)


def test_neighbors_that_have_no_form() -> None:
    X = numbers(60)
    for model, words in (
        (neighbors.KNeighborsRegressor(3, average="median"), "average='median'"),
        (neighbors.KNeighborsRegressor(3, weights=np.exp), "a function as weights"),
        (neighbors.KNeighborsRegressor(3, metric="haversine"), "metric='haversine'"),
        (neighbors.KNeighborsRegressor(3, algorithm="lsh"), "algorithm='lsh'"),
    ):
        given = X[:, :2] if "haversine" in words else X
        with pytest.raises(DataTypeError, match=words):
            to_onnx(model.fit(given, X[:, 0]))
    with pytest.raises(DataTypeError, match="ties='expand'"):
        to_onnx(neighbors.KNeighborsClassifier(3, ties="expand").fit(X, classes(X)))


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@pytest.mark.parametrize("shrink", [None, 0.5])
@pytest.mark.parametrize("priors", ["uniform", "empirical"])
def test_nearest_centroid(k: int, metric: Any, shrink: Any, priors: Any) -> None:
    X = numbers(200)
    y = classes(X, k)
    y[:40] = "low"
    agree(neighbors.NearestCentroid(metric=metric, shrink_threshold=shrink, priors=priors).fit(X, y), LATER)


# ------------------------------------------------------------------------------------------------------------ baselines


def test_baselines() -> None:
    X = numbers(100)
    agree(DummyRegressor().fit(X, X[:, 0]), LATER)
    agree(DummyRegressor(strategy="median").fit(X, X[:, :2]), LATER)
    agree(DummyClassifier().fit(X, classes(X)), LATER)
    agree(DummyClassifier(strategy="most_frequent").fit(X, classes(X, 2)), LATER)
    agree(DummyClassifier(strategy="constant", constant="mid").fit(X, classes(X)), LATER)
    agree(DummyClassifier().fit(X, np.column_stack([classes(X, 2), classes(X, 3)])), LATER)


def test_bayes_of_kernels() -> None:
    X, later = numbers(150), LATER.copy()
    later[::4, 1] = np.nan
    agree(naive_bayes.KernelDensityNB().fit(X, classes(X)), later)
