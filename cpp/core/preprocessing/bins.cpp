#include "core/preprocessing/bins.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"

namespace pellucid {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr Size kBlockCells = Size{1} << 19;
constexpr Size kTile = 64;     // cells at a time
constexpr Size kCounted = 24;  // up to so many cuts are counted one by one: lanes of cells, no branches
constexpr Size kGroup = 8;     // columns read together: one cache line of a row

// ------------------------------------------------------------------------------------------------------------- assign

// Cuts of all columns for counting: cut k of column c stands at k * cols + c, padded with infinity.
struct CountTable {
    Size depth = 0;
    std::vector<double> cells;

    CountTable(const Cuts& cuts, Size cols) {
        for (Size c = 0; c < cols; ++c) depth = std::max(depth, cuts.of(c).size());
        if (depth > kCounted) return;
        cells.assign(depth * cols, kInfinity);
        for (Size c = 0; c < cols; ++c)
            for (Size k = 0; k < cuts.of(c).size(); ++k) cells[k * cols + c] = cuts.of(c)[k];
    }
    bool fits() const { return depth <= kCounted; }
};

// How many of the ascending cuts are at most v.
double count_cuts(std::span<const double> cuts, double v) {
    const double* base = cuts.data();
    Size n = cuts.size();
    while (n > 1) {
        const Size half = n / 2;
        base += base[half - 1] <= v ? half : 0;
        n -= half;
    }
    return static_cast<double>(base - cuts.data()) + (n == 1 && *base <= v ? 1.0 : 0.0);
}

// Numbers of a run as doubles; `odd` becomes NaN if one is not finite.
template <class T>
void take(const T* x, std::ptrdiff_t stride, Size n, double* into, double& odd) {
    double sum = 0;
    if (stride == 1)
        for (Size i = 0; i < n; ++i) into[i] = static_cast<double>(x[i]);
    else
        for (Size i = 0; i < n; ++i) into[i] = static_cast<double>(x[static_cast<std::ptrdiff_t>(i) * stride]);
    for (Size i = 0; i < n; ++i) sum += into[i] * 0.0;
    odd += sum;
}

template <class Out>
void put(const double* from, Size n, Out* out, std::ptrdiff_t stride) {
    if (stride == 1)
        for (Size i = 0; i < n; ++i) out[i] = static_cast<Out>(from[i]);
    else
        for (Size i = 0; i < n; ++i) out[static_cast<std::ptrdiff_t>(i) * stride] = static_cast<Out>(from[i]);
}

// Some cells of one row, in neighboring columns.
template <class T, class Out>
void bin_across(const T* x, Size first, Size n, const CountTable& table, Size cols, const Cuts& cuts,
                const double* offset, Out* out, double& odd) {
    double v[kTile], bin[kTile];
    take(x, 1, n, v, odd);
    for (Size i = 0; i < n; ++i) bin[i] = offset[first + i];
    if (table.fits())
        for (Size k = 0; k < table.depth; ++k) {
            const double* cut = table.cells.data() + k * cols + first;
            for (Size i = 0; i < n; ++i) bin[i] += v[i] >= cut[i] ? 1.0 : 0.0;
        }
    else
        for (Size i = 0; i < n; ++i) bin[i] += count_cuts(cuts.of(first + i), v[i]);
    put(bin, n, out, 1);
}

// Some cells of one column.
template <class T, class Out>
void bin_down(const T* x, std::ptrdiff_t from, Size n, std::span<const double> cuts, double offset, Out* out,
              std::ptrdiff_t to, double& odd) {
    double v[kTile], bin[kTile];
    take(x, from, n, v, odd);
    std::fill(bin, bin + n, offset);
    if (cuts.size() <= kCounted)
        for (const double cut : cuts)
            for (Size i = 0; i < n; ++i) bin[i] += v[i] >= cut ? 1.0 : 0.0;
    else
        for (Size i = 0; i < n; ++i) bin[i] += count_cuts(cuts, v[i]);
    put(bin, n, out, to);
}

// -------------------------------------------------------------------------------------------------------------- ranks

// Brings the values of the given ranks to their places: the middle one first, then those on both sides of it.
void place_ranks(std::span<double> values, Size shift, std::span<const std::int64_t> ranks) {
    if (ranks.empty() || values.size() < 2) return;
    const Size middle = ranks.size() / 2, at = static_cast<Size>(ranks[middle]) - shift;
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
    const auto left = ranks.first(middle);
    const auto end = std::upper_bound(ranks.begin() + static_cast<std::ptrdiff_t>(middle), ranks.end(), ranks[middle]);
    const auto begin = std::lower_bound(left.begin(), left.end(), ranks[middle]);
    place_ranks(values.first(at), shift, ranks.first(static_cast<Size>(begin - left.begin())));
    place_ranks(values.subspan(at + 1), shift + at + 1, {end, ranks.end()});
}

// Columns [first, first + n), one after the other.
template <class T>
void gather(const Dense<T>& x, Size first, Size n, double* into) {
    for (Size r = 0; r < x.rows; ++r)
        for (Size j = 0; j < n; ++j) into[j * x.rows + r] = static_cast<double>(x.at(r, first + j));
}
template <class Index>
void gather(const Csr<Index>&, Size, Size, double*) {
    require(false, "bins: X must be dense");
}

// -------------------------------------------------------------------------------------------------------- greedy cuts

// One column in ascending order, with the target and the weight of each value.
struct Sorted {
    std::vector<double> x, y, w;
};

struct Interval {
    Size begin = 0, end = 0, cut = 0;  // cut: the first value on its right; begin if there is none to be made
    double gain = 0;
};

double x_log_x(double x) { return x > 0 ? x * std::log2(x) : 0.0; }

// Costs of class weights. Whole numbers, the case without weights, are looked up.
class ClassCost {
  public:
    ClassCost(Size classes, std::span<const double> table)
        : table_(table), node_(classes), left_(classes), right_(classes) {}

