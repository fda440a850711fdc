#include "core/tree/columns.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"

namespace pellucid::tree {
namespace {

struct Keyed {
    std::uint64_t key;
    std::uint32_t row;
};

// Bits that order as the doubles do; -0 is 0.
std::uint64_t key_of(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x + 0.0);
    return bits ^ (bits >> 63 ? ~std::uint64_t{0} : std::uint64_t{1} << 63);
}
double value_of(std::uint64_t key) {
    return std::bit_cast<double>(key ^ (key >> 63 ? std::uint64_t{1} << 63 : ~std::uint64_t{0}));
}

bool before(const Keyed& a, const Keyed& b) { return a.key < b.key || (a.key == b.key && a.row < b.row); }

// Rising keys, equal ones by row; the rows come in rising order. Three passes of a radix sort over the highest 33 bits
// in which keys differ; what is equal in those is then sorted by comparison, in small groups for most data.
void sort_keys(std::span<Keyed> keys, std::vector<Keyed>& memory) {
    constexpr int kDigit = 11, kPasses = 3;
    constexpr Size kFew = 1000, kDigits = Size{1} << kDigit;
    const Size n = keys.size();
    if (n < kFew) return std::sort(keys.begin(), keys.end(), before);
    std::uint64_t differ = 0;
    for (const Keyed& k : keys) differ |= k.key ^ keys[0].key;
    if (differ == 0) return;
    const int low = std::max(0, static_cast<int>(std::bit_width(differ)) - kDigit * kPasses);
    memory.resize(n);
    std::vector<std::uint32_t> counts(kPasses * kDigits, 0);
    for (const Keyed& k : keys)
        for (int pass = 0; pass < kPasses; ++pass)
            ++counts[static_cast<Size>(pass) * kDigits + ((k.key >> (low + pass * kDigit)) & (kDigits - 1))];
    std::span<Keyed> from = keys, to = memory;
    for (int pass = 0; pass < kPasses; ++pass) {
        std::uint32_t* count = counts.data() + static_cast<Size>(pass) * kDigits;
        const int shift = low + pass * kDigit;
        if (count[(from[0].key >> shift) & (kDigits - 1)] == n) continue;  // all alike
        for (std::uint32_t d = 0, start = 0; d < kDigits; ++d) start += std::exchange(count[d], start);
        for (const Keyed& k : from) to[count[(k.key >> shift) & (kDigits - 1)]++] = k;
        std::swap(from, to);
    }
    if (from.data() != keys.data()) std::copy(from.begin(), from.end(), keys.begin());
    if (low == 0) return;
    for (Size i = 0; i < n;) {
        Size end = i + 1;
        while (end < n && keys[end].key >> low == keys[i].key >> low) ++end;
        if (end - i > 1)
            std::sort(keys.begin() + static_cast<std::ptrdiff_t>(i), keys.begin() + static_cast<std::ptrdiff_t>(end),
                      before);
        i = end;
    }
}

// The values of a column, row by row.
template <class T>
void read_column(const DenseColumns<T>& x, Size j, double* out) {
    std::copy_n(x.column(j), x.rows, out);
}
void read_column(const Csc& x, Size j, double* out) {
    std::fill_n(out, x.rows, 0.0);
    for (Size k = x.starts[j]; k < x.starts[j + 1]; ++k) out[x.indices[k]] = x.values[k];
}

struct Sorter {
    std::vector<double> column;
    std::vector<Keyed> keys, memory;

    // Ranks and order of a column of numbers; returns how many are missing.
    Size rank_numbers(std::uint32_t* ranks, std::uint32_t* order, std::vector<double>& values) {
        const Size n = column.size();
        keys.clear();
        Size missing = 0;
        for (Size i = 0; i < n; ++i) {
            const auto row = static_cast<std::uint32_t>(i);
            if (std::isnan(column[i]))
                order[n - ++missing] = row;
            else
                keys.push_back({key_of(column[i]), row});
        }
        sort_keys(keys, memory);
        Size distinct = 0;
        for (Size k = 0; k < keys.size(); ++k) distinct += k == 0 || keys[k].key != keys[k - 1].key;
        values.reserve(distinct);
        for (Size k = 0; k < keys.size(); ++k) {
            if (k == 0 || keys[k].key != keys[k - 1].key) values.push_back(value_of(keys[k].key));
            order[k] = keys[k].row;
            ranks[keys[k].row] = static_cast<std::uint32_t>(values.size() - 1);
        }
        return missing;
    }

