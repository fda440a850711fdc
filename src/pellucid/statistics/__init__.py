"""Key figures of a sample: where it lies, how far it spreads, how two variables move together.

>>> from pellucid import statistics
>>> statistics.five_number_summary([1, 2, 3, 4, 10])
FiveNumbers(minimum=1.0, lower_quartile=2.0, median=3.0, upper_quartile=4.0, maximum=10.0)
"""

from pellucid.statistics.association import correlation, covariance, covariance_matrix
from pellucid.statistics.bootstrap import inclusion_probability
from pellucid.statistics.error_bound import BayesError, Region, bayes_error
from pellucid.statistics.growth import growth_exponent, growth_factor
from pellucid.statistics.location import mean, median, mode
from pellucid.statistics.normal import normal_density, normal_probability
from pellucid.statistics.odds import OddsRatio, log_odds, logistic, odds, odds_ratio, probability_from_odds, softmax
from pellucid.statistics.quantiles import Fences, FiveNumbers, Quartiles, five_number_summary, quartiles, tukey_fences
from pellucid.statistics.spread import standard_deviation, variance
from pellucid.statistics.student import student_t_critical
from pellucid.statistics.theorem import Posterior, bayes

__all__ = [
    "BayesError",
    "Fences",
    "FiveNumbers",
    "OddsRatio",
    "Posterior",
    "Quartiles",
    "Region",
    "bayes",
    "bayes_error",
    "correlation",
    "covariance",
    "covariance_matrix",
    "five_number_summary",
    "growth_exponent",
    "growth_factor",
    "inclusion_probability",
    "log_odds",
    "logistic",
    "mean",
    "median",
    "mode",
    "normal_density",
    "normal_probability",
    "odds",
    "odds_ratio",
    "probability_from_odds",
    "quartiles",
    "softmax",
    "standard_deviation",
    "student_t_critical",
    "tukey_fences",
    "variance",
]
