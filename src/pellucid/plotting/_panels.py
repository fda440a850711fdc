"""Figures of several pictures, in rows."""

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def panels(
    n_panels: int, *, size: tuple[float, float], max_columns: int = 4, shared: bool = False
) -> "NDArray[np.object_]":
    """A figure of many Axes of ``size`` inches, up to ``max_columns`` in a row; the lowest of a column has figures."""
    from matplotlib import pyplot

    columns = n_panels if n_panels <= max_columns else -(-n_panels // -(-n_panels // max_columns))
    rows = -(-n_panels // columns)
    figure_size = (max(size[0] * columns, 4.4), size[1] * rows + 0.3)
    options: dict[str, Any] = {"squeeze": False, "sharex": shared, "sharey": shared}
    axes = pyplot.subplots(rows, columns, figsize=figure_size, layout="constrained", **options)[1].ravel()
    for spare in axes[n_panels:]:
        spare.remove()
    if shared:
        for index, ax in enumerate(axes[:n_panels]):
            ax.tick_params(labelbottom=index + columns >= n_panels)
            ax.locator_params(axis="x", nbins=5)
    return np.asarray(axes[:n_panels])
