"""The main job: from a table to a model that can be trusted, as one page and the files beside it.

`study` finds everything, `write` makes a folder of it; the command ``pellucid report`` does both.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pellucid.report.folder import write as write
    from pellucid.report.job import study as study
    from pellucid.report.outcome import Outcome as Outcome

_HOMES = {"study": "pellucid.report.job", "write": "pellucid.report.folder", "Outcome": "pellucid.report.outcome"}
__all__ = ["Outcome", "study", "write"]


def __getattr__(name: str) -> Any:
    """Loaded when asked for: a report needs nearly the whole library."""
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'pellucid.report' has no attribute {name!r}")
