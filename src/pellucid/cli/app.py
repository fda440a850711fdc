"""The command and its subcommands. What they need is imported when one of them runs: `--help` must be quick."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    name="pellucid",
    help="Classical machine learning that shows its working.\n\nBegin with [b]pellucid report[/b]: from a table to a "
    "model that can be trusted.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_show_locals=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Data = Annotated[
    str | None, typer.Argument(help="A file (.csv, .tsv, .parquet, .arrow, .jsonl, .xlsx), or SQL with --connect.")
]
Table = Annotated[str, typer.Argument(help="A file: .csv, .tsv, .parquet, .arrow, .jsonl or .xlsx.")]
Model = Annotated[Path, typer.Argument(help="A model file, as report and train write it.")]
Target = Annotated[str | None, typer.Option("--target", "-t", help="The column to predict.")]
Json = Annotated[bool, typer.Option("--json", help="JSON for machines instead of text.")]
Seed = Annotated[int, typer.Option(help="Of everything that is drawn at random.", min=0)]
Minutes = Annotated[float, typer.Option(help="About how long it may take.", min=0.01)]
Drop = Annotated[list[str] | None, typer.Option(help="A column to leave out; may be given again.")]
Connect = Annotated[
    str | None, typer.Option(help="The database of a query: sqlite:///file, duckdb:///file or postgresql://...")
]
Group = Annotated[str | None, typer.Option(help="A column whose equal values mark rows that belong together.")]
Time = Annotated[str | None, typer.Option(help="A column of times: later rows are predicted from earlier ones.")]
Measure = Annotated[
    str | None, typer.Option(help="What models are judged by: roc_auc, accuracy, neg_log_loss, r2, ...")
]
Task = Annotated[
    str | None,
    typer.Option(help="two classes, several classes, number, no target, baskets or ratings; found unless told."),
]


def _version(wanted: bool) -> None:
    if wanted:
        from pellucid import __version__

        typer.echo(f"pellucid {__version__}")
        raise typer.Exit()


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say the version and end.")
    ] = False,
) -> None:
    """Options of the command itself."""


@app.command(epilog="Examples:  pellucid report  ·  pellucid report houses.csv -t price --minutes 5")
def report(
    data: Data = None,
    target: Target = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder to write to.")] = Path("report"),
    minutes: Minutes = 1.0,
    task: Task = None,
    measure: Measure = None,
    drop: Drop = None,
    group: Group = None,
    time: Time = None,
    connect: Connect = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """The main job: looks at a table, cleans it, compares models, explains the best one, and writes a report.

    Without DATA a table that comes with the package is taken. The folder gets the page, the model, the cleaned table,
    the log of changes, a program that makes the same model, and all figures as JSON.
    """
    from pellucid.cli.commands import run_report

    run_report(data, target, out, minutes, task, measure, tuple(drop or ()), group, time, connect, seed, as_json)


@app.command(epilog="Examples:  pellucid quality houses.csv  ·  pellucid quality houses.csv --fail-on error")
def quality(
    data: Table,
    target: Target = None,
    html: Annotated[Path | None, typer.Option(help="Write the profile as a page.")] = None,
    fail_on: Annotated[
        str | None, typer.Option(help="End with code 3 if there is a finding of this severity: error or warning.")
    ] = None,
    connect: Connect = None,
    as_json: Json = False,
) -> None:
    """Describes a table and says what is wrong with it."""
    from pellucid.cli.tables import run_quality

    run_quality(data, target, html, fail_on, connect, as_json)


@app.command(
    epilog="Examples:  pellucid clean sales.csv --out clean.csv  ·  pellucid clean sales.csv -o clean.parquet --all"
)
def clean(
    data: Table,
    out: Annotated[Path, typer.Option("--out", "-o", help="The cleaned table: .csv, .parquet, .xlsx, ...")],
    target: Target = None,
    log: Annotated[Path | None, typer.Option(help="Write every change to this file (.csv or .json).")] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Also what loses something: dropping columns, cutting off, filling in.")
    ] = False,
    connect: Connect = None,
    as_json: Json = False,
) -> None:
    """Mends what is wrong in a table, and says what was changed."""
    from pellucid.cli.tables import run_clean

    run_clean(data, out, target, log, everything, connect, as_json)


@app.command(
    epilog="Examples:  pellucid train houses.csv -t price  ·  pellucid train c.csv -t y --model tree --set max_depth=5"
)
def train(
    data: Table,
    target: Annotated[str, typer.Option("--target", "-t", help="The column to predict.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The model file.")] = Path("model.pellucid"),
    model: Annotated[
        str,
        typer.Option(
            help="boosting, forest, tree, linear, discriminant, bayes, neighbours, margin, kernel, network, ..."
        ),
    ] = "boosting",
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="A setting of the model, name=value; may be given again.")
    ] = None,
    task: Task = None,
    drop: Drop = None,
    connect: Connect = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Fits one model, tells how it does on rows that were kept back, and writes it to a file."""
    from pellucid.cli.commands import run_train

    run_train(data, target, out, model, tuple(settings or ()), task, tuple(drop or ()), connect, seed, as_json)


