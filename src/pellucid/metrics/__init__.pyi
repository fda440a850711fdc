# Written by tools/write_stubs.py.
from pellucid.metrics.agreement import cohen_kappa_score as cohen_kappa_score
from pellucid.metrics.agreement import hamming_loss as hamming_loss
from pellucid.metrics.agreement import matthews_corrcoef as matthews_corrcoef
from pellucid.metrics.classification import ImbalanceWarning as ImbalanceWarning
from pellucid.metrics.classification import Rates as Rates
from pellucid.metrics.classification import UndefinedMetricWarning as UndefinedMetricWarning
from pellucid.metrics.classification import accuracy_score as accuracy_score
from pellucid.metrics.classification import balanced_accuracy_score as balanced_accuracy_score
from pellucid.metrics.classification import error_rate as error_rate
from pellucid.metrics.classification import f1_score as f1_score
from pellucid.metrics.classification import fbeta_score as fbeta_score
from pellucid.metrics.classification import hinge_loss as hinge_loss
from pellucid.metrics.classification import jaccard_score as jaccard_score
from pellucid.metrics.classification import precision_recall_fscore_support as precision_recall_fscore_support
from pellucid.metrics.classification import precision_score as precision_score
from pellucid.metrics.classification import rates as rates
from pellucid.metrics.classification import recall_score as recall_score
from pellucid.metrics.classification import sensitivity_score as sensitivity_score
from pellucid.metrics.classification import specificity_score as specificity_score
from pellucid.metrics.classification import weighted_misclassification_rate as weighted_misclassification_rate
from pellucid.metrics.classification import zero_one_loss as zero_one_loss
from pellucid.metrics.cluster import adjusted_mutual_info_score as adjusted_mutual_info_score
from pellucid.metrics.cluster import adjusted_rand_score as adjusted_rand_score
from pellucid.metrics.cluster import completeness_score as completeness_score
from pellucid.metrics.cluster import contingency_matrix as contingency_matrix
from pellucid.metrics.cluster import fowlkes_mallows_score as fowlkes_mallows_score
from pellucid.metrics.cluster import homogeneity_score as homogeneity_score
from pellucid.metrics.cluster import mutual_info_score as mutual_info_score
from pellucid.metrics.cluster import normalized_mutual_info_score as normalized_mutual_info_score
from pellucid.metrics.cluster import rand_score as rand_score
from pellucid.metrics.cluster import v_measure_score as v_measure_score
from pellucid.metrics.confusion import confusion_matrix as confusion_matrix
from pellucid.metrics.confusion import confusion_table as confusion_table
from pellucid.metrics.confusion import multilabel_confusion_matrix as multilabel_confusion_matrix
from pellucid.metrics.costs import ExpectedCost as ExpectedCost
from pellucid.metrics.costs import ThresholdChoice as ThresholdChoice
from pellucid.metrics.costs import cost_matrix as cost_matrix
from pellucid.metrics.costs import expected_cost as expected_cost
from pellucid.metrics.costs import tune_threshold as tune_threshold
from pellucid.metrics.deviance import d2_tweedie_score as d2_tweedie_score
from pellucid.metrics.deviance import mean_gamma_deviance as mean_gamma_deviance
from pellucid.metrics.deviance import mean_poisson_deviance as mean_poisson_deviance
from pellucid.metrics.deviance import mean_tweedie_deviance as mean_tweedie_deviance
from pellucid.metrics.distances import chebyshev_distance as chebyshev_distance
from pellucid.metrics.distances import cosine_distance as cosine_distance
from pellucid.metrics.distances import euclidean_distance as euclidean_distance
from pellucid.metrics.distances import hamming_distance as hamming_distance
from pellucid.metrics.distances import jaccard_distance as jaccard_distance
from pellucid.metrics.distances import mahalanobis_distance as mahalanobis_distance
from pellucid.metrics.distances import manhattan_distance as manhattan_distance
from pellucid.metrics.distances import minkowski_distance as minkowski_distance
from pellucid.metrics.distances import tanimoto_distance as tanimoto_distance
from pellucid.metrics.edits import CommonSubsequence as CommonSubsequence
from pellucid.metrics.edits import EditOperation as EditOperation
from pellucid.metrics.edits import EditOperations as EditOperations
from pellucid.metrics.edits import common_subsequence as common_subsequence
from pellucid.metrics.edits import damerau_distance as damerau_distance
from pellucid.metrics.edits import edit_distance as edit_distance
from pellucid.metrics.edits import edit_distances as edit_distances
from pellucid.metrics.edits import edit_operations as edit_operations
from pellucid.metrics.edits import edit_similarity as edit_similarity
from pellucid.metrics.edits import jaro_similarity as jaro_similarity
from pellucid.metrics.edits import jaro_winkler_similarity as jaro_winkler_similarity
from pellucid.metrics.explained import RegressionReport as RegressionReport
from pellucid.metrics.explained import SumsOfSquares as SumsOfSquares
from pellucid.metrics.explained import adjusted_r2_score as adjusted_r2_score
from pellucid.metrics.explained import d2_absolute_error_score as d2_absolute_error_score
from pellucid.metrics.explained import explained_variance_score as explained_variance_score
from pellucid.metrics.explained import r2_score as r2_score
from pellucid.metrics.explained import regression_report as regression_report
from pellucid.metrics.explained import sums_of_squares as sums_of_squares
from pellucid.metrics.geometry import calinski_harabasz_score as calinski_harabasz_score
from pellucid.metrics.geometry import davies_bouldin_score as davies_bouldin_score
from pellucid.metrics.geometry import silhouette_samples as silhouette_samples
from pellucid.metrics.geometry import silhouette_score as silhouette_score
from pellucid.metrics.gower import GowerColumns as GowerColumns
from pellucid.metrics.gower import gower_distance as gower_distance
from pellucid.metrics.gower import gower_distances as gower_distances
from pellucid.metrics.kernels import additive_chi2_kernel as additive_chi2_kernel
from pellucid.metrics.kernels import chi2_kernel as chi2_kernel
from pellucid.metrics.kernels import laplacian_kernel as laplacian_kernel
from pellucid.metrics.kernels import linear_kernel as linear_kernel
from pellucid.metrics.kernels import pairwise_kernels as pairwise_kernels
from pellucid.metrics.kernels import polynomial_kernel as polynomial_kernel
from pellucid.metrics.kernels import rbf_kernel as rbf_kernel
from pellucid.metrics.kernels import sigmoid_kernel as sigmoid_kernel
from pellucid.metrics.pairwise import cosine_distances as cosine_distances
from pellucid.metrics.pairwise import cosine_similarity as cosine_similarity
from pellucid.metrics.pairwise import euclidean_distances as euclidean_distances
from pellucid.metrics.pairwise import haversine_distances as haversine_distances
from pellucid.metrics.pairwise import manhattan_distances as manhattan_distances
from pellucid.metrics.pairwise import nan_euclidean_distances as nan_euclidean_distances
from pellucid.metrics.pairwise import paired_cosine_distances as paired_cosine_distances
from pellucid.metrics.pairwise import paired_distances as paired_distances
from pellucid.metrics.pairwise import paired_euclidean_distances as paired_euclidean_distances
from pellucid.metrics.pairwise import paired_manhattan_distances as paired_manhattan_distances
from pellucid.metrics.pairwise import pairwise_distances as pairwise_distances
from pellucid.metrics.pairwise import pairwise_distances_argmin as pairwise_distances_argmin
from pellucid.metrics.pairwise import pairwise_distances_argmin_min as pairwise_distances_argmin_min
from pellucid.metrics.pairwise import pairwise_distances_chunked as pairwise_distances_chunked
from pellucid.metrics.precision_recall import average_precision_score as average_precision_score
from pellucid.metrics.precision_recall import det_curve as det_curve
from pellucid.metrics.precision_recall import precision_recall_curve as precision_recall_curve
from pellucid.metrics.probability import brier_score_loss as brier_score_loss
from pellucid.metrics.probability import calibration_curve as calibration_curve
from pellucid.metrics.probability import cross_entropy as cross_entropy
from pellucid.metrics.probability import entropy as entropy
from pellucid.metrics.probability import gini_impurity as gini_impurity
from pellucid.metrics.probability import kl_divergence as kl_divergence
from pellucid.metrics.probability import log_loss as log_loss
from pellucid.metrics.probability import ranked_probability_score as ranked_probability_score
from pellucid.metrics.ranking import auc as auc
from pellucid.metrics.ranking import roc_auc_score as roc_auc_score
from pellucid.metrics.ranking import roc_curve as roc_curve
from pellucid.metrics.ranking import top_k_accuracy_score as top_k_accuracy_score
from pellucid.metrics.recommendation import average_precision_at_k as average_precision_at_k
from pellucid.metrics.recommendation import dcg_score as dcg_score
from pellucid.metrics.recommendation import hit_rate as hit_rate
from pellucid.metrics.recommendation import mean_average_precision as mean_average_precision
from pellucid.metrics.recommendation import mean_reciprocal_rank as mean_reciprocal_rank
from pellucid.metrics.recommendation import ndcg_score as ndcg_score
from pellucid.metrics.recommendation import precision_at_k as precision_at_k
from pellucid.metrics.recommendation import recall_at_k as recall_at_k
from pellucid.metrics.regression import max_error as max_error
from pellucid.metrics.regression import mean_absolute_error as mean_absolute_error
from pellucid.metrics.regression import mean_absolute_percentage_error as mean_absolute_percentage_error
from pellucid.metrics.regression import mean_error as mean_error
from pellucid.metrics.regression import mean_pinball_loss as mean_pinball_loss
from pellucid.metrics.regression import mean_squared_error as mean_squared_error
from pellucid.metrics.regression import mean_squared_log_error as mean_squared_log_error
from pellucid.metrics.regression import median_absolute_error as median_absolute_error
from pellucid.metrics.regression import root_mean_squared_error as root_mean_squared_error
from pellucid.metrics.regression import root_mean_squared_log_error as root_mean_squared_log_error
from pellucid.metrics.report import classification_report as classification_report
from pellucid.metrics.scorers import check_scoring as check_scoring
from pellucid.metrics.scorers import get_scorer as get_scorer
from pellucid.metrics.scorers import get_scorer_names as get_scorer_names
from pellucid.metrics.scorers import make_scorer as make_scorer

