"""Figures of several pictures, in rows."""

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def panels(n_panels: int, *, size: tuple[float, float], most: int = 4, shared: bool = False) -> "NDArray[np.object_]":
    """A figure of so many Axes of ``size`` inches, up to ``most`` in a row; the lowest of each column has figures."""
    from matplotlib import pyplot

    columns = n_panels if n_panels <= most else -(-n_panels // -(-n_panels // most))
    rows = -(-n_panels // columns)
    whole = (max(size[0] * columns, 4.4), size[1] * rows + 0.3)
    looks: dict[str, Any] = {"squeeze": False, "sharex": shared, "sharey": shared}
    found = pyplot.subplots(rows, columns, figsize=whole, layout="constrained", **looks)[1].ravel()
    for spare in found[n_panels:]:
        spare.remove()
    if shared:
        for place, ax in enumerate(found[:n_panels]):
            ax.tick_params(labelbottom=place + columns >= n_panels)
            ax.locator_params(axis="x", nbins=5)
    return np.asarray(found[:n_panels])
