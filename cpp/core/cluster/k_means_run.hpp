// One run of k-means over one view of the table: assignment with bounds, means, empty centers.
#pragma once

#include <array>
#include <cmath>
#include <mutex>
#include <numeric>
#include <string>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/base/simd.hpp"
#include "core/cluster/framed_rows.hpp"
#include "core/cluster/k_means.hpp"
#include "core/linalg/reduce.hpp"

namespace pellucid::center_runs {

// |c|^2 of every center.
inline std::vector<double> squared_lengths(std::span<const double> centers, Size p) {
    std::vector<double> out(centers.size() / p, 0.0);
    for (Size i = 0; i < centers.size(); ++i) out[i / p] += centers[i] * centers[i];
    return out;
}

inline constexpr double kRounding = 0x1.0p-52;
inline constexpr Size kChunk = 1024;  // rows whose sum is taken at once

struct Pass {
    static constexpr auto name = "passes";
    static constexpr std::array columns{"pass", "changed", "distortion", "moved"};
    double pass, changed, distortion, moved;
    std::array<double, 4> values() const { return {pass, changed, distortion, moved}; }
};

// A row that changed its center; before is k where it had none.
struct Change {
    std::uint32_t row, before, after;
};

// One run over one view of the table.
template <class View>
class Run {
  public:
    Run(const View& x, const RowFrame& frame, std::span<const double> weight, std::span<const double> start, Size k,
        const KMeansSettings& settings)
        : x_(x),
          frame_(frame),
          weight_(weight),
          k_(k),
          p_(x.cols),
          settings_(settings),
          step_(rows_of_block<View>(x.cols)),
          blocks_(blocks_of(x.rows, step_)),
          centers_(start.begin(), start.end()),
          label_(x.rows, static_cast<std::uint32_t>(k)),
          upper_(x.rows),
          panels_(centers_.data(), k, p_),
          groups_(settings.panels ? panels_.count() : 1),
          lower_(x.rows * groups_),
          moves_(k, 0.0),
          changed_(blocks_),
          sums_(k * p_, 0.0),
          masses_(k, 0.0) {}

    // Every row to its nearest center; returns how many changed.
    Size assign() {
        prepare_bounds();
        parallel_for(blocks_, settings_.threads, [&](Size block) { assign_block(block); });
        first_ = false;
        Size changed = 0;
        for (const auto& list : changed_) changed += list.size();
        return changed;
    }

    // Every center to the mean of its rows; returns the sum of the squared moves.
    double update() {
        add_changes();
        std::vector<double> sums = sums_, masses = masses_;
        fill_empty(sums, masses);
        return move_to(sums, masses);
    }

    // The means afresh, without what sums lose as rows come and go.
    void settle() {
        for (auto& list : changed_) list.clear();
        for (Size r = 0; r < x_.rows; ++r)
            changed_[r / step_].push_back({static_cast<std::uint32_t>(r), static_cast<std::uint32_t>(k_), label_[r]});
        std::fill(sums_.begin(), sums_.end(), 0.0);
        std::fill(masses_.begin(), masses_.end(), 0.0);
        update();
    }

    // The centers as numbers of the table have them, read back: what is kept outside gives the same distances.
    void leave_and_enter() {
        std::vector<double> next(p_);
        for (Size c = 0; c < k_; ++c) {
            double* center = &centers_[c * p_];
            for (Size j = 0; j < p_; ++j) {
                const double shift = frame_.shift.empty() ? 0.0 : frame_.shift[j];
                next[j] = (center[j] / frame_.unit + shift - shift) * frame_.unit;
            }
            moves_[c] =
                std::sqrt(center_hot().apart(next.data(), center, p_)) * (1 + static_cast<double>(p_ + 8) * kRounding);
            std::copy(next.begin(), next.end(), center);
        }
        panels_ = CenterPanels(centers_.data(), k_, p_);
    }

    std::span<const double> centers() const { return centers_; }
    std::vector<std::int32_t> labels() const { return {label_.begin(), label_.end()}; }

