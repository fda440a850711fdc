#include "core/distance/graph_index.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/pool.hpp"
#include "core/distance/row_table.hpp"
#include "core/distance/scan_hot.hpp"

namespace pellucid {
namespace {

constexpr Size kQueriesABlock = 256;
constexpr double kFarthest = 1e15;  // of a query from the center; squares are finite floats

struct Known {
    float apart;
    std::uint32_t node;  // the highest bit: it was gone on from

    static constexpr std::uint32_t kDone = 1u << 31;
    std::uint32_t number() const { return node & ~kDone; }
};

// One search after the other; what a thread holds on to between them.
class Walk {
  public:
    Walk(const GraphView& graph, Size reach)
        : graph_(graph), wide_(graph.table.size() / std::max<Size>(graph.nodes(), 1)), seen_(graph.nodes(), 0) {
        known_.reserve(reach + 1);
        query_.resize(wide_, 0.0f);
    }

    // Reads a query; false if it is too far away for single precision.
    template <class Q>
    bool read(const PointedRows<Q>& queries, Size i) {
        framed_.resize(queries.cols);
        queries.framed(i, graph_.cells.center.data(), graph_.cells.scale, framed_.data());
        double size = 0;
        for (const double v : framed_) size += v * v;
        if (!(size < kFarthest * kFarthest)) return false;
        std::copy(framed_.begin(), framed_.end(), query_.begin());
        return true;
    }

    std::span<const Known> found() const { return known_; }

    // Finds nodes from the entries of these cells, nearest first.
    void search(std::span<const std::int32_t> cells, Size reach, std::int64_t hidden) {
        begin();
        if (hidden >= 0) seen_[static_cast<Size>(hidden)] = epoch_;
        known_.clear();
        fresh_.clear();
        for (const std::int32_t c : cells) meet(graph_.entries[static_cast<Size>(c)]);
        for (Size at = take(reach); at < known_.size();) {
            Known& here = known_[at];
            const std::uint32_t v = here.node;
            here.node |= Known::kDone;
            fresh_.clear();
            for (auto i = static_cast<Size>(graph_.starts[v]); i < static_cast<Size>(graph_.starts[v + 1]); ++i)
                meet(graph_.links[i]);
            at = std::min(at + 1, take(reach));
            while (at < known_.size() && (known_[at].node & Known::kDone)) ++at;
        }
    }

    // Every node within the square, reached through such nodes from those that a search has found.
    std::span<const Known> flood(double square) {
        begin();
        known_.erase(std::remove_if(known_.begin(), known_.end(),
                                    [&](const Known& k) { return static_cast<double>(k.apart) > square; }),
                     known_.end());
        for (const Known& k : known_) seen_[k.number()] = epoch_;
        for (Size at = 0; at < known_.size(); ++at) {
            const std::uint32_t v = known_[at].number();
            fresh_.clear();
            for (auto i = static_cast<Size>(graph_.starts[v]); i < static_cast<Size>(graph_.starts[v + 1]); ++i)
                meet(graph_.links[i]);
            measure();
            for (Size i = 0; i < fresh_.size(); ++i)
                if (static_cast<double>(apart_[i]) <= square) known_.push_back({apart_[i], fresh_[i]});
        }
        return known_;
    }

  private:
    void begin() {
        if (++epoch_ != 0) return;
        std::fill(seen_.begin(), seen_.end(), 0u);
        epoch_ = 1;
    }
    void meet(std::uint32_t node) {
        if (seen_[node] == epoch_) return;
        seen_[node] = epoch_;
        fresh_.push_back(node);
    }
    void measure() {
        apart_.resize(fresh_.size());
        scan_hot().apart_from(query_.data(), graph_.table.data(), wide_, fresh_.data(), fresh_.size(), apart_.data());
    }
    // Takes what was met into the `reach` nearest; answers the place of the first that came in.
    Size take(Size reach) {
        measure();
        Size first = known_.size();
        for (Size i = 0; i < fresh_.size(); ++i) {
            const Known one{apart_[i], fresh_[i]};
            if (known_.size() == reach && !nearer(one, known_.back())) continue;
            const auto at = std::upper_bound(known_.begin(), known_.end(), one, nearer);
            first = std::min(first, static_cast<Size>(at - known_.begin()));
            if (known_.size() == reach) known_.pop_back();
            known_.insert(known_.begin() + (at - known_.begin()), one);
        }
        return first;
    }
    static bool nearer(const Known& a, const Known& b) {
        return a.apart < b.apart || (a.apart == b.apart && a.number() < b.number());
    }

