"""Makes each data set once, from its fixed seed, and keeps it as ``.npy`` files that every contender reads.

The files are in ``$PELLUCID_BENCH_CACHE``, or ``pellucid-benchmarks`` in the system's temporary folder. A data set's
folder is named after its maker, arguments and source, so that a changed maker makes new data.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from benchmarks.frame.declare import Arrays, Maker


def ensure(maker: Maker) -> Path:
    """The data set's folder, made first if it is not there."""
    target = _folder(maker)
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(dir=target.parent))
        for name, array in maker().items():
            np.save(scratch / f"{name}.npy", array, allow_pickle=False)
        _move(scratch, target)
    return target


def read(maker: Maker, *, mapped: bool) -> dict[str, NDArray[Any]]:
    """The arrays: own copies, or mapped from the files (shared between processes until written to)."""
    mode: Literal["c"] | None = "c" if mapped else None
    files = sorted(ensure(maker).glob("*.npy"))
    arrays = {file.stem: np.asarray(np.load(file, mmap_mode=mode, allow_pickle=False)) for file in files}
    if mapped:
        for array in arrays.values():
            _touch(array)
    return arrays


def bytes_on_disk(maker: Maker) -> int:
    """About how much memory the arrays take."""
    return sum(file.stat().st_size for file in ensure(maker).glob("*.npy"))


def bytes_of_x(arrays: Arrays) -> int:
    """The size that extra memory is a share of: X, also when it is kept in parts (``X_data``, ``X_indices``)."""
    return sum(array.nbytes for name, array in arrays.items() if name == "X" or name.startswith("X_"))


def _folder(maker: Maker) -> Path:
    if maker.args:
        raise ValueError(f"{maker.func.__name__}: data must be a partial with named arguments only; got {maker.args}.")
    default = Path(tempfile.gettempdir()) / "pellucid-benchmarks"
    root = Path(os.environ.get("PELLUCID_BENCH_CACHE", default))
    recipe = inspect.getsource(maker.func) + json.dumps(maker.keywords, sort_keys=True)
    return root / f"{maker.func.__name__}-{hashlib.sha256(recipe.encode()).hexdigest()[:12]}"


def _move(scratch: Path, target: Path) -> None:
    try:
        scratch.rename(target)
    except OSError:  # another run has made the same data meanwhile
        if not target.exists():
            raise
        shutil.rmtree(scratch)


def _touch(array: NDArray[Any]) -> None:
    # One read a page, so that page faults on the file are neither timed nor counted as the contender's memory.
    array.reshape(-1, order="A").view(np.uint8)[::4096].max(initial=0)
