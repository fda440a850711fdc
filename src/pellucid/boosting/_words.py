"""The words of other libraries for the parameters here."""

from __future__ import annotations

from collections.abc import Mapping
from math import log
from typing import Any

from pellucid.base.errors import ParameterError, format_message, join_some, short_repr

_SHARED = {
    "num_iterations": "n_estimators",
    "num_boost_round": "n_estimators",
    "eta": "learning_rate",
    "reg_alpha": "l1_regularization",
    "reg_lambda": "l2_regularization",
    "lambda": "l2_regularization",
    "max_bin": "max_bins",
    "colsample_bytree": "max_features_tree",
    "colsample_bylevel": "max_features_level",
    "colsample_bynode": "max_features",
    "monotone_constraints": "monotonic_cst",
    "early_stopping_rounds": "n_iter_no_change",
    "seed": "random_state",
    "random_seed": "random_state",
    "verbosity": "verbose",
}
LIGHTGBM = _SHARED | {
    "num_iteration": "n_estimators",
    "n_iter": "n_estimators",
    "num_tree": "n_estimators",
    "num_trees": "n_estimators",
    "num_round": "n_estimators",
    "num_rounds": "n_estimators",
    "shrinkage_rate": "learning_rate",
    "num_leaves": "max_leaf_nodes",
    "num_leaf": "max_leaf_nodes",
    "max_leaves": "max_leaf_nodes",
    "max_leaf": "max_leaf_nodes",
    "min_data_in_leaf": "min_samples_leaf",
    "min_data_per_leaf": "min_samples_leaf",
    "min_data": "min_samples_leaf",
    "min_child_samples": "min_samples_leaf",
    "min_sum_hessian_in_leaf": "min_child_weight",
    "min_sum_hessian_per_leaf": "min_child_weight",
    "min_sum_hessian": "min_child_weight",
    "min_hessian": "min_child_weight",
    "lambda_l1": "l1_regularization",
    "l1_regularization": "l1_regularization",
    "lambda_l2": "l2_regularization",
    "min_gain_to_split": "min_split_gain",
    "max_tree_output": "max_delta_step",
    "max_leaf_output": "max_delta_step",
    "bagging_fraction": "subsample",
    "sub_row": "subsample",
    "bagging": "subsample",
    "feature_fraction": "max_features_tree",
    "sub_feature": "max_features_tree",
    "feature_fraction_bynode": "max_features",
    "sub_feature_bynode": "max_features",
    "boost_from_average": "base_score",
    "categorical_feature": "categorical_features",
    "cat_feature": "categorical_features",
    "early_stopping_round": "n_iter_no_change",
    "early_stopping": "n_iter_no_change",
    "num_threads": "n_jobs",
    "num_thread": "n_jobs",
    "nthread": "n_jobs",
    "objective": "loss",
    "application": "loss",
    "boosting": "sampling",
    "boosting_type": "sampling",
    "data_sample_strategy": "sampling",
    "enable_bundle": "feature_bundling",
    "is_enable_bundle": "feature_bundling",
    "bundle": "feature_bundling",
}
XGBOOST = _SHARED | {
    "gamma": "min_split_gain",
    "min_split_loss": "min_split_gain",
    "alpha": "l1_regularization",
    "max_leaves": "max_leaf_nodes",
    "grow_policy": "growth",
    "sampling_method": "sampling",
    "nthread": "n_jobs",
    "objective": "loss",
}
CATBOOST = _SHARED | {
    "iterations": "n_estimators",
    "num_trees": "n_estimators",
    "depth": "max_depth",
    "l2_leaf_reg": "l2_regularization",
    "border_count": "max_bins",
    "rsm": "max_features",
    "thread_count": "n_jobs",
    "cat_features": "categorical_features",
    "od_wait": "n_iter_no_change",
    "bootstrap_type": "sampling",
    "grow_policy": "growth",
    "min_data_in_leaf": "min_samples_leaf",
    "min_child_samples": "min_samples_leaf",
    "max_leaves": "max_leaf_nodes",
    "num_leaves": "max_leaf_nodes",
    "loss_function": "loss",
    "objective": "loss",
    "boosting_type": "boosting",
    "boost_from_average": "base_score",
    "one_hot_max_size": "one_hot_max_size",
    "random_strength": "random_strength",
}
SCIKIT_LEARN = {"init": "base_score", "max_iter": "n_estimators"}
PEERS: dict[str, Mapping[str, str]] = {"lightgbm": LIGHTGBM, "xgboost": XGBOOST, "catboost": CATBOOST}

