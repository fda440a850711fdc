// Learning vector quantization: labeled vectors that are drawn toward rows of their class and pushed away from
// others.
//
// One row x of class y after the other; d_v = |x - w_v|^2, and in each step w_v += s_v (x - w_v) for one or two v:
//
//   lvq1    c nearest:  s_c = +a if y_c = y, else -a                                                (Kohonen 1986)
//   olvq1   the same with a rate of its own for each vector:  a_c <- min(a, a_c / (1 + sign a_c)) after its step
//   lvq2.1  the two nearest, one of class y, one not, and x between them, min(d_i / d_j, d_j / d_i) > ((1-h)/(1+h))^2:
//           +a for the one, -a for the other                                                        (Kohonen 1990)
//   lvq3    as lvq2.1; and +epsilon a for both where both are of class y
//   glvq    o nearest of class y, e nearest of another:  mu = (d_o - d_e) / (d_o + d_e),  f = 1 / (1 + exp(-b mu)):
//           s_o = +a u f' d_e / (d_o + d_e)^2,  s_e = -a u f' d_o / (d_o + d_e)^2,  f' = b f (1 - f)
//           the gradient of sum f(mu) with lengths in units of sqrt(u)                         (Sato, Yamada 1996)
//
// The rate a falls by the epoch, a (1 - e/E), by the update, or stays. A row's weight multiplies its steps. No step is
// longer than the way to the row: |s| <= 1. Pushed away again and again, as among rows that are mostly of other
// classes, a vector would leave the range of numbers; it is held within a box. Vectors are moved one after the other;
// nothing here depends on threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/trace.hpp"
#include "core/base/views.hpp"

namespace pellucid {

enum class LvqVariant : int { lvq1, olvq1, lvq21, lvq3, glvq };
enum class LvqDecay : int { epoch, update, constant };
enum class LvqStop : int { finished, callback, overflow };

struct LvqProblem {
    const Matrix* X;                    // dense
    std::span<const std::int32_t> y;    // codes of the classes
    std::span<const double> weight;     // or none
    std::span<const double> scale;      // what columns are multiplied by, or none
    std::span<const double> low, high;  // of the columns: where vectors may be pushed to; none: anywhere
};

struct LvqSettings {
    LvqVariant variant = LvqVariant::lvq1;
    LvqDecay decay = LvqDecay::epoch;
    double rate = 0.3;
    Size epochs = 1;
    Size begin = 0;  // epochs made before these, for the order of the rows and for the record
    double window = 0.3, epsilon = 0.3, steepness = 2, spread = 1;
    bool shuffle = false;
    std::uint64_t seed = 0;
    bool keep_path = false;
};

// What learning changes.
struct LvqState {
    std::vector<double> codebook;      // m x p
    std::vector<std::int32_t> labels;  // m
    std::vector<double> rates;         // m, of olvq1
};

struct LvqResult {
    LvqStop stop = LvqStop::finished;
    Size epochs = 0;
    std::vector<double> mistakes;  // of each epoch: the weight of the rows whose nearest vector had another class
    std::vector<double> path;      // epochs x m x p, if kept
};

LvqResult lvq(const LvqProblem& problem, const LvqSettings& settings, LvqState& state, NoTrace& trace);
LvqResult lvq(const LvqProblem& problem, const LvqSettings& settings, LvqState& state, Watch& trace);

}  // namespace pellucid
