#include "core/solvers/coordinate_descent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "core/base/pool.hpp"
#include "core/base/rng.hpp"
#include "core/linalg/cholesky.hpp"
#include "core/linalg/hot.hpp"
#include "core/solvers/coordinate_columns.hpp"
#include "core/solvers/coordinate_exact.hpp"

namespace pellucid {
namespace {

using Kind = CoordinatePass::Kind;

constexpr Size kMostProducts = Size{1} << 26;  // numbers: 512 MB
constexpr Size kFewColumns = 100;              // the smallest working set
constexpr Size kBatch = 64;                    // columns whose products are worked out together: X is read once for all
constexpr Size kRemembered = 5;                // passes that are extrapolated
constexpr double kQuiet = 1e-5;                // share of the allowed gap by which the last pass may lower F
constexpr double kLeastCondition = 1e-11;      // of products that are still solved by Cholesky
constexpr Size kSmall = 1'000'000;             // rows x columns in use^2 that end with an exact solution
constexpr Size kHard = 300'000'000;            // the same where Cholesky cannot help
constexpr Size kChunk = 2048;

double sign_of(double value) { return static_cast<double>((value > 0) - (value < 0)); }

struct Penalty {
    double l1, l2;
    bool positive;
    // argmin_w (square w^2 - 2 rho w) / 2 + h(w)
    double best(double rho, double square) const {
        const double size = (positive ? rho : std::abs(rho)) - l1;
        return size > 0 ? std::copysign(size, rho) / (square + l2) : 0.0;
    }
    double value(double w) const { return l1 * std::abs(w) + 0.5 * l2 * w * w; }
    double beyond(double slope) const { return (positive ? slope : std::abs(slope)) - l1; }
};

// Products of columns, row by row as they are asked for. CentredColumns have places; those with a row (slots) stand
// first, so that the part of a row that descent needs lies together.
class Products {
  public:
    explicit Products(Size cols) : order(cols), place(cols) {
        std::iota(order.begin(), order.end(), Size{0});
        std::iota(place.begin(), place.end(), Size{0});
    }
    Size slots() const { return rows_.size(); }
    const double* row(Size slot) const { return rows_[slot].get(); }
    bool room_for(Size more) const { return (slots() + more) * order.size() <= kMostProducts; }

    // Rows for columns that have none. `swapped(a, b)` is told when two places change.
    template <class Swapped>
    void add(const CentredColumns& x, std::span<const Size> fresh, const Swapped& swapped) {
        const Size old = slots(), p = order.size();
        for (Size k = 0; k < fresh.size(); ++k) {
            const Size a = old + k, b = place[fresh[k]];
            if (a == b) continue;
            for (Size s = 0; s < old; ++s) std::swap(rows_[s][a], rows_[s][b]);
            std::swap(order[a], order[b]);
            place[order[a]] = a;
            place[order[b]] = b;
            swapped(a, b);
        }
        std::vector<double*> out;
        for (Size k = 0; k < fresh.size(); ++k) {
            rows_.push_back(std::make_unique_for_overwrite<double[]>(p));
            out.push_back(rows_.back().get());
            for (Size s = 0; s < old; ++s) out[k][s] = rows_[s][old + k];  // products are symmetric
        }
        x.products(fresh, std::span<const Size>(order).subspan(old), old, out);
    }
    void clear() { rows_.clear(); }

    std::vector<Size> order, place;  // place -> column, column -> place

  private:
    std::vector<std::unique_ptr<double[]>> rows_;
};

class Path {
  public:
    Path(const CoordinateProblem& problem, const CoordinateSettings& settings, PassTeller* teller)
        : s_(settings),
          teller_(teller),
          x_(*problem.X, problem.weight, settings.intercept, settings.threads),
          n_(x_.rows()),
          p_(x_.cols()),
          products_(p_),
          by_products_(choose_products()),
          square_(x_.square()),
          w_(p_),
          q0_(p_),
          q_(p_),
          alive_(p_),
          y_(n_) {
        if (by_products_ && wants_all()) {
            std::vector<Size> all(p_);
            std::iota(all.begin(), all.end(), Size{0});
            products_.add(x_, all, [](Size, Size) {});
        }
        if (!by_products_) x_.turn();
    }

    bool finite() const {
        return std::all_of(square_.begin(), square_.end(), [](double v) { return std::isfinite(v); });
    }

