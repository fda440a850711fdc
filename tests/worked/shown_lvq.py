"""Where in the working of learning vector quantization each figure of its example stands; goes on from `shown`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pellucid.working import Working

from .frame import Example
from .shown import READINGS, reads

__all__ = ["READINGS"]


@reads("000-lvq-one-epoch")
def one_epoch(w: Working, e: Example) -> Mapping[str, Any]:
    best = int(w.value("winner")[0])
    moved = [w.value(f"w_{best}_{j}")[0] for j in (1, 2)]
    return {
        "squared X1 differences, row 1 against the codebook": w.value("q_1"),
        "squared X2 differences": w.value("q_2"),
        "sums": w.value("q"),
        "distances": w.value("d"),
        "best matching unit (1-based)": w.value("best"),
        "updated BMU after row 1": moved,
        "codebook X1 after one epoch": [w.value(f"end_{v}_1") for v in range(1, 5)],
        "codebook X2 after one epoch": [w.value(f"end_{v}_2") for v in range(1, 5)],
        "codebook classes": w.value("vector_class").astype(int),
        "predictions on the training rows": w.value("fitted_class").astype(int),
        "training accuracy in percent": round(100 * w.value("accuracy")),
        "trace: 1": {"row": int(w.value("row")[0]), "bmu": best, "X1": moved[0], "X2": moved[1]},
    }
