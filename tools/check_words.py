"""Find private vocabulary in names and prose: the words of the style guide that have a standard counterpart.

    python tools/check_words.py            exits with code 1 if a file has more of a word than before
    python tools/check_words.py --update   stores the current counts in tools/words_left.json
    python tools/check_words.py FILE ...   lists every occurrence in these files

Names are what Python code defines (variables, parameters, functions, classes, attributes) and all identifiers of C++.
Prose is docstrings, comments, texts and Markdown. `ALLOWED` lists ordinary uses of a word. `tools/words_left.json`
holds the occurrences that are still to be replaced; a file may only lose some.
"""

from __future__ import annotations

import ast
import io
import json
import re
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
COUNTS = ROOT / "tools" / "words_left.json"
FOLDERS = ("src", "cpp", "tests", "benchmarks", "tools", "docs")
PAGES = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")

# A name says what it holds. These say something else.
NAMES = {
    word: standard
    for standard, words in {
        "what the variable holds": (
            "found said told taken met heard asked known kept made gone drawn shown given wanted seen chosen held "
            "named one own way place must meant looked"
        ),
        "prediction, leaf value": "answer answers",
        "probability": "chance chances",
        "gradient": "slope slopes",
        "hessian": "curvature curvatures",
        "score, evaluate": "judge worth",
        "fold, subset, partition": "part parts parted parting",
        "buffer, workspace, cache": "room desk keepsake lender",
        "partial tree": "draft",
        "missing value": "gap gaps",
        "Gaussian": "bell bells",
        "activation": "bend bends",
        "input validation": "door",
        "preset": "face faces",
        "options": "wish",
        "comparison, candidate": "race entrant entrants",
        "unknown user, item or category": "stranger strangers",
        "fix, repair": "mend cure remedy",
    }.items()
    for word in words.split()
}

PROSE = {
    r"answers? (for )?(the |all |each |every |of )?rows?": "predict rows",
    r"at the door|one door|the door": "input validation",
    r"bells?": "Gaussian",
    r"cannot be told from|cannot be told apart": "is not significantly different from",
    r"chances of (a |the |each )?(class|label)\w*": "class probabilities",
    r"ends? with code": "exits with code",
    r"(one|two|three|several|a \w+) an? (class|output|row|column|tree|target|fold|round|unit|group)": "one per class",
    r"entrants?": "candidate",
    r"kept back|held back": "held out",
    r"keepsakes?": "cache",
    r"mend(s|ed|ing)?": "fix, repair",
    r"slopes? of (the|a|its|their) loss(es)?": "gradient",
    r"strangers?": "unknown user, item or category",
    r"unless told( otherwise)?": "by default",
    r"worth of (a|the|its) split": "score of a split",
}

# file suffix or folder -> words used there in their ordinary meaning
ALLOWED = {
    "tools/check_words.py": {*NAMES, *PROSE},
    "docs/glossary.md": set(PROSE),
}


@dataclass(frozen=True)
class Occurrence:
    """A word that has a standard counterpart, and where it stands."""

    path: str
    line: int
    word: str
    standard: str


# --------------------------------------------------------------------------------------------------------------- names


def python_names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and name of everything that Python code defines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.attr
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.lineno, node.name


def cpp_names(code: str) -> Iterator[tuple[int, str]]:
    """Line and name of every identifier outside comments and texts."""
    code = re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', lambda m: "\n" * m.group().count("\n"), code, flags=re.S)
    for number, line in enumerate(code.splitlines(), 1):
        for match in re.finditer(r"\b[A-Za-z_]\w*", line):
            yield number, match.group()


# --------------------------------------------------------------------------------------------------------------- prose


def python_prose(code: str) -> Iterator[tuple[int, str]]:
    """First line and text of every comment and text of Python code."""
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type in (tokenize.COMMENT, tokenize.STRING):
            yield token.start[0], token.string


def cpp_prose(code: str) -> Iterator[tuple[int, str]]:
    """First line and text of every comment of C++ code."""
    for match in re.finditer(r"(?:^[ \t]*//[^\n]*\n?)+|//[^\n]*|/\*.*?\*/", code, flags=re.S | re.M):
        yield code.count("\n", 0, match.start()) + 1, match.group()


def occurrences(path: Path) -> Iterator[Occurrence]:
    """Every word with a standard counterpart in a file."""
    name = path.relative_to(ROOT).as_posix()
    allowed = {
        word for place, words in ALLOWED.items() if name.endswith(place) or name.startswith(place) for word in words
    }
    text = path.read_text(encoding="utf-8")
    names: Iterator[tuple[int, str]] = iter(())
    if path.suffix == ".py":
        names, prose = python_names(ast.parse(text)), python_prose(text)
    elif path.suffix in (".hpp", ".cpp"):
        names, prose = cpp_names(text), cpp_prose(text)
    else:
        prose = iter([(1, text)])
    for line, identifier in names:
        word = identifier.strip("_").lower()
        if word in NAMES and word not in allowed:
            yield Occurrence(name, line, word, NAMES[word])
    for line, passage in prose:
        joined = re.sub(r"\s*\n\s*(//|#)?\s*", " ", passage)
        for pattern, standard in PROSE.items():
            if pattern not in allowed:
                for match in re.finditer(rf"\b(?:{pattern})\b", joined, flags=re.I):
                    yield Occurrence(name, line, match.group().lower(), standard)


def checked_files() -> list[Path]:
    """All files of the project that hold names or prose."""
    listed = subprocess.run(["git", "ls-files", *FOLDERS, *PAGES], cwd=ROOT, capture_output=True, text=True, check=True)
    paths = [ROOT / line for line in listed.stdout.splitlines()]
    return [path for path in paths if path.suffix in (".py", ".hpp", ".cpp", ".md") and path.is_file()]


def main(arguments: list[str]) -> int:
    if arguments and arguments[0] != "--update":
        for path in arguments:
            for item in occurrences(Path(path).resolve()):
                print(f"{item.path}:{item.line}: {item.word} (standard: {item.standard})")
        return 0
    items = [item for path in checked_files() for item in occurrences(path)]
    counts = {f"{path}: {word}": n for (path, word), n in sorted(Counter((i.path, i.word) for i in items).items())}
    if arguments:
        COUNTS.write_text(json.dumps(counts, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")
        print(f"{sum(counts.values()):,} occurrences in {len({item.path for item in items})} files")
        return 0
    stored = json.loads(COUNTS.read_text(encoding="utf-8"))
    new = {key for key, n in counts.items() if n > stored.get(key, 0)}
    for item in items:
        if f"{item.path}: {item.word}" in new:
            print(f"{item.path}:{item.line}: {item.word} (standard: {item.standard})")
    return 1 if new else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
