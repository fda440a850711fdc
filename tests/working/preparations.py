"""A working of every transformer, imputer and selector, on a few rows of penguins and of the Titanic's passengers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression, LogisticRegression

from pellucid import feature_selection as fs
from pellucid import impute, metrics, preprocessing, quality, stats
from pellucid import linear_model as ours
from pellucid.naive_bayes import BernoulliNB, ComplementNB, GaussianNB, MultinomialNB
from pellucid.working import Working, show

from . import binary_trees, discriminants, multiway_trees, neighbors

nan = float("nan")
PENGUINS = pd.DataFrame(
    [
        ("Adelie", 39.1, 18.7, 181.0, 3750.0),
        ("Adelie", 39.5, 17.4, 186.0, 3800.0),
        ("Adelie", 40.3, 18.0, 195.0, 3250.0),
        ("Adelie", 36.7, 19.3, 193.0, 3450.0),
        ("Adelie", 34.1, 18.1, 193.0, 3475.0),
        ("Chinstrap", 46.5, 17.9, 192.0, 3500.0),
        ("Chinstrap", 50.0, 19.5, 196.0, 3900.0),
        ("Chinstrap", 52.7, 19.8, 197.0, 3725.0),
        ("Gentoo", 46.1, 13.2, 211.0, 4500.0),
        ("Gentoo", 50.0, 16.3, 230.0, 5700.0),
        ("Gentoo", 47.6, 14.5, 215.0, 5400.0),
        ("Gentoo", 45.4, 14.6, 211.0, 4800.0),
    ],
    columns=["species", "bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"],
)
SPECIES, MASS = PENGUINS["species"], PENGUINS["body_mass_g"]
BILL = PENGUINS[["bill_length_mm", "bill_depth_mm"]]
SIZES = PENGUINS[["bill_length_mm", "bill_depth_mm", "flipper_length_mm"]]
GAPS = PENGUINS[["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]].copy()
GAPS.iloc[2, 3] = GAPS.iloc[4, 1] = GAPS.iloc[4, 2] = GAPS.iloc[9, 0] = nan

TITANIC = pd.DataFrame(
    [
        (0, 3, "male", 22.0, 7.25, "S"),
        (1, 1, "female", 38.0, 71.2833, "C"),
        (1, 3, "female", 26.0, 7.925, "S"),
        (1, 1, "female", 35.0, 53.1, "S"),
        (0, 3, "male", 35.0, 8.05, "S"),
        (0, 3, "male", nan, 8.4583, "Q"),
        (0, 1, "male", 54.0, 51.8625, "S"),
        (0, 3, "male", 2.0, 21.075, "S"),
        (1, 3, "female", 27.0, 11.1333, None),
        (1, 2, "female", 14.0, 30.0708, "C"),
    ],
    columns=["survived", "pclass", "sex", "age", "fare", "embarked"],
)
SURVIVED = TITANIC["survived"]
PASSENGERS = pd.DataFrame(
    {
        "name": ["Braund, Owen Harris", "Cumings, John", "Braund, Owen Haris", "Heikkinen, Laina", "Cumings, Jhon"],
        "age": [22.0, 38.0, 22.0, 26.0, 39.0],
        "fare": [7.25, 71.3, 7.25, 7.925, 71.3],
    }
)
TIMES = pd.DataFrame(
    {
        "departure": pd.to_datetime(
            ["1912-04-10 12:00:00", "1912-04-10 18:35:00", "1912-04-11 11:30:00", "1912-12-31 23:59:59"]
        ),
        "fare": [7.25, 71.28, 7.93, 53.1],
    }
)


SHOWN: set[str] = set()  # classes whose fit and transform are among the workings


def both(
    model: Any, X: Any, y: Any = None, weight: Any = None, rows: Any = (0, 3), name: str = ""
) -> dict[str, Working]:
    """Fit and transform, as shown."""
    model = model.fit(X, y) if weight is None else model.fit(X, y, sample_weight=weight)
    SHOWN.add(type(model).__name__)
    name = name or type(model).__name__
    fit = model.show_fit(X, y) if weight is None else model.show_fit(X, y, weight)
    return {f"{name} fit": fit, f"{name} transform": model.show_transform(X, rows=list(rows))}


def columns() -> dict[str, Working]:
    """Transformers of single columns of numbers."""
    p = preprocessing
    skewed = TITANIC[["fare"]] - 20
    return {
        **both(p.PowerTransformer(), skewed),
        **both(p.PowerTransformer(method="box-cox", standardize=False), TITANIC[["fare"]], name="Box-Cox"),
        **both(p.LogTransformer(shift="auto"), TITANIC[["fare"]]),
        **both(p.LogTransformer(base=10, shift=1.0), TITANIC[["fare"]], name="LogTransformer base 10"),
        **both(p.RootTransformer(), TITANIC[["fare"]]),
        **both(p.RootTransformer(degree=3), skewed, name="cube root"),
        **both(p.QuantileTransformer(n_quantiles=5), TITANIC[["fare", "age"]]),
        **both(p.QuantileTransformer(n_quantiles=10, output_distribution="normal"), TITANIC[["fare"]], name="normal"),
        **both(p.KBinsDiscretizer(3, encode="onehot-dense", strategy="uniform"), BILL),
        **both(p.KBinsDiscretizer(3, encode="ordinal", strategy="quantile"), BILL, name="quantile bins"),
        **both(p.KBinsDiscretizer(3, encode="ordinal", strategy="kmeans"), BILL, name="kmeans bins"),
        **both(p.KBinsDiscretizer(3, encode="ordinal", strategy="tree"), BILL, SPECIES, name="tree bins"),
        **both(p.TwoWaySplit(), BILL, name="TwoWaySplit median"),
        **both(p.TwoWaySplit(cut="best"), BILL, SPECIES, name="TwoWaySplit best"),
        **both(p.TwoWaySplit(cut="best"), BILL, MASS, name="TwoWaySplit best, many classes"),
        **both(p.TwoWaySplit(cut="best"), BILL, MASS / 1024, name="TwoWaySplit best, numbers"),
        **both(p.TwoWaySplit(cut=45.0), BILL, name="TwoWaySplit given"),
        **both(p.Binarizer(threshold=45.0), BILL),
    }


def rows() -> dict[str, Working]:
    """Transformers of whole rows."""
    p = preprocessing
    return {
        **both(p.Normalizer(), BILL),
        **both(p.Normalizer(norm="l1"), BILL, name="Normalizer l1"),
        **both(p.Normalizer(norm="max"), BILL, name="Normalizer max"),
        **both(p.PolarMap(center="mean", degrees=True), SIZES),
        **both(p.QuadraticMap(inhomogeneous=True), BILL),
        **both(p.RBFLandmarks(landmarks="quantiles", n_landmarks=3), BILL),
        **both(p.RBFLandmarks(landmarks=[[40.0, 18.0], [47.0, 14.0]], gamma=0.1), BILL, name="landmarks given"),
    }


def categories() -> dict[str, Working]:
    """Encoders of categories, labels and times."""
    p = preprocessing
    two = p.OrderedTargetEncoder(n_permutations=2, random_state=0)
    given = p.OrderedTargetEncoder(order="given", prior=0.5)
    parts = ["year", "month", "day", "day_of_year", "week", "is_weekend", "cyclic_month", "cyclic_hour", "cyclic_day"]
    return {
        **both(p.TargetEncoder(), TITANIC[["embarked", "sex"]], SURVIVED),
        **both(p.TargetEncoder(smooth=5.0, target_type="continuous"), PENGUINS[["species"]], MASS, name="of numbers"),
        **both(p.TargetEncoder(target_type="continuous"), PENGUINS[["species"]], MASS * 1e9, name="of large numbers"),
        **both(p.TargetEncoder(), TITANIC[["sex"]], TITANIC["pclass"], name="TargetEncoder of classes"),
        **both(given, TITANIC[["sex"]], SURVIVED),
        **both(two, TITANIC[["sex"]], SURVIVED, name="two orders"),
        **both(p.BooleanEncoder(), TITANIC[["sex", "survived"]]),
        **both(p.DateTimeFeatures(), TIMES),
        **both(p.DateTimeFeatures(features=parts), TIMES[["departure"]], name="parts of a time"),
        **labels(p.LabelEncoder(), SPECIES),
        **labels(p.LabelBinarizer(), SPECIES),
        **labels(p.LabelBinarizer(neg_label=-1), TITANIC["sex"], name="LabelBinarizer of two"),
        **labels(p.MultiLabelBinarizer(), [["comedy", "drama"], [], ["drama"], ["comedy", "crime"]]),
    }


def labels(model: Any, y: Any, name: str = "") -> dict[str, Working]:
    """As `both`, of a transformer of targets."""
    SHOWN.add(type(model).__name__)
    model, name = model.fit(y), name or type(model).__name__
    return {f"{name} fit": model.show_fit(y), f"{name} transform": model.show_transform(y)}


def gaps() -> dict[str, Working]:
    """Imputers."""
    i = impute
    prices = i.MapImputer(values={"age": {"male": 30.0, "female": 28.0}, "embarked": "S"}, by="sex")
    told = TITANIC[["sex", "age", "embarked"]]
    return {
        **both(i.SimpleImputer(), GAPS),
        **both(i.SimpleImputer(strategy="auto", skew_limit=0.5), TITANIC[["age", "fare", "embarked"]], name="auto"),
        **both(i.ClassImputer(by="sex", strategy="auto"), told),
        **both(i.ClassImputer(), GAPS, SPECIES, name="ClassImputer by target"),
        **both(prices, told),
        **both(i.MissingIndicator(), told),
        **both(i.KNNImputer(n_neighbors=3), GAPS, rows=(2, 4)),
        **both(i.KNNImputer(n_neighbors=2, weights="distance"), GAPS, rows=(9,), name="KNNImputer by distance"),
        **both(i.IterativeImputer(max_iter=4, tol=0.01), GAPS, rows=(4,)),
    }


def chosen() -> dict[str, Working]:
    """Selectors of columns."""
    line, logistic = LinearRegression(), LogisticRegression(max_iter=1000)
    return {
        **both(fs.VarianceThreshold(5.0), SIZES),
        **both(fs.CorrelationFilter(threshold=0.6, keep="least_redundant"), SIZES),
        **both(fs.CorrelationFilter(threshold=0.5, method="spearman", keep="target"), SIZES, MASS, name="by rank"),
        **both(fs.SelectKBest(k=2), SIZES, SPECIES),
        **both(fs.SelectPercentile(fs.f_regression, percentile=40), SIZES, MASS),
        **both(fs.SelectFpr(fs.f_regression), SIZES, MASS),
        **both(fs.SelectFdr(fs.f_classif), SIZES, SPECIES),
        **both(fs.SelectFwe(fs.chi2), SIZES, SPECIES),
        **both(fs.GenericUnivariateSelect(fs.chi2, mode="k_best", param=1), SIZES, SPECIES),
        **both(fs.SequentialFeatureSelector(line, n_features_to_select=2, cv=3), SIZES, MASS),
        **both(fs.RFE(line, n_features_to_select=1), SIZES, MASS),
        **both(fs.RFECV(line, cv=3), SIZES, MASS),
        **both(fs.SelectFromModel(line, threshold="mean"), SIZES, MASS),
        **both(fs.SelectFromModel(logistic, threshold="0.9*median"), SIZES, SPECIES, name="SelectFromModel of classes"),
    }


def figures() -> dict[str, Working]:
    """Functions: scores of columns, associations, quartiles, edit distances."""
    fare, islands = TITANIC["fare"].to_numpy(), TITANIC["embarked"].tolist()
    found = {
        "chi2": show(fs.chi2, SIZES, SPECIES),
        "f_classif": show(fs.f_classif, SIZES, SPECIES),
        "f_regression": show(fs.f_regression, SIZES, MASS),
        "r_regression": show(fs.r_regression, SIZES, MASS),
        "mutual_info counted": show(
            fs.mutual_info_classif, TITANIC[["pclass", "survived"]], TITANIC["sex"], discrete_features=True
        ),
        "mutual_info near": show(fs.mutual_info_classif, BILL[["bill_depth_mm"]], SPECIES, random_state=0),
        "cramers_v": show(quality.cramers_v, TITANIC["sex"].tolist(), islands),
        "correlation_ratio": show(quality.correlation_ratio, SPECIES.tolist(), MASS.tolist()),
        "edit_distance": show(metrics.edit_distance, "torgersen", "torgerson"),
        "jaccard_distance": show(metrics.jaccard_distance, [1, 0, 1], [1, 1, 0]),
        "minkowski_distance": show(metrics.minkowski_distance, [5, 10], [8, 6], p=3, w=[1, 2]),
        "mahalanobis_distance": show(metrics.mahalanobis_distance, [5, 10], [8, 6], V=[[2, 1], [1, 3]]),
        "cosine_distance": show(metrics.cosine_distance, [2, 0.5], [1, 1]),
    }
    found |= {
        "profile": show(quality.profile, TITANIC, column="fare"),
        "profile with a mode": show(quality.profile, TITANIC, column="age"),
        "near_duplicates": show(quality.near_duplicates, PASSENGERS),
        "near_duplicates, second pair": show(quality.near_duplicates, PASSENGERS, pair=(1, 4)),
    }
    for method in ("linear", "halves", "halves_with_median"):
        found[f"quartiles {method}"] = show(stats.quartiles, fare, method=method)
        found[f"fences {method}"] = show(stats.tukey_fences, fare, method=method)
    return found


def cleaned() -> dict[str, Working]:
    """The Cleaner."""
    dirty = pd.DataFrame(
        {"sex": ["male", " male", "female", "Female", "male", "female"], "age": [22, 38, 26, 35, -1, 27]}
    )
    return both(quality.Cleaner(), dirty)


def logistic() -> dict[str, Working]:
    """Logistic regression by its solvers and schemes: fits, predictions, summaries."""
    two, three = SPECIES.iloc[:8], SPECIES
    shown: dict[str, Working] = {}
    for name, y, settings in (
        ("newton", two, {"solver": "newton-cholesky"}),
        ("lbfgs, balanced", two, {"class_weight": "balanced", "fit_intercept": False}),
        ("l1", two, {"solver": "coordinate-descent", "l1_ratio": 1.0}),
        ("liblinear", two, {"solver": "liblinear", "intercept_scaling": 2.0}),
        ("liblinear, l1", two, {"solver": "liblinear", "l1_ratio": 1.0, "C": 5.0}),
        ("both penalties", two, {"solver": "coordinate-descent", "l1_ratio": 0.5}),
        ("softmax", three, {"max_iter": 10_000}),
        ("one versus rest", three, {"multi_class": "ovr", "solver": "auto"}),
    ):
        X = BILL.iloc[: len(y)]
        weight = [1.0, 2.0] * (len(y) // 2) if name == "newton" else None
        model = ours.LogisticRegression(**settings).fit(X, y, weight)
        shown |= {
            f"logistic {name}": model.show_fit(X, y, weight),
            f"logistic {name} predict": model.show_predict(X, rows=[0, 6]),
        }
        if name != "one versus rest":
            shown[f"logistic {name} summary"] = model.show_summary(X, y, weight)
    bells = ours.LogisticRegression.from_naive_bayes(BILL, three)
    chosen_by_folds = ours.LogisticRegressionCV(Cs=[0.01, 1.0], cv=3, solver="auto").fit(BILL.iloc[:8], two)
    averaged = ours.LogisticRegressionCV(Cs=[0.01, 1.0], cv=3, solver="auto", refit=False).fit(BILL.iloc[:8], two)
    return {
        **shown,
        "logistic naive Bayes": bells.show_fit(BILL, three),
        "logistic folds": chosen_by_folds.show_fit(BILL.iloc[:8], two),
        "logistic folds averaged": averaged.show_fit(BILL.iloc[:8], two),
    }


def bayes_of_numbers() -> dict[str, Working]:
    """Naive Bayes of numbers with gaps and weights, and of counts and flags with every kind of smoothing."""
    y = ["a", "b", "a", "b", "b", "a"]
    X = np.array([[1.0, 5.0], [4.0, np.nan], [2.0, 4.0], [5.0, 2.0], [6.0, 1.0], [2.5, 7.0]])
    counts = np.array([[2, 0, 1], [0, 3, 1], [1, 0, 0], [0, 1, 2], [1, 4, 0], [3, 1, 0]])
    wide = np.arange(6)[:, None] % 4 + np.arange(12) / 10
    weight = [1.0, 2.0, 1.0, 0.5, 1.0, 2.0]
    shown = {}
    models: list[tuple[str, Any, Any]] = [
        ("bells", GaussianNB(), X),
        ("bells, n - 1", GaussianNB(ddof=1, var_smoothing=0, priors=[0.3, 0.7]), X),
        ("bells, wide", GaussianNB(), wide),
        ("draws", MultinomialNB(fit_prior=False), counts),
        ("draws, m", MultinomialNB(m=2.0, p=[0.5, 0.25, 0.25]), counts),
        ("draws, wide", MultinomialNB(alpha=0.5), wide),
        ("complement", ComplementNB(), counts),
        ("complement, norm", ComplementNB(norm=True), wide),
        ("flags", BernoulliNB(), counts),
        ("flags, none", BernoulliNB(alpha=0), counts),
        ("flags, wide", BernoulliNB(m=1.0, binarize=1.0), wide),
    ]
    for name, model, table in models:
        model.fit(table, y, weight)
        shown[f"naive Bayes {name} fit"] = model.show_fit(table, y, weight)
        shown[f"naive Bayes {name} predict"] = model.show_predict(table, rows=[0, 1])
    return shown


def ridge() -> dict[str, Working]:
    """Ridge regression on each scale of its cost, by certificate, by rows left out, and of classes."""
    weight = [1.0, 2.0, 1.0] * 4
    one, sizes, two = BILL[["bill_length_mm"]], SIZES, SPECIES.isin(["Gentoo"])
    models: dict[str, tuple[Any, Any, Any, Any]] = {
        "one column": (ours.Ridge(5.0), one, MASS, None),
        "several columns": (ours.Ridge(5.0), sizes, MASS, weight),
        "through the origin": (ours.Ridge(5.0, fit_intercept=False), BILL, MASS, None),
        "by the mean": (ours.Ridge(0.5, cost="mean"), BILL, MASS, None),
        "by half the mean": (ours.Ridge(0.5, cost="half_mean"), BILL, MASS, weight),
        "not below zero": (ours.Ridge(5.0, positive=True), BILL, MASS, None),
        "left out, one column": (ours.RidgeCV(), one, MASS, None),
        "left out": (ours.RidgeCV(), BILL, MASS, weight),
        "left out, through the origin": (ours.RidgeCV(fit_intercept=False), BILL, MASS, None),
        "by parts": (ours.RidgeCV(cv=3), BILL, MASS, None),
        "two classes": (ours.RidgeClassifier(class_weight="balanced"), BILL, two, None),
        "three classes": (ours.RidgeClassifier(), BILL, SPECIES, None),
        "two classes left out": (ours.RidgeClassifierCV(), BILL, two, None),
        "three classes left out": (ours.RidgeClassifierCV(), BILL, SPECIES, None),
    }
    shown = {}
    for name, (model, X, y, counts) in models.items():
        model.fit(X, y, counts)
        shown[f"ridge {name}"] = model.show_fit(X, y, counts)
        shown[f"ridge {name}, predict"] = model.show_predict(X, rows=[0, 9])
    return shown


def penalized() -> dict[str, Working]:
    """The lasso and the elastic net on each scale of cost, in one column and several, and chosen by folds."""
    one, sizes, weight = PENGUINS[["flipper_length_mm"]], SIZES, [1.0, 2.0, 1.0] * 4
    cases: dict[str, tuple[Any, Any, Any]] = {
        "Lasso of one column": (ours.Lasso(50.0), one, None),
        "Lasso of several": (ours.Lasso(20.0), sizes, weight),
        "Lasso, mean squared error": (ours.Lasso(20.0, cost="squared"), sizes, None),
        "Lasso through the origin": (ours.Lasso(20.0, fit_intercept=False, positive=True), sizes, None),
        "Lasso, plain passes": (ours.Lasso(500.0, accelerate=False, max_iter=10_000), sizes, None),
        "Lasso of many columns": (ours.Lasso(20.0), pd.concat([SIZES] * 3, axis=1).set_axis(range(9), axis=1), None),
        "ElasticNet": (ours.ElasticNet(2.0), sizes, weight),
        "ElasticNet, squares alone": (ours.ElasticNet(2.0, l1_ratio=0.0), sizes, None),
        "LassoCV": (ours.LassoCV(cv=3, alphas=5), sizes, None),
        "ElasticNetCV": (ours.ElasticNetCV(cv=3, alphas=4, l1_ratio=[0.5, 0.9]), sizes, None),
    }
    found: dict[str, Working] = {}
    for name, (model, X, given) in cases.items():
        model.fit(X, MASS, given)
        found[f"{name} fit"] = model.show_fit(X, MASS, given)
        found[f"{name} predict"] = model.show_predict(X, rows=[0, 5])
    return found


def row_by_row() -> dict[str, Working]:
    """Stochastic gradient descent and the perceptron: every loss, penalty and rate that has formulas of its own."""
    X, y, two = (BILL - BILL.mean()) / BILL.std(), (MASS - MASS.mean()) / MASS.std(), SPECIES.isin(["Gentoo"])
    weight = [1.0, 2.0, 1.0] * 4
    seed: dict[str, Any] = {"random_state": 0, "max_iter": 4, "tol": None}
    loose: dict[str, Any] = {**seed, "learning_rate": "constant", "eta0": 0.1}
    models: dict[str, tuple[Any, Any, Any]] = {
        "of numbers": (ours.SGDRegressor(alpha=0.1, **seed), y, weight),
        "huber, both penalties": (ours.SGDRegressor("huber", penalty="elasticnet", alpha=0.1, **loose), y, None),
        "absolute, averaged": (ours.SGDRegressor("absolute_error", average=10, **loose), y, None),
        "tube, l1": (ours.SGDRegressor("epsilon_insensitive", penalty="l1", alpha=0.1, **loose), y, None),
        "squared tube, decay": (
            ours.SGDRegressor("squared_epsilon_insensitive", learning_rate="decay", **seed),
            y,
            None,
        ),
        "passive": (ours.SGDRegressor("epsilon_insensitive", learning_rate="pa1", penalty=None, **seed), y, weight),
        "passive, softened": (
            ours.SGDRegressor("epsilon_insensitive", learning_rate="pa2", penalty=None, **seed),
            y,
            None,
        ),
        "best epoch": (ours.SGDRegressor(early_stopping=True, restore_best=True, **loose), y, None),
        "batches": (ours.SGDRegressor(batch_size=4, **seed), y, None),
        "batches, weights": (ours.SGDRegressor(batch_size=5, penalty="l1", alpha=0.1, **loose), y, weight),
        "all rows": (ours.SGDRegressor(batch_size=None, **seed), y, weight),
        "batches of classes": (ours.SGDClassifier(batch_size=4, class_weight="balanced", **loose), two, None),
        "batches, log loss": (ours.SGDClassifier("log_loss", batch_size=5, **loose), SPECIES, None),
        "hinge": (ours.SGDClassifier(alpha=0.1, **seed), two, weight),
        "log loss, three classes": (ours.SGDClassifier("log_loss", class_weight="balanced", **loose), SPECIES, None),
        "squared hinge, averaged": (ours.SGDClassifier("squared_hinge", average=True, **loose), two, None),
        "modified huber": (ours.SGDClassifier("modified_huber", alpha=0.1, **seed), two, None),
        "squared sigmoid": (ours.SGDClassifier("squared_sigmoid", penalty=None, **loose), two, None),
        "passive, classes": (ours.SGDClassifier(learning_rate="pa1", penalty=None, **seed), two, None),
        "perceptron": (ours.Perceptron(**seed), two, weight),
        "perceptron, zero says yes": (ours.Perceptron(at_zero="second", fit_intercept=False, **seed), two, None),
    }
    shown = {}
    for name, (model, target, counts) in models.items():
        model.fit(X, target, sample_weight=counts)
        shown[f"row by row {name}"] = model.show_fit(X, target, counts)
        shown[f"row by row {name}, predict"] = model.show_predict(X, rows=[0, 9])
    return shown


def made() -> dict[str, Working]:
    """All of them."""
    return {
        **row_by_row(),
        **columns(),
        **rows(),
        **categories(),
        **gaps(),
        **chosen(),
        **figures(),
        **cleaned(),
        **penalized(),
        **logistic(),
        **bayes_of_numbers(),
        **ridge(),
        **binary_trees.made(),
        **discriminants.made(SIZES, SPECIES),
        **neighbors.made(),
        **multiway_trees.made(TITANIC, SURVIVED),
    }
