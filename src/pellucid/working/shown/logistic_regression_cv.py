"""How `LogisticRegressionCV` chooses its penalty: scores of the folds, their sum, the best; and the fit with it."""

from __future__ import annotations

from typing import Any

import numpy as np

from pellucid.base.errors import count as counted
from pellucid.base.types import Floats
from pellucid.working.entry import Given, shows
from pellucid.working.expression import Axis, Cell, Expr
from pellucid.working.language import arg_max, lookup, mean
from pellucid.working.model import Working
from pellucid.working.shown import logistic_regression


@shows("LogisticRegressionCV.fit")
def fit(w: Working, model: Any, data: Given) -> None:
    scores = _scores(model)
    if model.refit:
        fit_page = Working("")
        logistic_regression.lay_out(fit_page, model, data)  # refuses other data than those of the fit first
        w.title = "Logistic regression with cross-validation: the fit"
        w.intro = (
            f"Scores of {counted(scores.size // len(scores), 'setting')} on {counted(len(scores), 'fold')}; the best "
            "setting is then fitted to all rows."
        )
        _choice(w, model, scores)
        w.take(fit_page, "fit", "Best setting")
        return
    assert data.record is not None  # refuses other data than those of the fit
    w.title = "Logistic regression with cross-validation: coefficients averaged over the folds"
    w.intro = "Each fold has its own best setting; the coefficients of these are averaged."
    _averages(w, model, data, scores)


def _scores(model: Any) -> Floats:
    """Folds x l1_ratios x Cs, whatever form the attributes have."""
    if not isinstance(model.scores_, dict):
        return np.asarray(model.scores_, dtype=np.float64)
    scores = np.asarray(next(iter(model.scores_.values())), dtype=np.float64)
    return np.swapaxes(scores if scores.ndim == 3 else scores[:, :, None], 1, 2)


def _settings(w: Working, model: Any) -> tuple[Axis, Cell, Cell]:
    pairs = [(float(C), float(ratio)) for C in model.Cs_ for ratio in model.l1_ratios_]
    axis = Axis("setting", range(1, len(pairs) + 1), "k", "K")
    C = w.given("C_tried", np.array([pair[0] for pair in pairs]), axis, symbol="C", label="inverse strength")
    return axis, C, w.given("l1_ratio_tried", np.array([p[1] for p in pairs]), axis, symbol="r", label="share of l1")


def _choice(w: Working, model: Any, scores: Floats) -> None:
    w.step("Scores", "Each setting was fitted to the rows of all folds but one, and scored on that one.")
    axis, C, ratio = _settings(w, model)
    table = np.swapaxes(scores, 1, 2).reshape(len(scores), -1)
    folds = [
        w.given(f"fold_{i + 1}", row, axis, symbol=f"a_{{{i + 1}}}", label=f"score on fold {i + 1}")
        for i, row in enumerate(table)
    ]
    every: Expr = folds[0]
    for fold in folds[1:]:
        every = every + fold
    best = w.cell("sum", every, symbol="A", label="sum of the scores")
    w.step("Choice", "The setting of the highest sum, the first of equals.")
    best_index = w.cell("place", arg_max(best), symbol="k^*", label="number of the setting")
    w.cell("C_chosen", lookup(C, best_index), symbol="C^*", label="chosen C", equals=float(np.ravel(model.C_)[0]),
           attribute="C_")  # fmt: skip
    w.cell("l1_ratio_chosen", lookup(ratio, best_index), symbol="r^*", label="chosen share of l1",
           equals=float(np.ravel(model.l1_ratio_)[0]), attribute="l1_ratio_", scale=1.0)  # fmt: skip


def _averages(w: Working, model: Any, data: Given, scores: Floats) -> None:
    w.step("Best setting of each fold", "The highest score of the fold, the first of equals.")
    axis, C, _ = _settings(w, model)
    table = np.swapaxes(scores, 1, 2).reshape(len(scores), -1)
    folds = Axis("fold", range(1, len(table) + 1), "i", "n")
    places = []
    for i, row in enumerate(table):
        a = w.given(f"fold_{i + 1}", row, axis, symbol=f"a_{{{i + 1}}}", label=f"score on fold {i + 1}")
        places.append(w.cell(f"place_{i + 1}", arg_max(a), symbol=f"k_{{{i + 1}}}", label=f"best of fold {i + 1}"))
    best_indices = np.array([float(place.value) for place in places])
    k = w.given("place", best_indices, folds, symbol="k", label="best setting")
    best_C = w.cell("C_of_fold", lookup(C, k), symbol="C_i", label="its C")
    w.step("Means", "Of C and of the coefficients over the folds.")
    w.cell("C_chosen", mean(best_C), symbol="C^*", label="mean", equals=float(np.ravel(model.C_)[0]), attribute="C_")
    paths = _paths(model)
    flat = np.swapaxes(paths, 1, 2).reshape(len(paths), -1, *paths.shape[3:])
    planes = np.array([flat[i, int(place) - 1] for i, place in enumerate(best_indices)])
    for c in range(planes.shape[1]):
        for j, name in enumerate(data.names[:8]):
            place, mark = f"{c + 1}_{j + 1}", rf"\beta_{{{c + 1},{j + 1}}}"
            of_folds = w.given(
                f"coef_{place}_fold", planes[:, c, j], folds, symbol=mark, label=f"coefficient of {name}"
            )
            w.cell(f"coef_{c + 1}_{j + 1}", mean(of_folds), symbol=rf"\bar{{\beta}}_{{{c + 1},{j + 1}}}",
                   label="mean over the folds", equals=float(np.asarray(model.coef_)[c, j]),
                   attribute=f"coef_[{c}, {j}]", tolerance=1e-5 if model.coef_.dtype == np.float32 else 1e-9,
                   scale=1e-3)  # fmt: skip


def _paths(model: Any) -> Floats:
    """Folds x l1_ratios x Cs x classes x parameters, whatever form the attributes have."""
    if not isinstance(model.coefs_paths_, dict):
        return np.asarray(model.coefs_paths_, dtype=np.float64)
    class_paths = [np.asarray(class_path, dtype=np.float64) for class_path in model.coefs_paths_.values()]
    wide = [
        class_path if class_path.ndim == 4 else class_path[:, :, None] for class_path in class_paths
    ]  # folds x Cs x ratios x parameters
    return np.stack(wide, axis=3).swapaxes(1, 2)
