#include "core/boosting/ordered.hpp"

#include <algorithm>

#include "core/base/check.hpp"

namespace pellucid::boosting {
namespace {

std::vector<double> in_order(std::span<const double> values, std::span<const std::uint32_t> order) {
    std::vector<double> out;
    if (values.empty()) return out;
    out.reserve(order.size());
    for (const std::uint32_t row : order) out.push_back(values[row]);
    return out;
}

}  // namespace

std::vector<Size> prefix_sizes(Size n) {
    std::vector<Size> out;
    for (Size size = 1; size <= n; size *= 2) out.push_back(size);
    return out;
}

OrderedModels::OrderedModels(const LossSettings& loss, std::span<const double> y, std::span<const double> weight,
                             std::vector<std::uint32_t> order, double start)
    : order_(std::move(order)),
      y_(in_order(y, order_)),
      weight_(in_order(weight, order_)),
      loss_(loss, y_, weight_),
      start_(start),
      sizes_(prefix_sizes(order_.size())) {
    require(loss.outputs == 1 && !loss_.by_residuals(), "ordered boosting: a smooth loss of one score");
    for (const Size size : sizes_) scores_.emplace_back(std::min(2 * size, order_.size()), start);
}

void OrderedModels::slopes(std::span<Slope> of_row, int threads) const {
    std::vector<Slope> room;
    for (Size j = 0; j < sizes_.size(); ++j) {
        room.resize(scores_[j].size());
        loss_.slopes(scores_[j], 0, room, threads);
        for (Size i = sizes_[j]; i < room.size(); ++i) of_row[order_[i]] = room[i];
    }
    if (order_.empty()) return;
    const double start[1] = {start_};
    room.resize(1);
    loss_.slopes(start, 0, room, 1);
    of_row[order_[0]] = room[0];
}

void OrderedModels::add(std::span<const std::int32_t> leaf_of_row, Size leaves, const Settings& settings, int threads) {
    std::vector<double> g(leaves), h(leaves);
    std::vector<Slope> room;
    const Judge judge{&settings};
    for (Size j = 0; j < sizes_.size(); ++j) {
        room.resize(sizes_[j]);
        loss_.slopes(scores_[j], 0, room, threads);
        std::fill(g.begin(), g.end(), 0.0);
        std::fill(h.begin(), h.end(), 0.0);
        for (Size i = 0; i < sizes_[j]; ++i) {
            const auto leaf = static_cast<Size>(leaf_of_row[order_[i]]);
            g[leaf] += static_cast<double>(room[i].gradient);
            h[leaf] += static_cast<double>(room[i].curvature);
        }
        for (Size leaf = 0; leaf < leaves; ++leaf)
            g[leaf] = settings.learning_rate * judge.answer(g[leaf], h[leaf], settings.l2, Bounds{});
        for (Size i = 0; i < scores_[j].size(); ++i) scores_[j][i] += g[static_cast<Size>(leaf_of_row[order_[i]])];
    }
}

}  // namespace pellucid::boosting
