// Multiway trees: ID3 and C4.5 as two settings of one grower.
//
// A node has the cases (row r, weight w_r <= the row's own weight: a case whose value was missing further up is here in
// part). Let N be their weight, K that of the cases whose value in a column is known, K_b that of the known ones in
// branch b, and f(x) = x log2 x, f(0) = 0. With class weights K_c and K_bc
//
//     gain       = [ f(K) - sum_c f(K_c) - sum_b ( f(K_b) - sum_c f(K_bc) ) ] / N
//     split info = [ f(N) - sum_b f(K_b) - f(N - K) ] / N
//     gain ratio = gain / split info
//
// which is the gain among the known cases times their share K / N, and the split information with one more branch for
// the unknown ones (Quinlan, C4.5, 1993, ch. 2-4; for the release-8 correction of numbers: JAIR 4, 1996, 77-90).
#pragma once

#include <span>
#include <vector>

#include "core/tree/nodes.hpp"

namespace pellucid::tree {

enum class Merit : std::uint8_t { gain, gain_ratio };
// What a column is worth when asking for it costs something: gain^2 / cost, or (2^gain - 1) / (cost + 1)^w.
enum class CostRule : std::uint8_t { none, quadratic, exponential };
enum class Pruning : std::uint8_t { none, error, reduced_error };

struct MultiwayRules {
    Merit merit = Merit::gain_ratio;  // by which a column is chosen
    Merit cut_merit = Merit::gain;    // by which the cut of a column of numbers is chosen
    bool mean_gain = true;            // only columns whose gain is at least the mean of those that can be split
    bool mdl = true;                  // the gain of a number is lowered by log2(cuts tried) / N
    bool midpoint = false;            // threshold halfway between two values; else the largest value not above that
    bool one_against_rest = false;    // categories by two branches: one category, all others
    bool share = true;                // missing values go down every branch in parts; else they stay at the node
    double gain_above = 1e-9;         // a split must gain more than this
    double min_leaf = 2;              // weight that at least two branches must have
    double min_split = 0;             // weight a node must have to be split
    double min_cut_share = 0.1;       // a cut leaves at least this share of N / classes on either side, at most 25
    double min_case = 1e-3;           // parts of a row below this share of it are dropped
    Size max_depth = static_cast<Size>(-1);
    CostRule cost_rule = CostRule::none;
    double cost_power = 1;
    std::span<const double> costs;  // one a column
    bool collapse = true;           // a subtree that does not lower the training error becomes a leaf
    Pruning pruning = Pruning::error;
    double confidence = 0.25;            // of the upper limit of a leaf's error
    double normal = 0.6744897501960817;  // quantile 1 - confidence of the normal distribution
    bool raise = true;                   // a node may be replaced by its largest branch
};

struct MultiwayProblem {
    Matrix x;                             // dense
    std::span<const std::int32_t> label;  // class of each row
    Size n_classes = 1;
    std::span<const double> weight;        // of each row; zero: not there
    std::span<const double> validation;    // weight of each row that is held out for reduced-error pruning, or empty
    std::span<const std::int32_t> levels;  // categories of each column; 0 for a column of numbers
};

struct MultiwayTree {
    Nodes nodes;
    std::vector<double> gain, split_info;  // of the split of each node when it was chosen; NaN for a leaf
};

MultiwayTree grow_multiway(const MultiwayProblem& problem, const MultiwayRules& rules, int threads);

}  // namespace pellucid::tree
