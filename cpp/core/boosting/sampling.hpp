// Which rows a round of boosting looks at, and what they count.
//
//   share       a share of the rows, without replacement
//   bernoulli   each row with that probability
//   goss        (Ke and others, 2017) the share `top` with the greatest |gradient|, and of the others the share `other`
//               of all rows, drawn at random, whose slopes count (1 - top) / other times
//   mvs         (Ibragimov and Gusev, 2019) each row with a probability p that grows with its slope, sqrt(g² + l h²),
//               up to 1; those drawn count 1 / p times. `share`: expected share of the rows
//   bayesian    every row, weighted by (-log u)^temperature, u uniform on (0, 1)
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/views.hpp"
#include "core/boosting/boost_hot.hpp"

namespace pellucid::boosting {

enum class Draw : std::uint8_t { all, share, bernoulli, goss, mvs, bayesian };

struct Sampling {
    Draw draw = Draw::all;
    double share = 1;
    double top = 0.2, other = 0.1;
    double temperature = 1;
    double curvature_weight = 0;  // mvs: l
    Size after = 0;               // rounds before it begins
};

// The rows of one round, rising; empty: all. Slopes (outputs side by side, each for all rows) are multiplied where the
// rows count more. among: rows that may be drawn, rising; empty: all.
std::vector<std::uint32_t> sample_rows(const Sampling& sampling, Size rows, Size outputs,
                                       std::span<const std::uint32_t> among, std::span<Slope> slopes,
                                       std::uint64_t seed, Size round, int threads = 1);

}  // namespace pellucid::boosting
