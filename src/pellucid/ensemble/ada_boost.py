"""AdaBoost: models one after the other, each looking harder at what those before got wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

import numpy as np
from sklearn.utils import Tags

from pellucid.base.declare import param
from pellucid.base.errors import DataError, ParameterError, PellucidWarning, count, format_message, short_repr, warn
from pellucid.base.types import Array, Flags, Floats
from pellucid.data.design import Design, attach_weight, infer_schema
from pellucid.data.target import attach_numbers, attach_one_column, attach_one_label, check_rows, read_target
from pellucid.ensemble._boosting import Boosting, Rounds, clipped, draw, losses_of, recorded, weighted_median
from pellucid.ensemble._rounds import GivenModels
from pellucid.ensemble._stumps import Stumps, boost_stumps, check_stump, is_stump, stump_by_hand
from pellucid.estimator.roles import Classifier, Regressor, r2
from pellucid.estimator.trace import Trace
from pellucid.tree import DecisionTreeClassifier, DecisionTreeRegressor

__all__ = ["AdaBoostClassifier", "AdaBoostRegressor"]

# Weights that are not divided by their sum end the fit when they get so heavy that squares leave the range of floats.
_HEAVIEST = 2.0**300


class AdaBoostClassifier(Boosting, Classifier):
    """Classes by the vote of many weak models, each fitted to rows that weigh more where those before were wrong.

    Rows i of weight ``w_i``, at first 1/n each, have one of K classes. Round t fits a model ``h_t`` with these weights:

        ``e_t = sum_i w_i [h_t(x_i) != y_i] / sum_i w_i``      its weighted error
        ``a_t = ln((1 - e_t) / e_t) + ln(K - 1)``              its stage value: what its vote counts
        ``w_i <- w_i exp(a_t)``  for rows that it got wrong    then all divided by their sum

    and a row gets the class with the most votes,  ``argmax_k sum_t a_t [h_t(x) = k]``.  With two classes, where
    ln(K - 1) is 0, this is AdaBoost.M1 (discrete AdaBoost); with more it is SAMME.

    The models are stumps, trees of one test, unless told: any classifier that is a little better than chance will do.
    Those that take no weights are fitted to rows drawn by their weights (`weighting`). Boosting lowers the bias of
    simple models; a learning rate below 1 takes smaller steps. Rows with a wrong label end up with most of the weight:
    prefer a random forest or bagging where labels are noisy. The probabilities are made of vote shares; calibrate them
    where they matter.

    A model that makes no error ends it and decides alone, for its stage value would be infinite. One that is no better
    than chance, ``e_t >= 1 - 1/K``, ends it and is left out; if it is the first there is nothing to be fitted, and an
    error says so. `ended_` tells which it was.

    Attributes
    ----------
    estimators_ : the models that vote, in the order of the rounds
    estimator_weights_ : their stage values; 0 for rounds that were not made
    estimator_errors_ : their weighted errors; 1 for rounds that were not made
    classes_, n_classes_ : the labels, sorted, and their number
    feature_importances_ : those of the models, weighted by their stage values
    ended_ : 'n_estimators', 'perfect', 'chance' or 'overflow'
    weighting_ : 'reweight' or 'resample'
    estimator_ : the model of a round, not fitted
    n_features_in_, feature_names_in_ : columns seen in fit

    Notes
    -----
    scikit-learn's numbers, with the same stumps where no two splits are equally good. There, a perfect model that comes
    late has the stage value 1 beside those before; here it decides alone. ``stage="half"`` is the form with
    ``a_t = 1/2 (...)`` and ``w_i exp(-a_t)`` for rows that are right: after the division by the sum the weights are the
    same, and so are the votes. Without that division (``normalize=False``) they are too, but for rounding.

    To models of this library other than `DecisionTreeClassifier` the weights are handed over as numbers of rows, adding
    up to n: rules and tests that ask for some rows would find less than one in weights that add up to 1.

    Stumps, and trees of ours, are fitted to columns that are sorted once for all rounds. Stumps are kept as arrays;
    `estimators_` makes trees of them when it is asked.

    References
    ----------
    Freund, Schapire: A decision-theoretic generalization of on-line learning and an application to boosting (1997).
    Zhu, Zou, Rosset, Hastie: Multi-class AdaBoost. Statistics and Its Interface 2 (2009).

    Examples
    --------
    The first stump says no everywhere and gets one of four rows wrong: its vote counts ln 3. That row weighs 1/2 then;
    the second stump cuts at 2.5 and gets the last row wrong, which weighs 1/6: ln 5.

    >>> from pellucid.ensemble import AdaBoostClassifier
    >>> model = AdaBoostClassifier(n_estimators=2).fit([[1], [2], [3], [4]], ["no", "no", "yes", "no"])
    >>> model.estimator_errors_.round(4).tolist(), model.estimator_weights_.round(4).tolist()
    ([0.25, 0.1667], [1.0986, 1.6094])
    >>> model.predict([[3.2]]).tolist()
    ['yes']

    Models that are known already, here two stumps, are weighed in their order:

    >>> low = {"feature": 0, "threshold": 2.5, "left": "no", "right": "yes"}
    >>> high = {"feature": 0, "threshold": 3.5, "left": "yes", "right": "no"}
    >>> replay = AdaBoostClassifier(models=[low, high]).fit([[1], [2], [3], [4]], ["no", "no", "yes", "no"])
    >>> replay.estimator_errors_.round(4).tolist()
    [0.25, 0.3333]
    """

    weighting: Literal["reweight", "resample"] = param(
        default="reweight",
        doc="Do the models get the weights of the rows, or as many rows drawn by these weights? For a model that takes "
        "no weights rows are drawn, and a warning says so.",
    )
    stage: Literal["samme", "half"] = param(
        default="samme", doc="The stage value in full with rows that are wrong made heavier, or half of it with both."
    )
    normalize: bool = param(default=True, doc="Are the weights divided by their sum after each round?")
    models: list[Any] | tuple[Any, ...] | None = param(
        default=None,
        doc="Models that are fitted already, in the order of the rounds: nothing is fitted but their votes. "
        "Estimators, or stumps as dicts with feature, threshold (or categories), left and right. `estimator` and "
        "`n_estimators` are not looked at.",
    )

    # ------------------------------------------------------------------------------------------------------------- door

    def _default(self) -> Any:
        return DecisionTreeClassifier(max_depth=1)

    @property
    def _reads(self) -> bool:
        by_hand = self.models is not None and not all(isinstance(model, Mapping) for model in self.models)
        return not by_hand and super()._reads

    def _check_params(self) -> None:
        super()._check_params()
        if self.models is None:
            return
        requirement = "models must be fitted models, or stumps as dicts"
        if len(self.models) == 0:
            raise ParameterError(format_message(type(self).__name__, requirement, actual="the list is empty"))
        for index, model in enumerate(self.models):
            wrong = check_stump(model) if isinstance(model, Mapping) else ""
            if wrong or not (isinstance(model, Mapping) or hasattr(model, "predict")):
                actual = f"models[{index}] is {short_repr(model)}" + (f", where {wrong}" if wrong else "")
                raise ParameterError(format_message(type(self).__name__, requirement, actual=actual))

    def _attach_target(self, d: Design, y: Any) -> None:
        attach_one_label(d, y)
        self.classes_ = d.classes[0]

    # --------------------------------------------------------------------------------------------------------- learning

    def _fit(self, d: Design, trace: Trace) -> None:
        self.n_classes_: int = len(d.classes[0])
        self.estimator_: Any = self._base
        random, weight = self._start(d)
        resample = self.models is None and self._resamples(self.weighting)
        self.weighting_: str = "resample" if resample else "reweight"
        max_rounds = int(self.n_estimators) if self.models is None else len(self.models)
        if self.models is None and not resample and self._reads and is_stump(self._base):
            rounds = self._boost_stumps(d, max_rounds, trace)
        else:
            rounds = self._boost(d, random, weight, resample, max_rounds, trace)
        self._settle(rounds, max_rounds)
        if trace.record:
            trace.take(recorded(rounds.weights, rounds.drawn))

    def _boost_stumps(self, d: Design, max_rounds: int, trace: Trace) -> Rounds:
        settings = (max_rounds, float(self.learning_rate), self.stage == "half", bool(self.normalize))
        boosted = boost_stumps(d, self._base, *settings, trace.record, self._threads)
        return Rounds(
            boosted.stumps,
            boosted.stages.tolist(),
            boosted.errors.tolist(),
            boosted.ended,
            list(boosted.row_weight),
            [],
        )

    def _boost(
        self, d: Design, random: np.random.RandomState, weight: Floats, resample: bool, max_rounds: int, trace: Trace
    ) -> Rounds:
        learner = self._learner(d, resample) if self.models is None else GivenModels(self._given(d), d, self._passed)
        codes, absent = d.y[:, 0].astype(int), np.asarray(weight == 0)
        rounds = Rounds([], [], [], "n_estimators", [], [])
        for number in range(1, max_rounds + 1):
            weight = clipped(weight, absent)
            model = learner.make(random)
            sample_rows = draw(random, weight) if resample else None
            if trace.record:
                rounds.weights.append(weight)
                rounds.drawn.extend([] if sample_rows is None else [sample_rows])
            model = learner.fit(model, number, weight, sample_rows)
            wrong = np.asarray(learner.answers(model) != codes)
            error = float((weight * wrong).sum() / weight.sum())
            rounds.errors.append(error)
            if error >= 1 - 1 / self.n_classes_ and error > 0:
                return rounds._replace(ended="chance")
            rounds.models.append(model)
            rounds.stages.append(1.0 if error <= 0 else self._stage_of(error))
            if error <= 0:
                return rounds._replace(ended="perfect")
            if number < max_rounds:
                weight = self._next_weights(weight, wrong, rounds.stages[-1])
                total = weight.sum()
                if not np.isfinite(total) or (not self.normalize and total > _HEAVIEST):
                    return rounds._replace(ended="overflow")
        return rounds

    def _stage_of(self, error: float) -> float:
        full = float(self.learning_rate) * (np.log((1 - error) / error) + np.log(self.n_classes_ - 1.0))
        return float(full / 2 if self.stage == "half" else full)

    def _next_weights(self, weight: Floats, wrong: Flags, stage: float) -> Floats:
        with np.errstate(over="ignore", invalid="ignore"):
            up, down = np.exp(stage), np.exp(-stage) if self.stage == "half" else 1.0
            moved = weight * np.where(wrong, up, down)
            return np.asarray(moved / moved.sum() if self.normalize else moved)

    def _settle(self, rounds: Rounds, max_rounds: int) -> None:
        who = type(self).__name__
        if rounds.ended == "chance" and not rounds.stages:
            at = 1 - 1 / self.n_classes_
            requirement = f"BaseClassifier in {who} ensemble is worse than random, ensemble can not be fit"
            actual = f"the weighted error of the first model is {rounds.errors[0]:.4g}, that of chance {at:.4g}"
            raise DataError(
                format_message(
                    who,
                    requirement,
                    actual=actual,
                    hint="take a stronger estimator, or look whether X says anything of y",
                )
            )
        models, stages, errors = rounds.models, rounds.stages, rounds.errors[: len(rounds.stages)]
        if rounds.ended == "perfect":
            last = len(stages) - 1
            models = models.part(last, last + 1) if isinstance(models, Stumps) else models[last:]
            stages, errors = stages[last:], errors[last:]
        self._keep_rounds(models, stages, errors, max_rounds)
        self.ended_: str = rounds.ended
        if rounds.ended == "overflow":
            self._warn_of_overflow(len(stages))
        elif self.models is not None and len(stages) < len(self.models):
            self._warn_of_models(rounds)

    def _given(self, d: Design) -> list[Any]:
        """The models that were handed over, stumps as trees."""
        read = d
        if not self._reads and any(isinstance(model, Mapping) for model in self.models or ()):
            read = infer_schema(self._passed, DecisionTreeClassifier.input_spec, d.who)
            read.y, read.classes, read.weight = d.y, d.classes, d.weight
        return [stump_by_hand(read, model) if isinstance(model, Mapping) else model for model in self.models or ()]

    def _warn_of_models(self, rounds: Rounds) -> None:
        number = len(rounds.errors)
        if rounds.ended == "perfect":
            actual = f"models[{number - 1}] makes no error and decides alone"
        else:
            actual = f"models[{number - 1}] is no better than chance (weighted error {rounds.errors[-1]:.4g}): it"
            actual += f" and those after it are left out, {count(len(rounds.stages), 'model')} before it voting"
        warn(format_message(type(self).__name__, "not all of the models given vote", actual=actual), PellucidWarning)

    # -------------------------------------------------------------------------------------------------------- answering

    def _votes_of(self, data: Any, votes: Floats, start: int, stop: int) -> None:
        """Adds the votes of some models (classes x rows)."""
        stages = self._stages[start:stop]
        if isinstance(self.estimators_, Stumps):
            self.estimators_.part(start, stop).add_votes(data, stages, votes, self._threads)
            return
        rows = np.arange(votes.shape[1])
        for model, stage in zip(self.estimators_[start:stop], stages.tolist(), strict=True):
            votes[self._said(model, data), rows] += stage

    def _no_votes(self, data: Any) -> Floats:
        rows = data.n_rows if isinstance(data, Design) else self._validate_predict(data).n_rows
        return np.zeros((self.n_classes_, rows))

    def _votes(self, X: Any) -> Floats:
        data = self._asked(X)
        votes = self._no_votes(data)
        self._votes_of(data, votes, 0, len(self.estimators_))
        return votes

    def _staged_votes(self, X: Any) -> Iterator[tuple[Floats, float]]:
        """After each round the votes so far, and the most that a class could have."""
        data = self._asked(X)
        votes = self._no_votes(data)
        max_votes = np.cumsum(self._stages).tolist()
        for t in range(len(self.estimators_)):
            self._votes_of(data, votes, t, t + 1)
            yield votes, max_votes[t]

    def _decision(self, votes: Floats, max_votes: float) -> Floats:
        k = self.n_classes_
        if k == 1:
            return np.zeros((votes.shape[1], 1))
        if k == 2:
            return np.asarray(2 * (votes[1] - votes[0]) / max_votes)
        return np.ascontiguousarray(((votes - (max_votes - votes) / (k - 1)) / max_votes).T)

    def _probability(self, decision: Floats) -> Floats:
        if self.n_classes_ == 1:
            return np.ones((len(decision), 1))
        scores = decision / (self.n_classes_ - 1)
        if self.n_classes_ == 2:
            scores = np.column_stack([-decision, decision]) / 2
        raised = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(raised / raised.sum(axis=1, keepdims=True))

    def predict(self, X: Any) -> Array:
        """The class with the most votes, the first of equals."""
        codes = self._votes(X).argmax(axis=0)
        return np.asarray(self.classes_[codes])

    def decision_function(self, X: Any) -> Floats:
        """How clearly the vote goes, as a share of all votes.

        One column a class, the votes for it less the mean of those for the others; for two classes one number, twice
        the share of the second class less that of the first.
        """
        return self._decision(self._votes(X), float(self._stages.sum()))

    def predict_proba(self, X: Any) -> Floats:
        """The softmax of the decision divided by K - 1, as scikit-learn has it."""
        return self._probability(self.decision_function(X))

    def predict_log_proba(self, X: Any) -> Floats:
        """The logarithm of the probability of each class."""
        return np.asarray(np.log(self.predict_proba(X)))

    def staged_decision_function(self, X: Any) -> Iterator[Floats]:
        """`decision_function` after each round."""
        for votes, max_votes in self._staged_votes(X):
            yield self._decision(votes, max_votes)

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """`predict` after each round."""
        for votes, _ in self._staged_votes(X):
            yield np.asarray(self.classes_[votes.argmax(axis=0)])

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """`predict_proba` after each round."""
        for decision in self.staged_decision_function(X):
            yield self._probability(decision)

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Accuracy after each round."""
        d = self._validate_predict(X)
        attach_weight(d, sample_weight)
        actual = read_target(y, type(self).__name__).ravel()
        check_rows(actual, d)
        for predicted in self.staged_predict(X):
            yield float(np.average(predicted == actual, weights=d.unit_weight[0]))


