// The two tests of CHAID: do groups of rows differ in the target more than chance would have it?
//
// Classes: with O_gk rows of group g and class k, R_g = sum_k O_gk, T_k = sum_g O_gk, N of all, E_gk = R_g T_k / N,
//
//     Pearson           chi² = sum (O - E)² / E
//     likelihood ratio  G²   = 2 sum O ln(O / E)          (r - 1)(c - 1) degrees of freedom, r groups and c classes
//                                                          that occur in these groups
// Numbers: with weight w_g, mean m_g and squares S_g = sum w (y - m_g)² of group g, M the mean of all, N = sum w_g,
//
//     F = [sum w_g (m_g - M)² / (r - 1)] / [sum S_g / (N - r)]
//
// A test without degrees of freedom finds no difference: p = 1.
#pragma once

#include <cmath>
#include <limits>
#include <span>

#include "core/base/views.hpp"
#include "core/tree/chaid_tails.hpp"

namespace pellucid::tree {

struct Tested {
    double statistic = 0;
    double df1 = 0;
    double df2 = 0;  // of the F test
    double log_p = 0;
};

// Logarithms on a grid, so that p values that are equal on paper are equal here whatever the order of the sums.
inline double on_grid(double log_p) { return std::nearbyint(log_p * 0x1p30); }

using Summaries = std::span<const double* const>;

// A group is `width` numbers: rows of each class, by weight, and their sum.
struct ClassTarget {
    Size classes = 0;
    bool likelihood = false;

    Size width() const { return classes + 1; }
    double weight(const double* group) const { return group[classes]; }
    void add(double* group, const double* other) const {
        for (Size k = 0; k <= classes; ++k) group[k] += other[k];
    }
    void add_row(double* group, std::int32_t k, double w) const {
        group[k] += w;
        group[classes] += w;
    }
    // Where groups stand in an order along which likely partners are neighbors.
    double score(const double* group, Size k) const { return group[k] / group[classes]; }
    // One order holds the best way to part groups in two; several have to be tried with more classes.
    Size orders() const { return classes == 2 ? 1 : classes; }
    bool one_order() const { return classes == 2; }

    Tested test(Summaries groups) const {
        Tested found;
        double all = 0;
        for (const double* g : groups) all += g[classes];
        Size present = 0;
        for (Size k = 0; k < classes; ++k) {
            double total = 0;
            for (const double* g : groups) total += g[k];
            if (!(total > 0)) continue;
            ++present;
            for (const double* g : groups) {
                const double expected = g[classes] * (total / all), observed = g[k], off = observed - expected;
                if (!likelihood) {
                    found.statistic += off / expected * off;
                } else if (observed > 0) {
                    found.statistic += 2 * observed * std::log(observed / expected);
                }
            }
        }
        if (present < 2 || groups.size() < 2) return {};
        found.statistic = std::max(found.statistic, 0.0);
        found.df1 = static_cast<double>((present - 1) * (groups.size() - 1));
        found.log_p = log_chi_squared_tail(found.statistic, found.df1);
        return found;
    }
};

// A group is its weight, mean and squares around the mean.
struct NumberTarget {
    Size width() const { return 3; }
    double weight(const double* group) const { return group[0]; }
    // Chan, Golub and LeVeque: squares of two groups together
    void add(double* group, const double* other) const {
        const double w = group[0] + other[0];
        if (!(w > 0)) return;
        const double apart = other[1] - group[1], share = other[0] / w;
        group[2] += other[2] + apart * apart * group[0] * share;
        group[1] += apart * share;
        group[0] = w;
    }
    void add_row(double* group, double y, double w) const {
        group[0] += w;
        const double apart = y - group[1];
        group[1] += apart * (w / group[0]);
        group[2] += w * apart * (y - group[1]);
    }
    double score(const double* group, Size) const { return group[1]; }
    Size orders() const { return 1; }
    bool one_order() const { return true; }

    Tested test(Summaries groups) const {
        double n = 0, sum = 0, within = 0, between = 0;
        const double origin = groups[0][1];  // equal means give a difference of exactly zero
        for (const double* g : groups) n += g[0], sum += g[0] * (g[1] - origin), within += g[2];
        const double mean = origin + sum / n;
        for (const double* g : groups) between += g[0] * (g[1] - mean) * (g[1] - mean);
        const double r = static_cast<double>(groups.size());
        Tested found{0, r - 1, n - r, 0};
        if (r < 2 || !(n > r) || !(between > 0)) return found;
        found.statistic = within > 0 ? between / (r - 1) / (within / (n - r)) : std::numeric_limits<double>::infinity();
        found.log_p = log_f_tail(found.statistic, r - 1, n - r);
        return found;
    }
};

}  // namespace pellucid::tree
