"""Fourteen days and whether a game was played, as names and as numbers (Witten and Frank, Data Mining); lenses."""

from __future__ import annotations

import pandas as pd

_DAYS = """
sunny    hot  high   false no  85 85
sunny    hot  high   true  no  80 90
overcast hot  high   false yes 83 86
rainy    mild high   false yes 70 96
rainy    cool normal false yes 68 80
rainy    cool normal true  no  65 70
overcast cool normal true  yes 64 65
sunny    mild high   false no  72 95
sunny    cool normal false yes 69 70
rainy    mild normal false yes 75 80
sunny    mild normal true  yes 75 70
overcast mild high   true  yes 72 90
overcast hot  normal false yes 81 75
rainy    mild high   true  no  71 91
"""
_ROWS = [line.split() for line in _DAYS.split("\n") if line]
NAMES = pd.DataFrame([row[:4] for row in _ROWS], columns=["outlook", "temperature", "humidity", "windy"])
NUMBERS = pd.DataFrame([[float(v) for v in row[5:]] for row in _ROWS], columns=["temperature", "humidity"])
PLAY = [row[4] for row in _ROWS]

# Which lenses suit: age, prescription, astigmatism, tear production (Cendrowska 1987).
_AGES = ["young", "pre-presbyopic", "presbyopic"]
_LENSES = """
none soft none hard none soft none hard none soft none hard
none soft none none none none none hard none soft none none"""
LENSES = pd.DataFrame(
    [
        (age, sight, astigmatic, tears)
        for age in _AGES
        for sight in ("myope", "hypermetrope")
        for astigmatic in ("no", "yes")
        for tears in ("reduced", "normal")
    ],
    columns=["age", "prescription", "astigmatic", "tears"],
)
FITTED = _LENSES.split()
