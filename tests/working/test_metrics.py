"""The workings of scores: each comes out at the metric's own number, in every form, and LibreOffice agrees."""

from __future__ import annotations

import warnings
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pellucid import metrics
from pellucid.base.errors import DataError
from pellucid.working import Working, WorkingError, known, show
from pellucid.working.entry import _written
from pellucid.working.excel import layout, to_excel

from . import office

WORDS, SAID = ["no", "yes", "yes", "no", "maybe"], ["no", "yes", "no", "yes", "maybe"]
WEIGHT = [1.0, 2.0, 0.5, 1.0, 3.0]
SHARES = [[0.1, 0.7, 0.2], [0.2, 0.2, 0.6], [0.1, 0.1, 0.8], [0.3, 0.4, 0.3], [0.9, 0.05, 0.05]]
FLAGS, CHANCES = [0, 1, 1, 0, 1], [0.2, 0.9, 0.4, 0.0, 1.0]
RANKED, SCORES = [1, 0, 1, 1, 0, 0], [9, 8, 8, 4, 3, 1]  # whole numbers: the check by LibreOffice is exact
GOOD, BAD = [3.0, 5.0, 2.0, 8.0], [2.0, 5.0, 4.0, 7.0]
GRADES, OTHERS = [1, 2, 3, 3, 1], [1, 3, 3, 2, 2]
RELEVANT, LISTED = {"a", "c", "x", "y"}, ["a", "b", "c"]

