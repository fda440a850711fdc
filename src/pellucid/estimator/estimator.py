"""The base of every estimator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from importlib import import_module
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.utils import Tags

from pellucid.base.declare import Declared
from pellucid.base.errors import NotFittedError, format_message
from pellucid.base.threads import effective_threads, serial_blas
from pellucid.base.types import History
from pellucid.data.design import Design, InputSpec, Schema, apply_schema, attach_weight, infer_schema
from pellucid.estimator.path import FitPath
from pellucid.estimator.trace import Trace


class Estimator(Declared, CallbackSupportMixin, BaseEstimator):
    """Holds what fit and predict share: parameter checks, the door for data, callbacks, threads.

    A family's class declares its parameters and `needs`, and writes ``_fit(design, trace)``. One that tells its passes
    to a trace sets ``iterative``; one that answers many values of a parameter from one fit names it in
    ``path_parameters`` and writes ``_fit_path``.
    """

    input_spec: ClassVar[InputSpec] = InputSpec()
    iterative: ClassVar[bool] = False
    calls_blas: ClassVar[bool] = True  # else BLAS is left as it is during a fit: to hold it to one thread takes 20 µs
    path_parameters: ClassVar[tuple[str, ...]] = ()

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.input_spec.sparse or not self.input_spec.values
        tags.input_tags.allow_nan = self.input_spec.missing or not self.input_spec.values
        tags.input_tags.categorical = tags.input_tags.string = self.input_spec.categories
        tags.no_validation = not self.input_spec.values
        return tags

    def _fit(self, d: Design, trace: Trace) -> None:
        raise TypeError(f"{type(self).__name__} must write _fit")

    def _attach_target(self, d: Design, y: Any) -> None:
        """Roles read their target here."""

    @property
    def _threads(self) -> int:
        return effective_threads(getattr(self, "n_jobs", None))

    def _run_fit(self, X: Any, y: Any, sample_weight: Any, record: bool = False) -> Trace:
        self._check_params()
        before = {name: vars(self)[name] for name in self._fitted_names()}
        try:
            return self._fit_table(X, y, sample_weight, record)
        except BaseException:  # a fit that fails, or is interrupted, leaves the estimator as it was
            self._forget()
            self.__dict__.update(before)
            raise

    def _forget(self) -> None:
        """Drops what an earlier fit left behind: everything whose name ends in an underscore."""
        for name in self._fitted_names():
            delattr(self, name)

    def _fitted_names(self) -> list[str]:
        return [name for name in vars(self) if name[-1] == "_" and name[:2] != "__"]

    def _fit_table(self, X: Any, y: Any, sample_weight: Any, record: bool) -> Trace:
        self._forget()
        d = infer_schema(X, self.input_spec, type(self).__name__)
        self._attach_target(d, y)
        attach_weight(d, sample_weight)
        self._keep_schema(d.schema)
        blas = serial_blas() if self.calls_blas else nullcontext()
        with self._task(record, X, y, sample_weight) as trace, blas:
            self._fit(d, trace)
        return trace

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit_with_history(self, X: Any, y: Any = None, sample_weight: Any = None) -> History:
        """Fits like `fit` and returns what the kernel recorded: tables of passes, by name.

        The fitted numbers are the same, bit for bit.
        """
        return self._run_fit(X, y, sample_weight, record=True).tables

    def fit_path(self, name: str, values: Sequence[Any], X: Any, y: Any = None, **params: Any) -> FitPath:
        """Fits for every value of one parameter, from one fit where ``path_parameters`` names it.

        Parameters
        ----------
        name, values : the parameter and what it takes in turn
        X, y, params : as `fit` takes them

        Returns
        -------
        FitPath : ``path[i]`` is the fitted model of ``values[i]``; this estimator itself is not fitted
        """
        models = [clone(self).set_params(**{name: value}) for value in values]
        if name in self.path_parameters and len(models) > 1:
            for model in models:
                model._check_params()
            return self._fit_path(name, models, X, y, **params)
        for model in models:
            model.fit(X, **params) if y is None else model.fit(X, y, **params)
        return FitPath(models)

    def _fit_path(self, name: str, models: list[Any], X: Any, y: Any, **params: Any) -> FitPath:
        """Fits models that differ in one of ``path_parameters`` from one fit."""
        raise TypeError(f"{type(self).__name__} must write _fit_path")

    def show_fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        rows: Sequence[int] | None = None,
        target: int = 0,
        **options: Any,
    ) -> Any:
        """How the fitted numbers came about: every step with the numbers put in, checked against this model.

        Parameters
        ----------
        X, y, sample_weight : the table, target and weights that `fit` saw
        rows : positions of rows to show besides the first and last of a long table
        target : which target, where there are several

        Returns
        -------
        pellucid.working.Working
        """
        return self._show("fit", X, y, sample_weight, rows=rows, target=target, **options)

    def show_predict(self, X: Any, *, rows: Sequence[int] | None = None, target: int = 0, **options: Any) -> Any:
        """How predictions come about, for the rows at the given positions (the first few unless told).

        Returns
        -------
        pellucid.working.Working
        """
        return self._show("predict", X, rows=rows, target=target, **options)

    def _show(self, method: str, *data: Any, **options: Any) -> Any:
        # Workings read fitted models and stand above them: this layer only knows where to knock.
        return import_module("pellucid.working").show_method(self, method, *data, **options)

    @contextmanager
    def _task(self, record: bool, X: Any, y: Any, sample_weight: Any) -> Iterator[Trace]:
        """The trace of this fit, with scikit-learn's callback task around it when somebody listens."""
        if not hasattr(self, "_skl_callbacks") and not hasattr(self, "_parent_callback_ctx"):
            yield Trace(record)
            return
        call = {"estimator": self, "X": X, "y": y, "metadata": {"sample_weight": sample_weight}}
        context = self._init_callback_context(max_subtasks=None if self.iterative else 0)
        context.call_on_fit_task_begin(**call)
        yield Trace(record, context if self.iterative else None, call)
        context.call_on_fit_task_end(**call, reconstruction_attributes=dict)

    def _keep_schema(self, schema: Schema) -> None:
        self.schema_: Schema = schema
        self.n_features_in_ = schema.n_cols
        if schema.names is not None and schema.names_are_text:
            self.feature_names_in_ = np.array(schema.names, dtype=object)

    def _validate_predict(self, X: Any) -> Design:
        """A table that comes after fit, in the form that fit saw."""
        self._check_fitted()
        schema = getattr(self, "schema_", None) or Schema(self.n_features_in_, None, True)
        return apply_schema(X, schema, self.input_spec, type(self).__name__)

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            who = type(self).__name__
            raise NotFittedError(
                format_message(
                    who, f"This {who} instance is not fitted yet", hint="call 'fit' before using this estimator"
                )
            )

    def __sklearn_is_fitted__(self) -> bool:
        return bool(self._fitted_names())
