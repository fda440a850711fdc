"""Beyond the table itself a fit needs a tenth of it at the most."""

from __future__ import annotations

import sys

import pytest

from .process import run

# Peak of the resident memory during a call, above what was resident before. Linux forgets the old peak on request.
SCRIPT = """
import sys
import numpy as np
import scipy.sparse
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

settings = eval(sys.argv[1])
layout = sys.argv[2]
random = np.random.default_rng(0)
X = random.random((200_000, 50))
X = {"C": lambda: X, "F": lambda: np.asfortranarray(X), "float32": lambda: X.astype(np.float32)}[layout]()
y = X[:, 0] + random.random(len(X))
# The first call loads BLAS and makes the threads with their stacks.
LinearRegression(**settings).fit(X[:5000], y[:5000]).predict(X[:5000])
model = LinearRegression(**settings)
say([extra(lambda: model.fit(X, y)) / X.nbytes, extra(lambda: model.predict(X)) / X.nbytes])
"""

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")


@pytest.mark.parametrize(
    ("settings", "layout"),
    [
        ({}, "C"),
        ({}, "F"),
        ({}, "float32"),
        ({"solver": "qr"}, "C"),
        ({"solver": "svd"}, "C"),
        ({"solver": "lsqr"}, "C"),
        ({"solver": "lsqr"}, "float32"),
        ({"positive": True}, "C"),
    ],
    ids=str,
)
def test_extra_memory(settings: dict[str, object], layout: str) -> None:
    fitting, predicting = run(SCRIPT, settings, layout)
    assert fitting <= 0.10
    assert predicting <= 0.10
