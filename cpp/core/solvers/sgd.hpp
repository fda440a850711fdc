// Stochastic gradient descent for linear models, row by row or by small batches:
//
//   minimize  1/n sum_i l(y_i, f_i) + alpha (r ||w||_1 + (1 - r)/2 ||w||^2),   f_i = b + w . x_i
//
//   w <- (1 - eta_t alpha (1 - r)) w - eta_t/m sum_{i in B} s_i l'(y_i, f_i) x_i,   b <- b - eta_t/m sum s_i l'
//
// l is the loss, s_i the weight of row i, B the batch of update t with m rows. The share r of the penalty is Tsuruoka's
// cumulative l1: after an update each column that it touched is drawn toward zero, and never across, by what all
// updates so far should have drawn it by and have not. w is held as a number times a vector, so that shrinking touches
// no column: an update of a sparse row costs as much as the row has entries.
//
// Rows, orders, rates, the averages and the stopping rule are scikit-learn's: an epoch whose mean of loss and penalty
// before each update is not below the best so far by `tol` counts (or, with rows held out, one whose score is not above
// the best by `tol`), and `patience` of them in a row stop the run, or divide an adaptive rate by 5.
//
// References: Bottou, Stochastic gradient descent tricks, 2012 (scaled and averaged weights); Tsuruoka, Tsujii,
// Ananiadou, ACL 2009 (cumulative l1); Crammer et al., JMLR 7, 2006 (passive-aggressive steps).
#pragma once

#include <array>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>

#include "core/base/trace.hpp"
#include "core/solvers/schedule.hpp"

namespace pellucid {

// Any loss, called once a batch.
class AnyLoss {
  public:
    template <class Loss>
    explicit AnyLoss(const Loss& loss) : measure_(measure_as<Loss>) {
        static_assert(std::is_trivially_copyable_v<Loss> && sizeof(Loss) <= sizeof(double));
        std::memcpy(room_.data(), &loss, sizeof(Loss));
    }
    // slope[k] = dl/df and, unless it is null, value[k] = l of n rows.
    void measure(Size n, const double* y, const double* f, double* value, double* slope) const {
        measure_(room_.data(), n, y, f, value, slope);
    }

  private:
    template <class Loss>
    static void measure_as(const std::byte* room, Size n, const double* y, const double* f, double* value,
                           double* slope) {
        Loss loss;
        std::memcpy(&loss, room, sizeof(Loss));
        for (Size k = 0; k < n; ++k) slope[k] = loss.gradient(y[k], f[k]);
        if (value != nullptr)
            for (Size k = 0; k < n; ++k) value[k] = loss.value(y[k], f[k]);
    }

    std::array<std::byte, sizeof(double)> room_{};
    void (*measure_)(const std::byte*, Size, const double*, const double*, double*, double*);
};

// The loss of a name; `epsilon` where it has one, `zero_is_wrong` for (-1, 1) where it is the perceptron's.
AnyLoss loss_named(std::string_view name, double epsilon, std::array<bool, 2> zero_is_wrong);

// How an update's length is found: by the rate; or from the row's own loss, which it just undoes (PA-I cuts that off at
// eta0, PA-II softens it by 1/(2 eta0)).
enum class StepRule : int { rate, passive_aggressive_1, passive_aggressive_2 };

struct SgdSettings {
    double l1 = 0, l2 = 0;  // alpha r, alpha (1 - r)
    bool intercept = true;
    double intercept_decay = 1;  // the intercept's steps are this many times as long
    double negative = -1;        // target of the rows of other classes
    Size batch = 1;
    RowOrder order = RowOrder::swapped;
    Rate rate;
    StepRule step = StepRule::rate;
    double tol = -std::numeric_limits<double>::infinity();
    Size patience = 5;
    Size most_epochs = 1000;
    double begin = 0;          // updates that were made before, in an earlier run
    double average_from = -1;  // average the parameters from this update on, counted from 1; below 0: do not
    bool restore_best = false;
    // A score beyond this whose slope had to be cut off is out of reach. The first, long steps of a falling rate may
    // lead there and back; a run that ends so has diverged, and one of constant rate that stays so for
    // `patience` epochs.
    double diverged = std::numeric_limits<double>::infinity();
    int threads = 1;  // of batches of many rows
};

struct SgdProblem {
    const Matrix* X = nullptr;
    std::span<const double> y;               // n targets, or codes of classes
    std::span<const double> weight;          // n; empty: all one
    std::span<const std::int64_t> listed;    // rows to visit in turn, again from the start when used up
    std::span<const std::uint8_t> held_out;  // n flags of rows to score by instead of learning from; empty: none
};

// One model: a regression, or one class against the others. Parameters are the start, overwritten by the answer.
struct SgdModel {
    double positive = -1;  // the class's code; below 0: a regression
    double weight_positive = 1, weight_negative = 1;
    std::uint64_t seed = 0;
    std::span<double> w;
    double* b = nullptr;
    std::span<double> average_w;  // empty: none is kept
    double* average_b = nullptr;
};

enum class SgdStop : int { improvement, count, told, overflow };

struct SgdResult {
    SgdStop stop = SgdStop::count;
    Size epochs = 0;
    double updates = 0;
    double best_score = -std::numeric_limits<double>::infinity();  // of held-out rows: accuracy or R2
    Size best_epoch = 0;
};

SgdResult sgd(const SgdProblem& problem, const SgdSettings& settings, const AnyLoss& loss, const SgdModel& model,
              NoTrace& trace);
SgdResult sgd(const SgdProblem& problem, const SgdSettings& settings, const AnyLoss& loss, const SgdModel& model,
              Watch& trace);

}  // namespace pellucid
