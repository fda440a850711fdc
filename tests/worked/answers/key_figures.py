"""Answers by ``pellucid.stats``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from ..frame import Example, PathName, answers


def statistics_on(path: PathName) -> ModuleType:
    """The module of key figures: the readable reference, or the public one."""
    if path == "reference":
        from pellucid.reference import statistics as reference

        return reference
    from pellucid import stats

    return stats


@answers("000-spreadsheet-math")
def spreadsheet(example: Example, path: PathName) -> Mapping[str, Any]:
    statistics = statistics_on(path)
    return {
        "1+1": 1 + 1,
        "COUNT of a 3-cell range": len([1, 2, 3]),
        "2^2": 2**2,
        "log base 2 of 4": math.log(4, 2),
        "log base 2 of 2 (the expression actually printed)": math.log(2, 2),
        "sqrt(4)": math.sqrt(4),
        "exp(2)": math.exp(2),
        "ln(7.389056099)": math.log(7.389056099),
        "pi": math.pi,
        "mean of 1,2,3": statistics.mean([1, 2, 3]),
        "mode of 2,2,3": statistics.mode([2, 2, 3]),
        "sample standard deviation of 1,2,3": statistics.standard_deviation([1, 2, 3]),
        "Pearson correlation of (2,3,4) and (4,5,6)": statistics.correlation([2, 3, 4], [4, 5, 6]),
        'IF(1>2,"YES","NO")': "YES" if statistics.mean([1]) > statistics.mean([2]) else "NO",
    }


@answers("003-mean-median-outliers")
def mean_and_median(example: Example, path: PathName) -> Mapping[str, Any]:
    statistics = statistics_on(path)
    means = {f"mean of {name}": statistics.mean(values) for name, values in example.data.items()}
    medians = {f"median of {name}": statistics.median(values) for name, values in example.data.items()}
    return means | medians


@answers("003-covariance-pearson-scale")
def covariance_and_scale(example: Example, path: PathName) -> Mapping[str, Any]:
    statistics = statistics_on(path)
    x1, y1, x2, y2 = (example.data[name] for name in ("x1", "y1", "x2", "y2"))
    ddof = example.settings["ddof"]
    return {
        "cov(x1,y1)": statistics.covariance(x1, y1, ddof=ddof),
        "cov(x2,y2)": statistics.covariance(x2, y2, ddof=ddof),
        "pearson(x1,y1)": statistics.correlation(x1, y1),
        "pearson(x2,y2)": statistics.correlation(x2, y2),
        "covariance matrix of (x1,y1)": statistics.covariance_matrix(list(zip(x1, y1, strict=True)), ddof=ddof),
        "population covariance (ddof=0) of (x1,y1)": statistics.covariance(x1, y1, ddof=0),
    }


@answers("003-describe-five-number-summary")
def five_numbers(example: Example, path: PathName) -> Mapping[str, Any]:
    """The draws are not stored, but by linear interpolation five numbers are the five-number summary of themselves."""
    statistics = statistics_on(path)
    printed = example.data["summary"]
    numbers = statistics.five_number_summary([printed[row] for row in ("max", "25%", "75%", "50%", "min")])
    fences = statistics.tukey_fences(numbers, factor=example.settings["whisker_factor"])
    return {
        "order of the five numbers holds: min <= Q1 <= median <= Q3 <= max": list(numbers) == sorted(numbers),
        "IQR = Q3 - Q1": fences.interquartile_range,
        "lower fence Q1 - 1.5 IQR": fences.low,
        "upper fence Q3 + 1.5 IQR": fences.high,
        "number of points outside the fences": sum(not fences.low <= number <= fences.high for number in numbers),
        "row labels of the printed summary": list(printed),
    }


@answers("003-student-t-critical-values")
def critical_values(example: Example, path: PathName) -> Mapping[str, Any]:
    statistics = statistics_on(path)
    table = {
        alpha: [statistics.student_t_critical(nu, alpha) for nu in example.data["nu"]]
        for alpha in example.data["alpha"]
    }
    return {
        "alpha=0.05": table[0.05],
        "alpha=0.01": table[0.01],
        "normal limit for nu to infinity": [
            statistics.student_t_critical(math.inf, alpha) for alpha in example.data["alpha"]
        ],
        "alpha=0.05, more digits": table[0.05],
        "alpha=0.01, more digits": table[0.01],
    }


@answers("000-gaussian-pdf")
def density(example: Example, path: PathName) -> Mapping[str, Any]:
    mean, sd = example.settings["mean"], example.settings["sd"]
    return {"density": statistics_on(path).normal_density(example.data["x"], mean, sd)}


@answers("003-normal-distribution-bands")
def bands(example: Example, path: PathName) -> Mapping[str, Any]:
    share = statistics_on(path).normal_probability
    return {
        "0 to 1 sigma": share(0, 1),
        "1 to 2 sigma": share(1, 2),
        "2 to 3 sigma": share(2, 3),
        "beyond 3 sigma, one side": share(3, math.inf),
        "inside mu +/- 3 sigma": share(-3, 3),
    }


@answers("002-complexity-growth-factors")
def growth(example: Example, path: PathName) -> Mapping[str, Any]:
    statistics = statistics_on(path)
    times, settings = float(example.data["growth_of_n"]), example.settings
    low, high = settings["normal_equation_exponents"]
    return {
        "factor for exponent 2.4": statistics.growth_factor(low, times),
        "factor for exponent 3": statistics.growth_factor(high, times),
        "factor for SVD": statistics.growth_factor(settings["svd_exponent"], times),
        "factor for prediction": statistics.growth_factor(settings["prediction_exponents"]["features"], times),
    }
