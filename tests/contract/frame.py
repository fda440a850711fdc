"""What the contract tests share: every public estimator, data that suit its role, and comparison bit by bit."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

import pellucid
from pellucid.base.registry import role_of
from pellucid.linear_model import LinearRegression
from pellucid.tree import DecisionTreeClassifier, DecisionTreeRegressor

from . import tables
from .bases import NearestMean

CLASSIFIERS = [("near", NearestMean()), ("tree", DecisionTreeClassifier(max_depth=3))]
REGRESSORS = [("line", LinearRegression()), ("tree", DecisionTreeRegressor(max_depth=3))]
# What an estimator that is built around another one, or several, is made with.
MADE_WITH: dict[str, dict[str, Any]] = {
    "CalibratedClassifierCV": {"estimator": NearestMean(), "cv": 3},
    # Covariances of fewer rows than columns have no inverse without these.
    "QuadraticDiscriminantAnalysis": {"reg_param": 0.1},
    "RegularizedDiscriminantAnalysis": {"gamma": 0.1},
    "LVQClassifier": {"max_iter": 20},
    "MLPClassifier": {"max_iter": 5000},  # until tol is reached
    "MLPRegressor": {"max_iter": 5000},
    "RadiusNeighborsClassifier": {"outlier_label": "most_frequent"},
    # Iterative solvers end somewhere within tol, of other forms of the same table elsewhere.
    "LogisticRegression": {"tol": 1e-12, "max_iter": 10_000},
    "LogisticRegressionCV": {"Cs": [0.01, 1.0], "cv": 3, "tol": 1e-12, "max_iter": 10_000},
    "LinearSVC": {"tol": 1e-10, "max_iter": 100_000},
    "LinearSVR": {"tol": 1e-10, "max_iter": 100_000},
    "SVC": {"tol": 1e-10},
    "SVR": {"tol": 1e-10},
    "RFE": {"estimator": LinearRegression()},
    "RFECV": {"estimator": LinearRegression(), "cv": 3},
    "SelectFromModel": {"estimator": LinearRegression()},
    "SelectKBest": {"k": 2},
    "SelfTrainingClassifier": {"estimator": NearestMean()},
    "SequentialFeatureSelector": {"estimator": LinearRegression(), "cv": 3},
    "StackingClassifier": {"estimators": CLASSIFIERS, "cv": 3},
    "StackingRegressor": {"estimators": REGRESSORS, "cv": 3},
    "VotingClassifier": {"estimators": CLASSIFIERS},
    "VotingRegressor": {"estimators": REGRESSORS},
    # Small forests: what is tried of them hangs on no number of trees.
    "IsolationForest": {"n_estimators": 5},
    "ExtraTreesClassifier": {"n_estimators": 5},
    "ExtraTreesRegressor": {"n_estimators": 5},
    "RandomForestClassifier": {"n_estimators": 5},
    "RandomForestRegressor": {"n_estimators": 5},
    "LocalOutlierFactor": {"novelty": True, "n_neighbors": 5},  # else it says nothing of a table but in fit_predict
    "KMeans": {"n_clusters": 3},  # tables here have fewer rows than eight
    "ID3Classifier": {"numbers": "categories"},  # else it refuses columns of numbers, which most data here have
    "BooleanEncoder": {"more": "keep"},  # else it refuses columns of more than two values, which most data here have
}
# Transformers whose target is the class of each row.
OF_CLASSES = (
    "ClassImputer",
    "GenericUnivariateSelect",
    "SelectFdr",
    "SelectFpr",
    "SelectFwe",
    "SelectKBest",
    "SelectPercentile",
)
# Estimators that take negative values under some settings, or in dense tables, only; or whose peer takes none.
NOT_NEGATIVE = ("CategoricalNB", "LogTransformer", "QuantileTransformer", "RootTransformer", "TfidfTransformer")
# Estimators around another one that look at the table themselves.
OWN_DOOR = ("BaggingClassifier", "BaggingRegressor")
# Roles whose input is no table with an answer for each row, but baskets of any length, or triples of user, item and
# rating. What is promised of rows, columns and targets says nothing about them, nor do scikit-learn's checks, which
# hand a matrix to every fit. What a class declares is checked of them as of all (`CLASSES`); the rest has tests in the
# families' own folders, `tests/association` and `tests/recommend`.
NOT_OF_ROWS = ("rule_miner", "recommender")
# Names that may stand in the repr of an estimator besides its own.
NAMES = {cls.__name__: cls for cls in (NearestMean, LinearRegression, DecisionTreeClassifier, DecisionTreeRegressor)}

# Beyond an estimator's defaults, the settings under which it is checked too. An estimator without an entry is checked
# with its defaults.
VARIANTS: dict[str, list[dict[str, Any]]] = {
    "LinearRegression": [
        {"positive": True},
        {"fit_intercept": False},
        {"solver": "svd"},
        {"solver": "qr"},
        {"solver": "normal"},
        {"solver": "lsqr", "tol": 1e-14},
        {"positive": True, "fit_intercept": False},
        {"solver": "svd", "fit_intercept": False},
    ],
    "GradientDescentRegressor": [
        {"fit_intercept": False, "cost": "squared", "keep_path": False},
        {"penalty": "l2", "alpha": 0.1, "learning_rate": "adaptive"},
        {"penalty": "l1", "alpha": 0.1, "learning_rate": "invscaling", "divide": "none"},
    ],
    "CategoricalNB": [
        {"smoothing": "m_estimate", "m": 2.0, "p": "shares", "unknown": "ignore"},
        {"alpha": 0.0, "min_categories": 3, "fit_prior": False},
    ],
    "KernelDensityNB": [
        {"bandwidth": "silverman", "fit_prior": False},
        {"bandwidth": 0.5},
    ],
    "NaiveBayes": [
        {"numbers": "kernel"},
        {"numbers": "split", "smoothing": "m_estimate"},
        {"numbers": {0: "kernel"}, "ddof": 1},
    ],
    "LogisticRegression": [
        {"solver": "auto", "C": 10.0},
        {"solver": "newton-cholesky", "multi_class": "ovr", "class_weight": "balanced"},
        {"solver": "coordinate-descent", "l1_ratio": 0.5},
        {"solver": "liblinear", "penalty": "l1", "l1_ratio": 1.0},
    ],
    "LogisticRegressionCV": [
        {"solver": "auto", "multi_class": "ovr", "l1_ratios": (0.0, 1.0), "use_legacy_attributes": False},
    ],
    "Ridge": [
        {"fit_intercept": False, "cost": "mean"},
        {"solver": "svd"},
        {"solver": "sparse_cg", "tol": 1e-12},
        {"solver": "lsqr", "tol": 1e-14},
        {"solver": "saga", "tol": 1e-10, "max_iter": 100_000},
        {"positive": True},
        {"alpha": 0.0},
    ],
    "RidgeClassifier": [
        {"solver": "svd", "class_weight": "balanced"},
    ],
    "RidgeCV": [
        {"fit_intercept": False, "gcv_mode": "svd"},
        {"alpha_per_target": True, "scoring": "neg_mean_absolute_error", "store_cv_results": True},
        {"cv": 3},
    ],
    "RidgeClassifierCV": [
        {"scoring": "accuracy", "class_weight": "balanced"},
        {"cv": 3},
    ],
    "SGDRegressor": [
        {"alpha": 0.01, "average": True, "learning_rate": "adaptive"},
        {"loss": "epsilon_insensitive", "penalty": None, "batch_size": 8, "order": "given", "eta0": 0.1},
        {"loss": "epsilon_insensitive", "learning_rate": "pa1", "fit_intercept": False},
    ],
    "SGDClassifier": [
        {"loss": "log_loss", "batch_size": 4, "average": True},
        {"loss": "modified_huber", "alpha": 0.01},
    ],
    "MLPClassifier": [
        {"hidden_layer_sizes": (4, 3), "solver": "lbfgs", "activation": "tanh", "max_iter": 1000},
        {"hidden_layer_sizes": 5, "solver": "sgd", "loss": "squared_error", "learning_rate_init": 0.5},
    ],
    "MLPRegressor": [
        {"hidden_layer_sizes": (4, 3), "solver": "lbfgs", "activation": "logistic", "max_iter": 20, "tol": None},
        {"hidden_layer_sizes": 3, "activation": "logistic", "solver": "sgd", "learning_rate": "adaptive"},
    ],
    "Perceptron": [
        {"at_zero": "first", "penalty": "l2"},
    ],
    "Lasso": [
        {"alpha": 0.1, "accelerate": False, "max_iter": 100_000},
        {"alpha": 0.05, "positive": True, "fit_intercept": False},
        {"alpha": 0.3, "selection": "random", "cost": "squared"},
    ],
    "ElasticNet": [
        {"alpha": 0.2, "l1_ratio": 0.0},
        {"alpha": 0.1, "l1_ratio": 0.9, "positive": True, "tol": 1e-10},
    ],
    "LassoCV": [
        {"alphas": 7, "cv": 3, "positive": True},
    ],
    "ElasticNetCV": [
        {"l1_ratio": [0.1, 0.9], "alphas": [1.0, 0.1, 0.01], "cv": 4},
    ],
    "GaussianNB": [
        {"ddof": 1, "var_smoothing": 1e-3},
    ],
    "LinearSVC": [
        {"loss": "hinge", "C": 0.1},
        {"dual": True, "class_weight": "balanced", "intercept_scaling": 2.0},
        {"penalty": "l1", "C": 0.5},
        {"multi_class": "crammer_singer", "C": 10.0},  # so dear that no two other classes tie in a row
    ],
    "LinearSVR": [
        {"loss": "squared_epsilon_insensitive", "epsilon": 0.1},
    ],
    "SVC": [
        {"kernel": "linear", "class_weight": "balanced"},
        {"probability": True},
        {"kernel": "poly", "degree": 2, "coef0": 1.0, "break_ties": True, "shrinking": False},
    ],
    "SVR": [
        {"kernel": "linear", "epsilon": 0.3},
        {"kernel": "sigmoid", "gamma": 0.01, "C": 10.0},
    ],
    "MultinomialNB": [
        {"alpha": 0.0, "fit_prior": False},
        {"m": 2.0},
    ],
    "ComplementNB": [
        {"norm": True},
        {"alpha": 0.0},
    ],
    "BernoulliNB": [
        {"alpha": 0.0},
        {"m": 2.0, "p": 0.3, "binarize": 0.5},
    ],
    "LinearDiscriminantAnalysis": [
        {"solver": "lsqr", "shrinkage": "auto", "ddof": 1},
        {"solver": "eigen", "shrinkage": 0.2},
        {"n_components": 1, "store_covariance": True, "tol": 1e-3},
    ],
    "QuadraticDiscriminantAnalysis": [
        {"solver": "eigen", "shrinkage": "auto", "reg_param": 0.2, "ddof": 1},
    ],
    "RegularizedDiscriminantAnalysis": [
        {"alpha": 1.0, "gamma": 0.3, "ddof": 1},
    ],
    "DecisionTreeClassifier": [
        {"criterion": "entropy", "max_leaf_nodes": 6},
        {"threshold": "value", "weighting": "none"},
        {"splitter": "random", "max_features": 2, "ccp_alpha": 0.01},
        {"splitter": "histogram"},
    ],
    "DecisionTreeRegressor": [
        {"criterion": "absolute_error", "max_depth": 4},
        {"criterion": "friedman_mse", "splitter": "random", "max_features": "sqrt"},
        {"max_leaf_nodes": 5, "ccp_alpha": 0.01, "min_impurity_decrease": 0.001},
    ],
    "CHAIDClassifier": [
        {"exhaustive": True, "statistic": "likelihood_ratio", "alpha_split": 0.3},
        {"alpha_merge": 0.3, "alpha_split_merged": 0.1, "alpha_split": 0.5},
        {"merge": False, "choose_by": "statistic", "alpha_split": 1.0, "n_intervals": 3},
    ],
    "CHAIDRegressor": [{"exhaustive": True, "alpha_split": 0.3}, {"alpha_split_merged": 0.01, "max_depth": 2}],
    "AdaBoostClassifier": [
        {"weighting": "resample", "stage": "half", "n_estimators": 5, "random_state": 0},
        {"estimator": NearestMean(), "n_estimators": 5, "learning_rate": 0.5},
    ],
    "AdaBoostRegressor": [
        {"weighting": "reweight", "loss": "exponential", "n_estimators": 5},
    ],
    "BaggingClassifier": [
        {"estimator": NearestMean(), "n_estimators": 5, "max_samples": 0.8, "max_features": 0.7},
    ],
    "BaggingRegressor": [
        {"n_estimators": 4, "bootstrap": False, "max_samples": 0.7, "bootstrap_features": True},
    ],
    # 40 rows: leaves of few of them, or nothing is split.
    "BoostedTreesClassifier": [
        {"growth": "depth", "max_depth": 3, "sampling": "goss", "min_samples_leaf": 2},
    ],
    "BoostedTreesRegressor": [
        {"loss": "absolute_error", "growth": "oblivious", "max_depth": 3, "min_samples_leaf": 2},
        {"loss": "quantile", "quantile": 0.3, "early_stopping": True, "min_samples_leaf": 2},
    ],
    "CatBoostClassifier": [
        {"sampling": "bayesian", "max_depth": 3, "base_score": 0.5},
    ],
    "CatBoostRegressor": [
        {"boosting": "ordered", "n_permutations": 2, "max_depth": 3},
    ],
    "GradientBoostingRegressor": [
        {"loss": "huber", "subsample": 0.7, "max_features": 0.5},
    ],
    "XGBoostClassifier": [
        {"subsample": 0.7, "max_features": 0.5},
    ],
    "LightGBMRegressor": [
        {"loss": "poisson", "histogram": "float", "min_samples_leaf": 1},
    ],
    "XGBoostRegressor": [
        {"loss": "huber", "growth": "leaf", "max_leaf_nodes": 6, "sampling": "mvs", "subsample": 0.6},
    ],
    "ExtraTreesClassifier": [{"bootstrap": True, "criterion": "entropy", "max_leaf_nodes": 9}],
    "ExtraTreesRegressor": [{"max_features": "third", "ccp_alpha": 0.01}],
    "RandomForestClassifier": [
        {"splitter": "histogram", "voting": "hard", "class_weight": "balanced_subsample"},
        {"replace": False, "max_features": None, "threshold": "value"},
    ],
    "RandomForestRegressor": [
        {"keep_targets": True, "criterion": "absolute_error", "max_samples": 0.5, "max_depth": 4},
    ],
    "VotingClassifier": [
        {"voting": "soft", "weights": [1, 2]},
    ],
    "StackingRegressor": [
        {"final_estimator": LinearRegression(), "passthrough": True},
    ],
    "C45Classifier": [
        {"criterion": "gain", "threshold": "midpoint", "min_samples_leaf": 1, "confidence": 0.4, "laplace": True},
        {"cut_criterion": "gain_ratio", "mean_gain": False, "mdl_correction": False, "pruning": None},
        {"subtree_raising": False, "confidence": 0.1},
    ],
    "ID3Classifier": [
        {"max_depth": 2, "min_gain": 0.01},
    ],
    "DummyRegressor": [
        {"strategy": "median"},
        {"strategy": "quantile", "quantile": 0.3},
    ],
    "DummyClassifier": [
        {"strategy": "most_frequent"},
        {"strategy": "stratified", "random_state": 0},
    ],
    "PolynomialRegression": [
        {"degrees": (1, 2), "cv": 0.25, "choose": "one_standard_error"},
        {"degrees": 2, "scale": "none"},
        {"degrees": (1, 3), "cv": 3, "alpha": 0.5, "scale": "products"},
    ],
    "IsotonicRegression": [
        {"increasing": False, "out_of_bounds": "clip"},
        {"increasing": "auto", "y_min": -2.0, "y_max": 3.0, "out_of_bounds": "clip"},
    ],
    "SelfTrainingClassifier": [
        {"criterion": "k_best", "max_iter": None},
    ],
    "CalibratedClassifierCV": [
        {"method": "isotonic"},
        {"ensemble": False},
        {"method": "temperature"},
    ],
    "LVQClassifier": [
        {"variant": "glvq", "init": "means", "n_prototypes": 2, "allot": "each"},
        {"variant": "olvq1", "second_variant": "lvq3", "n_neighbors": 3, "keep_path": True},
    ],
    "NearestCentroid": [
        {"shrink_threshold": 0.2, "priors": "empirical"},
        {"metric": "manhattan"},
    ],
    "CondensedNearestNeighbours": [
        {"n_neighbors": 3, "start": "first", "shuffle": True, "metric": "manhattan"},
    ],
    "EditedNearestNeighbours": [
        {"method": "repeated", "n_neighbors": 2},
        {"method": "all_k"},
    ],
    "OneHotEncoder": [
        {"handle_unknown": "ignore", "sparse_output": False},
        {"drop": "if_binary", "min_frequency": 2, "handle_unknown": "infrequent_if_exist"},
    ],
    "OrdinalEncoder": [
        {"handle_unknown": "use_encoded_value", "unknown_value": -1, "encoded_missing_value": -2},
    ],
    "TargetEncoder": [
        {"smooth": 3.0, "cv": 3, "target_type": "continuous"},
    ],
    "OrderedTargetEncoder": [
        {"order": "given", "prior": 0.5, "prior_weight": 2.0},
        {"n_permutations": 3},
    ],
    "SimpleImputer": [
        {"strategy": "median", "add_indicator": True},
        {"strategy": "most_frequent", "keep_empty_features": True},
        {"strategy": "constant", "fill_value": -1},
        {"strategy": "auto"},
    ],
    "ClassImputer": [
        {"by": 0, "strategy": "median"},
    ],
    "KNNImputer": [
        {"n_neighbors": 3, "weights": "distance", "add_indicator": True},
    ],
    "IterativeImputer": [
        {"imputation_order": "random", "n_nearest_features": 2, "initial_strategy": "median"},
        {"sample_posterior": True, "skip_complete": True, "max_iter": 2},
    ],
    "MissingIndicator": [
        {"features": "all", "sparse": False, "error_on_new": False},
    ],
    "Binarizer": [
        {"threshold": 0.5},
    ],
    "KBinsDiscretizer": [
        {"strategy": "uniform", "encode": "ordinal"},
        {"strategy": "kmeans", "encode": "onehot-dense", "n_bins": 3},
        {"strategy": "tree", "encode": "ordinal", "n_bins": 4},
        {"quantile_method": "inverted_cdf", "encode": "ordinal"},
    ],
    "KNeighborsClassifier": [
        {"n_neighbors": 3, "weights": "distance", "ties": "nearest", "p": 1},
        {"ties": "expand", "max_samples": 0.5},
    ],
    "KNeighborsRegressor": [
        {"n_neighbors": 3, "average": "median", "weights": "squared_distance"},
        {"include_equal": True, "metric": "cosine"},
    ],
    "KNeighborsTransformer": [
        {"mode": "connectivity", "metric": "nan_euclidean"},
    ],
    "RadiusNeighborsClassifier": [
        {"radius": 2.0, "weights": "distance", "ties": "nearest"},
    ],
    "RadiusNeighborsRegressor": [
        {"radius": 2.0, "average": "median"},
    ],
    "Normalizer": [
        {"norm": "l1"},
        {"norm": "max"},
    ],
    "KMeans": [
        {"algorithm": "elkan", "tol": 0.0},
        {"init": "random", "n_init": 3},
    ],
    "LocalOutlierFactor": [
        {"n_neighbors": 4, "include_equal": True, "contamination": 0.1, "metric": "manhattan"},
    ],
    "DistanceOutliers": [
        {"radius": 2.5, "share": 0.1, "algorithm": "kd_tree"},
        {"radius": 0.5, "metric": "cosine"},
    ],
    "IsolationForest": [
        {"max_samples": 0.5, "max_features": 0.5, "bootstrap": True, "contamination": 0.1},
    ],
    "PCA": [
        {"n_components": 1, "whiten": True, "svd_solver": "full"},
        {"n_components": 1, "svd_solver": "randomized"},
        {"n_components": 0.7},
    ],
    "PolarMap": [
        {"center": 1.0, "degrees": True},
    ],
    "QuadraticMap": [
        {"inhomogeneous": True},
        {"inhomogeneous": True, "ordered": True},
    ],
    "RBFLandmarks": [
        {"landmarks": "all", "gamma": 0.1},
        {"landmarks": "quantiles", "n_landmarks": 5},
        {"n_landmarks": 5},
    ],
    "TwoWaySplit": [
        {"cut": "mean", "inclusive": True, "keep": "below"},
        {"cut": "best"},
        {"cut": 0.5},
    ],
    "CorrelationFilter": [
        {"threshold": 0.05, "keep": "least_redundant"},
        {"threshold": 0.1, "method": "spearman"},
    ],
    "GenericUnivariateSelect": [
        {"mode": "fdr", "param": 0.5},
    ],
    "RFE": [
        {"n_features_to_select": 1, "step": 2},
    ],
    "SelectFromModel": [
        {"threshold": "0.5*median", "max_features": 2},
    ],
    "SelectKBest": [
        {"k": "all"},
    ],
    "SequentialFeatureSelector": [
        {"direction": "backward", "floating": True, "scoring": "neg_mean_squared_error"},
        {"tol": 0.01},
    ],
    "PowerTransformer": [
        {"standardize": False},
    ],
    "LogTransformer": [
        {"shift": 1, "base": 10},
    ],
    "RootTransformer": [
        {"degree": 3},
        {"degree": 4},
    ],
    "TfidfTransformer": [
        {"norm": "l1", "smooth_idf": False, "log_base": 2.0},
        {"norm": None, "sublinear_tf": True, "add_one": False},
        {"use_idf": False},
    ],
    "OneRClassifier": [
        {"min_bucket": 1},
    ],
    "PRISMClassifier": [
        {"max_conditions": 2, "min_rows": 2, "probability": "share"},
    ],
    "RuleClassifier": [
        {"conflict": "vote", "probability": "share"},
    ],
    "RIPPERClassifier": [
        {"prune_value": "cohen", "optimizations": 1, "laplace": True},
        {"pruning": False, "check_error": False, "max_rules": 5, "max_conditions": 2},
    ],
    "QuantileTransformer": [
        {"n_quantiles": 7},
    ],
    "PolynomialFeatures": [
        {"degree": (2, 3), "include_bias": False, "order": "F"},
        {"degree": 3, "interaction_only": True},
    ],
    "StandardScaler": [
        {"with_mean": False},
        {"with_std": False},
        {"ddof": 1},
    ],
    "MinMaxScaler": [
        {"feature_range": (-2, 3), "clip": True},
    ],
    "MaxAbsScaler": [
        {"clip": True},
    ],
    "RobustScaler": [
        {"with_centering": False, "quantile_range": (10, 90)},
        {"with_scaling": False},
        {"unit_variance": True},
    ],
}

METHODS = ("predict", "predict_proba", "decision_function", "transform", "score_samples")
ROUNDS = 8  # of boosted trees


@dataclass(frozen=True, eq=False)
class Subject:
    """An estimator class with the settings under which it is checked."""

    cls: type[Any]
    params: Mapping[str, Any] = field(default_factory=dict)

    def make(self, **more: Any) -> Any:
        """A fresh, unfitted estimator; a random one with a fixed seed, a boosted one with few rounds."""
        params = dict(self.params)
        if self.cls.__module__.startswith("pellucid.boosting"):
            params.setdefault("n_estimators", ROUNDS)
        if "random_state" in self.cls._params:
            params.setdefault("random_state", 0)
        return self.cls(**{**params, **more})

    @property
    def name(self) -> str:
        return self.cls.__name__

    @property
    def is_default(self) -> bool:
        """Has it no settings besides those that it cannot do without?"""
        return dict(self.params) == MADE_WITH.get(self.name, {})

    @property
    def door(self) -> str:
        """Who looks at the table: the estimator, or the one, the first one, that it is built around."""
        inner = [model for _, model in self.params.get("estimators", [])] or [self.params.get("estimator")]
        return self.name if inner[0] is None or self.name in OWN_DOOR else type(inner[0]).__name__

    @property
    def takes_one_column(self) -> bool:
        return not self.tags.input_tags.two_d_array

    @property
    def splits(self) -> bool:
        """Does a fit split its rows? Then a row of weight 2 is not the row written twice: the parts are other ones."""
        return "cv" in self.cls._params or self.params.get("probability") is True

    @cached_property
    def tags(self) -> Any:
        return self.make().__sklearn_tags__()

    @property
    def role(self) -> str:
        """As the registry has it: scikit-learn's tags have no word for a transformer."""
        return str(role_of(self.cls))

    @property
    def gives_sparse(self) -> bool:
        """Is what it makes of a dense table sparse? Then there is no frame of it."""
        made = self.make()
        graph = hasattr(made, "transform") and (hasattr(made, "kneighbors") or hasattr(made, "radius_neighbors"))
        weights = self.name == "TfidfTransformer"
        return (
            graph or weights or bool(getattr(made, "sparse_output", False)) or getattr(made, "encode", "") == "onehot"
        )

    @property
    def most_neighbours(self) -> int:
        """How many rows it must have been fitted to before it answers: k neighbours of a row."""
        made = self.make()
        more = self.name == "KNeighborsTransformer" and made.mode == "distance"  # a row is its own first neighbour
        return int(made.n_neighbors) + more if hasattr(made, "kneighbors") else 0

    @property
    def takes_infinity(self) -> bool:
        """Is infinity a value like others?"""
        return getattr(getattr(self.cls, "needs", None), "finite", "") == "taken"

    @property
    def refuses_unknown(self) -> bool:
        """Does it answer for values only that its fit saw?"""
        return getattr(self.make(), "handle_unknown", "") == "error"

    @property
    def refuses_below(self) -> bool:
        """Does it answer only for values that are not below those its fit saw?"""
        return self.name == "LogTransformer" and "shift" not in self.params

    @property
    def looks(self) -> bool:
        """Does it look at the values of X?"""
        return not self.tags.no_validation

    @property
    def reads_columns(self) -> bool:
        """Does it read columns as they come? The door makes plain numbers of them for all others."""
        return bool(getattr(getattr(self.cls, "needs", None), "raw", False))

    @property
    def is_random(self) -> bool:
        return bool(self.tags.non_deterministic) or "random_state" in self.cls._params

    @property
    def takes_weight(self) -> bool:
        return has_fit_parameter(self.make(), "sample_weight")

    def __str__(self) -> str:
        return f"{self.name}({', '.join(f'{key}={value!r}' for key, value in self.params.items())})"


