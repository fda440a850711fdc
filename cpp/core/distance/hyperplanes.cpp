#include "core/distance/hyperplanes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/pool.hpp"
#include "core/distance/row_table.hpp"
#include "core/linalg/hot.hpp"
#include "core/linalg/rows.hpp"

namespace pellucid {
namespace {

constexpr Size kRowsABlock = 128;

// w x - b of all planes. Sums run over the columns in order; a zero adds nothing, so that a sparse row gets the same
// bits.
template <class View>
void project(const Planes& planes, const View& x, Size r, std::vector<double>& out) {
    std::fill(out.begin(), out.end(), 0.0);
    const Hot& kernels = hot();
    each_in_row(x, r, [&](Size j, double v) {
        if (v != 0) kernels.axpy_f64(v, planes.normals.data() + j * planes.count(), planes.count(), out.data());
    });
    for (Size p = 0; p < out.size(); ++p) out[p] -= planes.offsets[p];
}

std::uint64_t code_of(std::span<const double> sides) {
    std::uint64_t code = 0;
    for (Size p = 0; p < sides.size(); ++p) code |= std::uint64_t{sides[p] >= 0} << p;
    return code;
}

// f(codes of the buckets that a query looks at in a table) in the order of the squares of the planes it would cross.
class Probing {
  public:
    Probing(Size bits, Size probes) : order_(bits), cost_(bits), probes_(probes) {}

    // sides and lengths: w q - b and |w| of the planes of one table.
    template <class F>
    void operator()(std::span<const double> sides, std::span<const double> lengths, const F& f) {
        const std::uint64_t own = code_of(sides);
        f(own);
        if (probes_ == 1) return;
        std::iota(order_.begin(), order_.end(), Size{0});
        const auto square = [&](Size p) {
            const double off = lengths[p] > 0 ? sides[p] / lengths[p] : 0.0;
            constexpr double most = std::numeric_limits<double>::max();
            return off * off < most ? off * off : most;  // the side of a number beyond all numbers may be NaN
        };
        std::stable_sort(order_.begin(), order_.end(), [&](Size a, Size b) { return square(a) < square(b); });
        for (Size i = 0; i < order_.size(); ++i) cost_[i] = square(order_[i]);
        open_.clear();
        push({cost_[0], 1, 0});
        for (Size done = 1; done < probes_ && !open_.empty(); ++done) {
            const Crossing next = pop();
            f(own ^ crossed(next.set));
            // Every set of planes comes once: a set is followed by itself with its last plane moved on, and with the
            // next plane added.
            if (next.last + 1 == order_.size()) continue;
            const Size on = next.last + 1;
            const std::uint64_t bit = std::uint64_t{1} << on;
            push({next.cost - cost_[next.last] + cost_[on], (next.set & ~(std::uint64_t{1} << next.last)) | bit, on});
            push({next.cost + cost_[on], next.set | bit, on});
        }
    }

  private:
    struct Crossing {
        double cost;
        std::uint64_t set;  // places in the order of cost
        Size last;

        friend bool operator<(const Crossing& a, const Crossing& b) {  // for a heap with the smallest on top
            return a.cost > b.cost || (a.cost == b.cost && a.set > b.set);
        }
    };
    void push(const Crossing& one) {
        open_.push_back(one);
        std::push_heap(open_.begin(), open_.end());
    }
    Crossing pop() {
        std::pop_heap(open_.begin(), open_.end());
        const Crossing top = open_.back();
        open_.pop_back();
        return top;
    }
    std::uint64_t crossed(std::uint64_t set) const {
        std::uint64_t bits = 0;
        for (Size i = 0; set != 0; ++i, set >>= 1)
            if (set & 1) bits |= std::uint64_t{1} << order_[i];
        return bits;
    }

