"""Ordinal scales written as text: words for grades, bands of numbers, sizes, stages."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pellucid.quality.semantic_types.column_values import TextValues
from pellucid.quality.semantic_types.names import names_topic
from pellucid.quality.semantic_types.semantic_type import SemanticType

MOST_LEVELS = 30
# One scale per line, lowest first; a slash separates words of equal rank. Lines that continue a scale are indented.
_SCALES = """
none/absent/no/nil/unlikely | minimal/trace/negligible | very low/lowest/minor/very mild | low/small/mild/slight/light |
    low-medium/below average/mild-moderate | medium/moderate/average/mid/middle/intermediate/normal |
    medium-high/above average/moderate-severe/considerable/substantial |
    high/large/severe/major/heavy/strong | very high/highest/very severe |
    extreme/critical/extremely high/life-threatening | fatal
extremely poor/terrible/awful/worst | very poor/very bad | poor/bad | fair/mediocre/acceptable | below average |
    average/typical/ok/okay/satisfactory | above average | good | very good | great | premium | ideal |
    excellent/outstanding | very excellent/exceptional/perfect
po | fa | ta | gd | ex
d | c | cc | ccc | b | bb | bbb | a | aa | aaa
c | ca | caa | b | ba | baa | a | aa | aaa
i3 | i2 | i1 | si2 | si1 | vs2 | vs1 | vvs2 | vvs1 | if | fl
unacc/unacceptable | acc/acceptable | good | vgood/very good
never | rarely/seldom/almost never | occasionally/sometimes | often/frequently/regularly | usually/mostly/very often |
    almost always | always
strongly disagree/completely disagree/totally disagree | disagree | somewhat disagree/slightly disagree |
    neutral/neither agree nor disagree/undecided/neither | somewhat agree/slightly agree | agree |
    strongly agree/completely agree/totally agree
very dissatisfied/very unsatisfied/extremely dissatisfied | dissatisfied/unsatisfied/somewhat dissatisfied |
    neutral/neither satisfied nor dissatisfied | satisfied/somewhat satisfied | very satisfied/extremely satisfied
very unlikely | unlikely | neutral/possible | likely | very likely
not important/unimportant | slightly important | somewhat important/moderately important | important | very important |
    extremely important
very easy | easy | medium/moderate/normal | hard/difficult | very hard/very difficult | expert
tiny | small | medium/med | large/big | huge/very large/extra large | enormous
xxxs | xxs | xs | s | m | l | xl | xxl/2xl | xxxl/3xl | 4xl | 5xl
vshort/very short | short | medium/average | long/tall | vlong/very long/very tall
low | med/mid | high | vhigh
very slow | slow | medium/moderate/normal | fast/quick | very fast
cold/freezing | cool/chilly | mild/moderate | warm | hot | very hot
none | preschool/nursery/kindergarten | primary/elementary/primary school/primary education/elementary school |
    middle school/lower secondary/lower secondary education |
    secondary/high school/hs-grad/secondary school/high-school/hs/upper secondary/secondary education |
    some college/some-college/vocational | associate/associates/associate's degree/associate degree |
    tertiary/university/higher education/bachelor/bachelors/bachelor's/undergraduate/graduate/bachelor's degree/
    college/bachelor degree/bsc/ba |
    master/masters/master's/postgraduate/master's degree/master degree/msc/ma |
    doctorate/phd/doctoral/doctoral degree/ph.d.
novice/beginner | junior/entry/entry level/trainee | mid/intermediate/mid-level/midlevel | senior/advanced | lead |
    principal/staff/expert
