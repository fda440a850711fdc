"""scikit-learn's own checks, one test each, for every estimator and every variant. None is left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from unittest import SkipTest

import pytest
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
REFUSALS: dict[str, dict[str, str]] = {
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


def name_of(check: Any) -> str:
    return str(getattr(check, "func", check).__name__)


def cases() -> Iterator[Any]:
    for subject in SUBJECTS:
        seen: dict[str, int] = {}
        # Made from the settings alone: a seed given by us would be a parameter that the check does not expect.
        for model, check in estimator_checks_generator(subject.cls(**subject.params)):
            name = name_of(check)
            if subject.tags.non_deterministic and name == NOT_OF_RANDOM_ONES:
                continue
            if subject.splits and name in NOT_OF_SPLITTING_ONES:
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
