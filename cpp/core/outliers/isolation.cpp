#include "core/outliers/isolation.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/base/rng.hpp"
#include "core/linalg/element.hpp"

namespace pellucid {

double average_path(double m) {
    if (m <= 1) return 0;
    if (m <= 2) return 1;
    return 2 * (std::log(m - 1) + std::numbers::egamma) - 2 * (m - 1) / m;
}

namespace {

// `count` different numbers below n, in order (Floyd).
std::vector<Size> distinct(Size n, Size count, const Random& random, std::uint64_t& index) {
    std::vector<Size> drawn;
    drawn.reserve(count);
    for (Size j = n - count; j < n; ++j) {
        const auto t = static_cast<Size>(random.below(index++, j + 1));
        const auto at = std::lower_bound(drawn.begin(), drawn.end(), t);
        if (at != drawn.end() && *at == t)
            drawn.push_back(j);  // larger than all so far
        else
            drawn.insert(at, t);
    }
    return drawn;
}

struct Draft {
    std::vector<std::int32_t> column, left, rows;
    std::vector<double> threshold;

    std::int32_t add() {
        column.push_back(-1);
        left.push_back(-1);
        rows.push_back(0);
        threshold.push_back(0);
        return static_cast<std::int32_t>(column.size()) - 1;
    }
};

// One tree: its sample as a small table of its own, columns side by side.
class Grower {
  public:
    Grower(const Matrix& X, const IsolationSettings& s, Size tree) : random_{s.seed, tree + 1} {
        const Size n = rows_of(X), p = cols_of(X);
        rows_ = s.bootstrap ? repeated(n, s.samples) : distinct(n, s.samples, random_, index_);
        columns_ = s.columns < p ? distinct(p, s.columns, random_, index_) : std::vector<Size>(p);
        if (s.columns >= p) std::iota(columns_.begin(), columns_.end(), Size{0});
        values_.resize(rows_.size() * columns_.size());
        read(X);
        order_.resize(rows_.size());
        std::iota(order_.begin(), order_.end(), Size{0});
        most_ = static_cast<Size>(std::ceil(std::log2(std::max<double>(static_cast<double>(s.samples), 2))));
    }

    Draft grow() {
        struct Open {
            std::int32_t node;
            Size begin, end, depth;
        };
        std::vector<Open> open{{draft_.add(), 0, rows_.size(), 0}};
        while (!open.empty()) {
            const Open now = open.back();
            open.pop_back();
            const auto at = static_cast<Size>(now.node);
            draft_.rows[at] = static_cast<std::int32_t>(now.end - now.begin);
            Size column = 0;
            double cut = 0;
            if (now.depth >= most_ || !draw_cut(now.begin, now.end, column, cut)) {
                draft_.threshold[at] =
                    static_cast<double>(now.depth) + average_path(static_cast<double>(now.end - now.begin));
                continue;
            }
            const Size middle = part(now.begin, now.end, column, cut);
            const std::int32_t left = draft_.add();
            draft_.add();
            draft_.column[at] = static_cast<std::int32_t>(columns_[column]);
            draft_.threshold[at] = cut;
            draft_.left[at] = left;
            open.push_back({left + 1, middle, now.end, now.depth + 1});
            open.push_back({left, now.begin, middle, now.depth + 1});
        }
        return std::move(draft_);
    }

  private:
    std::vector<Size> repeated(Size n, Size count) {
        std::vector<Size> drawn(count);
        for (Size& row : drawn) row = static_cast<Size>(random_.below(index_++, n));
        std::sort(drawn.begin(), drawn.end());
        return drawn;
    }
    void read(const Matrix& X) {
        const Size m = rows_.size();
        std::visit(
            [&](const auto& x) {
                if constexpr (requires { x.starts; }) {
                    for (Size i = 0; i < m; ++i)
                        for (auto e = x.starts[rows_[i]]; e < x.starts[rows_[i] + 1]; ++e) {
                            const auto j = static_cast<Size>(x.indices[e]);
                            const auto at = std::lower_bound(columns_.begin(), columns_.end(), j);
                            if (at != columns_.end() && *at == j)
                                values_[static_cast<Size>(at - columns_.begin()) * m + i] = x.values[e];
                        }
                } else {
                    for (Size i = 0; i < m; ++i)
                        for (Size c = 0; c < columns_.size(); ++c)
                            values_[c * m + i] = static_cast<double>(x.at(rows_[i], columns_[c]));
                }
            },
            X);
    }
    double value(Size column, Size place) const { return values_[column * rows_.size() + order_[place]]; }

