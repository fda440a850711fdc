"""CHAID: a tree of many-way splits, each chosen by a test of significance."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Literal, Self

import numpy as np
from sklearn.utils import Tags

from pellucid import _core
from pellucid.base.declare import Declared, param
from pellucid.base.errors import DataError, ParameterError, format_message
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec
from pellucid.data.target import warn_column_vector
from pellucid.estimator.roles import Classifier, Regressor
from pellucid.estimator.trace import Trace
from pellucid.models.tree.answer import answer
from pellucid.models.tree.cart import rows_of
from pellucid.models.tree.coded import coded
from pellucid.models.tree.nodes import TreeNodes
from pellucid.tree._grown import GrownTree

__all__ = ["CHAIDClassifier", "CHAIDRegressor"]


@dataclass(frozen=True)
class SplitTests:
    """The test of the best column of each node, whether it was good enough for a split or not.

    column : the column; -1 where none was looked at (a pure node, too few rows, too deep) or could split
    groups : branches that its categories were merged into
    statistic, df1, df2 : chi-square (df2 is 0) or F, and the degrees of freedom
    log_p : logarithm of the p value
    log_multiplier : logarithm of the ways to merge so many categories into so many groups
    log_adjusted : logarithm of the adjusted p value, at most 0
    """

    column: Array
    groups: Array
    statistic: Floats
    df1: Floats
    df2: Floats
    log_p: Floats
    log_multiplier: Floats
    log_adjusted: Floats

    @property
    def p_value(self) -> Floats:
        """The chance of a statistic as large if the groups did not differ."""
        return np.exp(self.log_p)

    @property
    def multiplier(self) -> Floats:
        """Bonferroni's: the ways to merge."""
        with np.errstate(over="ignore"):
            return np.exp(self.log_multiplier)

    @property
    def adjusted_p_value(self) -> Floats:
        """The p value times the ways to merge, at most 1."""
        return np.exp(self.log_adjusted)

    def take(self, node_ids: Array) -> SplitTests:
        """Those of some nodes."""
        return SplitTests(*(getattr(self, column.name)[node_ids] for column in fields(self)))


def _share_or_count(name: str, minimum: int) -> Any:
    """A check: a whole number of at least so many rows, or a share of them."""

    def check(value: Any) -> str | None:
        good = bool(value >= minimum) if isinstance(value, int | np.integer) else bool(0 < value < 1)
        words = f"a whole number of at least {minimum}, or a share of the rows above 0 and below 1"
        return None if good else f"{name} must be {words}; got {value!r}"

    return check


class ChaidParameters(Declared):
    """The settings of both trees."""

    alpha_split: float = param(
        default=0.05, low=0, high=1, doc="A node is split if the adjusted p value of its best column is at most this."
    )
    alpha_merge: float = param(
        default=0.05,
        low=0,
        high=1,
        doc="Two groups of categories become one if the p value of their difference is above this; 1 merges none.",
    )
    alpha_split_merged: float | None = param(
        default=None,
        low=0,
        high=1,
        doc="A new group of three or more categories is parted again where the p value of its best division is at most "
        "this; below `alpha_merge`. None: never.",
    )
    exhaustive: bool = param(
        default=False,
        doc="Merge on down to two groups whatever the p values, and keep the grouping of the least (exhaustive CHAID).",
    )
    merge: bool = param(default=True, doc="Merge at all? False: a branch for every category, as in simple textbooks.")
    bonferroni: bool = param(default=True, doc="Multiply p values by the number of ways in which groups can be merged?")
    choose_by: Literal["p_value", "statistic"] = param(
        default="p_value",
        doc="Which column splits: that of the least adjusted 'p_value', or of the largest 'statistic', which favors "
        "columns of many categories.",
    )
    n_intervals: int = param(
        default=10, low=2, doc="A column of numbers is cut into at most so many intervals of about equal weight."
    )
    max_depth: int | None = param(default=None, low=1, doc="Most tests on the way to a leaf; None: no limit.")
    min_samples_split: int | float = param(
        default=2,
        check=_share_or_count("min_samples_split", 2),
        doc="Fewest rows of a node that is split; a number of them, or a share of all.",
    )
    min_samples_leaf: int | float = param(
        default=1,
        check=_share_or_count("min_samples_leaf", 1),
        doc="Fewest rows of a leaf, a number of them or a share of all: a smaller group is merged with the one that "
        "differs least from it.",
    )
    categorical_features: Any = param(
        default=None,
        doc="Columns of numbers that are codes 0, 1, ... of categories: places, names, or one flag a column. Columns "
        "of names are categories by themselves.",
    )
    category_order: dict | None = param(  # type: ignore[type-arg]
        default=None,
        doc="Columns whose categories have an order, each with the list of its categories from first to last; only "
        "neighbors are merged then. Ordered columns of dataframes have theirs by themselves.",
    )
    max_categories: int = param(
        default=500,
        low=2,
        high=5000,
        doc="In a column of more categories without order, those whose shares of the classes (or means) are equal are "
        "put together before pairs are compared, which changes nothing as their p value is 1; if more than this are "
        "left, not all pairs are compared, but neighbors in the order of the target: the share of the most frequent "
        "class, or the mean.",
    )
    n_jobs: int | None = param(
        default=None, doc="Threads: None or -1 for all available cores. Their number changes no bit of the result."
    )


