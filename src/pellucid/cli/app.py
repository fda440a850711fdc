"""The command and its subcommands. Each imports what it needs when it runs, so that `--help` is quick."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pellucid.cli.arguments import (
    FILES,
    BasketColumn,
    Connect,
    CostFn,
    CostFp,
    Data,
    Drop,
    GroupColumn,
    Html,
    ItemColumn,
    Json,
    Keep,
    Metric,
    Minutes,
    Model,
    NeededTarget,
    NewRows,
    Positive,
    RatingColumn,
    Seed,
    Share,
    Suggest,
    Table,
    Target,
    TargetTask,
    Task,
    Threshold,
    TimeColumn,
    UserColumn,
    Xlsx,
)
from pellucid.cli.help import Command, Group, examples, within
from pellucid.cli.options import DecisionChoice, SqlOptions, StudyOptions

app = typer.Typer(
    name="pellucid",
    cls=Group,
    help="Classical machine learning that shows its working.\n\nStart with [b]pellucid report[/b]: from a table to a "
    "model that can be trusted.",
    epilog="Exits with code 0 on success, 2 for invalid options or an unusable input, 3 if quality --fail-on finds a "
    "problem of that severity, 130 when interrupted.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_show_locals=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from pellucid import __version__

        typer.echo(f"pellucid {__version__}")
        raise typer.Exit()


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Options of the command itself."""


@app.command(cls=Command, epilog=examples("pellucid report", "pellucid report houses.csv -t price --minutes 5"))
def report(
    data: Data = None,
    target: Target = None,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FOLDER", help="The folder to write to.")] = Path(
        "report"
    ),
    minutes: Minutes = 1.0,
    task: Task = None,
    measure: Metric = None,
    drop: Drop = None,
    group: GroupColumn = None,
    time: TimeColumn = None,
    keep: Keep = None,
    basket: BasketColumn = None,
    item: ItemColumn = None,
    user: UserColumn = None,
    rating: RatingColumn = None,
    connect: Connect = None,
    positive: Positive = None,
    threshold: Threshold = None,
    cost_fp: CostFp = None,
    cost_fn: CostFn = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """The main job: checks and cleans a table, compares models, explains the best one, and writes a report.

    Without DATA, a bundled table is used. Without --target, the report shows clusters, outliers and components,
    association rules or recommendations. The folder contains the HTML page, the model, the cleaned table, the log of
    changes, a Python program that builds the same model, and all figures as JSON.
    """
    from pellucid.cli.commands import run_report

    decision = DecisionChoice(threshold, cost_fp, cost_fn, positive)
    options = StudyOptions(
        target,
        task,
        measure,
        minutes,
        tuple(drop or ()),
        group,
        time,
        tuple(keep or ()),
        connect,
        seed,
        as_json,
        decision,
    )
    run_report(data, options, out, _parts(basket, item, user, rating))


@app.command(cls=Command, epilog=examples("pellucid quality houses.csv", "pellucid quality houses.csv --fail-on error"))
def quality(
    data: Table,
    target: Target = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the profile to this HTML file.")] = None,
    fail_on: Annotated[
        str | None,
        typer.Option(metavar="SEVERITY", help="Exit with code 3 on findings of this severity: error or warning."),
    ] = None,
    suggest: Suggest = None,
    connect: Connect = None,
    as_json: Json = False,
) -> None:
    """Describes a table and lists the problems in it."""
    from pellucid.cli.tables import run_quality

    run_quality(data, target, html, fail_on, connect, as_json, suggest)


@app.command(
    cls=Command,
    epilog=examples(
        "pellucid clean sales.csv --out clean.csv", "pellucid clean sales.csv -o clean.csv --apply merge_values:City"
    ),
)
def clean(
    data: Table,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help=f"The cleaned table ({FILES}).", show_default=False)
    ],
    target: Target = None,
    log: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the changes to this file: .csv to read, .json to replay them."),
    ] = None,
    apply: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Apply a suggestion, such as merge_values:City, all of one kind (merge_values), or all; can be given "
            "several times.",
        ),
    ] = None,
    confidence: Annotated[
        str,
        typer.Option(
            metavar="LEVEL",
            help="Minimum confidence of suggestions without a column name: high, medium or low.",
        ),
    ] = "medium",
    fixes: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Apply the suggestions marked in this file from --suggest."),
    ] = None,
    suggest: Suggest = None,
    missing: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MARKER",
            help="A marker of missing values, such as NA; can be given several times.",
        ),
    ] = None,
    everything: Annotated[
        bool,
        typer.Option("--all", help="Short for --apply all --confidence low.", show_default=False),
    ] = False,
    connect: Connect = None,
    as_json: Json = False,
) -> None:
    """Cleans a table without loss, lists the changes, and suggests further ones."""
    from pellucid.cli.tables import CleanOptions, run_clean

    names = ("all",) if everything else tuple(apply or ())
    level = "low" if everything else confidence
    options = CleanOptions(
        target, log, names, level, fixes, suggest, tuple(missing or ()), connect=connect, as_json=as_json
    )
    run_clean(data, out, options)


