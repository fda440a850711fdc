"""Boosted trees: salaries, a chatbot, similarities and gains, columns in bundles, and rows in an order.

Where the text makes its trees by hand, the kernels grow them on a column that names the leaf of each row.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.reference import feature_bundling, ordered_boosting
from pellucid.reference import gradient_boosting as textbook
from pellucid.reference import second_order_boosting as second_order
from pellucid.working.gallery_base import Example as Stored
from pellucid.working.gallery_base import load as stored
from pellucid.working.gallery_boosted_trees import chatbot_leaves, salary_leaves

from ..frame import Example, PathName, answers

Floats = NDArray[np.float64]
LEAVES = ("male, white", "male, not white", "female")


def from_start(face: type[Any], start: float, **params: Any) -> Any:
    """An estimator that begins at a score that is given, not learned."""

    class Started(face):
        """Begins where it is told."""

        def _booster(self, d: Any, sizes: Any, weight: Any, held: Any, unused: Any) -> Any:
            return super()._booster(d, sizes, weight, held, np.array([start]))

    return Started(**params)


def example_of(example: Example) -> Stored:
    """The example as the gallery has it."""
    return stored(example.id)


# ------------------------------------------------------------------------------------------------------------- salaries


def two_rounds(path: PathName, leaf: Floats, y: Floats, rate: float, start: float | None) -> list[tuple[Floats, Any]]:
    """After 0, 1 and 2 rounds the scores, and what each row's leaf answered in the round."""
    if path == "reference":
        groups = [np.flatnonzero(leaf == k) for k in (1, 2, 3)]
        made = textbook.boost_with([groups, groups], y, rate=rate, start=start)
        scores = [one[:, 0] for one in made.scores]
    else:
        from pellucid.boosting import GradientBoostingRegressor

        params: dict[str, Any] = {"n_estimators": 2, "learning_rate": rate, "max_depth": 2}
        face = GradientBoostingRegressor
        model = face(**params) if start is None else from_start(face, start, **params)
        model.fit(leaf[:, None], y)
        scores = [np.full(len(y), model.base_score_[0]), *model.staged_predict(leaf[:, None])]
    steps = [None, *[(scores[t] - scores[t - 1]) / rate for t in (1, 2)]]
    return list(zip(scores, steps, strict=True))


@answers("004-gbdt-regression-salary")
def salaries(example: Example, path: PathName) -> Mapping[str, Any]:
    leaf, y = salary_leaves(example_of(example)), np.array(example.data["salary_k"], dtype=np.float64)
    rate, rounded = example.settings["learning_rate"], example.settings["initial_prediction_implied_by_the_source"]
    found = {
        "init 170": two_rounds(path, leaf, y, rate, float(rounded)),
        "exact mean": two_rounds(path, leaf, y, rate, None),
    }
    by_leaf = {
        f"{t}, {start}": {name: float(found[start][t][1][leaf == k][0]) for k, name in enumerate(LEAVES, start=1)}
        for start in found
        for t in (1, 2)
    }
    out: dict[str, Any] = {
        "mean salary": found["exact mean"][0][0][0],
        "leaf value of DT1, male and not white (init 170)": by_leaf["1, init 170"]["male, not white"],
        "leaf value of DT1, female (init 170)": by_leaf["1, init 170"]["female"],
        "leaf value of DT2, male and not white (init 170)": by_leaf["2, init 170"]["male, not white"],
        "leaf values of DT1 with the exact mean": by_leaf["1, exact mean"],
        "leaf values of DT2 with the exact mean": by_leaf["2, exact mean"],
        "predictions after two trees, init 170": found["init 170"][2][0],
        "predictions after two trees, exact mean": found["exact mean"][2][0],
    }
    for start, rounds in found.items():
        for t in (1, 2):
            out[f"trace: round {t}, {start}"] = {
                "step": f"round {t}, {start}",
                "predicted": rounds[t - 1][0],
                "residual": y - rounds[t - 1][0],
                "leaf_values": by_leaf[f"{t}, {start}"],
            }
    return out


# -------------------------------------------------------------------------------------------------------------- chatbot


def one_tree(path: PathName, leaf: Floats, y: Floats, rate: float, start: float | None) -> tuple[float, Floats, Floats]:
    """The start, the log odds after one tree, and the probabilities."""
    if path == "reference":
        loss = textbook.Loss("logistic")
        groups = [np.flatnonzero(leaf == k) for k in (1, 2, 3)]
        made = textbook.boost_with([groups], y, loss, rate=rate, start=start)
        return float(made.start[0]), made.scores[1][:, 0], textbook.answers(loss, made.scores[1])[:, 1]
    from pellucid.boosting import GradientBoostingClassifier

    params: dict[str, Any] = {"n_estimators": 1, "learning_rate": rate, "max_depth": 2}
    face = GradientBoostingClassifier
    model = face(**params) if start is None else from_start(face, start, **params)
    model.fit(leaf[:, None], y)
    X = leaf[:, None]
    return float(model.base_score_[0]), model.decision_function(X), model.predict_proba(X)[:, 1]


