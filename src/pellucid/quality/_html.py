"""A profile as one page: styles and drawings are in it, nothing is fetched, and it follows the reader's colors."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import isnan

from pellucid.quality._text import (
    distinct,
    figure,
    heading,
    kind_of,
    moment,
    number,
    sentences,
    share,
    size,
    value_of,
    values,
)  # fmt: skip
from pellucid.quality.described import ColumnProfile, Matrix, NumberProfile, Profile

_STYLE = """
.pellucid-profile{--ink:#1c2430;--soft:#5b6675;--line:#d9dee6;--page:#ffffff;--card:#f6f8fb;--bar:#3b6fb6;--warm:#b4532a;
 font:14px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;color:var(--ink);background:var(--page);
 max-width:72rem;margin:0 auto;padding:1rem}
@media (prefers-color-scheme:dark){.pellucid-profile{--ink:#e4e8ee;--soft:#9aa6b5;--line:#343c48;--page:#14181e;
 --card:#1c222a;--bar:#7fb0f0;--warm:#f0a070}}
.pellucid-profile h1{font-size:1.5rem;margin:.2rem 0}.pellucid-profile h2{font-size:1.1rem;margin:1.6rem 0 .5rem}
.pellucid-profile h3{font-size:1rem;margin:0;overflow-wrap:anywhere}
.pellucid-profile .soft{color:var(--soft)}.pellucid-profile .scroll{overflow-x:auto}
.pellucid-profile table{border-collapse:collapse;font-variant-numeric:tabular-nums}
.pellucid-profile td,.pellucid-profile th{padding:.15rem .6rem;border-bottom:1px solid var(--line);text-align:right;
 font-weight:normal;white-space:nowrap;background:transparent;color:inherit}
.pellucid-profile th{color:var(--soft)}
.pellucid-profile td:first-child,.pellucid-profile th:first-child{text-align:left;padding-left:0;white-space:normal;
 overflow-wrap:break-word;min-width:6rem;max-width:18rem}
.pellucid-profile .left td:last-child,.pellucid-profile .left th:last-child{text-align:left;white-space:normal;
 min-width:14rem}
.pellucid-profile .card table{width:100%}
.pellucid-profile .cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,22rem),1fr));gap:.8rem;
 align-items:start}
.pellucid-profile .card{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.8rem;
 min-width:0}
.pellucid-profile .kind{border:1px solid var(--line);border-radius:1rem;padding:0 .5rem;color:var(--soft);
 font-size:.85em;white-space:nowrap}
.pellucid-profile .head{display:flex;justify-content:space-between;gap:.5rem;align-items:baseline;margin-bottom:.4rem}
.pellucid-profile svg{width:100%;height:auto;display:block}.pellucid-profile .bar{fill:var(--bar)}
.pellucid-profile .box{fill:none;stroke:var(--ink);stroke-width:1.2}
.pellucid-profile .out{stroke:var(--warm);stroke-width:2}
.pellucid-profile .track{background:var(--line);border-radius:2px;height:.5rem;min-width:4rem}
.pellucid-profile .track i{display:block;height:100%;background:var(--bar);border-radius:2px}
.pellucid-profile ul{margin:.3rem 0;padding-left:1.2rem}.pellucid-profile .note{color:var(--warm)}
"""


def as_page(profile: Profile, title: str = "Profile") -> str:
    """A whole document."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title><style>html{{background:Canvas}}body{{margin:0}}</style></head>"
        f"<body>{as_fragment(profile, title)}</body></html>\n"
    )


def as_fragment(profile: Profile, title: str = "Profile") -> str:
    """What a notebook shows."""
    notes = sentences(profile)
    elements = [
        f"<style>{_STYLE}</style>",
        '<div class="pellucid-profile">',
        f"<h1>{escape(title)}</h1><p class='soft'>{escape(heading(profile))}</p>",
        _list("Worth knowing", notes),
        "<h2>Columns</h2>",
        _overview(profile),
        '<h2>Column by column</h2><div class="cards">',
        *(_card(column) for column in profile),
        "</div>",
        _associations(profile),
        _shares(profile),
        "</div>",
    ]
    return "".join(elements)


def _list(title: str, lines: Sequence[str]) -> str:
    if not lines:
        return ""
    return f"<h2>{escape(title)}</h2><ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], style: str = "") -> str:
    """Cells are HTML already."""
    top = "".join(f"<th>{cell}</th>" for cell in head)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    table = f'<table class="{style}"><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>'
    return f'<div class="scroll">{table}</div>'


