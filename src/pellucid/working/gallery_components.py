"""Worked examples about principal components."""

from __future__ import annotations

import numpy as np

from pellucid.decomposition import PCA
from pellucid.working.gallery_base import Example, cell_of, example, parts_of
from pellucid.working.language import where
from pellucid.working.matrix import Block
from pellucid.working.model import Working


@example("003-pca-projection-five-points")
def five_points(e: Example) -> Working:
    X = np.array(e.data["area_price"])
    model = PCA().fit(X)
    w = parts_of(
        ("fit", "", model.show_fit(X)),
        ("rows", "Rotated axis", model.show_transform(X)),
    )
    w.step("Which axis keeps most?", "The variance along the old axes is on the diagonal of the covariance matrix.")
    S = w.cells["fit.S"]
    assert isinstance(S, Block)
    area = w.cell("area", S[0, 0] + 0, symbol="a", label="variance along the first column")
    price = w.cell("price", S[1, 1] + 0, symbol="b", label="variance along the second column")
    first = cell_of(w, "fit.variance_1")
    w.cell("best", where(first > area, where(first > price, 1, 0), 0), symbol="u",
           label="does the first component keep more than either?")  # fmt: skip
    w.intro = "Five points, projected on their own two axes and on the one along which they spread most."
    return w