    // Begins a target; false when its squares overflow.
    bool begin(Size target, const Dense<double>& Y, std::span<const double> start) {
        target_ = target;
        drawn_ = 0;
        for (Size i = 0; i < n_; ++i) y_[i] = Y.at(i, target);
        mean_y_ = s_.intercept ? x_.mean_of(y_) : 0.0;
        for (double& value : y_) value -= mean_y_;
        yy_ = x_.product(y_, y_);
        x_.correlate(products_.order, y_, q0_);
        for (Size k = 0; k < p_; ++k) {
            const double first = start[products_.order[k]];
            w_[k] = square_[k] > 0 && !(s_.positive && first < 0) ? first : 0.0;
        }
        return std::isfinite(yy_) && std::all_of(q0_.begin(), q0_.end(), [](double v) { return std::isfinite(v); });
    }

    LinearResult solve(Size number, const Penalty& h, bool more) {
        begin_penalty(number, h, more);
        while (true) {
            choose_working_set();
            descend();
            refresh();
            const double gap = gap_of_all();
            const double missing = left_outside();
            const double allowed = s_.tol * yy_;
            if (result_.stop == LinearStop::told) break;
            if (gap <= allowed && missing <= 100 * kQuiet * allowed) {
                result_.stop = LinearStop::converged;
                break;
            }
            if (result_.passes >= s_.most_passes) break;
            if (missing == 0 && still_) {  // nothing moves any more: the rest is rounding
                result_.stop = LinearStop::converged;
                break;
            }
            if (missing == 0) quiet_ *= 0.01;
            screen(gap);
        }
        result_.objective = objective_of_all();
        result_.measure = gap_of_all();
        return result_;
    }

    // Coefficients in the order of the table, and the intercept.
    void tell_answer(std::span<double> coef, double& intercept) const {
        intercept = mean_y_;
        for (Size k = 0; k < p_; ++k) {
            coef[products_.order[k]] = w_[k];
            if (s_.intercept) intercept -= x_.mean()[products_.order[k]] * w_[k];
        }
    }

  private:
    // ------------------------------------------------------------------------------------------------- what is kept

    bool choose_products() const {
        if (x_.is_sparse()) {
            const double each = static_cast<double>(x_.entries()) / static_cast<double>(std::max<Size>(p_, 1));
            return p_ * p_ <= kMostProducts / 4 && static_cast<double>(p_) <= 4 * each;
        }
        if (s_.plain) return p_ * p_ <= kMostProducts;
        return p_ * kFewColumns <= kMostProducts;
    }
    bool wants_all() const {
        return s_.plain || x_.is_sparse() || p_ <= 2 * kFewColumns || (p_ <= 2000 && n_ >= 4 * p_);
    }

    void begin_penalty(Size number, const Penalty& h, bool more) {
        number_ = number;
        h_ = h;
        more_ = more;
        result_ = {};
        quiet_ = kQuiet * s_.tol * yy_;
        hard_ = still_ = false;
        exact_refused_ = s_.plain;
        working_.clear();
        for (Size k = 0; k < p_; ++k) alive_[k] = square_[k] > 0;
        refresh();
        gap_of_all();
    }

    // Slopes of all columns at w, from scratch.
    void refresh() {
        if (by_products_) {
            std::vector<Size> used = in_use();
            parallel_for(blocks_of(p_, kChunk), s_.threads, [&](Size block) {
                const Size begin = block * kChunk, size = std::min(kChunk, p_ - begin);
                std::copy_n(q0_.begin() + static_cast<std::ptrdiff_t>(begin), size,
                            q_.begin() + static_cast<std::ptrdiff_t>(begin));
                for (const Size k : used) hot().axpy_f64(-w_[k], products_.row(k) + begin, size, q_.data() + begin);
            });
            return;
        }
        r_.assign(y_.begin(), y_.end());
        level_ = 0;
        for (const Size k : in_use()) x_.subtract(products_.order[k], w_[k], r_.data(), level_);
        for (double& value : r_) value -= level_;
        level_ = 0;
        std::vector<Size> which, columns;
        for (Size k = 0; k < p_; ++k)
            if (alive_[k]) {
                which.push_back(k);
                columns.push_back(products_.order[k]);
            }
        std::vector<double> slopes(which.size());
        x_.correlate(columns, r_, slopes);
        for (Size i = 0; i < which.size(); ++i) q_[which[i]] = slopes[i];
    }

