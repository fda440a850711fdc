"""Self-training: a classifier that goes on learning from its own surest answers."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import numbers
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import Tags, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import has_fit_parameter

from pellucid.base.declare import param
from pellucid.base.errors import DataError, ParameterError, PellucidWarning, count, format_message, warn
from pellucid.base.types import Array, Flags, Floats
from pellucid.data.design import Design, InputSpec
from pellucid.data.kinds import is_missing
from pellucid.data.table import Table, read_table
from pellucid.data.target import attach_labels, check_rows, read_target
from pellucid.estimator.roles import Classifier
from pellucid.estimator.trace import Trace

__all__ = ["SelfTrainingClassifier"]


def _fitted_has(name: str) -> Callable[[Any], bool]:
    """Does the model inside have a method?"""

    def check(self: Any) -> bool:
        getattr(self.estimator_ if hasattr(self, "estimator_") else self.estimator, name)
        return True

    return check


class SelfTrainingClassifier(MetaEstimatorMixin, Classifier):
    """A classifier that labels the unlabeled rows it is sure of, learns from them too, and goes on.

    Round t fits the model inside on the rows labeled so far, L, and asks it about the others, U:

    ``p_i = max_c P(c | x_i),  c_i = argmax_c P(c | x_i),  i in U``

    Rows with ``p_i > threshold`` (or the ``k_best`` rows with the largest p_i, the first of equals) move from U to L
    with the label c_i. It ends when U is empty, when a round labels nothing, or after ``max_iter`` rounds.

    It helps where classes are clumps with gaps between them, a few labels lie in each, and the model's probabilities
    can be trusted: then the border moves from the middle of the few labels into the gap. It harms where they cannot: a
    label given wrongly is never taken back and speaks for itself from then on. So where classes overlap or lie in no
    clumps, a class has no label at all, or the model is sure of everything (a deep tree, one nearest neighbor), score
    it against the same model fitted on the labeled rows alone, and calibrate the model inside first.

    Rows without a label have -1, None or NaN in y, or an empty text among texts.

    Attributes
    ----------
    estimator_ : the fitted model inside
    classes_ : labels, sorted
    transduction_ : y with the labels given in the rounds; rows that got none are as they came
    labeled_iter_ : the round in which each row was labeled; 0 from the start, -1 never
    n_iter_ : number of rounds
    termination_condition_ : 'all_labeled', 'no_change' or 'max_iter'

    Examples
    --------
    One label at each end of a line, and rows between them with a gap after 4. The nearest label of 5 is that of 8; from
    neighbor to neighbor, one row a round, the label of 0 gets there:

    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X = [[0], [1], [2], [3], [4], [5], [8]]
    >>> nearest = KNeighborsClassifier(n_neighbors=1)
    >>> nearest.fit([[0], [8]], ["low", "high"]).predict([[5]]).tolist()
    ['high']
    >>> y = ["low", None, None, None, None, None, "high"]
    >>> model = SelfTrainingClassifier(nearest, criterion="k_best", k_best=1).fit(X, y)
    >>> model.predict([[5]]).tolist(), model.labeled_iter_.tolist(), model.termination_condition_
    (['low'], [0, 1, 2, 3, 4, 5, 0], 'all_labeled')

    Notes
    -----
    As scikit-learn, but: weights of the rows are handed to the model inside, row by row; texts may be labels as they
    are; of rows that are equally sure the first are taken; after a round that changes nothing, which has just been
    fitted on the same rows, the model is not fitted again.

    References
    ----------
    D. Yarowsky, Unsupervised word sense disambiguation rivaling supervised methods, ACL 1995.
    """

    estimator: Any = param(default=None, kw_only=False, doc="The classifier inside; it must give probabilities.")
    threshold: float = param(
        default=0.75,
        low=0,
        high=1,
        high_open=True,
        kw_only=False,
        doc="Rows whose largest probability is above this are labeled, for criterion='threshold'.",
    )
    criterion: Literal["threshold", "k_best"] = param(
        default="threshold",
        kw_only=False,
        doc="Which rows a round labels: all above `threshold`, or the `k_best` surest.",
    )
    k_best: int = param(default=10, low=1, kw_only=False, doc="Rows that a round labels, for criterion='k_best'.")
    max_iter: int | None = param(
        default=10, low=0, kw_only=False, doc="Most rounds; None goes on until nothing is left or nothing changes."
    )
    verbose: bool | int = param(default=False, kw_only=False, doc="Print how many labels each round gives.")

    input_spec = InputSpec(values=False)  # the model inside looks at them

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        if self.estimator is not None:
            inner = get_tags(self.estimator)
            tags.input_tags, tags.no_validation = copy.copy(inner.input_tags), inner.no_validation
            tags.classifier_tags, tags.non_deterministic = copy.copy(inner.classifier_tags), inner.non_deterministic
        return tags

    def _fit_table(self, X: Any, y: Any, sample_weight: Any, record: bool) -> Trace:
        _check_inner(self.estimator, sample_weight is not None)
        read_table(X, type(self).__name__)
        trace = super()._fit_table(X, y, sample_weight, record)
        new, labels = self.labeled_iter_ > 0, read_target(y, type(self).__name__).ravel().copy()
        labels[new] = self.transduction_[new]
        self.transduction_: Array = labels  # of the type that y came in
        return trace

    def _attach_target(self, d: Design, y: Any) -> None:
        """Labels as codes; the code after the last is that of rows without one."""
        labels = _read_labels(d, y)
        known = _is_labeled(labels)
        if not known.any():
            hint = "label at least one row of every class; -1, None and NaN mark rows without a label"
            raise DataError(
                format_message(
                    d.who, "y must have labels", actual=f"none of the {count(len(labels), 'row')} has one", hint=hint
                )
            )
        part = dataclasses.replace(d, n_rows=int(known.sum()))
        attach_labels(part, _plain(labels[known]))
        d.y = np.full((d.n_rows, 1), float(len(part.classes[0])))
        d.y[known] = part.y
        none: Any = -1 if part.classes[0].dtype.kind in "biuf" else ""
        d.classes = [np.array([*part.classes[0].tolist(), none], dtype=object)]

    def _fit(self, d: Design, trace: Trace) -> None:
        known = d.y[:, 0] < len(d.classes[0]) - 1
        labels = d.classes[0][d.y[:, 0].astype(int)]
        self._warn_of(known)
        self.transduction_ = labels
        self.labeled_iter_: Array = np.where(known, 0, -1)
        self.estimator_ = clone(self.estimator)
        self.n_iter_, self.termination_condition_ = 0, "max_iter"
        while not known.all() and (self.max_iter is None or self.n_iter_ < self.max_iter):
            self.n_iter_ += 1
            self._fit_inside(d, known)
            rows = np.flatnonzero(~known)
            probability = self._ask_inside(d.table, rows)
            chosen = self._choose(probability.max(axis=1))
            self._tell(trace, rows, probability, chosen)
            if len(chosen) == 0:
                self.termination_condition_ = "max_iter" if self.n_iter_ == self.max_iter else "no_change"
                break
            labels[rows[chosen]] = self.estimator_.classes_[probability[chosen].argmax(axis=1)]
            known[rows[chosen]], self.labeled_iter_[rows[chosen]] = True, self.n_iter_
            if self.verbose:
                print(f"End of iteration {self.n_iter_}, added {len(chosen)} new labels.")
        else:
            self._fit_inside(d, known)
        if known.all():
            self.termination_condition_ = "all_labeled"
        self.classes_ = self.estimator_.classes_

    def _fit_inside(self, d: Design, known: Flags) -> None:
        """The model inside on the labeled rows."""
        rows = np.flatnonzero(known)
        more = {} if d.weight is None else {"sample_weight": d.weight[rows]}
        self.estimator_.fit(_take(d.table, rows), np.array(self.transduction_[rows].tolist()), **more)

    def _ask_inside(self, table: Table, rows: Array) -> Floats:
        if not hasattr(self.estimator_, "predict_proba"):
            raise ParameterError(_no_probabilities(self.estimator))
        return np.asarray(self.estimator_.predict_proba(_take(table, rows)))

    def _choose(self, surest: Floats) -> Array:
        """Places of the rows that are labeled in this round."""
        if self.criterion == "threshold":
            return np.flatnonzero(surest > self.threshold)
        return np.sort(np.argsort(-surest, kind="stable")[: self.k_best])

    def _warn_of(self, known: Flags) -> None:
        who, left = type(self).__name__, int((~known).sum())
        if left == 0:
            hint = "-1, None or NaN, or an empty text among texts, marks a row without a label"
            warn(
                format_message(
                    who, "y contains no unlabeled samples", actual="the fit is that of the model inside", hint=hint
                ),
                PellucidWarning,
            )
        elif self.criterion == "k_best" and self.k_best > left:
            requirement = "k_best is larger than the amount of unlabeled samples"
            actual = f"all {count(left, 'row')} will be labeled in the first round"
            warn(format_message(who, requirement, actual=actual), PellucidWarning)

    def _tell(self, trace: Trace, rows: Array, probability: Floats, chosen: Array) -> None:
        """Records a round: every row without a label, its probabilities, and whether it is chosen."""
        if trace.record:
            taken = np.isin(np.arange(len(rows)), chosen)
            table = np.column_stack([np.full(len(rows), self.n_iter_), rows, taken, probability])
            names = [f"p{k}" for k in range(probability.shape[1])]
            trace.take({"rounds": (["round", "row", "taken", *names], table.astype(np.float64))})

    # ------------------------------------------------------------------------------------------------------- answers

    def predict(self, X: Any) -> Array:
        """The label that the model inside predicts for each row."""
        self._check_fitted()
        return np.asarray(self.estimator_.predict(X))

    @available_if(_fitted_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Any:
        """The probability of each class, one column a class in the order of `classes_`."""
        self._check_fitted()
        return self.estimator_.predict_proba(X)

    @available_if(_fitted_has("predict_log_proba"))  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> Any:
        """The logarithm of the probability of each class."""
        self._check_fitted()
        return self.estimator_.predict_log_proba(X)

    @available_if(_fitted_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Any:
        """The scores that the model inside decides by."""
        self._check_fitted()
        return self.estimator_.decision_function(X)


# ------------------------------------------------------------------------------------------------------------- labels


def _read_labels(d: Design, y: Any) -> Array:
    labels = read_target(y, d.who)
    check_rows(labels, d)
    if labels.ndim == 2 and labels.shape[1] != 1:
        actual = f"got an array of shape {labels.shape} instead"
        raise DataError(format_message(d.who, "y should be a 1d array: one label a row", actual=actual))
    if labels.ndim == 2:
        words = "A column-vector y was passed when a 1d array was expected"
        warn(f"{words}: {d.who} takes its one column. y.ravel() makes it one.", DataConversionWarning)
    return labels.ravel()


def _is_labeled(labels: Array) -> Flags:
    """Where there is a label: not -1, nor missing, nor an empty text."""
    if labels.dtype.kind in "iuf":
        return np.asarray((labels != -1) & (labels == labels))
    if labels.dtype.kind in "US":
        return np.asarray(labels != labels.dtype.type())
    if labels.dtype.kind == "O":
        return np.fromiter((not _is_mark(value) for value in labels.tolist()), dtype=bool, count=len(labels))
    return np.ones(len(labels), dtype=bool)


def _plain(labels: Array) -> Array:
    """Numbers and flags held as objects, beside a None, as an array of their own type."""
    plain = labels.dtype != object or any(isinstance(value, str) for value in labels.tolist())
    return labels if plain else np.array(labels.tolist())


def _is_mark(value: Any) -> bool:
    if is_missing(value) or (isinstance(value, str) and value == ""):
        return True
    return isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_) and value == -1


# ------------------------------------------------------------------------------------------------------------- inside


def _take(table: Table, rows: Array) -> Any:
    """Rows of a table, in the form in which it came."""
    if table.is_sparse:
        return table.source.tocsr()[rows]
    return table.source[rows].to_native() if table.is_frame else table.source[rows]


def _check_inner(estimator: Any, weighted: bool) -> None:
    who = "SelfTrainingClassifier"
    if inspect.isclass(estimator) or not hasattr(estimator, "fit"):
        actual = f"got the class {estimator.__name__}" if inspect.isclass(estimator) else f"got {estimator!r}"
        hint = "give a classifier that has predict_proba, such as a logistic regression"
        raise ParameterError(format_message(who, "estimator must be a classifier", actual=actual, hint=hint))
    if weighted and not has_fit_parameter(estimator, "sample_weight"):
        actual = f"{type(estimator).__name__} takes none"
        raise ParameterError(
            format_message(who, "sample_weight needs an estimator whose fit takes weights", actual=actual)
        )


def _no_probabilities(estimator: Any) -> str:
    hint = "use one that has, or put CalibratedClassifierCV around it"
    actual = f"{type(estimator).__name__} has no predict_proba"
    return format_message("SelfTrainingClassifier", "estimator must give probabilities", actual=actual, hint=hint)
