"""Ready-made chains of steps; and scikit-learn's own `Pipeline`, which takes our estimators as it is."""

from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline, make_union

from pellucid.base.family import exports

__getattr__, __dir__, __all__ = exports(__name__, __path__)
