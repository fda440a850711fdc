// A table for multiway trees: every value as a small number, categories as their codes and numbers as their ranks.
#pragma once

#include <vector>

#include "core/tree/c45.hpp"

namespace pellucid::tree::c45 {

inline constexpr std::uint32_t kMissing = 0xffffffffu;

struct Column {
    bool category = false;
    bool has_missing = false;
    std::uint32_t levels = 0;         // categories, or distinct numbers
    std::vector<std::uint32_t> code;  // one a row: category or rank, kMissing
    std::vector<double> values;       // of each rank, ascending
};

struct Columns {
    std::vector<Column> columns;
    std::span<const std::int32_t> label;
    std::span<const double> weight;  // of each row as it came
    Size n_classes = 1;
    double total = 0;        // weight of all rows
    double classes_met = 0;  // classes that have any weight

    Size count() const { return columns.size(); }
};

// Rows without weight, here or in validation, get no rank: they are not there.
Columns code_columns(const MultiwayProblem& problem, int threads);

// Cases: rows with the weight they have at a node.
struct Cases {
    std::vector<std::uint32_t> row;
    std::vector<double> weight;

    Size size() const { return row.size(); }
    void clear() {
        row.clear();
        weight.clear();
    }
    void resize(Size n) {
        row.resize(n);
        weight.resize(n);
    }
    void append(const Cases& from, Size begin, Size end) {
        row.insert(row.end(), from.row.begin() + static_cast<std::ptrdiff_t>(begin),
                   from.row.begin() + static_cast<std::ptrdiff_t>(end));
        weight.insert(weight.end(), from.weight.begin() + static_cast<std::ptrdiff_t>(begin),
                      from.weight.begin() + static_cast<std::ptrdiff_t>(end));
    }
};

struct CaseSpan {
    std::span<const std::uint32_t> row;
    std::span<const double> weight;

    Size size() const { return row.size(); }
};

inline CaseSpan part(const Cases& cases, Size begin, Size end) {
    return {{cases.row.data() + begin, end - begin}, {cases.weight.data() + begin, end - begin}};
}

// All rows with a positive weight.
Cases all_cases(std::span<const double> weight);

// out[c]: weight of class c among the cases; returns their sum.
double count_classes(const Columns& table, CaseSpan cases, std::span<double> out);

}  // namespace pellucid::tree::c45
