// How much of the spread of a number lies between the groups of a category: for the groups k of one column and the
// values x of another, over the rows that have both,
//
//   between = sum_k n_k (m_k - m)^2       total = sum_i (x_i - m)^2
//
// with m the mean of all and m_k of group k. eta^2 = between / total is the correlation ratio.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "core/base/pool.hpp"

namespace pellucid::quality {

struct GroupSquares {
    std::vector<double> between, total;  // groupings x columns
};

// NaN stands for a missing number, a code below 0 for a missing category. One pair of columns a thread.
inline GroupSquares group_squares(std::span<const std::span<const std::int32_t>> codes, std::span<const Size> levels,
                                  std::span<const std::span<const double>> columns, int threads) {
    const Size width = columns.size();
    GroupSquares found{std::vector<double>(codes.size() * width), std::vector<double>(codes.size() * width)};
    parallel_for(codes.size() * width, threads, [&](Size pair) {
        const auto group = codes[pair / width];
        const auto x = columns[pair % width];
        struct Sum {
            double n = 0.0, x = 0.0;
        };
        std::vector<Sum> sums(levels[pair / width]);
        for (Size r = 0; r < x.size(); ++r)
            if (group[r] >= 0 && x[r] == x[r]) {
                Sum& sum = sums[static_cast<Size>(group[r])];
                sum.n += 1.0;
                sum.x += x[r];
            }
        Sum all;
        for (const Sum& sum : sums) all = {all.n + sum.n, all.x + sum.x};
        if (all.n == 0.0) return;
        const double mean = all.x / all.n;
        double between = 0.0, total = 0.0;
        for (const Sum& sum : sums)
            if (sum.n > 0.0) between += sum.n * (sum.x / sum.n - mean) * (sum.x / sum.n - mean);
        for (Size r = 0; r < x.size(); ++r)
            if (group[r] >= 0 && x[r] == x[r]) total += (x[r] - mean) * (x[r] - mean);
        found.between[pair] = between;
        found.total[pair] = total;
    });
    return found;
}

}  // namespace pellucid::quality