def _overview(profile: Profile) -> str:
    rows = [
        [
            escape(str(column.name)),
            kind_of(column),
            f"{column.missing:,} ({share(column.missing, column.rows)})" if column.missing else "0",
            distinct(column),
            escape(_gist(column)),
        ]
        for column in profile
    ]
    return _table(["column", "kind", "missing", "distinct", "values"], rows, "left")


def _gist(column: ColumnProfile) -> str:
    profile = column.numbers
    if profile is not None and column.kind not in ("flag", "constant"):
        return " … ".join(figure(column, value) for value in (profile.minimum, profile.median, profile.maximum))
    text = values(column)
    return text if len(text) <= 70 else text[:69] + "…"


def _card(column: ColumnProfile) -> str:
    elements = [
        f'<div class="card"><div class="head"><h3>{escape(str(column.name))}</h3>'
        f'<span class="kind">{kind_of(column)}</span></div>'
    ]
    if column.numbers is not None and column.kind not in ("flag", "constant"):
        elements += [
            histogram(column.numbers.histogram.counts),
            box_plot(column.numbers),
            _figures(column, column.numbers),
        ]
    elif column.times is not None:
        times = column.times
        elements += [
            histogram(times.histogram.counts),
            _pairs(column, [("first", str(times.first)), ("last", str(times.last)),
                            ("span", f"{number(times.span_days)} days")]),
        ]  # fmt: skip
    else:
        elements += [_bars(column), _pairs(column, _lengths(column))]
    elements += [f'<p class="note">{escape(note)}</p>' for note in column.notes]
    return "".join([*elements, "</div>"])


def _pairs(column: ColumnProfile, more: Sequence[tuple[str, str]]) -> str:
    entries = [
        ("missing", f"{column.missing:,} ({share(column.missing, column.rows)})"),
        ("distinct", distinct(column)),
    ]
    rows = [[name, escape(value)] for name, value in [*entries, *more]]
    return "<table>" + "".join(f"<tr><td>{a}</td><td>{b}</td></tr>" for a, b in rows) + "</table>"


def _figures(column: ColumnProfile, profile: NumberProfile) -> str:
    quartiles = [profile.quartiles, profile.quartiles_halves, profile.quartiles_halves_with_median]
    modes = ", ".join(figure(column, mode) for mode in profile.modes[:5]) + (", …" if profile.n_modes > 5 else "")
    return _pairs(
        column,
        [
            ("mean", moment(column, profile.mean)),
            ("median", figure(column, profile.median)),
            (f"mode{'s' if profile.n_modes > 1 else ''}", modes or "every value once"),
            ("standard deviation", moment(column, profile.sd)),
            ("smallest, largest", f"{figure(column, profile.minimum)}, {figure(column, profile.maximum)}"),
            ("quartiles, linear", " · ".join(figure(column, q) for q in quartiles[0])),
            ("of halves without the median", " · ".join(figure(column, q) for q in quartiles[1])),
            ("of halves with it", " · ".join(figure(column, q) for q in quartiles[2])),
            ("beyond the fences", f"{profile.below_fences:,} below, {profile.above_fences:,} above"),
            ("skewness", number(profile.skewness) + (f" ({profile.skew})" if profile.skew else "")),
        ],
    )


def _lengths(column: ColumnProfile) -> list[tuple[str, str]]:
    lengths = column.lengths
    if lengths is None:
        return []
    pairs = [("characters", f"{lengths.shortest} to {lengths.longest}, mean {number(lengths.mean)}")]
    return [*pairs, ("blank", f"{lengths.blank:,}")] if lengths.blank else pairs


def _bars(column: ColumnProfile) -> str:
    """The most frequent values with bars."""
    max_count = max((entry.count for entry in column.top), default=1)
    rows = [
        [
            escape(_short(value_of(column, entry.value))),
            f'<div class="track"><i style="width:{100 * entry.count / max_count:.1f}%"></i></div>',
            f"{entry.count:,}",
        ]
        for entry in column.top[:8]
    ]
    return "<table>" + "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows) + "</table>"


def _short(text: str, max_length: int = 32) -> str:
    return text if len(text) <= max_length else text[: max_length - 1] + "…"


# ------------------------------------------------------------------------------------------------------------ drawings


