"""Fit several settings of one model together so that they share computations.

- Settings that differ only in one parameter of ``path_parameters`` are fitted by one call of ``fit_path``.
- In a pipeline, settings that agree on the first steps share these steps, which are fitted and applied once.
- Settings that differ in a parameter of a transformer with nested columns (``nested_feature_counts``) share its widest
  table: the model behind it is fitted to the first columns of that table (``fit_prefixes``). Steps in between are
  allowed if they treat every column separately (``columnwise``).

Every model equals the one that a separate fit would give. See `pellucid.estimator.path` for the protocol.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from sklearn.base import ClassifierMixin, RegressorMixin, clone, is_classifier
from sklearn.pipeline import Pipeline

from pellucid.estimator.path import FitPath
from pellucid.estimator.roles import Classifier, Regressor
from pellucid.metrics import accuracy_score, r2_score

__all__ = ["CachedPredictor", "FittedGroup", "group_candidates", "shared_fits"]

Settings = dict[str, Any]
ANSWERS = ("predict", "predict_proba", "predict_log_proba", "decision_function", "transform", "score_samples")
# What a pipeline has from its last step: it need not be put together for these.
OF_THE_LAST = ("classes_", "__sklearn_tags__")
# Scores that are the accuracy or R² of what `predict` gives.
PLAIN_SCORES = (ClassifierMixin.score, RegressorMixin.score, Classifier.score, Regressor.score)


def group_candidates(estimator: Any, candidates: Sequence[Settings], shareable: bool = True) -> list[list[int]]:
    """Positions of the candidates that are to be fitted together."""
    if not shareable:
        return [[place] for place in range(len(candidates))]
    if type(estimator) is not Pipeline:
        return [places for _, _, places in _by_path(estimator, candidates, range(len(candidates)))]
    names = [name for name, _ in estimator.steps]
    if any(key.partition("__")[0] not in names for candidate in candidates for key in candidate):
        return [[place] for place in range(len(candidates))]  # the pipeline itself is changed
    first = [_of_step(candidate, names[0]) if len(names) > 1 else {} for candidate in candidates]
    if len(names) > 1 and hasattr(estimator.steps[0][1], "nested_feature_counts"):
        return [list(range(len(candidates)))]
    return list(_same(first, range(len(candidates))).values())


@dataclass
class FittedGroup:
    """Models fitted together: the candidates they belong to, and the seconds that each of them cost."""

    places: list[int]
    models: list[CachedPredictor]
    seconds: float


class CachedPredictor:
    """A fitted model that is asked together with others: what one of them must work out serves all.

    It stands in for the model where answers to the same table are wanted from all of them in turn, as when they are
    scored.
    """

    def __init__(self, group: _Group, place: int, build: Callable[[], Any]) -> None:
        self._group, self._place, self._build = group, place, build

    @cached_property
    def model(self) -> Any:
        """The fitted model itself."""
        return self._build()

    @property
    def last(self) -> Any:
        """The fitted model, without the steps before it."""
        return self._group.path[self._place]

    def __getattr__(self, name: str) -> Any:
        if name in (*ANSWERS, *OF_THE_LAST):
            found = getattr(self.last, name)  # raises where the model has no such method
            return self._shared(name) if name in ANSWERS else found
        if name == "score" and getattr(type(self.last), "score", None) in PLAIN_SCORES:
            return self._score
        return getattr(self.model, name)

    def _shared(self, method: str) -> Callable[[Any], Any]:
        def ask(X: Any) -> Any:
            return self._group.answer(method, X)[self._place]

        ask.__name__ = method
        return ask

    def _score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        metric = accuracy_score if is_classifier(self.last) else r2_score
        return float(metric(y, self.predict(X), sample_weight=sample_weight))


@dataclass
class _Group:
    """A path behind the steps of a pipeline, and what it has answered."""

    path: FitPath
    before: _Tables
    known: dict[tuple[str, int], tuple[Any, list[Any]]] = field(default_factory=dict)

    def answer(self, method: str, X: Any) -> list[Any]:
        key = (method, id(X))
        if key not in self.known:
            self.known[key] = (X, self.path.answer(method, self.before.of(X)))  # X is kept: its id stays its own
        return self.known[key][1]


@dataclass
class _Tables:
    """What fitted steps make of a table, worked out once; a chain, one link a step."""

    step: Any = None
    before: _Tables | None = None
    known: dict[int, tuple[Any, Any]] = field(default_factory=dict)

    def of(self, X: Any) -> Any:
        if self.before is None:
            return X
        if id(X) not in self.known:
            earlier = self.before.of(X)
            self.known[id(X)] = (X, earlier if self.step is None else self.step.transform(earlier))
        return self.known[id(X)][1]

    def know(self, X: Any, made: Any) -> None:
        self.known[id(X)] = (X, made)


def shared_fits(
    estimator: Any, candidates: Sequence[Settings], X: Any, y: Any, params: Mapping[str, Any] | None = None
) -> Iterator[FittedGroup]:
    """Fits a group of candidates, sharing what they can; the parts come as they are ready."""
    places = list(range(len(candidates)))
    if type(estimator) is Pipeline:
        yield from _Branch(estimator, list(candidates), X, y, dict(params or {})).grow(0, places, _Tables(), [], 0.0)
        return
    for name, rest, chosen in _by_path(estimator, candidates, places):
        began = time.perf_counter()
        model = clone(estimator).set_params(**clone(rest, safe=False))
        path = _fit(model, name, [candidates[place][name] for place in chosen] if name else [], X, y, params or {})
        group = _Group(path, _Tables())
        models = [CachedPredictor(group, i, lambda path=path, i=i: path[i]) for i in range(len(chosen))]  # type: ignore[misc]
        yield FittedGroup(chosen, models, (time.perf_counter() - began) / len(chosen))


def _fit(model: Any, name: str | None, values: list[Any], X: Any, y: Any, params: Mapping[str, Any]) -> FitPath:
    if name is not None:
        found: FitPath = model.fit_path(name, values, X, y, **params)
        return found
    return FitPath([model.fit(X, **params) if y is None else model.fit(X, y, **params)])


# ---------------------------------------------------------------------------------------------------------- pipelines


@dataclass
class _Branch:
    """The tree of a pipeline's settings: a node for every setting of a step, below the settings of the steps before."""

    pipeline: Any
    candidates: list[Settings]
    X: Any
    y: Any
    params: dict[str, Any]

    def grow(
        self, depth: int, places: list[int], tables: _Tables, fitted: list[Any], seconds: float
    ) -> Iterator[FittedGroup]:
        """The fits of these candidates below fitted steps, which took `seconds` for each of them."""
        name, step = self.pipeline.steps[depth]
        settings = {place: _of_step(self.candidates[place], name) for place in places}
        if depth == len(self.pipeline.steps) - 1:
            yield from self._last(step, settings, tables, fitted, seconds)
            return
        for chosen in _same(list(settings.values()), places).values():
            nested = self._nested(depth, places, settings) if chosen != places else None
            if nested is not None:
                yield from self._first_columns(depth, nested, settings, tables, fitted, seconds)
                return
            began = time.perf_counter()
            made, transformer = self._transform(step, settings[chosen[0]], name, tables.of(self.X))
            below = _Tables(transformer, tables)
            below.know(self.X, made)
            spent = (time.perf_counter() - began) / len(chosen)
            yield from self.grow(depth + 1, chosen, below, [*fitted, transformer], seconds + spent)

    def _transform(self, step: Any, settings: Settings, name: str, X: Any) -> tuple[Any, Any]:
        step = _set(step, settings)
        if step is None or step == "passthrough":
            return X, None
        given = self._given(name)
        if hasattr(step, "fit_transform"):
            return step.fit_transform(X, self.y, **given), step
        return step.fit(X, self.y, **given).transform(X), step

    def _last(
        self, step: Any, settings: dict[int, Settings], tables: _Tables, fitted: list[Any], seconds: float
    ) -> Iterator[FittedGroup]:
        name = self.pipeline.steps[-1][0]
        X = tables.of(self.X)
        for replaced in _same([{"": s.get("")} for s in settings.values()], list(settings)).values():
            base = settings[replaced[0]].get("", step)
            rests = [{k: v for k, v in settings[place].items() if k} for place in replaced]
            for path_name, rest, chosen in _by_path(base, rests, replaced):
                began = time.perf_counter()
                model = _set(base, rest)
                values = [settings[place][path_name] for place in chosen] if path_name else []
                path = _fit(model, path_name, values, X, self.y, self._given(name))
                spent = seconds + (time.perf_counter() - began) / len(chosen)
                yield FittedGroup(chosen, self._answered(path, tables, lambda i: fitted), spent)

    def _nested(self, depth: int, places: list[int], settings: dict[int, Settings]) -> str | None:
        """The parameter of this step in which alone these candidates differ, if its columns are nested.

        Steps between it and the model must treat each column by itself, which those with ``columnwise`` do.
        """
        (_, step), *between, (last_name, last) = self.pipeline.steps[depth:]
        if not hasattr(step, "nested_feature_counts") or not all(
            getattr(middle, "columnwise", False) for _, middle in between
        ):
            return None
        for name, _ in self.pipeline.steps[depth + 1 :]:
            if len(_same([_of_step(self.candidates[place], name) for place in places], places)) > 1:
                return None
        names = {key for chosen in settings.values() for key in chosen}
        differing = [key for key in names if len(_same([{key: s.get(key)} for s in settings.values()], places)) > 1]
        model = _set(last, _of_step(self.candidates[places[0]], last_name))
        if len(differing) != 1 or not hasattr(model, "fit_prefixes"):
            return None
        values = [chosen.get(differing[0]) for chosen in settings.values()]
        return differing[0] if all(type(value) is int for value in values) else None

    def _first_columns(
        self,
        depth: int,
        parameter: str,
        settings: dict[int, Settings],
        tables: _Tables,
        fitted: list[Any],
        seconds: float,
    ) -> Iterator[FittedGroup]:
        """The widest table once; the model behind it is fitted to its first columns."""
        began = time.perf_counter()
        (name, step), *between, (last_name, last) = self.pipeline.steps[depth:]
        places = list(settings)
        values = [settings[place][parameter] for place in places]
        rest = {**settings[places[0]], parameter: max(values)}
        made, transformer = self._transform(step, rest, name, tables.of(self.X))
        widths = transformer.nested_feature_counts(parameter, values)
        if widths is None:
            for place in places:
                yield from self.grow(depth, [place], tables, fitted, seconds)
            return
        below = _Tables(transformer, tables)
        below.know(self.X, made)
        first = self.candidates[places[0]]
        for middle_name, middle in between:
            made, done = self._transform(middle, _of_step(first, middle_name), middle_name, made)
            below = _Tables(done, below)
            below.know(self.X, made)
        model = _set(last, _of_step(first, last_name))
        path = model.fit_prefixes(widths, made, self.y, **self._given(last_name))
        spent = seconds + (time.perf_counter() - began) / len(places)

        def steps(i: int) -> list[Any]:
            """The steps of one candidate by itself, fitted when somebody asks for it."""
            found, X = [], tables.of(self.X)
            for own_name, own in ((name, step), *between):
                X, done = self._transform(own, _of_step(self.candidates[places[i]], own_name), own_name, X)
                found.append(done)
            return [*fitted, *found]

        yield FittedGroup(places, self._answered(path, below, steps), spent)

    def _answered(self, path: FitPath, tables: _Tables, steps: Callable[[int], list[Any]]) -> list[CachedPredictor]:
        group = _Group(path, tables)

        def build(i: int) -> Any:
            whole = copy.copy(self.pipeline)
            parts = [*steps(i), path[i]]
            names = [name for name, _ in self.pipeline.steps]
            whole.steps = [(n, "passthrough" if p is None else p) for n, p in zip(names, parts, strict=True)]
            return whole

        return [CachedPredictor(group, i, lambda i=i: build(i)) for i in range(len(path))]  # type: ignore[misc]

    def _given(self, name: str) -> dict[str, Any]:
        return _of_step(self.params, name)


