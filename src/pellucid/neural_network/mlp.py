"""Multi-layer perceptrons: networks of weighted sums and bends, for labels and for numbers."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from sklearn.callback import with_callbacks
from sklearn.utils.metaestimators import available_if

from pellucid.base.declare import param
from pellucid.base.errors import DataError, ParameterError, format_message, join_some, noun_list
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design
from pellucid.estimator.roles import Regressor
from pellucid.estimator.single import SingleLabelMixin, forgotten_on_failure
from pellucid.neural_network._network import NetworkModel, check_sizes

__all__ = ["MLPClassifier", "MLPRegressor"]

_SIZES_DOC = "Units of each hidden layer, from the columns to the outputs. () has none: a linear model."
_BEND_DOC = "Bend of the hidden layers: 'identity' z, 'logistic' 1/(1 + e^-z), 'tanh', 'relu' max(0, z)."


def _learns_in_parts(model: Any) -> bool:
    """Is there a `partial_fit`? An epoch over a part needs batches, and its rows all to learn from."""
    who = type(model).__name__
    if model.solver == "lbfgs":
        requirement, hint = "partial_fit needs a solver that goes batch by batch", "take solver='adam' or 'sgd'"
        raise AttributeError(format_message(who, requirement, actual="got solver='lbfgs'", hint=hint))
    if model.early_stopping:
        requirement, hint = (
            "partial_fit does not support early_stopping=True",
            "score each part before you learn from it",
        )
        raise AttributeError(format_message(who, requirement, hint=hint))
    return True


class MLPClassifier(NetworkModel, SingleLabelMixin):
    """A classifier made of layers: each unit bends a weighted sum of the units before it.

    With ``a_0 = x`` the row, ``W_l`` and ``b_l`` weights and biases of layer l and f the bend (`activation`),

    ``z_l = a_(l-1) W_l + b_l``,  ``a_l = f(z_l)``;

    the last layer answers ``p = 1/(1 + e^-z)`` for two classes, and for more the shares ``p_j = e^z_j / sum e^z``
    (softmax). Weights and biases lower

    ``F = 1/n sum_i s_i l(y_i, p_i) + alpha/(2 n) sum_l |W_l|²``

    where l is minus the logarithm of the row's own class's probability, ``s_i`` the weight of row i, and n the sum of
    those. Backpropagation gives the gradient: the last layer has ``delta = p - y``, a layer before it
    ``delta_(l-1) = (delta_l W_l') f'(z_(l-1))``, and ``W_l`` has the slope ``(a_(l-1)' delta_l + alpha W_l)/n``. Adam
    and momentum go down it batch by batch, L-BFGS with all rows at once. The start is drawn, so each seed ends
    elsewhere: F has many low places.

    Prefer boosted trees or a forest for most tables: they need no scaling and less tuning. Scale the columns before
    this one (`StandardScaler`). `LogisticRegression` is the network without hidden layers, at its exact minimum. Large
    networks are for libraries that run on graphics cards.

    Attributes
    ----------
    coefs_ : list of arrays, inputs x units of each layer
    intercepts_ : list of arrays, a number for each unit
    classes_ : labels, sorted
    n_iter_ : epochs, or steps of 'lbfgs'
    loss_, best_loss_ : F of the last epoch, and the lowest
    loss_curve_ : F of each epoch: the mean of its batches, each at the weights it met
    validation_scores_, best_validation_score_ : with early_stopping, accuracy of the rows held out
    out_activation_ : 'logistic' or 'softmax'
    n_layers_, n_outputs_, t_ : layers with the columns' one, outputs, rows learned from
    n_features_in_, feature_names_in_ : columns seen in fit

    Notes
    -----
    Steps, stopping rules and defaults are scikit-learn's: from the same weights, with ``shuffle=False``, every update
    is its own up to rounding. The random numbers are others (they hang on the seed and their place alone, so that
    threads change nothing), and rows held out are drawn by classes for more than two classes too. Logarithms are taken
    of z: a probability never rounds to zero. ``loss="squared_error"`` is the older textbook's: half the squared error
    of logistic outputs, one a class where there are more than two, with ``delta = (a - y) a (1 - a)``; their shares
    are the probabilities. A row's weight makes its step longer; with 'lbfgs' it is the same as the row written twice.
    Sparse tables are made dense a few hundred rows at a time. Single precision is computed in double and rounded at
    the end.

    References
    ----------
    Rumelhart, Hinton, Williams: Learning representations by back-propagating errors. Nature 323 (1986).
    Glorot, Bengio: Understanding the difficulty of training deep feedforward neural networks. AISTATS 2010.
    Kingma, Ba: Adam: a method for stochastic optimization. ICLR 2015.

    Examples
    --------
    One unit in one hidden layer, from given weights. At x = 2 the hidden unit is max(0, 2 * 1 + 0) = 2, the output has
    z = 2 * 0.5 - 1 = 0 and p = 1/2, so delta = 1/2 - 1. With the rate 0.1 the weight of the output goes by 0.1 * 0.5 *
    2 to 0.6, its bias by 0.05; the hidden unit has delta = -0.5 * 0.5, so its weight goes by 0.1 * 0.25 * 2:

    >>> from pellucid.neural_network import MLPClassifier
    >>> model = MLPClassifier(
    ...     1, solver="sgd", learning_rate_init=0.1, momentum=0, alpha=0, batch_size=1, shuffle=False, max_iter=1,
    ...     tol=None, coefs_init=[[[1.0]], [[0.5]]], intercepts_init=[[0.0], [-1.0]],
    ... ).partial_fit([[2.0]], ["yes"], classes=["no", "yes"])
    >>> [w.round(3).tolist() for w in model.coefs_], [b.round(3).tolist() for b in model.intercepts_]
    ([[[1.05]], [[0.6]]], [[0.025], [-0.95]])

    No plane parts the rows where exactly one of two flags is set; a hidden layer does:

    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> MLPClassifier(4, activation="tanh", solver="lbfgs", random_state=1).fit(X, y).predict(X)
    array([0, 1, 1, 0])
    """

    hidden_layer_sizes: int | list | tuple | np.ndarray = param(  # type: ignore[type-arg]
        default=(100,), check=check_sizes, kw_only=False, doc=_SIZES_DOC
    )
    activation: Literal["identity", "logistic", "tanh", "relu"] = param(default="relu", kw_only=False, doc=_BEND_DOC)
    loss: Literal["log_loss", "squared_error"] = param(
        default="log_loss", doc="What a probability costs: minus its logarithm, or half the squared error."
    )

    # ----------------------------------------------------------------------------------------------------------- target

    def _attach_target(self, d: Design, y: Any) -> None:
        super()._attach_target(d, y)
        before: Any = vars(self).get("_begin_classes")
        if before is not None and not np.array_equal(before, self.classes_):
            requirement = "warm_start can only be used where y has the same classes as in the last fit"
            actual = f"got {join_some(map(repr, self.classes_.tolist()))}; were {join_some(map(repr, before.tolist()))}"
            raise DataError(
                format_message(d.who, requirement, actual=actual, hint="set warm_start=False to start anew")
            )

    def _hidden(self) -> tuple[Any, str]:
        return self.hidden_layer_sizes, self.activation

    def _targets(self, d: Design) -> Floats:
        codes, k = d.y[:, 0].astype(int), len(self.classes_)
        if k == 2:
            return np.asarray(d.y[:, :1], dtype=np.float64)
        return np.asarray(np.eye(k)[codes])

    def _output(self) -> tuple[str, str]:
        return ("logistic" if len(self.classes_) == 2 or self.loss != "log_loss" else "softmax"), self.loss

    @available_if(_learns_in_parts)  # type: ignore[untyped-decorator]
    @with_callbacks  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None, classes: Any = None) -> Self:
        """One epoch over one more part of a table; of the solvers 'adam' and 'sgd'.

        Parameters
        ----------
        X : some rows of the table
        y : their labels
        sample_weight : n numbers, optional
            How many times as long the step of each row is.
        classes : all labels that any part may have; needed by the first call

        Returns
        -------
        self
        """
        first = not hasattr(self, "coefs_")
        self._name_classes(classes, first)
        with forgotten_on_failure(self, first):
            return self._fit_part(X, y, sample_weight)

    # ---------------------------------------------------------------------------------------------------- probabilities

    def _predict_proba(self, d: Design) -> Floats:
        p = self._answers(d)
        if p.shape[1] == 1:
            p = np.hstack([1 - p, p])
        elif self.out_activation_ == "logistic":
            p[~p.any(axis=1)] = 1  # no class will have the row: each of them alike
            p /= p.sum(axis=1, keepdims=True)
        return p.astype(self._dtype_, copy=False)

    def predict_log_proba(self, X: Any) -> Floats:
        """The natural logarithm of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))


