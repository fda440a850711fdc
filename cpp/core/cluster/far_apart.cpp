#include <array>
#include <cmath>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/base/rng.hpp"
#include "core/cluster/framed_rows.hpp"

namespace pellucid {
namespace {

// Squared distances to the nearest of the rows taken so far, with the weighted sums of fixed blocks.
//
// A row whose own taken row o lies at least twice as far from a new one as from it stays with o, by the triangle
// inequality: it is not looked at again (Raff 2021).
template <class View>
class FarApart {
  public:
    FarApart(const View& x, const RowFrame& frame, std::span<const double> weight, int threads)
        : x_(x),
          frame_(frame),
          weight_(weight),
          threads_(threads),
          step_(rows_of_block<View>(x.cols)),
          blocks_(blocks_of(x.rows, step_)),
          nearest_(x.rows, 1.0),
          owner_(x.rows, 0),
          sums_(blocks_) {
        for (Size block = 0; block < blocks_; ++block) add_up(block);
    }

    // The row at a share of the whole sum; by weight alone at first, and where all rows are taken.
    Size draw(double share) const {
        double whole = 0;
        for (const double s : sums_) whole += s;
        double at = share * whole;
        Size block = 0;
        for (; block + 1 < blocks_ && at >= sums_[block]; ++block) at -= sums_[block];
        Size last = block * step_;
        for (Size r = block * step_; r < end_of(block); ++r) {
            const double part = of(r);
            if (!(part > 0)) continue;
            last = r;
            if (at < part) break;
            at -= part;
        }
        return last;
    }

    // Of rows that were drawn, the one after which the sum is smallest, the first of equals.
    Size best(const std::vector<Size>& drawn) const {
        if (drawn.size() == 1 || taken_.empty()) return drawn[0];
        const Size p = x_.cols;
        std::vector<double> rows(drawn.size() * p);
        for (Size c = 0; c < drawn.size(); ++c) framed_row(x_, drawn[c], frame_, &rows[c * p]);
        const CenterPanels panel(rows.data(), drawn.size(), p);
        const std::vector<double> gates = gates_of(rows, drawn.size());
        std::vector<double> sums(blocks_ * kCenters, 0.0);
        parallel_for(blocks_, threads_,
                     [&](Size block) { look(block, panel, gates, drawn.size(), &sums[block * kCenters]); });
        Size choice = 0;
        double least = std::numeric_limits<double>::infinity();
        for (Size c = 0; c < drawn.size(); ++c) {
            double whole = 0;
            for (Size block = 0; block < blocks_; ++block) whole += sums[block * kCenters + c];
            if (whole < least) {
                least = whole;
                choice = c;
            }
        }
        return drawn[choice];
    }

    void take(Size taken) {
        const Size p = x_.cols, number = taken_.size() / p;
        std::vector<double> center(p);
        framed_row(x_, taken, frame_, center.data());
        const std::vector<double> gates = gates_of(center, 1);
        double size = 0;
        for (const double v : center) size += v * v;
        parallel_for(blocks_, threads_, [&](Size block) {
            std::vector<double> row = room_for<View>(1, p);
            for (Size r = block * step_; r < end_of(block); ++r) {
                if (number > 0 && nearest_[r] <= gates[owner_[r]]) continue;
                const double apart = row_apart(x_, r, frame_, center.data(), size, row.data());
                if (number > 0 && !(apart < nearest_[r])) continue;
                nearest_[r] = apart;
                owner_[r] = static_cast<std::uint32_t>(number);
            }
            add_up(block);
        });
        taken_.insert(taken_.end(), center.begin(), center.end());
    }
    bool all_taken() const {
        return std::all_of(sums_.begin(), sums_.end(), [](double s) { return !(s > 0); });
    }
    // By weight alone again.
    void forget() {
        std::fill(nearest_.begin(), nearest_.end(), 1.0);
        taken_.clear();
        for (Size block = 0; block < blocks_; ++block) add_up(block);
    }

