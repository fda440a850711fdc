"""Pictures of fitted models: each function draws on one matplotlib Axes and returns it.

matplotlib is an optional extra, and is loaded only when a plot is asked for. Nothing here shows a window or saves a
file: call ``ax.figure.savefig(...)``, or ``matplotlib.pyplot.show()``.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from pellucid.base.errors import MissingExtraError, sentence

if find_spec("matplotlib") is None:
    raise MissingExtraError(
        sentence("pellucid.plots", "needs matplotlib, which is not installed", hint="pip install pellucid[plot]")
    )

if TYPE_CHECKING:
    from pellucid.plots.regression import regression_line, regression_plane, sums_of_squares

__all__ = ["regression_line", "regression_plane", "sums_of_squares"]

_HOME = {"regression_line": "regression", "regression_plane": "regression", "sums_of_squares": "regression"}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
