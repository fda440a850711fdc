// Gaussian naive Bayes: means and squares of every column within every class, and the logarithms of the densities.
//
// With rows r of class c, weights w_r and values x_rj (NaN: left out):
//
//   n_cj = sum w_r,   m_cj = sum w_r x_rj / n_cj,   q_cj = sum w_r (x_rj - m_cj)^2
//
// X is read once. The sums are taken about a value close to the class's mean, which is taken back out afterward
// (Chan, Golub, LeVeque 1983, "Algorithms for computing the sample variance"), over blocks of rows that depend on the
// table's shape alone and are added in order: the same bits on any number of threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/views.hpp"

namespace pellucid {

struct ClassMoments {  // classes x columns, class after class
    std::vector<double> count, mean, square;
};

// `weight` is empty or has a number for each row. Without `missing`, NaN spoils the moments that it touches.
ClassMoments class_moments(const Matrix& x, std::span<const std::int32_t> codes, Size classes,
                           std::span<const double> weight, bool missing, int threads);

// The score of class c for a row is  prior_c - sum_j ((x_j - mean_cj)^2 half_cj + log_cj)  over the columns that have a
// number, where half = 1 / (2 v) and log = ln(2 pi v) / 2 for the variance v. A prior of -inf gives a score of -inf.
struct GaussianTable {
    std::span<const double> mean, half, log;  // classes x columns
    std::span<const double> prior;            // logarithms, one a class
};

// out: rows x classes.
void gaussian_scores(const Matrix& x, const GaussianTable& table, std::span<double> out, int threads);
// The class of the largest score, the first of equals; -1 where no score is finite.
void gaussian_codes(const Matrix& x, const GaussianTable& table, std::span<std::int32_t> out, int threads);

}  // namespace pellucid
