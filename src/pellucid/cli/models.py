"""Model files: predictions, their working, exports, model cards."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TextIO

from pellucid.cli.options import SqlOptions
from pellucid.cli.out import guarded, progress, say, say_aside

ROWS = 100_000  # read, predicted and written at a time
_VALUES = ("number", "flag", "time")  # kinds of columns whose cells are no names
SMALL = 32_000_000  # bytes of a file that is read whole, as a report reads it


@dataclass(frozen=True)
class RowSource:
    """Where new rows come from, which of their columns the model knows as text, and the kinds of those with values."""

    data: str
    texts: frozenset[str] = frozenset()
    kinds: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Wanted:
    """What is written of each row: columns of the table, the prediction, probabilities, the ends of an interval."""

    keep: tuple[str, ...] = ()
    probabilities: bool = False
    interval: float | None = None

    def heads(self, fitted: Any) -> list[str]:
        """The names of the columns that are written."""
        classes = list(getattr(fitted, "classes_", ())) if self.probabilities else []
        ends = ["low", "high"] if self.interval is not None else []
        return [*self.keep, "prediction", *(f"probability_{name}" for name in classes), *ends]

    def check(self, fitted: Any) -> None:
        """Refuses what the model does not give."""
        from pellucid.base.errors import ParameterError, format_message

        if not hasattr(fitted, "predict"):
            actual, hint = f"{type(fitted).__name__} makes none", "pellucid.load reads it in Python"
            raise ParameterError(format_message("predict", "the model must make predictions", actual=actual, hint=hint))
        if self.probabilities and not hasattr(fitted, "predict_proba"):
            requirement = "--probabilities needs a classifier with probabilities"
            raise ParameterError(format_message("predict", requirement, actual="this model has none"))
        if self.interval is not None and not hasattr(fitted, "intervals_"):
            requirement = "--interval needs a regressor with prediction intervals"
            hint = "pellucid report and pellucid train write such models"
            raise ParameterError(format_message("predict", requirement, actual="this model has none", hint=hint))


def run_predict(
    model: Path, data: str, out: Path | None, probabilities: bool, keep: tuple[str, ...], interval: float | None
) -> None:
    """`pellucid predict`."""
    with guarded():
        from pellucid.storage import load

        fitted, request = load(model), Wanted(keep, probabilities, interval)
        rows_source = RowSource(data, _text_columns(model, fitted), _value_columns(model, fitted))
        if out is None:
            _predict_all(fitted, rows_source, sys.stdout, request, quiet=True)
            return
        with out.open("w", encoding="utf-8", newline="") as file:
            rows = _predict_all(fitted, rows_source, file, request)
        say(f"{rows:,} predictions are in {out}", "green")


def _predict_all(fitted: Any, source: RowSource, file: TextIO, wanted: Wanted, quiet: bool = False) -> int:
    """Reads rows in chunks, predicts them and writes the predictions; returns how many there were."""
    from pellucid.base.errors import ParameterError, format_message
    from pellucid.data.slices import names_of

    wanted.check(fitted)
    writer = csv.writer(file, lineterminator="\n")
    rows, about = 0, _rows_about(source.data)
    odd: dict[str, tuple[int, str]] = {}
    with progress(quiet) as tell:
        for index, frame in enumerate(_parts(source)):
            absent = [name for name in wanted.keep if name not in names_of(frame)]
            if absent:
                raise ParameterError(
                    format_message(
                        "predict", "--keep must name columns of the table", actual=f"there is no {absent[0]!r}"
                    )
                )
            predictions = _predictions(fitted, frame, wanted, source.kinds, odd)
            if index == 0:  # and not before: nothing is written of a table that is refused
                writer.writerow(wanted.heads(fitted))
            writer.writerows(predictions)
            rows += frame.height
            tell(f"{rows:,} rows predicted", min(rows / about, 0.99) if about else 0.0)
    _report_odd(odd, source.kinds)
    return rows


def _report_odd(odd: dict[str, tuple[int, str]], kinds: dict[str, str]) -> None:
    """Names the cells that were taken as missing."""
    for name, (count, example) in odd.items():
        cells = f"{count:,} cell{'s' if count > 1 else ''} of {name!r}"
        say_aside(
            f"note: {cells} could not be read as a {kinds[name]}, such as {example!r}: taken as missing", "yellow"
        )


def _rows_about(data: str) -> float:
    """About how many rows a file of lines has, by the length of its first ones; 0 where that is not known."""
    path = Path(data)
    if path.suffix.lower() not in (".csv", ".tsv", ".txt", ".jsonl", ".ndjson") or not path.is_file():
        return 0.0
    with path.open("rb") as file:
        head = file.read(1 << 20)
    return head.count(b"\n") * path.stat().st_size / max(len(head), 1)


def _text_columns(model: Path, fitted: Any) -> frozenset[str]:
    """Columns that the model knows as text, and does not convert: in new rows 11 is the code '11', as beside '01'."""
    from pellucid.storage import read_card

    cleaner = getattr(fitted, "named_steps", {}).get("cleaner")
    fixes = getattr(cleaner, "remedies_", ())
    converted = {str(name) for item in fixes if item.action.startswith("to_") for name in item.columns}
    return frozenset(item.name for item in read_card(model).columns if item.kind == "text") - converted


def _value_columns(model: Path, fitted: Any) -> dict[str, str]:
    """The columns that held numbers, flags or times in training and that the model does not clean, with that kind."""
    from pellucid.storage import read_card

    cleaner = getattr(fitted, "named_steps", {}).get("cleaner")
    cleaned = {str(name) for item in getattr(cleaner, "remedies_", ()) for name in item.columns}
    columns = read_card(model).columns
    return {item.name: item.kind for item in columns if item.kind in _VALUES and item.name not in cleaned}


def _flag_columns(model: Path) -> list[str]:
    """The columns that held flags in training."""
    from pellucid.storage import read_card

    return [column.name for column in read_card(model).columns if column.kind == "flag"]


def _read_as_trained(source: RowSource) -> Any:
    """A file as a table, in which columns that the model knows as text are text, even if they look like numbers."""
    from pellucid.data.files import TEXT_ENDINGS, ending
    from pellucid.quality import read

    table = read(source.data).table
    if ending(Path(source.data)) not in TEXT_ENDINGS:
        return table
    typed = {name for name, dtype in table.schema.items() if str(dtype) != "String"} & source.texts
    texts = read(source.data, typed=False).table if typed else table
    if texts.height != table.height or not typed.issubset(texts.columns):
        return table
    return table.with_columns(texts[name] for name in sorted(typed))


def _parts(source: RowSource) -> Iterator[Any]:
    """A table whole if it is small, else in parts, of which the first decides on the types."""
    from pellucid.data.files import TypedParts, batches

    data = source.data
    if not Path(data).is_file() or Path(data).stat().st_size < SMALL:
        yield _read_as_trained(source)
        return
    typed = TypedParts(source.texts)
    for frame in batches(data, "predict", rows=ROWS):
        yield typed.add(frame)
    for name, odd in typed.odd.items():
        text = f"note: {odd.count} cells of {name!r} are no {odd.kind}, such as {odd.example!r}: taken as missing"
        say_aside(text, "yellow")


def _check_columns(fitted: Any, frame: Any, who: str) -> None:
    """The table must have the columns that the model was fitted on; others are ignored."""
    from pellucid.base.errors import DataError, format_message, join_some
    from pellucid.data.slices import names_of

    absent = [str(name) for name in getattr(fitted, "feature_names_in_", ()) if str(name) not in names_of(frame)]
    if absent:
        problem = f"there is no {join_some(map(repr, absent))}"
        raise DataError(
            format_message(who, "the table must have the columns that the model was trained on", actual=problem)
        )


def _predictions(
    fitted: Any, frame: Any, wanted: Wanted, kinds: dict[str, str], odd: dict[str, tuple[int, str]]
) -> Any:
    from pellucid.data.stream import with_values

    _check_columns(fitted, frame, "predict")
    columns = [frame[name].to_list() for name in wanted.keep]
    frame = with_values(frame, kinds, odd)
    predictions = fitted.predict(frame)
    columns.append(predictions.tolist())
    if wanted.probabilities:
        columns += fitted.predict_proba(frame).T.tolist()
    if wanted.interval is not None:
        columns += [ends.tolist() for ends in fitted.intervals_.bounds(predictions, wanted.interval)]
    return zip(*columns, strict=True)


def run_working(model: Path, data: str | None, row: int, xlsx: Path | None, html: Path | None) -> None:
    """`pellucid working`."""
    with guarded():
        import numpy as np

        from pellucid.base.errors import DataError, ParameterError, format_message
        from pellucid.data.slices import n_rows_of, take_rows
        from pellucid.data.stream import with_values
        from pellucid.report.local_explanations import working_of
        from pellucid.storage import load

        beside = model.parent / "cleaned.csv"
        if data is None and not beside.exists():
            hint = "pellucid working MODEL DATA --row N"
            raise DataError(
                format_message(
                    "working", "a table is needed", actual=f"there is no cleaned.csv beside {model.name!r}", hint=hint
                )
            )
        fitted = load(model)
        if not hasattr(fitted, "steps"):  # rules and recommenders learn from baskets and ratings
            requirement = "the model must be a pipeline that predicts rows of a table"
            raise ParameterError(format_message("working", requirement, actual=f"got {type(fitted).__name__}"))
        table = _read_as_trained(RowSource(str(data or beside), _text_columns(model, fitted)))
        if row >= n_rows_of(table):
            raise DataError(
                format_message(
                    "working", "the row must be in the table", actual=f"row {row} of {n_rows_of(table)} rows"
                )
            )
        _check_columns(fitted, table, "working")
        selected = take_rows(table, np.array([row]))
        odd: dict[str, tuple[int, str]] = {}
        kinds = _value_columns(model, fitted)
        shown_steps = working_of(fitted, with_values(selected, kinds, odd), row)
        _report_odd(odd, kinds)
        if xlsx is not None:
            shown_steps.to_excel(xlsx)
            say(f"The workbook is in {xlsx}", "green")
        if html is not None:
            shown_steps.to_html(html)
            say(f"The page is in {html}", "green")
        if xlsx is None and html is None:
            say(shown_steps)


def run_export(model: Path, out: Path, sql: SqlOptions, without_cleaning: bool) -> None:
    """`pellucid export`."""
    with guarded():
        from pellucid.base.errors import ParameterError, format_message
        from pellucid.export import to_c, to_onnx, to_python, to_sql
        from pellucid.storage import load

        dialect: Any = sql.dialect
        writers: dict[str, Any] = {
            ".py": to_python,
            ".c": to_c,
            ".sql": lambda fitted: to_sql(
                fitted, table=sql.table, dialect=dialect, keep=sql.key, flags=_flag_columns(model)
            ),
        }
        ending = out.suffix.lower()
        if ending != ".onnx" and ending not in writers:
            raise ParameterError(
                format_message("export", "the ending must be .onnx, .py, .c or .sql", actual=f"got {out.name!r}")
            )
        if sql.key and ending != ".sql":
            raise ParameterError(format_message("export", "--key is for SQL", actual=f"got {out.name!r}"))
        _check_key(model, sql.key)
        fitted = load(model)
        if without_cleaning:
            fitted = _without_cleaning(fitted)
        if ending == ".onnx":
            to_onnx(fitted, out)
        else:
            out.write_text(writers[ending](fitted), encoding="utf-8")
        say(f"The model is in {out}", "green")


def _check_key(model: Path, key: Sequence[str]) -> None:
    """Refuses a key that is no column of the table, where the model file knows all of them."""
    from pellucid.base.errors import ParameterError, format_message, join_some
    from pellucid.storage import read_card

    card = read_card(model) if key else None
    if card is None or card.left_out is None:
        return
    names = [*(column.name for column in card.columns), *card.left_out, *([card.target] if card.target else [])]
    unknown = [name for name in key if name not in names]
    if unknown:
        actual = f"got {join_some(map(repr, unknown))}; there are {join_some(map(repr, names), 12)}"
        near = get_close_matches(unknown[0], names, n=1)
        hint = f"did you mean {near[0]!r}?" if near else ""
        raise ParameterError(
            format_message("export", "--key must name a column of the table of the model", actual=actual, hint=hint)
        )


def _without_cleaning(fitted: Any) -> Any:
    """The steps behind the cleaning that a report put before its model."""
    if [name for name, _ in getattr(fitted, "steps", ())][:2] != ["columns", "cleaner"]:
        return fitted
    say_aside("note: the export does not clean rows: it expects them as they are after the cleaning", "yellow")
    return fitted[2:]


def run_card(model: Path, as_json: bool) -> None:
    """`pellucid card`."""
    with guarded():
        from pellucid.storage import read_card

        card = read_card(model)
        if as_json:
            print(card.to_json())
        else:
            say(card)
