"""The command and its subcommands. What they need is imported when one of them runs: `--help` must be quick."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pellucid.cli.help import Command, Group, examples, within
from pellucid.cli.options import SqlOptions

app = typer.Typer(
    name="pellucid",
    cls=Group,
    help="Classical machine learning that shows its working.\n\nBegin with [b]pellucid report[/b]: from a table to a "
    "model that can be trusted.",
    epilog="Ends with code 0 when done, 2 for a wrong call or an input that cannot be used, 3 where quality --fail-on "
    "finds what it looks for, 130 when interrupted.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_show_locals=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

FILES = ".csv, .tsv, .parquet, .arrow, .jsonl or .xlsx"
Data = Annotated[
    str | None, typer.Argument(metavar="DATA", help=f"The table: a file ({FILES}), or a query in SQL with --connect.")
]
Table = Annotated[
    str, typer.Argument(metavar="DATA", help=f"The table: a file ({FILES}), or a query in SQL with --connect.")
]
NewRows = Annotated[str, typer.Argument(metavar="DATA", help=f"The rows to answer: a file ({FILES}).")]
Model = Annotated[Path, typer.Argument(metavar="MODEL", help="A model file, as report and train write it.")]
Target = Annotated[str | None, typer.Option("--target", "-t", metavar="COLUMN", help="The column to predict.")]
NeededTarget = Annotated[str, typer.Option("--target", "-t", metavar="COLUMN", help="The column to predict.")]
Json = Annotated[bool, typer.Option("--json", help="JSON for machines instead of text.")]
Seed = Annotated[
    int,
    typer.Option(
        metavar="NUMBER", callback=within(0), help="Where random numbers begin: the same one gives the same result."
    ),
]
Minutes = Annotated[
    float, typer.Option(metavar="NUMBER", callback=within(0.01), help="About how many minutes it may take.")
]
Drop = Annotated[
    list[str] | None, typer.Option(metavar="COLUMN", help="A column to leave out; may be given several times.")
]
Suggest = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write the suggestions to this file, to be edited for --fixes.")
]
Connect = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="The database of a query: sqlite:///file, duckdb:///file or postgresql://user@host/base.",
    ),
]
Group_ = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Rows with the same value here belong together, and a split keeps them so; looked for by default, none "
        "turns this off.",
    ),
]
Time = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="When a row was recorded: the newest rows are held out; looked for by default, none draws rows at random.",
    ),
]
Keep = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN",
        help="A column to use although it may be known only after the target; may be given several times.",
    ),
]
Measure = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="What models are judged by: roc_auc, accuracy, balanced_accuracy, neg_log_loss, f1_macro, r2, "
        "neg_root_mean_squared_error or neg_mean_absolute_error.",
    ),
]
Task = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help='What is asked: "two classes", "several classes", "number", "no target", "baskets", "ratings" or '
        '"visits"; recognized by default.',
    ),
]
TargetTask = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT", help='What is asked: "two classes", "several classes" or "number"; found unless told.'
    ),
]
BasketColumn = Annotated[
    str | None, typer.Option("--basket", metavar="COLUMN", help="The column that names the basket of each row.")
]
ItemColumn = Annotated[str | None, typer.Option("--item", metavar="COLUMN", help="The column of items.")]
UserColumn = Annotated[str | None, typer.Option("--user", metavar="COLUMN", help="The column of users or customers.")]
RatingColumn = Annotated[str | None, typer.Option("--rating", metavar="COLUMN", help="The column of ratings.")]
Positive = Annotated[
    str | None, typer.Option(metavar="VALUE", help="Of a target with two classes: the one to look for.")
]
Threshold = Annotated[
    str | None,
    typer.Option(
        metavar="RULE",
        help="Of two classes: what decides from which probability on a row is called positive. f1, cost, youden, "
        "precision=0.9, recall=0.8, or the probability itself.",
    ),
]
CostFp = Annotated[
    float | None, typer.Option(metavar="NUMBER", help="Of two classes: what a false alarm costs; see --cost-fn.")
]
CostFn = Annotated[
    float | None,
    typer.Option(
        metavar="NUMBER", help="Of two classes: what a missed row costs. The threshold then has the least cost."
    ),
]
Html = Annotated[Path | None, typer.Option(metavar="FILE", help="Write a page.")]
Xlsx = Annotated[Path | None, typer.Option(metavar="FILE", help="Write a workbook of live formulas.")]
Share = within(0, 1)


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


@app.command(cls=Command, epilog=examples("pellucid report", "pellucid report houses.csv -t price --minutes 5"))
def report(
    data: Data = None,
    target: Target = None,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FOLDER", help="The folder to write to.")] = Path(
        "report"
    ),
    minutes: Minutes = 1.0,
    task: Task = None,
    measure: Measure = None,
    drop: Drop = None,
    group: Group_ = None,
    time: Time = None,
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
    """The main job: looks at a table, cleans it, compares models, explains the best one, and writes a report.

    Without DATA a table that comes with the package is taken; without --target groups, outliers and components, rules
    or recommendations are looked for. The folder gets the page, the model, the cleaned table, the log of changes, a
    program that makes the same model, and all figures as JSON.
    """
    from pellucid.cli.commands import run_report

    decision = {"threshold": threshold, "cost_fp": cost_fp, "cost_fn": cost_fn, "positive": positive}
    parts = _parts(basket, item, user, rating)
    columns = tuple(drop or ())
    run_report(
        data,
        target,
        out,
        minutes,
        task,
        measure,
        columns,
        group,
        time,
        tuple(keep or ()),
        connect,
        seed,
        as_json,
        decision,
        parts,
    )


@app.command(cls=Command, epilog=examples("pellucid quality houses.csv", "pellucid quality houses.csv --fail-on error"))
def quality(
    data: Table,
    target: Target = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the profile as a page.")] = None,
    fail_on: Annotated[
        str | None,
        typer.Option(metavar="SEVERITY", help="End with code 3 if there is a finding as grave: error or warning."),
    ] = None,
    suggest: Suggest = None,
    connect: Connect = None,
    as_json: Json = False,
) -> None:
    """Describes a table and says what is wrong with it."""
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
        typer.Option(metavar="FILE", help="Write the changes to this file: .csv to read, .json to replay."),
    ] = None,
    apply: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Apply a suggestion, such as merge_values:City, one kind of them (merge_values), or all; may be given "
            "several times.",
        ),
    ] = None,
    confidence: Annotated[
        str,
        typer.Option(metavar="LEVEL", help="How sure suggestions without a column must be: high, medium or low."),
    ] = "medium",
    fixes: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Apply what is marked in this file, which --suggest wrote.")
    ] = None,
    suggest: Suggest = None,
    missing: Annotated[
        list[str] | None,
        typer.Option(metavar="MARKER", help="What means missing in any column, such as NA; repeatable."),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Every suggestion: --apply all --confidence low.", show_default=False)
    ] = False,
    connect: Connect = None,
    as_json: Json = False,
) -> None:
    """Cleans a table without loss, says what was changed, and suggests what else could be done."""
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
        "pellucid train houses.csv -t price", "pellucid train c.csv -t y --model tree --set max_leaf_nodes=5"
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
            help="Which model: boosting, forest, tree, linear, discriminant, bayes, neighbours, margin, kernel, "
            "network, adaboost, stacking or baseline.",
        ),
    ] = "boosting",
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A setting of the model; may be given several times."),
    ] = None,
    task: TargetTask = None,
    drop: Drop = None,
    connect: Connect = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Fits one model, tells how it does on rows that were kept back, and writes it to a file."""
    from pellucid.cli.commands import run_train

    run_train(data, target, out, model, tuple(settings or ()), task, tuple(drop or ()), connect, seed, as_json)


