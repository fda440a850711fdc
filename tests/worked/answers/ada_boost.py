"""AdaBoost and votes: three given stumps, five voters, stage values, 25 voters, and one round of dancing."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.reference import ada_boost as reference
from pellucid.reference import cart

from ..frame import Example, PathName, answers

Floats = NDArray[np.float64]


# --------------------------------------------------------------------------------------------------- three given stumps


def rounds_of(path: PathName, example: Example, X: Floats, y: NDArray[np.int64]) -> dict[str, Any]:
    """Weights before each round and after the last, answers, errors, stages, and predictions with 1, 2, 3 models."""
    given = [
        (["X1", "X2"].index(m["feature"]), m["threshold"], m["LEFT"], m["RIGHT"]) for m in example.settings["models"]
    ]
    if path == "reference":
        models = [reference.stump(*one) for one in given]
        found = reference.boost(X, y, reference.replay(models), rounds=3, normalize=False)
        weights = [one.weight for one in found]
        weights.append(reference.next_weights(weights[-1], found[-1].wrong, found[-1].stage, normalize=False))
        return {
            "weights": weights,
            "said": [one.model(X) for one in found],
            "errors": [one.error for one in found],
            "stages": [one.stage for one in found],
            "votes": reference.votes(found, X, 2),
            "staged": [reference.votes(found[:m], X, 2).argmax(axis=1) for m in (1, 2, 3)],
        }
    from pellucid.ensemble import AdaBoostClassifier

    stumps = [dict(zip(("feature", "threshold", "left", "right"), one, strict=True)) for one in given]
    model = AdaBoostClassifier(models=stumps, normalize=False)
    weights = list(model.fit_with_history(X, y)["weights"][1])
    said = [one.predict(X) for one in model.estimators_]
    stages = model.estimator_weights_.tolist()
    weights.append(weights[-1] * np.where(said[-1] == y, 1, exp(stages[-1])))
    share = model.decision_function(X) / 2 * sum(stages)
    return {
        "weights": weights,
        "said": said,
        "errors": model.estimator_errors_.tolist(),
        "stages": stages,
        "votes": np.column_stack([-share / 2, share / 2]),
        "staged": list(model.staged_predict(X)),
    }


@answers("000-adaboost-stumps")
def three_stumps(example: Example, path: PathName) -> Mapping[str, Any]:
    X, y = np.column_stack([example.data["X1"], example.data["X2"]]), np.array(example.data["Y"])
    found = rounds_of(path, example, X, y)
    wrong = [(said != y).astype(int) for said in found["said"]]
    out: dict[str, Any] = {}
    for m, model in enumerate(example.settings["models"], start=1):
        x = example.data[model["feature"]]
        out[f"groups of model {m}"] = ["LEFT" if value <= model["threshold"] else "RIGHT" for value in x]
        out[f"predictions of model {m}"] = found["said"][m - 1]
        out[f"errors of model {m}"] = wrong[m - 1]
        out[f"weighted errors of model {m}"] = found["weights"][m - 1] * wrong[m - 1]
        out[f"misclassification rate of model {m}"] = found["errors"][m - 1]
        out[f"stage of model {m}"] = found["stages"][m - 1]
        out[f"contribution of model {m} per row"] = found["stages"][m - 1] * np.where(found["said"][m - 1] == 1, 1, -1)
        if m < 3:
            out[f"weights after model {m}"] = found["weights"][m]
        if m > 1:
            out[f"sum of weights for model {m}"] = found["weights"][m - 1].sum()
    out["number of errors of model 1"] = int(wrong[0].sum())
    out["training accuracy in percent with models 1 and 2"] = round(100 * float(np.mean(found["staged"][1] == y)))
    out["sum per row"] = found["votes"][:, 1] - found["votes"][:, 0]
    out["ensemble predictions"] = found["staged"][2]
    out["ensemble accuracy in percent"] = round(100 * float(np.mean(found["staged"][2] == y)))
    if path == "reference":
        out |= _as_printed(found["said"], y)
    return out


def _as_printed(said: list[NDArray[np.int64]], y: NDArray[np.int64]) -> dict[str, Any]:
    """The trace is the text's own, whose weights grow by exp(stage w error); for model 3 it repeats model 2."""
    weight, steps = np.full(len(y), 0.1), []
    for one in said[:2]:
        wrong = one != y
        rate = float((weight * wrong).sum() / weight.sum())
        stage = reference.stage_value(rate)
        steps.append({"sum_weights": float(weight.sum()), "misclassification_rate": rate, "stage": stage})
        weight = weight * np.exp(stage * weight * wrong)
    steps.append(steps[-1])
    return {f"trace: {m}": {"model": m, "as_printed": step} for m, step in enumerate(steps, start=1)}


