"""Complement naive Bayes: a row belongs where all the other classes suit it least."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pellucid.base.declare import param
from pellucid.base.types import Floats
from pellucid.data.design import Design
from pellucid.naive_bayes._counts import CountClassifier

__all__ = ["ComplementNB"]


class ComplementNB(CountClassifier):
    """Classes of counts, each judged by the rows of all other classes: steadier where classes differ much in size.

    With ``M_cj``, how often column j occurs in the rows that are *not* of class c,

        ``theta_cj = (M_cj + alpha) / sum_j (M_cj + alpha)``,   ``w_cj = -ln theta_cj``

    and with ``norm=True`` the weights of a class are divided by the sum of their sizes. The score of a row with counts
    x is  ``sum_j x_j w_cj``:  large where the words are rare outside the class (Rennie, Shih, Teevan, Karger 2003,
    table 4, the sign turned so that the largest wins). Priors are not part of it, except with a single class. ``m`` and
    ``p`` give the m-estimate  ``theta_cj = (M_cj + m p_j) / (M_c + m)``  instead.

    The scores are no joint probabilities: `predict_proba` is ``e^score / sum e^score``, good for an order of rows, not
    as a chance. Without smoothing the answer is the limit of ever smaller alpha: the class wins that has most of the
    words which no other class has. Of classes with equal scores the first in `classes_` is predicted.

    Attributes
    ----------
    classes_ : the labels, sorted
    class_count_ : rows (or their weight) of each class
    class_prior_, class_log_prior_ : the prior of each class, and its logarithm; not used with two classes or more
    feature_count_ : k x p sums of each column within each class
    feature_all_ : p sums over all classes
    feature_log_prob_ : k x p weights w_cj
    n_features_in_, feature_names_in_ : columns seen in fit

    Examples
    --------
    Outside a are words 0 + 4, outside b 3 + 1; one is added to each: theta is 1/6, 5/6 and 4/6, 2/6.

    >>> import numpy as np
    >>> from pellucid.naive_bayes import ComplementNB
    >>> model = ComplementNB().fit([[2, 1], [1, 0], [0, 4]], ["a", "a", "b"])
    >>> np.exp(-model.feature_log_prob_).round(4).tolist()
    [[0.1667, 0.8333], [0.6667, 0.3333]]
    >>> model.predict_proba([[1, 0]]).round(4).tolist()  # 6 : 6/4
    [[0.8, 0.2]]

    Notes
    -----
    scikit-learn's answers (there, no smoothing gives NaN); `m` and `p` are additions.

    References
    ----------
    Rennie, Shih, Teevan, Karger (2003), Tackling the poor assumptions of naive Bayes text classifiers, ICML.
    """

    norm: bool = param(default=False, doc="Divide the weights of each class by the sum of their sizes.")

    def _settle(self, d: Design) -> None:
        added, total = self._smoothing(d, 1 / d.n_cols)
        self.feature_all_: Floats = self.feature_count_.sum(axis=0)
        others = np.maximum(self.feature_all_ - self.feature_count_, 0.0)  # a difference of rounded sums
        count = others + added
        sums = count.sum(axis=1) if total is None else others.sum(axis=1) + total
        with np.errstate(divide="ignore", invalid="ignore"):
            self.feature_log_prob_: Floats = np.where(count > 0, np.log(sums)[:, None] - np.log(count), np.inf)
            if self.norm:
                self.feature_log_prob_ = self._normed(self.feature_log_prob_)
        # ln of the sums stays finite where the weight is not: what is left of it beside ln(alpha) as alpha falls to 0.
        self._finite_ = np.where(count > 0, 0.0, np.log(np.where(sums > 0, sums, 1.0))[:, None])

    def _normed(self, weights: Floats) -> Floats:
        """Divided by their sum; where some are infinite, these share it and the others vanish."""
        infinite = np.isposinf(weights)
        some = infinite.any(axis=1, keepdims=True)
        total = np.where(some, infinite.sum(axis=1, keepdims=True), weights.sum(axis=1, keepdims=True))
        whole = np.where(some, infinite, weights)
        return np.asarray(np.divide(whole, total, out=np.zeros_like(weights), where=total > 0))

    def _form(self) -> tuple[Floats, Floats, Callable[[Design, Floats], Floats] | None]:
        k = len(self.classes_)
        start = self.class_log_prior_ if k == 1 else np.zeros(k)
        endless = np.isposinf(self.feature_log_prob_)
        if not endless.any():
            return self.feature_log_prob_, start, None

        def most_endless(d: Design, scores: Floats) -> Floats:
            hits = self._linear(d, endless.astype(np.float64), np.zeros(k))
            return np.where(hits < hits.max(axis=1, keepdims=True), -np.inf, scores)

        return np.where(endless, self._finite_, self.feature_log_prob_), start, most_endless
