// Reduced distances beyond the range of a double.
//
// Squares and powers overflow or vanish for rows whose distance is an ordinary number (1e200, 1e-200). A pair's reduced
// distance R is therefore carried as R = r 2^(p B t), with B = floor(1500 / p) and the smallest |t| that brings r into
// [2^-900, 2^1000]: t = 0 for nearly every pair there is, and otherwise the differences are multiplied by 2^(-B t),
// which is exact. Pairs are ordered by (t, r), as by R, and the distance is that of r times 2^(B t). Equal rows come
// first, distances beyond 1.8e308 come last as infinite, and with them pairs whose distance is not known.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/base/views.hpp"
#include "core/distance/metric.hpp"

namespace pellucid {

inline constexpr double kLeast = 0x1p-900, kMost = 0x1p1000;

struct Reach {
    int turn = 0;
    double reduced = 0;

    friend bool operator<(const Reach& a, const Reach& b) {
        return a.turn < b.turn || (a.turn == b.turn && a.reduced < b.reduced);
    }
};
struct ReachedRow {
    Reach reach;
    std::int64_t row = 0;

    friend bool operator<(const ReachedRow& a, const ReachedRow& b) {
        return a.reach < b.reach || (!(b.reach < a.reach) && a.row < b.row);
    }
};

// Has the metric powers that can leave the range?
inline bool has_powers(const Metric& metric) {
    return metric.kind == MetricKind::euclidean || metric.kind == MetricKind::nan_euclidean ||
           metric.kind == MetricKind::minkowski;
}

class Range {
  public:
    Range(const Metric& metric, Size columns)
        : metric_(metric),
          bits_(std::max(1, static_cast<int>(1500 / (metric.kind == MetricKind::minkowski ? metric.p : 2.0)))),
          x_(columns),
          z_(columns) {}

    Reach reach(const double* x, const double* z) {
        const double plain = pair(x, z);
        if (plain >= kLeast && plain <= kMost) return {0, plain};
        if (plain != plain) return {kEnd, std::numeric_limits<double>::infinity()};
        return plain > kMost ? reach_far(x, z) : reach_near(x, z);
    }
    double distance(const Reach& reach) const {
        return std::ldexp(metric_.distance(reach.reduced), reach.turn * bits_);
    }

  private:
    static constexpr int kEnd = 100000;

    double pair(const double* x, const double* z) const {
        return metric_.functions<double>().pair(x, z, x_.size(), metric_.p);
    }
    Reach reach_far(const double* x, const double* z) {
        for (int turn = 1; turn * bits_ < 1100 + bits_; ++turn) {
            for (Size j = 0; j < x_.size(); ++j) {
                x_[j] = std::ldexp(x[j], -turn * bits_);
                z_[j] = std::ldexp(z[j], -turn * bits_);
            }
            const double r = pair(x_.data(), z_.data());
            if (r <= kMost) return {turn, r};
        }
        return {kEnd, std::numeric_limits<double>::infinity()};
    }
    Reach reach_near(const double* x, const double* z) {
        bool equal = true;
        for (Size j = 0; j < x_.size(); ++j) equal = equal && !(x[j] - z[j] != 0 && x[j] == x[j] && z[j] == z[j]);
        std::fill(z_.begin(), z_.end(), 0.0);
        for (int turn = 1; !equal && turn * bits_ < 1100 + bits_; ++turn) {
            for (Size j = 0; j < x_.size(); ++j) x_[j] = std::ldexp(x[j] - z[j], turn * bits_);
            const double r = pair(x_.data(), z_.data());
            if (r >= kLeast) return {-turn, r};
        }
        return {-kEnd, 0.0};
    }

    Metric metric_;
    int bits_;
    std::vector<double> x_, z_;
};

}  // namespace pellucid
