"""Which suggestions a Cleaner applies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from pellucid.base.errors import short_repr
from pellucid.quality.actions import ACTIONS
from pellucid.quality.findings import CONFIDENCES, Confidence, Finding, Fix

PRESETS = ("lossless", "suggested", "all")

# What "suggested" applies: everything but dropping columns, cutting off values and filling in typical ones.
SUGGESTED = frozenset(
    {
        "repair_encoding",
        "trim",
        "remove_characters",
        "to_missing",
        "change_case",
        "merge_values",
        "to_number",
        "to_time",
        "to_flag",
        "fill_from",
        "by_group",
        "extract_value",
        "drop_duplicates",
    }
)

# What fills cells in from other cells or sets limits: it needs numbers where texts read as such, and no placeholders.
_CALCULATING = frozenset({"fill_from", "by_group", "outside_to_missing", "clip"})


@dataclass(frozen=True)
class Selection:
    """Suggestions that are wanted.

    preset : "lossless", "suggested", "all", or "" where they are listed
    actions : names of actions, applied from the confidence on
    suggestions : names such as "merge_values:City" or "to_missing:City:Unknown", applied whatever their confidence;
        "drop_duplicates" is the whole name of a suggestion, as it has no column
    remedies : remedies that were given, such as those of a file of fixes
    confidence : the least confidence of what is not named with its column
    """

    preset: str
    actions: frozenset[str]
    suggestions: frozenset[str]
    remedies: tuple[Fix, ...]
    confidence: Confidence

    @classmethod
    def of(cls, actions: Any, confidence: Confidence) -> Selection:
        if isinstance(actions, str):
            names = {"lossless": frozenset(), "suggested": SUGGESTED}.get(actions, frozenset(ACTIONS))
            return cls(actions, names, frozenset(), (), confidence)
        listed = list(actions)
        if "all" in listed:
            return cls("all", frozenset(ACTIONS), frozenset(), _remedies(listed), confidence)
        texts = frozenset(item for item in listed if isinstance(item, str))
        names = frozenset(name for name in texts if name in ACTIONS)
        return cls("", names, texts, _remedies(listed), confidence)

    @property
    def is_empty(self) -> bool:
        """Is no suggestion applied, so that the table need not be checked?"""
        return not self.actions and not self.suggestions

    def with_conversions(self, findings: Iterable[Finding]) -> Selection:
        """These suggestions, and those of the findings that make numbers and missing values of the texts that they
        calculate with. What is suggested was found in the columns as they read, whatever they are stored as."""
        listed = list(findings)
        fixes = [item.fix for item in listed if item.fix is not None and self.wants(item)]
        calculating = [item for item in fixes if item.action in _CALCULATING]
        used = {name for item in calculating for name in (*item.columns, *item.settings.get("of", ()))}
        more = {str(item.suggestion) for item in listed if _is_conversion(item) and used.intersection(item.columns)}
        return replace(self, suggestions=self.suggestions | more)

    @property
    def stages(self) -> list[int]:
        """The stages in which something may be applied."""
        names = {suggestion.partition(":")[0] for suggestion in self.suggestions}
        names |= self.actions | {fix.action for fix in self.remedies}
        return sorted({ACTIONS[name].stage for name in names})

    def wants(self, finding: Finding) -> bool:
        """Is the suggestion of a finding applied?"""
        fix, confidence = finding.fix, finding.confidence
        if fix is None or confidence is None:
            return False
        if not self.suggestions.isdisjoint((fix.name, fix.exact_name)):
            return True
        if fix.action not in self.actions or CONFIDENCES.index(confidence) > CONFIDENCES.index(self.confidence):
            return False
        if self.preset == "all":
            return True
        drops_rows_in_doubt = not ACTIONS[fix.action].keeps_rows and confidence != "high"
        return not fix.settings.get("broken") and not (drops_rows_in_doubt and self.preset == "suggested")


def with_needs(findings: Sequence[Finding]) -> list[Finding]:
    """Findings, of which those that calculate with texts name the conversions that are applied with their remedy."""
    conversions = [finding for finding in findings if _is_conversion(finding)]
    return [_with_needs(finding, conversions) for finding in findings]


def _with_needs(finding: Finding, conversions: list[Finding]) -> Finding:
    fix = finding.fix
    if fix is None or fix.action not in _CALCULATING or finding.requires:
        return finding
    required: dict[Any, Fix] = {}
    for conversion in conversions:  # that of a type comes after that of its placeholders, and takes them along
        required |= {
            name: conversion.fix for name in fix.columns if name in conversion.columns and conversion.fix is not None
        }
    return replace(finding, requires=tuple(required.values()))


def _is_conversion(finding: Finding) -> bool:
    if finding.fix is None or finding.confidence == "low":
        return False
    return finding.fix.action in ("to_number", "to_flag") or finding.check == "placeholders"


def _remedies(listed: list[Any]) -> tuple[Fix, ...]:
    return tuple(item for item in listed if isinstance(item, Fix))


def check_actions(value: Any) -> str | None:
    """What is wrong with the parameter ``actions``, or None."""
    if isinstance(value, str):
        presets = ", ".join(map(repr, PRESETS))
        return None if value in PRESETS else f"actions must be one of {presets}, or a list; got {value!r}"
    if not isinstance(value, Iterable):
        return f"actions must be one of {', '.join(map(repr, PRESETS))}, or a list; got {short_repr(value)}"
    for item in value:
        if not isinstance(item, Fix) and (not isinstance(item, str) or item.partition(":")[0] not in {*ACTIONS, "all"}):
            return f"actions must be among {', '.join(sorted(ACTIONS))}; got {short_repr(item)}{_nearest(item)}"
    return None


def _nearest(name: Any) -> str:
    near = get_close_matches(str(name).partition(":")[0], ACTIONS, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""
