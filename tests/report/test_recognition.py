"""Tables of baskets, ratings and visits are recognized by their values; ordinary tables are not taken for them."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from pellucid.base.errors import DataError, ParameterError
from pellucid.quality.column import compute_stats
from pellucid.report.interactions.collecting import baskets_from, interactions_from
from pellucid.report.interactions.recognition import Recognition, recognize
from pellucid.report.interactions.tables import baskets_of_table, interactions_of_table

from . import interaction_tables as tables

LISTS = [tuple(sorted(basket)) for basket in tables.basket_lists()]


def recognition(table: Any, **options: Any) -> Recognition:
    found = recognize(compute_stats(table, "test"), **options)
    assert found is not None
    return found


def without_names(table: pl.DataFrame) -> pl.DataFrame:
    return table.rename({name: f"column_{j + 1}" for j, name in enumerate(table.columns)})


def marked(yes: Any, no: Any) -> pl.DataFrame:
    return tables.flags().select(pl.when(pl.all() == 1).then(pl.lit(yes)).otherwise(pl.lit(no)).name.keep())


PAIRS = tables.pairs()
BASKETS = {
    "pairs": PAIRS,
    "pairs without names": without_names(PAIRS),
    "pairs with other names": tables.pairs(basket="nr", item="ware"),
    "pairs with more columns": PAIRS.with_columns(price=pl.lit(2.5), qty=1 + pl.int_range(pl.len()) % 3),
    "an id beside its name": tables.pairs(basket="case", item="page").with_columns(
        page_id=1000 + pl.col("page").rank("dense").cast(int)
    ),
    "flags": tables.flags(),
    "flags with an id": tables.flags().with_row_index("tid"),
    "true and false": tables.flags().select(pl.all().cast(bool)),
    "x or empty": marked("x", None),
    "yes and no": marked("yes", "no"),
    "numbered columns": tables.padded(),
    "lists in cells": pl.DataFrame({"id": range(300), "goods": ["; ".join(one) for one in tables.basket_lists()]}),
    "lists in braces": pl.DataFrame({"goods": [f"{{{', '.join(one)}}}" for one in tables.basket_lists()]}),
}  # fmt: skip


def test_numbers_of_items_that_differ_from_user_to_user_are_called_a_mean() -> None:
    table = tables.ratings()
    numbers = table.group_by("user_id").agg(pl.col("item_id").n_unique())["item_id"]
    assert numbers.n_unique() > 1
    assert f"{numbers.mean():.1f} different values of 'item_id' each on average" in recognition(table).why


@pytest.mark.parametrize("name", BASKETS)
def test_baskets_in_every_form_are_the_same_baskets(name: str) -> None:
    found = recognition(BASKETS[name])
    assert found.task == "baskets"
    assert sorted(baskets_from(compute_stats(BASKETS[name], "test"), found)[0]) == sorted(LISTS)


@pytest.mark.parametrize("name", tables.ORDINARY)
def test_an_ordinary_table_is_not_taken_for_interactions(name: str) -> None:
    assert recognize(compute_stats(tables.ORDINARY[name](), "test")) is None


def test_a_target_beside_flags_is_no_item() -> None:
    table = tables.flags().with_columns(pl.Series("segment", ["a", "b", "c"] * 100))
    found = recognition(table)
    assert found.wide is not None
    assert "segment" not in found.wide.items
    assert "'segment' is left out" in found.why


def test_lines_of_invoices_without_those_that_were_cancelled() -> None:
    table = tables.transactions()
    found = recognition(table)
    assert found.roles is not None
    assert (found.task, found.roles.basket, found.roles.item) == ("baskets", "InvoiceNo", "StockCode")
    assert (found.roles.user, found.roles.label, found.roles.count) == ("CustomerID", "Description", "Quantity")
    baskets, notes = baskets_from(compute_stats(table, "test"), found)
    kept = table.filter(pl.col("Quantity") > 0)
    assert len(baskets) == kept["InvoiceNo"].n_unique()
    assert "BREAD" in baskets.items
    assert notes[0].startswith(f"Left out: {table.height - kept.height} rows of returns or cancellations")


def test_cancelled_invoices_without_quantities() -> None:
    table = tables.transactions().select("InvoiceNo", "Description")
    baskets, _ = baskets_from(compute_stats(table, "test"), recognition(table))
    assert len(baskets) == table.filter(~pl.col("InvoiceNo").str.starts_with("C"))["InvoiceNo"].n_unique()


@pytest.mark.parametrize(
    "table", [tables.ratings(), without_names(tables.ratings()), tables.ratings().drop("timestamp")]
)
def test_ratings(table: pl.DataFrame) -> None:
    found = recognition(table)
    entries = interactions_from(compute_stats(table, "test"), found)
    assert found.task == "ratings"
    assert entries.users.tolist() == table.to_series(0).to_list()
    assert entries.items.tolist() == table.to_series(1).to_list()
    assert entries.values.tolist() == table.to_series(2).to_list()
    assert (entries.times is not None) == (table.width == 4)


def test_ratings_by_users_and_of_items_with_other_names() -> None:
    table = tables.ratings().drop("timestamp")
    found = recognition(table.rename(dict(zip(table.columns, ["taster", "tea", "stars"], strict=True))))
    assert found.task == "ratings"
    assert found.roles is not None
    assert (found.roles.user, found.roles.item, found.roles.rating) == ("taster", "tea", "stars")


@pytest.mark.parametrize("not_rated", [None, 99.0])
def test_a_column_of_ratings_for_each_item(not_rated: float | None) -> None:
    table = tables.wide_ratings(not_rated=not_rated)
    found = recognition(table)
    entries = interactions_from(compute_stats(table, "test"), found)
    assert found.task == "ratings"
    rated = table.select(pl.all() != (not_rated if not_rated is not None else 1e9)).sum().row(0)
    assert len(entries) == sum(rated)
    assert abs(entries.values).max() <= 10


def test_visits_and_how_often() -> None:
    table = tables.visits()
    assert recognition(table).task == "visits"
    counted = table.with_columns(plays=pl.int_range(pl.len()) % 7 + 1)
    found = recognition(counted)
    assert found.roles is not None
    assert (found.task, found.roles.count) == ("visits", "plays")
    assert interactions_from(compute_stats(counted, "test"), found).values.tolist() == counted["plays"].to_list()


def test_columns_can_be_named() -> None:
    table = tables.panel()
    baskets = baskets_of_table(table, {"basket": "country", "item": "year"})
    assert (len(baskets), len(baskets.items)) == (30, 25)
    with pytest.raises(ParameterError, match="there is no 'land'"):
        baskets_of_table(table, {"basket": "land", "item": "year"})
    with pytest.raises(ParameterError, match="--item must be named"):
        recognize(compute_stats(pl.DataFrame({"a": [1.5, 2.5], "b": [0.1, 0.2]}), "test"), None, {"rating": "a"})


def test_a_table_that_cannot_be_baskets_is_refused() -> None:
    with pytest.raises(DataError, match="baskets must be one per line"):
        baskets_of_table(pl.DataFrame({"a": [1.5, 2.5, 3.1], "b": [0.1, 0.2, 0.7]}))


def test_a_rating_that_is_no_number_is_named_with_its_row() -> None:
    table = tables.ratings().with_columns(pl.col("rating").cast(str))
    broken = table.with_columns(rating=pl.when(pl.int_range(pl.len()) == 7).then(pl.lit("x")).otherwise("rating"))
    with pytest.raises(DataError, match=r"column 'rating' holds 'x' \(row 7\)"):
        interactions_of_table(broken, "ratings", {"user": "user_id", "item": "item_id", "rating": "rating"})


def test_ratings_whose_user_stands_behind_the_item() -> None:
    table = tables.ratings().select(beer_id="item_id", reviewer=pl.format("r{}", "user_id"), overall="rating")
    found = recognition(table)
    assert found.roles is not None
    assert (found.task, found.roles.user, found.roles.item) == ("ratings", "reviewer", "beer_id")


def test_ratings_with_a_unit_are_refused_and_not_left_out() -> None:
    table = tables.ratings().with_columns(rating=pl.format("{} stars", "rating"))
    found = recognition(table)
    assert found.task == "ratings"
    with pytest.raises(DataError, match="column 'rating' holds"):
        interactions_from(compute_stats(table, "test"), found)


def test_flags_are_no_ratings() -> None:
    with pytest.raises(DataError, match="ratings must be"):
        interactions_of_table(tables.flags(), "ratings")
