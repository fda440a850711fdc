"""Every estimator takes any table through one door: one model from any form of it, and the table left as it was."""

from __future__ import annotations

import warnings
from functools import cache
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn.utils

from pellucid.base.errors import DataError, PellucidWarning

from . import tables
from .frame import (
    DEFAULTS,
    FORMS,
    SUBJECTS,
    Problem,
    Subject,
    answers,
    assert_near,
    assert_same_bits,
    each,
    each_form,
    fit,
    learned,
    problem,
    said,
)

LOOKING = [subject for subject in SUBJECTS if subject.looks]
SPARSE = [subject for subject in LOOKING if subject.tags.input_tags.sparse]
# The peer of self-training takes no texts as labels.
PEERS = {name: cls for name, cls in sklearn.utils.all_estimators() if name != "SelfTrainingClassifier"}


def single(form: str) -> bool:
    """Is this a form in which numbers are rounded to single precision on the way out?"""
    return "float32" in form


@each_form("form", FORMS, ("F order", "strided", "list of rows", "float32", *tables.FRAMES), DEFAULTS)
def test_any_form_of_a_table_gives_the_same_model(subject: Subject, form: str) -> None:
    check_same_model(subject, form)


@each([subject for subject in SUBJECTS if not subject.is_default])
def test_single_precision_gives_the_same_model(subject: Subject) -> None:
    check_same_model(subject, "float32")


def check_same_model(subject: Subject, form: str) -> None:
    X, y, weight = problem(subject)
    given = FORMS[form](X)
    weight = weight if subject.takes_weight else None
    found = answers(fit(subject.make(), given, y, weight), given)
    assert_near(found, said(subject, weighted=True), 1e-5 if single(form) else 1e-9)


def with_zeros(subject: Subject) -> Problem:
    """The subject's problem with zeros in most places."""
    X, y, weight = problem(subject)
    X[np.random.default_rng(1).random(X.shape) < 0.6] = 0
    return Problem(X, y, weight)


@cache
def learned_with_zeros(subject: Subject) -> tuple[Any, dict[str, Any]]:
    """The model of that problem as a full table, and what it says about it."""
    X, y, weight = with_zeros(subject)
    model = fit(subject.make(), X, y, weight if subject.takes_weight else None)
    return model, answers(model, X)


@pytest.mark.filterwarnings("ignore:.*tol was not reached")  # tables of zeros are not what the settings are for
@each_form("form", tables.SPARSE, ("csr", "csc", "csr of float32", "csr with unsorted indices"), SPARSE)
def test_any_form_of_a_sparse_table_gives_the_same_model(subject: Subject, form: str) -> None:
    X, y, weight = with_zeros(subject)
    given = tables.SPARSE[form](X)
    plain, dense = learned_with_zeros(subject)
    share = 1e-5 if single(form) else 1e-9
    model = fit(subject.make(), given, y, weight if subject.takes_weight else None)
    assert_near(answers(model, given), dense, share)
    assert_near(answers(model, X), answers(plain, given), share)


@pytest.mark.filterwarnings("ignore:.*y contains no unlabeled samples")
def test_a_sparse_table_is_refused_where_it_is_not_taken() -> None:
    for subject in LOOKING:
        if not subject.tags.input_tags.sparse:
            X, y, _ = problem(subject)
            with pytest.raises(DataError, match=f"{subject.door}: X must be dense"):
                fit(subject.make(), tables.SPARSE["csr"](X), y)


@each()
def test_a_memory_map_gives_the_same_model(subject: Subject, tmp_path: Path) -> None:
    X, y, _ = problem(subject)
    mapped = tables.memmap(X, tmp_path)
    assert_same_bits(answers(fit(subject.make(), mapped, y), mapped), said(subject))


def whole_numbers(subject: Subject, flags: bool) -> Problem:
    """The subject's problem in whole numbers, or in zeros and ones."""
    X, y, weight = problem(subject)
    return Problem(np.abs(np.round(8 * X)) % 2 if flags else np.abs(np.round(2 * X)), y, weight)


@cache
def said_of_whole_numbers(subject: Subject, flags: bool) -> dict[str, Any]:
    """What a model of those numbers as floats says."""
    X, y, _ = whole_numbers(subject, flags)
    return answers(fit(subject.make(), X, y), X)


WHOLE = [bool, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]


# Whole numbers, and more so flags, have few values: some settings suit them badly.
@pytest.mark.filterwarnings(
    "ignore:.*tol was not reached", "ignore:.*bins instead of 5", "ignore:.*No features were selected"
)
@each_form("dtype", WHOLE, (bool, np.int64), DEFAULTS)
def test_whole_numbers_and_flags_count_as_numbers(subject: Subject, dtype: Any) -> None:
    X, y, _ = whole_numbers(subject, dtype is bool)
    given = X.astype(dtype)
    assert_near(answers(fit(subject.make(), given, y), given), said_of_whole_numbers(subject, dtype is bool))


