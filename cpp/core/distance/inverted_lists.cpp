#include "core/distance/inverted_lists.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/pool.hpp"
#include "core/base/simd.hpp"
#include "core/distance/row_table.hpp"
#include "core/distance/scan_hot.hpp"

namespace pellucid {

extern const ScanHot scan_hot_baseline;
#ifdef PELLUCID_X86_LEVELS
extern const ScanHot scan_hot_v3;
extern const ScanHot scan_hot_v4;
#endif

const ScanHot& scan_hot() {
#ifdef PELLUCID_X86_LEVELS
    switch (current_level()) {
        case Level::v4:
            return scan_hot_v4;
        case Level::v3:
            return scan_hot_v3;
        default:
            return scan_hot_baseline;
    }
#else
    return scan_hot_baseline;
#endif
}

namespace {

constexpr Size kMostQueries = 4096;     // that go through the cells together: several look at a cell while it is near
constexpr Size kPanelsAtOnce = 32;      // of a cell, between two looks at the limits
constexpr Size kRoomABlock = 4u << 20;  // bytes of what a block of queries holds on to
constexpr double kFarthest = 1e15;      // of a query from the center; its squares and products are finite floats
constexpr float kNever = std::numeric_limits<float>::infinity();

struct Hit {
    float value;          // |q - x|^2 in single precision
    std::uint32_t place;  // in the order of the lists; or the number of a cell

