# Written by tools/write_stubs.py.

__all__ = []
