"""Textbook programs with linear models run with `sklearn` changed to `pellucid` in their imports, figures and all.

Each listing is told in our own words. ``found`` maps what a worked example states to the listing's answer; the figures
and their tolerances are those of the example (``working/examples``). What no figure is printed for is compared with
scikit-learn's run of the same listing, with the arguments that it has dropped since put in its new words.
"""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pellucid.working

from .test_import_line import compare, run, swapped

EXAMPLES = Path(pellucid.working.__file__).parent / "examples"

FIGURES: dict[str, tuple[str, str]] = {
    "a line by least squares": (
        "002-normal-equation-noisy-line",
        """
        import numpy as np
        from sklearn.linear_model import LinearRegression

        np.random.seed(42)
        X = 2 * np.random.rand(100, 1)
        y = 4 + 3 * X + np.random.randn(100, 1)
        line = LinearRegression()
        line.fit(X, y)
        assert line.intercept_.shape == (1,) and line.coef_.shape == (1, 1)
        found = {
            "theta from lstsq, cut-off 1e-6": [line.intercept_[0], line.coef_[0, 0]],
            "prediction at x1 = 0 and x1 = 2": line.predict(np.array([[0], [2]]))[:, 0],
        }
        """,
    ),
    "a line by stochastic descent": (
        "002-sgdregressor-noisy-line",
        """
        import numpy as np
        from sklearn.linear_model import SGDRegressor

        np.random.seed(42)
        X = 2 * np.random.rand(100, 1)
        y = 4 + 3 * X + np.random.randn(100, 1)
        line = SGDRegressor(max_iter=1000, tol=1e-3, penalty=None, eta0=0.1, random_state=42)
        line.fit(X, y.ravel())
        found = {"intercept_": line.intercept_, "coef_": line.coef_, "epochs run": line.n_iter_}
        """,
    ),
    "a parabola": (
        "002-polynomial-regression-quadratic",
        """
        import numpy as np
        from sklearn.linear_model import LinearRegression
        from sklearn.preprocessing import PolynomialFeatures

        np.random.seed(42)
        X = 6 * np.random.rand(100, 1) - 3
        y = 0.5 * X**2 + X + 2 + np.random.randn(100, 1)
        powers = PolynomialFeatures(degree=2, include_bias=False)
        X_poly = powers.fit_transform(X)
        curve = LinearRegression()
        curve.fit(X_poly, y)
        found = {
            "first row before expansion": X[0],
            "first row after expansion": X_poly[0],
            "intercept_": curve.intercept_,
            "coef_ (x1, x1^2)": curve.coef_,
        }
        """,
    ),
    "learning curves": (
        "002-learning-curves-under-and-overfitting",
        """
        import numpy as np
        from sklearn.linear_model import LinearRegression
        from sklearn.metrics import mean_squared_error
        from sklearn.model_selection import train_test_split
        from sklearn.pipeline import Pipeline
        from sklearn.preprocessing import PolynomialFeatures

        np.random.seed(42)
        X = 6 * np.random.rand(100, 1) - 3
        y = 0.5 * X**2 + X + 2 + np.random.randn(100, 1)

        def curves(model):
            X_train, X_val, y_train, y_val = train_test_split(X, y, test_size=0.2, random_state=10)
            errors = []
            for size in range(1, len(X_train) + 1):
                model.fit(X_train[:size], y_train[:size])
                parts = (X_train[:size], y_train[:size]), (X_val, y_val)
                errors.append([mean_squared_error(truth, model.predict(rows)) for rows, truth in parts])
            return np.sqrt(errors)

        straight = curves(LinearRegression())
        steps = [("poly_features", PolynomialFeatures(degree=10, include_bias=False)), ("lin_reg", LinearRegression())]
        bent = curves(Pipeline(steps))
        found = {
            "straight line, train RMSE at sizes 1 and 2": straight[:2, 0],
            "straight line, train and validation RMSE end close together and high (size 80)": straight[-1],
            "degree 10, train and validation RMSE at size 80: lower train error, wider gap": bent[-1],
            "degree 10 interpolates: train RMSE zero up to size 11": bent[:11, 0],
            "number of training-set sizes the loop should visit (1..80)": len(bent),
        }
        """,
    ),
    "ridge in closed form": (
        "002-ridge-closed-form",
        """
        import numpy as np
        from sklearn.linear_model import Ridge

        np.random.seed(42)
        X = 3 * np.random.rand(20, 1)
        y = 1 + 0.5 * X + np.random.randn(20, 1) / 1.5
        model = Ridge(alpha=1, solver="cholesky")
        model.fit(X, y)
        found = {
            "prediction at x1 = 1.5": np.reshape(model.predict([[1.5]]), (1, 1)),
            "theta (intercept, slope)": np.append(model.intercept_, model.coef_),
        }
        """,
    ),
    "ridge by stochastic descent": (
        "002-ridge-by-sgd",
        """
        import numpy as np
        from sklearn.linear_model import SGDRegressor

        np.random.seed(42)
        X = 3 * np.random.rand(20, 1)
        y = 1 + 0.5 * X + np.random.randn(20, 1) / 1.5
        model = SGDRegressor(penalty="l2", max_iter=1000, tol=1e-3, random_state=42)
        model.fit(X, y.ravel())
        found = {
            "prediction at x1 = 1.5": model.predict([[1.5]]),
            "intercept and slope": np.append(model.intercept_, model.coef_),
            "epochs run": model.n_iter_,
        }
        """,
    ),
    "lasso": (
        "002-lasso-small-line",
        """
        import numpy as np
        from sklearn.linear_model import Lasso

        np.random.seed(42)
        X = 3 * np.random.rand(20, 1)
        y = 1 + 0.5 * X + np.random.randn(20, 1) / 1.5
        model = Lasso(alpha=0.1)
        model.fit(X, y)
        found = {
            "prediction at x1 = 1.5": model.predict([[1.5]]),
            "intercept and slope": np.append(model.intercept_, model.coef_),
        }
        """,
    ),
    "elastic net": (
        "002-elastic-net-small-line",
        """
        import numpy as np
        from sklearn.linear_model import ElasticNet

        np.random.seed(42)
        X = 3 * np.random.rand(20, 1)
        y = 1 + 0.5 * X + np.random.randn(20, 1) / 1.5
        model = ElasticNet(alpha=0.1, l1_ratio=0.5)
        model.fit(X, y)
        found = {
            "prediction at x1 = 1.5": model.predict([[1.5]]),
            "intercept and slope": np.append(model.intercept_, model.coef_),
        }
        """,
    ),
    "one species against the others": (
        "002-logistic-iris-petal-width",
        """
        import numpy as np
        from sklearn import datasets
        from sklearn.linear_model import LogisticRegression

        iris = datasets.load_iris()
        X = iris["data"][:, 3:]
        y = (iris["target"] == 2).astype(int)
        free, old = LogisticRegression(tol=1e-8), LogisticRegression(solver="liblinear", tol=1e-8)
        widths = np.linspace(0, 3, 1000).reshape(-1, 1)
        sides = [model.fit(X, y).predict_proba(widths)[:, 1] >= 0.5 for model in (free, old)]
        first = [float(widths[side][0, 0]) for side in sides]
        assert 1.6604 <= first[0] < 1.6635 and 1.6127 <= first[1] < 1.6159  # boundaries to the next point of the grid
        assert old.predict([[1.7], [1.5]]).tolist() == [1, 0]
        found = {
            "predicted classes for 1.7 cm and 1.5 cm (both variants)": free.predict([[1.7], [1.5]]),
            "intercept and slope, liblinear variant": np.append(old.intercept_, old.coef_),
            "intercept and slope, lbfgs variant": np.append(free.intercept_, free.coef_),
            "probability of virginica at 1.0, 1.5, 1.7, 2.0 cm, lbfgs variant": free.predict_proba(
                [[1.0], [1.5], [1.7], [2.0]]
            )[:, 1],
            "probability of virginica at 1.0, 1.5, 1.7, 2.0 cm, liblinear variant": old.predict_proba(
                [[1.0], [1.5], [1.7], [2.0]]
            )[:, 1],
        }
        """,
    ),
    "three species": (
        "002-softmax-iris-petals",
        """
        from sklearn import datasets
        from sklearn.linear_model import LogisticRegression

        iris = datasets.load_iris()
        X = iris["data"][:, (2, 3)]
        y = iris["target"]
        model = LogisticRegression(multi_class="multinomial", solver="lbfgs", C=10, random_state=42, tol=1e-8)
        model.fit(X, y)
        found = {
            "predicted class for length 5 cm, width 2 cm": model.predict([[5, 2]]),
            "class probabilities for length 5 cm, width 2 cm": model.predict_proba([[5, 2]]),
        }
        """,
    ),
}


