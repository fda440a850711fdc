"""The settings under which the contract is checked: what estimators cannot do without, and others than the defaults."""

from __future__ import annotations

from typing import Any

from pellucid.linear_model import LinearRegression
from pellucid.tree import DecisionTreeClassifier, DecisionTreeRegressor

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
    "CondensedNearestNeighbors": [
        {"n_neighbors": 3, "start": "first", "shuffle": True, "metric": "manhattan"},
    ],
    "EditedNearestNeighbors": [
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