# ----------------------------------------------------------------------------------------------------------- settings


def _by_path(
    estimator: Any, candidates: Sequence[Settings], places: Sequence[int]
) -> list[tuple[str | None, Settings, list[int]]]:
    """Groups that differ in one parameter of the estimator's path alone: its name, the other settings, the places."""
    known = getattr(estimator, "path_parameters", ()) if hasattr(estimator, "fit_path") else ()
    names = [name for name in known if all(name in candidate for candidate in candidates)]
    if not names:
        return [(None, dict(candidate), [place]) for candidate, place in zip(candidates, places, strict=True)]
    name = max(names, key=lambda n: len(_same([{n: c[n]} for c in candidates], places)))
    rests = [{key: value for key, value in candidate.items() if key != name} for candidate in candidates]
    found: list[tuple[str | None, Settings, list[int]]] = []
    for chosen in _same(rests, places).values():
        rest = rests[list(places).index(chosen[0])]
        if len(chosen) > 1:
            found.append((name, rest, chosen))
        else:
            found.append((None, dict(candidates[list(places).index(chosen[0])]), chosen))
    return found


def _same(settings: Sequence[Settings], places: Sequence[int]) -> dict[Any, list[int]]:
    """Places by equal settings, in order."""
    found: dict[Any, list[int]] = {}
    for chosen, place in zip(settings, places, strict=True):
        found.setdefault(tuple(sorted((key, *_token(value)) for key, value in chosen.items())), []).append(place)
    return found


def _token(value: Any) -> tuple[str, str]:
    """Something to compare values by: equal tokens mean equal settings."""
    if value is None or isinstance(value, bool | int | float | str):
        return type(value).__name__, repr(value)
    return "object", str(id(value))


def _of_step(settings: Mapping[str, Any], name: str) -> Settings:
    """Settings of one step; a replaced step stands under the empty name."""
    found = {}
    for key, value in settings.items():
        head, _, tail = key.partition("__")
        if head == name:
            found[tail] = value
    return found


def _set(step: Any, settings: Settings) -> Any:
    """An unfitted step with these settings."""
    step = settings.get("", step)
    if step is None or step == "passthrough":
        return step
    rest = {key: clone(value, safe=False) for key, value in settings.items() if key}
    return clone(step).set_params(**rest)
