"""The most memory a call takes beyond what the process held before it."""

from __future__ import annotations

import threading
from pathlib import Path

from benchmarks.frame.machine import psutil

STATUS = Path("/proc/self/status")
CLEAR = Path("/proc/self/clear_refs")


class PeakGrowth:
    """Peak resident memory within the block, less resident memory at its start; in ``bytes`` afterward.

    On Linux the kernel keeps the peak and it is exact; elsewhere a thread looks every millisecond.
    """

    bytes = 0

    def __enter__(self) -> PeakGrowth:
        self._kernel = _reset_kernel_peak()
        self._before = _resident()
        self._peak = self._before
        self._done = threading.Event()
        self._watch = threading.Thread(target=self._sample)
        if not self._kernel:
            self._watch.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._kernel:
            self._peak = _status("VmHWM")
        else:
            self._done.set()
            self._watch.join()
        self.bytes = max(0, self._peak - self._before)

    def _sample(self) -> None:
        while not self._done.wait(0.001):
            self._peak = max(self._peak, _resident())


def _reset_kernel_peak() -> bool:
    try:
        CLEAR.write_text("5")  # proc(5): resets the peak resident set size to the current one
        return _status("VmHWM") > 0
    except OSError:
        return False


def _resident() -> int:
    return _status("VmRSS") if STATUS.exists() else int(psutil.Process().memory_info().rss)


def _status(field: str) -> int:
    line = next((line for line in STATUS.read_text().splitlines() if line.startswith(field + ":")), "0: 0 kB")
    return int(line.split()[1]) * 1024
