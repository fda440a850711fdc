#include "core/distance/brute_sparse.hpp"

#include <cmath>

#include "core/base/check.hpp"
#include "core/distance/brute_collect.hpp"
#include "core/distance/brute_rows.hpp"

namespace pellucid {
namespace {

constexpr Size kLanes = 4;  // of the sums in metric_hot.hpp
constexpr Size kAsked = kSparsePanel;
constexpr double kSparse = 0.1;  // above this share of entries dense rows are faster

struct Entry {
    Size column;
    double value;
};
using Entries = std::vector<Entry>;

template <class Index>
void entries_of(const Csr<Index>& x, Size r, Entries& out) {
    out.clear();
    for (auto k = x.starts[r]; k < x.starts[r + 1]; ++k) out.push_back({static_cast<Size>(x.indices[k]), x.values[k]});
    const auto before = [](const Entry& a, const Entry& b) { return a.column < b.column; };
    if (!std::is_sorted(out.begin(), out.end(), before)) std::sort(out.begin(), out.end(), before);
}
template <class T>
void entries_of(const Dense<T>& x, Size r, Entries& out) {
    out.clear();
    for (Size c = 0; c < x.cols; ++c)
        if (x.at(r, c) != 0) out.push_back({c, static_cast<double>(x.at(r, c))});
}

// The reduced distance of two rows given by their entries.
class EntryPair {
  public:
    EntryPair(const Metric& metric, Size columns) : metric_(metric), columns_(columns) {}

    double operator()(const Entries& x, const Entries& z) {
        const Size most = kLanes * (x.size() + z.size());
        x_.assign(most, 0.0);
        z_.assign(most, 0.0);
        Size filled[kLanes] = {};
        for (Size i = 0, j = 0; i < x.size() || j < z.size();) {
            const bool left = j == z.size() || (i < x.size() && x[i].column <= z[j].column);
            const bool right = i == x.size() || (j < z.size() && z[j].column <= x[i].column);
            const Size lane = (left ? x[i].column : z[j].column) % kLanes;
            const Size to = kLanes * filled[lane]++ + lane;
            if (left) x_[to] = x[i++].value;
            if (right) z_[to] = z[j++].value;
        }
        const Size used = kLanes * *std::max_element(filled, filled + kLanes);
        const double reduced = metric_.functions<double>().pair(x_.data(), z_.data(), used, metric_.p);
        if (metric_.kind != MetricKind::hamming) return reduced;
        const double apart = used == 0 ? 0 : std::nearbyint(reduced * static_cast<double>(used));
        return apart / static_cast<double>(columns_);
    }

  private:
    const Metric& metric_;
    Size columns_;
    std::vector<double> x_, z_;
};

// Up to eight queries on their way through the rows.
template <class Index, class Collection>
class SparseTask {
  public:
    SparseTask(const Csr<Index>& rows, const Matrix& queries, Size begin, Size count, Size at, const Metric& metric,
               Collection& collection)
        : rows_(rows), count_(count), at_(at), metric_(metric), collection_(collection), pair_(metric, rows.cols) {
        for (Size q = 0; q < count; ++q)
            std::visit([&](const auto& x) { entries_of(x, begin + q, asked_[q]); }, queries);
    }

    void go_through() {
        for (Size r = 0; r < rows_.rows; ++r) {
            if (r % 1024 == 0) check_interrupt();
            entries_of(rows_, r, row_);
            for (Size q = 0; q < count_; ++q) offer(q, r);
        }
    }

    void go_through_filtered() {
        panel_.assign(rows_.cols * kAsked, 0.0);
        for (Size q = 0; q < count_; ++q)
            for (const Entry& e : asked_[q]) {
                panel_[e.column * kAsked + q] = e.value;
                squares_[q] += e.value * e.value;
            }
        for (Size r = 0; r < rows_.rows; ++r) {
            if (r % 1024 == 0) check_interrupt();
            const auto from = static_cast<Size>(rows_.starts[r]),
                       entries = static_cast<Size>(rows_.starts[r + 1]) - from;
            double sums[kAsked] = {}, squares = 0;
            if constexpr (sizeof(Index) == 4)
                product_hot().sparse_32(rows_.values + from, rows_.indices + from, entries, panel_.data(), sums,
                                        &squares);
            else
                product_hot().sparse_64(rows_.values + from, rows_.indices + from, entries, panel_.data(), sums,
                                        &squares);
            const double error = (static_cast<double>(entries + rows_.cols) + 32) * 0x1p-52;
            bool ready = false;
            for (Size q = 0; q < count_; ++q) {
                if (least(q, sums[q], squares, error) > collection_.bound(at_ + q)) continue;
                if (!ready) entries_of(rows_, r, row_);
                ready = true;
                offer(q, r);
            }
        }
    }

  private:
    double least(Size q, double sum, double squares, double error) const {
        const double loss = error * std::sqrt(squares_[q]) * std::sqrt(squares);
        if (metric_.kind == MetricKind::cosine) return 1 - sum - loss - 0x1p-50;
        const double vanished = static_cast<double>(rows_.cols) * std::numeric_limits<double>::min();
        return ((squares_[q] + squares) * (1 - error) - 2 * (sum + loss)) * (1 - error) - 4 * vanished;
    }
    void offer(Size q, Size r) { collection_.offer(at_ + q, pair_(asked_[q], row_), static_cast<std::int64_t>(r)); }

    const Csr<Index>& rows_;
    Size count_, at_;
    const Metric& metric_;
    Collection& collection_;
    EntryPair pair_;
    Entries asked_[kAsked], row_;
    std::vector<double> panel_;
    double squares_[kAsked] = {};
};

template <class Index, class Collection>
void search(const Csr<Index>& rows, const Matrix& queries, Size first, Size count, const Metric& metric,
            Collection& collection, int threads) {
    const bool filtered = metric.kind == MetricKind::euclidean || metric.kind == MetricKind::cosine;
    parallel_for(blocks_of(count, kAsked), threads, [&](Size t) {
        const Size own = std::min(kAsked, count - t * kAsked);
        SparseTask<Index, Collection> task(rows, queries, first + t * kAsked, own, t * kAsked, metric, collection);
        if (filtered)
            task.go_through_filtered();
        else
            task.go_through();
    });
}

}  // namespace

bool sparse_pays(const Matrix& rows, const Metric& metric) {
    if (metric.kind == MetricKind::nan_euclidean || metric.kind == MetricKind::haversine) return false;
    return std::visit(
        [](const auto& x) {
            if constexpr (requires { x.starts; }) {
                const auto entries = static_cast<double>(x.starts[x.rows] - x.starts[0]);
                return entries < kSparse * static_cast<double>(x.rows) * static_cast<double>(x.cols);
            } else {
                return false;
            }
        },
        rows);
}

template <class Collection>
void sparse_search(const Matrix& rows, const Matrix& queries, Size first, Size count, const Metric& metric,
                   Collection& collection, int threads) {
    std::visit(
        [&](const auto& x) {
            if constexpr (requires { x.starts; })
                search(x, queries, first, count, metric, collection, threads);
            else
                require(false, "the rows must be sparse");
        },
        rows);
}

template void sparse_search(const Matrix&, const Matrix&, Size, Size, const Metric&, NearestOfMany&, int);
template void sparse_search(const Matrix&, const Matrix&, Size, Size, const Metric&, WithinOfMany&, int);

}  // namespace pellucid
