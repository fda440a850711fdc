// Coordinate descent for least squares with an elastic-net penalty, along a falling row of penalties.
//
//   minimize  F(w, b) = 1/(2S) sum_i s_i (y_i - b - x_i . w)^2 + l1 |w|_1 + l2/2 |w|^2
//
// With all other coefficients held, the best one is
//
//   w_j = soft(rho_j, l1) / (<z_j, z_j> + l2),   rho_j = <z_j, r> + <z_j, z_j> w_j,   soft(a, l) = sign(a) max(|a| - l,
//   0)
//
// z_j is the centered column, <,> the mean over weighted rows (coordinate_columns.hpp), r = y - Zw the residual. What
// makes it fast:
//
//   - The slopes q = <z_j, r> of the columns that are looked at are kept up to date by products of columns (covariance
//     updates), which are worked out when a column first gets into the working set and serve all later penalties. Where
//     those would be too many, and on sparse tables with short columns, the residual is kept instead.
//   - Only a working set is visited: columns in use, those whose slope may reach l1 (strong rule), and what the check
//     of all columns finds missing. Columns that the duality gap proves to be zero are not looked at again.
//   - Every fifth pass the last ones are extrapolated (Anderson), and kept if F is lower.
//   - Once signs stay, the equations of the columns in use are solved by Cholesky; small problems end exactly, by QR
//     (coordinate_exact.hpp).
//
// It stops when the duality gap is at most tol <y, y> (y centered) and a pass lowers F by less than 1e-5 of that.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/base/trace.hpp"
#include "core/solvers/linear_problem.hpp"

namespace pellucid {

struct CoordinateProblem {
    const Matrix* X = nullptr;
    Dense<double> Y;                 // n x k: each target is a problem of its own
    std::span<const double> weight;  // n, not negative; empty: all one
    std::span<const double> l1, l2;  // penalties, solved one after the other
    std::span<const double> start;   // k x p
};

struct CoordinateSettings {
    bool intercept = true;
    bool positive = false;  // only coefficients of zero or more
    bool plain = false;     // passes over all columns and nothing else
    bool random = false;    // columns of a pass are drawn
    double tol = 1e-4;
    Size most_passes = 1000;  // of each penalty
    std::uint64_t seed = 0;
    int threads = 1;
};

// What a pass did.
struct CoordinatePass {
    enum class Kind : int { sweep, extrapolation, exact };
    Size target, penalty, pass;
    Kind kind;
    Size columns, used;                  // in the working set, and of these not zero
    double objective, gap;               // the gap of the problem of these columns
    std::span<const double> parameters;  // p coefficients, then the intercept
};

class PassTeller {
  public:
    virtual ~PassTeller() = default;
    virtual bool tell(const CoordinatePass& pass) = 0;  // does somebody want to stop here?
};

// coef is k x penalties x p, intercept and answers k x penalties.
void coordinate_path(const CoordinateProblem& problem, const CoordinateSettings& settings, std::span<double> coef,
                     std::span<double> intercept, std::span<LinearResult> answers, PassTeller* teller);

namespace coordinate_detail {

template <class Trace>
class Teller final : public PassTeller {
  public:
    Teller(Trace& trace, Size width) : trace_(trace), width_(width), table_(8 + kept(), 5000) {}
    bool tell(const CoordinatePass& p) override {
        row_ = {static_cast<double>(p.target),
                static_cast<double>(p.penalty),
                static_cast<double>(p.pass),
                static_cast<double>(p.kind),
                static_cast<double>(p.columns),
                static_cast<double>(p.used),
                p.objective,
                p.gap};
        if (kept() > 0) row_.insert(row_.end(), p.parameters.begin(), p.parameters.end());
        table_.add(row_);
        return stop_after(trace_, p.pass, p.parameters);
    }
    void finish() {
        std::vector<std::string> names = {"target", "penalty", "pass", "kind", "columns", "used", "objective", "gap"};
        for (Size j = 0; j + 1 < kept(); ++j) names.push_back("coef_" + std::to_string(j + 1));
        if (kept() > 0) names.push_back("intercept");
        emit(trace_, "passes", names, table_.rows());
    }

  private:
    Size kept() const { return width_ <= 65 ? width_ : 0; }  // parameters that a row holds
    Trace& trace_;
    Size width_;
    Ends table_;
    std::vector<double> row_;
};

}  // namespace coordinate_detail

template <class Trace>
void coordinate_descent(const CoordinateProblem& problem, const CoordinateSettings& settings, std::span<double> coef,
                        std::span<double> intercept, std::span<LinearResult> answers, Trace& trace) {
    coordinate_detail::Teller<Trace> teller(trace, cols_of(*problem.X) + 1);
    coordinate_path(problem, settings, coef, intercept, answers, &teller);
    teller.finish();
}
inline void coordinate_descent(const CoordinateProblem& problem, const CoordinateSettings& settings,
                               std::span<double> coef, std::span<double> intercept, std::span<LinearResult> answers,
                               NoTrace&) {
    coordinate_path(problem, settings, coef, intercept, answers, nullptr);
}

}  // namespace pellucid
