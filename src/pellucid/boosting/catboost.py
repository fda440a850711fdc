"""Boosted trees as CatBoost grows them."""

from __future__ import annotations

from dataclasses import replace
from math import exp, log
from typing import Any, Literal

import numpy as np
from sklearn.utils import Tags

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import ParameterError, format_message
from pellucid.base.types import Array, Floats
from pellucid.boosting._binned import BinnedTrees
from pellucid.boosting._roles import BoostedClassifier, BoostedRegressor
from pellucid.boosting._statistics import TargetStatistics, make_statistics, ordered_columns
from pellucid.data.design import Design
from pellucid.models.tree.cart import monotone_of

__all__ = ["CatBoostClassifier", "CatBoostRegressor"]

# CatBoost's own choice of the rate: exp(b + a ln(rows) + c ln(rounds / 1000)), at most 1/2. For numbers, two classes
# and more, without and with rows held out.
_RATES = {
    ("numbers", False): (0.158, -4.287, -0.813),
    ("numbers", True): (0.157, -4.062, -0.61),
    ("two", False): (0.427, -7.525, -0.917),
    ("two", True): (0.247, -5.158, -0.435),
    ("many", False): (0.051, -2.889, -0.845),
    ("many", True): (0.02, -2.364, -0.382),
}


class CatBoostTrees(BinnedTrees):
    """What CatBoost's classifier and regressor share."""

    _defaults = {
        "n_estimators": 1000,
        "growth": "oblivious",
        "max_leaf_nodes": None,
        "max_depth": 6,
        "min_samples_leaf": 1,
        "min_child_weight": 0.0,
        "l2_regularization": 3.0,
        "max_bins": 254,
        "sampling": "mvs",
        "subsample": 0.8,
    }

    learning_rate: float | None = param(  # type: ignore[assignment]
        default=None,
        low=0,
        low_open=True,
        doc="What the answer of each tree is multiplied by. None: CatBoost's own choice, by the rows and the rounds.",
    )
    boosting: Literal["plain", "ordered"] = param(
        default="plain",
        doc="'ordered': the slope of a row comes from a model that learned from the rows before it in an order alone.",
    )
    n_permutations: int = param(
        default=4, low=1, doc="Orders of the rows for statistics of the target, and for ordered boosting."
    )
    one_hot_max_size: int = param(
        default=2, low=1, high=255, doc="Up to so many categories of a column each is tried against the rest."
    )
    max_combinations: int = param(
        default=1, low=1, high=4, doc="Categories of up to so many columns are joined; 1: none. Costs a column each."
    )
    prior_weight: float = param(
        default=1.0,
        low=0,
        low_open=True,
        doc="How many rows the prior of a category's statistic, the mean, counts for.",
    )

    random_strength: float = param(
        default=1.0,
        low=0,
        doc="How much chance there is in the choice of a level's test: what is drawn is added to the root of the sum "
        "of gains, in units of the gradients' spread, less and less as rounds go by. Trees of one test a level only.",
    )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output &= self.boosting == "plain"
        return tags

    def _kind(self, d: Design) -> str:
        if not d.classes:
            return "numbers"
        return "two" if len(d.classes[0]) <= 2 else "many"

    def _targets(self, d: Design) -> Floats:
        """What statistics are made of: the target, or a flag for each class but the last."""
        if self._kind(d) != "many":
            return np.ascontiguousarray(d.y)
        return np.column_stack([d.y[:, 0] == k for k in range(len(d.classes[0]) - 1)]).astype(np.float64)

    def _plan(self, d: Design) -> dict[str, Any]:
        plan = super()._plan(d)
        plan["one_by_one"] = int(self.one_hot_max_size)
        plan["curvature_weight"] = 0.0
        plan["random_strength"] = float(self.random_strength)
        return plan

    def _rate(self, d: Design, watched: bool) -> float:
        if self.learning_rate is not None:
            return float(self.learning_rate)
        a, b, c = _RATES[self._kind(d), watched]
        return min(exp(b + a * log(max(d.n_rows, 1)) + c * log(self.n_estimators / 1000)), 0.5)

    def _booster(
        self, d: Design, sizes: Array, weight: Floats | None, validation_rows: Array | None, start: Any
    ) -> Any:
        kind = self._kind(d)
        if self._earlier.get("_forest_") is not None and (
            self.boosting == "ordered" or (sizes > self.one_hot_max_size).any()
        ):
            requirement = "warm_start is for plain boosting of columns of numbers: orders and statistics are not kept"
            raise ParameterError(format_message(d.who, requirement, hint="set warm_start=False"))
        many = kind == "many" or d.y.shape[1] > 1
        if self.boosting == "ordered" and (many or getattr(self, "loss", "") in _BY_RESIDUALS):
            requirement = "boosting='ordered' is for two classes, one target and smooth losses"
            actual = f"there are more {'classes' if d.classes else 'targets'}" if many else f"got loss={self.loss!r}"
            raise ParameterError(format_message(d.who, requirement, actual=actual, hint="set boosting='plain'"))
        self.learning_rate_: float = self._rate(d, validation_rows is not None or self._has_other)
        used = np.ones(d.n_rows, dtype=bool) if weight is None else weight > 0
        if validation_rows is not None:
            used &= validation_rows == 0
        monotone = monotone_of(d, self.monotonic_cst)
        encodes = bool((sizes > self.one_hot_max_size).any())
        orders = self._orders(d.n_rows) if encodes or self.boosting == "ordered" else []
        if encodes:
            tables = self._encode(d, sizes, used, orders, weight)
            if monotone is not None:
                more = len(self._statistics_.sizes()) - len(self._statistics_.kept)
                monotone = np.concatenate([monotone[self._statistics_.kept], np.zeros(more)]).astype(np.int8)
        else:
            tables = [self._table(d.matrix, sizes, weight)]
            tables *= max(len(orders), 1)
        plan = self._plan(d) | {"learning_rate": self.learning_rate_}
        if start is None and kind == "two":
            start = np.zeros(1)  # CatBoost begins at even odds
        if self._answers_vectors(d):
            return self._vector_booster(tables, d, weight, validation_rows, monotone, start, plan)
        y = np.ascontiguousarray(d.y[:, 0])
        order_array = np.concatenate(orders).astype(np.uint32) if self.boosting == "ordered" else None
        return _core.Booster(tables, y, weight, validation_rows, monotone, start, plan, order_array)

    def _orders(self, n: int) -> list[Array]:
        random = np.random.RandomState((self._seed_ + 1) % (1 << 32))
        return [random.permutation(n) for _ in range(int(self.n_permutations))]

    def _encode(self, d: Design, sizes: Array, used: Array, orders: list[Array], weight: Floats | None) -> list[Any]:
        """The table in bins, once for each order: categories become statistics along it."""
        targets, numbers = self._targets(d), np.asarray(d.numbers, dtype=np.float64)
        settings = (int(self.one_hot_max_size), int(self.max_combinations), float(self.prior_weight))
        statistics, codes = make_statistics(numbers, sizes, targets, used, *settings)
        self._statistics_: TargetStatistics = statistics
        numeric = np.asarray(numbers[:, statistics.kept])
        tables: list[Any] = []
        for order in orders:
            encoded = ordered_columns(statistics, codes, targets, used, order, float(self.prior_weight), self._threads)
            matrix = _core.dense(np.ascontiguousarray(np.hstack([numeric, encoded])))
            if tables:
                tables.append(_core.binned_like(matrix, tables[0], self._threads))
            else:
                tables.append(self._table(matrix, statistics.sizes(), weight))
        return tables

    def _validate_predict(self, X: Any) -> Design:
        d = super()._validate_predict(X)
        statistics = getattr(self, "_statistics_", None)
        if statistics is None:
            return d
        numbers = statistics.later(np.asarray(d.numbers, dtype=np.float64))
        return replace(d, numbers=numbers, X=_core.dense(numbers))

    def importances(self, kind: str = "gain") -> Floats:
        """How much each column counts; a column made of several counts for each of them in equal parts."""
        shares = super().importances(kind)
        statistics = getattr(self, "_statistics_", None)
        if statistics is None:
            return shares
        importances = np.zeros(self.n_features_in_)
        for j, share in enumerate(shares.tolist()):
            sources = statistics.sources(j)
            importances[list(sources)] += share / len(sources)
        return importances


