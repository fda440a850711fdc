"""Baskets from lists, tables, pairs and files: one and the same."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

from pellucid.association import Apriori, read_baskets
from pellucid.base.errors import DataError, DataTypeError, ParameterError

HERE = Path(__file__).parent
ORDERS = [["milk", "bread", "milk"], ["tea"], [], ["bread", "tea"]]
WANTED = [("bread", "milk"), ("tea",), (), ("bread", "tea")]
FLAGS = np.array([[1, 1, 0], [0, 0, 1], [0, 0, 0], [1, 0, 1]])
NAMES = ["bread", "milk", "tea"]
PAIRS = {"order": [7, 7, 7, 3, 9, 9], "item": ["milk", "bread", "milk", "tea", "bread", "tea"]}

LISTS: dict[str, Callable[[], Any]] = {
    "lists": lambda: ORDERS,
    "tuples": lambda: tuple(map(tuple, ORDERS)),
    "sets": lambda: [set(one) for one in ORDERS],
    "generator": lambda: (one for one in ORDERS),
    "arrays": lambda: [np.array(one, dtype=object) for one in ORDERS],
    "dict": lambda: dict(enumerate(ORDERS)),
    "array of lists": lambda: np.array(ORDERS, dtype=object),
    "pandas series": lambda: pd.Series(ORDERS),
    "polars series": lambda: pl.Series(ORDERS),
    "column of lists": lambda: pl.DataFrame({"order": ORDERS}),
    "baskets": lambda: read_baskets(ORDERS),
    "pandas flags": lambda: pd.DataFrame(FLAGS.astype(bool), columns=NAMES),
    "pandas 0 and 1": lambda: pd.DataFrame(FLAGS.astype(float), columns=NAMES),
    "polars flags": lambda: pl.DataFrame(FLAGS.astype(bool), schema=NAMES),
    "arrow flags": lambda: pa.table({name: FLAGS[:, j].astype(bool) for j, name in enumerate(NAMES)}),
}


@pytest.mark.parametrize("form", LISTS)
def test_every_form_holds_the_same_baskets(form: str) -> None:
    found = read_baskets(LISTS[form]())
    assert list(found) == WANTED
    assert found.items == ("bread", "milk", "tea")
    assert found.notes == ()
    model = Apriori(min_support=0.25).fit(LISTS[form]())
    assert [one.items for one in model.itemsets_][-2:] == [("bread", "milk"), ("bread", "tea")]


@pytest.mark.parametrize("make", [np.asarray, scipy.sparse.csr_matrix, scipy.sparse.csc_array, scipy.sparse.coo_array])
@pytest.mark.parametrize("dtype", [bool, int, float])
def test_columns_without_names_are_numbers(make: Any, dtype: Any) -> None:
    found = read_baskets(make(FLAGS.astype(dtype)))
    assert list(found) == [(0, 1), (2,), (), (0, 2)]
    np.testing.assert_array_equal(found.matrix(), FLAGS.astype(bool))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "pyarrow"])
def test_pairs_are_gathered_by_basket(frame: Any) -> None:
    assert list(read_baskets(frame(PAIRS))) == [("bread", "milk"), ("tea",), ("bread", "tea")]


def test_pairs_may_be_an_array_of_numbers() -> None:
    found = read_baskets(np.array([[1, 10], [2, 30], [1, 20], [1, 10]]))
    assert list(found) == [(10, 20), (30,)]


def test_a_basket_of_pairs_whose_items_are_missing_has_none() -> None:
    frame = pd.DataFrame({"order": [1, 2, 1], "item": ["tea", None, "milk"]})
    found = read_baskets(frame, missing="ignore")
    assert list(found) == [("milk", "tea"), ()]
    assert found.notes == ("1 missing item left out.",)


def test_missing_items_are_refused_or_left_out() -> None:
    orders = [["tea", None], [float("nan")], ["milk"]]
    with pytest.raises(DataError, match=r"items must not be missing; got 2 items missing \(baskets 0, 1\)"):
        read_baskets(orders)
    model = Apriori(min_support=0.1, missing="ignore").fit(orders)
    assert model.notes_ == ["2 missing items left out."]
    assert [(one.items, one.support) for one in model.itemsets_] == [(("milk",), 1 / 3), (("tea",), 1 / 3)]
    table = pd.DataFrame({"tea": [1, None], "milk": [1, 0]})
    with pytest.raises(DataError, match=r"column 'tea' has 1 missing value \(row 1\)"):
        read_baskets(table)
    assert list(read_baskets(table, missing="ignore")) == [("tea", "milk"), ()]


def test_items_of_several_kinds_stay_in_their_order() -> None:
    assert read_baskets([["b", 2], ["a", 1]]).items == ("b", 2, "a", 1)


def test_columns_of_a_table_keep_their_order() -> None:
    assert read_baskets(pd.DataFrame(FLAGS, columns=["z", "y", "x"])).items == ("z", "y", "x")


def test_baskets_are_a_sequence() -> None:
    found = read_baskets(ORDERS)
    assert len(found) == 4
    assert found[-1] == ("bread", "tea")
    assert found[1:3] == [("tea",), ()]
    assert repr(found) == "<Baskets: 4 baskets of 3 items, 1.25 in a basket on average>"
    with pytest.raises(IndexError):
        found[4]


# ---------------------------------------------------------------------------------------------------------------- files


@pytest.mark.parametrize("opened", [(".csv", open), (".csv.gz", gzip.open), (".bz2", bz2.open), (".txt.xz", lzma.open)])
def test_files_may_be_packed(tmp_path: Path, opened: Any) -> None:
    ending, opener = opened
    file = tmp_path / f"orders{ending}"
    with opener(file, "wb") as out:
        out.write((HERE / "groceries_150.csv").read_bytes())
    found = read_baskets(file)
    lines = (HERE / "groceries_150.csv").read_text().splitlines()
    assert list(found) == [tuple(sorted(line.split(","))) for line in lines]
    assert len(Apriori().fit(str(file)).itemsets_) == len(Apriori().fit(found).itemsets_)


@pytest.mark.parametrize(
    ("text", "wanted", "notes"),
    [
        ("a;b, c\nb;d\n", [("a", "b, c"), ("b", "d")], 0),
        ("whole milk\tbread\nbread\n", [("bread", "whole milk"), ("bread",)], 0),
        ("3 10 2\n\n10 3 \n", [(2, 3, 10), (), (3, 10)], 0),
        ("whole milk\nfresh bread", [("whole milk",), ("fresh bread",)], 0),
        ("a,,b\n,a\nb,\n", [("a", "b"), ("a",), ("b",)], 3),
        ('"bread, brown",milk\nmilk\n', [("bread, brown", "milk"), ("milk",)], 0),
        ("007,1\n1\n", [("007", "1"), ("1",)], 0),
        ("a,b\r\nb\r\n", [("a", "b"), ("b",)], 0),
        ("caf\xe9,b\n".encode("cp1252"), [("b", "caf\xe9")], 0),
    ],
)
def test_delimiters_are_found(tmp_path: Path, text: str | bytes, wanted: Any, notes: int) -> None:
    file = tmp_path / "orders.csv"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    found = read_baskets(file)
    assert list(found) == wanted
    assert found.notes == ((f"{notes} places between delimiters without an item.",) if notes else ())


def test_a_delimiter_can_be_given(tmp_path: Path) -> None:
    file = tmp_path / "orders.txt"
    file.write_text("a:b,c\nb,c\n")
    assert list(read_baskets(file, delimiter=":")) == [("a", "b,c"), ("b,c",)]


# --------------------------------------------------------------------------------------------------------------- faults


@pytest.mark.parametrize(
    ("source", "kind", "words"),
    [
        ([], DataError, "there must be baskets; got none"),
        (3, DataTypeError, "got int"),
        (["bread", "milk"], DataTypeError, "every basket must be a collection of items; basket 0 is 'bread'"),
        ([["a"], 7], DataTypeError, "basket 1 is 7"),
        ([[["a"]]], DataTypeError, "unhashable"),
        ([[1, 0, 1], [0, 0, 1]], DataError, "lists of 0 and 1 must be given as an array"),
        (np.array([[2, 0, 1]]), DataError, "column 'x0' holds 2"),
        (pd.DataFrame({"a": [1, 0], "b": ["u", "v"], "c": [0, 1]}), DataError, "column 'b' holds 'u'"),
        (scipy.sparse.csr_matrix([[2, 0, 1]]), DataError, "a sparse table must hold 0 and 1; got 2"),
        (pd.DataFrame({"order": [1, None], "item": ["a", "b"]}), DataError, "column 'order' is missing in row 1"),
        ("no such file.csv", DataError, "there is no 'no such file.csv'"),
        (np.empty((0, 3)), DataError, "X must have rows"),
    ],
)
def test_what_is_no_basket_is_refused(source: Any, kind: Any, words: str) -> None:
    for act in (read_baskets, Apriori().fit):
        with pytest.raises(kind, match=words):
            act(source)


def test_wrong_settings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="delimiter must be one character; got 'ab'"):
        read_baskets(ORDERS, delimiter="ab")
    with pytest.raises(ParameterError, match="missing must be 'error' or 'ignore'; got 'drop'"):
        read_baskets(ORDERS, missing="drop")  # type: ignore[arg-type]
    broken = tmp_path / "broken.gz"
    broken.write_bytes(b"no archive")
    with pytest.raises(DataError, match=r"the file of baskets must be readable; 'broken\.gz'"):
        read_baskets(broken)
