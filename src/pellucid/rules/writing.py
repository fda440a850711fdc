"""What rules are written with: Python objects (`column`, `Rule`, `If`, `RuleSet`), or text (`RuleSet.from_text`)."""

from __future__ import annotations

from pellucid.models.rules.conditions import All, AnyOf, Condition, column
from pellucid.models.rules.rule_set import If, Rule, RuleSet
from pellucid.models.rules.text import RuleTextError

__all__ = ["All", "AnyOf", "Condition", "If", "Rule", "RuleSet", "RuleTextError", "column"]
