"""What a fitted model looks at: permutation importance and partial dependence."""

from pellucid.base.family import exports

__getattr__, __dir__, __all__ = exports(__name__, __path__)
