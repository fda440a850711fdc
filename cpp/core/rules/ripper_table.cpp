#include "core/rules/ripper_table.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/pool.hpp"
#include "core/base/rng.hpp"

namespace pellucid::rules {
namespace {

// Finalizer of SplitMix64 (Steele, Lea, Flood 2014): every bit of the input moves every bit of the output.
std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

constexpr double kMostWhole = 65536.0;

// Distinct values, ascending, and the rank of each entry; NaN has rank -1 and no value.
struct Ranked {
    std::vector<double> values;
    std::vector<std::int32_t> ranks;
};

bool all_small_whole(const std::vector<double>& column) {
    return std::ranges::all_of(
        column, [](double v) { return std::isnan(v) || (v >= 0.0 && v < kMostWhole && v == std::floor(v)); });
}

Ranked rank_whole(const std::vector<double>& column) {
    Ranked out;
    std::vector<std::int32_t> rank(static_cast<Size>(kMostWhole), -1);
    for (const double v : column)
        if (!std::isnan(v)) rank[static_cast<Size>(v)] = 0;
    for (Size v = 0; v < rank.size(); ++v)
        if (rank[v] == 0) {
            rank[v] = static_cast<std::int32_t>(out.values.size());
            out.values.push_back(static_cast<double>(v));
        }
    out.ranks.reserve(column.size());
    for (const double v : column) out.ranks.push_back(std::isnan(v) ? -1 : rank[static_cast<Size>(v)]);
    return out;
}

Ranked rank_any(const std::vector<double>& column) {
    std::vector<std::pair<double, std::uint32_t>> sorted;
    sorted.reserve(column.size());
    for (Size r = 0; r < column.size(); ++r)
        if (!std::isnan(column[r])) sorted.emplace_back(column[r] + 0.0, static_cast<std::uint32_t>(r));  // no -0.0
    std::ranges::sort(sorted);
    Ranked out;
    out.ranks.assign(column.size(), -1);
    for (const auto& [value, row] : sorted) {
        if (out.values.empty() || value > out.values.back()) out.values.push_back(value);
        out.ranks[row] = static_cast<std::int32_t>(out.values.size()) - 1;
    }
    return out;
}

template <class T>
std::vector<Ranked> rank_columns(const Dense<T>& x, std::span<const std::uint32_t> rows, int threads) {
    std::vector<Ranked> out(x.cols);
    parallel_for(x.cols, threads, [&](Size c) {
        std::vector<double> column;
        column.reserve(rows.size());
        for (const std::uint32_t r : rows) column.push_back(static_cast<double>(x.at(r, c)));
        out[c] = all_small_whole(column) ? rank_whole(column) : rank_any(column);
    });
    return out;
}

std::vector<std::uint64_t> hash_rows(const std::vector<Ranked>& columns, Size rows) {
    std::vector<std::uint64_t> out(rows, 0);
    for (const Ranked& column : columns)
        for (Size r = 0; r < rows; ++r)
            out[r] = mixed(out[r] + static_cast<std::uint64_t>(column.ranks[r] + 2) * 0x9E3779B97F4A7C15u);
    return out;
}

std::vector<std::uint32_t> weighted_rows(std::span<const double> weight) {
    std::vector<std::uint32_t> out;
    for (Size r = 0; r < weight.size(); ++r)
        if (weight[r] > 0) out.push_back(static_cast<std::uint32_t>(r));
    return out;
}

bool same_row(const std::vector<Ranked>& columns, std::uint32_t a, std::uint32_t b) {
    return std::ranges::all_of(columns, [&](const Ranked& column) { return column.ranks[a] == column.ranks[b]; });
}

}  // namespace

double CodedTable::possible_conditions() const {
    double out = 0.0;
    for (Size c = 0; c < cols; ++c) out += (is_category[c] ? 1.0 : 2.0) * static_cast<double>(values[c].size());
    return out;
}

template <class T>
CodedTable code_table(const Dense<T>& x, std::span<const std::uint8_t> is_category, std::span<const std::int32_t> place,
                      std::span<const double> weight, Size classes, int threads) {
    const std::vector<std::uint32_t> rows = weighted_rows(weight);
    std::vector<Ranked> columns = rank_columns(x, rows, threads);
    const std::vector<std::uint64_t> hash = hash_rows(columns, rows.size());

    std::vector<std::uint32_t> order(rows.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
        const std::int32_t pa = place[rows[a]], pb = place[rows[b]];
        if (pa != pb) return pa < pb;
        return hash[a] != hash[b] ? hash[a] < hash[b] : a < b;
    });

    CodedTable out;
    std::vector<std::uint32_t> kept;  // the first of equal rows
    for (const std::uint32_t r : order) {
        const std::int32_t own = place[rows[r]];
        const bool again =
            !kept.empty() && out.place.back() == own && out.hash.back() == hash[r] && same_row(columns, kept.back(), r);
        if (again) {
            out.weight.back() += weight[rows[r]];
            continue;
        }
        kept.push_back(r);
        out.place.push_back(own);
        out.hash.push_back(hash[r]);
        out.weight.push_back(weight[rows[r]]);
    }
    out.rows = kept.size();
    out.cols = x.cols;
    out.classes = classes;
    out.is_category.assign(is_category.begin(), is_category.end());
    out.codes.resize(out.rows * out.cols);
    out.values.resize(out.cols);
    parallel_for(out.cols, threads, [&](Size c) {
        std::int32_t* to = out.codes.data() + c * out.rows;
        for (Size r = 0; r < out.rows; ++r) to[r] = columns[c].ranks[kept[r]];
        out.values[c] = std::move(columns[c].values);
    });
    return out;
}

template <class T>
std::vector<std::uint64_t> row_hashes(const Dense<T>& x, std::span<const double> weight, int threads) {
    const std::vector<std::uint32_t> rows = weighted_rows(weight);
    const std::vector<std::uint64_t> found = hash_rows(rank_columns(x, rows, threads), rows.size());
    std::vector<std::uint64_t> out(x.rows, 0);
    for (Size r = 0; r < rows.size(); ++r) out[rows[r]] = found[r];
    return out;
}

SplitKeys::SplitKeys(std::uint64_t seed, std::uint64_t split) : salt_(Random{seed, split}.bits(0)) {}

std::uint64_t SplitKeys::operator()(std::uint64_t hash) const { return mixed(hash ^ salt_); }

template CodedTable code_table(const Dense<double>&, std::span<const std::uint8_t>, std::span<const std::int32_t>,
                               std::span<const double>, Size, int);
template CodedTable code_table(const Dense<float>&, std::span<const std::uint8_t>, std::span<const std::int32_t>,
                               std::span<const double>, Size, int);
template std::vector<std::uint64_t> row_hashes(const Dense<double>&, std::span<const double>, int);
template std::vector<std::uint64_t> row_hashes(const Dense<float>&, std::span<const double>, int);

}  // namespace pellucid::rules