@app.command(
    cls=Command,
    epilog=examples(
        "pellucid predict model.pellucid new.csv", "pellucid predict model.pellucid new.csv -o answers.csv -p --keep id"
    ),
)
def predict(
    model: Model,
    data: NewRows,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="A .csv file; standard output unless told.")
    ] = None,
    probabilities: Annotated[
        bool, typer.Option("--probabilities", "-p", help="Also write the probability of each class.")
    ] = False,
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="A column of the table to write too; may be given several times."),
    ] = None,
    interval: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            callback=Share,
            help="Of a number: also write the ends of the interval that holds this share of new rows, such as 0.9.",
        ),
    ] = None,
) -> None:
    """Answers new rows with a model; files of any size, part by part."""
    from pellucid.cli.models import run_predict

    run_predict(model, data, out, probabilities, tuple(keep or ()), interval)


@app.command(cls=Command, epilog=examples("pellucid compare houses.csv -t price --minutes 2"))
def compare(
    data: Table,
    target: NeededTarget,
    minutes: Minutes = 1.0,
    task: TargetTask = None,
    measure: Measure = None,
    drop: Drop = None,
    group: Group_ = None,
    time: Time = None,
    keep: Keep = None,
    connect: Connect = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Compares models on the same folds, and says which differences are real."""
    from pellucid.cli.commands import run_compare

    run_compare(
        data, target, minutes, task, measure, tuple(drop or ()), group, time, tuple(keep or ()), connect, seed, as_json
    )


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
        str | None, typer.Argument(metavar="DATA", help="The table; cleaned.csv beside the model unless told.")
    ] = None,
    row: Annotated[
        int, typer.Option(metavar="NUMBER", callback=within(0), help="Which row of the table; the first is 0.")
    ] = 0,
    xlsx: Xlsx = None,
    html: Html = None,
) -> None:
    """Shows how a model comes to its answer for one row, with the row's own numbers."""
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
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The file: .onnx, .py, .c or .sql.")],
    table: Annotated[str, typer.Option(metavar="NAME", help="For SQL: the table that the query reads.")] = "data",
    dialect: Annotated[str, typer.Option(metavar="NAME", help="For SQL: sqlite, duckdb or postgresql.")] = "sqlite",
    key: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="For SQL: a column that identifies the rows of the result; may be given several times.",
        ),
    ] = None,
    without_cleaning: Annotated[
        bool,
        typer.Option("--without-cleaning", help="Leave out the cleaning: the export expects rows that are clean."),
    ] = False,
) -> None:
    """Writes a model as ONNX, Python, C or SQL.

    The export contains the cleaning, the preparation and the model, and predicts from raw rows what the model predicts.
    A model with a step that has no form in the language is refused.
    """
    from pellucid.cli.models import run_export

    run_export(model, out, SqlOptions(table, dialect, tuple(key or ())), without_cleaning)


