#include "core/preprocessing/target_statistics.hpp"

#include <algorithm>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"

namespace pellucid {
namespace {

constexpr Size kRowsInBlock = Size{1} << 12;
constexpr Size kLeastRowsInPart = Size{1} << 16;

// A block has a table of sums of its own, which must be small beside its rows.
Size rows_in_block(const TargetColumn& column) {
    return std::max(kLeastRowsInPart, 4 * column.categories * column.n_parts);
}

// Entry of a row in the tables of sums; negative for a row without category or part.
std::int64_t entry_of(const TargetColumn& column, Size r) {
    const std::int64_t code = column.codes[r];
    if (column.parts.empty() || code < 0) return code;
    const std::int64_t part = column.parts[r];
    return part < 0 ? -1 : part * static_cast<std::int64_t>(column.categories) + code;
}

// Runs add(table, r) over the rows of each block, a table for each, and adds the tables in the order of the blocks.
template <class Add>
void sum_blocks(const TargetColumn& column, std::vector<double>& total, int threads, const Add& add) {
    const Size rows = column.codes.size(), size = rows_in_block(column);
    std::vector<std::vector<double>> tables(blocks_of(rows, size));
    parallel_for(tables.size(), threads, [&](Size b) {
        tables[b].assign(total.size(), 0.0);
        const Size end = std::min(rows, (b + 1) * size);
        for (Size r = b * size; r < end; ++r) add(tables[b].data(), r);
    });
    for (const std::vector<double>& table : tables)
        for (Size i = 0; i < total.size(); ++i) total[i] += table[i];
}

}  // namespace

CategoryMoments category_moments(const TargetColumn& column, bool with_squares, int threads) {
    const Size rows = column.codes.size(), entries = column.categories * column.n_parts;
    require(column.target.size() == rows && (column.parts.empty() || column.parts.size() == rows),
            "category_moments: sizes");
    std::vector<double> sums(2 * entries, 0.0);  // sum and count of an entry side by side: one line of cache
    sum_blocks(column, sums, threads, [&](double* table, Size r) {
        const std::int64_t at = entry_of(column, r);
        if (at < 0) return;
        table[2 * at] += column.target[r];
        table[2 * at + 1] += 1.0;
    });
    CategoryMoments found;
    found.count.resize(entries);
    found.mean.resize(entries);
    for (Size i = 0; i < entries; ++i) {
        found.count[i] = sums[2 * i + 1];
        found.mean[i] = found.count[i] > 0 ? sums[2 * i] / found.count[i] : 0.0;
    }
    if (!with_squares) return found;
    found.square.assign(entries, 0.0);
    sum_blocks(column, found.square, threads, [&](double* table, Size r) {
        const std::int64_t at = entry_of(column, r);
        if (at < 0) return;
        const double apart = column.target[r] - found.mean[static_cast<Size>(at)];
        table[at] += apart * apart;
    });
    return found;
}

void write_encodings(const EncodingPlan& plan, std::span<double> out, int threads) {
    const Size width = plan.first.size();
    require(out.size() == plan.rows * width && plan.widths.size() == width &&
                plan.codes.size() * plan.targets == plan.rows * width &&
                (plan.parts.empty() || plan.parts.size() == plan.rows),
            "write_encodings: sizes");
    parallel_for(blocks_of(plan.rows, kRowsInBlock), threads, [&](Size b) {
        const Size begin = b * kRowsInBlock, end = std::min(plan.rows, begin + kRowsInBlock);
        for (Size o = 0; o < width; ++o) {
            const std::int32_t* codes = plan.codes.data() + o / plan.targets * plan.rows;
            const double* table = plan.tables.data() + plan.first[o];
            if (plan.parts.empty()) {
                for (Size r = begin; r < end; ++r) out[r * width + o] = table[codes[r] + 1];
            } else {
                for (Size r = begin; r < end; ++r)
                    out[r * width + o] = table[plan.parts[r] * plan.widths[o] + codes[r] + 1];
            }
        }
    });
}

void add_ordered_statistic(const TargetColumn& column, std::span<const std::int64_t> order, Prior prior,
                           CategoryTally& tally, double* out, Size stride) {
    const Size rows = column.codes.size();
    const double before = prior.weight * prior.value;
    tally.reset(column.categories);
    for (Size i = 0; i < rows; ++i) {
        const Size r = order.empty() ? i : static_cast<Size>(order[i]);
        const std::int32_t code = column.codes[r];
        if (code < 0) {
            out[r * stride] += prior.value;
            continue;
        }
        double &sum = tally.sum[static_cast<Size>(code)], &count = tally.count[static_cast<Size>(code)];
        out[r * stride] += (sum + before) / (count + prior.weight);
        sum += column.target[r];
        count += 1.0;
    }
}

void ordered_statistics(const OrderedPlan& plan, std::span<double> out, int threads) {
    const Size columns = plan.categories.size(), targets = plan.priors.size(), width = columns * targets;
    require(out.size() == plan.rows * width && plan.codes.size() == plan.rows * columns &&
                plan.target.size() == plan.rows * targets && (plan.rows == 0 || plan.orders.size() % plan.rows == 0),
            "ordered_statistics: sizes");
    const Size n_orders = plan.orders.empty() ? 1 : plan.orders.size() / plan.rows;
    parallel_for(width, threads, [&](Size o) {
        const Size j = o / targets, t = o % targets;
        const TargetColumn column{plan.codes.subspan(j * plan.rows, plan.rows),
                                  static_cast<Size>(plan.categories[j]),
                                  {},
                                  1,
                                  plan.target.subspan(t * plan.rows, plan.rows)};
        CategoryTally tally;
        for (Size r = 0; r < plan.rows; ++r) out[r * width + o] = 0.0;
        for (Size k = 0; k < n_orders; ++k) {
            const auto order = plan.orders.empty() ? plan.orders : plan.orders.subspan(k * plan.rows, plan.rows);
            add_ordered_statistic(column, order, {plan.priors[t], plan.prior_weight}, tally, out.data() + o, width);
        }
        if (n_orders == 1) return;
        for (Size r = 0; r < plan.rows; ++r) out[r * width + o] /= static_cast<double>(n_orders);
    });
}

}  // namespace pellucid