# ---------------------------------------------------------------------------------------------------------------- votes


@answers("000-adaboost-weighted-vote")
def weighted_vote(example: Example, path: PathName) -> Mapping[str, Any]:
    said, stages = example.data["prediction"], example.data["stage"]
    if path == "reference":
        sums = reference.weighted_sum(said, stages), reference.weighted_sum(said, [1.0] * len(said))
        winners = [1.0 if one > 0 else -1.0 for one in sums]
    else:
        from pellucid.ensemble import weighted_vote as vote

        found = vote(said, stages), vote(said)
        sums = (found[0].votes[1.0] - found[0].votes[-1.0], 0.0)
        winners = [one.winner for one in found]
    return {"weighted sum": sums[0], "ensemble prediction": winners[0], "unweighted majority": winners[1]}


@answers("001-adaboost-formulas")
def formulas(example: Example, path: PathName) -> Mapping[str, Any]:
    return {
        "alpha at each error rate, 0.5*ln((1-e)/e)": [
            half_stage(path, error) for error in example.settings["error_rates"]
        ]
    }


@answers("001-ensemble-of-25-error")
def of_25(example: Example, path: PathName) -> Mapping[str, Any]:
    n, error = example.settings["n_classifiers"], example.settings["error_rate"]
    if path == "reference":
        found = reference.majority_error(n, error)
    else:
        from pellucid.ensemble import ensemble_error

        found = ensemble_error(n, error)
    return {"ensemble error": found, "trace: 1": {"computed": found}}


# ---------------------------------------------------------------------------------------------------------------- dance


def half_stage(path: PathName, error: float) -> float:
    if path == "reference":
        return reference.stage_value(error, half=True)
    from pellucid.ensemble import stage_value

    return float(stage_value(error, stage="half"))


def one_round(path: PathName, example: Example, wrong: list[int]) -> tuple[Floats, float, float, Floats]:
    """First weights, error, stage and next weights of a model that is wrong in these rows."""
    n = len(example.data["actual"])
    flags = np.isin(np.arange(1, n + 1), wrong)
    if path == "reference":
        weight, error = np.full(n, 1 / n), len(wrong) / n
        stage = reference.stage_value(error, half=True)
        return weight, error, stage, reference.next_weights(weight, flags.astype(int), stage, half=True)
    from pellucid.ensemble import AdaBoostClassifier

    y = np.array(example.data["actual"])
    column = np.where(flags, np.where(y == "Yes", "No", "Yes"), y).astype(object).reshape(-1, 1)
    copy = {"feature": 0, "categories": "No", "left": "No", "right": "Yes"}
    if len(set(column.ravel())) == 1:
        copy = {"feature": 0, "categories": [column[0, 0]], "left": column[0, 0], "right": column[0, 0]}
    again = {**copy, "left": copy["left"], "right": copy["right"]}
    # A second model that is right wherever the first is wrong, so that the next weights are recorded.
    helper = _Fixed(np.where(flags, y, column.ravel()))
    record = AdaBoostClassifier(
        models=[_Fixed(column.ravel()), _Fixed(_one_wrong(helper.said, y, wrong))], stage="half"
    )
    found = AdaBoostClassifier(models=[again], stage="half").fit(column, y)
    weights = record.fit_with_history(column, y)["weights"][1]
    assert record.estimator_weights_[0] == found.estimator_weights_[0]
    return weights[0], float(found.estimator_errors_[0]), float(found.estimator_weights_[0]), weights[1]


