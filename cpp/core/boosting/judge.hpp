// What a node answers, and what it is worth, by the sums of its gradients and curvatures.
#pragma once

#include <limits>

#include "core/boosting/packing.hpp"
#include "core/boosting/settings.hpp"

namespace pellucid::boosting {

// What a node's leaf may answer: monotone columns above it bound it.
struct Bounds {
    double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
};

// A node's answer and worth by its sums (settings.hpp), in the units of the loss.
struct Judge {
    const Settings* settings;

    double answer(double g, double h, double l2, const Bounds& bounds) const;
    double worth(double g, double h, double l2, const Bounds& bounds) const;
    // Whether an answer is always -T(g) / (h + l2).
    bool is_plain(const Bounds& bounds) const;
};

// What rounding alone may gain in a node: a sum of n gradients is off by half a step times the root of n. below: its
// curvature and l2.
double rounding_gain(const Packing& packing, Size rows, double below, double worth);

}  // namespace pellucid::boosting