class MLPRegressor(NetworkModel, Regressor):
    """A regression made of layers: each unit bends a weighted sum of the units before it.

    With ``a_0 = x`` the row, ``W_l`` and ``b_l`` weights and biases of layer l and f the bend (`activation`),

    ``z_l = a_(l-1) W_l + b_l``,  ``a_l = f(z_l)``;

    the last layer answers with its own bend (`out_activation`), z itself unless told. Weights and biases lower

    ``F = 1/n sum_i s_i l(y_i, a_i) + alpha/(2 n) sum_l |W_l|²``

    where l is half the squared error, summed over the targets, ``s_i`` the weight of row i, and n the sum of those.
    Backpropagation gives the gradient: the last layer has ``delta = (a - y) f'(z)``, a layer before it
    ``delta_(l-1) = (delta_l W_l') f'(z_(l-1))``, and ``W_l`` has the slope ``(a_(l-1)' delta_l + alpha W_l)/n``. Adam
    and momentum go down it batch by batch, L-BFGS with all rows at once. ``loss="poisson"`` is for counts: the answer
    is ``e^z`` and l is ``y log(y/a) - y + a``.

    Prefer boosted trees or a forest for most tables, and `LinearRegression` or `Ridge` where a plane is enough. Scale
    the columns before, and the target where it is far from the size of 1.

    Attributes
    ----------
    coefs_ : list of arrays, inputs x units of each layer
    intercepts_ : list of arrays, a number for each unit
    n_iter_ : epochs, or steps of 'lbfgs'
    loss_, best_loss_ : F of the last epoch, and the lowest
    loss_curve_ : F of each epoch: the mean of its batches, each at the weights it met
    validation_scores_, best_validation_score_ : with early_stopping, R² of the rows held out
    out_activation_ : bend of the outputs
    n_layers_, n_outputs_, t_ : layers with the columns' one, outputs, rows learned from
    n_features_in_, feature_names_in_ : columns seen in fit

    Notes
    -----
    Steps, stopping rules and defaults are scikit-learn's: from the same weights, with ``shuffle=False``, every update
    is its own up to rounding; the random numbers are others. With several targets scikit-learn reports the mean of
    their losses and goes down the slope of the sum; here both are the sum. Textbooks write the same step with the sign
    turned, ``delta = (t - y) y (1 - y)`` and ``w + eta delta h``, and an error ``1/2 sum (t - y)²`` a row: that is
    ``out_activation="logistic"``, ``solver="sgd"``, ``batch_size=1``, ``momentum=0``, ``alpha=0``. A row's weight
    makes its step longer; with 'lbfgs' it is the same as the row written twice. Sparse tables are made dense a few
    hundred rows at a time. Single precision is computed in double and rounded at the end.

    References
    ----------
    Rumelhart, Hinton, Williams: Learning representations by back-propagating errors. Nature 323 (1986).
    Kingma, Ba: Adam: a method for stochastic optimization. ICLR 2015.

    Examples
    --------
    One unit in one hidden layer, from given weights. At x = 2 the hidden unit is max(0, 2 * 1) = 2 and the answer
    2 * 0.5 = 1; the target is 2, so delta = -1. With the rate 0.1 the weight of the output goes by 0.1 * 1 * 2, its
    bias by 0.1; the hidden unit has delta = -1 * 0.5, so its weight goes by 0.1 * 0.5 * 2 and its bias by 0.05:

    >>> from pellucid.neural_network import MLPRegressor
    >>> model = MLPRegressor(
    ...     hidden_layer_sizes=1, solver="sgd", learning_rate_init=0.1, momentum=0, alpha=0, max_iter=1, tol=None,
    ...     coefs_init=[[[1.0]], [[0.5]]],
    ... ).fit([[2.0]], [2.0])
    >>> [w.round(3).tolist() for w in model.coefs_], [b.round(3).tolist() for b in model.intercepts_]
    ([[[1.1]], [[0.7]]], [[0.05], [0.1]])
    """

    loss: Literal["squared_error", "poisson"] = param(
        default="squared_error", kw_only=False, doc="What an error costs: see above."
    )
    hidden_layer_sizes: int | list | tuple | np.ndarray = param(  # type: ignore[type-arg]
        default=(100,), check=check_sizes, kw_only=False, doc=_SIZES_DOC
    )
    activation: Literal["identity", "logistic", "tanh", "relu"] = param(default="relu", kw_only=False, doc=_BEND_DOC)
    out_activation: Literal["identity", "logistic", "tanh"] = param(
        default="identity", doc="Bend of the outputs under squared error: 'logistic' for targets between 0 and 1."
    )

    _score_code = 1

    def _attach_target(self, d: Design, y: Any) -> None:
        super()._attach_target(d, y)
        if self.loss == "poisson" and (d.y < 0).any():
            bad = np.flatnonzero((d.y < 0).any(axis=1))
            requirement = "loss='poisson' takes targets of zero or more"
            raise DataError(format_message(d.who, requirement, actual=f"y is below zero in {noun_list('row', bad)}"))

    def _hidden(self) -> tuple[Any, str]:
        return self.hidden_layer_sizes, self.activation

    def _targets(self, d: Design) -> Floats:
        return np.asarray(d.y, dtype=np.float64)

    def _output(self) -> tuple[str, str]:
        if self.loss == "poisson" and self.out_activation != "identity":
            requirement = "loss='poisson' answers e^z, so out_activation must be left as it is"
            raise ParameterError(
                format_message(type(self).__name__, requirement, actual=f"got {self.out_activation!r}")
            )
        return ("exp" if self.loss == "poisson" else self.out_activation), self.loss

    def _fit(self, d: Design, trace: Any) -> None:
        self._vector_ = d.y_is_vector
        super()._fit(d, trace)

    @available_if(_learns_in_parts)  # type: ignore[untyped-decorator]
    @with_callbacks  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """One epoch over one more part of a table; of the solvers 'adam' and 'sgd'.

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
        first = not hasattr(self, "coefs_")
        with forgotten_on_failure(self, first):
            self._fit_part(X, y, sample_weight)
        if first:
            self._vector_ = np.ndim(y) == 1
        return self

    def _predict(self, d: Design) -> Array:
        answers = self._answers(d).astype(self._dtype_, copy=False)
        return answers[:, 0] if self._vector_ else answers
