"""Texts of many kinds for the tests of this folder."""

from __future__ import annotations

import numpy as np

PLAIN = [
    "The quick brown fox jumps over the lazy dog.",
    "the dog sleeps; the fox does not",
    "A fox, a dog and 2 cats: that's 4 animals!",
    "",
    "   \t\n ",
    "cats cats CATS, Cats_and_dogs",
    "over and over and over again",
    "x y z 1 2 3",
]
SCRIPTS = [
    "Élan vital – naïve café, ÜBER straße",
    "ΟΔΥΣΣΕΥΣ και Σίσυφος ΣΑΣ σας",  # the form of the letter sigma depends on its place
    "İstanbul'da IĞDIR ılık DİYARBAKIR",  # an i that is two letters in lower case
    "Привет, МИР! Ёлка",
    "नमस्ते दुनिया हिन्दी",  # marks that belong to no word for Python
    "你好世界 機器學習 テスト",
    "مرحبا بالعالم ١٢٣",
    "x² ½ Ⅷ ℌello 𝔸𝔹ℂ 𐐀𐐁 𝟘𝟙",  # letters and numbers beyond the first 65,536
    "emoji 👍🏽 inside👍words",
    "half of a pair: \ud83d here",
    "no\u00a0break\u2003wide\u200bzero\u0085next\x1cfile",
    "ȺȾ Ⱥⱥ ẞß K Å",  # more or fewer bytes in lower case
]
TEXTS = PLAIN + SCRIPTS


def drawn(rows: int, seed: int = 0, words: int = 60, length: int = 40) -> list[str]:
    """Texts of words that differ in how frequent they are."""
    random = np.random.default_rng(seed)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyzéßλж"))
    known = ["".join(random.choice(letters, size=random.integers(1, 12))) for _ in range(words)]
    shares = 1 / np.arange(1, words + 1)
    marks = [" ", ", ", ". ", "  ", "\n", " – "]
    texts = []
    for _ in range(rows):
        size = random.integers(0, length)
        chosen = random.choice(words, size=size, p=shares / shares.sum())
        joined = "".join(known[k] + marks[random.integers(len(marks))] for k in chosen)
        texts.append(joined.title() if random.random() < 0.3 else joined)
    return texts
