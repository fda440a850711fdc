"""scikit-learn's own checks, one test each, for every estimator and every variant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from unittest import SkipTest

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator

from pellucid.base.errors import PellucidError

from .frame import SUBJECTS, Subject

# The one check that may be left out. It needs SCIPY_ARRAY_API=1 before SciPy is first imported and another array
# library; kernels read NumPy memory and no other.
LEFT_OUT = "check_array_api_input"

# Settings that refuse what a check gives on purpose: there the refusal is checked, by its words.
_DEPENDENT = dict.fromkeys(
    [
        "check_sample_weight_equivalence_on_dense_data",
        "check_sample_weight_equivalence_on_sparse_data",
        "check_fit2d_1sample",
    ],
    "needs independent columns",
)
REFUSALS: dict[str, dict[str, str]] = {
    "LinearRegression(solver='qr')": _DEPENDENT,
    "LinearRegression(solver='normal')": _DEPENDENT,
}
# Of a model that draws at random scikit-learn itself skips this one.
RANDOM = "check_pipeline_consistency"


def name_of(check: Any) -> str:
    return str(getattr(check, "func", check).__name__)


def cases() -> Iterator[Any]:
    """Every check; the one that is left out stands once an estimator, to be seen."""
    for subject in SUBJECTS:
        seen: dict[str, int] = {}
        # Made from the settings alone: a seed given by us would be a parameter that the check does not expect.
        for model, check in estimator_checks_generator(subject.cls(**subject.params)):
            name = name_of(check)
            if (subject.tags.non_deterministic and name == RANDOM) or (subject.params and name == LEFT_OUT):
                continue
            seen[name] = seen.get(name, 0) + 1
            again = f"-{seen[name]}" if seen[name] > 1 else ""
            yield pytest.param(subject, model, check, id=f"{subject}-{name.removeprefix('check_')}{again}")


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
        assert name == LEFT_OUT, f"scikit-learn left out {name}: {skipped}"
        pytest.skip(f"{LEFT_OUT}: kernels read NumPy memory; scikit-learn runs it under SCIPY_ARRAY_API=1 alone")
