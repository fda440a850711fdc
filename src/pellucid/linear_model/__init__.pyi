# Written by tools/write_stubs.py.
from pellucid.linear_model.elastic_net import ElasticNet as ElasticNet
from pellucid.linear_model.elastic_net_cv import ElasticNetCV as ElasticNetCV
from pellucid.linear_model.gradient_descent import GradientDescentRegressor as GradientDescentRegressor
from pellucid.linear_model.lasso import Lasso as Lasso
from pellucid.linear_model.lasso_cv import LassoCV as LassoCV
from pellucid.linear_model.linear_regression import LinearRegression as LinearRegression
from pellucid.linear_model.linear_regression import RegressionSummary as RegressionSummary
from pellucid.linear_model.logistic_regression import LogisticRegression as LogisticRegression
from pellucid.linear_model.logistic_regression import LogisticSummary as LogisticSummary
from pellucid.linear_model.logistic_regression_cv import LogisticRegressionCV as LogisticRegressionCV
from pellucid.linear_model.paths import enet_path as enet_path
from pellucid.linear_model.paths import lasso_path as lasso_path
from pellucid.linear_model.perceptron import Perceptron as Perceptron
from pellucid.linear_model.ridge import Ridge as Ridge
from pellucid.linear_model.ridge import RidgeClassifier as RidgeClassifier
from pellucid.linear_model.ridge import ridge_regression as ridge_regression
from pellucid.linear_model.ridge_cv import RidgeClassifierCV as RidgeClassifierCV
from pellucid.linear_model.ridge_cv import RidgeCV as RidgeCV
from pellucid.linear_model.stochastic_gradient import SGDClassifier as SGDClassifier
from pellucid.linear_model.stochastic_gradient import SGDRegressor as SGDRegressor

__all__ = [
    "ElasticNet",
    "ElasticNetCV",
    "GradientDescentRegressor",
    "Lasso",
    "LassoCV",
    "LinearRegression",
    "LogisticRegression",
    "LogisticRegressionCV",
    "LogisticSummary",
    "Perceptron",
    "RegressionSummary",
    "Ridge",
    "RidgeCV",
    "RidgeClassifier",
    "RidgeClassifierCV",
    "SGDClassifier",
    "SGDRegressor",
    "enet_path",
    "lasso_path",
    "ridge_regression",
]
