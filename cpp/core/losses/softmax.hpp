// Cross entropy of a class y in 0 .. k-1, for k scores f (the logarithms of odds among the classes):
//
//   l(y, f) = log(sum_t e^f_t) - f_y,   p_t = e^f_t / sum_s e^f_s
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace pellucid {

struct SoftmaxLoss {
    // Overwrites the scores by dl/df_t = p_t - [t = y] and answers l. Taken from the largest score, nothing overflows.
    static double value_and_gradient(std::size_t y, std::span<double> f) {
        const double largest = *std::max_element(f.begin(), f.end()), own = f[y];
        double sum = 0;
        for (double& score : f) sum += score = std::exp(score - largest);
        for (double& score : f) score /= sum;
        f[y] -= 1;
        return std::log(sum) + (largest - own);
    }
};

}  // namespace pellucid
