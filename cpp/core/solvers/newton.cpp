#include "core/solvers/newton.hpp"

#include <algorithm>
#include <limits>

#include "core/linalg/cholesky.hpp"
#include "core/linalg/element.hpp"
#include "core/linalg/hot.hpp"
#include "core/linalg/products.hpp"
#include "core/solvers/smooth_hot.hpp"

namespace pellucid {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kDecrease = 1e-4;
constexpr double kFlat = 1e-14;   // a share of F that rounding may hide
constexpr double kParted = 1e-6;  // log odds: a lead that is no rounding
constexpr int kMostHalvings = 40;
constexpr double kLeastCondition = 1e-13, kFirstRidge = 1e-11, kLeastShare = 1e-4;
constexpr Size kSampleRows = 256;
// Up to this many panels the rows are divided among threads, each part with its own sums; beyond it the sums are large
// and the tiles of one shared sum are divided instead, over this many blocks at a time.
constexpr Size kFewPanels = 16, kMostParts = 64, kStrips = 8;

Size padded(Size rows) { return blocks_of(rows, kRowGroup) * kRowGroup; }

// Power of two near 1/spread; 1 where the spread says nothing.
double unit_scale(double spread) {
    if (!(spread > 0) || !std::isfinite(spread)) return 1.0;
    return std::ldexp(1.0, std::clamp(-std::ilogb(spread), -1000, 1000));
}

}  // namespace

// The rows in panels, and the same times their second derivatives; slopes, and what adds up over blocks.
struct NewtonSteps::Block {
    Block(Size width, Size rows)
        : packed(width * rows), scaled(width * rows), f(padded(rows)), bend(f.size()), y(f.size()), s(f.size()) {}
    std::vector<double> packed, scaled, f, bend, y, s;
    Size rows = 0;
    double value = 0, least_margin = kInfinity;
    std::vector<double> gradient;

    // Tiles of column panel j against row panels 0 .. j.
    void add_tiles(Size j, double* hessian, Size width) const {
        for (Size i = 0; i <= j; ++i)
            hot().gram_tile(&packed[i * rows * kPanel], &scaled[j * rows * kPanel], rows,
                            hessian + i * kPanel * width + j * kPanel, width);
    }
};

NewtonSteps::NewtonSteps(const LinearProblem& problem, const LinearSettings& settings, std::span<double> theta)
    : problem_(problem),
      s_(settings),
      theta_(theta),
      n_(rows_of(*problem.X)),
      p_(cols_of(*problem.X)),
      total_(total_weight(problem.weight, n_)),
      can_run_away_(settings.l2 == 0 && !(settings.intercept && settings.intercept_l2 > 0)),
      no_targets_{nullptr, n_, 0, 0, 0},
      reader_{problem.X, &no_targets_, {}, {}, {}, {}},
      panels_(reader_.panels()),
      width_(panels_ * kPanel),
      // a block and its scaled copy fill half of a second-level cache
      block_(std::clamp<Size>((Size{256} << 10) / (width_ * 16), 32, 256)) {
    place_columns();
    measure(here_);
    if (!is_in_range()) {
        widen_columns();
        measure(here_);
    }
    aim();
}

// Shift (with an intercept, which takes it up) and unit of every column from evenly spaced rows.
void NewtonSteps::place_columns() {
    const Size step = std::max<Size>(1, n_ / kSampleRows), rows = std::min(kSampleRows, blocks_of(n_, step));
    std::vector<double> shift(p_, 0.0), scale(p_, 1.0);
    for (Size col = 0; col < p_; ++col) {
        const double first = value_at(*problem_.X, 0, col);
        double sum = 0, largest = 0;
        for (Size i = 0; i < rows; ++i) {
            const double value = value_at(*problem_.X, i * step, col);
            sum += value - first;
            largest = std::max(largest, std::abs(s_.intercept ? value - first : value));
        }
        const double mean = first + sum / static_cast<double>(rows);
        if (s_.intercept && std::isfinite(mean)) shift[col] = mean;
        scale[col] = unit_scale(largest);
    }
    reader_.place(shift, scale);
}

bool NewtonSteps::is_in_range() const {
    for (Size j = 0; j < p_; ++j)
        if (!(here_.hessian[j * width_ + j] < 1e250)) return false;
    return true;
}

// Units from all rows, for columns whose sample misled. Halves, because the difference of two large numbers may be too
// large itself.
void NewtonSteps::widen_columns() {
    PanelReader plain{problem_.X, &no_targets_, {}, {}, {}, {}};
    plain.place(std::span(reader_.shift).first(p_), std::vector<double>(p_, 0.5));
    std::vector<double> packed(width_ * block_), scale(p_), largest(width_, 0.0);
    for (Size begin = 0; begin < n_; begin += block_) {
        const Size rows = std::min(block_, n_ - begin);
        plain.read(begin, rows, packed.data());
        for (Size i = 0; i < width_ * rows; ++i) {
            double& most = largest[i / (rows * kPanel) * kPanel + i % kPanel];
            most = std::max(most, std::abs(packed[i]));
        }
    }
    for (Size j = 0; j < p_; ++j) scale[j] = largest[j] > 0 ? 0.5 * unit_scale(largest[j]) : reader_.scale[j];
    reader_.place(std::vector<double>(reader_.shift.begin(), reader_.shift.begin() + static_cast<std::ptrdiff_t>(p_)),
                  scale);
}

