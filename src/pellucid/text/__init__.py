"""Words as columns: counting them, and weighing them by how rare they are."""

from pellucid.base.family import exports

__getattr__, __dir__, __all__ = exports(__name__, __path__)
