"""Typical programs with neighbors, naive Bayes and discriminants run with `sklearn` changed to `pellucid` in imports.

Each listing is run twice, as it stands and with every import line changed whose names are ours too, and leaves what it
found in ``found``.
"""

from __future__ import annotations

import inspect
import warnings

import pytest

from .test_import_line import compare, run, swapped

LISTINGS: dict[str, tuple[str, str]] = {
    "classes of flowers": (
        "neighbors",
        """
        from sklearn.datasets import load_iris
        from sklearn.metrics import accuracy_score, confusion_matrix
        from sklearn.model_selection import train_test_split
        from sklearn.neighbors import KNeighborsClassifier
        from sklearn.pipeline import Pipeline
        from sklearn.preprocessing import StandardScaler

        iris = load_iris()
        X_train, X_test, y_train, y_test = train_test_split(iris.data, iris.target, test_size=0.3, random_state=1)
        knn = Pipeline([("scaler", StandardScaler()), ("knn", KNeighborsClassifier(n_neighbors=7, weights="distance"))])
        y_pred = knn.fit(X_train, y_train).predict(X_test)
        found = accuracy_score(y_test, y_pred), confusion_matrix(y_test, y_pred), knn.predict_proba(X_test[:5])
        found += (knn.score(X_test, y_test), knn.named_steps["knn"].classes_, knn.named_steps["knn"].n_samples_fit_)
        """,
    ),
    "a search for k": (
        "neighbors",
        """
        import numpy as np
        from sklearn.datasets import load_wine
        from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
        from sklearn.neighbors import KNeighborsClassifier
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        X, y = load_wine(return_X_y=True)
        folds = StratifiedKFold(n_splits=5, shuffle=True, random_state=0)
        pipe = make_pipeline(StandardScaler(), KNeighborsClassifier())
        grid = {"kneighborsclassifier__n_neighbors": list(range(1, 16, 2)), "kneighborsclassifier__p": [1, 2]}
        search = GridSearchCV(pipe, grid, cv=folds, scoring="accuracy").fit(X, y)
        means = [cross_val_score(make_pipeline(StandardScaler(), KNeighborsClassifier(k)), X, y, cv=folds).mean()
                 for k in (3, 9)]
        found = search.best_params_, search.best_score_, search.cv_results_["mean_test_score"], means
        """,
    ),
    "numbers, radii and graphs": (
        "neighbors",
        """
        import numpy as np
        from sklearn.metrics import mean_absolute_error, r2_score
        from sklearn.neighbors import KNeighborsRegressor, NearestNeighbors, RadiusNeighborsClassifier, kneighbors_graph

        rng = np.random.RandomState(0)
        X = np.sort(5 * rng.rand(40, 1), axis=0)
        y = np.sin(X).ravel()
        y[::5] += 1 * (0.5 - rng.rand(8))
        T = np.linspace(0, 5, 50)[:, np.newaxis]
        found = []
        for weights in ("uniform", "distance"):
            knn = KNeighborsRegressor(5, weights=weights)
            found += [knn.fit(X, y).predict(T), r2_score(y, knn.predict(X)), mean_absolute_error(y, knn.predict(X))]
        near = NearestNeighbors(n_neighbors=2, algorithm="ball_tree").fit(X)
        found += [*near.kneighbors(T), near.kneighbors_graph(X).toarray()]
        found += [kneighbors_graph(X, 3, mode="distance").toarray()]
        found += [RadiusNeighborsClassifier(radius=1.0).fit(X, y > 0).predict_proba(T), near.effective_metric_]
        """,
    ),
    "bells and spam": (
        "naive_bayes",
        """
        import numpy as np
        from sklearn.datasets import load_iris
        from sklearn.feature_extraction.text import CountVectorizer
        from sklearn.model_selection import cross_val_score, train_test_split
        from sklearn.naive_bayes import BernoulliNB, ComplementNB, GaussianNB, MultinomialNB
        from sklearn.pipeline import make_pipeline

        X, y = load_iris(return_X_y=True)
        X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
        gnb = GaussianNB()
        y_pred = gnb.fit(X_train, y_train).predict(X_test)
        found = [(y_test != y_pred).sum(), gnb.theta_, gnb.var_, gnb.class_prior_, gnb.predict_proba(X_test)]
        found += [cross_val_score(GaussianNB(), X, y, cv=5)]

        messages = ["win cash now", "cash prize win win", "lunch at noon", "see you at lunch", "win a prize", "noon"]
        spam = np.array([1, 1, 0, 0, 1, 0])
        for model in (MultinomialNB(), ComplementNB(alpha=0.5), BernoulliNB()):
            pipe = make_pipeline(CountVectorizer(), model).fit(messages, spam)
            found += [pipe.predict(["win lunch", "cash at noon"]), pipe.predict_proba(["win lunch", "cash at noon"])]
            found += [model.feature_log_prob_, model.class_log_prior_, model.class_count_]
        found += [GaussianNB().partial_fit(X[::2], y[::2], classes=[0, 1, 2]).partial_fit(X[1::2], y[1::2]).theta_]
        """,
    ),
    "discriminants": (
        "discriminant_analysis",
        """
        import numpy as np
        from sklearn.datasets import load_iris
        from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
        from sklearn.model_selection import cross_val_score

        X, y = load_iris(return_X_y=True)
        lda = LinearDiscriminantAnalysis(n_components=2)
        X_r = lda.fit(X, y).transform(X)
        found = [np.abs(X_r), lda.explained_variance_ratio_, lda.means_, lda.priors_, lda.predict_proba(X[::20])]
        found += [np.abs(LinearDiscriminantAnalysis().fit_transform(X, y)), lda.score(X, y), lda.coef_, lda.intercept_]
        shrunk = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto").fit(X, y)
        qda = QuadraticDiscriminantAnalysis(store_covariance=True).fit(X, y)
        found += [shrunk.coef_, qda.covariance_[0], qda.predict(X), qda.predict_proba(X[::20])]
        found += [cross_val_score(qda, X, y, cv=5), cross_val_score(lda, X, y, cv=5)]
        """,
    ),
}


@pytest.mark.parametrize("name", LISTINGS)
def test_a_listing_runs_with_the_import_changed(name: str) -> None:
    family, listing = LISTINGS[name]
    listing = inspect.cleandoc(listing)
    ours = swapped(listing)
    assert f"from pellucid.{family} import" in ours
    theirs = run(listing)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mine = run(ours)
    compare(mine, theirs)
