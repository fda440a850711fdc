"""Answers by ``LVQClassifier``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pellucid.reference import lvq as reference

from ..frame import Example, PathName, answers


@answers("000-lvq-one-epoch")
def one_epoch(example: Example, path: PathName) -> Mapping[str, Any]:
    X, y = np.column_stack([example.data["X1"], example.data["X2"]]), example.data["Y"]
    start, labels = example.data["codebook"], example.data["codebook"]["Y"]
    before = np.column_stack([start["X1"], start["X2"]])
    rate, epochs = example.settings["learning_rate"], example.settings["epochs"]
    squares = (X[0] - before) ** 2
    said: Any
    if path == "reference":
        run = reference.train(X, y, before, labels, rate=rate, epochs=epochs)
        first = run.updates[0]
        distances, best, moved = first.distances, next(iter(first.steps)), first.codebook
        codebook, said, classes = run.codebook, reference.predict(X, run.codebook, labels), labels
    else:
        from pellucid import _core
        from pellucid.neighbors import LVQClassifier

        settings: dict[str, Any] = {"init_labels": labels, "learning_rate": rate, "shuffle": False}
        model = LVQClassifier(init=before, max_iter=epochs, **settings)
        names, rows = model.fit_with_history(X, y)["updates"]
        update = dict(zip(names, rows[0], strict=True))
        reduced, numbers = _core.nearest_prototypes(_core.dense(X[:1]), before, len(before), 0, None, 1)
        distances = np.sqrt(reduced[0][np.argsort(numbers[0])])
        best = int(update["first"])
        moved = before.copy()
        moved[best] += update["first_step"] * (X[0] - moved[best])
        codebook, said, classes = model.codebook_, model.predict(X), model.codebook_labels_
    return {
        "squared X1 differences, row 1 against the codebook": squares[:, 0],
        "squared X2 differences": squares[:, 1],
        "sums": squares.sum(axis=1),
        "distances": distances,
        "best matching unit (1-based)": best + 1,
        "updated BMU after row 1": moved[best],
        "codebook X1 after one epoch": codebook[:, 0],
        "codebook X2 after one epoch": codebook[:, 1],
        "codebook classes": classes,
        "predictions on the training rows": said,
        "training accuracy in percent": round(100 * float(np.mean(np.asarray(said) == np.asarray(y)))),
        "trace: 1": {"row": 1, "bmu": best + 1, "X1": moved[best, 0], "X2": moved[best, 1]},
    }
