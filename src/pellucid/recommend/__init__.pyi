# Written by tools/write_stubs.py.
from pellucid.recommend.baseline import BaselineRecommender as BaselineRecommender
from pellucid.recommend.content_based import ContentBasedRecommender as ContentBasedRecommender
from pellucid.recommend.implicit_als import ImplicitALS as ImplicitALS
from pellucid.recommend.item_neighbors import ItemNeighborsRecommender as ItemNeighborsRecommender
from pellucid.recommend.matrix_factorization import MatrixFactorization as MatrixFactorization
from pellucid.recommend.popular import PopularItems as PopularItems
from pellucid.recommend.user_neighbors import UserNeighborsRecommender as UserNeighborsRecommender

__all__ = [
    "BaselineRecommender",
    "ContentBasedRecommender",
    "ImplicitALS",
    "ItemNeighborsRecommender",
    "MatrixFactorization",
    "PopularItems",
    "UserNeighborsRecommender",
]
