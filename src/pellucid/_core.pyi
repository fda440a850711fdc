from collections.abc import Callable
from typing import Any

from pellucid.base.types import Array, Flags, Floats, History, Listener

class Matrix:
    @property
    def rows(self) -> int: ...
    @property
    def cols(self) -> int: ...

class Reflections: ...

class Tree:
    """A tree as prediction reads it; fault: what is wrong with it, in words."""
    def __init__(
        self,
        parent: Array,
        first_child: Array,
        n_children: Array,
        feature: Array,
        test: Array,
        missing_child: Array,
        threshold: Floats,
        weight: Floats,
        value: Floats,
        table_start: Array,
        table: Array,
        cuts_start: Array,
        cuts: Floats,
        surrogate_start: Array,
        surrogate_feature: Array,
        surrogate_threshold: Floats,
        surrogate_reverse: Array,
        cols: int,
    ) -> None: ...
    @property
    def fault(self) -> str | None: ...

class Forest:
    """A forest as prediction reads it; fault: what is wrong with it, in words."""
    def __init__(
        self,
        nodes: Array,
        tree_start: Array,
        leaf_start: Array,
        leaf_value: Floats,
        set_start: Array,
        words: Array,
        cols: int,
        threads: int,
    ) -> None: ...
    @property
    def fault(self) -> str | None: ...

class BinnedTable:
    """A table as one byte a cell: the bin of each value."""
    @property
    def rows(self) -> int: ...
    @property
    def cols(self) -> int: ...
    @property
    def storage(self) -> str: ...
    @property
    def bundles(self) -> list[list[tuple[int, int]]]: ...
    def codes(self) -> Array: ...

class QuantileSketch:
    """Quantiles of a long column of weighted values in little memory, with bounds that are certain."""
    def __init__(self, size: int, block: int = 32768) -> None: ...
    def add(self, values: Floats, weight: Floats | None = None) -> None: ...
    def merge(self, other: QuantileSketch) -> None: ...
    def prune(self) -> None: ...
    def quantiles(self, shares: Floats) -> Floats: ...
    def rank_bounds(self, x: Floats) -> Floats: ...
    def edges(self, most_bins: int) -> Floats: ...
    def entries(self) -> Floats: ...
    def state(self) -> tuple[int, int, Array, Array, Floats, Floats]: ...
    @property
    def total(self) -> float: ...
    @property
    def error(self) -> float: ...
    @property
    def bound(self) -> float: ...

class Booster:
    """Boosted trees while they grow."""
    def __init__(
        self,
        bins: list[BinnedTable],
        y: Floats,
        weight: Floats | None,
        held: Array | None,
        monotone: Array | None,
        start: Floats | None,
        plan: dict[str, Any],
        orders: Array | None = None,
    ) -> None: ...
    def grow(self, rounds: int) -> None: ...
    def grow_on(self, gradient: Floats, curvature: Floats) -> None: ...
    def resume(self, scores: Floats, rounds: int) -> None: ...
    def scores(self) -> Floats: ...
    def mean_loss(self, held: bool = False) -> float: ...
    @property
    def start(self) -> Floats: ...
    @property
    def rounds(self) -> int: ...
    def trees(self) -> dict[str, Array]: ...
    def watch(self, x: Matrix) -> None: ...
    def watched(self, threads: int) -> Floats: ...

class VectorBooster:
    """The same with trees whose leaves answer for all targets; y is rows x targets, of classes one column."""
    def __init__(
        self,
        bins: list[BinnedTable],
        y: Floats,
        weight: Floats | None,
        held: Array | None,
        monotone: None,
        start: Floats | None,
        plan: dict[str, Any],
    ) -> None: ...
    def grow(self, rounds: int) -> None: ...
    def grow_on(self, gradient: Floats, curvature: Floats) -> None: ...
    def resume(self, scores: Floats, rounds: int) -> None: ...
    def scores(self) -> Floats: ...
    def mean_loss(self, held: bool = False) -> float: ...
    @property
    def start(self) -> Floats: ...
    @property
    def rounds(self) -> int: ...
    def trees(self) -> dict[str, Array]: ...
    def watch(self, x: Matrix) -> None: ...
    def watched(self, threads: int) -> Floats: ...

class ExactBooster:
    """The same with every cut, as the textbook has it."""
    def __init__(
        self,
        columns: TreeColumns,
        x: Matrix,
        y: Floats,
        weight: Floats | None,
        held: Array | None,
        monotone: Array | None,
        start: Floats | None,
        settings: TreeSettings,
        plan: dict[str, Any],
    ) -> None: ...
    def grow(self, rounds: int) -> None: ...
    def resume(self, scores: Floats, rounds: int) -> None: ...
    def scores(self) -> Floats: ...
    def mean_loss(self, held: bool = False) -> float: ...
    @property
    def start(self) -> Floats: ...
    @property
    def rounds(self) -> int: ...
    def trees(self) -> dict[str, Array]: ...
    def watch(self, x: Matrix) -> None: ...
    def watched(self, threads: int) -> Floats: ...

class ForestSampler:
    """How the rows of each tree are drawn."""
    def __init__(self, rows: int, draw: str, draws: int, weight: Floats | None, seed: int) -> None: ...
    def counts(self, tree: int) -> Array: ...

class TreeColumns:
    @property
    def rows(self) -> int: ...
    @property
    def cols(self) -> int: ...

class TreeSettings:
    criterion: str
    splitter: str
    threshold: str
    weighting: str
    category_split: str
    max_depth: int | None
    max_leaves: int | None
    max_features: int | None
    min_rows_split: int
    min_rows_leaf: int
    min_weight_leaf: float
    min_decrease: float
    stop_on_pure: bool
    max_bins: int
    draw_ties: bool
    surrogates: int
    def __init__(self) -> None: ...

class Donors:
    def __init__(self, x: Matrix, threads: int) -> None: ...

class NumberColumn:
    def __init__(self, values: Array, missing: Flags | None = None, times: bool = False) -> None: ...

class PolynomialPlan:
    def __init__(self, columns: int, lowest: int, highest: int, distinct: bool, ones: bool) -> None: ...
    @property
    def width(self) -> int: ...

