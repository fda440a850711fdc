"""What a formula is made of on the page: numbers, symbols, fractions, sums. `printers` writes them out.

A symbol is written by the author of a working in a small part of LaTeX: ``x``, ``\\bar{x}``, ``\\hat{y}``,
``\\beta_1``, ``S_{xy}``, ``\\text{SSE}``.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from pellucid.working.expression import Axis


@dataclass(frozen=True)
class Number:
    """A number as it is shown: mantissa with a leading minus sign, and a power of ten if there is one."""

    mantissa: str
    exponent: int | None = None


@dataclass(frozen=True)
class Word:
    """Upright text inside a formula."""

    text: str


@dataclass(frozen=True)
class Sign:
    """An operator or relation, with space around it if ``wide``."""

    text: str
    wide: bool = True


@dataclass(frozen=True)
class Symbol:
    """A letter or word with an accent, a subscript and a superscript."""

    base: str
    upright: bool = False
    accent: str = ""
    sub: Box | None = None
    sup: Box | None = None


@dataclass(frozen=True)
class Row:
    """Boxes one after the other."""

    items: tuple[Box, ...]


@dataclass(frozen=True)
class Fraction:
    above: Box
    below: Box


@dataclass(frozen=True)
class Power:
    base: Box
    exponent: Box


@dataclass(frozen=True)
class Root:
    body: Box


@dataclass(frozen=True)
class Big:
    """A sum over an index."""

    sign: str
    index: str
    body: Box


@dataclass(frozen=True)
class Fence:
    """Something between brackets or bars."""

    left: str
    body: Box
    right: str


@dataclass(frozen=True)
class Cases:
    """One value under a condition, another one otherwise."""

    condition: Box
    then: Box
    otherwise: Box


@dataclass(frozen=True)
class Array:
    """A matrix written out."""

    rows: tuple[tuple[Box, ...], ...]


Box: TypeAlias = Number | Word | Sign | Symbol | Row | Fraction | Power | Root | Big | Fence | Cases | Array


DOTS = Sign("…", wide=False)


_GREEK_NAMES = """alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau phi chi psi
omega Sigma Delta Theta Phi Lambda ell"""


GREEK = {**dict(zip(_GREEK_NAMES.split(), "αβγδεζηθικλμνξπρστφχψωΣΔΘΦΛℓ", strict=True)), "varphi": "φ"}


@cache
def symbol(text: str) -> Symbol:
    r"""A symbol from its LaTeX: a letter, ``\greek`` or ``\text{word}``, an accent around it, ``_sub``, ``^sup``.

    >>> symbol(r"\hat{\beta}_1")
    Symbol(base='β', upright=False, accent='hat', sub=Word(text='1'), sup=None)
    """
    core, sub, sup = _scripts(text.strip())
    accent_match = re.fullmatch(r"\\(bar|hat|tilde)\s*(?:\{(.*)\}|(\\?\w+))", core)
    accent, core = (accent_match[1], accent_match[2] or accent_match[3]) if accent_match else ("", core)
    word = re.fullmatch(r"\\text\{(.*)\}", core, flags=re.DOTALL)
    base = word[1] if word else GREEK.get(core.removeprefix("\\"), core) if core.startswith("\\") else core
    return Symbol(base, word is not None or len(base) > 1, accent, _script(sub), _script(sup))


def _scripts(text: str) -> tuple[str, str, str]:
    """Split off ``_{...}`` and ``^{...}`` at the end."""
    scripts = {"_": "", "^": ""}
    while match := re.search(r"([_^])(\{[^{}]*\}|\\?[^{}\s\\_^]+|\\\w+)$", text):
        if text.startswith(r"\text{") and match.start() < text.find("}"):
            break
        scripts[match[1]], text = match[2].strip("{}"), text[: match.start()]
    return text, scripts["_"], scripts["^"]


def _script(text: str) -> Box | None:
    return Word(re.sub(r"\\(\w+)", lambda m: GREEK.get(m[1], m[1]), text)) if text else None


def indexed(base: Symbol, axis: Axis, index: Box) -> Symbol:
    """The symbol of one entry of a column: a further subscript, or a raised (t) for a pass of an algorithm."""
    if axis.raised:
        return replace(base, sup=Fence("(", index, ")"))
    if base.sub is None:
        return replace(base, sub=index)
    # A word and a number are kept apart: "below 15.5" of column 3 is not 15.53.
    apart = isinstance(index, Word) and len(index.text) > 1 and not index.text.isdigit()
    return replace(base, sub=Row((index, Sign(",", wide=False), base.sub) if apart else (index, base.sub)))


def number(value: Any, digits: int = 6) -> Box:
    """A number to so many significant digits; text in quotation marks, a flag as a word.

    >>> number(-0.8525), number(5e-07)
    (Number(mantissa='−0.8525', exponent=None), Number(mantissa='5', exponent=-7))
    """
    if isinstance(value, str):
        return Word(f"“{value}”")
    if isinstance(value, bool | np.bool_):
        return Word("true" if value else "false")
    value = float(value)
    if not math.isfinite(value):
        return Word("undefined") if math.isnan(value) else Number(f"{'−' if value < 0 else ''}∞")
    text = f"{value:.{digits}g}"
    if value == int(value) and abs(value) < 1e15:
        text = f"{int(value)}"
    mantissa, _, exponent = text.partition("e")
    return Number(mantissa.replace("-", "−"), int(exponent) if exponent else None)
