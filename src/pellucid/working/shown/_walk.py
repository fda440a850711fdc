"""A run of stochastic gradient descent as it stands on the page."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pellucid.base.types import Floats
from pellucid.working.entry import Given
from pellucid.working.expression import Axis, Cell
from pellucid.working.matrix import ColumnOf
from pellucid.working.model import Working


@dataclass
class Walk:
    """One run as it stands on the page."""

    w: Working
    model: Any
    data: Given
    plan: Any
    k: int  # which model: the class that it tells from the others
    steps: Floats  # the kernel's table of updates, those that are shown
    names: list[str]
    epochs: Floats
    epoch_names: list[str]
    complete: bool  # are all updates shown?
    t: Axis
    visits: Floats  # of batches: the update of each visited row, the row, and its score
    x: list[Cell | ColumnOf] = field(default_factory=list)
    target: Cell | None = None
    theta: list[Cell] = field(default_factory=list)
    loss: Cell | None = None
    score: Cell | None = None
    batch_rows: Cell | None = None  # where the batches are not all of one size

    @property
    def first(self) -> int:
        return int(self.model.fit_intercept)

    @property
    def of_classes(self) -> bool:
        return hasattr(self.model, "classes_")

    @property
    def penalty(self) -> tuple[float, float]:
        """What l1 and l2 are multiplied by."""
        m = self.model
        if m.penalty is None:
            return 0.0, 0.0
        ratio = {"l1": 1.0, "l2": 0.0}.get(m.penalty, m.l1_ratio or 0.0)
        return m.alpha * ratio, m.alpha * (1 - ratio)

    def recorded(self, column: str) -> Floats:
        return np.asarray(self.steps[:, self.names.index(column)])

    def of_epochs(self, column: str) -> Floats:
        return np.asarray(self.epochs[:, self.epoch_names.index(column)])

    def meaning(self, j: int) -> str:
        return "intercept" if j == 0 else f"coefficient of {self.data.names[j - 1]}"

    def class_weights(self) -> tuple[float, float] | None:
        """What a row of the class and what another row counts, where that is not 1."""
        model, data = self.model, self.data
        if getattr(model, "class_weight", None) is None:
            return None
        d = model._validate_predict(data.table)
        d.y, d.classes = np.asarray(data.options["y"], float).reshape(-1, 1), [model.classes_]
        mine = model._runs(d, 0).rows[self.k if len(model.classes_) > 2 else 0]
        return None if mine[1] == mine[2] == 1 else (float(mine[1]), float(mine[2]))
