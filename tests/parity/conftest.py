"""For all comparisons with peers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import threadpoolctl


@pytest.fixture(autouse=True, scope="session")
def _blas_on_one_thread() -> Iterator[None]:
    """Both sides get the same bits from BLAS: ours holds it to one thread, and on several it may add in another order.

    OpenBLAS has kernels, those of old processors among them, that divide even small sums among threads.
    """
    with threadpoolctl.threadpool_limits(1, user_api="blas"):
        yield
