"""What stacking of classes and of numbers share: held-out answers, side by side, and the final model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import scipy.sparse
from sklearn.base import TransformerMixin, clone, is_classifier, is_regressor
from sklearn.exceptions import NotFittedError as SklearnNotFittedError
from sklearn.utils import _safe_indexing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_method_params, check_is_fitted

from pellucid.base.declare import param
from pellucid.base.errors import DataError, ParameterError, format_message, noun_list, short_repr
from pellucid.base.parallel import is_ours, run
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec, apply_schema, infer_schema
from pellucid.data.kinds import NUMERIC
from pellucid.data.table import Table
from pellucid.ensemble._members import (
    NamedMembers,
    aligned,
    codes_of,
    failed,
    fitted,
    refuse_weights,
)
from pellucid.estimator.trace import Trace
from pellucid.model_selection.row_predictions import ABSENT
from pellucid.model_selection.splits import check_cv

_AS_IT_IS = InputSpec(raw=True, sparse=True, missing=True, categories=True, check_finite="never")
_METHODS = ("predict_proba", "decision_function", "predict")


def final_has(name: str) -> Callable[[Any], bool]:
    """Does the final model have a method?"""

    def check(self: Any) -> bool:
        getattr(self.final_estimator_ if hasattr(self, "final_estimator_") else self._final(), name)
        return True

    return check


class Stacking(TransformerMixin, NamedMembers):
    """Members, what they say of rows that they have not seen, and a final model that learns from that."""

    final_estimator: Any = param(
        default=None,
        kw_only=False,
        doc="The final model; None is LogisticRegression() for classes, RidgeCV() for numbers.",
    )
    cv: Any = param(
        default=None,
        doc="Folds: a number (None is 5; stratified for classes), a splitter, or pairs of training and held-out rows "
        "that hold every row out once; 'prefit' takes the members as they are, fitted already.",
    )
    passthrough: bool = param(default=False, doc="Does the final model get the columns of the table too?")
    verbose: int = param(default=0, doc="Print each member's name before it is fitted.")

    _default: ClassVar[type[Any]]

    def _final(self) -> Any:
        return type(self)._default() if self.final_estimator is None else self.final_estimator

    # -------------------------------------------------------------------------------------------------------------- fit

    def _stack(self, d: Design, y: Any, trace: Trace) -> None:
        """Fits the members, asks each about rows it has not seen, and fits the final model to the answers."""
        self.final_estimator_ = clone(self._final())
        who, X, members = type(self).__name__, self._inside(d), self._kept()
        if d.weight is not None:
            actual = "the final model cannot take those given"
            refuse_weights(who, actual, self.final_estimator_, "take another final model")
        if isinstance(self.cv, str):
            self.estimators_ = [_checked(who, name, model) for name, model in members]
            self.stack_method_ = self._methods(self.estimators_)
            predictions = self._answers(X)
        else:
            self._tell(members)
            predictions = self._held_out(X, y, d, self._routed(d.weight, self._given), trace)
        self.named_estimators_ = self._fitted_by_name()
        pairs = list(zip(predictions, self.stack_method_, strict=True))
        self.member_scores_: Floats = np.array([self._score(prediction, method, d) for prediction, method in pairs])
        self._widths_ = [self._columns_of(prediction, method).shape[1] for prediction, method in pairs]
        input_table = infer_schema(X, _AS_IT_IS, who).table if self.passthrough else None
        table = self._side_by_side(predictions, input_table)
        if trace.record:
            columns = np.hstack([self._columns_of(prediction, method) for prediction, method in pairs]).astype(
                np.float64
            )
            trace.take({"held_out": ([f"column{j}" for j in range(columns.shape[1])], columns)})
        weight = {} if d.weight is None else {"sample_weight": d.weight}
        fitted(who, lambda: _final_failed(input_table), self.final_estimator_, table, y, weight)

    def _tell(self, members: list[tuple[str, Any]]) -> None:
        for index, (name, _) in enumerate(members):
            if self.verbose:
                print(f"[Stacking] ({index + 1} of {len(members)}) Processing {name}")

    def _methods(self, models: list[Any]) -> list[str]:
        """By which method each member is asked."""
        setting = getattr(self, "stack_method", "predict")
        candidates = _METHODS if setting == "auto" else (setting,)
        methods = []
        for (name, _), model in zip(self._kept(), models, strict=True):
            available = [method for method in candidates if hasattr(model, method)]
            if not available:
                requirement = f"Underlying estimator {name} does not implement the method {setting}"
                hint = "stack_method='auto' takes what each member has"
                raise ParameterError(
                    format_message(
                        type(self).__name__, requirement, actual=f"it is a {type(model).__name__}", hint=hint
                    )
                )
            methods.append(available[0])
        return methods

    def _held_out(self, X: Any, y: Any, d: Design, params: dict[str, dict[str, Any]], trace: Trace) -> list[Any]:
        """Fits every member on all rows and on every training part, all side by side; the answers of the latter."""
        who, members = type(self).__name__, self._kept()
        folds = self._folds(X, y, d)
        if trace.record:
            numbers = np.empty((d.n_rows, 1))
            for k, (_, test) in enumerate(folds):
                numbers[test] = k + 1
            trace.take({"folds": (["fold"], numbers)})
        goals = [self._goal(model, y, d) for _, model in members]
        full_fits = [
            (who, f"member {name!r} could not be fitted", clone(model), X, goal, params[name])
            for (name, model), goal in zip(members, goals, strict=True)
        ]
        methods = self._methods([model for _, model in members])
        fold_fits = [
            (who, f"member {name!r}", k + 1, clone(model), X, goal, params[name], rows, method, self._labels())
            for (name, model), goal, method in zip(members, goals, methods, strict=True)
            for k, rows in enumerate(folds)
        ]  # fmt: skip
        calls = [(fitted, call) for call in full_fits] + [(_ask_held_out, call) for call in fold_fits]
        ours = all(is_ours(model) for _, model in members)
        results = run(_do, calls, self.n_jobs, "members and folds", threads=ours)
        self.estimators_, fold_predictions = results[: len(members)], results[len(members) :]
        self.stack_method_ = methods
        order = np.argsort(np.concatenate([test for _, test in folds]), kind="stable")
        n = len(folds)
        return [_joined(fold_predictions[m * n : (m + 1) * n], order) for m in range(len(members))]

    def _labels(self) -> Any:
        return None

    def _goal(self, model: Any, y: Any, d: Design) -> Any:
        """What a member learns."""
        return y

    def _folds(self, X: Any, y: Any, d: Design) -> list[tuple[Array, Array]]:
        """The same folds for every member."""
        who, every = type(self).__name__, np.arange(d.n_rows)
        try:
            splitter = check_cv(self.cv, y, classifier=is_classifier(self))
            folds = [(every[train], every[test]) for train, test in splitter.split(X, y)]
        except (ValueError, TypeError) as error:
            if isinstance(error, DataError | ParameterError):
                raise
            requirement = "the rows must be cut into folds"
            hint = "use fewer folds, or another splitter: cv=2, cv=KFold(3)"
            raise DataError(format_message(who, requirement, actual=str(error).rstrip("."), hint=hint)) from error
        test_rows = np.sort(np.concatenate([test for _, test in folds])) if folds else every[:0]
        if not np.array_equal(test_rows, every):
            actual = f"{len(np.unique(test_rows))} of {d.n_rows} rows are, {len(test_rows)} times in all"
            hint = "KFold and StratifiedKFold do; folds drawn at random or in order of time do not"
            raise DataError(format_message(who, "cv must hold every row out once", actual=actual, hint=hint))
        return folds

    # ---------------------------------------------------------------------------------------------------------- answers

    def _answers(self, X: Any) -> list[Any]:
        """What each member says of the rows."""
        labels = self._labels()
        return [
            _asked(model, X, method, labels) for model, method in zip(self.estimators_, self.stack_method_, strict=True)
        ]

    def _columns_of(self, prediction: Any, method: str) -> Floats:
        """What a member says as columns of numbers."""
        if isinstance(prediction, list):  # of several targets: the first of the classes follows from the others
            return np.hstack([block[:, 1:] for block in prediction])
        array = np.asarray(prediction)
        return array.reshape(len(array), -1)

    def _side_by_side(self, predictions: list[Any], input_table: Table | None) -> Any:
        """The columns of all members, and those of the table where they pass through."""
        pairs = zip(predictions, self.stack_method_, strict=True)
        blocks = [self._columns_of(prediction, method) for prediction, method in pairs]
        if input_table is None:
            return np.hstack(blocks)
        if input_table.is_sparse:
            csr = input_table.source.tocsr()
            arrays = (csr.data, csr.indices.astype(np.int64), csr.indptr.astype(np.int64))  # of one width
            return scipy.sparse.hstack([*blocks, scipy.sparse.csr_array(arrays, shape=csr.shape)], format="csr")
        columns = (
            input_table.source
            if not input_table.is_frame
            else np.column_stack([input_table.column(j) for j in range(input_table.n_cols)])
        )
        return np.hstack([*blocks, columns])

    def _meta(self, X: Any) -> Any:
        """What the final model is given."""
        self._check_fitted()
        input_table = apply_schema(X, self.schema_, _AS_IT_IS, type(self).__name__).table if self.passthrough else None
        return self._side_by_side(self._answers(X), input_table)

    def transform(self, X: Any) -> Any:
        """What the final model is given: the members' answers, and the table's own columns where they pass."""
        return self._meta(X)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The names of the columns of `transform`: stackingclassifier_name, with a number where a member has several.

        Parameters
        ----------
        input_features : names of the columns, optional
            Those of the fitted table, or x0, x1, ... unless told; used where they pass through.
        """
        self._check_fitted()
        prefix, names = type(self).__name__.lower(), []
        for (name, _), width in zip(self._kept(), self._widths_, strict=True):
            names += [f"{prefix}_{name}"] if width == 1 else [f"{prefix}_{name}{k}" for k in range(width)]
        if self.passthrough:
            names += self._names_in(input_features)
        return np.array(names, dtype=object)

    def _names_in(self, input_features: Any) -> list[str]:
        fitted_names = getattr(self, "feature_names_in_", None)
        feature_names = (
            [f"x{j}" for j in range(self.n_features_in_)]
            if fitted_names is None
            else [str(name) for name in fitted_names]
        )
        if input_features is None:
            return feature_names
        requested = [str(name) for name in input_features]
        if len(requested) != len(feature_names) or (fitted_names is not None and requested != feature_names):
            requirement = "input_features must be the names of the fitted table"
            raise DataError(
                format_message(
                    type(self).__name__,
                    requirement,
                    actual=f"got {short_repr(requested)} in place of {short_repr(feature_names)}",
                )
            )
        return requested

    @available_if(final_has("predict"))  # type: ignore[untyped-decorator]
    def predict(self, X: Any, **predict_params: Any) -> Any:
        """What the final model predicts from the members' answers.

        Parameters
        ----------
        X : table with the columns that `fit` saw
        **predict_params : passed on to the final model's predict
        """
        table = self._meta(X)
        return self.final_estimator_.predict(table, **predict_params)

    def _score(self, prediction: Any, method: str, d: Design) -> float:
        raise TypeError(f"{type(self).__name__} must write _score")


