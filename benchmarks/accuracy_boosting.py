"""How accurate boosted trees are as they come, beside LightGBM, XGBoost and CatBoost: the same folds of real tables.

    python -m benchmarks.accuracy_boosting FOLDER                       # ten tables: CSV files, and one of Parquet
    python -m benchmarks.accuracy_boosting FOLDER --only adult --only letter
    python -m benchmarks.accuracy_boosting FOLDER --others              # other tables, none of the ten
    python -m benchmarks.accuracy_boosting FOLDER --cache peers.json    # what peers scored is kept there

All have their default settings, one thread, and meet the same five folds with the same seeds. Columns of words are
categories, which everybody takes natively: as pandas' `category` with LightGBM, with XGBoost's `enable_categorical`,
as `cat_features` with CatBoost (a missing one is a category of its own there: it takes no other), and as they are by
ours. Missing numbers stay missing.

A table's measure is fixed by its target: the area under the ROC curve for two classes, log loss for more, the root of
the mean squared error for numbers; log loss is shown for two classes too. Scores are means over the folds, and the rank
of a library on a table is its place by that mean. The last column tells whether ours and the best of the others are
further apart than noise: the difference in standard errors, by Nadeau and Bengio's correction for folds that overlap.
Seconds are processor time of one fit, the mean over the folds. The exit code is 1 if a peer's mean rank is better than
ours.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.frame.declare import Workload, load

WORKLOADS: list[Workload] = []  # nothing here is timed against peers
FOLDS = 5
OURS, PEERS = "pellucid", ("lightgbm", "xgboost", "catboost")

Floats = NDArray[np.float64]
Fold = tuple[NDArray[Any], NDArray[Any]]


def flights(frame: Any) -> Any:
    """When a flight leaves as day, weekday and minute; the delay is known when it has landed only."""
    moment = frame.pop("date").dt
    frame["day"], frame["weekday"] = moment.day_of_year, moment.day_of_week
    frame["minute"] = moment.hour * 60 + moment.minute
    return frame


def taxis(frame: Any) -> Any:
    """What is known when a ride begins: not when it ends, nor what is paid but for the fare."""
    moment = load("pandas.to_datetime")(frame.pop("pickup")).dt
    frame["weekday"], frame["minute"] = moment.day_of_week, moment.hour * 60 + moment.minute
    return frame


@dataclass(frozen=True)
class Source:
    """A file, its target, columns that name rows or tell the answer, the most rows, and what is made of its columns."""

    file: str
    target: str
    without: tuple[str, ...] = ()
    most: int | None = None
    made: Callable[[Any], Any] | None = None
    numbers: bool = False


TEN = {
    "german_credit": Source("german_credit.csv.gz", "class"),
    "credit_data": Source("credit_data.csv.gz", "Status"),
    "churn_telco": Source("churn_telco.csv.gz", "churn"),
    "higgs_7500": Source("higgs_7500.csv.gz", "label", ("split",)),
    "adult": Source("adult_train.csv.gz", "income"),
    "covertype_10k": Source("covertype_10k.csv.gz", "Cover_Type"),
    "letter": Source("letter.csv.gz", "class"),
    "california": Source("california_housing.csv.gz", "medianHouseValue", numbers=True),
    "diamonds": Source("diamonds.csv.gz", "price", numbers=True),
    "flights": Source("flights_3m.parquet", "delay", most=50_000, made=flights, numbers=True),
}
BIKES = ("instant", "dteday", "casual", "registered")
RIDES = ("dropoff", "tip", "tolls", "total")
OTHERS = {
    "titanic": Source("titanic.csv", "survived", ("name", "ticket", "cabin")),
    "pima_diabetes": Source("pima_diabetes.csv", "outcome"),
    "phoneme": Source("phoneme.csv.gz", "label"),
    "spambase": Source("spambase.csv.gz", "class"),
    "mammography": Source("outlier_mammography.csv.gz", "label"),
    "vehicle": Source("vehicle.csv", "Class"),
    "optdigits": Source("optdigits.csv.gz", "class"),
    "medical_insurance": Source("medical_insurance.csv", "charges", numbers=True),
    "abalone": Source("abalone.csv.gz", "Class_Rings", numbers=True),
    "wine_quality_red": Source("wine_quality_red.csv.gz", "quality", numbers=True),
    "kin8nm": Source("kin8nm.csv.gz", "y", numbers=True),
    "taxis": Source("ts_taxis.csv.gz", "fare", RIDES, made=taxis, numbers=True),
    "bike_sharing": Source("ts_bike_sharing_hour.csv.gz", "cnt", BIKES, numbers=True),
    "protein": Source("protein_casp.csv.gz", "y", most=20_000, numbers=True),
}
TABLES = {**TEN, **OTHERS}


@dataclass(frozen=True)
class Data:
    """A table with categories, its target as codes or numbers, and the folds that everybody meets."""

    name: str
    X: Any
    y: NDArray[Any]
    folds: list[Fold]
    classes: int

    @property
    def measure(self) -> str:
        """What ranks go by."""
        return "rmse" if self.classes == 0 else "auc" if self.classes == 2 else "log loss"


def read(folder: Path, name: str) -> Data:
    """A table, or some rows of it drawn at random, with words as categories."""
    source = TABLES[name]
    pandas = load("pandas.read_parquet" if source.file.endswith("parquet") else "pandas.read_csv")
    frame = pandas(folder / source.file)
    if source.most is not None and len(frame) > source.most:
        frame = frame.sample(source.most, random_state=0).reset_index(drop=True)
    target = frame.pop(source.target)
    frame = frame.drop(columns=list(source.without))
    if source.made is not None:
        frame = source.made(frame)
    for label in frame.columns:
        if not load("pandas.api.types.is_numeric_dtype")(frame[label]):
            frame[label] = frame[label].astype("category").cat.remove_unused_categories()
    frame.columns = [f"x{place}" for place in range(frame.shape[1])]  # some peers refuse brackets in names
    if source.numbers:
        y, classes = target.to_numpy(dtype=np.float64), 0
        splitter = load("sklearn.model_selection.KFold")
    else:
        labels, y = np.unique(target.to_numpy(dtype=str), return_inverse=True)
        classes, splitter = len(labels), load("sklearn.model_selection.StratifiedKFold")
    folds = list(splitter(FOLDS, shuffle=True, random_state=0).split(frame, y))
    return Data(name, frame, y, folds, classes)


def names_of(X: Any) -> list[str]:
    """The columns that are categories."""
    return [label for label in X.columns if str(X[label].dtype) == "category"]


def named(X: Any) -> Any:
    """Categories as text, a missing one too: the form that CatBoost takes."""
    X = X.copy()
    for label in names_of(X):
        X[label] = X[label].astype(object).where(X[label].notna(), "missing").astype(str)
    return X


def model_of(library: str, data: Data, seed: int, **more: Any) -> Any:
    """A library's boosted trees as they come, but for the seed, one thread, silence, and which columns have names."""
    role = "Regressor" if data.classes == 0 else "Classifier"
    if library == OURS:
        return load(f"pellucid.boosting.BoostedTrees{role}")(random_state=seed, n_jobs=1, **more)
    if library == "lightgbm":
        return load(f"lightgbm.LGBM{role}")(random_state=seed, n_jobs=1, verbose=-1, **more)
    if library == "xgboost":
        return load(f"xgboost.XGB{role}")(random_state=seed, n_jobs=1, enable_categorical=True, **more)
    quiet = {"verbose": 0, "allow_writing_files": False, "thread_count": 1}
    return load(f"catboost.CatBoost{role}")(random_seed=seed, cat_features=names_of(data.X), **quiet, **more)