    std::vector<Size> in_use() const {
        std::vector<Size> used;
        for (Size k = 0; k < p_; ++k)
            if (w_[k] != 0) used.push_back(k);
        return used;
    }

    // ------------------------------------------------------------------------------------------------ the objective

    // Sums over some places; the others have coefficient zero.
    struct Sums {
        double wq0 = 0, wq = 0, size = 0, square = 0, steepest = 0, over = 0, worst = 0;
    };
    Sums sums(std::span<const Size> places) const {
        Sums s;
        for (const Size k : places) {
            s.wq0 += w_[k] * q0_[k];
            s.wq += w_[k] * q_[k];
            s.size += std::abs(w_[k]);
            s.square += w_[k] * w_[k];
            const double slope = q_[k] - h_.l2 * w_[k];
            s.steepest = std::max(s.steepest, s_.positive ? slope : std::abs(slope));
            const double over = std::max(0.0, h_.beyond(q_[k]));
            s.over += over * over;
            s.worst = std::max(s.worst, q_[k] * q_[k] / (2 * square_[k]));
        }
        return s;
    }
    double residual_square(const Sums& s) const {
        if (by_products_) return std::max(0.0, yy_ - s.wq0 - s.wq);
        return std::max(0.0, x_.product(r_, r_) - (s_.intercept ? level_ * level_ : 0.0));
    }

    // The objective less its value at a feasible point of the dual: r scaled until no slope is above l1, or, with l2,
    // r itself, since the conjugate of the penalty is then finite everywhere.
    double gap(const Sums& s) const {
        const double rr = residual_square(s), ry = yy_ - s.wq0;
        if (h_.l1 == 0 && h_.l2 == 0) return std::max(s.worst, std::abs(s.wq));  // least squares: the slopes themselves
        double found = std::numeric_limits<double>::infinity();
        if (h_.l1 > 0) {
            const double c = s.steepest > h_.l1 ? h_.l1 / s.steepest : 1.0;
            found = 0.5 * rr * (1 + c * c) + h_.l1 * s.size - c * ry + 0.5 * h_.l2 * (1 + c * c) * s.square;
            scaled_gap_ = std::max(0.0, found);
            scale_ = c;
        }
        if (h_.l2 > 0)
            found = std::min(found, rr - ry + h_.l1 * s.size + 0.5 * h_.l2 * s.square + s.over / (2 * h_.l2));
        return std::max(0.0, found);
    }
    double gap_of_all() {
        std::vector<Size> all;
        for (Size k = 0; k < p_; ++k)
            if (alive_[k]) all.push_back(k);
        const Sums s = sums(all);
        steepest_ = s.steepest;
        return gap(s);
    }
    double objective(const Sums& s) const { return 0.5 * residual_square(s) + h_.l1 * s.size + 0.5 * h_.l2 * s.square; }
    double objective_of_all() const { return objective(sums(in_use())); }

    // A column whose slope cannot reach l1 at the optimum has coefficient zero there: |c q_j| + sqrt(2 gap (z_j^2 +
    // l2)) < l1 (Fercoq, Gramfort, Salmon 2015).
    void screen(double gap) {
        if (h_.l1 == 0 || gap == 0 || s_.plain) return;
        for (Size k = 0; k < p_; ++k) {
            if (!alive_[k] || w_[k] != 0) continue;
            const double slope = scale_ * (s_.positive ? q_[k] : std::abs(q_[k]));
            if (slope + std::sqrt(2 * scaled_gap_ * (square_[k] + h_.l2)) < h_.l1) alive_[k] = false;
        }
    }

    // How much single steps of the columns outside the working set could still lower F.
    double left_outside() const {
        std::vector<bool> inside(p_, false);
        for (const Size k : working_) inside[k] = true;
        double found = 0;
        for (Size k = 0; k < p_; ++k) {
            if (inside[k] || !alive_[k]) continue;
            const double over = h_.beyond(q_[k]);
            // What rounding adds to a slope is no reason to look again.
            if (over > 1e-13 * (std::abs(q0_[k]) + h_.l1)) found += over * over / (2 * (square_[k] + h_.l2));
        }
        return found;
    }

    // ---------------------------------------------------------------------------------------------- the working set

