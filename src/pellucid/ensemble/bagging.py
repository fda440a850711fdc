"""Bagging: one kind of model, fitted on many samples of the rows; together they answer more steadily than any alone."""

from __future__ import annotations

from operator import attrgetter
from typing import Any, Literal

import numpy as np
from sklearn.utils.metaestimators import available_if

from pellucid.base.declare import param
from pellucid.base.errors import DataError, format_message, join_some
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design
from pellucid.data.target import attach_one_column, attach_one_label
from pellucid.ensemble._bagging import Bagging
from pellucid.ensemble._members import aligned, codes_of
from pellucid.ensemble._samples import take
from pellucid.estimator.roles import Classifier, Regressor, r2
from pellucid.tree.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor

__all__ = ["BaggingClassifier", "BaggingRegressor"]


class BaggingClassifier(Bagging, Classifier):
    """One kind of classifier, fitted on many samples of the rows; their mean, or their vote, decides.

    Model t = 1..T learns from a sample of n rows drawn from the n rows of the table with replacement. A row is in a
    sample with probability  ``1 - (1 - 1/n)^n``, about 0.632, some rows are in it several times, and about 37 % are
    left out. The answer is the mean of the models' probabilities, or with ``voting="hard"`` their vote:

        soft:  ``P(k | x) = sum_t P_t(k | x) / T``         hard:  ``P(k | x) = #{t : model t says k} / T``

    and the class with the largest share wins; of equals the first in the order of `classes_`.

    It steadies models that waver, above all full trees: the mean of T answers with variance v and correlation r has the
    variance  ``v (r + (1 - r) / T)``. More models never overfit; they cost time. Rows that a model left out tell, at no
    cost, how good the whole is (`oob_score`). Steady models, such as linear ones, gain nothing. Trees that also choose
    among few columns at every split are less alike: prefer a random forest.

    The models get the rows that were drawn once, with the number of times as their weight, where their fit takes
    `sample_weight`; else the rows are repeated. A sample may miss a class: its column is then 0. Trees of samples draw
    one of equally good columns, as those of a forest do; a tree alone takes the first.

    Attributes
    ----------
    estimator_ : the model that is copied
    estimators_ : the fitted models
    estimators_samples_ : the rows that each learned from
    estimators_features_ : the columns of each
    classes_ : labels, sorted
    n_classes_ : their number
    oob_score_ : accuracy on rows left out, where `oob_score` asks for it
    oob_scores_ : accuracy of each model on its own left-out rows; NaN where it left out none
    oob_decision_function_ : for each row, the mean of the models that did not see it; NaN where there is none
    n_features_in_, feature_names_in_ : columns seen in fit

    Notes
    -----
    scikit-learn's samples for the same seed, and its answers where the models inside agree. Here the models learn the
    labels themselves, not their numbers; `warm_start` and `oob_score` go together; a row without an out-of-bag answer
    is left out of `oob_score_` (scikit-learn counts it as the first class); weights count in `oob_score_`; without
    replacement, weights are handed on to the models. `models`, `voting` and ``oob_score="average"`` are ours.

    References
    ----------
    L. Breiman, Bagging predictors, Machine Learning 24, 1996. T. K. Ho, The random subspace method, 1998.

    Examples
    --------
    Three stumps written down by hand. On the row (5, 3) two of the three say 1:

    >>> import numpy as np
    >>> from pellucid.ensemble import BaggingClassifier
    >>> stumps = [lambda X: np.where(X[:, 0] <= 4, 0, 1), lambda X: np.where(X[:, 0] <= 6, 0, 1),
    ...           lambda X: np.where(X[:, 1] <= 2, 0, 1)]
    >>> model = BaggingClassifier(models=stumps).fit([[1, 1], [2, 5], [7, 1], [8, 4]], [0, 0, 1, 1])
    >>> model.predict([[5, 3]]).tolist(), model.predict_proba([[5, 3]]).round(3).tolist()
    ([1], [[0.333, 0.667]])

    Drawn samples of ten rows: some twice, some not at all.

    >>> drawn = BaggingClassifier(n_estimators=2, random_state=0).fit(np.arange(10)[:, None], [0, 1] * 5)
    >>> [len(set(rows.tolist())) < 10 for rows in drawn.estimators_samples_]
    [True, True]
    """

    voting: Literal["soft", "hard"] = param(
        default="soft",
        doc="The mean of the probabilities, where models give them ('soft'), or one vote a model ('hard').",
    )

    _default = DecisionTreeClassifier

    def _attach_target(self, d: Design, y: Any) -> None:
        attach_one_label(d, y)
        self.classes_ = d.classes[0]

    def _goal(self, d: Design) -> Any:
        self.n_classes_ = len(self.classes_)
        return self.classes_[d.y[:, 0].astype(int)]

    def _answer(self, k: int, model: Any, X: Any) -> Floats:
        if self.voting == "soft" and hasattr(model, "predict_proba"):
            model_classes = np.asarray(model.classes_)
            if len(model_classes) != len(self.classes_) or not np.array_equal(model_classes, self.classes_):
                codes_of(type(self).__name__, f"model {k + 1}", model_classes, self.classes_)
            return aligned(model.predict_proba(X), model_classes, self.classes_, 0.0).astype(np.float64, copy=False)
        codes = self._votes_of(k, model, X)
        proba = np.zeros((len(codes), len(self.classes_)))
        proba[np.arange(len(codes)), codes] = 1
        return proba

    def _votes_of(self, k: int, model: Any, X: Any) -> Array:
        return codes_of(type(self).__name__, f"model {k + 1}", model.predict(X), self.classes_)

    def _predict_proba(self, d: Design) -> Floats:
        return self._mean(d, type(self)._answer)

    def predict_log_proba(self, X: Any) -> Floats:
        """The logarithm of the probability of each class."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    def votes(self, X: Any) -> Floats:
        """How many models say each class, one column a class."""
        d = self._validate_predict(X)
        table, counts = self._inside(d), np.zeros((d.n_rows, len(self.classes_)))
        for k, (model, columns) in enumerate(zip(self.estimators_, self.estimators_features_, strict=True)):
            counts[np.arange(d.n_rows), self._votes_of(k, model, take(table, None, self._some(columns)))] += 1
        return counts

    def _inner_decides(self) -> bool:
        attrgetter("decision_function")(self.estimators_[0] if hasattr(self, "estimators_") else self._inner)
        return True

    @available_if(_inner_decides)  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Floats:
        """The mean of the models' decision values."""
        return self._mean(self._validate_predict(X), type(self)._decision)

    def _decision(self, k: int, model: Any, X: Any) -> Floats:
        if len(model.classes_) != len(self.classes_):
            absent = [str(label) for label in self.classes_ if label not in model.classes_]
            requirement = "decision_function needs models that know every class"
            actual = f"the sample of model {k + 1} has no row of {join_some(absent)}"
            raise DataError(
                format_message(type(self).__name__, requirement, actual=actual, hint="predict_proba and predict do not")
            )
        return np.asarray(model.decision_function(X))

    def _width(self, d: Design) -> int:
        return len(self.classes_)

    def _score_of(self, predicted: Floats, rows: Array, d: Design) -> float:
        weight = None if d.weight is None else d.weight[rows]
        if weight is not None and not weight.any():
            return float("nan")
        return float(np.average(predicted.argmax(axis=1) == d.y[rows, 0], weights=weight))

    def _keep_oob(self, together: Floats, d: Design) -> None:
        self.oob_decision_function_ = together