def histogram(counts: Sequence[int], width: int = 320, height: int = 72) -> str:
    """Bars of equal width."""
    max_count = max(counts, default=0) or 1
    step = width / max(len(counts), 1)
    bars = "".join(
        f'<rect class="bar" x="{i * step:.2f}" y="{height * (1 - c / max_count):.2f}" width="{max(step - 1, 0.5):.2f}" '
        f'height="{height * c / max_count:.2f}"/>'
        for i, c in enumerate(counts)
    )
    return f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="histogram">{bars}</svg>'


def box_plot(profile: NumberProfile, width: int = 320, height: int = 22) -> str:
    """A box from quartile to quartile, whiskers to the fences or the ends, and a mark where values lie beyond."""
    low, high = profile.minimum, profile.maximum
    half = high / 2 - low / 2
    if not half > 0:
        return ""

    def x(value: float) -> float:
        return 4 + (width - 8) * min(max((value / 2 - low / 2) / half, 0.0), 1.0)

    low_whisker, high_whisker = max(low, profile.fences.low), min(high, profile.fences.high)
    q1, q2, q3 = (x(q) for q in profile.quartiles)
    middle = height / 2
    lines = [(x(low_whisker), middle, q1, middle), (q3, middle, x(high_whisker), middle), (q2, 3, q2, height - 3)]
    lines += [(x(end), middle - 4, x(end), middle + 4) for end in (low_whisker, high_whisker)]
    whiskers = "".join(
        f'<line class="box" x1="{a:.1f}" y1="{b:.1f}" x2="{c:.1f}" y2="{d:.1f}"/>' for a, b, c, d in lines
    )
    out = [(profile.below_fences, x(low), x(low_whisker)), (profile.above_fences, x(high_whisker), x(high))]
    beyond = "".join(
        f'<line class="out" x1="{a:.1f}" y1="{middle}" x2="{b:.1f}" y2="{middle}" stroke-dasharray="2 3"/>'
        for n, a, b in out
        if n
    )
    box = f'<rect class="box" x="{q1:.1f}" y="3" width="{max(q3 - q1, 0.5):.1f}" height="{height - 6}"/>'
    return f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="box plot">{whiskers}{box}{beyond}</svg>'


# -------------------------------------------------------------------------------------------------------- associations


def _associations(profile: Profile) -> str:
    associations = profile.associations
    if associations is None:
        return ""
    measures = (
        ("Pearson's r", associations.pearson), ("Cramér's V", associations.cramers_v),
        ("Correlation ratio of numbers by categories", associations.correlation_ratio),
    )  # fmt: skip
    sections = [
        f"<h2>{escape(title)}</h2>{_heat(values)}"
        for title, values in measures
        if values is not None
        and len(values.rows)
        and len(values.columns)
        and (len(values.rows) + len(values.columns)) > 2
    ]
    if profile.with_target:
        rows = [
            [escape(str(association.column)), escape(association.measure), f"{association.value:.3f}"]
            for association in profile.with_target
        ]
        sections.append(f"<h2>With the target {escape(str(profile.target))}</h2>")
        sections.append(_table(["column", "measure", "value"], rows))
    return "".join(sections)


def _heat(values: Matrix, max_columns: int = 30) -> str:
    """A matrix with cells the darker the stronger."""
    columns = values.columns[:max_columns]
    rows = [
        [escape(_short(name, 20)), *(_cell(v) for v in values.values[i][: len(columns)])]
        for i, name in enumerate(values.rows[:max_columns])
    ]
    more = max(len(values.rows), len(values.columns)) > max_columns
    note = f"<p class='soft'>The first {max_columns} columns.</p>" if more else ""
    return _table(["", *(escape(_short(name, 14)) for name in columns)], rows) + note


def _cell(value: float) -> str:
    if isnan(value):
        return "-"
    color = "var(--bar)" if value >= 0 else "var(--warm)"
    return (
        f'<span style="background:color-mix(in srgb,{color} {min(abs(value), 1) * 60:.0f}%,transparent);'
        f'padding:.1rem .3rem;border-radius:3px">{value:.2f}</span>'
    )


def _shares(profile: Profile) -> str:
    if len(profile.distance_shares) < 2:
        return ""
    rows = [
        [
            escape(str(name)),
            f'<div class="track"><i style="width:{100 * share:.1f}%"></i></div>',
            f"{100 * share:.1f} %" if share >= 0.001 else "<0.1 %",
        ]
        for name, share in profile.distance_shares[:15]
    ]
    note = f"Of the mean squared Euclidean distance between two rows; the table holds {size(profile.bytes)}."
    return f"<h2>Who decides a distance</h2><p class='soft'>{note}</p>" + _table(["column", "", "share"], rows)
