# Written by tools/write_stubs.py.
from pellucid.preprocessing.polynomial import PolynomialFeatures as PolynomialFeatures

__all__ = ["PolynomialFeatures"]
