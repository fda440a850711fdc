#include "core/distance/metric.hpp"

#include "core/base/check.hpp"
#include "core/base/simd.hpp"

namespace pellucid {

extern const MetricHot metric_hot_baseline;
#ifdef PELLUCID_X86_LEVELS
extern const MetricHot metric_hot_v3;
extern const MetricHot metric_hot_v4;
#endif

const MetricHot& metric_hot() {
#ifdef PELLUCID_X86_LEVELS
    switch (current_level()) {
        case Level::v4:
            return metric_hot_v4;
        case Level::v3:
            return metric_hot_v3;
        default:
            return metric_hot_baseline;
    }
#else
    return metric_hot_baseline;
#endif
}

Metric metric_of(int kind, double p, Size cols) {
    require(kind >= 0 && static_cast<Size>(kind) < kMetrics, "no such metric");
    require(kind != static_cast<int>(MetricKind::minkowski) || p > 0, "minkowski: p must be above 0");
    require(kind != static_cast<int>(MetricKind::haversine) || cols == 2, "haversine: latitude and longitude");
    return {static_cast<MetricKind>(kind), p};
}

}  // namespace pellucid