class BaggingRegressor(Bagging, Regressor):
    """One kind of regressor, fitted on many samples of the rows; the mean of their predictions.

    Model t = 1..T learns from a sample of n rows drawn from the n rows of the table with replacement; a row is in a
    sample with probability  ``1 - (1 - 1/n)^n``, about 0.632. The answer is the mean:

        ``f(x) = sum_t f_t(x) / T``

    It steadies models that waver, above all full trees: the mean of T answers with variance v and correlation r has the
    variance  ``v (r + (1 - r) / T)``; the bias stays. More models never overfit; they cost time. Rows that a model left
    out tell, at no cost, how good the whole is (`oob_score`). A mean of trees lies within the targets it has seen: it
    cannot go beyond them. Trees that choose among few columns at every split are less alike: prefer a random forest.

    The models get the rows that were drawn once, with the number of times as their weight, where their fit takes
    `sample_weight`; else the rows are repeated. Trees of samples draw one of equally good columns, as those of a forest
    do; a tree alone takes the first.

    Attributes
    ----------
    estimator_ : the model that is copied
    estimators_ : the fitted models
    estimators_samples_ : the rows that each learned from
    estimators_features_ : the columns of each
    oob_score_ : R² on rows left out, where `oob_score` asks for it
    oob_scores_ : R² of each model on its own left-out rows; NaN where it left out none
    oob_prediction_ : for each row, the mean of the models that did not see it; NaN where there is none
    n_features_in_, feature_names_in_ : columns seen in fit

    Notes
    -----
    scikit-learn's samples for the same seed, and its answers where the models inside agree. Here `warm_start` and
    `oob_score` go together; a row without an out-of-bag answer is left out of `oob_score_` (scikit-learn takes 0 for
    it); weights count in `oob_score_`; without replacement, weights are handed on to the models. `models` and
    ``oob_score="average"`` are ours.

    References
    ----------
    L. Breiman, Bagging predictors, Machine Learning 24, 1996.

    Examples
    --------
    Two rules written down by hand say 2x and 2x + 2: their mean is 2x + 1.

    >>> from pellucid.ensemble import BaggingRegressor
    >>> rules = [lambda X: 2 * X[:, 0], lambda X: 2 * X[:, 0] + 2]
    >>> BaggingRegressor(models=rules).fit([[1.0], [2.0]], [3, 5]).predict([[10.0]]).tolist()
    [21.0]
    """

    _default = DecisionTreeRegressor

    def _attach_target(self, d: Design, y: Any) -> None:
        attach_one_column(d, y)

    def _goal(self, d: Design) -> Any:
        return d.y[:, 0] if d.y_is_vector else d.y

    def _answer(self, k: int, model: Any, X: Any) -> Floats:
        predicted = np.asarray(model.predict(X), dtype=np.float64)
        return predicted.reshape(len(predicted), -1)

    def _predict(self, d: Design) -> Array:
        predicted = self._mean(d, type(self)._answer)
        return predicted[:, 0] if predicted.shape[1] == 1 else predicted

    def _width(self, d: Design) -> int:
        return int(d.y.shape[1])

    def _score_of(self, predicted: Floats, rows: Array, d: Design) -> float:
        weight = np.ones(len(rows)) if d.weight is None else d.weight[rows]
        return float(np.mean(r2(d.y[rows], predicted, weight))) if weight.any() else float("nan")

    def _keep_oob(self, together: Floats, d: Design) -> None:
        self.oob_prediction_: Floats = together[:, 0] if d.y_is_vector else together
