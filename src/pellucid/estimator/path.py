"""One fit for many values of a parameter: the protocol through which a search shares computations.

An estimator lists in ``path_parameters`` the parameters for whose values one fit is enough (neighbors, penalty, number
of trees) and implements ``_fit_path``, which returns a `FitPath`: the fitted models, each equal to the one of a
separate fit, and their predictions, which may be computed together. A transformer whose columns for a smaller value are
the first columns for a larger one (powers up to a degree, principal components) declares ``nested_feature_counts``, a
transformer that treats every column separately ``columnwise = True``, and a model that can be fitted to the first
columns of a table for several widths at once ``fit_prefixes``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn.utils import _safe_indexing

from pellucid.base.types import Array


class FitPath:
    """Fitted models, one for each value of a parameter.

    `answer` asks each of them; an estimator that can answer for all of them together (neighbors of a row found once,
    the predictions after every tree) has its own.
    """

    def __init__(self, models: Sequence[Any]) -> None:
        self.models = list(models)

    def answer(self, method: str, X: Any) -> list[Array]:
        """What ``model.method(X)`` gives, for every model: predict, predict_proba, decision_function, transform."""
        return [getattr(model, method)(X) for model in self.models]

    def __len__(self) -> int:
        return len(self.models)

    def __getitem__(self, place: int) -> Any:
        return self.models[place]


class LeadingPath(FitPath):
    """Models of the first columns of a table, for several numbers of columns; `answer` takes the table with all."""

    def __init__(self, models: Sequence[Any], widths: Sequence[int]) -> None:
        super().__init__(models)
        self.widths = list(widths)

    def answer(self, method: str, X: Any) -> list[Array]:
        pairs = zip(self.models, self.widths, strict=True)
        return [getattr(model, method)(first_columns(X, width)) for model, width in pairs]


def first_columns(X: Any, width: int) -> Any:
    """The first columns of an array, a frame or a sparse matrix."""
    return _safe_indexing(X, slice(0, width), axis=1)