  private:
    // What a computed value may be off by, for every row and center: |c|^2 - 2 x.c of lengths up to R.
    void prepare_bounds() {
        const double reach = std::sqrt(panels_.largest()) + (first_ ? 0.0 : farthest_);
        slack_ = (static_cast<double>(p_) + 16) * kRounding * 2 * reach * reach;
        if (first_) return;
        // Half the way to the next center: what is nearer is nearest.
        half_.assign(k_, std::numeric_limits<double>::infinity());
        parallel_for(blocks_of(k_, kRowTile), settings_.threads, [&](Size tile) {
            for (Size c = tile * kRowTile; c < std::min(k_, (tile + 1) * kRowTile); ++c)
                for (Size o = 0; o < k_; ++o)
                    if (o != c)
                        half_[c] = std::min(half_[c], center_hot().apart(&centers_[c * p_], &centers_[o * p_], p_));
            for (Size c = tile * kRowTile; c < std::min(k_, (tile + 1) * kRowTile); ++c)
                half_[c] = 0.5 * std::sqrt(half_[c]) * (1 - static_cast<double>(p_ + 8) * kRounding);
        });
        group_moves_.assign(groups_, 0.0);
        for (Size c = 0; c < k_; ++c) {
            double& most = group_moves_[settings_.panels ? c / kCenters : 0];
            most = std::max(most, moves_[c]);
        }
    }

    void assign_block(Size block) {
        const Size begin = block * step_, end = std::min(x_.rows, begin + step_);
        changed_[block].clear();
        std::vector<double> rows = room_for<View>(step_, p_), squares(step_);
        std::vector<std::uint32_t> looked;  // rows that must be compared, in order
        double farthest = 0;
        for (Size r = begin; r < end; ++r) {
            if (!first_ && keeps(r)) continue;
            double* own = rows.data() + (kIsSparse<View> ? 0 : looked.size() * p_);
            squares[looked.size()] = framed(r, own);
            if (!first_ && keeps_by_distance(r, own)) continue;
            farthest = std::max(farthest, squares[looked.size()]);
            looked.push_back(static_cast<std::uint32_t>(r));
        }
        compare(block, looked, rows, squares);
        if (first_) {
            const std::lock_guard hold(lock_);
            farthest_ = std::max(farthest_, std::sqrt(farthest));
        }
    }

    double framed(Size r, double* out) const {
        if constexpr (requires { x_.at(r, r); }) return framed_row(x_, r, frame_, out);
        double squares = 0;  // a sparse row is compared as it stands
        if constexpr (requires { x_.starts; })
            for (auto e = x_.starts[r]; e < x_.starts[r + 1]; ++e)
                squares += (x_.values[e] * frame_.unit) * (x_.values[e] * frame_.unit);
        return squares;
    }

    // Moves the bounds along with the centers; do they settle the row?
    bool keeps(Size r) {
        const Size a = label_[r];
        upper_[r] = (upper_[r] + moves_[a]) * (1 + 2 * kRounding);
        double least = std::numeric_limits<double>::infinity();
        for (Size g = 0; g < groups_; ++g) {
            double& l = lower_[r * groups_ + g];
            l = (l - group_moves_[g]) * (1 - 2 * kRounding);
            least = std::min(least, l);
        }
        return settled(upper_[r], least, half_[a]);
    }
    bool settled(double u, double l, double half) const {
        l = std::max(l, 2 * half - u);
        return l > u && (l - u) * (l + u) > 2 * slack_;
    }
    bool keeps_by_distance(Size r, const double* row) {
        if constexpr (!requires { x_.at(r, r); }) return false;
        const Size a = label_[r];
        upper_[r] =
            std::sqrt(center_hot().apart(row, &centers_[a * p_], p_)) * (1 + static_cast<double>(p_ + 8) * kRounding);
        double least = std::numeric_limits<double>::infinity();
        for (Size g = 0; g < groups_; ++g) least = std::min(least, lower_[r * groups_ + g]);
        return settled(upper_[r], least, half_[a]);
    }

    void compare(Size block, const std::vector<std::uint32_t>& looked, const std::vector<double>& rows,
                 const std::vector<double>& squares) {
        for (Size first = 0; first < looked.size(); first += kRowTile) {
            const Size here = std::min(kRowTile, looked.size() - first);
            std::array<const double*, kRowTile> at;
            for (Size t = 0; t < kRowTile; ++t)
                at[t] = rows.data() + (kIsSparse<View> ? 0 : (first + std::min(t, here - 1)) * p_);
            std::array<Nearest, kRowTile> best;
            if (groups_ == 1) {
                scan(looked, first, here, at, 0, panels_.count(), best);
                for (Size t = 0; t < here; ++t) lower_[looked[first + t]] = bound(best[t].second, squares[first + t]);
            } else {
                compare_by_panel(looked, first, here, at, squares, best);
            }
            for (Size t = 0; t < here; ++t) take(block, looked[first + t], best[t], squares[first + t]);
        }
    }

