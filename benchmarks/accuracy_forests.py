"""How accurate forests, bagging and AdaBoost are beside scikit-learn's: the same folds of twenty real tables.

    python -m benchmarks.accuracy_forests FOLDER              # ten tables of classes, ten of numbers: CSV files
    python -m benchmarks.accuracy_forests FOLDER --rows 1000 --only glass --only boston

Both sides have the same settings, get the same numbers (categories as codes, missing values filled with the median) and
meet the same ten folds. Of J folds with n_test of n rows held out, and differences d_j of accuracy or R², Nadeau and
Bengio's corrected test takes

    t = mean(d) / sqrt((1 / J + n_test / n_train) var(d)),    J - 1 degrees of freedom

for the training parts overlap. Holm's step-down holds the chance of any false alarm among the tables of one estimator
at 1 %; the exit code is 1 if a difference is left after it. The error of a random forest out of bag is set against that
of the ten folds row by row: the difference, its standard error, and the same difference of scikit-learn's.

Nadeau, Bengio: Inference for the generalization error. Machine Learning 52 (2003).
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.frame.declare import Workload, load

WORKLOADS: list[Workload] = []  # nothing here is timed against peers
FOLDS, TREES, LEVEL = 10, 100, 0.01

Floats = NDArray[np.float64]
Fold = tuple[NDArray[Any], NDArray[Any]]


@dataclass(frozen=True)
class Source:
    """A file, its target, and columns that name rows rather than tell of them."""

    file: str
    target: str
    without: tuple[str, ...] = ()


CLASSES = {
    "sonar": Source("sonar.csv.gz", "Class"),
    "glass": Source("glass.csv", "Type"),
    "vehicle": Source("vehicle.csv", "Class"),
    "pima_diabetes": Source("pima_diabetes.csv", "outcome"),
    "titanic": Source("titanic.csv", "survived", ("name", "ticket", "cabin")),
    "german_credit": Source("german_credit.csv.gz", "class"),
    "credit_data": Source("credit_data.csv.gz", "Status"),
    "spambase": Source("spambase.csv.gz", "class"),
    "phoneme": Source("phoneme.csv.gz", "label"),
    "optdigits": Source("optdigits.csv.gz", "class"),
}
NUMBERS = {
    "auto_mpg": Source("auto_mpg.csv", "mpg"),
    "boston": Source("boston_housing.csv", "medv"),
    "medical_insurance": Source("medical_insurance.csv", "charges"),
    "wine_quality_red": Source("wine_quality_red.csv.gz", "quality"),
    "abalone": Source("abalone.csv.gz", "Class_Rings"),
    "kin8nm": Source("kin8nm.csv.gz", "y"),
    "california": Source("california_housing.csv.gz", "medianHouseValue"),
    "protein": Source("protein_casp.csv.gz", "y"),
    "diamonds": Source("diamonds.csv.gz", "price"),
    "bike_sharing": Source("ts_bike_sharing_hour.csv.gz", "cnt", ("instant", "dteday", "casual", "registered")),
}
# By name: whether it takes jobs.
OF_CLASSES = {
    "RandomForestClassifier": True,
    "ExtraTreesClassifier": True,
    "BaggingClassifier": True,
    "AdaBoostClassifier": False,
}
OF_NUMBERS = {"RandomForestRegressor": True, "ExtraTreesRegressor": True}


@dataclass(frozen=True)
class Data:
    """A table as numbers, its target, and the folds that everybody meets."""

    name: str
    X: Floats
    y: NDArray[Any]
    folds: list[Fold]
    of_classes: bool

    def score(self, rows: NDArray[Any], said: NDArray[Any]) -> float:
        """Accuracy, or R², of what is said of some rows."""
        if self.of_classes:
            return float((said == self.y[rows]).mean())
        return float(1 - ((said - self.y[rows]) ** 2).sum() / ((self.y[rows] - self.y[rows].mean()) ** 2).sum())

    def losses(self, said: NDArray[Any]) -> Floats:
        """Of each row whether it is wrong, or the square of how far off it is over the variance of the target."""
        if self.of_classes:
            return np.asarray(said != self.y, dtype=np.float64)
        return np.asarray((said - self.y) ** 2 / self.y.var())


def read(folder: Path, name: str, most: int) -> Data:
    """A table, or so many rows of it drawn at random, as numbers."""
    of_classes = name in CLASSES
    source = CLASSES[name] if of_classes else NUMBERS[name]
    frame = load("pandas.read_csv")(folder / source.file)
    if len(frame) > most:
        frame = frame.sample(most, random_state=0).reset_index(drop=True)
    target = frame.pop(source.target)
    y = target.to_numpy(dtype=str) if of_classes else target.to_numpy(dtype=np.float64)
    columns = []
    for label in frame.columns.difference(source.without, sort=False):
        column = frame[label]
        if not load("pandas.api.types.is_numeric_dtype")(column):
            codes = column.astype("category").cat.codes.astype("float64")
            column = codes.where(codes >= 0)
        columns.append(column.fillna(column.median()).to_numpy(dtype=np.float64))
    X = np.column_stack(columns)
    splitter = load(f"sklearn.model_selection.{'StratifiedKFold' if of_classes else 'KFold'}")
    return Data(name, X, y, list(splitter(FOLDS, shuffle=True, random_state=0).split(X, y)), of_classes)


def model_of(library: str, name: str, seed: int, jobs: int, **more: Any) -> Any:
    """An estimator of one of the two libraries, with the settings of both."""
    takes_jobs = {**OF_CLASSES, **OF_NUMBERS}[name]
    threads = {"n_jobs": jobs} if takes_jobs or library == "pellucid" else {}
    return load(f"{library}.ensemble.{name}")(n_estimators=TREES, random_state=seed, **threads, **more)


@dataclass(frozen=True)
class Judged:
    """Of one library: the score on each fold, what was said of each row when it was held out, and the seconds."""

    scores: Floats
    said: NDArray[Any]
    seconds: float


def judged(library: str, name: str, data: Data, jobs: int) -> Judged:
    """Fits on every training part, and scores on the rows held out."""
    scores, said, begun = [], data.y.copy(), time.perf_counter()
    for k, (learn, test) in enumerate(data.folds):
        model = model_of(library, name, k, jobs).fit(data.X[learn], data.y[learn])
        said[test] = model.predict(data.X[test])
        scores.append(data.score(test, said[test]))
    return Judged(np.array(scores), said, time.perf_counter() - begun)


@dataclass(frozen=True)
class Paired:
    """Two libraries on the same folds of a table: their mean scores, the difference, its error, and how likely."""

    table: str
    ours: float
    theirs: float
    apart: float
    error: float
    p: float


def corrected(table: str, ours: Floats, theirs: Floats, folds: list[Fold]) -> Paired:
    """Nadeau and Bengio's test of the difference of two rows of scores; without any difference p is 1."""
    d = ours - theirs
    held = float(np.mean([len(test) / len(learn) for learn, test in folds]))
    error = float(np.sqrt((1 / len(d) + held) * d.var(ddof=1)))
    p = 1.0
    if error > 0:
        p = float(2 * load("scipy.stats.t").sf(abs(d.mean()) / error, len(d) - 1))
    elif d.mean() != 0:
        p = 0.0
    return Paired(table, float(ours.mean()), float(theirs.mean()), float(d.mean()), error, p)