__all__ = [
    "CommonSubsequence",
    "EditOperation",
    "EditOperations",
    "ExpectedCost",
    "GowerColumns",
    "ImbalanceWarning",
    "Rates",
    "RegressionReport",
    "SumsOfSquares",
    "ThresholdChoice",
    "UndefinedMetricWarning",
    "accuracy_score",
    "additive_chi2_kernel",
    "adjusted_mutual_info_score",
    "adjusted_r2_score",
    "adjusted_rand_score",
    "auc",
    "average_precision_at_k",
    "average_precision_score",
    "balanced_accuracy_score",
    "brier_score_loss",
    "calibration_curve",
    "calinski_harabasz_score",
    "chebyshev_distance",
    "check_scoring",
    "chi2_kernel",
    "classification_report",
    "cohen_kappa_score",
    "common_subsequence",
    "completeness_score",
    "confusion_matrix",
    "confusion_table",
    "contingency_matrix",
    "cosine_distance",
    "cosine_distances",
    "cosine_similarity",
    "cost_matrix",
    "cross_entropy",
    "d2_absolute_error_score",
    "d2_tweedie_score",
    "damerau_distance",
    "davies_bouldin_score",
    "dcg_score",
    "det_curve",
    "edit_distance",
    "edit_distances",
    "edit_operations",
    "edit_similarity",
    "entropy",
    "error_rate",
    "euclidean_distance",
    "euclidean_distances",
    "expected_cost",
    "explained_variance_score",
    "f1_score",
    "fbeta_score",
    "fowlkes_mallows_score",
    "get_scorer",
    "get_scorer_names",
    "gini_impurity",
    "gower_distance",
    "gower_distances",
    "hamming_distance",
    "hamming_loss",
    "haversine_distances",
    "hinge_loss",
    "hit_rate",
    "homogeneity_score",
    "jaccard_distance",
    "jaccard_score",
    "jaro_similarity",
    "jaro_winkler_similarity",
    "kl_divergence",
    "laplacian_kernel",
    "linear_kernel",
    "log_loss",
    "mahalanobis_distance",
    "make_scorer",
    "manhattan_distance",
    "manhattan_distances",
    "matthews_corrcoef",
    "max_error",
    "mean_absolute_error",
    "mean_absolute_percentage_error",
    "mean_average_precision",
    "mean_error",
    "mean_gamma_deviance",
    "mean_pinball_loss",
    "mean_poisson_deviance",
    "mean_reciprocal_rank",
    "mean_squared_error",
    "mean_squared_log_error",
    "mean_tweedie_deviance",
    "median_absolute_error",
    "minkowski_distance",
    "multilabel_confusion_matrix",
    "mutual_info_score",
    "nan_euclidean_distances",
    "ndcg_score",
    "normalized_mutual_info_score",
    "paired_cosine_distances",
    "paired_distances",
    "paired_euclidean_distances",
    "paired_manhattan_distances",
    "pairwise_distances",
    "pairwise_distances_argmin",
    "pairwise_distances_argmin_min",
    "pairwise_distances_chunked",
    "pairwise_kernels",
    "polynomial_kernel",
    "precision_at_k",
    "precision_recall_curve",
    "precision_recall_fscore_support",
    "precision_score",
    "r2_score",
    "rand_score",
    "ranked_probability_score",
    "rates",
    "rbf_kernel",
    "recall_at_k",
    "recall_score",
    "regression_report",
    "roc_auc_score",
    "roc_curve",
    "root_mean_squared_error",
    "root_mean_squared_log_error",
    "sensitivity_score",
    "sigmoid_kernel",
    "silhouette_samples",
    "silhouette_score",
    "specificity_score",
    "sums_of_squares",
    "tanimoto_distance",
    "top_k_accuracy_score",
    "tune_threshold",
    "v_measure_score",
    "weighted_misclassification_rate",
    "zero_one_loss",
]