class AdaBoostRegressor(Boosting, Regressor):
    """Numbers by the weighted median of many models, each fitted to rows that those before were far from (AdaBoost.R2).

    Rows i of weight ``w_i``, at first 1/n each. Round t draws n rows by these weights, fits a model ``h_t`` to them:

        ``d_i = |h_t(x_i) - y_i| / max_j |h_t(x_j) - y_j|``      how far off it is, against the worst row
        ``L_i = d_i,  d_i²  or  1 - exp(-d_i)``                  by `loss`
        ``e_t = sum_i w_i L_i,   b_t = e_t / (1 - e_t)``         its mean loss, and its confidence: small is good
        ``w_i <- w_i b_t^(1 - L_i)``                             then all divided by their sum

    It answers with the weighted median: the answers of the models are put in order, and the first is taken up to which
    the stage values ``ln(1 / b_t)`` make up half of their sum. A learning rate multiplies the stage value and the
    power.

    One row far from all others draws the weight to itself: prefer the Huber or absolute loss of gradient boosting, or a
    random forest, where there are such rows. A model without any loss ends it and decides alone; one with a mean loss
    of 1/2 or more ends it and is left out, unless it is the first: that then answers alone.

    Attributes
    ----------
    estimators_ : the models that vote, in the order of the rounds
    estimator_weights_ : their stage values; 0 for rounds that were not made
    estimator_errors_ : their mean losses; 1 for rounds that were not made
    feature_importances_ : those of the models, weighted by their stage values
    ended_ : 'n_estimators', 'perfect', 'loss' or 'overflow'
    weighting_ : 'resample' or 'reweight'
    estimator_ : the model of a round, not fitted
    n_features_in_, feature_names_in_ : columns seen in fit

    Notes
    -----
    scikit-learn's numbers for the same whole number as `random_state`, with the same trees where no two splits are
    equally good; but a model without loss that comes late decides alone. Trees of ours are grown on columns that are
    sorted once for all rounds; a drawn row counts as often as it was drawn.

    References
    ----------
    Drucker: Improving regressors using boosting techniques. ICML (1997).

    Examples
    --------
    With weights in place of drawn rows, a stump on targets 0, 0, 3, 4 answers 0 and 3.5: the losses of the rows are 0,
    0, 1, 1, their mean is 1/2, and nothing is gained by a second round.

    >>> from pellucid.ensemble import AdaBoostRegressor
    >>> from pellucid.tree import DecisionTreeRegressor
    >>> stump = DecisionTreeRegressor(max_depth=1)
    >>> model = AdaBoostRegressor(stump, weighting="reweight").fit([[1], [2], [3], [4]], [0, 0, 3, 4])
    >>> model.ended_, model.estimator_errors_[0].item(), model.predict([[1], [4]]).tolist()
    ('loss', 0.5, [0.0, 3.5])
    """

    loss: Literal["linear", "square", "exponential"] = param(
        default="linear", doc="How a distance counts: as it is, squared, or by an exponential that flattens."
    )
    weighting: Literal["resample", "reweight"] = param(
        default="resample",
        doc="Are the models fitted to as many rows drawn by the weights, or do they get the weights themselves?",
    )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        return tags

    def _default(self) -> Any:
        return DecisionTreeRegressor(max_depth=3)

    def _attach_target(self, d: Design, y: Any) -> None:
        attach_one_column(d, y)
        if d.y.shape[1] > 1:
            actual = f"got an array of shape {d.y.shape} instead"
            hint = "fit one model a column, or use a tree or a forest, which take several"
            raise DataError(format_message(d.who, "y should be a 1d array: one number a row", actual=actual, hint=hint))

    def _fit(self, d: Design, trace: Trace) -> None:
        self.estimator_: Any = self._base
        random, weight = self._start(d)
        resample = self._resamples(self.weighting)
        self.weighting_: str = "resample" if resample else "reweight"
        rounds = self._boost(d, random, weight, resample, trace)
        models, stages, errors = rounds.models, rounds.stages, rounds.errors[: len(rounds.models)]
        if rounds.ended == "perfect":
            models, stages, errors = models[-1:], stages[-1:], errors[-1:]
        self._keep_rounds(models, stages, errors, int(self.n_estimators))
        self.ended_: str = rounds.ended
        if rounds.ended == "overflow":
            self._warn_of_overflow(len(stages), lost=True)
        if trace.record:
            trace.take(recorded(rounds.weights, rounds.drawn))

    def _boost(self, d: Design, random: np.random.RandomState, weight: Floats, resample: bool, trace: Trace) -> Rounds:
        learner, absent = self._learner(d, resample), np.asarray(weight == 0)
        rounds, rate = Rounds([], [], [], "n_estimators", [], []), float(self.learning_rate)
        for number in range(1, int(self.n_estimators) + 1):
            weight = clipped(weight, absent)
            model = learner.make(random)
            sample_rows = draw(random, weight) if resample else None
            if trace.record:
                rounds.weights.append(weight)
                rounds.drawn.extend([] if sample_rows is None else [sample_rows])
            model = learner.fit(model, number, weight, sample_rows)
            losses = losses_of(learner.answers(model), d.y[:, 0], absent, self.loss)
            error = float((weight * losses).sum() / weight.sum())
            rounds.errors.append(error)
            if error >= 0.5:
                if number == 1:
                    rounds.models.append(model)
                    rounds.stages.append(0.0)
                return rounds._replace(ended="loss")
            beta = error / (1 - error)
            rounds.models.append(model)
            rounds.stages.append(1.0 if error <= 0 else rate * float(np.log(1 / beta)))
            if error <= 0:
                return rounds._replace(ended="perfect")
            weight = weight * beta ** ((1 - losses) * rate)
            total = weight.sum()
            if not total > 0:
                return rounds._replace(ended="overflow")
            weight = weight / total
        return rounds

    # -------------------------------------------------------------------------------------------------------- answering

    def _answers(self, X: Any) -> Floats:
        """What each model says of each row: rows x models."""
        data = self._asked(X)
        return np.column_stack([self._said(model, data) for model in self.estimators_])

    def _predict(self, d: Design) -> Array:
        if self._reads:
            return weighted_median(np.column_stack([self._said(model, d) for model in self.estimators_]), self._stages)
        source = d.table.source
        return self.predict(source.to_native() if d.table.is_frame else source)

    def predict(self, X: Any) -> Array:
        """The weighted median of what the models say of each row."""
        return weighted_median(self._answers(X), self._stages)

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """`predict` after each round."""
        predictions = self._answers(X)
        for t in range(1, len(self.estimators_) + 1):
            yield weighted_median(predictions[:, :t], self._stages[:t])

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """R² after each round."""
        d = self._validate_predict(X)
        attach_numbers(d, y)
        attach_weight(d, sample_weight)
        weight = d.unit_weight[0]
        for predicted in self.staged_predict(X):
            values = predicted.astype(np.float64).reshape(d.y.shape)
            yield float(np.mean(r2(d.y, values, np.ones(d.n_rows) if weight is None else weight)))
