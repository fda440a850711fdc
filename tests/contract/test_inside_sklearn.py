"""Every estimator works where scikit-learn's work: pipelines, searches, column transformers, routing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.compose import make_column_transformer
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from . import tables
from .frame import SUBJECTS, Subject, answers, assert_near, assert_same_bits, each, fit, learned, problem, said

SUPERVISED = [subject for subject in SUBJECTS if subject.role in ("regressor", "classifier")]
FOLDS = KFold(4)


@pytest.mark.filterwarnings("ignore:.*tol was not reached")
@each()
def test_it_works_at_the_end_of_a_pipeline(subject: Subject) -> None:
    X, y, _ = problem(subject)
    pipeline = fit(make_pipeline(MinMaxScaler(), subject.make()), X, y)
    scaled = MinMaxScaler().fit_transform(X)
    assert_same_bits(answers(pipeline, X), answers(fit(subject.make(), scaled, y), scaled))


@pytest.mark.filterwarnings("ignore:.*tol was not reached")
@pytest.mark.parametrize("library", ["pandas", "polars"])
@each([subject for subject in SUBJECTS if not subject.gives_sparse])
def test_set_output_brings_column_names_through_a_pipeline(subject: Subject, library: str) -> None:
    X, y, _ = problem(subject)
    frame = tables.FRAMES[library](X)
    pipeline = make_pipeline(MinMaxScaler(), subject.make()).set_output(transform=library)
    model = fit(pipeline, frame, y)[-1]
    assert model.feature_names_in_.tolist() == tables.names(X)
    assert len(answers(pipeline, frame)) > 0


def test_set_output_gives_frames_with_names() -> None:
    for subject in SUBJECTS:
        if hasattr(subject.cls, "transform") and not subject.gives_sparse:
            X, y, _ = problem(subject)
            model = fit(subject.make().set_output(transform="pandas"), tables.pandas(X), y)
            found = model.transform(tables.pandas(X))
            assert isinstance(found, pd.DataFrame)
            assert found.columns.tolist() == model.get_feature_names_out().tolist()


@pytest.mark.parametrize("library", ["pandas", "polars"])
@each([subject for subject in SUBJECTS if subject.gives_sparse])
def test_a_frame_of_a_sparse_result_is_refused(subject: Subject, library: str) -> None:
    X, y, _ = problem(subject)
    model = fit(subject.make().set_output(transform=library), X, y)
    with pytest.raises(ValueError, match=f"{subject.name}: {library.capitalize()} output does not support sparse data"):
        model.transform(X)


@pytest.mark.filterwarnings("ignore:.*tol was not reached")
@each()
def test_a_column_transformer_may_choose_its_columns(subject: Subject) -> None:
    X, y, _ = problem(subject)
    frame = tables.pandas(X)
    kept = slice(0, 1) if subject.takes_one_column else slice(1, 3)
    choose = make_column_transformer(("passthrough", tables.names(X)[kept]), remainder="drop")
    pipeline = fit(make_pipeline(choose, subject.make()), frame, y)
    assert_near(answers(pipeline, frame), answers(fit(subject.make(), X[:, kept], y), X[:, kept]), 1e-13)


@pytest.mark.filterwarnings("ignore:.*have no neighbors within specified radius")
@each(SUPERVISED)
def test_cross_validation_scores_each_fold(subject: Subject) -> None:
    X, y, _ = problem(subject)
    by_hand = []
    for train, test in FOLDS.split(X):
        by_hand.append(fit(subject.make(), X[train], y[train]).score(X[test], y[test]))
    assert_near(cross_val_score(subject.make(), X, y, cv=FOLDS), by_hand, 1e-12)


@pytest.mark.filterwarnings("ignore:.*have no neighbors within specified radius")
@each(SUPERVISED)
def test_cross_validation_predicts_each_fold(subject: Subject) -> None:
    X, y, _ = problem(subject)
    assert len(cross_val_predict(subject.make(), tables.pandas(X), y, cv=FOLDS)) == len(X)


@pytest.mark.filterwarnings(
    "ignore:.*have no neighbors within specified radius", "ignore:One or more of the test scores are non-finite"
)
@each([subject for subject in SUPERVISED if subject.is_default])
def test_a_grid_search_fits_and_refits(subject: Subject) -> None:
    X, y, _ = problem(subject)
    flags = [{name: [True, False]} for name, param in subject.cls._params.items() if param.types == (bool,)]
    others = {name: param for name, param in subject.cls._params.items() if name != "random_state"}
    grid = flags or {name: [subject.params.get(name, param.default)] for name, param in others.items()}
    search = GridSearchCV(subject.make(), grid, cv=FOLDS, error_score="raise").fit(X, y)
    assert_same_bits(answers(search, X), answers(fit(subject.make(**search.best_params_), X, y), X))


@pytest.mark.filterwarnings("ignore:.*have no neighbors within specified radius")
@each([subject for subject in SUPERVISED if subject.is_default])
def test_it_works_in_worker_processes(subject: Subject) -> None:
    X, y, _ = problem(subject)
    alone = cross_val_score(subject.make(), X, y, cv=FOLDS)
    assert_same_bits(cross_val_score(subject.make(), X, y, cv=FOLDS, n_jobs=2), alone)


@each(SUPERVISED)
def test_the_score_is_scikit_learns(subject: Subject) -> None:
    from sklearn.metrics import accuracy_score, r2_score

    X, y, weight = problem(subject)
    model = learned(subject)
    metric = r2_score if is_regressor(model) else accuracy_score
    said = model.predict(X)
    assert model.score(X, y) == pytest.approx(metric(y, said), rel=1e-12, abs=1e-12)
    weighted = metric(y, said, sample_weight=weight)
    assert model.score(X, y, sample_weight=weight) == pytest.approx(weighted, rel=1e-12, abs=1e-12)


def asking_for_weights(subject: Subject, wants: bool = True) -> Any:
    """An estimator that wants weights, or does not, and so do those that it is built around."""
    inner = subject.params.get("estimator")
    around = {} if inner is None else {"estimator": clone(inner).set_fit_request(sample_weight=wants)}
    if "estimators" in subject.params:
        around = {
            "estimators": [(n, clone(m).set_fit_request(sample_weight=wants)) for n, m in subject.params["estimators"]]
        }
    return subject.make(**around).set_fit_request(sample_weight=wants)


@each([subject for subject in SUBJECTS if subject.takes_weight])
def test_sample_weight_is_routed(subject: Subject) -> None:
    X, y, weight = problem(subject)
    with sklearn.config_context(enable_metadata_routing=True):
        asking = asking_for_weights(subject)
        for model in (asking, clone(asking)):
            assert model.get_metadata_routing().consumes("fit", ["sample_weight"]) == {"sample_weight"}
        pipeline = make_pipeline(asking)
        pipeline = pipeline.fit(X, sample_weight=weight) if y is None else pipeline.fit(X, y, sample_weight=weight)
        deaf = make_pipeline(asking_for_weights(subject, False))
        with pytest.raises(TypeError, match="sample_weight"):
            deaf.fit(X, y, sample_weight=weight)
    assert_same_bits(answers(pipeline, X), said(subject, weighted=True))


@pytest.mark.filterwarnings("ignore:.*have no neighbors within specified radius")
@each([subject for subject in SUPERVISED if subject.takes_weight and subject.is_default])
def test_sample_weight_reaches_the_folds(subject: Subject) -> None:
    X, y, weight = problem(subject)
    with sklearn.config_context(enable_metadata_routing=True):
        asking = asking_for_weights(subject).set_score_request(sample_weight=True)
        routed = cross_val_score(asking, X, y, cv=FOLDS, params={"sample_weight": weight})
    by_hand = []
    for train, test in FOLDS.split(X):
        model = fit(subject.make(), X[train], y[train], weight[train])
        by_hand.append(model.score(X[test], y[test], sample_weight=weight[test]))
    assert_near(routed, by_hand, 1e-12)


@each(SUPERVISED)
def test_scikit_learn_knows_its_role(subject: Subject) -> None:
    model = subject.make()
    assert is_regressor(model) == (subject.role == "regressor")
    assert is_classifier(model) == (subject.role == "classifier")


@each([subject for subject in SUPERVISED if subject.role == "classifier"])
def test_probabilities_add_up_and_stand_in_the_order_of_the_classes(subject: Subject) -> None:
    X, y, _ = problem(subject)
    model = learned(subject)
    np.testing.assert_array_equal(model.classes_, np.unique(y))
    if hasattr(model, "predict_proba"):
        shares = model.predict_proba(X)
        assert shares.shape == (len(X), len(model.classes_))
        np.testing.assert_allclose(shares.sum(axis=1), 1)
        assert (shares >= 0).all()
    assert set(model.predict(X)) <= set(model.classes_)
