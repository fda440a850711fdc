#include "core/solvers/coordinate_exact.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/linalg/hot.hpp"
#include "core/linalg/qr.hpp"

namespace pellucid {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();

double sign_of(double value) { return static_cast<double>((value > 0) - (value < 0)); }

class SignSearch {
  public:
    SignSearch(std::span<const double> Z, std::span<const double> y, double l1, double l2, bool positive,
               std::span<double> w)
        : Z_(Z),
          y_(y),
          l1_(l1),
          l2_(l2),
          positive_(positive),
          w_(w),
          n_(y.size()),
          k_(w.size()),
          r_(n_),
          q_(k_),
          sizes_(k_),
          refused_(k_, false),
          sign_(k_) {
        for (Size j = 0; j < k_; ++j) {
            sizes_[j] = std::sqrt(hot().dot(column(j), column(j), n_));
            sign_[j] = sign_of(w_[j]);
        }
        size_of_y_ = std::sqrt(hot().dot(y_.data(), y_.data(), n_));
    }

    ExactResult run(Size most_steps) {
        ExactResult result;
        look();
        bool settled = false;  // is w the best with its signs?
        for (; result.steps < most_steps; ++result.steps) {
            check_interrupt();
            std::vector<Size> used;
            for (Size j = 0; j < k_; ++j)
                if (sign_[j] != 0) used.push_back(j);
            if (!used.empty() && !settled) {
                std::vector<double> v;
                if (!solve(used, v)) return result;
                settled = go(used, v);
                look();
                continue;
            }
            const Size next = steepest();
            if (next == k_) {
                result.solved = true;
                return result;
            }
            sign_[next] = sign_of(q_[next]);
            settled = false;
        }
        return result;
    }

  private:
    const double* column(Size j) const { return Z_.data() + j * n_; }

    // The residual and the slopes at w.
    void look() {
        std::copy(y_.begin(), y_.end(), r_.begin());
        for (Size j = 0; j < k_; ++j)
            if (w_[j] != 0) hot().axpy_f64(-w_[j], column(j), n_, r_.data());
        for (Size j = 0; j < k_; ++j) q_[j] = hot().dot(column(j), r_.data(), n_) - l2_ * w_[j];
    }

    // The column at zero that gains most by leaving it; k_ when none does beyond rounding.
    Size steepest() const {
        double terms = size_of_y_;
        for (Size j = 0; j < k_; ++j) terms += sizes_[j] * std::abs(w_[j]);
        Size best = k_;
        double most = 0;
        for (Size j = 0; j < k_; ++j) {
            if (sign_[j] != 0 || refused_[j] || sizes_[j] == 0) continue;
            const double over = (positive_ ? q_[j] : std::abs(q_[j])) - l1_ - 16 * kEps * sizes_[j] * terms;
            if (over / sizes_[j] > most) {
                most = over / sizes_[j];
                best = j;
            }
        }
        return best;
    }

    // (Z'Z + l2) v = Z'y - l1 s on the columns in use; false when they are dependent.
    bool solve(const std::vector<Size>& used, std::vector<double>& v) const {
        const Size k = used.size(), ridge = l2_ > 0 ? k : 0, m = std::max(n_ + ridge, k + 1);
        std::vector<double> a(m * (k + 1), 0.0), tau(k + 1);
        for (Size c = 0; c < k; ++c) {
            std::copy(column(used[c]), column(used[c]) + n_, a.begin() + static_cast<std::ptrdiff_t>(c * m));
            if (ridge) a[c * m + n_ + c] = std::sqrt(l2_);
        }
        std::copy(y_.begin(), y_.end(), a.begin() + static_cast<std::ptrdiff_t>(k * m));
        qr_in_place(a, m, k + 1, tau, 1);
        for (Size c = 0; c < k; ++c) {
            const double size = std::sqrt(sizes_[used[c]] * sizes_[used[c]] + l2_);
            if (!(std::abs(a[c * m + c]) > 16 * kEps * static_cast<double>(m) * size)) return false;
        }
        std::vector<double> s(k);
        for (Size c = 0; c < k; ++c) s[c] = l1_ * sign_[used[c]];
        back_transposed(a, m, k, s);
        v.assign(a.begin() + static_cast<std::ptrdiff_t>(k * m), a.begin() + static_cast<std::ptrdiff_t>(k * m + k));
        for (Size c = 0; c < k; ++c) v[c] -= s[c];
        back(a, m, k, v);
        for (int refinement = 0; refinement < 2; ++refinement) refine(used, a, m, v);
        return true;
    }

