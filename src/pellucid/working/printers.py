"""Boxes as Unicode text, LaTeX and MathML."""

from __future__ import annotations

from html import escape
from unicodedata import normalize

from pellucid.working.boxes import (
    GREEK,
    Array,
    Big,
    Box,
    Cases,
    Fence,
    Fraction,
    Number,
    Power,
    Root,
    Row,
    Sign,
    Symbol,
    Word,
)

RAISED = dict(zip("0123456789+-−()=n iTt*", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁽⁾⁼ⁿ ⁱᵀᵗ*", strict=True))
LOWERED = dict(zip("0123456789+-−()=aehijklmnoprstuvx ", "₀₁₂₃₄₅₆₇₈₉₊₋₋₍₎₌ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ ", strict=True))
COMBINING = {"bar": "\N{COMBINING MACRON}", "hat": "\N{COMBINING CIRCUMFLEX ACCENT}", "tilde": "\N{COMBINING TILDE}"}

# ---------------------------------------------------------------------------------------------------------------- text


def unicode(box: Box) -> str:
    """On one line, with raised and lowered letters where Unicode has them.

    >>> from pellucid.working import Cell, sqrt
    >>> from pellucid.working.notation import in_symbols, with_numbers
    >>> a = Cell("a", value=9.0, symbol="a_1")
    >>> b = Cell("b", sqrt(a) / (a - 3), value=0.5, symbol=r"\\bar{b}")
    >>> unicode(in_symbols(b)), unicode(with_numbers(b))
    ('b̄ = √a₁ / (a₁ − 3)', 'b̄ = √9 / (9 − 3) = 0.5')
    """
    match box:
        case Number(mantissa, exponent):
            return mantissa if exponent is None else f"{mantissa}×10{_script(str(exponent), RAISED, '^')}"
        case Word(text):
            return text
        case Sign(text, wide):
            return f" {text} " if wide else text or " "
        case Symbol():
            return _symbol(box)
        case Row(items):
            return _joined(_without_gaps(items))
        case Fraction(above, below):
            return f"{_tight(above, slash=True)} / {_tight(below)}"
        case Power(base, exponent):
            return f"{_tight(base)}{_script(unicode(exponent), RAISED, '^')}"
        case Root(body):
            return f"√{_tight(body)}"
        case Big(sign, index, body):
            return f"{sign}{_script(index, LOWERED, '_')} {unicode(body)}"
        case Fence(left, body, right):
            return f"{left}{unicode(body)}{right}"
        case Cases(condition, then, otherwise):
            first = f"({unicode(then)})" if isinstance(then, Cases) else unicode(then)
            return f"{first} if {unicode(condition)}, else {unicode(otherwise)}"
        case Array(rows):
            return "[" + "; ".join(", ".join(unicode(entry) for entry in row) for row in rows) + "]"


def _joined(items: list[Box]) -> str:
    """One after the other; a fraction that begins with a minus is put in brackets behind a sign: 1 − (−2 / 3)."""
    texts: list[str] = []
    for at, item in enumerate(items):
        text, before = unicode(item), items[at - 1] if at else None
        behind_sign = isinstance(before, Sign) and before.text in ("+", "−") and before.wide
        texts.append(f"({text})" if behind_sign and isinstance(item, Fraction) and text.startswith("−") else text)
    return "".join(texts)


def _without_gaps(items: tuple[Box, ...]) -> list[Box]:
    """Brackets beside brackets need no space: (a)(b)."""
    visible_items: list[Box] = []
    for at, item in enumerate(items):
        is_gap = isinstance(item, Sign) and item.text == "" and not item.wide
        if is_gap and (isinstance(items[at - 1], Fence) or isinstance(items[at + 1], Fence)):
            continue
        visible_items.append(item)
    return visible_items


def _symbol(box: Symbol) -> str:
    base = normalize("NFC", box.base + COMBINING.get(box.accent, ""))  # one letter where there is one
    sub = "" if box.sub is None else _script(unicode(box.sub), LOWERED, "_")
    return base + sub + ("" if box.sup is None else _script(unicode(box.sup), RAISED, "^"))


def _script(text: str, letters: dict[str, str], mark: str) -> str:
    """Raised or lowered letters if there is one for each, else a mark and brackets."""
    alike = sum(letter.isalpha() for letter in text) <= 1 or letters is RAISED  # not one of Sₓₓ and S_xy lowered
    if text and alike and all(letter in letters for letter in text):
        return "".join(letters[letter] for letter in text)
    return f"{mark}{text}" if text.isalnum() or _bracketed(text) else f"{mark}({text})"


def _bracketed(text: str) -> bool:
    """Is the whole of it between one pair of brackets?"""
    depth = 0
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return at == len(text) - 1 and text.startswith("(")
    return False


def _tight(box: Box, slash: bool = False) -> str:
    """In brackets unless it holds together by itself. Before a slash a product does, elsewhere not."""
    text = unicode(box)
    alone = isinstance(box, Number | Word | Symbol | Fence | Root | Array) or (slash and isinstance(box, Power | Big))
    if slash and isinstance(box, Row):
        alone = not any(isinstance(item, Sign) and item.text in ("+", "−") for item in box.items[1:])
    if isinstance(box, Number) and not slash:
        alone = box.exponent is None and not box.mantissa.startswith("−")
    if isinstance(box, Row) and len(box.items) == 2 and isinstance(box.items[1], Fence):
        alone = True
    return text if alone else f"({text})"


# --------------------------------------------------------------------------------------------------------------- LaTeX

_LATEX_SIGNS = {
    "−": "-", "×": r"\times", "·": r"\cdot", "…": r"\cdots", "≤": r"\le", "≥": r"\ge", "": r"\,",
    "∑": r"\sum", "±": r"\pm", "⌊": r"\lfloor", "⌋": r"\rfloor",
}  # fmt: skip
_LATEX_LETTERS = {letter: name for name, letter in GREEK.items()}
_ESCAPED = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "−": "$-$",
    "“": "``",
    "”": "''",
    "∞": r"$\infty$",
}


def latex(box: Box) -> str:
    """LaTeX for math mode."""
    match box:
        case Number(mantissa, exponent):
            plain = mantissa.replace("−", "-").replace("∞", r"\infty")
            return plain if exponent is None else rf"{plain} \times 10^{{{exponent}}}"
        case Word(text):
            return _latex_word(text)
        case Sign(text, _):
            return f" {_LATEX_SIGNS.get(text, text)} "
        case Symbol():
            return _latex_symbol(box)
        case Row(items):
            return "".join(latex(item) for item in _without_gaps(items))
        case Fraction(above, below):
            return rf"\frac{{{latex(above)}}}{{{latex(below)}}}"
        case Power(base, exponent):
            return rf"{{{latex(base)}}}^{{{latex(exponent)}}}"
        case Root(body):
            return rf"\sqrt{{{latex(body)}}}"
        case Big(_, index, body):
            under = index if index.isalnum() else rf"\text{{{latex_text(index)}}}"
            return rf"\sum_{{{under}}} {latex(body)}"
        case Fence(left, body, right):
            sides = [_LATEX_SIGNS.get(side, side) for side in (left, right)]
            return rf"\left{sides[0]} {latex(body)} \right{sides[1]}"
        case Cases(condition, then, otherwise):
            return (
                rf"\begin{{cases}} {latex(then)} & \text{{if }} {latex(condition)} \\ "
                rf"{latex(otherwise)} & \text{{else}} \end{{cases}}"
            )
        case Array(rows):
            lines = r" \\ ".join(" & ".join(latex(entry) for entry in row) for row in rows)
            return rf"\begin{{bmatrix}} {lines} \end{{bmatrix}}"


def _latex_word(text: str) -> str:
    if text.isspace():
        return r"\ "
    if text.isdigit() or (len(text) == 1 and text.isascii() and text.isalpha()):
        return text
    if len(text) == 1 and text in _LATEX_LETTERS:
        return rf"\{_LATEX_LETTERS[text]} "
    return rf"\text{{{latex_text(text)}}}"


def latex_text(text: str) -> str:
    """Any text, safe in LaTeX's text mode."""
    actual = "".join(_ESCAPED.get(letter, f"\\{letter}" if letter in "&%$#_{}" else letter) for letter in text)
    return "".join(rf"$\{_LATEX_LETTERS[letter]}$" if letter in _LATEX_LETTERS else letter for letter in actual)


def _latex_symbol(box: Symbol) -> str:
    if box.base in _LATEX_LETTERS:
        base = rf"\{_LATEX_LETTERS[box.base]}"
    else:
        base = rf"\mathrm{{{latex_text(box.base)}}}" if box.upright and box.base.isalnum() else _latex_base(box)
    base = rf"\{box.accent}{{{base}}}" if box.accent else base
    sub = "" if box.sub is None else f"_{{{latex(box.sub)}}}"
    return base + sub + ("" if box.sup is None else f"^{{{latex(box.sup)}}}")


def _latex_base(box: Symbol) -> str:
    return rf"\text{{{latex_text(box.base)}}}" if box.upright else box.base or "{}"


# -------------------------------------------------------------------------------------------------------------- MathML

_ACCENTS = {"bar": "¯", "hat": "ˆ", "tilde": "˜"}


def mathml(box: Box, *, block: bool = False) -> str:
    """A whole ``<math>`` element."""
    display = ' display="block"' if block else ""
    return f"<math{display}>{_ml(box)}</math>"


def _ml(box: Box) -> str:
    match box:
        case Number(mantissa, exponent):
            plain = f"<mn>{mantissa.removeprefix('−')}</mn>"
            if exponent is not None:
                tens = _row(f"<mo>−</mo><mn>{-exponent}</mn>") if exponent < 0 else f"<mn>{exponent}</mn>"
                plain += f"<mo>×</mo><msup><mn>10</mn>{tens}</msup>"
            return _row(("<mo>−</mo>" if mantissa.startswith("−") else "") + plain)
        case Word(text):
            return _ml_word(text)
        case Sign(text, wide):
            if not text:
                return '<mspace width="0.17em"></mspace>'
            tight = "" if wide else ' lspace="0" rspace="0"'
            return f"<mo{tight}>{escape(text)}</mo>"
        case Symbol():
            return _ml_symbol(box)
        case Row(items):
            return _row("".join(_ml(item) for item in _without_gaps(items)))
        case Fraction(above, below):
            return f"<mfrac>{_ml(above)}{_ml(below)}</mfrac>"
        case Power(base, exponent):
            return f"<msup>{_ml(base)}{_ml(exponent)}</msup>"
        case Root(body):
            return f"<msqrt>{_ml(body)}</msqrt>"
        case Big(sign, index, body):
            return _row(f"<munder><mo>{sign}</mo><mi>{escape(index)}</mi></munder>{_ml(body)}")
        case Fence(left, body, right):
            stretchy = ' stretchy="true"' if left in "([{|⌊" else ""
            prefix, postfix = (f'<mo{stretchy} fence="true" form="{form}">' for form in ("prefix", "postfix"))
            return _row(f"{prefix}{left}</mo>{_ml(body)}{postfix}{right}</mo>")
        case Cases(condition, then, otherwise):
            first = f"<mtr><mtd>{_ml(then)}</mtd><mtd>{_ml_word('if ')}{_ml(condition)}</mtd></mtr>"
            second = f"<mtr><mtd>{_ml(otherwise)}</mtd><mtd><mtext>else</mtext></mtd></mtr>"
            brace = '<mo stretchy="true" fence="true" form="prefix">{</mo>'
            return _row(f'{brace}<mtable columnalign="left">{first}{second}</mtable>')
        case Array(rows):
            lines = "".join("<mtr>" + "".join(f"<mtd>{_ml(entry)}</mtd>" for entry in row) + "</mtr>" for row in rows)
            return _row(
                f'<mo stretchy="true" fence="true" form="prefix">[</mo><mtable columnalign="right">{lines}</mtable>'
                '<mo stretchy="true" fence="true" form="postfix">]</mo>'
            )


def _row(inside: str) -> str:
    return f"<mrow>{inside}</mrow>"


def _ml_word(text: str) -> str:
    """An index is a letter of the formula, as in LaTeX. Browsers drop spaces at the ends of a word: ours are hard."""
    if text.isdecimal():
        return f"<mn>{text}</mn>"
    if len(text) == 1 and text.isalpha():
        return f"<mi>{text}</mi>"
    return "<mtext>" + escape(text).replace(" ", "\N{NO-BREAK SPACE}") + "</mtext>"


def _ml_symbol(box: Symbol) -> str:
    style = ' mathvariant="normal"' if box.upright else ""
    base = f"<mi{style}>{escape(box.base)}</mi>" if box.base else "<mrow></mrow>"
    if box.accent:
        # As an accent the bar of some mathematical fonts lies on the letter itself and cannot be seen.
        accent = "" if box.accent == "bar" else ' accent="true"'
        base = f'<mover{accent}>{base}<mo stretchy="false">{_ACCENTS[box.accent]}</mo></mover>'
    if box.sub is not None and box.sup is not None:
        return f"<msubsup>{base}{_ml(box.sub)}{_ml(box.sup)}</msubsup>"
    if box.sub is not None:
        return f"<msub>{base}{_ml(box.sub)}</msub>"
    return base if box.sup is None else f"<msup>{base}{_ml(box.sup)}</msup>"
