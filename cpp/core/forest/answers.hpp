// What a leaf adds to the answer of a forest, and how far an answer is from the truth.
#pragma once

#include <algorithm>
#include <span>

#include "core/base/check.hpp"
#include "core/base/views.hpp"

namespace pellucid::forest {

// Numbers as they are. Loss: squared error, summed over the outputs.
struct Means {
    Size width;

    void add(const double* value, double* sums) const {
        for (Size c = 0; c < width; ++c) sums[c] += value[c];
    }
    double loss(const double* sums, double answers, const double* y) const {
        double loss = 0;
        for (Size c = 0; c < width; ++c) loss += (sums[c] / answers - y[c]) * (sums[c] / answers - y[c]);
        return loss;
    }
};

// Two classes of one output. Loss: is the more probable class wrong? Of equals the first counts.
struct SharesOfTwo {
    void add(const double* value, double* sums) const {
        const double total = value[0] + value[1];
        sums[0] += value[0] / total;
        sums[1] += value[1] / total;
    }
    double loss(const double* sums, double, const double* y) const { return (sums[1] > sums[0]) != (y[0] > 0.5); }
};

// Any classes: shares of each output's own. Loss: the share of outputs that are wrong.
struct Shares {
    std::span<const std::int32_t> classes;

    void add(const double* value, double* sums) const {
        for (const std::int32_t count : classes) {
            double total = 0;
            for (std::int32_t c = 0; c < count; ++c) total += value[c];
            for (std::int32_t c = 0; c < count; ++c) sums[c] += value[c] / total;
            value += count;
            sums += count;
        }
    }
    double loss(const double* sums, double, const double* y) const {
        double wrong = 0;
        for (const std::int32_t count : classes) {
            wrong += std::max_element(sums, sums + count) - sums != static_cast<std::ptrdiff_t>(*y++);
            sums += count;
        }
        return wrong / static_cast<double>(classes.size());
    }
};

// use(the right one of the three).
template <class Use>
void with_answers(std::span<const std::int32_t> n_classes, Size width, const Use& use) {
    if (n_classes.empty()) return use(Means{width});
    std::int64_t sum = 0;
    for (const std::int32_t count : n_classes) {
        require(count >= 1, "forest: classes");
        sum += count;
    }
    require(sum == static_cast<std::int64_t>(width), "forest: classes");
    if (n_classes.size() == 1 && width == 2) return use(SharesOfTwo{});
    use(Shares{n_classes});
}

}  // namespace pellucid::forest
