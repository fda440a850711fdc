"""Several models on the same folds: which is best, and which are shown to be worse or practically equal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import is_classifier, is_regressor
from sklearn.utils import _safe_indexing

from pellucid.base.errors import DataError, ParameterError, format_message, join_some
from pellucid.base.types import Array, Floats
from pellucid.model_selection._folds import check_model, read_folds
from pellucid.model_selection.significance import (
    PairedTest,
    PosteriorDifference,
    bayesian_t_test,
    corrected_t_test,
    holm,
    mcnemar_test,
)
from pellucid.model_selection.splits import RepeatedKFold, RepeatedStratifiedKFold
from pellucid.model_selection.validation import CVResult, cross_validate

__all__ = ["Comparison", "compare"]

BASELINE = "baseline"
ROPE = 0.02  # of the way from the baseline to a perfect score: differences up to this size do not matter
REPEATS = ((1000, 5), (5000, 2))  # rows up to which five folds are drawn so many times
FEW_FOLDS_FROM = 200_000  # rows from which on three folds are enough

Verdict = Literal["best", "worse", "practically equal", "not shown to differ"]


@dataclass(frozen=True)
class Comparison:
    """Models on the same folds, each compared with the best one.

    names : the models, best mean score first
    validations : what `cross_validate` found for each
    posteriors : for each model but the best, how far the best is ahead of it (`bayesian_t_test`)
    tests : for each model but the best, the corrected t-test of the best against it
    adjusted : their p values, adjusted by Holm for the number of models but one
    mcnemar : for classifiers with fitted models, McNemar's test of the best against each, over all held-out rows
    rope : differences up to this size do not matter in practice, in units of the score
    level : how probable a verdict must be
    """

    names: list[str]
    validations: dict[str, CVResult]
    posteriors: dict[str, PosteriorDifference]
    tests: dict[str, PairedTest]
    adjusted: dict[str, float]
    mcnemar: dict[str, PairedTest] = field(default_factory=dict)
    rope: float = 0.0
    level: float = 0.95

    @classmethod
    def of(
        cls,
        validations: Mapping[str, CVResult],
        *,
        rope: float | None = None,
        level: float = 0.95,
        fold_units: ArrayLike | None = None,
        right: Mapping[str, Array] | None = None,
    ) -> Comparison:
        """Compares what `cross_validate` found for several models on the same folds.

        Parameters
        ----------
        validations : by the models' names
        rope : differences up to this size do not matter; None for a fiftieth of the way from the baseline to a perfect
            score (0 without a baseline)
        level : how probable a verdict must be
        fold_units : the size of a difference that counts as 1 on each fold, where folds differ in scale, such as the
            errors of the baseline; the rope is in the same units then
        right : for classifiers, whether each held-out row was predicted correctly, by the models' names
        """
        order = sorted(validations, key=lambda name: (-float(validations[name]["test_score"].mean()), name == BASELINE))
        units = 1.0 if fold_units is None else np.asarray(fold_units, dtype=np.float64)
        scores = {name: np.asarray(validations[name]["test_score"]) / units for name in order}
        for name, values in scores.items():
            if not np.isfinite(values).all():
                raise DataError(format_message("compare", f"scores must be finite numbers; those of {name} are not"))
        best, share = order[0], validations[order[0]].test_share
        rope = _default_rope(scores) if rope is None else float(rope)
        posteriors = {name: bayesian_t_test(scores[best], scores[name], share, rope) for name in order[1:]}
        tests = {name: corrected_t_test(scores[best], scores[name], share) for name in order[1:]}
        p_values = holm([test.p_value for test in tests.values()]).tolist()
        counted = {} if right is None else {name: mcnemar_test(right[best], right[name]) for name in order[1:]}
        adjusted = dict(zip(order[1:], p_values, strict=True))
        return cls(order, dict(validations), posteriors, tests, adjusted, counted, rope, level)

    @property
    def best(self) -> str:
        """The model with the highest mean score."""
        return self.names[0]

    def scores(self, name: str) -> Floats:
        """A model's score on each fold."""
        return np.asarray(self.validations[name]["test_score"])

    def verdict(self, name: str) -> Verdict:
        """A model against the best one.

        "worse" or "practically equal" if that has at least the probability ``level``: that it is worse by more than the
        rope, or that the difference lies within it. Otherwise "not shown to differ": the folds cannot tell, which does
        not mean that the model is as good.
        """
        self._check(name)
        if name == self.best:
            return "best"
        found = self.posteriors[name]
        if found.p_equivalent >= self.level:
            return "practically equal"
        return "worse" if found.p_first >= self.level else "not shown to differ"

    def not_worse(self) -> list[str]:
        """The best model and those that are not shown to be worse."""
        return [name for name in self.names if self.verdict(name) != "worse"]

    def pairwise(self) -> dict[tuple[str, str], float]:
        """The p values of all pairs, adjusted by Holm for their number; the question must be about all pairs."""
        pairs = list(combinations(self.names, 2))
        share = self.validations[self.best].test_share
        tests = [corrected_t_test(self.scores(first), self.scores(second), share) for first, second in pairs]
        return dict(zip(pairs, holm([test.p_value for test in tests]).tolist(), strict=True))

    def _check(self, name: str) -> None:
        if name not in self.names:
            requirement = "the model must be one of those compared"
            raise ParameterError(
                format_message("compare", requirement, actual=f"got {name!r}; there are {join_some(self.names)}")
            )

    def __str__(self) -> str:
        width = max(len("model"), *(len(name) for name in self.names))
        lines = [f"{'model':{width}}  {'mean':>8}  {'sd':>8}  {'fit (s)':>8}  against the best"]
        for name in self.names:
            scores, found = self.scores(name), self.validations[name]
            lines.append(
                f"{name:{width}}  {scores.mean():8.4f}  {scores.std(ddof=1):8.4f}  {found['fit_time'].mean():8.3g}  "
                f"{self._line(name)}"
            )
        return "\n".join([*lines, "", self._summary()])

    def _line(self, name: str) -> str:
        if name == self.best:
            return "best"
        found, scores = self.posteriors[name], self.scores(name)
        n_worse = int((scores < self.scores(self.best)).sum())
        probabilities = f"worse {_percent(found.p_first)}, equivalent {_percent(found.p_equivalent)}"
        counted = self.mcnemar.get(name)
        rows = "" if counted is None else f"; McNemar p = {counted.p_value:.3g}"
        return f"{self.verdict(name)} ({probabilities}; lower in {n_worse} of {len(scores)} folds{rows})"

    def _summary(self) -> str:
        equal = [name for name in self.names if self.verdict(name) == "practically equal"]
        unclear = [name for name in self.names if self.verdict(name) == "not shown to differ"]
        text = f"{self.best} has the highest mean score"
        text += "." if equal or unclear else ", and every other model is worse."
        if equal:
            text += f" Practically equal, within {self.rope:.3g}: {', '.join(equal)}."
        if unclear:
            text += f" Not shown to be worse: {', '.join(unclear)}."
        if self.best == BASELINE or (BASELINE in self.names and self.verdict(BASELINE) != "worse"):
            text += " No model is shown to beat the baseline."
        return text


