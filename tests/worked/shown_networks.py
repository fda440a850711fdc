"""Where in the workings of networks each figure of their examples stands; goes on from `shown`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pellucid.working import Working

from .answers.networks import in_words
from .frame import Example
from .shown import READINGS, reads

__all__ = ["READINGS"]


@reads("003-mlp-forward-and-backprop")
def one_step(w: Working, e: Example) -> Mapping[str, Any]:
    def turned(number: int) -> Any:
        return np.hstack([w.value(f"fit.new_b_{number}").T, w.value(f"fit.new_W_{number}").T])

    return in_words(
        hidden_sums=w.value("fit.z_1")[0],
        hidden=w.value("fit.a_1")[0],
        output_sums=w.value("fit.z_2")[0],
        outputs=w.value("fit.a_2")[0],
        deltas=-w.value("fit.delta_2")[0],
        hidden_deltas=-w.value("fit.delta_1")[0],
        late_deltas=-w.value("late")[0],
        first=turned(1),
        second=turned(2),
        before=w.value("fit.loss"),
        outputs_after=w.value("after.a_2")[0],
        after=w.value("error"),
    )
