// How far to go along a direction in which a function falls: to where it has fallen enough (Armijo) and its slope has
// become flat enough (Wolfe).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace pellucid {

constexpr double kDecrease = 1e-4, kCurvature = 0.9;  // shares of the first slope: of the fall, and of what is left
constexpr int kMostTrials = 30;

struct Trial {
    double t, value, slope;
};

// The minimum of the cubic through two trials, kept away from both; half-way where the second is no number.
inline double between(const Trial& low, const Trial& high) {
    const double width = high.t - low.t;
    const double theta = 3 * (low.value - high.value) / width + low.slope + high.slope;
    const double root = std::sqrt(std::max(0.0, theta * theta - low.slope * high.slope));
    const double share = (root - low.slope + theta) / (2 * root - low.slope + high.slope);
    return low.t + width * (std::isfinite(share) ? std::clamp(share, 0.1, 0.9) : 0.5);
}

// What a trial found. good: it has fallen enough; last: and is flat enough.
struct Judged {
    double value, slope;
    bool good, last;
};

// look(t) goes to t and judges it. Ends at the last trial, or at the farthest good one; false where there is none.
template <class Look>
bool search_line(double value, double slope, const Look& look) {
    constexpr double kNowhere = std::numeric_limits<double>::infinity();
    Trial low{0, value, slope}, high{kNowhere, kNowhere, kNowhere};
    double t = 1;
    for (int trial = 0; slope < 0 && trial < kMostTrials; ++trial) {
        const Judged here = look(t);
        if (here.last) return true;
        (here.good ? low : high) = {t, here.value, here.slope};
        t = high.t < kNowhere ? between(low, high) : 4 * t;
    }
    if (low.t > 0) look(low.t);
    return low.t > 0;
}

}  // namespace pellucid
