"""Outcomes for the tests of the page, made by small fits of the library: two classes, several classes, a number, and a
table without a target; and a hostile one, all of whose texts come from a user who means ill."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

from pellucid.datasets import load_penguins
from pellucid.dummy import DummyClassifier, DummyRegressor
from pellucid.ensemble import RandomForestClassifier, RandomForestRegressor
from pellucid.inspection import partial_dependence, permutation_importance
from pellucid.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    calibration_curve,
    confusion_matrix,
    mean_absolute_error,
    precision_recall_curve,
    r2_score,
    roc_auc_score,
    roc_curve,
    root_mean_squared_error,
)
from pellucid.model_selection import cross_validate, diagnose
from pellucid.quality import Cleaner, check, profile, read
from pellucid.report.charts_plots import Bar as ChartBar
from pellucid.report.charts_plots import Line, bars, lines_chart, scatter
from pellucid.report.outcome import (
    Candidate,
    Explanation,
    HoldoutResult,
    Listing,
    LocalExplanation,
    Metric,
    MetricValue,
    ModelComparison,
    Picture,
    Role,
    Source,
    StudyResult,
    SurrogateModel,
    Task,
    Tuned,
)
from pellucid.tree import DecisionTreeClassifier, DecisionTreeRegressor, export_svg, export_text
from pellucid.working import Working, mean

AUC = Metric("roc_auc", "area under the ROC curve", "how often a good row is ranked above a bad one")
ACCURACY = Metric("accuracy", "accuracy", "the share of rows whose class is predicted rightly")
ERROR = Metric(
    "neg_root_mean_squared_error", "root mean squared error", "the typical size of an error, in the target's unit", -1
)
TABLES = Path(__file__).parents[1] / "quality" / "tables"
SCRIPT = (
    'import pellucid\n\n# The same model from the same table.\ntable = pellucid.quality.read("penguins.csv").table\n'
    * 3
)


@cache
def penguins() -> Any:
    """The penguins with a few mistakes: misspelt, padded and impossible values, rows that are there twice."""
    frame = load_penguins(as_frame="polars").frame
    rows = frame.rows(named=True)
    for k, row in enumerate(rows):
        row["id"] = f"P{k:04d}"
    rows[4]["island"], rows[90]["island"] = "Torgersn", " Dream"
    rows[11]["body_mass_g"], rows[200]["sex"] = -3700.0, "."
    rows[33]["flipper_length_mm"] = 1900.0
    return pl.DataFrame(rows + rows[:3])


@cache
def credit() -> Any:
    """An extract of 150 rows of the German credit table."""
    return read(TABLES / "german_credit.csv").table


def _source(name: str, table: Any) -> Source:
    return Source(name, table.height, table.width, "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")


def _cleaned(table: Any, target: str | None) -> tuple[Any, Any, Any, dict[int, tuple[Any, ...]]]:
    """Findings, the log, the cleaned table, and the rows that findings point at."""
    found = check(table, target=target)
    cleaner = Cleaner(target=target).fit(table)
    cleaned = cleaner.clean(table)
    wanted = {int(row) for one in found for row in one.rows[:3]}
    row_of = table.row if isinstance(table, pl.DataFrame) else lambda row: tuple(table.iloc[row])
    return found, cleaned.log, cleaned.table, {row: row_of(row) for row in sorted(wanted)}


def _race(models: dict[str, tuple[str, str, Any]], X: Any, y: Any, measure: Metric) -> ModelComparison:
    found = {}
    for name, (_, _, model) in models.items():
        found[name] = cross_validate(model, X, y, cv=5, scoring=measure.scoring, return_train_score=True)
    order = sorted(found, key=lambda name: -found[name]["test_score"].mean())
    candidates = []
    for place, name in enumerate(order):
        title, about, _ = models[name]
        scores = found[name]["test_score"]
        verdict = "best" if place == 0 else "not shown to differ" if place == 1 else "worse"
        candidates.append(
            Candidate(
                name, title, about, tuple(measure.read(float(s)) for s in scores), measure.read(float(scores.mean())),
                float(scores.std(ddof=1)), measure.read(float(found[name]["train_score"].mean())),
                verdict=verdict, p_worse=(None, 0.41, 0.9996)[min(place, 2)], p_equal=(None, 0.3, 0.0)[min(place, 2)],
                settings={"n_estimators": 30} if name == "forest" else {},
            )
        )  # fmt: skip
    candidates.append(
        Candidate("neighbors", "nearest neighbors", "answers as the most similar rows do",
                  why="would take about 90 seconds on 340 rows; with --minutes 3 it may take part")
    )  # fmt: skip
    words = f"The {models[order[0]][0]} has the best mean score; the second is not shown to be worse on these folds."
    return ModelComparison(tuple(candidates), len(y), 5, words)


def _figures(pairs: list[tuple[str, str, Any]], actual: Any, found: Any, base: Any) -> tuple[MetricValue, ...]:
    """Scores with intervals from bootstrap samples."""
    draw = np.random.default_rng(0)
    samples = [draw.integers(0, len(actual), len(actual)) for _ in range(100)]
    made = []
    for word, about, score in pairs:
        drawn = [score(actual[rows], found[rows]) for rows in samples if len(np.unique(actual[rows])) > 1]
        low, high = np.quantile(drawn, [0.025, 0.975])
        made.append(MetricValue(word, about, score(actual, found), float(low), float(high), score(actual, base)))
    return tuple(made)


def _cases(model: Any, X: Any, rows: list[int], y: Any, answers: Any, sure: Any) -> tuple[LocalExplanation, ...]:
    kinds = {
        "typical": "The row whose answer lies nearest to the median of all.",
        "least certain": "The row on which the model hesitates most.",
        "worst": "The row whose answer is furthest off.",
    }
    made = []
    for (kind, why), row in zip(kinds.items(), rows, strict=True):
        cells = tuple((name, X[name][row]) for name in X.columns)
        probability = None if sure is None else float(sure[row].max())
        working = model.show_predict(X, rows=[row])
        prepared = tuple((name, float(value)) for name, value in cells if isinstance(value, int | float))
        made.append(LocalExplanation(kind, why, row, cells, y[row], answers[row], probability, working, prepared))
    return tuple(made)


def _roles(table: Any, target: str | None, used: list[str]) -> tuple[Role, ...]:
    return tuple(
        Role(name, "number" if table[name].dtype.is_numeric() else "category", "numbers")
        if name in used
        else Role(name, "left out", "an identifier: every row has its own value")
        for name in table.columns
        if name != target
    )


def _split(table: Any, target: str) -> tuple[Any, Any, Any, Any, np.ndarray]:
    """Rows to learn from and rows kept back: every fourth."""
    kept = np.arange(table.height) % 4 == 3
    back = table.filter(pl.Series(kept))
    learn = table.filter(pl.Series(~kept))
    return learn, back, np.array(learn[target].to_list()), np.array(back[target].to_list()), np.flatnonzero(kept)


@cache
def several_classes() -> StudyResult:
    """The species of a penguin."""
    table = penguins()
    found, log, clean, examples = _cleaned(table, "species")
    used = ["island", "bill_length_mm", "bill_depth_mm", "flipper_length_mm", "sex"]
    learn, back, y, y_back, positions = _split(clean, "species")
    X, X_back = learn.select(used), back.select(used)
    models = {
        "baseline": ("baseline", "always the most frequent class", DummyClassifier()),
        "tree": ("decision tree", "asks one column at a time", DecisionTreeClassifier(max_depth=2, random_state=0)),
        "forest": ("random forest", "the mean of many trees", RandomForestClassifier(n_estimators=30, random_state=0)),
    }
    race = _race(models, X, y, ACCURACY)
    forest = models["forest"][2].fit(X, y)
    answers, sure = forest.predict(X_back), forest.predict_proba(X_back)
    held = HoldoutResult(
        len(y_back),
        _figures(
            [("accuracy", ACCURACY.about, accuracy_score),
             ("balanced accuracy", "the mean of the classes' own accuracies", balanced_accuracy_score)],
            y_back, answers, np.full(len(y_back), "Adelie"),
        ),
        confusion_matrix(y_back, answers),
        positions=positions,
    )  # fmt: skip
    small = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, forest.predict(X))
    opinion = SurrogateModel(
        export_svg(small), export_text(small, feature_names=used), "if flipper_length_mm > 206 then Gentoo",
        float((small.predict(X_back) == answers).mean()), accuracy_score(y_back, small.predict(X_back)),
    )  # fmt: skip
    tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    explanation = Explanation(
        permutation_importance(forest, X_back, y_back, random_state=0),
        (partial_dependence(forest, X_back, ["flipper_length_mm"], grid_resolution=20),
         partial_dependence(forest, X_back, ["island"])),
        opinion,
        _cases(tree, X_back, [0, 1, 2], y_back, answers, sure),
    )  # fmt: skip
    return StudyResult(
        _source("penguins.csv", table),
        Task("several classes", "'species' has 3 different values that are words", "species",
             tuple(forest.classes_.tolist()), None, ACCURACY),
        "A penguin's species can be told from its measurements in nearly all cases.",
        ("The random forest answers 97 of 100 penguins rightly that it has never seen.",
         "The length of the bill and of the flippers matter most."),
        ("3 rows stand in the table twice.", "Only 85 rows were kept back: the figures are uncertain."),
        profile(table, target="species"), found, log, _roles(clean, "species", used), 0, race, "forest",
        (Tuned("forest", 4, {"min_samples_leaf": 1}, 0.971, 0.976,
               tuple(({"min_samples_leaf": n}, score) for n, score in ((1, 0.976), (3, 0.971), (10, 0.95)))),),
        held, diagnose(models["tree"][2], X, y, cv=5), explanation,
        files={"model.pellucid": "the model", "change log.csv": "every change", "predict.py": "the script"},
        script=SCRIPT, examples=examples, model=forest, table=clean,
    )  # fmt: skip


@cache
def two_classes() -> StudyResult:
    """Good and bad credits."""
    table = credit()
    found, log, clean, examples = _cleaned(table, "class")
    used = [name for name in table.columns if name != "class"]
    learn, back, y, y_back, positions = _split(clean, "class")
    X, X_back = learn.select(used), back.select(used)
    models = {
        "baseline": ("baseline", "always the most frequent class", DummyClassifier()),
        "tree": ("decision tree", "asks one column at a time", DecisionTreeClassifier(max_depth=4, random_state=0)),
        "forest": ("random forest", "the mean of many trees", RandomForestClassifier(n_estimators=30, random_state=0)),
    }
    race = _race(models, X, y, AUC)
    forest = models["forest"][2].fit(X, y)
    sure = forest.predict_proba(X_back)
    good, answers = sure[:, list(forest.classes_).index("good")], forest.predict(X_back)
    is_good = (y_back == "good").astype(int)
    false, true, _ = roc_curve(is_good, good)
    precision, recall, _ = precision_recall_curve(is_good, good)
    seen, said = calibration_curve(is_good, good, n_bins=5)
    rows = np.array([7] * len(seen))
    held = HoldoutResult(
        len(y_back),
        _figures([("area under the ROC curve", AUC.about, roc_auc_score)], is_good, good, np.full(len(good), 0.7)),
        confusion_matrix(y_back, answers),
        (false, true),
        (recall, precision),
        (said, seen, rows),
        positions=positions,
    )
    tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    explanation = Explanation(
        permutation_importance(forest, X_back, y_back, random_state=0, n_repeats=5),
        (partial_dependence(forest, X_back, ["duration"], grid_resolution=20, kind="both"),
         partial_dependence(forest, X_back, ["purpose"]),
         partial_dependence(forest, X_back, ["duration", "age"], grid_resolution=8)),
        SurrogateModel(export_svg(tree), export_text(tree, feature_names=used), "", 0.8, 0.66),
        _cases(tree, X_back, [0, 1, 2], y_back, answers, sure),
    )  # fmt: skip
    return StudyResult(
        _source("german_credit.csv", table),
        Task("two classes", "'class' has two values, 'good' and 'bad'", "class", ("bad", "good"), "good", AUC),
        "Whether a credit is paid back can be foreseen better than by chance, but not reliably.",
        ("The random forest ranks a good credit above a bad one in about seven of ten pairs.",),
        ("The table has only 150 rows.",),
        profile(table, target="class"), found, log, _roles(clean, "class", used), 0, race, "forest", (),
        held, diagnose(models["forest"][2], X, y, cv=5, scoring="roc_auc"), explanation,
        files={"model.pellucid": "the model"}, script=SCRIPT, examples=examples,
    )  # fmt: skip


@cache
def number() -> StudyResult:
    """The mass of a penguin."""
    table = penguins().filter(pl.col("body_mass_g") > 0)
    found, log, clean, examples = _cleaned(table, "body_mass_g")
    clean = clean.filter(pl.col("body_mass_g").is_not_null())
    used = ["species", "island", "bill_length_mm", "bill_depth_mm", "flipper_length_mm", "sex"]
    learn, back, y, y_back, positions = _split(clean, "body_mass_g")
    X, X_back = learn.select(used), back.select(used)
    models = {
        "baseline": ("baseline", "always the mean", DummyRegressor()),
        "tree": ("decision tree", "asks one column at a time", DecisionTreeRegressor(max_depth=4, random_state=0)),
        "forest": ("random forest", "the mean of many trees", RandomForestRegressor(n_estimators=30, random_state=0)),
    }
    race = _race(models, X, y, ERROR)
    forest = models["forest"][2].fit(X, y)
    answers = forest.predict(X_back)
    held = HoldoutResult(
        len(y_back),
        _figures(
            [("root mean squared error", ERROR.about, root_mean_squared_error),
             ("mean absolute error", "the mean size of an error", mean_absolute_error),
             ("R²", "the share of the variance that is explained", r2_score)],
            y_back, answers, np.full(len(y_back), y.mean()),
        ),
        actual=y_back, predicted=answers, positions=positions,
    )  # fmt: skip
    tree = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, y)
    explanation = Explanation(
        permutation_importance(forest, X_back, y_back, random_state=0),
        (partial_dependence(forest, X_back, ["flipper_length_mm"], grid_resolution=20),
         partial_dependence(forest, X_back, ["species"])),
        SurrogateModel(export_svg(tree), export_text(tree, feature_names=used), "", 0.9, 320.0),
        _cases(tree, X_back, [0, 1, 2], y_back, answers, None),
    )  # fmt: skip
    return StudyResult(
        _source("penguins.csv", table),
        Task("number", "'body_mass_g' holds numbers, 94 different ones", "body_mass_g", measure=ERROR),
        "A penguin's mass can be told to about 300 g.",
        ("The random forest is off by 300 g on a typical penguin that it has never seen.",),
        (),
        profile(table, target="body_mass_g"), found, log, _roles(clean, "body_mass_g", used), 0, race, "forest", (),
        held, diagnose(models["tree"][2], X, y, cv=5, scoring=ERROR.scoring, perfect=0.0), explanation,
        files={"model.pellucid": "the model"}, script=SCRIPT, examples=examples,
    )  # fmt: skip


@cache
def no_target() -> StudyResult:
    """Groups of penguins, as ready pictures and lists."""
    table = penguins()
    found, log, clean, examples = _cleaned(table, None)
    kept = clean.drop_nulls(["bill_length_mm", "bill_depth_mm"])
    names = ["Adelie", "Chinstrap", "Gentoo"]
    groups = [names.index(one) for one in kept["species"]]
    points = scatter(
        "groups", "Groups", "Three groups.", kept["bill_length_mm"].to_list(), kept["bill_depth_mm"].to_list(),
        x_label="bill length in mm", y_label="bill depth in mm", groups=groups, group_names=names,
    )  # fmt: skip
    errors = Line("", [1.0, 2, 3, 4, 5], [900.0, 500, 200, 180, 170], dots=True)
    elbow = lines_chart(
        "elbow", "Elbow", "The error by number of groups.", [errors], x_label="groups", y_label="sum of squares",
    )  # fmt: skip
    sizes = bars(
        "sizes", "Sizes", "Rows of each group.", [ChartBar(name, groups.count(k)) for k, name in enumerate(names)]
    )
    return StudyResult(
        _source("penguins.csv", table),
        Task("no target", "no target was named"),
        "The rows fall into three groups.",
        ("Three groups explain most of the spread.",),
        ("Groups are a matter of scale: other units give other groups.",),
        profile(table), found, log, _roles(clean, None, ["bill_length_mm", "bill_depth_mm"]), 0,
        pictures=(
            Picture("Groups", "Rows by two columns, colored by group.", points),
            Picture("How many groups?", "The error falls little after three.", elbow),
            Picture("Sizes", "Rows of each group.", sizes),
        ),
        listings=(
            Listing("Groups", "Means of each group.", ("group", "rows", "mean bill length"),
                    (("A", 151, 38.8), ("B", 68, 48.8), ("C", 123, 47.5))),
            Listing("Outliers", "Rows that are far from all others.", ("row", "score", "why"), ()),
        ),
        files={}, script=SCRIPT, examples=examples,
    )  # fmt: skip


SAMPLES = {"two": two_classes, "several": several_classes, "number": number, "none": no_target}

NASTY = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</style><b>bold</b>",
    "nul\x00 bell\x07 escape\x1b",
    "مرحبا بالعالم \u202eevil\u202c",
    "x" * 10_000,
]


def _nasty_working() -> Working:
    """A working all of whose texts are nasty."""
    w = Working(NASTY[0], NASTY[1])
    for k, text in enumerate(NASTY):
        w.step(text[:400], text[:400])
        rows = w.axis(text[:400], [part[:400] for part in NASTY[:3]], "i", "n")
        x = w.given(f"{text[:400]} x{k}", [1.0, 2.0, 3.0], rows, symbol=f"x_{k}", label=text[:400])
        w.cell(f"{text[:400]} m{k}", mean(x), symbol=f"m_{k}", label=text[:400])
    return w


@cache
def hostile() -> StudyResult:
    """The several classes once more, with every text of the user's replaced by something nasty."""
    base = several_classes()
    names = [f"{NASTY[k % len(NASTY)]} {k}" for k in range(8)]
    rows = 60
    cells = {
        name: [NASTY[(k + row) % len(NASTY)] + str(row % 7) for row in range(rows)] for k, name in enumerate(names)
    }
    table = pd.DataFrame(cells)  # polars ends the process where a column's name holds a NUL
    found, log, _, examples = _cleaned(table, None)
    classes = tuple(NASTY[:3])
    assert base.race is not None
    assert base.explanation is not None
    race = replace(base.race, words=NASTY[0], candidates=tuple(
        replace(one, title=NASTY[k % 6], about=NASTY[(k + 1) % 6], why=NASTY[1] if one.why else "",
                settings={NASTY[0]: NASTY[1]})
        for k, one in enumerate(base.race.candidates)
    ))  # fmt: skip
    importance = base.explanation.importance
    renamed = type(importance)(importance.baseline, importance.scores, names[: len(importance.feature_names)], 0)
    case = base.explanation.cases[0]
    cases = tuple(
        replace(case, kind=kind, why=NASTY[0], cells=tuple(zip(names, NASTY, strict=False)), actual=NASTY[0],
                predicted=NASTY[1], prepared=((NASTY[0], 1.0),), working=_nasty_working())
        for kind in ("typical", "least certain", NASTY[1])
    )  # fmt: skip
    opinion = SurrogateModel(
        '<svg onload="alert(1)"><script>alert(1)</script><foreignObject><img src="x"/></foreignObject>'
        '<a href="javascript:alert(1)"><text>no</text></a><text style="fill:red" id="t">&lt;b&gt;</text></svg>',
        NASTY[2], NASTY[0] * 50, 0.5, 0.5,
    )  # fmt: skip
    return replace(
        base,
        source=Source(NASTY[0], rows, len(names), NASTY[1]),
        task=Task("several classes", NASTY[0], NASTY[1], classes, None, ACCURACY),
        headline=NASTY[1], summary=tuple(NASTY), warnings=tuple(NASTY), profile=profile(table), findings=found, log=log,
        roles=tuple(Role(name, "category", NASTY[k % 6]) for k, name in enumerate(names)), race=race,
        tuned=(Tuned("forest", 2, {NASTY[0]: NASTY[1]}, 0.1, 0.2, (({NASTY[2]: NASTY[0]}, 0.2),)),),
        explanation=Explanation(renamed, base.explanation.effects, opinion, cases),
        pictures=(Picture(NASTY[0], NASTY[1], opinion.tree), Picture("broken", "", "<svg><g></svg>")),
        listings=(Listing(NASTY[1], NASTY[2], (NASTY[0], "n"), tuple((text, k) for k, text in enumerate(NASTY))),),
        files={NASTY[0]: NASTY[1], "javascript:alert(1)": "a file"}, script=NASTY[0], examples=examples,
    )  # fmt: skip


@cache
def wide() -> StudyResult:
    """Five thousand columns of numbers."""
    draw = np.random.default_rng(0)
    names = [f"measurement number {k}" for k in range(5_000)]
    table = pl.DataFrame(draw.normal(size=(12, 5_000)), schema=names)
    found, log, _, examples = _cleaned(table, None)
    roles = tuple(Role(name, "number", "numbers") for name in names)
    return replace(
        no_target(), source=_source("wide.csv", table), profile=profile(table, associations=False), findings=found,
        log=log, roles=roles, examples=examples,
    )  # fmt: skip