# Values that are said otherwise here. None: the peer's word for what is the rule here, or for a kind of target that a
# classifier or regressor sees by itself.
_VALUES: dict[str, dict[Any, Any]] = {
    "sampling": {
        "goss": "goss", "gbdt": None, "gbrt": None, "bagging": "uniform", "uniform": "uniform",
        "gradient_based": "mvs", "mvs": "mvs", "bayesian": "bayesian", "bernoulli": "bernoulli", "no": None,
    },
    "growth": {
        "lossguide": "leaf", "depthwise": "depth", "symmetrictree": "oblivious",
    },
    "boosting": {"plain": "plain", "ordered": "ordered"},
    "loss": {
        "regression": "squared_error", "l2": "squared_error", "mse": "squared_error", "rmse": "squared_error",
        "reg:squarederror": "squared_error", "regression_l2": "squared_error", "mean_squared_error": "squared_error",
        "regression_l1": "absolute_error", "l1": "absolute_error", "mae": "absolute_error",
        "reg:absoluteerror": "absolute_error", "huber": "huber", "reg:pseudohubererror": "huber",
        "poisson": "poisson", "count:poisson": "poisson", "quantile": "quantile", "reg:quantileerror": "quantile",
        "binary": None, "binary:logistic": None, "logloss": None, "multiclass": None, "softmax": None,
        "multi:softprob": None, "multi:softmax": None, "crossentropy": None,
    },
}  # fmt: skip


def refuse_foreign(who: str, params: Mapping[str, Any], peer_params: Mapping[str, Any]) -> None:
    """A word of another library in place of ours is refused with ours."""
    for name in peer_params:
        if name in params:
            continue
        if name in SCIKIT_LEARN and SCIKIT_LEARN[name] in params:
            hint = "base_score=0 for init='zero'" if name == "init" else ""
            raise ParameterError(format_message(who, f"{name} is {SCIKIT_LEARN[name]} here", hint=hint))
        for peer, words in PEERS.items():
            if name in words and words[name] not in params:
                requirement = f"{name} of {peer} has no counterpart in {who}"
                raise ParameterError(
                    format_message(who, requirement, hint="leave it out, or use another model of pellucid.boosting")
                )
            if name in words:
                hint = f"or {who}.from_params({peer}={{{name!r}: {short_repr(peer_params[name])}, ...}})"
                raise ParameterError(format_message(who, f"{name} is {words[name]} here", hint=hint))


def _as_score(who: str, value: Any, of_classes: bool, loss: Any) -> Any:
    """XGBoost's base_score, a probability of classes (also with a function as objective) or a count, as a score."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not (of_classes or (isinstance(loss, str) and loss == "poisson")):
        return value
    if not (0 < value < 1 if of_classes else value > 0):
        kind = "a probability above 0 and below 1" if of_classes else "an expected count above 0"
        raise ParameterError(format_message(who, f"base_score of xgboost must be {kind} here", actual=f"got {value!r}"))
    return log(value / (1 - value)) if of_classes else log(value)


def translated(who: str, params: Mapping[str, Any], peer: str, peer_params: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters of another library as ours."""
    translation: dict[str, Any] = {}
    unknown = []
    of_classes = "class_weight" in params
    peer_params = dict(peer_params)
    if peer == "lightgbm":  # there a share of the rows is drawn only where it is said how often
        often = [peer_params.pop(name) for name in ("bagging_freq", "subsample_freq") if name in peer_params]
        if not any(often):
            peer_params = {
                name: 1.0 if LIGHTGBM.get(name, name) == "subsample" else value for name, value in peer_params.items()
            }
    for name, value in peer_params.items():
        ours = PEERS[peer].get(name, name)
        if ours not in params:
            unknown.append(name)
            continue
        if ours in _VALUES and isinstance(value, str):
            words = _VALUES[ours]
            if value.lower() not in words:
                requirement = f"{name} must be one of {join_some(map(repr, words), 6)}"
                raise ParameterError(format_message(who, requirement, actual=f"got {value!r}"))
            text, value = value, words[value.lower()]
            if ours == "loss" and (value is None) != of_classes:
                kind = "classes" if value is None else "numbers"
                raise ParameterError(
                    format_message(who, f"{name}={text!r} is for {kind}", hint="use the other of the pair")
                )
            if value is None:
                continue
        if ours in ("max_depth", "max_leaf_nodes") and isinstance(value, int) and value <= 0:
            value = None  # the peers' word for no limit
        if ours == "verbose" and isinstance(value, int):
            value = max(int(value), 0)
        if ours == "max_bins" and isinstance(value, int) and value == 256:
            value = 255  # their 256 are our 255 and one for missing values
        if ours == "n_iter_no_change":
            if not value:
                continue
            translation["early_stopping"] = True
        if name == "boost_from_average":
            if value:
                continue
            value = 0.0
        translation[ours] = value
    if peer == "xgboost" and translation.get("base_score") is not None:
        translation["base_score"] = _as_score(who, translation["base_score"], of_classes, translation.get("loss"))
    if unknown:
        requirement = f"these parameters of {peer} have no counterpart: {join_some(unknown)}"
        raise ParameterError(format_message(who, requirement, hint="leave them out"))
    return translation
