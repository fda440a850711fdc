"""Choosing between models honestly: splitting rows, cross-validation, and whether a difference is real."""

from pellucid.model_selection.comparison import Comparison, compare
from pellucid.model_selection.significance import (
    PairedTest,
    ScoreInterval,
    corrected_t_test,
    holm,
    mcnemar_test,
    score_interval,
)
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
    "Comparison",
    "GroupKFold",
    "GroupShuffleSplit",
    "KFold",
    "LeaveOneOut",
    "PairedTest",
    "RepeatedKFold",
    "RepeatedStratifiedKFold",
    "ScoreInterval",
    "ShuffleSplit",
    "StratifiedGroupKFold",
    "StratifiedKFold",
    "StratifiedShuffleSplit",
    "TimeSeriesSplit",
    "Validation",
    "check_cv",
    "compare",
    "corrected_t_test",
    "cross_validate",
    "holm",
    "mcnemar_test",
    "score_interval",
    "train_test_split",
    "train_validation_test_split",
]
