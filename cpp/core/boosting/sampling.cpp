#include "core/boosting/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/pool.hpp"
#include "core/base/rng.hpp"

namespace pellucid::boosting {
namespace {

constexpr Size kPiece = Size{1} << 14;  // rows of one piece of work

class Rows {
  public:
    Rows(Size all, std::span<const std::uint32_t> among) : all_(all), among_(among) {}
    Size count() const { return among_.empty() ? all_ : among_.size(); }
    std::uint32_t operator[](Size i) const { return among_.empty() ? static_cast<std::uint32_t>(i) : among_[i]; }

  private:
    Size all_;
    std::span<const std::uint32_t> among_;
};

// `count` of n places without replacement, rising: each with the probability of what is lacking of what is left.
std::vector<std::uint32_t> choose(Size n, Size count, const Random& random) {
    std::vector<std::uint32_t> out;
    out.reserve(count);
    for (Size i = 0; i < n && out.size() < count; ++i)
        if (random.uniform(i) * static_cast<double>(n - i) < static_cast<double>(count - out.size()))
            out.push_back(static_cast<std::uint32_t>(i));
    return out;
}

struct Slant {
    std::span<Slope> slopes;
    Size rows, outputs;

    // How steep a row's loss is, over all outputs.
    double size(std::uint32_t row, double curvature_weight) const {
        double sum = 0;
        for (Size k = 0; k < outputs; ++k) {
            const Slope& s = slopes[k * rows + row];
            const double g = s.gradient, h = s.curvature;
            sum += g * g + curvature_weight * h * h;
        }
        return std::sqrt(sum);
    }
    void multiply(std::uint32_t row, double by) const {
        for (Size k = 0; k < outputs; ++k) {
            Slope& s = slopes[k * rows + row];
            s.gradient = static_cast<float>(s.gradient * by);
            s.curvature = static_cast<float>(s.curvature * by);
        }
    }
};

std::vector<std::uint32_t> one_sided(const Sampling& s, const Rows& rows, const Slant& slant, const Random& random) {
    const Size n = rows.count();
    const auto top = std::max<Size>(static_cast<Size>(s.top * static_cast<double>(n)), 1);
    const auto other = std::max<Size>(static_cast<Size>(s.other * static_cast<double>(n)), 1);
    if (top + other >= n) return {};
    std::vector<double> size(n);
    for (Size i = 0; i < n; ++i) size[i] = slant.size(rows[i], 0);
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0u);
    const auto steeper = [&](std::uint32_t a, std::uint32_t b) {
        return size[a] != size[b] ? size[a] > size[b] : a < b;
    };
    std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(top), order.end(), steeper);
    std::vector<std::uint8_t> kept(n, 0);
    for (Size i = 0; i < top; ++i) kept[order[i]] = 1;
    std::sort(order.begin() + static_cast<std::ptrdiff_t>(top), order.end());
    const double factor = (1 - s.top) / s.other;
    for (const std::uint32_t place : choose(n - top, other, random)) {
        const std::uint32_t i = order[top + place];
        kept[i] = 1;
        slant.multiply(rows[i], factor);
    }
    std::vector<std::uint32_t> out;
    out.reserve(top + other);
    for (Size i = 0; i < n; ++i)
        if (kept[i]) out.push_back(rows[i]);
    return out;
}

// The rows of which draw(place) says so, in their order.
template <class Drawn>
std::vector<std::uint32_t> drawn_one_by_one(const Rows& rows, int threads, const Drawn& drawn) {
    const Size n = rows.count(), blocks = blocks_of(n, kPiece);
    std::vector<std::vector<std::uint32_t>> parts(blocks);
    parallel_for(blocks, threads, [&](Size b) {
        for (Size i = b * kPiece; i < std::min((b + 1) * kPiece, n); ++i)
            if (drawn(i)) parts[b].push_back(rows[i]);
    });
    std::vector<std::uint32_t> out;
    for (const std::vector<std::uint32_t>& part : parts) out.insert(out.end(), part.begin(), part.end());
    return out;
}

// The threshold t with sum of min(1, size / t) = share n: sizes above it are kept for certain. With c of the largest
// certain it is the sum of the others over what is left to be drawn; c is the least for which no other size is above
// that. Sizes are parted again and again around one of them, so that the time is that of a few passes, not of a sort.
double mvs_threshold(std::vector<double> size, double wanted) {
    auto begin = size.begin(), end = size.end();  // among these is the largest size that is not certain
    double below = 0;                             // sum of sizes that are smaller than all of these
    Size certain = 0;                             // sizes larger than all of these
    while (begin != end) {
        const auto middle = begin + (end - begin) / 2;
        std::nth_element(begin, middle, end);
        // Is the middle one drawn when all above it are certain?
        const double left = wanted - static_cast<double>(certain + static_cast<Size>(end - middle) - 1);
        const double sum = std::accumulate(begin, middle + 1, below);
        if (*middle * left <= sum) {
            below = sum;
            begin = middle + 1;
        } else {
            certain += static_cast<Size>(end - middle);
            end = middle;
        }
    }
    const double left = wanted - static_cast<double>(certain);
    return left > 0 ? below / left : 0;
}

}  // namespace

std::vector<std::uint32_t> sample_rows(const Sampling& s, Size all, Size outputs, std::span<const std::uint32_t> among,
                                       std::span<Slope> slopes, std::uint64_t seed, Size round, int threads) {
    const Rows rows(all, among);
    const Size n = rows.count();
    const std::vector<std::uint32_t> everything(among.begin(), among.end());
    if (s.draw == Draw::all || round < s.after) return everything;
    const Random random{seed, (std::uint64_t{1} << 40) + round};
    const Slant slant{slopes, all, outputs};
    std::vector<std::uint32_t> out;
    switch (s.draw) {
        case Draw::share: {
            const auto count = std::max<Size>(static_cast<Size>(s.share * static_cast<double>(n)), 1);
            if (count >= n) return everything;
            for (const std::uint32_t i : choose(n, count, random)) out.push_back(rows[i]);
            break;
        }
        case Draw::bernoulli:
            out = drawn_one_by_one(rows, threads, [&](Size i) { return random.uniform(i) < s.share; });
            break;
        case Draw::goss:
            out = one_sided(s, rows, slant, random);
            break;
        case Draw::mvs: {
            std::vector<double> size(n);
            parallel_for(blocks_of(n, kPiece), threads, [&](Size b) {
                for (Size i = b * kPiece; i < std::min((b + 1) * kPiece, n); ++i)
                    size[i] = slant.size(rows[i], s.curvature_weight);
            });
            const double t = mvs_threshold(size, s.share * static_cast<double>(n));
            out = drawn_one_by_one(rows, threads, [&](Size i) {
                const double p = t > 0 ? std::min(size[i] / t, 1.0) : 1;
                if (random.uniform(i) >= p) return false;
                if (p < 1) slant.multiply(rows[i], 1 / p);
                return true;
            });
            break;
        }
        case Draw::bayesian:
            for (Size i = 0; i < n; ++i)
                slant.multiply(rows[i], std::pow(-std::log1p(-random.uniform(i)), s.temperature));
            return everything;
        case Draw::all:
            break;
    }
    return out.empty() ? everything : out;
}

}  // namespace pellucid::boosting
