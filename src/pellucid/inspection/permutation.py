"""Permutation importance: how much worse a fitted model scores when a column's values are dealt out anew."""

from __future__ import annotations

import numbers
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.random import sample_without_replacement

from pellucid.base.errors import DataError, ParameterError, count, format_message, join_some
from pellucid.base.parallel import is_ours, run
from pellucid.base.types import Array, Flags, Floats
from pellucid.data.swap import swap
from pellucid.data.table import Table, read_table
from pellucid.metrics.scorers import check_scoring

__all__ = ["Importance", "permutation_importance"]

WHO = "permutation_importance"
SHOWN = 30
Scores = dict[str, float]


class Importance(dict[str, Any]):
    """What `permutation_importance` found, by scikit-learn's keys and as attributes; printed as a table, largest first.

    importances : columns x repeats, how far the score fell
    importances_mean, importances_std : mean and standard deviation over the repeats
    feature_names : names of the columns, or x0, x1, ...
    baseline : the score with every column in place
    scores : columns x repeats, the score with the column permuted
    """

    importances: Floats
    importances_mean: Floats
    importances_std: Floats
    feature_names: list[str]
    baseline: float
    scores: Floats
    seed: int  # of the permutations

    def __init__(self, baseline: float, scores: Floats, names: list[str], seed: int) -> None:
        fall = baseline - scores
        super().__init__(importances_mean=fall.mean(axis=1), importances_std=fall.std(axis=1), importances=fall)
        self.update(feature_names=names)
        self.__dict__.update(self, baseline=baseline, scores=scores, seed=seed)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.baseline, self.scores, self.feature_names, self.seed)

    @property
    def within_chance(self) -> Flags:
        """Columns without which the model may do as well: ``mean - 2 sd <= 0``."""
        return np.asarray(self.importances_mean - 2 * self.importances_std <= 0)

    @property
    def order(self) -> Array:
        """Places of the columns, the most important first."""
        return np.argsort(-self.importances_mean, kind="stable")

    def __str__(self) -> str:
        shown, chance = self.order[:SHOWN], self.within_chance
        width = max([len("column"), *(len(self.feature_names[j]) for j in shown)])
        lines = [f"{'column':{width}}  {'importance':>10}  {'sd':>10}"]
        for j in shown:
            mark = "  within chance" if chance[j] else ""
            figures = f"{self.importances_mean[j]:10.4g}  {self.importances_std[j]:10.4g}"
            lines.append(f"{self.feature_names[j]:{width}}  {figures}{mark}")
        if len(self.order) > SHOWN:
            lines.append(f"and {count(len(self.order) - SHOWN, 'column')} more")
        lines.append(f"score with every column in place: {self.baseline:.4g}; {count(self.scores.shape[1], 'repeat')}")
        if chance.any():
            lines.append("within chance: importance less twice its standard deviation is not above zero")
        return "\n".join(lines)


