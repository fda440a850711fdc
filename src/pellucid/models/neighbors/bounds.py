"""What the arrays of an index must hold so that no search leaves them: looked at once, when an index is put back.

An index that was built here is right. One that comes out of a file may hold any numbers, and a search takes them as
places in memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from pellucid.base.types import Array

PANEL = 16  # rows or cells side by side in the arrays of cells
WIDEST = 2.0**40  # numbers of cells, which lie near 1: products of larger ones may not be finite


def put_back(index: Any, state: dict[str, Any]) -> None:
    """Gives an index its attributes, and refuses it if a search could leave its arrays."""
    index.__dict__.update(state)
    index.check()


def ensure(fine: Any, index: Any, requirement: str) -> None:
    """Refuses an index that is not as it must be; who reads a file makes a sentence of it."""
    if not fine:
        raise ValueError(f"{type(index).__name__}: {requirement}")


def is_line(array: Any, kind: str, size: int | None = None) -> bool:
    """Is it an array without gaps of one dtype, and of one length?"""
    plain = isinstance(array, np.ndarray) and array.dtype == np.dtype(kind) and array.flags.c_contiguous
    return bool(plain and (size is None or array.size == size))


def are_numbers_below(array: Any, kind: str, most: int) -> bool:
    """Are all of them whole numbers from 0 up to below `most`?"""
    return is_line(array, kind) and (array.size == 0 or (int(array.min()) >= 0 and int(array.max()) < most))


def are_starts(array: Any, parts: int, end: int, least: int = 0) -> bool:
    """Do they cut ``0 .. end`` into so many parts of at least `least` each?

    >>> are_starts(np.array([0, 2, 5]), 2, 5), are_starts(np.array([0, 7, 5]), 2, 5)
    (True, False)
    """
    if not is_line(array, "int64", parts + 1) or array[0] != 0 or array[-1] != end:
        return False
    # Differences of any two numbers may leave the range: first all are held against the end.
    return bool(array.min() >= 0 and array.max() <= end and (np.diff(array) >= least).all())


def is_count(value: Any, least: int = 1, most: int = 2**62) -> bool:
    """Is it a whole number between two others?"""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and bool(least <= value <= most)


def is_table(rows: Any, sparse: bool = False) -> bool:
    """Is it a table of floats with rows and columns, or a sparse one where these are taken?"""
    if scipy.sparse.issparse(rows):
        return sparse and rows.format == "csr" and rows.dtype == np.float64 and min(rows.shape) >= 1
    return isinstance(rows, np.ndarray) and rows.ndim == 2 and rows.dtype in (np.float32, np.float64) and rows.size > 0


def _are_near(array: Array) -> bool:
    return bool((np.abs(array) < WIDEST).all())


def check_cells(index: Any, arrays: Any, columns: int) -> int:
    """The first six arrays of an index by cells, which say where they lie; how many cells there are."""
    requirement = "center, scale, centers of the cells, their panels, sizes and radii must fit each other"
    ensure(isinstance(arrays, tuple) and len(arrays) >= 6, index, requirement)
    center, scale, cells, panels, sizes, radii = arrays[:6]
    ensure(is_line(radii, "float32") and radii.size >= 1, index, requirement)
    groups = -(-radii.size // PANEL)
    ensure(is_line(center, "float64", columns) and is_line(scale, "float64", 1), index, requirement)
    ensure(is_line(cells, "float32", radii.size * columns), index, requirement)
    ensure(
        is_line(panels, "float32", groups * PANEL * columns) and is_line(sizes, "float32", groups * PANEL),
        index,
        requirement,
    )
    finite = np.isfinite(center).all() and np.isfinite(scale).all() and not np.isnan(radii).any()
    ensure(finite and _are_near(cells) and _are_near(panels) and not np.isnan(sizes).any(), index, requirement)
    return int(radii.size)


def check_lists(index: Any, arrays: Any, rows: int, columns: int) -> None:
    """All arrays of an index by cells: where they lie, and the rows of each."""
    cells = check_cells(index, arrays, columns)
    requirement = f"starts, order and panels must put {rows} rows into {cells} cells"
    ensure(len(arrays) == 11, index, requirement)
    starts, order, panel_starts, panels, sizes = arrays[6:]
    ensure(are_starts(starts, cells, rows) and are_numbers_below(order, "int64", rows), index, requirement)
    ensure(order.size == rows, index, requirement)
    full = -(-np.diff(starts) // PANEL)
    total = int(full.sum())
    ensure(are_starts(panel_starts, cells, total) and np.array_equal(np.diff(panel_starts), full), index, requirement)
    ensure(
        is_line(panels, "float32", total * PANEL * columns) and is_line(sizes, "float32", total * PANEL),
        index,
        requirement,
    )
    ensure(_are_near(panels) and not np.isnan(sizes).any(), index, requirement)


def check_graph(index: Any, cells: Any, arrays: Any, rows: int, columns: int) -> None:
    """The arrays of a graph: nodes, their links, the entry of each cell, and the rows of each node."""
    entered = check_cells(index, cells, columns)
    requirement = f"links, entries and members must be of the nodes of a graph of {rows} rows"
    ensure(isinstance(arrays, tuple) and len(arrays) == 7, index, requirement)
    table, starts, links, entries, begins, members, always = arrays
    ensure(is_line(starts, "int64") and 2 <= starts.size <= min(rows + 1, 2**31), index, requirement)
    nodes = starts.size - 1
    wide = table.size // nodes if is_line(table, "float32") else 0
    ensure(wide >= columns and wide % PANEL == 0 and wide * nodes == table.size, index, requirement)
    ensure(are_numbers_below(links, "uint32", nodes) and are_starts(starts, nodes, links.size), index, requirement)
    ensure(are_numbers_below(entries, "uint32", nodes) and entries.size == entered, index, requirement)
    ensure(are_numbers_below(members, "int64", rows) and are_starts(begins, nodes, members.size, 1), index, requirement)
    ensure(are_numbers_below(always, "int64", rows), index, requirement)


def check_buckets(index: Any, planes: Any, buckets: Any, rows: int, columns: int) -> None:
    """Hyperplanes, and the buckets of rows that lie on the same sides."""
    requirement = "planes must be of the columns, one to 64 in a table"
    ensure(isinstance(planes, tuple) and len(planes) == 2, index, requirement)
    normals, offsets = planes
    ensure(is_line(offsets, "float64") and offsets.ndim == 2 and offsets.shape[0] >= 1, index, requirement)
    ensure(1 <= offsets.shape[1] <= 64 and is_line(normals, "float64", columns * offsets.size), index, requirement)
    requirement = f"buckets must hold numbers of {rows} rows, table by table"
    ensure(isinstance(buckets, tuple) and len(buckets) == 4, index, requirement)
    table_starts, starts, bucket_rows, codes = buckets
    ensure(is_line(codes, "uint64") and are_starts(table_starts, len(offsets), codes.size), index, requirement)
    ensure(
        are_numbers_below(bucket_rows, "int64", rows) and are_starts(starts, codes.size, bucket_rows.size),
        index,
        requirement,
    )


def check_tree(index: Any, tree: Any, shape: tuple[int, ...], region: str) -> None:
    """A tree of points: rows by panels, their numbers, regions, number of rows, of columns, and of panels a leaf.

    The kernels hold the sizes of the arrays against these numbers.
    """
    requirement = f"a tree must hold each of {shape[0]} rows once"
    ensure(
        isinstance(tree, tuple) and len(tree) == 6 and tree[3:5] == shape and is_count(tree[5], 1, 2**10),
        index,
        requirement,
    )
    panels, numbers, regions = tree[:3]
    ensure(is_line(panels, "float32") or is_line(panels, "float64"), index, requirement)
    ensure(is_line(regions, region or panels.dtype.str) and panels.ndim == regions.ndim == 1, index, requirement)
    ensure(is_line(numbers, "int32") and numbers.ndim == 1 and numbers.size >= shape[0], index, requirement)
    row_numbers = numbers[: shape[0]]
    once = (
        are_numbers_below(row_numbers, "int32", shape[0]) and (np.bincount(row_numbers, minlength=shape[0]) == 1).all()
    )
    ensure(once and (numbers[shape[0] :] == -1).all(), index, requirement)
