"""What all boosted trees share: the rounds, rows held out, and questions about the trees."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.callback import with_callbacks

from pellucid import _core
from pellucid.base.errors import DataError, ParameterError, count, format_message, join_some, short_repr
from pellucid.base.randomness import seed_from
from pellucid.base.types import Array, Floats
from pellucid.boosting._losses import in_unit, out_of_unit, unit_power
from pellucid.boosting._own_loss import CustomObjective, OwnRounds
from pellucid.boosting._parameters import RoundParameters
from pellucid.boosting._watch import Judge, Watch
from pellucid.boosting._words import PEERS, refuse_foreign, translated
from pellucid.data.design import Design, InputSpec
from pellucid.data.target import read_target
from pellucid.estimator.estimator import Estimator
from pellucid.estimator.trace import Trace
from pellucid.models.tree.cart import in_range, monotone_of
from pellucid.models.tree.categories import category_sizes, known_codes
from pellucid.models.tree.forest import Forest

_NUMBERS = np.empty(0, dtype=np.int32)
_LARGEST_LOGARITHM = 80  # e to its power is a number in single precision


def power_of_two(size: float) -> float:
    """The largest that is at most so large."""
    return float(np.ldexp(1.0, int(np.frexp(size)[1]) - 1))


def in_units(values: Floats, units: tuple[float, ...]) -> Floats:
    """Figures of nodes times some units; as they are where these would take them out of the range of floats."""
    scaled = values
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        for unit in units:
            scaled = scaled * unit
    lost = ~np.isfinite(scaled) | ((np.abs(scaled) < np.finfo(float).tiny) & (values != 0))
    return values if lost.any() else scaled


def forest_of(booster: Any) -> Forest:
    """All trees that a booster has grown."""
    return Forest(**booster.trees(), n_classes=_NUMBERS, criterion="squared_error")


class BoostedModel(RoundParameters, Estimator):
    """Trees one after the other, each on the slopes of a loss.

    A role says which loss, and what scores mean; a face what grows.
    """

    input_spec = InputSpec(sparse=True, missing=True, categories=True, unknown="missing")
    calls_blas = False
    iterative = True
    path_parameters = ("n_estimators",)
    takes_vectors = False  # trees whose leaves answer for several targets
    _unit = 1.0  # of the target while trees grow
    _weight_unit = 1.0  # of the weights
    _sizes_as_they_are: ClassVar[tuple[float, float]] = (2.0**-500, 2.0**500)  # targets between these are not divided
    categorical_features: ClassVar[Any] = None
    monotonic_cst: ClassVar[Any] = None
    takes_own_loss: ClassVar[bool] = False

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        if kwargs:
            refuse_foreign(cls.__name__, cls._params, kwargs)
        instance: Self = super().__new__(cls)
        return instance

    @classmethod
    def from_params(cls, **peer: Mapping[str, Any]) -> Self:
        """A model from the parameters of another library: ``from_params(lightgbm={"num_leaves": 63})``.

        Parameters
        ----------
        peer : one of ``lightgbm``, ``xgboost``, ``catboost``, and its dictionary of parameters

        Returns
        -------
        an estimator of this class; what the dictionary does not name has the default of this class
        """
        if len(peer) != 1 or next(iter(peer)) not in PEERS:
            requirement = "from_params takes one of lightgbm={...}, xgboost={...}, catboost={...}"
            raise ParameterError(
                format_message(cls.__name__, requirement, actual=f"got {', '.join(peer) or 'nothing'}")
            )
        name, peer_params = next(iter(peer.items()))
        return cls(**translated(cls.__name__, cls._params, name, peer_params))

    # --------------------------------------------------------------------------------------------------- what roles say

    def _loss(self, d: Design) -> dict[str, Any]:
        """The kernel's name of the loss, and its settings."""
        raise TypeError(f"{type(self).__name__} must write _loss")

    def _own_loss(self, d: Design, function: Any) -> CustomObjective:
        """The function that was given as loss."""
        if not self.takes_own_loss:
            requirement = f"loss must be a word in {d.who}, whose trees go by residuals"
            hint = f"use BoostedTrees{'Classifier' if d.classes else 'Regressor'}"
            raise ParameterError(format_message(d.who, requirement, actual="got a function", hint=hint))
        if getattr(self, "boosting", "plain") == "ordered":
            requirement = "boosting='ordered' is for losses that have a name"
            raise ParameterError(
                format_message(d.who, requirement, actual="got a function as loss", hint="set boosting='plain'")
            )
        return CustomObjective(function, d.who)

    def _weights(self, d: Design) -> Floats | None:
        return d.weight

    def _answers_vectors(self, d: Design) -> bool:
        """Does one tree a round answer for all outputs?"""
        return False

    def _answers(self, scores: Floats) -> Array:
        """What `predict` gives for scores."""
        raise TypeError(f"{type(self).__name__} must write _answers")

    def _attach_known(self, d: Design, y: Any) -> None:
        """The target of rows held out, in the codes of the fit."""
        raise TypeError(f"{type(self).__name__} must write _attach_known")

    def _labels_of(self, y: Floats) -> Array:
        """Targets as they were given."""
        return y

    def _booster(
        self, d: Design, sizes: Array, weight: Floats | None, validation_rows: Array | None, start: Any
    ) -> Any:
        """The kernel, with the table made ready."""
        raise TypeError(f"{type(self).__name__} must write _booster")

    # --------------------------------------------------------------------------------------------------------- learning

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None, X_val: Any = None, y_val: Any = None) -> Self:
        """Learns from a table and its target.

        Parameters
        ----------
        X : table of n rows and p columns
            pandas, polars or pyarrow table, NumPy array, sparse matrix, or list of rows.
        y : n labels or numbers
            The target.
        sample_weight : n numbers, optional
            How much each row counts; 2 counts like the row written twice.
        X_val, y_val : table and target, optional
            Rows that nothing is learned from: early stopping goes by them, and `validation_scores_` tells how good the
            model was on them after each round.

        Returns
        -------
        self
        """
        if (X_val is None) != (y_val is None):
            missing = "y_val" if y_val is None else "X_val"
            requirement = "X_val and y_val must be given together"
            raise DataError(format_message(type(self).__name__, requirement, actual=f"{missing} is missing"))
        self._held_out = None if X_val is None else (X_val, y_val)
        try:
            self._run_fit(X, y, sample_weight)
        finally:
            del self._held_out
        return self

    def _fit_table(self, X: Any, y: Any, sample_weight: Any, record: bool) -> Trace:
        stored = ("_forest_", "_start_", "_trees_a_round_", "_seed_", "classes_", "learning_rate_")
        self._earlier = {name: vars(self)[name] for name in stored if self.warm_start and name in vars(self)}
        try:
            return super()._fit_table(X, y, sample_weight, record)
        finally:
            del self._earlier

    def _unit_of(self, d: Design) -> float:
        """What targets are divided by while trees grow: a power of two that keeps squares in range."""
        loss = getattr(self, "loss", "")
        by_size = getattr(self, "min_impurity_decrease", 0) or getattr(self, "ccp_alpha", 0)
        if d.classes or callable(loss) or loss == "poisson" or by_size:
            return 1.0
        largest, (low, high) = float(np.abs(d.y).max()), self._sizes_as_they_are
        return 1.0 if largest == 0 or low < largest < high else power_of_two(largest)

    def _weights_in_range(self, d: Design) -> tuple[Floats | None, float]:
        """Weights that trees can be grown with, and what they were divided by for it."""
        return in_range(self._weights(d))

    @property
    def forest(self) -> Forest:
        """The fitted trees."""
        return self._forest_

    @property
    def start_scores(self) -> Floats:
        """The scores of every row before the first tree."""
        return self._start_

    def raw_scores(self, X: Any) -> Floats:
        """The start and the sum of the leaves, one column per score."""
        return np.asarray(self._scores(self._validate_predict(X)))

    def coded_columns(self, X: Any) -> Floats:
        """The columns of a table as the trees compare them: numbers, and codes of categories."""
        return np.asarray(BoostedModel._validate_predict(self, X).numbers)

    def _fit(self, d: Design, trace: Trace) -> None:
        self._unit, self._weight_unit = self._unit_of(d), 1.0
        try:
            self._fit_in_unit(d if self._unit == 1 else replace(d, y=d.y / self._unit), trace)
        finally:
            del self._unit, self._weight_unit

    def _fit_in_unit(self, d: Design, trace: Trace) -> None:
        self._seed_: int = self._earlier["_seed_"] if self._earlier else seed_from(self.random_state)
        sizes = category_sizes(d, self.categorical_features)
        self._check_directions(d, sizes)
        if self.categorical_features is not None:
            self._sizes_: Array = sizes
        loss = self._loss(d)
        self._check_judge(loss, d)
        weight, self._weight_unit = self._weights_in_range(d)
        validation_rows = self._draw_held(d) if self.early_stopping is True and not self._has_other else None
        earlier = self._check_earlier(d)
        start = self._given_start(d, loss) if earlier is None else self._earlier["_start_"]
        booster = self._booster(d, sizes, weight, validation_rows, None if start is None else start / self._unit)
        self._start_: Floats = np.asarray(booster.start)
        self._trees_a_round_: int = 1 if self._answers_vectors(d) else len(self._start_)
        if earlier is not None and start is not None:
            scores = _core.boosted_scores(earlier.bound, d.matrix, start, 0, len(earlier), self._threads)
            booster.resume(np.ascontiguousarray(scores / self._unit), len(earlier) // self._trees_a_round_)
        rounds = booster
        if loss["loss"] == "own":
            rounds = OwnRounds(booster, loss["own"], d.y[:, 0], weight, self._weight_unit, validation_rows)
        self._grow(booster, rounds, self._watch(validation_rows), d, trace, earlier)

    def _given_start(self, d: Design, loss: Mapping[str, Any]) -> Floats | None:
        """The scores before the first tree, where they are not to be found from the target."""
        outputs = loss["outputs"]
        if self.base_score is None:
            return np.zeros(outputs) if loss["loss"] == "own" else None
        base_score = np.asarray(self.base_score)
        if (
            base_score.dtype.kind not in "fiu"
            or base_score.shape not in ((), (outputs,))
            or not np.isfinite(base_score).all()
        ):
            requirement = f"base_score must be a finite number{f', or {outputs} of them' if outputs > 1 else ''}"
            raise ParameterError(format_message(d.who, requirement, actual=f"got {short_repr(self.base_score)}"))
        if loss["loss"] == "poisson" and abs(float(base_score.max())) > _LARGEST_LOGARITHM:
            requirement = f"base_score must be a logarithm of at most {_LARGEST_LOGARITHM} in size for loss='poisson'"
            raise ParameterError(format_message(d.who, requirement, actual=f"got {short_repr(self.base_score)}"))
        return np.full(outputs, base_score, dtype=np.float64)

    def _check_judge(self, loss: Mapping[str, Any], d: Design) -> None:
        """A loss that does not tell its value cannot judge rows held out."""
        judges = self.early_stopping is True or self._has_other
        by_loss = isinstance(self.scoring, str) and self.scoring == "loss"
        if loss["loss"] == "own" and judges and by_loss and not loss["own"].has_value:
            requirement = "scoring must name a metric for rows held out, or loss must have a method value(y, scores)"
            actual = f"{loss['own'].name} has none, and scoring is 'loss'"
            hint = "scoring='accuracy', say" if d.classes else "scoring='neg_mean_absolute_error', say"
            raise ParameterError(format_message(d.who, requirement, actual=actual, hint=hint))

    def _check_earlier(self, d: Design) -> Forest | None:
        """The trees of an earlier fit that this one goes on from."""
        earlier: Forest | None = self._earlier.get("_forest_")
        if earlier is None:
            return None
        labels = self._earlier.get("classes_")
        if labels is not None and not np.array_equal(labels, d.classes[0]):
            requirement = "with warm_start=True y must have the classes of the fit before"
            raise DataError(
                format_message(
                    d.who,
                    requirement,
                    actual=f"got {join_some(map(repr, d.classes[0].tolist()))}",
                    hint="set warm_start=False",
                )
            )
        if earlier.n_cols != d.n_cols:
            requirement = "with warm_start=True X must have the columns of the fit before"
            raise DataError(
                format_message(
                    d.who, requirement, actual=f"got {count(d.n_cols, 'column')}, then it had {earlier.n_cols}"
                )
            )
        outputs = self._loss(d)["outputs"]
        if outputs != len(self._earlier["_start_"]):
            requirement = "with warm_start=True y must have as many columns as in the fit before"
            raise DataError(
                format_message(d.who, requirement, actual=f"got {outputs}, then it had {len(self._earlier['_start_'])}")
            )
        rounds = len(earlier) // self._earlier["_trees_a_round_"]
        if self.n_estimators < rounds:
            requirement = (
                f"with warm_start=True n_estimators must be at least the {count(rounds, 'round')} of the fit before"
            )
            raise ParameterError(format_message(d.who, requirement, actual=f"got n_estimators={self.n_estimators}"))
        return earlier

    def _check_directions(self, d: Design, sizes: Array) -> None:
        monotone = monotone_of(d, self.monotonic_cst)
        if monotone is not None and (sizes[monotone != 0] > 0).any():
            column = d.column_labels()[int(np.flatnonzero((monotone != 0) & (sizes > 0))[0])]
            requirement = "monotonic_cst must be 0 for columns of categories, which have no direction"
            raise ParameterError(format_message(d.who, requirement, actual=f"column {column!r} holds categories"))

    # ---------------------------------------------------------------------------------------------------- rows held out

    @property
    def _has_other(self) -> bool:
        """Was another table given to be looked at?"""
        return getattr(self, "_held_out", None) is not None

    def _watch(self, validation_rows: Array | None) -> Watch:
        """What early stopping looks at: rows of another table, rows of this one, or nothing."""
        if not self._has_other:
            return Watch(None, validation_rows, validation_rows is not None)
        X_val, y_val = self._held_out  # type: ignore[misc]
        val_design = self._validate_predict(X_val)
        if len(read_target(y_val, val_design.who)) != val_design.n_rows:
            requirement, actual = (
                "X_val and y_val must have the same number of rows",
                f"{val_design.n_rows} and {len(y_val)}",
            )
            raise DataError(format_message(val_design.who, requirement, actual=f"got {actual}"))
        self._attach_known(val_design, y_val)
        val_design.y = val_design.y / self._unit
        return Watch(val_design, None, self.early_stopping is not False)

    def _draw_held(self, d: Design) -> Array:
        """A share of the rows; of classes the same share of each, as far as they have two rows."""
        n = d.n_rows
        random = np.random.RandomState(self._seed_ % (1 << 32))
        validation_rows = np.zeros(n, dtype=np.uint8)
        groups = [np.flatnonzero(d.y[:, 0] == k) for k in range(len(d.classes[0]))] if d.classes else [np.arange(n)]
        for rows in groups:
            rows = rows if d.weight is None else rows[d.weight[rows] > 0]
            many = min(max(round(self.validation_fraction * len(rows)), 1), len(rows) - 1)
            validation_rows[random.permutation(rows)[: max(many, 0)]] = 1
        learned = validation_rows == 0 if d.weight is None else (validation_rows == 0) & (d.weight > 0)
        if not validation_rows.any() or not learned.any():
            requirement = "early stopping needs rows to hold out"
            hint = "give X_val and y_val, or set early_stopping=False"
            raise DataError(
                format_message(d.who, requirement, actual=f"X has {count(n, 'row')} (n_samples={n})", hint=hint)
            )
        return validation_rows

    # ----------------------------------------------------------------------------------------------------------- rounds

    def _grow(self, booster: Any, rounds: Any, watch: Watch, d: Design, trace: Trace, earlier: Forest | None) -> None:
        """The rounds, one after the other: `rounds` grows them, with the loss that it knows."""
        max_rounds, began = int(self.n_estimators), time.perf_counter()
        evaluator = Judge(self, watch, d, booster) if watch.looks else None
        tell = trace.listener(lambda _: self._so_far(booster, earlier))
        has_value = not isinstance(rounds, OwnRounds) or rounds.has_value
        one_by_one = evaluator is not None or tell is not None or bool(self.verbose) or trace.record
        by_loss, power = isinstance(self.scoring, str) and self.scoring == "loss", unit_power(self._loss(d)["loss"])
        min_gain = out_of_unit(self.tol, self._unit, power) if by_loss else self.tol
        train: list[float] = []
        scores: list[float] = []
        best, best_at, n_rounds = -np.inf, booster.rounds, booster.rounds
        while n_rounds < max_rounds:
            rounds.grow(1 if one_by_one else max_rounds - n_rounds)
            n_rounds = booster.rounds
            if one_by_one and has_value:
                train.append(in_unit(rounds.mean_loss(), self._unit, power))
            if evaluator is not None:
                score = evaluator()
                scores.append(in_unit(score, self._unit, power) if by_loss else score)
                if score > best + min_gain:
                    best, best_at = score, n_rounds
                elif watch.stops and n_rounds - best_at >= self.n_iter_no_change:
                    break
            if self.verbose and n_rounds % self.verbose == 0:
                self._say(n_rounds, max_rounds, train, scores, time.perf_counter() - began)
            if tell is not None and tell(n_rounds, np.empty(0)):
                break
        grown, self._start_ = self._grown(booster, earlier)
        self._keep_trees(grown, max(best_at, 1) if watch.stops else n_rounds)
        if trace.record and has_value:
            rows = np.column_stack([np.arange(1, len(train) + 1), train])
            trace.take({"rounds": (["round", "loss"], rows)})
        if evaluator is not None:
            if has_value:
                self.train_losses_: Floats = np.array(train)
            self.validation_scores_: Floats = np.array(scores)
            self.best_iteration_: int = best_at

    def _grown(self, booster: Any, earlier: Forest | None) -> tuple[Forest, Floats]:
        """All trees, with those of an earlier fit, and the scores before them, in units of the target."""
        grown, start = forest_of(booster), np.asarray(booster.start)
        unit, weight = self._unit, self._weight_unit
        if unit != 1:
            scaled_values = {name: getattr(grown, name) * unit for name in ("leaf_value", "node_value")}
            grown, start = replace(grown, **scaled_values), start * unit
        if unit != 1 or weight != 1:
            # The slopes of sizes of errors have no unit.
            squared = (unit, unit) if getattr(self, "loss", "") not in ("absolute_error", "quantile") else ()
            by = {"leaf_impurity": squared, "node_impurity": squared, "leaf_weight": (weight,)}
            by["importance"] = (*squared, weight)
            figures: dict[str, Any] = {name: in_units(getattr(grown, name), units) for name, units in by.items()}
            grown = replace(grown, **figures)
        if earlier is not None:
            grown = earlier.joined(grown) if len(grown) else earlier
        return grown, start

    def _so_far(self, booster: Any, earlier: Forest | None) -> dict[str, Any]:
        """Fitted attributes in the middle of a fit, for those who follow it."""
        grown, start = self._grown(booster, earlier)
        return {"_forest_": grown, "_start_": start, "n_estimators_": booster.rounds}

    def _keep_trees(self, forest: Forest, rounds: int) -> None:
        trees = rounds * self._trees_a_round_
        self._forest_: Forest = forest if trees == len(forest) else forest.part(0, trees)
        self.n_estimators_: int = rounds

    def _say(self, n_rounds: int, max_rounds: int, train: list[float], scores: list[float], took: float) -> None:
        seconds_left = took / n_rounds * (max_rounds - n_rounds)
        val_text = f", held out {scores[-1]:.6g}" if scores else ""
        train_text = f", loss {train[-1]:.6g}" if train else ""
        print(
            f"{type(self).__name__}: round {n_rounds} of {max_rounds}{train_text}{val_text}, {seconds_left:.1f} s left"
        )

    # -------------------------------------------------------------------------------------------------------- answering

    def _validate_predict(self, X: Any) -> Design:
        d = super()._validate_predict(X)
        sizes = getattr(self, "_sizes_", None)
        return d if sizes is None else known_codes(d, sizes)

    def _scores(self, d: Design, rounds: int | None = None) -> Floats:
        """Rows x outputs: the start and the leaves of the first rounds."""
        last = (self.n_estimators_ if rounds is None else rounds) * self._trees_a_round_
        return np.asarray(_core.boosted_scores(self._forest_.bound, d.matrix, self._start_, 0, last, self._threads))

    def _staged_scores(self, d: Design) -> Iterator[Floats]:
        many, zero = self._trees_a_round_, np.zeros(len(self._start_))
        scores = np.tile(self._start_, (d.n_rows, 1))
        for t in range(self.n_estimators_):
            span = (t * many, (t + 1) * many)
            scores = scores + _core.boosted_scores(self._forest_.bound, d.matrix, zero, *span, self._threads)
            yield scores

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """What `predict` would answer after 1, 2, ... rounds."""
        for scores in self._staged_scores(self._validate_predict(X)):
            yield self._answers(scores)

    def apply(self, X: Any) -> Array:
        """Rows x trees: the number of the leaf that each row ends in; node 0 is the root of a tree."""
        d = self._validate_predict(X)
        return self._forest_.apply(d.matrix, self._threads).astype(np.intp)

    @property
    def base_score_(self) -> Floats:
        """The score of every row before the first tree, by output."""
        self._check_fitted()
        return self._start_

    @property
    def feature_importances_(self) -> Floats:
        """The gain of all splits on each column, as shares that add up to 1."""
        return self.importances("gain")

    def importances(self, kind: str = "gain") -> Floats:
        """How much each column counts, as shares that add up to 1.

        Parameters
        ----------
        kind : "gain", what the splits on the column gained together; "split", how many there are
        """
        self._check_fitted()
        if kind not in ("gain", "split"):
            requirement = "kind must be 'gain' or 'split'"
            hint = "pellucid.inspection.permutation_importance shuffles columns"
            raise ParameterError(format_message(type(self).__name__, requirement, actual=f"got {kind!r}", hint=hint))
        if kind == "gain":
            importances = np.maximum(self._forest_.importance, 0).sum(axis=0)
        else:
            importances = np.zeros(self._forest_.n_cols)
            for t in range(len(self._forest_)):
                features = self._forest_.tree(t).feature
                importances += np.bincount(features[features >= 0], minlength=len(importances))
        return np.asarray(importances / importances.sum() if importances.sum() > 0 else importances)
