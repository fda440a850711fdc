"""Gradient boosting: the textbook's, XGBoost's, LightGBM's and CatBoost's, on one engine."""

from pellucid.base.family import exports

__getattr__, __dir__, __all__ = exports(__name__, __path__)
