#include "core/tree/c45_columns.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"

namespace pellucid::tree::c45 {
namespace {

struct Present {
    const MultiwayProblem& problem;
    bool operator()(Size r) const {
        return problem.weight[r] > 0 || (!problem.validation.empty() && problem.validation[r] > 0);
    }
};

// Bits of a double whose order as whole numbers is that of the doubles.
std::uint64_t ordered_bits(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    return bits ^ ((bits >> 63) != 0 ? ~std::uint64_t{0} : std::uint64_t{1} << 63);
}

struct Keyed {
    std::uint64_t key;
    std::uint32_t row;
    bool operator<(const Keyed& other) const { return key < other.key; }
};

template <class T>
void code_numbers(const Dense<T>& x, Size j, const Present& present, Column& column) {
    std::vector<Keyed> sorted;
    sorted.reserve(x.rows);
    for (Size r = 0; r < x.rows; ++r) {
        const double value = static_cast<double>(x.at(r, j)) + 0.0;  // -0.0 becomes 0.0
        if (std::isnan(value)) {
            column.has_missing = column.has_missing || present(r);
        } else if (present(r)) {
            sorted.push_back({ordered_bits(value), static_cast<std::uint32_t>(r)});
        }
    }
    std::sort(sorted.begin(), sorted.end());
    for (Size i = 0; i < sorted.size(); ++i) {
        if (i == 0 || sorted[i].key != sorted[i - 1].key)
            column.values.push_back(static_cast<double>(x.at(sorted[i].row, j)) + 0.0);
        column.code[sorted[i].row] = static_cast<std::uint32_t>(column.values.size() - 1);
    }
    column.levels = static_cast<std::uint32_t>(column.values.size());
}

template <class T>
void code_categories(const Dense<T>& x, Size j, const Present& present, Column& column) {
    for (Size r = 0; r < x.rows; ++r) {
        const double value = static_cast<double>(x.at(r, j));
        if (std::isnan(value)) {
            column.has_missing = column.has_missing || present(r);
        } else {
            require(value >= 0 && value < static_cast<double>(column.levels), "a code lies outside its categories");
            column.code[r] = static_cast<std::uint32_t>(value);
        }
    }
}

}  // namespace

Columns code_columns(const MultiwayProblem& problem, int threads) {
    const Size rows = rows_of(problem.x), cols = cols_of(problem.x);
    require(rows < kMissing && problem.label.size() == rows && problem.weight.size() == rows, "sizes differ");
    require(problem.levels.size() == cols, "levels: one a column");
    Columns table{std::vector<Column>(cols), problem.label, problem.weight, problem.n_classes};
    std::vector<double> classes(problem.n_classes, 0.0);
    for (Size r = 0; r < rows; ++r) classes[static_cast<Size>(problem.label[r])] += problem.weight[r];
    for (const double w : classes) {
        table.total += w;
        table.classes_met += w > 0 ? 1 : 0;
    }
    const Present present{problem};
    parallel_for(cols, threads, [&](Size j) {
        Column& column = table.columns[j];
        column.code.assign(rows, kMissing);
        column.category = problem.levels[j] > 0;
        column.levels = static_cast<std::uint32_t>(problem.levels[j]);
        const auto code = [&](const auto& x) {
            if constexpr (requires { x.row_stride; })
                column.category ? code_categories(x, j, present, column) : code_numbers(x, j, present, column);
            else
                require(false, "multiway trees read dense tables");
        };
        std::visit(code, problem.x);
    });
    return table;
}

Cases all_cases(std::span<const double> weight) {
    Cases cases;
    for (Size r = 0; r < weight.size(); ++r) {
        if (weight[r] <= 0) continue;
        cases.row.push_back(static_cast<std::uint32_t>(r));
        cases.weight.push_back(weight[r]);
    }
    return cases;
}

double count_classes(const Columns& table, CaseSpan cases, std::span<double> out) {
    std::fill(out.begin(), out.end(), 0.0);
    for (Size i = 0; i < cases.size(); ++i) out[static_cast<Size>(table.label[cases.row[i]])] += cases.weight[i];
    double sum = 0;
    for (const double w : out) sum += w;
    return sum;
}

}  // namespace pellucid::tree::c45
