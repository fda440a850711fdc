"""One-letter values beside the words that they abbreviate: F and M beside female and male."""

from __future__ import annotations

from pellucid.quality.checks._reading import readings
from pellucid.quality.checks.registry import register_check
from pellucid.quality.checks.spelling import is_wordy, spelling_finding
from pellucid.quality.column import TableStats
from pellucid.quality.findings import Finding

MOST_WORDS = 6
SHORTEST = 3  # letters of a word


@register_check("initials")
def initials(stats: TableStats) -> list[Finding]:
    """Letters that are the initials of the other values: all values are such letters, in a minority of the rows, and
    words with different initials. Letters may be answers or grades of their own, so confidence is low."""
    findings = []
    for read in readings(stats):
        if not is_wordy(read) or read.is_identifier:
            continue
        indices = [i for i, is_nothing in enumerate(read.nothing.tolist()) if not is_nothing]
        words = {
            i: read.texts[i].lower() for i in indices if len(read.texts[i]) >= SHORTEST and read.texts[i].isalpha()
        }
        letters = {i: read.texts[i].lower() for i in indices if len(read.texts[i]) == 1 and read.texts[i].isalpha()}
        place_of = {word[0]: i for i, word in words.items()}
        if not letters or len(words) + len(letters) < len(indices) or not 2 <= len(words) <= MOST_WORDS:
            continue
        if len(place_of) < len(words) or not set(letters.values()) <= set(place_of):
            continue
        if len(set(letters.values())) < 2 and len(words) > 2:
            continue  # one letter beside several words shows no habit of abbreviating
        n_rows = [int(read.column.counts[list(which)].sum()) for which in (letters, words)]
        if n_rows[0] < n_rows[1]:
            after = {i: place_of[letter] for i, letter in letters.items()}
            findings.append(spelling_finding("initials", read, after, "may be the initial of a word", is_doubtful=True))
    return findings
