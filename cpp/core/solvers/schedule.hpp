// How long a step is, and which row comes when: what all solvers that go from row to row share.
#pragma once

#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "core/base/rng.hpp"
#include "core/base/views.hpp"

namespace pellucid {

// The rate of an update; t counts the updates before it.
struct Rate {
    enum class Kind : int { constant, decay, invscaling, adaptive, optimal };
    Kind kind = Kind::constant;
    double eta0 = 0.01, power = 0.25;
    double t0 = 5, t1 = 50;           // decay: t0 / (t + t1)
    double shrunk = 1;                // adaptive: what it was divided by so far
    double alpha = 0, t_optimal = 0;  // optimal: 1 / (alpha (t_optimal + t)), Bottou's rate

    double at(double t) const {
        if (kind == Kind::decay) return t0 / (t + t1);
        if (kind == Kind::optimal) return 1 / (alpha * (t_optimal + t));
        if (kind == Kind::invscaling && power == 0.25) return eta0 / std::sqrt(std::sqrt(t + 1));  // the defaults
        if (kind == Kind::invscaling && power == 0.5) return eta0 / std::sqrt(t + 1);
        if (kind == Kind::invscaling) return eta0 / std::pow(t + 1, power);
        return eta0 / shrunk;
    }

    // Epochs brought no improvement: an adaptive rate is divided by 5, until it is 1e-6. False: it is not, or no more.
    bool shrink() {
        if (kind != Kind::adaptive || at(0) <= 1e-6) return false;
        shrunk *= 5;
        return true;
    }
};

enum class RowOrder : int { given, shuffled, drawn, listed, swapped };

// scikit-learn's generator of orders: 31 bits of a 32-bit xorshift (Marsaglia, 2003), which never stands at zero.
class XorShift {
  public:
    explicit XorShift(std::uint32_t seed) : state_(seed == 0 ? 1 : seed) {}
    std::uint32_t next() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 17;
        state_ ^= state_ << 5;
        return state_ & 0x7FFFFFFFu;
    }

  private:
    std::uint32_t state_;
};

// Which row comes when. Shuffled and drawn rows are a pure function of (seed, epoch, place in the epoch). Swapped rows
// are scikit-learn's: each epoch shuffles the order of the last one, by a generator that starts anew from the seed.
class RowPicker {
  public:
    RowPicker(RowOrder order, std::uint64_t seed, std::span<const std::int64_t> listed, Size rows)
        : order_(order), random_{seed, 0}, listed_(listed), rows_(rows) {
        if (order_ == RowOrder::shuffled || order_ == RowOrder::swapped) shuffled_.resize(rows);
        if (order_ == RowOrder::swapped) std::iota(shuffled_.begin(), shuffled_.end(), Size{0});
    }
    void begin(Size epoch) {
        random_.stream = epoch;
        if (order_ == RowOrder::swapped) swap_rows();
        if (order_ != RowOrder::shuffled) return;
        std::iota(shuffled_.begin(), shuffled_.end(), Size{0});
        for (Size i = rows_ - 1; i > 0; --i) std::swap(shuffled_[i], shuffled_[random_.below(i, i + 1)]);
    }
    Size pick(Size place) {
        if (order_ == RowOrder::shuffled || order_ == RowOrder::swapped) return shuffled_[place];
        if (order_ == RowOrder::drawn) return random_.below(place, rows_);
        if (order_ == RowOrder::listed) return static_cast<Size>(listed_[visited_++ % listed_.size()]);
        return place;
    }

  private:
    void swap_rows() {  // Fisher and Yates
        XorShift random(static_cast<std::uint32_t>(random_.seed));
        for (Size i = 0; i + 1 < rows_; ++i)
            std::swap(shuffled_[i], shuffled_[i + random.next() % static_cast<std::uint32_t>(rows_ - i)]);
    }

    RowOrder order_;
    Random random_;
    std::span<const std::int64_t> listed_;
    Size rows_, visited_ = 0;
    std::vector<Size> shuffled_;
};

}  // namespace pellucid