bronze | silver | gold | platinum | diamond
basic/economy/standard | plus/premium economy | premium/business | first/deluxe | luxury
underweight | normal/normal weight/healthy weight/healthy | overweight | obese/obesity | severely obese/extremely obese
infant/baby | child/kid | teen/teenager/adolescent/youth | adult | senior/elderly
young | middle-aged/middle aged | old
freshman | sophomore | junior | senior
negative | neutral | positive
decrease/decreased/down | stable/unchanged/no change/same | increase/increased/up
worse | same/unchanged | better
weak | medium/moderate | strong
light | medium | dark
thin | medium | thick
narrow | medium | wide/broad
dry | moist/damp | wet
sedentary | lightly active/light | moderately active/moderate | active | very active
below basic | basic | proficient | advanced
fail/failed | pass/passed | merit | distinction
minor | moderate | serious/major | critical | catastrophic
recommend | priority | spec_prior | very_recom
benign | uncertain | malignant
1st/first | 2nd/second | 3rd/third | 4th/fourth | 5th/fifth | 6th/sixth | 7th/seventh | 8th/eighth | 9th/ninth
sehr niedrig/sehr gering | niedrig/gering/klein | mittel/mäßig | erheblich | hoch/groß | sehr hoch/sehr groß
ungenügend | mangelhaft | ausreichend | befriedigend | gut | sehr gut
sehr schlecht | schlecht | mittel/mittelmäßig | gut | sehr gut
nie | selten | manchmal/gelegentlich | oft/häufig | meistens | immer
stimme gar nicht zu | stimme nicht zu | neutral/teils teils/teils-teils | stimme zu | stimme voll zu
très faible | faible/petit | moyen/moyenne/limité/modéré | marqué | élevé/élevée/fort/grand | très élevé/très élevée
très mauvais | mauvais | passable/moyen | bon/bien | très bon/très bien | excellent
jamais | rarement | parfois | souvent | toujours
muy bajo/muy baja | bajo/baja | medio/media | alto/alta | muy alto/muy alta
muy malo/muy mala | malo/mala | regular | bueno/buena | muy bueno/muy buena | excelente
nunca | casi nunca/raramente | a veces | a menudo/frecuentemente | casi siempre | siempre
molto basso/molto bassa | basso/bassa | medio/media | alto/alta | molto alto/molto alta
muito baixo/muito baixa | baixo/baixa | médio/média | alto/alta | muito alto/muito alta
zeer laag/zeer klein | laag/klein/gering | matig/gemiddeld | aanzienlijk | hoog/groot | zeer hoog/zeer groot
zeer slecht | slecht | matig/redelijk | voldoende | goed | zeer goed | uitstekend
svært lav/meget lav/meget liten/meget lille | lav/liten/lille | moderat/middels/middel | betydelig | høy/høj/stor |
    svært høy/meget høy/meget høj/svært stor/meget stor
mycket låg/mycket liten | låg/liten | måttlig/medel | betydande | hög/stor | mycket hög/mycket stor
bardzo niski/bardzo niska/bardzo mały/bardzo mała | niski/niska/mały/mała | średni/średnia/umiarkowany/umiarkowana |
    znaczny/znaczna | wysoki/wysoka/duży/duża | bardzo wysoki/bardzo wysoka/bardzo duży/bardzo duża