    // All panels, each with a bound of its own: the smallest value of its centers but for the row's own.
    void compare_by_panel(const std::vector<std::uint32_t>& looked, Size first, Size here,
                          const std::array<const double*, kRowTile>& at, const std::vector<double>& squares,
                          std::array<Nearest, kRowTile>& best) {
        std::array<Nearest, kRowTile> found;
        best.fill({std::numeric_limits<double>::infinity(), 0, 0});
        std::array<double, kRowTile> second{};
        for (Size q = 0; q < panels_.count(); ++q) {
            if (!first_ && !needed(looked, first, here, q)) continue;
            scan(looked, first, here, at, q, 1, found);
            for (Size t = 0; t < here; ++t) {
                const Size r = looked[first + t];
                lower_[r * groups_ + q] = bound(found[t].best, squares[first + t]);
                if (found[t].best < best[t].best) {
                    best[t] = {found[t].best, 0, static_cast<std::uint32_t>(q * kCenters + found[t].center)};
                    second[t] = found[t].second;
                }
            }
        }
        for (Size t = 0; t < here; ++t)
            lower_[looked[first + t] * groups_ + best[t].center / kCenters] = bound(second[t], squares[first + t]);
    }
    // A panel is left out if it can hold the nearest center of none of the rows; a row's own panel never is.
    bool needed(const std::vector<std::uint32_t>& looked, Size first, Size here, Size q) const {
        for (Size t = 0; t < here; ++t) {
            const Size r = looked[first + t];
            if (label_[r] / kCenters == q) return true;
            const double l = lower_[r * groups_ + q], u = upper_[r];
            if (!(l > u && (l - u) * (l + u) > 2 * slack_)) return true;
        }
        return false;
    }

    void scan(const std::vector<std::uint32_t>& looked, Size first, Size here,
              const std::array<const double*, kRowTile>& at, Size q, Size count,
              std::array<Nearest, kRowTile>& out) const {
        if constexpr (requires { x_.starts; }) {
            for (Size t = 0; t < here; ++t) sparse_scan(x_, looked[first + t], frame_.unit, panels_, q, count, &out[t]);
        } else {
            center_hot().nearest(at.data(), p_, panels_.panel(q), panels_.sizes(q), count, out.data());
        }
    }
    double bound(double value, double square) const {
        return std::sqrt(std::max(value + square - own_slack(square), 0.0));
    }
    double own_slack(double square) const {
        const double reach = std::sqrt(panels_.largest()) + std::sqrt(square);
        return (static_cast<double>(p_) + 16) * kRounding * 2 * reach * reach;
    }
    void take(Size block, std::uint32_t r, const Nearest& found, double square) {
        upper_[r] = std::sqrt(std::max(found.best + square + own_slack(square), 0.0));
        if (label_[r] == found.center) return;
        changed_[block].push_back({r, label_[r], found.center});
        label_[r] = found.center;
    }

    // ------------------------------------------------------------------------------------------------------- centers

    struct Entry {
        std::uint32_t row;
        float sign;
    };

    // Rows that came to a center and left it, by center; then chunks of them, each summed by one thread.
    void add_changes() {
        std::vector<Size> starts(k_ + 1, 0);
        for (const auto& list : changed_)
            for (const Change& c : list) {
                ++starts[c.after + 1];
                if (c.before < k_) ++starts[c.before + 1];
            }
        std::partial_sum(starts.begin(), starts.end(), starts.begin());
        std::vector<Entry> entries(starts[k_]);
        std::vector<Size> next(starts.begin(), starts.end() - 1);
        for (const auto& list : changed_)
            for (const Change& c : list) {
                entries[next[c.after]++] = {c.row, 1.0f};
                if (c.before < k_) entries[next[c.before]++] = {c.row, -1.0f};
            }
        std::vector<std::pair<Size, Size>> chunks;  // center, first entry
        for (Size c = 0; c < k_; ++c)
            for (Size e = starts[c]; e < starts[c + 1]; e += kChunk) chunks.emplace_back(c, e);
        std::vector<double> parts(chunks.size() * p_, 0.0), masses(chunks.size(), 0.0);
        parallel_for(chunks.size(), settings_.threads, [&](Size i) {
            const auto [c, e] = chunks[i];
            masses[i] = sum_rows({entries.data() + e, std::min(kChunk, starts[c + 1] - e)}, &parts[i * p_]);
        });
        for (Size i = 0; i < chunks.size(); ++i) {
            center_hot().add(1.0, &parts[i * p_], p_, &sums_[chunks[i].first * p_]);
            masses_[chunks[i].first] += masses[i];
        }
    }
    double sum_rows(std::span<const Entry> entries, double* sum) const {
        std::vector<double> row = room_for<View>(1, p_);
        double mass = 0;
        for (const Entry& e : entries) {
            const double w = static_cast<double>(e.sign) * (weight_.empty() ? 1.0 : weight_[e.row]);
            mass += w;
            if constexpr (requires { x_.starts; }) {
                for (auto i = x_.starts[e.row]; i < x_.starts[e.row + 1]; ++i)
                    sum[static_cast<Size>(x_.indices[i])] += w * (x_.values[i] * frame_.unit);
            } else {
                framed_row(x_, e.row, frame_, row.data());
                center_hot().add(w, row.data(), p_, sum);
            }
        }
        return mass;
    }

