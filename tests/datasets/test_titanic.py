"""The Titanic's passengers: shape, gaps and the target."""

import numpy as np

from pellucid.datasets import load_titanic


def test_the_numbers_and_who_lived() -> None:
    titanic = load_titanic()
    assert titanic.data.shape == (891, 5)
    assert titanic.feature_names == ["pclass", "age", "sibsp", "parch", "fare"]
    assert int(titanic.target.sum()) == 342
    assert int(np.isnan(titanic.data).sum()) == 177
    assert "public domain" in titanic.DESCR


def test_the_frame_has_every_column_and_gap() -> None:
    frame = load_titanic(as_frame="polars").frame
    assert frame.shape == (891, 11)
    assert sum(frame.null_count().row(0)) == 866
    assert frame["name"][0] == "Braund, Mr. Owen Harris"
