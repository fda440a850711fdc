"""The one vocabulary of all boosted trees."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from pellucid.base.declare import Declared, param


class RoundParameters(Declared):
    """Rounds: how many, how long the steps are, and when to stop."""

    n_estimators: int = param(
        default=100, low=1, kw_only=False, doc="Most rounds; a round adds one tree, or one for each class."
    )
    learning_rate: float = param(
        default=0.1,
        low=0,
        low_open=True,
        doc="What the answer of each tree is multiplied by. Half the rate needs about twice the rounds.",
    )
    base_score: float | list | tuple | np.ndarray | None = param(  # type: ignore[type-arg]
        default=None,
        doc="The score of every row before the first tree; of more than two classes one for each. Scores are log odds "
        "of two classes, logarithms for 'poisson', else numbers like the target. None: the constant that the loss is "
        "least for; 0 for a loss of your own.",
    )
    early_stopping: bool | Literal["auto"] = param(
        default=False,
        doc="Stop when rows held out no longer get better, and keep the best number of rounds. The rows are "
        "`X_val` and `y_val` of `fit`, else a share of X. 'auto': only if `X_val` is given.",
    )
    validation_fraction: float = param(
        default=0.1, low=0, high=1, low_open=True, high_open=True, doc="Share of the rows that are held out."
    )
    n_iter_no_change: int = param(default=10, low=1, doc="Rounds without a better score after which it stops.")
    tol: float = param(default=0.0, low=0, doc="By how much a score must be better to count as such.")
    scoring: Any = param(
        default="loss",
        doc="What early stopping goes by: 'loss', a scorer's name, or a function of (model, X, y); greater is better, "
        "but for the loss.",
    )
    warm_start: bool = param(default=False, doc="Keep the rounds of the last fit, and add those that are missing.")
    verbose: int = param(
        default=0, low=0, doc="Print a line every so many rounds: the losses, and the time that is left. 0: none."
    )
    random_state: int | np.random.RandomState | None = param(
        default=None, doc="Seed of what is drawn: rows, columns, rows held out, and how sums are rounded."
    )
    n_jobs: int | None = param(
        default=None, doc="Threads: None or -1 for all available cores. Their number changes no bit of the result."
    )


class TreeParameters(Declared):
    """Trees: their shape, what holds them back, and what they look at."""

    growth: Literal["leaf", "depth", "oblivious"] = param(
        default="leaf",
        doc="Which node is split next: the 'leaf' with the greatest gain, all of a 'depth', or all of a depth by one "
        "and the same test ('oblivious': `min_samples_leaf` and `min_child_weight` do not count then).",
    )
    max_leaf_nodes: int | None = param(default=31, low=2, doc="Most leaves of a tree. None: no limit.")
    max_depth: int | None = param(default=None, low=1, doc="Most tests on the way to a leaf. None: no limit.")
    vector_leaves: bool = param(
        default=False,
        doc="Of more than two classes: one tree a round, whose leaves answer for all of them, instead of a tree for "
        "each class. A target of several columns of numbers always has such trees.",
    )
    min_samples_leaf: int = param(default=20, low=1, doc="Fewest rows of a leaf.")
    min_child_weight: float = param(
        default=1e-3, low=0, doc="Least sum of the second derivatives of the loss over the rows of a leaf."
    )
    l1_regularization: float = param(default=0.0, low=0, doc="What is taken off |sum of gradients| of a leaf.")
    l2_regularization: float = param(
        default=0.0, low=0, doc="What is added to the sum of second derivatives of a leaf."
    )
    min_split_gain: float = param(default=0.0, low=0, doc="Gain that a split must exceed.")
    max_delta_step: float = param(
        default=0.0, low=0, doc="Most that a leaf may answer, before the learning rate. 0: no limit."
    )
    max_bins: int = param(default=255, low=2, high=255, doc="Most bins of a column, besides that of missing values.")
    binning: Literal["sample", "sketch"] = param(
        default="sample",
        doc="Where the bins of a long table are cut: by 32,768 of its rows, or by a sketch of the quantiles of all. "
        "Rows of different weights are always sketched.",
    )
    feature_bundling: bool = param(
        default=True,
        doc="Columns that are hardly ever away from their usual value in the same row share a byte of memory: faster, "
        "and the trees are the same.",
    )
    max_conflict_rate: float = param(
        default=0.0,
        low=0,
        high=1,
        doc="Share of the rows in which a column of a bundle may lose its value to another one's. Above 0 trees are "
        "not the same any more.",
    )
    histogram: Literal["integer", "float"] = param(
        default="integer",
        doc="What the search for splits adds up: derivatives rounded to whole numbers, two in one word, or as they "
        "are, in twice the time.",
    )
    sampling: Literal["uniform", "bernoulli", "goss", "mvs", "bayesian"] = param(
        default="uniform",
        doc="How the rows of a round are drawn: a share `subsample` without replacement, each with that probability "
        "('bernoulli'), by their gradients ('goss', 'mvs'), or all with random weights ('bayesian').",
    )
    subsample: float = param(default=1.0, low=0, high=1, low_open=True, doc="Share of the rows that a round looks at.")
    top_rate: float = param(
        default=0.2, low=0, high=1, low_open=True, high_open=True, doc="goss: share of rows kept for their gradients."
    )
    other_rate: float = param(
        default=0.1, low=0, high=1, low_open=True, high_open=True, doc="goss: share of rows drawn from the others."
    )
    bagging_temperature: float = param(
        default=1.0, low=0, doc="bayesian: weights are (-log u)^t with u uniform on (0, 1)."
    )
    max_features: float = param(
        default=1.0, low=0, high=1, low_open=True, doc="Share of the columns among which a split is sought."
    )
    max_features_level: float = param(
        default=1.0, low=0, high=1, low_open=True, doc="Share of the columns that a level of a tree may ask."
    )
    max_features_tree: float = param(
        default=1.0, low=0, high=1, low_open=True, doc="Share of the columns that a tree may ask."
    )
    categorical_features: Any = param(
        default=None,
        doc="Columns of numbers that are codes 0, 1, ... of categories: places, names, or one flag a column. Columns "
        "of names are categories by themselves.",
    )
    monotonic_cst: Any = param(
        default=None,
        doc="For each column 1 if the answer may only rise with it, -1 if only fall, 0 if either: a list, or a dict "
        "from names. Of a classifier the answer is the probability of the second of two classes.",
    )
