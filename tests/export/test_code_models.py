"""Every kind of model in every language, against the model itself, on rows that it has not seen."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import is_classifier
from sklearn.compose import make_column_transformer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import FeatureUnion, make_pipeline

import pellucid
from pellucid.base.errors import PellucidError
from pellucid.boosting import (
    BoostedTreesClassifier,
    BoostedTreesRegressor,
    CatBoostClassifier,
    CatBoostRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    LightGBMClassifier,
    LightGBMRegressor,
    XGBoostClassifier,
    XGBoostRegressor,
)
from pellucid.calibration import CalibratedClassifierCV
from pellucid.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    RegularizedDiscriminantAnalysis,
)
from pellucid.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from pellucid.feature_selection import SelectKBest
from pellucid.impute import SimpleImputer
from pellucid.linear_model import (
    ElasticNet,
    ElasticNetCV,
    GradientDescentRegressor,
    Lasso,
    LassoCV,
    LinearRegression,
    LogisticRegression,
    LogisticRegressionCV,
    Perceptron,
    Ridge,
    RidgeClassifier,
    RidgeClassifierCV,
    RidgeCV,
    SGDClassifier,
    SGDRegressor,
)
from pellucid.models.rules.conditions import column
from pellucid.models.rules.rule_set import Rule
from pellucid.naive_bayes import GaussianNB
from pellucid.pipeline import PolynomialRegression
from pellucid.preprocessing import (
    MaxAbsScaler,
    MeanNormalizer,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    RobustScaler,
    StandardScaler,
)
from pellucid.rules import OneRClassifier, PRISMClassifier, RIPPERClassifier, RuleClassifier
from pellucid.svm import SVC, SVR, LinearSVC, LinearSVR
from pellucid.tree import (
    C45Classifier,
    CHAIDClassifier,
    CHAIDRegressor,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ID3Classifier,
)

from .test_code import LANGUAGES, assert_same, at_thresholds, exported, number, table, three, two, unseen

pytestmark = pytest.mark.exhaustive  # every model in every language

NUMBERS, NAMES = ["age", "body mass", "children"], ['col"our']
ALL = NUMBERS + NAMES
RULES = [
    Rule(column("age") > 1, "c"),
    Rule((column("age") <= 1) & ((column("body mass") > 2) | (column("children") >= 4)), "b", weight=2),
    Rule(column('col"our').is_in(["red", "é", "never fitted"]) & ~column("age").between(-1, 0.5), "b"),
    Rule(column("body mass").is_missing(), "a", weight=1.5),
    Rule(column('col"our').not_in(["red", "blue"]).or_missing(), "a"),
    Rule(column("children") != 3, "b"),
    Rule(column("age").is_known(), "c", weight=0.1),
]


def prepared(model: Any, *steps: Any, **told: Any) -> Any:
    """A pipeline of steps on columns of their own and a model."""
    return make_pipeline(make_column_transformer(*steps, **told), model)


def filled(*steps: Any) -> Any:
    """Numbers filled in, and whatever follows."""
    return make_pipeline(SimpleImputer(), *steps)


# name -> model, columns, target, with missing values?
MODELS: dict[str, tuple[Any, list[str], Any, bool]] = {
    "LinearRegression": (LinearRegression(), NUMBERS, number, False),
    "Ridge": (Ridge(), NUMBERS, number, False),
    "Lasso": (Lasso(alpha=0.5), NUMBERS, number, False),
    "ElasticNet": (ElasticNet(alpha=0.5), NUMBERS, number, False),
    "RidgeCV": (RidgeCV(), NUMBERS, number, False),
    "LassoCV": (LassoCV(cv=3), NUMBERS, number, False),
    "ElasticNetCV": (ElasticNetCV(cv=3), NUMBERS, number, False),
    "SGDRegressor": (SGDRegressor(random_state=0), NUMBERS, number, False),
    "GradientDescentRegressor": (GradientDescentRegressor(tol=None, max_iter=50), NUMBERS, number, False),
    "LogisticRegression of two": (LogisticRegression(), NUMBERS, two, False),
    "LogisticRegression of three": (LogisticRegression(), NUMBERS, three, False),
    "LogisticRegression one against the rest": (LogisticRegression(solver="liblinear"), NUMBERS, three, False),
    "LogisticRegressionCV": (LogisticRegressionCV(Cs=3, cv=3), NUMBERS, three, False),
    "SGDClassifier": (SGDClassifier(random_state=0), NUMBERS, three, False),
    "SGDClassifier log_loss of two": (SGDClassifier(loss="log_loss", random_state=0), NUMBERS, two, False),
    "SGDClassifier log_loss of three": (SGDClassifier(loss="log_loss", random_state=0), NUMBERS, three, False),
    "SGDClassifier modified_huber": (SGDClassifier(loss="modified_huber", random_state=0), NUMBERS, three, False),
    "Perceptron": (Perceptron(random_state=0), NUMBERS, two, False),
    "RidgeClassifier": (RidgeClassifier(), NUMBERS, three, False),
    "RidgeClassifierCV": (RidgeClassifierCV(), NUMBERS, two, False),
    "GaussianNB": (GaussianNB(), NUMBERS, three, True),
    "DecisionTreeClassifier": (DecisionTreeClassifier(), ALL, three, True),
    "DecisionTreeClassifier at values": (DecisionTreeClassifier(threshold="value"), ALL, three, True),
    "DecisionTreeClassifier with stand-ins": (DecisionTreeClassifier(surrogates=3, max_depth=5), ALL, two, True),
    "DecisionTreeClassifier of codes": (
        DecisionTreeClassifier(categorical_features=["children"]),
        ["children", "age"],
        two,
        True,
    ),
    "DecisionTreeRegressor": (DecisionTreeRegressor(), ALL, number, True),
    "ID3Classifier": (ID3Classifier(categorical_features=["children"]), ["children", *NAMES], three, True),
    "C45Classifier": (C45Classifier(), ALL, three, True),
    "CHAIDClassifier": (CHAIDClassifier(), ALL, three, True),
    "CHAIDRegressor": (CHAIDRegressor(), ALL, number, True),
    "RandomForestClassifier": (RandomForestClassifier(6, random_state=0), ALL, three, True),
    "RandomForestClassifier by votes": (
        RandomForestClassifier(7, voting="hard", max_depth=4, random_state=0),
        ALL,
        two,
        True,
    ),
    "RandomForestRegressor": (RandomForestRegressor(8, max_depth=6, random_state=0), ALL, number, True),
    "RandomForestRegressor deep": (RandomForestRegressor(6, random_state=0), ALL, number, True),
    "ExtraTreesClassifier": (ExtraTreesClassifier(6, max_depth=6, random_state=0), ALL, three, True),
    "ExtraTreesRegressor": (ExtraTreesRegressor(6, max_depth=8, random_state=0), ALL, number, True),
    "AdaBoostClassifier of two": (AdaBoostClassifier(n_estimators=15), ALL, two, True),
    "AdaBoostClassifier of three": (
        AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=10),
        ALL,
        three,
        True,
    ),
    "AdaBoostRegressor": (AdaBoostRegressor(n_estimators=9, random_state=0), ALL, number, True),
    "AdaBoostRegressor of two rounds": (
        AdaBoostRegressor(DecisionTreeRegressor(max_depth=1), n_estimators=2, random_state=0),
        ALL,
        number,
        True,
    ),
    **{
        f"{kind.__name__} {words}": (kind(n_estimators=6, random_state=0), ALL, target, True)
        for kind, words, target in (
            (BoostedTreesClassifier, "of two", two),
            (BoostedTreesClassifier, "of three", three),
            (BoostedTreesRegressor, "", number),
            (XGBoostClassifier, "of three", three),
            (XGBoostRegressor, "", number),
            (LightGBMClassifier, "of two", two),
            (LightGBMRegressor, "", number),
            (CatBoostClassifier, "of two", two),
            (CatBoostClassifier, "of three", three),
            (CatBoostRegressor, "", number),
            (GradientBoostingClassifier, "of three", three),
            (GradientBoostingRegressor, "", number),
        )
    },
    "CatBoostClassifier of joined columns": (
        CatBoostClassifier(n_estimators=6, max_combinations=2, categorical_features=["children"], random_state=0),
        ALL,
        two,
        True,
    ),
    "BoostedTreesClassifier of vectors": (
        XGBoostClassifier(n_estimators=4, vector_leaves=True, random_state=0),
        ALL,
        three,
        True,
    ),
    "BoostedTreesRegressor of counts": (
        BoostedTreesRegressor(n_estimators=6, loss="poisson", random_state=0),
        ALL,
        lambda X: np.abs(number(X)).round(),
        True,
    ),
    "OneRClassifier of numbers": (OneRClassifier(), ["age", "body mass"], three, True),
    "OneRClassifier of names": (OneRClassifier(), NAMES, three, True),
    "PRISMClassifier": (PRISMClassifier(), ["children", *NAMES], two, True),
    "RIPPERClassifier": (RIPPERClassifier(random_state=0), ALL, three, True),
    "RIPPERClassifier with Laplace's shares": (RIPPERClassifier(random_state=0, laplace=True), ALL, two, True),
    **{
        f"RuleClassifier {conflict} {probability}": (
            RuleClassifier(rules=RULES, conflict=conflict, probability=probability),
            ALL,
            three,
            True,
        )
        for conflict in ("first", "vote", "priority")
        for probability in ("vote", "share")
    },
    "RuleClassifier without rules": (RuleClassifier(), ALL, three, True),
    **{
        f"Pipeline with {type(scaler).__name__}": (
            prepared(LogisticRegression(), (filled(scaler), NUMBERS), (OneHotEncoder(handle_unknown="ignore"), NAMES)),
            ALL,
            three,
            True,
        )
        for scaler in (StandardScaler(), MinMaxScaler(clip=True), MaxAbsScaler(), RobustScaler(), MeanNormalizer())
    },
    "Pipeline with a mode and dropped categories": (
        prepared(
            Ridge(),
            (
                make_pipeline(
                    SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore", drop="first")
                ),
                NAMES,
            ),
            (SimpleImputer(strategy="median", add_indicator=True), ["age", "children"]),
        ),
        ALL,
        number,
        True,
    ),
    "Pipeline with rare categories": (
        prepared(
            DecisionTreeClassifier(max_depth=4),
            (OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=35), NAMES),
            ("passthrough", NUMBERS),
        ),
        ALL,
        two,
        True,
    ),
    "Pipeline with numbers of categories": (
        prepared(
            BoostedTreesClassifier(n_estimators=5, random_state=0),
            (
                OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan, encoded_missing_value=-7),
                [*NAMES, "children"],
            ),
            remainder="passthrough",
        ),
        ALL,
        two,
        True,
    ),
    "Pipeline of names to a tree": (
        make_pipeline(
            SimpleImputer(strategy="most_frequent").set_output(transform="pandas"), DecisionTreeClassifier(max_depth=4)
        ),
        ALL,
        two,
        True,
    ),
    "Pipeline with products": (
        filled(PolynomialFeatures(3), Ridge()),
        NUMBERS,
        number,
        True,
    ),
    "Pipeline with a selector and a union": (
        filled(FeatureUnion([("all", SelectKBest(k=2)), ("scaled", StandardScaler())]), LogisticRegression()),
        NUMBERS,
        two,
        True,
    ),
    **{
        f"{type(model).__name__} {words}": (filled(StandardScaler(), model), NUMBERS, target, True)
        for model, words, target in (
            (LinearDiscriminantAnalysis(), "of two", two),
            (LinearDiscriminantAnalysis(), "of three", three),
            (LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.2), "shrunk", three),
            (QuadraticDiscriminantAnalysis(), "of two", two),
            (QuadraticDiscriminantAnalysis(reg_param=0.1), "of three", three),
            (RegularizedDiscriminantAnalysis(), "of three", three),
            (LinearSVC(random_state=0), "of two", two),
            (LinearSVC(random_state=0), "of three", three),
            (LinearSVR(random_state=0), "", number),
            (SVC(), "of two", two),
            (SVC(), "of three", three),
            (SVC(break_ties=True, kernel="poly", degree=2, coef0=0.5), "by ties", three),
            (SVC(kernel="linear"), "along lines", three),
            (SVC(probability=True, random_state=0), "with probabilities", two),
            (SVR(), "", number),
            (SVR(kernel="sigmoid", gamma=0.1), "bent", number),
            (CalibratedClassifierCV(SVC(), cv=3, ensemble=False), "of a machine", two),
            (CalibratedClassifierCV(SVC(), cv=3, ensemble=False), "of machines", three),
            (CalibratedClassifierCV(QuadraticDiscriminantAnalysis(), cv=3, ensemble=False), "of a discriminant", two),
        )
    },
    "PolynomialRegression": (PolynomialRegression(), NUMBERS, number, False),
    "GridSearchCV": (
        GridSearchCV(filled(StandardScaler(), LogisticRegression()), {"logisticregression__C": [0.1, 1.0]}, cv=3),
        NUMBERS,
        two,
        True,
    ),
}


@cache
def fitted(name: str) -> tuple[Any, pd.DataFrame]:
    """A model, and rows that it has not seen: with gaps, unknown categories and values at thresholds where it may."""
    model, columns, target, gaps = MODELS[name]
    X = table(250, 1, gaps)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X[columns], target(X))
    later = unseen(gaps)[columns]
    trees = [model.tree_] if hasattr(model, "tree_") else []
    forest = getattr(model, "_forest_", None)
    trees += [forest.tree(t) for t in range(len(forest))] if forest is not None else []
    listed = getattr(model, "categorical_features", None)
    if trees and listed is None and not hasattr(model, "_statistics_"):
        later = at_thresholds(later, trees)
    return model, later


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", MODELS)
def test_a_model_answers_the_same_in_every_language(name: str, language: str) -> None:
    """Predictions are equal, and probabilities and numbers within 1e-9."""
    model, later = fitted(name)
    assert_same(model, language, later)


def refusal(model: Any) -> str:
    """Why a model is not exported; nothing where it is."""
    try:
        exported(model, "python")
    except PellucidError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", [name for name, _ in pellucid.all_estimators()])
def test_every_estimator_is_exported_or_refused_in_a_sentence(name: str) -> None:
    """Nothing is exported to a wrong answer because it looks like something else."""
    model, X = dict(pellucid.all_estimators())[name](), table(80, 3, gaps=False)
    if "n_estimators" in model.get_params():
        model.set_params(n_estimators=3)
    target = three(X) if is_classifier(model) else np.abs(number(X))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model.fit(X[NUMBERS], target)
        except Exception:
            return  # it wants another table: texts, baskets, an estimator inside
    refused = refusal(model)
    if refused:
        assert "cannot be" in refused
        assert "\nhint: " in refused
        return
    for language in ("python", "sqlite"):
        assert_same(model, language, table(30, 5, gaps=False)[NUMBERS])
