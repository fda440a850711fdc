"""Pictures of tables, scores and models: each function draws on one matplotlib Axes, or several, and returns them.

matplotlib is an optional extra, and is loaded only when a plot is asked for. Nothing here shows a window or saves a
file: call ``ax.figure.savefig(...)``, or ``matplotlib.pyplot.show()``.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from pellucid.base.errors import MissingExtraError, format_message

if find_spec("matplotlib") is None:
    raise MissingExtraError(
        format_message(
            "pellucid.plotting", "needs matplotlib, which is not installed", hint="pip install pellucid[plot]"
        )
    )

if TYPE_CHECKING:
    from pellucid.plotting.association import itemset_lattice, rule_lattice, rule_scatter
    from pellucid.plotting.bayes import bayes_areas, bayes_error
    from pellucid.plotting.boosted_trees import (
        boosting_importances,
        boosting_loss,
        boosting_rounds,
        boosting_trees,
    )
    from pellucid.plotting.boosting import majority_error, row_weights, staged_error, stump_counts
    from pellucid.plotting.cleaning import before_and_after, findings_map
    from pellucid.plotting.clusters import cluster_map, elbow_curve
    from pellucid.plotting.codebook import codebook_path, prototypes
    from pellucid.plotting.coefficients import coefficient_path, odds_ratios
    from pellucid.plotting.components import explained_variance, projections
    from pellucid.plotting.curves import comparison, fold_diagram, learning_curve, staged_curve, validation_curve
    from pellucid.plotting.densities import class_densities
    from pellucid.plotting.descent import descent_cost, descent_path
    from pellucid.plotting.diagnostics import residuals
    from pellucid.plotting.discriminants import discriminant_ellipses, discriminant_projection, discriminant_values
    from pellucid.plotting.distributions import box_plot, quartile_bar, skew_curves
    from pellucid.plotting.effects import importance, partial_dependence
    from pellucid.plotting.ensembles import ensemble_curve, ensemble_flow, ensemble_regions, member_votes
    from pellucid.plotting.fits import bias_variance_curves, bias_variance_targets, fit_curves, fit_panels
    from pellucid.plotting.forests import forest_importances, forest_votes, oob_curve
    from pellucid.plotting.kd_tree import kd_tree_cells
    from pellucid.plotting.logistic import class_probabilities, log_odds_line, sigmoid_curve
    from pellucid.plotting.lsh import lsh_codes
    from pellucid.plotting.maps import ellipse_map, polar_map
    from pellucid.plotting.neighbors import neighborhood, regions_for_k
    from pellucid.plotting.networks import activation_curves, network_diagram, network_loss
    from pellucid.plotting.outliers import distance_outlier_map, k_distance_circles, lof_bubbles
    from pellucid.plotting.rates import compare_rates, rate_ladder, rate_steps
    from pellucid.plotting.regions import decision_regions, probability_contours
    from pellucid.plotting.regression import regression_line, regression_plane, sums_of_squares
    from pellucid.plotting.scores import calibration_curve, confusion_matrix, precision_recall_curve, roc_curve
    from pellucid.plotting.selection import selection_path
    from pellucid.plotting.stopping import early_stopping
    from pellucid.plotting.svm import support_vector_street, support_vector_tube
    from pellucid.plotting.tables import correlation_map, missing_map, pair_plot
    from pellucid.plotting.tree_areas import tree_regions, tree_steps
    from pellucid.plotting.tree_curves import accuracy_by_nodes, feature_importances
    from pellucid.plotting.tree_diagrams import pruning_sequence, tree_diagram
    from pellucid.plotting.tree_tables import tree_and_table
    from pellucid.plotting.valley import penalty_contours, valley_steps
    from pellucid.plotting.voronoi import voronoi_cells

_HOME = {
    "accuracy_by_nodes": "tree_curves",
    "bayes_areas": "bayes",
    "bayes_error": "bayes",
    "before_and_after": "cleaning",
    "activation_curves": "networks",
    "bias_variance_curves": "fits",
    "bias_variance_targets": "fits",
    "boosting_importances": "boosted_trees",
    "boosting_loss": "boosted_trees",
    "boosting_rounds": "boosted_trees",
    "boosting_trees": "boosted_trees",
    "box_plot": "distributions",
    "calibration_curve": "scores",
    "class_densities": "densities",
    "class_probabilities": "logistic",
    "cluster_map": "clusters",
    "codebook_path": "codebook",
    "coefficient_path": "coefficients",
    "compare_rates": "rates",
    "comparison": "curves",
    "confusion_matrix": "scores",
    "correlation_map": "tables",
    "decision_regions": "regions",
    "descent_cost": "descent",
    "descent_path": "descent",
    "discriminant_ellipses": "discriminants",
    "discriminant_projection": "discriminants",
    "discriminant_values": "discriminants",
    "distance_outlier_map": "outliers",
    "early_stopping": "stopping",
    "elbow_curve": "clusters",
    "ellipse_map": "maps",
    "ensemble_curve": "ensembles",
    "ensemble_flow": "ensembles",
    "ensemble_regions": "ensembles",
    "explained_variance": "components",
    "feature_importances": "tree_curves",
    "findings_map": "cleaning",
    "fit_curves": "fits",
    "fit_panels": "fits",
    "fold_diagram": "curves",
    "forest_importances": "forests",
    "forest_votes": "forests",
    "importance": "effects",
    "itemset_lattice": "association",
    "staged_curve": "curves",
    "k_distance_circles": "outliers",
    "kd_tree_cells": "kd_tree",
    "learning_curve": "curves",
    "lof_bubbles": "outliers",
    "log_odds_line": "logistic",
    "lsh_codes": "lsh",
    "majority_error": "boosting",
    "member_votes": "ensembles",
    "missing_map": "tables",
    "neighborhood": "neighbors",
    "network_diagram": "networks",
    "network_loss": "networks",
    "odds_ratios": "coefficients",
    "oob_curve": "forests",
    "pair_plot": "tables",
    "partial_dependence": "effects",
    "penalty_contours": "valley",
    "polar_map": "maps",
    "precision_recall_curve": "scores",
    "probability_contours": "regions",
    "projections": "components",
    "prototypes": "codebook",
    "pruning_sequence": "tree_diagrams",
    "quartile_bar": "distributions",
    "rate_ladder": "rates",
    "rate_steps": "rates",
    "regions_for_k": "neighbors",
    "regression_line": "regression",
    "regression_plane": "regression",
    "residuals": "diagnostics",
    "roc_curve": "scores",
    "row_weights": "boosting",
    "rule_lattice": "association",
    "rule_scatter": "association",
    "selection_path": "selection",
    "sigmoid_curve": "logistic",
    "skew_curves": "distributions",
    "staged_error": "boosting",
    "stump_counts": "boosting",
    "sums_of_squares": "regression",
    "support_vector_street": "svm",
    "support_vector_tube": "svm",
    "tree_and_table": "tree_tables",
    "tree_diagram": "tree_diagrams",
    "tree_regions": "tree_areas",
    "tree_steps": "tree_areas",
    "validation_curve": "curves",
    "valley_steps": "valley",
    "voronoi_cells": "voronoi",
}
__all__ = [
    "accuracy_by_nodes",
    "activation_curves",
    "bayes_areas",
    "bayes_error",
    "before_and_after",
    "bias_variance_curves",
    "bias_variance_targets",
    "boosting_importances",
    "boosting_loss",
    "boosting_rounds",
    "boosting_trees",
    "box_plot",
    "calibration_curve",
    "class_densities",
    "class_probabilities",
    "cluster_map",
    "codebook_path",
    "coefficient_path",
    "compare_rates",
    "comparison",
    "confusion_matrix",
    "correlation_map",
    "decision_regions",
    "descent_cost",
    "descent_path",
    "discriminant_ellipses",
    "discriminant_projection",
    "discriminant_values",
    "distance_outlier_map",
    "early_stopping",
    "elbow_curve",
    "ellipse_map",
    "ensemble_curve",
    "ensemble_flow",
    "ensemble_regions",
    "explained_variance",
    "feature_importances",
    "findings_map",
    "fit_curves",
    "fit_panels",
    "fold_diagram",
    "forest_importances",
    "forest_votes",
    "importance",
    "itemset_lattice",
    "k_distance_circles",
    "kd_tree_cells",
    "learning_curve",
    "lof_bubbles",
    "log_odds_line",
    "lsh_codes",
    "majority_error",
    "member_votes",
    "missing_map",
    "neighborhood",
    "network_diagram",
    "network_loss",
    "odds_ratios",
    "oob_curve",
    "pair_plot",
    "partial_dependence",
    "penalty_contours",
    "polar_map",
    "precision_recall_curve",
    "probability_contours",
    "projections",
    "prototypes",
    "pruning_sequence",
    "quartile_bar",
    "rate_ladder",
    "rate_steps",
    "regions_for_k",
    "regression_line",
    "regression_plane",
    "residuals",
    "roc_curve",
    "row_weights",
    "rule_lattice",
    "rule_scatter",
    "selection_path",
    "sigmoid_curve",
    "skew_curves",
    "staged_curve",
    "staged_error",
    "stump_counts",
    "sums_of_squares",
    "support_vector_street",
    "support_vector_tube",
    "tree_and_table",
    "tree_diagram",
    "tree_regions",
    "tree_steps",
    "validation_curve",
    "valley_steps",
    "voronoi_cells",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