@app.command(
    epilog="Examples:  pellucid predict model.pellucid new.csv  ·  pellucid predict model.pellucid n.csv -o out.csv -p"
)
def predict(
    model: Model,
    data: Table,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="A .csv file; standard output unless told.")] = None,
    probabilities: Annotated[bool, typer.Option("--probabilities", "-p", help="Also of each class.")] = False,
    keep: Annotated[list[str] | None, typer.Option(help="A column of the table to write too.")] = None,
) -> None:
    """Answers new rows with a model; files of any size, part by part."""
    from pellucid.cli.models import run_predict

    run_predict(model, data, out, probabilities, tuple(keep or ()))


@app.command(epilog="Example:  pellucid compare houses.csv -t price --minutes 2")
def compare(
    data: Table,
    target: Annotated[str, typer.Option("--target", "-t", help="The column to predict.")],
    minutes: Minutes = 1.0,
    task: Task = None,
    measure: Measure = None,
    drop: Drop = None,
    group: Group = None,
    time: Time = None,
    connect: Connect = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Compares models on the same folds, and says which differences are real."""
    from pellucid.cli.commands import run_compare

    run_compare(data, target, minutes, task, measure, tuple(drop or ()), group, time, connect, seed, as_json)


@app.command(epilog="Examples:  pellucid working report/model.pellucid --row 17  ·  ... --row 17 --xlsx row17.xlsx")
def working(
    model: Model,
    data: Annotated[str | None, typer.Argument(help="The table; cleaned.csv beside the model unless told.")] = None,
    row: Annotated[int, typer.Option(help="Which row of the table, from 0.", min=0)] = 0,
    xlsx: Annotated[Path | None, typer.Option(help="Write a workbook of live formulas.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write a page.")] = None,
) -> None:
    """Shows how a model comes to its answer for one row, with the row's own numbers."""
    from pellucid.cli.models import run_working

    run_working(model, data, row, xlsx, html)


@app.command(
    epilog="Examples:  pellucid export model.pellucid -o model.onnx  ·  pellucid export model.pellucid -o model.sql"
)
def export(
    model: Model,
    out: Annotated[Path, typer.Option("--out", "-o", help="The file: .onnx, .py, .c or .sql.")],
    table: Annotated[str, typer.Option(help="Of SQL: the table that is read.")] = "data",
    dialect: Annotated[str, typer.Option(help="Of SQL: sqlite, duckdb or postgresql.")] = "sqlite",
) -> None:
    """Writes a model as ONNX, Python, C or SQL."""
    from pellucid.cli.models import run_export

    run_export(model, out, table, dialect)


@app.command(epilog="Example:  pellucid card model.pellucid")
def card(model: Model, as_json: Json = False) -> None:
    """Shows the card of a model: what it was made from, and how good it is. The model itself is not opened."""
    from pellucid.cli.models import run_card

    run_card(model, as_json)


@app.command(epilog="Example:  pellucid rules baskets.csv --support 0.01 --confidence 0.5")
def rules(
    baskets: Annotated[str, typer.Argument(help="One basket a line; or a table of basket and item; or of 0 and 1.")],
    support: Annotated[float, typer.Option(help="Least share of the baskets.", min=0.0, max=1.0)] = 0.01,
    confidence: Annotated[float, typer.Option(help="Least share of right answers.", min=0.0, max=1.0)] = 0.3,
    most: Annotated[int, typer.Option(help="Rules to show.", min=1)] = 30,
    as_json: Json = False,
) -> None:
    """Finds what goes together in baskets: if these, then those."""
    from pellucid.cli.mining import run_rules

    run_rules(baskets, support, confidence, most, as_json)


@app.command(epilog="Example:  pellucid recommend ratings.csv --user 17 --most 5")
def recommend(
    ratings: Annotated[str, typer.Argument(help="A table of user, item and rating.")],
    user: Annotated[
        list[str] | None, typer.Option(help="For whom; may be given again. A few users unless told.")
    ] = None,
    most: Annotated[int, typer.Option(help="Items for each.", min=1)] = 10,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Recommends items to users, by the recommender that does best on ratings that were kept back."""
    from pellucid.cli.mining import run_recommend

    run_recommend(ratings, tuple(user or ()), most, seed, as_json)


@app.command(epilog="Examples:  pellucid show  ·  pellucid show 000-linear-regression-sgd")
def show(
    example: Annotated[str | None, typer.Argument(help="A worked example; a list of all unless told.")] = None,
    xlsx: Annotated[Path | None, typer.Option(help="Write a workbook of live formulas.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write a page.")] = None,
) -> None:
    """Shows a worked example: an algorithm done by hand, step by step."""
    from pellucid.cli.learning import run_show

    run_show(example, xlsx, html)


@app.command(epilog="Examples:  pellucid datasets  ·  pellucid datasets penguins --out penguins.csv")
def datasets(
    name: Annotated[str | None, typer.Argument(help="A table; a list of all unless told.")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write the table to a file.")] = None,
    as_json: Json = False,
) -> None:
    """Lists the tables that come with the package, describes one, or writes it to a file."""
    from pellucid.cli.learning import run_datasets

    run_datasets(name, out, as_json)
