// Passes of coordinate descent over the working set, their extrapolation, and exact solutions.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/pool.hpp"
#include "core/base/rng.hpp"
#include "core/linalg/cholesky.hpp"
#include "core/linalg/hot.hpp"
#include "core/solvers/coordinate_exact.hpp"
#include "core/solvers/coordinate_path.hpp"

namespace pellucid::coordinate_detail {

using Kind = CoordinatePass::Kind;

constexpr Size kRemembered = 5;            // passes that are extrapolated
constexpr double kLeastCondition = 1e-11;  // of products that are still solved by Cholesky
constexpr Size kSmall = 1'000'000;         // rows x columns in use^2 that end with an exact solution
constexpr Size kHard = 300'000'000;        // the same where Cholesky cannot help

// --------------------------------------------------------------------------------------------------------- the descent

// Passes over the working set until they bring nothing more.
void Path::descend() {
    past_.clear();
    Size since = 0;
    double before = 0;
    bool solved = false;  // were the equations of the columns in use solved before this pass?
    while (result_.passes < s_.most_passes) {
        ++result_.passes;
        ++since;
        const double lowered = sweep();
        const bool quiet = lowered <= quiet_;
        still_ = lowered == 0;
        if (told(Kind::sweep)) return;
        check_interrupt();
        if (quiet && (solved || still_ || s_.plain || may_end_exactly())) break;
        if (s_.plain) continue;
        if (!quiet && remember()) told(Kind::extrapolation);
        solved = flips_ == 0 && worth_solving(since, lowered, before) && solve_in_use();
        if (solved && told(Kind::exact)) return;
        before = lowered;
        if ((quiet && !solved) || (since >= 20 && may_end_exactly())) break;
    }
    if (may_end_exactly()) end_exactly();
}

// Solving the equations costs as much as about 14 passes, however many columns are in use (measured from 100 to
// 2,500 of them); by residuals their products come on top. The passes still to come follow from how fast F falls.
bool Path::worth_solving(Size since, double lowered, double before) const {
    if (hard_ || used_ == 0 || since < 2) return false;
    const double rate = before > 0 ? std::min(lowered / before, 1.0) : 1.0;
    const double left = rate < 1 ? std::log(quiet_ / lowered) / std::log(rate) : 1e300;
    const double cost = used_ <= 32 ? 2 : by_products_ ? 14 : 14 + static_cast<double>(used_) / 4;
    if (lowered > quiet_) return since >= 4 ? left > cost : used_ <= 32;
    return by_products_ ? used_ <= 256 || rate > 0.9 : used_ <= 32;
}

void Path::move(Size k, double by) {
    if (by_products_)
        hot().axpy_f64(-by, products_.row(k), products_.slots(), q_.data());
    else
        x_.subtract(products_.order[k], by, r_.data(), level_);
}

// One pass; returns by how much it lowered F.
double Path::sweep() {
    double lowered = 0;
    flips_ = used_ = 0;
    const Random random{s_.seed, (target_ << 32) + number_};
    for (Size i = 0; i < working_.size(); ++i) {
        const Size k = working_[s_.random ? random.below(drawn_++, working_.size()) : i];
        const double old = w_[k], best = h_.best(slope(k) + square_[k] * old, square_[k]);
        used_ += best != 0;
        if (best == old) continue;
        flips_ += sign_of(best) != sign_of(old);
        w_[k] = best;
        move(k, best - old);
        lowered += 0.5 * (square_[k] + h_.l2) * (best - old) * (best - old);
    }
    return lowered;
}

// What the passes change besides w: the slopes of the slots, or the residual with its level.
std::vector<double> Path::state() const {
    if (by_products_) return {q_.begin(), q_.begin() + static_cast<std::ptrdiff_t>(products_.slots())};
    std::vector<double> found(r_);
    found.push_back(level_);
    return found;
}

void Path::set_state(const std::vector<double>& state) {
    if (by_products_) {
        std::copy(state.begin(), state.end(), q_.begin());
    } else {
        std::copy(state.begin(), state.end() - 1, r_.begin());
        level_ = state.back();
    }
}

// Anderson extrapolation: sum_i c_i w_i over the last passes, where c minimizes the length of sum_i c_i (w_i -
// w_(i-1)) with sum c = 1. The state is affine in w, so it goes along. True when it was better and taken.
bool Path::remember() {
    Snapshot now{{}, state()};
    for (const Size k : working_) now.w.push_back(w_[k]);
    past_.push_back(std::move(now));
    if (past_.size() <= kRemembered) return false;
    const std::vector<double> c = mixture();
    bool taken = false;
    if (!c.empty()) taken = try_mixture(c);
    past_.clear();
    return taken;
}

std::vector<double> Path::mixture() const {
    constexpr Size K = kRemembered;
    std::vector<std::vector<double>> d(K);
    for (Size i = 0; i < K; ++i) {
        d[i].resize(working_.size());
        for (Size k = 0; k < working_.size(); ++k) d[i][k] = past_[i + 1].w[k] - past_[i].w[k];
    }
    std::vector<double> a(K * K), c(K, 1.0);
    double trace = 0;
    for (Size i = 0; i < K; ++i)
        for (Size j = 0; j <= i; ++j) {
            a[i * K + j] = a[j * K + i] = hot().dot(d[i].data(), d[j].data(), working_.size());
            if (i == j) trace += a[i * K + i];
        }
    for (Size i = 0; i < K; ++i) a[i * K + i] += 1e-12 * trace;
    if (cholesky_solve(a, c, K, 1).status != Status::ok) return {};
    const double sum = std::accumulate(c.begin(), c.end(), 0.0);
    if (!std::isfinite(sum) || sum == 0) return {};
    for (double& value : c) value /= sum;
    return c;
}

bool Path::try_mixture(const std::vector<double>& c) {
    std::vector<double> mixed(working_.size(), 0.0), at(past_[0].state.size(), 0.0), before;
    for (Size i = 0; i < kRemembered; ++i) {
        hot().axpy_f64(c[i], past_[i + 1].w.data(), mixed.size(), mixed.data());
        hot().axpy_f64(c[i], past_[i + 1].state.data(), at.size(), at.data());
    }
    if (s_.positive && *std::min_element(mixed.begin(), mixed.end()) < 0) return false;
    const double old = objective(working_sums());
    for (const Size k : working_) before.push_back(w_[k]);
    for (Size i = 0; i < working_.size(); ++i) w_[working_[i]] = mixed[i];
    set_state(at);
    if (objective(working_sums()) < old) return true;
    for (Size i = 0; i < working_.size(); ++i) w_[working_[i]] = before[i];
    set_state(past_.back().state);
    return false;
}

// ----------------------------------------------------------------------------------------------------- exact solutions

// (<z_i, z_j> + l2) v = q0 - l1 s on the columns in use, with the signs s that they have: Newton's step. False when
// it brought nothing.
bool Path::solve_in_use() {
    std::vector<Size> used;
    for (const Size k : working_)
        if (w_[k] != 0) used.push_back(k);
    const Size m = used.size();
    std::vector<double> a(m * m), v(m), from(m);
    gather_products(used, a);
    for (Size i = 0; i < m; ++i) {
        a[i * m + i] += h_.l2;
        from[i] = w_[used[i]];
        v[i] = q0_[used[i]] - h_.l1 * sign_of(from[i]);
    }
    const CholeskyResult solved = cholesky_solve(a, v, m, s_.threads);
    if (solved.status != Status::ok || solved.rcond < kLeastCondition) {
        hard_ = true;
        return false;
    }
    std::vector<double> way(m);
    double down = 0, curve = 0;
    bool kept = true;
    for (Size i = 0; i < m; ++i) {
        way[i] = v[i] - from[i];
        const double g = slope(used[i]) - h_.l2 * from[i];
        down -= g * way[i];
        curve += way[i] * (g - h_.l1 * sign_of(from[i]));
        kept = kept && v[i] * from[i] > 0;
    }
    const double share = kept ? 1.0 : best_share(from, way, down, curve, h_.l1, s_.positive);
    if (share == 0) return false;
    for (Size i = 0; i < m; ++i) {
        const bool crosses = share < 1 && from[i] / -way[i] == share;
        const double reached = crosses ? 0.0 : share == 1 ? v[i] : from[i] + share * way[i];
        w_[used[i]] = reached;
        way[i] = reached - from[i];
    }
    move_all(used, way);
    past_.clear();
    return true;
}

void Path::gather_products(const std::vector<Size>& used, std::vector<double>& a) const {
    const Size m = used.size();
    if (by_products_) {
        for (Size i = 0; i < m; ++i)
            for (Size j = 0; j < m; ++j) a[i * m + j] = products_.row(used[i])[used[j]];
        return;
    }
    std::vector<Size> columns;
    std::vector<double*> rows;
    for (Size i = 0; i < m; ++i) {
        columns.push_back(products_.order[used[i]]);
        rows.push_back(a.data() + i * m);
    }
    x_.products(columns, columns, 0, rows);
}

void Path::move_all(const std::vector<Size>& places, const std::vector<double>& by) {
    if (!by_products_) {
        for (Size i = 0; i < places.size(); ++i) move(places[i], by[i]);
        return;
    }
    const Size slots = products_.slots();
    parallel_for(blocks_of(slots, kChunk), s_.threads, [&](Size block) {
        const Size begin = block * kChunk, size = std::min(kChunk, slots - begin);
        for (Size i = 0; i < places.size(); ++i)
            hot().axpy_f64(-by[i], products_.row(places[i]) + begin, size, q_.data() + begin);
    });
}

bool Path::may_end_exactly() const {
    if (exact_refused_ || working_.empty()) return false;
    const Size most = hard_ ? kHard : kSmall, used = std::max<Size>(used_, 1);
    return n_ * working_.size() <= most && n_ * used * used <= most && working_.size() <= 4 * kFewColumns;
}

void Path::end_exactly() {
    std::vector<double> Z(n_ * working_.size()), target(n_), w;
    for (Size i = 0; i < working_.size(); ++i) {
        x_.rooted(products_.order[working_[i]], Z.data() + i * n_);
        w.push_back(w_[working_[i]]);
    }
    x_.rooted(y_, target.data());
    const ExactResult found = solve_exactly(Z, target, h_.l1, h_.l2, s_.positive, 50 + 10 * working_.size(), w);
    if (!found.solved) {
        exact_refused_ = true;
        return;
    }
    std::vector<double> by;
    for (Size i = 0; i < working_.size(); ++i) {
        by.push_back(w[i] - w_[working_[i]]);
        w_[working_[i]] = w[i];
    }
    move_all(working_, by);
    still_ = true;
    ++result_.passes;
    told(Kind::exact);
}

// -------------------------------------------------------------------------------------------------------- the listener

bool Path::told(Kind kind) {
    if (teller_ == nullptr) return false;
    std::vector<double> parameters(p_ + 1);
    tell_answer(std::span(parameters).first(p_), parameters[p_]);
    std::vector<double> kept;
    if (!by_products_) {  // slopes are worked out when needed there
        kept = q_;
        for (const Size k : working_) q_[k] = slope(k);
    }
    const Sums s = working_sums();
    Size used = 0;
    for (const Size k : working_) used += w_[k] != 0;
    const bool stop = teller_->tell(
        {target_, number_, result_.passes, kind, working_.size(), used, objective(s), gap(s), parameters});
    if (!by_products_) q_ = kept;
    if (stop) result_.stop = LinearStop::told;
    return stop;
}

}  // namespace pellucid::coordinate_detail