class Density:
    def __init__(self, points: Floats, weight: Floats, h: float) -> None: ...
    @property
    def has_table(self) -> bool: ...

class TextSet:
    def __init__(self, texts: list[str]) -> None: ...
    def __len__(self) -> int: ...

class DescentSettings:
    factor: float
    alpha: float
    intercept: bool
    batch: int
    divide_by_rows: float
    divide_by: float
    seed: int
    gradient_tol: float
    tol: float
    patience: int
    most_epochs: int
    most_steps: int
    most_path: int
    threads: int
    def set_order(self, order: int, /) -> None: ...
    def set_rate(self, kind: int, eta0: float, power: float, t0: float, t1: float, /) -> None: ...

class Loss:
    def __init__(self, name: str, epsilon: float, zero_negative: bool, zero_positive: bool, /) -> None: ...
    def measure(self, y: float, f: float) -> tuple[float, float]: ...

class SgdSettings:
    l1: float
    l2: float
    intercept: bool
    intercept_decay: float
    negative: float
    batch: int
    tol: float
    patience: int
    most_epochs: int
    begin: float
    average_from: float
    restore_best: bool
    diverged: float
    threads: int
    def set_order(self, order: int, /) -> None: ...
    def set_step(self, rule: int, /) -> None: ...
    def set_rate(
        self, kind: int, eta0: float, power: float, t0: float, t1: float, alpha: float, t_optimal: float, /
    ) -> None: ...
    def rate_at(self, t: float, /) -> float: ...

class CoordinateSettings:
    intercept: bool
    positive: bool
    plain: bool
    random: bool
    tol: float
    most_passes: int
    seed: int
    threads: int

class LinearSettings:
    l1: float
    l2: float
    intercept_l2: float
    intercept_l1: float
    intercept: bool
    tol: float
    most_passes: int
    seed: int
    threads: int

def thread_limit() -> int: ...
def set_thread_limit(limit: int, /) -> None: ...
def simd_level() -> str: ...
def best_simd_level() -> str: ...
def set_simd_level(name: str, /) -> bool: ...
def random_uniform(seed: int, stream: int, n: int) -> Floats: ...
def call_blocks(blocks: int, threads: int, function: Callable[[int], object]) -> None: ...
def take_most_threads() -> int: ...
def set_poll_interval(seconds: float) -> None: ...
def hook_calls() -> int: ...
def interrupt_at(call: int) -> None: ...
def dense(a: Array) -> Matrix: ...
def csr(values: Floats, indices: Array, starts: Array, cols: int) -> Matrix: ...
def all_finite(x: Matrix, threads: int) -> bool: ...
def csv_layout(text: bytes, delimiter: str, quote: str, most: int, threads: int) -> dict[str, Any]: ...
def moments(
    x: Matrix, y: Floats, weight: Floats | None, center: bool, threads: int
) -> tuple[int, float, Floats, Floats, Floats]: ...
def multiply(x: Matrix, w: Floats, b: Floats, threads: int) -> Floats: ...
def multiply_transposed(x: Matrix, u: Floats, threads: int) -> Floats: ...
def cholesky_solve(a: Floats, b: Floats, threads: int) -> tuple[int, float, Floats]: ...
def qr_of_rows(
    x: Matrix, y: Floats, weight: Floats | None, shift: Floats, scale: Floats, center: bool, threads: int
) -> Floats: ...
def solve_triangle(r: Floats, b: Floats) -> tuple[float, Floats]: ...
def jacobi(a: Floats, extra: int, threads: int) -> tuple[int, int, Floats, Floats]: ...
def qr(a: Floats, threads: int) -> tuple[Reflections, Floats]: ...
def apply_q(q: Reflections, c: Floats) -> Floats: ...
def lsqr(
    x: Matrix,
    b: Floats,
    scale: Floats,
    mean: Floats | None,
    root_weight: Floats | None,
    tolerance: float,
    most_passes: int,
    threads: int,
    record: bool = False,
    listener: Listener | None = None,
    damp: float = 0.0,
) -> tuple[int, int, Floats, History | None]: ...
def ridge_conjugate_gradient(
    x: Matrix,
    b: Floats,
    scale: Floats,
    mean: Floats | None,
    root_weight: Floats | None,
    penalty: Floats,
    diagonal: Floats,
    tolerance: float,
    most_passes: int,
    threads: int,
    record: bool = False,
    listener: Listener | None = None,
) -> tuple[int, int, Floats, History | None]: ...
def ridge_leave_one_out(
    x: Matrix,
    y: Floats,
    weight: Floats | None,
    mean_x: Floats,
    scale_x: Floats,
    mean_y: Floats,
    scale_y: Floats,
    v: Floats,
    share: Floats,
    coordinates: Floats,
    total_weight: float,
    keep: bool,
    threads: int,
) -> tuple[Floats, Floats | None]: ...
def multiply_many(x: Matrix, w: Floats, b: Floats, threads: int) -> Floats: ...
def nnls(
    g: Floats, b: Floats, most_passes: int, record: bool = False, listener: Listener | None = None
) -> tuple[int, int, Floats, History | None]: ...
def descend(
    x: Matrix,
    y: Floats,
    weight: Floats | None,
    listed: Array | None,
    start: Floats,
    penalty: str,
    settings: DescentSettings,
    record: bool = False,
    listener: Listener | None = None,
) -> tuple[int, int, int, float, float, Floats, Floats, History | None]: ...
def sgd(
    x: Matrix,
    y: Floats,
    weight: Floats | None,
    listed: Array | None,
    held_out: Array | None,
    runs: Floats,
    start: Floats,
    intercept: Floats,
    average: Floats | None,
    average_intercept: Floats | None,
    loss: Loss,
    settings: SgdSettings,
    record: bool = False,
    listener: Listener | None = None,
) -> tuple[Floats, Floats, Floats, Floats, Floats, History | None]: ...
def roc_area(score: Array, positive: Array, weight: Floats | None, threads: int) -> tuple[int, float, float, float]: ...
def thresholds(
    score: Array, positive: Array, weight: Floats | None, threads: int
) -> tuple[int, Array, Floats, Floats]: ...
def confusion_counts(
    truth: Array, predicted: Array, classes: int, weight: Floats | None, threads: int, low: int = 0
) -> tuple[bool, Array]: ...
def code_texts(text: Array) -> tuple[Array, Array]: ...
def silhouettes(table: Floats, start: Array, threads: int) -> Floats: ...
def log_loss_sums(
    probability: Array, label: Array, weight: Floats | None, sum_tolerance: float, threads: int
) -> tuple[int, bool, float, float, int, float, float]: ...
def brier_sums(
    probability: Array, label: Array, weight: Floats | None, sum_tolerance: float, threads: int
) -> tuple[int, bool, float, float, int, float, float]: ...
def fit_isotonic(
    x: Floats, y: Floats, weight: Floats | None, tie: float, low: float, high: float, threads: int
) -> tuple[Floats, Floats]: ...
def pool_in_order(y: Floats, weight: Floats | None) -> Floats: ...
def count_keys(keys: Array, threads: int) -> tuple[Array, Array]: ...
def encode_keys(keys: Array, categories: Array, codes: Array, threads: int) -> None: ...
def one_hot_lengths(codes: Array, first: Array, places: Array, lengths: Array, threads: int) -> None: ...
def one_hot(codes: Array, first: Array, places: Array, starts: Array, indices: Array, threads: int) -> None: ...
def category_moments(
    codes: Array, categories: int, parts: Array, n_parts: int, target: Floats, with_squares: bool, threads: int
) -> tuple[Floats, Floats, Floats]: ...
def write_encodings(
    codes: Array, parts: Array, first: Array, widths: Array, tables: Floats, targets: int, out: Floats, threads: int
) -> None: ...
def ordered_statistics(
    codes: Array,
    categories: Array,
    target: Floats,
    priors: Floats,
    prior_weight: float,
    orders: Array,
    out: Floats,
    threads: int,
) -> None: ...
def polynomial(x: Matrix, plan: PolynomialPlan, out: Array, threads: int) -> None: ...
def polynomial_sparse(
    x: Matrix, plan: PolynomialPlan, starts: Array, indices: Array, values: Array, threads: int
) -> None: ...
def column_figures(x: Matrix, weight: Floats | None, unit: Floats, threads: int) -> dict[str, Floats]: ...
def column_ends(x: Matrix, threads: int) -> dict[str, Floats]: ...
def column_quantiles(x: Matrix, shares: Floats, threads: int) -> Floats: ...
def divide_columns(x: Matrix, lines: Floats, out: Array, threads: int) -> bool: ...
def multiply_columns(x: Matrix, lines: Floats, out: Array, threads: int) -> bool: ...
def coordinate_logistic(
    x: Matrix,
    y: Floats,
    weight: Floats | None,
    start_coef: Floats,
    start_intercept: Floats,
    settings: LinearSettings,
    record: bool = False,
    listener: Listener | None = None,
) -> tuple[int, int, float, float, Floats, Floats, History | None]: ...
def coordinate_descent(
    x: Matrix,
    y: Floats,
    weight: Floats | None,
    l1: Floats,
    l2: Floats,
    start: Floats,
    settings: CoordinateSettings,
    record: bool = False,
    listener: Listener | None = None,
) -> tuple[Array, Array, Floats, Floats, Floats, Floats, History | None]: ...
def saga(
    x: Matrix,
    y: Floats,
    weight: Floats | None,
    start_coef: Floats,
    start_intercept: Floats,
    settings: LinearSettings,
    loss: str,
    sag: bool,
    record: bool = False,
    listener: Listener | None = None,
) -> tuple[int, int, float, float, Floats, Floats, History | None]: ...