def reads_labels(cls: type[Any]) -> bool:
    """Does it read a target and no table? Such encoders have tests of their own."""
    target = cls().__sklearn_tags__().target_tags
    return bool(target.one_d_labels or target.two_d_labels)


def reads_rows(cls: type[Any]) -> bool:
    """Does it read a table of numbers or categories? Readers of texts have tests/text/test_contract.py."""
    given = cls().__sklearn_tags__().input_tags
    return role_of(cls) not in NOT_OF_ROWS and not (given.string and not given.two_d_array)


CLASSES: list[type[Any]] = [cls for _, cls in pellucid.all_estimators() if not reads_labels(cls)]
DEFAULTS = [Subject(cls, MADE_WITH.get(cls.__name__, {})) for cls in CLASSES if reads_rows(cls)]
SUBJECTS = [
    Subject(default.cls, {**default.params, **params})
    for default in DEFAULTS
    for params in [{}, *VARIANTS.get(default.name, [])]
]


def each(subjects: Iterable[Subject] = SUBJECTS) -> pytest.MarkDecorator:
    """One test a subject; those of other settings than the defaults count as exhaustive."""
    return pytest.mark.parametrize("subject", [case(subject) for subject in subjects])


def case(subject: Subject, *more: Any, id: str = "", exhaustive: bool = False) -> Any:
    """A subject, and what else a test takes, as a case of it."""
    marks = [pytest.mark.exhaustive] if exhaustive or not subject.is_default else []
    return pytest.param(subject, *more, id=id or str(subject), marks=marks)


