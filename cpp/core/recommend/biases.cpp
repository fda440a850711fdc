#include "core/recommend/biases.hpp"

#include <algorithm>

namespace pellucid {
namespace {

constexpr Size kRows = 256;  // of a block

}  // namespace

double refresh_biases(const Rated& rows, double mean, double penalty, std::span<const double> other,
                      std::span<double> own, int threads) {
    const Size n = rows.rows(), blocks = blocks_of(n, kRows);
    require(own.size() == n, "biases: one for each row");
    std::vector<double> change(blocks, 0.0);
    parallel_for(blocks, threads, [&](Size b) {
        for (Size r = b * kRows; r < std::min(n, (b + 1) * kRows); ++r) {
            double sum = 0;
            for (Size at = rows.first(r); at < rows.last(r); ++at)
                sum += rows.values[at] - mean - other[rows.column(at)];
            const double weight = penalty + static_cast<double>(rows.count(r));
            const double found = weight > 0 ? sum / weight : 0.0;
            change[b] = std::fmax(change[b], std::abs(found - own[r]));
            own[r] = found;
        }
    });
    return blocks ? *std::max_element(change.begin(), change.end()) : 0.0;
}

double bias_objective(const Rated& users, const BiasSettings& s, std::span<const double> user_bias,
                      std::span<const double> item_bias) {
    double sum = 0;
    for (Size u = 0; u < users.rows(); ++u)
        for (Size at = users.first(u); at < users.last(u); ++at) {
            const double e = users.values[at] - s.mean - user_bias[u] - item_bias[users.column(at)];
            sum += e * e;
        }
    for (const double b : user_bias) sum += s.user_penalty * b * b;
    for (const double b : item_bias) sum += s.item_penalty * b * b;
    return sum;
}

}  // namespace pellucid
