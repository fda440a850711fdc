"""What rules are written with: Python objects (`column`, `Rule`, `If`, `RuleSet`), or text (`RuleSet.from_text`)."""

from __future__ import annotations

from pellucid.parts.rules.conditions import All, AnyOf, Condition, column
from pellucid.parts.rules.rule_set import If, Rule, RuleSet
from pellucid.parts.rules.text import RuleTextError

__all__ = ["All", "AnyOf", "Condition", "If", "Rule", "RuleSet", "RuleTextError", "column"]
