#include "core/prototypes/answers.hpp"

#include <algorithm>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/distance/collect.hpp"

namespace pellucid {
namespace {

constexpr Size kRowsABlock = 256;

// f(row number, its reduced distances to all vectors, room for k neighbors), row by row in parallel blocks.
template <class F>
void for_rows(const Asked& asked, const Codebook& codebook, const Metric& metric, Size k, int threads, const F& f) {
    const Size n = rows_of(*asked.X), p = cols_of(*asked.X), panels = codebook.room() / kAbreast;
    require(p > 0 && codebook.size() > 0, "prototypes: sizes");
    require(asked.scale.empty() || asked.scale.size() == p, "prototypes: scale");
    const MetricFunctions<double>& functions = metric.functions<double>();
    const double* scale = asked.scale.empty() ? nullptr : asked.scale.data();
    std::visit(
        [&](const auto& x) {
            parallel_for(blocks_of(n, kRowsABlock), threads, [&](Size block) {
                std::vector<double> row(p), reduced(codebook.room());
                std::vector<Neighbor> room(k);
                for (Size i = block * kRowsABlock; i < std::min(n, (block + 1) * kRowsABlock); ++i) {
                    load_row(x, i, scale, row.data());
                    codebook.distances(functions, row.data(), 0, panels, reduced.data());
                    f(i, reduced.data(), room);
                }
            });
        },
        *asked.X);
}

}  // namespace

void nearest_prototypes(const Asked& asked, const Codebook& codebook, const Metric& metric, Size k,
                        std::span<double> reduced, std::span<std::int64_t> numbers, int threads) {
    require(k >= 1 && k <= codebook.size(), "nearest_prototypes: k");
    require(reduced.size() == rows_of(*asked.X) * k && numbers.size() == reduced.size(), "nearest_prototypes: room");
    for_rows(asked, codebook, metric, k, threads, [&](Size i, const double* apart, std::span<Neighbor> room) {
        Nearest nearest(room);
        for (Size v = 0; v < codebook.size(); ++v) nearest.offer(apart[v], static_cast<std::int64_t>(v));
        const auto found = nearest.finish();
        for (Size j = 0; j < k; ++j) {
            reduced[i * k + j] = found[j].reduced;
            numbers[i * k + j] = found[j].row;
        }
    });
}

void class_distances(const Asked& asked, const Codebook& codebook, std::span<const std::int32_t> labels, Size classes,
                     const Metric& metric, std::span<double> reduced, int threads) {
    require(labels.size() == codebook.size(), "class_distances: labels");
    require(reduced.size() == rows_of(*asked.X) * classes, "class_distances: room");
    for (const std::int32_t label : labels)
        require(label >= 0 && static_cast<Size>(label) < classes, "class_distances: a label");
    for_rows(asked, codebook, metric, 1, threads, [&](Size i, const double* apart, std::span<Neighbor>) {
        double* own = reduced.data() + i * classes;
        std::fill_n(own, classes, std::numeric_limits<double>::infinity());
        for (Size v = 0; v < codebook.size(); ++v) own[labels[v]] = std::min(own[labels[v]], apart[v]);
    });
}

}  // namespace pellucid
