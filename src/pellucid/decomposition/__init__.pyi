# Written by tools/write_stubs.py.
from pellucid.decomposition.pca import PCA as PCA

__all__ = ["PCA"]
