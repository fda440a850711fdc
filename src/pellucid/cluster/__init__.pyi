# Written by tools/write_stubs.py.
from pellucid.cluster.choice import DistortionCurve as DistortionCurve
from pellucid.cluster.choice import distortion_curve as distortion_curve
from pellucid.cluster.choice import elbow_point as elbow_point
from pellucid.cluster.k_means import KMeans as KMeans

__all__ = ["DistortionCurve", "KMeans", "distortion_curve", "elbow_point"]
