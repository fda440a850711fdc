"""What boosted scores mean: log odds of classes, or numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal

import numpy as np
from sklearn.utils import Tags

from pellucid.base.declare import param
from pellucid.base.errors import DataError, format_message, join_some
from pellucid.base.types import Array, Floats
from pellucid.boosting._model import BoostedModel
from pellucid.data.design import Design
from pellucid.data.target import attach_labels, attach_numbers, attach_one_column, attach_one_label
from pellucid.estimator.roles import Classifier, Regressor
from pellucid.models.tree.class_weight import class_weights
from pellucid.models.tree.counts import check_counts
from pellucid.models.tree.labels import check_directions


class BoostedClassifier(BoostedModel, Classifier):
    """Classes by boosted trees: one score for two classes, the log odds of the second; else one for each class."""

    loss: Literal["log_loss"] | Callable = param(  # type: ignore[type-arg]
        default="log_loss",
        doc="What the trees make small: minus the logarithm of the probability of a row's class, or a loss of your "
        "own: a function of (y, scores) that returns (gradient, curvature), arrays like scores. Of two classes y is 0 "
        "or 1 and a row has one score, whose logistic function is the second's probability; of k classes y is 0 to "
        "k - 1, and scores are n x k. See the regressor for weights and early stopping.",
    )
    class_weight: dict[Any, Any] | Literal["balanced"] | None = param(
        default=None, doc="Weight of each class: a dict from labels, or 'balanced' for n / (k n_class)."
    )

    def _attach_target(self, d: Design, y: Any) -> None:
        attach_one_label(d, y)
        self.classes_: Any = d.classes[0]
        self.n_classes_: int = len(self.classes_)

    def _loss(self, d: Design) -> dict[str, Any]:
        check_directions(d.who, self.monotonic_cst, np.array([self.n_classes_]))
        outputs = 1 if self.n_classes_ <= 2 else self.n_classes_
        if callable(self.loss):
            return {"loss": "own", "own": self._own_loss(d, self.loss), "outputs": outputs}
        return {"loss": "logistic" if outputs == 1 else "softmax", "outputs": outputs}

    def _weights(self, d: Design) -> Floats | None:
        return class_weights(d.who, self.class_weight, d.y, d.classes, d.weight)

    def _attach_known(self, d: Design, y: Any) -> None:
        attach_labels(d, y)
        unknown = [label for label in d.classes[0].tolist() if label not in self.classes_.tolist()]
        if unknown:
            requirement = "y_val must hold classes of y"
            are = "is" if len(unknown) == 1 else "are"
            raise DataError(
                format_message(d.who, requirement, actual=f"{join_some(map(repr, unknown))} {are} not among them")
            )
        d.y[:, 0] = np.searchsorted(self.classes_, d.classes[0])[d.y[:, 0].astype(np.intp)]

    def _answers_vectors(self, d: Design) -> bool:
        return bool(getattr(self, "vector_leaves", False)) and self.n_classes_ > 2

    def _labels_of(self, y: Floats) -> Array:
        return np.asarray(self.classes_[y.astype(np.intp)])

    def _probabilities(self, scores: Floats) -> Floats:
        if self.n_classes_ == 1:
            return np.ones((len(scores), 1))
        if scores.shape[1] == 1:
            small = np.exp(-np.abs(scores[:, 0]))
            less, more = small / (1 + small), 1 / (1 + small)
            second = np.where(scores[:, 0] >= 0, more, less)
            return np.column_stack([np.where(scores[:, 0] >= 0, less, more), second])
        e = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(e / e.sum(axis=1, keepdims=True))

    def _answers(self, scores: Floats) -> Array:
        return np.asarray(self.classes_[self._codes(scores)])

    def _codes(self, scores: Floats) -> Array:
        if self.n_classes_ == 1:
            return np.zeros(len(scores), dtype=np.intp)
        return (scores[:, 0] > 0).astype(np.intp) if scores.shape[1] == 1 else scores.argmax(axis=1)

    def _predict_codes(self, d: Design) -> Array:
        return self._codes(self._scores(d))

    def _predict_proba(self, d: Design) -> Floats:
        return self._probabilities(self._scores(d))

    def decision_function(self, X: Any) -> Floats:
        """The score of each row: the log odds of the second of two classes, or one for each class."""
        scores = self._scores(self._validate_predict(X))
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """What `predict_proba` would answer after 1, 2, ... rounds."""
        for scores in self._staged_scores(self._validate_predict(X)):
            yield self._probabilities(scores)

    def staged_decision_function(self, X: Any) -> Iterator[Floats]:
        """What `decision_function` would answer after 1, 2, ... rounds."""
        for scores in self._staged_scores(self._validate_predict(X)):
            yield scores[:, 0] if scores.shape[1] == 1 else scores


class BoostedRegressor(BoostedModel, Regressor):
    """Numbers by boosted trees."""

    loss: Literal["squared_error", "absolute_error", "quantile", "huber", "poisson"] | Callable = param(  # type: ignore[type-arg]
        default="squared_error",
        doc="What the trees make small: squares or sizes of the errors, the 'quantile' loss, 'huber' (squares of the "
        "small ones, sizes of the others), or the deviance of counts ('poisson', with scores as logarithms). Or a loss "
        "of your own: a function of (y, scores) that returns (gradient, curvature), arrays like scores; `predict` then "
        "gives the scores as they are. Both are multiplied by the rows' weights, unless it has an argument "
        "sample_weight, or a third one, and does so itself. A method value(y, scores), the loss of each row, lets "
        "early stopping go by it; `check_loss` holds the slopes against differences.",
    )
    quantile: float = param(
        default=0.5, low=0, high=1, low_open=True, high_open=True, doc="The share of loss='quantile'."
    )
    huber_share: float = param(
        default=0.9,
        low=0,
        high=1,
        low_open=True,
        high_open=True,
        doc="Share of errors that count as small for 'huber'.",
    )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = self.takes_vectors and not callable(self.loss)
        tags.target_tags.positive_only = isinstance(self.loss, str) and self.loss == "poisson"
        return tags

    def _attach_target(self, d: Design, y: Any) -> None:
        attach_one_column(d, y)
        if d.y.shape[1] > 1 and (not self.takes_vectors or callable(self.loss)):
            actual, hint = f"got an array of shape {d.y.shape} instead", "fit one model a column"
            why = " for a loss of your own" if self.takes_vectors else ""
            raise DataError(
                format_message(d.who, f"y should be a 1d array: one number a row{why}", actual=actual, hint=hint)
            )

    def _loss(self, d: Design) -> dict[str, Any]:
        if self.loss == "poisson":
            check_counts(d, "loss")
        if callable(self.loss):
            return {"loss": "own", "own": self._own_loss(d, self.loss), "outputs": 1}
        level = self.huber_share if self.loss == "huber" else self.quantile
        return {"loss": self.loss, "level": float(level), "outputs": d.y.shape[1]}

    def _answers_vectors(self, d: Design) -> bool:
        return bool(d.y.shape[1] > 1)

    def _attach_known(self, d: Design, y: Any) -> None:
        attach_numbers(d, y)
        if d.y.shape[1] != len(self._start_):
            requirement, actual = (
                "y_val must have as many columns as y",
                f"got {d.y.shape[1]} instead of {len(self._start_)}",
            )
            raise DataError(format_message(d.who, requirement, actual=actual))

    def _answers(self, scores: Floats) -> Array:
        predicted = np.exp(scores) if self.loss == "poisson" else scores
        return np.asarray(predicted[:, 0] if scores.shape[1] == 1 else predicted)

    def _predict(self, d: Design) -> Array:
        return self._answers(self._scores(d))
