"""Where in the workings of scores each figure of their examples stands; goes on from `shown`."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from pellucid.working import Working

from .frame import Example
from .shown import READINGS, reads

__all__ = ["READINGS"]


@reads("003-confusion-matrix-metrics")
def confusion(w: Working, e: Example) -> Mapping[str, Any]:
    figures = {
        "accuracy": w.value("accuracy"),
        "error rate": w.value("error_rate"),
        "sensitivity": w.value("sensitivity"),
        "specificity": w.value("specificity"),
        "precision": w.value("precision"),
        "F1": w.value("f1"),
    }
    return figures | _fractions(w, e)


def _fractions(w: Working, e: Example) -> dict[str, Any]:
    """Each traced rate as the fraction of whole numbers that its formula has with the numbers put in."""
    found = {}
    for figure in e.figures:
        if figure.is_trace:
            ((name, text),) = figure.value.items()
            if isinstance(text, list):
                found[figure.name] = {name: [w.value(f"rounded_{part}") for part in ("above", "below", "f1")]}
                continue
            above, below = (int(part) for part in text.split("/"))
            cell = {"error rate": "error_rate", "F1": "f1"}.get(name, name)
            assert w.value(cell) == above / below
            found[figure.name] = {name: f"{above}/{below}"}
    return found


@reads("003-imbalanced-accuracy")
def imbalanced(w: Working, e: Example) -> Mapping[str, Any]:
    names = {"accuracy": "accuracy", "sensitivity": "sensitivity", "specificity": "specificity", "F1": "f1"}
    return {figure: w.value(cell) for figure, cell in names.items()} | {
        "balanced accuracy": w.value("balanced_accuracy")
    }


@reads("000-misclassification-rate")
def misclassified(w: Working, e: Example) -> Mapping[str, Any]:
    return {"error": w.value("error")}


@reads("000-adaboost-weighted-error")
def weighted_error(w: Working, e: Example) -> Mapping[str, Any]:
    return {"perror": [int(error) for error in w.value("error")], "weighted error": w.value("rate")}


@reads("002-hinge-loss-pieces")
def hinge(w: Working, e: Example) -> Mapping[str, Any]:
    below, above, across = w.value("slope")
    return {
        'loss at the listed t (only "zero for t >= 1" is printed)': w.value("row_loss"),
        "slope for t < 1": below,
        "slope for t > 1": above,
        "admissible subderivatives at t = 1": across,
    }


@reads("000-gini-single-group")
def gini_of_groups(w: Working, e: Example) -> Mapping[str, Any]:
    shares = [w.value(f"group_{k}.p") for k in range(1, 8)]
    impurities = [w.value(f"group_{k}.gini") for k in range(1, 8)]
    return {
        "proportion of class 0 in a group of 3 and 4": w.value("few.p")[0],
        "class 0 proportion": [share[0] for share in shares],
        "class 1 proportion": [share[1] for share in shares],
        "Gini": impurities,
        "Gini of a pure node": impurities[6],
        "Gini of a 50-50 binary node": impurities[0],
    }


@reads("003-gini-weather")
def gini_of_weather(w: Working, e: Example) -> Mapping[str, Any]:
    gini = w.value("gini")
    fraction = str(Fraction(gini).limit_denominator(1000))
    return {"gini": gini, "gini as fraction": fraction, "trace: 1": {"squares": w.value("square")}}


@reads("002-cross-entropy-code-lengths")
def code_lengths(w: Working, e: Example) -> Mapping[str, Any]:
    found: dict[str, Any] = {
        "bits per option with a fixed-length code, log2(8)": w.value("fixed.entropy"),
        "bits for the favorite option in the skewed code": w.value("short"),
        "bits for each other option in the skewed code": w.value("long"),
        "average bits of the skewed code when the favorite has probability p: 4 - 3p; at p = 1/8": w.value("bits_1"),
        "probability above which the skewed code beats the fixed one": w.value("pays"),
        "Kraft sum of the skewed code": w.value("kraft"),
    }
    for number in range(1, 5):
        found[f"trace: {number}"] = {
            "p_favorite": w.value(f"cross_{number}.p")[0],
            "average_bits": w.value(f"bits_{number}"),
            "entropy_if_the_rest_is_uniform": w.value(f"least_{number}.entropy"),
        }
    return found


# ----------------------------------------------------------------------------------------------------- model selection


@reads("002-learning-curves-under-and-overfitting")
def learning_curves(w: Working, e: Example) -> Mapping[str, Any]:
    line, tenth = ([w.value(f"{name}.{side}_mean") for side in ("train", "test")] for name in ("line", "tenth"))
    note = next(figure.value["val_rmse_note"] for figure in e.figures if figure.name == "trace: 2")
    return {
        "straight line, train RMSE at sizes 1 and 2": line[0][:2],
        "straight line, train and validation RMSE end close together and high (size 80)": [line[0][-1], line[1][-1]],
        "degree 10, train and validation RMSE at size 80: lower train error, wider gap": [tenth[0][-1], tenth[1][-1]],
        "degree 10 interpolates: train RMSE zero up to size 11": tenth[0][:11],
        "number of training-set sizes the loop should visit (1..80)": len(line[0]),
        "trace: 1": {"model": "straight line", "train_rmse": line[0], "val_rmse": line[1]},
        "trace: 2": {"model": "degree 10", "train_rmse": tenth[0], "val_rmse_note": note, "val_rmse": tenth[1]},
    }


@reads("000-bootstrap-mean")
def bootstrap_mean(w: Working, e: Example) -> Mapping[str, Any]:
    return {"bootstrap estimate of the mean": w.value("mean")}


@reads("001-bootstrap-632")
def inclusion(w: Working, e: Example) -> Mapping[str, Any]:
    limit = w.value("limit")
    return {"1-(1-1/N)^N in the limit": limit, "trace: 1": {"N=10": w.value("included"), "limit": limit}}
