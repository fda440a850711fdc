"""Scores on held-out rows: which a task has, and that they are those of pellucid.metrics and scikit-learn."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn import metrics as theirs
from sklearn.base import BaseEstimator, ClassifierMixin

from pellucid.metrics import ranked_probability_score
from pellucid.report.holdout import Predictions, evaluate_holdout, thin_curve
from pellucid.report.local_explanations import worst_error
from pellucid.report.outcome import MetricValue, Task
from pellucid.report.resampling import resample
from pellucid.report.task import MEASURES, with_classes


class Spoken(ClassifierMixin, BaseEstimator):
    """A model with given predictions and probabilities; X is the numbers of the rows."""

    def __init__(self, predicted: Any, probability: Any = None, classes: Any = ()) -> None:
        self.predicted, self.classes_ = np.asarray(predicted), np.asarray(classes)
        if probability is not None:
            self.predict_proba = lambda X: np.asarray(probability)[X]

    def predict(self, X: Any) -> Any:
        return self.predicted[X]


def figures_of(task: Task, model: Spoken, base: Spoken, y: Any) -> dict[str, MetricValue]:
    rows = np.arange(len(y))
    held = evaluate_holdout(
        task, Predictions(model, rows, task), Predictions(base, rows, task), np.asarray(y), rows, resample(len(y), 0)
    )
    return {figure.word: figure for figure in held.figures}


def test_the_worst_error_is_the_least_probable_class_wherever_the_threshold_is() -> None:
    """With a threshold of 0.02 a false alarm at 0.03 is no sure prediction, but a row missed at 0.01 is an error."""
    y = np.array(["sound", "cracked", "sound"])
    model = Spoken(["cracked", "sound", "sound"], [[0.03, 0.97], [0.01, 0.99], [0.001, 0.999]], ["cracked", "sound"])
    task = Task("two classes", "", "y", classes=("cracked", "sound"), positive="cracked", measure=MEASURES["roc_auc"])
    row, why = worst_error(np.array([0, 1]), y, Predictions(model, np.arange(3), task))
    assert row == 1
    assert "the actual class the lowest probability" in why


def test_two_classes_have_the_scores_of_the_rare_one() -> None:
    random = np.random.default_rng(0)
    y = np.where(random.random(400) < 0.1, "fraud", "fine")
    p = np.clip(0.1 + 0.3 * (y == "fraud") + random.normal(0, 0.1, 400), 0, 1)
    task = replace(with_classes(Task("two classes", "", "kind", measure=MEASURES["roc_auc"]), y))
    model = Spoken(np.where(p >= 0.3, "fraud", "fine"), np.column_stack([1 - p, p]), ["fine", "fraud"])
    base = Spoken(np.full(400, "fine"), np.tile([0.9, 0.1], (400, 1)), ["fine", "fraud"])
    found = figures_of(task, model, base, y)
    assert list(found)[:4] == [
        "ROC AUC", "average precision of fraud", "recall of fraud", "precision of fraud",
    ]  # fmt: skip
    positive, flagged = y == "fraud", p >= 0.3
    expected = {
        "ROC AUC": theirs.roc_auc_score(positive, p),
        "average precision of fraud": theirs.average_precision_score(positive, p),
        "recall of fraud": theirs.recall_score(positive, flagged),
        "precision of fraud": theirs.precision_score(positive, flagged),
        "F1 of fraud": theirs.f1_score(positive, flagged),
        "accuracy": theirs.accuracy_score(positive, flagged),
        "balanced accuracy": theirs.balanced_accuracy_score(positive, flagged),
        "log loss": theirs.log_loss(positive, p),
        "Brier score": theirs.brier_score_loss(positive, p),
    }
    assert {word: figure.value for word, figure in found.items()} == pytest.approx(expected)
    assert found["average precision of fraud"].baseline == pytest.approx(positive.mean())
    rows = np.arange(400)
    held = evaluate_holdout(
        task, Predictions(model, rows, task), Predictions(base, rows, task), y, rows, resample(400, 0)
    )
    assert held.precision_recall is not None
    assert held.precision_recall[0].min() > 0  # at a recall of 0 nothing is flagged, and there is no precision
    assert found["accuracy"].baseline == pytest.approx(1 - positive.mean())
    assert found["recall of fraud"].baseline == 0
    assert np.isnan(found["precision of fraud"].baseline)  # the baseline never says so
    for figure in found.values():
        assert figure.low <= figure.value <= figure.high


def test_a_share_that_is_full_has_an_interval() -> None:
    """Samples of rows that are all right have no spread; of 20 of 20, the true share may be 0.84."""
    y = np.repeat(["ill", "well"], [20, 60])
    task = with_classes(Task("two classes", "", "state", measure=MEASURES["roc_auc"]), y, "ill")
    predicted = np.where(np.arange(80) < 15, "ill", "well")
    p = np.where(predicted == "ill", 0.9, 0.1)
    model = Spoken(predicted, np.column_stack([p, 1 - p]), ["ill", "well"])
    base = Spoken(np.full(80, "well"), np.tile([0.25, 0.75], (80, 1)), ["ill", "well"])
    found = figures_of(task, model, base, y)
    precision = found["precision of ill"]
    assert precision.value == precision.high == 1
    assert precision.low == pytest.approx(0.796, abs=0.001)  # Wilson, 15 of 15
    assert found["recall of ill"].high < 1
    several = with_classes(Task("several classes", "", "state", measure=MEASURES["neg_log_loss"]), y)
    right = Spoken(y, np.eye(2)[(y == "well").astype(int)], ["ill", "well"])
    assert figures_of(several, right, base, y)["F1"].low == pytest.approx(0.954, abs=0.001)


def test_scores_of_many_rows_that_are_all_right_have_intervals() -> None:
    y = np.repeat(["ill", "well"], [160, 170])
    task = with_classes(Task("two classes", "", "state", measure=MEASURES["roc_auc"]), y, "ill")
    right = Spoken(y, np.eye(2)[(y == "well").astype(int)], ["ill", "well"])
    base = Spoken(np.full(330, "well"), np.tile([0.5, 0.5], (330, 1)), ["ill", "well"])
    found = figures_of(task, right, base, y)
    for word in ("ROC AUC", "average precision of ill", "balanced accuracy", "F1 of ill"):
        assert found[word].low < found[word].value == found[word].high == 1


def test_a_rare_class_that_is_never_found_is_not_found_in_samples_without_it_either() -> None:
    y = np.array(["fine"] * 600 + ["worn"] * 399 + ["torn"])
    names = ["fine", "torn", "worn"]
    task = replace(with_classes(Task("several classes", "", "kind", measure=MEASURES["accuracy"]), y))
    model = Spoken(np.where(y == "torn", "fine", y), classes=names)
    found = figures_of(task, model, Spoken(np.full(1000, "fine"), classes=names), y)
    assert found["balanced accuracy"].value == pytest.approx(2 / 3)
    assert found["F1"].value == pytest.approx(theirs.f1_score(y, model.predicted, average="macro", zero_division=0))
    assert 0.9 < found["F1"].high < 0.95  # a single row leaves open how well its class is found
    two = np.where(y == "worn", "fine", y)
    task = replace(with_classes(Task("two classes", "", "kind", measure=MEASURES["accuracy"]), two))
    always = Spoken(np.full(1000, "fine"), np.tile([0.999, 0.001], (1000, 1)), names[:2])
    found = figures_of(task, always, always, two)
    recall, balanced = found["recall of torn"], found["balanced accuracy"]
    assert balanced.value == 0.5
    assert recall.high < 0.8
    assert balanced.high < (1 + recall.high) / 2 + 0.01


def test_the_baseline_is_no_improvement_of_itself() -> None:
    y = np.repeat(["ill", "well"], [20, 60])
    task = with_classes(Task("two classes", "", "state", measure=MEASURES["roc_auc"]), y, "ill")
    base = Spoken(np.full(80, "well"), np.tile([0.25, 0.75], (80, 1)), ["ill", "well"])
    accuracy = figures_of(task, base, base, y)["accuracy"]
    assert (accuracy.gain_low, accuracy.gain_high) == (0, 0)
    assert accuracy.low < accuracy.value < accuracy.high


def test_a_ranking_of_few_rows_is_no_surer_improvement_where_one_class_is_predicted() -> None:
    """The ROC AUC of the baseline is 0.5 on all samples: the interval of the improvement is that of the ROC AUC."""
    random = np.random.default_rng(0)
    y = np.repeat(["ill", "well"], [11, 289])
    task = with_classes(Task("two classes", "", "state", measure=MEASURES["roc_auc"]), y, "ill")
    ill = 0.1 + 0.08 * (y == "ill") + random.uniform(0, 0.1, 300)
    model = Spoken(np.full(300, "well"), np.column_stack([ill, 1 - ill]), ["ill", "well"])
    base = Spoken(np.full(300, "well"), np.tile([0.04, 0.96], (300, 1)), ["ill", "well"])
    area = figures_of(task, model, base, y)["ROC AUC"]
    assert (area.gain_low, area.gain_high) == pytest.approx((area.low - 0.5, area.high - 0.5))


def test_accuracy_is_compared_with_the_baseline_on_the_same_samples() -> None:
    """One row that is wrong with a probability of 1 ruins the log loss, but not the classes."""
    y = np.repeat(["a", "b", "c"], 20)
    task = with_classes(Task("several classes", "", "kind", measure=MEASURES["neg_log_loss"]), y)
    sure = np.eye(3)[np.repeat([0, 1, 2], 20)]
    sure[0] = [0, 1, 0]
    model = Spoken(np.array(["a", "b", "c"])[sure.argmax(axis=1)], sure, ["a", "b", "c"])
    base = Spoken(np.full(60, "a"), np.full((60, 3), 1 / 3), ["a", "b", "c"])
    found = figures_of(task, model, base, y)
    assert found["log loss"].gain_low < 0 < found["log loss"].gain_high
    assert found["accuracy"].gain_low > 0.4
    assert np.isnan(found["F1"].gain_low)


def test_a_class_that_the_model_does_not_know_has_probability_zero() -> None:
    y = np.array(["a", "b", "c", "a"])
    task = with_classes(Task("several classes", "", "kind", measure=MEASURES["neg_log_loss"]), y)
    model = Spoken(["a", "b", "b", "a"], [[0.8, 0.2], [0.4, 0.6], [0.5, 0.5], [0.9, 0.1]], ["a", "b"])
    rows = np.arange(4)
    answers = Predictions(model, rows, task)
    assert answers.probability is not None
    assert answers.probability[:, 2].tolist() == [0, 0, 0, 0]
    found = figures_of(task, model, model, y)
    certain = -np.log(np.finfo(float).eps)
    assert found["log loss"].value == pytest.approx((-np.log(0.8) - np.log(0.6) - np.log(0.9) + certain) / 4)


def test_ordered_classes_are_scored_by_how_many_levels_they_are_off() -> None:
    levels = ("low", "middle", "high")
    y = np.array(["low", "middle", "high", "high"])
    task = with_classes(Task("several classes", "", "risk", measure=MEASURES["neg_log_loss"]), y)
    task = replace(task, ordered=True, levels=levels)
    order = [task.classes.index(level) for level in levels]
    by_level = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7], [0.7, 0.2, 0.1]])
    table = np.empty_like(by_level)
    table[:, order] = by_level
    found = figures_of(task, Spoken(["low", "middle", "high", "low"], table, task.classes),
                       Spoken(["high"] * 4, np.full((4, 3), 1 / 3), task.classes), y)  # fmt: skip
    codes = [0, 1, 2, 2]
    assert found["mean error in levels"].value == pytest.approx(2 / 4)
    assert found["mean error in levels"].baseline == pytest.approx((2 + 1 + 0 + 0) / 4)
    assert found["within one level"].value == pytest.approx(3 / 4)
    assert found["ranked probability score"].value == pytest.approx(ranked_probability_score(codes, by_level))
    assert found["quadratic weighted kappa"].value == pytest.approx(
        theirs.cohen_kappa_score(codes, [0, 1, 2, 0], weights="quadratic")
    )


def test_a_number_has_errors_in_its_own_unit() -> None:
    y = np.array([10.0, 20.0, 30.0, 100.0])
    task = Task("number", "", "price", measure=MEASURES["neg_root_mean_squared_error"])
    found = figures_of(task, Spoken([12.0, 19.0, 30.0, 60.0]), Spoken([40.0] * 4), y)
    assert list(found) == ["RMSE", "mean absolute error", "median absolute error", "R²"]
    assert found["mean absolute error"].value == pytest.approx((2 + 1 + 0 + 40) / 4)
    assert found["median absolute error"].value == pytest.approx(1.5)


def test_the_ranked_probability_score_of_two_classes_is_the_brier_score() -> None:
    random = np.random.default_rng(1)
    y, p = random.integers(0, 2, 50), random.random(50)
    assert ranked_probability_score(y, p) == pytest.approx(theirs.brier_score_loss(y, p))
    weight = random.random(50)
    table = np.column_stack([1 - p, p])
    expected = theirs.brier_score_loss(y, p, sample_weight=weight)
    assert ranked_probability_score(y, table, sample_weight=weight) == pytest.approx(expected)


def test_a_fold_may_lack_classes_or_hold_unknown_ones() -> None:
    """Folds by group or time do not hold every class."""
    score = MEASURES["neg_log_loss"].scorer
    model = Spoken([0, 1], [[0.75, 0.25], [0.25, 0.75]], [0, 1])
    worst = score(model, np.array([0, 1]), np.array([2, 0]))
    assert np.isfinite(worst)
    assert score(model, np.array([0, 1]), np.array([0, 0])) > worst
    both = score(model, np.array([0, 1]), np.array([0, 1]))
    assert both == pytest.approx(-theirs.log_loss([0, 1], [[0.75, 0.25], [0.25, 0.75]]))


@pytest.mark.parametrize(
    ("labels", "counts", "positive", "word"),
    [
        (("kept", "left"), (900, 100), "left", "rarer"),
        (("approved", "declined"), (50, 450), "approved", "rarer"),
        ((0, 1), (300, 200), 1, "negative"),
        ((0, 1), (20, 480), 0, "rarer"),  # nearly all are 1: the few others are asked for
        (("no", "yes"), (200, 300), "yes", "negative"),
    ],
)
def test_the_positive_class_is_the_one_that_a_reader_asks_for(
    labels: tuple[Any, Any], counts: tuple[int, int], positive: Any, word: str
) -> None:
    y = np.repeat(np.array(labels), counts)
    task = with_classes(Task("two classes", "", "kind"), y)
    assert task.positive == positive
    assert word in task.positive_reason
    other = next(label for label in labels if label != positive)
    assert with_classes(Task("two classes", "", "kind"), y, str(other)).positive == other


def test_a_drawn_curve_of_a_rare_class_has_the_area_of_the_whole_one() -> None:
    """Of 20,000 thresholds nearly all are at a recall of 1: points taken evenly among them draw another curve."""
    random = np.random.default_rng(0)
    y = (np.arange(20_000) < 100).astype(int)
    p = np.clip(0.02 + 0.9 * y * (random.random(len(y)) < 0.8) + random.random(len(y)) * 0.05, 0, 1)
    precision, recall, _ = theirs.precision_recall_curve(y, p)
    x, shown = thin_curve(recall, precision)
    assert len(x) <= 200
    assert abs(theirs.auc(x, shown) - theirs.auc(recall, precision)) < 0.01
    for whole in (theirs.roc_curve(y, p)[:2], (recall[::-1], precision[::-1])):
        part = thin_curve(*whole, 100)
        assert [one[0] for one in part] == [one[0] for one in whole]
        assert [one[-1] for one in part] == [one[-1] for one in whole]
