"""Baskets, ratings, visits and transactions, from the file to the report and the rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.report import interaction_tables as tables

from .runner import Ran, pellucid, program


def reported(folder: Path, file: str, *options: str) -> dict[str, Any]:
    """The figures of a report."""
    ran = pellucid("report", file, "--minutes", "0.1", *options, folder=folder)
    assert ran.code == 0, ran.err
    found: dict[str, Any] = json.loads((folder / "report" / "metrics.json").read_text(encoding="utf-8"))
    return found


def listing(figures: dict[str, Any], title: str) -> dict[str, Any]:
    return next(one for one in figures["lists"] if one["title"] == title)


def refused(ran: Ran) -> str:
    assert ran.code == 2, (ran.out, ran.err)
    assert "Traceback" not in ran.err
    return ran.err


def test_ragged_lines_are_baskets(tmp_path: Path) -> None:
    """The first basket is no header, and item numbers are not clustered."""
    numbers = [[tables.GOODS.index(item) + 30 for item in basket] for basket in tables.basket_lists()]
    (tmp_path / "lines.csv").write_text("".join(",".join(map(str, one)) + "\n" for one in numbers), "utf-8")
    for options in ((), ("--task", "baskets")):
        figures = reported(tmp_path, "lines.csv", *options)
        assert figures["task"]["kind"] == "baskets"
        assert "300 baskets of 12 items" in figures["headline"]
        assert listing(figures, "The rules")["rows"][0][:3] == ["34", "35", 30]


def test_columns_of_basket_and_item_are_not_lines(tmp_path: Path) -> None:
    """A page and its own id are one item: there is no rule from one to the other."""
    table = tables.pairs(basket="case", item="page")
    table = table.with_columns(page_id=1000 + pl.col("page").rank("dense").cast(int)).select("case", "page_id", "page")
    table.write_csv(tmp_path / "pages.csv")
    ran = pellucid("rules", "pages.csv", "--json", folder=tmp_path)
    assert ran.code == 0, ran.err
    assert ran.json["baskets"] == 300
    assert [(one["if"], one["then"]) for one in ran.json["shown"]] == [(["tea"], ["rusk"]), (["bread"], ["butter"])]
    assert ran.json["shown"][0]["in_words"].startswith("Of the 48 baskets with tea, 30 (62 %) also contain rusk")


def test_visits_without_ratings_get_recommendations(tmp_path: Path) -> None:
    tables.visits().write_csv(tmp_path / "visits.csv")
    ran = pellucid("recommend", "visits.csv", "--user", "v003", "--most", "3", "--json", folder=tmp_path)
    assert ran.code == 0, ran.err
    assert ran.json["task"] == "visits"
    assert [one["user"] for one in ran.json["recommendations"]] == ["v003"] * 3
    names = {one["name"] for one in ran.json["lists"]}
    assert "popular items" in names
    assert all({"precision", "recall", "ndcg"} <= one.keys() for one in ran.json["lists"])
    figures = reported(tmp_path, "visits.csv")
    assert figures["task"]["kind"] == "visits"
    assert listing(figures, "Recommendations")["rows"]


def test_a_report_of_ratings_recommends(tmp_path: Path) -> None:
    tables.ratings().write_csv(tmp_path / "ratings.csv")
    figures = reported(tmp_path, "ratings.csv")
    assert figures["task"]["kind"] == "ratings"
    rows = listing(figures, "Recommendations")["rows"]
    assert len(rows) == 50
    assert all(1 <= row[3] <= 5 and row[4] for row in rows)
    assert {"mean of all ratings", "mean of the item"} < {
        row[0] for row in listing(figures, "Predicted ratings")["rows"]
    }
    text = (tmp_path / "report" / "report.html").read_text(encoding="utf-8")
    assert "The ratings range from 1 to 5" in text
    assert "The cells were not searched for errors." in text
    assert ">0</span> findings" not in text


def test_invoices_are_baskets_and_their_number_is_no_measurement(tmp_path: Path) -> None:
    tables.transactions().write_parquet(tmp_path / "retail.parquet")
    figures = reported(tmp_path, "retail.parquet")
    assert figures["task"]["kind"] == "baskets"
    assert ["TEA", "RUSK"] in [row[:2] for row in listing(figures, "The rules")["rows"]]
    assert any("returns or cancellations" in line for line in figures["summary"])
    assert listing(figures, "Recommendations")["rows"]
    roles = dict(row for row in listing(figures, "What the table was recognized as")["rows"] if row[0] != "evidence")
    assert roles["basket"] == "InvoiceNo"


def test_an_ordinary_table_keeps_its_groups(tmp_path: Path) -> None:
    tables.survey().write_csv(tmp_path / "survey.csv")
    assert reported(tmp_path, "survey.csv")["task"]["kind"] == "no target"


@pytest.mark.parametrize("file", ["lines.csv", "ratings.csv", "visits.csv", "pairs.csv"])
def test_the_program_makes_the_same_model(tmp_path: Path, file: str) -> None:
    (tmp_path / "lines.csv").write_text(tables.lines(), "utf-8")
    tables.ratings().write_csv(tmp_path / "ratings.csv")
    tables.visits().write_csv(tmp_path / "visits.csv")
    tables.pairs().write_csv(tmp_path / "pairs.csv")
    reported(tmp_path, str(tmp_path / file))
    done = program(tmp_path / "report" / "reproduce.py")
    assert done.code == 0, done.err
    one, other = (pellucid("card", tmp_path / "report" / f"{name}.pellucid") for name in ("model", "model-again"))
    assert one.code == other.code == 0


def test_columns_are_named_by_options(tmp_path: Path) -> None:
    tables.panel().write_csv(tmp_path / "panel.csv")
    figures = reported(tmp_path, "panel.csv", "--basket", "country", "--item", "year")
    assert figures["task"]["kind"] == "baskets"
    assert "there is no 'shop'" in refused(pellucid("rules", "panel.csv", "--basket", "shop", "--item", "year",
                                                    folder=tmp_path))  # fmt: skip
    assert reported(tmp_path, "panel.csv", "--task", "no target")["task"]["kind"] == "no target"


def test_what_is_no_table_of_interactions_is_refused_in_a_sentence(tmp_path: Path) -> None:
    pl.DataFrame({"a": [1.5, 2.5, 3.5] * 9, "b": [0.1, 0.2, 0.7] * 9}).write_csv(tmp_path / "t.csv")
    assert "baskets must be" in refused(pellucid("rules", "t.csv", folder=tmp_path))
    assert "visits must be" in refused(pellucid("recommend", "t.csv", folder=tmp_path))
    assert "ratings must be" in refused(pellucid("report", "t.csv", "--task", "ratings", folder=tmp_path))


def test_a_rating_that_is_no_number(tmp_path: Path) -> None:
    table = tables.ratings().with_columns(pl.col("rating").cast(str))
    table.with_columns(rating=pl.when(pl.int_range(pl.len()) == 7).then(pl.lit("x")).otherwise("rating")).write_csv(
        tmp_path / "broken.csv"
    )
    for command in ("recommend", "report"):
        assert "'x' (row 7)" in refused(pellucid(command, "broken.csv", folder=tmp_path))


def test_baskets_are_not_cleaned_as_a_table(tmp_path: Path) -> None:
    (tmp_path / "lines.csv").write_text(tables.lines(), "utf-8")
    assert "one basket per line" in refused(pellucid("clean", "lines.csv", "-o", "out.csv", folder=tmp_path))
    assert "one basket per line" in pellucid("quality", "lines.csv", folder=tmp_path).out


def test_the_first_pair_of_a_file_without_a_header_is_no_header(tmp_path: Path) -> None:
    tables.pairs().write_csv(tmp_path / "pairs.csv", include_header=False)
    ran = pellucid("rules", "pairs.csv", "--json", folder=tmp_path)
    assert ran.json["shown"][1]["in_words"].startswith("Of the 114 baskets with bread, 96 (84 %) also contain butter")
