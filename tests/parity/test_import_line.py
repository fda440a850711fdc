"""Changing `sklearn` to `pellucid` in an import line keeps code running, and gives the same numbers.

Each listing is typical code; it is run twice, as it stands and with its ``from sklearn.linear_model import
LinearRegression`` changed, and leaves what it found in ``found``.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import re
from typing import Any

import numpy as np
import pytest

LINE = "from sklearn.linear_model import LinearRegression"

LISTINGS = {
    "first steps": """
        import numpy as np
        from sklearn.linear_model import LinearRegression

        X = np.array([[1, 1], [1, 2], [2, 2], [2, 3]])
        y = np.dot(X, np.array([1, 2])) + 3
        reg = LinearRegression().fit(X, y)
        found = reg.score(X, y), reg.coef_, reg.intercept_, reg.predict(np.array([[3, 5]])), reg.n_features_in_
    """,
    "one feature, train and test": """
        from sklearn import datasets
        from sklearn.linear_model import LinearRegression
        from sklearn.metrics import mean_squared_error, r2_score
        from sklearn.model_selection import train_test_split

        X, y = datasets.load_diabetes(return_X_y=True)
        X_train, X_test, y_train, y_test = train_test_split(X[:, [2]], y, test_size=20, shuffle=False)
        regressor = LinearRegression().fit(X_train, y_train)
        y_pred = regressor.predict(X_test)
        found = regressor.coef_, mean_squared_error(y_test, y_pred), r2_score(y_test, y_pred)
    """,
    "polynomial pipeline": """
        import numpy as np
        from sklearn.linear_model import LinearRegression
        from sklearn.pipeline import Pipeline
        from sklearn.preprocessing import PolynomialFeatures

        x = np.arange(5)
        y = 3 - 2 * x + x**2 - x**3
        model = Pipeline([("poly", PolynomialFeatures(degree=3)), ("linear", LinearRegression(fit_intercept=False))])
        model = model.fit(x[:, np.newaxis], y)
        found = model.named_steps["linear"].coef_, model.predict([[7]])
    """,
    "cross validation": """
        from sklearn.datasets import load_diabetes
        from sklearn.linear_model import LinearRegression
        from sklearn.model_selection import cross_val_predict, cross_val_score, cross_validate

        X, y = load_diabetes(return_X_y=True)
        scores = cross_val_score(LinearRegression(), X, y, scoring="neg_root_mean_squared_error", cv=5)
        both = cross_validate(LinearRegression(), X, y, scoring=("r2", "neg_median_absolute_error"))
        coefs = cross_validate(LinearRegression(), X, y, return_estimator=True)["estimator"][3].coef_
        found = scores, both["test_r2"], both["test_neg_median_absolute_error"], coefs
        found += (cross_val_predict(LinearRegression(), X, y),)
    """,
    "grid search": """
        from sklearn.datasets import make_regression
        from sklearn.linear_model import LinearRegression
        from sklearn.model_selection import GridSearchCV

        X, y = make_regression(n_samples=80, n_features=4, noise=3.0, bias=50.0, random_state=0)
        grid = {"fit_intercept": [True, False], "positive": [True, False]}
        search = GridSearchCV(LinearRegression(copy_X=True, n_jobs=1), grid, cv=3).fit(X, y)
        found = search.best_params_, search.best_score_, search.cv_results_["mean_test_score"]
    """,
    "data frame": """
        import pandas as pd
        from sklearn.compose import make_column_transformer
        from sklearn.linear_model import LinearRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import OneHotEncoder, StandardScaler

        table = pd.DataFrame({"size": [50, 80, 60, 120, 75, 95], "town": list("abacbc"), "rooms": [2, 3, 2, 5, 3, 4]})
        price = pd.Series([200.0, 310.0, 240.0, 560.0, 300.0, 420.0], name="price")
        numbers, names = (StandardScaler(), ["size", "rooms"]), (OneHotEncoder(drop="first"), ["town"])
        model = make_pipeline(make_column_transformer(numbers, names), LinearRegression()).fit(table, price)
        plain = LinearRegression().fit(table[["size", "rooms"]], price)
        found = model.predict(table), plain.feature_names_in_.tolist(), plain.predict(table[["size", "rooms"]])
    """,
    "several targets": """
        from sklearn.datasets import load_linnerud
        from sklearn.linear_model import LinearRegression

        X, Y = load_linnerud(return_X_y=True)
        model = LinearRegression().fit(X, Y)
        found = model.coef_, model.intercept_, model.coef_.shape, model.predict(X[:2]), model.score(X, Y)
    """,
    "non-negative least squares": """
        import numpy as np
        from sklearn.linear_model import LinearRegression
        from sklearn.metrics import r2_score
        from sklearn.model_selection import train_test_split

        random = np.random.RandomState(42)
        X = random.randn(200, 50)
        truth = 3 * random.randn(50)
        truth[truth < 0] = 0
        y = X @ truth + 5 * random.normal(size=200)
        X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
        reg_nnls = LinearRegression(positive=True)
        y_pred_nnls = reg_nnls.fit(X_train, y_train).predict(X_test)
        found = r2_score(y_test, y_pred_nnls), reg_nnls.coef_
    """,
    "weights and keywords": """
        import numpy as np
        from sklearn.linear_model import LinearRegression

        X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [1.0, 3.0, 2.0, 5.0]
        model = LinearRegression(fit_intercept=True, copy_X=True, n_jobs=None, positive=False, tol=1e-6)
        model.fit(X, y, sample_weight=[1, 2, 1, 0.5])
        score = model.score(X, y, sample_weight=[1, 2, 1, 0])
        found = model.coef_, model.intercept_, model.rank_, model.singular_, score
    """,
    "clone, parameters, pickle": """
        import pickle

        import numpy as np
        from sklearn.base import clone, is_regressor
        from sklearn.exceptions import NotFittedError
        from sklearn.linear_model import LinearRegression
        from sklearn.utils.validation import check_is_fitted

        model = LinearRegression(fit_intercept=False)
        copy = clone(model).set_params(fit_intercept=True)
        try:
            check_is_fitted(copy)
            fitted = True
        except NotFittedError:
            fitted = False
        copy.fit(np.eye(4, 2), [1, 2, 3, 4])
        again = pickle.loads(pickle.dumps(copy))
        found = is_regressor(copy), fitted, model.get_params()["fit_intercept"], again.predict([[1.0, 1.0]])
    """,
    "inside other estimators": """
        import numpy as np
        from sklearn.compose import TransformedTargetRegressor
        from sklearn.datasets import make_regression
        from sklearn.ensemble import BaggingRegressor, StackingRegressor, VotingRegressor
        from sklearn.feature_selection import RFE, SelectFromModel, SequentialFeatureSelector
        from sklearn.inspection import partial_dependence, permutation_importance
        from sklearn.linear_model import LinearRegression
        from sklearn.linear_model import RANSACRegressor
        from sklearn.model_selection import learning_curve
        from sklearn.multioutput import MultiOutputRegressor, RegressorChain

        X, y = make_regression(n_samples=60, n_features=5, n_informative=3, noise=1.0, random_state=1)
        Y = np.column_stack([y, -2 * y + X[:, 0]])
        found = [
            TransformedTargetRegressor(LinearRegression(), func=np.arcsinh, inverse_func=np.sinh).fit(X, y).predict(X),
            BaggingRegressor(LinearRegression(), n_estimators=3, random_state=0).fit(X, y).predict(X),
            StackingRegressor([("a", LinearRegression())], final_estimator=LinearRegression()).fit(X, y).predict(X),
            VotingRegressor([("a", LinearRegression()), ("b", LinearRegression(positive=True))]).fit(X, y).predict(X),
            RFE(LinearRegression(), n_features_to_select=2).fit(X, y).ranking_,
            SelectFromModel(LinearRegression()).fit(X, y).get_support(),
            SequentialFeatureSelector(LinearRegression(), n_features_to_select=2).fit(X, y).get_support(),
            RANSACRegressor(LinearRegression(), min_samples=6, random_state=0).fit(X, y).estimator_.coef_,
            MultiOutputRegressor(LinearRegression()).fit(X, Y).predict(X),
            RegressorChain(LinearRegression()).fit(X, Y).predict(X),
            permutation_importance(LinearRegression().fit(X, y), X, y, random_state=0).importances_mean,
            partial_dependence(LinearRegression().fit(X, y), X, [0])["average"],
            learning_curve(LinearRegression(), X, y, train_sizes=[20, 40], cv=3)[2],
        ]
    """,
}


def run(listing: str) -> Any:
    scope: dict[str, Any] = {}
    exec(compile(inspect.cleandoc(listing), "<listing>", "exec"), scope)
    return scope["found"]


def compare(ours: Any, theirs: Any) -> None:
    if isinstance(theirs, (list, tuple)):
        assert len(ours) == len(theirs)
        for mine, other in zip(ours, theirs, strict=True):
            compare(mine, other)
    elif isinstance(theirs, (dict, str, bool)):
        assert ours == theirs
    else:
        assert np.shape(ours) == np.shape(theirs)
        np.testing.assert_allclose(ours, theirs, rtol=1e-7, atol=1e-7 * float(np.abs(theirs).max(initial=0.0)))


@pytest.mark.parametrize("name", LISTINGS)
def test_a_listing_runs_with_the_import_changed(name: str) -> None:
    listing = LISTINGS[name]
    assert LINE in listing
    compare(run(listing.replace(LINE, LINE.replace("sklearn", "pellucid"))), run(listing))


def swapped(listing: str) -> str:
    """Every import line whose names are all ours too, changed."""

    def change(line: re.Match[str]) -> str:
        family, names = line.groups()
        if importlib.util.find_spec(f"pellucid.{family}") is None:
            return line.group()
        ours = importlib.import_module(f"pellucid.{family}").__all__
        every = [name.strip() for name in names.split(",")]
        return line.group().replace("sklearn", "pellucid") if set(every) <= set(ours) else line.group()

    return re.sub(r"from sklearn\.(\w+) import (.+)", change, listing)


WHOLE = {
    "search of a degree": """
        import numpy as np
        from sklearn.linear_model import LinearRegression
        from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import PolynomialFeatures

        rng = np.random.default_rng(42)
        X = 6 * rng.random((100, 1)) - 3
        y = 0.5 * X[:, 0] ** 2 + X[:, 0] + 2 + rng.standard_normal(100)
        model = make_pipeline(PolynomialFeatures(include_bias=False), LinearRegression())
        grid = GridSearchCV(model, {"polynomialfeatures__degree": [1, 2, 3, 10]}, cv=KFold(5), scoring="r2").fit(X, y)
        found = grid.best_params_, grid.best_score_, grid.cv_results_["mean_test_score"], grid.predict(X[:3])
        found += (cross_val_score(grid.best_estimator_, X, y, scoring="neg_root_mean_squared_error"),)
    """,
    "scores of a classifier": """
        from sklearn.calibration import CalibratedClassifierCV
        from sklearn.datasets import load_breast_cancer
        from sklearn.metrics import accuracy_score, brier_score_loss, confusion_matrix, f1_score, log_loss
        from sklearn.metrics import roc_auc_score
        from sklearn.model_selection import StratifiedKFold, cross_val_predict, train_test_split
        from sklearn.naive_bayes import GaussianNB

        X, y = load_breast_cancer(return_X_y=True)
        X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)
        model = CalibratedClassifierCV(GaussianNB(), method="isotonic", cv=StratifiedKFold(3)).fit(X_train, y_train)
        p, said = model.predict_proba(X_test), model.predict(X_test)
        found = confusion_matrix(y_test, said), accuracy_score(y_test, said), f1_score(y_test, said), p
        found += log_loss(y_test, p), brier_score_loss(y_test, p[:, 1]), roc_auc_score(y_test, p[:, 1])
        found += (cross_val_predict(GaussianNB(), X, y, cv=3),)
    """,
    "few labels, importances": """
        import numpy as np
        from sklearn.datasets import load_iris
        from sklearn.inspection import permutation_importance
        from sklearn.isotonic import IsotonicRegression
        from sklearn.linear_model import LogisticRegression
        from sklearn.semi_supervised import SelfTrainingClassifier

        X, y = load_iris(return_X_y=True)
        labels = np.where(np.arange(150) % 5, -1, y)
        model = SelfTrainingClassifier(LogisticRegression(max_iter=1000, tol=1e-9), threshold=0.8).fit(X, labels)
        importance = permutation_importance(model, X, y, n_repeats=4, random_state=1)
        rising = IsotonicRegression(out_of_bounds="clip").fit(X[:, 2], X[:, 3])
        found = model.predict(X), model.labeled_iter_, importance["importances"], rising.predict(X[:, 2])
    """,
    "gaps filled": """
        import numpy as np
        import pandas as pd
        from sklearn.datasets import load_diabetes
        from sklearn.experimental import enable_iterative_imputer
        from sklearn.impute import IterativeImputer, KNNImputer, MissingIndicator, SimpleImputer
        from sklearn.linear_model import LinearRegression
        from sklearn.model_selection import cross_val_score
        from sklearn.pipeline import make_pipeline, make_union

        X, y = load_diabetes(return_X_y=True)
        X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
        mean, middle = SimpleImputer(missing_values=np.nan, strategy="mean"), SimpleImputer(strategy="median")
        model = make_pipeline(make_union(KNNImputer(n_neighbors=2), MissingIndicator()), LinearRegression())
        words = pd.DataFrame([["a", "x"], [np.nan, "y"], ["a", np.nan], ["b", "y"]], dtype="category")
        found = mean.fit(X).statistics_, middle.fit_transform(X), model.fit(X, y).predict(X)
        found += (cross_val_score(make_pipeline(SimpleImputer(add_indicator=True), LinearRegression()), X, y),)
        found += (SimpleImputer(strategy="most_frequent").fit_transform(words).tolist(),)
        found += (KNNImputer(weights="uniform").fit_transform([[1, 2, np.nan], [3, 4, 3], [np.nan, 6, 5], [8, 8, 7]]),)
        gaps = IterativeImputer(max_iter=10, random_state=0, tol=1e-8)
        found += (gaps.fit([[1, 2], [3, 6], [4, 8], [np.nan, 3], [7, np.nan]]).transform([[np.nan, 2], [6, np.nan]]),)
    """,
    "columns of several kinds": """
        import numpy as np
        import pandas as pd
        from sklearn.compose import ColumnTransformer
        from sklearn.feature_selection import SelectPercentile, f_classif
        from sklearn.impute import SimpleImputer
        from sklearn.linear_model import LogisticRegression
        from sklearn.model_selection import GridSearchCV, KFold
        from sklearn.pipeline import Pipeline
        from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, OrdinalEncoder, StandardScaler, TargetEncoder

        random = np.random.default_rng(3)
        table = pd.DataFrame({"age": random.normal(40, 12, 200), "fare": random.exponential(30, 200)})
        table["sex"] = random.choice(["female", "male"], 200)
        table["town"], table["deck"] = random.choice(["C", "Q", "S"], 200), random.choice(["low", "mid", "top"], 200)
        alive = (table["fare"] + 20 * (table["sex"] == "female") + random.normal(0, 9, 200) > 35).astype(int)
        table.loc[::7, "age"], table.loc[::9, "town"] = np.nan, np.nan
        numbers = Pipeline([("imputer", SimpleImputer(strategy="median")), ("scaler", StandardScaler())])
        names = [("encoder", OneHotEncoder(handle_unknown="ignore")), ("selector", SelectPercentile(f_classif))]
        kinds = [("num", numbers, ["age", "fare"]), ("cat", Pipeline(names), ["sex", "town"])]
        kinds += [("deck", OrdinalEncoder(categories=[["low", "mid", "top"]]), ["deck"])]
        kinds += [("bins", KBinsDiscretizer(4, encode="onehot-dense", quantile_method="linear"), ["fare"])]
        kinds += [("mean", TargetEncoder(cv=KFold(5)), ["town"])]
        model = Pipeline([("before", ColumnTransformer(kinds)), ("model", LogisticRegression())])
        grid = {"before__num__imputer__strategy": ["mean", "median"], "before__cat__selector__percentile": [30, 70]}
        search = GridSearchCV(model, grid, cv=3).fit(table, alive)
        before = search.best_estimator_["before"]
        found = search.best_params_, search.cv_results_["mean_test_score"], before.transform(table)
        found += (before.get_feature_names_out().tolist(),)
    """,
    "other shapes of columns and labels": """
        import numpy as np
        from sklearn.datasets import load_iris
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import Binarizer, LabelBinarizer, LabelEncoder, MultiLabelBinarizer, Normalizer
        from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, label_binarize
        from sklearn.preprocessing import PowerTransformer, QuantileTransformer

        X, y = load_iris(return_X_y=True)
        found = [Normalizer(norm=norm).fit_transform(X) for norm in ("l1", "l2", "max")]
        found += [Binarizer(threshold=3.0).transform(X), make_pipeline(MinMaxScaler(), RobustScaler()).fit_transform(X)]
        found += [QuantileTransformer(n_quantiles=50, output_distribution="normal").fit_transform(X)]
        found += [QuantileTransformer(n_quantiles=50).fit(X).inverse_transform([[0.1, 0.5, 0.7, 1.0]])]
        towns = LabelEncoder().fit(["paris", "paris", "tokyo", "amsterdam"])
        found += [towns.classes_.tolist(), towns.transform(["tokyo", "paris"])]
        found += [towns.inverse_transform([2, 1]).tolist()]
        found += [LabelBinarizer().fit_transform(["yes", "no", "yes"]), label_binarize([1, 6], classes=[1, 2, 4, 6])]
        films = MultiLabelBinarizer()
        found += [films.fit_transform([{"sci-fi", "thriller"}, {"comedy"}]), films.classes_.tolist()]
        found += [MaxAbsScaler().fit(X).scale_, LabelBinarizer(sparse_output=True).fit_transform(y).toarray()]
        power = PowerTransformer(method="box-cox").fit(X)
        # The peer looks for the most likely power only so far: to about six digits.
        found += [np.round(power.lambdas_, 4), np.round(power.transform(X), 4)]
    """,
    "fewer columns": """
        import numpy as np
        from sklearn.datasets import load_breast_cancer, load_diabetes
        from sklearn.feature_selection import RFE, RFECV, SelectFromModel, SequentialFeatureSelector
        from sklearn.feature_selection import SelectFdr, SelectKBest, VarianceThreshold, chi2, f_classif, f_regression
        from sklearn.feature_selection import mutual_info_classif, r_regression
        from sklearn.linear_model import LinearRegression
        from sklearn.model_selection import KFold
        from sklearn.preprocessing import StandardScaler
        from sklearn.svm import LinearSVC

        X, y = load_breast_cancer(return_X_y=True)
        best = SelectKBest(chi2, k=5).fit(X, y)
        found = [best.get_support(indices=True), best.scores_, best.transform(X[:3]), chi2(X, y)[1]]
        found += [SelectFdr(f_classif, alpha=1e-6).fit(X, y).get_support(), VarianceThreshold(0.05).fit(X).variances_]
        counts = (X > X.mean(axis=0)).astype(int)
        found += [mutual_info_classif(counts, y, discrete_features=True)]
        scaled = StandardScaler().fit_transform(X)
        svc = LinearSVC(C=0.01, penalty="l1", dual=False, random_state=0)
        found += [SelectFromModel(svc).fit(scaled, y).get_support()]
        X, y = load_diabetes(return_X_y=True)
        large = SelectFromModel(LinearRegression(), threshold="1.25*mean").fit(X, y)
        found += [f_regression(X, y)[0], r_regression(X, y), large.threshold_, large.transform(X).shape]
        eliminated = RFE(LinearRegression(), n_features_to_select=3, step=2).fit(X, y)
        tried = RFECV(LinearRegression(), cv=KFold(4), min_features_to_select=2).fit(X, y)
        forward = SequentialFeatureSelector(LinearRegression(), n_features_to_select=3, cv=4).fit(X, y)
        found += [eliminated.ranking_, eliminated.predict(X), tried.n_features_, tried.cv_results_["mean_test_score"]]
        found += [forward.get_support(), forward.transform(X).shape]
    """,
}


@pytest.mark.parametrize("name", WHOLE)
def test_every_import_line_changed(name: str) -> None:
    listing = inspect.cleandoc(WHOLE[name])
    ours = swapped(listing)
    assert ours.count("from pellucid") >= 3
    compare(run(ours), run(listing))
