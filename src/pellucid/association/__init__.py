"""What goes together in baskets: frequent sets of items, and rules between them."""

from pellucid.base.family import exports

__getattr__, __dir__, __all__ = exports(__name__, __path__)