    std::vector<Size> order_;
    std::vector<double> cost_;
    std::vector<Crossing> open_;
    Size probes_;
};

std::vector<double> lengths_of(const Planes& planes) {
    std::vector<double> squares(planes.count(), 0.0);
    for (Size i = 0; i < planes.normals.size(); ++i)
        squares[i % planes.count()] += planes.normals[i] * planes.normals[i];
    for (double& s : squares) s = std::sqrt(s);
    return squares;
}

// Calls f(query number, rows of its buckets, each once) for each query, in parallel blocks; make() gives what a block
// holds on to.
template <class Make, class F>
void for_candidates(const HashView& hash, Size row_count, const Matrix& queries, Size probes, int threads,
                    const Make& make, const F& f) {
    const Planes& planes = hash.planes;
    require(cols_of(queries) == planes.cols() && probes >= 1, "queries with the columns of the planes");
    const std::vector<double> lengths = lengths_of(planes);
    std::visit(
        [&](const auto& q) {
            parallel_for(blocks_of(q.rows, kRowsABlock), threads, [&](Size block) {
                std::vector<double> sides(planes.count());
                std::vector<std::uint32_t> seen(row_count, 0);
                std::vector<std::int64_t> found;
                Probing probing(planes.bits, probes);
                auto held = make();
                std::uint32_t epoch = 0;
                const Size end = std::min(q.rows, (block + 1) * kRowsABlock);
                for (Size i = block * kRowsABlock; i < end; ++i) {
                    ++epoch;
                    found.clear();
                    project(planes, q, i, sides);
                    for (Size t = 0; t < planes.tables; ++t) {
                        const auto first = hash.codes.begin() + hash.table_starts[t];
                        const auto last = hash.codes.begin() + hash.table_starts[t + 1];
                        const std::span<const double> own{sides.data() + t * planes.bits, planes.bits};
                        probing(own, {lengths.data() + t * planes.bits, planes.bits}, [&](std::uint64_t code) {
                            const auto at = std::lower_bound(first, last, code);
                            if (at == last || *at != code) return;
                            const auto bucket = static_cast<Size>(at - hash.codes.begin());
                            for (auto m = hash.starts[bucket]; m < hash.starts[bucket + 1]; ++m) {
                                const std::int64_t row = hash.rows[static_cast<Size>(m)];
                                if (seen[static_cast<Size>(row)] == epoch) continue;
                                seen[static_cast<Size>(row)] = epoch;
                                found.push_back(row);
                            }
                        });
                    }
                    f(i, found, held);
                }
            });
        },
        queries);
}

// Reduced distances of one query and dense rows.
template <class T>
class ToDense {
  public:
    ToDense(const PointedRows<T>& rows, const Matrix& queries, const Metric& metric)
        : rows_(rows), queries_(queries), metric_(metric), query_(rows.cols) {}
    void read(Size i) {
        std::fill(query_.begin(), query_.end(), 0.0);
        std::visit([&](const auto& q) { each_in_row(q, i, [&](Size j, double v) { query_[j] = v; }); }, queries_);
    }
    double operator()(std::int64_t row) const {
        return metric_.functions<T>().pair(query_.data(), rows_.row(static_cast<Size>(row)), rows_.cols, metric_.p);
    }

  private:
    const PointedRows<T>& rows_;
    const Matrix& queries_;
    const Metric& metric_;
    std::vector<double> query_;
};

// Reduced distances of one query and sparse rows. Columns that neither has add nothing, so that a pair is the union of
// its entries, each in the lane of its column (metric_hot.hpp): the same sums in the same order as of dense rows.
template <class Index>
class ToSparse {
  public:
    ToSparse(const Csr<Index>& rows, const Matrix& queries, const Metric& metric)
        : rows_(rows), queries_(queries), metric_(metric) {}
    void read(Size i) {
        columns_.clear();
        values_.clear();
        std::visit(
            [&](const auto& q) {
                each_in_row(q, i, [&](Size j, double v) {
                    if (v == 0) return;
                    columns_.push_back(j);
                    values_.push_back(v);
                });
            },
            queries_);
    }
    double operator()(std::int64_t row) {
        const auto end = static_cast<Size>(rows_.starts[row + 1]);
        auto b = static_cast<Size>(rows_.starts[row]);
        x_.assign(kLanes * (columns_.size() + end - b), 0.0);
        z_.assign(x_.size(), 0.0);
        Size filled[kLanes] = {};
        for (Size a = 0; a < columns_.size() || b < end;) {
            const Size left = a < columns_.size() ? columns_[a] : kNone;
            const Size right = b < end ? static_cast<Size>(rows_.indices[b]) : kNone;
            const Size lane = std::min(left, right) % kLanes, to = kLanes * filled[lane]++ + lane;
            if (left <= right) x_[to] = values_[a++];
            if (right <= left) z_[to] = rows_.values[b++];
        }
        const Size used = kLanes * *std::max_element(filled, filled + kLanes);
        return metric_.functions<double>().pair(x_.data(), z_.data(), used, metric_.p);
    }

  private:
    static constexpr Size kLanes = 4, kNone = std::numeric_limits<Size>::max();

