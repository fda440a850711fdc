"""All figures of a classification at once."""

from __future__ import annotations

from typing import Any

from pellucid.metrics._averages import Average, ZeroDivision, scores
from pellucid.metrics._labels import label_list
from pellucid.metrics._pairs import read_pair
from pellucid.metrics._report import check_digits, report_dict, report_text, row_names

__all__ = ["classification_report"]


def classification_report(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    target_names: Any = None,
    sample_weight: Any = None,
    digits: int = 2,
    output_dict: bool = False,
    zero_division: ZeroDivision = "warn",
) -> str | dict[str, Any]:
    """Precision, recall, F1 and number of rows of each class, with their averages: as text or as a dict.

    The formulas are those of :func:`precision_recall_fscore_support`. The line "accuracy" stands where the micro
    average would, which is the same figure as long as no class is left out by ``labels``.

    >>> print(classification_report(["no", "no", "yes", "yes"], ["no", "yes", "yes", "yes"]))
                  precision    recall  f1-score   support
    <BLANKLINE>
              no       1.00      0.50      0.67         2
             yes       0.67      1.00      0.80         2
    <BLANKLINE>
        accuracy                           0.75         4
       macro avg       0.83      0.75      0.73         4
    weighted avg       0.83      0.75      0.73         4
    <BLANKLINE>
    """
    who = "classification_report"
    check_digits(who, digits)
    pair = read_pair(who, y_true, y_pred, sample_weight)
    present = pair.labels.tolist()
    label_subset = present if labels is None else label_list(who, labels)
    names = row_names(who, label_subset, target_names, labels is not None)
    multilabel = pair.kind == "multilabel-indicator"
    precision, recall, f1, support = scores(who, pair, labels=label_subset, zero_division=zero_division)
    assert support is not None
    rows: dict[str, list[Any]] = {
        name: list(row) for name, *row in zip(names, precision, recall, f1, support, strict=False)
    }
    averages: dict[str, list[Any]] = {}
    options: tuple[Average, ...] = (
        ("micro", "macro", "weighted", "samples")
        if multilabel
        else (
            "micro",
            "macro",
            "weighted",
        )
    )
    for average in options:
        is_accuracy = average == "micro" and not multilabel and set(label_subset) >= set(present)
        means = scores(who, pair, labels=label_subset, average=average, warn_for=(), zero_division=zero_division)
        averages["accuracy" if is_accuracy else f"{average} avg"] = [*means[:3], support.sum()]
    return report_dict(rows, averages) if output_dict else report_text(names, rows, averages, int(digits))
