#include "core/discriminants/class_scatter.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/pool.hpp"
#include "core/base/simd.hpp"
#include "core/discriminants/hot.hpp"
#include "core/linalg/element.hpp"
#include "core/linalg/hot.hpp"
#include "core/linalg/reduce.hpp"

namespace pellucid {

extern const DiscriminantHot discriminant_hot_baseline;
#ifdef PELLUCID_X86_LEVELS
extern const DiscriminantHot discriminant_hot_v3;
extern const DiscriminantHot discriminant_hot_v4;
#endif

const DiscriminantHot& discriminant_hot() {
#ifdef PELLUCID_X86_LEVELS
    switch (current_level()) {
        case Level::v4:
            return discriminant_hot_v4;
        case Level::v3:
            return discriminant_hot_v3;
        case Level::baseline:
            break;
    }
#endif
    return discriminant_hot_baseline;
}

namespace {

constexpr Size kSampleRows = 1024;
constexpr Size kPartsOfRows = 64;
constexpr Size kPartsMemory = Size{128} << 20;  // bytes for the sums of all parts together

struct Problem {
    const Matrix* X;
    std::span<const std::int32_t> codes;
    std::span<const double> weight;
    Size classes, slots;  // slots: scatters that are kept apart, one or one a class
    int threads;
    std::vector<double> class_weight;
    std::vector<double> shift, offset;  // classes x width; offset = shift * scale
    std::vector<double> scale;          // width

    Size rows() const { return codes.size(); }
    Size cols() const { return cols_of(*X); }
    Size width() const { return blocks_of(cols(), kPanel) * kPanel; }
    Size class_of(Size r) const { return static_cast<Size>(codes[r]); }
    double weight_of(Size r) const { return weight.empty() ? 1.0 : weight[r]; }
    void place();
};

// What one pass gives: sums of z (classes x width) behind the products (slots x width x width).
struct Sums {
    std::vector<double> all;
    Size width, slots;
    double square(Size slot, Size j) const { return all[(slot * width + j) * width + j]; }
    double sum(Size k, Size j) const { return all[slots * width * width + k * width + j]; }
};

void Problem::place() {
    for (Size k = 0; k < classes; ++k)
        for (Size j = 0; j < width(); ++j) offset[k * width() + j] = shift[k * width() + j] * scale[j];
}

// Power of two near 1/spread; 1 where the spread says nothing.
double unit_scale(double spread) {
    if (!(spread > 0) || !std::isfinite(spread)) return 1.0;
    return std::ldexp(1.0, std::clamp(-std::ilogb(spread), -1000, 1000));
}

// The first row of each class that counts.
std::vector<Size> first_rows(Problem& z) {
    std::vector<Size> first(z.classes, z.rows());
    for (Size r = 0; r < z.rows(); ++r) {
        const Size k = z.class_of(r);
        const double w = z.weight_of(r);
        z.class_weight[k] += w;
        if (first[k] == z.rows() && w > 0) first[k] = r;
    }
    for (const Size r : first) require(r < z.rows(), "class_scatter: a class without rows");
    return first;
}

// Shift and scale from evenly spaced rows. Deviations are taken from the first row of the class, so that a column that
// is constant within a class has exactly its constant as shift.
void place_by_sample(Problem& z) {
    const std::vector<Size> first = first_rows(z);
    const Size step = std::max<Size>(1, z.rows() / kSampleRows), width = z.width();
    std::vector<double> sum(z.classes), n(z.classes);
    for (Size j = 0; j < z.cols(); ++j) {
        std::fill(sum.begin(), sum.end(), 0.0);
        std::fill(n.begin(), n.end(), 0.0);
        double largest = 0;
        for (Size r = 0; r < z.rows(); r += step) {
            if (!(z.weight_of(r) > 0)) continue;
            const Size k = z.class_of(r);
            const double apart = value_at(*z.X, r, j) - value_at(*z.X, first[k], j);
            sum[k] += apart;
            n[k] += 1;
            largest = std::max(largest, std::abs(apart));
        }
        for (Size k = 0; k < z.classes; ++k) {
            const double base = value_at(*z.X, first[k], j), mean = base + (n[k] > 0 ? sum[k] / n[k] : 0.0);
            z.shift[k * width + j] = std::isfinite(mean) ? mean : std::isfinite(base) ? base : 0.0;
        }
        z.scale[j] = unit_scale(largest);
    }
    z.place();
}

void pack(const Dense<double>& x, Size begin, HotOrder order, const Problem& z, double* out, double* sums) {
    discriminant_hot().pack_f64({&x.at(begin, 0), x.row_stride, x.col_stride}, order, x.cols, z.offset.data(),
                                z.scale.data(), out, sums);
}
void pack(const Dense<float>& x, Size begin, HotOrder order, const Problem& z, double* out, double* sums) {
    discriminant_hot().pack_f32({&x.at(begin, 0), x.row_stride, x.col_stride}, order, x.cols, z.offset.data(),
                                z.scale.data(), out, sums);
}
template <class Index>
void pack(const Csr<Index>&, Size, HotOrder, const Problem&, double*, double*) {
    require(false, "class_scatter: X must be dense");
}

// Rows of a packed block: half of a 512 KB second-level cache.
Size block_rows(Size width) { return std::clamp<Size>((Size{256} << 10) / (width * sizeof(double)), 32, 1024); }

// The rows of a block, those of one scatter side by side, and where each scatter's rows begin.
struct Block {
    std::vector<std::uint32_t> at;
    std::vector<std::int32_t> group;
    std::vector<double> root, packed;
    std::vector<Size> starts;

