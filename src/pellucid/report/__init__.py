"""The main job: from a table to a model that can be trusted, as one page and the files beside it.

`run_study` runs the study and `write` saves its report to a folder; the command ``pellucid report`` does both.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pellucid.report.folder import write as write
    from pellucid.report.outcome import StudyResult as StudyResult
    from pellucid.report.study import run_study as run_study

_MODULES = {
    "run_study": "pellucid.report.study",
    "write": "pellucid.report.folder",
    "StudyResult": "pellucid.report.outcome",
}
__all__ = ["StudyResult", "run_study", "write"]


def __getattr__(name: str) -> Any:
    """Import on first use, because a report needs nearly the whole library."""
    if name in _MODULES:
        from importlib import import_module

        return getattr(import_module(_MODULES[name]), name)
    raise AttributeError(f"module 'pellucid.report' has no attribute {name!r}")
