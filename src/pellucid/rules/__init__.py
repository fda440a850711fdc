"""IF-THEN rules: written by hand, read off a tree, or learned."""

from pellucid.base.family import exports

__getattr__, __dir__, __all__ = exports(__name__, __path__)