    // A center without rows gets the row that is farthest from its own one, for this pass.
    void fill_empty(std::vector<double>& sums, std::vector<double>& masses) const {
        std::vector<Size> empty;
        for (Size c = 0; c < k_; ++c)
            if (!(masses[c] > 0)) empty.push_back(c);
        if (empty.empty()) return;
        const std::vector<Size> far = farthest_rows(empty.size());
        std::vector<double> row(p_);
        for (Size i = 0; i < far.size(); ++i) {
            const double w = weight_.empty() ? 1.0 : weight_[far[i]];
            const Size before = label_[far[i]], c = empty[i];
            framed_row(x_, far[i], frame_, row.data());
            center_hot().add(-w, row.data(), p_, &sums[before * p_]);
            masses[before] -= w;
            for (Size j = 0; j < p_; ++j) sums[c * p_ + j] = w * row[j];
            masses[c] = w;
        }
    }
    std::vector<Size> farthest_rows(Size count) const {
        std::vector<double> apart(x_.rows);
        const std::vector<double> sizes = squared_lengths(centers_, p_);
        parallel_for(blocks_, settings_.threads, [&](Size block) {
            std::vector<double> row = room_for<View>(1, p_);
            for (Size r = block * step_; r < std::min(x_.rows, (block + 1) * step_); ++r) {
                const Size c = label_[r];
                apart[r] = weight_.empty() || weight_[r] > 0
                               ? row_apart(x_, r, frame_, &centers_[c * p_], sizes[c], row.data())
                               : -1.0;
            }
        });
        std::vector<Size> order(x_.rows);
        std::iota(order.begin(), order.end(), Size{0});
        count = std::min(count, x_.rows);
        std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                          [&](Size a, Size b) { return apart[a] != apart[b] ? apart[a] > apart[b] : a < b; });
        order.resize(count);
        std::erase_if(order, [&](Size r) { return apart[r] < 0; });
        return order;
    }

    double move_to(const std::vector<double>& sums, const std::vector<double>& masses) {
        double moved = 0;
        std::vector<double> next(p_);
        for (Size c = 0; c < k_; ++c) {
            double* center = &centers_[c * p_];
            if (!(masses[c] > 0)) {
                moves_[c] = 0;
                continue;
            }
            for (Size j = 0; j < p_; ++j) next[j] = sums[c * p_ + j] / masses[c];
            const double square = center_hot().apart(next.data(), center, p_);
            moves_[c] = std::sqrt(square) * (1 + static_cast<double>(p_ + 8) * kRounding);
            moved += square;
            std::copy(next.begin(), next.end(), center);
        }
        panels_ = CenterPanels(centers_.data(), k_, p_);
        return moved;
    }

    const View& x_;
    RowFrame frame_;
    std::span<const double> weight_;
    Size k_, p_;
    KMeansSettings settings_;
    Size step_, blocks_;
    std::vector<double> centers_;
    std::vector<std::uint32_t> label_;
    std::vector<double> upper_;
    CenterPanels panels_;
    Size groups_;
    std::vector<double> lower_, moves_, group_moves_, half_;
    std::vector<std::vector<Change>> changed_;
    std::vector<double> sums_, masses_;
    double slack_ = 0, farthest_ = 0;
    bool first_ = true;
    std::mutex lock_;
};

}  // namespace pellucid::center_runs
