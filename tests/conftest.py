"""For all tests."""

import os
import zlib

import hypothesis
import pytest

# scikit-learn runs its check of array-API input only when SciPy was told before it is imported.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

# The same examples in every run, so that what passes once passes again; HYPOTHESIS_PROFILE=default searches anew.
hypothesis.settings.register_profile("fixed", derandomize=True)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))

SAMPLE = 8
# Files that take longest go first: a worker that starts one last would keep the others waiting.
LONGEST = (
    "test_estimator_excel",
    "test_gallery_excel",
    "test_threads",
    "test_input",
    "test_working",
    "test_sklearn_checks",
    "test_messages",
    "test_inside_sklearn",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--exhaustive", action="store_true", help=f"all exhaustive tests, not every {SAMPLE}th of them")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of the tests marked exhaustive an eighth runs, always the same; all with ``--exhaustive`` or with ``-k``."""
    items.sort(key=lambda item: LONGEST.index(item.path.stem) if item.path.stem in LONGEST else len(LONGEST))
    if config.getoption("--exhaustive") or config.getoption("-k"):
        return
    left = [
        item for item in items if item.get_closest_marker("exhaustive") and zlib.crc32(item.nodeid.encode()) % SAMPLE
    ]
    if left:
        config.hook.pytest_deselected(items=left)
        gone = set(left)
        items[:] = [item for item in items if item not in gone]