def scores_of(data: Data, model: Any, X: Any, y: NDArray[Any]) -> dict[str, float]:
    """The measures of a fitted model on rows held out."""
    metric = load("sklearn.metrics")
    if data.classes == 0:
        return {"rmse": float(np.sqrt(np.mean((np.asarray(model.predict(X)) - y) ** 2)))}
    said = np.asarray(model.predict_proba(X), dtype=np.float64)
    found = {"log loss": float(metric.log_loss(y, said / said.sum(axis=1, keepdims=True), labels=range(data.classes)))}
    if data.classes == 2:
        found["auc"] = float(metric.roc_auc_score(y, said[:, 1]))
    return found


def judged(library: str, data: Data, fold: int, **more: Any) -> dict[str, float]:
    """Fits on the training part of a fold, and measures on the rows held out: the measures, and the seconds."""
    learn, test = data.folds[fold]
    X = named(data.X) if library == "catboost" else data.X
    model, begun = model_of(library, data, fold, **more), time.process_time()
    model.fit(X.iloc[learn], data.y[learn])
    seconds = time.process_time() - begun
    return {**scores_of(data, model, X.iloc[test], data.y[test]), "seconds": seconds}


class Kept:
    """What peers scored, by library, table and fold, in a file if there is one."""

    def __init__(self, file: Path | None) -> None:
        """Takes up what the file holds."""
        self.file = file
        self.found: dict[str, dict[str, float]] = json.loads(file.read_text()) if file and file.exists() else {}

    def judged(self, library: str, data: Data, fold: int) -> dict[str, float]:
        """What is kept of a fold, else what is measured now; ours is always measured."""
        key = f"{library}/{data.name}/{fold}"
        if library == OURS or key not in self.found:
            self.found[key] = judged(library, data, fold)
            if self.file is not None and library != OURS:
                self.file.write_text(json.dumps(self.found, indent=1))
        return self.found[key]


