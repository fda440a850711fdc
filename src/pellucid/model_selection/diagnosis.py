"""What is wrong with a model, in words: too simple, too flexible, or fine; and which rows it gets wrong."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.utils import _safe_indexing

from pellucid.base.errors import ParameterError, PellucidWarning, count, named, sentence, warn
from pellucid.base.parallel import is_ours, run
from pellucid.base.types import Array, Floats
from pellucid.metrics.scorers import check_scoring
from pellucid.model_selection._folds import read_folds
from pellucid.model_selection.comparison import baseline_for
from pellucid.model_selection.curves import LearningCurve, learning_curve
from pellucid.model_selection.significance import corrected_t_test, score_interval
from pellucid.model_selection.validation import Validation, cross_validate

__all__ = ["Diagnosis", "WorstRows", "cross_val_predict", "diagnose", "nested_cross_validate", "worst_rows"]

TOO_SIMPLE = (
    "more or better columns (powers, products, other sources)",
    "a more flexible model, or less regularisation",
    "more rows will not help: both curves have met",
)
TOO_FLEXIBLE = (
    "more rows",
    "fewer columns, or a simpler model",
    "more regularisation, or stopping earlier",
    "cleaner data: look at the worst rows for errors and outliers",
    "an average of many models (bagging, a forest)",
)


MATTERS = 0.25  # a gap matters if it is more than this share of what the model gains over the baseline,
LEAST = 0.1  # and more than this share of the way from the baseline to a perfect score
UNCLEAR = ("more rows: the intervals are too wide", "more folds")
RULE = (
    "The rule. Overfitted: rows score better with models that have seen them than with one that has not, by more "
    "than chance (the 95 % interval of the gap lies above 0, or each of five folds or more scores worse than the "
    "rows learned from) and by a size that matters (a quarter of what the model gains over the baseline on the rows "
    "learned from, at least a tenth of the way from the baseline to a perfect score). Cannot tell: the interval "
    "holds both 0 and a gap that matters, or the score on held-out rows may be off by twice that size. Underfitted: "
    "even on the rows learned from, less than half of the way to a perfect score is made; the model is too simple, "
    "or the columns say no more. Well fitted: none of these."
)


@dataclass(frozen=True)
class Diagnosis:
    """The verdict and the figures behind it.

    verdict : "nothing learned", "underfitted", "overfitted" or "well fitted"; "under- and overfitted" where both hold;
        "cannot tell" where the rows are too few to say whether it is overfitted
    train, test, baseline : mean scores on the rows fitted, on the rows held out, and of the baseline on those
    gap : what rows score with models that have seen them, less what they score with the one that has not;
        gap_low : the lower end of its 95 % interval
    still_rising : is the score on held-out rows still getting better with more rows?
    reasons, remedies : sentences
    """

    verdict: str
    train: float
    test: float
    baseline: float
    gap: float
    gap_low: float
    still_rising: bool
    reasons: list[str]
    remedies: list[str] = field(default_factory=list)
    curve: LearningCurve | None = None

    def __str__(self) -> str:
        lines = [f"Verdict: {self.verdict}.", "", *(f"- {reason}" for reason in self.reasons)]
        if self.remedies:
            lines += ["", "What may help:", *(f"- {remedy}" for remedy in self.remedies)]
        return "\n".join(lines)


def diagnose(
    model: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = 5,
    scoring: Any = None,
    groups: Any = None,
    target: float | None = None,
    perfect: float = 1.0,
    n_jobs: int | None = None,
    random_state: Any = 0,
) -> Diagnosis:
    """Says whether a model is too simple, too flexible or well fitted, with the figures that say so.

    Scores are taken by cross-validation, on the rows fitted (train) and held out (test), and for a baseline that looks
    at the target alone. The gap of a fold is what its rows score with the models of the other folds, which have seen
    them, less what they score with its own, which has not. The model is

    - *overfitted* if the gap is more than the chance of the folds (its corrected 95 % interval lies above 0, or
      each of five folds or more scores worse than the rows fitted) and matters: it is more than a quarter of what the
      model gains over the baseline on the rows fitted, and more than a tenth of the way to a ``perfect`` score;
    - *nothing learned* if it does not beat the baseline on rows held out, or gains less than a tenth of the way to a
      ``perfect`` score and cannot be told from it (corrected t-test over the folds, 5 %); unless it is overfitted and
      good on the rows fitted: then it has learned, by heart;
    - *underfitted* if its train score misses ``target``, or, without one, gains less than half of the way from the
      baseline to a ``perfect`` score;
    - *cannot tell* if the interval of the gap holds both 0 and a gap that matters, or if the 95 % interval of the score
      on rows held out reaches further to either side than twice that size: the rows are too few;
    - *well fitted* otherwise.

    Parameters
    ----------
    model, X, y, scoring, groups, n_jobs : as in `cross_validate`; the higher the score the better
    cv : number of folds, of shuffled rows, or a splitter
    target : the score that is wanted
    perfect : the best score there is, 1 for R² and accuracy

    Examples
    --------
    >>> import numpy as np
    >>> from pellucid.linear_model import LinearRegression
    >>> x = np.linspace(-1, 1, 60)[:, None]
    >>> diagnose(LinearRegression(), x, x[:, 0] ** 2 + x[:, 0] / 2).verdict  # a line through a parabola
    'underfitted'
    """
    X, y, folds = read_folds("diagnose", model, X, y, groups, cv, random_state, least=2)
    common: dict[str, Any] = {"cv": folds, "scoring": scoring, "n_jobs": n_jobs, "error_score": "raise"}
    found = cross_validate(model, X, y, return_train_score=True, return_estimator=True, **common)
    base = cross_validate(baseline_for(model), X, y, return_train_score=True, **common)
    curve = learning_curve(model, X, y, train_sizes=[0.5, 1.0], shuffle=True, random_state=random_state, **common)
    return _judge(found, _gaps(found, X, y, folds, scoring), base, curve, target, perfect)


def _gaps(found: Validation, X: Any, y: Any, folds: Any, scoring: Any) -> Floats:
    """What the rows of a fold score with the models that have seen them, less what they score with the one that has
    not: both look at the same rows, so that a fold of hard rows is no gap. Train less test where nobody has seen them.
    """
    score, gaps = check_scoring(found["estimator"][0], scoring), []
    for k, (_, held) in enumerate(folds):
        rows, target = _safe_indexing(X, held), _safe_indexing(y, held)
        seen = [
            model for model, (train, _) in zip(found["estimator"], folds, strict=True) if np.isin(held, train).all()
        ]
        if seen:
            gaps.append(np.mean([score(model, rows, target) for model in seen]) - found["test_score"][k])
    return np.array(gaps) if len(gaps) > 1 else np.asarray(found["train_score"] - found["test_score"])


def _judge(
    found: Validation, gaps: Floats, base: Validation, curve: LearningCurve, target: float | None, perfect: float
) -> Diagnosis:
    scores = (found["train_score"], found["test_score"], base["test_score"])
    train, test, baseline = (float(part.mean()) for part in scores)
    share = found.test_share
    gap = score_interval(gaps, share)
    learned = corrected_t_test(found["test_score"], base["test_score"], share)
    rising = score_interval(curve.test_scores[-1] - curve.test_scores[0], share)
    gain = test - baseline
    nothing = gain <= 0 or (learned.p_value >= 0.05 and gain < 0.1 * (perfect - baseline))
    ground = float(base["train_score"].mean())
    size = max(MATTERS * (train - ground), LEAST * (perfect - ground), 0)
    # One terrible fold widens the interval until it says nothing; that every fold is worse says it still.
    in_every_fold = len(gaps) >= 5 and bool((found["train_score"] > found["test_score"]).all())
    over = (gap.low > 0 or in_every_fold) and gap.mean > size
    known = score_interval(found["test_score"], share)
    reach = (known.high - known.low) / 2
    open_gap, vague = gap.low <= 0 and gap.high > size, reach > 2 * size
    wanted = baseline + 0.5 * (perfect - baseline) if target is None else target
    under = train < wanted
    reasons = [
        f"score on the rows fitted {train:.4g}, on rows held out {test:.4g}, of the baseline {baseline:.4g}",
        f"gap on the same rows {gap.mean:.4g} (95 % interval {gap.low:.4g} to {gap.high:.4g})",
    ]
    if gain <= 0:
        reasons.append("on rows held out it is no better than the baseline")
    elif nothing:
        reasons.append(f"the model cannot be told from the baseline (p = {learned.p_value:.3g})")
    if under:
        goal = f"the target {wanted:.4g}" if target is not None else f"half of the way to a perfect score, {wanted:.4g}"
        reasons.append(f"even on the rows fitted it misses {goal}: it is too simple, or the columns say no more")
    matters = f"{size:.4g}, the size that matters here"
    if over:
        how = "more than the chance of the folds explains" if gap.low > 0 else f"in each of {len(gaps)} folds"
        reasons.append(f"it does better on the rows it has seen, {how}, and by more than {matters}")
    elif open_gap:
        reasons.append(f"the interval of the gap holds both 0 and {matters}: too wide to tell whether it is overfitted")
    elif vague:
        reasons.append(
            f"the score on rows held out may be {reach:.4g} more or less, above twice {matters}: too few rows"
        )
    elif not nothing:
        reasons.append(f"the gap is less than {matters}")
    if rising.low > 0:
        reasons.append(f"with twice the rows the score on held-out rows rose by {rising.mean:.4g}: more may help")
    verdict = _verdict(nothing and (under or not over), under, over, open_gap or vague)
    remedies = [*(TOO_SIMPLE if under and not over else ()), *(TOO_FLEXIBLE if over else ())]
    remedies += UNCLEAR if verdict == "cannot tell" else ()
    if verdict == "nothing learned":
        remedies = list(dict.fromkeys(["other columns: these say little about the target", "more rows", *remedies]))
    return Diagnosis(verdict, train, test, baseline, gap.mean, gap.low, rising.low > 0, reasons, remedies, curve)


def _verdict(nothing: bool, under: bool, over: bool, unclear: bool) -> str:
    if nothing:
        return "nothing learned"
    if under and over:
        return "under- and overfitted"
    return "underfitted" if under else "overfitted" if over else "cannot tell" if unclear else "well fitted"


# --------------------------------------------------------------------------------------------------------------- rows


def cross_val_predict(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    groups: Any = None,
    cv: Any = None,
    n_jobs: int | None = None,
    method: str = "predict",
) -> Array:
    """The prediction of each row by a model that has not seen it; folds must hold every row out once, as scikit-learn.

    Examples
    --------
    >>> from pellucid.dummy import DummyRegressor
    >>> cross_val_predict(DummyRegressor(), [[0], [0], [0], [0]], [1.0, 3.0, 5.0, 7.0], cv=2).tolist()
    [6.0, 6.0, 2.0, 2.0]
    """
    X, y, folds = read_folds("cross_val_predict", estimator, X, y, groups, cv)
    rows = np.concatenate([test for _, test in folds])
    if not np.array_equal(np.sort(rows), np.arange(X.shape[0] if hasattr(X, "shape") else len(X))):
        must = "cross_val_predict only works for partitions: every row must be held out once"
        raise ParameterError(sentence("cross_val_predict", must))
    classes = np.unique(np.asarray(y)) if is_classifier(estimator) and method in ABSENT else None
    calls = [(clone(estimator), X, y, train, test, method, classes) for train, test in folds]
    parts = run(_predict_held_out, calls, n_jobs, "predictions", threads=is_ours(estimator))
    joined = np.concatenate(parts)
    return np.asarray(joined[np.argsort(rows, kind="stable")])


# What a class gets that is not among the training rows of a fold.
ABSENT = {
    "predict_proba": 0.0,
    "predict_log_proba": float(np.finfo(np.float64).min),
    "decision_function": float(np.finfo(np.float64).min),
}


def _predict_held_out(model: Any, X: Any, y: Any, train: Any, test: Any, method: str, classes: Array | None) -> Array:
    part = _safe_indexing(X, train)
    model.fit(part) if y is None else model.fit(part, _safe_indexing(y, train))
    found = np.asarray(getattr(model, method)(_safe_indexing(X, test)))
    known: Any = getattr(model, "classes_", classes)
    if classes is None or isinstance(known, list) or len(known) == len(classes):
        return found
    absent = [label for label in classes.tolist() if label not in set(np.asarray(known).tolist())]
    warn(
        sentence("cross_val_predict", f"a fold has no training row of {named('label', map(repr, absent))}"),
        PellucidWarning,
    )
    whole = np.full((len(test), len(classes)), ABSENT[method])
    if found.ndim == 1:  # two classes: the decision is one number, for the second of them
        found = np.column_stack([-found, found])
    whole[:, np.searchsorted(classes, known)] = found
    return whole


@dataclass(frozen=True, eq=False)
class WorstRows:
    """The rows that a model gets most wrong, worst first; ``by`` holds the mean error of each value of a column."""

    rows: Array
    errors: Floats
    predictions: Array
    all_errors: Floats
    by: dict[Any, tuple[int, float]] = field(default_factory=dict)

    def __str__(self) -> str:
        lines = [f"{'row':>8}  {'error':>12}  prediction"]
        lines += [f"{r:8d}  {e:12.6g}  {p}" for r, e, p in zip(self.rows, self.errors, self.predictions, strict=True)]
        if self.by:
            lines += ["", f"{'slice':>16}  {'rows':>6}  mean error (all rows {self.all_errors.mean():.6g})"]
            lines += [f"{value!s:>16}  {n:6d}  {error:.6g}" for value, (n, error) in self.by.items()]
        return "\n".join(lines)


def worst_rows(
    model: Any, X: Any, y: Any, n: int = 10, *, by: Any = None, cv: Any = 5, random_state: Any = 0
) -> WorstRows:
    """Error analysis: which rows are predicted worst by a model that has not seen them, and in which slices.

    The error of a row is ``|y - prediction|`` for a regressor; for a classifier 1 less the probability given to the
    true class, or 0 and 1 where it gives none.

    Parameters
    ----------
    by : labels of the rows (a column, bins): the mean error of each, worst first

    Examples
    --------
    >>> from pellucid.dummy import DummyRegressor
    >>> worst_rows(DummyRegressor(), [[0]] * 4, [1.0, 1.0, 1.0, 9.0], n=1, cv=4).rows.tolist()
    [3]
    """
    if n < 1:
        raise ParameterError(sentence("worst_rows", "n must be at least 1", f"got {n!r}"))
    X, y, folds = read_folds("worst_rows", model, X, y, None, cv, random_state)
    actual, predictions = np.asarray(y), cross_val_predict(model, X, y, cv=folds)
    if not is_classifier(model):
        errors = np.abs(actual.astype(np.float64) - predictions).reshape(len(actual), -1).max(axis=1)
    elif hasattr(model, "predict_proba"):
        given = cross_val_predict(model, X, y, cv=folds, method="predict_proba")
        errors = 1 - given[np.arange(len(actual)), np.searchsorted(np.unique(actual), actual)]
    else:
        errors = (actual != predictions).astype(np.float64)
    worst = np.argsort(-errors, kind="stable")[:n]
    return WorstRows(worst, errors[worst], predictions[worst], errors, {} if by is None else _slices(by, errors))


def _slices(by: Any, errors: Floats) -> dict[Any, tuple[int, float]]:
    labels = np.asarray(by)
    if len(labels) != len(errors):
        must = "by must name the slice of every row"
        raise ParameterError(sentence("worst_rows", must, f"got {len(labels)} for {count(len(errors), 'row')}"))
    found = {value: errors[labels == value] for value in np.unique(labels).tolist()}
    ordered = sorted(found.items(), key=lambda item: -float(item[1].mean()))
    return {value: (len(part), float(part.mean())) for value, part in ordered}


def nested_cross_validate(
    search: Any, X: Any, y: Any, *, cv: Any = 5, scoring: Any = None, n_jobs: int | None = None, random_state: Any = 0
) -> Validation:
    """The score of *choosing and fitting*: a search with its own inner folds is fitted on each outer training part.

    The best score of a search is too good: it was chosen for being the best. Scores on the outer rows, which neither
    the fits nor the choice have seen, are honest. ``estimator`` holds the fitted search of every fold: choices that
    differ from fold to fold say that the choice itself is uncertain.

    Examples
    --------
    >>> from pellucid.model_selection import GridSearchCV
    >>> from pellucid.linear_model import LinearRegression
    >>> X, y = [[float(i)] for i in range(20)], [3.0 * i + i % 3 for i in range(20)]
    >>> search = GridSearchCV(LinearRegression(), {"fit_intercept": [False, True]}, cv=3)
    >>> len(nested_cross_validate(search, X, y)["test_score"])
    5
    """
    X, y, folds = read_folds("nested_cross_validate", search, X, y, None, cv, random_state)
    return cross_validate(search, X, y, cv=folds, scoring=scoring, n_jobs=n_jobs, return_estimator=True)
