"""RIPPER: rules for mushrooms and for incomes, beside the rule learners of Python.

The tables are read from the folder that PELLUCID_DATA names (mushroom.csv.gz and adult_train.csv.gz: UCI, a header,
empty fields where a value is missing). Two thirds of the rows are learned from; the quality is the share of the others
that is predicted right. Of the incomes 12,000 rows are taken, the same for all: on all of them a call of wittgenstein
takes 19 s of a core, and five turns of it more than a contender has. Peers get categories as they take them:
wittgenstein words, imodels a column of 0 and 1 each. imodels has no RIPPER: it boosts ten rules (SLIPPER), for more
than a minute of a core on the incomes, and is asked about mushrooms only.
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.frame.declare import OURS, Arrays, Contender, Quality, Workload, load

FOLDER = Path(os.environ.get("PELLUCID_DATA", "data"))
TABLES = {"mushroom": ("mushroom.csv.gz", "class"), "adult": ("adult_train.csv.gz", "income")}


def table(name: str, rows: int = 0) -> dict[str, NDArray[Any]]:
    """Columns of a table by name, its target last; the first rows of a fixed shuffle if their number is given."""
    pandas = load("pandas.read_csv")
    file, target = TABLES[name]
    frame = pandas(FOLDER / file)
    frame = frame.iloc[np.random.default_rng(0).permutation(len(frame))[: rows or None]]
    columns = {f"X_{c}": _plain(frame[c]) for c in frame.columns if c != target}
    return {**columns, "y": frame[target].to_numpy(dtype=str)}


def _plain(column: Any) -> NDArray[Any]:
    if column.dtype.kind in "biuf":
        return np.asarray(column.to_numpy(dtype=np.float64))
    return np.asarray(column.fillna("").to_numpy(dtype=str))


def as_frames(arrays: Arrays) -> dict[str, Any]:
    """A frame to learn from, its labels, and a frame to predict; empty words are missing."""
    frame = load("pandas.DataFrame")({name[2:]: arrays[name] for name in arrays if name.startswith("X_")})
    frame = frame.replace("", None)
    cut = 2 * len(frame) // 3
    return {"X": frame.iloc[:cut], "y": arrays["y"][:cut], "later": frame.iloc[cut:], "truth": arrays["y"][cut:]}


def ours(data: Any, threads: int) -> Any:
    made = load("pellucid.rules.RIPPERClassifier")(random_state=0, n_jobs=threads)
    return made.fit(data["X"], data["y"]).predict(data["later"])


def wittgenstein(data: Any, _threads: int) -> Any:
    labels, counts = np.unique(data["y"], return_counts=True)
    rare, other = labels[np.argsort(counts, kind="stable")]
    made = load("wittgenstein.RIPPER")(k=2, random_state=0)
    made.fit(data["X"].fillna("?"), data["y"], pos_class=rare)
    return np.where(made.predict(data["later"].fillna("?")), rare, other)


def as_flags(data: Any, _threads: int) -> Any:
    """A column of 0 and 1 for each category."""
    dummies, concat = load("pandas.get_dummies"), load("pandas.concat")
    both = dummies(concat([data["X"], data["later"]]), dtype=float)
    cut = len(data["X"])
    return {**data, "X": both.iloc[:cut].to_numpy(), "later": both.iloc[cut:].to_numpy(), "names": list(both.columns)}


def imodels(data: Any, _threads: int) -> Any:
    labels, codes = np.unique(data["y"], return_inverse=True)
    made = load("imodels.SlipperClassifier")()
    made.fit(data["X"], codes, feature_names=data["names"])
    return labels[np.asarray(made.predict(data["later"])).astype(int)]


def right(answer: Any, arrays: Arrays) -> float:
    """The share of the rows left out that is predicted right."""
    return float(np.mean(np.asarray(answer) == arrays["y"][2 * len(arrays["y"]) // 3 :]))


WITTGENSTEIN = Contender("wittgenstein", wittgenstein)
PEERS = {"mushroom": (WITTGENSTEIN, Contender("imodels", imodels, prepare=as_flags)), "adult": (WITTGENSTEIN,)}
WORKLOADS = [
    Workload(
        name=f"ripper_{name}",
        about=f"RIPPER with two rounds of optimization, {what}.",
        data=partial(table, name=name, rows=rows),
        quick={"rows": 300},
        prepare=as_frames,
        ours=Contender(OURS, ours),
        peers=PEERS[name],
        quality=Quality("share predicted right", right, bound=0.05, higher_is_better=True),
        goal=20.0,
    )
    for name, rows, what in (
        ("mushroom", 0, "5,416 of 8,124 mushrooms, 22 columns of categories"),
        ("adult", 12_000, "8,000 of 12,000 incomes, 6 numbers and 8 categories"),
    )
    if (FOLDER / TABLES[name][0]).exists()
]
