"""``python -m benchmarks``."""

import sys

from benchmarks.frame.cli import main

if __name__ == "__main__":
    sys.exit(main())
