"""Workbooks of estimators that no example of the gallery covers, worked out by LibreOffice from nothing."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from pellucid import feature_selection, impute, preprocessing, quality
from pellucid.calibration import CalibratedClassifierCV
from pellucid.inspection import permutation_importance
from pellucid.isotonic import IsotonicRegression
from pellucid.linear_model import LinearRegression
from pellucid.naive_bayes import CategoricalNB, KernelDensityNB, NaiveBayes
from pellucid.preprocessing import PolynomialFeatures
from pellucid.rules import OneRClassifier, PRISMClassifier, RIPPERClassifier, RuleClassifier
from pellucid.semi_supervised import SelfTrainingClassifier
from pellucid.working import Working, show
from pellucid.working.entry import known
from pellucid.working.excel import layout, to_excel

from . import boosted_trees, boosting, forests, office, preparations, significance, voters

RNG = np.random.default_rng(3)
X = RNG.normal(size=(24, 2)).round(2)
Y = (X[:, 0] + 0.5 * RNG.normal(size=24)).round(2)
LABELS = np.where(Y > 0, "high", "low")
WEIGHT = RNG.integers(1, 4, 24).astype(float)
FEW = np.where(np.arange(24) % 3 == 0, (Y > 0).astype(int), -1)


def _both(model: Any, X: Any, y: Any, weight: Any = None, **options: Any) -> dict[str, Working]:
    model = model.fit(X, y) if weight is None else model.fit(X, y, sample_weight=weight)
    shown = {"fit": model.show_fit(X, y, weight, **options), "predict": model.show_predict(X, rows=[0, 5, 9])}
    return {f"{type(model).__name__} {part}": working for part, working in shown.items()}


def mixed_tables() -> dict[str, Working]:
    """Naive Bayes of words, bells, kernels and splits; with missing values, weights and both kinds of smoothing."""
    table, survived = preparations.TITANIC[["sex", "age", "fare", "embarked"]], preparations.SURVIVED
    bells = NaiveBayes(numbers={"fare": "kernel"}, ddof=1, smoothing="m_estimate", p="shares")
    splits = NaiveBayes(numbers={"age": "split", "fare": 20.0}, smoothing="m_estimate", m=2.0)
    found = {f"bells {name}": w for name, w in _both(bells, table, survived).items()}
    found |= {f"splits {name}": w for name, w in _both(splits, table, survived, WEIGHT[:10]).items()}
    found |= _both(CategoricalNB(), table[["sex", "embarked"]], survived, WEIGHT[:10])
    return found | _both(KernelDensityNB(bandwidth="silverman"), preparations.BILL, preparations.SPECIES)


def rules() -> dict[str, Working]:
    """Rules, written and learned, on numbers and names with missing values; every way to settle a conflict."""
    table = preparations.TITANIC[["sex", "age", "embarked"]]
    survived = np.where(preparations.SURVIVED == 1, "saved", "lost")
    text = """
    IF sex = female THEN saved (weight 1.5)
    IF age BETWEEN 20 AND 40 OR embarked IN {Q, C} THEN lost
    boys: IF NOT sex = female AND (age < 10 OR MISSING) THEN saved
    """
    found = {}
    for conflict in ("first", "vote", "priority"):
        made = _both(RuleClassifier(rules=text, conflict=conflict), table, survived, WEIGHT[:10])
        found |= {f"{name} {conflict}": working for name, working in made.items()}
    found |= _both(PRISMClassifier(n_bins=3), table, survived, WEIGHT[:10])
    found |= {f"names {name}": w for name, w in _both(OneRClassifier(), table, survived, WEIGHT[:10]).items()}
    return found | _both(OneRClassifier(min_bucket=3), X, LABELS)


def _made() -> dict[str, Working]:
    calibrated = {}
    for method in ("sigmoid", "isotonic", "temperature"):
        found = _both(CalibratedClassifierCV(GaussianNB(), method=method, cv=2), X, LABELS)
        calibrated |= {f"{name} {method}": working for name, working in found.items()}
    powers = PolynomialFeatures(3).fit(X[:6])
    return {
        **preparations.made(),
        **_both(IsotonicRegression(out_of_bounds="clip"), X[:, 0], Y, WEIGHT),
        **{f"falling {name}": w for name, w in _both(IsotonicRegression(increasing=False), X[:, 0], -Y).items()},
        **calibrated,
        **mixed_tables(),
        **_both(RIPPERClassifier(random_state=0), X, LABELS, WEIGHT),
        **rules(),
        **significance.made(),
        **boosted_trees.made(),
        **boosting.made(),
        **forests.made(),
        **voters.made(),
        **_both(SelfTrainingClassifier(LogisticRegression(), threshold=0.7), X, FEW),
        "PolynomialFeatures fit": powers.show_fit(X[:6]),
        "PolynomialFeatures transform": powers.show_transform(X[:6], rows=[0, 3]),
        "permutation_importance": show(
            permutation_importance, LinearRegression().fit(X, Y), X, Y, n_repeats=3, random_state=0
        ),
    }


@pytest.fixture(scope="module")
def workings() -> dict[str, Working]:
    return _made()


def test_every_transformer_has_a_case(workings: dict[str, Working]) -> None:
    elsewhere = {"StandardScaler", "MinMaxScaler", "MaxAbsScaler", "MeanNormalizer", "RobustScaler", "OneHotEncoder",
                 "OrdinalEncoder", "PolynomialFeatures"}  # fmt: skip
    families = (preprocessing, impute, feature_selection, quality)
    public = {name for family in families for name in family.__all__ if isinstance(getattr(family, name), type)}
    written = {key.partition(".")[0] for key in known()}
    assert written & public == preparations.SHOWN | elsewhere


@pytest.mark.slow
def test_the_workbooks_recalculate_to_the_workings(
    workings: dict[str, Working], tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> None:
    """A third of them, always the same; all with ``--exhaustive``: LibreOffice takes a tenth of a second for each."""
    if not request.config.getoption("--exhaustive"):
        workings = {name: shown for name, shown in workings.items() if zlib.crc32(name.encode()) % 3 == 0}
    folder: Path = tmp_path_factory.mktemp("books")
    files = {name: to_excel(shown, folder / f"{i}.xlsx") for i, (name, shown) in enumerate(workings.items())}
    done = office.recalculate(list(files.values()), tmp_path_factory.mktemp("office"))
    wrong = {
        name: found[:3]
        for name, shown in workings.items()
        if (found := office.differences(shown, done[files[name]], layout(shown)))
    }
    assert not wrong
    assert len(files) >= 100