@app.command(cls=Command, epilog=examples("pellucid card model.pellucid"))
def card(model: Model, as_json: Json = False) -> None:
    """Shows the card of a model: what it was made from, and how good it is. The model itself is not opened."""
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
            help="A file of baskets: one per line, columns of basket and item, lines of invoices, or a column for each "
            "item.",
        ),
    ],
    support: Annotated[
        float | None,
        typer.Option(
            metavar="NUMBER",
            callback=Share,
            help="Least share of the baskets, from 0 to 1; by default as small as enough rules need.",
        ),
    ] = None,
    confidence: Annotated[
        float, typer.Option(metavar="NUMBER", callback=Share, help="Least confidence of a rule, from 0 to 1.")
    ] = 0.3,
    most: Annotated[int, typer.Option(metavar="NUMBER", callback=within(1), help="How many rules to show.")] = 30,
    basket: BasketColumn = None,
    item: ItemColumn = None,
    as_json: Json = False,
) -> None:
    """Finds what goes together in baskets by more than chance: if these, then those."""
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
            help="A file of ratings, visits or purchases: columns of user and item, or one column for each item.",
        ),
    ],
    user: Annotated[
        list[str] | None,
        typer.Option(
            "--user",
            metavar="USER",
            help="For whom; may be given several times, by default some users. The name of a column instead says where "
            "the users stand.",
        ),
    ] = None,
    most: Annotated[int, typer.Option(metavar="NUMBER", callback=within(1), help="How many items for each user.")] = 10,
    item: ItemColumn = None,
    rating: RatingColumn = None,
    minutes: Minutes = 1.0,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Recommends new items to users, with reasons, by the recommender that is best on held-out items."""
    from pellucid.cli.mining import run_recommend

    run_recommend(data, tuple(user or ()), most, minutes, seed, _parts(None, item, None, rating), as_json)


def _parts(basket: str | None, item: str | None, user: str | None, rating: str | None) -> dict[str, str]:
    """The columns that were named for parts of a table of interactions."""
    named = {"basket": basket, "item": item, "user": user, "rating": rating}
    return {part: name for part, name in named.items() if name is not None}


@app.command(cls=Command, epilog=examples("pellucid show", "pellucid show 000-linear-regression-sgd"))
def show(
    example: Annotated[
        str | None, typer.Argument(metavar="EXAMPLE", help="A worked example; a list of all unless told.")
    ] = None,
    xlsx: Xlsx = None,
    html: Html = None,
) -> None:
    """Shows a worked example: an algorithm done by hand, step by step."""
    from pellucid.cli.learning import run_show

    run_show(example, xlsx, html)


@app.command(cls=Command, epilog=examples("pellucid datasets", "pellucid datasets penguins --out penguins.csv"))
def datasets(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="A table; a list of all unless told.")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help=f"Write the table to a file ({FILES}).")
    ] = None,
    as_json: Json = False,
) -> None:
    """Lists the tables that come with the package, describes one, or writes it to a file."""
    from pellucid.cli.learning import run_datasets

    run_datasets(name, out, as_json)
