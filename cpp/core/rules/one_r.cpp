#include "core/rules/one_r.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"

namespace pellucid::rules {
namespace {

struct Cell {
    double value;
    std::uint32_t row;
};

template <class View>
std::vector<Cell> sorted_cells(const View& x, Size column, const LabeledRows& rows) {
    std::vector<Cell> cells;
    cells.reserve(x.rows);
    for (Size r = 0; r < x.rows; ++r) {
        const auto value = static_cast<double>(x.at(r, column));
        if (!std::isnan(value) && (rows.weight.empty() || rows.weight[r] > 0))
            cells.push_back({value, static_cast<std::uint32_t>(r)});
    }
    // Ties in the order of the rows, so that sums of weights have one order.
    std::sort(cells.begin(), cells.end(),
              [](const Cell& a, const Cell& b) { return a.value < b.value || (a.value == b.value && a.row < b.row); });
    return cells;
}

// A number c with a <= c < b, half-way where there is one.
double between(double a, double b) {
    const double half = a / 2 + b / 2;
    return half >= a && half < b ? half : a;
}

Size largest(std::span<const double> counts) {
    return static_cast<Size>(std::max_element(counts.begin(), counts.end()) - counts.begin());
}

class Cutter {
  public:
    Cutter(std::span<const Cell> cells, const LabeledRows& rows, double least)
        : cells_(cells), rows_(rows), least_(least), now_(rows.classes) {}

    Buckets run() {
        while (at_ < cells_.size()) {
            std::fill(now_.begin(), now_.end(), 0.0);
            first_ = cells_[at_].value;
            do take_value();
            while (at_ < cells_.size() && now_[largest(now_)] < least_);
            const Size label = largest(now_);
            while (at_ < cells_.size() && next_is_only(label)) take_value();
            close();
        }
        return std::move(found_);
    }

  private:
    Size class_of(Size i) const { return static_cast<Size>(rows_.codes[cells_[i].row]); }
    double weight_of(Size i) const { return rows_.weight.empty() ? 1.0 : rows_.weight[cells_[i].row]; }

    void take_value() {
        const double value = cells_[at_].value;
        for (; at_ < cells_.size() && cells_[at_].value == value; ++at_) now_[class_of(at_)] += weight_of(at_);
    }

    bool next_is_only(Size label) const {
        const double value = cells_[at_].value;
        for (Size i = at_; i < cells_.size() && cells_[i].value == value; ++i)
            if (class_of(i) != label) return false;
        return true;
    }

    // Adds the bucket, or joins it to the one before if both have the same label.
    void close() {
        const Size classes = rows_.classes;
        auto& counts = found_.counts;
        if (!counts.empty()) {
            const std::span<double> before(counts.data() + counts.size() - classes, classes);
            if (largest(before) == largest(now_)) {
                for (Size c = 0; c < classes; ++c) before[c] += now_[c];
                end_ = cells_[at_ - 1].value;
                return;
            }
            found_.cuts.push_back(between(end_, first_));
        }
        counts.insert(counts.end(), now_.begin(), now_.end());
        end_ = cells_[at_ - 1].value;
    }

    std::span<const Cell> cells_;
    const LabeledRows& rows_;
    double least_;
    std::vector<double> now_;  // counts of the bucket that is being filled
    Size at_ = 0;
    double first_ = 0, end_ = 0;  // first value of this bucket, last value of the one before
    Buckets found_;
};

}  // namespace

std::vector<Buckets> one_r_buckets(const Matrix& x, std::span<const std::int32_t> columns, const LabeledRows& rows,
                                   double least, int threads) {
    require(rows.codes.size() == rows_of(x) && (rows.weight.empty() || rows.weight.size() == rows_of(x)),
            "one_r_buckets: sizes");
    for (const std::int32_t code : rows.codes)
        require(code >= 0 && static_cast<Size>(code) < rows.classes, "one_r_buckets: codes");
    for (const std::int32_t j : columns) require(j >= 0 && static_cast<Size>(j) < cols_of(x), "one_r_buckets: columns");
    std::vector<Buckets> found(columns.size());
    std::visit(
        [&]<class View>(const View& view) {
            if constexpr (std::is_same_v<View, Dense<double>> || std::is_same_v<View, Dense<float>>) {
                parallel_for(columns.size(), threads, [&](Size k) {
                    const auto cells = sorted_cells(view, static_cast<Size>(columns[k]), rows);
                    found[k] = Cutter(cells, rows, least).run();
                });
            } else {
                require(false, "one_r_buckets: sparse");
            }
        },
        x);
    return found;
}

}  // namespace pellucid::rules
