#include "core/preprocessing/polynomial.hpp"

#include <algorithm>
#include <limits>
#include <memory>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"

namespace pellucid {
namespace {

constexpr Size kBlockCells = Size{1} << 17;  // of the result, in one block of work
constexpr Size kTileRows = 32;
constexpr Size kShortRun =
    8;  // below, a tile of rows worked by column was faster (tried: twice as fast for one column)

template <class T>
void scale(const T* __restrict from, T factor, Size n, T* __restrict to) {
    for (Size i = 0; i < n; ++i) to[i] = factor * from[i];
}
template <class T>
void multiply(const T* __restrict a, const T* __restrict b, Size n, T* __restrict to) {
    for (Size i = 0; i < n; ++i) to[i] = a[i] * b[i];
}

// C order, long runs: one row after the other. The lower terms lie in a scratch, the highest go straight to the result.
template <class T>
class RowWriter {
  public:
    RowWriter(const Dense<T>& x, const PolynomialPlan& plan, const Written<T>& out)
        : x_(x), plan_(plan), out_(out), terms_(new T[plan.lower]) {}

    void rows(Size begin, Size end) {
        for (Size r = begin; r < end; ++r) row(r, out_.data + static_cast<std::ptrdiff_t>(r) * out_.row_stride);
    }

  private:
    void row(Size r, T* to) {
        T* terms = terms_.get();
        if (plan_.ones != 0) *to++ = T{1};
        for (Size c = 0; c < plan_.cols; ++c) terms[c] = x_.at(r, c);
        for (Size d = 2; d < plan_.high; ++d) {
            const Run* run = plan_.of_degree(d).data();
            for (Size f = 0; f < plan_.cols; ++f)
                scale(terms + run[f].from, terms[f], run[f].length, terms + run[f].to);
        }
        to = std::copy(terms + plan_.skipped, terms + plan_.lower, to);
        if (plan_.high == 1) return;
        const Run* run = plan_.of_degree(plan_.high).data();
        for (Size f = 0; f < plan_.cols; to += run[f++].length) scale(terms + run[f].from, terms[f], run[f].length, to);
    }

    const Dense<T>& x_;
    const PolynomialPlan& plan_;
    const Written<T>& out_;
    std::unique_ptr<T[]> terms_;
};

// C order, short runs: all terms of a few rows, each term's numbers side by side, then turned into rows.
template <class T>
class TileWriter {
  public:
    TileWriter(const Dense<T>& x, const PolynomialPlan& plan, const Written<T>& out)
        : x_(x), plan_(plan), out_(out), terms_(new T[(plan.skipped + plan.width) * kTileRows]()) {}

    void rows(Size begin, Size end) {
        for (Size at = begin; at < end; at += kTileRows) tile(at, std::min(kTileRows, end - at));
    }

  private:
    T* term(Size t) { return terms_.get() + t * kTileRows; }

    void tile(Size begin, Size n) {
        for (Size c = 0; c < plan_.cols; ++c)
            for (Size r = 0; r < n; ++r) term(c)[r] = x_.at(begin + r, c);
        for (Size d = 2; d <= plan_.high; ++d) {
            const Run* run = plan_.of_degree(d).data();
            for (Size f = 0; f < plan_.cols; ++f)
                for (Size i = 0; i < run[f].length; ++i)
                    multiply(term(f), term(run[f].from + i), kTileRows, term(run[f].to + i));
        }
        const T* first = term(plan_.skipped);
        for (Size r = 0; r < n; ++r) {
            T* __restrict to = out_.data + static_cast<std::ptrdiff_t>(begin + r) * out_.row_stride;
            if (plan_.ones != 0) *to++ = T{1};
            for (Size t = 0; t < plan_.width - plan_.ones; ++t) to[t] = first[t * kTileRows + r];
        }
    }

    const Dense<T>& x_;
    const PolynomialPlan& plan_;
    const Written<T>& out_;
    std::unique_ptr<T[]> terms_;
};

template <class Writer, class T>
void write_rows(const Dense<T>& x, const PolynomialPlan& plan, const Written<T>& out, int threads) {
    const Size height = std::clamp<Size>(kBlockCells / plan.width / kTileRows, 1, 512) * kTileRows;
    parallel_for(blocks_of(x.rows, height), threads, [&](Size block) {
        const Size begin = block * height;
        Writer(x, plan, out).rows(begin, std::min(begin + height, x.rows));
    });
}

// F order: one column of the result after the other, from front to back. Memory that was never touched is cleared by
// the system a large page at a time: then it is still in cache when it is written. (Blocks of rows took 1.4 times as
// long.)
template <class T>
class ColumnWriter {
  public:
    ColumnWriter(const Dense<T>& x, const PolynomialPlan& plan, const Written<T>& out)
        : x_(x), plan_(plan), out_(out), scratch_(new T[plan.skipped * x.rows]) {}

