"""Choosing between models honestly: splitting rows, cross-validation, and whether a difference is real."""

from pellucid.model_selection.comparison import Comparison, compare
from pellucid.model_selection.curves import LearningCurve, ValidationCurve, learning_curve, validation_curve
from pellucid.model_selection.diagnosis import (
    Diagnosis,
    WorstRows,
    cross_val_predict,
    diagnose,
    nested_cross_validate,
    worst_rows,
)
from pellucid.model_selection.early_stopping import EarlyStopping
from pellucid.model_selection.iterations import IterationCurve, iteration_curve
from pellucid.model_selection.scorers import get_scorer, get_scorer_names
from pellucid.model_selection.search import (
    GridSearchCV,
    HalvingGridSearchCV,
    HalvingRandomSearchCV,
    RandomizedSearchCV,
)
from pellucid.model_selection.significance import (
    PairedTest,
    ScoreInterval,
    corrected_t_test,
    holm,
    mcnemar_test,
    score_interval,
)
from pellucid.model_selection.simulation import BiasVariance, Bootstrap, bias_variance, bootstrap
from pellucid.model_selection.splits import (
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeaveOneOut,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
    check_cv,
    train_test_split,
    train_validation_test_split,
)
from pellucid.model_selection.validation import Validation, cross_validate

__all__ = [
    "BiasVariance",
    "Bootstrap",
    "Comparison",
    "Diagnosis",
    "EarlyStopping",
    "GridSearchCV",
    "GroupKFold",
    "GroupShuffleSplit",
    "HalvingGridSearchCV",
    "HalvingRandomSearchCV",
    "IterationCurve",
    "KFold",
    "LearningCurve",
    "LeaveOneOut",
    "PairedTest",
    "RandomizedSearchCV",
    "RepeatedKFold",
    "RepeatedStratifiedKFold",
    "ScoreInterval",
    "ShuffleSplit",
    "StratifiedGroupKFold",
    "StratifiedKFold",
    "StratifiedShuffleSplit",
    "TimeSeriesSplit",
    "Validation",
    "ValidationCurve",
    "WorstRows",
    "bias_variance",
    "bootstrap",
    "check_cv",
    "compare",
    "corrected_t_test",
    "cross_val_predict",
    "cross_validate",
    "diagnose",
    "get_scorer",
    "get_scorer_names",
    "holm",
    "iteration_curve",
    "learning_curve",
    "mcnemar_test",
    "nested_cross_validate",
    "score_interval",
    "train_test_split",
    "train_validation_test_split",
    "validation_curve",
    "worst_rows",
]
