// How much higher a user rates, and an item is rated, than the rest.
//
//   minimize  sum over rated (u, i) of (r_ui - m - b_u - b_i)^2 + s sum_u b_u^2 + t sum_i b_i^2
//
// by turns: with the users' biases held, the best bias of an item is
//
//   b_i = sum over its ratings of (r_ui - m - b_u) / (t + number of its ratings)
//
// and with the items' held the same for users (Koren, 2010, section 2.1). A pass is both, items first.
#pragma once

#include <array>
#include <cmath>

#include "core/base/pool.hpp"
#include "core/base/trace.hpp"
#include "core/recommend/rated.hpp"

namespace pellucid {

struct BiasSettings {
    double mean = 0;          // m
    double user_penalty = 0;  // s
    double item_penalty = 0;  // t
    Size passes = 0;          // at most
    double tol = 0;           // stop when no bias changed by more than this
    int threads = 1;
};

struct BiasResult {
    Size passes = 0;
    double change = 0;  // largest of the last pass
};

struct BiasPass {
    static constexpr auto name = "passes";
    static constexpr std::array columns = {"pass", "change", "objective"};
    double pass, change, objective;
    std::array<double, 3> values() const { return {pass, change, objective}; }
};

// Sets the biases of all rows with those of the columns held; the largest change.
double refresh_biases(const Rated& rows, double mean, double penalty, std::span<const double> other,
                      std::span<double> own, int threads);

double bias_objective(const Rated& users, const BiasSettings& settings, std::span<const double> user_bias,
                      std::span<const double> item_bias);

template <class Trace>
BiasResult fit_biases(const Rated& users, const Rated& items, const BiasSettings& s, std::span<double> user_bias,
                      std::span<double> item_bias, Trace& trace) {
    BiasResult result;
    while (result.passes < s.passes) {
        const double of_items = refresh_biases(items, s.mean, s.item_penalty, user_bias, item_bias, s.threads);
        const double of_users = refresh_biases(users, s.mean, s.user_penalty, item_bias, user_bias, s.threads);
        result.change = std::fmax(of_items, of_users);
        ++result.passes;
        if constexpr (!std::is_same_v<Trace, NoTrace>) {
            emit(trace, BiasPass{static_cast<double>(result.passes), result.change,
                                 bias_objective(users, s, user_bias, item_bias)});
            std::vector<double> both(user_bias.begin(), user_bias.end());
            both.insert(both.end(), item_bias.begin(), item_bias.end());
            if (stop_after(trace, result.passes, both)) break;
        }
        if (result.change <= s.tol) break;
    }
    return result;
}

}  // namespace pellucid
