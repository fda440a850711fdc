"""The classification report, as text and as a dict; its figures come from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral
from typing import Any

from pellucid.base.errors import PellucidWarning, format_message, short_repr, warn
from pellucid.metrics._read import fail, refuse

HEADS = ("precision", "recall", "f1-score", "support")


def check_digits(who: str, digits: Any) -> None:
    if not isinstance(digits, Integral) or digits < 0:
        refuse(who, "digits must be a whole number of 0 or more", f"got {short_repr(digits)}")


def row_names(who: str, labels: list[Any], target_names: Any, labels_given: bool) -> list[str]:
    if target_names is None:
        return [str(label) for label in labels]
    if isinstance(target_names, str) or not isinstance(target_names, Iterable):
        refuse(who, "target_names must be a list of names", f"got {short_repr(target_names)}")
    names = [str(name) for name in target_names]
    if len(names) != len(labels):
        if not labels_given:
            fail(
                who,
                "target_names must name every class",
                f"Number of classes, {len(labels)}, does not match size of target_names, {len(names)}",
                "Try specifying the labels parameter",
            )
        requirement = f"labels size, {len(labels)}, does not match size of target_names, {len(names)}"
        warn(format_message(who, requirement, actual="classes without a name are left out"), PellucidWarning)
    return names


def report_dict(rows: dict[str, list[Any]], averages: dict[str, list[Any]]) -> dict[str, Any]:
    report: dict[str, Any] = {
        name: dict(zip(HEADS, map(float, row), strict=True)) for name, row in (rows | averages).items()
    }
    if "accuracy" in averages:
        report["accuracy"] = report["accuracy"]["precision"]
    return report


def report_text(names: list[str], rows: dict[str, list[Any]], averages: dict[str, list[Any]], digits: int) -> str:
    width = max(len("weighted avg"), digits, *map(len, names))

    def line(name: str, row: list[Any]) -> str:
        shares = ["" if share is None else f"{share:.{digits}f}" for share in row[:3]]
        return f"{name:>{width}} " + "".join(f" {share:>9}" for share in shares) + f" {row[3]:>9}\n"

    head = f"{'':>{width}} " + "".join(f" {name:>9}" for name in HEADS) + "\n\n"
    ends = [line(name, [None, None, *row[2:]] if name == "accuracy" else row) for name, row in averages.items()]
    return head + "".join(line(name, row) for name, row in rows.items()) + "\n" + "".join(ends)