    void choose_working_set() {
        std::vector<Size> wanted, others;
        const bool first = working_.empty();
        std::vector<bool> inside(p_, false);
        for (const Size k : working_) inside[k] = true;
        for (Size k = 0; k < p_; ++k) {
            if (w_[k] != 0 || (inside[k] && alive_[k]) || (s_.plain && alive_[k]))
                wanted.push_back(k);
            else if (alive_[k])
                others.push_back(k);
        }
        // Strong rule: a slope that is now below 2 l1 less the largest will hardly reach l1 (Tibshirani et al. 2012).
        const double least = first ? 2 * h_.l1 - std::max(h_.l1, steepest_) : h_.l1;
        const Size room = std::max(kFewColumns, 2 * wanted.size()) - wanted.size();
        const auto steep = [&](Size k) { return s_.positive ? q_[k] : std::abs(q_[k]); };
        if (wanted.size() + others.size() > kFewColumns)
            std::erase_if(others, [&](Size k) { return steep(k) < least; });
        const auto steeper = [&](Size a, Size b) {
            return steep(a) != steep(b) ? steep(a) > steep(b) : products_.order[a] < products_.order[b];
        };
        if (others.size() > room) {
            std::nth_element(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(room), others.end(), steeper);
            others.resize(room);
        }
        wanted.insert(wanted.end(), others.begin(), others.end());
        std::vector<Size> columns;
        for (const Size k : wanted) columns.push_back(products_.order[k]);
        std::sort(columns.begin(), columns.end());
        ready(columns);
        working_.clear();
        for (const Size j : columns) working_.push_back(products_.place[j]);
    }

    // Products for columns that come into the working set, or residuals from now on where they would be too many.
    void ready(const std::vector<Size>& columns) {
        if (!by_products_) return;
        std::vector<Size> fresh;
        for (const Size j : columns)
            if (products_.place[j] >= products_.slots()) fresh.push_back(j);
        if (fresh.empty()) return;
        const bool many = products_.slots() + fresh.size() > 2 * std::max(n_, kFewColumns);
        if (many || !products_.room_for(fresh.size())) {
            by_products_ = false;
            products_.clear();
            x_.turn();
            refresh();
            return;
        }
        if (more_ && fresh.size() < kBatch) add_likely(fresh);
        std::sort(fresh.begin(), fresh.end());
        products_.add(x_, fresh, [&](Size a, Size b) {
            std::swap(w_[a], w_[b]);
            std::swap(q0_[a], q0_[b]);
            std::swap(q_[a], q_[b]);
            std::swap(square_[a], square_[b]);
            std::swap(alive_[a], alive_[b]);
        });
    }

    // The steepest of the others, which later penalties will ask for.
    void add_likely(std::vector<Size>& fresh) {
        std::vector<bool> taken(p_, false);
        for (const Size j : fresh) taken[j] = true;
        std::vector<Size> others;
        for (Size k = products_.slots(); k < p_; ++k)
            if (!taken[products_.order[k]] && square_[k] > 0) others.push_back(products_.order[k]);
        const Size room = std::min(others.size(), kBatch - fresh.size());
        const auto slope = [&](Size j) { return std::abs(q_[products_.place[j]]); };
        const auto steeper = [&](Size a, Size b) { return slope(a) != slope(b) ? slope(a) > slope(b) : a < b; };
        std::partial_sort(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(room), others.end(), steeper);
        if (products_.room_for(kBatch))
            fresh.insert(fresh.end(), others.begin(), others.begin() + static_cast<std::ptrdiff_t>(room));
    }

    // -------------------------------------------------------------------------------------------------- the descent