def permutation_importance(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    scoring: Any = None,
    n_repeats: int = 5,
    n_jobs: int | None = None,
    random_state: Any = None,
    sample_weight: Any = None,
    max_samples: int | float = 1.0,
    columns: Sequence[str] | None = None,
) -> Importance | dict[str, Importance]:
    """How much the score of a fitted model falls when the values of one column are dealt out to the rows at random.

    ``importance_j = s - mean_r s_jr``,  s the score on the table as it is, s_jr the score when column j alone stands
    in the r-th random order (Breiman 2001). A column that the model does not use scores as before: importance 0.

    On rows that the model has not seen it tells what the column is worth, on those of the fit what the model leans on.
    Of two columns that say the same, each looks unimportant while the other is in place; permuted values may also make
    rows that cannot occur. The permutations are scikit-learn's for the same ``random_state``, whatever ``n_jobs``.

    Parameters
    ----------
    estimator : a fitted model
    X : table
        NumPy array, pandas, polars or pyarrow table, sparse matrix or list of rows; it is not changed.
    y : target, or None
    scoring : None for the estimator's own ``score``, a name of `pellucid.metrics.get_scorer_names`, a function of
        (estimator, X, y); a list of names or a dict of names and functions gives a dict of results. A model's answers
        are asked for once for all the names.
    n_repeats : how often each column is permuted
    n_jobs : workers over which the columns are spread
    random_state : seed of the permutations
    sample_weight : how much each row counts in the score
    max_samples : share (float) or number (int) of rows drawn to be permuted; the score they are compared with is that
        of all rows
    columns : names of the columns to measure, in this order; None for all. A table of thousands of columns takes as
        many answers as it has columns, each of them on all columns.

    Returns
    -------
    Importance : a dict with ``importances_mean``, ``importances_std``, ``importances`` (columns x repeats) and
        ``feature_names``; a dict of these, by name, for several scores

    Examples
    --------
    The target is the first column and the second does not matter. Dealt out at random, R² falls from 1 to
    ``1 - 2 SST / SST``, by 2, in the mean over all orders:

    >>> from pellucid.linear_model import LinearRegression
    >>> X, y = [[float(i), i % 4] for i in range(40)], [float(i) for i in range(40)]
    >>> model = LinearRegression().fit(X, y)
    >>> found = permutation_importance(model, X, y, n_repeats=50, random_state=0)
    >>> print(found)
    column  importance          sd
    x0           1.965      0.3624
    x1               0           0  within chance
    score with every column in place: 1; 50 repeats
    within chance: importance less twice its standard deviation is not above zero
    """
    _check(n_repeats, max_samples)
    table = read_table(X, WHO)
    y_rows = None if y is None else y.shape[0] if hasattr(y, "shape") else len(y)
    for name, rows in (("y", y_rows), ("sample_weight", None if sample_weight is None else len(sample_weight))):
        if rows not in (None, table.n_rows):
            actual = f"got {rows} for {count(table.n_rows, 'row')}"
            raise DataError(format_message(WHO, f"{name} must have one entry a row of X", actual=actual))
    rows_drawn = _rows_drawn(max_samples, table.n_rows)
    seed = int(check_random_state(random_state).randint(np.iinfo(np.int32).max + 1))
    score = _scoring(estimator, scoring)
    data = table.source if not table.is_frame else X
    baseline = _as_scores(score(estimator, data, y, sample_weight))
    names = [str(name) for name in table.names] if table.names else [f"x{j}" for j in range(table.n_cols)]
    places = np.arange(table.n_cols) if columns is None else _places(columns, names)
    parts = np.array_split(places, min(effective_n_jobs(n_jobs), len(places)))
    settings = (seed, n_repeats, rows_drawn)
    calls = [(estimator, data, y, sample_weight, score, columns, *settings) for columns in parts]
    done = run(_score_columns, calls, n_jobs, "importances", threads=is_ours(estimator))
    measured = [names[j] for j in places.tolist()]
    results = {
        name: Importance(value, np.vstack([part[name] for part in done]), measured, seed)
        for name, value in baseline.items()
    }
    return results[""] if list(results) == [""] else results


# ------------------------------------------------------------------------------------------------------------ columns


def _places(columns: Sequence[str], names: list[str]) -> Array:
    place = {name: j for j, name in enumerate(names)}
    unknown = [name for name in columns if name not in place]
    if unknown or not len(columns):
        actual = f"there is no {join_some(map(repr, unknown))}" if unknown else "got none"
        raise ParameterError(
            format_message(
                WHO, "columns must name columns of X", actual=actual, hint=f"there are {join_some(names, 8)}"
            )
        )
    return np.array([place[name] for name in columns])


