"""The bell curves of naive Bayes: heights, the places where the lead changes, and the rows below."""

from collections.abc import Iterator

import matplotlib
import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB as PeerNB

matplotlib.use("Agg")

from matplotlib import pyplot

from pellucid.base.errors import DataError, ParameterError
from pellucid.naive_bayes import GaussianNB, KernelDensityNB, NaiveBayes
from pellucid.plotting import class_densities

X = np.array([[1.0, 0.0], [3.0, 1.0], [5.0, 0.0], [7.0, 1.0]])
Y = ["low", "low", "high", "high"]


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    pyplot.close("all")


def test_curves_have_the_height_of_the_density() -> None:
    """Variance 1: the top of the bell is 1 / sqrt(2 pi), and half of that times the prior of one half."""
    ax = class_densities(GaussianNB(var_smoothing=0).fit(X, Y), column=0)
    tops = [np.asarray(line.get_ydata()).max() for line in ax.get_lines()[:4]]
    np.testing.assert_allclose(tops, [0.5 / np.sqrt(2 * np.pi), 1 / np.sqrt(2 * np.pi)] * 2, rtol=1e-4)


def test_the_lead_changes_where_the_weighted_curves_cross() -> None:
    """Means 2 and 6, variance 1, priors 3 to 1:  ln 3 = 4 x - 16,  x = 4 + ln(3) / 4 = 4.27."""
    model = GaussianNB(var_smoothing=0, priors=[0.25, 0.75]).fit(X, Y)
    assert [text.get_text() for text in class_densities(model, column=0).texts] == ["4.27"]
    unweighted = class_densities(model, column=0, weighted=False)
    assert [text.get_text() for text in unweighted.texts] == ["4.00"]


def test_rows_are_ticks_below_and_a_peer_is_drawn_too() -> None:
    ax = class_densities(PeerNB().fit(X, Y), X, Y, column=0)
    ticks = [len(collection.get_segments()) for collection in ax.collections if hasattr(collection, "get_segments")]
    assert ticks == [2, 2]
    assert ax.get_ylim()[0] < 0
    assert ax.get_xlabel() == "x1"


def test_kernels_are_drawn_as_the_model_sums_them() -> None:
    """The heights are the model's own joint scores of the column alone, the others being missing."""
    frame = pd.DataFrame(X, columns=["age", "size"]).assign(word=list("uvuv"))
    mixed = NaiveBayes(numbers={"age": "kernel"}).fit(frame, Y)
    for model, column in ((KernelDensityNB().fit(X, Y), 0), (mixed, "age"), (mixed, "size")):
        for line, label in zip(
            class_densities(model, column=column, weighted=True).get_lines()[::2], "ab", strict=False
        ):
            k = "ab".index(label)
            x, y = (np.asarray(values)[100:700:50] for values in line.get_data())
            rows = pd.DataFrame(np.nan, index=range(len(x)), columns=["age", "size"]).assign(word=None)
            rows[rows.columns[column] if isinstance(column, int) else column] = x
            table = rows[["age", "size"]].to_numpy() if isinstance(column, int) else rows
            np.testing.assert_allclose(y, np.exp(model.predict_joint_log_proba(table))[:, k], rtol=1e-9)
    other = class_densities(mixed, frame[["word", "size", "age"]], Y, column="age")  # another order of the columns
    ticks = [s[0][0] for c in other.collections if hasattr(c, "get_segments") for s in c.get_segments()]
    assert sorted(ticks) == sorted(X[:, 0])
    with pytest.raises(DataError, match="the column must have a density in each class; 'word' is taken by its values"):
        class_densities(mixed, column="word")


def test_places_have_the_digits_that_the_axis_asks_for() -> None:
    model = GaussianNB(var_smoothing=0).fit([[1.511], [1.513], [1.515], [1.517]], Y)
    assert [text.get_text() for text in class_densities(model).texts] == ["1.5140"]


def test_bad_questions_are_refused() -> None:
    model = GaussianNB().fit(X, Y)
    with pytest.raises(ParameterError, match="column must name one of 'x1', 'x2'"):
        class_densities(model)
    with pytest.raises(ParameterError, match="got 7"):
        class_densities(model, column=7)
    with pytest.raises(DataError, match="must be a fitted naive Bayes with densities; got GaussianNB"):
        class_densities(GaussianNB(), column=0)