def holm(p_values: list[float], level: float) -> list[bool]:
    """Which of several p values are below what Holm's step-down allows, one after the other from the least."""
    kept, open_still = [False] * len(p_values), True
    for step, place in enumerate(np.argsort(p_values, kind="stable").tolist()):
        open_still = open_still and p_values[place] <= level / (len(p_values) - step)
        kept[place] = open_still
    return kept


@dataclass(frozen=True)
class OutOfBag:
    """Of a forest on a table: the error out of bag and of the folds, their difference and its standard error."""

    out_of_bag: float
    folds: float
    apart: float
    error: float


def out_of_bag(library: str, name: str, data: Data, jobs: int, held_out: NDArray[Any]) -> OutOfBag:
    """The error of rows left out of the samples of one forest of all rows, against that of the folds."""
    model = model_of(library, name, 0, jobs, oob_score=True).fit(data.X, data.y)
    if data.of_classes:
        shares = np.asarray(model.oob_decision_function_)
        said, heard = model.classes_[np.nan_to_num(shares).argmax(axis=1)], np.isfinite(shares).all(axis=1)
    else:
        said = np.asarray(model.oob_prediction_)
        heard = np.isfinite(said)
    own, other = data.losses(said)[heard], data.losses(held_out)[heard]
    d = own - other
    return OutOfBag(float(own.mean()), float(other.mean()), float(d.mean()), float(d.std(ddof=1) / np.sqrt(len(d))))


