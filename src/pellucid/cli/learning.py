"""Worked examples, and the tables that come with the package."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pellucid.cli.out import guarded, say, say_json


def run_show(example: str | None, xlsx: Path | None, html: Path | None) -> None:
    """`pellucid show`."""
    with guarded():
        from pellucid.working import gallery
        from pellucid.working.__main__ import listing

        if example is None:
            say(listing())
            return
        working = gallery.show_example(example)
        if xlsx is not None:
            working.to_excel(xlsx)
            say(f"The workbook is in {xlsx}", "green")
        if html is not None:
            working.to_html(html)
            say(f"The page is in {html}", "green")
        if xlsx is None and html is None:
            say(working)


def run_datasets(name: str | None, out: Path | None, as_json: bool) -> None:
    """`pellucid datasets`."""
    with guarded():
        from pellucid import datasets
        from pellucid.base.errors import UnknownNameError, format_message, join_some
        from pellucid.data.slices import write_frame

        loaders = {loader.removeprefix("load_"): getattr(datasets, loader) for loader in datasets.__all__}
        if name is None:
            _list(loaders, as_json)
            return
        if name not in loaders:
            actual = f"there is no {name!r}; there are {join_some(loaders, 20)}"
            raise UnknownNameError(format_message("datasets", "the table must come with the package", actual=actual))
        loaded = loaders[name](as_frame="polars")
        if out is not None:
            write_frame(loaded.frame, out, "datasets")
            say(f"{name}, {loaded.frame.height:,} rows, is in {out}", "green")
        elif as_json:
            say_json(
                {"name": name, "rows": loaded.frame.height, "columns": loaded.frame.columns, "about": loaded.DESCR}
            )
        else:
            say(loaded.DESCR)


def _list(loaders: dict[str, Any], as_json: bool) -> None:
    tables = []
    for name, load in loaders.items():
        frame = load(as_frame="polars").frame
        about = str(load.__doc__).splitlines()[0]
        tables.append({"name": name, "rows": frame.height, "columns": frame.width, "about": about})
    if as_json:
        say_json(tables)
        return
    for table in tables:
        say(f"{table['name']:12} {table['rows']:>6} rows x {table['columns']:>3} columns  {table['about']}")
