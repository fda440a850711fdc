# Written by tools/write_stubs.py.
from pellucid.neural_network.mlp import MLPClassifier as MLPClassifier
from pellucid.neural_network.mlp import MLPRegressor as MLPRegressor

__all__ = ["MLPClassifier", "MLPRegressor"]
