"""What the contract tests share: every public estimator, data that suit its role, and comparison bit by bit."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

import pellucid
from pellucid.base.registry import role_of
from pellucid.linear_model import LinearRegression
from pellucid.tree import DecisionTreeClassifier, DecisionTreeRegressor

from . import tables
from .bases import NearestMean
from .variants import MADE_WITH, VARIANTS

# Transformers whose target is the class of each row.
OF_CLASSES = (
    "ClassImputer",
    "GenericUnivariateSelect",
    "SelectFdr",
    "SelectFpr",
    "SelectFwe",
    "SelectKBest",
    "SelectPercentile",
)
# Estimators that take negative values under some settings, or in dense tables, only; or whose peer takes none.
NOT_NEGATIVE = ("CategoricalNB", "LogTransformer", "QuantileTransformer", "RootTransformer", "TfidfTransformer")
# Estimators around another one that look at the table themselves.
OWN_DOOR = ("BaggingClassifier", "BaggingRegressor")
# Roles whose input is no table with an answer for each row, but baskets of any length, or triples of user, item and
# rating. What is promised of rows, columns and targets says nothing about them, nor do scikit-learn's checks, which
# hand a matrix to every fit. What a class declares is checked of them as of all (`CLASSES`); the rest has tests in the
# families' own folders, `tests/association` and `tests/recommend`.
NOT_OF_ROWS = ("rule_miner", "recommender")
# Names that may stand in the repr of an estimator besides its own.
NAMES = {cls.__name__: cls for cls in (NearestMean, LinearRegression, DecisionTreeClassifier, DecisionTreeRegressor)}

METHODS = ("predict", "predict_proba", "decision_function", "transform", "score_samples")
ROUNDS = 8  # of boosted trees


@dataclass(frozen=True, eq=False)
class Subject:
    """An estimator class with the settings under which it is checked."""

    cls: type[Any]
    params: Mapping[str, Any] = field(default_factory=dict)

    def make(self, **more: Any) -> Any:
        """A fresh, unfitted estimator; a random one with a fixed seed, a boosted one with few rounds."""
        params = dict(self.params)
        if self.cls.__module__.startswith("pellucid.boosting"):
            params.setdefault("n_estimators", ROUNDS)
        if "random_state" in self.cls._params:
            params.setdefault("random_state", 0)
        return self.cls(**{**params, **more})

    @property
    def name(self) -> str:
        return self.cls.__name__

    @property
    def is_default(self) -> bool:
        """Has it no settings besides those that it cannot do without?"""
        return dict(self.params) == MADE_WITH.get(self.name, {})

    @property
    def door(self) -> str:
        """Who looks at the table: the estimator, or the one, the first one, that it is built around."""
        inner = [model for _, model in self.params.get("estimators", [])] or [self.params.get("estimator")]
        return self.name if inner[0] is None or self.name in OWN_DOOR else type(inner[0]).__name__

    @property
    def takes_one_column(self) -> bool:
        return not self.tags.input_tags.two_d_array

    @property
    def splits(self) -> bool:
        """Does a fit split its rows? Then a row of weight 2 is not the row written twice: the parts are other ones."""
        return "cv" in self.cls._params or self.params.get("probability") is True

    @cached_property
    def tags(self) -> Any:
        return self.make().__sklearn_tags__()

    @property
    def role(self) -> str:
        """As the registry has it: scikit-learn's tags have no word for a transformer."""
        return str(role_of(self.cls))

    @property
    def gives_sparse(self) -> bool:
        """Is what it makes of a dense table sparse? Then there is no frame of it."""
        made = self.make()
        graph = hasattr(made, "transform") and (hasattr(made, "kneighbors") or hasattr(made, "radius_neighbors"))
        weights = self.name == "TfidfTransformer"
        return (
            graph or weights or bool(getattr(made, "sparse_output", False)) or getattr(made, "encode", "") == "onehot"
        )

    @property
    def most_neighbors(self) -> int:
        """How many rows it must have been fitted to before it answers: k neighbors of a row."""
        made = self.make()
        more = self.name == "KNeighborsTransformer" and made.mode == "distance"  # a row is its own first neighbor
        return int(made.n_neighbors) + more if hasattr(made, "kneighbors") else 0

    @property
    def takes_infinity(self) -> bool:
        """Is infinity a value like others?"""
        return getattr(getattr(self.cls, "input_spec", None), "check_finite", "") == "never"

    @property
    def refuses_unknown(self) -> bool:
        """Does it answer for values only that its fit saw?"""
        return getattr(self.make(), "handle_unknown", "") == "error"

    @property
    def refuses_below(self) -> bool:
        """Does it answer only for values that are not below those its fit saw?"""
        return self.name == "LogTransformer" and "shift" not in self.params

    @property
    def looks(self) -> bool:
        """Does it look at the values of X?"""
        return not self.tags.no_validation

    @property
    def reads_columns(self) -> bool:
        """Does it read columns as they come? The door makes plain numbers of them for all others."""
        return bool(getattr(getattr(self.cls, "input_spec", None), "raw", False))

    @property
    def is_random(self) -> bool:
        return bool(self.tags.non_deterministic) or "random_state" in self.cls._params

    @property
    def takes_weight(self) -> bool:
        return has_fit_parameter(self.make(), "sample_weight")

    def __str__(self) -> str:
        return f"{self.name}({', '.join(f'{key}={value!r}' for key, value in self.params.items())})"


