"""Several models on the same folds: which is best, and which differences are real."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.utils import _safe_indexing

from pellucid.base.errors import ParameterError, sentence, some
from pellucid.base.types import Floats
from pellucid.model_selection._folds import check_model, read_folds
from pellucid.model_selection.significance import PairedTest, corrected_t_test, holm, mcnemar_test
from pellucid.model_selection.validation import Validation, cross_validate

__all__ = ["Comparison", "compare"]

BASELINE = "baseline"


@dataclass(frozen=True)
class Comparison:
    """Models on the same folds.

    names : the models, best mean score first
    validations : what `cross_validate` found for each
    tests : for each pair of names the corrected t-test over the folds
    adjusted : the p values of all pairs, adjusted by Holm for their number
    mcnemar : for classifiers, each pair's McNemar test over all rows, each predicted by the model that did not see it
    level : differences with an adjusted p value below ``1 - level`` are called real
    """

    names: list[str]
    validations: dict[str, Validation]
    tests: dict[tuple[str, str], PairedTest]
    adjusted: dict[tuple[str, str], float]
    mcnemar: dict[tuple[str, str], PairedTest] = field(default_factory=dict)
    level: float = 0.95

    @classmethod
    def of(
        cls, validations: Mapping[str, Validation], X: Any, y: Any, folds: list[Any], level: float = 0.95
    ) -> Comparison:
        """Tests what `cross_validate` found for several models on the same folds, with the fitted models kept.

        Parameters
        ----------
        validations : by the models' names, made with ``return_estimator=True``
        X, y, folds : what they were made from; ``folds`` is a list of (train, test) positions
        level : what counts as real
        """
        order = sorted(validations, key=lambda name: (-float(validations[name]["test_score"].mean()), name == BASELINE))
        return _tested(order, dict(validations), X, y, folds, level)

    @property
    def best(self) -> str:
        """The model with the highest mean score."""
        return self.names[0]

    def scores(self, name: str) -> Floats:
        """A model's score on each fold."""
        return np.asarray(self.validations[name]["test_score"])

    def is_real(self, first: str, second: str) -> bool:
        """Is the difference of two models more than the chance of the folds?"""
        pair = (first, second) if (first, second) in self.adjusted else (second, first)
        if pair not in self.adjusted:
            must = f"there is no pair {first!r} and {second!r}"
            raise ParameterError(sentence("compare", must, f"there are {some(self.names)}"))
        return self.adjusted[pair] < 1 - self.level

    def as_good_as_best(self) -> list[str]:
        """The best model and those that cannot be told from it."""
        return [name for name in self.names if name == self.best or not self.is_real(self.best, name)]

    def __str__(self) -> str:
        width = max(len("model"), *(len(name) for name in self.names))
        lines = [f"{'model':{width}}  {'mean':>8}  {'sd':>8}  {'fit (s)':>8}  against the best"]
        for name in self.names:
            scores, found = self.scores(name), self.validations[name]
            lines.append(
                f"{name:{width}}  {scores.mean():8.4f}  {scores.std(ddof=1):8.4f}  {found['fit_time'].mean():8.3g}  "
                f"{self._verdict(name)}"
            )
        return "\n".join([*lines, "", self._words()])

    def _verdict(self, name: str) -> str:
        if name == self.best:
            return "best"
        p, scores = self.adjusted[(self.best, name)], self.scores(name)
        worse = int((scores < self.scores(self.best)).sum())
        verdict = "worse" if self.is_real(self.best, name) else "not told apart"
        counted = self.mcnemar.get((self.best, name))
        rows = "" if counted is None else f"; McNemar p = {counted.p_value:.3g}"
        return f"{verdict} (p = {p:.3g}; worse in {worse} of {len(scores)} folds{rows})"

    def _words(self) -> str:
        equal = [name for name in self.as_good_as_best() if name != self.best]
        text = f"{self.best} has the highest mean score"
        alike = f"; {', '.join(equal)} cannot be told from it on these folds."
        text += alike if equal else ", and the difference is real."
        if BASELINE in equal or self.best == BASELINE:
            text += " No model is shown to beat the baseline: nothing was learned that can be relied on."
        return text


