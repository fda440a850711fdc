"""Small tables for the main job, each with something that real ones have."""

from __future__ import annotations

import numpy as np
import polars as pl

from pellucid.datasets import load_penguins, load_titanic


def penguins() -> pl.DataFrame:
    """Three classes; gaps."""
    return load_penguins(as_frame="polars").frame


def titanic() -> pl.DataFrame:
    """Two classes; gaps, names, an almost empty column."""
    return load_titanic(as_frame="polars").frame


def sales(rows: int = 400) -> pl.DataFrame:
    """A number; blanks, stand-ins for missing cells, prices as text with a comma, times, a repeated row."""
    random = np.random.default_rng(3)
    town = random.choice(["Oslo", "Rome", "Bern"], rows)
    size = random.normal(80, 20, rows).round(1)
    price = 1000 * (size + 30 * (town == "Rome")) + random.normal(0, 8000, rows)
    day = np.datetime64("2021-03-01") + random.integers(0, 600, rows).astype("timedelta64[D]")
    table = pl.DataFrame(
        {
            "town": [f" {name}" if i % 37 == 0 else "N/A" if i % 41 == 0 else str(name) for i, name in enumerate(town)],
            "size": [None if i % 29 == 0 else float(value) for i, value in enumerate(size)],
            "rates": [f"{value:,.2f}" for value in random.gamma(2, 900, rows)],
            "listed": [str(one) for one in day],
            "price": price.round(0),
        }
    )
    return pl.concat([table, table.head(1)])
