"""Drawings that others made, put into the page: shapes and text alone, with ids that clash with nothing else.

The page's policy lets no style or script of theirs run in any case; here they are left out, so that nothing tries.
"""

from __future__ import annotations

import re
from html import escape
from xml.etree import ElementTree

from pellucid.report.page_text import visible

_SHAPES = frozenset(
    ("svg", "g", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text", "tspan", "title", "desc",
     "defs", "clipPath", "linearGradient", "radialGradient", "stop", "use", "pattern", "marker")
)  # fmt: skip
_STYLED = frozenset(
    ("fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "opacity",
     "fill-opacity", "stroke-opacity", "font-size", "font-family", "font-weight", "font-style", "text-anchor",
     "stop-color", "stop-opacity")
)  # fmt: skip
_INSIDE = re.compile(r"url\(\s*['\"]?#([^'\")]+)['\"]?\s*\)")
_IDS = ("aria-labelledby", "aria-describedby")


def inline_svg(svg: str, prefix: str) -> str:
    """A drawing that can stand in a page, or "" if it cannot be read.

    >>> inline_svg('<svg viewBox="0 0 9 9"><script>alert(1)</script><rect id="a" onload="x()" width="9"/></svg>', "p-")
    '<svg viewBox="0 0 9 9"><rect id="p-a" width="9"></rect></svg>'
    """
    try:
        root = ElementTree.fromstring(re.sub(r"<!DOCTYPE[^\[>]*>", "", svg))
    except (ElementTree.ParseError, ValueError):
        return ""
    return _written(root, prefix) if _bare(root.tag) == "svg" else ""


def _bare(name: str) -> str:
    """A name without its namespace."""
    return name.rsplit("}", 1)[-1]


def _written(node: ElementTree.Element, prefix: str) -> str:
    tag = _bare(node.tag) if isinstance(node.tag, str) else ""
    if tag not in _SHAPES:
        return ""
    attributes = "".join(f' {key}="{escape(value)}"' for key, value in _attributes(node, prefix).items())
    inside = [_text(tag, node.text)]
    for child in node:
        inside += [_written(child, prefix), _text(tag, child.tail)]
    return f"<{tag}{attributes}>{''.join(inside)}</{tag}>"


def _text(tag: str, text: str | None) -> str:
    """Text where a drawing may have some; elsewhere only the breaks between lines."""
    if not text:
        return ""
    if tag in ("text", "tspan", "title", "desc"):
        return escape("\n".join(visible(line) for line in text.split("\n")))
    return "\n" if "\n" in text else ""


def _attributes(node: ElementTree.Element, prefix: str) -> dict[str, str]:
    kept: dict[str, str] = {}
    for name, value in node.attrib.items():
        key = _bare(name)
        if key == "style":
            pairs = (part.split(":", 1) for part in value.split(";") if ":" in part)
            kept.update({k.strip(): v.strip() for k, v in pairs if k.strip() in _STYLED and _is_inside(v)})
        elif key == "id":
            kept[key] = prefix + value
        elif key in _IDS:
            kept[key] = " ".join(prefix + part for part in value.split())
        elif key == "href":
            if value.startswith("#"):
                kept[key] = f"#{prefix}{value[1:]}"
        elif not key.lower().startswith("on") and re.fullmatch(r"[A-Za-z][A-Za-z0-9-]*", key) and _is_inside(value):
            kept[key] = value
    return {key: _INSIDE.sub(lambda found: f"url(#{prefix}{found[1]})", value) for key, value in kept.items()}


def _is_inside(value: str) -> bool:
    """Does a value point at nothing outside the drawing?"""
    return "url(" not in _INSIDE.sub("", value).lower() and "javascript:" not in value.lower()
