"""Between an iterative kernel and whoever wants to follow it.

A kernel is given ``record`` and ``listener``. With neither it runs its bare loop. ``record`` asks for the table of
passes; the listener carries each pass to scikit-learn's callbacks (progress bars, score monitors) and brings back their
wish to stop.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pellucid.base.types import Floats, History, Listener


class Trace:
    """What one fit tells; made by `Estimator.fit`, handed to `_fit`."""

    def __init__(self, record: bool = False, context: Any = None, call: Mapping[str, Any] | None = None) -> None:
        self.record = record
        self.tables: History = {}
        self._context = context  # scikit-learn's task of this fit, or None when nobody listens
        self._call = dict(call or {})

    def listener(self, attributes: Callable[[Floats], dict[str, Any]]) -> Listener | None:
        """A function for the kernel to call after each pass, or None when nobody listens.

        `attributes` turns the kernel's current parameters into fitted attributes, so that callbacks can predict.
        """
        if self._context is None:
            return None

        def end_of_pass(number: int, parameters: Floats) -> bool:
            task = self._context.subcontext(task_name=f"pass {number}")
            task.call_on_fit_task_begin(**self._call)
            return bool(
                task.call_on_fit_task_end(**self._call, reconstruction_attributes=lambda: attributes(parameters))
            )

        return end_of_pass

    def take(self, tables: History | None, target: int | None = None) -> None:
        """Keeps what a kernel recorded. With several targets a last column says which one a row belongs to."""
        for name, (columns, rows) in (tables or {}).items():
            if target is not None:
                columns, rows = [*columns, "target"], np.column_stack([rows, np.full(len(rows), float(target))])
            if name in self.tables:
                rows = np.vstack([self.tables[name][1], rows])
            self.tables[name] = (columns, rows)