    Block(Size rows, Size width, Size slots)
        : at(rows), group(rows), root(rows), packed(rows * width), starts(slots + 1) {}

    HotOrder sort(const Problem& z, Size begin, Size rows) {
        std::fill(starts.begin(), starts.end(), Size{0});
        const auto slot = [&](Size r) { return z.slots == 1 ? Size{0} : z.class_of(begin + r); };
        for (Size r = 0; r < rows; ++r) ++starts[slot(r) + 1];
        for (Size k = 1; k <= z.slots; ++k) starts[k] += starts[k - 1];
        for (Size r = 0; r < rows; ++r) {
            const Size place = starts[slot(r)]++;
            at[place] = static_cast<std::uint32_t>(r);
            group[place] = z.codes[begin + r];
            root[place] = z.weight.empty() ? 1.0 : std::sqrt(z.weight[begin + r]);
        }
        for (Size k = z.slots; k > 0; --k) starts[k] = starts[k - 1];
        starts[0] = 0;
        return {at.data(), group.data(), root.data(), rows};
    }
};

// Tiles on and above the diagonal of every scatter.
void add_products(const Block& block, Size rows, Size width, Size slots, double* into) {
    for (Size slot = 0; slot < slots; ++slot) {
        const Size begin = block.starts[slot], n = block.starts[slot + 1] - begin;
        if (n == 0) continue;
        double* cross = into + slot * width * width;
        for (Size j = 0; j < width; j += kPanel)
            for (Size i = 0; i <= j; i += kPanel)
                hot().gram_tile(&block.packed[i * rows + begin * kPanel], &block.packed[j * rows + begin * kPanel], n,
                                cross + i * width + j, width);
    }
}

Sums one_pass(const Problem& z) {
    const Size width = z.width(), slots = z.slots, rows = z.rows(), step = block_rows(width);
    const Size products = slots * width * width, size = products + z.classes * width;
    const Size fitting = std::clamp<Size>(kPartsMemory / (size * sizeof(double)), 2, kPartsOfRows);
    const Size parts = std::min(fitting, blocks_of(rows, 4 * step));
    const Size part_rows = blocks_of(blocks_of(rows, parts), step) * step;
    Sums found{std::vector<double>(size), width, slots};
    ordered_sum(parts, size, z.threads, found.all.data(), [&](Size part, double* into) {
        Block block(step, width, slots);
        const Size end = std::min(rows, (part + 1) * part_rows);
        for (Size begin = part * part_rows; begin < end; begin += step) {
            const Size n = std::min(step, end - begin);
            const HotOrder order = block.sort(z, begin, n);
            std::visit([&](const auto& x) { pack(x, begin, order, z, block.packed.data(), into + products); }, *z.X);
            add_products(block, n, width, slots, into);
        }
    });
    return found;
}

// Did shift and scale fit every column? As in linalg/moments.cpp, with a shift for each class.
enum class Fit { good, shift_missed, scale_missed, not_finite };

bool missed_mean(const Problem& z, const Sums& s, Size slot, Size j) {
    double missed = 0;
    for (Size k = 0; k < z.classes; ++k)
        if (z.slots == 1 || k == slot) missed += s.sum(k, j) / z.class_weight[k] * s.sum(k, j);
    return std::isfinite(missed) && missed > 0 && missed > 0.99 * s.square(slot, j);
}

Fit judge(const Problem& z, const Sums& s) {
    Fit fit = Fit::good;
    for (Size j = 0; j < z.cols(); ++j)
        for (Size slot = 0; slot < z.slots; ++slot) {
            bool some = false;
            for (Size k = 0; k < z.classes; ++k) {
                if (!std::isfinite(s.sum(k, j))) return Fit::not_finite;
                some = some || ((z.slots == 1 || k == slot) && s.sum(k, j) != 0);
            }
            const double square = s.square(slot, j);
            if (!std::isfinite(square)) return Fit::not_finite;
            if (square > 1e250 || (square < 1e-250 && (square > 0 || some))) fit = Fit::scale_missed;
            if (missed_mean(z, s, slot, j) && fit == Fit::good) fit = Fit::shift_missed;
        }
    return fit;
}

// Half of the largest deviation of each column from its shift, over all rows that count.
std::vector<double> half_spreads(const Problem& z) {
    const Size width = z.width();
    std::vector<double> largest(width, 0.0);
    parallel_for(z.cols(), z.threads, [&](Size j) {
        double most = 0;
        for (Size r = 0; r < z.rows(); ++r) {
            if (!(z.weight_of(r) > 0)) continue;
            const double apart = std::abs(0.5 * value_at(*z.X, r, j) - 0.5 * z.shift[z.class_of(r) * width + j]);
            if (!(apart <= most)) most = apart;  // NaN stays
            if (std::isnan(most)) break;
        }
        largest[j] = most;
    });
    return largest;
}

// Better shifts and scales after a miss; false when there are none.
bool improve(Problem& z, const Sums& s, Fit fit) {
    const Size width = z.width();
    bool better = false;
    for (Size j = 0; j < z.cols(); ++j)
        for (Size k = 0; k < z.classes; ++k) {
            if (fit == Fit::not_finite || !missed_mean(z, s, z.slots == 1 ? 0 : k, j)) continue;
            z.shift[k * width + j] += s.sum(k, j) / z.class_weight[k] / z.scale[j];
            better = true;
        }
    if (fit != Fit::shift_missed) {
        const std::vector<double> spreads = half_spreads(z);
        for (Size j = 0; j < z.cols(); ++j) {
            if (!std::isfinite(spreads[j])) return false;
            const double scale = spreads[j] > 0 ? 0.5 * unit_scale(spreads[j]) : z.scale[j];
            better = better || scale != z.scale[j];
            z.scale[j] = scale;
        }
    }
    z.place();
    return better;
}

void finish(const Problem& z, const Sums& s, ClassScatter& m) {
    const Size p = z.cols(), width = z.width();
    m.weight = z.class_weight;
    m.scale.assign(z.scale.begin(), z.scale.begin() + static_cast<std::ptrdiff_t>(p));
    m.mean.resize(z.classes * p);
    m.scatter.resize(z.slots * p * p);
    std::vector<double> rest(z.classes * p);
    for (Size k = 0; k < z.classes; ++k)
        for (Size j = 0; j < p; ++j) {
            rest[k * p + j] = s.sum(k, j) / z.class_weight[k];
            m.mean[k * p + j] = (z.offset[k * width + j] + rest[k * p + j]) / z.scale[j];
        }
    for (Size slot = 0; slot < z.slots; ++slot)
        for (Size i = 0; i < p; ++i)
            for (Size j = i; j < p; ++j) {
                double product = s.all[(slot * width + i) * width + j];
                for (Size k = 0; k < z.classes; ++k)
                    if (z.slots == 1 || k == slot) product -= z.class_weight[k] * rest[k * p + i] * rest[k * p + j];
                if (i == j) product = std::max(product, 0.0);
                m.scatter[(slot * p + i) * p + j] = m.scatter[(slot * p + j) * p + i] = product;
            }
}

}  // namespace

ClassScatter class_scatter(const Matrix& X, std::span<const std::int32_t> codes, Size classes,
                           std::span<const double> weight, bool pooled, int threads) {
    require(rows_of(X) == codes.size() && !codes.empty(), "class_scatter: one code a row");
    require(weight.empty() || weight.size() == codes.size(), "class_scatter: one weight a row");
    for (const std::int32_t code : codes)
        require(code >= 0 && static_cast<Size>(code) < classes, "class_scatter: a code out of range");
    Problem z{&X, codes, weight, classes, pooled ? 1 : classes, threads, {}, {}, {}, {}};
    z.class_weight.assign(classes, 0.0);
    z.shift.assign(classes * z.width(), 0.0);
    z.offset = z.shift;
    z.scale.assign(z.width(), 1.0);
    place_by_sample(z);
    Sums sums = one_pass(z);
    Fit fit = judge(z, sums);
    for (int attempt = 0; attempt < 3 && fit != Fit::good && improve(z, sums, fit); ++attempt) {
        sums = one_pass(z);
        fit = judge(z, sums);
    }
    ClassScatter m;
    if (fit == Fit::not_finite) m.status = Status::not_finite;
    finish(z, sums, m);
    return m;
}

void fourth_moments(const Matrix& X, std::span<const std::int32_t> codes, std::span<const double> weight,
                    std::span<const double> mean, std::span<const double> inverse, std::span<double> out, int threads) {
    const Size rows = rows_of(X), p = cols_of(X), classes = out.size();
    require(codes.size() == rows && mean.size() == classes * p && inverse.size() == mean.size(),
            "fourth_moments: sizes");
    const Size parts = std::min<Size>(kPartsOfRows, blocks_of(rows, 256)), part_rows = blocks_of(rows, parts);
    ordered_sum(parts, classes, threads, out.data(), [&](Size part, double* into) {
        for (Size r = part * part_rows; r < std::min(rows, (part + 1) * part_rows); ++r) {
            const Size k = static_cast<Size>(codes[r]);
            const double* m = mean.data() + k * p;
            const double* u = inverse.data() + k * p;
            const double square = std::visit(
                [&](const auto& x) {
                    double sum = 0;
                    if constexpr (requires { x.at(r, Size{0}); })
                        for (Size j = 0; j < p; ++j) {
                            const double z = (static_cast<double>(x.at(r, j)) - m[j]) * u[j];
                            sum += z * z;
                        }
                    return sum;
                },
                X);
            into[k] += (weight.empty() ? 1.0 : weight[r]) * square * square;
        }
    });
}

}  // namespace pellucid
