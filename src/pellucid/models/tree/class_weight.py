"""Weights of rows by their classes, of one target or of several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from pellucid.base.errors import DataError, ParameterError, count, format_message, join_some
from pellucid.base.types import Array, Floats


def class_weights(
    who: str, class_weight: Any, codes: Floats, classes: Sequence[Array], weight: Floats | None
) -> Floats | None:
    """The weight of each row times that of its class; of several targets the product over them.

    class_weight : None; "balanced", which is W / (k W_c) with W the weight of all rows, W_c that of class c of k; a
        dict from labels to weights (labels without one weigh 1); for several targets "balanced" or a list of such
    codes : n x targets, places of the labels in ``classes``
    """
    if class_weight is None:
        return weight
    row_weight = np.ones(len(codes)) if weight is None else weight
    weights_by_target = [class_weight] * len(classes) if isinstance(class_weight, str) else class_weight
    if isinstance(weights_by_target, Mapping):
        if len(classes) > 1:
            requirement = "For multi-output, class_weight must be 'balanced' or a list of dicts, one a target"
            raise ParameterError(format_message(who, requirement, actual=f"got a dict for {len(classes)} targets"))
        weights_by_target = [weights_by_target]
    if len(weights_by_target) != len(classes):
        requirement = "class_weight must have one entry a target: the number of elements in class_weight should match"
        raise ParameterError(
            format_message(who, requirement, actual=f"got {len(weights_by_target)} for {count(len(classes), 'target')}")
        )
    weights = np.asarray(row_weight, dtype=np.float64)
    for k, (target_weight, labels) in enumerate(zip(weights_by_target, classes, strict=True)):
        target_codes = codes[:, k].astype(np.int64)
        weights = weights * _factors(who, target_weight, target_codes, labels, row_weight)[target_codes]
    if not weights.any():
        requirement = "class_weight must leave a class that counts"
        raise DataError(
            format_message(who, requirement, actual=f"every class present weighs nothing: {class_weight!r}")
        )
    return weights


def _factors(who: str, class_weight: Any, target_codes: Array, labels: Array, weight: Floats) -> Floats:
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            requirement = "class_weight must be 'balanced', a dict, a list of these (one a target) or None"
            raise ParameterError(format_message(who, requirement, actual=f"got {class_weight!r}"))
        sizes = np.bincount(target_codes, weights=weight, minlength=len(labels))
        return np.asarray(np.divide(sizes.sum(), (sizes > 0).sum() * sizes, out=np.ones(len(labels)), where=sizes > 0))
    label_list = labels.tolist()
    unknown = [label for label in class_weight if label not in label_list]
    absent = [label for label in label_list if label not in class_weight]
    if unknown and absent:
        actual = (
            f"{join_some(map(repr, unknown))} {'is' if len(unknown) == 1 else 'are'} not among "
            f"{join_some(map(repr, label_list))}"
        )
        raise ParameterError(format_message(who, "class_weight must have the labels of y as keys", actual=actual))
    for label, value in class_weight.items():
        if not isinstance(value, Real) or not 0 <= float(value) < np.inf:
            requirement = "class_weight must hold finite numbers of zero or more"
            raise ParameterError(format_message(who, requirement, actual=f"got {value!r} for class {label!r}"))
    return np.array([float(class_weight.get(label, 1.0)) for label in label_list])