def compare(
    models: Mapping[str, Any] | Iterable[Any],
    X: Any,
    y: Any,
    *,
    cv: Any = 5,
    scoring: Any = None,
    groups: Any = None,
    n_jobs: int | None = None,
    baseline: bool = True,
    level: float = 0.95,
    random_state: Any = 0,
) -> Comparison:
    """Cross-validates several models on the same folds and tests which differences are real.

    Each pair is compared by a paired t-test over the folds, corrected for their overlapping training sets
    (`corrected_t_test`), and the p values are adjusted for the number of pairs (`holm`). Classifiers are compared by
    McNemar's test too. A baseline that looks at the target alone is always among them unless ``baseline=False``.

    Parameters
    ----------
    models : estimators by name, or a list of them
    X, y, scoring, groups, n_jobs : as in `cross_validate`; the higher the score the better
    cv : number of folds, of rows shuffled by ``random_state`` (with the classes' shares kept); or a splitter
    level : what counts as real

    Examples
    --------
    >>> import numpy as np
    >>> from pellucid.linear_model import LinearRegression
    >>> X = np.arange(20.0)[:, None]
    >>> found = compare([LinearRegression()], X, 3 * X[:, 0] + np.sin(X[:, 0]))
    >>> found.best, found.is_real("LinearRegression", "baseline")
    ('LinearRegression', True)
    """
    named = _named(models)
    first = next(iter(named.values()))
    X, y, folds = read_folds("compare", first, X, y, groups, cv, random_state, least=2)
    if baseline:
        named = {**named, BASELINE: baseline_for(first)}
    found = {
        name: cross_validate(
            model, X, y, cv=folds, scoring=scoring, n_jobs=n_jobs, return_estimator=True, error_score="raise"
        )
        for name, model in named.items()
    }
    return Comparison.of(found, X, y, folds, level)


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
        raise ParameterError(sentence("compare", "there must be models to compare", f"got {models!r}"))
    for model in named.values():
        check_model("compare", model)
    kinds = {is_classifier(model) for model in named.values()}
    if len(kinds) > 1:
        raise ParameterError(sentence("compare", "models must all be classifiers or all regressors"))
    return named


def baseline_for(model: Any) -> Any:
    """What a model must beat: the mean, or the most frequent class."""
    from pellucid.dummy import DummyClassifier, DummyRegressor

    if is_classifier(model):
        return DummyClassifier()
    if is_regressor(model):
        return DummyRegressor()
    raise ParameterError(
        sentence("baseline", "there is one for classifiers and regressors", f"got {type(model).__name__}")
    )


def _tested(
    order: list[str], found: dict[str, Validation], X: Any, y: Any, folds: list[Any], level: float
) -> Comparison:
    pairs = list(combinations(order, 2))
    share = found[order[0]].test_share
    tests = {(a, b): corrected_t_test(found[a]["test_score"], found[b]["test_score"], share) for a, b in pairs}
    adjusted = dict(zip(pairs, holm([test.p_value for test in tests.values()]).tolist(), strict=True)) if pairs else {}
    counted = {}
    if is_classifier(found[order[0]]["estimator"][0]):
        right = {name: _right(found[name], X, y, folds) for name in order}
        counted = {(a, b): mcnemar_test(right[a], right[b]) for a, b in pairs}
    return Comparison(order, found, tests, adjusted, counted, level)


def _right(found: Validation, X: Any, y: Any, folds: list[Any]) -> Any:
    """For every row that was held out, is its class predicted right by the model that did not see it?"""
    labels = np.asarray(y)
    parts = [
        np.asarray(model.predict(_safe_indexing(X, test))) == labels[test]
        for model, (_, test) in zip(found["estimator"], folds, strict=True)
    ]
    return np.concatenate(parts)