    void write(int threads) {
        if (plan_.ones != 0) std::fill(out_.data, out_.data + x_.rows, T{1});
        parallel_for(blocks_of(x_.rows, kRows), threads, [&](Size block) { load(block * kRows); });
        for (Size d = 2; d <= plan_.high; ++d) degree(plan_.of_degree(d), threads);
    }

  private:
    static constexpr Size kRows = 1024;

    T* term(Size t) {
        if (t < plan_.skipped) return scratch_.get() + t * x_.rows;
        return out_.data + static_cast<std::ptrdiff_t>(t - plan_.skipped + plan_.ones) * out_.col_stride;
    }

    void load(Size begin) {
        const Size end = std::min(begin + kRows, x_.rows);
        for (Size c = 0; c < plan_.cols; ++c) {
            T* to = term(c);
            for (Size r = begin; r < end; ++r) to[r] = x_.at(r, c);
        }
    }

    // Blocks of so many columns, or of so many rows of one column.
    void degree(std::span<const Run> runs, int threads) {
        const Size first = runs.front().to, count = runs.back().to + runs.back().length - first;
        const Size height = std::min(x_.rows, kBlockCells), pieces = blocks_of(x_.rows, height);
        const Size columns = kBlockCells / height;
        parallel_for(blocks_of(count, columns) * pieces, threads, [&](Size block) {
            const Size begin = block % pieces * height, n = std::min(height, x_.rows - begin);
            const Size from = first + block / pieces * columns, to = std::min(from + columns, first + count);
            for (Size t = from; t < to; ++t) {
                const auto run = std::upper_bound(runs.begin(), runs.end(), t, before) - 1;
                const Size f = static_cast<Size>(run - runs.begin());
                multiply(term(f) + begin, term(run->from + t - run->to) + begin, n, term(t) + begin);
            }
        });
    }
    static bool before(Size t, const Run& run) { return t < run.to; }

    const Dense<T>& x_;
    const PolynomialPlan& plan_;
    const Written<T>& out_;
    std::unique_ptr<T[]> scratch_;
};

// The terms of one sparse row: the same runs, over the columns that are stored in it.
template <class T, class OutIndex>
class SparseRow {
  public:
    explicit SparseRow(const PolynomialPlan& plan) : plan_(plan) {}

    template <class Index>
    void write(const Csr<Index>& x, Size r, OutIndex* indices, T* values, Size room) {
        indices_ = indices, values_ = values, room_ = room;
        if (plan_.ones != 0) put(0, T{1});
        const Size first = static_cast<Size>(x.starts[r]), k = static_cast<Size>(x.starts[r + 1]) - first;
        if (plan_.high > 0 && k > 0) {
            load(x.values + first, x.indices + first, k);
            for (Size d = 2; d <= plan_.high && !term_.empty(); ++d) next_degree(d, x.indices + first, k);
        }
        require(room_ == 0, "polynomial: a row is shorter than its room");
    }

  private:
    template <class Index>
    void load(const double* values, const Index* columns, Size k) {
        value_.resize(k), term_.resize(k), x_.resize(k), begin_.resize(k + 1);
        for (Size a = 0; a < k; ++a) {
            x_[a] = value_[a] = static_cast<T>(values[a]);
            term_[a] = static_cast<Size>(columns[a]);
            begin_[a] = a;
            require(a == 0 || term_[a - 1] < term_[a], "polynomial: columns of a sparse row must rise");
        }
        begin_[k] = k;
        keep();
    }

    // begin_[a] is the place of the first term of the degree before that begins with the a-th stored column or a later.
    template <class Index>
    void next_degree(Size d, const Index* columns, Size k) {
        next_value_.clear(), next_term_.clear(), next_begin_.resize(k + 1);
        const std::span<const Run> runs = plan_.of_degree(d);
        for (Size a = 0; a < k; ++a) {
            const Run& run = runs[static_cast<Size>(columns[a])];
            next_begin_[a] = next_term_.size();
            for (Size i = begin_[a + plan_.distinct]; i < term_.size(); ++i) {
                next_value_.push_back(x_[a] * value_[i]);
                next_term_.push_back(term_[i] - run.from + run.to);
            }
        }
        next_begin_[k] = next_term_.size();
        value_.swap(next_value_), term_.swap(next_term_), begin_.swap(next_begin_);
        keep();
    }

    void keep() {
        if (term_.empty() || term_[0] < plan_.skipped) return;
        for (Size i = 0; i < term_.size(); ++i) put(term_[i] - plan_.skipped + plan_.ones, value_[i]);
    }

    void put(Size column, T value) {
        require(room_ > 0, "polynomial: a row is longer than its room");
        --room_;
        *indices_++ = static_cast<OutIndex>(column);
        *values_++ = value;
    }