def _percent(probability: float) -> str:
    """A probability that is never shown as certain."""
    if probability > 0.99:
        return ">99%"
    return "<1%" if probability < 0.01 else f"{probability:.0%}"


def _default_rope(scores: Mapping[str, Floats]) -> float:
    """A fiftieth of the way from the baseline to a perfect score: 1, or 0 for errors, which are never positive."""
    if BASELINE not in scores:
        return 0.0
    perfect = 0.0 if max(float(values.max()) for values in scores.values()) <= 0 else 1.0
    return ROPE * max(perfect - float(scores[BASELINE].mean()), 0.0)


def compare(
    models: Mapping[str, Any] | Iterable[Any],
    X: Any,
    y: Any,
    *,
    cv: Any = None,
    scoring: Any = None,
    groups: Any = None,
    n_jobs: int | None = None,
    baseline: bool = True,
    rope: float | None = None,
    level: float = 0.95,
    random_state: Any = 0,
) -> Comparison:
    """Cross-validates several models on the same folds and compares each with the best one.

    The differences from the best model, fold by fold, give the probability that a model is worse and that it is
    practically equal (`bayesian_t_test`, corrected for folds that share training rows). Only comparisons with the best
    are made, so that the number of models costs little power; `Comparison.pairwise` tests all pairs. Classifiers are
    compared by McNemar's test too. A baseline that looks at the target alone takes part unless ``baseline=False``.

    Parameters
    ----------
    models : estimators by name, or a list of them
    X, y, scoring, groups, n_jobs : as in `cross_validate`; the higher the score the better
    cv : number of folds, of rows shuffled by ``random_state`` (with the classes' shares kept); or a splitter. None:
        five folds, drawn five times up to 1,000 rows and twice up to 5,000, as few rows give unsteady scores; three
        folds from 200,000 rows on
    baseline : whether a model that looks at the target alone takes part
    rope : differences up to this size do not matter; None for a fiftieth of the way from the baseline to a perfect
        score
    level : how probable a verdict must be

    Examples
    --------
    >>> import numpy as np
    >>> from pellucid.linear_model import LinearRegression
    >>> X = np.arange(20.0)[:, None]
    >>> found = compare([LinearRegression()], X, 3 * X[:, 0] + np.sin(X[:, 0]))
    >>> found.best, found.verdict("baseline")
    ('LinearRegression', 'worse')
    """
    named = _named(models)
    first = next(iter(named.values()))
    if cv is None:
        cv = _splitter(len(y) if hasattr(y, "__len__") else 0, is_classifier(first), groups is not None, random_state)
    X, y, folds = read_folds("compare", first, X, y, groups, cv, random_state, least=2)
    if baseline:
        named = {**named, BASELINE: baseline_for(first)}
    found = {
        name: cross_validate(
            model, X, y, cv=folds, scoring=scoring, n_jobs=n_jobs, return_estimator=True, error_score="raise"
        )
        for name, model in named.items()
    }
    right = {name: _right(one, X, y, folds) for name, one in found.items()} if is_classifier(first) else None
    return Comparison.of(found, rope=rope, level=level, right=right)


