# Written by tools/write_stubs.py.
from pellucid.inspection.dependence import Dependence as Dependence
from pellucid.inspection.dependence import partial_dependence as partial_dependence
from pellucid.inspection.permutation import Importance as Importance
from pellucid.inspection.permutation import permutation_importance as permutation_importance

__all__ = ["Dependence", "Importance", "partial_dependence", "permutation_importance"]
