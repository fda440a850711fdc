"""Samples of a table: which rows and columns each model of an ensemble learns from, and how they are taken out."""

from __future__ import annotations

import copy
import threading
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.random import sample_without_replacement

from pellucid.base.declare import Declared
from pellucid.base.parallel import is_ours
from pellucid.base.types import Array, Floats

_PLAIN = frozenset({type(None), bool, int, float, str})
LARGEST_SEED = np.iinfo(np.int32).max


@dataclass(frozen=True)
class Draws:
    """How samples are drawn: everything but the seed, so that a sample can be drawn again when somebody asks for it.

    rows of n_rows and columns of n_columns, each with replacement or without; `chance` is the probability of each row,
    where they are not all alike.
    """

    n_rows: int
    n_columns: int
    rows: int
    columns: int
    repeat_rows: bool
    repeat_columns: bool
    chance: Floats | None = None

    @property
    def draws_any(self) -> bool:
        """Is a sample other than the table itself?"""
        fewer = self.rows < self.n_rows or self.columns < self.n_columns
        return fewer or self.repeat_rows or self.repeat_columns

    def draw(self, seed: int) -> tuple[Array, Array]:
        """The columns and the rows of one sample, in the order in which they are drawn: scikit-learn's."""
        random = _seeded(seed)
        columns = _drawn(random, self.n_columns, self.columns, self.repeat_columns)
        if self.chance is None:
            return columns, _drawn(random, self.n_rows, self.rows, self.repeat_rows)
        return columns, random.choice(self.n_rows, self.rows, replace=self.repeat_rows, p=self.chance)


def _drawn(random: np.random.RandomState, among: int, how_many: int, repeat: bool) -> Array:
    if repeat:
        return np.asarray(random.randint(0, among, how_many))
    return np.asarray(sample_without_replacement(among, how_many, random_state=random))


class _OfThread(threading.local):
    """A generator for each thread."""

    def __init__(self) -> None:
        self.random = np.random.RandomState(0)


_of_thread = _OfThread()


def _seeded(seed: int) -> np.random.RandomState:
    """``RandomState(seed)``, to be used up before the next one is asked for.

    A new one takes 0.1 ms, as long as a small tree; to seed one takes 2 µs.
    """
    _of_thread.random.seed(seed)
    return _of_thread.random


def member_seeds(random_state: int, n: int, after: int = 0) -> Array:
    """A seed for each of n models, drawn before any is fitted: threads cannot change them.

    `after` models that have theirs already, the next ones get what they would have had.
    """
    seeds = np.random.RandomState(random_state).randint(LARGEST_SEED, size=after + n)
    return np.asarray(seeds[after:])


def one_seed(random_state: Any) -> int:
    """A number is itself; a generator is drawn from; None is fresh."""
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    return int(check_random_state(random_state).randint(LARGEST_SEED))


def seed_names(model: Any) -> list[str]:
    """The parameters of a model, and of every model inside it, that take a seed."""
    return [name for name in sorted(model.get_params(deep=True)) if name.split("__")[-1] == "random_state"]


def set_random_states(model: Any, seed: int, names: list[str]) -> Any:
    """Gives a model, and every model inside it, seeds of its own, as scikit-learn does."""
    random = _seeded(seed)
    seeds = {name: int(random.randint(LARGEST_SEED)) for name in names}
    if names == ["random_state"]:  # what set_params does, which takes longer than to grow a small tree
        model.random_state = seeds["random_state"]
        return model
    return model.set_params(**seeds) if names else model


def draw_ties(model: Any, names: list[str]) -> None:
    """Has trees of ours that were given a seed draw one of equally good columns, as those of a forest do.

    In a node of two rows every column is as good as the others: trees that took the first would ask it far too often.
    """
    for name in names:
        owner = model.get_params(deep=True)[name.rpartition("__")[0]] if "__" in name else model
        if hasattr(type(owner), "draws_ties"):
            owner.draws_ties = True


def take(X: Any, rows: Array | None, columns: Array | None) -> Any:
    """Some rows and columns of a table, in the form in which it came; None takes all."""
    if isinstance(X, np.ndarray):  # to find out what a table is takes longer than to copy a small one
        subset = X if rows is None else X[rows]
        return subset if columns is None else subset[:, columns]
    subset = X if rows is None else _safe_indexing(X, rows)
    return subset if columns is None else _safe_indexing(subset, columns, axis=1)


def counts_of(rows: Array, n: int) -> Array:
    """How often each of n rows was drawn."""
    return np.bincount(rows, minlength=n)


def left_out(rows: Array, n: int) -> Array:
    """The rows that were not drawn, in order."""
    return np.flatnonzero(counts_of(rows, n) == 0)


def number_of_rows(setting: Any, n: int, weight: Floats | None) -> int:
    """How many rows a sample has: a number, or a share of the rows or of their weight."""
    if setting is None:
        return n
    if isinstance(setting, Integral):
        return int(setting)
    return max(int(setting * (n if weight is None else float(weight.sum()))), 1)


def chances(weight: Floats) -> Floats:
    """Weights as probabilities."""
    total = float(weight.sum())
    if not np.isfinite(total):
        weight = weight / weight.max()
        total = float(weight.sum())
    return np.asarray(weight / total)


def twin(base: Any) -> Any:
    """``clone``, which takes as long as to grow a small tree: a plain copy, where a model of ours is all settings."""
    params = vars(base)
    plain = is_ours(base) and isinstance(base, Declared) and params.keys() == base._params.keys()
    return copy.copy(base) if plain and all(type(value) in _PLAIN for value in params.values()) else clone(base)
