# Written by tools/write_stubs.py.
from pellucid.ensemble.ada_boost import AdaBoostClassifier as AdaBoostClassifier
from pellucid.ensemble.ada_boost import AdaBoostRegressor as AdaBoostRegressor
from pellucid.ensemble.bagging import BaggingClassifier as BaggingClassifier
from pellucid.ensemble.bagging import BaggingRegressor as BaggingRegressor
from pellucid.ensemble.extra_trees import ExtraTreesClassifier as ExtraTreesClassifier
from pellucid.ensemble.extra_trees import ExtraTreesRegressor as ExtraTreesRegressor
from pellucid.ensemble.random_forest import RandomForestClassifier as RandomForestClassifier
from pellucid.ensemble.random_forest import RandomForestRegressor as RandomForestRegressor
from pellucid.ensemble.stacking import StackingClassifier as StackingClassifier
from pellucid.ensemble.stacking import StackingRegressor as StackingRegressor
from pellucid.ensemble.voters import Vote as Vote
from pellucid.ensemble.voters import bootstrap_inclusion as bootstrap_inclusion
from pellucid.ensemble.voters import ensemble_error as ensemble_error
from pellucid.ensemble.voters import stage_value as stage_value
from pellucid.ensemble.voters import weighted_vote as weighted_vote
from pellucid.ensemble.voting import VotingClassifier as VotingClassifier
from pellucid.ensemble.voting import VotingRegressor as VotingRegressor

__all__ = [
    "AdaBoostClassifier",
    "AdaBoostRegressor",
    "BaggingClassifier",
    "BaggingRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "StackingClassifier",
    "StackingRegressor",
    "Vote",
    "VotingClassifier",
    "VotingRegressor",
    "bootstrap_inclusion",
    "ensemble_error",
    "stage_value",
    "weighted_vote",
]
