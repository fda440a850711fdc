"""The checks of a table, one function per check.

A check takes a `TableStats`, with its limits as keyword arguments, and returns findings. It is decorated with
`register_check` of `registry.py`. Every module of this folder is imported; the modules whose names begin with an
underscore hold what checks share.
"""
