"""Key figures of a sample: where it lies, how far it spreads, how two variables move together.

>>> from pellucid import stats
>>> stats.five_number_summary([1, 2, 3, 4, 10])
FiveNumbers(minimum=1.0, lower_quartile=2.0, median=3.0, upper_quartile=4.0, maximum=10.0)
"""

from pellucid.stats.association import correlation, covariance, covariance_matrix
from pellucid.stats.bootstrap import inclusion_probability
from pellucid.stats.error_bound import BayesError, Region, bayes_error
from pellucid.stats.growth import growth_exponent, growth_factor
from pellucid.stats.location import mean, median, mode
from pellucid.stats.normal import normal_density, normal_probability
from pellucid.stats.odds import OddsRatio, log_odds, logistic, odds, odds_ratio, probability_from_odds, softmax
from pellucid.stats.quantiles import Fences, FiveNumbers, Quartiles, five_number_summary, quartiles, tukey_fences
from pellucid.stats.spread import standard_deviation, variance
from pellucid.stats.student import student_t_critical
from pellucid.stats.theorem import Posterior, bayes

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