def _log(alpha: float) -> float:
    return float(np.log(alpha)) if alpha > 0 else -np.inf


class _Chaid(ChaidParameters, GrownTree):
    """What both trees do alike."""

    def _grow(self, d: Design, threads: int, likelihood: bool, **target: Any) -> TreeNodes:
        """The tree of a table; target : labels and classes, or numbers."""
        self._check_alphas(d)
        weight, rows = d.weight, None
        if weight is not None:
            with np.errstate(over="ignore"):
                total = weight.sum()
            if not np.isfinite(total):
                requirement, hint = "the sum of the weights must be a number", "divide them by their mean"
                raise DataError(
                    format_message(d.who, requirement, actual=f"the largest is {weight.max():g}", hint=hint)
                )
            rows = np.flatnonzero(weight > 0)
            rows = None if len(rows) == d.n_rows else rows
        weight = weight if weight is None or rows is None else weight[rows]
        if rows is not None:
            target = {name: array[rows] if isinstance(array, np.ndarray) else array for name, array in target.items()}
        columns = coded(d, self.categorical_features, self.category_order, int(self.n_intervals), weight, rows)
        output = _core.grow_chaid(
            columns.codes,
            columns.counts,
            columns.ordinal,
            columns.numeric,
            np.concatenate([[0], np.cumsum([len(edges) for edges in columns.edges])]).astype(np.int64),
            np.concatenate([*columns.edges, np.empty(0)]),
            target.get("labels"),
            target.get("classes", 0),
            target.get("numbers"),
            None if weight is None else np.ascontiguousarray(weight, dtype=np.float64),
            self._settings(len(columns.codes), likelihood),
            threads,
        )
        columns_of_tests = {
            column.name: output[{"column": "split_column"}.get(column.name, column.name)]
            for column in fields(SplitTests)
        }
        self.splits_: SplitTests = SplitTests(**columns_of_tests)
        return columns.in_own_codes(TreeNodes.of(output))

    def _settings(self, n: int, likelihood: bool) -> dict[str, Any]:
        return {
            "merge": bool(self.merge),
            "exhaustive": bool(self.exhaustive),
            "log_alpha_resplit": None if self.alpha_split_merged is None else _log(self.alpha_split_merged),
            "log_alpha_merge": _log(self.alpha_merge),
            "log_alpha_split": _log(self.alpha_split),
            "bonferroni": bool(self.bonferroni),
            "likelihood": likelihood,
            "by_statistic": self.choose_by == "statistic",
            "min_split": max(2, rows_of(self.min_samples_split, n)),
            "min_leaf": max(1, rows_of(self.min_samples_leaf, n)),
            "max_depth": None if self.max_depth is None else int(self.max_depth),
            "most_categories": int(self.max_categories),
        }

    def _check_alphas(self, d: Design) -> None:
        if self.alpha_split_merged is not None and not self.alpha_split_merged < self.alpha_merge:
            requirement = "alpha_split_merged must be below alpha_merge"
            hint = "otherwise what was merged may be parted at once, without end"
            raise ParameterError(
                format_message(
                    d.who, requirement, actual=f"got {self.alpha_split_merged} and {self.alpha_merge}", hint=hint
                )
            )

    def _take_nodes(self, pruned_copy: Self, node_ids: Array) -> None:
        """What a copy with some of the nodes keeps of them."""
        pruned_copy.splits_ = self.splits_.take(node_ids)


