#include "core/tree/prune.hpp"

#include <algorithm>

#include "core/base/rng.hpp"
#include "tests/harness.hpp"

namespace pellucid::test {
namespace {

struct Plain {
    std::vector<std::int32_t> parent{-1}, first_child{-1}, n_children{0};
    std::vector<double> risk{1};

    Size count() const { return risk.size(); }

    void split(Size node, Size branches, const Random& chance) {
        first_child[node] = static_cast<std::int32_t>(count());
        n_children[node] = static_cast<std::int32_t>(branches);
        for (Size b = 0; b < branches; ++b) {
            const double share = static_cast<double>(1 + chance.bits(count()) % 1000) / 1000;
            risk.push_back(risk[node] * share / static_cast<double>(branches));
            parent.push_back(static_cast<std::int32_t>(node));
            first_child.push_back(-1);
            n_children.push_back(0);
        }
    }
};

// Leaves and risk of the leaves below a node, by recursion.
std::pair<double, std::int64_t> below(const Plain& t, const std::vector<char>& cut, Size node) {
    if (t.n_children[node] == 0 || cut[node]) return {t.risk[node], 1};
    std::pair<double, std::int64_t> sum{0, 0};
    const auto first = static_cast<Size>(t.first_child[node]);
    for (Size c = first; c < first + static_cast<Size>(t.n_children[node]); ++c) {
        const auto [risk, leaves] = below(t, cut, c);
        sum.first += risk;
        sum.second += leaves;
    }
    return sum;
}

bool gone(const Plain& t, const std::vector<char>& cut, Size node) {
    for (std::int32_t up = static_cast<std::int32_t>(node); up >= 0; up = t.parent[static_cast<Size>(up)])
        if (cut[static_cast<Size>(up)]) return true;
    return false;
}

// The definition: look at every branch that is left, cut the weakest, begin again.
void check_by_definition(const Plain& t) {
    const tree::PruningPath path = tree::weakest_links(t.parent, t.first_child, t.n_children, t.risk);
    std::vector<char> cut(t.count(), 0);
    for (Size step = 0; step < path.node.size(); ++step) {
        double least = INFINITY;
        for (Size i = 0; i < t.count(); ++i) {
            if (t.n_children[i] == 0 || gone(t, cut, i)) continue;
            const auto [risk, leaves] = below(t, cut, i);
            least = std::min(least, (t.risk[i] - risk) / static_cast<double>(leaves - 1));
        }
        const auto node = static_cast<Size>(path.node[step]);
        CHECK(!gone(t, cut, node));
        CHECK_NEAR(path.alpha[step], std::max(least, 0.0), 1e-12);
        cut[node] = 1;
        const auto [risk, leaves] = below(t, cut, 0);
        CHECK_NEAR(path.risk[step], risk, 1e-12);
        CHECK(path.leaves[step] == leaves);
    }
    CHECK(cut[0] || t.count() == 1);
    CHECK(std::is_sorted(path.alpha.begin(), path.alpha.end()));
}

TEST(weakest_links_by_definition) {
    for (Size seed = 0; seed < 20; ++seed) {
        const Random chance{seed, 1};
        Plain t;
        for (Size k = 0; k < 4 * seed; ++k) {
            const Size node = chance.bits(1000 + k) % t.count();
            if (t.n_children[node] == 0) t.split(node, 2 + chance.bits(2000 + k) % 2, chance);
        }
        check_by_definition(t);
    }
}

TEST(weakest_links_of_a_long_chain) {
    Plain t;
    const Random chance{3, 1};
    for (Size k = 0; k < 20000; ++k) t.split(k == 0 ? 0 : t.count() - 1, 2, chance);
    const tree::PruningPath path = tree::weakest_links(t.parent, t.first_child, t.n_children, t.risk);
    CHECK(path.node.back() == 0);
    CHECK(path.leaves.back() == 1);
}

}  // namespace
}  // namespace pellucid::test
