# Written by tools/write_stubs.py.
from pellucid.outliers.distance_outliers import DistanceOutliers as DistanceOutliers
from pellucid.outliers.isolation_forest import IsolationForest as IsolationForest
from pellucid.outliers.local_outlier_factor import LocalOutlierFactor as LocalOutlierFactor

__all__ = ["DistanceOutliers", "IsolationForest", "LocalOutlierFactor"]
