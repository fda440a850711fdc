"""Where in the working of locality sensitive hashing each figure of its example stands; goes on from `shown`."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np

from pellucid.reference.lsh import differing, regions, sharing
from pellucid.working import Working

from .frame import Example
from .shown import READINGS, reads

__all__ = ["READINGS"]


@reads("004-lsh-hyperplane-buckets")
def buckets(w: Working, e: Example) -> Mapping[str, Any]:
    names, k, rounds = e.data["points"], e.settings["k_hyperplanes"], e.settings["l_rounds"]
    bits = np.array([[w.value(f"fit.b_{t}{p}") for p in range(1, k + 1)] for t in range(1, rounds + 1)])  # t, p, row
    codes = [["".join(str(int(bit)) for bit in bits[t, :, row]) for row in range(len(names))] for t in range(rounds)]
    groups = [[names[row] for row in group] for group in sharing(codes)]
    first = dict(zip(names, codes[0], strict=True))
    return {
        "upper bound on buckets, 2^k": 2**k,
        "buckets made by 3 lines in the plane (1+k+k(k-1)/2)": regions(k),
        "groups sharing a bucket over the rounds": [group for group in groups if len(group) > 1],
        "undecided after l=3": "".join(group[0] for group in groups if len(group) == 1),
        "candidates for a query with code 000": [
            name for name, seen in zip(names, w.value("query.q1_candidate"), strict=True) if seen == 1
        ],
        "Hamming distances in round 1: f-g, f-h, g-h": [
            differing(first[a], first[b]) for a, b in combinations("fgh", 2)
        ],
    }
