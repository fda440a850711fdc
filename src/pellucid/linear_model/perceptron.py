"""The perceptron: a linear classifier that learns from its mistakes alone."""

from __future__ import annotations

from typing import Literal

import numpy as np

from pellucid.base.declare import param
from pellucid.base.types import Array
from pellucid.data.design import Design
from pellucid.linear_model._stochastic import Plan
from pellucid.linear_model._stochastic_classifier import StochasticClassifier

__all__ = ["Perceptron"]


class Perceptron(StochasticClassifier):
    """A linear classifier that learns from mistakes alone: a row on the wrong side pulls the plane toward itself.

    With the score  ``f = b + w . x``  and ``y`` 1 for the rows of the second class, -1 for the first, a row with
    ``y f < 0`` is a mistake and moves

    ``w <- w + eta0 y x``,  ``b <- b + eta0 y``;

    any other row changes nothing. Rows come one after the other, in a new order each epoch, until `n_iter_no_change`
    epochs in a row did not lower the mean of ``max(0, -y f)`` by `tol`. When a plane parts the classes, the mistakes
    come to an end; when none does, the coefficients go on moving for ever. A penalty shrinks them with every row. More
    than two classes are learned one against the rest each; the largest score wins.

    Prefer `SGDClassifier` with ``loss="log_loss"`` or ``"hinge"``, or `LogisticRegression`: they look for a plane that
    is not only right but far from the rows, and give something sensible where no plane parts the classes.

    Attributes
    ----------
    coef_ : 1 x p array for two classes, k x p for k
    intercept_ : array of 1 or k numbers
    classes_ : labels, sorted
    n_iter_ : epochs; the most of all classes
    t_ : updates made, and one
    best_score_, best_iter_ : with early_stopping, the best accuracy of the rows held out and its epoch, a class each
    n_features_in_, feature_names_in_ : columns seen in fit

    Notes
    -----
    ``cost="1/n sum max(0, -y f) + alpha (r |w|_1 + (1 - r)/2 |w|²)"``.

    At a score of exactly zero textbooks differ. scikit-learn counts it as a mistake of either class, which is what
    gets the first rows moving from zero (``at_zero="mistake"``); with a step function h(0) = 0 it says the first class
    (``"first"``), with h(0) = 1 the second (``"second"``). The same as
    ``SGDClassifier("perceptron", learning_rate="constant", penalty=None)``, as scikit-learn's; the rows come in its
    order for a whole number `random_state`.

    References
    ----------
    Rosenblatt: The perceptron: a probabilistic model for information storage and organization in the brain.
    Psychological Review 65 (1958).

    Examples
    --------
    The logical "and". From zero the first row, a 1 at (1, 1), moves everything by 1; then (1, 0) has the score 2 and
    (0, 1) the score 1, and both pull back; (0, 0) has the score -1, which is right:

    >>> from pellucid.linear_model import Perceptron
    >>> X, y = [[1, 1], [1, 0], [0, 1], [0, 0]], [1, 0, 0, 0]
    >>> model = Perceptron(order="given", max_iter=1, tol=None).fit(X, y)
    >>> model.intercept_, model.coef_
    (array([-1.]), array([[0., 0.]]))

    After some epochs all four are right:

    >>> Perceptron(order="given").fit(X, y).predict(X)
    array([1, 0, 0, 0])
    """

    penalty: Literal["l2", "l1", "elasticnet"] | None = param(
        default=None,
        doc="'l2' adds alpha/2 times the sum of squares, 'l1' alpha times the sum of absolute values, 'elasticnet' "
        "both in the shares that l1_ratio says.",
    )
    eta0: float = param(default=1.0, low=0, low_open=True, doc="What a mistake moves the coefficients by.")
    random_state: int | np.random.RandomState | None = param(
        default=0, doc="Seed of the order of the rows and of the rows held out. A whole number gives scikit-learn's."
    )
    at_zero: Literal["mistake", "first", "second"] = param(
        default="mistake",
        doc="A score of zero is a mistake of any row, or says the first class (h(0) = 0) or the second (h(0) = 1).",
    )

    def _plan(self) -> Plan:
        wrong = {"mistake": (True, True), "first": (False, True), "second": (True, False)}[self.at_zero]
        return Plan("perceptron", "constant", zero_is_wrong=wrong)

    def _predict_codes(self, d: Design) -> Array:
        if self.at_zero != "second" or len(self.classes_) > 2:
            return super()._predict_codes(d)
        return np.asarray((self._scores(d)[:, 0] >= 0).astype(int))
