"""Pictures of baskets: all sets of a few items with their fate, rules of a set, and rules by their measures."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pellucid.base.errors import DataError, ParameterError, UnknownNameError, format_message, short_repr
from pellucid.plotting import _style
from pellucid.plotting._style import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["itemset_lattice", "rule_lattice", "rule_scatter"]

MOST_LISTED = 7  # items of a lattice: 127 sets
MOST_RULE_ITEMS = 5
# Edge, face, letters and line of a box: told apart by more than color.
LOOKS: dict[str, tuple[str, str, str, str]] = {
    "frequent": (_style.BLUE, _style.PALE, _style.INK, "-"),
    "kept": (_style.BLUE, _style.PALE, _style.INK, "-"),
    "infrequent": (_style.VERMILION, "white", _style.VERMILION, "-"),
    "failed": (_style.VERMILION, "white", _style.VERMILION, "-"),
    "pruned": (_style.GRAY, _style.FAINT, _style.GRAY, "--"),
    "not sought": (_style.GRAY, "white", _style.GRAY, ":"),
}
WORDS = {
    "frequent": "frequent",
    "infrequent": "counted, in too few baskets",
    "pruned": "not looked at",
    "not sought": "longer than max_length",
    "kept": "right often enough",
    "failed": "tried, and wrong too often",
}


def itemset_lattice(model: Any, items: Iterable[Any] | None = None, *, ax: "Axes | None" = None) -> "Axes":
    """Draw every set of a few items, a line a length, and what Apriori made of it.

    A line joins a set with each set of one item more. Frequent sets are blue; those that were counted and are in too
    few baskets red; those that were not looked at, because a part is not frequent, gray and dashed.

    Parameters
    ----------
    model : fitted Apriori
    items : up to 7 items, optional
        Those of the baskets unless told.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from pellucid.association import Apriori
    >>> ax = itemset_lattice(Apriori(min_support=0.5).fit([["a", "c"], ["b", "c"]]))
    >>> [text.get_text() for text in ax.texts]
    ['{}', 'a', 'b', 'c', 'a b', 'a c', 'b c', 'a b c']
    """
    who = "itemset_lattice"
    if not hasattr(model, "levels_") or not hasattr(model, "lattice"):
        raise ParameterError(
            format_message(who, "model must be a fitted Apriori", actual=f"got {type(model).__name__}")
        )
    n_items = len(model.items_) if items is None else len(set(items := list(items)))
    if n_items > MOST_LISTED:
        hint = "say which with items="
        raise DataError(
            format_message(
                who, f"a lattice that can be read has at most {MOST_LISTED} items", actual=f"got {n_items}", hint=hint
            )
        )
    itemsets = [((), "frequent"), *model.lattice(items)]
    boxes = [(" ".join(map(str, itemset)) or "{}", fate) for itemset, fate in itemsets]
    return _draw(boxes, [set(itemset) for itemset, _ in itemsets], "items of a set", ax)


def rule_lattice(model: Any, items: Iterable[Any], *, ax: "Axes | None" = None) -> "Axes":
    """Draw every rule that a frequent set can be split into, and what became of it.

    A line goes from a rule to those that claim one item more. Where a rule is wrong too often (red), all below it are
    too, and are not tried (gray, dashed).

    Parameters
    ----------
    model : fitted AssociationRules
    items : a frequent set of 2 to 5 items
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes
    """
    who = "rule_lattice"
    if not hasattr(model, "rules_") or not hasattr(model, "lattice"):
        raise ParameterError(
            format_message(who, "model must be fitted AssociationRules", actual=f"got {type(model).__name__}")
        )
    rule_items = list(items)
    if not 2 <= len(set(rule_items)) <= MOST_RULE_ITEMS:
        requirement = f"the set must have 2 to {MOST_RULE_ITEMS} items"
        raise DataError(format_message(who, requirement, actual=f"got {short_repr(rule_items)}"))
    rules = model.lattice(rule_items)
    boxes = [(f"{' '.join(map(str, left))} → {' '.join(map(str, right))}", fate) for left, right, fate in rules]
    return _draw(boxes, [set(right) for _, right, _ in rules], "items that a rule claims", ax)


def _draw(boxes: Sequence[tuple[str, str]], sets: Sequence[set[Any]], label: str, ax: "Axes | None") -> "Axes":
    """Boxes (text and fate), sets of one size on one line, the smallest on top, joined with those of one item more."""
    from matplotlib import pyplot
    from matplotlib.lines import Line2D

    size = [len(itemset) for itemset in sets]
    rows = sorted(set(size))
    widest = max(size.count(k) for k in rows)
    longest = max(len(text) for text, _ in boxes)
    if ax is None:
        width = min(max(7.0, 0.45 * widest + 0.085 * widest * longest), 40.0)
        ax = pyplot.subplots(figsize=(width, 1.2 + 0.95 * len(rows)), layout="constrained")[1]
    points: list[tuple[float, float]] = []
    for k, of in enumerate(size):
        before = sum(other_size == of for other_size in size[:k])
        points.append(((before + 0.5) / size.count(of), -float(rows.index(of))))
    more = [(a, b) for a in range(len(sets)) for b in range(len(sets)) if size[b] == size[a] + 1 and sets[a] < sets[b]]
    for a, b in more:
        lost = boxes[b][1] in ("pruned", "not sought")
        kind, color = ("--", _style.FAINT) if lost else ("-", _style.GRAY)
        ax.plot(*zip(points[a], points[b], strict=True), color=color, linestyle=kind, linewidth=0.8, zorder=1)
    for (text, fate), (x, y) in zip(boxes, points, strict=True):
        edge, fill, ink, kind = LOOKS[fate]
        box = {"boxstyle": "round,pad=0.35", "edgecolor": edge, "facecolor": fill, "linestyle": kind}
        ax.text(x, y, plain(text), ha="center", va="center", color=ink, fontsize=_style.SMALL, bbox=box, zorder=2)
    ax.set_xlim(0, 1)
    ax.set_ylim(-len(rows) + 0.5, 0.5)
    ax.set_xticks([])
    ax.set_yticks([-float(k) for k in range(len(rows))], [str(k) for k in rows])
    ax.set_ylabel(label)
    ax.spines[["top", "right", "left", "bottom"]].set_visible(False)
    ax.tick_params(length=0)
    fates = list(dict.fromkeys(fate for _, fate in boxes))
    marks = [
        Line2D([], [], marker="s", markersize=9, linestyle="none", markerfacecolor=LOOKS[fate][1],
               markeredgecolor=LOOKS[fate][0], label=WORDS[fate])
        for fate in fates
    ]  # fmt: skip
    ax.legend(handles=marks, frameon=False, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=len(marks))
    return ax


def rule_scatter(
    model: Any,
    *,
    x: str = "support",
    y: str = "confidence",
    color: str = "lift",
    labels: int = 0,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw rules as points: support against confidence, colored by lift, or any other measures.

    Parameters
    ----------
    model : fitted AssociationRules
    x, y, color : names of measures
        One that is infinite for a rule (conviction) leaves the rule out of the picture, and the title says so.
    labels : int, default=0
        The first so many rules are named beside their points.
    ax : matplotlib Axes, optional
        Where to draw; a new figure otherwise.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from pellucid.association import AssociationRules
    >>> ax = rule_scatter(AssociationRules(min_support=1).fit([["a", "b"], ["a", "b"], ["a"]]))
    >>> ax.get_title()
    '2 rules'
    """
    who = "rule_scatter"
    if not hasattr(model, "rules_") or not hasattr(model.rules_, "measures"):
        raise ParameterError(
            format_message(who, "model must be fitted AssociationRules", actual=f"got {type(model).__name__}")
        )
    rules = model.rules_
    unknown = [name for name in (x, y, color) if name not in rules.measures]
    if unknown:
        requirement = f"x, y and color must be measures of rules ({', '.join(rules.measures)})"
        raise UnknownNameError(format_message(who, requirement, actual=f"got {unknown[0]!r}"))
    if not len(rules):
        hint = "lower min_support or min_confidence"
        raise DataError(format_message(who, "there must be rules to draw", actual="the model found none", hint=hint))
    figures = np.column_stack([rules.measures[name] for name in (x, y, color)])
    is_finite = np.isfinite(figures).all(axis=1)
    ax = _style.axes() if ax is None else ax
    order = np.flatnonzero(is_finite)[np.argsort(figures[is_finite, 2], kind="stable")]  # the largest lie on top
    points = ax.scatter(
        figures[order, 0], figures[order, 1], c=figures[order, 2], cmap="viridis",
        s=_style.marker_size(len(order)) ** 2, linewidths=0,
    )  # fmt: skip
    ax.figure.colorbar(points, ax=ax, label=color.replace("_", " "))
    labeled: list[tuple[float, float]] = []
    for k in range(min(labels, len(rules))):
        if is_finite[k]:
            labeled.append((figures[k, 0], figures[k, 1]))  # names of rules at one place stand one below the other
            right = figures[k, 0] > figures[is_finite, 0].mean()  # toward the middle, away from the bar of colors
            below = (-5 if right else 5, 14 - 10 * labeled.count(labeled[-1]))
            text = plain(str(rules[k]).replace("=>", "→"))
            ax.annotate(text, labeled[-1], xytext=below, textcoords="offset points", ha="right" if right else "left",
                        fontsize=_style.SMALL - 2)  # fmt: skip
    _style.tidy(ax)
    ax.set_xlabel(x.replace("_", " "))
    ax.set_ylabel(y.replace("_", " "))
    lost = int((~is_finite).sum())
    title = f"{len(rules):,} rule{'s' if len(rules) != 1 else ''}"
    ax.set_title(title + (f", {lost:,} of them without a finite number" if lost else ""), fontsize=_style.TITLE)
    return ax
