"""Learning vector quantization: a few labeled vectors that stand for all rows."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, Self

import numpy as np
from sklearn.utils.metaestimators import available_if

from pellucid import _core
from pellucid.base.declare import param
from pellucid.base.errors import ConvergenceWarning, DataError, ParameterError, format_message, short_repr, warn
from pellucid.base.randomness import seed_from
from pellucid.base.types import Array, Floats
from pellucid.data.design import Design, InputSpec, attach_weight, infer_schema
from pellucid.estimator.trace import Trace
from pellucid.neighbors._codebook import allot, first_codebook, given_codebook
from pellucid.neighbors._prototypes import (
    PrototypeClassifier,
    class_distances,
    codes_of,
    nearest_vectors,
    reach_of,
    vote,
)
from pellucid.neighbors._scales import warn_unscaled

__all__ = ["LVQClassifier"]

# In the order of the kernel's own enumerations.
_VARIANTS = ("lvq1", "olvq1", "lvq2.1", "lvq3", "glvq")
_DECAYS = ("linear", "per_update", "constant")
_STOPS = ("finished", "callback", "overflow")
Variant = Literal["lvq1", "olvq1", "lvq2.1", "lvq3", "glvq"]


class _Phase(NamedTuple):
    """One run of epochs."""

    variant: str
    rate: float
    epochs: int
    decay: str


def _counts(value: Any) -> str | None:
    """n_prototypes by label: whole numbers of at least one."""
    if isinstance(value, int | np.integer):
        return None
    if value and all(isinstance(v, int | np.integer) and not isinstance(v, bool) and v >= 1 for v in value.values()):
        return None
    return f"n_prototypes must be whole numbers of at least 1; got {short_repr(value)}"


def _vectors(value: Any) -> str | None:
    try:
        if isinstance(value, str) or np.asarray(value, dtype=np.float64).ndim == 2:
            return None
    except (TypeError, ValueError):
        pass
    return f"init must be 'rows', 'means', 'range', 'mixed' or vectors, one row each; got {short_repr(value)}"


def _labels(value: Any) -> str | None:
    wrong = any(label is None for label in np.asarray(value, dtype=object).ravel().tolist())
    return f"init_labels must be labels, one a vector; got {short_repr(value)}" if wrong and value is not None else None


def _nearest_decides(model: Any) -> bool:
    if model.n_neighbors == 1:
        return True
    raise AttributeError("decision_function goes by the nearest vector; it is not available for n_neighbors > 1")


class LVQClassifier(PrototypeClassifier):
    """A codebook: a few vectors with classes, moved until the nearest one tells the class of a row.

    Rows x of class y come one after the other. Of the vectors w_v with classes c_v the nearest, w_b, is moved:

    ``w_b <- w_b + a (x - w_b)`` if ``c_b = y``, else ``w_b <- w_b - a (x - w_b)``

    ``a = learning_rate (1 - epoch / max_iter)`` with epochs counted from 0. That is ``variant="lvq1"``; the others:

    ``"olvq1"``: every vector has a rate a_v of its own, which becomes ``a_v / (1 + s a_v)`` after it moved, s = 1 if
    the class was right and -1 if not, and never exceeds `learning_rate`; vectors in settled places slow down by
    themselves.
    ``"lvq2.1"``: the two nearest vectors move, if one has the right class and the other has not and x lies between
    them, ``min(d_1/d_2, d_2/d_1) > (1 - window) / (1 + window)``: the right one toward x, the wrong one away. Made for
    the last few epochs; run long, it drives vectors away from each other.
    ``"lvq3"``: as lvq2.1, and where both have the right class both move toward x by `epsilon` times the rate, which
    keeps them in place.
    ``"glvq"``: the nearest vector of the right class, at squared distance d, and the nearest of another class, at e,
    follow the gradient of ``sum f(m)``, ``m = (d - e) / (d + e)``, ``f(m) = 1 / (1 + exp(-steepness m))``: by
    ``a u f' e / (d + e)²`` toward x, and by ``a u f' d / (d + e)²`` away from it. u is the mean squared distance of
    the rows from their center: the rate does not depend on the units of the table.

    The class of a new row is that of the nearest vector, or the most frequent among the `n_neighbors` nearest; of
    equally frequent ones the nearest. Distances are Euclidean: bring columns to one scale first.

    Prefer `KNeighborsClassifier` while all rows can be kept and searched: it needs no training and is mostly more
    accurate. A codebook is small, fast to ask, and can be read. `NearestCentroid` is the codebook of class means.

    Attributes
    ----------
    codebook_ : array of m vectors x p columns
    codebook_labels_ : the class of each vector
    initial_codebook_ : where the vectors began
    codebook_path_ : with keep_path, the codebook at the start and after each epoch, (n_iter_ + 1) x m x p
    mistakes_ : for each epoch the rows (their weight) whose nearest vector, as it stood, had another class
    n_iter_ : epochs made
    classes_ : the labels, sorted
    n_features_in_, feature_names_in_ : columns seen in fit

    Notes
    -----
    Among rows that are mostly of other classes a vector is pushed away again and again, each time farther; it is held
    near the rows (`hold`), which no textbook does. Where most vectors end far outside, a warning says so.

    A row's weight multiplies its steps, which never go beyond the row itself (``|a| <= 1``): it is not the same as the
    row written twice. Epochs, updates and the codebook after each epoch are told by `fit_with_history`.

    OLVQ1's rates change after the move, so that a vector's first move is by `learning_rate`; Kohonen's book changes
    them before. LVQ3's rule for two vectors of the right class asks for no window, as in his book.

    References
    ----------
    Kohonen: Self-Organizing Maps, chapter 6. Springer, 2001.
    Sato, Yamada: Generalized learning vector quantization. NIPS 8, 1996.

    Examples
    --------
    One vector a class, one row of each class, one epoch at rate 0.5: each vector goes half of the way to its row.

    >>> model = LVQClassifier(init=[[0, 0], [4, 0]], init_labels=["a", "b"], learning_rate=0.5, max_iter=1)
    >>> model.fit([[1, 0], [5, 2]], ["a", "b"]).codebook_
    array([[0.5, 0. ],
           [4.5, 1. ]])
    >>> model.predict([[2, 0], [3, 0]])
    array(['a', 'b'], dtype='<U1')
    """

    variant: Variant = param(default="lvq1", doc="Which vectors move, and by how much.")
    n_prototypes: int | dict = param(  # type: ignore[type-arg]
        default=20,
        low=1,
        check=_counts,
        doc="How many vectors there are, shared out as `allot` says; or a number for each class by its label.",
    )
    allot: Literal["proportional", "equal", "each"] = param(
        default="proportional",
        doc="n_prototypes is shared out by the classes' rows, or in equal parts, with one for each class at least; or "
        "'each' class gets so many.",
    )
    init: Literal["rows", "means", "range", "mixed"] | list | tuple | np.ndarray = param(  # type: ignore[type-arg]
        default="rows",
        check=_vectors,
        doc="Where vectors begin: at rows of their class drawn at random, none twice (so at most as many as there "
        "are); at the mean of the class, or of parts of it made by k-means; at random places within the columns' "
        "ranges; at places whose numbers come column by column from rows of any class ('mixed'); or at these m x p.",
    )
    init_labels: list | tuple | np.ndarray | None = param(  # type: ignore[type-arg]
        default=None, check=_labels, doc="Of a given codebook: the class of each vector."
    )
    learning_rate: float = param(
        default=0.1,
        low=0,
        high=1,
        low_open=True,
        doc="The rate at the start; 0.3 and more need classes that hardly overlap.",
    )
    decay: Literal["linear", "per_update", "constant"] = param(
        default="linear",
        doc="'linear': rate (1 - epoch / max_iter), the same for all rows of an epoch; 'per_update': falling from row "
        "to row; 'constant'. OLVQ1 has its own.",
    )
    hold: float | None = param(
        default=1.0,
        low=0,
        doc="Vectors are pushed no farther than this many widths of the rows' range beyond it; None: anywhere.",
    )
    max_iter: int = param(default=200, low=1, doc="Epochs: passes over all rows.")
    shuffle: bool = param(default=True, doc="Do rows come in a new order in each epoch? Else as they stand.")
    window: float = param(
        default=0.3, low=0, high=1, low_open=True, high_open=True, doc="Of lvq2.1 and lvq3: width of the border zone."
    )
    epsilon: float = param(default=0.3, low=0, high=1, doc="Of lvq3: share of the rate where both classes are right.")
    steepness: float = param(default=2.0, low=0, low_open=True, doc="Of glvq: how steep the sigmoid is.")
    second_variant: Variant | None = param(
        default=None, doc="A second phase after the first, such as 'lvq3' after 'lvq1' to settle the borders."
    )
    second_learning_rate: float | None = param(
        default=None, low=0, high=1, low_open=True, doc="Its rate; None: a tenth of learning_rate."
    )
    second_max_iter: int | None = param(default=None, low=1, doc="Its epochs; None: a tenth of max_iter, at least one.")
    n_neighbors: int = param(default=1, low=1, doc="How many of the nearest vectors vote; at most all.")
    keep_path: bool = param(default=False, doc="Keep the codebook after every epoch, in `codebook_path_`?")
    random_state: int | np.random.RandomState | None = param(
        default=None, doc="Seed of the start and of the order of the rows."
    )
    n_jobs: int | None = param(
        default=None, doc="Threads for predictions: None or -1 for all available cores. Learning goes row by row."
    )

    input_spec = InputSpec()
    iterative = True
    least_classes = 2

    # ------------------------------------------------------------------------------------------------------------- fit

    def _fit(self, d: Design, trace: Trace) -> None:
        warn_unscaled(d, d.who, self._threads)
        self._begin(d)
        phases = [_Phase(self.variant, self.learning_rate, self.max_iter, self.decay)]
        if self.second_variant is not None:
            rate = self.learning_rate / 10 if self.second_learning_rate is None else self.second_learning_rate
            epochs = max(1, self.max_iter // 10) if self.second_max_iter is None else self.second_max_iter
            phases.append(_Phase(self.second_variant, rate, epochs, self.decay))
        for phase in phases:
            self._rates_ = np.full(len(self.codebook_), float(phase.rate))
            if self._learn(d, phase, trace) != "finished":
                break
        self._warn_of_drift(d, phase)

    def _begin(self, d: Design) -> None:
        """The first codebook."""
        given = not isinstance(self.init, str)
        if self.init_labels is not None and not given:
            requirement, actual = "init_labels belong to a given codebook", f"got init={self.init!r}"
            raise ParameterError(format_message(d.who, requirement, actual=actual, hint="pass the vectors as init"))
        codes, self._seed_ = codes_of(d), seed_from(self.random_state)
        if given:
            start, labels = given_codebook(self.init, self.init_labels, d, self.classes_)
        else:
            present = np.ones(d.n_rows, dtype=bool) if d.weight is None else d.weight > 0
            sizes = np.bincount(codes[present], minlength=len(self.classes_))
            shares = allot(self.n_prototypes, self.allot, sizes, self.classes_, d.who)
            start, labels = first_codebook(str(self.init), shares, d, codes, present, self._seed_, self._threads)
        self.initial_codebook_, self.codebook_ = start, start.copy()
        self._labels_, self.codebook_labels_ = labels, self.classes_[labels]
        self._rates_ = np.full(len(start), float(self.learning_rate))
        self._box_ = self._box_around(d)
        self.n_iter_, self.mistakes_ = 0, np.empty(0)
        if self.keep_path:
            self.codebook_path_ = start[None].copy()

    def _learn(self, d: Design, phase: _Phase, trace: Trace) -> str:
        """Epochs from the codebook as it stands; answers how they ended."""
        scale = reach_of(d, self.codebook_)
        unit = 1.0 if scale is None else float(scale[0])
        p = d.n_cols

        def current(flat: Floats) -> dict[str, Any]:
            return {"codebook_": flat.reshape(-1, p) / unit}

        stop, epochs, codebook, rates, mistakes, path, tables = _core.lvq(
            d.matrix,
            codes_of(d),
            d.weight,
            scale,
            None if self._box_ is None else self._box_ * unit,
            self.codebook_ * unit,
            self._labels_,
            self._rates_,
            self._settings(d, phase, scale),
            trace.record,
            trace.listener(current),
        )
        if _STOPS[stop] == "overflow":
            self._refuse_overflow(d, phase, epochs)
        trace.take(_unscaled(tables, unit))
        self.codebook_, self._rates_ = codebook / unit, rates
        self.n_iter_ += epochs
        self.mistakes_ = np.concatenate([self.mistakes_, mistakes])
        if self.keep_path:
            self.codebook_path_ = np.concatenate([self.codebook_path_, path / unit])
        return _STOPS[stop]

    def _box_around(self, d: Design) -> Floats | None:
        """Where vectors may be pushed to: the rows' range, widened, and where they begin."""
        if self.hold is None:
            return None
        low, high = (np.asarray(f(d.numbers, axis=0), dtype=np.float64) for f in (np.min, np.max))
        with np.errstate(over="ignore"):
            margin = self.hold * (high - low) if self.hold > 0 else 0.0
            ends = [
                np.minimum(low - margin, self.codebook_.min(axis=0)),
                np.maximum(high + margin, self.codebook_.max(axis=0)),
            ]
        return np.array(ends)

    def _settings(self, d: Design, phase: _Phase, scale: Floats | None) -> _core.LvqSettings:
        settings = _core.LvqSettings()
        settings.set_variant(_VARIANTS.index(phase.variant))
        settings.set_decay(_DECAYS.index(phase.decay))
        settings.rate, settings.epochs, settings.begin = float(phase.rate), phase.epochs, self.n_iter_
        settings.window, settings.epsilon = float(self.window), float(self.epsilon)
        settings.steepness = float(self.steepness)
        settings.shuffle, settings.seed, settings.keep_path = bool(self.shuffle), self._seed_, bool(self.keep_path)
        if phase.variant == "glvq":
            settings.spread = _spread(d, scale, self._threads)
        return settings

    def _refuse_overflow(self, d: Design, phase: _Phase, epoch: int) -> None:
        requirement = "the codebook must stay within the range of numbers"
        actual = f"a vector left it in epoch {epoch} of variant={phase.variant!r} with a rate of {phase.rate:g}"
        raise DataError(
            format_message(
                d.who, requirement, actual=actual, hint="a smaller learning_rate, fewer epochs, or variant='lvq3'"
            )
        )

    def _warn_of_drift(self, d: Design, phase: _Phase) -> None:
        """Says so where most vectors lie far out: on average twice as far from the middle as the ends of columns."""
        low, high = (np.asarray(f(d.numbers, axis=0), dtype=np.float64) for f in (np.min, np.max))
        half = high / 2 - low / 2
        with np.errstate(over="ignore"):
            places = (self.codebook_ - (low / 2 + high / 2)) / np.where(half > 0, half, 1.0)
            outside = np.mean(np.where(half > 0, places, 0.0) ** 2, axis=1) > 4
        gone, m = int(outside.sum()), len(self.codebook_)
        if 2 * gone > m:
            actual = f"{gone} of {m} were pushed far outside by variant={phase.variant!r}"
            hint = "a smaller learning_rate, fewer epochs, more vectors, or variant='glvq'"
            warn(
                format_message(d.who, "vectors should lie among the rows", actual=actual, hint=hint), ConvergenceWarning
            )

    # ------------------------------------------------------------------------------------------------ learning in parts

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """One epoch over one more part of a table, at the rate `learning_rate` (OLVQ1: at the vectors' own).

        Parameters
        ----------
        X : some rows of the table
        y : their labels
        classes : all labels there will be; needed in the first call, where the first part lacks some
        sample_weight : n numbers, optional
            How many times as long the step of each row is.

        Returns
        -------
        self
        """
        self._check_params()
        first = not hasattr(self, "codebook_")
        try:
            if first and classes is not None:
                self.classes_ = np.unique(np.asarray(classes))
            d = infer_schema(X, self.input_spec, type(self).__name__) if first else self._validate_predict(X)
            self._attach_target(d, y)
            attach_weight(d, sample_weight)
            if first:
                self._keep_schema(d.schema)
                self._begin(d)
            else:
                self._widen(self._box_around(d))
            self._learn(d, _Phase(self.variant, self.learning_rate, 1, "constant"), Trace())
        except BaseException:
            if first:  # a first part that fails leaves nothing behind
                self._forget()
            raise
        return self

    def _widen(self, box: Floats | None) -> None:
        if self._box_ is None or box is None:
            self._box_ = box
        else:
            self._box_ = np.array([np.minimum(self._box_[0], box[0]), np.maximum(self._box_[1], box[1])])

    # --------------------------------------------------------------------------------------------------------- predict

    def _predict_codes(self, d: Design) -> Array:
        k = min(self.n_neighbors, len(self.codebook_))
        _, numbers = nearest_vectors(d, self.codebook_, k, self._threads)
        return vote(self._labels_[numbers], len(self.classes_))

    @available_if(_nearest_decides)  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Floats:
        """How much nearer a class is than the others, from -1 to 1: ``(e - d) / (e + d)``.

        d is the distance to the nearest vector of the class, e to the nearest of another. n numbers for two classes (of
        the second one), n x k for k classes.
        """
        d = self._validate_predict(X)
        near = class_distances(d, self.codebook_, self._labels_, len(self.classes_), self._threads)
        scores = np.empty_like(near)
        for k in range(near.shape[1]):
            own, other = near[:, k], np.delete(near, k, axis=1).min(axis=1)
            with np.errstate(invalid="ignore"):
                ratio = np.where(own == other, 1.0, np.minimum(own, other) / np.maximum(own, other))
            scores[:, k] = np.where(own < other, 1, -1) * (1 - ratio) / (1 + ratio)
            scores[np.isinf(own), k] = -1.0
        return scores[:, 1] if near.shape[1] == 2 else scores


def _unscaled(tables: Any, unit: float) -> Any:
    """The kernel's record in the units of the table."""
    if tables is None or unit == 1.0:
        return tables
    found = {}
    for name, (columns, rows) in tables.items():
        lengths = [column.endswith("_distance") or column.startswith("w_") for column in columns]
        found[name] = (columns, np.where(lengths, rows / unit, rows))
    return found


def _spread(d: Design, scale: Floats | None, threads: int) -> float:
    """The mean squared distance of the rows from their center, in the units of the kernel; 1 where it is zero."""
    unit = np.ones(d.n_cols) if scale is None else scale
    shift = np.ascontiguousarray(d.numbers[:1], dtype=np.float64)
    found = _core.group_sums(d.matrix, np.zeros(d.n_rows, dtype=np.int32), 1, shift, unit, threads)
    variance = found["square"] / d.n_rows - (found["sum"] / d.n_rows) ** 2
    return float(np.maximum(variance, 0).sum()) or 1.0
