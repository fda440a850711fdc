"""Polynomial regression whose degree is chosen by rows held out."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from sklearn.model_selection import KFold, ShuffleSplit
from sklearn.pipeline import Pipeline

from pellucid.base.declare import param
from pellucid.base.errors import DataError, DependentColumnsWarning, ParameterError, format_message, short_repr
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec
from pellucid.estimator.roles import Regressor
from pellucid.estimator.trace import Trace
from pellucid.linear_model import LinearRegression, Ridge
from pellucid.metrics.scorers import check_scoring, get_scorer
from pellucid.model_selection import ValidationCurve, check_cv
from pellucid.model_selection.sharing import shared_fits
from pellucid.pipeline._equation import PolynomialEquation, expanded
from pellucid.preprocessing import MinMaxScaler, PolynomialFeatures, StandardScaler

__all__ = ["PolynomialEquation", "PolynomialRegression"]

# Degrees that are tried unless told, as far as the rows carry them.
_USUAL = tuple(range(1, 11))
_MOST_USUAL = 300
# What an equation may have: beyond it is no reading, and exact fractions take long.
_MOST_DEGREE, _MOST_TERMS = 50, 1000
Folds = list[tuple[Array, Array]]


def _is_degree(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 1


def _check_degrees(value: Any) -> str | None:
    several = isinstance(value, list | tuple | range | np.ndarray) and np.ndim(value) == 1 and len(value) > 0
    if value is None or _is_degree(value) or (several and all(map(_is_degree, value))):
        return None
    return f"degrees must be None, a whole number of at least 1, or several of them; got {short_repr(value)}"


def _check_folds(value: Any) -> str | None:
    if isinstance(value, bool) or value is None or isinstance(value, str):
        wrong = True
    elif isinstance(value, Integral):
        wrong = int(value) < 2
    else:
        wrong = isinstance(value, Real) and not 0 < float(value) < 1
    if not wrong:
        return None
    requirement = (
        "cv must be a whole number of at least 2, a share of the rows between 0 and 1, a splitter, or pairs of rows"
    )
    return f"{requirement}; got {short_repr(value)}"


class PolynomialRegression(Regressor):
    """A curve instead of a line: powers and products of the columns, as many as rows held out show to be of use.

    Fits  ``f(x) = b + sum_t beta_t x_1^k_t1 ... x_p^k_tp``  over all products t with  ``k_t1 + ... + k_tp <= d``,  by
    least squares, or with ``alpha`` by ridge regression:  ``sum_i w_i (y_i - f(x_i))² + alpha sum_t gamma_t²``,  where
    ``gamma_t`` is the coefficient of the scaled product, ``y_i`` the target of row i and ``w_i`` its weight.

    Too low a degree d cannot follow the data, too high a one follows their noise. For every degree the model is fitted
    to one part of the rows and scored on the other, once (hold-out) or with every fold in turn; the degree with the
    highest mean score is fitted again to all rows. Columns are brought to [-1, 1] first, so that no power overflows,
    and products to mean 0 and spread 1. Products of a lower degree are the first columns of those of a higher one, so
    one pass over the rows serves all degrees.

    Between the rows of the fit a high degree swings, and beyond them it runs away: prefer a tree or a kernel method
    where the curve has several bends, and `LinearRegression` where it has none.

    Attributes
    ----------
    degree_ : the degree that was chosen
    curve_ : `ValidationCurve` of all degrees: scores on the rows fitted and on rows held out; None for a single degree
    pipeline_ : the fitted steps: "columns" (`MinMaxScaler`), "terms" (`PolynomialFeatures`), "scale"
        (`StandardScaler`), "line" (`LinearRegression` or `Ridge`)
    n_features_in_, feature_names_in_ : columns seen in fit

    Notes
    -----
    Unless ``degrees`` are given, 1 to 10 are tried as long as a degree has at most 300 products, and fewer than the
    smallest training part has rows. Folds of a number are shuffled; with fewer rows than folds every row is a fold.
    Products may depend on each other (of 100 rows, degree 300 has infinitely many best coefficients): the smallest are
    taken, without a warning. A degree that cannot be fitted or scored on some fold, because a power overflows, has the
    score -inf there. The penalty is that of the textbook's pipeline (products, then scaling, then ridge) with
    ``scale="products"``.

    Examples
    --------
    >>> import numpy as np
    >>> from pellucid.pipeline import PolynomialRegression
    >>> x = np.linspace(-3, 3, 30)
    >>> model = PolynomialRegression(degrees=range(1, 6)).fit(x[:, None], x**2 / 2 + x + 2 + 0.1 * np.sin(50 * x))
    >>> model.degree_
    2
    >>> print(PolynomialRegression(degrees=2).fit([[0], [1], [2], [3]], [2, 3.5, 6, 9.5]).equation())
    y = 2 + x + 0.5 x^2

    References
    ----------
    Stone: Cross-validatory choice and assessment of statistical predictions. JRSS B 36 (1974).
    """

    degrees: int | tuple | list | range | np.ndarray | None = param(  # type: ignore[type-arg]
        default=None,
        check=_check_degrees,
        doc="The degrees to choose from, or the degree. None for 1 to 10, as far as rows suffice.",
    )
    alpha: float = param(default=0.0, low=0, doc="Strength of a ridge penalty on the scaled products; 0 for none.")
    cv: Any = param(
        default=5,
        check=_check_folds,
        doc="How degrees are judged: a number of folds, a share of the rows to hold out once, a splitter, or pairs of "
        "training and held-out rows.",
    )
    scoring: Any = param(
        default="neg_mean_squared_error", doc="The score: a name of `get_scorer_names`, a function, or None for R²."
    )
    choose: Literal["best", "one_standard_error"] = param(
        default="best",
        doc="'best' takes the highest mean score; 'one_standard_error' the lowest degree within one standard error of "
        "it.",
    )
    interaction_only: bool = param(default=False, doc="Only products of distinct columns, no powers.")
    scale: Literal["both", "products", "none"] = param(
        default="both", doc="What is scaled: columns and products, the products alone, or nothing."
    )
    random_state: int | np.random.RandomState | None = param(default=0, doc="Seed of the folds, or of the hold-out.")

    input_spec = InputSpec()

    def _fit(self, d: Design, trace: Trace) -> None:
        X, y = np.asarray(d.numbers, dtype=np.float64), d.y[:, 0] if d.y_is_vector else d.y
        used = np.arange(d.n_rows) if d.weight is None else np.flatnonzero(d.weight)
        folds = self._folds(X, y, used)
        degrees = self._candidates(d.n_cols, min((len(train) for train, _ in folds), default=len(used)))
        self.curve_: ValidationCurve | None = None
        if len(degrees) == 1:
            self.degree_ = degrees[0]
        else:
            if not folds:
                requirement, actual = (
                    "choosing a degree needs at least two rows that count",
                    f"got n_samples={len(used)}",
                )
                raise DataError(format_message(d.who, requirement, actual=actual, hint="give one degree"))
            self.curve_ = self._judge(d, X, y, degrees, folds)
            self.degree_ = self._chosen(self.curve_)
        weight = None if d.weight is None else d.weight[used]
        with _quiet():
            (fits,) = shared_fits(self._steps(self.degree_), [{}], X[used], y[used], self._given(weight))
        self.pipeline_: Pipeline = fits.models[0].model
        self._largest_: Floats = np.abs(X[used]).max(axis=0)

    def _predict(self, d: Design) -> Array:
        try:
            found: Array = self.pipeline_.predict(np.asarray(d.numbers, dtype=np.float64))
        except DataError as error:
            requirement = f"rows must lie near those of the fit, so that powers up to {self.degree_} stay finite"
            raise DataError(
                format_message(d.who, requirement, actual="some overflow", hint="choose a lower degree")
            ) from error
        return found

    def equation(self) -> PolynomialEquation:
        """The fitted polynomial in the columns as they came: its terms and coefficients, and the whole as text.

        Scaling is multiplied out in exact fractions, so no digit of the fitted coefficients is lost. With the rounded
        coefficients of a high degree the terms cancel: `predict` works with the scaled ones.
        """
        self._check_fitted()
        n_terms = self.pipeline_.named_steps["terms"].n_output_features_
        if self.degree_ > _MOST_DEGREE or n_terms > _MOST_TERMS:
            requirement = f"an equation is written up to degree {_MOST_DEGREE} and {_MOST_TERMS:,} terms"
            actual = f"the model has degree {self.degree_} and {n_terms:,}"
            raise DataError(
                format_message(
                    type(self).__name__, requirement, actual=actual, hint="pipeline_ has the scaled coefficients"
                )
            )
        names = getattr(self, "feature_names_in_", None)
        if names is None:
            names = ["x"] if self.n_features_in_ == 1 else [f"x{j}" for j in range(self.n_features_in_)]
        return expanded(self.pipeline_, [str(name) for name in names], self._largest_)

    # -------------------------------------------------------------------------------------------------------- pipeline

    def _steps(self, degree: int) -> Pipeline:
        terms = PolynomialFeatures(degree, include_bias=False, interaction_only=self.interaction_only, order="F")
        line = LinearRegression() if self.alpha == 0 else Ridge(alpha=self.alpha)
        steps: list[tuple[str, Any]] = [("terms", terms), ("line", line)]
        if self.scale == "both":
            steps.insert(0, ("columns", MinMaxScaler(feature_range=(-1, 1))))
        if self.scale != "none":
            steps.insert(-1, ("scale", StandardScaler()))
        return Pipeline(steps)

    def _given(self, weight: Floats | None) -> dict[str, Floats]:
        """Weights for the steps that take them."""
        if weight is None:
            return {}
        return {"line__sample_weight": weight} | ({"scale__sample_weight": weight} if self.scale != "none" else {})

    # ------------------------------------------------------------------------------------------------------------ folds

    def _folds(self, X: Floats, y: Floats, used: Array) -> Folds:
        """Pairs of training and held-out rows, of those that count; none for a single degree."""
        if _is_degree(self.degrees) or len(used) < 2:
            return []
        if isinstance(self.cv, Real):
            splitter: Any
            if isinstance(self.cv, Integral):
                splitter = KFold(min(int(self.cv), len(used)), shuffle=True, random_state=self.random_state)
            else:
                held = min(max(round(float(self.cv) * len(used)), 1), len(used) - 1)
                splitter = ShuffleSplit(1, test_size=held, random_state=self.random_state)
            return [(used[train], used[test]) for train, test in splitter.split(used)]
        pairs = list(check_cv(self.cv).split(X, y))
        folds = [(np.intersect1d(train, used), np.intersect1d(test, used)) for train, test in pairs]
        folds = [(train, test) for train, test in folds if len(train) and len(test)]
        if not folds:
            requirement = "cv must give a fold with rows to fit and rows to hold out"
            raise ParameterError(format_message(type(self).__name__, requirement, actual=f"got {short_repr(pairs)}"))
        return folds

    def _candidates(self, n_columns: int, n_rows: int) -> list[int]:
        """The degrees to try, in order: those given, or the usual ones whose products the rows can tell apart."""
        if self.degrees is not None:
            return sorted({int(degree) for degree in np.atleast_1d(np.asarray(self.degrees))})
        found = [1]
        for degree in _USUAL[1:]:
            one_row = np.zeros((1, n_columns))
            width = self._steps(degree).named_steps["terms"].fit(one_row).n_output_features_
            if width >= n_rows or width > _MOST_USUAL or (self.interaction_only and degree > n_columns):
                break
            found.append(degree)
        return found

    # --------------------------------------------------------------------------------------------------------- judging

    def _judge(self, d: Design, X: Floats, y: Floats, degrees: list[int], folds: Folds) -> ValidationCurve:
        scores = np.empty((2, len(degrees), len(folds)))
        for place, (train, test) in enumerate(folds):
            parts = [(X[rows], y[rows], None if d.weight is None else d.weight[rows]) for rows in (train, test)]
            scores[:, :, place] = self._scores(degrees, parts)
        if not np.isfinite(scores[1].mean(axis=1)).any():
            requirement, actual = (
                "some degree must have a finite score on every fold",
                f"of {short_repr(degrees)} none has",
            )
            hint = "try lower degrees" + ("" if self.scale == "both" else ", or scale='both'")
            raise DataError(format_message(d.who, requirement, actual=actual, hint=hint))
        return ValidationCurve("degree", degrees, scores[0], scores[1])

    def _scores(self, degrees: list[int], parts: list[tuple[Floats, Floats, Floats | None]]) -> Floats:
        """Scores on the rows fitted and on the rows held out, one column a degree."""
        settings = [{"terms__degree": degree} for degree in degrees]
        found = np.full((2, len(degrees)), -np.inf)
        (X, y, weight), _ = parts
        steps = self._steps(max(degrees))
        scorer = check_scoring(steps, None if self.scoring is None else get_scorer(self.scoring))
        try:
            with _quiet():
                for fits in shared_fits(steps, settings, X, y, self._given(weight)):
                    for place, model in zip(fits.places, fits.models, strict=True):
                        found[:, place] = [_score(scorer, model, *part) for part in parts]
        except DataError:  # one by one, so that each degree fails for itself
            if len(degrees) == 1:
                return np.full((2, 1), -np.inf)
            return np.hstack([self._scores([degree], parts) for degree in degrees])
        return np.where(np.isfinite(found), found, -np.inf)

    def _chosen(self, curve: ValidationCurve) -> int:
        means = curve.test_scores.mean(axis=1)
        best = int(np.argmax(means))
        n_folds = curve.test_scores.shape[1]
        if self.choose == "best" or n_folds == 1:
            return int(curve.param_range[best])
        error = curve.test_scores[best].std(ddof=1) / np.sqrt(n_folds)
        return int(curve.param_range[int(np.flatnonzero(means >= means[best] - error)[0])])


def _score(scorer: Any, model: Any, X: Floats, y: Floats, weight: Floats | None) -> float:
    weighs = weight is not None and getattr(scorer, "_accept_sample_weight", lambda: False)()
    return float(scorer(model, X, y, sample_weight=weight) if weighs else scorer(model, X, y))


@contextmanager
def _quiet() -> Iterator[None]:
    """Products of a high degree depend on each other, which is no news."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DependentColumnsWarning)
        yield