# What the peers warn of: defaults that will change, too few passes or rows for their defaults.
@pytest.mark.filterwarnings(
    "ignore:The (default value|fitted attributes) :FutureWarning",
    "ignore:Stochastic Optimizer. Maximum iterations",
    "ignore:Liblinear failed to converge",
    "ignore:n_quantiles .1000. is greater",
    "ignore:k=10 is greater than n_features=4",
)
@pytest.mark.parametrize("order", ["C", pytest.param("F", marks=pytest.mark.exhaustive)])
@each()
def test_single_precision_comes_out_where_the_peer_gives_it(subject: Subject, order: Any) -> None:
    X, y, _ = problem(subject)
    X = np.asarray(X, dtype=np.float32, order=order)
    found = answers(fit(subject.make(), X, y), X)
    expected = dtypes_of_the_peer(subject)
    for method in found.keys() & expected.keys():
        if expected[method].kind == "f":
            assert found[method].dtype == expected[method], method


@cache
def dtypes_of_the_peer(subject: Subject) -> dict[str, Any]:
    """The types of what scikit-learn's estimator of that name says of single precision; none where it has none."""
    peer = PEERS.get(subject.name)
    if peer is None:
        return {}
    X, y, _ = problem(subject)
    X = X.astype(np.float32)
    inner = (
        {"estimator": subject.params["estimator"]}
        if subject.role == "transformer" and subject.door != subject.name
        else {name: subject.params[name] for name in ("estimators", "voting") if name in subject.params}
    )
    inner = {name: value for name, value in ({"random_state": 0} | inner).items() if name in signature(peer).parameters}
    return {method: np.asarray(answer).dtype for method, answer in answers(fit(peer(**inner), X, y), X).items()}


# ------------------------------------------------------------------------------------------------------------ untouched


def held(value: Any) -> Any:
    """The values of an array or a frame, with its dtypes and index, for comparison."""
    if isinstance(value, (pd.DataFrame, pd.Series)):
        return value.to_numpy(copy=True), value.index.to_list(), str(getattr(value, "dtypes", ""))
    if hasattr(value, "indptr"):
        return value.data.copy(), value.indices.copy(), value.indptr.copy()
    return None if value is None else np.array(value, copy=True)


def check_untouched(subject: Subject, X: Any, y: Any, weight: Any) -> None:
    before = [held(value) for value in (X, y, weight)]
    model = fit(subject.make(), X, y, weight if subject.takes_weight else None)
    answers(model, X)
    if hasattr(model, "score") and y is not None:
        model.score(X, y)
    for old, new, what in zip(before, (X, y, weight), ("X", "y", "weight"), strict=True):
        assert_same_bits(held(new), old, what)


@pytest.mark.parametrize("order", ["C", "F"])
@each()
def test_arrays_are_left_untouched(subject: Subject, order: Any) -> None:
    X, y, weight = problem(subject)
    check_untouched(subject, np.asarray(X, order=order), y, weight)


@each(DEFAULTS)
def test_frames_are_left_untouched(subject: Subject) -> None:
    X, y, weight = problem(subject)
    frame = tables.pandas(X)
    frame.index = frame.index[::-1]
    check_untouched(subject, frame, None if y is None else pd.Series(y, index=frame.index), pd.Series(weight))


IN_RUNS = [form for form in tables.SPARSE if form[:3] in ("csr", "csc")]


@each_form("form", IN_RUNS, ("csr", "csc"), [subject for subject in SPARSE if subject.is_default])
def test_sparse_tables_are_left_untouched(subject: Subject, form: str) -> None:
    X, y, weight = problem(subject)
    X[X > 0] = 0
    check_untouched(subject, tables.SPARSE[form](X), y, weight)


@each()
def test_a_model_does_not_hold_on_to_the_arrays_it_was_given(subject: Subject) -> None:
    """What the user does to the table afterward changes no prediction."""
    X, y, weight = problem(subject)
    given, labels, w = X.copy(), None if y is None else y.copy(), weight.copy()
    model = fit(subject.make(), given, labels, w if subject.takes_weight else None)
    before = answers(model, X)
    given[:], w[:] = -1, 0
    if labels is not None:
        labels[:] = labels[0]
    assert_same_bits(answers(model, X), before)


# -------------------------------------------------------------------------------------------------------------- columns


def reordered(frame: Any) -> Any:
    """The same frame with its columns in another order."""
    if isinstance(frame, pa.Table):
        return frame.select(sorted(frame.column_names))
    return frame[sorted(frame.columns)]