    // A column that varies here, drawn without preference, and a cut within its range.
    bool draw_cut(Size begin, Size end, Size& column, double& cut) {
        if (end - begin < 2) return false;
        std::vector<Size> left(columns_.size());
        std::iota(left.begin(), left.end(), Size{0});
        while (!left.empty()) {
            const auto pick = static_cast<Size>(random_.below(index_++, left.size()));
            column = left[pick];
            double low = value(column, begin), high = low;
            for (Size i = begin + 1; i < end; ++i) {
                low = std::min(low, value(column, i));
                high = std::max(high, value(column, i));
            }
            if (low < high) {
                cut = low + random_.uniform(index_++) * (high - low);
                if (!(cut < high)) cut = low;
                return true;
            }
            left[pick] = left.back();
            left.pop_back();
        }
        return false;
    }
    Size part(Size begin, Size end, Size column, double cut) {
        const double* values = values_.data() + column * rows_.size();
        const auto first = order_.begin() + static_cast<std::ptrdiff_t>(begin);
        const auto middle = std::stable_partition(first, order_.begin() + static_cast<std::ptrdiff_t>(end),
                                                  [&](Size i) { return values[i] <= cut; });
        return begin + static_cast<Size>(middle - first);
    }

    Random random_;
    std::uint64_t index_ = 0;
    std::vector<Size> rows_, columns_, order_;
    std::vector<double> values_;
    Size most_ = 1;
    Draft draft_;
};

double path_in(const IsolationView& t, Size tree, const auto& value) {
    const auto first = static_cast<Size>(t.starts[tree]);
    Size at = first;
    while (t.column[at] >= 0) {
        const auto left = first + static_cast<Size>(t.left[at]);
        at = left + (value(static_cast<Size>(t.column[at])) <= t.threshold[at] ? 0 : 1);
    }
    return t.threshold[at];
}

}  // namespace

IsolationTrees grow_isolation(const Matrix& X, const IsolationSettings& s) {
    require(s.samples >= 1 && (s.bootstrap || s.samples <= rows_of(X)), "isolation: samples");
    require(s.columns >= 1 && s.columns <= cols_of(X), "isolation: columns");
    std::vector<Draft> drafts(s.trees);
    parallel_for(s.trees, s.threads, [&](Size tree) { drafts[tree] = Grower(X, s, tree).grow(); });
    IsolationTrees found;
    found.starts.push_back(0);
    for (const Draft& d : drafts) {
        found.column.insert(found.column.end(), d.column.begin(), d.column.end());
        found.left.insert(found.left.end(), d.left.begin(), d.left.end());
        found.rows.insert(found.rows.end(), d.rows.begin(), d.rows.end());
        found.threshold.insert(found.threshold.end(), d.threshold.begin(), d.threshold.end());
        found.starts.push_back(static_cast<std::int64_t>(found.column.size()));
    }
    return found;
}

void mean_paths(const Matrix& X, const IsolationView& trees, std::span<double> out, int threads) {
    const Size n = rows_of(X), p = cols_of(X), count = trees.starts.size() - 1;
    require(out.size() == n && count >= 1, "mean_paths: sizes");
    constexpr Size step = 256;  // rows that stay in cache while the trees pass by
    parallel_for(blocks_of(n, step), threads, [&](Size block) {
        const Size begin = block * step, end = std::min(n, begin + step);
        std::visit(
            [&](const auto& x) {
                if constexpr (requires { x.starts; }) {
                    std::vector<double> row(p, 0.0);
                    for (Size r = begin; r < end; ++r) {
                        for (auto e = x.starts[r]; e < x.starts[r + 1]; ++e)
                            row[static_cast<Size>(x.indices[e])] = x.values[e];
                        double sum = 0;
                        for (Size t = 0; t < count; ++t) sum += path_in(trees, t, [&](Size j) { return row[j]; });
                        out[r] = sum / static_cast<double>(count);
                        for (auto e = x.starts[r]; e < x.starts[r + 1]; ++e) row[static_cast<Size>(x.indices[e])] = 0;
                    }
                } else {
                    for (Size r = begin; r < end; ++r) out[r] = 0;
                    for (Size t = 0; t < count; ++t)
                        for (Size r = begin; r < end; ++r)
                            out[r] += path_in(trees, t, [&](Size j) { return static_cast<double>(x.at(r, j)); });
                    for (Size r = begin; r < end; ++r) out[r] /= static_cast<double>(count);
                }
            },
            X);
    });
}

}  // namespace pellucid
