"""Workings of clusters, components and outliers, for tests that render them or have LibreOffice work them out."""

from __future__ import annotations

import numpy as np

from pellucid.cluster import KMeans
from pellucid.decomposition import PCA
from pellucid.outliers import DistanceOutliers, IsolationForest, LocalOutlierFactor
from pellucid.working import Working

X = np.array([[1.0, 2.0], [1.5, 1.8], [5.0, 8.0], [8.0, 8.0], [1.0, 0.6], [9.0, 11.0], [8.0, 2.0], [10.0, 2.0]])
THREE = np.column_stack([X, X[:, 0] * 0.5 + [0.1, -0.2, 0.3, 0.0, -0.1, 0.2, -0.3, 0.1]])
WEIGHT = np.array([1.0, 2.0, 1.0, 3.0, 1.0, 1.0, 2.0, 1.0])
NEW = np.array([[2.0, 2.0], [20.0, 20.0]])


def workings() -> dict[str, Working]:
    """Every working of these families, by name."""
    groups = KMeans(3, init=X[:3], tol=0).fit(X)
    weighted = KMeans(2, init=X[[0, 5]]).fit(X, sample_weight=WEIGHT)
    two, three, white = PCA().fit(X), PCA(2).fit(THREE), PCA(2, whiten=True).fit(THREE)
    local = LocalOutlierFactor(3, include_equal=True, metric="manhattan").fit(X)
    novel = LocalOutlierFactor(2, novelty=True).fit(X)
    far = DistanceOutliers(3.5, 0.15).fit(X)
    forest = IsolationForest(n_estimators=8, random_state=0).fit(X)
    return {
        "k-means": groups.show_fit(X),
        "k-means with weights": weighted.show_fit(X, sample_weight=WEIGHT),
        "nearest center": groups.show_predict(NEW),
        "distances to centers": groups.show_transform(NEW),
        "components of two columns": two.show_fit(X),
        "components of three columns": three.show_fit(THREE),
        "places": three.show_transform(THREE),
        "white places": white.show_transform(THREE),
        "local factors": local.show_fit(X),
        "local factors of new rows": novel.show_predict(NEW),
        "outliers by distance": far.show_fit(X),
        "new rows by distance": far.show_predict(NEW),
        "isolation": forest.show_fit(X),
        "isolation of new rows": forest.show_predict(NEW),
    }