class CHAIDClassifier(_Chaid, Classifier):
    """A tree of many-way splits for classes, each chosen by a chi-square test.

    Of r groups of rows and c classes, with ``O`` rows of a group and a class, and ``E = R T / n`` expected of R rows in
    the group, T in the class and n in all,

        ``chi² = sum (O - E)² / E``,  or  ``G² = 2 sum O ln(O / E)``,   ``(r - 1)(c - 1)`` degrees of freedom

    and the p value is the chance of as large a number if the groups did not differ. At each node, for each column: as
    long as there are more than two groups (at first every category is one), the pair that differs least is merged if
    its p value is above `alpha_merge`. Any two categories may be merged; of a column with an order only neighbors,
    except for missing values, which may go with any. The p value of the groups that are left is multiplied by the
    number of ways in which the categories could have been merged into as many groups (Bonferroni). The column of the
    least product splits the node, a branch for each group, if it is at most `alpha_split`. Numbers are cut into
    intervals first, which have an order.

    Equal p values: the pair, and the column, that comes first. A category, or a missing value, that a node never met
    stops there: the node answers itself.

    A CHAID tree says which columns matter and how their categories go together, in few levels, and stops by itself.
    Prefer `DecisionTreeClassifier` where cuts of numbers must be exact or trees are to be deep, and forests or boosting
    where the prediction counts more than the reading. Weights count as repetitions: ten times the weights are ten times
    the rows, and more differences are significant.

    Attributes
    ----------
    tree_ : TreeNodes
        The nodes.
    splits_ : SplitTests
        The test of the best column of each node: statistic, degrees of freedom, p value, multiplier, adjusted p value.
    feature_importances_ : how much the tests on each column lower the Gini impurity, as shares
    classes_ : the labels, sorted
    n_classes_ : number of classes
    n_features_in_, feature_names_in_ : columns seen in fit

    Examples
    --------
    Ten of each color: the red and the blue are "yes" eight times of ten, the gray twice. Red and blue are merged, and
    chi² of 16 and 4 against 2 and 8 is 10, with p = 0.0016, times the 3 ways to make two groups of three colors.

    >>> from pellucid.tree import CHAIDClassifier
    >>> X = [["red"]] * 10 + [["blue"]] * 10 + [["gray"]] * 10
    >>> y = ["yes"] * 8 + ["no"] * 2 + ["yes"] * 8 + ["no"] * 2 + ["yes"] * 2 + ["no"] * 8
    >>> model = CHAIDClassifier().fit(X, y)
    >>> model.splits_.statistic[0].round(9), model.splits_.adjusted_p_value[0].round(4)
    (np.float64(10.0), np.float64(0.0047))
    >>> model.predict_proba([["red"], ["gray"]]).tolist()
    [[0.2, 0.8], [0.8, 0.2]]

    Notes
    -----
    Classes that occur in neither of two groups do not count for their degrees of freedom, as in the CHAID package of R.
    With `exhaustive` the multiplier is the number of pairs looked at on the way from c groups to two: c (c² - 1) / 6
    without order (SPSS has three times as many), c (c - 1) / 2 with, (c - 1)² if missing values may go with any group
    (SPSS places them after all others are merged, and counts c (c - 1) / 2).
    The rule of simple textbooks, the largest chi-square and a branch for every category until nothing is left to split,
    is ``merge=False, choose_by="statistic", alpha_split=1``.

    References
    ----------
    Kass, An exploratory technique for investigating large quantities of categorical data, 1980. Biggs, de Ville and
    Suen, A method of choosing multiway partitions for classification and decision trees, 1991 (`exhaustive`).
    """

    statistic: Literal["pearson", "likelihood_ratio"] = param(
        default="pearson", doc="The chi-square statistic: 'pearson', or 'likelihood_ratio' (G²)."
    )

    input_spec = InputSpec(missing=True, categories=True, unknown="missing")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        return tags

    def _fit(self, d: Design, trace: Trace) -> None:
        if not d.y_is_vector:
            raise DataError(
                format_message(d.who, "y must be one column of labels", actual=f"got {d.y.shape[1]} columns")
            )
        labels = np.ascontiguousarray(d.y[:, 0], dtype=np.int32)
        self.n_classes_ = len(d.classes[0])
        likelihood = self.statistic == "likelihood_ratio"
        self.tree_ = self._grow(d, self._threads, likelihood, labels=labels, classes=self.n_classes_)

    def _predict_proba(self, d: Design) -> Floats:
        return answer(self.tree_, d.matrix, self._threads, [self.n_classes_])


