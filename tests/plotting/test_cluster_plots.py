"""Pictures of clusters, components and outliers show the models' numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot

from pellucid.base.errors import DataError, ParameterError
from pellucid.cluster import KMeans, distortion_curve
from pellucid.decomposition import PCA
from pellucid.outliers import DistanceOutliers, LocalOutlierFactor
from pellucid.plotting.clusters import cluster_map, elbow_curve
from pellucid.plotting.components import explained_variance, projections
from pellucid.plotting.outliers import distance_outlier_map, k_distance_circles, lof_bubbles

POINTS = np.array([[-2.0, -1.0], [-1.0, -1.0], [-1.5, -1.5], [-2.0, -2.0], [-1.0, -2.0], [2.0, 2.0]])


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    pyplot.close("all")


def points_of(ax: Any, marker: str) -> Any:
    return np.vstack([line.get_xydata() for line in ax.get_lines() if line.get_marker() == marker])


def test_the_bend_is_marked() -> None:
    ax = elbow_curve([1, 2, 3, 4, 5], [100.0, 40, 10, 8, 6])
    np.testing.assert_array_equal(points_of(ax, "o"), np.column_stack([range(1, 6), [100, 40, 10, 8, 6]]))
    np.testing.assert_array_equal(points_of(ax, "s"), [[3, 10]])
    curve = distortion_curve(POINTS, range(1, 6), random_state=0)
    np.testing.assert_allclose(points_of(elbow_curve(curve), "o")[:, 1], curve.distortion)


def test_rows_stand_around_their_centers() -> None:
    model = KMeans(2, init=POINTS[[0, 5]]).fit(POINTS)
    ax = cluster_map(model, POINTS)
    np.testing.assert_allclose(points_of(ax, "X"), model.cluster_centers_)
    np.testing.assert_array_equal(points_of(ax, "o"), POINTS[:5])
    np.testing.assert_array_equal(points_of(ax, "s"), POINTS[5:])


def test_shares_and_their_sums() -> None:
    model = PCA().fit(POINTS)
    ax: Any = explained_variance(model)
    np.testing.assert_allclose([bar.get_height() for bar in ax.patches], model.explained_variance_ratio_)
    np.testing.assert_allclose(points_of(ax, "o")[:, 1], np.cumsum(model.explained_variance_ratio_))


def test_feet_lie_on_the_line_at_right_angles() -> None:
    axes = projections(POINTS)
    assert len(axes) == 3
    lines = [np.array([1.0, 0.0]), np.array([0.0, 1.0]), PCA(1).fit(POINTS).components_[0]]
    for ax, v in zip(axes, lines, strict=True):
        rows, feet = points_of(ax, "o"), points_of(ax, "s")
        np.testing.assert_allclose((rows - feet) @ v, 0, atol=1e-12)
        np.testing.assert_allclose((feet - POINTS.mean(axis=0)) @ [-v[1], v[0]], 0, atol=1e-12)
    assert len(projections(POINTS, [(1, 1)], labels=["diagonal"])) == 1


def test_bubbles_and_circles_of_local_factors() -> None:
    model = LocalOutlierFactor(3, include_equal=True).fit(POINTS)
    ax = lof_bubbles(model, POINTS)
    assert [text.get_text() for text in ax.texts] == ["5.19"]
    circles: Any = k_distance_circles(model, POINTS).patches
    np.testing.assert_allclose([circle.radius for circle in circles], model.k_distance_)


def test_outliers_by_distance_have_the_radius_around_them() -> None:
    model = DistanceOutliers(1.5, 0.0).fit(POINTS)
    ax: Any = distance_outlier_map(model, POINTS)
    np.testing.assert_array_equal(points_of(ax, "s"), POINTS[5:])
    assert [circle.radius for circle in ax.patches] == [1.5]


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(ParameterError, match="fitted"):
        explained_variance(KMeans())
    with pytest.raises(ParameterError, match="fitted"):
        cluster_map(KMeans(), POINTS)
    with pytest.raises(DataError, match="two columns"):
        cluster_map(KMeans(2).fit(np.eye(3)), np.eye(3))
    with pytest.raises(DataError, match="two columns and two rows"):
        projections(np.eye(3))
    with pytest.raises(ParameterError, match="not both 0"):
        projections(POINTS, [(0, 0)])
    model = LocalOutlierFactor(3).fit(POINTS)
    with pytest.raises(DataError, match="rows of the fit"):
        lof_bubbles(model, POINTS[:3])
    with pytest.raises(ParameterError, match="between 0 and 5"):
        k_distance_circles(model, POINTS, rows=[9])
