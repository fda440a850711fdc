"""C4.5 on tables of people and of mushrooms: growing and pruning, and the answers for a few hundred rows.

``PELLUCID_DATA`` names a folder with adult_train.csv.gz, adult_test.csv.gz and mushroom.csv.gz; without it tables of
the same shape are drawn. Peers in Python grow without pruning. The quality is the share of answers that are right.
"""

from __future__ import annotations

import os
import sys
from contextlib import chdir
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.frame.declare import OURS, Arrays, Contender, Quality, Workload, load

CHEFBOOST = "chefboost"
FOLDER = os.environ.get("PELLUCID_DATA", "")
ASKED = 200  # rows that are answered
# Distinct values of each column: categories, and (below zero) numbers.
ADULT = (-74, 8, -28_000, 16, -16, 7, 14, 6, 5, 2, -123, -99, -96, 41)
MUSHROOM = (6, 4, 10, 2, 9, 2, 2, 2, 12, 2, 4, 4, 4, 9, 9, 1, 4, 3, 5, 9, 6, 7)


def adult(rows: int, folder: str) -> dict[str, NDArray[Any]]:
    """Income of 48,842 people."""
    if not folder:
        return _drawn(rows, ADULT)
    files = [Path(folder) / f"adult_{part}.csv.gz" for part in ("train", "test")]
    return _coded(pd.concat([pd.read_csv(file) for file in files], ignore_index=True).head(rows), "income")


def mushroom(rows: int, folder: str) -> dict[str, NDArray[Any]]:
    """8,124 mushrooms, edible or not."""
    if not folder:
        return _drawn(rows, MUSHROOM)
    table = pd.read_csv(Path(folder) / "mushroom.csv.gz")
    return _coded(table.sample(frac=1, random_state=0).head(rows), "class")


def _coded(table: pd.DataFrame, target: str) -> dict[str, NDArray[Any]]:
    """Codes of words (NaN where missing) and numbers; which columns are words; codes of the classes."""
    words = [table[name].dtype.kind not in "iuf" for name in table.columns.drop(target)]
    columns = [
        np.where((codes := pd.factorize(table[name], sort=True)[0]) < 0, np.nan, codes) if word else table[name]
        for name, word in zip(table.columns.drop(target), words, strict=True)
    ]
    y = pd.factorize(table[target].astype(str).str.rstrip("."), sort=True)[0]
    return {"X": np.column_stack(columns).astype(float), "words": np.array(words), "y": y}


def _drawn(rows: int, sizes: tuple[int, ...]) -> dict[str, NDArray[Any]]:
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, abs(size), rows) for size in sizes]).astype(float)
    score = sum(np.where(X[:, j] > abs(sizes[j]) / 2, 1.0, 0.0) for j in range(0, len(sizes), 3))
    y = (score + rng.normal(size=rows) / 2 > len(sizes) / 6).astype(int)
    return {"X": X, "words": np.array([size > 0 for size in sizes]), "y": y}


def frame(arrays: Arrays) -> dict[str, Any]:
    """A data frame with words as words, as people have them."""
    X, words = arrays["X"], arrays["words"]
    columns = {}
    for j in range(X.shape[1]):
        column = pd.Series(X[:, j])
        columns[f"c{j}"] = column.map(lambda v: None if np.isnan(v) else f"w{int(v)}") if words[j] else column
    return {"X": pd.DataFrame(columns), "y": np.where(arrays["y"] == 1, "yes", "no")}


def ours(data: Any, threads: int) -> Any:
    """Grown and pruned."""
    model = load("pellucid.tree.C45Classifier")(n_jobs=threads).fit(data["X"], data["y"])
    return model.predict(data["X"].head(ASKED))


def by_chefboost(data: Any, _threads: int) -> Any:
    """Grown; rows are answered one at a time. It writes the tree as a module into the folder where it runs."""
    with TemporaryDirectory() as folder, chdir(folder):
        sys.path.insert(0, folder)
        words = {name: object for name in data["X"] if data["X"][name].dtype.kind not in "iuf"}
        table = data["X"].astype(words).fillna("none")
        asked = table.head(ASKED).copy()  # it changes the table that it is given
        table["Decision"] = pd.Series(data["y"], index=table.index, dtype=object)
        config = {"algorithm": "C4.5", "enableParallelizm": False}
        model = load("chefboost.Chefboost.fit")(table, config=config, silent=True)
        answers = [load("chefboost.Chefboost.predict")(model, row.tolist()) for _, row in asked.iterrows()]
        sys.path.remove(folder)
    return np.array([str(answer) for answer in answers])


def right(answer: Any, arrays: Arrays) -> float:
    """The share of the answered rows that are right."""
    return float(np.mean(np.asarray(answer) == np.where(arrays["y"][:ASKED] == 1, "yes", "no")))


RIGHT = Quality("share answered right", right, bound=0.1, higher_is_better=True)
WORKLOADS = [
    Workload(
        name=f"c45_{name}",
        about=about,
        data=partial(maker, rows=rows, folder=FOLDER),
        quick={"rows": 400},
        prepare=frame,
        ours=Contender(OURS, ours),
        peers=(Contender(CHEFBOOST, by_chefboost),),
        quality=RIGHT,
        goal=20.0,
    )
    for name, about, maker, rows in (
        ("adult_48842", "C4.5, grown and pruned, 48,842 people, 14 columns of words and numbers.", adult, 48_842),
        ("adult_2000", "The same on 2,000 of them.", adult, 2_000),
        ("mushroom_8124", "C4.5, grown and pruned, 8,124 mushrooms, 22 columns of words.", mushroom, 8_124),
    )
]