    friend bool operator<(const Hit& a, const Hit& b) {
        return a.value < b.value || (a.value == b.value && a.place < b.place);
    }
};

// What a query has found so far: every row that may be among its k nearest, and the limit for others.
struct Finding {
    Size count = 0;
    float limit = kNever;  // rows above it are not among the k nearest
    float error = 0;       // the largest rounding error of the cells looked at
};

// Queries of a block, in the units of the lists.
struct Asked {
    Size first = 0, count = 0;
    std::vector<double> framed;  // count x d
    std::vector<char> far;       // too far away, or of no direction: every row is looked at
};

template <class T>
Asked ask(const ListsView& lists, const PointedRows<T>& queries, Size first, Size count, bool cosine) {
    const Size d = lists.cols();
    Asked asked{first, count, std::vector<double>(count * d), std::vector<char>(count, 0)};
    for (Size i = 0; i < count; ++i) {
        double* out = asked.framed.data() + i * d;
        queries.framed(first + i, lists.center.data(), lists.scale, out);
        double size = 0;
        for (Size j = 0; j < d; ++j) size += out[j] * out[j];
        const T* row = queries.row(first + i);
        const bool nothing = cosine && std::all_of(row, row + d, [](T v) { return v == T(0); });
        asked.far[i] = nothing || !(size < kFarthest * kFarthest);
        if (asked.far[i]) std::fill_n(out, d, 0.0);
    }
    return asked;
}

// Four minima side by side, since one alone waits for itself.
float least_of(const float* values, Size count) {
    float least[4] = {kNever, kNever, kNever, kNever};
    for (Size i = 0; i < count; ++i) least[i % 4] = values[i] < least[i % 4] ? values[i] : least[i % 4];
    return std::min(std::min(least[0], least[1]), std::min(least[2], least[3]));
}

// Puts the `taken` smallest of all values to the front, the very smallest first.
//
// The taken-th smallest of the least values of groups of sixteen is not below the taken-th smallest value: what lies
// above it need not be looked at. Measured with 50,000 queries, 1,000 cells and 2 taken: 0.7 s of processor time for
// the whole search instead of 1.0.
void choose(const float* values, Size count, Size taken, std::vector<float>& least, std::vector<Hit>& near) {
    const Size groups = blocks_of(count, kScanRows);
    float limit = kNever;
    if (taken <= groups) {
        least.clear();
        for (Size first = 0; first < count; first += kScanRows)
            least.push_back(least_of(values + first, std::min(count - first, kScanRows)));
        std::nth_element(least.begin(), least.begin() + static_cast<std::ptrdiff_t>(taken - 1), least.end());
        limit = least[taken - 1];
    }
    near.clear();
    for (Size c = 0; c < count; ++c)
        if (values[c] <= limit) near.push_back({values[c], static_cast<std::uint32_t>(c)});
    if (taken < near.size())
        std::nth_element(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(taken - 1), near.end());
    near.resize(taken);
    std::iter_swap(near.begin(), std::min_element(near.begin(), near.end()));
}

// The cells that each query looks at as f(query, cells), the nearest first and the others in no order: `probes` of
// them, or as many as it takes to have k rows.
template <class F>
void for_cells(const ListsView& lists, const Asked& asked, Size probes, Size k, const F& f) {
    const Size d = lists.cols(), count = lists.count(), groups = lists.cell_sizes.size() / kScanRows;
    const Size stride = groups * kScanRows;
    std::vector<float> bundle(kScanQueries * d, 0.0f), values(kScanQueries * stride), least;
    std::vector<Hit> near;
    const ScanHot& hot = scan_hot();
    for (Size first = 0; first < asked.count; first += kScanQueries) {
        const Size here = std::min(kScanQueries, asked.count - first);
        std::transform(asked.framed.begin() + static_cast<std::ptrdiff_t>(first * d),
                       asked.framed.begin() + static_cast<std::ptrdiff_t>((first + here) * d), bundle.begin(),
                       [](double v) { return static_cast<float>(v); });
        hot.values(lists.cell_panels.data(), lists.cell_sizes.data(), groups, d, bundle.data(), values.data(), stride);
        for (Size t = 0; t < here; ++t) {
            Size taken = std::min(probes, count), rows = 0;
            for (;; taken = std::min(2 * taken, count), rows = 0) {
                choose(values.data() + t * stride, count, taken, least, near);
                if (k == 0) break;
                for (const Hit& cell : near) rows += lists.rows_in(cell.place);
                if (rows >= k) break;
            }
            f(first + t, std::span<const Hit>(near));
        }
    }
}

// Which queries look at which cells: those of cell c are queries[starts[c]] to queries[starts[c + 1] - 1].
struct Visits {
    std::vector<Size> starts;
    std::vector<std::uint32_t> queries;
};
struct Visit {
    std::uint32_t cell, query;
};

Visits by_cell(std::span<const Visit> visits, Size cells) {
    Visits sorted{std::vector<Size>(cells + 1, 0), std::vector<std::uint32_t>(visits.size())};
    for (const Visit& visit : visits) ++sorted.starts[visit.cell + 1];
    std::partial_sum(sorted.starts.begin(), sorted.starts.end(), sorted.starts.begin());
    std::vector<Size> next(sorted.starts.begin(), sorted.starts.end() - 1);
    for (const Visit& visit : visits) sorted.queries[next[visit.cell]++] = visit.query;
    return sorted;
}

// Goes through cells bundle by bundle: `limit(query, error)` is asked for the largest |q - x|^2 that counts, and
// `tell(query, place, value)` told of rows up to it; error is what rounding may make of a value.
template <class Limit, class Tell>
void scan_cells(const ListsView& lists, const Asked& asked, const Visits& visits, const Limit& limit,
                const Tell& tell) {
    const Size d = lists.cols();
    const ScanHot& hot = scan_hot();
    std::vector<float> bundle(kScanQueries * d, 0.0f), found(kPanelsAtOnce * kScanRows * kScanQueries + kScanRows);
    std::vector<std::uint32_t> hits(found.size());
    for (Size c = 0; c < lists.count(); ++c)
        for (Size at = visits.starts[c]; at < visits.starts[c + 1]; at += kScanQueries) {
            const Size here = std::min(kScanQueries, visits.starts[c + 1] - at);
            double base[kScanQueries];
            float limits[kScanQueries];
            std::fill_n(limits, kScanQueries, -kNever);
            for (Size t = 0; t < here; ++t) {
                const std::uint32_t q = visits.queries[at + t];
                base[t] = hot.minus(asked.framed.data() + q * d, lists.cells.data() + c * d, d, bundle.data() + t * d);
            }
            const auto end = static_cast<Size>(lists.panel_starts[c + 1]);
            for (auto panel = static_cast<Size>(lists.panel_starts[c]); panel < end; panel += kPanelsAtOnce) {
                for (Size t = 0; t < here; ++t) {
                    const double reach = std::sqrt(base[t]) + static_cast<double>(lists.radii[c]);
                    const double error = (static_cast<double>(d) + 16) * 0x1p-24 * reach * reach;
                    limits[t] = static_cast<float>(limit(visits.queries[at + t], error) - base[t] + error);
                }
                const Size count = std::min(kPanelsAtOnce, end - panel);
                const Size n =
                    hot.below(lists.panels.data() + panel * d * kScanRows, lists.sizes.data() + panel * kScanRows,
                              count, d, bundle.data(), limits, hits.data(), found.data());
                const Size offset = (panel - static_cast<Size>(lists.panel_starts[c])) * kScanRows;
                const auto rows = static_cast<Size>(lists.starts[c + 1] - lists.starts[c]);
                for (Size h = 0; h < n; ++h) {
                    const Size t = hits[h] % 8, place = offset + hits[h] / 8;
                    if (t >= here || place >= rows) continue;
                    tell(visits.queries[at + t], static_cast<Size>(lists.starts[c]) + place,
                         static_cast<double>(found[h]) + base[t]);
                }
            }
        }
}

// The k nearest of a block of queries, each with room for a few times k rows that may be among them.
template <class T, class Q>
class Gathering {
  public:
    Gathering(const ListsView& lists, const PointedRows<T>& rows, const PointedRows<Q>& queries, const Asked& asked,
              Size k, const Metric& metric)
        : lists_(lists),
          rows_(rows),
          queries_(queries),
          asked_(asked),
          k_(k),
          metric_(metric),
          hits_(asked.count * room_for(k)),
          findings_(asked.count),
          query_(lists.cols()),
          nearest_(k) {}

