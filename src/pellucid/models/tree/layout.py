"""Where the nodes of a drawn tree stand beside each other: Reingold and Tilford's rules for any number of children.

Nodes of one level keep a distance from each other, a parent stands in the middle of its children, and a subtree has the
same shape wherever it hangs. The children of a node are pushed together twice, once toward the left and once toward
the right, and stand half-way: each pushing keeps the distances ``x_j - x_i >= d_ij``, so their mean does too, and a
small subtree between two large ones does not stick to either.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pellucid.base.types import Floats


def centers(children: Sequence[Sequence[int]], sizes: Floats, gap: float, spans: Sequence[int] | None = None) -> Floats:
    """Center of every node across the direction of growth; the first edge of the drawing is at 0.

    children : of each node, which are numbered higher than it; node 0 is the root
    sizes : room of each node across
    gap : least room between neighbors
    spans : levels that a leaf reaches over, its own among them; 1 unless told

    >>> centers([[1, 2], [], []], np.array([2.0, 2.0, 2.0]), 1.0)
    array([2.5, 1. , 4. ])
    """
    low: list[Floats] = [np.empty(0)] * len(children)  # edges of each subtree by level, seen from its root's center
    high: list[Floats] = [np.empty(0)] * len(children)
    shift = np.zeros(len(children))  # of a node from its parent
    for node in range(len(children) - 1, -1, -1):
        half_size, below = sizes[node] / 2, children[node]
        if not below:
            levels = 1 if spans is None else spans[node]
            low[node], high[node] = np.full(levels, -half_size), np.full(levels, half_size)
            continue
        offsets = _places([low[child] for child in below], [high[child] for child in below], gap)
        offsets -= (offsets[0] + offsets[-1]) / 2
        shift[list(below)] = offsets
        height = max(len(low[child]) for child in below)
        left, right = np.full(height, np.inf), np.full(height, -np.inf)
        for child, center in zip(below, offsets.tolist(), strict=True):
            levels = len(low[child])
            np.minimum(left[:levels], low[child] + center, out=left[:levels])
            np.maximum(right[:levels], high[child] + center, out=right[:levels])
            low[child] = high[child] = np.empty(0)
        low[node], high[node] = np.append(-half_size, left), np.append(half_size, right)
    center = np.zeros(len(children))
    for node, below in enumerate(children):
        center[list(below)] = center[node] + shift[list(below)]
    return np.asarray(center - low[0].min())


def _places(low: list[Floats], high: list[Floats], gap: float) -> Floats:
    """Centers of subtrees side by side, in their order, the first at 0."""
    packed = _pushed(low, high, gap)
    if len(low) < 3:
        return packed
    mirrored = -_pushed([-edge for edge in high[::-1]], [-edge for edge in low[::-1]], gap)[::-1]
    return np.asarray((packed + mirrored - mirrored[0]) / 2)


def _pushed(low: list[Floats], high: list[Floats], gap: float) -> Floats:
    """Each subtree as near to the first as those before it let it come."""
    offsets, reached = np.zeros(len(low)), np.full(max(map(len, low)), -np.inf)
    for k, (left, right) in enumerate(zip(low, high, strict=True)):
        levels = len(left)
        if k:
            offsets[k] = float((reached[:levels] - left).max()) + gap
        np.maximum(reached[:levels], right + offsets[k], out=reached[:levels])
    return offsets