def stated(example: str) -> dict[str, Any]:
    known = json.loads((EXAMPLES / f"{example}.json").read_text(encoding="utf-8"))
    return {figure["what"]: figure for figure in known["expected"]}


@pytest.mark.filterwarnings("ignore::pellucid.base.errors.DependentColumnsWarning")
@pytest.mark.parametrize("name", FIGURES)
def test_the_figures_come_out(name: str) -> None:
    example, listing = FIGURES[name]
    ours = swapped(inspect.cleandoc(listing))
    assert "from pellucid.linear_model" in ours
    figures = stated(example)
    for what, answer in run(ours).items():
        np.testing.assert_allclose(answer, figures[what]["value"], rtol=0, atol=figures[what]["tolerance"] + 1e-15)


def test_the_printed_probabilities_come_out_at_the_default_tolerance() -> None:
    """The listing as it is printed, without a tolerance of its own: to the printed solver's digits."""
    printed = inspect.cleandoc(FIGURES["three species"][1]).replace(", tol=1e-8", "")
    answer = run(swapped(printed))["class probabilities for length 5 cm, width 2 cm"]
    np.testing.assert_allclose(answer, [[6.38e-07, 0.0575, 0.9425]], rtol=1e-2, atol=1e-4)


# Listings without printed figures: the same numbers as the peer, which is told in its new words what it has dropped.
ALIKE: dict[str, tuple[str, dict[str, str]]] = {
    "early stopping by hand": (
        """
        from copy import deepcopy

        import numpy as np
        from sklearn.linear_model import SGDRegressor
        from sklearn.metrics import mean_squared_error
        from sklearn.model_selection import train_test_split
        from sklearn.pipeline import Pipeline
        from sklearn.preprocessing import PolynomialFeatures, StandardScaler

        np.random.seed(42)
        X = 6 * np.random.rand(100, 1) - 3
        y = 2 + X + 0.5 * X**2 + np.random.randn(100, 1)
        X_train, X_val, y_train, y_val = train_test_split(X[:50], y[:50].ravel(), test_size=0.5, random_state=10)
        steps = [("poly_features", PolynomialFeatures(degree=90, include_bias=False)), ("std_scaler", StandardScaler())]
        prepare = Pipeline(steps)
        X_train_scaled, X_val_scaled = prepare.fit_transform(X_train), prepare.transform(X_val)

        model = SGDRegressor(max_iter=1, tol=-np.inf, warm_start=True, penalty=None, learning_rate="constant",
                             eta0=0.0005, random_state=42)
        lowest, best_epoch, best = float("inf"), None, None
        for epoch in range(300):
            model.fit(X_train_scaled, y_train)  # continues where it was
            error = mean_squared_error(y_val, model.predict(X_val_scaled))
            if error < lowest:
                lowest, best_epoch, best = error, epoch, deepcopy(model)
        assert mean_squared_error(y_val, best.predict(X_val_scaled)) == lowest
        found = lowest, best_epoch, best.coef_, best.intercept_, model.coef_
        """,
        {"tol=-np.inf": "tol=None"},
    ),
    "the other penalty of stochastic descent": (
        """
        import numpy as np
        from sklearn.linear_model import SGDRegressor

        np.random.seed(42)
        X = 3 * np.random.rand(20, 1)
        y = 1 + 0.5 * X + np.random.randn(20, 1) / 1.5
        models = [SGDRegressor(penalty=penalty, max_iter=1000, tol=1e-3, random_state=42, alpha=0.1)
                  for penalty in ("l1", "elasticnet")]
        found = [(m.fit(X, y.ravel()).predict([[1.5]]), m.coef_, m.intercept_, m.n_iter_) for m in models]
        """,
        {},
    ),
    "ridge for several strengths": (
        """
        import numpy as np
        from sklearn.linear_model import LinearRegression, Ridge
        from sklearn.pipeline import Pipeline
        from sklearn.preprocessing import PolynomialFeatures, StandardScaler

        np.random.seed(42)
        X = 3 * np.random.rand(20, 1)
        y = 1 + 0.5 * X + np.random.randn(20, 1) / 1.5
        grid = np.linspace(0, 3, 20).reshape(20, 1)
        found = []
        for alpha in (0, 10, 100):
            model = Ridge(alpha, solver="cholesky") if alpha > 0 else LinearRegression()
            found.append(model.fit(X, y).predict(grid))
        for alpha in (1e-5, 1):
            steps = [("poly_features", PolynomialFeatures(degree=10, include_bias=False)),
                     ("std_scaler", StandardScaler()), ("regul_reg", Ridge(alpha, solver="svd"))]
            found.append(Pipeline(steps).fit(X, y).predict(grid))
        """,
        {},
    ),
    "two columns, hardly penalized": (
        """
        import numpy as np
        from sklearn import datasets
        from sklearn.linear_model import LogisticRegression

        iris = datasets.load_iris()
        X, y = iris["data"][:, (2, 3)], (iris["target"] == 2).astype(int)
        model = LogisticRegression(solver="lbfgs", C=10**10, random_state=42, tol=1e-9, max_iter=10_000).fit(X, y)
        left, right = 2.9, 7
        boundary = -(model.coef_[0][0] * np.array([left, right]) + model.intercept_[0]) / model.coef_[0][1]
        found = np.round(boundary, 5), np.round(model.predict_proba([[5.0, 1.6], [4.5, 1.8]]), 5)
        """,
        {},
    ),
    "ridge row by row": (
        """
        import numpy as np
        from sklearn.linear_model import Ridge

        np.random.seed(42)
        X = 3 * np.random.rand(20, 1)
        y = 1 + 0.5 * X + np.random.randn(20, 1) / 1.5
        model = Ridge(alpha=1, solver="sag", random_state=42, tol=1e-10, max_iter=100_000)
        found = np.round(model.fit(X, y).predict([[1.5]]).ravel(), 6)
        """,
        {},
    ),
    "a street of fixed width by stochastic descent": (
        """
        import numpy as np
        from sklearn import datasets
        from sklearn.linear_model import SGDClassifier
        from sklearn.pipeline import Pipeline
        from sklearn.preprocessing import StandardScaler

        iris = datasets.load_iris()
        X, y = iris["data"][:, (2, 3)], (iris["target"] == 2).astype(np.float64)
        m, C = len(X), 1
        hinge = SGDClassifier(loss="hinge", alpha=1 / (m * C), max_iter=1000, tol=1e-3, random_state=42)
        model = Pipeline([("scaler", StandardScaler()), ("linear_svc", hinge)]).fit(X, y)
        found = model.predict([[5.5, 1.7]]), hinge.coef_, hinge.intercept_, hinge.n_iter_
        """,
        {},
    ),
    "a perceptron": (
        """
        from sklearn.datasets import load_iris
        from sklearn.linear_model import Perceptron

        X, y = load_iris(return_X_y=True)
        model = Perceptron(max_iter=1000, tol=1e-3, random_state=42).fit(X[:, (2, 3)], (y == 0).astype(int))
        found = model.predict([[2, 0.5]]), model.coef_, model.intercept_
        """,
        {},
    ),
    "alphas by folds": (
        """
        import numpy as np
        from sklearn.datasets import load_diabetes
        from sklearn.linear_model import ElasticNetCV, LassoCV, RidgeCV, lasso_path

        X, y = load_diabetes(return_X_y=True)
        ridge = RidgeCV(alphas=np.logspace(-3, 2, 20)).fit(X, y)
        lasso = LassoCV(cv=5, alphas=30, tol=1e-12, max_iter=10**6).fit(X, y)
        net = ElasticNetCV(l1_ratio=[0.5, 0.9], cv=5, alphas=30, tol=1e-12, max_iter=10**6).fit(X, y)
        alphas, coefs, gaps = lasso_path(X, y - y.mean(), alphas=20, tol=1e-13, max_iter=10**6)
        found = [ridge.alpha_, ridge.coef_, lasso.alpha_, net.alpha_, net.l1_ratio_, alphas, coefs.shape, gaps.shape]
        found += [np.round(part, 2) for part in (lasso.coef_, net.coef_, coefs)]
        """,
        {},
    ),
    "a search of C, and columns chosen by l1": (
        """
        import numpy as np
        from sklearn.datasets import load_breast_cancer
        from sklearn.feature_selection import SelectFromModel
        from sklearn.linear_model import LogisticRegression
        from sklearn.model_selection import GridSearchCV
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        X, y = load_breast_cancer(return_X_y=True)
        model = make_pipeline(StandardScaler(), LogisticRegression(tol=1e-8, max_iter=1000))
        search = GridSearchCV(model, {"logisticregression__C": [0.01, 0.1, 1, 10]}, cv=3).fit(X, y)
        sparse = LogisticRegression(penalty="l1", solver="liblinear", C=0.1, tol=1e-8, random_state=0)
        chosen = SelectFromModel(sparse).fit(StandardScaler().fit_transform(X), y).get_support()
        found = search.best_params_, search.cv_results_["mean_test_score"], chosen
        """,
        {'penalty="l1"': "l1_ratio=1.0"},
    ),
}


@pytest.mark.parametrize("name", ALIKE)
def test_the_same_numbers_as_the_peer(name: str) -> None:
    listing, dropped = ALIKE[name]
    theirs = inspect.cleandoc(listing)
    ours = swapped(theirs)
    for old, new in dropped.items():
        assert old in theirs
        theirs = theirs.replace(old, new)
    assert "from pellucid.linear_model" in ours
    compare(run(ours), run(theirs))