    // Passes over the working set until they bring nothing more.
    void descend() {
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
    bool worth_solving(Size since, double lowered, double before) const {
        if (hard_ || used_ == 0 || since < 2) return false;
        const double rate = before > 0 ? std::min(lowered / before, 1.0) : 1.0;
        const double left = rate < 1 ? std::log(quiet_ / lowered) / std::log(rate) : 1e300;
        const double cost = used_ <= 32 ? 2 : by_products_ ? 14 : 14 + static_cast<double>(used_) / 4;
        if (lowered > quiet_) return since >= 4 ? left > cost : used_ <= 32;
        return by_products_ ? used_ <= 256 || rate > 0.9 : used_ <= 32;
    }

    double slope(Size k) const { return by_products_ ? q_[k] : x_.dot(products_.order[k], r_.data(), level_); }
    void move(Size k, double by) {
        if (by_products_)
            hot().axpy_f64(-by, products_.row(k), products_.slots(), q_.data());
        else
            x_.subtract(products_.order[k], by, r_.data(), level_);
    }

    // One pass; returns by how much it lowered F.
    double sweep() {
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
    std::vector<double> state() const {
        if (by_products_) return {q_.begin(), q_.begin() + static_cast<std::ptrdiff_t>(products_.slots())};
        std::vector<double> found(r_);
        found.push_back(level_);
        return found;
    }
    void set_state(const std::vector<double>& state) {
        if (by_products_) {
            std::copy(state.begin(), state.end(), q_.begin());
        } else {
            std::copy(state.begin(), state.end() - 1, r_.begin());
            level_ = state.back();
        }
    }
    Sums working_sums() const { return sums(working_); }

    struct Snapshot {
        std::vector<double> w, state;
    };

    // Anderson extrapolation: sum_i c_i w_i over the last passes, where c minimises the length of sum_i c_i (w_i -
    // w_(i-1)) with sum c = 1. The state is affine in w, so it goes along. True when it was better and taken.
    bool remember() {
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

    std::vector<double> mixture() const {
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

    bool try_mixture(const std::vector<double>& c) {
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

    // ---------------------------------------------------------------------------------------------- exact solutions

    // (<z_i, z_j> + l2) v = q0 - l1 s on the columns in use, with the signs s that they have: Newton's step. False when
    // it brought nothing.
    bool solve_in_use() {
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

    void gather_products(const std::vector<Size>& used, std::vector<double>& a) const {
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

    void move_all(const std::vector<Size>& places, const std::vector<double>& by) {
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

    bool may_end_exactly() const {
        if (exact_refused_ || working_.empty()) return false;
        const Size most = hard_ ? kHard : kSmall, used = std::max<Size>(used_, 1);
        return n_ * working_.size() <= most && n_ * used * used <= most && working_.size() <= 4 * kFewColumns;
    }

    void end_exactly() {
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

    // ------------------------------------------------------------------------------------------------- the listener

    bool told(Kind kind) {
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

    const CoordinateSettings& s_;
    PassTeller* teller_;
    CentredColumns x_;
    Size n_, p_;
    Products products_;
    bool by_products_;
    std::vector<double> square_, w_, q0_, q_;  // by place
    std::vector<char> alive_;                  // may it still be other than zero?
    std::vector<double> y_, r_;
    double level_ = 0, yy_ = 0, mean_y_ = 0;
    Size target_ = 0, number_ = 0, drawn_ = 0, flips_ = 0, used_ = 0;
    Penalty h_{};
    LinearResult result_;
    std::vector<Size> working_;  // places
    std::vector<Snapshot> past_;
    double quiet_ = 0, steepest_ = 0;
    mutable double scaled_gap_ = 0, scale_ = 1;
    bool more_ = false, hard_ = false, still_ = false, exact_refused_ = false;
};

}  // namespace

void coordinate_path(const CoordinateProblem& problem, const CoordinateSettings& settings, std::span<double> coef,
                     std::span<double> intercept, std::span<LinearResult> answers, PassTeller* teller) {
    const Size n = rows_of(*problem.X), p = cols_of(*problem.X), k = problem.Y.cols, count = problem.l1.size();
    require(n > 0 && problem.Y.rows == n && problem.l2.size() == count && problem.start.size() == k * p,
            "coordinate descent: sizes");
    require(coef.size() == k * count * p && intercept.size() == k * count && answers.size() == k * count,
            "coordinate descent: answers");
    Path path(problem, settings, teller);
    const bool finite = path.finite();
    for (Size t = 0; t < k; ++t) {
        const bool begun = finite && path.begin(t, problem.Y, problem.start.subspan(t * p, p));
        for (Size i = 0; i < count; ++i) {
            LinearResult& answer = answers[t * count + i];
            if (!begun) {
                answer.stop = LinearStop::overflow;
                continue;
            }
            const bool more = i + 1 < count || t + 1 < k;
            answer = path.solve(i, {problem.l1[i], problem.l2[i], settings.positive}, more);
            path.tell_answer(coef.subspan((t * count + i) * p, p), intercept[t * count + i]);
            if (answer.stop == LinearStop::told) return;
        }
    }
}

}  // namespace pellucid