@dataclass(frozen=True)
class Line:
    """Of a table: each library's measures on each fold, by which one ranks go, and the shares of rows held out."""

    table: str
    measure: str
    found: dict[str, list[dict[str, float]]]
    held: float

    def values(self, library: str, measure: str) -> Floats:
        """A library's measures, fold by fold."""
        return np.array([one[measure] for one in self.found[library]])

    def losses(self) -> dict[str, float]:
        """What each library is ranked by: less is better."""
        sign = -1 if self.measure == "auc" else 1
        return {library: sign * float(self.values(library, self.measure).mean()) for library in self.found}

    def ranks(self) -> dict[str, float]:
        """The place of each library: 1 is best."""
        losses = self.losses()
        places = load("scipy.stats.rankdata")(list(losses.values()))
        return dict(zip(losses, map(float, places), strict=True))

    def apart(self) -> float:
        """By how many standard errors ours is better than the best of the others."""
        best = min((loss, library) for library, loss in self.losses().items() if library != OURS)[1]
        d = self.values(best, self.measure) - self.values(OURS, self.measure)
        d = -d if self.measure == "auc" else d
        error = float(np.sqrt((1 / len(d) + self.held) * d.var(ddof=1)))
        return float(d.mean()) / error if error > 0 else 0.0


def number(value: float) -> str:
    """A score with five digits that say something."""
    return f"{value:.5f}" if value < 1 else f"{value:.5g}" if value < 1e5 else f"{value:.0f}"


def report(lines: list[Line]) -> Iterator[str]:
    """The tables in Markdown: scores with ranks, log loss of two classes, seconds."""
    libraries = (OURS, *PEERS)
    heads = " | ".join(libraries)
    yield "### Scores, and the rank in brackets\n"
    yield f"| table | measure | {heads} | ours better by, in errors |"
    yield "| --- | --- |" + " --- |" * (len(libraries) + 1)
    for line in lines:
        ranks = line.ranks()
        cells = [f"{number(float(line.values(one, line.measure).mean()))} ({ranks[one]:g})" for one in libraries]
        yield f"| {line.table} | {line.measure} | {' | '.join(cells)} | {line.apart():+.1f} |"
    means = [f"{np.mean([line.ranks()[one] for line in lines]):.2f}" for one in libraries]
    yield f"| **mean rank** | | {' | '.join(means)} | |"
    two = [line for line in lines if line.measure == "auc"]
    if two:
        yield "\n### Log loss of the tables of two classes\n"
        yield f"| table | {heads} |"
        yield "| --- |" + " --- |" * len(libraries)
        for line in two:
            cells = [number(float(line.values(one, "log loss").mean())) for one in libraries]
            yield f"| {line.table} | {' | '.join(cells)} |"
    yield "\n### Seconds of a fit, one thread\n"
    yield f"| table | {heads} | ours / LightGBM |"
    yield "| --- |" + " --- |" * (len(libraries) + 1)
    for line in lines:
        taken = [float(line.values(one, "seconds").mean()) for one in libraries]
        yield f"| {line.table} | {' | '.join(f'{one:.2f}' for one in taken)} | {taken[0] / taken[1]:.2f} |"


def main(arguments: list[str] | None = None) -> int:
    """Measures, prints the tables, and answers whether the mean rank of ours is the best."""
    parser = argparse.ArgumentParser(description="Accuracy of boosted trees as they come, beside their peers.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", choices=sorted(TABLES), action="append", help="a table; may be given several times")
    parser.add_argument("--others", action="store_true", help="tables other than the ten")
    parser.add_argument("--cache", type=Path, help="a JSON file in which the peers' scores are kept")
    told = parser.parse_args(arguments)
    warnings.filterwarnings("ignore", message="The least populated class")
    kept, lines = Kept(told.cache), []
    for table in told.only or (OTHERS if told.others else TEN):
        data = read(told.folder, table)
        found = {one: [kept.judged(one, data, fold) for fold in range(FOLDS)] for one in (OURS, *PEERS)}
        held = float(np.mean([len(test) / len(learn) for learn, test in data.folds]))
        lines.append(Line(table, data.measure, found, held))
        print(f"{table} {data.X.shape}, {len(names_of(data.X))} of names", file=sys.stderr, flush=True)
    print("\n".join(report(lines)))
    means = {one: np.mean([line.ranks()[one] for line in lines]) for one in (OURS, *PEERS)}
    return int(means[OURS] > min(means.values()))


if __name__ == "__main__":
    sys.exit(main())