# name -> (metric, arguments, options)
CASES: dict[str, tuple[str, tuple[Any, ...], dict[str, Any]]] = {
    "ROC": ("roc_curve", (RANKED, SCORES), {}),
    "ROC, all points": ("roc_curve", (RANKED, SCORES), {"drop_intermediate": False}),
    "ROC, weights": ("roc_curve", (RANKED, SCORES), {"sample_weight": [1, 2, 0, 1, 0.5, 3]}),
    "ROC, words": ("roc_curve", (["b", "a", "b"], [7, 7, 2]), {"pos_label": "a"}),
    "ROC, all equal": ("roc_curve", ([0, 1, 1], [5, 5, 5]), {}),
    "ROC, one class": ("roc_curve", ([1, 1], [3, 5]), {}),
    "ROC, huge scores": ("roc_curve", ([0, 1, 0], [1e300, 2e300, -1e300]), {}),
    "AUC": ("roc_auc_score", (RANKED, SCORES), {}),
    "AUC, weights": ("roc_auc_score", (RANKED, SCORES), {"sample_weight": [1, 2, 0, 1, 0.5, 3]}),
    "AUC, words": ("roc_auc_score", (["b", "a", "b"], [7, 7, 2]), {}),
    "AUC, all equal": ("roc_auc_score", ([0, 1, 1], [5, 5, 5]), {}),
    "AUC, flags": ("roc_auc_score", ([True, False, True], [1, 2, 3]), {}),
    "PR": ("precision_recall_curve", (RANKED, SCORES), {}),
    "PR, ends": ("precision_recall_curve", ([0, 0, 0, 1], [4, 3, 2, 1]), {"drop_intermediate": True}),
    "PR, no positive": ("precision_recall_curve", ([0, 0], [4, 3]), {}),
    "AP": ("average_precision_score", (RANKED, SCORES), {"sample_weight": [1, 2, 0, 1, 0.5, 3]}),
    "AP, words": ("average_precision_score", (["b", "a", "b"], [3, 2, 1]), {"pos_label": "b"}),
    "rates": ("rates", (WORDS[:4], SAID[:4]), {"pos_label": "yes", "sample_weight": WEIGHT[:4]}),
    "rates, nobody": ("rates", ([1, 0], [0, 0]), {}),
    "weighted errors": ("weighted_misclassification_rate", (WORDS, SAID, WEIGHT), {}),
    "errors": ("error_rate", (WORDS, SAID), {}),
    "errors, one row": ("error_rate", ([1], [0]), {}),
    "hits": ("accuracy_score", (WORDS, SAID), {"normalize": False, "sample_weight": WEIGHT}),
    "zero-one": ("zero_one_loss", (WORDS, SAID), {"normalize": False}),
    "balanced": ("balanced_accuracy_score", (WORDS, SAID), {"sample_weight": WEIGHT}),
    "balanced, unseen": ("balanced_accuracy_score", (["a", "a", "b"], ["a", "c", "b"]), {"adjusted": True}),
    "balanced, weights of zero": ("balanced_accuracy_score", ([0, 1, 1], [0, 1, 0]), {"sample_weight": [0, 1, 2]}),
    "MCC": ("matthews_corrcoef", (WORDS, SAID), {}),
    "edits": ("edit_distance", ("torgersen", "Torgerson"), {"substitute": 2}),
    "edits, one text empty": ("edit_distance", ("", "ab"), {}),
    "edits, cut off": ("edit_distance", ("abcdef", "ghi"), {"cutoff": 3}),
    "euclidean": ("euclidean_distance", ([5, 10], [8, 6]), {}),
    "manhattan": ("manhattan_distance", ([5, 10], [8, 6]), {}),
    "chebyshev": ("chebyshev_distance", ([5, 10], [8, 6]), {}),
    "minkowski": ("minkowski_distance", ([5, 10], [8, 6]), {"p": 3, "w": [1, 2]}),
    "hamming": ("hamming_distance", ([1, 0, 1], [1, 1, 1]), {}),
    "jaccard": ("jaccard_distance", ([1, 0, 1], [1, 1, 0]), {}),
    "jaccard, zeros": ("jaccard_distance", ([0, 0], [0, 0]), {}),
    "tanimoto": ("tanimoto_distance", ([2, 0.5], [1, 1]), {}),
    "cosine": ("cosine_distance", ([2, 0.5], [1, 1]), {}),
    "cosine, zeros": ("cosine_distance", ([0, 0], [1, 1]), {}),
    "mahalanobis": ("mahalanobis_distance", ([5, 10], [8, 6]), {"V": [[2, 1], [1, 3]]}),
    "mahalanobis, inverse": ("mahalanobis_distance", ([5, 10], [8, 6]), {"VI": [[2, 1], [1, 3]]}),
    "inner product": ("linear_kernel", ([[2, 3]], [[5, 6]]), {}),
    "MCC, one class": ("matthews_corrcoef", ([1, 1], [1, 1]), {}),
    "kappa": ("cohen_kappa_score", (WORDS, SAID), {"sample_weight": WEIGHT}),
    "kappa, linear": ("cohen_kappa_score", (GRADES, OTHERS), {"weights": "linear"}),
    "kappa, quadratic": ("cohen_kappa_score", (GRADES, OTHERS), {"weights": "quadratic", "sample_weight": WEIGHT}),
    "kappa, some labels": ("cohen_kappa_score", (GRADES, OTHERS), {"labels": [2, 3]}),
    "kappa, one class": ("cohen_kappa_score", ([1, 1], [1, 1]), {}),
    "costs": ("expected_cost", (FLAGS, [1, 1, 0, 0, 1], [[0, 1], [10, -2]]), {}),
    "costs by name": ("expected_cost", (WORDS, SAID, {("no", "yes"): 3.0}), {"sample_weight": WEIGHT}),
    "costs, labels": ("expected_cost", ([1, 1], [1, 2], np.eye(3)), {"labels": [2, 1, 0]}),
    "log loss": ("log_loss", (FLAGS, CHANCES), {}),
    "log loss, certain error": ("log_loss", ([0, 1], [1.0, 0.5]), {}),
    "log loss, classes": ("log_loss", (WORDS, SHARES), {"sample_weight": WEIGHT}),
    "log loss, sum": ("log_loss", (WORDS, SHARES), {"normalize": False}),
    "log loss, one class": ("log_loss", ([1, 1], [0.5, 0.9]), {"labels": [0, 1]}),
    "log loss, table": ("log_loss", ([[1, 0], [0, 1]], [[0.5, 0.5], [0.2, 0.8]]), {}),
    "log loss, single precision": ("log_loss", (FLAGS, np.array(CHANCES, dtype=np.float32)), {}),
    "Brier": ("brier_score_loss", (FLAGS, CHANCES), {"sample_weight": WEIGHT}),
    "Brier, classes": ("brier_score_loss", (WORDS, SHARES), {}),
    "Brier, words": ("brier_score_loss", (["a", "b"], [0.2, 0.7]), {"pos_label": "b", "scale_by_half": False}),
    "hinge": ("hinge_loss", (FLAGS, [-2, 0.5, 3, 0.1, -1]), {}),
    "hinge, classes": ("hinge_loss", (WORDS, SHARES), {"sample_weight": WEIGHT}),
    "hinge, one class": ("hinge_loss", ([-1, -1], [0.3, 2]), {}),
    "entropy": ("entropy", ([0.5, 0.25, 0.25],), {"base": 2}),
    "entropy, certain": ("entropy", ([1.0, 0.0],), {}),
    "Gini": ("gini_impurity", ([0.5, 0.25, 0.25],), {}),
    "Gini, pure": ("gini_impurity", ([1.0, 0.0],), {}),
    "cross entropy": ("cross_entropy", ([0.5, 0.5, 0.0], [0.25, 0.5, 0.25], 2), {}),
    "cross entropy, excluded": ("cross_entropy", ([0.5, 0.5], [1.0, 0.0]), {}),
    "divergence": ("kl_divergence", ([0.5, 0.5, 0.0], [0.25, 0.5, 0.25], 10), {}),
    "divergence, equal": ("kl_divergence", ([0.3, 0.7], [0.3, 0.7]), {}),
    "mean error": ("mean_error", (GOOD, BAD), {}),
    "MAE": ("mean_absolute_error", (GOOD, BAD), {"sample_weight": [1, 2, 0, 1]}),
    "MSE": ("mean_squared_error", (GOOD, BAD), {"sample_weight": [1, 2, 0, 1]}),
    "MSE, perfect": ("mean_squared_error", (GOOD, GOOD), {}),
    "RMSE": ("root_mean_squared_error", (GOOD, BAD), {}),
    "R²": ("r2_score", (GOOD, BAD), {"sample_weight": [1, 2, 0, 1]}),
    "R², constant": ("r2_score", ([0.1, 0.1, 0.1], [1.0, 2.0, 3.0]), {}),
    "R², one row": ("r2_score", ([1.0], [2.0]), {}),
    "adjusted R²": ("adjusted_r2_score", (GOOD, BAD, 1), {}),
    "sums of squares": ("sums_of_squares", (GOOD, BAD), {}),
    "DCG": ("dcg_score", ([[3, 1, 2, 0]], [[9, 1, 5, 5]]), {"k": 3}),
    "DCG, base": ("dcg_score", ([[3, 1, 2, 0]], [[9, 1, 5, 5]]), {"log_base": 3, "ignore_ties": True}),
    "NDCG": ("ndcg_score", ([[3, 1, 2, 0], [0, 0, 1, 1]], [[9, 1, 5, 5], [1, 2, 3, 4]]), {"sample_weight": [1, 2]}),
    "NDCG, nothing relevant": ("ndcg_score", ([[0, 0]], [[1, 2]]), {}),
    "precision at k": ("precision_at_k", (LISTED, RELEVANT, 2), {}),
    "precision, short list": ("precision_at_k", (["a"], RELEVANT, 2), {"divisor": "recommended"}),
    "recall at k": ("recall_at_k", (LISTED, RELEVANT, 2), {}),
    "recall, none": ("recall_at_k", (LISTED, [], 2), {}),
    "AP at k": ("average_precision_at_k", (LISTED, RELEVANT), {"k": 3}),
    "AP of the whole list": ("average_precision_at_k", (LISTED, RELEVANT), {}),
    "MRR": ("mean_reciprocal_rank", ([["a", "b"], ["b", "c"], ["x"]], [{"b"}, {"b"}, {"q"}]), {}),
}
# What is undefined, or one by convention, has no formula to be compared: the working says so in a note.
UNDEFINED = {
    "ROC, one class", "PR, no positive", "MCC, one class", "kappa, one class", "R², constant", "R², one row",
    "recall, none",
}  # fmt: skip