std::vector<double> NewtonSteps::to_panels(std::span<const double> theta) const {
    std::vector<double> phi(width_, 0.0);
    double c = theta[p_];
    for (Size j = 0; j < p_; ++j) {
        phi[j] = theta[j] / reader_.scale[j];
        c += theta[j] * reader_.shift[j];
    }
    phi[p_] = s_.intercept ? c : 0.0;
    return phi;
}

void NewtonSteps::measure(Measured& into) const {
    const std::vector<double> phi = to_panels(theta_);
    into.hessian.assign(width_ * width_, 0.0);
    into.gradient.assign(width_, 0.0);
    into.value = 0;
    into.least_margin = kInfinity;
    if (panels_ <= kFewPanels)
        add_few(phi, into);
    else
        add_many(phi, into);
    for (double& h : into.hessian) h /= total_;
    for (double& g : into.gradient) g /= total_;
    into.value /= total_;
    add_penalty(into);
}

// Scores, losses and slopes of rows; value, margin and gradient are added to the block's own.
void NewtonSteps::read_block(Size begin, Size rows, std::span<const double> phi, Block& block) const {
    const SmoothHot& kernels = smooth_hot();
    block.rows = rows;
    reader_.read(begin, rows, block.packed.data());
    std::copy_n(&problem_.y[begin], rows, block.y.begin());
    std::fill(block.s.begin(), block.s.end(), 0.0);
    for (Size r = 0; r < rows; ++r) block.s[r] = problem_.weight_at(begin + r);
    kernels.panel_scores(block.packed.data(), rows, panels_, phi.data(), block.f.data());
    block.value += kernels.logistic(block.y.data(), block.s.data(), padded(rows), block.f.data(), block.bend.data(),
                                    &block.least_margin);
    kernels.panel_slopes(block.packed.data(), rows, panels_, block.f.data(), block.bend.data(), block.gradient.data(),
                         block.scaled.data());
}

void NewtonSteps::add_few(std::span<const double> phi, Measured& into) const {
    const Size blocks = blocks_of(n_, block_), parts = std::min(kMostParts, blocks);
    std::vector<Measured> sums(parts);
    parallel_for(parts, s_.threads, [&](Size part) {
        Block block(width_, block_);
        Measured& own = sums[part];
        own.hessian.assign(width_ * width_, 0.0);
        block.gradient.assign(width_, 0.0);
        const Size end = std::min(n_, (part + 1) * blocks / parts * block_);
        for (Size begin = part * blocks / parts * block_; begin < end; begin += block_) {
            read_block(begin, std::min(block_, end - begin), phi, block);
            for (Size j = 0; j < panels_; ++j) block.add_tiles(j, own.hessian.data(), width_);
        }
        own.value = block.value;
        own.least_margin = block.least_margin;
        own.gradient = std::move(block.gradient);
    });
    for (const Measured& own : sums) {
        for (Size i = 0; i < into.hessian.size(); ++i) into.hessian[i] += own.hessian[i];
        for (Size i = 0; i < width_; ++i) into.gradient[i] += own.gradient[i];
        into.value += own.value;
        into.least_margin = std::min(into.least_margin, own.least_margin);
    }
}

void NewtonSteps::add_many(std::span<const double> phi, Measured& into) const {
    std::vector<Block> strips(kStrips, Block(width_, block_));
    for (Block& strip : strips) strip.gradient.assign(width_, 0.0);
    for (Size begin = 0; begin < n_; begin += kStrips * block_) {
        const Size count = std::min(kStrips, blocks_of(n_ - begin, block_));
        parallel_for(count, s_.threads, [&](Size strip) {
            const Size from = begin + strip * block_;
            read_block(from, std::min(block_, n_ - from), phi, strips[strip]);
        });
        parallel_for(panels_, s_.threads, [&](Size task) {
            const Size j = panels_ - 1 - task;  // longest first
            for (Size strip = 0; strip < count; ++strip) strips[strip].add_tiles(j, into.hessian.data(), width_);
        });
    }
    for (const Block& strip : strips) {
        for (Size i = 0; i < width_; ++i) into.gradient[i] += strip.gradient[i];
        into.value += strip.value;
        into.least_margin = std::min(into.least_margin, strip.least_margin);
    }
}

