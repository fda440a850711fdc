"""The models of the comparison: how each is made, and what it is good for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sklearn.pipeline import make_pipeline

from pellucid.boosting import BoostedTreesClassifier, BoostedTreesRegressor
from pellucid.discriminant_analysis import LinearDiscriminantAnalysis
from pellucid.dummy import DummyClassifier, DummyRegressor
from pellucid.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    StackingClassifier,
    StackingRegressor,
)
from pellucid.linear_model import LassoCV, LogisticRegression, RidgeCV
from pellucid.naive_bayes import ComplementNB, NaiveBayes
from pellucid.neighbors import KNeighborsClassifier, KNeighborsRegressor
from pellucid.neural_network import MLPClassifier, MLPRegressor
from pellucid.report.columns import Columns, Form, preparation
from pellucid.report.costs import WIDE, Size, prediction_seconds_of, seconds_of
from pellucid.report.target_scaling import on_scaled_target
from pellucid.svm import SVC, SVR, LinearSVC, LinearSVR
from pellucid.tree import DecisionTreeClassifier, DecisionTreeRegressor

BASELINE, STACKING = "baseline", "stacking"
PROPER = ("naive Bayes", "nearest", "gradient boosting", "AdaBoost", "stacking")  # take no article
MANY = 50  # columns of which some may not matter at all
# Small batches and a fixed number of epochs: with early stopping, a few hundred rows allow too few steps to learn
# anything (AUC 0.36 on 228 rows, where 50 epochs reach 0.66).
NETWORK: dict[str, Any] = {
    "hidden_layer_sizes": (50,),
    "alpha": 0.1,
    "batch_size": 32,
    "learning_rate_init": 0.003,
    "max_iter": 50,
    "tol": None,
}


@dataclass(frozen=True)
class ModelSpec:
    """A kind of model.

    form : which form of the table it takes
    grid : the settings that a search tries
    classes, number : the model itself for either kind of task, from the seed; without preparation; None: it does not
    least : columns from which on it takes part in a comparison; with fewer another one does as well
    """

    name: str
    title: str
    about: str
    form: Form
    classes: Callable[[int, Columns], Any] | None
    number: Callable[[int, Columns], Any] | None
    grid: Mapping[str, list[Any]] = field(default_factory=dict)
    sparse: bool = True  # takes sparse tables
    least: int = 0
    probabilities: bool = True  # of classes: gives them
    exact_train: bool = False  # a regressor that reproduces the rows that it learned from by construction

    def cost(self, size: Size) -> float:
        """About the seconds of one fold."""
        return seconds_of(self.name, size)

    def prediction_cost(self, size: Size, n_predicted: int) -> float:
        """About the seconds for the predictions of other rows."""
        return prediction_seconds_of(self.name, size, n_predicted)

    def model(self, for_classes: bool, seed: int, columns: Columns) -> Any:
        """The unfitted pipeline, from the raw columns on."""
        make = self.classes if for_classes else self.number
        if make is None:
            raise TypeError(f"{self.name} does not do this task")
        return make_pipeline(preparation(columns, self.form), make(seed, columns))


def _boosting(seed: int, columns: Columns, for_classes: bool) -> Any:
    """Fewer rounds and coarser bins for thousands of columns, where a fit takes seconds however few the rows are."""
    kind: Any = BoostedTreesClassifier if for_classes else BoostedTreesRegressor
    spared: dict[str, Any] = {"n_estimators": 100, "max_bins": 32} if len(columns.used) > WIDE else {}
    return kind(random_state=seed, **spared)


def _stack(seed: int, columns: Columns, for_classes: bool) -> Any:
    """Every member has its own preparation."""
    linear: Any = LogisticRegression(max_iter=1000) if for_classes else RidgeCV(alphas=(0.1, 1.0, 10.0, 100.0))
    forest: Any = RandomForestClassifier if for_classes else RandomForestRegressor
    members = [
        ("linear", make_pipeline(preparation(columns, "matrix"), linear)),
        ("forest", make_pipeline(preparation(columns, "table"), forest(min_samples_leaf=2, random_state=seed))),
        ("boosting", make_pipeline(preparation(columns, "table"), _boosting(seed, columns, for_classes))),
    ]
    return StackingClassifier(members, cv=3) if for_classes else StackingRegressor(members, cv=3)


SUITE: tuple[ModelSpec, ...] = (
    ModelSpec(
        BASELINE,
        "baseline",
        "predicts the same for every row: the most frequent class, with the shares of the classes as probabilities, or "
        "the mean of the target",
        "table",
        lambda seed, columns: DummyClassifier(),
        lambda seed, columns: DummyRegressor(),
    ),
    ModelSpec(
        "linear",
        "linear model",
        "a weighted sum of the columns (logistic regression for classes, ridge for a number)",
        "matrix",
        lambda seed, columns: LogisticRegression(max_iter=1000),
        lambda seed, columns: RidgeCV(alphas=(0.1, 1.0, 10.0, 100.0)),
        {"C": [0.01, 0.1, 1.0, 10.0, 100.0]},
    ),
    ModelSpec(
        "lasso",
        "sparse linear model",
        "a weighted sum of the columns, with a penalty that can make weights exactly 0 (lasso)",
        "matrix",
        lambda seed, columns: LogisticRegression(C=0.1, l1_ratio=1.0, solver="auto", multi_class="ovr", max_iter=1000),
        lambda seed, columns: LassoCV(eps=0.01, alphas=50, cv=3),
        {"C": [0.03, 0.1, 0.3, 1.0, 3.0]},
        least=MANY,
    ),
    ModelSpec(
        "discriminant",
        "linear discriminant",
        "one Gaussian per class, all with the same covariance: a row belongs to the most probable one",
        "dense",
        lambda seed, columns: LinearDiscriminantAnalysis(),
        None,
        sparse=False,
    ),
    ModelSpec(
        "bayes",
        "naive Bayes",
        "multiplies the probabilities of the values, as if the columns were independent within a class",
        "table",
        lambda seed, columns: NaiveBayes(),
        None,
        sparse=False,
    ),
    ModelSpec(
        "neighbors",
        "nearest neighbors",
        "predicts what the most similar training rows have",
        "matrix",
        lambda seed, columns: KNeighborsClassifier(n_neighbors=15),
        lambda seed, columns: KNeighborsRegressor(n_neighbors=10, weights="distance"),
        {"n_neighbors": [5, 10, 15, 25, 40]},
        exact_train=True,
    ),
    ModelSpec(
        "margin",
        "linear support vector machine",
        "the linear boundary with the widest margin between the classes",
        "matrix",
        lambda seed, columns: LinearSVC(random_state=seed),
        None,
        {"C": [0.01, 0.1, 1.0, 10.0]},
        probabilities=False,
    ),
    ModelSpec(
        "margin",
        "linear support vector machine",
        "a weighted sum of the columns that minimizes absolute errors, so that outliers have little influence",
        "matrix",
        None,
        lambda seed, columns: on_scaled_target(LinearSVR(random_state=seed)),
        {"C": [0.01, 0.1, 1.0, 10.0]},
    ),
    ModelSpec(
        "kernel",
        "support vector machine",
        "the nonlinear boundary with the widest margin between the classes (RBF kernel)",
        "dense",
        lambda seed, columns: SVC(random_state=seed),
        None,
        {"C": [0.3, 1.0, 3.0, 10.0]},
        sparse=False,
        probabilities=False,
    ),
    ModelSpec(
        "kernel",
        "support vector machine",
        "a smooth function (RBF kernel) that ignores small errors and minimizes the absolute size of others",
        "dense",
        None,
        lambda seed, columns: on_scaled_target(SVR()),
        {"C": [0.3, 1.0, 3.0, 10.0]},
        sparse=False,
    ),
    ModelSpec(
        "network",
        "small neural network",
        "a neural network with one hidden layer of 50 units",
        "dense",
        lambda seed, columns: MLPClassifier(**NETWORK, random_state=seed),
        lambda seed, columns: on_scaled_target(MLPRegressor(**NETWORK, random_state=seed)),
        sparse=False,
    ),
    ModelSpec(
        "tree",
        "decision tree",
        "splits on one column at a time and can be read as a list of questions",
        "table",
        lambda seed, columns: DecisionTreeClassifier(max_leaf_nodes=32, min_samples_leaf=5, random_state=seed),
        lambda seed, columns: DecisionTreeRegressor(max_leaf_nodes=32, min_samples_leaf=5, random_state=seed),
        {"max_leaf_nodes": [4, 8, 16, 32, 64, 128]},
        sparse=False,
    ),
    ModelSpec(
        "forest",
        "random forest",
        "the mean of many trees, each grown on a random sample of the rows and columns",
        "table",
        lambda seed, columns: RandomForestClassifier(n_estimators=200, min_samples_leaf=2, random_state=seed),
        lambda seed, columns: RandomForestRegressor(n_estimators=200, min_samples_leaf=2, random_state=seed),
        {"min_samples_leaf": [1, 3, 10], "max_features": ["sqrt", 0.5]},
        sparse=False,
    ),
    ModelSpec(
        "adaboost",
        "AdaBoost",
        "small trees one after the other, each with more weight on the rows that the previous ones got wrong",
        "table",
        lambda seed, columns: AdaBoostClassifier(n_estimators=100, random_state=seed),
        lambda seed, columns: AdaBoostRegressor(n_estimators=100, random_state=seed),
        {"n_estimators": [50, 100, 200]},
        sparse=False,
    ),
    ModelSpec(
        "boosting",
        "gradient boosting",
        "trees one after the other, each fitted to the remaining errors of the previous ones",
        "table",
        lambda seed, columns: _boosting(seed, columns, True),
        lambda seed, columns: _boosting(seed, columns, False),
        {"max_leaf_nodes": [7, 15, 31], "l2_regularization": [1.0, 10.0]},
    ),
    ModelSpec(
        STACKING,
        "stacking",
        "a linear model, a forest and boosting, whose predictions another linear model combines",
        "raw",
        lambda seed, columns: _stack(seed, columns, True),
        lambda seed, columns: _stack(seed, columns, False),
        sparse=False,
    ),
)


def named(title: str) -> str:
    """A model as the subject of a sentence.

    >>> named("random forest"), named("gradient boosting")
    ('The random forest', 'Gradient boosting')
    """
    if title.startswith(PROPER):
        return title[0].upper() + title[1:]
    return f"The {title}"


def in_sentence(title: str) -> str:
    """The subject of a sentence where another word begins it.

    >>> in_sentence("The random forest"), in_sentence("Gradient boosting"), in_sentence("AdaBoost")
    ('the random forest', 'gradient boosting', 'AdaBoost')
    """
    return title if title.startswith("AdaBoost") else title[0].lower() + title[1:]


MEDIAN = ModelSpec(
    BASELINE,
    "baseline",
    "predicts the median of the target for every row, which has the least absolute error of all constants",
    "table",
    None,
    lambda seed, columns: DummyRegressor(strategy="median"),
)


def baseline_for(for_classes: bool, scoring: str) -> ModelSpec:
    """The best constant prediction by the metric of the comparison: what every model must beat."""
    return MEDIAN if not for_classes and scoring == "neg_mean_absolute_error" else SUITE[0]


def candidate_models(
    for_classes: bool, columns: Columns, *, scoring: str = "", needs_probabilities: bool = False
) -> tuple[list[ModelSpec], list[tuple[ModelSpec, str]]]:
    """The models that can do the task, and those that cannot take part, with the reason.

    Parameters
    ----------
    scoring : the metric of the comparison, which decides on the baseline
    needs_probabilities : whether models are compared by a score of probabilities
    """
    able = [baseline_for(for_classes, scoring)]
    able += [spec for spec in SUITE[1:] if (spec.classes if for_classes else spec.number) is not None]
    if for_classes and columns.only_texts:
        able = [TEXT_BAYES if spec.name == "bayes" else spec for spec in able]
    kept, left = [], []
    for spec in able:
        if columns.is_sparse(spec.form) and not spec.sparse:
            left.append((spec, "does not support the sparse matrix of words"))
        elif for_classes and needs_probabilities and not spec.probabilities:
            left.append((spec, "gives no probabilities, which the comparison scores"))
        else:
            kept.append(spec)
    return kept, left


TEXT_BAYES = ModelSpec(
    "bayes",
    "naive Bayes for words",
    "complement naive Bayes on the counts of words",
    "matrix",
    lambda seed, columns: ComplementNB(),
    None,
    {"alpha": [0.1, 0.3, 1.0]},
)