def working(name: str) -> Working:
    metric, data, options = CASES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what there is to warn of is tested where the metrics are
        return show(getattr(metrics, metric), *data, **options)


@pytest.fixture(scope="module")
def books(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Working, Any]]:
    """Those that this run asks for."""
    folder = tmp_path_factory.mktemp("books")
    made = {name: working(name) for name in office.asked(request)}
    files = {name: to_excel(shown, folder / f"{i}.xlsx") for i, (name, shown) in enumerate(made.items())}
    done = office.recalculate(list(files.values()), tmp_path_factory.mktemp("office"))
    return {name: (made[name], done[file]) for name, file in files.items()}


@pytest.mark.slow
@pytest.mark.parametrize("name", office.first_of_each({name: case[0] for name, case in CASES.items()}))
def test_the_workbook_recalculates(name: str, books: dict[str, tuple[Working, Any]]) -> None:
    shown, book = books[name]
    wrong = office.differences(shown, book, layout(shown))
    assert not wrong, wrong[:5]


@pytest.mark.parametrize("name", CASES)
def test_every_form(name: str) -> None:
    shown = working(name)
    for page in (shown.to_text(), shown.to_markdown(), shown.to_latex(), shown.to_html()):
        assert len(page) > 100
    compared = any(cell.attribute for cell in shown.cells.values())
    assert compared is (name not in UNDEFINED), shown.notes
    assert compared or shown.notes