@app.command(
    cls=Command,
    epilog=examples(
        "pellucid train houses.csv -t price",
        "pellucid train loans.csv -t default --model tree --set max_leaf_nodes=5 --cost-fp 1 --cost-fn 10",
    ),
)
def train(
    data: Table,
    target: NeededTarget,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The model file to write.")] = Path(
        "model.pellucid"
    ),
    model: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="The model: boosting, forest, tree, linear, lasso, discriminant, bayes, neighbors (k-NN), margin "
            "(linear SVM), kernel (SVM), network, adaboost, stacking or baseline.",
        ),
    ] = "boosting",
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the model; can be given several times."),
    ] = None,
    task: TargetTask = None,
    drop: Drop = None,
    group: GroupColumn = None,
    time: TimeColumn = None,
    keep: Keep = None,
    connect: Connect = None,
    positive: Positive = None,
    threshold: Threshold = None,
    cost_fp: CostFp = None,
    cost_fn: CostFn = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Fits one model, scores it on held-out rows as a report does, and writes the model fitted on all rows to a file.

    Classifiers are calibrated if that helps and predict with the chosen threshold; regressors get prediction intervals.
    """
    from pellucid.cli.commands import run_train

    options = StudyOptions(
        target,
        task,
        drop=tuple(drop or ()),
        group=group,
        time=time,
        keep=tuple(keep or ()),
        connect=connect,
        seed=seed,
        as_json=as_json,
        decision=DecisionChoice(threshold, cost_fp, cost_fn, positive),
    )
    run_train(data, options, out, model, tuple(settings or ()))


@app.command(
    cls=Command,
    epilog=examples(
        "pellucid predict model.pellucid new.csv",
        "pellucid predict model.pellucid new.csv -o predictions.csv -p --keep id",
    ),
)
def predict(
    model: Model,
    data: NewRows,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="A .csv file; standard output by default."),
    ] = None,
    probabilities: Annotated[
        bool, typer.Option("--probabilities", "-p", help="Also write the probability of each class.")
    ] = False,
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="A column of the table to copy to the output; can be given several times."),
    ] = None,
    interval: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            callback=Share,
            help="For regression: also write the bounds of the prediction interval of this level, such as 0.9.",
        ),
    ] = None,
) -> None:
    """Predicts new rows with a model; reads files of any size in chunks."""
    from pellucid.cli.models import run_predict

    run_predict(model, data, out, probabilities, tuple(keep or ()), interval)


@app.command(cls=Command, epilog=examples("pellucid compare houses.csv -t price --minutes 2"))
def compare(
    data: Table,
    target: NeededTarget,
    minutes: Minutes = 1.0,
    task: TargetTask = None,
    measure: Metric = None,
    drop: Drop = None,
    group: GroupColumn = None,
    time: TimeColumn = None,
    keep: Keep = None,
    connect: Connect = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Compares models by cross-validation on the same folds, and tests which are worse than the best one."""
    from pellucid.cli.commands import run_compare

    options = StudyOptions(
        target, task, measure, minutes, tuple(drop or ()), group, time, tuple(keep or ()), connect, seed, as_json
    )
    run_compare(data, options)


@app.command(
    cls=Command,
    epilog=examples(
        "pellucid working report/model.pellucid --row 17",
        "pellucid working report/model.pellucid --row 17 --xlsx row17.xlsx",
    ),
)
def working(
    model: Model,
    data: Annotated[
        str | None, typer.Argument(metavar="DATA", help="The table; by default cleaned.csv in the folder of the model.")
    ] = None,
    row: Annotated[
        int,
        typer.Option(metavar="NUMBER", callback=within(0), help="Row of the table, counted from 0."),
    ] = 0,
    xlsx: Xlsx = None,
    html: Html = None,
) -> None:
    """Shows step by step how a model computes its prediction for one row."""
    from pellucid.cli.models import run_working

    run_working(model, data, row, xlsx, html)


