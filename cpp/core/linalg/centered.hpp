// The table that least squares works on, without forming it: A = D (X - 1 m') S, so that a sparse X stays sparse.
#pragma once

#include <vector>

#include "core/base/views.hpp"
#include "core/linalg/products.hpp"

namespace pellucid {

struct CenteredMatrix {
    const Matrix* X = nullptr;
    std::span<const double> scale;        // S: column j is taken times scale[j]
    std::span<const double> mean;         // m; empty: not centered
    std::span<const double> root_weight;  // D; empty: all one
    int threads = 1;

    // out = D (X - 1 m') S v
    void forward(std::span<const double> v, std::vector<double>& scaled, std::span<double> out) const {
        double offset = 0;
        scaled.resize(v.size());
        for (Size j = 0; j < v.size(); ++j) scaled[j] = v[j] * scale[j];
        for (Size j = 0; j < mean.size(); ++j) offset -= mean[j] * scaled[j];
        multiply(*X, scaled, std::span<const double>(&offset, 1), out, threads);
        for (Size i = 0; i < root_weight.size(); ++i) out[i] *= root_weight[i];
    }
    // out = S (X' - m 1') D u
    void backward(std::span<const double> u, std::vector<double>& scaled, std::span<double> out) const {
        scaled.assign(u.begin(), u.end());
        double sum = 0;
        for (Size i = 0; i < scaled.size(); ++i) {
            if (!root_weight.empty()) scaled[i] *= root_weight[i];
            sum += scaled[i];
        }
        multiply_transposed(*X, scaled, out, threads);
        for (Size j = 0; j < mean.size(); ++j) out[j] -= mean[j] * sum;
        for (Size j = 0; j < scale.size(); ++j) out[j] *= scale[j];
    }
};

}  // namespace pellucid