def some_column(X: Any) -> str:
    """The name of the last column but one, or of the only one."""
    return tables.names(X)[-2:][0]


def renamed(frame: Any, old: str, new: str) -> Any:
    if isinstance(frame, pa.Table):
        return frame.rename_columns([new if name == old else name for name in frame.column_names])
    return frame.rename({old: new}) if isinstance(frame, pl.DataFrame) else frame.rename(columns={old: new})


@pytest.mark.parametrize("library", tables.FRAMES)
@each(DEFAULTS)
def test_columns_in_another_order_are_put_right_by_name(subject: Subject, library: str) -> None:
    frame = tables.FRAMES[library](problem(subject).X)
    assert_near(answers(learned(subject, library), reordered(frame)), said(subject, library), 1e-13)


@pytest.mark.parametrize("library", tables.FRAMES)
@each([subject for subject in DEFAULTS if subject.looks])
def test_a_missing_and_an_unknown_column_are_named(subject: Subject, library: str) -> None:
    X, _, _ = problem(subject)
    frame = tables.FRAMES[library](X)
    name = some_column(X)
    model = learned(subject, library)
    for method in said(subject, library):
        with pytest.raises(DataError, match=rf"(?s)- column z.*- {name}"):
            getattr(model, method)(renamed(frame, name, "column z"))


@pytest.mark.parametrize("library", tables.FRAMES)
@each(DEFAULTS)
def test_column_names_are_kept(subject: Subject, library: str) -> None:
    X, _, _ = problem(subject)
    model = learned(subject, library)
    assert model.feature_names_in_.tolist() == tables.names(X)
    assert model.feature_names_in_.dtype == object
    assert model.n_features_in_ == X.shape[1]


PAIRS = [(fitted, asked) for fitted in tables.FRAMES for asked in tables.FRAMES if fitted != asked]


@each_form("pair", PAIRS, [("pandas", "polars")], [subject for subject in DEFAULTS if subject.looks])
def test_a_model_fitted_on_one_library_takes_a_frame_of_another(subject: Subject, pair: tuple[str, str]) -> None:
    fitted, asked = pair
    found = answers(learned(subject, fitted), reordered(tables.FRAMES[asked](problem(subject).X)))
    assert_near(found, said(subject, fitted), 1e-13)


@each([subject for subject in DEFAULTS if subject.looks])
def test_names_on_one_side_only_are_said(subject: Subject) -> None:
    X, _, _ = problem(subject)
    with pytest.warns(PellucidWarning, match="does not have valid feature names"):
        answers(learned(subject, "pandas"), X)
    with pytest.warns(PellucidWarning, match="was fitted without feature names"):
        answers(learned(subject), tables.pandas(X))