def each_form(
    what: str, forms: Iterable[Any], always: Collection[Any], subjects: Iterable[Subject]
) -> pytest.MarkDecorator:
    """One test a subject and form of its data.

    Of forms that are not among ``always`` the door, the same for every estimator, makes what the others are: they count
    as exhaustive, but of an estimator that reads columns as they come.
    """
    every = list(forms)
    assert set(always) <= set(every)
    return pytest.mark.parametrize(
        ("subject", what),
        [
            case(
                subject,
                form,
                id=f"{subject}-{getattr(form, '__name__', form)}",
                exhaustive=form not in always and not subject.reads_columns,
            )
            for subject in subjects
            for form in every
        ],
    )


def each_class(test: Callable[..., None]) -> Callable[..., None]:
    """One test an estimator class."""
    return pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)(test)


class Problem(NamedTuple):
    """A table, its target (None where the role has none), and whole-number weights."""

    X: NDArray[np.float64]
    y: Any
    weight: NDArray[np.float64]


def problem(subject: Subject, rows: int = 40, columns: int = 4, seed: int = 0) -> Problem:
    """Data that suit the subject's role and tags.

    Values of X are eighths between -8 and 8, so that float16, float32 and decimal text hold them exactly. An estimator
    that takes one column gets one.
    """
    random = np.random.default_rng(seed)
    columns = 1 if subject.takes_one_column else columns
    X = np.clip(np.round(8 * random.normal(size=(rows, columns))) / 8, -8, 8)
    if subject.tags.input_tags.positive_only or subject.name in NOT_NEGATIVE:
        X = np.abs(X)
    signal = X @ (1 + np.arange(columns) / 2) + random.normal(size=rows) / 2 + 1
    return Problem(X, _target(subject, signal), random.integers(1, 4, size=rows).astype(float))


