"""What classifiers of one or several targets share, whether they are a tree or many."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.errors import ParameterError, format_message
from pellucid.base.types import Array


class SeveralLabels:
    """Classes of one target, or a list of classes for several."""

    @property
    def _labels(self: Any) -> list[Array]:
        """Classes of each target."""
        return self.classes_ if isinstance(self.classes_, list) else [self.classes_]

    def predict_log_proba(self: Any, X: Any) -> Any:
        """The logarithm of the probability of each class."""
        probabilities = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            return (
                [np.log(table) for table in probabilities] if isinstance(probabilities, list) else np.log(probabilities)
            )


def check_directions(who: str, constraints: Any, sizes: Array) -> None:
    """A direction is one of the probability of the second of two classes."""
    if constraints is not None and (len(sizes) > 1 or sizes[0] > 2):
        what = "multiple outputs" if len(sizes) > 1 else "multiclass classification"
        requirement = "monotonic_cst must be None unless there are two classes"
        raise ParameterError(
            format_message(who, requirement, actual=f"Monotonicity constraints are not supported with {what}")
        )
