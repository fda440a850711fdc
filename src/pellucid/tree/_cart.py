"""What the trees of CART share: from a table to nodes, many settings from one tree, and questions about the nodes."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import Bunch, Tags

from pellucid.base.randomness import seed_from
from pellucid.base.types import Array, Flags, Floats
from pellucid.data.design import Design, InputSpec, attach_weight, infer_schema
from pellucid.estimator.estimator import Estimator
from pellucid.estimator.path import FitPath
from pellucid.estimator.trace import Trace
from pellucid.models.tree import answer
from pellucid.models.tree.cart import CartParameters, Grower, drawn_columns, in_range, in_unit, split_limit
from pellucid.models.tree.categories import category_sizes, known_codes
from pellucid.models.tree.cost_complexity import pruned, pruning_path
from pellucid.models.tree.nodes import TreeNodes
from pellucid.models.tree.prune import without_descendants


class CartTree(CartParameters, Estimator):
    """A tree of CART. A subclass says what its rows weigh and what a node answers."""

    input_spec = InputSpec(sparse=True, missing=True, categories=True, unknown="missing")
    calls_blas = False
    path_parameters = ("ccp_alpha", "max_depth", "min_samples_split", "max_leaf_nodes")
    draws_ties = False  # of equally good columns the first; bagging, which seeds its trees, sets this on each of them

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    # --------------------------------------------------------------------------------------------------------- learning

    def _rows(self, d: Design) -> tuple[Floats | None, Array]:
        """Weights of the rows, and the number of classes of each target; none for numbers."""
        raise TypeError(f"{type(self).__name__} must write _rows")

    def _told(self) -> tuple[str, str]:
        """Criterion, and how groups are weighted in it."""
        raise TypeError(f"{type(self).__name__} must write _told")

    def _fit(self, d: Design, trace: Trace) -> None:
        self._keep(d, self._grow(d))

    def _grow(self, d: Design) -> TreeNodes:
        """The tree before it is pruned."""
        weight, n_classes = self._rows(d)
        weight, unit = in_range(weight)
        criterion, weighting = self._told()
        total = float(d.n_rows if weight is None else weight.sum())
        grower = Grower.of(d, self, criterion, weighting, total, self._threads)
        few = drawn_columns(self.max_features, d.n_cols) < d.n_cols
        draws = few or self.splitter == "random" or self.draws_ties
        seed = seed_from(self.random_state) if draws else 0
        return in_unit(grower.grow(d.y, n_classes, weight, seed), unit, len(n_classes) > 0)

    def _keep(self, d: Design, grown: TreeNodes) -> Array:
        """Prunes, and keeps what is left; answers the old number of each node."""
        remaining, old_ids = pruned(grown, float(self.ccp_alpha))
        self.tree_: TreeNodes = remaining
        self.n_outputs_: int = d.y.shape[1]
        if self.categorical_features is not None:
            self._sizes_: Array = category_sizes(d, self.categorical_features)
        self.max_features_: int = drawn_columns(self.max_features, d.n_cols)
        return old_ids

    # ------------------------------------------------------------------------------------------ many settings, one tree

    def _fit_path(self, name: str, models: list[Any], X: Any, y: Any, **params: Any) -> FitPath:
        """Trees of several limits are the tree of the widest one, cut off: it is grown once."""
        shared = [model for model in models if model._is_part(name)]
        if set(params) - {"sample_weight"} or len(shared) < 2:
            return FitPath([model.fit(X, y, **params) for model in models])
        for model in models:
            if not model._is_part(name):
                model.fit(X, y, **params)
        d = infer_schema(X, self.input_spec, type(self).__name__)
        attach_weight(d, params.get("sample_weight"))
        for model in shared:
            model._forget()
            model._attach_target(d, y)
            model._keep_schema(d.schema)
        widest = _widest(name, shared, d.n_rows)._grow(d)
        ends = [model._take_part(name, d, widest) for model in shared]
        return NestedPath(models, shared, widest, ends)

    def _is_part(self, name: str) -> bool:
        """Is the tree a part of the one with a wider limit? Leaf by leaf, the best first, another limit decides too."""
        if name == "ccp_alpha":
            return True
        return (self.max_leaf_nodes is not None) == (name == "max_leaf_nodes")

    def _take_part(self, name: str, d: Design, widest: TreeNodes) -> Array:
        """Fits itself as a part of a tree; answers the node of its own that stands for each node of the whole."""
        nodes, node_ids = without_descendants(widest, np.flatnonzero(self._ends(name, d, widest)))
        last = node_ids[self._keep(d, nodes)]
        return _stand_ins(widest, last)

    def _ends(self, name: str, d: Design, full: TreeNodes) -> Flags:
        """The nodes that are leaves under this model's own limit."""
        if name == "max_depth" and self.max_depth is not None:
            return np.asarray(full.depth >= self.max_depth)
        if name == "min_samples_split":
            return np.asarray(full.n_rows < split_limit(self, d.n_rows))
        if name == "max_leaf_nodes":
            return _late_splits(full, int(self.max_leaf_nodes or 0) - 1)
        return np.zeros(len(full), dtype=bool)

    # -------------------------------------------------------------------------------------------------------- questions

    def _validate_predict(self, X: Any) -> Design:
        d = super()._validate_predict(X)
        return d if self.categorical_features is None else known_codes(d, self._sizes_)

    def _leaves(self, d: Design) -> Array:
        return answer.apply(self.tree_, d.matrix, self._threads)

    def apply(self, X: Any) -> Array:
        """The number of the leaf that each row ends in; node 0 is the root."""
        return self._leaves(self._validate_predict(X)).astype(np.intp)

    def decision_path(self, X: Any) -> Any:
        """The nodes that each row passes, as a sparse table of ones: one row a row, one column a node."""
        return answer.decision_path(self.tree_, self._validate_predict(X).matrix, self._threads)

    def get_depth(self) -> int:
        """Tests on the longest way from the root to a leaf."""
        self._check_fitted()
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """Number of leaves."""
        self._check_fitted()
        return self.tree_.n_leaves

    @property
    def feature_importances_(self) -> Floats:
        """How much of the fall of the impurity is due to each column: shares that add up to 1, all 0 for a single leaf.

        Columns with many values are favored, and the rows are those of the fit: `permutation_importance` on other rows
        is the better judge.
        """
        self._check_fitted()
        return self.tree_.compute_feature_importances(n_features=self.n_features_in_)

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """The strengths of pruning at which the tree becomes smaller, from no pruning to the root alone.

        Parameters
        ----------
        X, y, sample_weight : as `fit` takes them

        Returns
        -------
        Bunch
            ``ccp_alphas``, ``impurities`` (of the leaves, weighted by their shares of the rows) and ``n_leaves`` of the
            trees, one for each branch that becomes a leaf. As `ccp_alpha` such a strength gives the tree after it.
        """
        unpruned = clone(self).set_params(ccp_alpha=0.0)
        unpruned.fit(X, y, sample_weight=sample_weight)
        path = pruning_path(unpruned.tree_)
        return Bunch(ccp_alphas=path.alphas, impurities=path.risks, n_leaves=path.leaves)

    def show_pruning(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """How the tree is pruned: at which strength each branch is worth no more than a leaf, and which goes first.

        Parameters
        ----------
        X, y, sample_weight : as `fit` saw them

        Returns
        -------
        pellucid.working.Working
        """
        return self._show("pruning", X, y, sample_weight)


def _widest(name: str, models: list[Any], n: int) -> Any:
    """The model whose tree holds those of the others, before pruning."""
    if name == "max_depth":
        return max(models, key=lambda model: np.inf if model.max_depth is None else model.max_depth)
    if name == "min_samples_split":
        return min(models, key=lambda model: split_limit(model, n))
    if name == "max_leaf_nodes":
        return max(models, key=lambda model: model.max_leaf_nodes)
    return models[0]


def _late_splits(full: TreeNodes, splits: int) -> Flags:
    """The nodes that are not among the first so many to be split: the one that lowers the impurity most goes first.

    The improvements are worked out as the kernel does, to the last bit; of equal ones the node that was met first wins.
    """
    gain = _improvements(full)
    late = np.ones(len(full), dtype=bool)
    order_number, waiting = 1, [(-gain[0], 0, 0)] if full.n_children[0] else []
    for _ in range(splits):
        if not waiting:
            break
        _, _, node = heappop(waiting)
        late[node] = False
        for child in full.children(node):
            if full.n_children[child]:
                heappush(waiting, (-gain[child], order_number, child))
            order_number += 1
    return late


def _improvements(nodes: TreeNodes) -> Floats:
    """w_t / w (i_t - w_R / w_t i_R - w_L / w_t i_L) of each inner node."""
    inner = np.flatnonzero(~nodes.is_leaf)
    left, right = nodes.first_child[inner], nodes.first_child[inner] + 1
    w, i = nodes.weight, nodes.impurity
    gain = np.full(len(nodes), -np.inf)
    fallen = i[inner] - w[right] / w[inner] * i[right] - w[left] / w[inner] * i[left]
    gain[inner] = w[inner] / w[0] * fallen
    return gain


def _stand_ins(full: TreeNodes, node_ids: Array) -> Array:
    """For each node of a tree, the node of its part that stands for it: itself, or the last one above."""
    new_ids = np.full(len(full), -1, dtype=np.int64)
    new_ids[node_ids] = np.arange(len(node_ids))
    above = np.where(new_ids >= 0, np.arange(len(full)), full.parent)
    while (new_ids[above] < 0).any():  # twice as far up each time
        above = above[above]
    return new_ids[above]


class NestedPath(FitPath):
    """Parts of one tree: a row's way through the whole tree says where it ends in each of them."""

    def __init__(self, models: list[Any], shared: list[Any], full: TreeNodes, ends: list[Array]) -> None:
        super().__init__(models)
        self._whole = full
        self._ends = {id(model): end for model, end in zip(shared, ends, strict=True)}

    def answer(self, method: str, X: Any) -> list[Array]:
        first = self.models[0]
        if method not in ("predict", "predict_proba") or not hasattr(first, method):
            return super().answer(method, X)
        d = first._validate_predict(X)
        leaves = answer.apply(self._whole, d.matrix, first._threads)
        return [
            getattr(model, f"_{method}_at")(self._ends[id(model)][leaves])
            if id(model) in self._ends
            else getattr(model, method)(X)
            for model in self.models
        ]
