#include "core/linalg/moments.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/pool.hpp"
#include "core/base/simd.hpp"
#include "core/linalg/element.hpp"
#include "core/linalg/hot.hpp"
#include "core/linalg/reduce.hpp"

namespace pellucid {

extern const Hot hot_baseline;
#ifdef PELLUCID_X86_LEVELS
extern const Hot hot_v3;
extern const Hot hot_v4;
#endif

const Hot& hot() {
#ifdef PELLUCID_X86_LEVELS
    switch (current_level()) {
        case Level::v4:
            return hot_v4;
        case Level::v3:
            return hot_v3;
        case Level::baseline:
            break;
    }
#endif
    return hot_baseline;
}

namespace {

constexpr Size kSampleRows = 256;
// Up to this many columns the rows are divided among threads, each part with its own sums; beyond it the sums are
// large and the tiles of one shared sum are divided instead.
constexpr Size kFewPanels = 16;
constexpr Size kPartsOfRows = 64;

// One column of Z as numbers: X (dense), Y, or the constant one.
double element(const PanelReader& z, Size row, Size col) {
    const Size p = cols_of(*z.X);
    if (col >= p) return col < p + z.Y->cols ? z.Y->at(row, col - p) : 1.0;
    return value_at(*z.X, row, col);
}

template <class T>
void read_column(const T* x, std::ptrdiff_t stride, Size rows, double offset, double scale, double* out) {
    for (Size r = 0; r < rows; ++r, x += stride) out[r * kPanel] = static_cast<double>(*x) * scale - offset;
}

// Whole panels at once: columns side by side (C order), or rows side by side (F order).
void pack_panels(const Dense<double>& x, Size begin, Size rows, Size panels, const PanelReader& z, double* out) {
    if (x.col_stride == 1)
        return hot().pack_f64(&x.at(begin, 0), x.row_stride, rows, panels, z.offset.data(), z.scale.data(), out);
    for (Size c = 0; c < panels * kPanel; c += kPanel)
        hot().pack_columns_f64(&x.at(begin, c), x.col_stride, rows, &z.offset[c], &z.scale[c], out + c * rows);
}
void pack_panels(const Dense<float>& x, Size begin, Size rows, Size panels, const PanelReader& z, double* out) {
    if (x.col_stride == 1)
        return hot().pack_f32(&x.at(begin, 0), x.row_stride, rows, panels, z.offset.data(), z.scale.data(), out);
    for (Size c = 0; c < panels * kPanel; c += kPanel)
        hot().pack_columns_f32(&x.at(begin, c), x.col_stride, rows, &z.offset[c], &z.scale[c], out + c * rows);
}

template <class T>
void read_x(const PanelReader& z, const Dense<T>& x, Size begin, Size rows, double* out) {
    const Size whole = x.col_stride == 1 || x.row_stride == 1 ? x.cols / kPanel : 0;
    if (whole > 0) pack_panels(x, begin, rows, whole, z, out);
    for (Size col = whole * kPanel; col < x.cols; ++col) {
        double* panel = out + (col / kPanel) * rows * kPanel;
        read_column(&x.at(begin, col), x.row_stride, rows, z.offset[col], z.scale[col], panel + col % kPanel);
    }
}

template <class Index>
void read_x(const PanelReader& z, const Csr<Index>& x, Size begin, Size rows, double* out) {
    for (Size col = 0; col < x.cols; ++col) {
        double* to = out + (col / kPanel) * rows * kPanel + col % kPanel;
        for (Size r = 0; r < rows; ++r) to[r * kPanel] = -z.offset[col];
    }
    for (Size r = 0; r < rows; ++r)
        for (auto k = x.starts[begin + r]; k < x.starts[begin + r + 1]; ++k) {
            const Size col = static_cast<Size>(x.indices[k]);
            out[((col / kPanel) * rows + r) * kPanel + col % kPanel] = x.values[k] * z.scale[col] - z.offset[col];
        }
}

void scale_rows(std::span<const double> weight, Size panels, Size rows, double* out) {
    for (Size panel = 0; panel < panels; ++panel)
        for (Size r = 0; r < rows; ++r) {
            const double root = std::sqrt(weight[r]);
            for (Size c = 0; c < kPanel; ++c) out[(panel * rows + r) * kPanel + c] *= root;
        }
}

}  // namespace

void PanelReader::place(std::span<const double> at, std::span<const double> unit) {
    shift.assign(at.begin(), at.end());
    scale.assign(unit.begin(), unit.end());
    shift.resize(panels() * kPanel, 0.0);
    scale.resize(panels() * kPanel, 1.0);
    offset.resize(panels() * kPanel);
    for (Size col = 0; col < offset.size(); ++col) offset[col] = shift[col] * scale[col];
}

void PanelReader::read(Size begin, Size rows, double* out) const {
    const Size p = cols_of(*X);
    std::visit([&](const auto& x) { read_x(*this, x, begin, rows, out); }, *X);
    for (Size col = p; col < panels() * kPanel; ++col) {
        double* to = out + (col / kPanel) * rows * kPanel + col % kPanel;
        if (col < p + Y->cols)
            read_column(&Y->at(begin, col - p), Y->row_stride, rows, offset[col], scale[col], to);
        else
            for (Size r = 0; r < rows; ++r) to[r * kPanel] = col == cols() ? 1.0 : 0.0;
    }
    if (!weight.empty()) scale_rows(weight.subspan(begin, rows), panels(), rows, out);
}

namespace {

// Power of two near 1/spread; 1 where the spread says nothing.
double unit_scale(double spread) {
    if (!(spread > 0) || !std::isfinite(spread)) return 1.0;
    return std::ldexp(1.0, std::clamp(-std::ilogb(spread), -1000, 1000));
}

// Shift and scale of every column from evenly spaced rows. Deviations are taken from the first sampled row, so that a
// constant column has exactly its constant as shift.
void place_by_sample(PanelReader& z, Size rows, bool center) {
    const Size step = std::max<Size>(1, rows / kSampleRows);
    const Size n = std::min(kSampleRows, blocks_of(rows, step));
    std::vector<double> shift(z.cols(), 0.0), scale(z.cols());
    for (Size col = 0; col < z.cols(); ++col) {
        const double first = element(z, 0, col);
        double sum = 0, largest = 0;
        for (Size i = 0; i < n; ++i) {
            const double value = element(z, i * step, col);
            sum += value - first;
            largest = std::max(largest, std::abs(center ? value - first : value));
        }
        const double mean = first + sum / static_cast<double>(n);
        if (center && std::isfinite(mean)) shift[col] = mean;
        scale[col] = unit_scale(largest);
    }
    z.place(shift, scale);
}

// Largest deviation of every column from its shift, from all rows: for columns whose sample misled. Halved, because the
// difference of two large numbers may be too large itself.
std::vector<double> half_spreads(const PanelReader& z, Size rows, int threads) {
    PanelReader plain{z.X, z.Y, {}, {}, {}, {}};
    plain.place(z.shift, std::vector<double>(z.cols(), 0.5));
    constexpr Size kRows = 256;
    const Size width = z.panels() * kPanel;
    const Size parts = std::min<Size>(kPartsOfRows, blocks_of(rows, kRows));
    std::vector<double> found(parts * width, 0.0), largest(z.cols(), 0.0);
    parallel_for(parts, threads, [&](Size part) {
        std::vector<double> block(width * kRows);
        for (Size begin = part * kRows; begin < rows; begin += parts * kRows) {
            const Size n = std::min(kRows, rows - begin);
            plain.read(begin, n, block.data());
            for (Size i = 0; i < width * n; ++i) {
                double& most = found[part * width + (i / (n * kPanel)) * kPanel + i % kPanel];
                most = std::max(most, std::abs(block[i]));
            }
        }
    });
    for (Size part = 0; part < parts; ++part)
        for (Size col = 0; col < z.cols(); ++col) largest[col] = std::max(largest[col], found[part * width + col]);
    return largest;
}

// Rows of a packed block: about a quarter of a 1 MB second-level cache.
Size block_rows(Size panels) { return std::clamp<Size>((Size{256} << 10) / (panels * kPanel * 8), 32, 256); }

// Tiles of column panel j against row panels 0..j (S is symmetric). Of Y x Y only the diagonal is needed, and the last
// panel, which holds the constant column.
void update_column(const double* packed, Size rows, Size j, Size x_panels, double* cross, Size ld) {
    const double* right = packed + j * rows * kPanel;
    const bool last = (j + 1) * kPanel == ld;
    for (Size i = 0; i <= j; ++i)
        if (i < x_panels || i == j || last)
            hot().gram_tile(packed + i * rows * kPanel, right, rows, cross + i * kPanel * ld + j * kPanel, ld);
}

void add_few(const PanelReader& z, Size rows, int threads, Size x_panels, std::vector<double>& cross) {
    const Size panels = z.panels(), width = panels * kPanel, step = block_rows(panels);
    const Size parts = std::min<Size>(kPartsOfRows, blocks_of(rows, 4 * step));
    const Size part_rows = blocks_of(blocks_of(rows, parts), step) * step;
    ordered_sum(parts, width * width, threads, cross.data(), [&](Size part, double* into) {
        std::vector<double> packed(width * step);
        const Size end = std::min(rows, (part + 1) * part_rows);
        for (Size begin = part * part_rows; begin < end; begin += step) {
            const Size n = std::min(step, end - begin);
            z.read(begin, n, packed.data());
            for (Size j = 0; j < panels; ++j) update_column(packed.data(), n, j, x_panels, into, width);
        }
    });
}

void add_many(const PanelReader& z, Size rows, int threads, Size x_panels, std::vector<double>& cross) {
    const Size panels = z.panels(), width = panels * kPanel, step = block_rows(panels);
    constexpr Size kStrips = 8;  // blocks packed between two barriers
    std::vector<double> packed(kStrips * width * step);
    for (Size begin = 0; begin < rows; begin += kStrips * step) {
        const Size strips = std::min(kStrips, blocks_of(rows - begin, step));
        const auto strip_rows = [&](Size s) { return std::min(step, rows - begin - s * step); };
        parallel_for(strips, threads,
                     [&](Size s) { z.read(begin + s * step, strip_rows(s), packed.data() + s * width * step); });
        parallel_for(panels, threads, [&](Size task) {
            const Size j = panels - 1 - task;  // longest first
            for (Size s = 0; s < strips; ++s)
                update_column(packed.data() + s * width * step, strip_rows(s), j, x_panels, cross.data(), width);
        });
    }
}

// Sums of (z - shift)(z - shift)' s s' over all rows, with the constant column last.
std::vector<double> shifted_cross(const PanelReader& z, Size rows, int threads) {
    const Size width = z.panels() * kPanel;
    const Size x_panels = blocks_of(cols_of(*z.X), kPanel);
    std::vector<double> cross(width * width, 0.0);
    if (z.panels() <= kFewPanels)
        add_few(z, rows, threads, x_panels, cross);
    else
        add_many(z, rows, threads, x_panels, cross);
    return cross;
}

// Did shift and scale fit every column? Sums of squares must be far from the ends of the number range, and the part
// that the shift missed must not drown the rest. A sum of squares of zero is a constant column, or, where the plain sum
// is not zero, one so small in its unit that its squares vanish.
enum class Fit { good, shift_missed, scale_missed, not_finite };

bool missed_mean(const std::vector<double>& cross, Size j, Size cols, Size ld) {
    const double weight = cross[cols * ld + cols], sum = cross[j * ld + cols];
    const double missed = weight > 0 ? sum / weight * sum : 0.0;
    return std::isfinite(missed) && missed > 0 && missed > 0.99 * cross[j * ld + j];
}

Fit judge(const std::vector<double>& cross, Size cols, Size ld, bool center) {
    Fit fit = Fit::good;
    const double weight = cross[cols * ld + cols];
    if (!std::isfinite(weight)) return Fit::not_finite;
    for (Size j = 0; j < cols; ++j) {
        const double square = cross[j * ld + j], sum = cross[j * ld + cols];
        if (!std::isfinite(sum) || !std::isfinite(square)) return Fit::not_finite;
        if (square > 1e250 || (square < 1e-250 && (square > 0 || sum != 0))) fit = Fit::scale_missed;
        if (center && missed_mean(cross, j, cols, ld) && fit == Fit::good) fit = Fit::shift_missed;
    }
    return fit;
}

// A better shift and scale after a miss; false when there is none. Shifts first: spreads are measured from them.
bool improve(PanelReader& z, const std::vector<double>& cross, Fit fit, bool center, Size rows, int threads) {
    const Size cols = z.cols(), ld = z.panels() * kPanel;
    std::vector<double> shift = z.shift, scale = z.scale;
    bool better = false;
    for (Size j = 0; j < cols; ++j) {
        if (!center || !missed_mean(cross, j, cols, ld)) continue;
        shift[j] += cross[j * ld + cols] / cross[cols * ld + cols] / scale[j];
        better = true;
    }
    z.place(shift, scale);
    if (fit != Fit::shift_missed) {
        const std::vector<double> spreads = half_spreads(z, rows, threads);
        for (Size j = 0; j < cols; ++j) {
            if (spreads[j] > 0) scale[j] = 0.5 * unit_scale(spreads[j]);
            better = better || scale[j] != z.scale[j];
        }
    }
    z.place(shift, scale);
    return better;
}

void finish(const PanelReader& z, const std::vector<double>& cross, bool center, Moments& m) {
    const Size cols = z.cols(), ld = z.panels() * kPanel;
    m.cols = cols;
    m.weight = cross[cols * ld + cols];
    m.mean.assign(cols, 0.0);
    m.scale.assign(z.scale.begin(), z.scale.begin() + static_cast<std::ptrdiff_t>(cols));
    m.cross.assign(cols * cols, 0.0);
    std::vector<double> rest(cols, 0.0);  // scaled mean of what the shift missed
    if (center)
        for (Size j = 0; j < cols; ++j) {
            rest[j] = cross[j * ld + cols] / m.weight;
            m.mean[j] = (z.offset[j] + rest[j]) / z.scale[j];
        }
    for (Size i = 0; i < cols; ++i)
        for (Size j = i; j < cols; ++j) {
            const double s = cross[i * ld + j] - m.weight * rest[i] * rest[j];
            m.cross[i * cols + j] = m.cross[j * cols + i] = s;
        }
}

}  // namespace

Moments moments(const Matrix& X, const Dense<double>& Y, std::span<const double> weight, bool center, int threads) {
    const Size rows = rows_of(X);
    require(rows > 0, "moments: no rows");
    require(Y.rows == rows, "moments: Y has another number of rows");
    require(weight.empty() || weight.size() == rows, "moments: weight has another number of rows");
    PanelReader z{&X, &Y, weight, {}, {}, {}};
    place_by_sample(z, rows, center);
    std::vector<double> cross = shifted_cross(z, rows, threads);
    Fit fit = judge(cross, z.cols(), z.panels() * kPanel, center);
    for (int attempt = 0; attempt < 3 && fit != Fit::good; ++attempt) {
        if (!improve(z, cross, fit, center, rows, threads)) break;
        cross = shifted_cross(z, rows, threads);
        fit = judge(cross, z.cols(), z.panels() * kPanel, center);
    }
    Moments m;
    if (fit == Fit::not_finite) m.status = Status::not_finite;
    finish(z, cross, center, m);
    return m;
}

}  // namespace pellucid
