// What a search through all rows collects, for many queries at once: the k nearest, or all within a radius.
//
// A collection is opened for a run of queries, is offered pairs by one thread a query, and is closed; `bound(i)` is the
// reduced distance beyond which nothing is wanted any more. A row may be left out for a query (`self`): its own number,
// where rows are asked for their neighbors among themselves.
#pragma once

#include <limits>
#include <vector>

#include "core/base/pool.hpp"
#include "core/distance/brute_range.hpp"
#include "core/distance/collect.hpp"
#include "core/distance/metric.hpp"

namespace pellucid {

inline constexpr std::int64_t kNobody = -1;

// No column in common: no distance is known, and the row comes last.
inline double known(double reduced) { return reduced == reduced ? reduced : std::numeric_limits<double>::infinity(); }

class NearestOfMany {
  public:
    NearestOfMany(Size k, bool others) : k_(k), others_(others) {}

    Size queries_at_once() const { return std::clamp<Size>((Size{1} << 25) / (k_ * sizeof(Neighbor)), 64, 1 << 14); }
    void open(Size first, Size count) {
        first_ = first;
        room_.assign(count * k_, Neighbor{});
        each_.clear();
        for (Size i = 0; i < count; ++i) each_.emplace_back(std::span(room_).subspan(i * k_, k_));
    }
    std::int64_t self(Size i) const { return others_ ? static_cast<std::int64_t>(first_ + i) : kNobody; }
    double bound(Size i) const { return each_[i].bound(); }
    void offer(Size i, double reduced, std::int64_t row) {
        if (row != self(i)) each_[i].offer(known(reduced), row);
    }
    std::span<const Neighbor> finish(Size i) { return each_[i].finish(); }
    Size k() const { return k_; }
    Size first() const { return first_; }

  private:
    Size k_, first_ = 0;
    bool others_;
    std::vector<Neighbor> room_;
    std::vector<Nearest> each_;
};

class WithinOfMany {
  public:
    WithinOfMany(const Metric& metric, double radius, Size queries)
        : metric_(metric),
          radius_(radius),
          found_(queries),
          least_(has_powers(metric) ? kLeast : -std::numeric_limits<double>::infinity()) {
        // offer() is the judge; the bound only has to take in all that it takes.
        const double more = radius + std::abs(radius) * 1e-9;
        if (metric.kind == MetricKind::haversine)
            bound_ = std::numeric_limits<double>::infinity();
        else if (metric.kind == MetricKind::minkowski)
            bound_ = std::pow(more, metric.p);
        else
            bound_ = metric.distance(4) == 2 ? more * more : more;
        bound_ = std::max(bound_, least_);
    }
    Size queries_at_once() const { return 1 << 14; }
    void open(Size first, Size) { first_ = first; }
    double bound(Size) const { return bound_; }
    // Those nearer than a square can tell are taken in and judged at the end.
    void offer(Size i, double reduced, std::int64_t row) {
        if (reduced < least_ || metric_.distance(reduced) <= radius_) found_[first_ + i].push_back({reduced, row});
    }
    std::vector<Neighbor>& found(Size i) { return found_[i]; }

  private:
    Metric metric_;
    double radius_, bound_ = 0;
    Size first_ = 0;
    std::vector<std::vector<Neighbor>> found_;
    double least_;
};

}  // namespace pellucid
