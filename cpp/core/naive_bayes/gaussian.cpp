#include "core/naive_bayes/gaussian.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/check.hpp"
#include "core/base/simd.hpp"
#include "core/naive_bayes/best.hpp"
#include "core/naive_bayes/tiles.hpp"

namespace pellucid {

extern const BayesHot bayes_hot_baseline;
#ifdef PELLUCID_X86_LEVELS
extern const BayesHot bayes_hot_v3;
extern const BayesHot bayes_hot_v4;
#endif

const BayesHot& bayes_hot() {
#ifdef PELLUCID_X86_LEVELS
    switch (current_level()) {
        case Level::v4:
            return bayes_hot_v4;
        case Level::v3:
            return bayes_hot_v3;
        case Level::baseline:
            break;
    }
#endif
    return bayes_hot_baseline;
}

namespace {

constexpr Size kPanel = 512;              // columns at a time
constexpr Size kMostBlocks = 128;         // of rows
constexpr Size kMostNumbers = 4'000'000;  // of all blocks' sums together, unless one block alone has more
constexpr Size kSampled = 64;             // rows of a class whose mean the sums are taken about
constexpr Size kPacked = 64;              // rows that are brought into C order at a time
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double weight_of(std::span<const double> weight, Size r) { return weight.empty() ? 1.0 : weight[r]; }

// What the sums are taken about: the mean of the class's first rows that count; of a column that is missing in all of
// them the first number.
template <class T>
std::vector<double> shifts(const Dense<T>& x, std::span<const std::int32_t> codes, Size classes,
                           std::span<const double> weight, bool missing) {
    std::vector<double> shift(classes * x.cols, 0.0), seen(missing ? classes * x.cols : 0, 0.0);
    std::vector<Size> taken(classes, 0);
    Size open = classes;
    for (Size r = 0; r < x.rows && open > 0; ++r) {
        const auto c = static_cast<Size>(codes[r]);
        if (taken[c] == kSampled || !(weight_of(weight, r) > 0)) continue;
        open -= ++taken[c] == kSampled;
        for (Size j = 0; j < x.cols; ++j) {
            const auto value = static_cast<double>(x.at(r, j));
            if (missing && std::isnan(value)) continue;
            const double n = missing ? ++seen[c * x.cols + j] : static_cast<double>(taken[c]);
            shift[c * x.cols + j] += (value - shift[c * x.cols + j]) / n;
        }
    }
    if (!missing || std::find(seen.begin(), seen.end(), 0.0) == seen.end()) return shift;
    for (Size r = 0; r < x.rows; ++r) {
        if (!(weight_of(weight, r) > 0)) continue;
        const Size at = static_cast<Size>(codes[r]) * x.cols;
        for (Size j = 0; j < x.cols; ++j)
            if (seen[at + j] == 0 && !std::isnan(static_cast<double>(x.at(r, j)))) {
                shift[at + j] = static_cast<double>(x.at(r, j));
                seen[at + j] = 1;
            }
    }
    return shift;
}

// Sums of one block of rows and one panel of columns; pointers are to class 0 of the panel.
struct Sums {
    const double* shift;
    Size pitch;
    double *sum, *square, *count;  // count: null when nothing is missing
};

void gather(const double* x, std::ptrdiff_t stride, const std::int32_t* codes, const double* weight, Size rows,
            Size cols, const Sums& to) {
    const BayesHot& hot = bayes_hot();
    if (to.count == nullptr)
        hot.gather(x, stride, codes, weight, rows, cols, to.shift, to.pitch, to.sum, to.square);
    else
        hot.gather_present(x, stride, codes, weight, rows, cols, to.shift, to.pitch, to.sum, to.square, to.count);
}

template <class T>
void gather_rows(const Dense<T>& x, Size first, Size last, Size c, Size cols, const std::int32_t* codes,
                 const double* weight, const Sums& to) {
    if constexpr (std::is_same_v<T, double>)
        if (x.rows_contiguous())
            return gather(&x.at(first, c), x.row_stride, codes + first, weight == nullptr ? nullptr : weight + first,
                          last - first, cols, to);
    std::vector<double> packed(kPacked * cols);
    for (Size r = first; r < last; r += kPacked) {
        const Size rows = std::min(kPacked, last - r);
        if (x.row_stride == 1) {
            for (Size j = 0; j < cols; ++j)
                for (Size i = 0; i < rows; ++i) packed[i * cols + j] = static_cast<double>(x.at(r + i, c + j));
        } else {
            for (Size i = 0; i < rows; ++i)
                for (Size j = 0; j < cols; ++j) packed[i * cols + j] = static_cast<double>(x.at(r + i, c + j));
        }
        gather(packed.data(), static_cast<std::ptrdiff_t>(cols), codes + r, weight == nullptr ? nullptr : weight + r,
               rows, cols, to);
    }
}

template <class T>
ClassMoments moments_of(const Dense<T>& x, std::span<const std::int32_t> codes, Size classes,
                        std::span<const double> weight, bool missing, int threads) {
    const Size cells = classes * x.cols, kinds = missing ? 3 : 2;
    const std::vector<double> shift = shifts(x, codes, classes, weight, missing);
    const Size most = std::min(kMostBlocks, std::max<Size>(1, kMostNumbers / std::max<Size>(1, kinds * cells)));
    const Size blocks = std::clamp<Size>(x.rows / std::max<Size>(2048, 8 * classes), 1, most);
    const Size height = blocks_of(x.rows, blocks), panels = blocks_of(x.cols, kPanel);
    std::vector<double> parts(blocks * kinds * cells, 0.0);
    parallel_for(blocks * panels, threads, [&](Size task) {
        const Size b = task / panels, c = task % panels * kPanel;
        double* part = parts.data() + b * kinds * cells + c;
        const Sums to{shift.data() + c, x.cols, part, part + cells, missing ? part + 2 * cells : nullptr};
        const Size first = std::min(x.rows, b * height), last = std::min(x.rows, first + height);
        gather_rows(x, first, last, c, std::min(kPanel, x.cols - c), codes.data(),
                    weight.empty() ? nullptr : weight.data(), to);
    });
    for (Size b = 1; b < blocks; ++b)
        for (Size i = 0; i < kinds * cells; ++i) parts[i] += parts[b * kinds * cells + i];

    ClassMoments out{std::vector<double>(cells), std::vector<double>(cells), std::vector<double>(cells)};
    std::vector<double> total(classes, 0.0);
    for (Size r = 0; r < x.rows; ++r) total[static_cast<Size>(codes[r])] += weight_of(weight, r);
    for (Size i = 0; i < cells; ++i) {
        const double sum = parts[i], square = parts[cells + i], n = missing ? parts[2 * cells + i] : total[i / x.cols];
        out.count[i] = n;
        out.mean[i] = n > 0 ? shift[i] + sum / n : 0.0;
        const double centered = n > 0 ? square - sum / n * sum : 0.0;
        out.square[i] = centered < 0 ? 0.0 : centered;  // NaN stays
    }
    return out;
}

// Scores of one tile; panels of columns one after the other.
template <class T>
void score_tile(const Dense<T>& x, const GaussianTable& t, std::span<const double> start, Size r, Size rows,
                double* scratch, double* scores) {
    const Size classes = t.prior.size();
    const auto same = [](double value) { return value; };
    double* panel = scores + classes * kTileRows;
    for (Size c = 0; c < classes; ++c) std::fill_n(scores + c * kTileRows, kTileRows, start[c]);
    add_panels(x.cols, classes * kTileRows, scores, panel, [&](Size j, Size cols, double* to) {
        pack_tile(x, r, rows, j, cols, same, scratch);
        bayes_hot().squares(scratch, cols, t.mean.data() + j, t.half.data() + j, classes, x.cols, to);
    });
    bool odd[kTileRows] = {}, any = false;
    for (Size c = 0; c < classes; ++c)
        for (Size i = 0; i < rows; ++i)
            if (std::isnan(scores[c * kTileRows + i])) odd[i] = any = true;
    if (any) {  // numbers are missing: these rows once more, without them
        std::vector<double> again(classes * kTileRows);
        for (Size c = 0; c < classes; ++c) std::fill_n(again.data() + c * kTileRows, kTileRows, t.prior[c]);
        add_panels(x.cols, again.size(), again.data(), panel, [&](Size j, Size cols, double* to) {
            pack_tile(x, r, rows, j, cols, same, scratch);
            bayes_hot().squares_present(scratch, cols, t.mean.data() + j, t.half.data() + j, t.log.data() + j, classes,
                                        x.cols, to);
        });
        for (Size c = 0; c < classes; ++c)
            for (Size i = 0; i < rows; ++i)
                if (odd[i]) scores[c * kTileRows + i] = again[c * kTileRows + i];
    }
    for (Size c = 0; c < classes; ++c)
        if (t.prior[c] == -kInfinity) std::fill_n(scores + c * kTileRows, kTileRows, -kInfinity);
}

template <class Take>
void score_rows(const Matrix& m, const GaussianTable& t, int threads, const Take& take) {
    const Size classes = t.prior.size(), cols = cols_of(m);
    require(t.mean.size() == classes * cols && t.half.size() == t.mean.size() && t.log.size() == t.mean.size(),
            "gaussian_scores: tables are classes x columns");
    std::vector<double> start(t.prior.begin(), t.prior.end());
    for (Size c = 0; c < classes; ++c)
        for (Size j = 0; j < cols; j += kTileCols) {
            double part = 0;
            for (Size i = j; i < std::min(cols, j + kTileCols); ++i) part += t.log[c * cols + i];
            start[c] -= part;
        }
    std::visit(
        [&](const auto& x) {
            if constexpr (requires { x.row_stride; }) {
                for_tiles(x.rows, classes, threads, [&](Size r, Size rows, double* scratch, double* scores) {
                    score_tile(x, t, start, r, rows, scratch, scores);
                    take(r, rows, scores);
                });
            } else {
                require(false, "gaussian_scores: X must be dense");
            }
        },
        m);
}

}  // namespace

ClassMoments class_moments(const Matrix& x, std::span<const std::int32_t> codes, Size classes,
                           std::span<const double> weight, bool missing, int threads) {
    require(codes.size() == rows_of(x) && (weight.empty() || weight.size() == codes.size()),
            "class_moments: a code, and a weight or none, for each row");
    return std::visit(
        [&](const auto& dense) -> ClassMoments {
            if constexpr (requires { dense.row_stride; })
                return moments_of(dense, codes, classes, weight, missing, threads);
            else
                throw ContractError("class_moments: X must be dense");
        },
        x);
}

void gaussian_scores(const Matrix& x, const GaussianTable& table, std::span<double> out, int threads) {
    const Size classes = table.prior.size();
    require(out.size() == rows_of(x) * classes, "gaussian_scores: out is rows x classes");
    score_rows(x, table, threads, [&](Size r, Size rows, const double* scores) {
        for (Size i = 0; i < rows; ++i)
            for (Size c = 0; c < classes; ++c) out[(r + i) * classes + c] = scores[c * kTileRows + i];
    });
}

void gaussian_codes(const Matrix& x, const GaussianTable& table, std::span<std::int32_t> out, int threads) {
    require(out.size() == rows_of(x), "gaussian_codes: one code a row");
    score_rows(x, table, threads, [&](Size r, Size rows, const double* scores) {
        for (Size i = 0; i < rows; ++i) out[r + i] = best_of(scores + i, table.prior.size(), kTileRows);
    });
}

}  // namespace pellucid