def _score_columns(
    estimator: Any,
    X: Any,
    y: Any,
    weight: Any,
    score: _Scoring,
    columns: Array,
    seed: int,
    n_repeats: int,
    rows_drawn: int,
) -> dict[str, Floats]:
    """The scores, by name, with each of the columns permuted: columns x repeats."""
    table = read_table(X, WHO)
    random = np.random.RandomState(seed)
    if rows_drawn < table.n_rows:
        rows = sample_without_replacement(table.n_rows, rows_drawn, random_state=random)
        table = _take_rows(table, rows)
        y, weight = (None if part is None else _safe_indexing(part, rows) for part in (y, weight))
    changed = swap(table)
    found: dict[str, Floats] = {}
    for repeat, order in enumerate(permutations(random, table.n_rows, n_repeats)):
        for place, j in enumerate(columns):
            scores = _as_scores(score(estimator, changed.permuted(int(j), order), y, weight))
            for name, value in scores.items():
                found.setdefault(name, np.empty((len(columns), n_repeats)))[place, repeat] = value
    return found


def permutations(random: np.random.RandomState, n: int, n_repeats: int) -> Iterator[Array]:
    """One order of the rows a repeat, the same for every column: shuffled on from the one before, as scikit-learn."""
    shuffled, order = np.arange(n), np.arange(n)
    for _ in range(n_repeats):
        random.shuffle(shuffled)
        order = order[shuffled]
        yield order


def _take_rows(table: Table, rows: Array) -> Table:
    source = table.source.tocsr()[rows].asformat(table.source.format) if table.is_sparse else table.source[rows]
    return Table(source, len(rows), table.n_cols, table.names, table.names_are_text)


# ------------------------------------------------------------------------------------------------------------- scores


class _Scoring:
    """What scores a model, with weights where there are some."""

    def __init__(self, scorer: Any) -> None:
        self.scorer = scorer

    def __call__(self, model: Any, X: Any, y: Any, sample_weight: Any = None) -> Any:
        return self.scorer(model, X, y, **({} if sample_weight is None else {"sample_weight": sample_weight}))


def _scoring(estimator: Any, scoring: Any) -> _Scoring:
    if scoring is None and not hasattr(estimator, "score"):
        requirement, hint = (
            "the estimator must have a score, or scoring must be given",
            "give scoring, such as 'accuracy'",
        )
        raise ParameterError(format_message(WHO, requirement, actual=f"{type(estimator).__name__} has none", hint=hint))
    names = isinstance(scoring, list | tuple | set) and all(isinstance(name, str) for name in scoring)
    several = (names or isinstance(scoring, dict)) and len(scoring) > 0
    if not (scoring is None or callable(scoring) or isinstance(scoring, str) or several):
        requirement = "scoring must be None, a name, a function of (estimator, X, y), a list of names or a dict"
        raise ParameterError(format_message(WHO, requirement, actual=f"got {scoring!r}"))
    return _Scoring(check_scoring(estimator, scoring))


def _as_scores(found: Any) -> Scores:
    """Scores by name; one without a name has the empty one."""
    return (
        {str(name): float(value) for name, value in found.items()} if isinstance(found, Mapping) else {"": float(found)}
    )


# ------------------------------------------------------------------------------------------------------------- checks


def _check(n_repeats: Any, max_samples: Any) -> None:
    if not isinstance(n_repeats, numbers.Integral) or isinstance(n_repeats, bool) or n_repeats < 1:
        raise ParameterError(
            format_message(WHO, "n_repeats must be a whole number of at least 1", actual=f"got {n_repeats!r}")
        )
    whole = isinstance(max_samples, numbers.Integral) and not isinstance(max_samples, bool)
    share = isinstance(max_samples, numbers.Real) and not isinstance(max_samples, numbers.Integral)
    if not (whole and max_samples >= 1) and not (share and 0 < max_samples <= 1):
        requirement = "max_samples must be a share above 0 and at most 1, or a number of rows of at least 1"
        raise ParameterError(format_message(WHO, requirement, actual=f"got {max_samples!r}"))


def _rows_drawn(max_samples: int | float, n: int) -> int:
    drawn = int(max_samples) if isinstance(max_samples, numbers.Integral) else int(max_samples * n)
    if not 1 <= drawn <= n:
        requirement = f"max_samples must be <= n_samples and draw at least one of the {count(n, 'row')}"
        raise ParameterError(format_message(WHO, requirement, actual=f"got {max_samples!r}, which draws {drawn}"))
    return drawn