# --------------------------------------------------------------------------------------------------------------- pieces


def check_cv_word(who: str, cv: Any) -> None:
    if isinstance(cv, str) and cv != "prefit":
        requirement = "cv must be a number of folds, a splitter, pairs of rows, 'prefit' or None"
        raise ParameterError(format_message(who, requirement, actual=f"got {cv!r}"))


def is_no_model(value: Any) -> bool:
    return value is not None and (isinstance(value, type) or not hasattr(value, "fit"))


def _checked(who: str, name: str, model: Any) -> Any:
    """A member that must be fitted already."""
    try:
        check_is_fitted(model)
    except SklearnNotFittedError as error:
        requirement = f"cv='prefit' needs fitted members, and {name!r} is not"
        actual, hint = f"it is a {type(model).__name__} without a fit", "fit it before, or let cv be a number of folds"
        raise DataError(format_message(who, requirement, actual=actual, hint=hint)) from error
    return model


def final_said(value: Any) -> str:
    """What was given as the final model, for a message."""
    return (
        f"the class {value.__name__}, not a model: {value.__name__}()" if isinstance(value, type) else short_repr(value)
    )


def _final_failed(table: Table | None) -> str:
    """That the final model could not be fitted, and which columns of words were handed on to it."""
    words = "the final model could not be fitted"
    if table is None or table.is_sparse or table.names is None:
        return words
    word_columns = [str(name) for name, kind in zip(table.names, table.kinds, strict=True) if kind not in NUMERIC]
    return (
        f"{words} with what passes through, such as {noun_list('column', map(repr, word_columns))} of words"
        if word_columns
        else words
    )


