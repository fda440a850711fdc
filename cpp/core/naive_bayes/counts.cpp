#include "core/naive_bayes/counts.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

#include "core/base/check.hpp"
#include "core/naive_bayes/best.hpp"
#include "core/naive_bayes/tiles.hpp"

namespace pellucid {
namespace {

// Notes on the numbers that pass, as integers: a loop over them still becomes vectors.
struct Notes {
    int negative = 0;
    int not_finite = 0;
    void see(double x) {
        negative |= x < 0;
        not_finite |= !(x - x == 0);
    }
};

struct SharedNotes {
    std::atomic<bool> negative = false, not_finite = false;
    void take(const Notes& n) {
        if (n.negative) negative = true;
        if (n.not_finite) not_finite = true;
    }
    CountsFound found() const { return {negative, not_finite}; }
};

struct AsItIs {
    double operator()(double x) const { return x; }
};
struct Above {
    double threshold;
    double operator()(double x) const { return x > threshold ? 1.0 : 0.0; }
};

template <class F>
auto with_reading(std::optional<double> threshold, const F& f) {
    return threshold ? f(Above{*threshold}) : f(AsItIs{});
}

// ------------------------------------------------------------------------------------------------------------ counting

template <class T, class Read>
void add_row(const Dense<T>& x, Size r, double w, const Read& read, Notes& notes, double* out) {
    const T* row = &x.at(r, 0);
    for (Size j = 0; j < x.cols; ++j) {
        const auto value = static_cast<double>(row[static_cast<std::ptrdiff_t>(j) * x.col_stride]);
        notes.see(value);
        out[j] += w * read(value);
    }
}
template <class Index, class Read>
void add_row(const Csr<Index>& x, Size r, double w, const Read& read, Notes& notes, double* out) {
    for (auto k = x.starts[r]; k < x.starts[r + 1]; ++k) {
        notes.see(x.values[k]);
        out[x.indices[k]] += w * read(x.values[k]);
    }
}

// A run of rows of one class, in the order of `rows`.
struct Piece {
    Size code, first, last;
};

struct Rows {
    std::vector<Size> rows;  // by class, and in order within a class
    std::vector<Piece> pieces;
};

constexpr Size kPieces = 8;  // of about equal size, if the classes are no smaller: work for several threads

Rows by_class(std::span<const std::int32_t> codes, Size classes) {
    std::vector<Size> start(classes + 1, 0);
    for (const std::int32_t c : codes) ++start[static_cast<Size>(c) + 1];
    for (Size c = 0; c < classes; ++c) start[c + 1] += start[c];
    Rows out{std::vector<Size>(codes.size()), {}};
    const Size most = std::max<Size>(1024, blocks_of(codes.size(), kPieces));
    for (Size c = 0; c < classes; ++c)
        for (Size r = start[c]; r < start[c + 1]; r += most)
            out.pieces.push_back({c, r, std::min(start[c + 1], r + most)});
    for (Size r = 0; r < codes.size(); ++r) out.rows[start[static_cast<Size>(codes[r])]++] = r;
    return out;
}

template <class View, class Read>
void count_by_row(const View& x, std::span<const std::int32_t> codes, Size classes, std::span<const double> weight,
                  const Read& read, std::span<double> out, SharedNotes& shared, int threads) {
    const Rows order = by_class(codes, classes);
    const auto& pieces = order.pieces;
    // The first piece of a class is counted in its place, the others aside.
    std::vector<Size> aside(pieces.size(), 0);
    Size extra = 0;
    for (Size p = 1; p < pieces.size(); ++p)
        if (pieces[p].code == pieces[p - 1].code) aside[p] = ++extra;
    std::vector<double> others(extra * x.cols, 0.0);
    const auto place = [&](Size p) {
        return aside[p] == 0 ? out.data() + pieces[p].code * x.cols : others.data() + (aside[p] - 1) * x.cols;
    };
    parallel_for(pieces.size(), threads, [&](Size p) {
        Notes notes;
        double* to = place(p);
        for (Size k = pieces[p].first; k < pieces[p].last; ++k) {
            const Size r = order.rows[k];
            add_row(x, r, weight.empty() ? 1.0 : weight[r], read, notes, to);
        }
        shared.take(notes);
    });
    for (Size p = 0; p < pieces.size(); ++p) {
        if (aside[p] == 0) continue;
        const double* from = place(p);
        double* to = out.data() + pieces[p].code * x.cols;
        for (Size j = 0; j < x.cols; ++j) to[j] += from[j];
    }
}

template <class T, class Read>
void count_by_column(const Dense<T>& x, std::span<const std::int32_t> codes, std::span<const double> weight,
                     const Read& read, std::span<double> out, SharedNotes& shared, int threads) {
    parallel_for(x.cols, threads, [&](Size j) {
        Notes notes;
        for (Size r = 0; r < x.rows; ++r) {
            const auto value = static_cast<double>(x.at(r, j));
            notes.see(value);
            out[static_cast<Size>(codes[r]) * x.cols + j] += (weight.empty() ? 1.0 : weight[r]) * read(value);
        }
        shared.take(notes);
    });
}

// ------------------------------------------------------------------------------------------------------------- scoring

// Scores of a row are handed to take(row, first of them, distance from one to the next).
template <class T, class Read, class Take>
void score(const Dense<T>& x, std::span<const double> table, std::span<const double> start, const Read& read,
           const Take& take, SharedNotes& shared, int threads) {
    const Size classes = start.size();
    for_tiles(x.rows, classes, threads, [&](Size r, Size rows, double* scratch, double* scores) {
        Notes notes;
        for (Size c = 0; c < classes; ++c) std::fill_n(scores + c * kTileRows, kTileRows, start[c]);
        add_panels(x.cols, classes * kTileRows, scores, scores + classes * kTileRows,
                   [&](Size j, Size cols, double* to) {
                       const auto noted = [&](double value) {
                           notes.see(value);
                           return read(value);
                       };
                       pack_tile(x, r, rows, j, cols, noted, scratch);
                       bayes_hot().linear(scratch, cols, table.data() + j, classes, x.cols, to);
                   });
        for (Size i = 0; i < rows; ++i) take(r + i, scores + i, kTileRows);
        shared.take(notes);
    });
}

void sparse_row(const double* values, const std::int32_t* indices, Size n, const double* table, Size width,
                double* out) {
    bayes_hot().sparse_32(values, indices, n, table, width, out);
}
void sparse_row(const double* values, const std::int64_t* indices, Size n, const double* table, Size width,
                double* out) {
    bayes_hot().sparse_64(values, indices, n, table, width, out);
}

template <class Index, class Read, class Take>
void score(const Csr<Index>& x, std::span<const double> table, std::span<const double> start, const Read& read,
           const Take& take, SharedNotes& shared, int threads) {
    constexpr Size kRows = 512, kCols = 256;
    const Size classes = start.size(), width = blocks_of(classes, 4) * 4;
    std::vector<double> turned(x.cols * width, 0.0);  // the classes of a column side by side
    parallel_for(blocks_of(x.cols, kCols), threads, [&](Size b) {
        const Size end = std::min(x.cols, (b + 1) * kCols);
        for (Size c = 0; c < classes; ++c)
            for (Size j = b * kCols; j < end; ++j) turned[j * width + c] = table[c * x.cols + j];
    });
    parallel_for(blocks_of(x.rows, kRows), threads, [&](Size b) {
        Notes notes;
        std::vector<double> sums(width), values;
        const Size end = std::min(x.rows, (b + 1) * kRows);
        for (Size r = b * kRows; r < end; ++r) {
            const auto first = static_cast<Size>(x.starts[r]), n = static_cast<Size>(x.starts[r + 1]) - first;
            if (values.size() < n) values.resize(n);
            for (Size i = 0; i < n; ++i) {
                notes.see(x.values[first + i]);
                values[i] = read(x.values[first + i]);
            }
            std::copy(start.begin(), start.end(), sums.begin());
            sparse_row(values.data(), x.indices + first, n, turned.data(), width, sums.data());
            take(r, sums.data(), Size{1});
        }
        shared.take(notes);
    });
}

}  // namespace

CountsFound class_counts(const Matrix& m, std::span<const std::int32_t> codes, Size classes,
                         std::span<const double> weight, std::optional<double> threshold, std::span<double> out,
                         int threads) {
    require(codes.size() == rows_of(m) && (weight.empty() || weight.size() == codes.size()),
            "class_counts: a code, and a weight or none, for each row");
    require(out.size() == classes * cols_of(m), "class_counts: out is classes x columns");
    std::fill(out.begin(), out.end(), 0.0);
    SharedNotes shared;
    with_reading(threshold, [&](const auto& read) {
        std::visit(
            [&](const auto& x) {
                if constexpr (requires { x.row_stride; })
                    if (!x.rows_contiguous()) return count_by_column(x, codes, weight, read, out, shared, threads);
                count_by_row(x, codes, classes, weight, read, out, shared, threads);
            },
            m);
    });
    return shared.found();
}

template <class Take>
static CountsFound score_with(const Matrix& m, std::span<const double> table, std::span<const double> start,
                              std::optional<double> threshold, int threads, const Take& take) {
    require(table.size() == start.size() * cols_of(m), "linear_scores: the table is classes x columns");
    SharedNotes shared;
    with_reading(threshold, [&](const auto& read) {
        std::visit([&](const auto& x) { score(x, table, start, read, take, shared, threads); }, m);
    });
    return shared.found();
}

CountsFound linear_scores(const Matrix& m, std::span<const double> table, std::span<const double> start,
                          std::optional<double> threshold, std::span<double> out, int threads) {
    const Size classes = start.size();
    require(out.size() == classes * rows_of(m), "linear_scores: out is rows x classes");
    return score_with(m, table, start, threshold, threads, [&](Size r, const double* scores, Size step) {
        for (Size c = 0; c < classes; ++c) out[r * classes + c] = scores[c * step];
    });
}

CountsFound linear_codes(const Matrix& m, std::span<const double> table, std::span<const double> start,
                         std::optional<double> threshold, std::span<std::int32_t> out, int threads) {
    require(out.size() == rows_of(m), "linear_codes: one code a row");
    return score_with(m, table, start, threshold, threads,
                      [&](Size r, const double* scores, Size step) { out[r] = best_of(scores, start.size(), step); });
}

}  // namespace pellucid
