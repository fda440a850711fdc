"""What the command writes: text or JSON to standard output, progress and errors to standard error; and how it ends.

Exit codes: 0 done; 1 a fault of the program; 2 a wrong call or an input that cannot be used; 3 the data are worse than
was allowed (``quality --fail-on``); 130 interrupted.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn
from rich.text import Text

WRONG, WORSE = 2, 3
Tell = Callable[[str, float], None]


def console() -> Console:
    """Standard output; colors only on a terminal, and lines of a pipe are not broken."""
    return Console(highlight=False, soft_wrap=not sys.stdout.isatty())


def say(text: object = "", style: str = "") -> None:
    """A line of text, as it is: no marks of ours are looked for in what users write."""
    console().print(Text(str(text), style=style))


def say_aside(text: object, style: str = "") -> None:
    """A line beside the answer: to standard error."""
    Console(stderr=True, highlight=False, soft_wrap=True).print(Text(str(text), style=style))


def say_json(value: Any) -> None:
    """One JSON document."""
    from pellucid.base.plain import to_json

    print(to_json(value))


@contextmanager
def guarded(who: str = "report") -> Iterator[None]:
    """Turns what goes wrong into a sentence and an exit code; ``who`` names the command in errors of steps that it has
    in common with a report."""
    from pellucid.base.errors import PellucidError, PellucidWarning

    err = Console(stderr=True, highlight=False, soft_wrap=True)
    messages: set[str] = set()

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        if str(message) not in messages:  # models are fitted many times
            messages.add(str(message))
            err.print(Text(f"note: {message}", style="yellow"))

    with warnings.catch_warnings():
        warnings.simplefilter("default", PellucidWarning)
        warnings.showwarning = show
        try:
            yield
        except PellucidError as error:
            text = str(error)
            err.print(Text(f"{who}{text[6:]}" if text.startswith("report: ") else text, style="red"))
            raise typer.Exit(WRONG) from None
        except FileNotFoundError as error:
            err.print(Text(f"pellucid: there is no {error.filename!r}", style="red"))
            raise typer.Exit(WRONG) from None
        except (PermissionError, IsADirectoryError) as error:
            err.print(Text(f"pellucid: {error.filename!r} cannot be used: {error.strerror}", style="red"))
            raise typer.Exit(WRONG) from None
        except MemoryError:
            err.print(Text("pellucid: there is not enough memory for this table\nhint: use fewer rows", style="red"))
            raise typer.Exit(WRONG) from None
        except KeyboardInterrupt:
            err.print("interrupted")
            raise typer.Exit(130) from None


LEAST = 0.02  # share of the work from which on the time that is left can be told


def time_left(behind: float, told: float, elapsed: float) -> str:
    """About how long it will take still; nothing while too little is behind.

    Parameters
    ----------
    behind : share of the work that was done when it was last told
    told, elapsed : seconds from the beginning until then, and until now

    >>> time_left(0.25, 10.0, 12.0), time_left(0.1, 40.0, 40.0), time_left(0.5, 3.0, 60.0), time_left(0.0, 0.0, 9.0)
    ('about 28 s left', 'about 6 min left', 'nearly done', '')
    """
    if behind < LEAST:
        return ""
    seconds = told * (1 - behind) / behind - (elapsed - told)
    if seconds < 1:
        return "nearly done"
    return f"about {seconds:.0f} s left" if seconds < 90 else f"about {seconds / 60:.0f} min left"


class _TimeLeft(ProgressColumn):
    """Counts down from one step to the next; rich's own column wants many steps of even length."""

    max_refresh = 0.5

    def render(self, task: Any) -> Text:
        text = time_left(task.completed, task.fields.get("told", 0.0), task.elapsed or 0.0)
        return Text(text, style="progress.remaining")


@contextmanager
def progress(quiet: bool = False, clock: Callable[[], float] = monotonic) -> Iterator[Tell]:
    """A bar with the remaining time on a terminal; nothing in a pipe. Every step is shown, however short it is."""
    if quiet or not sys.stderr.isatty():
        yield lambda step, behind: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), _TimeLeft())
    with Progress(*columns, console=Console(stderr=True), transient=True, get_time=clock) as bar:
        task = bar.add_task("", total=1.0)

        def tell(step: str, behind: float) -> None:
            bar.update(task, description=step, completed=behind, told=bar.tasks[0].elapsed or 0.0, refresh=True)

        yield tell
