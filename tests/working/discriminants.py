"""Workings of the discriminants, on the penguins: each setting that has formulas of its own."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pellucid import discriminant_analysis as ours
from pellucid.working import Working


def made(sizes: pd.DataFrame, species: Any) -> dict[str, Working]:
    """Fits and predictions; `sizes` has three columns, `species` three classes."""
    one, two, weight = sizes.iloc[:, :1], sizes.iloc[:, :2], [1.0, 2.0, 1.0] * (len(sizes) // 3)
    pair = species.isin(["Gentoo"])
    cases: dict[str, tuple[Any, Any, Any, Any]] = {
        "one column": (ours.LinearDiscriminantAnalysis(ddof=1), one, species, None),
        "one column, priors": (ours.LinearDiscriminantAnalysis("lsqr", priors=[0.2, 0.3, 0.5]), one, species, weight),
        "two classes": (ours.LinearDiscriminantAnalysis(), two, pair, None),
        "three columns": (ours.LinearDiscriminantAnalysis(), sizes, species, weight),
        "shrunk": (ours.LinearDiscriminantAnalysis("lsqr", 0.2, [0.2, 0.3, 0.5], ddof=1), two, species, None),
        "Ledoit and Wolf": (ours.LinearDiscriminantAnalysis("eigen", "auto"), two, species, None),
        "quadratic": (ours.QuadraticDiscriminantAnalysis(ddof=1), two, species, weight),
        "quadratic, pulled": (
            ours.QuadraticDiscriminantAnalysis(solver="eigen", shrinkage=0.1, reg_param=0.2),
            sizes,
            species,
            None,
        ),
        "quadratic, one column": (ours.QuadraticDiscriminantAnalysis(), one, species, None),
        "regularized": (ours.RegularizedDiscriminantAnalysis(alpha=0.4, gamma=0.1), sizes, species, weight),
        "regularized, no ball": (ours.RegularizedDiscriminantAnalysis(alpha=0.4, ddof=1), two, pair, None),
    }
    shown = {}
    for name, (model, X, y, counts) in cases.items():
        model.fit(X, y, counts)
        shown[f"discriminant {name}"] = model.show_fit(X, y, counts)
        shown[f"discriminant {name}, predict"] = model.show_predict(X, rows=[0, 9])
        if hasattr(model, "show_transform"):
            shown[f"discriminant {name}, transform"] = model.show_transform(X)
    return shown
