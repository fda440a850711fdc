"""scikit-learn's own checks, one test each, for every estimator of rows and every variant. None is left out.

Miners of rules and recommenders (`frame.NOT_OF_ROWS`) are not estimators of rows: the checks fit matrices with a target
and ask for an answer a row, and baskets and ratings have neither.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from typing import Any
from unittest import SkipTest

import pytest
from sklearn.exceptions import SkipTestWarning
from sklearn.utils.estimator_checks import estimator_checks_generator

from pellucid.base.errors import PellucidError

from .frame import SUBJECTS, Subject, case

# Settings that refuse what a check gives on purpose: there the refusal is checked, by its words.
_DEPENDENT = dict.fromkeys(
    [
        "check_sample_weight_equivalence_on_dense_data",
        "check_sample_weight_equivalence_on_sparse_data",
        "check_fit2d_1sample",
    ],
    "needs independent columns",
)
# Where every row has a label there is no round to be made, in scikit-learn's own too.
_NO_ROUNDS = {"check_non_transformer_estimators_n_iter": "should be greater or equal to 1"}
# What training rows get must not hold their own target: there fit_transform is not fit and transform, by intent.
_OWN_TARGET_LEFT_OUT = dict.fromkeys(
    ["check_transformer_general", "check_transformer_data_not_an_array"],
    "fit_transform and transform outcomes not consistent",
)
# Without an indicator nobody knows what was missing, in scikit-learn's own too.
_NO_WAY_BACK = {"check_array_api_input": "works only when 'SimpleImputer' is instantiated with 'add_indicator=True'"}
# A weight makes the step of a row longer: two short steps from different places are not one long step, in
# scikit-learn's own too.
_LONGER_STEPS = dict.fromkeys(
    ["check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"],
    "is not equivalent to fitting with removed or repeated data points",
)
# Their numbers lie around 100: at the default rate the steps grow without end. scikit-learn's own model ends at numbers
# of any size there; ours says so.
_DIVERGES = dict.fromkeys(
    ["check_fit_idempotent", "check_fit_check_is_fitted", "check_n_features_in"],
    "the scores must stay within reach of the target",
)
# The best cut of a column is found from all rows.
_NOT_IN_PARTS = dict.fromkeys(
    ["check_fit_score_takes_y", "check_n_features_in_after_fitting", "check_estimators_partial_fit_n_features"],
    "partial_fit needs splits at given numbers",
)
# The check gives targets below 0 whatever the tags say.
_COUNTS = {"check_regressor_multioutput": "takes targets of zero or more"}
REFUSALS: dict[str, dict[str, str]] = {
    "LightGBMRegressor(loss='poisson', histogram='float', min_samples_leaf=1)": _COUNTS,
    "NaiveBayes(numbers='split', smoothing='m_estimate')": _NOT_IN_PARTS,
    **dict.fromkeys(
        [str(subject) for subject in SUBJECTS if subject.name in ("SGDRegressor", "SGDClassifier", "Perceptron")],
        _LONGER_STEPS,
    ),
    "SGDRegressor()": {**_LONGER_STEPS, **_DIVERGES},
    "SimpleImputer()": _NO_WAY_BACK,
    "SimpleImputer(strategy='most_frequent', keep_empty_features=True)": _NO_WAY_BACK,
    "SimpleImputer(strategy='constant', fill_value=-1)": _NO_WAY_BACK,
    "SimpleImputer(strategy='auto')": _NO_WAY_BACK,
    # its data have redundant columns
    "LinearRegression(solver='qr')": {**_DEPENDENT, "check_array_api_input": "needs independent columns"},
    "LinearRegression(solver='normal')": _DEPENDENT,
    "SelfTrainingClassifier(estimator=NearestMean())": _NO_ROUNDS,
    "TargetEncoder(smooth=3.0, cv=3, target_type='continuous')": _OWN_TARGET_LEFT_OUT,
    "OrderedTargetEncoder()": _OWN_TARGET_LEFT_OUT,
    "OrderedTargetEncoder(order='given', prior=0.5, prior_weight=2.0)": _OWN_TARGET_LEFT_OUT,
    "OrderedTargetEncoder(n_permutations=3)": _OWN_TARGET_LEFT_OUT,
    "SelfTrainingClassifier(estimator=NearestMean(), criterion='k_best', max_iter=None)": _NO_ROUNDS,
}
# scikit-learn does not ask this of a model that draws at random.
NOT_OF_RANDOM_ONES = "check_pipeline_consistency"
# Nor, in its own tests, this of one that splits its rows: a repeated row may fall into another part than its double.
NOT_OF_SPLITTING_ONES = (
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
)
# A weight makes the step of a row longer; labels, unlike coefficients, may come out the same all the same.
BY_STEPS = ("LVQClassifier",)
# Where samples are drawn, a weight is a chance: it moves the draws, in scikit-learn's own too.
BY_CHANCE = (
    "AdaBoostRegressor",
    "BaggingClassifier",
    "BaggingRegressor",
    "KMeans",
    "RandomForestClassifier",
    "RandomForestRegressor",
)
# Nor of these: rounding tells splits of a later round apart that are equally good, and the rounds after it differ.
BY_ROUNDING = (
    "AdaBoostClassifier",
    "BoostedTreesClassifier",
    "BoostedTreesRegressor",
    "CatBoostClassifier",
    "CatBoostRegressor",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "XGBoostClassifier",
    "XGBoostRegressor",
)

# Nor this of ridge regression, whose direct solvers make no passes: `n_iter_` is None, in scikit-learn's own too.
NOT_OF_DIRECT_ONES = ("check_non_transformer_estimators_n_iter",)
DIRECT = ("auto", "svd", "cholesky")
# Of a classifier without these methods it leaves the checks of them out itself.
OF_METHODS = {
    "check_classifiers_multilabel_output_format_predict_proba": "predict_proba",
    "check_classifiers_multilabel_output_format_decision_function": "decision_function",
}


def solves_directly(subject: Subject) -> bool:
    solver = subject.params.get("solver", "auto")
    return subject.name in ("Ridge", "RidgeClassifier") and solver in DIRECT and not subject.params.get("positive")


def fewer_rounds(subject: Subject) -> dict[str, int]:
    """Boosted trees need no hundred rounds for the scores that some checks ask for."""
    return {"n_estimators": 25} if subject.cls.__module__.startswith("pellucid.boosting") else {}


def name_of(check: Any) -> str:
    return str(getattr(check, "func", check).__name__)


def cases() -> Iterator[Any]:
    for subject in SUBJECTS:
        seen: dict[str, int] = {}
        # Made from the settings alone: a seed given by us would be a parameter that the check does not expect.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SkipTestWarning)  # few checks are for estimators of a single column
            checks = list(estimator_checks_generator(subject.cls(**{**fewer_rounds(subject), **subject.params})))
        for model, check in checks:
            name = name_of(check)
            if subject.tags.non_deterministic and name == NOT_OF_RANDOM_ONES:
                continue
            drawn = subject.name in BY_CHANCE or subject.params.get("bootstrap", False)
            if (subject.splits or drawn or subject.name in BY_STEPS + BY_ROUNDING) and name in NOT_OF_SPLITTING_ONES:
                continue
            if solves_directly(subject) and name in NOT_OF_DIRECT_ONES:
                continue
            if name in OF_METHODS and not hasattr(model, OF_METHODS[name]):
                continue
            seen[name] = seen.get(name, 0) + 1
            again = f"-{seen[name]}" if seen[name] > 1 else ""
            yield case(subject, model, check, id=f"{subject}-{name.removeprefix('check_')}{again}")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("subject", "model", "check"), list(cases()))
def test_keeps_what_scikit_learn_asks(subject: Subject, model: Any, check: Any) -> None:
    name = name_of(check)
    refusal = REFUSALS.get(str(subject), {}).get(name)
    if refusal is not None:
        # The check may wrap our sentence in an AssertionError of its own.
        with pytest.raises((PellucidError, AssertionError), match=re.escape(refusal)):
            check(model)
        return
    try:
        check(model)
    except SkipTest as skipped:
        raise AssertionError(f"scikit-learn left out {name}: {skipped}") from None
