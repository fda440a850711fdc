"""Categories as numbers that tell of the target: its mean in each category, cross-fitted or in an order of the rows."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn.utils import Tags
from sklearn.utils._metadata_requests import _routing_enabled
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import DataError, ParameterError, count, format_message, short_repr
from pellucid.base.randomness import seed_from, uniform
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design
from pellucid.estimator.roles import SupervisedTransformer
from pellucid.estimator.trace import Trace
from pellucid.preprocessing._encoder import Encoder, check_categories
from pellucid.preprocessing._target_tables import (
    NO_PARTS,
    Moments,
    Target,
    are_complements,
    attach_target,
    folds_of,
    moments,
)

__all__ = ["OrderedTargetEncoder", "TargetEncoder"]

_CATEGORIES = "'auto': those that fit sees; or one list a column. A value outside it counts as unknown."
_KIND = "What y is: numbers ('continuous'), two labels, several labels; 'auto' looks."


class _TargetEncoder(Encoder, SupervisedTransformer):
    """What target encoders share: the target, codes of the categories, tables of encodings, names."""

    handle_unknown = "ignore"
    target_type: Any = "auto"

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        return tags

    def _attach_target(self, d: Design, y: Any) -> None:
        attach_target(d, y, self.target_type)

    def _fit(self, d: Design, trace: Trace) -> None:
        self._learn(d)
        codes, target = self._codes(d, "fit"), Target.of(d, self.target_type)
        self.target_type_ = target.kind
        self.classes_: Any = target.classes
        means = target.values.mean(axis=1) * target.unit
        self.target_mean_: Any = means if target.kind == "multiclass" else means[0]
        self._fit_encodings(codes, target)
        kept = self.__dict__.get("_kept")
        if kept is not None:  # fit_transform goes on from here
            kept.append((d, codes, target))

    def _fit_encodings(self, codes: Array, target: Target) -> None:
        raise TypeError(f"{type(self).__name__} must write _fit_encodings")

    def fit_transform(self, X: Any, y: Any, **params: Any) -> Any:
        """Fits, and encodes these same rows so that no row's own target is in its number.

        ``fit(X, y).transform(X)`` is something else: there each row's own target is part of its encoding.

        Parameters
        ----------
        X : table of n rows and p columns
        y : n labels or numbers
        params : what `cv` is to be given, such as groups, with scikit-learn's metadata routing

        Returns
        -------
        array of n rows; one column a column, or one a column and class
        """
        routed = self._routed(params)
        kept: list[tuple[Design, Array, Target]] = []
        self._kept = kept
        try:
            self.fit(X, y)
        finally:
            del self._kept
        d, codes, target = kept[0]
        return self._encode_own(d, codes, target, routed)

    def _routed(self, params: dict[str, Any]) -> dict[str, Any]:
        if params:
            requirement = "fit_transform takes X and y"
            raise ParameterError(
                format_message(type(self).__name__, requirement, actual=f"got {short_repr(sorted(params))} too")
            )
        return {}

    def _encode_own(self, d: Design, codes: Array, target: Target, routed: dict[str, Any]) -> Floats:
        raise TypeError(f"{type(self).__name__} must write _encode_own")

    def _transform(self, d: Design) -> Floats:
        codes = self._codes(d, "transform")
        unknown = np.broadcast_to(np.atleast_1d(self._unknown_values()), (self._n_targets,))
        tables = [
            np.concatenate([[unknown[o % self._n_targets]], table])[None] for o, table in enumerate(self.encodings_)
        ]
        return self._written(codes, tables)

    def _unknown_values(self) -> Any:
        """What a value gets that is no category: one number a target."""
        return self.target_mean_

    @property
    def _n_targets(self) -> int:
        return len(self.classes_) if self.target_type_ == "multiclass" else 1

    def _written(self, codes: Array, tables: list[Floats], parts: Array = NO_PARTS) -> Floats:
        """Each row's entry in the tables of its part: one table a result's column, parts x (unknown, categories...)."""
        widths = np.array([table.shape[1] for table in tables], dtype=np.int64)
        first = np.concatenate([[0], np.cumsum([table.size for table in tables])[:-1]]).astype(np.int64)
        whole = np.concatenate([table.ravel() for table in tables])
        out = np.empty((codes.shape[1], len(tables)))
        _core.write_encodings(codes.ravel(), parts, first, widths, whole, self._n_targets, out.ravel(), self._threads)
        return out

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names of the new columns: those of the table, or column_class where there are several classes.

        Parameters
        ----------
        input_features : names of the columns, optional
            Those of the fitted table, or x0, x1, ... unless told.
        """
        self._check_fitted()
        names = self._names_in(input_features)
        if self.target_type_ == "multiclass":
            names = [f"{name}_{label}" for name in names for label in self.classes_]
        return np.array(names, dtype=object)


