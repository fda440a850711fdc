"""Inference for logistic regression: what the likelihood says about the coefficients.

With probabilities p, weights s and rows a_i = (1, x_i), at the fitted coefficients:

    l = sum_i s_i ln p_i,y(i),   I_ab = sum_i s_i p_ia (1[a = b] - p_ib) a_i a_i',   se = sqrt(diag(I⁻¹))
    z = estimate / se,   interval = estimate -/+ z_{1 - alpha/2} se,   odds ratio = exp(estimate)

for the classes a, b but the first, against which the others are measured: with two classes this is their model as it
stands, with softmax the coefficients of a class less those of the first. A penalty bends the cost further: its second
derivatives are added to I.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import chdtrc, ndtr, ndtri

from pellucid.base.errors import DataError, ParameterError, count, format_message
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, check_finite
from pellucid.linear_model import _logistic as logistic
from pellucid.linear_model._linear import dense_coefficients

if TYPE_CHECKING:
    from pellucid.linear_model._logistic_model import LogisticClassifier

_MOST_PARAMETERS = 5000
_BLOCK = 4096


@dataclass(frozen=True)
class LogisticSummary:
    """Statistics of a logistic fit. Of three classes or more, coefficients have a row for each class but the first.

    names, estimates, standard_errors, z_values, p_values, intervals : one entry a coefficient, the intercept first
    odds_ratios, odds_ratio_intervals : exp of the estimates and of their bounds
    covariance : of all estimates, those of one class after those of another
    log_likelihood, null_log_likelihood : of the model, and of one without columns
    deviance, null_deviance : -2 times these
    aic, bic : deviance plus 2, or ln n, for each parameter
    mcfadden_r2 : 1 - log_likelihood / null_log_likelihood
    likelihood_ratio, likelihood_ratio_p : fall of the deviance, and the chance of as large a one if no column mattered
    n_rows : sum of the weights
    classes : the labels; coefficients are those of ``classes[1:]`` against ``classes[0]``
    approximate : why the figures are not those of a maximum of the likelihood; empty where they are
    """

    names: list[str]
    classes: list[Any]
    estimates: Floats
    standard_errors: Floats
    z_values: Floats
    p_values: Floats
    intervals: Floats
    odds_ratios: Floats
    odds_ratio_intervals: Floats
    covariance: Floats
    level: float
    critical: float
    n_rows: float
    df_model: int
    df_residual: float
    log_likelihood: float
    null_log_likelihood: float
    deviance: float
    null_deviance: float
    aic: float
    bic: float
    mcfadden_r2: float
    likelihood_ratio: float
    likelihood_ratio_p: float
    approximate: str
    _model: Any

    def predict(self, X: Any, level: float | None = None) -> Floats:
        """Probability of the second of two classes for new rows, with lower and upper bound: n x 3.

        The interval is that of the log odds,  ``a' beta -/+ z sqrt(a' V a)``,  taken through the sigmoid.
        """
        if np.ndim(self.estimates) != 1:
            requirement = "predict gives intervals of a probability for two classes"
            raise ParameterError(
                format_message("LogisticSummary", requirement, actual=f"there are {len(self.classes)}")
            )
        if level is not None:
            _check_level(level, None, "LogisticSummary")
        d = self._model._validate_predict(X)
        check_finite(d, allow_nan=False)
        A = np.vstack([rows for rows, _ in _rows(d, self._model.fit_intercept)])
        middle = A @ self.estimates
        critical = self.critical if level is None else float(ndtri(0.5 + level / 2))
        reach = critical * np.sqrt(np.einsum("ij,jk,ik->i", A, self.covariance, A))
        return _sigmoid(np.stack([middle, middle - reach, middle + reach], axis=1))

    def __str__(self) -> str:
        if np.ndim(self.estimates) == 1:
            sections = [_table(self, (), "")]
        else:
            first, *other_classes = map(repr, self.classes)
            sections = [_table(self, (k,), f"class {label} against {first}\n") for k, label in enumerate(other_classes)]
        lines = [
            f"rows {self.n_rows:,.10g}   log likelihood {self.log_likelihood:.6g} (without columns "
            f"{self.null_log_likelihood:.6g})   McFadden R² {self.mcfadden_r2:.4g}",
            f"deviance {self.deviance:.6g} on {self.df_residual:,.10g} degrees of freedom   null deviance "
            f"{self.null_deviance:.6g}   AIC {self.aic:.6g}   BIC {self.bic:.6g}",
            f"likelihood ratio {self.likelihood_ratio:.6g} on {self.df_model}   p {_small(self.likelihood_ratio_p)}",
        ]
        word = [f"approximate: {self.approximate}"] if self.approximate else []
        return "\n\n".join([*sections, "\n".join([*lines, *word])])


def _small(p: float) -> str:
    return f"{p:.3g}" if p >= 1e-4 else "< 0.0001"


def _table(s: LogisticSummary, at: tuple[int, ...], title: str) -> str:
    percent = f"{100 * s.level:g} %"
    width = max(12, *(len(name) for name in s.names))
    head = (
        f"{'':{width}}  {'estimate':>12}  {'std. error':>12}  {'z':>9}  {'p':>9}  {percent + ' interval':>27}  "
        f"{'odds ratio':>11}  {'interval':>23}"
    )
    lines = [head, "-" * len(head)]
    figures = (
        s.estimates, s.standard_errors, s.z_values, s.p_values, s.intervals, s.odds_ratios, s.odds_ratio_intervals
    )  # fmt: skip
    for name, *row in zip(s.names, *(figure[at] for figure in figures), strict=True):
        estimate, error, z, p, (low, high), ratio, (ratio_low, ratio_high) = row
        lines.append(
            f"{name:{width}}  {estimate:12.6g}  {error:12.6g}  {z:9.3f}  {_small(p):>9}  "
            f"{f'[{low:.6g}, {high:.6g}]':>27}  {ratio:11.5g}  {f'[{ratio_low:.4g}, {ratio_high:.4g}]':>23}"
        )
    return title + "\n".join(lines)


def _check_level(level: Any, critical: Any, who: str) -> None:
    if not isinstance(level, (int, float)) or not 0 < level < 1:
        raise ParameterError(
            format_message(who, "level must be between 0 and 1", actual=f"got {level!r}", hint="0.95 for 95 %")
        )
    if critical is not None and not (isinstance(critical, (int, float)) and 0 < critical < np.inf):
        raise ParameterError(format_message(who, "critical must be a positive number", actual=f"got {critical!r}"))


def summarize(model: LogisticClassifier, d: Design, level: float, critical: float | None) -> LogisticSummary:
    """All figures from the model and the rows it was fitted on."""
    _check_level(level, critical, d.who)
    _check_model(model, d)
    codes = d.y[:, 0].astype(np.intp)
    unit, n = logistic.row_weights(d, codes, model.classes_, model.class_weight)
    weight = np.full(d.n_rows, 1.0) if unit is None else unit * (n / unit.sum())
    planes = _planes(model)
    likelihood, information, gradients, sizes = _sums(model, d, codes, weight, planes)
    _check_same_rows(model, planes, gradients / n, sizes, n)
    estimates = planes[1:] - planes[:1] if len(planes) > 2 else planes[1:]
    covariance = _inverse(information + penalty_curvature(model, (len(estimates), estimates.shape[1])))
    shares = np.bincount(codes, weights=weight, minlength=len(model.classes_))
    null = float(shares[shares > 0] @ np.log(shares[shares > 0] / n))
    if not model.fit_intercept:
        null = -n * float(np.log(len(model.classes_)))
    return _assemble(model, d, estimates, covariance, likelihood, null, n, level, critical)


def _check_model(model: LogisticClassifier, d: Design) -> None:
    if model._scheme_ == "ovr":
        requirement, actual = "summary needs one likelihood", "one-versus-rest fits a model for each class on its own"
        raise ParameterError(
            format_message(d.who, requirement, actual=actual, hint="multi_class='multinomial' has one")
        )
    if model.solver_ == "naive Bayes":
        requirement, actual = (
            "summary needs coefficients of largest likelihood",
            "these come from class means and variances",
        )
        raise ParameterError(format_message(d.who, requirement, actual=actual, hint="call fit"))
    parameters = (len(model.classes_) - 1) * (d.n_cols + 1)
    if parameters > _MOST_PARAMETERS:
        requirement = f"summary inverts a matrix of all parameters and takes up to {_MOST_PARAMETERS:,}"
        raise DataError(
            format_message(
                d.who, requirement, actual=f"there are {count(parameters, 'parameter')}", hint="select columns"
            )
        )


def _planes(model: LogisticClassifier) -> Floats:
    """Parameters of all classes, the intercept first where there is one; two classes have zeros and their own."""
    W = dense_coefficients(model.coef_).astype(np.float64)
    if model.fit_intercept:
        W = np.hstack([np.asarray(model.intercept_, dtype=np.float64)[:, None], W])
    return W if len(W) > 1 else np.vstack([np.zeros_like(W), W])


def _rows(d: Design, fit_intercept: bool) -> Iterator[tuple[Floats, slice]]:
    """Blocks of rows in double precision, with a 1 first where there is an intercept."""
    for begin in range(0, d.n_rows, _BLOCK):
        block = d.numbers[begin : begin + _BLOCK]
        dense = np.asarray(block.toarray() if d.table.is_sparse else block, dtype=np.float64)
        if fit_intercept:
            dense = np.hstack([np.ones((len(dense), 1)), dense])
        yield dense, slice(begin, begin + len(dense))


def _sums(
    model: LogisticClassifier, d: Design, codes: Array, weight: Floats, planes: Floats
) -> tuple[float, Floats, Floats, Floats]:
    """Log likelihood, information, slopes of the loss (a row a class) and mean squares of the columns."""
    k, m = planes.shape
    likelihood, information, gradients, sizes = 0.0, np.zeros((k - 1, m, k - 1, m)), np.zeros((k, m)), np.zeros(m)
    for A, rows in _rows(d, model.fit_intercept):
        s = A @ planes.T
        s -= s.max(axis=1, keepdims=True)
        logs = s - np.log(np.exp(s).sum(axis=1, keepdims=True))
        p, w, row_codes = np.exp(logs), weight[rows], codes[rows]
        likelihood += float(w @ logs[np.arange(len(A)), row_codes])
        wrong = p * w[:, None]
        wrong[np.arange(len(A)), row_codes] -= w
        gradients += wrong.T @ A
        sizes += (A**2).sum(axis=0)
        for a in range(1, k):
            for b in range(a, k):
                curve = w * p[:, a] * ((1 - p[:, a]) if a == b else -p[:, b])
                information[a - 1, :, b - 1] += (A * curve[:, None]).T @ A
    for a in range(k - 1):
        for b in range(a):
            information[a, :, b] = information[b, :, a].T
    size = (k - 1) * m
    return likelihood, information.reshape(size, size), gradients, np.sqrt(sizes / d.n_rows)


def penalty_curvature(model: LogisticClassifier, shape: tuple[int, int]) -> Floats:
    """Second derivatives of the l2 penalty: of contrasts D with the first of k classes it is D'(1 - 1/k) D a column."""
    classes, m = shape
    smooth = model._penalty_.strength * (1 - model._penalty_.ratio)
    columns = np.full(m, smooth)
    if model.fit_intercept:
        columns[0] = smooth / model.intercept_scaling**2 if model.solver_ == "liblinear" else 0.0
    between = np.eye(classes) - (1 / (classes + 1) if classes > 1 else 0.0)
    return np.asarray(np.kron(between, np.diag(columns)), dtype=np.float64)