def _one_wrong(said: Any, y: Any, wrong: list[int]) -> Any:
    """Right everywhere but in one row that the first model had right: better than chance, and not perfect."""
    other = next(i for i in range(len(y)) if i + 1 not in wrong)
    return np.where(np.arange(len(y)) == other, np.where(y == "Yes", "No", "Yes"), said)


class _Fixed:
    """A model whose answers are known."""

    def __init__(self, said: Any) -> None:
        self.said = np.asarray(said)

    def predict(self, X: Any) -> Any:
        return self.said


def real_stump(path: PathName, example: Example, name: str) -> dict[str, Any]:
    """A column as a stump with the more frequent class on both sides, ties to No."""
    x, y = np.array(example.data[name]), np.array(example.data["actual"])
    said, entropy = np.empty(len(y), dtype=object), 0.0
    for value in ("No", "Yes"):
        side = x == value
        said[side] = "Yes" if (y[side] == "Yes").mean() > 0.5 else "No"
        entropy += side.mean() * entropy_of(path, (y[side] == "Yes").astype(float))
    wrong = [i + 1 for i in range(len(y)) if said[i] != y[i]]
    return {"entropy": entropy, "wrong_rows": wrong, "eps": len(wrong) / len(y)}


def entropy_of(path: PathName, y: Floats) -> float:
    if path == "reference":
        return float(cart.impurity_of(y, np.ones(len(y)), "entropy"))
    from pellucid.tree import DecisionTreeClassifier

    return float(
        DecisionTreeClassifier(criterion="entropy", max_depth=1).fit(np.zeros((len(y), 1)), y).tree_.impurity[0]
    )


@answers("004-adaboost-dance")
def dance(example: Example, path: PathName) -> Mapping[str, Any]:
    stumps = {name: real_stump(path, example, name) for name in ("C1", "C2", "C3")}
    weight, error, stage, after = one_round(path, example, stumps["C3"]["wrong_rows"])
    first, _, other, single = one_round(path, example, [6])
    right, wrong = weight[0] * exp(-stage), weight[0] * exp(stage)
    lighter, heavier = first[0] * exp(-other), first[0] * exp(other)
    return {
        "initial weight": weight[0],
        "error rate toy: 5 equal weights, 3 wrong": float(np.average([1, 1, 1, 0, 0], weights=np.full(5, 0.2))),
        "alpha of that toy (negative, worse than chance)": half_stage(path, 0.6),
        "total error eps of stump C3": error,
        "alpha for eps=2/6": stage,
        "new weight of a right record (alpha 0.3466)": right,
        "new weight of a wrong record": wrong,
        "sum of new weights with 4 right and 2 wrong (what eps=2/6 implies)": 4 * right + 2 * wrong,
        "normalized weight of a right record (eps=2/6)": after[0],
        "normalized weight of a wrong record (eps=2/6)": after[2],
        "the source's mixture (5 right, 1 wrong, alpha of 2/6): sum, right, wrong": [
            5 * right + wrong,
            right / (5 * right + wrong),
            wrong / (5 * right + wrong),
        ],
        "alpha for eps=1/6 (the 0.804 that the final model uses)": other,
        "eps=1/6: weights right, wrong, sum, normalized right, wrong": [
            lighter,
            heavier,
            5 * lighter + heavier,
            single[0],
            single[5],
        ],
        "eps that alpha=0.622 (supposed for round 2) stands for": 1 / (1 + exp(2 * 0.622)),
        "real stumps on the table: weighted entropy and wrong rows (1-based; ties to No)": stumps,
        "stump with the lowest entropy": min(stumps, key=lambda name: stumps[name]["entropy"]),
    }
