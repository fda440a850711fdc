// A metric as indices see it: which one, and how its reduced distance (metric_hot.hpp) becomes the distance.
#pragma once

#include <cmath>

#include "core/base/views.hpp"
#include "core/distance/metric_hot.hpp"

namespace pellucid {

struct Metric {
    MetricKind kind = MetricKind::euclidean;
    double p = 2;  // of minkowski

    double distance(double reduced) const {
        switch (kind) {
            case MetricKind::euclidean:
            case MetricKind::nan_euclidean:
                return std::sqrt(reduced);
            case MetricKind::minkowski:
                return std::pow(reduced, 1 / p);
            case MetricKind::haversine:
                return 2 * std::asin(std::sqrt(reduced < 1 ? reduced : 1.0));
            default:
                return reduced;
        }
    }
    template <class T>
    const MetricFunctions<T>& functions() const {
        if constexpr (sizeof(T) == sizeof(float))
            return metric_hot().f32[static_cast<Size>(kind)];
        else
            return metric_hot().f64[static_cast<Size>(kind)];
    }
};

// Throws unless `kind` is the number of a metric, and one of rows of so many columns where that is told.
Metric metric_of(int kind, double p, Size cols = 2);

}  // namespace pellucid