def _inverse(information: Floats) -> Floats:
    """I⁻¹; NaN in rows and columns of parameters that the data do not determine."""
    root = np.sqrt(np.maximum(np.diag(information), 0.0))
    positive = root > 0
    scale = np.where(positive, root, 1.0)
    values, vectors = np.linalg.eigh(information / scale / scale[:, None])
    significant = values > 1e-11 * len(values)
    lost = (np.abs(vectors[:, ~significant]) > 1e-5).any(axis=1) | ~positive
    inverse = (vectors[:, significant] / values[significant]) @ vectors[:, significant].T / scale / scale[:, None]
    inverse[lost, :] = inverse[:, lost] = np.nan
    return np.asarray(inverse)


def _check_same_rows(model: LogisticClassifier, planes: Floats, gradients: Floats, sizes: Floats, n: float) -> None:
    """At the minimum no slope of the cost is left: on other rows there is one."""
    if not model.converged_ or model.separated_:
        return
    strength, ratio = model._penalty_.strength / n, model._penalty_.ratio
    columns = np.ones(planes.shape[1])
    if model.fit_intercept:
        columns[0] = 1 / model.intercept_scaling if model.solver_ == "liblinear" else 0.0
    if len(planes) == 2:
        planes, gradients = planes[1:], gradients[1:]
    gradients = gradients + strength * (1 - ratio) * columns**2 * planes
    l1 = strength * ratio * columns
    residual_gradient = np.where(
        planes == 0, np.maximum(np.abs(gradients) - l1, 0.0), np.abs(gradients + l1 * np.sign(planes))
    )
    single = model.coef_.dtype == np.float32
    allowed = max(1e-6, (1000 if model.solver_ in ("sag", "saga") else 10) * model.tol, 1e-3 if single else 0.0)
    if (residual_gradient > allowed * np.maximum(sizes, 1.0)).any():
        requirement, actual = (
            "summary needs the rows that fit saw",
            "on these rows the cost has a slope at the coefficients",
        )
        hint = "pass the X, y and sample_weight of fit"
        raise DataError(format_message(type(model).__name__, requirement, actual=actual, hint=hint))


