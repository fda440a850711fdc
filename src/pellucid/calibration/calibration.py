"""Calibrated classifiers."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import signature
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.callback import with_callbacks
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import LeaveOneOut, check_cv
from sklearn.utils import Tags, _safe_indexing, get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, _routing_enabled, process_routing

from pellucid.base.declare import param
from pellucid.base.errors import DataError, ParameterError, PellucidWarning, format_message, join_some, short_repr, warn
from pellucid.base.parallel import is_ours, run
from pellucid.base.threads import serial_blas
from pellucid.base.types import Array, Floats
from pellucid.calibration._pairs import WHO, CalibratedClassifier, Scores, fit_part, scores_of
from pellucid.calibration._sigmoid import Sigmoid, Temperature
from pellucid.data.design import Design, InputSpec, attach_weight, infer_schema
from pellucid.estimator.roles import Classifier
from pellucid.estimator.trace import Trace

__all__ = ["CalibratedClassifierCV"]

_FOLDS = 5


class _Passed(NamedTuple):
    """A table with what else the classifier's own fit is to be given."""

    X: Any
    params: dict[str, Any]


def _no_classifier(value: Any) -> str | None:
    if value is None or (
        hasattr(value, "fit") and any(hasattr(value, m) for m in ("decision_function", "predict_proba"))
    ):
        return None
    return f"estimator must be a classifier with fit and decision_function or predict_proba; got {short_repr(value)}"