_BY_RESIDUALS = ("absolute_error", "quantile", "huber")


class CatBoostClassifier(CatBoostTrees, BoostedClassifier):
    """Classes by boosted trees as CatBoost grows them: one test a level, categories by ordered statistics.

    A tree asks the same question at all nodes of a level, so that it is a table of 2^depth answers: the test of a level
    is the one with the greatest sum of gains over its nodes (see `XGBoostClassifier` for gains and leaves).

    A column with more than `one_hot_max_size` categories becomes a number. The rows stand in a random order, and a row
    of category k gets

        ``(sum of y over the rows of k before it + a p) / (number of these rows + a)``

    with the mean p of all rows as prior, which counts like a = `prior_weight` rows. No row's own target is in its
    number, so that nothing leaks. There are `n_permutations` orders, of which every round takes one; new rows get the
    statistic over all rows of the fit. ``max_combinations=2`` makes such columns of pairs of columns too.

    With ``boosting="ordered"`` the slopes of the loss are free of the row's own target as well: models that share the
    tests of all trees learn from the first 1, 2, 4, 8, ... rows of an order, and a row's slope comes from the largest
    one that has not seen it. Worth its time on small noisy tables.

    The first choice where most columns are categories with many values. Trees of one test a level are weak and even:
    they need more rounds, and overfit less. Prefer `BoostedTreesClassifier` for numbers alone, and a linear model where
    log odds are sums of columns.

    Attributes
    ----------
    n_estimators_ : rounds that are kept
    learning_rate_ : the rate that was taken
    base_score_ : scores before the first tree: of two classes even odds, 0; of more the logarithms of their shares,
        centered
    feature_importances_ : the gain of all splits on each column, as shares; `importances` counts splits too
    classes_, n_classes_ : the labels, sorted, and their number
    train_losses_, validation_scores_ : mean loss of the rows fitted, and score of rows held out, after each round; of a
        fit that had rows held out
    best_iteration_ : the round after which that score was best
    n_features_in_, feature_names_in_ : columns seen in fit

    Notes
    -----
    As in CatBoost: trees, ordered statistics, ordered boosting, the rate by rows and rounds, sampling by gradients
    ('mvs') and the other defaults. Otherwise: a leaf takes one step of Newton; gains are of second order;
    the prior is the mean; columns of combinations are made before the first tree; of more than two classes every
    class has trees of its own. Sums are whole numbers: any number of threads gives the same bits.

    References
    ----------
    Prokhorenkova, Gusev, Vorobev, Dorogush, Gulin: CatBoost: unbiased boosting with categorical features. NeurIPS 31
    (2018). Ibragimov, Gusev: Minimal variance sampling in stochastic gradient boosting. NeurIPS 32 (2019).

    Examples
    --------
    Apples are liked, oranges are not, and of pears one says nothing.

    >>> from pellucid.boosting import CatBoostClassifier
    >>> fruit = [["apple"], ["orange"], ["apple"], ["orange"], ["pear"], ["pear"]]
    >>> model = CatBoostClassifier(n_estimators=20, learning_rate=0.5, subsample=1.0, random_state=0)
    >>> model.fit(fruit, ["yes", "no", "yes", "no", "yes", "no"]).predict([["apple"], ["orange"]]).tolist()
    ['yes', 'no']
    """


