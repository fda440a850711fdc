"""The checks, one function each: a look at a table in, findings out.

A check is a function of a `Look` with its limits as keyword arguments, under the decorator `finds` of `registry.py`. A
module of this folder is found by being there; those that begin with an underscore are what checks share.
"""
