"""Beyond the table itself a fit needs a tenth of it at the most."""

from __future__ import annotations

import sys

import pytest

from .process import run

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")

CASES = [
    ("{}", "C"),
    ("{}", "F"),
    ("{}", "float32"),
    ("{'solver': 'qr'}", "C"),
    ("{'solver': 'svd'}", "C"),
    ("{'solver': 'lsqr'}", "C"),
    ("{'solver': 'lsqr'}", "float32"),
    ("{'positive': True}", "C"),
]

# Peak of the resident memory during a call, above what was resident before. Linux forgets the old peak on request.
SCRIPT = """
import sys
import numpy as np
from pellucid.linear_model import LinearRegression

def status(name):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(name))

def extra(call):
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    before = status("VmRSS")
    call()
    return status("VmHWM") - before

random = np.random.default_rng(0)
X = random.random((200_000, 50))
y = X[:, 0] + random.random(len(X))
tables = {"C": X, "F": np.asfortranarray(X), "float32": X.astype(np.float32)}
found = []
for settings, layout in eval(sys.argv[1]):
    table, model = tables[layout], LinearRegression(**eval(settings))
    model.fit(table[:5000], y[:5000]).predict(table[:5000])  # loads BLAS, makes the threads with their stacks
    fitting = extra(lambda: model.fit(table, y))
    found.append([fitting / table.nbytes, extra(lambda: model.predict(table)) / table.nbytes])
say(found)
"""


@pytest.fixture(scope="module")
def measured() -> dict[tuple[str, str], list[float]]:
    """Extra memory of fit and of predict as a share of the table, case by case."""
    return dict(zip(CASES, run(SCRIPT, CASES), strict=True))


@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_extra_memory(case: tuple[str, str], measured: dict[tuple[str, str], list[float]]) -> None:
    fitting, predicting = measured[case]
    # LSQR keeps four vectors of n doubles: 4 * 8 / (50 * 4) of a table in single precision.
    assert fitting <= (0.16 if case == ("{'solver': 'lsqr'}", "float32") else 0.10)
    assert predicting <= 0.10


def test_a_wide_table_needs_a_few_copies_of_itself_and_no_more() -> None:
    """40 rows of 12,000 columns: products of all pairs of columns would be 300 times the table."""
    memory = run(
        SCRIPT.split("random =")[0]
        + """
import warnings

warnings.simplefilter("ignore")
X, y = np.random.default_rng(0).standard_normal((40, 12_000)), np.arange(40.0)
LinearRegression().fit(X[:, :500], y)
memory = extra(lambda: LinearRegression().fit(X, y))
say(memory / X.nbytes)
"""
    )
    assert memory <= 10