def _do(work: Callable[..., Any], call: tuple[Any, ...]) -> Any:
    return work(*call)


def _ask_held_out(
    who: str,
    member: str,
    fold: int,
    model: Any,
    X: Any,
    y: Any,
    params: dict[str, Any],
    rows: tuple[Array, Array],
    method: str,
    classes: Array | None,
) -> Any:
    """What a member says of a fold, fitted on the other rows."""
    train, test = rows
    fit_params = _check_method_params(X, params=params, indices=train)
    what = f"{member} could not be fitted without fold {fold}"
    model = fitted(who, what, model, _safe_indexing(X, train), _safe_indexing(y, train), fit_params)
    try:
        return _asked(model, _safe_indexing(X, test), method, classes)
    except MemoryError:
        raise
    except Exception as error:
        raise failed(who, f"{member}, fitted without fold {fold}, could not answer that fold", error) from error


def _asked(model: Any, X: Any, method: str, classes: Array | None) -> Any:
    """The answer of a member, with a column for every class."""
    prediction = getattr(model, method)(X)
    if classes is None or isinstance(prediction, list):
        return prediction
    if method == "predict":
        who = type(model).__name__
        return prediction if is_regressor(model) else codes_of("Stacking", f"a member, {who},", prediction, classes)
    return aligned(prediction, np.asarray(model.classes_), classes, ABSENT[method])


def _joined(fold_predictions: list[Any], order: Array) -> Any:
    """The answers about all folds, in the order of the rows."""
    if isinstance(fold_predictions[0], list):
        return [np.concatenate(of_target)[order] for of_target in zip(*fold_predictions, strict=True)]
    return np.concatenate(fold_predictions)[order]