// In panel coordinates w_j = scale_j v_j and b = c - offset . v.
void NewtonSteps::add_penalty(Measured& into) const {
    for (Size j = 0; j < p_; ++j) {
        const double unit = reader_.scale[j];
        into.value += 0.5 * s_.l2 * theta_[j] * theta_[j];
        into.gradient[j] += s_.l2 * theta_[j] * unit;
        into.hessian[j * width_ + j] += s_.l2 * unit * unit;
    }
    if (!s_.intercept || s_.intercept_l2 == 0) return;
    const double l2 = s_.intercept_l2, b = theta_[p_];
    into.value += 0.5 * l2 * b * b;
    const auto share = [&](Size j) { return j == p_ ? 1.0 : -reader_.offset[j]; };  // db / dphi_j
    for (Size i = 0; i <= p_; ++i) {
        into.gradient[i] += l2 * b * share(i);
        for (Size j = i; j <= p_; ++j) into.hessian[i * width_ + j] += l2 * share(i) * share(j);
    }
}

// Slopes of b, and of w in the units of X.
double NewtonSteps::slope() const {
    const double of_c = s_.intercept ? here_.gradient[p_] : 0.0;
    double largest = std::abs(of_c);
    for (Size j = 0; j < p_; ++j) {
        const double slope = here_.gradient[j] / reader_.scale[j] + reader_.shift[j] * of_c;
        if (std::isnan(slope)) return slope;
        largest = std::max(largest, std::abs(slope));
    }
    return largest;
}

// Solves for the direction. The ridge is measured in the units of X, so that it is the length of w that is kept short.
void NewtonSteps::aim() {
    const Size m = p_ + (s_.intercept ? 1 : 0);
    std::vector<double> root(m), length(m), d(m);
    double longest = 0;
    for (Size i = 0; i < m; ++i) {
        const double bend = here_.hessian[i * width_ + i];
        root[i] = bend > 0 ? 1 / std::sqrt(bend) : 0.0;
        length[i] = i < p_ ? root[i] * reader_.scale[i] : 0.0;
        longest = std::max(longest, length[i]);
    }
    for (double& l : length) l = longest > 0 ? std::max((l / longest) * (l / longest), kLeastShare) : 1.0;
    for (double ridge = 0; ridge < 1; ridge = std::max(kFirstRidge, 10 * ridge)) {
        std::vector<double> a(m * m);
        for (Size i = 0; i < m; ++i) {
            d[i] = -here_.gradient[i] * root[i];
            for (Size j = i; j < m; ++j)
                a[i * m + j] = a[j * m + i] = here_.hessian[i * width_ + j] * root[i] * root[j];
            a[i * m + i] = 1 + ridge * length[i];
        }
        const CholeskyResult found = cholesky_solve(a, d, m, s_.threads);
        if (found.status == Status::ok && found.rcond > kLeastCondition) break;
    }
    direction_.assign(p_ + 1, 0.0);
    fall_ = 0;
    double c = s_.intercept ? d[p_] * root[p_] : 0.0;
    for (Size i = 0; i < m; ++i) fall_ += here_.gradient[i] * d[i] * root[i];
    for (Size j = 0; j < p_; ++j) {
        direction_[j] = d[j] * root[j] * reader_.scale[j];
        c -= d[j] * root[j] * reader_.offset[j];
    }
    if (s_.intercept) direction_[p_] = c;
}

double NewtonSteps::promise() const { return here_.value > 0 ? -0.5 * fall_ / here_.value : 0.0; }

bool NewtonSteps::advance() {
    const std::vector<double> start(theta_.begin(), theta_.end());
    const double slope_here = slope();
    const bool flat = promise() <= kFlat;  // F says no more, but slopes do
    double t = 1;
    for (int halving = 0; halving < (flat ? 1 : kMostHalvings); ++halving, t *= 0.5) {
        for (Size j = 0; j <= p_; ++j) theta_[j] = start[j] + t * direction_[j];
        measure(next_);
        std::swap(here_, next_);
        const bool good = flat ? slope() <= 0.5 * slope_here : here_.value <= next_.value + kDecrease * t * fall_;
        if (!good) {
            std::swap(here_, next_);
            continue;
        }
        step_ = t;
        aim();
        return true;
    }
    std::copy(start.begin(), start.end(), theta_.begin());
    return false;
}

bool NewtonSteps::is_parted() const { return can_run_away_ && here_.least_margin > kParted; }

// Where a minimum is near, the last steps become short; here they go on, about one unit of log odds at a time.
bool NewtonSteps::runs_away() const {
    if (!can_run_away_) return false;
    std::vector<double> moved(n_);
    multiply(*problem_.X, std::span(direction_).first(p_), std::span(direction_).last(1), moved, s_.threads);
    double most = 0, least = 0;
    for (Size i = 0; i < n_; ++i) {
        if (problem_.weight_at(i) == 0) continue;
        const double own = problem_.y[i] > 0 ? moved[i] : -moved[i];
        most = std::max(most, own);
        least = std::min(least, own);
    }
    return most > 0.5 && least >= -1e-6 * most;
}

}  // namespace pellucid