@answers("004-gbdt-classification-chatbot")
def chatbot(example: Example, path: PathName) -> Mapping[str, Any]:
    leaf = chatbot_leaves(example_of(example))
    y, rate = np.array([float(one == "Yes") for one in example.data["GA"]]), example.settings["learning_rate"]
    start, score, probability = one_tree(path, leaf, y, rate, None)
    near, rounded, _ = one_tree(path, leaf, y, rate, float(np.log(0.66 / 0.34)))
    first = [int(np.flatnonzero(leaf == k)[0]) for k in (1, 2, 3)]
    answer = (score[first] - start) / rate
    p = 1 / (1 + np.exp(-start))
    return {
        "initial log-odds ln(4/2)": start,
        "initial probability": p,
        "residuals": y - p,
        "leaf value, leaf 1 (rows 1,2,6) (exact p=2/3)": answer[0],
        "leaf value, leaf 2 (rows 3,5) (exact p=2/3)": answer[1],
        "leaf value, leaf 3 (row 4) (exact p=2/3)": answer[2],
        "leaf values with the source's rounded p=0.66": (rounded[first] - near) / rate,
        "row 4 raw score after one tree, started from the log-odds": score[3],
        "row 1 raw score after one tree (LQ=8, leaf 1)": score[0],
        "raw scores of all rows after one tree": score,
        "probabilities of all rows after one tree": probability,
    }


# --------------------------------------------------------------------------------------------------------- similarities


class Grown:
    """A tree of one round from even odds, or from the number 1/2: similarities, gains and answers, on either path."""

    def __init__(self, path: PathName, X: Floats, y: Floats, depth: int, numbers: bool = False) -> None:
        if path == "reference":
            p = np.full(len(y), 0.5)
            s = second_order.Settings(max_depth=depth)
            tree = second_order.grow(X, p - y, np.ones(len(y)) if numbers else p * (1 - p), s)
            nodes = second_order.nodes_of(tree)
            self.similarities = [node.similarity for node in nodes]
            self.gain = tree.gain
            self.column = tree.test.feature if tree.test is not None else -1
            self.cut = tree.test.threshold if tree.test is not None else np.nan
            self.by_row = second_order.predict(tree, X)
            return
        from pellucid.boosting import XGBoostClassifier, XGBoostRegressor

        face, start = (XGBoostRegressor, 0.5) if numbers else (XGBoostClassifier, 0.0)
        plain = {"min_child_weight": 0, "l2_regularization": 0, "learning_rate": 1.0, "max_depth": depth}
        model = from_start(face, start, n_estimators=1, **plain).fit(X, y)
        nodes_kept = model._forest_.tree(0)
        self.similarities = (-(nodes_kept.impurity * nodes_kept.weight)).tolist()
        self.gain = float(model._forest_.importance.sum()) if depth == 1 else np.nan
        self.column, self.cut = int(nodes_kept.feature[0]), float(nodes_kept.threshold[0])
        scores = model.predict(X) if numbers else model.decision_function(X)
        self.by_row = np.asarray(scores) - start


@answers("004-xgboost-similarity-gain")
def similarity_gain(example: Example, path: PathName) -> Mapping[str, Any]:
    rc, said = np.array(example.data["RC"], dtype=np.float64), np.array(example.data["EC"])
    y, eta = np.array(example.data["LA"], dtype=np.float64), example.settings["eta"]
    X = np.column_stack([rc, said == "Yes"]).astype(np.float64)
    by_rc, by_ec = Grown(path, X[:, :1], y, 1), Grown(path, X[:, 1:], y, 1)
    inside = {one: Grown(path, X[said == one, :1], y[said == one], 1) for one in ("No", "Yes")}
    both, numbers = Grown(path, X, y, 2), Grown(path, X, y, 2, numbers=True)
    groups = [(said == one) & (rc <= 1 if low else rc > 1) for one in ("No", "Yes") for low in (True, False)]
    out: dict[str, Any] = {
        "residuals": y - 0.5,
        "similarity, RC<=1": by_rc.similarities[1],
        "similarity, RC>1": by_rc.similarities[2],
        "similarity, root": by_ec.similarities[0],
        "gain of RC>1": by_rc.gain,
        "gain of EC": by_ec.gain,
        "similarity EC=Yes, EC=No": [by_ec.similarities[2], by_ec.similarities[1]],
        "root split feature": ("RC", "EC")[both.column],
        "gain of RC>1 inside EC=No": inside["No"].gain,
        "gain of RC>1 inside EC=Yes": inside["Yes"].gain,
        "leaf outputs by the source's rule sum/count: (No,RC<=1), (No,RC>1), (Yes,RC<=1, empty), (Yes,RC>1)": (
            answers_of(numbers, groups)
        ),
        "leaf outputs for classification, sum/(sum p(1-p)+lambda)": answers_of(both, groups),
        "mean of RC; midpoint of the two values": [float(rc.mean()), by_rc.cut],
    }
    for tree, named in ((numbers, "the source's rule"), (both, "XGBoost leaf weights")):
        odds = eta * tree.by_row
        p = 1 / (1 + np.exp(-odds))
        out[f"new log-odds, {named}"] = odds
        out[f"new probabilities, {named}"] = p
        out[f"new residuals, {named}"] = y - p
    return out