# neighbors: distances and numbers of rows, nearest first
def brute_nearest(
    rows: Matrix, queries: Matrix, k: int, metric: int, p: float, threads: int
) -> tuple[Floats, Array]: ...
def brute_nearest_others(rows: Matrix, k: int, metric: int, p: float, threads: int) -> tuple[Floats, Array]: ...
def brute_within(
    rows: Matrix, queries: Matrix, radius: float, metric: int, p: float, threads: int
) -> tuple[Array, Floats, Array]: ...

# trees of points; a built tree is (panels, numbers, regions, rows, columns, panels a leaf)
def kd_build(rows: Matrix, leaf: int, threads: int) -> tuple[Array, Array, Array]: ...
def kd_nearest(
    tree: tuple[Array, Array, Array, int, int, int],
    queries: Matrix,
    k: int,
    metric: int,
    p: float,
    eps: float,
    most_leaves: int,
    threads: int,
) -> tuple[Floats, Array]: ...
def kd_nearest_others(
    tree: tuple[Array, Array, Array, int, int, int],
    k: int,
    metric: int,
    p: float,
    eps: float,
    most_leaves: int,
    threads: int,
) -> tuple[Floats, Array]: ...
def kd_within(
    tree: tuple[Array, Array, Array, int, int, int], queries: Matrix, radii: Floats, metric: int, p: float, threads: int
) -> tuple[Array, Floats, Array]: ...
def kd_count(
    tree: tuple[Array, Array, Array, int, int, int], queries: Matrix, radii: Floats, metric: int, p: float, threads: int
) -> Array: ...
def ball_build(rows: Matrix, leaf: int, metric: int, p: float, threads: int) -> tuple[Array, Array, Array]: ...
def ball_nearest(
    tree: tuple[Array, Array, Array, int, int, int],
    queries: Matrix,
    k: int,
    metric: int,
    p: float,
    eps: float,
    most_leaves: int,
    threads: int,
) -> tuple[Floats, Array]: ...
def ball_nearest_others(
    tree: tuple[Array, Array, Array, int, int, int],
    k: int,
    metric: int,
    p: float,
    eps: float,
    most_leaves: int,
    threads: int,
) -> tuple[Floats, Array]: ...
def ball_within(
    tree: tuple[Array, Array, Array, int, int, int], queries: Matrix, radii: Floats, metric: int, p: float, threads: int
) -> tuple[Array, Floats, Array]: ...
def ball_count(
    tree: tuple[Array, Array, Array, int, int, int], queries: Matrix, radii: Floats, metric: int, p: float, threads: int
) -> Array: ...

