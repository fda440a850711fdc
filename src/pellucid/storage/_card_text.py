"""The card of a model as a text."""

from __future__ import annotations

from textwrap import fill, indent
from typing import TYPE_CHECKING, Any

from pellucid.base.errors import count, join_some

if TYPE_CHECKING:
    from pellucid.storage.card import CardColumn, ModelCard

SHOWN = 12  # levels of a column, values of an array


def lines_of(card: ModelCard) -> list[str]:
    """A card in lines for people; what it leaves out stands in its JSON."""
    own = card.model.rsplit(".", 1)[-1]
    lines = [card.name if card.name == own else f"{card.name} ({own})"]
    lines += _labeled("class", card.model)
    lines += _labeled("task", card.task)
    if card.n_rows is not None:
        lines += _labeled("trained on", f"{count(card.n_rows, 'row')} x {count(len(card.columns), 'column')}")
    lines += _labeled("fingerprint", card.fingerprint)
    if card.target is not None or card.classes is not None:
        classes = "" if card.classes is None else f"classes {join_some(card.classes, SHOWN)}"
        lines += _labeled("target", ": ".join(part for part in (card.target, classes) if part))
    lines += _table("metrics", [(name, f"{value:.6g}") for name, value in card.metrics.items()])
    lines += _table("columns", [(one.name, _kind_words(one)) for one in card.columns])
    lines += _table("settings", [(name, _setting_words(value)) for name, value in card.settings.items()])
    lines += _labeled("versions", ", ".join(f"{name} {version}" for name, version in card.versions.items()))
    lines += _labeled("time", card.time)
    if card.notes:
        lines += ["notes", *(indent(fill(part, 100), "  ") for part in card.notes.splitlines())]
    return lines


def _labeled(label: str, value: str | None) -> list[str]:
    return [] if not value else [f"{label + ':':13}{value}"]


def _table(title: str, rows: list[tuple[str, str]]) -> list[str]:
    width = max((len(name) for name, _ in rows), default=0)
    return [title, *(f"  {name:{width}}  {text}".rstrip() for name, text in rows)] if rows else []


def _kind_words(column: CardColumn) -> str:
    levels = "" if column.levels is None else f": {join_some(column.levels, SHOWN)}"
    return f"{column.kind or ''}{levels}"


def _setting_words(value: Any) -> str:
    """A setting in one line: an estimator by its name alone, a list of named ones as such."""
    if isinstance(value, dict) and set(value) == {"class", "settings"}:
        return str(value["class"]).rsplit(".", 1)[-1]
    if isinstance(value, list):
        inner = [_setting_words(part) for part in value]
        named = len(value) in (2, 3) and isinstance(value[0], str) and isinstance(value[1], dict)
        return f"{inner[0]}: {inner[1]}" if named else _cut(f"[{', '.join(inner)}]")
    return _cut(str(value))


def _cut(text: str, most: int = 100) -> str:
    return text if len(text) <= most else f"{text[: most - 3]}..."