def _target(subject: Subject, signal: NDArray[np.float64]) -> Any:
    tags = subject.tags
    if subject.role == "regressor":
        return np.abs(signal) + 1 if tags.target_tags.positive_only else signal
    if subject.role == "classifier" or subject.name in OF_CLASSES:
        parts = 3 if tags.classifier_tags is None or tags.classifier_tags.multi_class else 2
        cuts = np.quantile(signal, np.arange(1, parts) / parts)
        return np.array(["ash", "birch", "cedar"])[np.searchsorted(cuts, signal)]
    return signal if tags.target_tags.required else None


def fit(model: Any, X: Any, y: Any, weight: Any = None) -> Any:
    """Fits with weights where they are given."""
    more = {} if weight is None else {"sample_weight": weight}
    return model.fit(X, **more) if y is None else model.fit(X, y, **more)


FORMS = {**tables.DENSE, **tables.FRAMES, **tables.OTHER_FRAMES}


@cache
def learned(subject: Subject, form: str = "C order", weighted: bool = False) -> Any:
    """The subject fitted to its problem in one form of the table: made once, for tests that only ask the model."""
    X, y, weight = problem(subject)
    return fit(subject.make(), FORMS[form](X), y, weight if weighted and subject.takes_weight else None)


@cache
def said(subject: Subject, form: str = "C order", weighted: bool = False) -> dict[str, Any]:
    """What that model says about the table that it was fitted to."""
    return answers(learned(subject, form, weighted), FORMS[form](problem(subject).X))


