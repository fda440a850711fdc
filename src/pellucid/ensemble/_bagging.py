"""What bagging of classes and of numbers share: samples, fits, rows left out, answers added up."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterator
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import MetaEstimatorMixin, clone, is_classifier
from sklearn.utils import Tags, get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, _routing_enabled, process_routing
from sklearn.utils.validation import _check_method_params, has_fit_parameter

from pellucid.base.declare import param
from pellucid.base.errors import (
    DataError,
    ParameterError,
    PellucidWarning,
    count,
    format_message,
    join_some,
    noun_list,
    short_repr,
    warn,
)
from pellucid.base.parallel import is_ours, run
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec, infer_schema
from pellucid.data.kinds import NUMERIC
from pellucid.ensemble._members import (
    fitted,
    given_model,
    refuse_weights,
    rows_said,
)
from pellucid.ensemble._samples import (
    Draws,
    chances,
    counts_of,
    draw_ties,
    left_out,
    member_seeds,
    number_of_rows,
    one_seed,
    seed_names,
    set_random_states,
    take,
    twin,
)
from pellucid.estimator.estimator import Estimator
from pellucid.estimator.trace import Trace

# So many models are asked at a time, and their answers added in order: the same bits for any n_jobs, few tables kept.
_WAVE = 16

# On tables of at most so many values trees of ours are fitted, and asked, one after the other. On two busy cores
# joblib's threads made no fit faster up to 1,000 x 20, and predictions slower up to 30,000 x 20.
_SMALL_TO_FIT, _SMALL_TO_ASK = 2**14, 2**20

# Settings of these types cannot be changed in place.


def _is_share(value: Any) -> bool:
    """A whole number of at least 1, or another above 0 and at most 1."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        return False
    return int(value) >= 1 if isinstance(value, Integral) else 0 < float(value) <= 1


def _share_of(name: str, none: bool) -> Callable[[Any], str | None]:
    words = f"{name} must be a whole number of at least 1 or a share above 0 and at most 1{' or None' if none else ''}"

    def check(value: Any) -> str | None:
        fine = none if value is None else _is_share(value)
        return None if fine else f"{words}; got {short_repr(value)}"

    return check


def _no_models(value: Any) -> str | None:
    fine = value is None or (isinstance(value, list | tuple) and len(value) > 0)
    return None if fine else f"models must be a list of fitted models or None; got {short_repr(value)}"


def _no_base(value: Any) -> str | None:
    if value is None or (not isinstance(value, type) and hasattr(value, "fit") and hasattr(value, "predict")):
        return None
    actual = (
        f"the class {value.__name__}, not a model: {value.__name__}()" if isinstance(value, type) else short_repr(value)
    )
    return f"estimator must be a model with fit and predict, or None; got {actual}"