    const Csr<Index>& rows_;
    const Matrix& queries_;
    const Metric& metric_;
    std::vector<Size> columns_;
    std::vector<double> values_, x_, z_;
};

// f(make), where make() gives a measure of the distances to these rows.
template <class T, class F>
void with_measure(const Dense<T>& rows, const Matrix& queries, const Metric& metric, const F& f) {
    const PointedRows<T> pointed(rows);
    f([&] { return ToDense<T>(pointed, queries, metric); });
}
template <class Index, class F>
void with_measure(const Csr<Index>& rows, const Matrix& queries, const Metric& metric, const F& f) {
    require(metric.kind == MetricKind::cosine || metric.kind == MetricKind::euclidean, "a metric of sparse rows");
    f([&] { return ToSparse<Index>(rows, queries, metric); });
}

}  // namespace

void plane_codes(const Planes& planes, const Matrix& rows, std::span<std::uint64_t> codes, int threads) {
    require(planes.bits >= 1 && planes.bits <= 64 && planes.tables >= 1, "1 to 64 bits, at least one table");
    require(cols_of(rows) == planes.cols() && codes.size() == rows_of(rows) * planes.tables, "a code a table and row");
    std::visit(
        [&](const auto& x) {
            parallel_for(blocks_of(x.rows, kRowsABlock), threads, [&](Size block) {
                std::vector<double> sides(planes.count());
                const Size end = std::min(x.rows, (block + 1) * kRowsABlock);
                for (Size r = block * kRowsABlock; r < end; ++r) {
                    project(planes, x, r, sides);
                    for (Size t = 0; t < planes.tables; ++t)
                        codes[r * planes.tables + t] = code_of({sides.data() + t * planes.bits, planes.bits});
                }
            });
        },
        rows);
}

Buckets fill_buckets(std::span<const std::uint64_t> codes, Size rows, Size tables, int threads) {
    require(codes.size() == rows * tables, "a code a table and row");
    Buckets buckets;
    buckets.rows.resize(rows * tables);
    std::vector<std::vector<std::uint64_t>> own(tables);
    std::vector<std::vector<std::int64_t>> starts(tables);
    parallel_for(tables, threads, [&](Size t) {
        std::vector<std::pair<std::uint64_t, std::int64_t>> sorted(rows);
        for (Size r = 0; r < rows; ++r) sorted[r] = {codes[r * tables + t], static_cast<std::int64_t>(r)};
        std::sort(sorted.begin(), sorted.end());
        for (Size i = 0; i < rows; ++i) {
            buckets.rows[t * rows + i] = sorted[i].second;
            if (i > 0 && sorted[i].first == sorted[i - 1].first) continue;
            own[t].push_back(sorted[i].first);
            starts[t].push_back(static_cast<std::int64_t>(t * rows + i));
        }
    });
    buckets.table_starts.push_back(0);
    for (Size t = 0; t < tables; ++t) {
        buckets.codes.insert(buckets.codes.end(), own[t].begin(), own[t].end());
        buckets.starts.insert(buckets.starts.end(), starts[t].begin(), starts[t].end());
        buckets.table_starts.push_back(static_cast<std::int64_t>(buckets.codes.size()));
    }
    buckets.starts.push_back(static_cast<std::int64_t>(rows * tables));
    return buckets;
}

void hash_nearest(const HashView& hash, const Matrix& rows, const Matrix& queries, Size k, Size probes,
                  const Metric& metric, std::span<double> distances, std::span<std::int64_t> numbers, int threads) {
    require(k >= 1 && k <= rows_of(rows), "k must be between 1 and the number of rows");
    require(distances.size() == rows_of(queries) * k && numbers.size() == distances.size(), "room for k a query");
    const auto search = [&](const auto& make) {
        for_candidates(hash, rows_of(rows), queries, probes, threads, make,
                       [&](Size i, std::span<const std::int64_t> found, auto& measure) {
                           std::vector<Neighbor> room(k);
                           Nearest nearest(room);
                           measure.read(i);
                           if (found.size() >= k)
                               for (const std::int64_t row : found) nearest.offer(measure(row), row);
                           else
                               for (std::int64_t row = 0; row < static_cast<std::int64_t>(rows_of(rows)); ++row)
                                   nearest.offer(measure(row), row);
                           const auto best = nearest.finish();
                           for (Size j = 0; j < k; ++j) {
                               distances[i * k + j] = metric.distance(best[j].reduced);
                               numbers[i * k + j] = best[j].row;
                           }
                       });
    };
    std::visit([&](const auto& x) { with_measure(x, queries, metric, search); }, rows);
}

Neighborhoods hash_within(const HashView& hash, const Matrix& rows, const Matrix& queries, double radius, Size probes,
                          const Metric& metric, int threads) {
    std::vector<std::vector<Neighbor>> near(rows_of(queries));
    const auto search = [&](const auto& make) {
        for_candidates(hash, rows_of(rows), queries, probes, threads, make,
                       [&](Size i, std::span<const std::int64_t> found, auto& measure) {
                           measure.read(i);
                           for (const std::int64_t row : found) {
                               const double reduced = measure(row);
                               if (metric.distance(reduced) <= radius) near[i].push_back({reduced, row});
                           }
                           std::sort(near[i].begin(), near[i].end());
                       });
    };
    std::visit([&](const auto& x) { with_measure(x, queries, metric, search); }, rows);
    return joined(near, metric);
}

Neighborhoods hash_candidates(const HashView& hash, const Matrix& queries, Size row_count, Size probes, int threads) {
    std::vector<std::vector<std::int64_t>> near(rows_of(queries));
    for_candidates(
        hash, row_count, queries, probes, threads, [] { return 0; },
        [&](Size i, std::span<const std::int64_t> found, int) {
            near[i].assign(found.begin(), found.end());
            std::sort(near[i].begin(), near[i].end());
        });
    Neighborhoods all;
    all.starts.push_back(0);
    for (const auto& one : near) {
        all.rows.insert(all.rows.end(), one.begin(), one.end());
        all.starts.push_back(static_cast<std::int64_t>(all.rows.size()));
    }
    return all;
}

}  // namespace pellucid