def reads_labels(cls: type[Any]) -> bool:
    """Does it read a target and no table? Such encoders have tests of their own."""
    target = cls().__sklearn_tags__().target_tags
    return bool(target.one_d_labels or target.two_d_labels)


def reads_rows(cls: type[Any]) -> bool:
    """Does it read a table of numbers or categories? Readers of texts have tests/text/test_contract.py."""
    given = cls().__sklearn_tags__().input_tags
    return role_of(cls) not in NOT_OF_ROWS and not (given.string and not given.two_d_array)


CLASSES: list[type[Any]] = [cls for _, cls in pellucid.all_estimators() if not reads_labels(cls)]
DEFAULTS = [Subject(cls, MADE_WITH.get(cls.__name__, {})) for cls in CLASSES if reads_rows(cls)]
SUBJECTS = [
    Subject(default.cls, {**default.params, **params})
    for default in DEFAULTS
    for params in [{}, *VARIANTS.get(default.name, [])]
]


def each(subjects: Iterable[Subject] = SUBJECTS) -> pytest.MarkDecorator:
    """One test a subject; those of other settings than the defaults count as exhaustive."""
    return pytest.mark.parametrize("subject", [case(subject) for subject in subjects])


# The problems of all classifiers have a label in every row.
EXPECTED_WARNINGS = {"SelfTrainingClassifier": "ignore:SelfTrainingClassifier. y contains no unlabeled samples"}


def expected_warnings(subject: Subject) -> list[pytest.MarkDecorator]:
    """Marks that let a test of a subject pass although its problem makes it warn."""
    known = EXPECTED_WARNINGS.get(subject.name)
    return [] if known is None else [pytest.mark.filterwarnings(known)]


def case(subject: Subject, *more: Any, id: str = "", exhaustive: bool = False) -> Any:
    """A subject, and what else a test takes, as a case of it."""
    marks = [pytest.mark.exhaustive] if exhaustive or not subject.is_default else []
    marks += expected_warnings(subject)
    return pytest.param(subject, *more, id=id or str(subject), marks=marks)


def each_form(
    what: str, forms: Iterable[Any], always: Collection[Any], subjects: Iterable[Subject]
) -> pytest.MarkDecorator:
    """One test a subject and form of its data.

    Of forms that are not among ``always`` the door, the same for every estimator, makes what the others are: they count
    as exhaustive, but of an estimator that reads columns as they come.
    """
    every = list(forms)
    assert set(always) <= set(every)
    return pytest.mark.parametrize(
        ("subject", what),
        [
            case(
                subject,
                form,
                id=f"{subject}-{getattr(form, '__name__', form)}",
                exhaustive=form not in always and not subject.reads_columns,
            )
            for subject in subjects
            for form in every
        ],
    )


def each_class(test: Callable[..., None]) -> Callable[..., None]:
    """One test an estimator class."""
    return pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)(test)


class Problem(NamedTuple):
    """A table, its target (None where the role has none), and whole-number weights."""

    X: NDArray[np.float64]
    y: Any
    weight: NDArray[np.float64]


def problem(subject: Subject, rows: int = 40, columns: int = 4, seed: int = 0) -> Problem:
    """Data that suit the subject's role and tags.

    Values of X are eighths between -8 and 8, so that float16, float32 and decimal text hold them exactly. An estimator
    that takes one column gets one.
    """
    random = np.random.default_rng(seed)
    columns = 1 if subject.takes_one_column else columns
    X = np.clip(np.round(8 * random.normal(size=(rows, columns))) / 8, -8, 8)
    if subject.tags.input_tags.positive_only or subject.name in NOT_NEGATIVE:
        X = np.abs(X)
    signal = X @ (1 + np.arange(columns) / 2) + random.normal(size=rows) / 2 + 1
    return Problem(X, _target(subject, signal), random.integers(1, 4, size=rows).astype(float))


def _target(subject: Subject, signal: NDArray[np.float64]) -> Any:
    tags = subject.tags
    if subject.role == "regressor":
        return np.abs(signal) + 1 if tags.target_tags.positive_only else signal
    if subject.role == "classifier" or subject.name in OF_CLASSES:
        parts = 3 if tags.classifier_tags is None or tags.classifier_tags.multi_class else 2
        cuts = np.quantile(signal, np.arange(1, parts) / parts)
        return np.array(["ash", "birch", "cedar"])[np.searchsorted(cuts, signal)]
    return signal if tags.target_tags.required else None


def fit(model: Any, X: Any, y: Any, weight: Any = None) -> Any:
    """Fits with weights where they are given."""
    more = {} if weight is None else {"sample_weight": weight}
    return model.fit(X, **more) if y is None else model.fit(X, y, **more)


FORMS = {**tables.DENSE, **tables.FRAMES, **tables.OTHER_FRAMES}


