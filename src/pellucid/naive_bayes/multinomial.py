"""Multinomial naive Bayes: counts, such as how often each word stands in a text."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pellucid.base.types import Floats
from pellucid.data.design import Design
from pellucid.naive_bayes._counts import CountClassifier, log_ratio

__all__ = ["MultinomialNB"]


class MultinomialNB(CountClassifier):
    """Classes of counts: each class draws its words from its own urn.

    With ``N_cj``, how often column j occurs in the rows of class c, and ``N_c = sum_j N_cj``, the chance of drawing
    column j in class c is

        ``P(j | c) = (N_cj + alpha) / (N_c + alpha p)``    of p columns (alpha=1: Laplace, 0: none)
        ``P(j | c) = (N_cj + m p_j) / (N_c + m)``          m-estimate, with the prior chance p_j = 1/p unless told

    and a row with counts x has the score  ``ln P(c) + sum_j x_j ln P(j | c)``;  probabilities are
    ``e^score / sum e^score``. Fit and predict go once through the counts; sparse tables stay sparse. Fractions, such as
    tf-idf, count as they are. Of classes with equal scores the first in `classes_` is predicted.

    Without smoothing, a column that a class never had makes its score -inf; a row that no class can have gets the
    priors. Prefer `ComplementNB` for classes of very different size, `BernoulliNB` for short texts, where it matters
    which words are absent, `GaussianNB` for measurements.

    Attributes
    ----------
    classes_ : the labels, sorted
    class_count_ : rows (or their weight) of each class
    class_prior_, class_log_prior_ : the prior of each class, and its logarithm
    feature_count_ : k x p sums N_cj
    feature_log_prob_ : k x p logarithms ln P(j | c)
    n_features_in_, feature_names_in_ : columns seen in fit

    Examples
    --------
    Class a has words 3 + 1, class b 0 + 4; with one added to each, a draws the first word with 4/6 and b with 1/6.

    >>> import numpy as np
    >>> from pellucid.naive_bayes import MultinomialNB
    >>> model = MultinomialNB().fit([[2, 1], [1, 0], [0, 4]], ["a", "a", "b"])
    >>> np.exp(model.feature_log_prob_).round(4).tolist()
    [[0.6667, 0.3333], [0.1667, 0.8333]]
    >>> model.predict_proba([[1, 0]]).round(4).tolist()  # 2/3 4/6 : 1/3 1/6 = 8 : 1
    [[0.8889, 0.1111]]

    Notes
    -----
    scikit-learn's answers; `m` and `p` are additions. Without smoothing a zero count times the logarithm of 0 is 0 here
    in dense tables too, and a class without any count has probability 0 for every word (there: NaN).
    """

    def _settle(self, d: Design) -> None:
        added, total = self._smoothing(d, 1 / d.n_cols)
        count = self.feature_count_ + added
        sums = count.sum(axis=1) if total is None else self.feature_count_.sum(axis=1) + total
        self.feature_log_prob_: Floats = log_ratio(count, sums[:, None])

    def _form(self) -> tuple[Floats, Floats, Callable[[Design, Floats], Floats] | None]:
        impossible = np.isneginf(self.feature_log_prob_)
        if not impossible.any():
            return self.feature_log_prob_, self.class_log_prior_, None

        def rule_out(d: Design, scores: Floats) -> Floats:
            hits = self._linear(d, impossible.astype(np.float64), np.zeros(len(self.classes_)))
            return np.where(hits > 0, -np.inf, scores)

        return np.where(impossible, 0.0, self.feature_log_prob_), self.class_log_prior_, rule_out