    const GraphView& graph_;
    Size wide_;
    std::vector<std::uint32_t> seen_;  // the search in which a node was met last
    std::uint32_t epoch_ = 0;
    std::vector<double> framed_;
    std::vector<float> query_;
    std::vector<Known> known_;
    std::vector<std::uint32_t> fresh_;  // met and not yet measured
    std::vector<float> apart_;
};

// Calls f(query number, walk, lost, reduced) for each query, in parallel blocks: the walk has searched for it unless it
// is lost (too far away, or without direction), and reduced(row) is its reduced distance.
template <class F>
void for_walks(const GraphView& graph, const Matrix& rows, const Matrix& queries, const GraphReach& reach,
               const Metric& metric, int threads, const F& f) {
    require(cols_of(rows) == graph.cells.cols() && cols_of(queries) == graph.cells.cols(), "columns of the graph");
    require(reach.hidden.empty() || reach.hidden.size() == rows_of(queries), "a hidden node for each query, or none");
    const Size entries = std::clamp(reach.entries, Size{1}, graph.cells.count());
    std::vector<std::int32_t> cells(rows_of(queries) * entries);
    lists_order(graph.cells, queries, entries, cells, threads);
    const auto kept = std::min(reach.reach, graph.nodes());
    with_rows(rows, [&]<class T>(const PointedRows<T>& x) {
        with_rows(queries, [&](const auto& q) {
            parallel_for(blocks_of(q.rows, kQueriesABlock), threads, [&](Size block) {
                Walk walk(graph, kept);
                std::vector<double> wide(q.cols);
                const auto reduced = [&](std::int64_t row) {
                    return metric.functions<T>().pair(wide.data(), x.row(static_cast<Size>(row)), x.cols, metric.p);
                };
                const Size end = std::min(q.rows, (block + 1) * kQueriesABlock);
                for (Size i = block * kQueriesABlock; i < end; ++i) {
                    q.widened(i, wide.data());
                    const bool nothing = metric.kind == MetricKind::cosine &&
                                         std::all_of(wide.begin(), wide.end(), [](double v) { return v == 0; });
                    const bool lost = nothing || !walk.read(q, i);
                    if (!lost)
                        walk.search({cells.data() + i * entries, entries}, kept,
                                    reach.hidden.empty() ? -1 : reach.hidden[i]);
                    f(i, walk, lost, reduced);
                }
            });
        });
    });
}

// f(row) for every row of a node.
template <class F>
void for_members(const GraphView& graph, Size node, Size most, const F& f) {
    const auto first = static_cast<Size>(graph.member_starts[node]);
    const auto end = std::min(static_cast<Size>(graph.member_starts[node + 1]), first + most);
    for (Size m = first; m < end; ++m) f(graph.members[m]);
}

}  // namespace

void graph_nearest(const GraphView& graph, const Matrix& rows, const Matrix& queries, Size k, const GraphReach& reach,
                   const Metric& metric, std::span<double> distances, std::span<std::int64_t> numbers, int threads) {
    require(k >= 1 && k <= rows_of(rows), "k must be between 1 and the number of rows");
    require(distances.size() == rows_of(queries) * k && numbers.size() == distances.size(), "room for k a query");
    const GraphReach wider{std::max(reach.reach, k), reach.entries, reach.hidden};
    for_walks(
        graph, rows, queries, wider, metric, threads, [&](Size i, const Walk& walk, bool lost, const auto& reduced) {
            std::vector<Neighbor> room(k);
            Nearest nearest(room);
            if (lost) {
                for (Size r = 0; r < rows_of(rows); ++r)
                    nearest.offer(reduced(static_cast<std::int64_t>(r)), static_cast<std::int64_t>(r));
            } else {
                for (const Known& known : walk.found()) {
                    const double value = reduced(graph.members[static_cast<Size>(graph.member_starts[known.number()])]);
                    for_members(graph, known.number(), k, [&](std::int64_t row) { nearest.offer(value, row); });
                }
                for (Size a = 0; a < std::min(k, graph.always.size()); ++a)
                    nearest.offer(reduced(graph.always[a]), graph.always[a]);
            }
            const auto found = nearest.finish();
            for (Size j = 0; j < k; ++j) {
                distances[i * k + j] = metric.distance(found[j].reduced);
                numbers[i * k + j] = found[j].row;
            }
        });
}

Neighborhoods graph_within(const GraphView& graph, const Matrix& rows, const Matrix& queries, double radius,
                           const GraphReach& reach, const Metric& metric, int threads) {
    std::vector<std::vector<Neighbor>> found(rows_of(queries));
    const double wide = radius * graph.cells.scale, unit = graph.cells.scale * graph.cells.scale;
    // Single precision may be off by a little: what is found is measured again.
    const double square = metric.kind == MetricKind::cosine ? 2 * std::max(radius, 0.0) * unit : wide * wide;
    const double slack = square * (1 + 1e-4) + 1e-12 * unit;
    for_walks(graph, rows, queries, reach, metric, threads, [&](Size i, Walk& walk, bool lost, const auto& reduced) {
        const auto offer = [&](std::int64_t row, double value) {
            if (metric.distance(value) <= radius) found[i].push_back({value, row});
        };
        if (lost) {
            for (Size r = 0; r < rows_of(rows); ++r) {
                const auto row = static_cast<std::int64_t>(r);
                offer(row, reduced(row));
            }
        } else {
            for (const Known& known : walk.flood(slack)) {
                const double value = reduced(graph.members[static_cast<Size>(graph.member_starts[known.number()])]);
                for_members(graph, known.number(), rows_of(rows), [&](std::int64_t row) { offer(row, value); });
            }
            for (const std::int64_t row : graph.always) offer(row, reduced(row));
        }
        std::sort(found[i].begin(), found[i].end());
    });
    return joined(found, metric);
}

}  // namespace pellucid
