"""Is a table any good? What is wrong with it, where, and what to do about it."""

from pellucid.base.family import exports

__getattr__, __dir__, __all__ = exports(__name__, __path__)