    // v += (R'R)^-1 (what is missing in the equation)
    void refine(const std::vector<Size>& used, const std::vector<double>& a, Size m, std::vector<double>& v) const {
        const Size k = used.size();
        std::vector<double> rest(y_.begin(), y_.end()), missing(k);
        for (Size c = 0; c < k; ++c) hot().axpy_f64(-v[c], column(used[c]), n_, rest.data());
        for (Size c = 0; c < k; ++c)
            missing[c] = hot().dot(column(used[c]), rest.data(), n_) - l2_ * v[c] - l1_ * sign_[used[c]];
        back_transposed(a, m, k, missing);
        back(a, m, k, missing);
        for (Size c = 0; c < k; ++c) v[c] += missing[c];
    }

    static void back(const std::vector<double>& a, Size m, Size k, std::vector<double>& x) {
        for (Size c = k; c-- > 0;) {
            x[c] /= a[c * m + c];
            for (Size i = 0; i < c; ++i) x[i] -= x[c] * a[c * m + i];
        }
    }
    static void back_transposed(const std::vector<double>& a, Size m, Size k, std::vector<double>& x) {
        for (Size c = 0; c < k; ++c) {
            for (Size i = 0; i < c; ++i) x[c] -= a[c * m + i] * x[i];
            x[c] /= a[c * m + c];
        }
    }

    // From w toward v; true when v has the signs it was found with, so that w is the best with them.
    bool go(const std::vector<Size>& used, const std::vector<double>& v) {
        bool kept = true;
        for (Size c = 0; c < used.size(); ++c) {
            const Size j = used[c];
            if (w_[j] == 0 && v[c] * sign_[j] <= 0) {  // rounding alone made it look steep
                refused_[j] = true;
                sign_[j] = 0;
                return false;
            }
            kept = kept && v[c] * sign_[j] > 0;
        }
        double share = 1;
        if (!kept) {
            std::vector<double> from, way, move(n_, 0.0);
            for (Size c = 0; c < used.size(); ++c) {
                from.push_back(w_[used[c]]);
                way.push_back(v[c] - from[c]);
                hot().axpy_f64(way[c], column(used[c]), n_, move.data());
            }
            double slope = -hot().dot(r_.data(), move.data(), n_), curve = hot().dot(move.data(), move.data(), n_);
            for (Size c = 0; c < used.size(); ++c) {
                slope += l2_ * from[c] * way[c];
                curve += l2_ * way[c] * way[c];
            }
            share = best_share(from, way, slope, curve, l1_, positive_);
            if (share == 0) return true;  // no further down from here
        }
        for (Size c = 0; c < used.size(); ++c) {
            const Size j = used[c];
            const double reached = share == 1 ? v[c] : w_[j] + share * (v[c] - w_[j]);
            const bool crosses = share < 1 && w_[j] != 0 && w_[j] / (w_[j] - v[c]) == share;
            w_[j] = crosses ? 0.0 : reached;
            sign_[j] = sign_of(w_[j]);
        }
        std::fill(refused_.begin(), refused_.end(), false);
        return kept;
    }

    std::span<const double> Z_, y_;
    double l1_, l2_;
    bool positive_;
    std::span<double> w_;
    Size n_, k_;
    std::vector<double> r_, q_, sizes_;
    std::vector<bool> refused_;
    std::vector<double> sign_;
    double size_of_y_ = 0;
};

}  // namespace

double best_share(std::span<const double> w, std::span<const double> d, double slope, double curve, double l1,
                  bool positive) {
    std::vector<double> shares = {1.0};
    for (Size j = 0; j < w.size(); ++j)
        if (w[j] != 0 && w[j] * (w[j] + d[j]) <= 0) shares.push_back(w[j] / -d[j]);
    std::sort(shares.begin(), shares.end());
    const auto gain = [&](double t) {
        double change = t * slope + 0.5 * t * t * curve;
        for (Size j = 0; j < w.size(); ++j) change += l1 * (std::abs(w[j] + t * d[j]) - std::abs(w[j]));
        return change;
    };
    if (positive) return shares.front();  // the first zero on the way, or the end
    double best = 0, least = 0;
    for (const double t : shares)
        if (const double change = gain(t); change < least) {
            least = change;
            best = t;
        }
    return best;
}

ExactResult solve_exactly(std::span<const double> Z, std::span<const double> y, double l1, double l2, bool positive,
                          Size most_steps, std::span<double> w) {
    require(Z.size() == y.size() * w.size(), "solve_exactly: sizes");
    const std::vector<double> before(w.begin(), w.end());
    const ExactResult result = SignSearch(Z, y, l1, l2, positive, w).run(most_steps);
    if (!result.solved) std::copy(before.begin(), before.end(), w.begin());
    return result;
}

}  // namespace pellucid
