"""The nouns of a benchmark: a workload, its contenders, and how their answers are compared.

A family's file builds these and nothing else. Nothing here imports a peer: contenders name theirs by path, and the
import happens in the contender's own process.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from math import isfinite
from typing import Any, TypeAlias

from numpy.typing import NDArray

Arrays: TypeAlias = Mapping[str, NDArray[Any]]
Maker: TypeAlias = "partial[dict[str, NDArray[Any]]]"
Run: TypeAlias = Callable[[Any, int], Any]

OURS = "pellucid"


@dataclass(frozen=True)
class Contender:
    """One way to do the work: ``run(data, threads)`` is what the clock sees, and what it returns is the answer.

    ``prepare(data, threads)`` comes before the clock and its result takes the place of ``data``: fit there when
    prediction is what is timed. ``package`` is the distribution whose version is reported, if not ``name``.
    ``openmp`` has the contender timed with ``OMP_WAIT_POLICY=PASSIVE`` as well, and the better counts.
    ``environment`` adds variables; ``rules`` names rules of ``frame/environment.py`` (``rules=("faiss",)``).
    """

    name: str
    run: Run
    prepare: Run | None = None
    package: str = ""
    openmp: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)
    rules: tuple[str, ...] = ()

    @property
    def distribution(self) -> str:
        """The distribution whose version is reported."""
        return self.package or self.name


@dataclass(frozen=True)
class Quality:
    """How good an answer is: ``measure(answer, arrays)``, and how far it may be from the best to count.

    With ``against_best`` the deviation is the relative shortfall from the best contender's value, ``|v - best| /
    |best|``; without, the measure is an error in itself and must stay below ``bound``.
    """

    name: str
    measure: Callable[[Any, Arrays], float]
    bound: float
    higher_is_better: bool = False
    against_best: bool = True

    def best(self, values: list[float]) -> float:
        """The best finite value; NaN when there is none."""
        finite = [value for value in values if isfinite(value)]
        if not finite:
            return float("nan")
        return max(finite) if self.higher_is_better else min(finite)

    def deviation(self, value: float, best: float) -> float:
        """How far ``value`` falls short."""
        if not self.against_best:
            return abs(value)
        shortfall = abs(value - best)
        return shortfall / abs(best) if best else shortfall


@dataclass(frozen=True, kw_only=True)
class Workload:
    """A task timed on the same data by us and by the peers.

    Parameters
    ----------
    name, about
        The name given to ``--only``, and one line for the head of the table.
    data
        ``partial(maker, **sizes)``: a function of JSON-able arguments that returns named arrays from a fixed seed.
        The array ``X`` (or all whose names start with ``X_``) is what extra memory is a share of.
    quick
        The arguments that make a small copy of the data: for ``--quick``, and to rehearse before memory is measured.
    prepare
        Turns the arrays into what contenders read (a data frame, a sparse matrix); not timed.
    ours, peers
        The contenders.
    quality
        How answers are compared; one beyond the bound is reported as not comparable, and beats nobody.
    goal, goal_peer
        ``peer's time / our time`` should be at least ``goal``; the peer is the best one unless named.
    memory_goal
        Our extra memory should be at most this share of X.
    """

    name: str
    about: str
    data: Maker
    quick: Mapping[str, Any]
    ours: Contender
    peers: tuple[Contender, ...]
    quality: Quality
    prepare: Callable[[Arrays], Any] | None = None
    goal: float | None = None
    goal_peer: str | None = None
    memory_goal: float | None = None

    def __post_init__(self) -> None:
        names = [contender.name for contender in self.contenders]
        if len(set(names)) != len(names):
            raise ValueError(f"{self.name}: contenders' names must differ; got {names}.")
        if self.goal_peer is not None and self.goal_peer not in names:
            raise ValueError(f"{self.name}: goal_peer must be a contender; got {self.goal_peer!r}, not in {names}.")

    @property
    def contenders(self) -> tuple[Contender, ...]:
        """Ours first, then the peers."""
        return (self.ours, *self.peers)

    def contender(self, name: str) -> Contender:
        """The contender of that name."""
        return next(contender for contender in self.contenders if contender.name == name)

    def maker(self, quick: bool) -> Maker:
        """What makes the data, at full or at small size."""
        return partial(self.data.func, **{**self.data.keywords, **self.quick}) if quick else self.data


def load(path: str) -> Any:
    """The object at a dotted path, ``package.module.Name``; a contender's import, made in its own process."""
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)


def fit(path: str, *, threads: str | None = None, **parameters: Any) -> Run:
    """A run that makes the estimator at ``path`` and fits it on ``X`` and, if there is one, ``y``.

    ``threads`` is the parameter that takes the thread count (``"n_jobs"``); without it the environment alone says.
    """

    def run(data: Mapping[str, Any], n_threads: int) -> Any:
        chosen = {threads: n_threads} if threads else {}
        return load(path)(**parameters, **chosen).fit(data["X"], data.get("y"))

    return run