class CalibratedClassifierCV(MetaEstimatorMixin, Classifier):
    """Makes a classifier's probabilities mean what they say: of rows given 0.8, eight in ten should be of the class.

    A calibrator turns the classifier's score f of a row into a probability:

    - sigmoid (Platt):  ``p = 1 / (1 + exp(A f + B))``,  A and B with the smallest cross entropy
      ``-sum_i w_i [t_i ln p_i + (1 - t_i) ln(1 - p_i)]``  against the targets  ``t = (N1 + 1) / (N1 + 2)``  for rows of
      the class and  ``t = 1 / (N0 + 2)``  for the others; N1 and N0 are their numbers, or weights.
    - isotonic: the function of f that never falls and is nearest to the 0 and 1 of the rows.
    - temperature:  ``p_k = exp(z_k / T) / sum_j exp(z_j / T)``,  T with the smallest cross entropy; z are the decision
      values (-f and f for two classes), or the logarithms of the probabilities.

    It must learn from rows that the classifier did not see. With ``ensemble=True`` each fold gives a pair: the
    classifier fitted on the other folds, calibrated on this one; probabilities are the pairs' means. With
    ``ensemble=False`` one calibrator learns from the scores that all folds' classifiers give to their held-out rows,
    and stands behind one classifier fitted on all rows. A classifier that is fitted already is calibrated on all rows
    given, when wrapped in scikit-learn's ``FrozenEstimator``. For three classes or more, sigmoid and isotonic calibrate
    each class against the rest, and the results are divided by their sum. Two numbers (sigmoid) or one (temperature)
    are steady with few rows; isotonic wants a thousand or more.

    A and B are found by the Newton method of Lin, Lin and Weng down to rounding; scikit-learn stops a little earlier.
    There is no default classifier.

    Attributes
    ----------
    classes_ : labels, sorted
    calibrated_classifiers_ : the pairs of classifier and calibrators, one a fold, or one where ensemble is False

    Examples
    --------
    A classifier that is nearly certain, and wrong in one of five rows on either side. Platt's targets are 6/7 and 1/7,
    so the calibrated probability is (4 · 6/7 + 1/7) / 5:

    >>> import numpy as np
    >>> from sklearn.frozen import FrozenEstimator
    >>> from sklearn.linear_model import LogisticRegression
    >>> from pellucid.calibration import CalibratedClassifierCV
    >>> X = np.repeat([[0.0], [1.0]], 5, axis=0)
    >>> y = ["no"] * 4 + ["yes"] + ["yes"] * 4 + ["no"]
    >>> sure = LogisticRegression(C=1e6).fit([[0], [1]], ["no", "yes"])
    >>> model = CalibratedClassifierCV(FrozenEstimator(sure)).fit(X, y)
    >>> model.predict_proba([[0.0], [1.0]]).round(4)
    array([[0.7143, 0.2857],
           [0.2857, 0.7143]])

    References
    ----------
    Platt, Probabilistic outputs for support vector machines, 1999. Lin, Lin and Weng, A note on Platt's probabilistic
    outputs, Machine Learning 68, 2007. Zadrozny and Elkan, KDD 2002. Guo, Pleiss, Sun and Weinberger, ICML 2017.
    """

    estimator: Any = param(
        default=None, kw_only=False, check=_no_classifier, doc="The classifier to calibrate; there must be one at fit."
    )
    method: Literal["sigmoid", "isotonic", "temperature"] = param(
        default="sigmoid", doc="How scores become probabilities: 'sigmoid' (Platt), 'isotonic' or 'temperature'."
    )
    cv: Any = param(
        default=None, doc="Folds: a number (None is 5; stratified), a splitter, or pairs of training and held-out rows."
    )
    n_jobs: int | None = param(default=None, doc="Folds fitted at a time by joblib; None is one, -1 one a core.")
    ensemble: bool | Literal["auto"] = param(
        default="auto", doc="One pair a fold (True), or one in all (False); 'auto' is False for a FrozenEstimator only."
    )

    input_spec = InputSpec(values=False)  # the classifier looks at them

    @classmethod
    def from_calibrators(
        cls, estimator: Any, method: Literal["sigmoid", "temperature"], numbers: Sequence[Sequence[float]]
    ) -> Self:
        """A calibrated classifier made of a fitted one and of calibrators that are known.

        Parameters
        ----------
        estimator : the fitted classifier
        method : "sigmoid" or "temperature"
        numbers : A and B of the sigmoid of each class, one pair for two classes; or one row with 1 / T
        """
        calibrators: list[Any] = [
            Sigmoid(row[0], row[1], 0.0, 0) if method == "sigmoid" else Temperature(row[0], 0.0, 0) for row in numbers
        ]
        model = cls(clone(estimator), method=method, ensemble=False)
        for name in ("classes_", "schema_", "n_features_in_", "feature_names_in_"):
            if hasattr(estimator, name):
                setattr(model, name, getattr(estimator, name))
        classes = np.asarray(estimator.classes_)
        model.calibrated_classifiers_ = [CalibratedClassifier(estimator, calibrators, classes, method)]
        return model

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        if hasattr(self.estimator, "__sklearn_tags__"):
            inner = get_tags(self.estimator)
            tags.input_tags, tags.no_validation = inner.input_tags, inner.no_validation
            tags.non_deterministic = inner.non_deterministic
            if inner.classifier_tags is not None:
                tags.classifier_tags = inner.classifier_tags
        return tags

    def get_metadata_routing(self) -> MetadataRouter:
        """Who takes which metadata: this estimator, the classifier's fit, and the splitter."""
        to_fit, to_split = (MethodMapping().add(caller="fit", callee=callee) for callee in ("fit", "split"))
        router = MetadataRouter(owner=self).add_self_request(self)
        return router.add(estimator=self.estimator, method_mapping=to_fit).add(
            splitter=self.cv, method_mapping=to_split
        )

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Fits the classifier on parts of the table and calibrates it on the others.

        Parameters
        ----------
        X : table of n rows, in any form that the classifier takes
        y : n labels
        sample_weight : n numbers, optional
            How much each row counts, for the classifier (where it takes weights) and for its calibration.
        **fit_params : passed on to the classifier's fit; what has n entries is cut with the rows

        Returns
        -------
        self
        """
        self._run_fit(_Passed(X, fit_params) if fit_params else X, y, sample_weight)
        return self

    def _fit_table(self, X: Any, y: Any, sample_weight: Any, record: bool) -> Trace:
        X, params = X if isinstance(X, _Passed) else (X, {})
        if self.estimator is None:
            hint = "CalibratedClassifierCV(some_classifier); FrozenEstimator(model) for one that is fitted"
            raise ParameterError(format_message(WHO, "estimator must be a classifier", actual="got None", hint=hint))
        self._forget()
        d = infer_schema(X, self.input_spec, WHO)
        self._attach_target(d, y)
        if not d.y_is_vector or len(self.classes_) < 2:
            actual = f"{d.y.shape[1]} targets" if not d.y_is_vector else f"one class, {self.classes_[0]!s}"
            raise DataError(format_message(WHO, "y must be one target of at least two classes", actual=f"got {actual}"))
        attach_weight(d, sample_weight)
        self.schema_ = d.schema
        with self._task(record, X, y, sample_weight) as trace, serial_blas():
            self._calibrate(d.table.source.to_native() if d.table.is_frame else indexable(X)[0], d, params)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.calibrated_classifiers_[0].estimator, name):
                setattr(self, name, getattr(self.calibrated_classifiers_[0].estimator, name))
        return trace

    # ------------------------------------------------------------------------------------------------------------ folds

    def _calibrate(self, X: Any, d: Design, params: dict[str, Any]) -> None:
        labels = self.classes_[d.y[:, 0].astype(int)]
        together, to_fit, to_split = self._together, *self._routed(d.weight, params)
        if together and self._frozen:  # nothing is fitted: every row is held out
            self.calibrated_classifiers_ = [
                self._pair(self.estimator, scores_of(self.estimator, X, len(self.classes_)), labels, d.weight)
            ]
            return
        splits = self._splits(X, labels, to_split)
        calls = [(clone(self.estimator), X, labels, train, test, self.classes_, to_fit) for train, test in splits]
        parts = run(fit_part, calls, self.n_jobs, "calibration", threads=is_ours(self.estimator))
        if together:
            scores = _gathered([scores for _, scores in parts], splits, self.classes_)
            model = clone(self.estimator).fit(X, labels, **to_fit)
            self.calibrated_classifiers_ = [self._pair(model, scores, labels, d.weight)]
            return
        self.calibrated_classifiers_ = [
            self._pair(model, scores, labels[test], None if d.weight is None else d.weight[test])
            for (model, scores), (_, test) in zip(parts, splits, strict=True)
        ]

    def _pair(self, model: Any, scores: Scores, labels: Array, weight: Floats | None) -> CalibratedClassifier:
        return CalibratedClassifier.fitted(model, scores, labels, self.classes_, self.method, weight)

    def calibration_rows(self, X: Any, labels: Array, weight: Floats | None, fold: int) -> tuple[Array, Scores]:
        """The rows that the calibrators of one pair learned from, and their scores, for the data of the fit.

        Where one calibrator learned from all folds, their classifiers were not kept and are fitted again.
        """
        if self._together and self._frozen:
            return np.arange(len(labels)), scores_of(self.estimator, X, len(self.classes_))
        to_fit, to_split = self._routed(weight, {})
        splits = self._splits(X, labels, to_split)
        if not self._together:
            model, rows = self.calibrated_classifiers_[fold].estimator, splits[fold][1]
            return rows, scores_of(model, _safe_indexing(X, rows), len(self.classes_))
        parts = [fit_part(clone(self.estimator), X, labels, a, b, self.classes_, to_fit) for a, b in splits]
        return np.arange(len(labels)), _gathered([scores for _, scores in parts], splits, self.classes_)

    @property
    def _frozen(self) -> bool:
        return isinstance(self.estimator, FrozenEstimator)

    @property
    def _together(self) -> bool:
        return self._frozen if self.ensemble == "auto" else not self.ensemble

    def _splits(self, X: Any, labels: Array, params: dict[str, Any]) -> list[tuple[Array, Array]]:
        every = np.arange(len(labels))
        splits = [(every[train], every[test]) for train, test in self._splitter(labels).split(X, labels, **params)]
        if self._together:
            _check_partition(splits, len(labels))
        return splits

    def _routed(self, weight: Floats | None, params: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """What the classifier's fit and the splitter are given."""
        if _routing_enabled():
            routed = process_routing(self, "fit", sample_weight=weight, **params)
            return dict(routed.estimator.fit), dict(routed.splitter.split)
        if weight is None:
            return params, {}
        if "sample_weight" in signature(self.estimator.fit).parameters:
            return {**params, "sample_weight": weight}, {}
        name = type(self.estimator).__name__
        requirement, actual = (
            "the classifier's fit should take sample_weight",
            f"{name} does not appear to accept sample_weight",
        )
        warn(
            format_message(WHO, requirement, actual=actual, hint="the weights are used for the calibration alone"),
            PellucidWarning,
        )
        return params, {}

    def _splitter(self, labels: Array) -> Any:
        if isinstance(self.cv, LeaveOneOut):
            hint = "use a number of folds"
            raise ParameterError(
                format_message(WHO, "every held-out part should hold all classes", actual="got LeaveOneOut", hint=hint)
            )
        try:
            splitter = check_cv(_FOLDS if self.cv is None else self.cv, labels, classifier=True)
        except (ValueError, TypeError) as error:
            requirement = "cv must be a number of folds from 2 up, a splitter, or pairs of rows"
            raise ParameterError(
                format_message(WHO, requirement, actual=f"got {short_repr(self.cv)} ({str(error).rstrip('.')})")
            ) from None
        folds = getattr(splitter, "n_splits", 0)
        counts = np.unique(labels, return_counts=True)[1]
        rare = self.classes_[counts < folds]
        if len(rare):
            actual = f"Requesting {folds}-fold cross-validation but provided less than {folds} examples for class "
            hint = "use fewer folds, or drop or merge the rare classes"
            requirement = "every class must have a row in every fold"
            raise DataError(format_message(WHO, requirement, actual=actual + join_some(map(str, rare)), hint=hint))
        return splitter

    # ------------------------------------------------------------------------------------------------------ predictions

    def predict_proba(self, X: Any) -> Floats:
        """The calibrated probability of each class: the mean over the pairs, one column a class."""
        self._check_fitted()
        first, *others = (pair.predict_proba(X) for pair in self.calibrated_classifiers_)
        return np.asarray(sum(others, first) / (1 + len(others)))

    def predict(self, X: Any) -> Array:
        """The most probable label of each row, which may differ from the classifier's own."""
        best = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[best])


def _check_partition(splits: list[tuple[Array, Array]], n: int) -> None:
    held = np.concatenate([test for _, test in splits])
    if len(held) != n or len(np.unique(held)) != n:
        requirement, hint = (
            "ensemble=False needs folds that hold out every row once",
            "use other folds, or ensemble=True",
        )
        raise DataError(
            format_message(
                WHO, requirement, actual=f"{len(np.unique(held))} of {n} rows were, {len(held)} times", hint=hint
            )
        )


def _gathered(parts: list[Scores], splits: list[tuple[Array, Array]], classes: Array) -> Scores:
    """The held-out scores of all folds, in the order of the rows."""
    for part in parts:
        absent = [str(label) for label in classes if label not in part.classes]
        if absent:
            requirement = "ensemble=False needs every class in every training part"
            raise DataError(
                format_message(
                    WHO, requirement, actual=f"one of them lacks {join_some(absent)}", hint="use other or fewer folds"
                )
            )
    values = np.vstack([part.values for part in parts])
    values[np.concatenate([test for _, test in splits])] = values.copy()
    return Scores(values, parts[0].classes, parts[0].are_probabilities)
