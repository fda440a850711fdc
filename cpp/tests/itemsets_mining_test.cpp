#include <map>
#include <set>
#include <vector>

#include "core/base/rng.hpp"
#include "core/base/simd.hpp"
#include "core/itemsets/apriori.hpp"
#include "core/itemsets/bits.hpp"
#include "core/itemsets/eclat.hpp"
#include "core/itemsets/rules.hpp"
#include "tests/harness.hpp"

namespace pellucid::test {
namespace {

using namespace pellucid::itemsets;

using Set = std::vector<std::int32_t>;

// Baskets of up to `items` items, some in most of them, some in all, some in none.
struct Orders {
    std::vector<std::int64_t> starts{0};
    std::vector<std::int32_t> codes;
    Size items;

    Orders(Size n, Size of, std::uint64_t seed, bool everywhere) : items(of) {
        const Random chance{seed, n};
        for (Size b = 0; b < n; ++b) {
            for (Size k = 0; k < of; ++k) {
                const bool in_all = everywhere && k % 5 == 2;
                if (in_all || chance.below(b * of + k, 8) < 1 + k % 6) codes.push_back(static_cast<std::int32_t>(k));
            }
            if (b % 17 == 3) codes.resize(static_cast<Size>(starts.back()));
            starts.push_back(static_cast<std::int64_t>(codes.size()));
        }
    }
    Baskets view() const { return {starts, codes, items}; }

    std::uint32_t count(const Set& set) const {
        std::uint32_t found = 0;
        for (Size b = 0; b + 1 < starts.size(); ++b) {
            const std::set<std::int32_t> basket(codes.begin() + starts[b], codes.begin() + starts[b + 1]);
            bool has = true;
            for (const std::int32_t code : set) has = has && basket.contains(code);
            found += has;
        }
        return found;
    }
};

// Every set of up to so many items, by length and then by its codes: the plain loop.
std::vector<std::pair<Set, std::uint32_t>> plain(const Orders& orders, std::uint32_t least, Size longest) {
    std::vector<std::pair<Set, std::uint32_t>> found;
    for (Size bits = 1; bits < (Size{1} << orders.items); ++bits) {
        Set set;
        for (Size k = 0; k < orders.items; ++k)
            if ((bits >> k) & 1) set.push_back(static_cast<std::int32_t>(k));
        if (set.size() > longest) continue;
        const std::uint32_t count = orders.count(set);
        if (count >= least) found.emplace_back(set, count);
    }
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
        return a.first.size() != b.first.size() ? a.first.size() < b.first.size() : a.first < b.first;
    });
    return found;
}

std::vector<std::pair<Set, std::uint32_t>> flat(const Found& found) {
    std::vector<std::pair<Set, std::uint32_t>> out;
    for (Size k = 0; k < found.levels.size(); ++k)
        for (Size s = 0; s < found.levels[k].counts.size(); ++s) {
            const auto at = found.levels[k].codes.begin() + static_cast<std::ptrdiff_t>(s * (k + 1));
            out.emplace_back(Set(at, at + static_cast<std::ptrdiff_t>(k + 1)), found.levels[k].counts[s]);
        }
    return out;
}

bool inside(const Set& part, const Set& whole) {
    return part.size() < whole.size() && std::includes(whole.begin(), whole.end(), part.begin(), part.end());
}

TEST(itemsets_frequent_sets_are_those_of_a_plain_loop) {
    for (const bool everywhere : {false, true})
        for (const Size n : {1, 5, 70, 700})
            for (const std::uint32_t least : {1u, 2u, 30u}) {
                const Orders orders(n, 9, 3, everywhere);
                for (const Size longest : {1, 2, 4, 99}) {
                    const auto wanted = plain(orders, least, longest);
                    for (const int threads : {1, 3}) {
                        CHECK(flat(frequent_sets(orders.view(), {least, longest, 1000000}, threads)) == wanted);
                        CHECK(flat(apriori(orders.view(), {least, longest, 1000000}, true, threads).found) == wanted);
                    }
                }
            }
}