    Size rank_categories(std::uint32_t* ranks, std::uint32_t* order, Size categories) {
        const Size n = column.size();
        std::vector<std::uint32_t> starts(categories + 1, 0);
        Size missing = 0;
        for (Size i = 0; i < n; ++i) {
            const bool known = column[i] >= 0 && column[i] < static_cast<double>(categories);
            if (known)
                ++starts[ranks[i] = static_cast<std::uint32_t>(column[i])];
            else
                order[n - ++missing] = static_cast<std::uint32_t>(i);
        }
        std::uint32_t place = 0;
        for (std::uint32_t& start : starts) place += std::exchange(start, place);
        for (Size i = 0; i < n; ++i)
            if (ranks[i] != kMissing) order[starts[ranks[i]]++] = static_cast<std::uint32_t>(i);
        return missing;
    }
};

}  // namespace

Columns::Columns(const Matrix& X, std::span<const std::int32_t> n_categories)
    : rows_(rows_of(X)), kinds_(n_categories.begin(), n_categories.end()), X_(X) {
    require(n_categories.size() == cols_of(X), "tree columns: categories");
    require(rows_ < (Size{1} << 31), "tree columns: fewer than 2^31 rows");
}

void Columns::make_bins(Size most_bins, int threads) {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<const BinnedTable>& table = bins_[most_bins];
    if (table != nullptr) return;
    BinSettings settings;
    settings.most_bins = std::min(most_bins, kMostBins);
    table = std::make_unique<BinnedTable>(X_, kinds_, std::span<const double>{}, settings, threads);
}

const BinnedTable& Columns::binned(Size most_bins) const {
    const std::lock_guard lock(mutex_);
    return *bins_.at(most_bins);
}

void Columns::make_cells(int threads) {
    const std::lock_guard lock(mutex_);
    if (!cells_.empty() || cols() == 0) return;
    const Size cols = this->cols(), n = rows_;
    by_column_ = column_table(X_, threads);
    const auto* doubles = std::get_if<DenseColumns<double>>(&by_column_.view);
    std::vector<const double*> cells(cols);
    std::vector<Size> own;  // columns that cannot stay as they are
    for (Size j = 0; j < cols; ++j) {
        if (doubles != nullptr && !is_category(j))
            cells[j] = doubles->column(j);
        else
            own.push_back(j);
    }
    own_cells_.resize(own.size() * n);
    parallel_for(own.size(), threads, [&](Size k) {
        double* to = own_cells_.data() + k * n;
        std::visit([&](const auto& view) { read_column(view, own[k], to); }, by_column_.view);
        cells[own[k]] = to;
        if (!is_category(own[k])) return;
        const auto categories = static_cast<double>(this->categories(own[k]));
        for (Size i = 0; i < n; ++i)
            to[i] = to[i] >= 0 && to[i] < categories ? std::floor(to[i]) : std::numeric_limits<double>::quiet_NaN();
    });
    has_missing_.assign(cols, 0);
    parallel_for(cols, threads, [&](Size j) {
        Size missing = 0;
        for (Size i = 0; i < n; ++i) missing += cells[j][i] != cells[j][i];
        has_missing_[j] = missing > 0;
    });
    cells_ = std::move(cells);
    if (doubles == nullptr) by_column_ = {};
}

void Columns::make_ranks(int threads) {
    const std::lock_guard lock(mutex_);
    if (ranked_) return;
    const Size cols = this->cols(), n = rows_;
    ranks_.assign(n * cols, kMissing);
    order_.resize(n * cols);
    values_.resize(cols);
    missing_.resize(cols);
    const ColumnTable table = column_table(X_, threads);
    constexpr Size kWorthAThread = 5000;
    parallel_for(cols, n * cols < kWorthAThread ? 1 : threads, [&](Size j) {
        Sorter sorter;
        sorter.column.resize(n);
        std::visit([&](const auto& view) { read_column(view, j, sorter.column.data()); }, table.view);
        std::uint32_t *ranks = ranks_.data() + j * n, *order = order_.data() + j * n;
        missing_[j] = is_category(j) ? sorter.rank_categories(ranks, order, categories(j))
                                     : sorter.rank_numbers(ranks, order, values_[j]);
        std::reverse(order + (n - missing_[j]), order + n);
    });
    ranked_ = true;
}

}  // namespace pellucid::tree