def answers_of(tree: Grown, groups: list[NDArray[np.bool_]]) -> list[float]:
    """What the rows of each group are told; 0 where there are none."""
    return [float(tree.by_row[rows][0]) if rows.any() else 0.0 for rows in groups]


# -------------------------------------------------------------------------------------------------------------- bundles


@answers("004-lightgbm-exclusive-feature-bundling")
def bundling(example: Example, path: PathName) -> Mapping[str, Any]:
    """No kernel puts columns together: the reference answers on both paths."""
    names = list(example.data)
    X = np.column_stack([example.data[name] for name in names])
    counts = feature_bundling.conflicts(X)
    bundles = feature_bundling.bundles(X)
    (pair,) = [bundle for bundle in bundles if len(bundle) > 1]
    offset = float(example.settings["offset_in_source"])
    return {
        "conflict count 1-2": counts[0, 1],
        "conflict count 2-3": counts[1, 2],
        "conflict count 1-3": counts[0, 2],
        "merged column before the offset": feature_bundling.merged(X, pair, constant=0.0),
        "merged column with offset (published rule: offset only the later feature, by the range of the earlier)": (
            feature_bundling.merged(X, pair)
        ),
        "the source's rule taken literally (+10 to every non-zero sum)": feature_bundling.merged(X, pair, offset),
        "bundles at zero conflict": [[names[j] for j in bundle] for bundle in bundles],
    }


# ------------------------------------------------------------------------------------------------------------- prefixes


def rows_that_count(order: list[str]) -> dict[str, list[str]]:
    """By the kernel of ordered statistics: the rows whose target changes what a row is told."""
    from pellucid.preprocessing import OrderedTargetEncoder

    X = np.full((len(order), 1), "one", dtype=object)
    encoder = OrderedTargetEncoder(prior=0.0, prior_weight=1.0, order="given")
    told = [encoder.fit_transform(X, target)[:, 0] > 0 for target in np.eye(len(order))]
    return {row: [order[j] for j in range(len(order)) if told[j][i]] for i, row in enumerate(order)}


def kernel_doubles(n: int) -> bool:
    """Does the kernel of ordered boosting make the trees of the doubling scheme, not those of all prefixes?"""
    from pellucid import _core

    random = np.random.default_rng(0)
    X, y, order = random.normal(size=(n, 2)), random.normal(size=n), random.permutation(n)
    plan = {
        "growth": "oblivious", "max_leaves": None, "max_depth": 1, "min_rows_leaf": 1, "min_weight_leaf": 0.0,
        "l2": 1.0, "learning_rate": 0.5, "loss": "squared_error", "outputs": 1, "seed": 0, "threads": 1,
    }  # fmt: skip
    bins = _core.binned_table(_core.dense(X), np.zeros(2, dtype=np.int32), None, 254, 1)
    booster = _core.Booster([bins], y, None, None, None, np.zeros(1), plan, order.astype(np.uint32))
    booster.grow(6)
    s = second_order.Settings(growth="oblivious", max_depth=1, l2=1.0)
    agrees = []
    for doubling in (True, False):
        made = ordered_boosting.boost(X, y, order, s=s, rounds=6, rate=0.5, doubling=doubling)
        agrees.append(np.allclose(ordered_boosting.scores_of(made, X), booster.scores()[:, 0], rtol=1e-5, atol=1e-6))
    return agrees == [True, False]


@answers("004-catboost-ordered-boosting-prefixes")
def prefixes(example: Example, path: PathName) -> Mapping[str, Any]:
    order = list(example.data["permutation"])
    if path == "reference":
        before = ordered_boosting.prefixes(order)
    else:
        assert kernel_doubles(len(order)), "the kernel's trees must be those of the doubling scheme alone"
        before = rows_that_count(order)
    sizes = ordered_boosting.doubling_sizes(len(order))
    return {
        "training prefix for the residual of x6": before["x6"],
        "training prefix for the residual of x3": before["x3"],
        "training prefix for the residual of x2": before["x2"],
        "all prefixes": before,
        "sizes of the doubling models (2^j <= n)": sizes,
        "training prefix under the doubling scheme: largest 2^j not beyond the earlier rows": (
            ordered_boosting.doubling_prefixes(order)
        ),
        "number of models: floor(log2 n)+1": len(sizes),
    }