    void start(const Sorted& s, Size begin, Size end) {
        std::fill(node_.begin(), node_.end(), 0.0);
        std::fill(left_.begin(), left_.end(), 0.0);
        for (Size i = begin; i < end; ++i) node_[static_cast<Size>(s.y[i])] += s.w[i];
        total_ = std::accumulate(node_.begin(), node_.end(), 0.0);
        left_total_ = 0;
        cost_ = cost(node_, total_);
    }
    bool is_pure() const {
        return std::count_if(node_.begin(), node_.end(), [](double w) { return w > 0; }) < 2;
    }
    double tolerance() const { return 1e-12 * cost_ + 4 * kEpsilon * term(total_); }
    void move_left(const Sorted& s, Size i) {
        left_[static_cast<Size>(s.y[i])] += s.w[i];
        left_total_ += s.w[i];
    }
    double gain() {
        for (Size k = 0; k < node_.size(); ++k) right_[k] = node_[k] - left_[k];
        return cost_ - (cost(left_, left_total_) + cost(right_, total_ - left_total_));
    }

  private:
    double term(double w) const { return table_.empty() ? x_log_x(w) : table_[static_cast<Size>(w)]; }
    double cost(const std::vector<double>& weights, double sum) const {
        double found = term(sum);
        for (const double w : weights) found -= term(w);
        return found;
    }

    std::span<const double> table_;
    std::vector<double> node_, left_, right_;
    double total_ = 0, left_total_ = 0, cost_ = 0;
};

// Costs of numbers, taken about the interval's mean:  C - C_left - C_right = S_left^2 / W_left + S_right^2 / W_right.
class SquaredCost {
  public:
    void start(const Sorted& s, Size begin, Size end) {
        total_ = sum_ = square_ = left_ = left_total_ = rest_ = 0;
        for (Size i = begin; i < end; ++i) total_ += s.w[i], sum_ += s.w[i] * s.y[i];
        mean_ = sum_ / total_;
        const auto [low, high] = std::minmax_element(s.y.begin() + static_cast<std::ptrdiff_t>(begin),
                                                     s.y.begin() + static_cast<std::ptrdiff_t>(end));
        pure_ = *low == *high;
        for (Size i = begin; i < end; ++i) {
            const double d = s.y[i] - mean_;
            square_ += s.w[i] * d * d, rest_ += s.w[i] * d;
        }
    }
    bool is_pure() const { return pure_; }
    double tolerance() const { return 1e-12 * square_; }
    void move_left(const Sorted& s, Size i) {
        left_ += s.w[i] * (s.y[i] - mean_);
        left_total_ += s.w[i];
    }
    double gain() const {
        const double right = rest_ - left_, right_total = total_ - left_total_;
        return left_ * left_ / left_total_ + right * right / right_total - rest_ * rest_ / total_;
    }

