#include "core/svm/smo.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <list>
#include <memory>

#include "core/base/pool.hpp"
#include "core/svm/svm_hot.hpp"

namespace pellucid {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kTiny = 1e-12;
constexpr double kWorthwhile = 0.9;  // rows leave only when no more than this share would stay

// Gram rows of the rows at work, the ones used last.
class RowCache {
  public:
    RowCache(const KernelRows& source, double bytes) : source_(source), bytes_(bytes) { clear(); }

    const double* row(Size i) {
        Entry& entry = entries_[i];
        if (!entry.values) {
            make_room();
            entry.values = std::make_unique_for_overwrite<double[]>(source_.padded());
            source_.fill(i, entry.values.get());
            used_.push_front(i);
        } else {
            used_.erase(entry.place);
            used_.push_front(i);
        }
        entry.place = used_.begin();
        return entry.values.get();
    }
    void clear() {
        entries_.clear();
        entries_.resize(source_.size());
        used_.clear();
        most_ = std::max<Size>(2, static_cast<Size>(bytes_ / (8.0 * static_cast<double>(source_.padded() + 1))));
    }
    // After the source kept `places` alone: what is known of them stays.
    void keep(std::span<const Size> places) {
        std::vector<Entry> before = std::move(entries_);
        std::vector<Size> now(before.size(), before.size());
        for (Size k = 0; k < places.size(); ++k) now[places[k]] = k;
        std::list<Size> order = std::move(used_);
        clear();
        for (const Size i : order) {  // the last used first
            if (now[i] == before.size()) continue;
            Entry& entry = entries_[now[i]];
            entry.values = std::make_unique_for_overwrite<double[]>(source_.padded());
            for (Size k = 0; k < places.size(); ++k) entry.values[k] = before[i].values[places[k]];
            before[i].values.reset();
            entry.place = used_.insert(used_.end(), now[i]);
        }
    }

  private:
    struct Entry {
        std::unique_ptr<double[]> values;
        std::list<Size>::iterator place;
    };
    void make_room() {
        while (used_.size() >= most_) {
            entries_[used_.back()].values.reset();
            used_.pop_back();
        }
    }
    const KernelRows& source_;
    double bytes_;
    Size most_ = 2;
    std::vector<Entry> entries_;
    std::list<Size> used_;
};

// Everything about the rows at work stands side by side in their order; `at` says which row of the problem each is.
class Smo {
  public:
    Smo(const Matrix& X, const KernelFunction& kernel, const SmoProblem& problem, const SmoSettings& settings)
        : problem_(problem),
          s_(settings),
          n_(problem.rows.size()),
          all_beta_(n_, 0.0),
          all_f_(n_, 0.0),
          at_(n_),
          source_(X, kernel, problem.rows, settings.threads),
          cache_(source_, settings.cache_bytes),
          X_(X),
          kernel_(kernel) {
        for (Size k = 0; k < n_; ++k) at_[k] = k;
        gather();
    }

    template <class Trace>
    SmoResult run(Size number, Trace& trace) {
        SmoResult result;
        const Size period = std::min<Size>(n_, 1000);
        bool reopened = false;  // once, when the end is near, all rows come back
        look();
        for (;;) {
            if (result.steps % 256 == 0) check_interrupt();
            if (gap() <= s_.tol) {
                if (at_.size() == n_) break;
                reopen();
                continue;
            }
            if (s_.most_steps > 0 && result.steps >= s_.most_steps) {
                result.converged = false;
                break;
            }
            if (s_.shrinking && result.steps > 0 && result.steps % period == 0) {
                if (!reopened && gap() <= 10 * s_.tol) {
                    reopened = true;
                    reopen();
                }
                shrink();
            }
            if (!advance(number, trace)) break;
            ++result.steps;
        }
        if (at_.size() < n_) reopen();
        finish(result);
        return result;
    }

  private:
    double gap() const { return highest_.value + lowest_.value; }
    double lo(Size row) const { return problem_.to[row] < kInfinity ? -problem_.cost[row] : 0.0; }
    double hi(Size row) const { return problem_.from[row] > -kInfinity ? problem_.cost[row] : 0.0; }