    static Size room_for(Size k) { return 4 * k + 64; }

    void scan(const Visits& visits) {
        scan_cells(
            lists_, asked_, visits, [&](Size q, double error) { return limit(findings_[q], error); },
            [&](Size q, Size place, double value) { add(q, place, static_cast<float>(value)); });
    }

    // The answer of query q, nearest first.
    std::span<const Neighbor> finish(Size q) {
        read(q);
        Nearest nearest(nearest_);
        if (asked_.far[q]) {
            for (Size place = 0; place < lists_.order.size(); ++place) offer(nearest, place);
        } else {
            keep_near(q);
            for (const Hit& hit : of(q)) fetch(hit.place);
            for (const Hit& hit : of(q)) offer(nearest, hit.place);
        }
        return nearest.finish();
    }

  private:
    std::span<Hit> of(Size q) { return {hits_.data() + q * room_for(k_), findings_[q].count}; }

    // The k-th smallest value and two errors. Errors grow from cell to cell: rows of this one are held to its own.
    double limit(Finding& finding, double error) const {
        const float wider = std::nextafter(static_cast<float>(error), kNever);
        if (wider > finding.error) {
            finding.limit += 2 * (wider - finding.error);
            finding.error = wider;
        }
        return static_cast<double>(finding.limit);
    }

    void add(Size q, Size place, float value) {
        Finding& finding = findings_[q];
        if (value > finding.limit) return;
        hits_[q * room_for(k_) + finding.count++] = {value, static_cast<std::uint32_t>(place)};
        if (finding.count < room_for(k_)) return;
        keep_near(q);
        if (2 * finding.count > room_for(k_)) keep_nearest(q);
    }

    void keep_near(Size q) {
        Finding& finding = findings_[q];
        if (finding.count <= k_) return;
        const std::span<Hit> own = of(q);
        const auto kth = own.begin() + static_cast<std::ptrdiff_t>(k_ - 1);
        std::nth_element(own.begin(), kth, own.end());
        finding.limit = std::min(finding.limit, kth->value + 2 * finding.error);
        const auto end = std::remove_if(own.begin(), own.end(), [&](const Hit& h) { return h.value > finding.limit; });
        finding.count = static_cast<Size>(end - own.begin());
    }

