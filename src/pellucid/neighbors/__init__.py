"""Nearest neighbors, their indices, and prototypes."""

from pellucid.base.family import exports

__getattr__, __dir__, __all__ = exports(__name__, __path__)
