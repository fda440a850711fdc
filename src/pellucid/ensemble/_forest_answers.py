"""What a forest answers: classes by the shares of its leaves or by votes of its trees, numbers by their means."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.utils import Tags

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import DataError, ParameterError, format_message, join_some
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design
from pellucid.data.target import attach_labels, attach_numbers
from pellucid.ensemble._forest import ForestModel, check_drawn
from pellucid.estimator.roles import Classifier, Regressor, r2
from pellucid.models.tree.class_weight import class_weights
from pellucid.models.tree.counts import check_counts
from pellucid.models.tree.forest import Forest
from pellucid.models.tree.labels import SeveralLabels, check_directions
from pellucid.tree.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor


def _check_class_weight(value: Any) -> str | None:
    if not isinstance(value, str):
        return None
    return f"class_weight must be 'balanced', 'balanced_subsample', a dict, a list of dicts or None; got {value!r}"


class LeafTargets(NamedTuple):
    """The targets of the rows in every leaf, by their places among all targets in rising order.

    Places of leaf k are ``place[start[k]:start[k + 1]]``, as often as the row was drawn; weight : of each place.
    """

    start: Array
    place: Array
    targets: Floats
    weight: Floats | None


class ForestClassifier(SeveralLabels, ForestModel, Classifier):
    """Classes by a forest."""

    criterion: Literal["gini", "entropy", "log_loss"] = param(
        default="gini", doc="How mixed a node is: its Gini index, or its entropy in bits ('log_loss' is the same)."
    )
    class_weight: dict[Any, Any] | list[Any] | Literal["balanced", "balanced_subsample"] | None = param(
        default=None,
        check=_check_class_weight,
        doc="Weight of each class: a dict from labels; 'balanced' for n / (k n_class), or 'balanced_subsample' for the "
        "same in each tree's sample; for several targets a list of such, whose product counts.",
    )
    voting: Literal["soft", "hard"] = param(
        default="soft",
        doc="'soft' averages the shares of the classes in the leaves; with 'hard' each tree has one vote, for the "
        "class with the largest share.",
    )

    _tree = DecisionTreeClassifier

    @property
    def _criterion(self) -> str:
        return self.criterion

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    def _rows(self, d: Design) -> tuple[Floats | None, Array, bool]:
        sizes = np.array([len(labels) for labels in d.classes], dtype=np.int32)
        check_directions(d.who, self.monotonic_cst, sizes)
        self.n_classes_: Any = sizes.astype(np.intp) if isinstance(self.classes_, list) else int(sizes[0])
        balanced = isinstance(self.class_weight, str) and self.class_weight == "balanced_subsample" and self.bootstrap
        class_weight = "balanced" if isinstance(self.class_weight, str) else self.class_weight
        return class_weights(d.who, None if balanced else class_weight, d.y, d.classes, d.weight), sizes, balanced

    @property
    def _answering(self) -> Forest:
        return self._forest_.hardened if self.voting == "hard" else self._forest_

    def _parts(self, shares: Floats) -> list[Floats]:
        """Columns of each target."""
        return np.split(shares, np.cumsum([len(labels) for labels in self._labels])[:-1], axis=1)

    def _predict_proba(self, d: Design) -> Any:
        probabilities = self._parts(self._answering.predict(d.matrix, self._threads))
        return probabilities if isinstance(self.classes_, list) else probabilities[0]

    def votes(self, X: Any) -> Any:
        """How many trees are for each class, one column a class; a list of such tables for several targets."""
        d = self._validate_predict(X)
        shares = self._forest_.hardened.predict(d.matrix, self._threads)
        counts = [np.rint(target_shares * len(self._forest_)).astype(np.intp) for target_shares in self._parts(shares)]
        return counts if isinstance(self.classes_, list) else counts[0]

    # ---------------------------------------------------------------------------------------------------- rows left out

    def _keep_oob(self, mean: Floats) -> None:
        probabilities = self._parts(mean)
        same = len({table.shape[1] for table in probabilities}) == 1
        self.oob_decision_function_: Any = (
            probabilities[0]
            if not isinstance(self.classes_, list)
            else np.stack(probabilities, axis=2)
            if same
            else probabilities
        )

    def _score_of(self, mean: Floats, rows: Array, d: Design, per_tree: bool = False) -> float:
        codes = np.column_stack([target_mean.argmax(axis=1) for target_mean in self._parts(mean)])
        scorer = self._scorer(per_tree)
        if scorer is None:
            return float((codes == d.y[rows]).all(axis=1).mean())
        truth = d.y[rows].astype(np.intp)
        pairs = [(labels[truth[:, k]], labels[codes[:, k]]) for k, labels in enumerate(self._labels)]
        if len(pairs) == 1:
            return float(scorer(*pairs[0]))
        return float(scorer(np.column_stack([y for y, _ in pairs]), np.column_stack([f for _, f in pairs])))

    def _attach_codes(self, d: Design, y: Any) -> None:
        attach_labels(d, y)
        for k, (now, fitted_labels) in enumerate(zip(d.classes, self._labels, strict=False)):
            unknown = [label for label in now.tolist() if label not in fitted_labels.tolist()]
            if unknown:
                requirement = "y must hold the classes of the fit"
                raise DataError(
                    format_message(d.who, requirement, actual=f"{join_some(map(repr, unknown))} was not among them")
                )
            d.y[:, k] = np.searchsorted(fitted_labels, now)[d.y[:, k].astype(np.intp)]


class ForestRegressor(ForestModel, Regressor):
    """Numbers by a forest."""

    max_features: int | float | Literal["sqrt", "log2", "third"] | None = param(
        default=1.0, check=check_drawn("max_features"), doc=ForestModel._params["max_features"].doc
    )
    criterion: Literal["squared_error", "absolute_error", "friedman_mse", "poisson"] = param(
        default="squared_error", doc="How far the targets of a node are from its answer."
    )
    keep_targets: bool = param(
        default=False,
        doc="Keep which rows are in each leaf, 4 bytes a row and tree: for `predict_quantiles`, `predict_interval`.",
    )

    _tree = DecisionTreeRegressor

    @property
    def _criterion(self) -> str:
        return self.criterion

    def _rows(self, d: Design) -> tuple[Floats | None, Array, bool]:
        if self.monotonic_cst is not None and d.y.shape[1] > 1:
            requirement = "monotonic_cst must be None unless there is one target"
            actual = "Monotonicity constraints are not supported with multiple outputs"
            raise ParameterError(format_message(d.who, requirement, actual=actual))
        if self.criterion == "poisson":
            check_counts(d)
        return d.weight, np.empty(0, dtype=np.int32), False

    def _keep_more(self, d: Design, weight: Floats | None) -> None:
        if not self.keep_targets:
            return
        by_weight = weight is not None and self._sample_.draw != "replace"
        self._targets_: list[LeafTargets] = []
        for y in d.y.T:
            order = np.argsort(y, kind="stable").astype(np.int32)
            start, positions = _core.forest_leaf_targets(
                self._forest_.bound, d.matrix, order, self._sample_.sampler, self._threads
            )
            leaf_weight = np.ascontiguousarray(weight[order]) if by_weight and weight is not None else None
            self._targets_.append(LeafTargets(start, positions, np.ascontiguousarray(y[order]), leaf_weight))

    def _predict(self, d: Design) -> Array:
        mean = self._forest_.predict(d.matrix, self._threads)
        return mean[:, 0] if self.n_outputs_ == 1 else mean

    def predict_quantiles(self, X: Any, q: float | Sequence[float] = (0.05, 0.5, 0.95)) -> Floats:
        """Quantiles of the targets that lie in a row's leaves (Meinshausen, 2006).

        Every tree shares out a weight of one among the rows of the leaf that x falls in; the quantile q is the smallest
        target at which the weights of the targets up to it reach the share q. Their mean is what `predict` answers.

        Parameters
        ----------
        X : n rows
        q : a share from 0 to 1, or k of them

        Returns
        -------
        n numbers, or n x k; for several targets with them as the last dimension
        """
        try:
            quantiles = np.atleast_1d(np.asarray(q, dtype=np.float64))
        except (TypeError, ValueError):
            quantiles = np.empty(0)
        if quantiles.ndim != 1 or not len(quantiles) or not ((quantiles >= 0) & (quantiles <= 1)).all():
            raise ParameterError(
                format_message(type(self).__name__, "q must be shares from 0 to 1", actual=f"got {q!r}")
            )
        d = self._validate_predict(X)
        if not hasattr(self, "_targets_"):
            requirement = "the targets of the leaves must have been kept: fit with keep_targets=True"
            raise ParameterError(format_message(d.who, requirement, actual=f"keep_targets is {self.keep_targets!r}"))
        predicted = np.stack(
            [
                _core.forest_quantiles(
                    self._forest_.bound,
                    d.matrix,
                    leaf_targets.start,
                    leaf_targets.place,
                    leaf_targets.targets,
                    leaf_targets.weight,
                    quantiles,
                    self._threads,
                )
                for leaf_targets in self._targets_
            ],
            axis=2,
        )
        if self.n_outputs_ == 1:
            predicted = predicted[:, :, 0]
        return np.asarray(predicted[:, 0] if np.ndim(q) == 0 else predicted)

    def predict_interval(self, X: Any, coverage: float = 0.9) -> Floats:
        """n x 2: the quantiles between which a row's target lies with about this probability."""
        if not isinstance(coverage, Real) or not 0 < coverage < 1:
            requirement = "coverage must be above 0 and below 1"
            raise ParameterError(format_message(type(self).__name__, requirement, actual=f"got {coverage!r}"))
        return self.predict_quantiles(X, [(1 - coverage) / 2, (1 + coverage) / 2])

    # ---------------------------------------------------------------------------------------------------- rows left out

    def _keep_oob(self, mean: Floats) -> None:
        self.oob_prediction_: Floats = mean[:, 0] if self.n_outputs_ == 1 else mean

    def _score_of(self, mean: Floats, rows: Array, d: Design, per_tree: bool = False) -> float:
        scorer = self._scorer(per_tree)
        if scorer is not None:
            single = self.n_outputs_ == 1
            return float(scorer(d.y[rows, 0] if single else d.y[rows], mean[:, 0] if single else mean))
        if len(rows) < 2:
            return float("nan")
        return float(np.mean(r2(d.y[rows], mean, np.ones(len(rows)))))

    def _attach_codes(self, d: Design, y: Any) -> None:
        attach_numbers(d, y)
