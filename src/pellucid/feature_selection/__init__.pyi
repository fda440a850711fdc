# Written by tools/write_stubs.py.
from pellucid.feature_selection.correlation import CorrelationFilter as CorrelationFilter
from pellucid.feature_selection.correlation import DroppedColumn as DroppedColumn
from pellucid.feature_selection.from_model import SelectFromModel as SelectFromModel
from pellucid.feature_selection.mutual_information import mutual_info_classif as mutual_info_classif
from pellucid.feature_selection.mutual_information import mutual_info_regression as mutual_info_regression
from pellucid.feature_selection.rfe import RFE as RFE
from pellucid.feature_selection.rfe import RFECV as RFECV
from pellucid.feature_selection.scores import chi2 as chi2
from pellucid.feature_selection.scores import f_classif as f_classif
from pellucid.feature_selection.scores import f_regression as f_regression
from pellucid.feature_selection.scores import r_regression as r_regression
from pellucid.feature_selection.sequential import SelectionRound as SelectionRound
from pellucid.feature_selection.sequential import SequentialFeatureSelector as SequentialFeatureSelector
from pellucid.feature_selection.univariate import GenericUnivariateSelect as GenericUnivariateSelect
from pellucid.feature_selection.univariate import SelectFdr as SelectFdr
from pellucid.feature_selection.univariate import SelectFpr as SelectFpr
from pellucid.feature_selection.univariate import SelectFwe as SelectFwe
from pellucid.feature_selection.univariate import SelectKBest as SelectKBest
from pellucid.feature_selection.univariate import SelectPercentile as SelectPercentile
from pellucid.feature_selection.variance import VarianceThreshold as VarianceThreshold

__all__ = [
    "RFE",
    "RFECV",
    "CorrelationFilter",
    "DroppedColumn",
    "GenericUnivariateSelect",
    "SelectFdr",
    "SelectFpr",
    "SelectFromModel",
    "SelectFwe",
    "SelectKBest",
    "SelectPercentile",
    "SelectionRound",
    "SequentialFeatureSelector",
    "VarianceThreshold",
    "chi2",
    "f_classif",
    "f_regression",
    "mutual_info_classif",
    "mutual_info_regression",
    "r_regression",
]
