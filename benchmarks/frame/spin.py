"""A process that keeps one core busy until its standard input closes.

The input is a pipe from the runner, so that it closes however the runner ends, even killed.
"""

from __future__ import annotations

import os
import sys
import threading


def leave_with_parent() -> None:
    """Wait for the pipe to close, then end the process."""
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    threading.Thread(target=leave_with_parent, daemon=True).start()
    while True:
        pass
