# Written by tools/write_stubs.py.
from pellucid.dummy.dummy import DummyClassifier as DummyClassifier
from pellucid.dummy.dummy import DummyRegressor as DummyRegressor

__all__ = ["DummyClassifier", "DummyRegressor"]
