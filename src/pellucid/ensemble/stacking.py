"""Stacking: a model that learns how far to trust each of several others."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.utils import Tags
from sklearn.utils.metaestimators import available_if

from pellucid.base.declare import param
from pellucid.base.errors import ParameterError, format_message
from pellucid.base.types import Floats
from pellucid.data.design import Design
from pellucid.ensemble._members import NamedRegressor
from pellucid.ensemble._stacking import Stacking, check_cv_word, final_has, final_said, is_no_model
from pellucid.estimator.roles import Classifier, r2
from pellucid.estimator.trace import Trace
from pellucid.linear_model.logistic_regression import LogisticRegression
from pellucid.linear_model.ridge_cv import RidgeCV

__all__ = ["StackingClassifier", "StackingRegressor"]


class StackingClassifier(Stacking, Classifier):
    """A classifier that learns how far to trust each of several others.

    Member t = 1..T says of each row what it knows: the probability of each class (of two classes, of the second), else
    its decision values, else its label. The final model g learns the classes from these answers z:

        ``z_i = (f_1(x_i), ..., f_T(x_i))  ->  y_i``

    and must not learn from answers that a member gives about its own training rows: those are too good. So the rows are
    cut into folds, and the answer to row i comes from a copy of the member that was fitted without its fold. To
    predict, the members are fitted once more, on all rows. Of logistic regression as the final model the coefficients
    are the weights of the members.

    It pays where members are good in different ways, and costs folds + 1 fits of each. It can hardly do worse than its
    best member when there are rows enough for the final model; with few rows, or members of equal worth,
    `VotingClassifier` has nothing to learn and does as well.

    Attributes
    ----------
    estimators_ : the members, fitted on all rows
    named_estimators_ : the same by name; 'drop' for those left out
    final_estimator_ : the fitted final model
    stack_method_ : the method by which each member is asked
    member_scores_ : accuracy of each member alone, on rows that it has not seen (with cv='prefit', on the rows given)
    classes_ : labels, sorted; a list of them for several targets
    n_features_in_, feature_names_in_ : columns seen in fit

    Notes
    -----
    scikit-learn's numbers. The members and the final model learn the labels themselves, not their numbers; every member
    meets the same folds; members and folds are fitted side by side, and any `n_jobs` gives the same bits. A class that
    is absent from a training part gets probability 0 there.

    Examples
    --------
    A member that knows nothing, and a tree that finds the cut. On rows that neither has seen the tree is always right,
    the other is not, and the final model trusts the tree:

    >>> from pellucid.dummy import DummyClassifier
    >>> from pellucid.ensemble import StackingClassifier
    >>> from pellucid.tree import DecisionTreeClassifier
    >>> members = [("prior", DummyClassifier()), ("tree", DecisionTreeClassifier())]
    >>> X, y = [[1], [2], [3], [7], [8], [9]], ["no", "no", "no", "yes", "yes", "yes"]
    >>> model = StackingClassifier(members, cv=3).fit(X, y)
    >>> model.member_scores_.tolist(), model.predict([[2.5], [7.5]]).tolist()
    ([0.5, 1.0], ['no', 'yes'])
    >>> model.transform([[2.5], [7.5]]).tolist()  # the probability of 'yes', by each
    [[0.5, 0.0], [0.5, 1.0]]

    References
    ----------
    D. H. Wolpert, Stacked generalization, Neural Networks 5, 1992. L. Breiman, Stacked regressions, Machine Learning
    24, 1996.
    """

    stack_method: Literal["auto", "predict_proba", "decision_function", "predict"] = param(
        default="auto", doc="By which method members are asked; 'auto' takes the first of these that each has."
    )

    _default = LogisticRegression

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = False
        if tags.transformer_tags is not None:
            tags.transformer_tags.preserves_dtype = []
        return tags

    def _check_members(self) -> None:
        check_cv_word(type(self).__name__, self.cv)
        if is_no_model(self.final_estimator) or not is_classifier(self._final()):
            requirement = "'final_estimator' parameter should be a classifier"
            raise ParameterError(
                format_message(type(self).__name__, requirement, actual=f"Got {final_said(self.final_estimator)}")
            )

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Fits the members, and the final model to what they say of rows that they have not seen.

        Parameters
        ----------
        X : table of n rows, in any form that the members take
        y : n labels
        sample_weight : n numbers, optional
            How much each row counts; handed to every member and to the final model.
        **fit_params : passed on to the members by scikit-learn's metadata routing

        Returns
        -------
        self
        """
        return self._fit_with(X, y, sample_weight, fit_params)

    def _fit(self, d: Design, trace: Trace) -> None:
        codes = d.y.astype(int)
        if d.y_is_vector:
            self._stack(d, self.classes_[codes[:, 0]], trace)
        else:
            self._stack(d, np.column_stack([c[codes[:, j]] for j, c in enumerate(self.classes_)]), trace)

    def _labels(self) -> Any:
        return None if isinstance(self.classes_, list) else self.classes_

    def _goal(self, model: Any, y: Any, d: Design) -> Any:
        """The labels; of a regressor among the members, which sees the classes in their order, their numbers."""
        return d.y[:, 0] if is_regressor(model) and d.y_is_vector else y

    def _columns_of(self, prediction: Any, method: str) -> Floats:
        columns = super()._columns_of(prediction, method)
        binary = method == "predict_proba" and not isinstance(prediction, list) and len(self.classes_) == 2
        return columns[:, 1:] if binary and not isinstance(self.classes_, list) else columns

    def _score(self, prediction: Any, method: str, d: Design) -> float:
        if isinstance(self.classes_, list):
            return float("nan")
        array = np.asarray(prediction)
        if method == "predict":
            predicted: Any = np.rint(array.ravel())  # a regressor among the members says numbers between the classes'
        else:
            predicted = array > 0 if array.ndim == 1 else array.argmax(axis=1)
        return float(np.average(predicted == d.y[:, 0], weights=d.unit_weight[0]))

    @available_if(final_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Any:
        """The final model's probability of each class, one column a class in the order of `classes_`."""
        table = self._meta(X)
        return self.final_estimator_.predict_proba(table)

    @available_if(final_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Any:
        """The final model's decision values."""
        table = self._meta(X)
        return self.final_estimator_.decision_function(table)


class StackingRegressor(Stacking, NamedRegressor):
    """A regressor that learns how far to trust each of several others.

    Member t = 1..T predicts each row, and the final model g learns y from these predictions:

        ``f(x) = g(f_1(x), ..., f_T(x))``,    with the default  ``g = b + sum_t w_t f_t(x)``

    a ridge regression whose penalty is chosen by leaving rows out. Predictions of a member about its own training rows
    are too good to learn from: the rows are cut into folds, and the prediction of row i that g learns from is that of a
    copy fitted without its fold. To predict, the members are fitted once more, on all rows.

    It pays where members are good in different ways, and costs folds + 1 fits of each. With few rows `VotingRegressor`,
    which takes the mean, has nothing to learn and may do as well.

    Attributes
    ----------
    estimators_ : the members, fitted on all rows
    named_estimators_ : the same by name; 'drop' for those left out
    final_estimator_ : the fitted final model
    stack_method_ : the method by which each member is asked: predict
    member_scores_ : R² of each member alone, on rows that it has not seen (with cv='prefit', on the rows given)
    n_features_in_, feature_names_in_ : columns seen in fit

    Notes
    -----
    scikit-learn's numbers; several targets are taken where members and final model take them. Every member meets the
    same folds; members and folds are fitted side by side, and any `n_jobs` gives the same bits.

    Examples
    --------
    On the line y = 2x the linear member is right about rows that it has not seen, the mean is not, and the final model
    gives all its weight to the line:

    >>> from pellucid.dummy import DummyRegressor
    >>> from pellucid.ensemble import StackingRegressor
    >>> from pellucid.linear_model import LinearRegression
    >>> members = [("mean", DummyRegressor()), ("line", LinearRegression())]
    >>> X, y = [[1], [2], [3], [4], [5], [6]], [2, 4, 6, 8, 10, 12]
    >>> model = StackingRegressor(members, final_estimator=LinearRegression(), cv=3).fit(X, y)
    >>> model.final_estimator_.coef_.round(9).tolist(), model.predict([[10]]).round(9).tolist()
    ([0.0, 1.0], [20.0])

    References
    ----------
    D. H. Wolpert, Stacked generalization, Neural Networks 5, 1992. L. Breiman, Stacked regressions, Machine Learning
    24, 1996.
    """

    _default = RidgeCV

    def _check_members(self) -> None:
        check_cv_word(type(self).__name__, self.cv)
        self._refuse(is_regressor, "regressor")
        if is_no_model(self.final_estimator) or not is_regressor(self._final()):
            requirement = "'final_estimator' parameter should be a regressor"
            raise ParameterError(
                format_message(type(self).__name__, requirement, actual=f"Got {final_said(self.final_estimator)}")
            )

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Fits the members, and the final model to what they predict of rows that they have not seen.

        Parameters
        ----------
        X : table of n rows, in any form that the members take
        y : n numbers
        sample_weight : n numbers, optional
            How much each row counts; handed to every member and to the final model.
        **fit_params : passed on to the members by scikit-learn's metadata routing

        Returns
        -------
        self
        """
        return self._fit_with(X, y, sample_weight, fit_params)

    def _fit(self, d: Design, trace: Trace) -> None:
        self._stack(d, d.y[:, 0] if d.y_is_vector else d.y, trace)

    def _score(self, prediction: Any, method: str, d: Design) -> float:
        weight: Any = np.ones(d.n_rows) if d.weight is None else d.unit_weight[0]
        predicted = np.asarray(prediction, dtype=np.float64).reshape(d.y.shape)
        return float(np.mean(r2(d.y, predicted, weight)))
