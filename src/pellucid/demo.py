"""The demonstration: a linear regression on a table that comes with the package, its summary, one plot, its working.

``python -m pellucid.demo`` (or ``make demo``) writes the plot, a page and a workbook into ``demo-output/``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pellucid.datasets import load_penguins
from pellucid.linear_model import LinearRegression


def main(folder: str = "demo-output") -> Path:
    """Fits body mass on flipper length, prints what comes out and returns the path of the plot."""
    frame = load_penguins(as_frame="pandas").frame.dropna(subset=["flipper_length_mm", "body_mass_g"])
    X, y = frame[["flipper_length_mm"]], frame["body_mass_g"]

    model = LinearRegression().fit(X, y)
    summary = model.summary(X, y)
    new = X.head(1).assign(flipper_length_mm=200.0)
    estimate, low, high = summary.predict(new)[0]
    print(f"Body mass of {len(y)} penguins (g) from the length of their flippers (mm)\n")
    print(summary)
    print(f"\nA penguin with flippers of 200 mm: {estimate:.0f} g; ", end="")
    print(f"95 of 100 such penguins weigh between {low:.0f} and {high:.0f} g.")
    path = _plot(model, X, y, summary, Path(folder))
    _show(model, X, y, Path(folder))
    return path


def _show(model: LinearRegression, X: Any, y: Any, folder: Path) -> None:
    """How the model got its numbers: the last steps here, the whole as a page and as a workbook of live formulas."""
    working = model.show_fit(X, y)
    page, book = folder / "working.html", folder / "working.xlsx"
    working.to_html(page)
    working.to_excel(book)
    text = str(working)
    print("\nHow it got there, from the sums on:\n")
    print(text[text.index("4. Sums") : text.index("6. Predictions")].rstrip())
    print(f"\nThe whole working is in {page}, and as a spreadsheet that recomputes the model in {book}")


def _plot(model: LinearRegression, X: Any, y: Any, summary: Any, folder: Path) -> Path:
    from pellucid.plots import regression_line

    ax = regression_line(model, X, y, interval=summary)
    folder.mkdir(exist_ok=True)
    path = folder / "penguins.png"
    ax.figure.savefig(path, dpi=150)  # type: ignore[union-attr]
    print(f"\nThe plot is in {path}")
    return path


if __name__ == "__main__":
    main()