def _assemble(
    model: LogisticClassifier,
    d: Design,
    estimates: Floats,
    covariance: Floats,
    likelihood: float,
    null: float,
    n: float,
    level: float,
    critical: float | None,
) -> LogisticSummary:
    errors = np.sqrt(np.diag(covariance)).reshape(estimates.shape)
    used = float(ndtri(0.5 + level / 2)) if critical is None else float(critical)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        z = estimates / errors
        intervals = np.stack([estimates - used * errors, estimates + used * errors], axis=-1)
        ratios, ratio_intervals = np.exp(estimates), np.exp(intervals)
    parameters, constants = estimates.size, len(estimates) * int(model.fit_intercept)
    fall, df = 2 * (likelihood - null), parameters - constants

    def shape(values: Floats) -> Floats:
        return values[0] if len(model.classes_) == 2 else values

    return LogisticSummary(
        names=[*(["(intercept)"] if model.fit_intercept else []), *d.column_labels()],
        classes=model.classes_.tolist(),
        estimates=shape(estimates),
        standard_errors=shape(errors),
        z_values=shape(z),
        p_values=shape(2 * ndtr(-np.abs(z))),
        intervals=shape(intervals),
        odds_ratios=shape(ratios),
        odds_ratio_intervals=shape(ratio_intervals),
        covariance=covariance,
        level=level,
        critical=used,
        n_rows=n,
        df_model=df,
        df_residual=n - parameters,
        log_likelihood=likelihood,
        null_log_likelihood=null,
        deviance=-2 * likelihood,
        null_deviance=-2 * null,
        aic=2 * parameters - 2 * likelihood,
        bic=float(np.log(n)) * parameters - 2 * likelihood,
        mcfadden_r2=1 - likelihood / null,
        likelihood_ratio=fall,
        likelihood_ratio_p=float(chdtrc(df, max(fall, 0.0))) if df > 0 else 1.0,
        approximate=_why_approximate(model),
        _model=model,
    )


def _why_approximate(model: LogisticClassifier) -> str:
    if model._penalty_.strength > 0:
        word = model._penalty_.kind
        return f"{word} draws the coefficients toward zero, and no p value knows of it; C=inf has no penalty"
    if model.separated_:
        return "the classes are separated: the likelihood has no maximum, and standard errors mean nothing"
    if model.class_weight is not None:
        return "class_weight counts rows more or less often than they occurred"
    return "" if model.converged_ else "the fit stopped before its maximum; raise max_iter"


def _sigmoid(t: Floats) -> Floats:
    small = np.exp(-np.abs(t))
    return np.asarray(np.where(t >= 0, 1.0, small) / (1 + small))