  private:
    double total_ = 0, sum_ = 0, mean_ = 0, square_ = 0, rest_ = 0, left_ = 0, left_total_ = 0;
    bool pure_ = false;
};

template <class Cost>
Interval best_cut(const Sorted& s, Size begin, Size end, Size min_leaf, Cost& cost) {
    Interval found{begin, end, begin, -1};
    if (end - begin < 2 * min_leaf || !(s.x[begin] < s.x[end - 1])) return found;
    cost.start(s, begin, end);
    if (cost.is_pure()) return found;
    const double tolerance = cost.tolerance();
    for (Size i = begin; i + min_leaf < end; ++i) {
        cost.move_left(s, i);
        if (i + 1 - begin < min_leaf || !(s.x[i] < s.x[i + 1])) continue;
        const double gain = cost.gain();
        if (found.cut == begin || gain > found.gain + tolerance) found.cut = i + 1, found.gain = gain;
    }
    return found;
}

template <class Cost>
std::vector<GreedyCut> cut_column(const Sorted& s, Size leaves, Size min_leaf, double weight, Cost cost) {
    std::vector<GreedyCut> made;
    std::vector<Interval> open{best_cut(s, 0, s.x.size(), min_leaf, cost)};  // from left to right
    while (made.size() + 1 < leaves) {
        Size next = open.size();
        for (Size i = 0; i < open.size(); ++i) {
            const bool can = open[i].cut > open[i].begin;
            if (can && (next == open.size() || open[i].gain > open[next].gain * (1 + 1e-12))) next = i;
        }
        if (next == open.size()) break;
        const Interval node = open[next];
        const double below = s.x[node.cut - 1], above = s.x[node.cut], middle = below / 2 + above / 2;
        made.push_back({below, middle > below ? middle : above, above, std::max(node.gain, 0.0) / weight});
        open[next] = best_cut(s, node.begin, node.cut, min_leaf, cost);
        open.insert(open.begin() + static_cast<std::ptrdiff_t>(next + 1),
                    best_cut(s, node.cut, node.end, min_leaf, cost));
    }
    return made;
}

void sort_column(std::span<const double> column, const CutTarget& target, std::vector<Size>& order, Sorted& s) {
    const Size n = column.size();
    order.resize(n);
    std::iota(order.begin(), order.end(), Size{0});
    std::sort(order.begin(), order.end(),
              [&](Size a, Size b) { return column[a] < column[b] || (column[a] == column[b] && a < b); });
    s.x.resize(n), s.y.resize(n), s.w.resize(n);
    for (Size i = 0; i < n; ++i) {
        s.x[i] = column[order[i]], s.y[i] = target.y[order[i]];
        s.w[i] = target.weight.empty() ? 1.0 : target.weight[order[i]];
    }
}

}  // namespace

template <class T, class Out>
bool assign_bins(const Dense<T>& x, const Cuts& cuts, std::span<const std::int64_t> offset, const Written<Out>& out,
                 int threads) {
    require(cuts.first.size() == x.cols + 1, "assign_bins: cuts of every column");
    require(offset.size() == x.cols, "assign_bins: one offset a column");
    require(out.rows == x.rows && out.cols == x.cols, "assign_bins: size of the result");
    if (x.rows == 0 || x.cols == 0) return true;
    const std::vector<double> shift(offset.begin(), offset.end());
    const CountTable table(cuts, x.cols);
    std::atomic<bool> finite = true;
    const bool by_row = x.col_stride == 1 && out.col_stride == 1 && x.cols > 1;
    const Size height = by_row ? std::max<Size>(kBlockCells / x.cols, 1) : kBlockCells;
    const Size pieces = blocks_of(x.rows, height);
    parallel_for(by_row ? pieces : pieces * x.cols, threads, [&](Size block) {
        const Size begin = block % pieces * height, end = std::min(begin + height, x.rows), c = block / pieces;
        const auto place = [&](Size r, Size col) {
            return out.data + static_cast<std::ptrdiff_t>(r) * out.row_stride +
                   static_cast<std::ptrdiff_t>(col) * out.col_stride;
        };
        double odd = 0;
        if (by_row) {
            for (Size r = begin; r < end; ++r)
                for (Size col = 0; col < x.cols; col += kTile)
                    bin_across(&x.at(r, col), col, std::min(kTile, x.cols - col), table, x.cols, cuts, shift.data(),
                               place(r, col), odd);
        } else {
            for (Size r = begin; r < end; r += kTile)
                bin_down(&x.at(r, c), x.row_stride, std::min(kTile, end - r), cuts.of(c), shift[c], place(r, c),
                         out.row_stride, odd);
        }
        if (!(odd == 0)) finite = false;
    });
    return finite;
}

