# Written by tools/write_stubs.py.
from pellucid.semi_supervised.self_training import SelfTrainingClassifier as SelfTrainingClassifier

__all__ = ["SelfTrainingClassifier"]
