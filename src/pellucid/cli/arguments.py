"""The arguments and options that several commands share, with their help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pellucid.cli.help import within

FILES = ".csv, .tsv, .parquet, .arrow, .jsonl or .xlsx"
Data = Annotated[
    str | None, typer.Argument(metavar="DATA", help=f"The table: a file ({FILES}), or an SQL query with --connect.")
]
Table = Annotated[
    str, typer.Argument(metavar="DATA", help=f"The table: a file ({FILES}), or an SQL query with --connect.")
]
NewRows = Annotated[str, typer.Argument(metavar="DATA", help=f"The rows to predict: a file ({FILES}).")]
Model = Annotated[Path, typer.Argument(metavar="MODEL", help="A model file, written by report or train.")]
Target = Annotated[str | None, typer.Option("--target", "-t", metavar="COLUMN", help="The column to predict.")]
NeededTarget = Annotated[str, typer.Option("--target", "-t", metavar="COLUMN", help="The column to predict.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
Seed = Annotated[
    int,
    typer.Option(
        metavar="NUMBER",
        callback=within(0),
        help="Seed of the random numbers; the same seed gives the same result.",
    ),
]
Minutes = Annotated[
    float, typer.Option(metavar="NUMBER", callback=within(0.01), help="About how many minutes the command may take.")
]
Drop = Annotated[
    list[str] | None, typer.Option(metavar="COLUMN", help="A column to leave out; can be given several times.")
]
Suggest = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write the suggestions to this file, to be edited and passed to --fixes."),
]
Connect = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="The database of the query: sqlite:///file, duckdb:///file or postgresql://user@host/base.",
    ),
]
GroupColumn = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="The column that identifies groups of rows, such as a customer or a site: no group is split between "
        "training and held-out rows. Detected by default; none turns this off.",
    ),
]
TimeColumn = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="The column that says when a row was recorded: the newest rows are held out. Detected by default; none "
        "splits at random.",
    ),
]
Keep = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN",
        help="A column to use although it may be known only after the target; can be given several times.",
    ),
]
Metric = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="The metric of the comparison: roc_auc, accuracy, balanced_accuracy, neg_log_loss, f1_macro, r2, "
        "neg_root_mean_squared_error or neg_mean_absolute_error.",
    ),
]
Task = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help='The kind of task: "two classes", "several classes", "number" (regression), "no target", "baskets", '
        '"ratings" or "visits"; recognized by default.',
    ),
]
TargetTask = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help='The kind of task: "two classes", "several classes" or "number" (regression); recognized by default.',
    ),
]
BasketColumn = Annotated[
    str | None, typer.Option("--basket", metavar="COLUMN", help="The column that identifies the basket of each row.")
]
ItemColumn = Annotated[str | None, typer.Option("--item", metavar="COLUMN", help="The column of items.")]
UserColumn = Annotated[str | None, typer.Option("--user", metavar="COLUMN", help="The column of users or customers.")]
RatingColumn = Annotated[str | None, typer.Option("--rating", metavar="COLUMN", help="The column of ratings.")]
Positive = Annotated[str | None, typer.Option(metavar="VALUE", help="For two classes: the positive class.")]
Threshold = Annotated[
    str | None,
    typer.Option(
        metavar="RULE",
        help="For two classes: the rule for the probability threshold of the positive class: f1, cost, youden, "
        "precision=0.9, recall=0.8, or the threshold itself.",
    ),
]
CostFp = Annotated[
    float | None,
    typer.Option(metavar="NUMBER", help="For two classes: the cost of a false positive; 1 if only --cost-fn is given."),
]
CostFn = Annotated[
    float | None,
    typer.Option(
        metavar="NUMBER",
        help="For two classes: the cost of a false negative; 1 if only --cost-fp is given. With costs, the threshold "
        "minimizes their sum.",
    ),
]
Html = Annotated[Path | None, typer.Option(metavar="FILE", help="Write the result to this HTML file.")]
Xlsx = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write the result to this Excel file, with live formulas.")
]
Share = within(0, 1)
