#include "core/boosting/grow.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/base/rng.hpp"
#include "core/boosting/answers.hpp"
#include "core/boosting/grow_nodes.hpp"
#include "core/boosting/growth_order.hpp"

namespace pellucid::boosting {

// The growing of one tree: which node is split next.
template <class Cell>
class Grower::Work : Nodes<Cell> {
    using Base = Nodes<Cell>;
    using Base::divide, Base::draw_, Base::drop_hopeless, Base::expand, Base::g_, Base::give_back, Base::m_,
        Base::may_split, Base::measure, Base::nodes_, Base::part, Base::root, Base::seek, Base::settings_,
        Base::slopes_, Base::table_;
    using typename Base::Leaf;
    using typename Base::Pair;

  public:
    Work(Grower& grower, typename Grower::Memory<Cell>& memory, const Table& table, const Slopes& slopes,
         std::uint64_t seed, Size tree)
        : Base(grower, memory, table, slopes, seed, tree) {}

    std::vector<Draft> grow() {
        std::vector<Leaf> waiting;
        waiting.push_back(root());
        if (!may_split(nodes_[0])) {
            give_back(waiting[0]);
            waiting.clear();
        }
        if (settings_.growth == Growth::oblivious) {
            by_test(std::move(waiting));
        } else {
            std::vector<Leaf*> asked;
            for (Leaf& leaf : waiting) asked.push_back(&leaf);
            seek(asked);
            drop_hopeless(waiting);
            split_in_order(
                nodes_, std::move(waiting), settings_,
                [&](std::vector<Leaf> leaves, bool last) { return expand(std::move(leaves), last); },
                [&](Leaf& leaf) { give_back(leaf); });
        }
        if (settings_.prune && settings_.min_gain > 0 && settings_.growth != Growth::oblivious)
            prune(nodes_, settings_.min_gain);
        answer_by_slopes(nodes_, g_.partition_.rows(), slopes_.of_row, settings_, g_.threads_);
        return std::move(nodes_);
    }

  private:
    // One test for all nodes of a level: the one with the greatest sum of gains. Nodes without rows are split too, so
    // that a tree of depth d has 2^d leaves.
    void by_test(std::vector<Leaf> level) {
        const double noise = test_noise();
        std::vector<double> gains;
        for (Size depth = 0; !level.empty() && depth < settings_.max_depth; ++depth) {
            check_interrupt();
            if (settings_.max_leaves > 0 && 2 * level.size() > settings_.max_leaves) break;
            const double least = std::max(settings_.prune ? 0.0 : settings_.min_gain, level_noise(level));
            const auto [column, cut, gain] = best_test(level, least, noise);
            if (!(gain > least)) break;
            gains.push_back(gain);
            for (Leaf& leaf : level) {
                FoundIn<Cell> split = g_.search_.template split_at<Cell>(
                    column, cut, leaf.cells ? leaf.cells->data() + table_.first_cell(column) : nullptr);
                split.gain = gain / static_cast<double>(level.size());
                leaf.left = split.left;
                nodes_[static_cast<Size>(leaf.node)].split = std::move(split);
            }
            const std::vector<Size> left_rows = part(level);
            std::vector<Pair> pairs;
            for (Size i = 0; i < level.size(); ++i) pairs.push_back(divide(std::move(level[i]), left_rows[i]));
            for (Pair& pair : pairs) {
                pair.open_left = nodes_[static_cast<Size>(pair.left.node)].rows() > 0;
                pair.open_right = nodes_[static_cast<Size>(pair.right.node)].rows() > 0;
            }
            measure(pairs);
            level.clear();
            for (Pair& pair : pairs) {
                level.push_back(std::move(pair.left));
                level.push_back(std::move(pair.right));
            }
        }
        for (Leaf& leaf : level) give_back(leaf);
        if (settings_.prune && settings_.min_gain > 0) prune_levels(nodes_, gains, settings_.min_gain);
    }

