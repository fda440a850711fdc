# Written by tools/write_stubs.py.
from pellucid.impute.by_class import ClassImputer as ClassImputer
from pellucid.impute.indicator import MissingIndicator as MissingIndicator
from pellucid.impute.iterative import IterativeImputer as IterativeImputer
from pellucid.impute.mapping import MapImputer as MapImputer
from pellucid.impute.nearest import KNNImputer as KNNImputer
from pellucid.impute.simple import SimpleImputer as SimpleImputer

__all__ = ["ClassImputer", "IterativeImputer", "KNNImputer", "MapImputer", "MissingIndicator", "SimpleImputer"]
