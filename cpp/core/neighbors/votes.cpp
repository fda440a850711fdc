#include "core/neighbors/votes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/distance/collect.hpp"

namespace pellucid {
namespace {

constexpr Size kQueriesABlock = 512;

// How much the neighbors of one query count.
class Weights {
  public:
    Weights(const Asked& asked, Size query)
        : lists_(asked.lists), weighing_(asked.weighing), begin_(lists_.begin(query)), end_(lists_.end(query)) {
        if (!by_distance()) return;
        Size first = begin_;
        while (first < end_ && own(first) == 0) ++first;  // a row of weight 0 is as if it were not there
        if (first == end_) return;
        const double nearest = raw(first);
        alone_ = std::isinf(nearest);
        alike_ = nearest == 0;
    }

    double operator()(Size at) const {
        if (weighing_.kind == Weighting::uniform || alike_) return own(at);
        if (weighing_.kind == Weighting::given) return own(at) * weighing_.given[at];
        if (own(at) == 0) return 0;  // whose 1/d may be infinite
        const double weight = raw(at);
        return own(at) * (alone_ ? (std::isinf(weight) ? 1.0 : 0.0) : weight);
    }
    // Weight of the row itself.
    double own(Size at) const {
        return weighing_.of_row.empty() ? 1.0 : weighing_.of_row[static_cast<Size>(lists_.rows[at])];
    }
    Size begin() const { return begin_; }
    Size end() const { return end_; }

  private:
    bool by_distance() const {
        return weighing_.kind == Weighting::inverse || weighing_.kind == Weighting::inverse_square;
    }
    double raw(Size at) const {
        const double d = lists_.distances[at];
        return weighing_.kind == Weighting::inverse ? 1 / d : 1 / (d * d);
    }

    const NeighborLists& lists_;
    const Weighing& weighing_;
    Size begin_, end_;
    bool alone_ = false, alike_ = false;
};

// Calls add(place in the lists, weight) for each neighbor of a query, and station(number) at each station.
template <class Add, class Station>
void walk(const Asked& asked, Size query, const Add& add, const Station& station) {
    const Weights weight(asked, query);
    Size next = 0;
    for (Size at = weight.begin(); at < weight.end(); ++at) {
        add(at, weight(at));
        while (next < asked.stations.size() && static_cast<Size>(asked.stations[next]) == at - weight.begin() + 1)
            station(next++);
    }
    if (asked.stations.empty()) station(0);
}

// Calls f(query, scratch) for each query, in blocks; each block has a scratch of its own.
template <class Make, class F>
void for_queries(const Asked& asked, int threads, const Make& make, const F& f) {
    const NeighborLists& lists = asked.lists;
    require(lists.starts.empty() || lists.starts.size() == lists.queries + 1, "one start a query and the end");
    require(!lists.starts.empty() || lists.rows.size() == lists.queries * lists.each, "k rows a query");
    require(asked.stations.empty() || lists.starts.empty(), "stations are of lists of equal length");
    parallel_for(blocks_of(lists.queries, kQueriesABlock), threads, [&](Size block) {
        auto scratch = make();
        const Size end = std::min(lists.queries, (block + 1) * kQueriesABlock);
        for (Size i = block * kQueriesABlock; i < end; ++i) f(i, scratch);
    });
}

// Votes so far of one query. Only the classes of its neighbors are touched, so that thousands of classes cost nothing.
struct Count {
    explicit Count(Size classes) : votes(classes, 0.0), apart(classes), nearest(classes), seen(classes, 0) {}

    void add(std::int32_t code, double weight, double distance, double own) {
        if (own == 0) return;
        const auto c = static_cast<Size>(code);
        if (!seen[c]) {
            seen[c] = 1;
            present.push_back(code);
            votes[c] = 0;
            apart[c] = 0;
            nearest[c] = distance;
        }
        votes[c] += weight;
        apart[c] += own * distance;
        // Weights are not negative: only the class that gained can have come to lead.
        if (weight <= 0) return;
        if (lead < 0 || votes[c] > votes[static_cast<Size>(lead)])
            lead = code;
        else if (votes[c] == votes[static_cast<Size>(lead)])
            lead = std::min(lead, code);
    }
    // Among the classes with the most votes, the one whose neighbors are nearest.
    std::int32_t nearest_leader() const {
        std::int32_t best = lead;
        for (const std::int32_t code : present)
            if (lead >= 0 && votes[static_cast<Size>(code)] == votes[static_cast<Size>(lead)] && nearer(code, best))
                best = code;
        return best;
    }
    bool is_tied() const {
        return lead >= 0 && std::count_if(present.begin(), present.end(), [&](std::int32_t code) {
                                return votes[static_cast<Size>(code)] == votes[static_cast<Size>(lead)];
                            }) > 1;
    }
    void clear() {
        for (const std::int32_t code : present) seen[static_cast<Size>(code)] = 0;
        present.clear();
        lead = -1;
    }