def answers(model: Any, X: Any) -> dict[str, Any]:
    """What a fitted model says about a table, by method."""
    known = [method for method in METHODS if hasattr(model, method)]
    if not known and isinstance(model, Pipeline):  # which hands on the methods above alone
        return answers(model[-1], model[:-1].transform(X))
    return {method: getattr(model, method)(X) for method in known or ["kneighbors_graph"] if hasattr(model, method)}


def state(model: Any) -> dict[str, Any]:
    """Everything that a fit left behind: attributes, private ones too, and those worked out when asked for."""
    worked_out = {
        name: getattr(model, name, None)
        for name in dir(type(model))
        if name.endswith("_") and not name.startswith("_") and isinstance(getattr(type(model), name), property)
    }
    params = model.get_params(deep=False)
    return worked_out | {name: value for name, value in vars(model).items() if name not in params}


def settings(model: Any) -> dict[str, Any]:
    """The parameters of a model for comparison: estimators among them, and NaN, by how they are written."""
    by_word = {
        name: hasattr(value, "get_params") or name == "estimators" or (isinstance(value, float) and value != value)
        for name, value in model.get_params().items()
    }
    return {name: repr(value) if by_word[name] else value for name, value in model.get_params().items()}


def assert_same_bits(a: Any, b: Any, at: str = "") -> None:
    """Equal in type and in every bit."""
    assert type(a) is type(b), f"{at}: {type(a).__name__} against {type(b).__name__}"
    if isinstance(a, np.ndarray) and a.dtype != object:
        assert a.dtype == b.dtype, f"{at}: {a.dtype} against {b.dtype}"
        assert a.shape == b.shape, f"{at}: shape {a.shape} against {b.shape}"
        assert a.tobytes() == b.tobytes(), f"{at}: values differ, by up to {_distance(a, b)}"
    elif isinstance(a, (float, np.generic)):
        assert np.asarray(a).tobytes() == np.asarray(b).tobytes(), f"{at}: {a!r} against {b!r}"
    elif isinstance(a, Mapping):
        assert list(a) == list(b), f"{at}: {list(a)} against {list(b)}"
        for key in a:
            assert_same_bits(a[key], b[key], f"{at}[{key!r}]")
    elif isinstance(a, (list, tuple, np.ndarray)):
        assert len(a) == len(b), f"{at}: length {len(a)} against {len(b)}"
        for i, (left, right) in enumerate(zip(a, b, strict=True)):
            assert_same_bits(left, right, f"{at}[{i}]")
    elif scipy.sparse.issparse(a):
        for part in ("shape", "data", "indices", "indptr"):  # a graph of rows is too large for a full table
            assert_same_bits(getattr(a.tocsr(), part), getattr(b.tocsr(), part), f"{at}.{part}")
    elif hasattr(a, "equals") and hasattr(a, "columns"):
        assert a.equals(b), f"{at}: frames differ"
    elif dataclasses.is_dataclass(a) or (
        hasattr(a, "__dict__")
        and (hasattr(a, "get_params") or (type(a).__module__.startswith("pellucid.") and vars(a)))
    ):
        assert_same_bits(vars(a), vars(b), at)
    else:
        assert a == b, f"{at}: {a!r} against {b!r}"


