"""The demonstration: the main job on a table that comes with the package.

``python -m pellucid.demo`` (or ``make demo``) tells the steps and writes the report into ``demo-output/``.
"""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

from pellucid.report import run_study, write


def main(folder: str = "demo-output") -> Path:
    """Looks at the passengers of the Titanic, finds out who lived, and returns the path of the report."""
    begun = perf_counter()

    def tell(step: str, behind: float) -> None:
        print(f"{perf_counter() - begun:5.1f} s  {step}", flush=True)

    outcome = run_study(tell=tell)
    page = write(outcome, folder)
    print(f"\n{outcome.headline}\n")
    for line in outcome.summary:
        print(f"- {line}")
    print(f"\nBeside the page: {', '.join(name for name in outcome_files(page) if name != page.name)}")
    print(f"The report is in {page}")
    return page


def outcome_files(page: Path) -> list[str]:
    """The files of a report, by name."""
    return sorted(path.name for path in page.parent.iterdir() if path.is_file())


if __name__ == "__main__":
    main()