class CHAIDRegressor(_Chaid, Regressor):
    """A tree of many-way splits for numbers, each chosen by an F test.

    Of r groups with weight ``w_g``, mean ``m_g`` and squares ``S_g = sum w (y - m_g)²`` around it, M the mean of all
    and N the sum of the weights,

        ``F = [sum_g w_g (m_g - M)² / (r - 1)] / [sum_g S_g / (N - r)]``

    and the p value is the chance of as large a number if the means did not differ. At each node, for each column: as
    long as there are more than two groups (at first every category is one), the pair that differs least is merged if
    its p value is above `alpha_merge`. Any two categories may be merged; of a column with an order only neighbors,
    except for missing values, which may go with any. The p value of the groups that are left is multiplied by the
    number of ways in which the categories could have been merged into as many groups (Bonferroni). The column of the
    least product splits the node, a branch for each group, if it is at most `alpha_split`. A leaf answers with the
    mean of its rows. Numbers are cut into intervals first, which have an order.

    Two groups of one row each cannot be told from each other: p is 1. Equal p values: the pair, and the column, that
    comes first. A category, or a missing value, that a node never met stops there: the node answers itself.

    Prefer `DecisionTreeRegressor` where cuts of numbers must be exact, and linear models where the target rises or
    falls steadily. Weights count as repetitions: ten times the weights are ten times the rows.

    Attributes
    ----------
    tree_ : TreeNodes
        The nodes.
    splits_ : SplitTests
        The test of the best column of each node: statistic, degrees of freedom, p value, multiplier, adjusted p value.
    feature_importances_ : how much the tests on each column lower the squared error, as shares
    n_features_in_, feature_names_in_ : columns seen in fit

    Examples
    --------
    Means 2, 2 and 12: the first two are merged. Between the groups are 6 x 10² x 12 / 18 = 400 squares, within 12, so
    F is 400 / (12 / 16).

    >>> from pellucid.tree import CHAIDRegressor
    >>> X = [["a"]] * 6 + [["b"]] * 6 + [["c"]] * 6
    >>> y = [1, 2, 3] * 4 + [11, 12, 13] * 2
    >>> model = CHAIDRegressor().fit(X, y)
    >>> float(model.splits_.statistic[0].round(6)), float(model.splits_.df2[0])
    (533.333333, 16.0)
    >>> model.predict([["b"], ["c"]]).round(6).tolist()
    [2.0, 12.0]

    References
    ----------
    Kass, An exploratory technique for investigating large quantities of categorical data, 1980. Biggs, de Ville and
    Suen, A method of choosing multiway partitions for classification and decision trees, 1991 (`exhaustive`).
    """

    input_spec = InputSpec(missing=True, categories=True, unknown="missing")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        return tags

    def _attach_target(self, d: Design, y: Any) -> None:
        super()._attach_target(d, y)
        if d.y.shape[1] > 1:
            actual, hint = f"got {d.y.shape[1]} columns", "fit one model each"
            raise DataError(format_message(d.who, "y must be one target", actual=actual, hint=hint))
        if not d.y_is_vector:
            warn_column_vector()
            d.y_is_vector = True

    def _fit(self, d: Design, trace: Trace) -> None:
        largest = float(np.abs(d.y).max())
        unit = float(np.ldexp(1.0, int(np.frexp(largest)[1]) - 1)) if largest > 0 else 1.0  # squares stay in range
        numbers = np.ascontiguousarray(d.y[:, 0] / unit)
        nodes = self._grow(d, self._threads, False, numbers=numbers)
        with np.errstate(over="ignore", under="ignore"):
            self.tree_ = replace(nodes, value=nodes.value * unit, impurity=nodes.impurity * unit * unit)

    def _predict(self, d: Design) -> Floats:
        return answer(self.tree_, d.matrix, self._threads)[:, 0]