    void set_ends(Size k) {
        const Size row = at_[k];
        const double beta = beta_[k], a = problem_.from[row], b = problem_.to[row];
        up_[k] = beta >= hi(row) ? -kInfinity : beta < 0 ? b : a;
        low_[k] = beta <= lo(row) ? kInfinity : beta > 0 ? a : b;
    }
    void gather() {
        const Size m = at_.size();
        beta_.resize(m);
        f_.resize(m);
        up_.resize(m);
        low_.resize(m);
        for (Size k = 0; k < m; ++k) {
            beta_[k] = all_beta_[at_[k]];
            f_[k] = all_f_[at_[k]];
            set_ends(k);
        }
    }
    void scatter() {
        for (Size k = 0; k < at_.size(); ++k) {
            all_beta_[at_[k]] = beta_[k];
            all_f_[at_[k]] = f_[k];
        }
    }
    void look() {
        svm_hot().move(0.0, f_.data(), f_.data(), up_.data(), low_.data(), f_.size(), f_.data(), &highest_, &lowest_);
    }

    // How far beta of row k can grow, or fall, without meeting a bound or zero.
    double room_up(Size k) const { return beta_[k] < 0 ? -beta_[k] : hi(at_[k]) - beta_[k]; }
    double room_down(Size k) const { return beta_[k] > 0 ? beta_[k] : beta_[k] - lo(at_[k]); }
    void grow(Size k, double t) {
        const double end = beta_[k] < 0 ? 0.0 : hi(at_[k]);
        beta_[k] = t >= room_up(k) ? end : beta_[k] + t;
        set_ends(k);
    }
    void fall(Size k, double t) {
        const double end = beta_[k] > 0 ? 0.0 : lo(at_[k]);
        beta_[k] = t >= room_down(k) ? end : beta_[k] - t;
        set_ends(k);
    }

    template <class Trace>
    bool advance(Size number, Trace& trace) {
        const Size i = highest_.place;
        const double* ki = cache_.row(i);
        const std::vector<double>& diagonal = source_.diagonal();
        const Peak found =
            svm_hot().partner(highest_.value, diagonal[i], ki, diagonal.data(), low_.data(), f_.data(), f_.size());
        if (!(found.value > -kInfinity)) return false;
        const Size j = found.place;
        const double* kj = cache_.row(j);
        const double up = up_[i] - f_[i], low = low_[j] - f_[j];
        const double curvature = std::max(kTiny, (diagonal[i] + diagonal[j]) - (ki[j] + ki[j]));
        const double t = std::min({(up - low) / curvature, room_up(i), room_down(j)});
        if (!(t > 0)) return false;
        grow(i, t);
        fall(j, t);
        emit(trace, SmoStep{static_cast<double>(number), static_cast<double>(at_[i]), static_cast<double>(at_[j]), up,
                            low, curvature, t, beta_[i], beta_[j]});
        svm_hot().move(t, ki, kj, up_.data(), low_.data(), f_.size(), f_.data(), &highest_, &lowest_);
        return true;
    }

