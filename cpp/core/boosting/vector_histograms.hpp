// Histograms of trees that answer vectors: for each bin of each column the sums over the rows that lie in it of the
// first derivatives of the loss by all targets, of the second ones, and of 1.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/boosting/partition.hpp"
#include "core/tree/shelf.hpp"

namespace pellucid::boosting {

// Where the sums of a cell lie: gradients, curvatures, rows.
struct Shape {
    Size targets = 1;
    bool shared = false;  // all targets of a row have the same curvature, which is kept once

    Size width() const { return targets + (shared ? 1 : targets) + 1; }
    double gradient(const double* sums, Size k) const { return sums[k]; }
    double curvature(const double* sums, Size k) const { return sums[targets + (shared ? 0 : k)]; }
    double rows(const double* sums) const { return sums[width() - 1]; }
    // Mean of the targets' curvatures.
    double weight(const double* sums) const {
        if (shared) return sums[targets];
        double sum = 0;
        for (Size k = 0; k < targets; ++k) sum += sums[targets + k];
        return sum / static_cast<double>(targets);
    }
};

// The rows of a node, and where its histogram goes.
struct VectorTask {
    std::span<const std::uint32_t> rows;
    double* into = nullptr;         // cells, all 0
    const double* total = nullptr;  // of the node
};

// Sums in floating point have the same bits on any number of threads: rows are counted in runs of fixed size, and these
// added up in their order.
class VectorHistograms {
  public:
    using Cells = std::vector<double>;

    // All 0.
    std::unique_ptr<Cells> fresh(Size numbers) {
        auto out = shelf_.take();
        out->assign(numbers, 0.0);
        return out;
    }
    void take_back(std::unique_ptr<Cells> cells) { shelf_.take_back(std::move(cells)); }

    // vectors: of each row of the table what it adds to a cell. columns: those that are asked for, rising.
    void count(const Table& table, const Shape& shape, std::span<const float> vectors,
               std::span<const VectorTask> tasks, std::span<const std::uint32_t> columns, int threads);

  private:
    tree::Shelf<Cells> shelf_;
};

}  // namespace pellucid::boosting
