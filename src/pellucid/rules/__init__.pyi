# Written by tools/write_stubs.py.
from pellucid.rules.from_tree import rules_of as rules_of
from pellucid.rules.one_r import OneRClassifier as OneRClassifier
from pellucid.rules.prism import PRISMClassifier as PRISMClassifier
from pellucid.rules.ripper import RIPPERClassifier as RIPPERClassifier
from pellucid.rules.rule_classifier import RuleClassifier as RuleClassifier
from pellucid.rules.writing import All as All
from pellucid.rules.writing import AnyOf as AnyOf
from pellucid.rules.writing import Condition as Condition
from pellucid.rules.writing import If as If
from pellucid.rules.writing import Rule as Rule
from pellucid.rules.writing import RuleSet as RuleSet
from pellucid.rules.writing import RuleTextError as RuleTextError
from pellucid.rules.writing import column as column

__all__ = [
    "All",
    "AnyOf",
    "Condition",
    "If",
    "OneRClassifier",
    "PRISMClassifier",
    "RIPPERClassifier",
    "Rule",
    "RuleClassifier",
    "RuleSet",
    "RuleTextError",
    "column",
    "rules_of",
]
