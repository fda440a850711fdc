"""Answers by ``LSHNeighbors``. The example has no coordinates; its page has points and lines with its codes."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np

from pellucid.reference import lsh as reference
from pellucid.working.gallery_lsh import LINES, OFFSETS, POINTS, QUERY, fitted

from ..frame import Example, PathName, answers


@answers("004-lsh-hyperplane-buckets")
def buckets(example: Example, path: PathName) -> Mapping[str, Any]:
    names, rounds = example.data["points"], example.settings["l_rounds"]
    X = np.array([POINTS[name] for name in names], dtype=float)
    if path == "kernel":
        model = fitted(names)
        codes = [[str(text) for text in model.code_texts(model.codes_)[:, t]] for t in range(rounds)]
        near = [names[row] for row in model.candidates(QUERY)[0]]
        area = np.stack(np.meshgrid(np.linspace(-20, 20, 161), np.linspace(-20, 20, 161)), axis=-1).reshape(-1, 2)
        parts, most = len(np.unique(model.codes(area)[:, 0])), 2**model.n_bits_
    else:
        codes = [[reference.code(x, w, b) for x in X] for w, b in zip(LINES, OFFSETS, strict=True)]
        near = [names[row] for row in reference.candidates(QUERY[0], X, LINES, OFFSETS)]
        parts, most = reference.regions(len(LINES[0])), 2 ** len(LINES[0])
    groups = [[names[row] for row in group] for group in reference.sharing(codes)]
    first = dict(zip(names, codes[0], strict=True))
    stated = example.data["codes_stated_round_1"]
    assert {name: first[name] for name in stated} == stated
    assert [name for name in names if first[name] == "000"] == example.data["bucket_000_members"]
    return {
        "upper bound on buckets, 2^k": most,
        "buckets made by 3 lines in the plane (1+k+k(k-1)/2)": parts,
        "groups sharing a bucket over the rounds": [group for group in groups if len(group) > 1],
        "undecided after l=3": "".join(group[0] for group in groups if len(group) == 1),
        "candidates for a query with code 000": near,
        "Hamming distances in round 1: f-g, f-h, g-h": [
            reference.differing(first[a], first[b]) for a, b in combinations("fgh", 2)
        ],
    }
