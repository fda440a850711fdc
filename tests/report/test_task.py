"""What a table is about: the task, the roles of columns, who takes part, how rows are parted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

from pellucid.base.errors import DataError, ParameterError
from pellucid.quality import profile
from pellucid.report.candidates import candidate_models
from pellucid.report.columns import Columns, columns_of, preparation, roles_of
from pellucid.report.costs import Size
from pellucid.report.holdout_split import folds_of, sample, split_holdout
from pellucid.report.outcome import Task
from pellucid.report.plan import RACE, SEARCH, folds_within, make_plan, rows_within
from pellucid.report.prepare import StudyConfig, open_table, prepare
from pellucid.report.structure import RowStructure
from pellucid.report.study import run_study
from pellucid.report.task import MEASURES, find_task, with_classes, with_robust_measure

N = 200
RANDOM = np.random.default_rng(0)
TABLE = pl.DataFrame(
    {
        "id": [f"k{i:05d}" for i in range(N)],
        "same": ["a"] * N,
        "empty": pl.Series([None] * N, dtype=pl.Float64),
        "size": RANDOM.normal(size=N),
        "rooms": RANDOM.integers(0, 50, N),
        "town": RANDOM.choice(["Oslo", "Rome", "Bern"], N),
        "sold": RANDOM.choice(["yes", "no"], N),
        "grade": RANDOM.integers(1, 5, N),
        "type": RANDOM.choice([3, 5, 9], N),
        "when": pl.Series(np.datetime64("2020-01-01") + np.arange(N).astype("timedelta64[D]")),
        "said": [f"word{i % 7} word{i % 11} and {i} more words here" for i in range(N)],
        "code": [f"{RANDOM.integers(1e9)}x" for _ in range(N)],
    }
).with_columns(pl.Series("gaps", [None if i % 10 == 0 else float(i % 13) / 3 for i in range(N)]))
PROFILE = profile(TABLE)


@pytest.mark.parametrize(
    ("target", "kind"),
    [
        ("sold", "two classes"),
        ("town", "several classes"),
        ("grade", "several classes"),  # 1 to 4, like numbered classes
        ("type", "several classes"),  # three whole numbers, and the name says so
        ("rooms", "number"),
        ("size", "number"),
    ],
)
def test_the_target_tells_the_task(target: str, kind: str) -> None:
    task = find_task(PROFILE, target)
    assert (task.kind, task.target) == (kind, target)
    assert repr(target) in task.why


def test_codes_are_classes_and_an_identifier_stays_a_number() -> None:
    codes = {"naics": RANDOM.choice([541511, 722511, 621111], N), "order_no": RANDOM.permutation(np.arange(N)) + 7001}
    described = profile(pl.DataFrame(codes))
    assert find_task(described, "naics").kind == "several classes"
    task = find_task(described, "order_no")
    assert task.kind == "number"
    assert "identifier" in task.why


@pytest.mark.parametrize(
    ("name", "kind"),
    [("nests", "number"), ("n_claims", "number"), ("cluster", "several classes"), ("classes", "several classes")],
)
def test_counts_are_numbers_and_numbered_classes_are_not(name: str, kind: str) -> None:
    many_zeros = np.random.default_rng(1).poisson(np.exp(np.random.default_rng(2).normal(-1, 0.7, 1200)))
    task = find_task(profile(pl.DataFrame({name: np.minimum(many_zeros, 6)})), name)
    assert task.kind == kind
    assert ("counts things" in task.why) == (kind == "number")


@pytest.mark.parametrize(("name", "kind"), [("days", "number"), ("n_rooms", "number"), ("quality", "several classes")])
def test_counts_from_one_on_are_numbers(name: str, kind: str) -> None:
    """A stay in days or the rooms of a home: most of them some, hardly any one very many."""
    stays = np.clip(np.random.default_rng(4).normal(4, 2, 900).round(), 1, 10).astype(int)
    task = find_task(profile(pl.DataFrame({name: stays})), name)
    assert task.kind == kind
    assert ("from 1 to 10, and the largest is rare" in task.why) == (kind == "number")


def test_a_rare_count_is_no_rare_class() -> None:
    random = np.random.default_rng(4)
    table = pl.DataFrame({"x": random.normal(size=600), "n_claims": random.poisson(0.3, 600)})
    config = StudyConfig("n_claims")
    ready = prepare(open_table(table, config, None, lambda *_: None, associations=False), config, lambda *_: None)
    assert ready.task.kind == "number"
    assert not ready.findings.of(check="imbalance")


@pytest.mark.parametrize("name", ["machines", "n_stage"])
def test_numbers_that_are_equally_frequent_are_no_counts(name: str) -> None:
    codes = np.random.default_rng(3).integers(0, 6, 1200)
    assert find_task(profile(pl.DataFrame({name: codes})), name).kind == "several classes"


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("height_cm", "cm"),
        ("span (m)", "m"),
        ("price_eur", "EUR"),
        ("humidity_pct", "percentage points"),
        ("x_t", ""),  # a letter may mean anything
        ("cm", ""),
        ("size", ""),
    ],
)
def test_the_unit_of_an_error(name: str, unit: str) -> None:
    values = (50 + 9 * np.random.default_rng(0).normal(size=300)).round(2)
    assert find_task(profile(pl.DataFrame({name: values})), name).unit == unit


@pytest.mark.parametrize(
    ("y", "word"),
    [
        (RANDOM.normal(size=500), "RMSE"),
        (RANDOM.exponential(size=500), "RMSE"),
        (np.exp(1.8 * RANDOM.normal(size=500)), "mean absolute error"),
        (np.append(RANDOM.normal(size=499), 1e4), "mean absolute error"),  # one value decides
        (np.exp(2 * RANDOM.normal(size=500)) * (RANDOM.random(500) < 0.3), "RMSE"),  # mostly 0
    ],
)
def test_the_metric_of_heavy_tails(y: np.ndarray, word: str) -> None:
    task = with_robust_measure(Task("number", "it holds numbers", "y", measure=MEASURES["r2"]), y)
    assert task.measure is not None
    assert task.measure.word == (word if word != "RMSE" else "R²")  # unchanged


def test_one_row_makes_up_the_variance() -> None:
    y = np.append(RANDOM.normal(size=99), 1e4)
    why = with_robust_measure(Task("number", "it holds numbers", "y", measure=MEASURES["r2"]), y).why
    assert "1 of 100 rows makes up" in why


def test_the_user_may_say_the_task_and_the_measure() -> None:
    assert find_task(PROFILE, "grade", "number").kind == "number"
    task = find_task(PROFILE, "sold", measure="neg_log_loss")
    assert task.measure is not None
    assert task.measure.read(-0.5) == 0.5
    with pytest.raises(ParameterError, match="a measure of this task must be one of"):
        find_task(PROFILE, "sold", measure="r2")
    with pytest.raises(ParameterError, match="needs a target"):
        find_task(PROFILE, None, "number")


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("price", "the target must be a column of the table; there is no 'price'"),
        ("empty", "the target must have values"),
        ("same", "the target must vary"),
        ("when", "the target must be classes or numbers"),
        ("code", "a target of words needs at most 100 classes"),
    ],
)
def test_a_target_that_cannot_be_one(target: str, words: str) -> None:
    with pytest.raises(DataError, match=words):
        find_task(PROFILE, target)


def test_a_target_of_amounts_in_text_is_refused_with_the_way_to_convert_it() -> None:
    values = [f"({i:,}.50)" if i % 2 else f"{7 * i:,}.25" for i in range(1000, 1000 + N)]
    with pytest.raises(DataError, match="--apply 'to_number:net amount'"):
        find_task(profile(pl.DataFrame({"net amount": values})), "net amount")


@pytest.mark.parametrize("n_rare", [1, 2])
def test_two_classes_of_which_one_has_hardly_a_row(n_rare: int) -> None:
    y = np.array(["ok"] * 60 + ["broken"] * n_rare)
    with pytest.raises(DataError, match=f"each of two classes needs at least 3 rows; 'broken' has {n_rare} row"):
        split_holdout(y, True, RowStructure(), 0)


def test_every_fold_of_two_classes_holds_both_and_a_rare_one_of_several_costs_no_fold() -> None:
    two = np.array(["ok"] * 60 + ["broken"] * 3)
    folds = folds_of(two, True, RowStructure(), 0)
    assert len(folds) == 3
    assert all(len(np.unique(two[rows])) == 2 for fold in folds for rows in fold)
    several = np.array(["a"] * 40 + ["b"] * 40 + ["rare"] * 2)
    assert len(folds_of(several, True, RowStructure(), 0)) == 5


def test_four_rows_of_a_class_are_reported_without_a_claim() -> None:
    random = np.random.default_rng(0)
    state = np.array(["ok"] * 200, dtype=object)
    state[random.choice(200, 4, replace=False)] = "broken"
    table = pl.DataFrame(
        {"torque": random.normal(size=200), "hours": random.normal(size=200), "state": state.astype(str)}
    )
    outcome = run_study(table, "state", minutes=0.02)
    assert "No model is shown to predict whether state is broken" in outcome.headline


def test_no_target() -> None:
    assert find_task(PROFILE, None).kind == "no target"
    assert find_task(PROFILE, None, "visits").why == "it was requested"


@pytest.mark.parametrize(
    ("labels", "positive"),
    [(["no", "yes"], "yes"), (["good", "bad"], "bad"), ([0, 1], 1), (["a", "b"], "b"), ([2, 4], 4)],
)
def test_the_class_that_is_asked_for(labels: list[Any], positive: Any) -> None:
    task = with_classes(find_task(PROFILE, "sold"), np.array(labels * 3))
    assert task.positive == positive
    assert sorted(map(str, task.classes)) == sorted(map(str, labels))


def test_labels_of_ranges_have_no_negative_class() -> None:
    task = with_classes(find_task(PROFILE, "sold"), np.array(["<=50K"] * 2 + [">50K"] * 3))
    assert (task.positive, task.positive_reason) == ("<=50K", "it is the rarer one, 40.0 % of the rows")


def test_the_roles_of_columns() -> None:
    roles = {role.column: role for role in roles_of(PROFILE, "sold", ["rooms"])}
    assert {name: role.role for name, role in roles.items()} == {
        "id": "left out",
        "same": "left out",
        "empty": "left out",
        "size": "number",
        "rooms": "left out",
        "town": "category",
        "grade": "number",
        "type": "category",  # 3, 5 and 9 under a name that speaks of categories
        "when": "time",
        "said": "text",
        "code": "left out",
        "gaps": "number",
    }
    assert roles["rooms"].why == "it was requested"
    columns = columns_of(list(roles.values()), PROFILE)
    assert columns.gaps == ("gaps",)
    assert columns.used == ("size", "grade", "gaps", "town", "type", "when", "said")


@pytest.mark.parametrize("form", ["table", "matrix", "dense", "raw"])
def test_a_preparation_takes_the_raw_table(form: Any) -> None:
    columns = columns_of(roles_of(PROFILE, "sold"), PROFILE)
    made = preparation(columns, form).fit_transform(TABLE)
    assert made.shape[0] == N
    if form == "table":
        assert made["town"].to_list() == TABLE["town"].to_list()
        assert made["gaps"].null_count() == 20
        assert "said" not in made.columns
    if form == "matrix":
        assert np.isfinite(made.toarray()).all()
    if form == "dense":
        assert np.isfinite(made).all()
        assert made.shape[1] < 30  # no words
    if form == "raw":
        assert made.columns == list(columns.used)


ENTRANTS, _ = candidate_models(True, Columns(numbers=("size",)))


def test_models_that_take_no_words_say_so() -> None:
    kept, left = candidate_models(True, Columns(texts=("said",)))
    assert {spec.name for spec in kept} >= {"baseline", "linear", "bayes", "boosting"}
    assert "forest" in {spec.name for spec, _ in left}
    kept, left = candidate_models(True, Columns(numbers=("size",), texts=("said",)))
    assert "forest" in {spec.name for spec in kept}  # without the words
    assert {"discriminant", "kernel", "network"} <= {spec.name for spec in kept}  # they too
    assert left == []


def test_a_comparison_by_log_loss_needs_probabilities() -> None:
    kept, left = candidate_models(True, Columns(numbers=("size",)), needs_probabilities=True)
    assert {spec.name for spec, _ in left} == {"margin", "kernel"}
    assert all(hasattr(spec.model(True, 0, Columns(numbers=("size",)))[-1], "predict_proba") for spec in kept)


def test_the_default_criterion_scores_probabilities() -> None:
    names = {target: find_task(PROFILE, target).measure for target in ("sold", "town", "size")}
    assert {target: measure and measure.scoring for target, measure in names.items()} == {
        "sold": "roc_auc",
        "town": "neg_log_loss",
        "size": "neg_root_mean_squared_error",
    }


def test_a_plan_depends_on_sizes_and_minutes_alone() -> None:
    size = Size(5000, 20, 60, 2)
    plan = make_plan(ENTRANTS, size, 1.0, 5)
    assert plan == make_plan(ENTRANTS, size, 1.0, 5)
    assert plan.rows == 5000
    assert sum(plan.shares) == pytest.approx(1)
    spent = sum(plan.repeats * 5 * spec.cost(replace(size, rows=plan.rows)) for spec in plan.entrants)
    assert plan.search + spent == pytest.approx(60 * (RACE + SEARCH))  # what the race leaves is searched with
    large = make_plan(ENTRANTS, replace(size, rows=10_000_000), 1.0, 5)
    assert large.rows < 10_000_000
    assert {"baseline", "linear", "tree", "boosting"} <= {spec.name for spec in large.entrants}
    assert large.left
    assert all("--minutes" in why for _, why in large.left)
    patient = make_plan(ENTRANTS, replace(size, rows=10_000_000), 600.0, 5)
    assert patient.rows > large.rows


def test_rows_that_one_fit_can_take() -> None:
    boosting = next(spec for spec in ENTRANTS if spec.name == "boosting")
    assert rows_within(boosting, Size(1000, 5, 5, 2), 10) == 1000
    assert rows_within(boosting, Size(100_000_000, 50, 50, 2), 10) < 100_000_000


def test_predictions_of_many_rows_are_counted_where_they_take_long() -> None:
    """A support vector machine compares each of them with the rows that it learned from."""
    kernel, linear = (next(one for one in ENTRANTS if one.name == name) for name in ("kernel", "linear"))
    size = Size(20_000, 5, 5, 1)
    assert rows_within(kernel, size, 5, 4_000) == rows_within(kernel, size, 5) == 20_000
    assert rows_within(kernel, size, 5, 600_000) < 10_000
    assert rows_within(linear, size, 5, 600_000) == 20_000


def test_a_matrix_stays_in_memory() -> None:
    """Whatever the time: columns of categories become many."""
    linear = next(spec for spec in ENTRANTS if spec.name == "linear")
    size = Size(1_000_000, 30, 400, 2)
    assert rows_within(linear, size, 1e9) == 250_000
    assert make_plan(ENTRANTS, size, 9000.0, 5).rows == 250_000
    assert rows_within(linear, replace(size, width=50), 1e9) == 1_000_000


def test_thousands_of_columns_are_planned_for() -> None:
    """Boosting is spared on wide tables, and stays away where even so it is too much: fewer rows would not help."""
    wide = Size(300, 5000, 5000, 2)
    boosting = next(spec for spec in ENTRANTS if spec.name == "boosting")
    assert boosting.cost(wide) < boosting.cost(replace(wide, columns=1000, width=1000)) * 2
    columns = Columns(numbers=tuple(f"x{j}" for j in range(5000)))
    assert boosting.model(True, 0, columns)[-1].max_bins < boosting.model(True, 0, Columns(numbers=("x",)))[-1].max_bins
    hasty = make_plan(ENTRANTS, wide, 0.1, 5)
    assert {"baseline", "linear", "tree"} <= {spec.name for spec in hasty.entrants}
    assert any(spec.name == "boosting" and "--minutes" in why for spec, why in hasty.left)
    assert boosting in make_plan(ENTRANTS, wide, 1.0, 5).entrants


def test_folds_of_a_diagnosis() -> None:
    linear = next(spec for spec in ENTRANTS if spec.name == "linear")
    assert folds_within(linear, Size(1000, 5, 5, 2), 10) == 5
    assert folds_within(linear, Size(100_000, 5, 5, 2), 10) == 3
    assert folds_within(linear, Size(1000, 5000, 5000, 2), 1) == 3


def test_rows_are_parted_honestly() -> None:
    y = np.array(["a"] * 80 + ["b"] * 20)
    found = split_holdout(y, True, RowStructure(), 0)
    assert not set(found.train) & set(found.held)
    assert len(found.train) + len(found.held) == 100
    assert (y[found.held] == "b").sum() == 4
    groups = np.repeat(np.arange(20), 5)
    by_group = split_holdout(y, True, RowStructure(groups=groups), 0)
    assert not set(groups[by_group.train]) & set(groups[by_group.held])
    times = np.arange(100.0)[::-1]
    mixed = np.tile(["a", "b", "a", "a", "b"], 20)
    later = split_holdout(mixed, True, RowStructure(times), 0)
    assert times[later.train].max() < times[later.held].min()
    for train, test in folds_of(y, True, RowStructure(groups=groups), 0):
        assert not set(groups[train]) & set(groups[test])
    for train, test in folds_of(mixed, True, RowStructure(np.arange(100.0)), 0):
        assert train.max() < test.min()
    with pytest.raises(DataError, match="at least 20 rows"):
        split_holdout(y[:10], True, RowStructure(), 0)


@pytest.mark.parametrize("sizes", [(90, 54, 5, 1), (60, 40, 30, 19, 1)])
def test_a_class_of_one_row_does_not_keep_others_from_being_split_by_their_shares(sizes: tuple[int, ...]) -> None:
    y = np.repeat(np.array(["oak", "elm", "fir", "yew", "ash"])[: len(sizes)], sizes)
    parting = split_holdout(y, True, RowStructure(), 0)
    counts = {label: int((y[parting.held] == label).sum()) for label in np.unique(y)}
    assert counts["fir"] >= 1
    assert abs(counts["elm"] - sizes[1] / 5) <= 1


def test_many_small_classes_are_drawn_at_random() -> None:
    y = np.repeat(np.arange(60), 2)
    parting = split_holdout(y, True, RowStructure(), 0)
    assert len(parting.held) == 24
    assert "drawn at random" in parting.words


def test_a_sample_keeps_the_classes_and_the_latest() -> None:
    y = np.array(["a"] * 900 + ["b"] * 100)
    rows = sample(y, 100, True, False, 0)
    assert len(rows) == 100
    assert (y[rows] == "b").sum() == 10
    assert sample(np.tile(["a", "b"], 500), 100, True, True, 0).tolist() == list(range(900, 1000))
    assert sample(y, 5000, True, False, 0).tolist() == list(range(1000))


@pytest.mark.parametrize(
    ("name", "kind"), [("class", "several classes"), ("Class_Rings", "number"), ("rings", "number")]
)
def test_a_name_that_is_class_alone_speaks_of_classes(name: str, kind: str) -> None:
    """13 of 16 codes of a diagnosis are classes; of 28 rings, the name is not about classes alone."""
    random = np.random.default_rng(0)
    values = random.choice([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 14, 15, 16], 452, p=[0.54] + [0.46 / 12] * 12)
    assert find_task(profile(pl.DataFrame({"x": random.normal(size=452), name: values})), name).kind == kind


def test_numbered_classes_have_no_correlation_in_their_order() -> None:
    """The middle class has the largest values: Pearson's r would be about 0."""
    random = np.random.default_rng(0)
    kind = np.repeat([1, 2, 3], 60)
    table = pl.DataFrame({"size": np.repeat([0.0, 9.0, 0.0], 60) + random.normal(size=180), "kind": kind})
    opened = open_table(table, StudyConfig("kind"), None, lambda step, share: None, associations=True)
    (one,) = opened.described.with_target
    assert (one.column, one.measure) == ("size", "bias-corrected correlation ratio")
    assert one.value > 0.9
