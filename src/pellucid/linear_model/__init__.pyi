# Written by tools/write_stubs.py.
from pellucid.linear_model.gradient_descent import GradientDescentRegressor as GradientDescentRegressor
from pellucid.linear_model.linear_regression import LinearRegression as LinearRegression
from pellucid.linear_model.linear_regression import RegressionSummary as RegressionSummary

__all__ = ["GradientDescentRegressor", "LinearRegression", "RegressionSummary"]
