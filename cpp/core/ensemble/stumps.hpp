// AdaBoost over decision stumps (trees of one test), all rounds in one go.
//
// Rows i with weights w_i > 0, classes c_i among K. A round t fits the stump h_t that the tree engine would grow with
// these weights (Gini index), and with
//
//   e_t = sum_i w_i [h_t(x_i) != c_i] / sum_i w_i          weighted error
//   a_t = rate (ln((1 - e_t) / e_t) + ln(K - 1))           stage value; half of it where `half`
//   w_i <- w_i exp(a_t) if wrong                           and w_i exp(-a_t) if right, where `half`
//
// and then, where `normalize`, divided by their sum. No weight falls below 2^-52. (SAMME: Zhu, Zou, Rosset, Hastie,
// Multi-class AdaBoost, 2009; with K = 2 AdaBoost.M1: Freund, Schapire 1997.)
//
// Every column is sorted once. A round goes through each column once in that order, and three times through the rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/views.hpp"

namespace pellucid::ensemble {

struct StumpProblem {
    Matrix X;
    std::span<const std::int32_t> n_categories;  // of each column, 0: numbers
    std::span<const std::int32_t> codes;         // class of each row
    Size classes = 2;
    std::span<const double> weight;  // of each row; rows of weight 0 are left out
    Size rounds = 50;
    double rate = 1;
    bool half = false, normalize = true;
    bool record = false;  // keep the weights of every round
    int threads = 1;

    Size rows() const { return codes.size(); }
    Size cols() const { return n_categories.size(); }
};

// Why it ended: all rounds are done; the last stump makes no error; the last one is no better than chance (it is left
// out; its error is the last of `error`, which then is longer than `stage`); weights beyond the range of floats.
enum class Ending : std::uint8_t { rounds, perfect, chance, overflow };

// m stumps, each of three nodes: root, left, right. One without a split has feature -1, and nothing in the last two.
struct Stumps {
    std::vector<std::int32_t> feature, missing_child;
    std::vector<std::uint8_t> test;
    std::vector<double> threshold;
    std::vector<std::int64_t> n_rows;           // 3 a stump
    std::vector<double> node_weight, impurity;  // 3 a stump
    std::vector<double> value;                  // 3 x classes a stump: weights of the classes
    std::vector<std::int64_t> table_start;      // m + 1
    std::vector<std::int32_t> table;            // words of the sets of categories
    std::vector<double> error, stage;
    std::vector<double> row_weight;  // recorded: rows a round, before its stump
    Ending ending = Ending::rounds;

    Size count() const { return feature.size(); }
};

Stumps boost_stumps(const StumpProblem& problem);

// Stumps on numbers as prediction reads them: x[feature] <= threshold votes for left, else for right, each with
// `stage`; NaN for left where missing_left. feature -1: always left.
struct StumpVotes {
    std::span<const std::int32_t> feature;
    std::span<const double> threshold;
    std::span<const std::uint8_t> missing_left;
    std::span<const std::int32_t> left, right;  // classes
    std::span<const double> stage;

    Size count() const { return feature.size(); }
};

// votes[k * rows + i] += the stages of the stumps that say class k of row i, stump after stump. X is dense.
void add_stump_votes(const Matrix& X, const StumpVotes& stumps, std::span<double> votes, int threads);

}  // namespace pellucid::ensemble