@cache
def learned(subject: Subject, form: str = "C order", weighted: bool = False) -> Any:
    """The subject fitted to its problem in one form of the table: made once, for tests that only ask the model."""
    X, y, weight = problem(subject)
    return fit(subject.make(), FORMS[form](X), y, weight if weighted and subject.takes_weight else None)


@cache
def said(subject: Subject, form: str = "C order", weighted: bool = False) -> dict[str, Any]:
    """What that model says about the table that it was fitted to."""
    return answers(learned(subject, form, weighted), FORMS[form](problem(subject).X))


def answers(model: Any, X: Any) -> dict[str, Any]:
    """What a fitted model says about a table, by method."""
    known = [method for method in METHODS if hasattr(model, method)]
    if not known and isinstance(model, Pipeline):  # which hands on the methods above alone
        return answers(model[-1], model[:-1].transform(X))
    return {method: getattr(model, method)(X) for method in known or ["kneighbors_graph"] if hasattr(model, method)}


def state(model: Any) -> dict[str, Any]:
    """Everything that a fit left behind: attributes, private ones too, and those worked out when asked for."""
    worked_out = {
        name: getattr(model, name, None)
        for name in dir(type(model))
        if name.endswith("_") and not name.startswith("_") and isinstance(getattr(type(model), name), property)
    }
    params = model.get_params(deep=False)
    return worked_out | {name: value for name, value in vars(model).items() if name not in params}


def settings(model: Any) -> dict[str, Any]:
    """The parameters of a model for comparison: estimators among them, and NaN, by how they are written."""
    by_word = {
        name: hasattr(value, "get_params") or name == "estimators" or (isinstance(value, float) and value != value)
        for name, value in model.get_params().items()
    }
    return {name: repr(value) if by_word[name] else value for name, value in model.get_params().items()}


def assert_same_bits(a: Any, b: Any, at: str = "") -> None:
    """Equal in type and in every bit."""
    assert type(a) is type(b), f"{at}: {type(a).__name__} against {type(b).__name__}"
    if isinstance(a, np.ndarray) and a.dtype != object:
        assert a.dtype == b.dtype, f"{at}: {a.dtype} against {b.dtype}"
        assert a.shape == b.shape, f"{at}: shape {a.shape} against {b.shape}"
        assert a.tobytes() == b.tobytes(), f"{at}: values differ, by up to {_distance(a, b)}"
    elif isinstance(a, (float, np.generic)):
        assert np.asarray(a).tobytes() == np.asarray(b).tobytes(), f"{at}: {a!r} against {b!r}"
    elif isinstance(a, Mapping):
        assert list(a) == list(b), f"{at}: {list(a)} against {list(b)}"
        for key in a:
            assert_same_bits(a[key], b[key], f"{at}[{key!r}]")
    elif isinstance(a, (list, tuple, np.ndarray)):
        assert len(a) == len(b), f"{at}: length {len(a)} against {len(b)}"
        for i, (left, right) in enumerate(zip(a, b, strict=True)):
            assert_same_bits(left, right, f"{at}[{i}]")
    elif scipy.sparse.issparse(a):
        for part in ("shape", "data", "indices", "indptr"):  # a graph of rows is too large for a full table
            assert_same_bits(getattr(a.tocsr(), part), getattr(b.tocsr(), part), f"{at}.{part}")
    elif hasattr(a, "equals") and hasattr(a, "columns"):
        assert a.equals(b), f"{at}: frames differ"
    elif dataclasses.is_dataclass(a) or (
        hasattr(a, "__dict__")
        and (hasattr(a, "get_params") or (type(a).__module__.startswith("pellucid.") and vars(a)))
    ):
        assert_same_bits(vars(a), vars(b), at)
    else:
        assert a == b, f"{at}: {a!r} against {b!r}"


def _distance(a: Any, b: Any) -> Any:
    return np.abs(a - b).max() if a.dtype.kind in "fiu" else "other labels"


def assert_same_fit(a: Any, b: Any) -> None:
    """Two fitted models are the same in every bit."""
    left, right = state(a), state(b)
    assert set(left) == set(right)
    for name in left:
        assert_same_bits(left[name], right[name], name)


def assert_near(a: Any, b: Any, share: float = 1e-9, at: str = "") -> None:
    """Equal up to rounding: within a share of the largest value; labels equal."""
    if isinstance(a, Mapping):
        assert list(a) == list(b)
        for key in a:
            assert_near(a[key], b[key], share, f"{at}[{key!r}]")
        return
    if isinstance(a, list):
        for i, (left, right) in enumerate(zip(a, b, strict=True)):
            assert_near(left, right, share, f"{at}[{i}]")
        return
    left, right = (np.asarray(c.toarray() if scipy.sparse.issparse(c) else c) for c in (a, b))
    assert left.shape == right.shape, f"{at}: shape {left.shape} against {right.shape}"
    if left.dtype.kind not in "fc":
        np.testing.assert_array_equal(left, right, err_msg=at)
        return
    size = max(np.nanmax(np.abs(one), initial=0.0) for one in (left, right))
    np.testing.assert_allclose(left, right, rtol=0, atol=share * size, err_msg=at)
