"""Many models that answer as one: bagging, forests, AdaBoost, voting and stacking."""

from pellucid.base.family import exports

__getattr__, __dir__, __all__ = exports(__name__, __path__)
