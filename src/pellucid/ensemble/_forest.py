"""What forests share: samples, trees, rows left out, and questions about the trees."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from numbers import Integral
from typing import Any, ClassVar, Literal

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import Bunch, Tags

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import (
    DataError,
    DataTypeError,
    ParameterError,
    PellucidWarning,
    count,
    format_message,
    join_some,
    noun_list,
    warn,
)
from pellucid.base.randomness import seed_from
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec, attach_weight
from pellucid.ensemble.proximity import proximities, proximity_outliers
from pellucid.estimator.estimator import Estimator
from pellucid.estimator.trace import Trace
from pellucid.models.tree.cart import Grower, GrowthParameters, drawn_columns, in_range
from pellucid.models.tree.categories import category_sizes, known_codes
from pellucid.models.tree.forest import Forest, ForestGrower, Sample

# n_estimators="oob": so many trees to begin with, twice as many each time, until a doubling gains less than this.
_BEGIN, _WORTH = 50, 0.01
# Share of the rows drawn without replacement, unless told otherwise: as many distinct ones as with replacement.
_DISTINCT = 0.632


def _check_max_samples(value: Any) -> str | None:
    if value is None or (int(value) >= 1 if isinstance(value, Integral) else value > 0):
        return None
    return f"max_samples must be a whole number of at least 1, a share of the rows above 0, or None; got {value!r}"


def check_drawn(name: str) -> Callable[[Any], str | None]:
    """A check: a number of columns, a share of them, or a word for one."""

    def check(value: Any) -> str | None:
        named_or_none = value is None or isinstance(value, str)
        if named_or_none or (int(value) >= 1 if isinstance(value, Integral) else 0 < value <= 1):
            return None
        words = "a whole number of at least 1, a share of the columns above 0 and at most 1, 'sqrt', 'log2', 'third'"
        return f"{name} must be {words} or None; got {value!r}"

    return check


def _check_oob_score(value: Any) -> str | None:
    if isinstance(value, bool | np.bool_) or callable(value) or value == "average":
        return None
    return f"oob_score must be True, False, 'average' or a function of (y, answers); got {value!r}"


class ForestModel(GrowthParameters, Estimator):
    """Many trees on samples of the rows. A subclass says what its rows weigh and what a tree answers."""

    n_estimators: int | Literal["oob"] = param(
        default=100,
        low=1,
        kw_only=False,
        doc="Number of trees. 'oob': 50, then twice as many as before, until the out-of-bag error falls by less than a "
        "hundredth of itself, or `max_estimators` are grown.",
    )
    max_estimators: int = param(default=800, low=1, doc="Most trees for n_estimators='oob'.")
    max_features: int | float | Literal["sqrt", "log2", "third"] | None = param(
        default="sqrt",
        check=check_drawn("max_features"),
        doc="Columns among which each split is sought, drawn anew for each: a number, a share of them, their root "
        "('sqrt'), logarithm to base 2 ('log2') or 'third'; None: all.",
    )
    max_features_rounding: Literal["down", "nearest"] = param(
        default="down", doc="How a root, logarithm, third or share of the columns becomes a whole number: of 8, 2 or 3."
    )
    tree_features: int | float | Literal["sqrt", "log2", "third"] | None = param(
        default=None,
        check=check_drawn("tree_features"),
        doc="Columns that a whole tree may ask, drawn once for each (random subspaces); None: all.",
    )
    replace: bool = param(
        default=True,
        doc="Are the rows of a sample drawn with replacement? If not, `max_samples` of None is a share of 0.632.",
    )
    oob_score: Any = param(
        default=False,
        check=_check_oob_score,
        doc="Judge the forest by rows left out: True lets the trees that have not seen a row answer for it together, "
        "'average' is the mean of the trees' own scores, a function of (y, answers) another score.",
    )
    random_state: int | np.random.RandomState | None = param(
        default=None, doc="Seed of everything that is drawn: rows, columns, and cuts of extremely randomized trees."
    )
    verbose: int = param(default=0, low=0, doc="1 prints how many trees were grown, and in what time.")
    warm_start: bool = param(default=False, doc="Keep the trees of the last fit, and add those that are missing.")
    max_samples: int | float | None = param(
        default=None,
        check=_check_max_samples,
        doc="Rows of a sample: a number, a share of the rows (of their weights, where there are any), or None for as "
        "many as there are.",
    )

    bootstrap: bool = param(
        default=True, doc="Is every tree grown on a sample of the rows of its own? Else on all of them."
    )

    input_spec = InputSpec(sparse=True, missing=True, categories=True, unknown="missing")
    calls_blas = False
    surrogates: ClassVar[int] = 0

    classes_: ClassVar[Any]  # of a classifier
    _tree: ClassVar[type[Any]]  # what a single tree is handed out as

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    # --------------------------------------------------------------------------------------------------------- learning

    def _rows(self, d: Design) -> tuple[Floats | None, Array, bool]:
        """Weights of the rows, number of classes of each target, and whether samples are balanced."""
        raise TypeError(f"{type(self).__name__} must write _rows")

    @property
    def _criterion(self) -> str:
        raise TypeError(f"{type(self).__name__} must write _criterion")

    def _fit_table(self, X: Any, y: Any, sample_weight: Any, record: bool) -> Trace:
        names = ("_forest_", "_sample_", "classes_")
        self._earlier = {name: vars(self)[name] for name in names if self.warm_start and name in vars(self)}
        try:
            return super()._fit_table(X, y, sample_weight, record)
        finally:
            del self._earlier

    @property
    def forest(self) -> Forest:
        """The fitted trees."""
        return self._forest_

    def _fit(self, d: Design, trace: Trace) -> None:
        began = time.perf_counter()
        self._check_settings(d.who)
        weight, n_classes, balanced = self._rows(d)
        weight, _ = in_range(weight)
        earlier: Forest | None = self._earlier.get("_forest_")
        seed = self._earlier["_sample_"].seed if earlier is not None else seed_from(self.random_state)
        self._sample_: Sample = self._how_to_draw(d, weight, seed)
        grower = ForestGrower(
            self._tree_grower(d, weight),
            self._sample_,
            d.y,
            n_classes,
            weight,
            balanced,
            drawn_columns(self.tree_features, d.n_cols, self.max_features_rounding),
            float(self.ccp_alpha),
        )
        self.n_outputs_: int = d.y.shape[1]
        self.max_features_: int = drawn_columns(self.max_features, d.n_cols, self.max_features_rounding)
        if self.categorical_features is not None:
            self._sizes_: Array = category_sizes(d, self.categorical_features)
        self._forest_: Forest = self._grow(grower, earlier, d)
        self._keep_more(d, weight)
        if self.oob_score is not False or self.n_estimators == "oob":
            self._judge(d)
        if self.verbose:
            print(f"{d.who}: {count(len(self._forest_), 'tree')} in {time.perf_counter() - began:.2f} s")

    def _keep_more(self, d: Design, weight: Floats | None) -> None:
        """What else a subclass keeps of a fit."""

    def _check_settings(self, who: str) -> None:
        if not self.bootstrap and self.max_samples is not None:
            requirement = "`max_sample` cannot be set if `bootstrap=False`"
            raise ParameterError(
                format_message(
                    who, requirement, actual=f"got max_samples={self.max_samples!r}", hint="set bootstrap=True"
                )
            )
        if not self.bootstrap and (self.oob_score is not False or self.n_estimators == "oob"):
            setting = "n_estimators='oob'" if self.n_estimators == "oob" else f"oob_score={self.oob_score!r}"
            requirement = "Out of bag estimation only available if bootstrap=True"
            raise ParameterError(format_message(who, requirement, actual=f"got {setting} with bootstrap=False"))

    def _tree_grower(self, d: Design, weight: Floats | None) -> Grower:
        share = self._sample_.draws / d.n_rows if self._sample_.draw == "distinct" else 1.0
        total = float(d.n_rows if weight is None else weight.sum()) * share
        if self._sample_.draw == "replace":
            total = float(self._sample_.draws)
        return Grower.of(d, self, self._criterion, "size", total, self._threads)

    def _how_to_draw(self, d: Design, weight: Floats | None, seed: int) -> Sample:
        n = d.n_rows
        if not self.bootstrap:
            return Sample(n, "all", n, weight, seed)
        usable = n if weight is None else int(np.count_nonzero(weight))
        max_samples = self.max_samples if self.max_samples is not None else (1.0 if self.replace else _DISTINCT)
        if isinstance(max_samples, Integral):
            draws = int(max_samples)
        elif self.max_samples is None:
            draws = max(1, int(max_samples * (n if self.replace else usable)))
        else:
            draws = max(1, int(max_samples * (d.weight.sum() if self.replace and d.weight is not None else usable)))
        if not self.replace and draws > usable:
            requirement = "max_samples must be at most the number of rows that weigh something when replace=False"
            raise ParameterError(
                format_message(
                    d.who, requirement, actual=f"got {draws} with {count(usable, 'row')}", hint="set replace=True"
                )
            )
        return Sample(n, "replace" if self.replace else "distinct", draws, weight, seed)

    # ------------------------------------------------------------------------------------------------------------ trees

    def _grow(self, grower: ForestGrower, earlier: Forest | None, d: Design) -> Forest:
        if self.n_estimators == "oob":
            return self._grow_until_flat(grower, earlier, d)
        if earlier is None:
            return grower.grow(0, int(self.n_estimators))
        self._check_warm(earlier, d)
        more = int(self.n_estimators) - len(earlier)
        return earlier.joined(grower.grow(len(earlier), more)) if more else earlier

    def _grow_until_flat(self, grower: ForestGrower, earlier: Forest | None, d: Design) -> Forest:
        """Twice as many trees each time, while the error out of bag falls by more than a hundredth of itself."""
        trees = min(_BEGIN, self.max_estimators)
        if earlier is not None:
            self._check_warm(earlier, d)
        forest = earlier if earlier is not None and len(earlier) >= trees else grower.grow(0, trees)
        while len(forest) < self.max_estimators:
            errors = _errors(forest.out_of_bag(d.matrix, d.y, None, self._sample_, self._threads))
            half, now = errors[len(forest) // 2 - 1], errors[-1]
            if np.isfinite(half) and (now == 0 or half - now <= _WORTH * half):
                break
            more = min(len(forest), self.max_estimators - len(forest))
            forest = forest.joined(grower.grow(len(forest), more))
        return forest

    def _check_warm(self, earlier: Forest, d: Design) -> None:
        who, old = type(self).__name__, self._earlier["_sample_"]
        if self.n_estimators != "oob" and self.n_estimators < len(earlier):
            requirement = "n_estimators must be larger or equal to len(estimators_) when warm_start==True"
            raise ParameterError(
                format_message(who, requirement, actual=f"got n_estimators={self.n_estimators} after {len(earlier)}")
            )
        if earlier.n_cols != d.n_cols or (self.oob_score is not False and old.rows != d.n_rows):
            requirement = "warm_start goes on with the table of the last fit"
            size = f"{count(old.rows, 'row')} and {count(earlier.n_cols, 'column')}"
            actual = f"it had {size}, this one has {d.n_rows} and {d.n_cols}"
            raise DataError(
                format_message(who, requirement, actual=actual, hint="set warm_start=False to begin afresh")
            )
        if "classes_" in self._earlier and not _same_labels(self._earlier["classes_"], self.classes_):
            requirement, actual = "warm_start goes on with the classes of the last fit", "they are others now"
            before = self._earlier["classes_"]
            if isinstance(before, np.ndarray) and isinstance(self.classes_, np.ndarray):
                actual = f"they were {join_some(before.tolist())}, now {join_some(self.classes_.tolist())}"
            raise DataError(
                format_message(who, requirement, actual=actual, hint="set warm_start=False to begin afresh")
            )
        if self.n_estimators == len(earlier):
            requirement = "Warm-start fitting without increasing n_estimators does not fit new trees"
            warn(
                format_message(who, requirement, actual=f"n_estimators is still {self.n_estimators}", hint="raise it"),
                PellucidWarning,
            )

    # ---------------------------------------------------------------------------------------------------- rows left out

    def _judge(self, d: Design) -> None:
        oob = self._answering.out_of_bag(d.matrix, d.y, None, self._sample_, self._threads)
        n_predictions = oob["answers"]
        silent = np.flatnonzero(n_predictions == 0)
        if len(silent):
            self._warn_of_silence(silent, d.n_rows)
        self.oob_curve_: Floats = _errors(oob)
        self.oob_answers_: Array = n_predictions
        scored = np.flatnonzero(n_predictions)
        self._keep_oob(oob["mean"])
        if self.oob_score == "average":
            self.oob_scores_: Floats = self._own_scores(d)
            finite_scores = self.oob_scores_[np.isfinite(self.oob_scores_)]
            self.oob_score_: float = float(finite_scores.mean()) if len(finite_scores) else float("nan")
        elif len(scored) == 0:
            self.oob_score_ = float("nan")
        else:
            self.oob_score_ = float(self._score_of(oob["mean"][scored], scored, d))

    def _own_scores(self, d: Design) -> Floats:
        """The score of each tree on the rows that it has not seen; NaN where there are none."""
        scores = np.full(len(self._forest_), np.nan)
        for t in range(len(scores)):
            rows = self._sample_.left_out(t)
            if len(rows):
                predicted = self._answering.part(t, t + 1).predict(d.matrix, self._threads)[rows]
                scores[t] = self._score_of(predicted, rows, d, per_tree=True)
        return scores

    def _warn_of_silence(self, rows: Array, n: int) -> None:
        requirement = "for an out-of-bag answer every row needs a tree that has not seen it"
        single = len(rows) == 1
        actual = f"{len(rows)} of {count(n, 'row')} {'has' if single else 'have'} none ({noun_list('row', rows)}), "
        actual += f"{'is' if single else 'are'} NaN and {'counts' if single else 'count'} for nothing in oob_score_"
        hint = f"grow more trees than {len(self._forest_)}, or draw fewer rows for each"
        hint = "the only row is in every sample: give more rows" if n == 1 else hint
        warn(format_message(type(self).__name__, requirement, actual=actual, hint=hint), PellucidWarning)

    @property
    def _answering(self) -> Forest:
        """The forest as it answers."""
        return self._forest_

    def _keep_oob(self, mean: Floats) -> None:
        raise TypeError(f"{type(self).__name__} must write _keep_oob")

    def _score_of(self, mean: Floats, rows: Array, d: Design, per_tree: bool = False) -> float:
        """Score of answers (rows x width) for some rows; own: of one tree."""
        raise TypeError(f"{type(self).__name__} must write _score_of")

    def _scorer(self, per_tree: bool) -> Callable[..., Any] | None:
        return self.oob_score if callable(self.oob_score) and not per_tree else None

    # -------------------------------------------------------------------------------------------------------- questions

    def _validate_predict(self, X: Any) -> Design:
        d = super()._validate_predict(X)
        return d if self.categorical_features is None else known_codes(d, self._sizes_)

    @property
    def estimators_(self) -> Members:
        """The trees, as single trees are; each is made when it is asked for."""
        self._check_fitted()
        shared = ("schema_", "n_features_in_", "feature_names_in_", "n_outputs_", "classes_", "n_classes_", "_sizes_",
                  "max_features_")  # fmt: skip
        return Members(
            self._one_tree(), {name: vars(self)[name] for name in shared if name in vars(self)}, self._forest_
        )

    @property
    def estimator_(self) -> Any:
        """A single tree with the settings of this forest, not fitted."""
        return self._one_tree()

    def _one_tree(self) -> Any:
        params = {name: getattr(self, name) for name in self._tree._params if hasattr(self, name)}
        params.update(random_state=None, n_jobs=None, max_features=vars(self).get("max_features_", None))
        if "class_weight" in params:
            params["class_weight"] = None  # it is in the weights of the rows already
        return self._tree(**params)

    @property
    def estimators_samples_(self) -> list[Array]:
        """The rows that each tree was grown on, as often as they were drawn; drawn again when asked for."""
        self._check_fitted()
        rows = np.arange(self._sample_.rows)
        return [np.repeat(rows, self._sample_.counts(t)) for t in range(len(self._forest_))]

    @property
    def tree_importances_(self) -> Floats:
        """Trees x columns: how much of the fall of the impurity in a tree is due to each column; a row adds up to 1."""
        self._check_fitted()
        gain = self._forest_.importance
        total = gain.sum(axis=1, keepdims=True)
        return np.asarray(np.divide(gain, total, out=np.zeros_like(gain), where=total > 0))

    @property
    def feature_importances_(self) -> Floats:
        """How much of the fall of the impurity is due to each column: shares that add up to 1; the mean over the trees.

        Columns with many values are favored, and the rows are those of the fit: `oob_importance` is the better judge.
        """
        self._check_fitted()
        split = np.diff(self._forest_.tree_start) > 1  # trees of a single leaf say nothing
        if not split.any():
            return np.zeros(self.n_features_in_)
        mean = self.tree_importances_[split].mean(axis=0)
        return np.asarray(mean / mean.sum() if mean.sum() > 0 else mean)

    def apply(self, X: Any) -> Array:
        """Rows x trees: the number of the leaf that each row ends in; node 0 is the root of a tree."""
        return self._forest_apply(self._validate_predict(X)).astype(np.intp)

    def _forest_apply(self, d: Design) -> Array:
        return self._forest_.apply(d.matrix, self._threads)

    def decision_path(self, X: Any) -> tuple[Any, Array]:
        """The nodes that each row passes, as a sparse table of ones, trees side by side; and where each tree begins."""
        self._validate_predict(X)
        paths = [tree.decision_path(X) for tree in self.estimators_]
        return sparse.hstack(paths).tocsr(), np.asarray(self._forest_.tree_start, dtype=np.intp)

    def oob_importance(self, X: Any, y: Any, sample_weight: Any = None, *, random_state: Any = 0) -> Bunch:
        """By how much the trees err more on rows that they have not seen, when a column's values are shuffled.

        For each tree and column the values of the column are dealt out anew among the rows left out, and the tree's
        error there (share of wrong classes, mean squared error) is compared with the error before.

        Parameters
        ----------
        X, y, sample_weight : as `fit` saw them
        random_state : seed of the shuffles

        Returns
        -------
        Bunch
            ``importances`` (columns x trees), ``importances_mean``, ``importances_std`` over the trees,
            ``standard_error`` of the mean and ``feature_names``.
        """
        d = self._seen_again(X, y, sample_weight)
        if d.table.is_sparse:
            hint = "use X.toarray(), or pellucid.inspection.permutation_importance on other rows"
            raise DataTypeError(
                format_message(d.who, "oob_importance takes dense tables", actual="X is sparse", hint=hint)
            )
        y2, seed = np.ascontiguousarray(d.y), seed_from(random_state)
        rise = _core.forest_shuffled(self._answering.bound, d.matrix, y2, self._forest_.n_classes, d.weight,
                                     self._sample_.sampler, seed, self._threads).T  # fmt: skip
        spread = rise.std(axis=1, ddof=1) if rise.shape[1] > 1 else np.zeros(len(rise))
        return Bunch(
            importances=rise,
            importances_mean=rise.mean(axis=1),
            importances_std=spread,
            standard_error=spread / np.sqrt(rise.shape[1]),
            feature_names=d.column_labels(),
        )

    def _seen_again(self, X: Any, y: Any, sample_weight: Any) -> Design:
        """The table of the fit, once more, with its target."""
        if not getattr(self, "bootstrap", False):
            requirement = "rows must have been left out: fit with bootstrap=True"
            self._check_fitted()
            raise ParameterError(
                format_message(type(self).__name__, requirement, actual="every tree has seen every row")
            )
        d = self._validate_predict(X)
        if d.n_rows != self._sample_.rows:
            requirement = "X and y must be those of the fit, which knows rows by their places"
            raise DataError(
                format_message(d.who, requirement, actual=f"fit saw {self._sample_.rows} rows, got {d.n_rows}")
            )
        self._attach_codes(d, y)
        attach_weight(d, sample_weight)
        return d

    def _attach_codes(self, d: Design, y: Any) -> None:
        raise TypeError(f"{type(self).__name__} must write _attach_codes")

    def proximity(self, X: Any, Y: Any = None) -> Floats:
        """How alike rows are: the share of trees in which two of them end in the same leaf.

        Parameters
        ----------
        X : n rows
        Y : m rows, optional; without them the rows of X with each other

        Returns
        -------
        n x m numbers from 0 to 1; 1 for a row and itself
        """
        leaves = self.apply(X)
        return proximities(leaves, leaves if Y is None else self.apply(Y))

    def proximity_outliers(self, X: Any, y: Any = None) -> Floats:
        """How far each row lies from the others (of its class, with y), by proximity; above about 10 is suspicious.

        ``n / sum of squared proximities`` to the other rows, less the median of these, divided by their mean absolute
        deviation from the median; in each class for itself (Breiman).
        """
        return proximity_outliers(self.proximity(X), None if y is None else np.asarray(y).ravel())


def _errors(oob: dict[str, Array]) -> Floats:
    """Mean loss out of bag with the first 1, 2, ... trees; NaN while no row has an answer."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(oob["loss"] / oob["weight"])


def _same_labels(a: Any, b: Any) -> bool:
    if isinstance(a, list) or isinstance(b, list):
        return isinstance(a, list) and isinstance(b, list) and len(a) == len(b) and all(map(np.array_equal, a, b))
    return bool(np.array_equal(a, b))


class Members(Sequence[Any]):
    """The trees of a forest, each made when it is asked for."""

    def __init__(self, tree: Any, shared: dict[str, Any], forest: Forest) -> None:
        self._tree, self._shared, self._forest = tree, shared, forest

    def __len__(self) -> int:
        return len(self._forest)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[t] for t in range(*index.indices(len(self)))]
        t = int(index) + len(self) if index < 0 else int(index)
        if not 0 <= t < len(self):
            raise IndexError(f"there is no tree {index} among {len(self)}")
        tree = clone(self._tree)
        tree.__dict__.update(self._shared, tree_=self._forest.tree(t))
        return tree

    def __repr__(self) -> str:
        return f"<{count(len(self), 'tree')}>"