    // Where too many rows are alike in single precision: by their distances.
    void keep_nearest(Size q) {
        read(q);
        std::vector<std::pair<Neighbor, Hit>> all;
        for (const Hit& hit : of(q)) all.push_back({{reduced(hit.place), lists_.order[hit.place]}, hit});
        std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(k_ - 1), all.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        findings_[q].count = k_;
        std::transform(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(k_), of(q).begin(),
                       [](const auto& one) { return one.second; });
    }

    // Rows lie anywhere in the table: all are on their way before the first is needed.
    void fetch(Size place) const {
        const auto* row = reinterpret_cast<const char*>(rows_.row(static_cast<Size>(lists_.order[place])));
        for (Size byte = 0; byte < lists_.cols() * sizeof(T); byte += 64) __builtin_prefetch(row + byte);
    }
    void read(Size q) { queries_.widened(asked_.first + q, query_.data()); }
    double reduced(Size place) const {
        const T* row = rows_.row(static_cast<Size>(lists_.order[place]));
        return metric_.functions<T>().pair(query_.data(), row, lists_.cols(), metric_.p);
    }
    void offer(Nearest& nearest, Size place) const { nearest.offer(reduced(place), lists_.order[place]); }

    const ListsView& lists_;
    const PointedRows<T>& rows_;
    const PointedRows<Q>& queries_;
    const Asked& asked_;
    Size k_;
    const Metric& metric_;
    std::vector<Hit> hits_;
    std::vector<Finding> findings_;
    std::vector<double> query_;  // the one that was read last
    std::vector<Neighbor> nearest_;
};

// Queries of a block: many share a way through the cells, few leave work for other threads. Of the data's shape alone.
Size queries_a_block(Size queries, Size bytes_a_query) {
    const Size most = std::clamp(kRoomABlock / bytes_a_query, Size{1}, kMostQueries);
    return std::clamp(blocks_of(queries, 8), Size{1}, most);
}

template <class F>
void with_both(const ListsView& lists, const Matrix& rows, const Matrix& queries, const F& f) {
    require(cols_of(rows) == lists.cols() && cols_of(queries) == lists.cols(), "as many columns as the lists");
    require(rows_of(rows) == lists.order.size(), "as many rows as the lists");
    with_rows(rows, [&](const auto& x) { with_rows(queries, [&](const auto& q) { f(x, q); }); });
}

}  // namespace

void lists_nearest(const ListsView& lists, const Matrix& rows, const Matrix& queries, Size k, Size probes,
                   const Metric& metric, std::span<double> distances, std::span<std::int64_t> numbers, int threads) {
    require(k >= 1 && k <= rows_of(rows) && probes >= 1, "k must be between 1 and the number of rows");
    require(distances.size() == rows_of(queries) * k && numbers.size() == distances.size(), "room for k a query");
    with_both(lists, rows, queries, [&]<class T, class Q>(const PointedRows<T>& x, const PointedRows<Q>& q) {
        const Size held = Gathering<T, Q>::room_for(k) * sizeof(Hit) + std::min(probes, lists.count()) * sizeof(Visit);
        const Size size = queries_a_block(q.rows, held);
        parallel_for(blocks_of(q.rows, size), threads, [&](Size block) {
            const Asked asked =
                ask(lists, q, block * size, std::min(size, q.rows - block * size), metric.kind == MetricKind::cosine);
            // A query's own cell first: it brings the limit down before the others are looked at.
            std::vector<Visit> own, others;
            for_cells(lists, asked, probes, k, [&](Size i, std::span<const Hit> cells) {
                if (asked.far[i]) return;
                for (Size c = 0; c < cells.size(); ++c)
                    (c == 0 ? own : others).push_back({cells[c].place, static_cast<std::uint32_t>(i)});
            });
            Gathering<T, Q> gathering(lists, x, q, asked, k, metric);
            gathering.scan(by_cell(own, lists.count()));
            gathering.scan(by_cell(others, lists.count()));
            for (Size i = 0; i < asked.count; ++i) {
                const auto found = gathering.finish(i);
                for (Size j = 0; j < k; ++j) {
                    distances[(asked.first + i) * k + j] = metric.distance(found[j].reduced);
                    numbers[(asked.first + i) * k + j] = found[j].row;
                }
            }
        });
    });
}

Neighborhoods lists_within(const ListsView& lists, const Matrix& rows, const Matrix& queries, double radius,
                           const Metric& metric, int threads) {
    std::vector<std::vector<Neighbor>> found(rows_of(queries));
    const bool cosine = metric.kind == MetricKind::cosine;
    const double wide = radius * lists.scale;
    const double square = (cosine ? 2 * std::max(radius, 0.0) * lists.scale * lists.scale : wide * wide) * (1 + 1e-9);
    with_both(lists, rows, queries, [&]<class T, class Q>(const PointedRows<T>& x, const PointedRows<Q>& q) {
        const Size size = queries_a_block(q.rows, lists.count() * sizeof(Visit) + lists.cols() * sizeof(double));
        parallel_for(blocks_of(q.rows, size), threads, [&](Size block) {
            const Asked asked = ask(lists, q, block * size, std::min(size, q.rows - block * size), cosine);
            std::vector<double> query(lists.cols());
            std::vector<Visit> visits;
            std::vector<std::vector<Size>> places(asked.count);
            std::vector<float> apart(lists.cols());
            for (Size i = 0; i < asked.count; ++i)
                for (Size c = 0; c < lists.count() && !asked.far[i]; ++c) {
                    const double* framed = asked.framed.data() + i * lists.cols();
                    const double off = std::sqrt(
                        scan_hot().minus(framed, lists.cells.data() + c * lists.cols(), lists.cols(), apart.data()));
                    if (off * (1 - 1e-6) - static_cast<double>(lists.radii[c]) <= std::sqrt(square))
                        visits.push_back({static_cast<std::uint32_t>(c), static_cast<std::uint32_t>(i)});
                }
            scan_cells(
                lists, asked, by_cell(visits, lists.count()), [&](Size, double error) { return square + 2 * error; },
                [&](Size i, Size place, double) { places[i].push_back(place); });
            for (Size i = 0; i < asked.count; ++i) {
                if (asked.far[i]) {
                    places[i].resize(lists.order.size());
                    std::iota(places[i].begin(), places[i].end(), Size{0});
                }
                q.widened(asked.first + i, query.data());
                auto& own = found[asked.first + i];
                for (const Size place : places[i]) {
                    const auto row = static_cast<Size>(lists.order[place]);
                    const double reduced = metric.functions<T>().pair(query.data(), x.row(row), x.cols, metric.p);
                    if (metric.distance(reduced) <= radius) own.push_back({reduced, lists.order[place]});
                }
                std::sort(own.begin(), own.end());
            }
        });
    });
    return joined(found, metric);
}

void lists_order(const ListsView& lists, const Matrix& queries, Size probes, std::span<std::int32_t> cells,
                 int threads) {
    require(cols_of(queries) == lists.cols() && probes >= 1 && probes <= lists.count(), "1 to all of the cells");
    require(cells.size() == rows_of(queries) * probes, "room for the cells of all queries");
    with_rows(queries, [&](const auto& q) {
        const Size size = queries_a_block(q.rows, lists.cols() * sizeof(double));
        parallel_for(blocks_of(q.rows, size), threads, [&](Size block) {
            const Asked asked = ask(lists, q, block * size, std::min(size, q.rows - block * size), false);
            std::vector<Hit> ordered;
            for_cells(lists, asked, probes, 0, [&](Size i, std::span<const Hit> near) {
                ordered.assign(near.begin(), near.end());
                std::sort(ordered.begin(), ordered.end());
                for (Size c = 0; c < ordered.size(); ++c)
                    cells[(asked.first + i) * ordered.size() + c] = static_cast<std::int32_t>(ordered[c].place);
            });
        });
    });
}

}  // namespace pellucid
