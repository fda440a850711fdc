// The rising function nearest to the data:
//
//   minimize  sum_i w_i (f_i - y_i)²   subject to  f_1 <= f_2 <= ... <= f_n
//
// by pooling adjacent violators (Ayer, Brunk, Ewing, Reid and Silverman, Annals of Mathematical Statistics 26, 1955).
// The rows are read once; each starts a block of its own, and while the block before it has no smaller mean the two
// become one, whose value is the weighted mean  sum w y / sum w  of its rows. A row is pooled at most once: O(n).
#pragma once

#include <algorithm>
#include <vector>

#include "core/isotonic/sorted_rows.hpp"

namespace pellucid {

struct PooledBlock {
    double sum = 0, weight = 0;  // of w y and of w
    double mean = 0;             // sum / weight
    double first_x = 0, last_x = 0;
    Size size = 0;  // entries

    static PooledBlock of(double x, double sum, double weight) { return {sum, weight, sum / weight, x, x, 1}; }
    void take(const PooledBlock& next) {
        sum += next.sum;
        weight += next.weight;
        mean = sum / weight;
        last_x = next.last_x;
        size += next.size;
    }
};

// Adds a block at the end and pools it with those before it for as long as they violate the order.
inline void push_pooled(std::vector<PooledBlock>& blocks, PooledBlock next) {
    while (!blocks.empty() && blocks.back().mean >= next.mean) {
        blocks.back().take(next);
        next = blocks.back();
        blocks.pop_back();
    }
    blocks.push_back(next);
}

// y in the order given; weight empty where every entry counts once, else above zero. Writes f.
inline void pool_in_order(std::span<const double> y, std::span<const double> weight, std::span<double> f) {
    require(f.size() == y.size() && (weight.empty() || weight.size() == y.size()), "isotonic: sizes");
    std::vector<PooledBlock> blocks;
    for (Size i = 0; i < y.size(); ++i) {
        const double w = weight.empty() ? 1 : weight[i];
        push_pooled(blocks, PooledBlock::of(0, w * y[i], w));
    }
    Size at = 0;
    for (const PooledBlock& block : blocks) {
        std::fill_n(f.begin() + static_cast<std::ptrdiff_t>(at), block.size, block.mean);
        at += block.size;
    }
}

// The corners of the fitted function: between them it is linear.
struct Corners {
    std::vector<double> x, y;
};

// Rows of one x are one entry, their weighted mean; so are rows whose x lies less than `tie` above the first of them.
template <class Row>
std::vector<PooledBlock> pool_sorted(std::span<const Row> rows, double tie) {
    std::vector<PooledBlock> blocks;
    for (Size i = 0; i < rows.size();) {
        const double x = rows[i].x;
        double sum = 0, weight = 0;
        for (; i < rows.size() && (rows[i].x == x || rows[i].x - x < tie); ++i) {
            sum += rows[i].weight() * rows[i].y;
            weight += rows[i].weight();
        }
        push_pooled(blocks, PooledBlock::of(x, sum, weight));
    }
    return blocks;
}

// Both ends of every block, its value held between low and high; what lies on a level between two others is left out.
inline Corners corners_of(const std::vector<PooledBlock>& blocks, double low, double high) {
    Corners all;
    for (const PooledBlock& block : blocks) {
        const double value = std::min(std::max(block.mean, low), high);
        for (Size end = 0; end < std::min(block.size, Size{2}); ++end) {
            all.x.push_back(end == 0 ? block.first_x : block.last_x);
            all.y.push_back(value);
        }
    }
    Corners kept;
    for (Size i = 0; i < all.x.size(); ++i) {
        const bool inside = i > 0 && i + 1 < all.x.size();
        if (inside && all.y[i] == all.y[i - 1] && all.y[i] == all.y[i + 1]) continue;
        kept.x.push_back(all.x[i]);
        kept.y.push_back(all.y[i]);
    }
    return kept;
}

// Rows in any order, weights above zero.
inline Corners fit_isotonic(const RowsToSort& rows, double tie, double low, double high, int threads) {
    const auto fit = [&]<class Row>(const SortedRows<Row>& sorted) {
        return corners_of(pool_sorted(sorted.rows(), tie), low, high);
    };
    return rows.weight.empty() ? fit(SortedRows<PlainRow>(rows, threads)) : fit(SortedRows<WeightedRow>(rows, threads));
}

}  // namespace pellucid
