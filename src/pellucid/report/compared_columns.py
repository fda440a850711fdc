"""The columns by which rows of a table without a target are compared, and what was made of each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline

from pellucid.base.types import Floats
from pellucid.data.slices import take_columns
from pellucid.quality import Profile
from pellucid.report.columns import RARE, Columns, columns_of, origin, preparation, roles_of, with_names_apart
from pellucid.report.fitted_use import roles_as_fitted
from pellucid.report.outcome import Role

TEXT = "texts of several words: rows are compared by numbers, categories and times"
SAME = "it is the same in all rows once it is encoded"
RARE_VALUES = f"none of its values is in at least {RARE} rows"


@dataclass(frozen=True)
class Compared:
    """The features of the rows, and the columns that they were made of.

    roles : of every column, as it was used
    prepare : the fitted transformer, None if no column is left
    X : the features
    """

    columns: Columns
    roles: tuple[Role, ...]
    prepare: ColumnTransformer | None
    X: Floats


def compared_columns(table: Any, described: Profile, drop: Sequence[str] = ()) -> Compared:
    """Numbers, categories and times that differ between rows once they are encoded. Texts and missing numbers define no
    distance."""
    roles = roles_of(described, None, drop)
    columns = with_names_apart(replace(columns_of(roles, described), texts=(), gaps=()), table)
    prepare, X = _fitted(table, columns)
    if prepare is not None:
        differ = _varying(prepare, X, columns)
        if len(differ) < len(columns.used):
            columns = columns.only(differ)
            prepare, X = _fitted(table, columns)
    kept = _kept_values(prepare, columns, described)
    fitted = roles if prepare is None else roles_as_fitted(roles, make_pipeline(prepare))
    return Compared(columns, tuple(_as_used(role, columns, kept) for role in fitted), prepare, X)


def _fitted(table: Any, columns: Columns) -> tuple[ColumnTransformer | None, Floats]:
    if not columns.used:
        return None, np.empty((0, 0))
    seen = take_columns(table, columns.used)
    prepare = preparation(columns, "matrix").fit(seen)
    return prepare, np.asarray(prepare.transform(seen), dtype=np.float64)


def _varying(prepare: ColumnTransformer, X: Floats, columns: Columns) -> set[str]:
    """The columns of which some feature differs between rows."""
    names = [origin(str(name), columns)[0] for name in prepare.get_feature_names_out()]
    return {name for name, values in zip(names, X.T, strict=True) if np.ptp(values) > 0}


def _kept_values(prepare: ColumnTransformer | None, columns: Columns, described: Profile) -> dict[str, int]:
    """Of each column whose rare values count as one: how many other values have a feature of their own. Where all
    values have one, only missing cells are rare."""
    if prepare is None:
        return {}
    made = [origin(str(name), columns) for name in prepare.get_feature_names_out()]
    pooled = {name for name, value in made if value == "rare"}
    kept = {name: sum(one == name and value not in ("rare", "missing") for one, value in made) for name in pooled}
    return {name: n for name, n in kept.items() if n < described[name].distinct}


def _as_used(role: Role, columns: Columns, kept: dict[str, int]) -> Role:
    """The role of a column, as the fitted features have it."""
    if role.role == "left out":
        return role
    if role.role == "text":
        return Role(role.column, "left out", TEXT)
    if role.column not in columns.used:
        return Role(role.column, "left out", RARE_VALUES if role.role == "category" else SAME)
    if role.column not in kept:
        return role
    n = kept[role.column]
    most = f"the {n} most frequent have a feature each" if n > 1 else "the most frequent has a feature" if n else ""
    return replace(role, why=f"{role.why}; {most + ', and ' if n else ''}the rare ones count as one")