class TargetEncoder(_TargetEncoder):
    """Replaces each category by the mean target of its rows, drawn toward the mean of all rows.

    With  ``n_c``  rows of category c, their mean target  ``m_c``  and variance  ``v_c``,  and mean  ``m``  and variance
    ``v``  of the target over all rows, the encoding of c is

        ``e_c = (n_c m_c + s m) / (n_c + s)``                              for a number ``smooth`` = s
        ``e_c = w m_c + (1 - w) m``,  ``w = n_c v / (n_c v + v_c)``        for ``smooth="auto"``  (empirical Bayes)

    so that rare categories lie near m; ``smooth=0`` is the plain mean of the category. Two labels are 0 and 1; of more
    labels each has a column of its own, with the share of its rows. Missing values are categories of their own, and
    values that fit did not see get m.

    A row's own target must not be in its number, or a model will learn to read it off there. Therefore `fit_transform`
    cross-fits: the rows of each fold get the encodings of the other folds. Use it for training rows, and `transform`
    for new ones; ``fit(X, y).transform(X)`` leaks. `OrderedTargetEncoder` needs no folds. For columns with few
    categories `OneHotEncoder` says the same without the target.

    Parameters, attributes and results are scikit-learn's, with its `shuffle` and `random_state` in full (from its
    version 1.9 on they are to be given to `cv`), but a value outside given `categories` counts for none of them, where
    scikit-learn counts it for the first. Sums of all folds are made in one pass over the rows.

    Attributes
    ----------
    encodings_ : list of arrays
        The encoding of each category, from all rows: one array a column, or one a column and class.
    categories_ : list of arrays
        The categories of each column.
    target_mean_ : number, or array of one a class
        The mean target.
    target_type_ : str
        'continuous', 'binary' or 'multiclass'.
    classes_ : array or None
        The labels in ascending order; None for numbers.

    References
    ----------
    Micci-Barreca (2001), A preprocessing scheme for high-cardinality categorical attributes, SIGKDD Explorations 3(1).

    Examples
    --------
    Three dogs with a mean of 6 and a cat with 2; the mean of all is 5.

    >>> from pellucid.preprocessing import TargetEncoder
    >>> X, y = [["dog"], ["dog"], ["dog"], ["cat"]], [5.5, 6.0, 6.5, 2.0]
    >>> TargetEncoder(smooth=0).fit(X, y).transform([["cat"], ["dog"], ["owl"]]).ravel().tolist()
    [2.0, 6.0, 5.0]
    >>> TargetEncoder(smooth=1).fit(X, y).encodings_[0].tolist()
    [3.5, 5.75]
    """

    categories: Literal["auto"] | list = param(  # type: ignore[type-arg]
        default="auto", kw_only=False, check=check_categories, doc=_CATEGORIES
    )
    target_type: Literal["auto", "continuous", "binary", "multiclass"] = param(default="auto", kw_only=False, doc=_KIND)
    smooth: Literal["auto"] | float = param(
        default="auto",
        kw_only=False,
        low=0,
        doc="Rows that the mean of all counts for in each category; 'auto': as the variances say.",
    )
    cv: Any = param(
        default=5,
        kw_only=False,
        doc="Folds of fit_transform: a number (stratified for labels), a splitter, or pairs of rows.",
    )
    shuffle: bool = param(
        default=True, kw_only=False, doc="Are rows put into folds at random? Only where cv is a number."
    )
    random_state: Any = param(default=None, kw_only=False, doc="Number, or generator, behind the folds.")
    n_jobs: int | None = param(
        default=None, doc="Threads: None or -1 for all available cores. Their number changes no bit of the result."
    )

    def get_metadata_routing(self) -> MetadataRouter:
        """Who takes which metadata: the splitter, from `fit_transform`."""
        mapping = MethodMapping().add(caller="fit_transform", callee="split")
        return MetadataRouter(owner=self).add(splitter=self.cv, method_mapping=mapping)

    def _routed(self, params: dict[str, Any]) -> dict[str, Any]:
        if _routing_enabled():
            return dict(process_routing(self, "fit_transform", **params).splitter.split)
        if params:
            requirement = "fit_transform takes X and y"
            actual = f"[{', '.join(map(repr, sorted(params)))}] are passed but metadata routing is not enabled"
            hint = "sklearn.set_config(enable_metadata_routing=True) hands them to cv"
            raise ParameterError(format_message(type(self).__name__, requirement, actual=actual, hint=hint))
        return {}

    # ----------------------------------------------------------------------------------------------------- encodings

    def _fit_encodings(self, codes: Array, target: Target) -> None:
        tables = self._tables(codes, target)
        self.encodings_ = [table[0, 1:] for table in tables]

    def _tables(self, codes: Array, target: Target, parts: Any = None, n: int = 1, together: bool = False) -> Any:
        """One table a result's column, parts x (unknown, categories...): encodings from the rows of a part.

        With ``together`` from the rows of all other parts instead.
        """
        squares = self.smooth == "auto"
        everything = np.zeros(codes.shape[1], dtype=np.int32)
        found = []
        for y in target.values:
            whole = moments(everything, 1, y, squares, self._threads, parts, n)
            whole = whole.other_parts() if together else whole
            for j, column in enumerate(codes):
                own = moments(column, len(self.categories_[j]), y, squares, self._threads, parts, n)
                own = own.other_parts() if together else own
                table = np.hstack([whole.mean, self._encodings(own, whole)])
                found.append(table * target.unit)
        columns, targets = len(codes), len(target)
        return [found[t * columns + j] for j in range(columns) for t in range(targets)]

    def _encodings(self, own: Moments, whole: Moments) -> Floats:
        """e_c of every part and category, from the moments of its rows and of all rows."""
        known = own.count > 0
        if self.smooth == "auto":
            spread = whole.square / np.maximum(whole.count, 1) * own.count
            below = spread + np.divide(own.square, own.count, out=np.zeros_like(own.count), where=known)
            # Where the target is the same in all rows there is nothing to weigh: their mean it is.
            weight = np.divide(spread, below, out=np.zeros_like(below), where=known & (below > 0))
        else:
            below = own.count + self.smooth
            weight = np.divide(own.count, below, out=np.zeros_like(below), where=known)
        mean = np.broadcast_to(whole.mean, own.mean.shape)
        return np.where(weight < 1, weight * own.mean + (1 - weight) * mean, own.mean)

    def _encode_own(self, d: Design, codes: Array, target: Target, routed: dict[str, Any]) -> Floats:
        y = d.y[:, 0] if target.classes is None else target.classes[d.y[:, 0].astype(np.int64)]
        labels = target.kind != "continuous"
        pairs = folds_of(self.cv, y, labels, self.shuffle, self.random_state, d.who, d.n_rows, **routed)
        most = max(map(len, self.categories_)) * len(pairs)
        if are_complements(pairs, d.n_rows) and most <= max(4 * d.n_rows, 2**20):
            parts = np.empty(d.n_rows, dtype=np.int32)
            for k, (_, test) in enumerate(pairs):
                parts[test] = k
            return self._written(codes, self._tables(codes, target, parts, len(pairs), together=True), parts)
        out = np.empty((d.n_rows, len(codes) * self._n_targets))
        for train, test in pairs:
            parts = np.full(d.n_rows, -1, dtype=np.int32)
            parts[train] = 0
            out[test] = self._written(np.ascontiguousarray(codes[:, test]), self._tables(codes, target, parts, 1))
        return out


