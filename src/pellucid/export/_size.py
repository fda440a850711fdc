"""How large a model may be to be written in a language, and how deep it may nest there."""

from __future__ import annotations

from pellucid.base.errors import ParameterError, format_message
from pellucid.export._form import Trees

NESTED_NODES = 2_000  # nodes that are still written as nested ifs; beyond them arrays and a loop
MOST_NESTED = 30  # levels of ifs in one function: Python allows 100 indentations
MOST_NODES = 2_000_000  # of arrays: some 100 MB of text
MOST_SQL_NODES = {"sqlite": 100_000, "duckdb": 20_000, "postgresql": 100_000}  # of a query, planned within seconds
SQL_DEPTH = 8  # CASE inside CASE: SQLite's parser keeps 100 signs, and each level takes five
SQL_TERMS = 100  # of one sum: SQLite's expressions are at most 1000 deep
MOST_OF_MEDIAN = 100  # answers of which SQL finds the median by comparing each with each
MOST_VECTORS = 1_000  # support vectors of a query: each is a column or two of a subquery
MOST_COLUMNS = 1_500  # of a subquery: SQLite has room for 2000, PostgreSQL for 1664


def check_nodes(who: str, step: Trees, most: int = MOST_NODES, hint: str = "") -> None:
    """Refuses trees that are too large to be read back."""
    if step.nodes > most:
        requirement = f"the trees of a model must have at most {most:,} nodes to be written as code"
        actual = f"these have {step.nodes:,} in {len(step.trees):,} trees"
        raise ParameterError(
            format_message(who, requirement, actual=actual, hint=hint or "grow fewer or smaller trees")
        )