class Bagging(MetaEstimatorMixin, Estimator):
    """What both kinds share: samples, fits, rows left out."""

    estimator: Any = param(
        default=None,
        kw_only=False,
        check=_no_base,
        doc="The model fitted on every sample; None is a full decision tree.",
    )
    n_estimators: int = param(default=10, low=1, kw_only=False, doc="Number of samples, and of models.")
    max_samples: Any = param(
        default=None,
        check=_share_of("max_samples", none=True),
        doc="Rows of a sample: a number, a share of the rows (of their weights, where there are any), or None for as "
        "many as the table has.",
    )
    max_features: Any = param(
        default=1.0,
        check=_share_of("max_features", none=False),
        doc="Columns of a sample: a number, or a share of the columns, rounded down, at least 1.",
    )
    bootstrap: bool = param(default=True, doc="Are rows drawn with replacement?")
    bootstrap_features: bool = param(default=False, doc="Are columns drawn with replacement?")
    oob_score: Literal[False, True, "average"] = param(
        default=False,
        doc="Judge by rows left out: True lets the models that did not see a row answer it together, and scores those "
        "answers; 'average' is the mean of the scores that each model has on its own left-out rows.",
    )
    warm_start: bool = param(default=False, doc="Keep the models of the last fit, and add those that are missing.")
    n_jobs: int | None = param(
        default=None, doc="Models fitted or asked at a time, by joblib; None is one, -1 one a core."
    )
    random_state: int | np.random.RandomState | None = param(default=None, doc="Seed of the samples and of the models.")
    verbose: int = param(default=0, doc="Print each model's number before it is fitted.")
    models: Any = param(
        default=None,
        check=_no_models,
        doc="Models that are there already, fitted, or functions of the table: taken as they are, nothing is drawn.",
    )

    _default: ClassVar[type[Any]]

    @property
    def input_spec(self) -> InputSpec:  # type: ignore[override]
        """As the model inside has it; a table with words is handed on as it is."""
        spec: InputSpec | None = vars(self).get("_door_")
        if spec is not None:
            return spec
        inner = get_tags(self._inner).input_tags
        if not self._looks_like_us:
            return InputSpec(raw=True, sparse=True, missing=True, categories=True, check_finite="never")
        raw = bool(inner.categorical or inner.string)
        return InputSpec(raw=raw, sparse=bool(inner.sparse), missing=bool(inner.allow_nan), categories=raw)

    @property
    def _looks_like_us(self) -> bool:
        """Does the model inside look at tables as this one does? Others are given theirs as it came."""
        is_estimator = self.models is None and isinstance(self._inner, Estimator)
        return is_estimator and not get_tags(self._inner).no_validation

    @property
    def _inner(self) -> Any:
        if _no_base(self.estimator) is not None or self.estimator is None:
            return type(self)._default()
        return self.estimator

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._inner)
        tags.input_tags, tags.no_validation = copy.copy(inner.input_tags), inner.no_validation
        tags.non_deterministic = inner.non_deterministic
        tags.target_tags.multi_output = False
        return tags

    def __iter__(self) -> Iterator[Any]:
        return iter(self.estimators_)

    def __getitem__(self, index: Any) -> Any:
        return self.estimators_[index]

    def __len__(self) -> int:
        return len(self.estimators_)

    def __bool__(self) -> bool:
        return True  # a model that is not fitted has no length, but is there

    # ---------------------------------------------------------------------------------------------------------- routing

    def get_metadata_routing(self) -> MetadataRouter:
        """Who takes which metadata: this estimator, and the fit of the model inside."""
        inner, mapping = self._inner, MethodMapping().add(caller="fit", callee="fit")
        if _routing_enabled() and has_fit_parameter(inner, "sample_weight") and hasattr(inner, "set_fit_request"):
            inner = clone(inner).set_fit_request(sample_weight=False)  # its weights are made here
        return MetadataRouter(owner=self).add_self_request(self).add(estimator=inner, method_mapping=mapping)

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Draws the samples and fits a model on each.

        Parameters
        ----------
        X : table of n rows and p columns, in any form that the model inside takes
        y : n labels or numbers
        sample_weight : n numbers, optional
            With replacement, the chance of each row to be drawn; without it, handed on to the models.
        **fit_params : passed on to the fit of every model by scikit-learn's metadata routing

        Returns
        -------
        self
        """
        if fit_params and not _routing_enabled():
            actual = f"[{', '.join(map(repr, sorted(fit_params)))}] are passed but metadata routing is not enabled"
            hint = "sklearn.set_config(enable_metadata_routing=True) hands them on"
            raise ParameterError(
                format_message(type(self).__name__, "fit takes X, y and sample_weight", actual=actual, hint=hint)
            )
        self._more = dict(process_routing(self, "fit", **fit_params).estimator.fit) if fit_params else {}
        try:
            super().fit(X, y, sample_weight)
        finally:
            del self._more
        return self

    # -------------------------------------------------------------------------------------------------------------- fit

    def _fit_table(self, X: Any, y: Any, sample_weight: Any, record: bool) -> Trace:
        names = ("estimators_", "estimators_features_", "_seeds_", "_seed_", "classes_", "_draws_")
        warm = self.warm_start and hasattr(self, "estimators_") and self.models is None
        self._earlier = {name: getattr(self, name) for name in names if hasattr(self, name)} if warm else {}
        try:
            return super()._fit_table(X, y, sample_weight, record)
        finally:
            del self._earlier

    def _fit(self, d: Design, trace: Trace) -> None:
        self._settle_door(d)
        X, y = self._inside(d), self._goal(d)
        self.estimator_ = self._inner
        if self.models is not None:
            self._take_given(d)
        else:
            self._fit_models(X, y, d)
        if self.oob_score is not False:
            self._judge(X, d)

    def _settle_door(self, d: Design) -> None:
        """A table of numbers is turned into an array once, not by every model, where the model inside is ours."""
        input_spec = self.input_spec
        if not input_spec.raw:
            self._door_ = input_spec
            return
        frame = d.table.is_frame or d.table.source.dtype.kind not in "biuf"
        if frame and not all(kind in NUMERIC for kind in d.table.kinds):
            if self.bootstrap_features:
                requirement = "bootstrap_features=True needs columns of numbers"
                hint = "encode the columns of words before, or draw columns without replacement"
                raise DataError(
                    format_message(
                        d.who, requirement, actual="a column drawn twice would have the same name twice", hint=hint
                    )
                )
            self._refuse_unreadable(d)
            self._door_ = input_spec
            return
        if not self._looks_like_us and not self.bootstrap_features:
            self._door_ = input_spec
            return
        self._door_ = dataclasses.replace(input_spec, raw=False, categories=False)
        source = d.table.source.to_native() if d.table.is_frame else d.table.source
        read = infer_schema(source, self._door_, d.who)
        d.numbers, d.schema = read.numbers, read.schema
        self._keep_schema(d.schema)

    def _refuse_unreadable(self, d: Design) -> None:
        """What the model inside cannot read is said of the whole table and its rows, not of a sample's."""
        inner = self._inner.input_spec if self._looks_like_us else InputSpec(values=False)
        if inner.values and not inner.raw:
            infer_schema(d.table.source.to_native() if d.table.is_frame else d.table.source, inner, d.who)

    def _inside(self, d: Design) -> Any:
        """The table as the models get it."""
        if not self.input_spec.raw:
            return d.numbers
        return d.table.source.to_native() if d.table.is_frame else d.table.source

    def _goal(self, d: Design) -> Any:
        raise TypeError(f"{type(self).__name__} must write _goal")

    def _take_given(self, d: Design) -> None:
        who = type(self).__name__
        if self.oob_score is not False:
            requirement = "oob_score needs samples that were drawn here"
            raise ParameterError(
                format_message(who, requirement, actual="models were given, and what they learned from is not known")
            )
        self.estimators_: list[Any] = [given_model(who, k, model) for k, model in enumerate(self.models)]
        self.estimators_features_: list[Array] = [np.arange(d.n_cols)] * len(self.models)

    def _fit_models(self, X: Any, y: Any, d: Design) -> None:
        who, before = type(self).__name__, self._earlier
        existing = list(before.get("estimators_", []))
        more = self.n_estimators - len(existing)
        if more < 0:
            requirement = "n_estimators must be larger or equal to len(estimators_) when warm_start==True"
            raise ParameterError(
                format_message(who, requirement, actual=f"got n_estimators={self.n_estimators} after {len(existing)}")
            )
        how = self._how_to_draw(d)
        self._draws_: list[Draws] = [*before.get("_draws_", []), *[how] * more]
        self._seed_: int = before["_seed_"] if existing else one_seed(self.random_state)
        new = member_seeds(self._seed_, more, after=len(existing))
        self._seeds_: Array = np.concatenate([before["_seeds_"], new]) if existing else new
        if existing:
            self._check_warm(before, d, more)
        takes_weight, names = has_fit_parameter(self._inner, "sample_weight"), seed_names(self._inner)
        if d.weight is not None and not self.bootstrap:
            actual = "without replacement they are handed on to the models"
            refuse_weights(who, actual, self._inner, "set bootstrap=True to draw rows by them")
        calls = [
            (who, len(existing) + k, self.n_estimators, self._inner, X, y, d.weight if not self.bootstrap else None,
             how, int(seed), takes_weight, names, vars(self).get("_more", {}), self.verbose)
            for k, seed in enumerate(new)
        ]  # fmt: skip
        jobs = self._jobs(X, _SMALL_TO_FIT)
        results = run(fit_one, calls, jobs, "models", threads=is_ours(self._inner))
        self.estimators_ = existing + [model for model, _ in results]
        self.estimators_features_ = list(before.get("estimators_features_", [])) + [columns for _, columns in results]

    def _jobs(self, X: Any, small: int) -> int | None:
        """Models at a time; one where they are trees and the table is small: threads would make it slower."""
        quick = self.models is None and isinstance(self._inner, type(self)._default) and isinstance(X, np.ndarray)
        return 1 if quick and X.size <= small else self.n_jobs

    def _check_warm(self, before: dict[str, Any], d: Design, more: int) -> None:
        who, old = type(self).__name__, before["_draws_"][0]
        if old.n_columns != d.n_cols or (self.oob_score is not False and old.n_rows != d.n_rows):
            requirement = "warm_start goes on with the table of the last fit"
            size = f"{count(old.n_rows, 'row')} and {count(old.n_columns, 'column')}"
            actual = f"it had {size}, this one has {d.n_rows} and {d.n_cols}"
            raise DataError(
                format_message(who, requirement, actual=actual, hint="set warm_start=False to begin afresh")
            )
        if "classes_" in before and not np.array_equal(before["classes_"], self.classes_):
            requirement = "warm_start goes on with the classes of the last fit"
            actual = f"they were {join_some(before['classes_'].tolist())}, now {join_some(self.classes_.tolist())}"
            raise DataError(
                format_message(who, requirement, actual=actual, hint="set warm_start=False to begin afresh")
            )
        if more == 0:
            requirement = "Warm-start fitting without increasing n_estimators does not fit new trees"
            warn(
                format_message(who, requirement, actual=f"n_estimators is still {self.n_estimators}", hint="raise it"),
                PellucidWarning,
            )

    def _how_to_draw(self, d: Design) -> Draws:
        who, n, p = type(self).__name__, d.n_rows, d.n_cols
        weight = d.weight if self.bootstrap else None
        rows = number_of_rows(self.max_samples, n, weight)
        if not self.bootstrap and rows > n:
            requirement = "max_samples must be <= n_samples to be able to sample without replacement"
            raise ParameterError(
                format_message(who, requirement, actual=f"got {rows} with {count(n, 'row')}", hint="set bootstrap=True")
            )
        columns = int(self.max_features if isinstance(self.max_features, Integral) else self.max_features * p)
        if columns > p:
            raise ParameterError(
                format_message(who, "max_features must be <= n_features", actual=f"got {columns} with {p}")
            )
        probabilities = None if weight is None else chances(weight)
        return Draws(n, p, int(rows), max(1, columns), self.bootstrap, self.bootstrap_features, probabilities)

    @property
    def estimators_samples_(self) -> list[Array]:
        """The rows that each model learned from, in the order in which they were drawn; drawn again when asked for."""
        if not hasattr(self, "_draws_"):
            words = "no samples were drawn: the models were given" if hasattr(self, "estimators_") else "fit draws them"
            raise AttributeError(f"{type(self).__name__} has no estimators_samples_; {words}")
        return [how.draw(int(seed))[1] for how, seed in zip(self._draws_, self._seeds_, strict=True)]

    # ---------------------------------------------------------------------------------------------------- rows left out

    def _judge(self, X: Any, d: Design) -> None:
        """Every model answers the rows that it did not see."""
        n, who = d.n_rows, type(self).__name__
        if not self.bootstrap and self._draws_[0].rows == n:
            requirement = "Out of bag estimation only available if rows are left out"
            actual = "bootstrap=False draws all of them"
            raise ParameterError(
                format_message(who, requirement, actual=actual, hint="set bootstrap=True, or max_samples below 1.0")
            )
        unseen = [left_out(rows, n) for rows in self.estimators_samples_]
        n_predictions: Array = np.zeros(n, dtype=np.intp)
        together = np.zeros((n, self._width(d)))
        scores = np.full(len(unseen), np.nan)
        for k, predicted in self._asked(X, type(self)._answer, unseen):
            rows = unseen[k]
            n_predictions[rows] += 1
            together[rows] += predicted
            scores[k] = self._score_of(predicted, rows, d)
        silent, scored = np.flatnonzero(n_predictions == 0), np.flatnonzero(n_predictions)
        if len(silent):
            self._warn_of_silence(silent, n)
        with np.errstate(invalid="ignore"):
            together /= n_predictions[:, None]
        self.oob_scores_: Floats = scores
        if self.oob_score == "average":
            finite_scores = scores[np.isfinite(scores)]
            self.oob_score_ = float(finite_scores.mean()) if len(finite_scores) else float("nan")
        else:
            self.oob_score_ = self._score_of(together[scored], scored, d) if len(scored) else float("nan")
        self._keep_oob(together, d)

    def _warn_of_silence(self, rows: Array, n: int) -> None:
        requirement = "for an out-of-bag answer every row needs a model that did not learn from it"
        single = len(rows) == 1
        actual = f"{len(rows)} of {count(n, 'row')} {'has' if single else 'have'} none ({noun_list('row', rows)}), "
        actual += f"{'is' if single else 'are'} NaN and {'counts' if single else 'count'} for nothing in oob_score_"
        hint = f"fit more models than {len(self.estimators_)}, or draw fewer rows for each"
        hint = "the only row is in every sample: give more rows" if n == 1 else hint
        warn(format_message(type(self).__name__, requirement, actual=actual, hint=hint), PellucidWarning)

    def _some(self, columns: Array) -> Array | None:
        """The columns of a model, or None where it has them all in their order."""
        return None if np.array_equal(columns, np.arange(self.n_features_in_)) else columns

    def _width(self, d: Design) -> int:
        raise TypeError(f"{type(self).__name__} must write _width")

    def _score_of(self, predicted: Floats, rows: Array, d: Design) -> float:
        raise TypeError(f"{type(self).__name__} must write _score_of")

    def _keep_oob(self, together: Floats, d: Design) -> None:
        raise TypeError(f"{type(self).__name__} must write _keep_oob")

    # ---------------------------------------------------------------------------------------------------------- answers

    def _answer(self, k: int, model: Any, X: Any) -> Floats:
        """What one model says, as a table of numbers."""
        raise TypeError(f"{type(self).__name__} must write _answer")

    def _mean(self, d: Design, predict_fn: Callable[..., Any]) -> Floats:
        """The mean of what all models say."""
        return np.asarray(self._sum(d, predict_fn) / len(self.estimators_))

    def _sum(self, d: Design, predict_fn: Callable[..., Any]) -> Floats:
        """What all models say, added in their order."""
        total = np.zeros(())
        for _, predicted in self._asked(self._inside(d), predict_fn):
            total = total + predicted
        return total

    def _asked(
        self, X: Any, predict_fn: Callable[..., Any], rows: list[Array] | None = None
    ) -> Iterator[tuple[int, Floats]]:
        """What each model says, in their order: of the table, or each of rows of its own, where it has any."""
        light = copy.copy(self)  # what a worker process has to know
        for name in ("estimators_", "estimators_features_", "_draws_", "_seeds_"):
            light.__dict__.pop(name, None)
        light.models = None
        model_indices = [k for k in range(len(self.estimators_)) if rows is None or len(rows[k])]
        jobs = self._jobs(X, _SMALL_TO_ASK)
        for start in range(0, len(model_indices), _WAVE):
            wave = model_indices[start : start + _WAVE]
            calls = [
                (light, k, self.estimators_[k], X, None if rows is None else rows[k],
                 self._some(self.estimators_features_[k]), predict_fn)
                for k in wave
            ]  # fmt: skip
            yield from zip(wave, run(_ask, calls, jobs, "models asked", threads=is_ours(self._inner)), strict=True)


