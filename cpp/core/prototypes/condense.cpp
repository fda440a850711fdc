#include "core/prototypes/condense.hpp"

#include <algorithm>
#include <type_traits>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/distance/collect.hpp"
#include "core/prototypes/codebook.hpp"

namespace pellucid {
namespace {

constexpr Size kRowsAtOnce = 1024, kRowsABlock = 64;

// Memory of one thread of work.
struct Desk {
    explicit Desk(Size cols) : row(cols) {}
    std::vector<double> row, apart;
};

template <class View>
class Condenser {
  public:
    Condenser(const CondenseProblem& problem, const View& x, bool record)
        : problem_(problem),
          x_(x),
          record_(record),
          k_(problem.k),
          members_(x.cols),
          functions_(problem.metric.functions<double>()),
          near_(x.rows * k_),
          seen_(x.rows, 0),
          stored_(x.rows, 0),
          desk_(x.cols) {
        std::int32_t classes = 0;
        for (const std::int32_t label : problem.y) classes = std::max(classes, label + 1);
        votes_.resize(static_cast<Size>(classes));
    }

    Condensed run(int threads) {
        for (const std::int64_t row : problem_.start) store(row);
        while (true) {
            ++found_.passes;
            const Size before = found_.store.size();
            for (Size from = 0; from < problem_.order.size(); from += kRowsAtOnce)
                judge_block(from, std::min(problem_.order.size(), from + kRowsAtOnce), threads);
            if (found_.store.size() == before) return std::move(found_);
        }
    }

  private:
    void store(std::int64_t row) {
        if (stored_[static_cast<Size>(row)]) return;
        load(static_cast<Size>(row), desk_);
        members_.add(desk_.row.data());
        stored_[static_cast<Size>(row)] = 1;
        found_.store.push_back(row);
    }
    void load(Size row, Desk& desk) const {
        load_row(x_, row, problem_.scale.empty() ? nullptr : problem_.scale.data(), desk.row.data());
    }

    void judge_block(Size from, Size to, int threads) {
        parallel_for(blocks_of(to - from, kRowsABlock), threads, [&](Size block) {
            Desk desk(x_.cols);
            const Size first = from + block * kRowsABlock;
            for (Size at = first; at < std::min(to, first + kRowsABlock); ++at) {
                const auto row = static_cast<Size>(problem_.order[at]);
                if (!stored_[row]) bring_up(row, desk);
            }
        });
        for (Size at = from; at < to; ++at)
            if (const auto row = static_cast<Size>(problem_.order[at]); !stored_[row]) judge(row);
    }

    // Compares a row with what came into the store since it was looked at last.
    void bring_up(Size row, Desk& desk) {
        const Size from = seen_[row], to = members_.size();
        if (from == to) return;
        const Size first = from / kAbreast, last = blocks_of(to, kAbreast);
        desk.apart.resize((last - first) * kAbreast);
        load(row, desk);
        members_.distances(functions_, desk.row.data(), first, last, desk.apart.data());
        Neighbor* own = near_.data() + row * k_;
        for (Size m = from; m < to; ++m) {
            const Neighbor found{desk.apart[m - first * kAbreast], static_cast<std::int64_t>(m)};
            if (!(found < own[k_ - 1])) continue;
            Size at = k_ - 1;
            for (; at > 0 && found < own[at - 1]; --at) own[at] = own[at - 1];
            own[at] = found;
        }
        seen_[row] = to;
    }

    void judge(Size row) {
        bring_up(row, desk_);
        const std::int32_t said = vote(near_.data() + row * k_);
        const bool wrong = said != problem_.y[row];
        if (record_ && found_.judgments.size() < kJudgments) {
            const Neighbor& nearest = near_[row * k_];
            found_.judgments.push_back({found_.passes, static_cast<std::int64_t>(row),
                                        found_.store[static_cast<Size>(nearest.row)], nearest.reduced, said, wrong});
        }
        if (wrong) store(static_cast<std::int64_t>(row));
    }

    std::int32_t label_of(const Neighbor& n) const {
        return problem_.y[static_cast<Size>(found_.store[static_cast<Size>(n.row)])];
    }

    // Neighbors come nearest first: the first class that reaches the most votes of all has the nearest row of its own.
    std::int32_t vote(const Neighbor* near) {
        const Size k = std::min(k_, members_.size());
        for (Size j = 0; j < k; ++j) votes_[static_cast<Size>(label_of(near[j]))] = 0;
        Size most = 0;
        for (Size j = 0; j < k; ++j) most = std::max(most, ++votes_[static_cast<Size>(label_of(near[j]))]);
        for (Size j = 0; j < k; ++j)
            if (votes_[static_cast<Size>(label_of(near[j]))] == most) return label_of(near[j]);
        return -1;
    }

    const CondenseProblem& problem_;
    const View& x_;
    bool record_;
    Size k_;
    Codebook members_;
    const MetricFunctions<double>& functions_;
    std::vector<Neighbor> near_;  // k of each row, nearest first, by their place in the store
    std::vector<Size> seen_;      // how many stored rows each row was compared with
    std::vector<std::uint8_t> stored_;
    std::vector<Size> votes_;
    Desk desk_;
    Condensed found_;
};

}  // namespace

Condensed condense(const CondenseProblem& problem, bool record, int threads) {
    const Size n = rows_of(*problem.X);
    require(problem.y.size() == n && problem.k >= 1 && !problem.start.empty(), "condense: sizes");
    require(problem.scale.empty() || problem.scale.size() == cols_of(*problem.X), "condense: scale");
    const auto known = [&](std::int64_t row) { return row >= 0 && static_cast<Size>(row) < n; };
    require(std::all_of(problem.order.begin(), problem.order.end(), known) &&
                std::all_of(problem.start.begin(), problem.start.end(), known),
            "condense: rows");
    return std::visit(
        [&](const auto& x) -> Condensed {
            using View = std::decay_t<decltype(x)>;
            if constexpr (std::is_same_v<View, Dense<double>> || std::is_same_v<View, Dense<float>>)
                return Condenser<View>(problem, x, record).run(threads);
            else
                throw ContractError("condense: a dense table");
        },
        *problem.X);
}

}  // namespace pellucid