def table_of(name: str, found: list[Paired]) -> Iterator[str]:
    """The lines of an estimator's table in Markdown."""
    wrong = holm([one.p for one in found], LEVEL)
    yield f"\n### {name}, {sum(wrong)} of {len(found)} apart at 1 % after Holm\n"
    yield "| table | ours | scikit-learn | ours less theirs | standard error | p | apart |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for one, is_apart in zip(found, wrong, strict=True):
        yield (
            f"| {one.table} | {one.ours:.4f} | {one.theirs:.4f} | {one.apart:+.4f} | {one.error:.4f} | {one.p:.3f} | "
            f"{'YES' if is_apart else 'no'} |"
        )


def bag_table(found: list[tuple[str, OutOfBag, OutOfBag]]) -> Iterator[str]:
    """The lines of the table of errors out of bag in Markdown."""
    yield "\n### Random forest, error out of bag against ten folds (share wrong, or 1 - R²)\n"
    yield "| table | out of bag | ten folds | difference | standard error | in errors | scikit-learn's difference |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for table, own, peer in found:
        errors = f"{own.apart / own.error:+.1f}" if own.error > 0 else "0"
        yield (
            f"| {table} | {own.out_of_bag:.4f} | {own.folds:.4f} | {own.apart:+.4f} | {own.error:.4f} | {errors} | "
            f"{peer.apart:+.4f} ± {peer.error:.4f} |"
        )


def main(arguments: list[str] | None = None) -> int:
    """Measures, prints a table an estimator, and answers whether a difference is more than noise."""
    parser = argparse.ArgumentParser(description="Accuracy of forests, bagging and AdaBoost beside scikit-learn's.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=5000, help="most rows of a table, drawn at random")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", choices=sorted({**CLASSES, **NUMBERS}), action="append")
    told = parser.parse_args(arguments)
    warnings.filterwarnings("ignore", message="The least populated class")  # of glass, which has nine rows
    pairs: dict[str, list[Paired]] = {}
    bags: list[tuple[str, OutOfBag, OutOfBag]] = []
    for table in told.only or (*CLASSES, *NUMBERS):
        data = read(told.folder, table, told.rows)
        for name in OF_CLASSES if data.of_classes else OF_NUMBERS:
            ours, theirs = (judged(library, name, data, told.jobs) for library in ("pellucid", "sklearn"))
            pairs.setdefault(name, []).append(corrected(table, ours.scores, theirs.scores, data.folds))
            taken = f"{ours.seconds:.1f} s, scikit-learn {theirs.seconds:.1f} s"
            print(f"{table} {data.X.shape}: {name} {taken}", file=sys.stderr, flush=True)
            if name.startswith("RandomForest"):
                own = out_of_bag("pellucid", name, data, told.jobs, ours.said)
                bags.append((table, own, out_of_bag("sklearn", name, data, told.jobs, theirs.said)))
    for name, found in pairs.items():
        print("\n".join(table_of(name, found)))
    print("\n".join(bag_table(bags)))
    return int(any(any(holm([one.p for one in found], LEVEL)) for found in pairs.values()))


if __name__ == "__main__":
    sys.exit(main())
