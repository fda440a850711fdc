#include "core/recommend/neighbors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"

namespace pellucid {
namespace {

constexpr Size kPairs = 4096;  // of a block
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

struct Voice {
    double similarity;
    std::int32_t row;
    double value;
    bool operator<(const Voice& o) const {
        return similarity > o.similarity || (similarity == o.similarity && row < o.row);
    }
};

// The similarities of one row at the places of the others; NaN where there is none.
class Spread {
  public:
    explicit Spread(const Rated& similar) : similar_(similar), at_(similar.rows(), kNone) {}
    void move_to(std::int32_t row) {
        if (row == row_) return;
        fill([](double) { return kNone; });
        row_ = row;
        fill([](double s) { return s; });
    }
    double of(Size other) const { return at_[other]; }

  private:
    template <class Value>
    void fill(const Value& value) {
        if (row_ < 0) return;
        const auto r = static_cast<Size>(row_);
        for (Size at = similar_.first(r); at < similar_.last(r); ++at)
            at_[similar_.column(at)] = value(similar_.values[at]);
    }
    const Rated& similar_;
    std::vector<double> at_;
    std::int32_t row_ = -1;
};

double weighted_mean(std::vector<Voice>& voices, const NeighborSettings& s) {
    if (voices.size() < s.least) return kNone;
    const Size k = std::min(s.k, voices.size());
    std::partial_sort(voices.begin(), voices.begin() + static_cast<std::ptrdiff_t>(k), voices.end());
    double sum = 0, weight = 0;
    for (Size i = 0; i < k; ++i) {
        sum += voices[i].similarity * voices[i].value;
        weight += std::abs(voices[i].similarity);
    }
    return weight > 0 ? sum / weight : kNone;
}

struct Score {
    double score;
    std::int32_t column;
    bool operator<(const Score& o) const { return score > o.score || (score == o.score && column < o.column); }
};

void best_of_row(std::span<const double> scores, std::span<const std::int32_t> seen, Size n, std::vector<Score>& heap) {
    heap.clear();
    Size next = 0;
    for (Size c = 0; c < scores.size(); ++c) {
        if (next < seen.size() && static_cast<Size>(seen[next]) == c) {
            ++next;
            continue;
        }
        const Score here{scores[c], static_cast<std::int32_t>(c)};
        if (std::isnan(here.score)) continue;
        if (heap.size() == n) {
            if (!(here < heap.front())) continue;
            std::pop_heap(heap.begin(), heap.end());
            heap.back() = here;
        } else {
            heap.push_back(here);
        }
        std::push_heap(heap.begin(), heap.end());
    }
    std::sort_heap(heap.begin(), heap.end());
}

}  // namespace

void neighbor_means(const Rated& similar, const Rated& columns, const AskedPairs& asked, const NeighborSettings& s,
                    std::span<double> out) {
    const Size n = asked.rows.size();
    require(asked.columns.size() == n && out.size() == n, "neighbor_means: lengths differ");
    parallel_for(blocks_of(n, kPairs), s.threads, [&](Size block) {
        Spread spread(similar);
        std::vector<Voice> voices;
        for (Size i = block * kPairs; i < std::min(n, (block + 1) * kPairs); ++i) {
            spread.move_to(asked.rows[i]);
            voices.clear();
            const auto c = static_cast<Size>(asked.columns[i]);
            for (Size at = columns.first(c); at < columns.last(c); ++at) {
                const double similarity = spread.of(columns.column(at));
                if (!std::isnan(similarity)) voices.push_back({similarity, columns.indices[at], columns.values[at]});
            }
            out[i] = weighted_mean(voices, s);
        }
    });
}

BestOfRows best_columns(std::span<const double> scores, Size columns, const Rated& seen,
                        std::span<const std::int32_t> seen_rows, Size n, int threads) {
    const Size rows = seen_rows.size();
    require(scores.size() == rows * columns, "best_columns: a score for every cell");
    BestOfRows out{std::vector<std::int32_t>(rows * n, -1), std::vector<double>(rows * n, kNone)};
    if (n == 0) return out;
    parallel_for(rows, threads, [&](Size r) {
        std::span<const std::int32_t> known;
        if (seen_rows[r] >= 0) {
            const auto u = static_cast<Size>(seen_rows[r]);
            known = seen.indices.subspan(seen.first(u), seen.count(u));
        }
        std::vector<Score> heap;
        heap.reserve(n);
        best_of_row(scores.subspan(r * columns, columns), known, n, heap);
        for (Size i = 0; i < heap.size(); ++i) {
            out.columns[r * n + i] = heap[i].column;
            out.scores[r * n + i] = heap[i].score;
        }
    });
    return out;
}

}  // namespace pellucid