@each()
def test_the_happy_path_warns_of_nothing(subject: Subject) -> None:
    X, y, weight = problem(subject)
    if subject.name == "SelfTrainingClassifier":  # rows without a label are what it is for
        y = np.where(np.arange(len(y)) % 4 == 0, "", y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for table in (X, tables.pandas(X), tables.polars(X), tables.pyarrow(X), X.tolist()):
            answers(fit(subject.make(), table, y, weight if subject.takes_weight else None), table)


@each(LOOKING)
def test_another_number_of_columns_is_refused_with_both_numbers(subject: Subject) -> None:
    X, _, _ = problem(subject)
    model, n = learned(subject), X.shape[1]
    for method in said(subject):
        with pytest.raises(DataError, match=rf"X has {n + 1} features.*expecting {n} features"):
            getattr(model, method)(np.column_stack([X, X[:, 0]]))


@each([subject for subject in DEFAULTS if subject.looks])
def test_whole_number_names_are_matched_like_any_other(subject: Subject) -> None:
    X, y, _ = problem(subject)
    frame = pd.DataFrame(X)
    model = fit(subject.make(), frame, y)
    assert not hasattr(model, "feature_names_in_")
    assert_near(answers(model, frame[frame.columns[::-1]]), answers(model, frame), 1e-13)


@each(LOOKING)
def test_nan_and_infinity_are_refused_by_column_and_row(subject: Subject) -> None:
    X, y, _ = problem(subject)
    endless = subject.takes_infinity
    for bad, allowed in ((np.nan, subject.tags.input_tags.allow_nan), (np.inf, endless), (-np.inf, endless)):
        if allowed:
            continue
        frame, name = tables.pandas(X), some_column(X)
        model = fit(subject.make(), frame, y)
        frame.loc[[3, 7], name] = bad
        for act in (lambda f=frame: fit(subject.make(), f, y), lambda f=frame, m=model: answers(m, f)):
            with pytest.raises(DataError, match=rf"'{name}'.*\brows 3, 7\b"):
                act()


# ----------------------------------------------------------------------------------------------------------- odd shapes


@pytest.mark.filterwarnings("ignore::pellucid.base.errors.PellucidWarning")
@each()
def test_one_row_gives_finite_answers_or_one_sentence(subject: Subject) -> None:
    X, y, _ = problem(subject)
    one = None if y is None else y[:1]
    model, words = fit_or_words(subject, X[:1], one)
    if model is None:
        assert words.startswith(f"{subject.name}: ")
    elif subject.most_neighbors > 1:
        with pytest.raises(DataError, match=f"{subject.name}: n_neighbors must be at most n_samples_fit"):
            check_shapes(model, X[:1])
    else:
        check_shapes(model, X[:1])
        if subject.name == "RadiusNeighborsRegressor":  # far rows have no neighbors: NaN, by intent
            return
        if subject.refuses_unknown:
            with pytest.raises(DataError, match=f"{subject.name}: every value must be a known category"):
                check_shapes(model, X)
        elif subject.refuses_below:
            with pytest.raises(DataError, match=f"{subject.name}: x \\+ shift must be above 0 to have a logarithm"):
                check_shapes(model, X)
        else:
            check_shapes(model, X)


@pytest.mark.filterwarnings("ignore::pellucid.base.errors.PellucidWarning")
@pytest.mark.parametrize("extra", ["constant", "duplicate", "zero"])
@each()
def test_an_idle_column_gives_finite_answers_or_one_sentence(subject: Subject, extra: str) -> None:
    X, y, _ = problem(subject)
    column = {"constant": np.full(len(X), 2.5), "duplicate": X[:, 0], "zero": np.zeros(len(X))}[extra]
    wide = np.column_stack([X, column])
    model, words = fit_or_words(subject, wide, y)
    if model is None:
        assert words.startswith(f"{subject.name}: ")
    else:
        check_shapes(model, wide)


@pytest.mark.filterwarnings(
    "ignore:.*tol was not reached", "ignore:.*No features were selected", "ignore:.*is greater than n_features=1"
)
@each()
def test_one_column_is_enough(subject: Subject) -> None:
    X, y, _ = problem(subject, columns=1)
    check_shapes(fit(subject.make(), X, y), X)


@each()
def test_one_row_can_be_asked_about(subject: Subject) -> None:
    model, X = learned(subject), problem(subject).X
    for method, whole in said(subject).items():
        assert_near(getattr(model, method)(X[:1]), whole[:1])


def fit_or_words(subject: Subject, X: Any, y: Any) -> tuple[Any, str]:
    """A fitted model, or the words of the refusal."""
    try:
        return fit(subject.make(), X, y), ""
    except DataError as error:
        return None, str(error)


def check_shapes(model: Any, X: Any) -> None:
    for method, found in answers(model, X).items():
        found = found.toarray() if hasattr(found, "toarray") else found
        assert len(found) == len(X), method
        if np.asarray(found).dtype.kind == "f":
            assert np.isfinite(np.asarray(found)).all(), method


# ------------------------------------------------------------------------------------------------------ several targets


# RidgeCV chooses one penalty for all targets, unless told otherwise; a tree, of a boosted model too, asks its questions
# for all of them.
EACH_FOR_ITSELF = [
    s
    for s in SUBJECTS
    if ("alpha_per_target" not in s.cls._params or s.params.get("alpha_per_target", False))
    and "ccp_alpha" not in s.cls._params
    and "vector_leaves" not in s.cls._params
    and "hidden_layer_sizes" not in s.cls._params  # targets share the hidden layers
]


@each([s for s in EACH_FOR_ITSELF if s.tags.target_tags.multi_output and s.role == "regressor"])
def test_several_targets_are_answered_like_each_alone(subject: Subject) -> None:
    X, y, _ = problem(subject)
    both = fit(subject.make(), X, np.column_stack([y, y[::-1]])).predict(X)
    assert both.shape == (len(X), 2)
    assert_near(both[:, 0], fit(subject.make(), X, y).predict(X))
    assert_near(both[:, 1], fit(subject.make(), X, y[::-1]).predict(X))


@pytest.mark.parametrize("library", ["list", "pandas", "polars", "pyarrow"])
@each([subject for subject in DEFAULTS if subject.tags.target_tags.required])
def test_the_target_comes_in_any_form(subject: Subject, library: str) -> None:
    X, y, _ = problem(subject)
    form = {"list": list, "pandas": pd.Series, "polars": pl.Series, "pyarrow": lambda v: pa.chunked_array([v])}
    given = fit(subject.make(), X, form[library](y.tolist()))
    assert_near(answers(given, X), said(subject), 0)
