"""What counts and weights of terms share: how rare a term is, as a number, and a sparse matrix as result."""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np

from pellucid.base.errors import DataError, format_message
from pellucid.base.types import Array, Floats
from pellucid.estimator.roles import Transformer

NORMS: dict[str | None, int] = {None: 0, "l1": 1, "l2": 2}


def check_base(value: Any) -> str | None:
    """The base of logarithms is above 0 and not 1."""
    if value is not None and value == 1:
        return f"log_base must be a number above 0 other than 1, or None; got {value!r}"
    return None


def inverse_document_frequency(
    documents: Array, n_documents: int, smooth: bool, add_one: bool, base: float | None
) -> Floats:
    """idf of terms that stand in so many of n texts."""
    df = documents.astype(np.float64)
    idf: Floats = np.log((n_documents + 1) / (df + 1)) if smooth else np.log(n_documents / np.maximum(df, 1.0))
    if base is not None:
        idf = idf / log(base)
    return idf + 1.0 if add_one else idf


class GivesSparse(Transformer):
    """A transformer whose result is a sparse matrix, of which there is no frame."""

    def transform(self, X: Any) -> Any:
        """The new columns of each row, as a sparse matrix."""
        self._check_fitted()
        self._refuse_frames()
        return super().transform(X)

    def _refuse_frames(self) -> None:
        output = self._frames_asked_for()
        if output != "default":
            requirement = f"{output.capitalize()} output does not support sparse data"
            raise DataError(
                format_message(
                    type(self).__name__, requirement, hint="set_output(transform='default') gives the matrix"
                )
            )