def _check_prior(value: Any) -> str | None:
    try:
        listed = np.atleast_1d(np.asarray(value, dtype=np.float64))
    except (TypeError, ValueError):
        listed = np.array([np.nan])
    if value is None or (listed.ndim == 1 and listed.size and np.isfinite(listed).all()):
        return None
    return f"prior must be a number, a list of one a class, or None; got {short_repr(value)}"


class OrderedTargetEncoder(_TargetEncoder):
    """Replaces each row's category by the mean target of the rows before it that have the same category.

    The rows are put into an order. Row r gets  ``v_r = (S_r + a p) / (N_r + a)``  where  ``S_r``  is the sum of the
    targets, and  ``N_r``  the number, of the earlier rows with the category of r;  ``p``  is a prior (`prior`; the mean
    target unless told) that counts like  ``a``  rows (`prior_weight`). No row sees its own target, nor that of a later
    row, so a model trained on these numbers cannot read it off them: this is CatBoost's ordered target statistic.

    `fit_transform` gives the training rows their ordered numbers. `transform` gives new rows the statistic of all
    training rows,  ``(S + a p) / (N + a)``;  a value that fit did not see gets p. Two labels are 0 and 1; of more
    labels each has a column of its own. The first rows of an order know little: `n_permutations` orders are averaged.
    With ``order="given"`` the rows are taken as they stand, which is right for rows in the order of time.

    `TargetEncoder` cross-fits instead, and uses nearly all rows for each; with ``smooth=a`` and the mean as prior its
    `transform` is the same.

    Attributes
    ----------
    encodings_ : list of arrays
        The statistic of each category over all training rows: one array a column, or one a column and class.
    categories_ : list of arrays
        The categories of each column.
    prior_ : number, or array of one a class
        The prior that was used.
    target_mean_ : number, or array of one a class
        The mean target.
    target_type_ : str
        'continuous', 'binary' or 'multiclass'.
    classes_ : array or None
        The labels in ascending order; None for numbers.

    References
    ----------
    Prokhorenkova, Gusev, Vorobev, Dorogush, Gulin (2018), CatBoost: unbiased boosting with categorical features.

    Examples
    --------
    >>> from pellucid.preprocessing import OrderedTargetEncoder
    >>> fruit = [["Apple"], ["Orange"], ["Apple"], ["Orange"]]
    >>> encoder = OrderedTargetEncoder(prior=0.5, order="given")
    >>> encoder.fit_transform(fruit, [1, 0, 1, 1]).ravel().tolist()
    [0.5, 0.5, 0.75, 0.25]
    >>> encoder.transform([["Orange"], ["Fig"]]).ravel().tolist()
    [0.5, 0.5]
    """

    categories: Literal["auto"] | list = param(  # type: ignore[type-arg]
        default="auto", check=check_categories, doc=_CATEGORIES
    )
    target_type: Literal["auto", "continuous", "binary", "multiclass"] = param(default="auto", doc=_KIND)
    prior: Any = param(
        default=None, check=_check_prior, doc="The number p, or a list of one a class; None: the mean target."
    )
    prior_weight: float = param(
        default=1.0, low=0, low_open=True, doc="How many rows the prior counts for; above zero."
    )
    order: Literal["random", "given"] = param(
        default="random", doc="Order of the rows: drawn at random, or as they stand."
    )
    n_permutations: int = param(default=1, low=1, doc="Random orders whose numbers are averaged.")
    random_state: Any = param(default=None, doc="Number, or generator, behind the random orders.")
    n_jobs: int | None = param(
        default=None, doc="Threads: None or -1 for all available cores. Their number changes no bit of the result."
    )

    def _check_params(self) -> None:
        super()._check_params()
        if self.order == "given" and self.n_permutations > 1:
            requirement = "n_permutations must be 1 where the order is given"
            raise ParameterError(format_message(type(self).__name__, requirement, actual=f"got {self.n_permutations}"))

    def _fit_encodings(self, codes: Array, target: Target) -> None:
        self._seed_ = seed_from(self.random_state)
        priors = self._priors(target)
        self.prior_: Any = priors if target.kind == "multiclass" else priors[0]
        self.encodings_ = []
        for j, column in enumerate(codes):
            for y, prior in zip(target.values, priors, strict=True):
                own = moments(column, len(self.categories_[j]), y, False, self._threads)
                share = own.count[0] / (own.count[0] + self.prior_weight)
                self.encodings_.append(share * (own.mean[0] * target.unit) + (1 - share) * prior)

    def _priors(self, target: Target) -> Floats:
        if self.prior is None:
            return np.atleast_1d(self.target_mean_)
        given = np.atleast_1d(np.asarray(self.prior, dtype=np.float64))
        if len(given) not in (1, len(target)):
            requirement = "prior must be one number, or one a class"
            raise DataError(
                format_message(
                    type(self).__name__, requirement, actual=f"got {len(given)} for {count(len(target), 'column')} of y"
                )
            )
        return np.array(np.broadcast_to(given, (len(target),)))

    def _unknown_values(self) -> Any:
        return self.prior_

    def _orders(self, rows: int) -> Array:
        """The orders of the rows, one after the other; none where the rows are taken as they stand."""
        if self.order == "given":
            return np.empty((0, rows), dtype=np.int64)
        draws = (uniform(self._seed_, stream, rows) for stream in range(self.n_permutations))
        return np.array([np.argsort(draw, kind="stable") for draw in draws], dtype=np.int64)

    def _encode_own(self, d: Design, codes: Array, target: Target, routed: dict[str, Any]) -> Floats:
        sizes = np.array([len(known) for known in self.categories_], dtype=np.int64)
        out = np.empty((d.n_rows, len(codes) * self._n_targets))
        _core.ordered_statistics(
            codes.ravel(),
            sizes,
            target.values.ravel(),
            np.atleast_1d(self.prior_) / target.unit,
            float(self.prior_weight),
            self._orders(d.n_rows).ravel(),
            out.ravel(),
            self._threads,
        )
        return out * target.unit if target.unit != 1 else out
