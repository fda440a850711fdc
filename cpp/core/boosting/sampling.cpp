#include "core/boosting/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/rng.hpp"

namespace pellucid::boosting {
namespace {

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

// The threshold t with sum of min(1, size / t) = share n: sizes above it are kept for certain.
double mvs_threshold(std::vector<double> size, double wanted) {
    std::sort(size.begin(), size.end());
    double below = std::accumulate(size.begin(), size.end(), 0.0);
    Size certain = 0;
    for (Size i = size.size(); i-- > 0;) {
        const double left = wanted - static_cast<double>(certain);
        const double t = left > 0 ? below / left : std::numeric_limits<double>::infinity();
        if (size[i] <= t) return t;
        below -= size[i];
        ++certain;
    }
    return 0;
}

}  // namespace

std::vector<std::uint32_t> sample_rows(const Sampling& s, Size all, Size outputs, std::span<const std::uint32_t> among,
                                       std::span<Slope> slopes, std::uint64_t seed, Size round) {
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
            for (Size i = 0; i < n; ++i)
                if (random.uniform(i) < s.share) out.push_back(rows[i]);
            break;
        case Draw::goss:
            out = one_sided(s, rows, slant, random);
            break;
        case Draw::mvs: {
            std::vector<double> size(n);
            for (Size i = 0; i < n; ++i) size[i] = slant.size(rows[i], s.curvature_weight);
            const double t = mvs_threshold(size, s.share * static_cast<double>(n));
            for (Size i = 0; i < n; ++i) {
                const double p = t > 0 ? std::min(size[i] / t, 1.0) : 1;
                if (random.uniform(i) >= p) continue;
                out.push_back(rows[i]);
                if (p < 1) slant.multiply(rows[i], 1 / p);
            }
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