# the KD-tree of textbooks: (axis, threshold, left, right, first, count, skipped, order)
def textbook_tree(x: Floats, leaf_size: int) -> tuple[Array, Floats, Array, Array, Array, Array, Array, Array]: ...
def textbook_nearest(
    tree: tuple[Array, Floats, Array, Array, Array, Array, Array, Array],
    x: Floats,
    queries: Floats,
    k: int,
    metric: int,
    p: float,
    threads: int,
) -> tuple[Floats, Array, Floats]: ...

# votes of neighbors
class Votes: ...

def votes(
    rows: Array,
    distances: Floats | None,
    starts: Array | None,
    each: int,
    weighting: int,
    given: Floats | None,
    of_row: Floats | None,
    stations: Array | None,
) -> Votes: ...
def class_votes(votes: Votes, codes: Array, classes: int, threads: int) -> Floats: ...
def class_winners(votes: Votes, codes: Array, classes: int, ties: int, threads: int) -> Array: ...
def class_settled(votes: Votes, codes: Array, classes: int, k: int, threads: int) -> tuple[Array, Array]: ...
def neighbor_averages(votes: Votes, values: Floats, average: int, threads: int) -> Floats: ...
def smallest_in_rows(table: Floats, k: int, threads: int) -> tuple[Floats, Array]: ...

# approximate neighbors: an index is a tuple of arrays
def build_lists(
    rows: Matrix, metric: int, cells: int, rounds: int, rows_a_cell: int, seed: int, threads: int
) -> tuple[Array, ...]: ...
def lists_nearest(
    lists: tuple[Array, ...], rows: Matrix, queries: Matrix, k: int, probes: int, metric: int, threads: int
) -> tuple[Floats, Array]: ...
def lists_within(
    lists: tuple[Array, ...], rows: Matrix, queries: Matrix, radius: float, metric: int, threads: int
) -> tuple[Array, Floats, Array]: ...
def lists_order(lists: tuple[Array, ...], queries: Matrix, probes: int, threads: int) -> Array: ...
def build_graph(
    lists: tuple[Array, ...], rows: Matrix, links: int, candidates: int, probes: int, threads: int
) -> tuple[Array, ...]: ...
def graph_nearest(
    cells: tuple[Array, ...],
    graph: tuple[Array, ...],
    rows: Matrix,
    queries: Matrix,
    k: int,
    reach: int,
    entries: int,
    hidden: tuple[Array, ...],
    metric: int,
    threads: int,
) -> tuple[Floats, Array]: ...
def graph_within(
    cells: tuple[Array, ...],
    graph: tuple[Array, ...],
    rows: Matrix,
    queries: Matrix,
    radius: float,
    reach: int,
    entries: int,
    metric: int,
    threads: int,
) -> tuple[Array, Floats, Array]: ...
def first_like_rows(rows: Matrix, threads: int) -> Array: ...
def plane_codes(planes: tuple[Array, ...], rows: Matrix, threads: int) -> Array: ...
def fill_buckets(codes: Array, threads: int) -> tuple[Array, ...]: ...
def hash_nearest(
    planes: tuple[Array, ...],
    buckets: tuple[Array, ...],
    rows: Matrix,
    queries: Matrix,
    k: int,
    probes: int,
    metric: int,
    threads: int,
) -> tuple[Floats, Array]: ...
def hash_within(
    planes: tuple[Array, ...],
    buckets: tuple[Array, ...],
    rows: Matrix,
    queries: Matrix,
    radius: float,
    probes: int,
    metric: int,
    threads: int,
) -> tuple[Array, Floats, Array]: ...
def hash_candidates(
    planes: tuple[Array, ...], buckets: tuple[Array, ...], queries: Matrix, rows: int, probes: int, threads: int
) -> tuple[Array, Array]: ...

# prototypes
class LvqSettings:
    rate: float
    epochs: int
    begin: int
    window: float
    epsilon: float
    steepness: float
    spread: float
    shuffle: bool
    seed: int
    keep_path: bool
    def __init__(self) -> None: ...
    def set_variant(self, variant: int) -> None: ...
    def set_decay(self, decay: int) -> None: ...

def lvq(
    x: Matrix,
    y: Array,
    weight: Floats | None,
    scale: Floats | None,
    box: Floats | None,
    codebook: Floats,
    labels: Array,
    rates: Floats,
    settings: LvqSettings,
    record: bool = False,
    listener: Listener | None = None,
) -> tuple[int, int, Floats, Floats, Floats, Floats, History | None]: ...
def nearest_prototypes(
    x: Matrix, vectors: Floats, k: int, metric: int, scale: Floats | None, threads: int
) -> tuple[Floats, Array]: ...
def class_distances(
    x: Matrix, vectors: Floats, labels: Array, classes: int, metric: int, scale: Floats | None, threads: int
) -> Floats: ...
def condense(
    x: Matrix,
    y: Array,
    order: Array,
    start: Array,
    k: int,
    metric: int,
    scale: Floats | None,
    record: bool,
    threads: int,
) -> tuple[Array, int, Floats]: ...

# tables of distances; `reduced`: without the root
def pairwise_table(
    x: Matrix, z: Matrix, same: bool, metric: int, p: float, reduced: bool, out: Array, threads: int
) -> None: ...
def paired_distances(x: Matrix, z: Matrix, metric: int, p: float, reduced: bool, threads: int) -> Floats: ...
def gower_table(x: Floats, z: Floats, same: bool, share: Floats, weight: Floats, out: Floats, threads: int) -> None: ...

