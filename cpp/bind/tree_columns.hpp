// A table that trees are grown on, together with the arrays behind it. Ranks, bins or cells are made when a tree first
// wants them.
#pragma once

#include <cstdint>
#include <optional>

#include "bind/arrays.hpp"
#include "core/tree/problem.hpp"

namespace pellucid::bind {

using Ints = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Signs = nb::ndarray<const std::int8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

struct TreeColumns {
    std::vector<nb::object> owners;
    tree::Columns columns;
    int threads;

    TreeColumns(const BoundMatrix& X, const Ints& n_categories, int threads)
        : owners(X.owners), columns(X.view, {n_categories.data(), n_categories.size()}), threads(threads) {}
    const tree::Columns& prepared(const tree::Settings& settings) {
        if (settings.splitter == tree::Splitter::histogram)
            columns.make_bins(settings.max_bins, threads);
        else if (settings.splitter == tree::Splitter::random)
            columns.make_cells(threads);
        else
            columns.make_ranks(threads);
        return columns;
    }

    // What is grown on it; the columns are given once they are prepared.
    tree::Problem problem(const Rows& y, const Ints& n_classes, const std::optional<Vector>& weight,
                          const std::optional<Signs>& monotone, const tree::Settings& settings, std::uint64_t seed,
                          int with_threads) const {
        require(y.shape(0) == columns.rows(), "grow: rows of y");
        tree::Problem out;
        out.y = {y.data(), y.size()};
        out.n_classes = {n_classes.data(), n_classes.size()};
        out.outputs = y.shape(1);
        if (weight) out.weight = span_of(*weight);
        if (monotone) out.monotone = {monotone->data(), monotone->size()};
        out.settings = settings;
        out.seed = seed;
        out.threads = with_threads;
        return out;
    }
};

}  // namespace pellucid::bind
