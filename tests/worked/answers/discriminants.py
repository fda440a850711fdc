"""Answers by the linear discriminant of one column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pellucid.reference import discriminants as reference

from ..frame import Example, PathName, answers


@answers("000-lda-univariate")
def univariate(example: Example, path: PathName) -> Mapping[str, Any]:
    x, y = np.asarray(example.data["X"]), np.asarray(example.data["Y"])
    found = (_reference if path == "reference" else _kernel)(x, y)
    means, priors, squares, variance, D, said = found
    return {
        "mean of X in class 0": means[0],
        "mean of X in class 1": means[1],
        "prior of class 0": priors[0],
        "prior of class 1": priors[1],
        "sum of squared deviations, class 0": squares[0],
        "sum of squared deviations, class 1": squares[1],
        "pooled variance": variance,
        "discriminant of class 0 for the first instance": D[0, 0],
        "discriminant of class 1 for the first instance": D[0, 1],
        "discriminant of class 0 for every instance": D[:, 0],
        "discriminant of class 1 for every instance": D[:, 1],
        "predictions": said,
        "training accuracy in percent": 100 * float(np.mean(np.asarray(said) == y)),
        "trace: discriminant, first instance": {
            "step": "discriminant, first instance",
            "x": x[0],
            "D0": round(D[0, 0], 7),
            "D1": round(D[0, 1], 7),
            "prediction": said[0],
        },
    }


def _reference(x: Any, y: Any) -> tuple[Any, ...]:
    classes = reference.count_classes(x[:, None], y)
    variance = float(reference.pooled_covariance(classes, ddof=1)[0, 0])
    D = reference.univariate_discriminants(x, classes.means[:, 0], variance, classes.priors)
    squares = classes.scatters[:, 0, 0]
    return classes.means[:, 0], classes.priors, squares, variance, D, reference.predictions(D, classes.labels)


def _kernel(x: Any, y: Any) -> tuple[Any, ...]:
    from pellucid.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

    model = LinearDiscriminantAnalysis(ddof=1).fit(x[:, None], y)
    own = QuadraticDiscriminantAnalysis().fit(x[:, None], y)  # its scalings are the classes' own variances
    squares = [float(own.scalings_[k][0]) * int((y == k).sum()) for k in (0, 1)]
    D, said = model.discriminant_values(x[:, None]), model.predict(x[:, None]).tolist()
    return model.means_[:, 0], model.priors_, squares, float(model.pooled_covariance_[0, 0]), D, said