class CatBoostRegressor(CatBoostTrees, BoostedRegressor):
    """Numbers by boosted trees as CatBoost grows them: one test a level, categories by ordered statistics.

    As `CatBoostClassifier`, with the statistic of a category made of the target itself:

        ``(sum of y over the rows of k before the row + a p) / (number of these rows + a)``

    The score of a row starts at the constant that the loss is least for, for squares the mean. Ordered boosting is for
    smooth losses: squares and Poisson's.

    The first choice where most columns are categories with many values. The answer is flat outside the rows of the fit:
    prefer a linear model for trends that go on. Prefer `BoostedTreesRegressor` for numbers alone.

    Attributes
    ----------
    n_estimators_ : rounds that are kept
    learning_rate_ : the rate that was taken
    base_score_ : the score of every row before the first tree, in a list of one
    feature_importances_ : the gain of all splits on each column, as shares; `importances` counts splits too
    train_losses_, validation_scores_ : mean loss of the rows fitted, and score of rows held out, after each round; of a
        fit that had rows held out
    best_iteration_ : the round after which that score was best
    n_features_in_, feature_names_in_ : columns seen in fit

    Notes
    -----
    See `CatBoostClassifier` for what is as in CatBoost and what is not.

    References
    ----------
    Prokhorenkova, Gusev, Vorobev, Dorogush, Gulin: CatBoost: unbiased boosting with categorical features. NeurIPS 31
    (2018).

    Examples
    --------
    One round of one test, without penalty: the leaves are the means of the two groups.

    >>> from pellucid.boosting import CatBoostRegressor
    >>> model = CatBoostRegressor(n_estimators=1, max_depth=1, learning_rate=1.0, l2_regularization=0.0, subsample=1.0)
    >>> model.fit([[1], [2], [3], [4]], [1, 2, 10, 12]).predict([[0], [9]]).tolist()
    [1.5, 11.0]
    """
