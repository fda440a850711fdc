"""What every estimator promises (tests/contract), of those that read texts, with texts."""

from __future__ import annotations

import copy
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pandas as pd
import pytest
import threadpoolctl
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import estimator_checks_generator

import pellucid
from pellucid.base.errors import DataError, NotFittedError
from pellucid.base.registry import role_of
from pellucid.naive_bayes import MultinomialNB
from pellucid.text import CountVectorizer, TfidfVectorizer

from .samples import TEXTS, drawn

CLASSES = [cls for _, cls in pellucid.all_estimators("transformer") if cls.__module__.startswith("pellucid.text")]
READERS = [cls for cls in CLASSES if cls.__name__ != "TfidfTransformer"]
VARIANTS: dict[str, list[dict[str, Any]]] = {
    "CountVectorizer": [
        {"ngram_range": (1, 2), "stop_words": "english", "min_df": 2},
        {"analyzer": "char_wb", "ngram_range": (2, 3), "max_features": 20},
        {"token_pattern": r"[a-z]+", "binary": True, "strip_accents": "unicode"},
        {"vocabulary": ["fox", "dog", "the dog"], "ngram_range": (1, 2)},
    ],
    "TfidfVectorizer": [
        {"norm": "l1", "sublinear_tf": True, "smooth_idf": False},
        {"use_idf": False, "dtype": np.float32},
        {"analyzer": "char", "ngram_range": (1, 3), "max_df": 0.8},
    ],
    "HashingVectorizer": [
        {"n_features": 50, "norm": None},
        {"n_features": 50, "alternate_sign": False, "binary": True, "norm": "l1"},
    ],
}
MADE = [cls(**settings) for cls in READERS for settings in [{}, *VARIANTS[cls.__name__]]]
X = TEXTS + drawn(30)


def state(model: Any) -> dict[str, Any]:
    """Everything that a fit left behind."""
    return {name: value for name, value in vars(model).items() if name not in model.get_params()}


def assert_same_bits(a: Any, b: Any) -> None:
    """Sparse matrices, arrays and others, equal in type and in every bit."""
    assert type(a) is type(b)
    if hasattr(a, "indptr"):
        assert a.shape == b.shape
        for part in ("data", "indices", "indptr"):
            assert_same_bits(getattr(a, part), getattr(b, part))
    elif isinstance(a, np.ndarray):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        assert a.tobytes() == b.tobytes() if a.dtype != object else (a == b).all()
    else:
        assert a == b


def assert_same_fit(a: Any, b: Any) -> None:
    """Two fitted models are the same in every bit."""
    left, right = state(a), state(b)
    assert set(left) == set(right)
    for name in left:
        assert_same_bits(left[name], right[name])


class Listener:
    """A callback that only counts."""

    def __init__(self) -> None:
        self.ended = 0

    def setup(self, estimator: Any, context: Any) -> None: ...
    def teardown(self, estimator: Any, context: Any) -> None: ...
    def on_fit_task_begin(self, estimator: Any, context: Any) -> None: ...

    def on_fit_task_end(self, estimator: Any, context: Any) -> bool:
        self.ended += 1
        return False


def each(test: Any) -> Any:
    return pytest.mark.parametrize("model", MADE, ids=lambda model: "".join(repr(model).split()))(test)


def said(model: Any, texts: Any = X) -> Any:
    return model.transform(texts)


def test_the_readers_of_texts_are_these() -> None:
    assert [cls.__name__ for cls in READERS] == ["CountVectorizer", "HashingVectorizer", "TfidfVectorizer"]
    assert not any(cls().__sklearn_tags__().input_tags.two_d_array for cls in READERS)
    assert all(role_of(cls) == "transformer" for cls in READERS)


@each
def test_scikit_learns_checks_pass(model: Any) -> None:
    """It has few for texts, and none of them may be left out."""
    ran = 0
    with pytest.warns(UserWarning, match="requires input"):
        checks = list(estimator_checks_generator(clone(model)))
    for estimator, check in checks:
        check(estimator)
        ran += 1
    assert ran > 0
    assert model.__sklearn_tags__().input_tags.string


@each
def test_fit_and_transform_are_fit_transform(model: Any) -> None:
    one, two = clone(model), clone(model)
    assert_same_bits(one.fit_transform(X), two.fit(X).transform(X))
    assert_same_fit(one, two)


@each
def test_copies_say_the_same(model: Any) -> None:
    fitted = clone(model).fit(X)
    expected = said(fitted)
    for copied in (pickle.loads(pickle.dumps(fitted)), copy.deepcopy(fitted), copy.copy(fitted)):
        assert_same_bits(said(copied), expected)
        assert_same_fit(copied, fitted)