def test_every_metric_with_a_working_is_among_them() -> None:
    written = {key.removeprefix("metrics.") for key in known() if key.startswith("metrics.")}
    assert written == {metric for metric, _, _ in CASES.values()}


def test_a_working_takes_what_its_metric_takes() -> None:
    """Every option of the metric has a place in its working, so that none ends in a TypeError."""
    for key in known():
        family, _, name = key.partition(".")
        if family == "metrics":
            wanted = list(signature(getattr(metrics, name)).parameters)
            assert list(signature(_written[key]).parameters)[2:] == wanted, key


@pytest.mark.parametrize("seed", range(20))
def test_random_scores_with_ties_and_weights_of_zero(seed: int) -> None:
    """Showing raises where a formula does not come out at the metric's number; here it comes out at all of them."""
    rng = np.random.default_rng(seed)
    y, s = np.append([0, 1], rng.integers(0, 2, 9)), rng.integers(0, 5, 11) / 7
    weight = [None, np.append([1.0, 1.0], rng.integers(0, 3, 9)), rng.random(11) + 0.1][seed % 3]
    area = show(metrics.roc_auc_score, y, s, sample_weight=weight)
    assert area.value("AUC") == pytest.approx(area.value("AUC_by_pairs"))
    for metric in (metrics.roc_curve, metrics.precision_recall_curve, metrics.average_precision_score):
        assert show(metric, y, s, sample_weight=weight).value("TP")[-1] == pytest.approx(area.value("P"))
    a, b = rng.integers(0, 3, 11), rng.integers(0, 3, 11)
    for kind in (None, "linear", "quadratic"):
        show(metrics.cohen_kappa_score, a, b, weights=kind, sample_weight=weight)
    for metric in (metrics.matthews_corrcoef, metrics.balanced_accuracy_score, metrics.error_rate):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            show(metric, a, b, sample_weight=weight)
    p = rng.dirichlet([0.3] * 3, size=11)
    show(metrics.log_loss, a, p, labels=[0, 1, 2], sample_weight=weight)
    show(metrics.hinge_loss, a, np.log(p + 0.01), labels=[0, 1, 2], sample_weight=weight)


# ------------------------------------------------------------------------------------------------------------- by hand


def test_roc_by_hand() -> None:
    """Scores 9 | 8 8 | 4 | 3 | 1 of classes + | - + | + | - | -: up, a slope, up, across, across."""
    shown = working("ROC")
    assert shown.value("threshold").tolist() == [9, 8, 4, 3, 1]
    assert shown.value("TP").tolist() == [1, 2, 3, 3, 3]
    assert shown.value("FP").tolist() == [0, 1, 1, 2, 3]
    assert shown.value("kept").tolist() == [1, 2, 3, 5]
    area = working("AUC")
    assert area.value("trapezoid") == pytest.approx([0, 1 / 6, 0, 1 / 3, 1 / 3])
    assert area.value("wins").tolist() == [3, 2.5, 2]
    assert area.value("AUC") == area.value("AUC_by_pairs") == pytest.approx(7.5 / 9)


