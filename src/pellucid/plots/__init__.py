"""Pictures of fitted models: each function draws on one matplotlib Axes, or a row of them, and returns it.

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
    from pellucid.plots.descent import descent_cost, descent_path
    from pellucid.plots.rates import compare_rates, rate_steps
    from pellucid.plots.regression import regression_line, regression_plane, sums_of_squares

_HOME = {
    "compare_rates": "rates",
    "descent_cost": "descent",
    "descent_path": "descent",
    "rate_steps": "rates",
    "regression_line": "regression",
    "regression_plane": "regression",
    "sums_of_squares": "regression",
}
__all__ = [
    "compare_rates",
    "descent_cost",
    "descent_path",
    "rate_steps",
    "regression_line",
    "regression_plane",
    "sums_of_squares",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