def _splitter(n_rows: int, for_classes: bool, grouped: bool, random_state: Any) -> Any:
    """Folds by the number of rows: few rows are drawn again and again, many need no more than three folds."""
    n_repeats = next((repeats for limit, repeats in REPEATS if n_rows <= limit), 1)
    if grouped or n_repeats == 1:
        return 3 if n_rows >= FEW_FOLDS_FROM else 5
    kind = RepeatedStratifiedKFold if for_classes else RepeatedKFold
    return kind(n_splits=5, n_repeats=n_repeats, random_state=random_state)


def _named(models: Mapping[str, Any] | Iterable[Any]) -> dict[str, Any]:
    if isinstance(models, Mapping):
        named = {str(name): model for name, model in models.items()}
    else:
        listed = list(models) if isinstance(models, Iterable) else [models]
        named = {}
        for model in listed:
            base = type(model).__name__
            name, again = base, 1
            while name in named:
                again += 1
                name = f"{base} {again}"
            named[name] = model
    if not named:
        raise ParameterError(format_message("compare", "there must be models to compare", actual=f"got {models!r}"))
    for model in named.values():
        check_model("compare", model)
    kinds = {is_classifier(model) for model in named.values()}
    if len(kinds) > 1:
        raise ParameterError(format_message("compare", "models must all be classifiers or all regressors"))
    return named


def baseline_for(model: Any) -> Any:
    """What a model must beat: the mean, or the most frequent class."""
    from pellucid.dummy import DummyClassifier, DummyRegressor

    if is_classifier(model):
        return DummyClassifier()
    if is_regressor(model):
        return DummyRegressor()
    raise ParameterError(
        format_message("baseline", "there is one for classifiers and regressors", actual=f"got {type(model).__name__}")
    )


def _right(found: CVResult, X: Any, y: Any, folds: list[Any]) -> Array:
    """For every row that is held out, by the first fold that does: does the model without it predict its class?"""
    labels, seen, parts = np.asarray(y), np.zeros(len(y), dtype=bool), []
    for model, (_, test) in zip(found["estimator"], folds, strict=True):
        rows = np.asarray(test)[~seen[test]]
        seen[rows] = True
        if len(rows):
            parts.append(np.asarray(model.predict(_safe_indexing(X, rows))) == labels[rows])
    return np.concatenate(parts)