def test_rows_stand_in_order_of_their_scores_under_their_own_numbers() -> None:
    shown = show(metrics.roc_curve, [0, 1, 1], [0.1, 0.9, 0.5])
    assert shown.cells["score"].axis.labels == [2, 3, 1]  # type: ignore[union-attr]


def test_rows_without_weight_are_left_out_of_a_curve_and_the_note_says_so() -> None:
    shown = working("ROC, weights")
    assert len(shown.value("score")) == 5
    assert any("1 row of weight 0" in note for note in shown.notes)


def test_losses_by_hand() -> None:
    assert working("log loss").value("own") == pytest.approx([0.8, 0.9, 0.4, 1, 1])
    assert working("hinge").value("row_loss") == pytest.approx([0, 0.5, 0, 1.1, 2])
    assert working("entropy").value("term").tolist() == [0.5, 0.5, 0.5]
    assert working("costs").value("counts").tolist() == [[1, 1], [1, 2]]
    assert working("kappa, linear").value("expected") == pytest.approx(23 / 25)
    assert working("DCG").value("gain").tolist() == [3, 1, 1]  # the items of score 5 share 2 + 0


def test_a_table_of_probabilities_and_one_column_of_it_agree() -> None:
    p = np.array(CHANCES)
    two = show(metrics.log_loss, FLAGS, np.column_stack([1 - p, p]))
    assert two.value("own") == pytest.approx(working("log loss").value("own"))


# ------------------------------------------------------------------------------------------------------------ refusals


@pytest.mark.parametrize(
    ("metric", "data", "options", "message"),
    [
        ("roc_auc_score", (WORDS, SHARES), {"multi_class": "ovr"}, r"the working is of two classes; got 3"),
        ("roc_auc_score", (RANKED, SCORES), {"max_fpr": 0.5}, r"the working is of the whole area; got max_fpr=0.5"),
        ("roc_auc_score", ([[0, 1], [1, 0]], [[0, 1], [1, 0]]), {}, r"one label a row; got a table of 2 columns"),
        ("roc_curve", (np.arange(1001) % 2, np.arange(1001)), {}, r"at most 1000 rows; got 1001"),
        ("mean_squared_error", (np.eye(2), np.eye(2)), {}, r"the working is of one column; got a table of 2"),
        ("entropy", ([[0.5, 0.5], [1, 0]],), {}, r"the working is of one distribution; p holds 2"),
        ("ndcg_score", (np.eye(9), np.eye(9)), {}, r"at most 8 rankings; got 9"),
        ("expected_cost", (np.arange(11), np.arange(11), np.eye(11)), {}, r"at most 10 classes; got 11"),
    ],
)
def test_what_is_not_shown_is_refused_in_a_sentence(metric: str, data: Any, options: Any, message: str) -> None:
    with pytest.raises(DataError, match=rf"^show\({metric}\): .*{message}"):
        show(getattr(metrics, metric), *data, **options)


def test_a_long_table_of_rows_is_cut_by_the_renderers(tmp_path: Path) -> None:
    y, f = np.arange(30_000.0), np.arange(30_000.0) + 1
    shown = show(metrics.mean_squared_error, y, f)
    assert shown.value("MSE") == 1
    assert len(shown.to_text()) < 5000
    assert shown.to_excel(tmp_path / "long.xlsx").stat().st_size < 100_000


def test_a_wrong_formula_is_found() -> None:
    """The tie to the metric is real: with another answer of the metric the working refuses."""
    from pellucid.working.shown import _ranking

    with pytest.raises(WorkingError, match=r"cell 'AUC' must equal the model's roc_auc_score"):
        _ranking.roc_auc_score(Working(""), 0.8, RANKED, SCORES)