    const PolynomialPlan& plan_;
    OutIndex* indices_ = nullptr;
    T* values_ = nullptr;
    Size room_ = 0;
    std::vector<T> x_, value_, next_value_;
    std::vector<Size> term_, next_term_, begin_, next_begin_;
};

}  // namespace

PolynomialPlan::PolynomialPlan(Size columns, Size lowest, Size highest, bool distinct_columns, bool with_ones)
    : cols(columns),
      high(distinct_columns ? std::min(highest, columns) : highest),
      low(lowest),
      ones(with_ones),
      distinct(distinct_columns) {
    if (high == 0 || cols == 0 || low > high) {
        high = 0, width = ones;
        return;
    }
    std::vector<Size> begin(cols + 1), next(cols + 1);  // first term of a degree that begins with a column
    for (Size c = 0; c <= cols; ++c) begin[c] = c;
    Size count = cols;
    lower = cols;
    runs.reserve((high - 1) * cols);
    for (Size d = 2; d <= high; ++d) {
        if (d <= low) skipped = count;
        for (Size f = 0; f < cols; ++f) {
            const Size from = begin[f + distinct], length = begin[cols] - from;
            next[f] = count;
            runs.push_back({from, count, length});
            count += length;
        }
        next[cols] = count;
        begin.swap(next);
        if (d < high) lower = count;
    }
    width = ones + count - skipped;
}

template <class T>
void polynomial(const Dense<T>& x, const PolynomialPlan& plan, const Written<T>& out, int threads) {
    require(x.cols == plan.cols, "polynomial: columns");
    require(out.rows == x.rows && out.cols == plan.width, "polynomial: size of the result");
    if (out.rows == 0 || out.cols == 0) return;
    const bool by_row = out.col_stride == 1 || out.cols == 1;
    require(by_row || out.row_stride == 1 || out.rows == 1, "polynomial: the result must be in C or F order");
    if (plan.high == 0) {
        for (Size r = 0; r < out.rows; ++r) out.data[static_cast<std::ptrdiff_t>(r) * out.row_stride] = T{1};
        return;
    }
    if (!by_row)
        ColumnWriter<T>(x, plan, out).write(threads);
    else if (plan.width / (plan.runs.size() + 1) >= kShortRun)
        write_rows<RowWriter<T>>(x, plan, out, threads);
    else
        write_rows<TileWriter<T>>(x, plan, out, threads);
}
template void polynomial(const Dense<double>&, const PolynomialPlan&, const Written<double>&, int);
template void polynomial(const Dense<float>&, const PolynomialPlan&, const Written<float>&, int);

template <class T, class Index, class OutIndex>
void polynomial(const Csr<Index>& x, const PolynomialPlan& plan, std::span<const std::int64_t> starts,
                std::span<OutIndex> indices, std::span<T> values, int threads) {
    require(x.cols == plan.cols && starts.size() == x.rows + 1, "polynomial: sizes");
    require(plan.width <= static_cast<Size>(std::numeric_limits<OutIndex>::max()), "polynomial: width of an index");
    require(starts[0] == 0, "polynomial: starts must begin at 0");
    for (Size r = 0; r < x.rows; ++r) require(starts[r] <= starts[r + 1], "polynomial: starts must not fall");
    const Size stored = static_cast<Size>(starts[x.rows]);
    require(indices.size() == stored && values.size() == stored, "polynomial: room for the result");
    const Size a_row = stored / std::max<Size>(x.rows, 1) + 1;
    const Size height = std::clamp<Size>(kBlockCells / a_row, 1, Size{1} << 14);
    parallel_for(blocks_of(x.rows, height), threads, [&](Size block) {
        SparseRow<T, OutIndex> row(plan);
        for (Size r = block * height; r < std::min((block + 1) * height, x.rows); ++r) {
            const Size at = static_cast<Size>(starts[r]);
            row.write(x, r, indices.data() + at, values.data() + at, static_cast<Size>(starts[r + 1]) - at);
        }
    });
}

#define PELLUCID_SPARSE(T, Index, OutIndex)                                                           \
    template void polynomial(const Csr<Index>&, const PolynomialPlan&, std::span<const std::int64_t>, \
                             std::span<OutIndex>, std::span<T>, int)
PELLUCID_SPARSE(double, std::int32_t, std::int32_t);
PELLUCID_SPARSE(double, std::int32_t, std::int64_t);
PELLUCID_SPARSE(double, std::int64_t, std::int32_t);
PELLUCID_SPARSE(double, std::int64_t, std::int64_t);
PELLUCID_SPARSE(float, std::int32_t, std::int32_t);
PELLUCID_SPARSE(float, std::int32_t, std::int64_t);
PELLUCID_SPARSE(float, std::int64_t, std::int32_t);
PELLUCID_SPARSE(float, std::int64_t, std::int64_t);
#undef PELLUCID_SPARSE

}  // namespace pellucid
