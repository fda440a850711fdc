"""Losses by their scores, as early stopping and reports need them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pellucid.base.types import Floats


def mean_loss(loss: Mapping[str, Any], y: Floats, scores: Floats, weight: Floats | None = None) -> float:
    """The mean over the rows of the loss that a plan names.

    y : numbers, or codes of classes; scores : rows x outputs
    """
    kind, f = loss["loss"], scores[:, 0]
    r = y - f
    if kind == "squared_error":
        each = r * r / 2
    elif kind == "absolute_error":
        each = np.abs(r)
    elif kind == "quantile":
        each = r * (loss["level"] - (r < 0))
    elif kind == "huber":
        delta = float(np.quantile(np.abs(r), loss["level"]))
        each = np.where(np.abs(r) <= delta, r * r / 2, delta * (np.abs(r) - delta / 2))
    elif kind == "poisson":
        each = np.exp(f) - y * f
    elif kind == "logistic":
        each = np.maximum(f, 0) - y * f + np.log1p(np.exp(-np.abs(f)))
    else:
        most = scores.max(axis=1)
        own = scores[np.arange(len(scores)), y.astype(np.intp)]
        each = most + np.log(np.exp(scores - most[:, None]).sum(axis=1)) - own
    return float(np.average(each, weights=weight))
