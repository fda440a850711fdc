# Written by tools/write_stubs.py.
from pellucid.neighbors.ball_tree import BallTree as BallTree
from pellucid.neighbors.classification import KNeighborsClassifier as KNeighborsClassifier
from pellucid.neighbors.condensed import CondensedNearestNeighbors as CondensedNearestNeighbors
from pellucid.neighbors.edited import EditedNearestNeighbors as EditedNearestNeighbors
from pellucid.neighbors.graph import GraphNeighbors as GraphNeighbors
from pellucid.neighbors.graphs import KNeighborsTransformer as KNeighborsTransformer
from pellucid.neighbors.graphs import RadiusNeighborsTransformer as RadiusNeighborsTransformer
from pellucid.neighbors.graphs import kneighbors_graph as kneighbors_graph
from pellucid.neighbors.graphs import radius_neighbors_graph as radius_neighbors_graph
from pellucid.neighbors.graphs import sort_graph_by_row_values as sort_graph_by_row_values
from pellucid.neighbors.kd_tree import KDTree as KDTree
from pellucid.neighbors.lists import ListNeighbors as ListNeighbors
from pellucid.neighbors.lsh import LSHNeighbors as LSHNeighbors
from pellucid.neighbors.lvq import LVQClassifier as LVQClassifier
from pellucid.neighbors.nearest import NearestNeighbors as NearestNeighbors
from pellucid.neighbors.nearest_centroid import NearestCentroid as NearestCentroid
from pellucid.neighbors.radius import RadiusNeighborsClassifier as RadiusNeighborsClassifier
from pellucid.neighbors.radius import RadiusNeighborsRegressor as RadiusNeighborsRegressor
from pellucid.neighbors.regression import KNeighborsRegressor as KNeighborsRegressor
from pellucid.neighbors.valid_metrics import VALID_METRICS as VALID_METRICS
from pellucid.neighbors.valid_metrics import VALID_METRICS_SPARSE as VALID_METRICS_SPARSE
from pellucid.neighbors.voronoi import VoronoiCells as VoronoiCells

__all__ = [
    "VALID_METRICS",
    "VALID_METRICS_SPARSE",
    "BallTree",
    "CondensedNearestNeighbors",
    "EditedNearestNeighbors",
    "GraphNeighbors",
    "KDTree",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "KNeighborsTransformer",
    "LSHNeighbors",
    "LVQClassifier",
    "ListNeighbors",
    "NearestCentroid",
    "NearestNeighbors",
    "RadiusNeighborsClassifier",
    "RadiusNeighborsRegressor",
    "RadiusNeighborsTransformer",
    "VoronoiCells",
    "kneighbors_graph",
    "radius_neighbors_graph",
    "sort_graph_by_row_values",
]
