"""What the values of a column mean: an identifier, a zip code, a year, a date written as an integer, an ordinal scale.

The evidence is in the values. A name supports a reading that the values allow; it never decides alone. Where the
evidence does not suffice, the result is None, and the column is treated as what it is stored as.
"""

from pellucid.quality.semantic_types.formatting import format_value
from pellucid.quality.semantic_types.semantic_type import NOT_NUMBERS, SemanticName, SemanticType, semantic_type

__all__ = ["NOT_NUMBERS", "SemanticName", "SemanticType", "format_value", "semantic_type"]
