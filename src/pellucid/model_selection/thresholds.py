"""Classifiers that say yes from another probability on than one half."""

from __future__ import annotations

import copy
from typing import Any

from sklearn import model_selection as theirs
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.utils._param_validation import StrOptions

from pellucid.metrics.scorers import get_scorer, get_scorer_names

__all__ = ["FixedThresholdClassifier", "TunedThresholdClassifierCV"]


class TunedThresholdClassifierCV(theirs.TunedThresholdClassifierCV):
    """Finds by cross-validation from which probability (or decision value) on a row is best called positive.

    Each fold's classifier gives scores to its held-out rows, and the metric is taken at ``thresholds`` places between
    the lowest and the highest of them. The curves of the folds are brought to common thresholds by interpolation, and
    the threshold with the highest mean is the one that ``predict`` goes by.

    It is scikit-learn's class with `pellucid.metrics` for scores by name. `pellucid.metrics.tune_threshold` finds the
    threshold for labels and scores at hand, and that with the least expected cost.

    Parameters
    ----------
    estimator : a classifier of two classes
    scoring : what is to be high: a name of `get_scorer_names` of a score of labels, or a scorer
    response_method : "auto", "predict_proba" or "decision_function"
    thresholds : number of thresholds tried, or the thresholds
    cv : folds; a share (float) holds out that part once; "prefit" takes the estimator as fitted
    refit, n_jobs, random_state, store_cv_results : as in scikit-learn

    Attributes
    ----------
    best_threshold_, best_score_, estimator_, classes_, cv_results_ : as in scikit-learn

    Examples
    --------
    Two of ten rows are positive, and none has a probability above one half: a threshold below it finds them.

    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> x = np.arange(100.0) / 100
    >>> y = (np.arange(100) % 10 > 7).astype(int) | (x > 0.9)
    >>> model = TunedThresholdClassifierCV(LogisticRegression(), scoring="f1", cv=3).fit(x[:, None], y)
    >>> bool(model.best_threshold_ < 0.5), int(model.predict([[0.95]])[0])
    (True, 1)
    """

    _parameter_constraints = {
        **theirs.TunedThresholdClassifierCV._parameter_constraints,
        "scoring": [StrOptions(set(get_scorer_names())), callable],
    }

    def _get_curve_scorer(self) -> Any:
        if not isinstance(self.scoring, str):
            return super()._get_curve_scorer()
        named = copy.copy(self)
        named.scoring = get_scorer(self.scoring)
        return super(TunedThresholdClassifierCV, named)._get_curve_scorer()
