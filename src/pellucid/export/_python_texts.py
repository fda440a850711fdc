"""Functions of Python that exported models call, written once: those that a model does not need are left out."""

from __future__ import annotations

VALUE = """def _value(row, place):
    if isinstance(row, dict):
        return row[COLUMNS[place]]
    if len(row) != len(COLUMNS):
        raise ValueError(f"a row must have {len(COLUMNS)} values; got {len(row)}")
    return row[place]"""

NUMBER = """def _number(row, place):
    value = _value(row, place)
    if value is None:
        return math.nan
    if isinstance(value, (str, bytes)):
        raise TypeError(f"column {COLUMNS[place]!r} must hold numbers; got {value!r}")
    return float(value)"""

CODE = """def _code(row, place, codes, unknown):
    value = _value(row, place)
    if value is None or value != value:
        return math.nan
    return float(codes.get(value, unknown))"""

TEXT = """def _text(row, place, strip, replaced):
    value = _value(row, place)
    if value is None or value != value:
        return None
    if not isinstance(value, str):
        return value
    while strip and value != value.strip().strip(_NO_WIDTH):
        value = value.strip().strip(_NO_WIDTH)
    value = replaced.get(value, value)
    return None if strip and value == "" else value"""

TEXT_NUMBER = """def _text_number(value, pattern, decimal, thousands):
    if not isinstance(value, str):
        return math.nan if value is None else float(value)
    if not pattern.fullmatch(value):
        return math.nan
    return float(value.replace(thousands, "").replace(decimal, ".") if thousands else value.replace(decimal, "."))"""

TEXT_CODE = """def _text_code(value, codes, unknown):
    return math.nan if value is None else float(codes.get(value, unknown))"""

EXP = """def _exp(value):
    return math.exp(value) if value < 709.7 else math.inf"""

FIRST_LARGEST = """def _first_largest(*values):
    return values.index(max(values))"""

WEIGHTED_MEDIAN = '''def _weighted_median(values, weights):
    """Of the values in rising order the first up to which the weights make up half of their sum."""
    order = sorted(range(len(values)), key=values.__getitem__)
    reached, so_far = [], 0.0
    for place in order:
        so_far += weights[place]
        reached.append(so_far)
    return next(values[place] for place, weight in zip(order, reached) if weight >= 0.5 * so_far)'''

WALK = '''def _walk(x, sums):
    """Adds what the leaves say that a row ends in.

    Kind 0 goes left at x <= threshold, kind 1 right at x > threshold; everything else goes to the other side.
    """
    for root, first in zip(_ROOT, _FIRST):
        node = root
        while node >= 0:
            value = x[_COLUMN[node]]
            if _KIND[node] == 0:
                node = _LEFT[node] if value <= _THRESHOLD[node] else _RIGHT[node]
            else:
                node = _RIGHT[node] if value > _THRESHOLD[node] else _LEFT[node]
        for k, value in enumerate(_LEAF[~node], first):
            sums[k] += value
    return sums'''

WALK_SETS = '''def _walk(x, sums):
    """Adds what the leaves say that a row ends in.

    Kind 0 goes left at x <= threshold, kind 1 right at x > threshold; kind 2 left and kind 3 right where the category
    is in the set, whose number stands for the threshold; everything else goes to the other side.
    """
    for root, first in zip(_ROOT, _FIRST):
        node = root
        while node >= 0:
            value, kind = x[_COLUMN[node]], _KIND[node]
            if kind == 0:
                left = value <= _THRESHOLD[node]
            elif kind == 1:
                left = not value > _THRESHOLD[node]
            else:
                inside = value == value and _SET[int(_THRESHOLD[node])] >> int(value) & 1 == 1
                left = inside == (kind == 2)
            node = _LEFT[node] if left else _RIGHT[node]
        for k, value in enumerate(_LEAF[~node], first):
            sums[k] += value
    return sums'''
