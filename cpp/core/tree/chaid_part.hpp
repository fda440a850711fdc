// The two parts of a group of categories that differ most: what is merged may be parted again.
//
// Neighbors are cut between two of them, with the floating category on either side or alone. Categories without an
// order are put in the order of the target, in which the best cut of two classes or of numbers lies (Fisher, On
// grouping for maximum homogeneity, 1958); of more classes one order for each is tried, or all subsets where they are
// few. Sums from both ends make a cut cost the same however many categories there are.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "core/tree/chaid_merge.hpp"

namespace pellucid::tree {

template <class Target>
class Parting {
  public:
    Parting(const Target& target, const Categories& categories)
        : target_(target), in_(categories), width_(target.width()), left_(width_), right_(width_) {}

    // p value on the grid of the best way to part; `left` is one of its parts then
    double least() const { return least_; }
    const std::vector<std::int32_t>& left() const { return best_; }

    void neighbors(std::vector<std::int32_t> all) {
        const auto loose = in_.ordinal ? std::ranges::find(all, in_.floating) : all.end();
        const bool has_loose = loose != all.end();
        if (has_loose) all.erase(loose);
        cut(all, has_loose);
        if (!has_loose) return;
        const double* both[] = {summary(in_.floating), &from_[0]};
        if (better(both)) best_ = {in_.floating};
    }

    void any(const std::vector<std::int32_t>& all) {
        if (!target_.one_order() && all.size() <= kMostSubsets) return subsets(all);
        for (Size k = 0; k < target_.orders(); ++k) {
            std::vector<std::int32_t> order = all;
            std::ranges::stable_sort(order, {}, [&](std::int32_t m) { return target_.score(summary(m), k); });
            cut(order, false);
        }
    }

  private:
    static constexpr Size kMostSubsets = 12;  // categories of which all ways to part them in two are tried: 2047

    const double* summary(std::int32_t m) const { return &in_.summaries[static_cast<Size>(m) * width_]; }

    bool better(const double* const (&both)[2]) {
        const double key = on_grid(target_.test(both).log_p);
        if (!(key < least_)) return false;
        least_ = key;
        return true;
    }

    void cut(const std::vector<std::int32_t>& order, bool has_loose) {
        const Size m = order.size();
        from_.assign((m + 1) * width_, 0.0);  // sums of the categories from each one on
        for (Size i = m; i-- > 0;) {
            std::copy_n(&from_[(i + 1) * width_], width_, &from_[i * width_]);
            target_.add(&from_[i * width_], summary(order[i]));
        }
        std::ranges::fill(left_, 0.0);
        std::vector<double> with(width_);
        for (Size i = 0; i + 1 < m; ++i) {
            target_.add(left_.data(), summary(order[i]));
            const double* right = &from_[(i + 1) * width_];
            const auto take = [&](bool loose) {
                best_.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(i) + 1);
                if (loose) best_.push_back(in_.floating);
            };
            if (!has_loose) {
                if (const double* both[] = {left_.data(), right}; better(both)) take(false);
                continue;
            }
            std::copy_n(right, width_, with.data());
            target_.add(with.data(), summary(in_.floating));
            if (const double* both[] = {left_.data(), with.data()}; better(both)) take(false);
            std::ranges::copy(left_, with.begin());
            target_.add(with.data(), summary(in_.floating));
            if (const double* both[] = {with.data(), right}; better(both)) take(true);
        }
    }

    void subsets(const std::vector<std::int32_t>& all) {
        std::vector<std::int32_t> some;
        for (std::uint32_t bits = 1; bits < (1U << (all.size() - 1)); ++bits) {
            some.clear();
            std::ranges::fill(left_, 0.0);
            std::ranges::fill(right_, 0.0);
            for (Size i = 0; i < all.size(); ++i) {
                const bool inside = bits >> i & 1U;
                target_.add(inside ? left_.data() : right_.data(), summary(all[i]));
                if (inside) some.push_back(all[i]);
            }
            if (const double* both[] = {left_.data(), right_.data()}; better(both)) best_ = some;
        }
    }

    const Target& target_;
    const Categories& in_;
    Size width_;
    double least_ = std::numeric_limits<double>::infinity();
    std::vector<std::int32_t> best_;
    std::vector<double> left_, right_, from_;
};

}  // namespace pellucid::tree