    // See Search: what rounding alone may gain.
    double level_noise(std::span<const Leaf> level) const {
        double noise = 0;
        for (const Leaf& leaf : level) {
            const Draft& node = nodes_[static_cast<Size>(leaf.node)];
            noise += rounding_gain(*leaf.packing, node.rows(), node.curvature + settings_.l2, node.worth);
        }
        return noise;
    }

    struct LevelTest {
        Size column = 0, cut = 0;
        double gain = 0;
    };
    // least: what a test must gain; noise: see test_noise.
    LevelTest best_test(std::span<const Leaf> level, double least, double noise) {
        double worth = 0;
        for (const Leaf& leaf : level) worth += nodes_[static_cast<Size>(leaf.node)].worth;
        const Draft& first = nodes_[static_cast<Size>(level[0].node)];
        const std::vector<std::uint32_t> columns = draw_.of_node(static_cast<Size>(level[0].node), first.depth);
        std::vector<LevelTest> found(columns.size());
        parallel_for(columns.size(), level.size() * columns.size() < 8 ? 1 : g_.threads_, [&](Size k) {
            const Size column = columns[k];
            const auto room = m_.rooms.lend();
            std::vector<double> sums(g_.search_.cuts(column), 0.0);
            if (sums.empty()) return;
            for (const Leaf& leaf : level) {
                if (!leaf.cells) continue;
                const Draft& node = nodes_[static_cast<Size>(leaf.node)];
                const SearchedNode<Cell> searched{leaf.total, node.rows(), leaf.packing.get(), node.bounds, node.worth};
                g_.search_.add_worths(searched, column, leaf.cells->data() + table_.first_cell(column), sums, *room);
            }
            const auto most = std::max_element(sums.begin(), sums.end());
            found[k] = {column, static_cast<Size>(most - sums.begin()), *most - worth};
        });
        const Random random{draw_.key() ^ mixed(~first.depth), 0};
        LevelTest best;
        double most = 0;
        for (const LevelTest& test : found) {
            if (!(test.gain > least) || !std::isfinite(test.gain)) continue;
            const double score =
                noise > 0 ? std::sqrt(worth + test.gain) + noise * normal(random, test.column) : test.gain;
            if (best.gain > 0 && score <= most) continue;
            best = test;
            most = score;
        }
        return best;
    }

    // As CatBoost has it: what tests are compared by, about the root of the sum of worths, gets a normal random number
    // of this spread. It is `random_strength` times the root of the mean of g² by the mean of h at first (which is the
    // unit of that root), and fades when the rounds times the rate come near the logarithm of the number of rows.
    double test_noise() const {
        if (settings_.random_strength <= 0) return 0;
        const auto rows = g_.partition_.rows();
        double squares = 0, curvature = 0;
        for (const std::uint32_t row : rows) {
            const double g = static_cast<double>(slopes_.of_row[row].gradient);
            squares += g * g;
            curvature += static_cast<double>(slopes_.of_row[row].curvature);
        }
        if (!(curvature > 0)) return 0;
        const auto n = static_cast<double>(std::max<Size>(rows.size(), 1));
        const double left = std::exp(std::log(n) - static_cast<double>(slopes_.round) * settings_.learning_rate);
        return settings_.random_strength * std::sqrt(squares / curvature) * left / (1 + left);
    }
    static double normal(const Random& random, Size index) {
        constexpr double kTurn = 6.283185307179586;
        const double u = 1 - random.uniform(2 * index), v = random.uniform(2 * index + 1);
        return std::sqrt(-2 * std::log(u)) * std::cos(kTurn * v);
    }
};

Grower::Grower(const Table& table, const Settings& settings, std::span<const std::int8_t> monotone, int threads)
    : settings_(settings), monotone_(monotone), threads_(threads), search_(settings_, table, monotone) {}

Grown Grower::grow(const Table& table, const Slopes& slopes, std::uint64_t seed, Size tree) {
    require(slopes.of_row.size() == table.rows(), "boosting: slopes");
    Grown out;
    out.nodes = settings_.floats ? Work<Sums>(*this, sums_, table, slopes, seed, tree).grow()
                                 : Work<Word>(*this, words_, table, slopes, seed, tree).grow();
    out.rows = partition_.rows();
    return out;
}

}  // namespace pellucid::boosting
