"""Worked example of learning vector quantization: four vectors, one epoch."""

from __future__ import annotations

import numpy as np

from pellucid.neighbors import LVQClassifier
from pellucid.working.gallery_base import Example, example
from pellucid.working.model import Working


@example("000-lvq-one-epoch")
def one_epoch(e: Example) -> Working:
    X, y = np.column_stack([e.data["X1"], e.data["X2"]]), np.asarray(e.data["Y"])
    start = e.data["codebook"]
    model = LVQClassifier(
        init=np.column_stack([start["X1"], start["X2"]]),
        init_labels=start["Y"],
        learning_rate=e.settings["learning_rate"],
        max_iter=e.settings["epochs"],
        n_neighbors=e.settings["k_predict"],
        shuffle=False,
    ).fit(X, y)
    return model.show_fit(X, y)  # type: ignore[no-any-return]
