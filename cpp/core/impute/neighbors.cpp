#include "core/impute/neighbors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/base/simd.hpp"
#include "core/impute/apart.hpp"

namespace pellucid {

extern const Apart apart_baseline;
#ifdef PELLUCID_X86_LEVELS
extern const Apart apart_v3;
extern const Apart apart_v4;
#endif

const Apart& apart() {
#ifdef PELLUCID_X86_LEVELS
    switch (current_level()) {
        case Level::v4:
            return apart_v4;
        case Level::v3:
            return apart_v3;
        case Level::baseline:
            break;
    }
#endif
    return apart_baseline;
}

namespace {

constexpr Size kTile = 64;  // receivers that share a block of donors in cache
constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool has_all(const Dense<double>& x, Size r) {
    for (Size c = 0; c < x.cols; ++c)
        if (x.at(r, c) != x.at(r, c)) return false;
    return true;
}

// A candidate: (squared distance over p, row). Less means nearer, then earlier.
struct Candidate {
    double apart;
    std::int64_t row;
    bool operator<(const Candidate& other) const {
        return apart < other.apart || (apart == other.apart && row < other.row);
    }
};

// The k best so far: a heap whose front is the worst of them.
class Best {
  public:
    explicit Best(Size k) : k_(k) { kept_.reserve(k); }
    double worst() const { return kept_.size() < k_ ? kInfinity : kept_.front().apart; }
    void offer(Candidate c) {
        if (kept_.size() == k_) {
            if (!(c < kept_.front())) return;
            std::pop_heap(kept_.begin(), kept_.end());
            kept_.back() = c;
        } else {
            kept_.push_back(c);
        }
        std::push_heap(kept_.begin(), kept_.end());
    }
    std::span<const Candidate> sorted() {
        std::sort_heap(kept_.begin(), kept_.end());
        return kept_;
    }

  private:
    Size k_;
    std::vector<Candidate> kept_;
};

// One receiver of a tile: what it has, and its gaps [first, last).
struct Receiver {
    Size begin, count;  // of its values and columns in the tile's lists
    Size first, last;
};

struct Tile {
    std::vector<Receiver> receivers;
    std::vector<double> values;
    std::vector<int> columns;
};

Tile tile_of(const Dense<double>& x, std::span<const Gap> gaps, Size begin, Size end) {
    Tile t;
    for (Size g = begin; g < end;) {
        const auto row = static_cast<Size>(gaps[g].row);
        Receiver one{t.values.size(), 0, g, g};
        for (Size c = 0; c < x.cols; ++c) {
            const double v = x.at(row, c);
            if (v != v) continue;
            t.values.push_back(v);
            t.columns.push_back(static_cast<int>(c));
            ++one.count;
        }
        while (g < end && gaps[g].row == gaps[one.first].row) ++g;
        one.last = g;
        t.receivers.push_back(one);
    }
    return t;
}

// Gaps [begins[i], begins[i + 1]) are those of tile i: whole rows, at most kTile of them.
std::vector<Size> tiles_of(std::span<const Gap> gaps) {
    std::vector<Size> begins{0};
    Size rows = 0;
    for (Size g = 0; g < gaps.size(); ++g) {
        if (g == 0 || gaps[g].row == gaps[g - 1].row) continue;
        if (++rows % kTile == 0) begins.push_back(g);
    }
    begins.push_back(gaps.size());
    return begins;
}

void offer_block(const Donors& donors, Size block, const double* apart, Size col, Best& best) {
    const double* there = donors.there(block) + col * kDonors;
    for (Size lane = 0; lane < kDonors; ++lane)
        if (apart[lane] <= best.worst() && apart[lane] < kInfinity && there[lane] != 0)
            best.offer({apart[lane], donors.row(block, lane)});
}

}  // namespace

Donors::Donors(const Dense<double>& x, int threads) : rows_(x.rows), cols_(x.cols), complete_(0) {
    const Size places = blocks() * kDonors;
    order_.assign(places, -1);
    Size at = 0;
    std::vector<char> whole(rows_);
    parallel_for(blocks_of(rows_, 4096), threads, [&](Size b) {
        for (Size r = b * 4096; r < std::min(rows_, (b + 1) * 4096); ++r) whole[r] = has_all(x, r);
    });
    for (const char first : {1, 0})
        for (Size r = 0; r < rows_; ++r)
            if (whole[r] == first) order_[at++] = static_cast<std::int64_t>(r);
    complete_ = static_cast<Size>(std::count(whole.begin(), whole.end(), 1)) / kDonors;
    values_.assign(places * cols_, 0.0);
    there_.assign(places * cols_, 0.0);
    parallel_for(blocks(), threads, [&](Size b) {
        for (Size lane = 0; lane < kDonors; ++lane) {
            if (row(b, lane) < 0) continue;
            for (Size c = 0; c < cols_; ++c) {
                const double v = x.at(static_cast<Size>(row(b, lane)), c);
                const Size place = (b * cols_ + c) * kDonors + lane;
                values_[place] = v == v ? v : 0.0;
                there_[place] = v == v ? 1.0 : 0.0;
            }
        }
    });
}

void nearest_donors(const Donors& donors, const Dense<double>& receivers, std::span<const Gap> gaps, Size k,
                    std::span<std::int64_t> rows, std::span<double> distances, int threads) {
    require(receivers.cols == donors.cols() && k > 0, "nearest_donors: sizes");
    require(rows.size() == gaps.size() * k && distances.size() == rows.size(), "nearest_donors: size of the result");
    for (Size g = 0; g < gaps.size(); ++g) {
        require(gaps[g].row >= 0 && static_cast<Size>(gaps[g].row) < receivers.rows, "nearest_donors: no such row");
        require(gaps[g].col >= 0 && static_cast<Size>(gaps[g].col) < donors.cols(), "nearest_donors: no such column");
        require(g == 0 || gaps[g - 1].row <= gaps[g].row, "nearest_donors: gaps must stand in the order of their rows");
    }
    if (gaps.empty()) return;
    const std::vector<Size> begins = tiles_of(gaps);
    const Apart& kernel = apart();
    const double p = static_cast<double>(donors.cols());
    parallel_for(begins.size() - 1, threads, [&](Size i) {
        const Tile tile = tile_of(receivers, gaps, begins[i], begins[i + 1]);
        std::vector<Best> best(begins[i + 1] - begins[i], Best(k));
        double found[kDonors];
        for (Size b = 0; b < donors.blocks(); ++b)
            for (const Receiver& one : tile.receivers) {
                const double* x = tile.values.data() + one.begin;
                const int* columns = tile.columns.data() + one.begin;
                const double least = donors.complete(b)
                                         ? kernel.all(x, columns, one.count, donors.values(b), found)
                                         : kernel.some(x, columns, one.count, donors.values(b), donors.there(b), found);
                for (Size g = one.first; g < one.last; ++g) {
                    Best& into = best[g - begins[i]];
                    if (least <= into.worst()) offer_block(donors, b, found, static_cast<Size>(gaps[g].col), into);
                }
            }
        for (Size g = begins[i]; g < begins[i + 1]; ++g) {
            const std::span<const Candidate> nearest = best[g - begins[i]].sorted();
            for (Size n = 0; n < k; ++n) {
                const bool known = n < nearest.size();
                rows[g * k + n] = known ? nearest[n].row : -1;
                distances[g * k + n] =
                    known ? std::sqrt(nearest[n].apart * p) : std::numeric_limits<double>::quiet_NaN();
            }
        }
    });
}

}  // namespace pellucid