"""


def _scales_of(text: str) -> tuple[dict[str, int], ...]:
    lines = re.sub(r"([|/])\s*\n\s+", r"\1 ", text.strip()).splitlines()
    return tuple(
        {word.strip(): rank for rank, words in enumerate(line.split("|")) for word in words.split("/") if word.strip()}
        for line in lines
    )


SCALES = _scales_of(_SCALES)


def recognize_ordinal(texts: TextValues) -> SemanticType | None:
    """The scale that all values of a column are on, if there is one."""
    values = [str(value) for value in texts.values[: MOST_LEVELS + 1]]
    present = [value for value in values if value.strip()]
    if not 2 <= len(present) <= MOST_LEVELS or len(values) > MOST_LEVELS:
        return None
    for kind, rank, is_scale in (
        ("bands of numbers", _band, _are_bands),
        ("numbered grades", _numbered, None),
        ("numbered grades", _with_prefix, _speak_of_grades),
        ("grades", _letter_grade, _are_grades),
    ):
        ranks = [rank(_plain(value)) for value in present]
        known_ranks = [r for r in ranks if r is not None]
        is_ranked = len(present) >= 3 and len(known_ranks) == len(present) and len(set(known_ranks)) == len(known_ranks)
        if is_ranked and (is_scale is None or is_scale(texts, [_plain(value) for value in present])):
            return _ordered(present, known_ranks, f"all {len(present)} values are {kind}")
    return _on_a_scale(present) or _roman(present)


def _plain(value: str) -> str:
    return re.sub(r"[\s_]+", " ", value.strip().lower())


def _ordered(values: Sequence[str], ranks: Sequence[float], evidence: str) -> SemanticType:
    pairs = sorted(zip(ranks, values, strict=True), key=lambda pair: (pair[0], pair[1]))
    levels = tuple(value for _, value in pairs)
    return SemanticType("ordinal", f"{evidence}: {', '.join(levels[:8])}{', ...' if len(levels) > 8 else ''}", levels)


def _on_a_scale(values: Sequence[str]) -> SemanticType | None:
    """Three grades or more of one scale, or two that are a pair of opposites on it, each of its own rank."""
    for scale in SCALES:
        ranks = [scale.get(_plain(value), scale.get(_plain(value).replace(" ", "_"))) for value in values]
        known_ranks = [rank for rank in ranks if rank is not None]
        letters = all(len(value) == 1 for value in values) and "s" not in map(_plain, values)  # may be anything
        if (
            len(known_ranks) == len(values)
            and len(set(known_ranks)) == len(known_ranks)
            and len(known_ranks) >= 3
            and not letters
        ):
            return _ordered(values, known_ranks, f"all {len(values)} values are words of one scale")
    return None


# -------------------------------------------------------------------------------------------------------------- bands

_NUMBER = r"[$€£]?\s*\d[\d,.]*\s*[km]?"
_UNIT = r"(?:\s*(?:years?|yrs?|y|kg|g|cm|mm|m|km|h|hours?|days?|min|minutes?|months?|%|jahre|ans|años))?"
_RANGE = re.compile(rf"({_NUMBER}){_UNIT}\s*(?:-|–|to|bis|à)\s*({_NUMBER}){_UNIT}")
_OPEN = re.compile(
    rf"({_NUMBER}){_UNIT}\s*(?:\+|and more|or more|and over|and above|or above|or older|and older|and up|plus|more|"
    rf"und mehr|oder mehr|et plus|ou plus|y más|o más){_UNIT}"
)
_ABOVE = re.compile(
    rf"(?:>=?|≥|over|above|more than|greater than|at least|from|older than|über|mehr als|plus de|más de)\s*"
    rf"({_NUMBER}){_UNIT}"
)
_BELOW = re.compile(
    rf"(?:<=?|≤|under|below|less than|up to|younger than|at most|unter|bis|weniger als|moins de|menos de)\s*"
    rf"({_NUMBER}){_UNIT}"
)
_BELOW_BEHIND = re.compile(rf"({_NUMBER}){_UNIT}\s*(?:or less|or fewer|or under|and under|or younger|and below)")
_SINGLE = re.compile(rf"({_NUMBER}){_UNIT}")
_MORE = frozenset({"more", "many", "mehr", "plus", "más", "more than that", "over"})


def _value(text: str) -> float | None:
    digits = re.sub(r"[$€£\s,]", "", text.lower())
    factor = {"k": 1e3, "m": 1e6}.get(digits[-1:], 1.0)
    try:
        return float(digits.rstrip("km")) * factor
    except ValueError:
        return None


def _band(text: str) -> float | None:
    """The place of a band of numbers: its lower end, a little less for "under", a little more for "over"."""
    if text in _MORE:
        return float("inf")
    for pattern, shift in ((_RANGE, 0.0), (_OPEN, 0.5), (_ABOVE, 0.5), (_BELOW, -0.5), (_BELOW_BEHIND, -0.5),
                           (_SINGLE, 0.0)):  # fmt: skip
        match = pattern.fullmatch(text)
        if match is not None:
            number = _value(match[1])
            return None if number is None else number + shift
    return None


def _are_bands(texts: TextValues, plain: Sequence[str]) -> bool:
    """Ranges such as 18-24, or whole numbers up to "5 or more". Numbers beside "<0.1" are measurements below a limit of
    detection, not bands; 2020-11 may be a month, and 3-1 the result of a match."""
    single = [text for text in plain if _SINGLE.fullmatch(text) is not None]
    ranges = [match for text in plain if (match := _RANGE.fullmatch(text)) is not None]
    if ranges:
        ends = [(_value(match[1]), _value(match[2])) for match in ranges]
        return len(ranges) >= 2 and all(a is not None and b is not None and a < b for a, b in ends)
    if single:
        opened = [text for text in plain if _OPEN.fullmatch(text) is not None or text in _MORE]
        below = [text for text in plain if _BELOW.fullmatch(text) is not None]
        are_integers = all(re.fullmatch(rf"\d{{1,3}}{_UNIT}", text) is not None for text in single)
        return (
            are_integers
            and len(opened) == 1
            and len(below) <= 1
            and len(single) + len(opened) + len(below) == len(plain)
            and max(map(_rank, plain)) == _rank(opened[0])
        )
    return len(plain) >= 3


def _rank(text: str) -> float:
    return _band(text) or 0.0


def _are_grades(texts: TextValues, plain: Sequence[str]) -> bool:
    """Letters alone may be anything, and A+ and B- blood groups: grades have letters with a sign and without one, or
    stand under a name that speaks of grades."""
    signed = [text for text in plain if len(text) > 1]
    if len(signed) == len(plain):
        return False
    return bool(signed) or names_topic(texts.words, "grade")


# ------------------------------------------------------------------------------------------------------------- stages

_GRADE_WORDS = "stage|grade|level|tier|phase|class|rank|step|stufe|grad|niveau|nivel|stadium|stade|quartile|quintile"
_ROMAN = {"i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5, "vi": 6, "vii": 7, "viii": 8, "ix": 9, "x": 10}
_NUMBERED = re.compile(rf"(?:{_GRADE_WORDS}) ?(\d{{1,2}}|[ivx]{{1,4}})([abc]?)")
_NUMBER_FIRST = re.compile(r"(\d{1,2})\s*[-.:=)]\s*[^\W\d].*")
_PREFIXED = re.compile(r"[a-z]{1,2} ?(\d{1,2})")
_STAGE_NAMES = frozenset(
    {"stage", "grade", "level", "tier", "severity", "priority", "stadium", "stufe", "stade", "rank"}
)
_GRADES = {letter + sign: 3 * place + shift
           for place, letter in enumerate("fedcba") for sign, shift in (("-", 0), ("", 1), ("+", 2))}  # fmt: skip


def _numbered(text: str) -> float | None:
    """Stage 2, Grade III, Level 4, "3 - agree"."""
    match = _NUMBERED.fullmatch(text)
    if match is not None:
        number = int(match[1]) if match[1].isdigit() else _ROMAN.get(match[1])
        return None if number is None else number + " abc".index(match[2] or " ") / 10
    match = _NUMBER_FIRST.fullmatch(text)
    return float(match[1]) if match is not None else None


def _with_prefix(text: str) -> float | None:
    """T2, G3, P1, L10: a letter or two before a number may be anything."""
    match = _PREFIXED.fullmatch(text)
    return float(match[1]) if match is not None else None


def _speak_of_grades(texts: TextValues, plain: Sequence[str]) -> bool:
    """One prefix and numbers that follow each other, under a name that speaks of stages or grades."""
    numbers = sorted(_with_prefix(text) or 0.0 for text in plain)
    one_prefix = len({text.rstrip("0123456789 ") for text in plain}) == 1
    return one_prefix and numbers[-1] - numbers[0] == len(numbers) - 1 and not _STAGE_NAMES.isdisjoint(texts.words)


def _letter_grade(text: str) -> float | None:
    """A+, A, A-, B+: letters alone may be anything."""
    return _GRADES.get(text)


def _roman(values: Sequence[str]) -> SemanticType | None:
    """I, II, III, IV; with letters behind, as in IIIa."""
    matches = [re.fullmatch(r"([ivx]{1,4})([abc]?)", _plain(value)) for value in values]
    if len(values) < 3 or any(match is None or match[1] not in _ROMAN for match in matches):
        return None
    ranks = [_ROMAN[m[1]] + " abc".index(m[2] or " ") / 10 for m in matches if m is not None]
    if len(set(ranks)) < len(ranks):  # II and ii, as chords are written
        return None
    return _ordered(values, ranks, f"all {len(values)} values are Roman numerals, alone or with a letter")
