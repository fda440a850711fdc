"""Promises that every public estimator keeps, checked over the registry: a new estimator is covered without an edit."""
