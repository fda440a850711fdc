#include "core/boosting/judge.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/simd.hpp"

namespace pellucid::boosting {

extern const BoostHot boost_hot_baseline;
#ifdef PELLUCID_X86_LEVELS
extern const BoostHot boost_hot_v3;
extern const BoostHot boost_hot_v4;
#endif

const BoostHot& boost_hot() {
#ifdef PELLUCID_X86_LEVELS
    switch (current_level()) {
        case Level::v4:
            return boost_hot_v4;
        case Level::v3:
            return boost_hot_v3;
        case Level::baseline:
            break;
    }
#endif
    return boost_hot_baseline;
}

namespace {

double beyond(double g, double l1) { return std::copysign(std::max(std::abs(g) - l1, 0.0), g); }

}  // namespace

double Judge::answer(double g, double h, double l2, const Bounds& bounds) const {
    const double below = h + l2;
    double w = below > 0 ? -beyond(g, settings->l1) / below : 0;
    if (settings->max_step > 0) w = std::clamp(w, -settings->max_step, settings->max_step);
    return std::min(std::max(w, bounds.low), bounds.high);
}

double Judge::worth(double g, double h, double l2, const Bounds& bounds) const {
    if (is_plain(bounds)) {
        const double t = beyond(g, settings->l1), below = h + l2;
        return below > 0 ? t * t / below : 0;
    }
    const double w = answer(g, h, l2, bounds);
    return -(2 * g * w + (h + l2) * w * w + 2 * settings->l1 * std::abs(w));
}

bool Judge::is_plain(const Bounds& bounds) const {
    return settings->max_step == 0 && !std::isfinite(bounds.low) && !std::isfinite(bounds.high);
}

double rounding_gain(const Packing& packing, Size rows, double below, double worth) {
    const double step = packing.gradient_step;
    return (below > 0 ? 8 * step * step * static_cast<double>(rows) / below : 0) + 1e-12 * worth;
}

}  // namespace pellucid::boosting
