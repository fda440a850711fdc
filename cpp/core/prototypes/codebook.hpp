// A codebook: m vectors of p numbers, eight side by side in panels, so that the distances of a row to all of them are
// read in one go.
#pragma once

#include <limits>
#include <vector>

#include "core/base/views.hpp"
#include "core/distance/metric.hpp"

namespace pellucid {

class Codebook {
  public:
    explicit Codebook(Size cols) : cols_(cols) {}
    // vectors: m x p, row by row.
    Codebook(const double* vectors, Size m, Size cols) : cols_(cols) {
        for (Size v = 0; v < m; ++v) add(vectors + v * cols);
    }

    Size size() const { return size_; }
    Size room() const { return panels_.size() / (cols_ == 0 ? 1 : cols_); }  // size() rounded up to whole panels

    void add(const double* vector) {
        if (size_ % kAbreast == 0)  // places that nobody has are infinitely far away
            panels_.resize(panels_.size() + kAbreast * cols_, std::numeric_limits<double>::infinity());
        double* place = cell(size_++);
        for (Size j = 0; j < cols_; ++j) place[j * kAbreast] = vector[j];
    }
    // w_v += step (x - w_v)
    void move(Size v, double step, const double* x) {
        double* place = cell(v);
        for (Size j = 0; j < cols_; ++j) place[j * kAbreast] += step * (x[j] - place[j * kAbreast]);
    }
    // Brings w_v back to where low_j <= w_vj <= high_j.
    void hold(Size v, const double* low, const double* high) {
        double* place = cell(v);
        for (Size j = 0; j < cols_; ++j) {
            double& w = place[j * kAbreast];
            w = w < low[j] ? low[j] : w > high[j] ? high[j] : w;
        }
    }
    void read(double* vectors) const {
        for (Size v = 0; v < size_; ++v)
            for (Size j = 0; j < cols_; ++j) vectors[v * cols_ + j] = cell(v)[j * kAbreast];
    }
    // Reduced distances of x to the vectors of panels first .. last-1, room for eight each.
    void distances(const MetricFunctions<double>& metric, const double* x, Size first, Size last, double* out) const {
        for (Size panel = first; panel < last; ++panel)
            metric.panel(x, panels_.data() + panel * kAbreast * cols_, cols_, 2, out + (panel - first) * kAbreast);
    }

  private:
    const double* cell(Size v) const { return panels_.data() + v / kAbreast * kAbreast * cols_ + v % kAbreast; }
    double* cell(Size v) { return panels_.data() + v / kAbreast * kAbreast * cols_ + v % kAbreast; }

    Size cols_, size_ = 0;
    std::vector<double> panels_;
};

// Row r as doubles, column j times scale[j]; without scale as it is.
template <class T>
void load_row(const Dense<T>& x, Size r, const double* scale, double* out) {
    for (Size c = 0; c < x.cols; ++c) out[c] = static_cast<double>(x.at(r, c));
    if (scale != nullptr)
        for (Size c = 0; c < x.cols; ++c) out[c] *= scale[c];
}
template <class Index>
void load_row(const Csr<Index>& x, Size r, const double* scale, double* out) {
    for (Size c = 0; c < x.cols; ++c) out[c] = 0;
    for (auto k = x.starts[r]; k < x.starts[r + 1]; ++k) {
        const auto c = static_cast<Size>(x.indices[k]);
        out[c] = scale == nullptr ? x.values[k] : x.values[k] * scale[c];
    }
}

}  // namespace pellucid