    std::vector<double> votes, apart, nearest;
    std::vector<unsigned char> seen;
    std::vector<std::int32_t> present;
    std::int32_t lead = -1;

  private:
    bool nearer(std::int32_t a, std::int32_t b) const {
        const auto i = static_cast<Size>(a), j = static_cast<Size>(b);
        if (nearest[i] != nearest[j]) return nearest[i] < nearest[j];
        if (apart[i] != apart[j]) return apart[i] < apart[j];
        return a < b;
    }
};

double distance_at(const NeighborLists& lists, Size at) { return lists.distances.empty() ? 0.0 : lists.distances[at]; }

void add_vote(const Asked& asked, std::span<const std::int32_t> codes, Size at, double weight, Count& count) {
    const auto row = static_cast<Size>(asked.lists.rows[at]);
    const double own = asked.weighing.of_row.empty() ? 1.0 : asked.weighing.of_row[row];
    count.add(codes[row], weight, distance_at(asked.lists, at), own);
}

struct Entry {
    double value, weight;
};

double middle(double a, double b) {
    const double sum = a + b;
    return std::isfinite(sum) ? sum / 2 : a / 2 + b / 2;
}

double weighted_median(std::vector<Entry>& entries) {
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.value < b.value; });
    double whole = 0;
    for (const Entry& e : entries) whole += e.weight;
    if (!(whole > 0)) return std::numeric_limits<double>::quiet_NaN();
    double below = 0;
    for (Size j = 0; j < entries.size(); ++j) {
        below += entries[j].weight;
        if (2 * below > whole) return entries[j].value;
        if (2 * below < whole) continue;
        Size next = j + 1;
        while (next + 1 < entries.size() && entries[next].weight == 0) ++next;
        return next < entries.size() ? middle(entries[j].value, entries[next].value) : entries[j].value;
    }
    return entries.back().value;
}

struct Sums {
    explicit Sums(Size targets) : sums(targets) {}
    std::vector<double> sums, weights;
    std::vector<Entry> entries;
    double whole = 0;
};

// The mean again, term by term: a sum of values near the largest number may leave the range, their mean does not.
double careful_mean(const Asked& asked, std::span<const double> values, Size targets, Size t, Size query, Size seen,
                    double whole) {
    const Weights weight(asked, query);
    double mean = 0;
    for (Size at = weight.begin(); at < weight.begin() + seen; ++at)
        mean += weight(at) / whole * values[static_cast<Size>(asked.lists.rows[at]) * targets + t];
    return mean;
}

void average_means(const Asked& asked, std::span<const double> values, Size targets, std::span<double> out,
                   int threads) {
    for_queries(
        asked, threads, [&] { return Sums(targets); },
        [&](Size i, Sums& s) {
            std::fill(s.sums.begin(), s.sums.end(), 0.0);
            s.whole = 0;
            Size seen = 0;
            walk(
                asked, i,
                [&](Size at, double weight) {
                    const double* y = &values[static_cast<Size>(asked.lists.rows[at]) * targets];
                    for (Size t = 0; t < targets; ++t) s.sums[t] += weight * y[t];
                    s.whole += weight;
                    ++seen;
                },
                [&](Size station) {
                    double* to = &out[(station * asked.lists.queries + i) * targets];
                    for (Size t = 0; t < targets; ++t) {
                        to[t] = s.whole > 0 ? s.sums[t] / s.whole : std::numeric_limits<double>::quiet_NaN();
                        if (std::isfinite(s.sums[t]) || !(s.whole > 0)) continue;
                        to[t] = careful_mean(asked, values, targets, t, i, seen, s.whole);
                    }
                });
        });
}

