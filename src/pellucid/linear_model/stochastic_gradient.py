"""Linear models that learn row by row: regression and classification by stochastic gradient descent."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from sklearn.callback import with_callbacks

from pellucid.base.declare import param
from pellucid.base.errors import ParameterError, format_message
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design
from pellucid.estimator.single import SingleTargetMixin
from pellucid.linear_model._linear import LinearRegressor, dense_coefficients
from pellucid.linear_model._stochastic import _MOST_SEED, Plan, Runs, StochasticModel
from pellucid.linear_model._stochastic_classifier import StochasticClassifier
from pellucid.linear_model._stream import Streamed
from pellucid.models.linear import linear_predictor

__all__ = ["SGDClassifier", "SGDRegressor"]

_RATE_DOC = (
    "'constant' eta0; 'optimal' 1/(alpha (t_0 + t)); 'invscaling' eta0/t^power_t; 'adaptive' eta0, divided by 5 when "
    "epochs stop improving, until it is 1e-6; 'decay' t0/(t + t1) with t from 0; 'pa1' and 'pa2' step just so far that "
    "the row's own loss vanishes, cut off at eta0 or softened by 1/(2 eta0)."
)


class SGDRegressor(Streamed, StochasticModel, SingleTargetMixin, LinearRegressor):
    """A linear model of a number, learned row by row: each row moves the coefficients a little toward itself.

    Minimizes  ``1/n sum_i l(y_i, f_i) + alpha (r |w|_1 + (1 - r)/2 |w|²)``  with  ``f_i = b + w . x_i``,  where ``y_i``
    is the target of row i, l the loss and r the share of l1 in the penalty (0 for ``"l2"``, 1 for ``"l1"``, `l1_ratio`
    for ``"elasticnet"``). Update t takes a row, or a batch of m rows, and goes

    ``w <- (1 - eta_t alpha (1 - r)) w - eta_t/m sum_i s_i l'_i x_i``,  ``b <- b - eta_t/m sum_i s_i l'_i``

    with the rate ``eta_t``, the weights ``s_i`` and the slopes ``l'_i = dl/df``; then l1 draws the coefficients toward
    zero, and never across. The losses, of the error ``e = f - y``: half its square (``"squared_error"``), its size
    (``"absolute_error"``), half the square up to `epsilon` and straight beyond (``"huber"``), what its size exceeds
    `epsilon` by (``"epsilon_insensitive"``) and the square of that (``"squared_epsilon_insensitive"``). An epoch visits
    every row once, in a new order; the run stops when `n_iter_no_change` epochs in a row did not lower the mean of loss
    and penalty by `tol`, or, with `early_stopping`, did not raise R² of rows held out.

    Prefer `LinearRegression` or `Ridge` for tables that fit into memory: they are exact and need neither a rate nor
    scaled columns. This one is for more rows than that (`partial_fit`, `fit_stream`), for its losses, and to watch
    learning. Columns of very different sizes make it slow or let it diverge: scale them before.

    Attributes
    ----------
    coef_ : array of p numbers
    intercept_ : array of one number
    n_iter_ : epochs of the last fit
    t_ : updates made, and one
    best_score_, best_iter_ : with early_stopping, the best R² of the rows held out and its epoch
    n_features_in_, feature_names_in_ : columns seen in fit

    Notes
    -----
    ``cost="1/n sum l + alpha (r |w|_1 + (1 - r)/2 |w|²)"``: with squared error half of `Ridge`'s cost over n, so that
    ``Ridge(alpha=a)`` is ``SGDRegressor(alpha=a/n)`` at its minimum.

    With a whole number for `random_state` the rows come in scikit-learn's order and the coefficients are its own, up to
    rounding. Where the two differ: for sparse tables scikit-learn's steps of the intercept are 100 times shorter
    (``intercept_decay=0.01`` does that here), and its stopping rule sees the penalty of the last row's columns alone;
    under `early_stopping` it scores coefficients before their shrinking by l2 is applied, ours are scored as they are;
    its averages forget what l1 drew; its single precision is ours in double precision, rounded at the end. As in
    scikit-learn, l1 draws the columns that a row has entries in: in a sparse table rare columns are drawn late, and a
    dense one ends elsewhere. A row's weight makes its step longer: it is not the same as the row written twice. With
    batches t counts updates.

    References
    ----------
    Bottou: Stochastic gradient descent tricks. In: Neural Networks: Tricks of the Trade, 2012.
    Tsuruoka, Tsujii, Ananiadou: Stochastic gradient descent training for L1-regularized log-linear models with
    cumulative penalty. ACL 2009.

    Examples
    --------
    Two rows in turn, from zero. The first has error 0 - 1, so b and w become 0 + 0.1; there the second has error
    0.3 - 3 = -2.7, so b becomes 0.1 + 0.27 and w 0.1 + 0.27 * 2:

    >>> from pellucid.linear_model import SGDRegressor
    >>> model = SGDRegressor(
    ...     penalty=None, learning_rate="constant", eta0=0.1, order="given", max_iter=1, tol=None
    ... ).fit([[1], [2]], [1, 3])
    >>> model.intercept_.round(10), model.coef_.round(10)
    (array([0.37]), array([0.64]))
    """

    loss: Literal["squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive", "absolute_error"] = (
        param(default="squared_error", kw_only=False, doc="What an error costs.")
    )
    epsilon: float = param(default=0.1, low=0, doc="Of 'huber' and the epsilon-insensitive losses: see above.")
    learning_rate: Literal["constant", "optimal", "invscaling", "adaptive", "decay", "pa1", "pa2"] = param(
        default="invscaling", doc=_RATE_DOC
    )
    power_t: float = param(default=0.25, doc="Exponent of 'invscaling'.")
    t0: float = param(default=5.0, low=0, low_open=True, doc="Numerator of 'decay'.")
    t1: float = param(default=50.0, low=0, low_open=True, doc="Added to the count of updates by 'decay'.")
    average: bool | int = param(
        default=False, low=0, doc="Are the coefficients averaged over all updates, or over those from this one on?"
    )

    @with_callbacks  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """One epoch over one more part of a table.

        Parameters
        ----------
        X : some rows of the table
        y : their targets
        sample_weight : n numbers, optional
            How many times as long the step of each row is.

        Returns
        -------
        self
        """
        return self._fit_part(X, y, sample_weight)

    def _plan(self) -> Plan:
        return Plan(
            self.loss, self.learning_rate, self.epsilon, self.power_t, self.t0, self.t1, average=int(self.average)
        )

    def _check_together(self) -> None:
        super()._check_together()
        _check_aggressive(self, "epsilon_insensitive")

    def _runs(self, d: Design, seed: int) -> Runs:
        return Runs.of(-1.0, 1.0, 1.0, np.random.RandomState(seed).randint(0, _MOST_SEED))

    def _keep(self, coef: Floats, intercept: Floats, dtype: Any) -> dict[str, Any]:
        return {"coef_": coef[0].astype(dtype), "intercept_": intercept}

    def _predict(self, d: Design) -> Array:
        return linear_predictor(d.matrix, dense_coefficients(self.coef_), self.intercept_, self._threads)[:, 0]


class SGDClassifier(StochasticClassifier):
    """A linear classifier learned row by row: a support vector machine, logistic regression or another, by its loss.

    Minimizes  ``1/n sum_i l(y_i, f_i) + alpha (r |w|_1 + (1 - r)/2 |w|²)``  with the score  ``f_i = b + w . x_i``,
    where ``y_i`` is 1 for the rows of the second class and -1 for the first, l the loss and r the share of l1 in the
    penalty (0 for ``"l2"``, 1 for ``"l1"``, `l1_ratio` for ``"elasticnet"``). Update t takes a row, or a batch of m
    rows, and goes

    ``w <- (1 - eta_t alpha (1 - r)) w - eta_t/m sum_i s_i l'_i x_i``,  ``b <- b - eta_t/m sum_i s_i l'_i``

    with the rate ``eta_t``, the weights ``s_i`` and the slopes ``l'_i = dl/df``; then l1 draws the coefficients toward
    zero, and never across. The losses: ``max(0, 1 - y f)`` (``"hinge"``) and its square (``"squared_hinge"``), ``log(1
    + e^(-y f))`` (``"log_loss"``), the square of the hinge, straight beyond -1 (``"modified_huber"``), ``max(0, -y f)``
    (``"perceptron"``), half the squared error of the probability ``p = 1/(1 + e^-f)`` of a target 0 or 1, whose step is
    ``(y - p) p (1 - p) x`` (``"squared_sigmoid"``), and the losses of `SGDRegressor` for the targets -1 and 1. More
    than two classes are learned one against the rest each, on all threads; the largest score wins. An epoch visits
    every row once, in a new order; the run stops when `n_iter_no_change` epochs in a row did not lower the mean of loss
    and penalty by `tol`, or, with `early_stopping`, did not raise the accuracy of rows held out.

    Prefer `LogisticRegression` or a linear support vector machine for tables that fit into memory: they reach the
    minimum. This one is for more rows than that (`partial_fit`, `fit_stream`). Columns of very different sizes make it
    slow: scale them before.

    Attributes
    ----------
    coef_ : 1 x p array for two classes, k x p for k
    intercept_ : array of 1 or k numbers
    classes_ : labels, sorted
    n_iter_ : epochs of the last fit; the most of all classes
    t_ : updates made, and one
    best_score_, best_iter_ : with early_stopping, the best accuracy of the rows held out and its epoch, a class each
    n_features_in_, feature_names_in_ : columns seen in fit

    Notes
    -----
    ``cost="1/n sum l + alpha (r |w|_1 + (1 - r)/2 |w|²)"``: `LogisticRegression` and support vector machines have C
    times the sum of the losses, so their C is ``alpha = 1/(n C)`` here.

    With a whole number for `random_state` the rows come in scikit-learn's order and the coefficients are its own, up to
    rounding, which the long first steps of "optimal" with a small alpha can magnify. Where the two differ: for sparse
    tables scikit-learn's steps of the intercept are 100 times shorter (``intercept_decay=0.01`` does that here), and
    its stopping rule sees the penalty of the last row's columns alone; under `early_stopping` it scores coefficients
    before their shrinking by l2 is applied, and under log loss counts the rows of the first class as wrong, ours are
    scored as they are; its averages forget what l1 drew, and with `partial_fit` the intercept; its single precision is
    ours in double precision, rounded at the end. As in scikit-learn, l1 draws the columns that a row has entries in: in
    a sparse table rare columns are drawn late, and a dense one ends elsewhere. A row's weight makes its step longer: it
    is not the same as the row written twice. With batches t counts updates.

    References
    ----------
    Bottou: Stochastic gradient descent tricks. In: Neural Networks: Tricks of the Trade, 2012.
    Zhang: Solving large scale linear prediction problems using stochastic gradient descent algorithms. ICML 2004.
    Crammer, Dekel, Keshet, Shalev-Shwartz, Singer: Online passive-aggressive algorithms. JMLR 7 (2006).

    Examples
    --------
    From zero both rows have the probability 1/2 of "yes". The first, a "no" at 2, moves b by -0.5 and w by -0.5 * 2;
    then the second, a "yes" at 4, has the score -0.5 - 4 and the probability 0.011, so b moves by 0.989 and w by 3.956:

    >>> from pellucid.linear_model import SGDClassifier
    >>> model = SGDClassifier(
    ...     "log_loss", penalty=None, learning_rate="constant", eta0=1.0, order="given", max_iter=1, tol=None
    ... ).fit([[2], [4]], ["no", "yes"])
    >>> model.intercept_.round(3), model.coef_.round(3)
    (array([0.489]), array([[2.956]]))
    """

    loss: Literal[
        "hinge",
        "log_loss",
        "modified_huber",
        "squared_hinge",
        "perceptron",
        "squared_error",
        "huber",
        "epsilon_insensitive",
        "squared_epsilon_insensitive",
        "absolute_error",
        "squared_sigmoid",
    ] = param(default="hinge", kw_only=False, doc="What a score costs: see above.")
    epsilon: float = param(default=0.1, low=0, doc="Of 'huber' and the epsilon-insensitive losses.")
    learning_rate: Literal["constant", "optimal", "invscaling", "adaptive", "decay", "pa1", "pa2"] = param(
        default="optimal", doc=_RATE_DOC
    )
    power_t: float = param(default=0.5, doc="Exponent of 'invscaling'.")
    t0: float = param(default=5.0, low=0, low_open=True, doc="Numerator of 'decay'.")
    t1: float = param(default=50.0, low=0, low_open=True, doc="Added to the count of updates by 'decay'.")
    average: bool | int = param(
        default=False, low=0, doc="Are the coefficients averaged over all updates, or over those from this one on?"
    )

    def _plan(self) -> Plan:
        return Plan(
            self.loss, self.learning_rate, self.epsilon, self.power_t, self.t0, self.t1, average=int(self.average)
        )

    def _check_together(self) -> None:
        super()._check_together()
        _check_aggressive(self, "hinge")


def _check_aggressive(model: Any, loss: str) -> None:
    if model.learning_rate in ("pa1", "pa2") and model.loss != loss:
        requirement = f"Learning rate {model.learning_rate!r} only works with loss {loss!r}"
        raise ParameterError(format_message(type(model).__name__, requirement, actual=f"got loss={model.loss!r}"))
