"""The gallery: ``python -m pellucid.working`` lists what can be shown, ``python -m pellucid.working ID`` shows it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pellucid.base.errors import PellucidError
from pellucid.working import gallery
from pellucid.working.entry import known
from pellucid.working.model import Working

FORMS = ("text", "html", "xlsx", "markdown", "latex")
SUFFIXES = {".html": "html", ".htm": "html", ".xlsx": "xlsx", ".md": "markdown", ".tex": "latex", ".txt": "text"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code: 0 done, 1 could not be shown, 2 not understood."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.example is None:
        print(listing())
        return 0
    try:
        working = gallery.show_example(options.example)
        return _write(working, options)
    except (PellucidError, OSError) as error:
        print(error, file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m pellucid.working",
        description="Worked examples with every number shown. Without an example: lists what there is.",
        epilog="examples:  python -m pellucid.working 000-simple-linear-regression"
        "\n           python -m pellucid.working 000-linear-regression-sgd --out sgd.html"
        "\n           python -m pellucid.working 000-linear-regression-sgd --out exercise.xlsx --exercise 0.3",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("example", nargs="?", help="id of a worked example")
    parser.add_argument("--form", choices=FORMS, help="text in the terminal unless told, or by the ending of --out")
    parser.add_argument(
        "--out", type=Path, help="file to write; its ending chooses the form: .html .xlsx .md .tex .txt"
    )
    parser.add_argument("--digits", type=int, default=6, help="digits of the numbers shown (default 6)")
    parser.add_argument("--at", type=int, metavar="PASS", help="only this pass of an iterative algorithm, as text")
    parser.add_argument(
        "--exercise", type=float, metavar="SHARE", help="leave this share of the cells blank (html, xlsx)"
    )
    return parser


def listing() -> str:
    """Everything that can be shown."""
    examples = gallery.titles()
    width = max(map(len, examples))
    lines = ["Worked examples (python -m pellucid.working ID):", ""]
    lines += [f"  {name:{width}}  {title}" for name, title in examples.items()]
    lines += ["", "With your own data:", ""]
    for key in known():
        owner, _, name = key.partition(".")
        call = f"model.show_{name}(...)" if owner[0].isupper() else f"working.show({key}, ...)"
        lines.append(f"  {key:{width}}  {call}")
    return "\n".join(lines)


def _write(working: Working, options: Any) -> int:
    form = options.form or (SUFFIXES.get(options.out.suffix.lower()) if options.out else "text")
    if form is None:
        print(f"--out must end in one of {', '.join(SUFFIXES)}; got {options.out}", file=sys.stderr)
        return 2
    if options.at is not None:
        return _deliver(working.at(options.at), options.out)
    if options.exercise is not None and form not in ("html", "xlsx"):
        print("--exercise needs html or xlsx; add --out exercise.html", file=sys.stderr)
        return 2
    content: Any = working if options.exercise is None else working.exercise(share=options.exercise, random_state=0)
    if form == "xlsx":
        path = content.to_excel(options.out or Path(f"{options.example}.xlsx"))
        print(f"written to {path}")
        return 0
    return _deliver(_text(content, form, options.digits), options.out, working if form == "text" else None)


def _text(content: Any, form: str, digits: int) -> str:
    return str(getattr(content, f"to_{form}")(digits=digits))


def _deliver(text: str, out: Path | None, working: Working | None = None) -> int:
    """Into the file, or to the terminal: with colors if rich is there and somebody looks."""
    if out is not None:
        out.write_text(text, encoding="utf-8")
        print(f"written to {out}")
    elif working is not None and sys.stdout.isatty() and _rich_printed(working):
        pass
    else:
        print(text)
    return 0


def _rich_printed(working: Working) -> bool:
    try:
        from rich.console import Console
    except ImportError:
        return False
    Console().print(working)
    return True


if __name__ == "__main__":
    sys.exit(main())
