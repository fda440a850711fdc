"""Pictures of support vector machines show what the model says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from pellucid.plotting.svm import support_vector_street, support_vector_tube
from pellucid.svm import SVC, SVR, LinearSVC, LinearSVR

FRAME = pd.DataFrame({"long": [0.0, 1.0, 3.0, 4.0], "wide": [0.0, 1.0, 0.0, 1.0]})
LABELS = ["no", "no", "yes", "yes"]


def rings(ax: Any, label: str) -> Any:
    """The rows with a ring."""
    line = next(line for line in ax.get_lines() if line.get_label() == label)
    return np.asarray(line.get_xydata())


@pytest.mark.parametrize("frame", [True, False])
def test_the_street_and_who_holds_it(frame: bool) -> None:
    X = FRAME if frame else FRAME.to_numpy()
    model = SVC(kernel="linear", C=np.inf).fit(X, LABELS)
    ax = support_vector_street(model, X, LABELS)
    assert sorted(rings(ax, "holds the street").tolist()) == sorted(model.support_vectors_.tolist())
    if frame:
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("long", "wide")


def test_the_street_of_a_linear_machine() -> None:
    model = LinearSVC(random_state=0).fit(FRAME, LABELS)
    ax = support_vector_street(model, FRAME, LABELS)
    lacking = model.slacks(FRAME, LABELS) > 0
    assert len(rings(ax, "holds the street")) == lacking.sum()


@pytest.mark.parametrize("model", [SVR(kernel="linear", epsilon=0.4), LinearSVR(epsilon=0.4, random_state=0)])
def test_the_tube_and_who_is_outside(model: Any) -> None:
    X, y = np.array([[0.0], [1.0], [2.0], [3.0], [4.0]]), np.array([0.0, 1.0, 5.0, 3.0, 4.0])
    model.fit(X, y)
    ax = support_vector_tube(model, X, y)
    found = rings(ax, "holds the tube")
    assert 2.0 in found[:, 0]
    assert (np.abs(model.predict(found[:, :1]) - found[:, 1]) >= 0.4 - 1e-3).all()


def test_other_models_are_refused() -> None:
    with pytest.raises(ValueError, match="model must be a fitted SVC or LinearSVC; got SVR"):
        support_vector_street(SVR(), FRAME, LABELS)
    with pytest.raises(ValueError, match="two columns and two classes; got 1 columns and 2 classes"):
        support_vector_street(SVC().fit(FRAME[["long"]], LABELS), FRAME[["long"]], LABELS)
    with pytest.raises(ValueError, match="must have one column; got 2"):
        support_vector_tube(SVR().fit(FRAME, [1, 2, 3, 4]), FRAME, [1, 2, 3, 4])