# --------------------------------------------------------------------------------------------------------------- pieces


def fit_one(
    who: str,
    index: int,
    of: int,
    base: Any,
    X: Any,
    y: Any,
    weight: Floats | None,
    draws: Draws,
    seed: int,
    takes_weight: bool,
    names: list[str],
    more: dict[str, Any],
    verbose: int,
) -> tuple[Any, Array]:
    """The model of one sample, and the columns of it."""
    if verbose > 1:
        print(f"[Bagging] model {index + 1} of {of}")
    columns, rows = draws.draw(seed)
    model = set_random_states(twin(base), seed, names)
    if draws.draws_any:
        draw_ties(model, names)
    sample, fit_params = rows, dict(more)

    def what() -> str:
        words = f"model {index + 1} of {of} could not be fitted on its sample, {rows_said(sample)}"
        absent = np.setdiff1d(y, y[sample]).tolist() if is_classifier(base) else []
        return f"{words}, without {join_some(map(repr, absent))}" if absent else words

    if takes_weight:
        counts = counts_of(rows, draws.n_rows)
        rows = np.flatnonzero(counts)
        times = counts[rows] if weight is None else counts[rows] * weight[rows]
        fit_params = _check_method_params(X, params=fit_params, indices=rows)
        if weight is not None or (times != 1).any():
            fit_params["sample_weight"] = times.astype(np.float64)
    else:
        fit_params = _check_method_params(X, params=fit_params, indices=rows)
    all_rows = len(rows) == draws.n_rows and takes_weight
    all_columns = np.array_equal(columns, np.arange(draws.n_columns))
    subset = take(X, None if all_rows else rows, None if all_columns else columns)
    return fitted(who, what, model, subset, y[rows], fit_params), columns


def _ask(
    bag: Any, k: int, model: Any, X: Any, rows: Array | None, columns: Array | None, predict_fn: Callable[..., Any]
) -> Floats:
    """What one of the models says."""
    return np.asarray(predict_fn(bag, k, model, take(X, rows, columns)))