@app.command(
    cls=Command,
    epilog=examples(
        "pellucid export model.pellucid -o model.onnx",
        "pellucid export model.pellucid -o model.sql --table customers --key customer_id",
    ),
)
def export(
    model: Model,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The output file: .onnx, .py, .c or .sql.")],
    table: Annotated[str, typer.Option(metavar="NAME", help="For SQL: the table that the query reads.")] = "data",
    dialect: Annotated[str, typer.Option(metavar="NAME", help="For SQL: sqlite, duckdb or postgresql.")] = "sqlite",
    key: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="For SQL: a column that identifies the rows of the result; can be given several times.",
        ),
    ] = None,
    without_cleaning: Annotated[
        bool,
        typer.Option("--without-cleaning", help="Leave out the cleaning; the export then expects clean rows."),
    ] = False,
) -> None:
    """Writes a model as ONNX, Python, C or SQL.

    The export contains the cleaning, the preparation and the model, and gives the same predictions for raw rows. A
    model with a step that cannot be written in the language is refused.
    """
    from pellucid.cli.models import run_export

    run_export(model, out, SqlOptions(table, dialect, tuple(key or ())), without_cleaning)


@app.command(cls=Command, epilog=examples("pellucid card model.pellucid"))
def card(model: Model, as_json: Json = False) -> None:
    """Shows the model card: the training data, the scores and the decision rule. The model itself is not loaded."""
    from pellucid.cli.models import run_card

    run_card(model, as_json)


@app.command(
    cls=Command,
    epilog=examples(
        "pellucid rules baskets.csv --support 0.01 --confidence 0.5",
        "pellucid rules sales.csv --basket invoice --item product",
    ),
)
def rules(
    data: Annotated[
        str,
        typer.Argument(
            metavar="BASKETS",
            help="A file of baskets: one basket per line, columns of basket and item, lines of invoices, or one column "
            "per item.",
        ),
    ],
    support: Annotated[
        float | None,
        typer.Option(
            metavar="NUMBER",
            callback=Share,
            help="Minimum support, from 0 to 1; by default as low as needed for enough rules.",
        ),
    ] = None,
    confidence: Annotated[
        float, typer.Option(metavar="NUMBER", callback=Share, help="Minimum confidence of a rule, from 0 to 1.")
    ] = 0.3,
    most: Annotated[int, typer.Option(metavar="NUMBER", callback=within(1), help="Maximum number of rules.")] = 30,
    basket: BasketColumn = None,
    item: ItemColumn = None,
    as_json: Json = False,
) -> None:
    """Mines association rules: items that occur together in baskets more often than at random."""
    from pellucid.cli.mining import run_rules

    run_rules(data, support, confidence, most, _parts(basket, item, None, None), as_json)


@app.command(
    cls=Command,
    epilog=examples(
        "pellucid recommend ratings.csv --user 17 --most 5",
        "pellucid recommend visits.csv --user visitor --item page",
    ),
)
def recommend(
    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="A file of ratings, visits or purchases: columns of user and item, or one column per item.",
        ),
    ],
    user: Annotated[
        list[str] | None,
        typer.Option(
            "--user",
            metavar="USER",
            help="A user to recommend items to; can be given several times, by default some users are chosen. The name "
            "of a column is read as the column of users.",
        ),
    ] = None,
    most: Annotated[int, typer.Option(metavar="NUMBER", callback=within(1), help="Number of items per user.")] = 10,
    item: ItemColumn = None,
    rating: RatingColumn = None,
    minutes: Minutes = 1.0,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Recommends new items to users, with reasons, using the recommender that scores best on held-out items."""
    from pellucid.cli.mining import run_recommend

    run_recommend(data, tuple(user or ()), most, minutes, seed, _parts(None, item, None, rating), as_json)


def _parts(basket: str | None, item: str | None, user: str | None, rating: str | None) -> dict[str, str]:
    """The columns that the user named of a table of interactions."""
    columns = {"basket": basket, "item": item, "user": user, "rating": rating}
    return {role: name for role, name in columns.items() if name is not None}


@app.command(cls=Command, epilog=examples("pellucid show", "pellucid show 000-linear-regression-sgd"))
def show(
    example: Annotated[
        str | None, typer.Argument(metavar="EXAMPLE", help="The worked example; by default all are listed.")
    ] = None,
    xlsx: Xlsx = None,
    html: Html = None,
) -> None:
    """Shows a worked example: an algorithm computed by hand, step by step."""
    from pellucid.cli.learning import run_show

    run_show(example, xlsx, html)


@app.command(cls=Command, epilog=examples("pellucid datasets", "pellucid datasets penguins --out penguins.csv"))
def datasets(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="The table; by default all are listed.")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help=f"Write the table to a file ({FILES}).")
    ] = None,
    as_json: Json = False,
) -> None:
    """Lists the bundled tables, describes one, or writes it to a file."""
    from pellucid.cli.learning import run_datasets

    run_datasets(name, out, as_json)