# features
def assign_bins(x: Matrix, cuts: Floats, first: Array, offset: Array, out: Array, threads: int) -> bool: ...
def column_ranked(x: Matrix, ranks: Array, threads: int) -> Floats: ...
def greedy_cuts(
    x: Matrix, y: Floats, classes: int, weight: Floats | None, leaves: Array, min_leaf: int, threads: int
) -> list[Floats]: ...
def normalize_rows(x: Matrix, norm: int, out: Array, threads: int) -> bool: ...
def similarities(x: Matrix, landmarks: Floats, gamma: float, out: Array, threads: int) -> None: ...
def group_sums(
    x: Matrix, group: Array, groups: int, shift: Floats, unit: Floats, threads: int
) -> dict[str, Floats]: ...
def plane_neighbors(table: Floats, y: Floats, k: int, threads: int) -> tuple[Array, Array]: ...
def group_neighbors(table: Floats, group: Array, groups: int, k: int, threads: int) -> Array: ...
def fill_missing(x: Matrix, source: Array, value: Floats, out: Array, threads: int) -> bool: ...
def column_medians(x: Matrix, threads: int) -> Floats: ...
def nearest_donors(donors: Donors, receivers: Matrix, gaps: Array, k: int, threads: int) -> tuple[Array, Floats]: ...
def cross_products(x: Floats, rows: Array | None, shift: Floats, scale: Floats, threads: int) -> Floats: ...
def refresh_column(
    x: Floats,
    rows: Array,
    column: int,
    intercept: float,
    coef: Floats,
    limits: tuple[float, float],
    shift: Floats,
    scale: Floats,
    threads: int,
) -> Floats: ...
def largest_change(x: Floats, before: Floats, threads: int) -> float: ...
def run_chain(
    x: Floats,
    missing: Array,
    columns: Array,
    intercepts: Floats,
    coefs: Floats,
    low: Floats,
    high: Floats,
    threads: int,
) -> None: ...

# transforms
def fit_powers(
    x: Matrix, box_cox: bool, low: Floats, high: Floats, threads: int
) -> tuple[Floats, Floats, Floats, Floats, Array]: ...
def power_columns(x: Matrix, box_cox: bool, powers: Floats, out: Array, threads: int) -> int: ...
def unpower_columns(x: Matrix, box_cox: bool, powers: Floats, out: Array, threads: int) -> int: ...
def log_columns(x: Matrix, base: int, shift: Floats, out: Array, threads: int) -> int: ...
def unlog_columns(x: Matrix, base: int, shift: Floats, out: Array, threads: int) -> int: ...
def root_columns(x: Matrix, degree: int, out: Array, threads: int) -> int: ...
def unroot_columns(x: Matrix, degree: int, out: Array, threads: int) -> int: ...
def sample_quantiles(x: Matrix, rows: Array, shares: Floats, threads: int) -> Floats: ...
def quantile_columns(x: Matrix, shares: Floats, quantiles: Floats, normal: Floats, out: Array, threads: int) -> int: ...
def unquantile_columns(
    x: Matrix, shares: Floats, quantiles: Floats, normal: Floats, out: Array, threads: int
) -> int: ...
def edit_distance(a: str, b: str, kind: int, cutoff: int = ...) -> int: ...
def weighted_distance(a: str, b: str, insert: float, delete: float, substitute: float) -> float: ...
def jaro(a: str, b: str, weight: float, threshold: float) -> float: ...
def edit_steps(a: str, b: str, insert: float, delete: float, substitute: float) -> Array: ...
def edit_distances(texts: TextSet, left: Array, right: Array, kind: int, cutoff: int, threads: int) -> Array: ...
def weighted_distances(
    texts: TextSet, left: Array, right: Array, insert: float, delete: float, substitute: float, threads: int
) -> Floats: ...
def jaro_similarities(
    texts: TextSet, left: Array, right: Array, weight: float, threshold: float, threads: int
) -> Floats: ...
def edit_distance_table(texts: TextSet, rows: int, kind: int, threads: int) -> Array: ...
def rows_with_shared_keys(
    starts: Array, keys: Array, weights: Floats, most: int, threads: int
) -> tuple[Array, Array]: ...
def close_pairs(texts: TextSet, most: Array, side: Array, threads: int) -> tuple[Array, Array, Array]: ...
def number_figures(columns: list[NumberColumn], top: int, bins: int, threads: int) -> list[dict[str, Any]]: ...
def code_numbers(
    columns: list[NumberColumn], top: int, bins: int, threads: int
) -> list[tuple[dict[str, Any], Array, Array, Array, Array]]: ...
def sorted_runs(column: NumberColumn) -> tuple[Array, Array, int, int, int]: ...
def run_figures(values: NumberColumn, counts: Array, top: int, bins: int) -> dict[str, Any]: ...
def hash_rows(columns: list[NumberColumn], threads: int) -> Array: ...
def first_equal_rows(columns: list[NumberColumn], threads: int) -> Array: ...
def code_streams(capsules: list[Any], threads: int) -> list[tuple[list[str], Array, Array, Array] | None]: ...
def code_strings(cells: list[Any]) -> tuple[list[str], Array, Array, Array] | None: ...
def hash_strings(texts: list[str]) -> Array: ...
def group_squares(
    codes: list[Array], levels: list[int], columns: list[Floats], threads: int
) -> tuple[Floats, Floats]: ...
def newton(
    x: Matrix,
    y: Floats,
    weight: Floats | None,
    start_coef: Floats,
    start_intercept: Floats,
    settings: LinearSettings,
    record: bool = False,
    listener: Listener | None = None,
) -> tuple[int, int, float, float, Floats, Floats, History | None]: ...
def lbfgs(
    x: Matrix,
    y: Floats,
    weight: Floats | None,
    start_coef: Floats,
    start_intercept: Floats,
    settings: LinearSettings,
    loss: str,
    positive: bool = False,
    record: bool = False,
    listener: Listener | None = None,
) -> tuple[int, int, float, float, Floats, Floats, History | None]: ...