TEST(itemsets_closed_and_maximal_sets_are_those_of_a_plain_loop) {
    for (const bool everywhere : {false, true})
        for (const Size n : {1, 5, 70, 700})
            for (const std::uint32_t least : {1u, 2u, 30u}) {
                const Orders orders(n, 9, 5, everywhere);
                const auto all = plain(orders, least, 99);
                for (const Size longest : {1, 3, 99}) {
                    std::vector<std::pair<Set, std::uint32_t>> closed, maximal;
                    for (const auto& [set, count] : all) {
                        bool is_closed = set.size() <= longest, is_maximal = is_closed;
                        for (const auto& [other, shared] : all)
                            if (inside(set, other)) {
                                is_closed = is_closed && shared < count;
                                is_maximal = false;
                            }
                        if (is_closed) closed.emplace_back(set, count);
                        if (is_maximal) maximal.emplace_back(set, count);
                    }
                    for (const int threads : {1, 3}) {
                        const Settings settings{least, longest, 1000000};
                        CHECK(flat(closed_sets(orders.view(), settings, Keep::closed, threads)) == closed);
                        CHECK(flat(closed_sets(orders.view(), settings, Keep::maximal, threads)) == maximal);
                    }
                }
            }
}

TEST(itemsets_sparse_baskets_are_counted_in_pairs_first) {
    // Few of many items: the branch that counts pairs before it meets rows.
    Orders orders(0, 60, 1, false);
    const Random chance{11, 1};
    for (Size b = 0; b < 900; ++b) {
        std::set<std::int32_t> basket;
        for (Size k = 0; k < 6; ++k) basket.insert(static_cast<std::int32_t>(chance.below(b * 6 + k, 60)));
        if (b % 3 == 0) basket.insert({7, 21, 40});
        orders.codes.insert(orders.codes.end(), basket.begin(), basket.end());
        orders.starts.push_back(static_cast<std::int64_t>(orders.codes.size()));
    }
    const Settings settings{4, 99, 1000000};
    const auto found = flat(frequent_sets(orders.view(), settings, 2));
    CHECK(found == flat(apriori(orders.view(), settings, false, 2).found));
    CHECK(found.size() > 100);
    for (Size k = 0; k < found.size(); k += 7) CHECK(orders.count(found[k].first) == found[k].second);
}

TEST(itemsets_too_many_sets_are_told_by_every_search) {
    const Orders orders(40, 9, 3, true);
    const std::uint64_t all = flat(frequent_sets(orders.view(), {1, 99, 1000000}, 1)).size();
    for (const int threads : {1, 3}) {
        CHECK(frequent_sets(orders.view(), {1, 99, all}, threads).complete);
        CHECK(!frequent_sets(orders.view(), {1, 99, all - 1}, threads).complete);
        CHECK(apriori(orders.view(), {1, 99, all}, false, threads).found.complete);
        CHECK(!apriori(orders.view(), {1, 99, all - 1}, false, threads).found.complete);
        CHECK(!closed_sets(orders.view(), {1, 99, 3}, Keep::closed, threads).complete);
    }
}

TEST(itemsets_candidates_are_told_with_what_became_of_them) {
    const Orders orders(70, 7, 3, false);
    const AprioriResult found = apriori(orders.view(), {8, 99, 1000000}, true, 1);
    CHECK(found.levels.size() > 2);
    std::vector<LevelCount> counted(found.levels.size());
    for (const Candidate& one : found.candidates) {
        LevelCount& level = counted[static_cast<Size>(one.length) - 1];
        ++level.joined;
        level.pruned += one.without >= 0;
        level.frequent += one.count >= 8;
        CHECK((one.without >= 0) == (one.count < 0));
    }
    for (Size k = 0; k < counted.size(); ++k) {
        CHECK(counted[k].joined == found.levels[k].joined);
        CHECK(counted[k].pruned == found.levels[k].pruned);
        CHECK(counted[k].frequent == found.levels[k].frequent);
    }
}