@each
def test_fitting_again_forgets_the_first_fit(model: Any) -> None:
    other = drawn(25, seed=8) + TEXTS[:3]
    twice = clone(model).fit(pd.DataFrame({"said": drawn(30) + TEXTS[:8]})).fit(other)
    assert_same_fit(twice, clone(model).fit(other))
    fresh = clone(twice)
    assert not [name for name in vars(fresh) if name not in fresh.get_params()]


@each
def test_one_two_and_three_threads_give_equal_bits(model: Any) -> None:
    many = drawn(1200, seed=2)
    one, *more = [clone(model).set_params(n_jobs=threads) for threads in (1, 2, 3)]
    expected = one.fit_transform(many)
    for other in more:
        assert_same_bits(other.fit_transform(many), expected)
        assert_same_fit(other, one)
        assert_same_bits(said(other, many), expected)
    with threadpoolctl.threadpool_limits(1):
        assert_same_bits(clone(model).fit_transform(many), expected)
    with ThreadPoolExecutor(4) as pool:
        for made in pool.map(lambda _: clone(model).fit_transform(many), range(4)):
            assert_same_bits(made, expected)


@each
def test_a_listener_and_a_record_change_no_bit(model: Any) -> None:
    plain = clone(model).fit(X)
    listener = Listener()
    heard = clone(model).set_callbacks(listener)
    heard.fit(X)
    assert listener.ended >= 1
    for name, value in state(plain).items():
        assert_same_bits(state(heard)[name], value)
    recorded = clone(model)
    recorded.fit_with_history(X)
    assert_same_fit(recorded, plain)


@each
def test_an_unfitted_model_says_so(model: Any) -> None:
    fresh = clone(model)
    if not fresh.__sklearn_tags__().requires_fit or getattr(fresh, "vocabulary", None) is not None:
        assert fresh.transform(X).shape[0] == len(X)
        return
    for ask in (fresh.transform, fresh.get_feature_names_out, fresh.show_fit):
        with pytest.raises(NotFittedError, match="instance is not fitted yet"):
            ask(X)


@each
def test_a_fit_that_failed_changes_nothing(model: Any) -> None:
    fresh = clone(model)
    with pytest.raises(DataError):
        fresh.fit([1, 2])
    assert not fresh.__sklearn_is_fitted__()
    fitted = clone(model).fit(X)
    before = said(fitted)
    with pytest.raises(DataError):
        fitted.fit_transform(["a word", 2.0])
    assert_same_bits(said(fitted), before)
    assert not hasattr(fitted, "_wanted")


@each
def test_what_is_given_stays_as_it_is(model: Any) -> None:
    texts = np.array(X, dtype=object)
    before = texts.copy()
    # Python keeps one object for all empty texts and all of one letter: others hold on to those and let go of them.
    own = [text for text in X if len(text) > 1]
    references = [sys.getrefcount(text) for text in own]
    clone(model).fit(texts).transform(texts)
    assert (texts == before).all()
    assert [sys.getrefcount(text) for text in own] == references, "a text is held on to"


@each
def test_a_frame_of_a_sparse_result_is_refused(model: Any) -> None:
    if not hasattr(model, "get_feature_names_out"):
        assert not hasattr(model, "set_output")
        return
    for library in ("pandas", "polars"):
        framed = clone(model).fit(X).set_output(transform=library)
        with pytest.raises(ValueError, match=f"{library.capitalize()} output does not support sparse data"):
            framed.transform(X)


@each
def test_the_notebook_and_the_repr_show_the_model(model: Any) -> None:
    assert type(model).__name__ in clone(model).fit(X)._repr_html_()
    names = {type(model).__name__: type(model), "numpy": np}
    text = repr(model).replace("<class 'numpy.float32'>", "numpy.float32")
    assert repr(eval(text, names)) == repr(model)


def test_pipelines_and_searches_take_them() -> None:
    texts = [f"{'good great fun' if i % 2 else 'bad awful bore'} film number {i}" for i in range(24)]
    y = np.arange(24) % 2
    pipeline = make_pipeline(TfidfVectorizer(), MultinomialNB())
    assert cross_val_score(pipeline, texts, y, cv=3).min() == 1
    grid = {"countvectorizer__ngram_range": [(1, 1), (1, 2)], "countvectorizer__min_df": [1, 2]}
    search = GridSearchCV(make_pipeline(CountVectorizer(), MultinomialNB()), grid, cv=3, error_score="raise")
    assert search.fit(texts, y).best_score_ == 1
    assert search.predict(["a great film", "what a bore"]).tolist() == [1, 0]


def test_interrupted_texts() -> None:
    """A text that cannot be read stops the fit with its row, whatever comes before."""
    with pytest.raises(DataError, match="row 2000"):
        CountVectorizer().fit([*drawn(2000), 7])