    // A row that can only fall, and would lose by it even against the highest; or only grow, likewise.
    bool is_settled(Size k) const {
        const double most = highest_.value, least = -lowest_.value;
        const bool grows = up_[k] > -kInfinity, falls = low_[k] < kInfinity;
        return !(grows && up_[k] - f_[k] >= least) && !(falls && low_[k] - f_[k] <= most);
    }
    void shrink() {
        std::vector<Size> stay;
        for (Size k = 0; k < at_.size(); ++k)
            if (!is_settled(k)) stay.push_back(k);
        if (stay.size() < 2 || static_cast<double>(stay.size()) > kWorthwhile * static_cast<double>(at_.size())) return;
        scatter();
        std::vector<Size> at(stay.size());
        for (Size k = 0; k < stay.size(); ++k) at[k] = at_[stay[k]];
        at_ = std::move(at);
        source_.keep(stay);
        cache_.keep(stay);
        gather();
        look();
    }
    // All rows come back; f of those that were away is summed anew.
    void reopen() {
        if (at_.size() == n_) return;
        scatter();
        std::vector<char> here(n_, 0);
        for (const Size row : at_) here[row] = 1;
        std::vector<Size> away, supports;
        for (Size row = 0; row < n_; ++row) {
            if (!here[row]) away.push_back(row);
            if (all_beta_[row] != 0) supports.push_back(row);
        }
        sum_scores(away, supports);
        at_.resize(n_);
        for (Size k = 0; k < n_; ++k) at_[k] = k;
        source_.restart(problem_.rows);
        cache_.clear();
        gather();
        look();
    }
    void sum_scores(std::span<const Size> away, std::span<const Size> supports) {
        constexpr Size kRows = 256;
        parallel_for(blocks_of(away.size(), kRows), s_.threads, [&](Size b) {
            const Size first = b * kRows, count = std::min(kRows, away.size() - first);
            std::vector<Size> rows(count);
            for (Size k = 0; k < count; ++k) rows[k] = problem_.rows[away[first + k]];
            std::vector<double> sums(count, 0.0);
            if (kernel_.kind == KernelKind::given) {
                const auto& gram = std::get<Dense<double>>(X_);
                for (const Size s : supports)
                    for (Size k = 0; k < count; ++k) sums[k] += all_beta_[s] * gram.at(problem_.rows[s], rows[k]);
            } else {
                add_scores(rows, supports, sums);
            }
            for (Size k = 0; k < count; ++k) all_f_[away[first + k]] = sums[k];
        });
    }
    void add_scores(std::span<const Size> rows, std::span<const Size> supports, std::vector<double>& sums) const {
        const std::vector<double> panels = panels_of(X_, rows);
        const Size p = cols_of(X_), count = blocks_of(rows.size(), kSvmPanel);
        std::vector<double> x(p), values(count * kSvmPanel);
        const SvmHot& hot = svm_hot();
        for (const Size s : supports) {
            read_row(X_, problem_.rows[s], x.data());
            (kernel_.kind == KernelKind::radial ? hot.squares : hot.products)(panels.data(), count, p, x.data(),
                                                                              values.data());
            apply_kernel(kernel_, values.size(), values.data());
            for (Size k = 0; k < sums.size(); ++k) sums[k] += all_beta_[s] * values[k];
        }
    }

    // Free rows lie on the edge of their interval: b is the mean of what they lack; without any, the middle of the gap.
    void finish(SmoResult& result) {
        double sum = 0;
        Size free = 0;
        for (Size k = 0; k < n_; ++k) {
            const double beta = beta_[k], edge = beta > 0 ? problem_.from[k] : problem_.to[k];
            if (beta == 0) continue;
            result.objective += beta * (f_[k] / 2 - edge);
            if (beta >= hi(k) || beta <= lo(k)) continue;
            sum += edge - f_[k];
            ++free;
        }
        result.gap = gap();
        const double most = highest_.value, least = -lowest_.value;
        const bool has_most = most > -kInfinity, has_least = least < kInfinity;
        if (free > 0)
            result.bias = sum / static_cast<double>(free);
        else
            result.bias = has_most && has_least ? (most + least) / 2 : has_most ? most : has_least ? least : 0.0;
        result.beta = std::move(beta_);
    }

    const SmoProblem& problem_;
    const SmoSettings& s_;
    Size n_;
    std::vector<double> all_beta_, all_f_;
    std::vector<Size> at_;
    KernelRows source_;
    RowCache cache_;
    const Matrix& X_;
    KernelFunction kernel_;
    std::vector<double> beta_, f_, up_, low_;
    Peak highest_{}, lowest_{};  // lowest: the largest of -low
};

}  // namespace

template <class Trace>
SmoResult smo(const Matrix& X, const KernelFunction& kernel, const SmoProblem& problem, const SmoSettings& settings,
              Size number, Trace& trace) {
    const Size n = problem.rows.size();
    require(n > 0 && problem.from.size() == n && problem.to.size() == n && problem.cost.size() == n, "smo: sizes");
    return Smo(X, kernel, problem, settings).run(number, trace);
}

template SmoResult smo<NoTrace>(const Matrix&, const KernelFunction&, const SmoProblem&, const SmoSettings&, Size,
                                NoTrace&);
template SmoResult smo<Watch>(const Matrix&, const KernelFunction&, const SmoProblem&, const SmoSettings&, Size,
                              Watch&);

}  // namespace pellucid