void average_medians(const Asked& asked, std::span<const double> values, Size targets, std::span<double> out,
                     int threads) {
    for_queries(
        asked, threads, [&] { return Sums(targets); },
        [&](Size i, Sums& s) {
            s.weights.clear();
            const Size begin = asked.lists.begin(i);
            walk(
                asked, i, [&](Size, double weight) { s.weights.push_back(weight); },
                [&](Size station) {
                    for (Size t = 0; t < targets; ++t) {
                        s.entries.clear();
                        for (Size j = 0; j < s.weights.size(); ++j)
                            s.entries.push_back(
                                {values[static_cast<Size>(asked.lists.rows[begin + j]) * targets + t], s.weights[j]});
                        out[(station * asked.lists.queries + i) * targets + t] = weighted_median(s.entries);
                    }
                });
        });
}

}  // namespace

void class_votes(const Asked& asked, std::span<const std::int32_t> codes, Size classes, std::span<double> sums,
                 int threads) {
    require(sums.size() == asked.answers() * asked.lists.queries * classes, "room for the votes");
    for_queries(
        asked, threads, [&] { return std::vector<double>(classes); },
        [&](Size i, std::vector<double>& votes) {
            std::fill(votes.begin(), votes.end(), 0.0);
            walk(
                asked, i,
                [&](Size at, double weight) {
                    votes[static_cast<Size>(codes[static_cast<Size>(asked.lists.rows[at])])] += weight;
                },
                [&](Size station) {
                    std::copy(
                        votes.begin(), votes.end(),
                        sums.begin() + static_cast<std::ptrdiff_t>((station * asked.lists.queries + i) * classes));
                });
        });
}

void class_winners(const Asked& asked, std::span<const std::int32_t> codes, Size classes, Ties ties,
                   std::span<std::int32_t> winners, int threads) {
    require(winners.size() == asked.answers() * asked.lists.queries, "room for the winners");
    for_queries(
        asked, threads, [&] { return Count(classes); },
        [&](Size i, Count& count) {
            count.clear();
            walk(
                asked, i, [&](Size at, double weight) { add_vote(asked, codes, at, weight, count); },
                [&](Size station) {
                    winners[station * asked.lists.queries + i] =
                        ties == Ties::first ? count.lead : count.nearest_leader();
                });
        });
}

void class_settled(const Asked& asked, std::span<const std::int32_t> codes, Size classes, Size k,
                   std::span<std::int32_t> winners, std::span<std::int64_t> used, int threads) {
    require(winners.size() == asked.lists.queries && used.size() == winners.size(), "room for the winners");
    for_queries(
        asked, threads, [&] { return Count(classes); },
        [&](Size i, Count& count) {
            count.clear();
            used[i] = 0;
            const Weights weight(asked, i);
            for (Size at = weight.begin(); at < weight.end(); ++at) {
                add_vote(asked, codes, at, weight(at), count);
                if (at - weight.begin() + 1 < k || count.is_tied()) continue;
                used[i] = static_cast<std::int64_t>(at - weight.begin() + 1);
                break;
            }
            winners[i] = count.lead;
        });
}

void neighbor_averages(const Asked& asked, std::span<const double> values, Size targets, Average average,
                       std::span<double> out, int threads) {
    require(out.size() == asked.answers() * asked.lists.queries * targets, "room for the averages");
    if (average == Average::mean)
        average_means(asked, values, targets, out, threads);
    else
        average_medians(asked, values, targets, out, threads);
}

void smallest_in_rows(const Dense<double>& table, Size k, std::span<double> values, std::span<std::int64_t> columns,
                      int threads) {
    require(k >= 1 && k <= table.cols, "k must be between 1 and the number of columns");
    require(values.size() == table.rows * k && columns.size() == values.size(), "room for k a row");
    constexpr Size kRowsABlock = 16;
    parallel_for(blocks_of(table.rows, kRowsABlock), threads, [&](Size block) {
        std::vector<Neighbor> room(k);
        const Size end = std::min(table.rows, (block + 1) * kRowsABlock);
        for (Size r = block * kRowsABlock; r < end; ++r) {
            Nearest nearest(room);
            for (Size c = 0; c < table.cols; ++c) nearest.offer(table.at(r, c), static_cast<std::int64_t>(c));
            const auto found = nearest.finish();
            for (Size j = 0; j < k; ++j) {
                const bool there = found[j].row < std::numeric_limits<std::int64_t>::max();
                values[r * k + j] = there ? found[j].reduced : std::numeric_limits<double>::quiet_NaN();
                columns[r * k + j] = there ? found[j].row : -1;
            }
        }
    });
}

}  // namespace pellucid
