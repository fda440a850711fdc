#include "core/solvers/coordinate_descent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/pool.hpp"
#include "core/linalg/hot.hpp"
#include "core/solvers/coordinate_path.hpp"

namespace pellucid {
namespace coordinate_detail {

constexpr Size kBatch = 128;     // columns whose products are worked out together: X is read once for all
constexpr double kQuiet = 1e-5;  // share of the allowed gap by which the last pass may lower F

Path::Path(const CoordinateProblem& problem, const CoordinateSettings& settings, PassTeller* teller)
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

bool Path::finite() const {
    return std::all_of(square_.begin(), square_.end(), [](double v) { return std::isfinite(v); });
}

bool Path::begin(Size target, const Dense<double>& Y, std::span<const double> start) {
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

LinearResult Path::solve(Size number, const Penalty& h, bool more) {
    begin_penalty(number, h, more);
    while (true) {
        choose_working_set();
        descend();
        refresh();
        const double gap = gap_of_all();
        const double missing = left_outside();
        const double allowed = s_.tol * yy_;
        if (result_.stop == LinearStop::told || !std::isfinite(gap)) break;
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
    if (!std::isfinite(result_.objective + result_.measure)) result_.stop = LinearStop::overflow;
    return result_;
}

void Path::tell_answer(std::span<double> coef, double& intercept) const {
    intercept = mean_y_;
    for (Size k = 0; k < p_; ++k) {
        coef[products_.order[k]] = w_[k];
        if (s_.intercept) intercept -= x_.mean()[products_.order[k]] * w_[k];
    }
}

// -------------------------------------------------------------------------------------------------------- what is kept

bool Path::choose_products() const {
    if (x_.is_sparse()) {
        const double each = static_cast<double>(x_.entries()) / static_cast<double>(std::max<Size>(p_, 1));
        return p_ * p_ <= kMostProducts / 4 && static_cast<double>(p_) <= 4 * each;
    }
    if (s_.plain) return p_ * p_ <= kMostProducts;
    return p_ * kFewColumns <= kMostProducts;
}

bool Path::wants_all() const {
    return s_.plain || x_.is_sparse() || p_ <= 2 * kFewColumns || (p_ <= 2000 && n_ >= 4 * p_);
}

void Path::begin_penalty(Size number, const Penalty& h, bool more) {
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
void Path::refresh() {
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

std::vector<Size> Path::in_use() const {
    std::vector<Size> used;
    for (Size k = 0; k < p_; ++k)
        if (w_[k] != 0) used.push_back(k);
    return used;
}

// ------------------------------------------------------------------------------------------------------- the objective

Path::Sums Path::sums(std::span<const Size> places) const {
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

double Path::residual_square(const Sums& s) const {
    if (by_products_) return std::max(0.0, yy_ - s.wq0 - s.wq);
    return std::max(0.0, x_.product(r_, r_) - (s_.intercept ? level_ * level_ : 0.0));
}

// The objective less its value at a feasible point of the dual: r scaled until no slope is above l1, or, with l2,
// r itself, since the conjugate of the penalty is then finite everywhere.
double Path::gap(const Sums& s) const {
    const double rr = residual_square(s), ry = yy_ - s.wq0;
    if (h_.l1 == 0 && h_.l2 == 0) return std::max(s.worst, std::abs(s.wq));  // least squares: the slopes themselves
    double found = std::numeric_limits<double>::infinity();
    if (h_.l1 > 0) {
        const double c = s.steepest > h_.l1 ? h_.l1 / s.steepest : 1.0;
        found = 0.5 * rr * (1 + c * c) + h_.l1 * s.size - c * ry + 0.5 * h_.l2 * (1 + c * c) * s.square;
        scaled_gap_ = std::max(0.0, found);
        scale_ = c;
    }
    if (h_.l2 > 0) found = std::min(found, rr - ry + h_.l1 * s.size + 0.5 * h_.l2 * s.square + s.over / (2 * h_.l2));
    return std::max(0.0, found);
}

double Path::gap_of_all() {
    std::vector<Size> all;
    for (Size k = 0; k < p_; ++k)
        if (alive_[k]) all.push_back(k);
    const Sums s = sums(all);
    steepest_ = s.steepest;
    return gap(s);
}

// A column whose slope cannot reach l1 at the optimum has coefficient zero there: |c q_j| + sqrt(2 gap (z_j^2 +
// l2)) < l1 (Fercoq, Gramfort, Salmon 2015).
void Path::screen(double gap) {
    if (h_.l1 == 0 || gap == 0 || s_.plain) return;
    for (Size k = 0; k < p_; ++k) {
        if (!alive_[k] || w_[k] != 0) continue;
        const double slope = scale_ * (s_.positive ? q_[k] : std::abs(q_[k]));
        if (slope + std::sqrt(2 * scaled_gap_ * (square_[k] + h_.l2)) < h_.l1) alive_[k] = false;
    }
}

// How much single steps of the columns outside the working set could still lower F.
double Path::left_outside() const {
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

// ----------------------------------------------------------------------------------------------------- the working set

void Path::choose_working_set() {
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
    if (wanted.size() + others.size() > kFewColumns) std::erase_if(others, [&](Size k) { return steep(k) < least; });
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
void Path::ready(const std::vector<Size>& columns) {
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
void Path::add_likely(std::vector<Size>& fresh) {
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

}  // namespace coordinate_detail

void coordinate_path(const CoordinateProblem& problem, const CoordinateSettings& settings, std::span<double> coef,
                     std::span<double> intercept, std::span<LinearResult> answers, PassTeller* teller) {
    const Size n = rows_of(*problem.X), p = cols_of(*problem.X), k = problem.Y.cols, count = problem.l1.size();
    require(n > 0 && problem.Y.rows == n && problem.l2.size() == count && problem.start.size() == k * p,
            "coordinate descent: sizes");
    require(coef.size() == k * count * p && intercept.size() == k * count && answers.size() == k * count,
            "coordinate descent: answers");
    coordinate_detail::Path path(problem, settings, teller);
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