def _distance(a: Any, b: Any) -> Any:
    return np.abs(a - b).max() if a.dtype.kind in "fiu" else "other labels"


def assert_same_fit(a: Any, b: Any) -> None:
    """Two fitted models are the same in every bit."""
    left, right = state(a), state(b)
    assert set(left) == set(right)
    for name in left:
        assert_same_bits(left[name], right[name], name)


def assert_near(a: Any, b: Any, share: float = 1e-9, at: str = "") -> None:
    """Equal up to rounding: within a share of the largest value; labels equal."""
    if isinstance(a, Mapping):
        assert list(a) == list(b)
        for key in a:
            assert_near(a[key], b[key], share, f"{at}[{key!r}]")
        return
    if isinstance(a, list):
        for i, (left, right) in enumerate(zip(a, b, strict=True)):
            assert_near(left, right, share, f"{at}[{i}]")
        return
    left, right = (np.asarray(c.toarray() if scipy.sparse.issparse(c) else c) for c in (a, b))
    assert left.shape == right.shape, f"{at}: shape {left.shape} against {right.shape}"
    if left.dtype.kind not in "fc":
        np.testing.assert_array_equal(left, right, err_msg=at)
        return
    size = max(np.abs(left).max(initial=0.0), np.abs(right).max(initial=0.0))
    np.testing.assert_allclose(left, right, rtol=0, atol=share * size, err_msg=at)
