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

BARE = """def _bare(text):
    while text != text.strip().strip(_NO_WIDTH):
        text = text.strip().strip(_NO_WIDTH)
    return text"""

TEXT = """def _text(row, place, strip, replaced):
    value = _value(row, place)
    if value is None or value != value:
        return None
    if not isinstance(value, str):
        return value
    value = _bare(value) if strip else value
    value = replaced.get(value, value)
    return None if strip and value == "" else value"""

TEXT_NUMBER = """def _text_number(value, pattern, decimal, thousands):
    if not isinstance(value, str):
        return math.nan if value is None else float(value)
    if not pattern.fullmatch(value):
        return math.nan
    return float(value.replace(thousands, "").replace(decimal, ".") if thousands else value.replace(decimal, "."))"""

AMOUNT = """def _amount(value, pattern, decimal, thousands):
    if not isinstance(value, str):
        return math.nan if value is None else float(value)
    found = pattern.fullmatch(_bare(value).translate(_LOWER).replace("\\u2212", "-"))
    if found is None or bool(found[1]) != bool(found[5]) or (found[2] and found[3]):
        return math.nan
    digits = found[4].replace(thousands, "") if thousands else found[4]
    number = float(digits.replace(decimal, "."))
    return -number if ("-" in found[2] + found[3]) != bool(found[1]) else number"""

LOWER = '_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}'

TIME = '''def _time(value, pattern, fields, months, cases, bad):
    """Microseconds since 1970; `bad` for a text that is no time. `cases` makes letters comparable."""
    if value is None:
        return math.nan
    if not isinstance(value, str):
        return _moment(value)
    text = _bare(value)
    found = pattern.fullmatch(text.translate(cases))
    if not text or found is None:
        return bad if text else math.nan
    part = {field: group for field, group in zip(fields, found.groups()) if group is not None}
    short = int(part.get("y", 70))
    year = int(part["Y"]) if "Y" in part else short + (1900 if short >= 69 else 2000)
    month = months[part["b"]] if "b" in part else int(part.get("m", 1))
    day, hour, twelve = int(part.get("d", 1)), int(part.get("H", 0)), int(part.get("I", 12))
    minute, second = int(part.get("M", 0)), int(part.get("S", 0))
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    last = 28 + leap if month == 2 else 30 if month in (4, 6, 9, 11) else 31
    if not (year and 1 <= month <= 12 and 1 <= day <= last and hour < 24 and minute < 60 and second < 60):
        return bad
    if not 1 <= twelve <= 12:
        return bad
    hour += twelve % 12 + (12 if part.get("p", "a")[0] == "p" else 0)
    zone = part.get("z", "z")
    ahead = 0 if zone == "z" else (60 * int(zone[1:3]) + int(zone[-2:])) * (1 if zone[0] == "+" else -1)
    minutes = (_day_number(year, month, day) * 24 + hour) * 60 + minute - ahead
    return float((minutes * 60 + second) * 1000000 + int((part.get("f", "") + "000000")[:6]))'''

MOMENT = '''def _moment(value):
    """A date, time of day or both, of the module datetime."""
    if not hasattr(value, "year") and not hasattr(value, "hour"):
        raise TypeError(f"a time must be a text, or a date or time of the module datetime; got {value!r}")
    days = _day_number(value.year, value.month, value.day) if hasattr(value, "year") else 0
    seconds = getattr(value, "hour", 0) * 3600 + getattr(value, "minute", 0) * 60 + getattr(value, "second", 0)
    return float((days * 86400 + seconds) * 1000000 + getattr(value, "microsecond", 0))'''

DAY_NUMBER = '''def _day_number(year, month, day):
    """Days since 1970-01-01."""
    early = month <= 2
    era, of_era = divmod(year - early, 400)
    of_year = (153 * (month + (9 if early else -3)) + 2) // 5 + day - 1
    return era * 146097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719468'''

FLOOR = """def _floor(value):
    return float(math.floor(value)) if math.isfinite(value) else value"""

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
