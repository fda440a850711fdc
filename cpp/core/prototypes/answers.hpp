// What a codebook says about rows: the nearest vectors, and the distance to the nearest vector of each class.
#pragma once

#include <cstdint>
#include <span>

#include "core/prototypes/codebook.hpp"

namespace pellucid {

// Rows to be asked about, each column times `scale` where there is one.
struct Asked {
    const Matrix* X;
    std::span<const double> scale;  // p numbers or none
};

// The k nearest vectors of each row, nearest first, among equals the earlier: rows x k reduced distances and numbers.
void nearest_prototypes(const Asked& asked, const Codebook& codebook, const Metric& metric, Size k,
                        std::span<double> reduced, std::span<std::int64_t> numbers, int threads);

// The reduced distance to the nearest vector of each class: rows x classes; infinite for a class without vectors.
void class_distances(const Asked& asked, const Codebook& codebook, std::span<const std::int32_t> labels, Size classes,
                     const Metric& metric, std::span<double> reduced, int threads);

}  // namespace pellucid
