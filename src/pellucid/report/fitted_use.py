"""What a fitted model makes of its columns: the ranks or the columns of a scale, the parts of a time, or nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline

from pellucid.base.errors import join_some
from pellucid.preprocessing import DateTimeFeatures
from pellucid.report.outcome import Role

MOST_PARTS = 20


def roles_as_fitted(roles: Sequence[Role], model: Any) -> tuple[Role, ...]:
    """The roles, with what the preparation of a fitted model says of scales, times and texts. A model with another
    preparation for each of its members has no single answer."""
    used, unread = dict(_uses(model)), unread_texts(roles, model)
    roles = [
        replace(one, why=f"{one.why}, but not for the chosen model") if one.column in unread else one for one in roles
    ]
    return tuple(_as_fitted(role, used[role.column]) if role.column in used else role for role in roles)


def unread_texts(roles: Sequence[Role], model: Any) -> list[str]:
    """Columns of texts that the preparation of a fitted model leaves out, as the model takes no sparse table."""
    preparations = _preparations(model)[-1:]  # the cleaning before it chooses columns too
    lists = [columns for step in preparations for name, _, columns in step.transformers_ if name != "remainder"]
    used = {str(name) for columns in lists for name in ([columns] if isinstance(columns, str) else columns)}
    return [role.column for role in roles if preparations and role.role == "text" and role.column not in used]


def n_read(roles: Sequence[Role], model: Any) -> int:
    """How many columns a fitted model reads."""
    return sum(role.role != "left out" for role in roles) - len(unread_texts(roles, model))


def _preparations(model: Any) -> list[ColumnTransformer]:
    """The steps of a pipeline that prepare its columns."""
    steps = [step for _, step in model.steps] if isinstance(model, Pipeline) else []
    return [step for step in steps if isinstance(step, ColumnTransformer)]


def _as_fitted(role: Role, use: str) -> Role:
    if role.role == "ordinal":
        return replace(role, why=f"{role.why}: {use}") if use == "ranks" else replace(role, role="category", why=use)
    if role.role == "time":
        _, colon, evidence = role.why.partition(":")
        return replace(role, why=f"{use}{colon}{evidence}")
    return role


def _uses(model: Any) -> Iterator[tuple[str, str]]:
    """Columns of scales and times, each with its use."""
    for step in _preparations(model):
        for name, transformer, columns in step.transformers_:
            if name == "times":
                yield from _parts(transformer, list(columns))
            elif name in ("categories", "scales"):
                use = "ranks" if name == "scales" else "one column for each frequent value"
                yield from ((str(column), use) for column in columns)


def _parts(transformer: Any, columns: list[str]) -> Iterator[tuple[str, str]]:
    """Each column of times with the features that were made of it."""
    inside = transformer.steps[0][1] if isinstance(transformer, Pipeline) else transformer
    if not isinstance(inside, DateTimeFeatures):
        return
    for place, features in inside.features_.items():
        parts = [feature.replace("_", " ") for feature in features]
        yield str(columns[place]), f"taken apart into {join_some(parts, MOST_PARTS)}"