# naive Bayes of numbers and counts
def class_moments(
    x: Matrix, codes: Array, classes: int, weight: Floats | None, missing: bool, threads: int
) -> tuple[Floats, Floats, Floats]: ...
def gaussian_scores(
    x: Matrix, mean: Floats, half: Floats, log: Floats, prior: Floats, out: Floats, threads: int
) -> None: ...
def gaussian_codes(
    x: Matrix, mean: Floats, half: Floats, log: Floats, prior: Floats, out: Array, threads: int
) -> None: ...
def class_counts(
    x: Matrix, codes: Array, weight: Floats | None, threshold: float | None, out: Floats, threads: int
) -> tuple[bool, bool]: ...
def linear_scores(
    x: Matrix, table: Floats, start: Floats, threshold: float | None, out: Floats, threads: int
) -> tuple[bool, bool]: ...
def linear_codes(
    x: Matrix, table: Floats, start: Floats, threshold: float | None, out: Array, threads: int
) -> tuple[bool, bool]: ...
def best_classes(scores: Floats, out: Array, threads: int) -> None: ...
def posterior(scores: Floats, logarithm: bool, threads: int) -> int: ...
def code_extents(x: Array, threads: int) -> Floats: ...
def count_codes(x: Array, sizes: Array, classes: Array, n_classes: int, weight: Floats, threads: int) -> Floats: ...
def add_code_scores(x: Array, sizes: Array, tables: Floats, n_classes: int, out: Floats, threads: int) -> None: ...
def add_log_densities(x: Floats, densities: list[Density], out: Floats, threads: int) -> None: ...

# discriminants
def class_scatter(
    x: Matrix, codes: Array, classes: int, weight: Floats | None, pooled: bool, threads: int
) -> tuple[int, Floats, Floats, Floats, Floats]: ...
def fourth_moments(
    x: Matrix, codes: Array, weight: Floats | None, mean: Floats, inverse: Floats, threads: int
) -> Floats: ...
def centered_scores(x: Matrix, scale: Floats, offset: Floats, w: Floats, b: Floats, threads: int) -> Floats: ...
def quadratic_scores(
    x: Matrix, scale: Floats, mean: Floats, factors: Floats, level: Floats, threads: int
) -> Floats: ...

# trees
def tree_columns(x: Matrix, n_categories: Array, threads: int) -> TreeColumns: ...
def grow_tree(
    columns: TreeColumns,
    y: Floats,
    n_classes: Array,
    weight: Floats | None,
    monotone: Array | None,
    settings: TreeSettings,
    seed: int,
    threads: int,
) -> dict[str, Array]: ...
def boost_stumps(
    x: Matrix,
    n_categories: Array,
    codes: Array,
    classes: int,
    weight: Floats,
    rounds: int,
    rate: float,
    half: bool,
    normalize: bool,
    record: bool,
    threads: int,
) -> dict[str, Any]: ...
def add_stump_votes(
    x: Matrix,
    feature: Array,
    threshold: Floats,
    missing_left: Array,
    left: Array,
    right: Array,
    stage: Floats,
    votes: Floats,
    threads: int,
) -> None: ...
def sketch_from_state(
    size: int, block: int, levels: Array, starts: Array, entries: Floats, waiting: Floats
) -> QuantileSketch: ...
def binned_table(
    x: Matrix,
    n_categories: Array,
    weight: Floats | None,
    most_bins: int,
    threads: int,
    bundle: bool = False,
    most_conflicts: float = 0.0,
    sketch: bool = False,
) -> BinnedTable: ...
def binned_like(x: Matrix, like: BinnedTable, threads: int) -> BinnedTable: ...
def boosted_scores(forest: Forest, x: Matrix, start: Floats, first: int, last: int, threads: int) -> Floats: ...
def grow_forest(
    columns: TreeColumns,
    y: Floats,
    n_classes: Array,
    weight: Floats | None,
    monotone: Array | None,
    settings: TreeSettings,
    seed: int,
    draw: str,
    draws: int,
    balanced: bool,
    tree_features: int,
    ccp_alpha: float,
    first: int,
    count: int,
    threads: int,
) -> dict[str, Array]: ...
def forest_predict(forest: Forest, x: Matrix, n_classes: Array, threads: int) -> Floats: ...
def forest_apply(forest: Forest, x: Matrix, threads: int) -> Array: ...
def forest_tree(
    forest: Forest,
    leaf_rows: Array,
    leaf_weight: Floats,
    leaf_impurity: Floats,
    node_value: Floats,
    node_impurity: Floats,
    n_classes: Array,
    settings: TreeSettings,
    tree: int,
) -> dict[str, Array]: ...
def forest_out_of_bag(
    forest: Forest,
    x: Matrix,
    y: Floats,
    n_classes: Array,
    weight: Floats | None,
    sampler: ForestSampler,
    threads: int,
) -> dict[str, Array]: ...
def forest_shuffled(
    forest: Forest,
    x: Matrix,
    y: Floats,
    n_classes: Array,
    weight: Floats | None,
    sampler: ForestSampler,
    seed: int,
    threads: int,
) -> Floats: ...
def forest_leaf_targets(
    forest: Forest, x: Matrix, order: Array, sampler: ForestSampler, threads: int
) -> tuple[Array, Array]: ...
def forest_quantiles(
    forest: Forest,
    x: Matrix,
    start: Array,
    place: Array,
    targets: Floats,
    weight: Floats | None,
    q: Floats,
    threads: int,
) -> Floats: ...
def grow_multiway(
    x: Matrix,
    label: Array,
    n_classes: int,
    weight: Floats,
    validation: Floats,
    levels: Array,
    costs: Floats,
    rules: dict[str, Any],
    threads: int,
) -> dict[str, Array]: ...
def grow_chaid(
    codes: Array,
    counts: Array,
    ordinal: Array,
    numeric: Array,
    edges_start: Array,
    edges: Floats,
    labels: Array | None,
    classes: int,
    numbers: Floats | None,
    weight: Floats | None,
    settings: dict[str, Any],
    threads: int,
) -> dict[str, Array]: ...
def log_chi_squared_tail(x: float, df: float) -> float: ...
def log_f_tail(f: float, df1: float, df2: float) -> float: ...
def log_stirling(n: int, k: int) -> int | float: ...
def tree_apply(tree: Tree, x: Matrix, threads: int) -> Array: ...
def tree_answer(tree: Tree, x: Matrix, classes: Array, threads: int) -> Floats: ...
def tree_paths(tree: Tree, x: Matrix, begin: int, end: int, threads: int) -> tuple[Array, Array, Floats]: ...
def tree_answering(tree: Tree, x: Matrix, begin: int, end: int, threads: int) -> tuple[Array, Array, Floats]: ...