TEST(itemsets_rules_are_those_of_a_plain_loop) {
    const Orders orders(90, 7, 3, true);
    const Found sets = frequent_sets(orders.view(), {9, 99, 1000000}, 1);
    const auto all = flat(sets);
    std::map<Set, std::uint32_t> place;
    std::vector<std::int64_t> counts;
    for (const auto& [set, count] : all) {
        place[set] = static_cast<std::uint32_t>(counts.size());
        counts.push_back(count);
    }
    Levels levels;
    for (const Found::Level& level : sets.levels) levels.codes.emplace_back(level.codes);
    levels.counts = counts;
    for (const double least : {0.0, 0.5, 0.8, 1.0})
        for (const Size longest : {1, 2, 99}) {
            std::vector<std::uint32_t> wanted;
            for (const auto& [whole, count] : all) {
                std::map<std::uint32_t, std::uint32_t> of;  // by antecedent
                for (Size bits = 1; bits + 1 < (Size{1} << whole.size()); ++bits) {
                    Set left, right;
                    for (Size k = 0; k < whole.size(); ++k) ((bits >> k) & 1 ? left : right).push_back(whole[k]);
                    if (right.size() <= longest && count / static_cast<double>(counts[place[left]]) >= least)
                        of[place[left]] = place[right];
                }
                for (const auto& [left, right] : of) wanted.insert(wanted.end(), {place[whole], left, right});
            }
            for (const int threads : {1, 3}) {
                const FoundRules found = rules_of(levels, {least, longest, 1000000}, threads);
                CHECK(found.complete && found.places == wanted);
            }
            if (!wanted.empty()) CHECK(!rules_of(levels, {least, longest, wanted.size() / 3 - 1}, 2).complete);
        }
}

TEST(itemsets_tidied_baskets_are_sorted_and_without_doubles) {
    const std::vector<std::int64_t> starts{0, 4, 4, 6};
    const std::vector<std::int32_t> codes{3, 1, 3, 0, 2, 2};
    const Tidy found = tidied({starts, codes, 5});
    CHECK((found.starts == std::vector<std::int64_t>{0, 3, 3, 4}));
    CHECK((found.codes == std::vector<std::int32_t>{0, 1, 3, 2}));
}

TEST(itemsets_lines_are_cut_at_delimiters) {
    const Lines found = coded_lines("a, b ,a\n\nb,,c d,\n  \nc d", ',');
    CHECK((found.starts == std::vector<std::int64_t>{0, 3, 3, 5, 5, 6}));
    CHECK((found.codes == std::vector<std::int32_t>{0, 1, 0, 1, 2, 2}));
    CHECK((found.items == std::vector<std::string_view>{"a", "b", "c d"}));
    CHECK(found.empty == 2);
    const Lines words = coded_lines("1  2 \r\n 3\r\n", ' ');
    CHECK((words.starts == std::vector<std::int64_t>{0, 2, 3}));
    CHECK(words.empty == 0);
}

TEST(itemsets_rows_of_bits_meet_alike_at_every_level) {
    const Level before = current_level();
    for (const Size words : {1, 2, 3, 4, 5, 8, 11, 16, 40}) {
        const Random chance{17, words};
        std::vector<std::uint64_t> rows(7 * words);
        for (Size k = 0; k < rows.size(); ++k) rows[k] = chance.below(k, ~0ULL) & chance.below(9999 + k, ~0ULL);
        for (Size r = 0; r < 7; ++r) {
            std::uint32_t count = 0;
            for (Size w = 0; w < words; ++w)
                count += static_cast<std::uint32_t>(std::popcount(rows[w] & rows[r * words + w]));
            for (int level = 0; level <= static_cast<int>(best_level()); ++level) {
                set_level(level_name(static_cast<Level>(level)));
                CHECK(bit_rows().shared(rows.data(), rows.data() + r * words, words) == count);
                for (const std::uint32_t least : {count, count + 1}) {
                    std::vector<std::uint64_t> out(words, 0);
                    std::uint32_t found = 0, kept = 7;
                    const Size n = bit_rows().meet(rows.data(), rows.data() + r * words, 1, words, least, out.data(),
                                                   &found, &kept);
                    CHECK(n == (least == count ? 1u : 0u));
                    if (n == 0) continue;
                    CHECK(found == count && kept == 0);
                    for (Size w = 0; w < words; ++w) CHECK(out[w] == (rows[w] & rows[r * words + w]));
                }
            }
        }
    }
    set_level(level_name(before));
}

}  // namespace
}  // namespace pellucid::test