  private:
    Size end_of(Size block) const { return std::min(x_.rows, (block + 1) * step_); }
    double weight(Size r) const { return weight_.empty() ? 1.0 : weight_[r]; }
    double of(Size r) const { return weight(r) * nearest_[r]; }
    void add_up(Size block) {
        sums_[block] = 0;
        for (Size r = block * step_; r < end_of(block); ++r) sums_[block] += of(r);
    }
    // The sum of a row's squares; a dense row is framed, a sparse one read as it stands.
    double read(Size r, double* out) const {
        if constexpr (kIsSparse<View>) {
            double sum = 0;
            for (auto e = x_.starts[r]; e < x_.starts[r + 1]; ++e)
                sum += (x_.values[e] * frame_.unit) * (x_.values[e] * frame_.unit);
            return sum;
        } else {
            return framed_row(x_, r, frame_, out);
        }
    }
    // For every taken row a quarter of the squared distance to the nearest of `count` new ones, less rounding.
    std::vector<double> gates_of(const std::vector<double>& rows, Size count) const {
        const Size p = x_.cols, known = taken_.size() / p;
        const double share = 0.25 * (1 - static_cast<double>(p + 16) * 0x1.0p-50);
        std::vector<double> gates(known, std::numeric_limits<double>::infinity());
        for (Size o = 0; o < known; ++o)
            for (Size c = 0; c < count; ++c)
                gates[o] = std::min(gates[o], share * center_hot().apart(&rows[c * p], &taken_[o * p], p));
        return gates;
    }
    void look(Size block, const CenterPanels& panel, const std::vector<double>& gates, Size count, double* sums) const {
        const Size p = x_.cols;
        std::vector<double> rows = room_for<View>(kRowTile, p), squares(kRowTile);
        std::array<const double*, kRowTile> at;
        for (Size t = 0; t < kRowTile; ++t) at[t] = rows.data() + (kIsSparse<View> ? 0 : t * p);
        std::array<Size, kRowTile> waiting{};
        std::array<double, kRowTile * kCenters> values;
        Size here = 0;
        double kept = 0;  // of rows that none of the new ones can take
        const auto meet = [&] {
            if constexpr (requires { x_.starts; }) {
                for (Size t = 0; t < here; ++t)
                    sparse_panel_values(x_, waiting[t], frame_.unit, panel, &values[t * kCenters]);
            } else {
                center_hot().values(at.data(), p, panel.panel(0), panel.sizes(0), values.data());
            }
            for (Size t = 0; t < here; ++t)
                for (Size c = 0; c < count; ++c) {
                    const double apart = std::max(values[t * kCenters + c] + squares[t], 0.0);
                    sums[c] += weight(waiting[t]) * std::min(nearest_[waiting[t]], apart);
                }
            here = 0;
        };
        for (Size r = block * step_; r < end_of(block); ++r) {
            if (nearest_[r] <= gates[owner_[r]]) {
                kept += of(r);
                continue;
            }
            squares[here] = read(r, rows.data() + (kIsSparse<View> ? 0 : here * p));
            waiting[here++] = r;
            if (here == kRowTile) meet();
        }
        if (here > 0) meet();
        for (Size c = 0; c < count; ++c) sums[c] += kept;
    }

    const View& x_;
    RowFrame frame_;
    std::span<const double> weight_;
    int threads_;
    Size step_, blocks_;
    std::vector<double> nearest_, taken_;
    std::vector<std::uint32_t> owner_;  // which taken row is nearest
    std::vector<double> sums_;
};

template <class View>
std::vector<std::int64_t> choose(const View& x, const RowFrame& frame, std::span<const double> weight, Size k,
                                 Size trials, std::uint64_t seed, int threads) {
    FarApart<View> rows(x, frame, weight, threads);
    const Random random{seed, 1};
    std::uint64_t index = 0;
    std::vector<std::int64_t> taken;
    std::vector<Size> drawn;
    for (Size c = 0; c < k; ++c) {
        check_interrupt();
        if (rows.all_taken()) rows.forget();  // fewer distinct rows than centers
        drawn.clear();
        for (Size t = 0; t < (c == 0 ? 1 : trials); ++t) drawn.push_back(rows.draw(random.uniform(index++)));
        const Size row = rows.best(drawn);
        rows.take(row);
        taken.push_back(static_cast<std::int64_t>(row));
    }
    return taken;
}

}  // namespace

std::vector<std::int64_t> far_apart_rows(const Matrix& X, const RowFrame& frame, std::span<const double> weight, Size k,
                                         Size trials, std::uint64_t seed, int threads) {
    require(trials >= 1 && trials <= kCenters, "far_apart_rows: trials");
    return std::visit([&](const auto& x) { return choose(x, frame, weight, k, trials, seed, threads); }, X);
}

}  // namespace pellucid