# (node, alpha, risk, leaves) of each step
def weakest_links(
    parent: Array, first_child: Array, n_children: Array, risk: Floats
) -> tuple[Array, Floats, Floats, Array]: ...

# rules
class RuleProgram:
    def __init__(
        self,
        feature: Array,
        low: Floats,
        high: Floats,
        flags: Array,
        table_start: Array,
        table: Array,
        steps: Array,
        starts: Array,
    ) -> None: ...

def rule_bits(x: Matrix, program: RuleProgram, threads: int) -> Array: ...
def first_rule(x: Matrix, program: RuleProgram, labels: Array, allowed: Array, threads: int) -> Array: ...
def rule_votes(
    x: Matrix, program: RuleProgram, labels: Array, weight: Floats, classes: int, threads: int
) -> Floats: ...
def fired_rules(x: Matrix, program: RuleProgram, threads: int) -> tuple[Array, Array]: ...
def rule_counts(bits: Array, codes: Array, weight: Floats, classes: int, threads: int) -> Floats: ...
def rule_conflicts(bits: Array, labels: Array, threads: int) -> Array: ...
def one_r_buckets(
    x: Matrix, columns: Array, codes: Array, weight: Floats, classes: int, least: float, threads: int
) -> list[tuple[Floats, Floats]]: ...
def prism(
    codes: Array,
    sizes: Array,
    labels: Array,
    weight: Array,
    classes: int,
    accuracy: float,
    least: int,
    conditions: int,
    threads: int,
) -> tuple[Array, Array, Array, Array, Array, Array]: ...

# RIPPER; place: class of each row by its place in the order of the classes
class RipperSettings:
    """How rules are sought; prune_by: 0 Laplace, 1 Cohen."""
    def __init__(
        self,
        *,
        folds: float,
        optimizations: int,
        min_weight: float,
        max_conditions: int,
        max_rules: int,
        prune: bool,
        prune_by: int,
        check_error: bool,
        seed: int,
        threads: int,
    ) -> None: ...

def ripper(
    x: Matrix, is_category: Array, place: Array, weight: Floats, classes: int, settings: RipperSettings, record: bool
) -> tuple[dict[str, Array], History | None]: ...
def ripper_keys(x: Matrix, weight: Floats, seed: int, split: int) -> Array: ...

# Words of texts; texts: a list of str, or of lists of str (in_words); unit: 0 words, 1 letters, 2 letters in words
class Terms:
    """Terms by their columns, which are their places in the list."""
    def __init__(self, terms: list[str]) -> None: ...

class TextAnalysis:
    """How a text is cut into terms of low to high words or letters."""
    def __init__(
        self, *, unit: int, lower: bool, shortest: int, low: int, high: int, stop: list[str] | None
    ) -> None: ...

CountedRows = tuple[Floats, Array, Array]  # values, columns, starts

def text_fit(
    texts: list[Any],
    in_words: bool,
    analysis: TextAnalysis,
    low: float,
    high: float,
    limit: int | None,
    binary: bool,
    threads: int,
) -> tuple[list[str], Array, int, CountedRows]: ...
def text_transform(
    texts: list[Any], in_words: bool, analysis: TextAnalysis, terms: Terms, binary: bool, threads: int
) -> CountedRows: ...
def text_hash(
    texts: list[Any], in_words: bool, analysis: TextAnalysis, columns: int, signs: bool, binary: bool, threads: int
) -> CountedRows: ...

# norm: 0 none, 1 l1, 2 l2; the weights are written over the values
def weigh_rows(
    starts: Array, columns: Array, values: Floats, idf: Floats | None, sublinear: bool, norm: int, threads: int
) -> None: ...
def count_rows_with(columns: Array, values: Floats, n_columns: int) -> Array: ...

# components: rows along directions (the rows of w), and what the covariance does to directions (the rows of v)
def project(
    x: Matrix, unit: float, center: Floats, w: Floats, squares: bool, threads: int
) -> tuple[Floats, Floats | None]: ...
def covariance_times(x: Matrix, unit: float, center: Floats, v: Floats, threads: int) -> tuple[Floats, Floats]: ...

# recommenders; ratings by row: (starts, indices, values)
Rated = tuple[Array, Array, Array]

def group_ratings(
    rows: Array, columns: Array, values: Floats, n_rows: int, n_columns: int, twice: int
) -> tuple[Rated, int]: ...
def transpose_ratings(rated: Rated, columns: int) -> Rated: ...
def fit_biases(
    users: Rated,
    items: Rated,
    mean: float,
    user_penalty: float,
    item_penalty: float,
    passes: int,
    tol: float,
    user_bias: Floats,
    item_bias: Floats,
    threads: int,
    record: bool,
    listener: Listener | None,
) -> tuple[int, float, History | None]: ...
def rating_similarities(
    rows: Rated,
    columns: Rated,
    over: int,
    min_overlap: int,
    shrinkage: float,
    above: float,
    keep: int,
    threads: int,
) -> Rated: ...
def neighbor_means(
    similar: Rated, columns: Rated, rows: Array, about: Array, k: int, least: int, threads: int
) -> Floats: ...
def best_columns(scores: Floats, seen: Rated, seen_rows: Array, n: int, threads: int) -> tuple[Array, Floats]: ...
def fit_factors(
    users: Rated,
    items: Rated,
    p: Floats,
    user_bias: Floats,
    q: Floats,
    item_bias: Floats,
    factors: int,
    mean: float,
    penalty: float,
    by_count: bool,
    biases: bool,
    passes: int,
    tol: float,
    threads: int,
    record: bool,
    listener: Listener | None,
) -> tuple[int, int, float, bool, History | None]: ...
def fit_implicit(
    users: Rated,
    items: Rated,
    x: Array,
    y: Array,
    factors: int,
    steps: int,
    penalty: float,
    passes: int,
    tol: float,
    threads: int,
    record: bool,
    listener: Listener | None,
) -> tuple[int, int, float, bool, History | None]: ...
def implicit_objective(users: Rated, x: Array, y: Array, penalty: float, threads: int) -> float: ...
def pair_products(x: Array, y: Array, rows: Array, columns: Array, threads: int) -> Floats: ...
def all_products(x: Array, y: Array, rows: Array, threads: int) -> Floats: ...

