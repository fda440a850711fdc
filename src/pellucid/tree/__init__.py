"""Decision trees: CART, ID3, C4.5, CHAID, and pruning."""

from pellucid.base.family import exports

__getattr__, __dir__, __all__ = exports(__name__, __path__)
