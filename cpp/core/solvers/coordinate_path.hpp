// The state of coordinate descent along a falling row of penalties (see coordinate_descent.hpp). What is kept, the
// objective and the working set are in coordinate_descent.cpp; passes and exact solutions in coordinate_passes.cpp.
#pragma once

#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "core/solvers/coordinate_columns.hpp"
#include "core/solvers/coordinate_descent.hpp"

namespace pellucid::coordinate_detail {

inline constexpr Size kMostProducts = Size{1} << 26;  // numbers: 512 MB
inline constexpr Size kFewColumns = 100;              // the smallest working set
inline constexpr Size kChunk = 2048;

inline double sign_of(double value) { return static_cast<double>((value > 0) - (value < 0)); }

struct Penalty {
    double l1, l2;
    bool positive;
    // argmin_w (square w^2 - 2 rho w) / 2 + h(w)
    double best(double rho, double square) const {
        const double size = (positive ? rho : std::abs(rho)) - l1;
        return size > 0 ? std::copysign(size, rho) / (square + l2) : 0.0;
    }
    double beyond(double slope) const { return (positive ? slope : std::abs(slope)) - l1; }
};

// Products of columns, row by row as they are asked for. Columns have places; those with a row (slots) stand
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
    void add(const CenteredColumns& x, std::span<const Size> fresh, const Swapped& swapped) {
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
    Path(const CoordinateProblem& problem, const CoordinateSettings& settings, PassTeller* teller);

    bool finite() const;

    // Begins a target; false when its squares overflow.
    bool begin(Size target, const Dense<double>& Y, std::span<const double> start);

    LinearResult solve(Size number, const Penalty& h, bool more);

    // Coefficients in the order of the table, and the intercept.
    void tell_answer(std::span<double> coef, double& intercept) const;

  private:
    // what is kept
    bool choose_products() const;
    bool wants_all() const;
    void begin_penalty(Size number, const Penalty& h, bool more);
    void refresh();
    std::vector<Size> in_use() const;

    // the objective
    // Sums over some places; the others have coefficient zero.
    struct Sums {
        double wq0 = 0, wq = 0, size = 0, square = 0, steepest = 0, over = 0, worst = 0;
    };
    Sums sums(std::span<const Size> places) const;
    double residual_square(const Sums& s) const;
    double gap(const Sums& s) const;
    double gap_of_all();
    double objective(const Sums& s) const { return 0.5 * residual_square(s) + h_.l1 * s.size + 0.5 * h_.l2 * s.square; }
    double objective_of_all() const { return objective(sums(in_use())); }
    void screen(double gap);
    double left_outside() const;

    // the working set
    void choose_working_set();
    void ready(const std::vector<Size>& columns);
    void add_likely(std::vector<Size>& fresh);

    // the descent
    void descend();
    bool worth_solving(Size since, double lowered, double before) const;
    double slope(Size k) const { return by_products_ ? q_[k] : x_.dot(products_.order[k], r_.data(), level_); }
    void move(Size k, double by);
    double sweep();
    std::vector<double> state() const;
    void set_state(const std::vector<double>& state);
    Sums working_sums() const { return sums(working_); }
    struct Snapshot {
        std::vector<double> w, state;
    };
    bool remember();
    std::vector<double> mixture() const;
    bool try_mixture(const std::vector<double>& c);

    // exact solutions
    bool solve_in_use();
    void gather_products(const std::vector<Size>& used, std::vector<double>& a) const;
    void move_all(const std::vector<Size>& places, const std::vector<double>& by);
    bool may_end_exactly() const;
    void end_exactly();

    // the listener
    bool told(CoordinatePass::Kind kind);

    const CoordinateSettings& s_;
    PassTeller* teller_;
    CenteredColumns x_;
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

}  // namespace pellucid::coordinate_detail