# Baskets: the items of basket b are codes[starts[b]:starts[b + 1]]; levels: (sets x length, counts), one a length
def code_baskets(baskets: Any) -> tuple[Array, Array, list[Any]] | int: ...
def code_lines(text: bytes, delimiter: str) -> tuple[Array, Array, list[bytes], int]: ...
def tidy_baskets(starts: Array, codes: Array, items: int) -> tuple[Array, Array]: ...
def frequent_sets(
    starts: Array, codes: Array, items: int, least: int, longest: int, most: int, threads: int
) -> list[tuple[Array, Array]] | None: ...
def closed_sets(
    starts: Array, codes: Array, items: int, least: int, longest: int, most: int, maximal: bool, threads: int
) -> list[tuple[Array, Array]] | None: ...
def apriori_sets(
    starts: Array, codes: Array, items: int, least: int, longest: int, most: int, record: bool, threads: int
) -> tuple[list[tuple[Array, Array]] | None, Array, Array]: ...
def item_tuples(codes: Array, names: list[Any], out: Array) -> None: ...
def rules_of_sets(
    levels: list[Array], counts: Array, least: float, longest: int, most: int, threads: int
) -> Array | None: ...

# k-means; rows are read as (x - shift) unit, and centers, squares and distortions are in that frame
def k_means(
    x: Matrix,
    shift: Floats | None,
    unit: float,
    weight: Floats | None,
    start: Floats,
    max_iter: int,
    tol: float,
    panels: bool,
    threads: int,
    record: bool,
    listener: Listener | None,
) -> tuple[Floats, Array, float, int, bool, History | None]: ...
def nearest_centers(x: Matrix, shift: Floats | None, unit: float, centers: Floats, threads: int) -> Array: ...
def distortion(
    x: Matrix, shift: Floats | None, unit: float, weight: Floats | None, centers: Floats, labels: Array, threads: int
) -> float: ...
def far_apart_rows(
    x: Matrix, shift: Floats | None, unit: float, weight: Floats | None, k: int, trials: int, seed: int, threads: int
) -> Array: ...

# outliers; neighbors of row a stand from starts[a] to starts[a + 1]
def local_densities(
    starts: Array, distances: Floats, rows: Array, k_distance: Floats, least: float, threads: int
) -> Floats: ...
def outlier_factors(
    starts: Array, distances: Floats, rows: Array, own: Floats, fitted: Floats, threads: int
) -> Floats: ...
def average_path(m: float) -> float: ...
def grow_isolation(
    x: Matrix, trees: int, samples: int, columns: int, bootstrap: bool, seed: int, threads: int
) -> tuple[Array, Array, Array, Floats, Array]: ...
def mean_paths(x: Matrix, starts: Array, column: Array, left: Array, threshold: Floats, threads: int) -> Floats: ...

# networks; parameters are one vector: weights (inputs x units, by rows) and biases of each layer in turn
class Network:
    def __init__(self, units: list[int], hidden: int, output: int, loss: int) -> None: ...

class NetworkSettings:
    alpha: float
    batch: int
    most_epochs: int
    patience: int
    most_evaluations: int
    tol: float
    momentum: float
    beta_1: float
    beta_2: float
    epsilon: float
    nesterov: bool
    shuffle: bool
    seed: int
    threads: int
    def __init__(self) -> None: ...
    def set_solver(self, solver: int) -> None: ...
    def set_score(self, score: int) -> None: ...
    def set_rate(self, kind: int, eta0: float, power: float) -> None: ...

def train_network(
    x: Matrix,
    y: Floats,
    weight: Floats | None,
    learned: Array | None,
    held: Array | None,
    network: Network,
    settings: NetworkSettings,
    start: Floats,
    first: Floats,
    second: Floats,
    counts: Floats,
    record: bool,
    listener: Listener | None,
) -> tuple[int, int, Floats, Floats, float, Floats, Floats, Floats, Floats, History | None]: ...
def network_answers(x: Matrix, network: Network, theta: Floats, threads: int) -> Floats: ...
def network_gradient(
    x: Matrix, y: Floats, weight: Floats | None, network: Network, alpha: float, theta: Floats, threads: int
) -> tuple[float, Floats]: ...

# support vector machines; a row wants its score between from_ and to, what it lacks costs `cost` a unit
def smo(
    x: Matrix,
    kernel: int,
    gamma: float,
    coef0: float,
    degree: int,
    rows: Array,
    starts: Array,
    from_: Floats,
    to: Floats,
    cost: Floats,
    tol: float,
    shrinking: bool,
    cache_bytes: float,
    most_steps: int,
    threads: int,
    record: bool = False,
) -> tuple[Floats, Floats, History | None]: ...
def kernel_decisions(
    x: Matrix,
    kernel: int,
    gamma: float,
    coef0: float,
    degree: int,
    supports: Floats,
    coef: Floats,
    bias: Floats,
    threads: int,
) -> Floats: ...
def linear_svm(
    x: Matrix,
    from_: Floats,
    to: Floats,
    cost: Floats,
    constant: float,
    squared: bool,
    primal: bool,
    tol: Floats,
    most_passes: int,
    seed: int,
    threads: int,
    record: bool = False,
) -> tuple[Floats, Floats, Floats, History | None]: ...
def sparse_svm(
    columns: Matrix,
    from_: Floats,
    to: Floats,
    cost: Floats,
    constant: float,
    tol: Floats,
    most_passes: int,
    seed: int,
    threads: int,
    record: bool = False,
) -> tuple[Floats, Floats, Floats, History | None]: ...
def joint_svm(
    x: Matrix,
    label: Array,
    cost: Floats,
    classes: int,
    constant: float,
    tol: float,
    most_passes: int,
    seed: int,
    record: bool = False,
) -> tuple[Floats, Floats, Floats, History | None]: ...
def couple_pairs(r: Floats, classes: int, threads: int) -> Floats: ...