template bool assign_bins(const Dense<double>&, const Cuts&, std::span<const std::int64_t>, const Written<double>&,
                          int);
template bool assign_bins(const Dense<double>&, const Cuts&, std::span<const std::int64_t>, const Written<float>&, int);
template bool assign_bins(const Dense<double>&, const Cuts&, std::span<const std::int64_t>,
                          const Written<std::int32_t>&, int);
template bool assign_bins(const Dense<double>&, const Cuts&, std::span<const std::int64_t>,
                          const Written<std::int64_t>&, int);
template bool assign_bins(const Dense<float>&, const Cuts&, std::span<const std::int64_t>, const Written<double>&, int);
template bool assign_bins(const Dense<float>&, const Cuts&, std::span<const std::int64_t>, const Written<float>&, int);
template bool assign_bins(const Dense<float>&, const Cuts&, std::span<const std::int64_t>, const Written<std::int32_t>&,
                          int);
template bool assign_bins(const Dense<float>&, const Cuts&, std::span<const std::int64_t>, const Written<std::int64_t>&,
                          int);

std::vector<double> column_ranked(const Matrix& X, std::span<const std::int64_t> ranks, int threads) {
    const Size rows = rows_of(X), cols = cols_of(X);
    require(std::is_sorted(ranks.begin(), ranks.end()), "column_ranked: ranks must not fall");
    require(ranks.empty() || (ranks.front() >= 0 && static_cast<Size>(ranks.back()) < rows),
            "column_ranked: ranks within the rows");
    std::vector<double> found(cols * ranks.size());
    parallel_for(blocks_of(cols, kGroup), threads, [&](Size group) {
        const Size first = group * kGroup, n = std::min(kGroup, cols - first);
        std::vector<double> values(n * rows);
        std::visit([&](const auto& x) { gather(x, first, n, values.data()); }, X);
        for (Size j = 0; j < n; ++j) {
            const std::span<double> column{values.data() + j * rows, rows};
            place_ranks(column, 0, ranks);
            for (Size i = 0; i < ranks.size(); ++i)
                found[(first + j) * ranks.size() + i] = column[static_cast<Size>(ranks[i])];
        }
    });
    return found;
}

std::vector<std::vector<GreedyCut>> greedy_cuts(const Matrix& X, const CutTarget& target,
                                                std::span<const std::int64_t> leaves, Size min_leaf, int threads) {
    const Size rows = rows_of(X), cols = cols_of(X);
    require(target.y.size() == rows, "greedy_cuts: one target a row");
    require(target.weight.empty() || target.weight.size() == rows, "greedy_cuts: one weight a row");
    require(leaves.size() == cols, "greedy_cuts: one number of leaves a column");
    require(min_leaf > 0, "greedy_cuts: a leaf has rows");
    for (const double y : target.y)
        require(target.classes == 0 || (y >= 0 && y < static_cast<double>(target.classes)), "greedy_cuts: codes");
    std::vector<double> table;
    if (target.classes > 0 && target.weight.empty()) {
        table.resize(rows + 1);
        for (Size i = 0; i <= rows; ++i) table[i] = x_log_x(static_cast<double>(i));
    }
    double weight = static_cast<double>(rows);
    if (!target.weight.empty()) weight = std::accumulate(target.weight.begin(), target.weight.end(), 0.0);
    std::vector<std::vector<GreedyCut>> found(cols);
    parallel_for(cols, threads, [&](Size c) {
        std::vector<double> column(rows);
        std::visit([&](const auto& x) { gather(x, c, 1, column.data()); }, X);
        std::vector<Size> order;
        Sorted s;
        sort_column(column, target, order, s);
        const Size most = static_cast<Size>(std::max<std::int64_t>(leaves[c], 1));
        found[c] = target.classes > 0 ? cut_column(s, most, min_leaf, weight, ClassCost(target.classes, table))
                                      : cut_column(s, most, min_leaf, weight, SquaredCost());
    });
    return found;
}

}  // namespace pellucid
