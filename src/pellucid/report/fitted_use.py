"""What a fitted model makes of its columns: the ranks or the columns of a scale, the parts of a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline

from pellucid.base.errors import some
from pellucid.preprocessing import DateTimeFeatures
from pellucid.report.outcome import Role

MOST_PARTS = 20


def roles_as_fitted(roles: Sequence[Role], model: Any) -> tuple[Role, ...]:
    """The roles, with what the preparation of a fitted model says of scales and times. A model with another preparation
    for each of its members has no single answer."""
    used = dict(_uses(model))
    return tuple(_as_fitted(role, used[role.column]) if role.column in used else role for role in roles)


def _as_fitted(role: Role, use: str) -> Role:
    if role.role == "ordinal":
        return replace(role, why=f"{role.why}: {use}") if use == "ranks" else replace(role, role="category", why=use)
    if role.role == "time":
        _, colon, evidence = role.why.partition(":")
        return replace(role, why=f"{use}{colon}{evidence}")
    return role


def _uses(model: Any) -> Iterator[tuple[str, str]]:
    """Columns of scales and times, each with its use."""
    steps = [step for _, step in model.steps] if isinstance(model, Pipeline) else []
    for step in steps:
        if not isinstance(step, ColumnTransformer):
            continue
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
        yield str(columns[place]), f"taken apart into {some(parts, MOST_PARTS)}"
