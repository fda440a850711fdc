# Written by tools/write_stubs.py.
from pellucid.tree.c45 import C45Classifier as C45Classifier
from pellucid.tree.chaid import CHAIDClassifier as CHAIDClassifier
from pellucid.tree.chaid import CHAIDRegressor as CHAIDRegressor
from pellucid.tree.decision_tree import DecisionTreeClassifier as DecisionTreeClassifier
from pellucid.tree.decision_tree import DecisionTreeRegressor as DecisionTreeRegressor
from pellucid.tree.diagnostics import Instability as Instability
from pellucid.tree.diagnostics import NodeCurve as NodeCurve
from pellucid.tree.diagnostics import Repetition as Repetition
from pellucid.tree.diagnostics import Replication as Replication
from pellucid.tree.diagnostics import accuracy_by_nodes as accuracy_by_nodes
from pellucid.tree.diagnostics import instability as instability
from pellucid.tree.diagnostics import repetition as repetition
from pellucid.tree.diagnostics import replication as replication
from pellucid.tree.export import export_text as export_text
from pellucid.tree.id3 import ID3Classifier as ID3Classifier
from pellucid.tree.pruning import LeafReplacement as LeafReplacement
from pellucid.tree.pruning import Pruned as Pruned
from pellucid.tree.pruning import PruningStep as PruningStep
from pellucid.tree.pruning import Replaced as Replaced
from pellucid.tree.pruning import cost_complexity_pruning as cost_complexity_pruning
from pellucid.tree.pruning import majority_leaf_pruning as majority_leaf_pruning
from pellucid.tree.pruning import reduced_error_pruning as reduced_error_pruning
from pellucid.tree.simplify import Simplification as Simplification
from pellucid.tree.simplify import Simplified as Simplified
from pellucid.tree.simplify import simplified as simplified
from pellucid.tree.svg import export_svg as export_svg

__all__ = [
    "C45Classifier",
    "CHAIDClassifier",
    "CHAIDRegressor",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ID3Classifier",
    "Instability",
    "LeafReplacement",
    "NodeCurve",
    "Pruned",
    "PruningStep",
    "Repetition",
    "Replaced",
    "Replication",
    "Simplification",
    "Simplified",
    "accuracy_by_nodes",
    "cost_complexity_pruning",
    "export_svg",
    "export_text",
    "instability",
    "majority_leaf_pruning",
    "reduced_error_pruning",
    "repetition",
    "replication",
    "simplified",
]
