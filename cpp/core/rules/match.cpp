#include "core/rules/match.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>
#include <variant>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/rules/match_tree.hpp"

namespace pellucid::rules {
namespace {

constexpr Size kLanes = 64;
constexpr Size kWordsInBlock = 64;  // 4,096 rows
constexpr std::uint64_t kAll = ~std::uint64_t{0};

// Eight flags of 0 or 1 as the bits of a byte.
std::uint64_t gather8(const std::uint8_t* flags) {
    std::uint64_t v = 0;
    for (Size i = 0; i < 8; ++i) v |= static_cast<std::uint64_t>(flags[i]) << (8 * i);
    return (v * 0x0102040810204080ULL) >> 56;
}

std::uint64_t gather(const std::array<std::uint8_t, kLanes>& flags) {
    std::uint64_t bits = 0;
    for (Size i = 0; i < kLanes; i += 8) bits |= gather8(flags.data() + i) << i;
    return bits;
}

// Steps on the stack at once, of the rule that needs most.
Size deepest(const Program& program) {
    Size most = 1;
    for (Size r = 0; r < program.rules(); ++r) {
        Size depth = 0;
        for (auto s = program.starts[r]; s < program.starts[r + 1]; ++s) {
            const std::int32_t step = program.steps[static_cast<Size>(s)];
            depth = step == kAnd || step == kOr ? depth - 1 : depth + 1;
            most = std::max(most, depth);
        }
    }
    return most;
}

// Where a rule fires among 64 rows.
struct Hit {
    std::int32_t rule;
    std::uint64_t rows;
};

// 64 rows: columns are packed and tests worked out when they are first asked for.
template <class T>
class Tile {
  public:
    Tile(const Dense<T>& x, const Program& program, const RuleTree& tree)
        : x_(x),
          program_(program),
          tree_(tree),
          values_(x.cols * kLanes),
          packed_(x.cols, 0),
          bits_(program.tests()),
          known_(program.tests(), 0),
          stack_(deepest(program)) {}

    void move_to(Size row) {
        row_ = row;
        rows_ = std::min(kLanes, x_.rows - row);
        ++turn_;
    }
    Size rows() const { return rows_; }
    std::uint64_t all() const { return rows_ == kLanes ? kAll : (std::uint64_t{1} << rows_) - 1; }

    // The rules that fire for any of the rows, in their order.
    const std::vector<Hit>& hits() {
        hits_.clear();
        for (const std::int32_t r : tree_.others)
            if (const std::uint64_t held = rule(static_cast<Size>(r)); held != 0) hits_.push_back({r, held});
        open_.push_back({0, all()});
        while (!open_.empty()) {
            const auto [n, held] = open_.back();
            open_.pop_back();
            const RuleTree::Node& node = tree_.nodes[n];
            for (Size i = node.rules_begin; i < node.rules_end; ++i) hits_.push_back({tree_.order[i], held});
            const auto rows = static_cast<std::uint32_t>(std::popcount(held));
            for (std::uint32_t c = node.begin; c < node.end; c = tree_.run_end[c])
                descend(c, tree_.run_end[c], held, rows);
        }
        std::ranges::sort(hits_, {}, &Hit::rule);
        return hits_;
    }

  private:
    struct Open {
        std::uint32_t node;
        std::uint64_t held;
    };

    std::uint64_t rule(Size r) {
        const auto begin = static_cast<Size>(program_.starts[r]), end = static_cast<Size>(program_.starts[r + 1]);
        std::uint64_t* top = stack_.data();
        for (Size s = begin; s < end; ++s) {
            const std::int32_t step = program_.steps[s];
            if (step == kAnd || step == kOr) {
                --top;
                top[-1] = step == kAnd ? top[-1] & *top : top[-1] | *top;
            } else {
                *top++ = step >= 0 ? test(static_cast<Size>(step)) : step == kAlways ? all() : 0;
            }
        }
        return top[-1];
    }

    // Children begin .. end, one of any kind or several that ask a column for one value each.
    void descend(std::uint32_t begin, std::uint32_t end, std::uint64_t held, std::uint32_t rows) {
        const auto go = [&](std::uint32_t c) {
            const std::uint64_t here = held & test(static_cast<Size>(tree_.nodes[c].test));
            if (here != 0) open_.push_back({c, here});
            return here;
        };
        if (end - begin <= rows) {
            for (std::uint32_t c = begin; c < end; ++c) go(c);
            return;
        }
        const double* v = column(static_cast<Size>(program_.feature[static_cast<Size>(tree_.nodes[begin].test)]));
        const double* values = tree_.value.data();
        for (std::uint64_t left = held; left != 0;) {
            const double x = v[std::countr_zero(left)];
            const double* found = std::lower_bound(values + begin, values + end, x);
            const bool known = found != values + end && *found == x;  // never for NaN
            left &= left - 1;
            if (known) left &= ~go(static_cast<std::uint32_t>(found - values));
        }
    }

    std::uint64_t test(Size t) {
        if (known_[t] != turn_) {
            known_[t] = turn_;
            bits_[t] = work_out(t);
        }
        return bits_[t];
    }

    std::uint64_t work_out(Size t) {
        const double* v = column(static_cast<Size>(program_.feature[t]));
        std::array<std::uint8_t, kLanes> in, missing;
        const auto begin = static_cast<Size>(program_.table_start[t]);
        const auto words = static_cast<Size>(program_.table_start[t + 1]) - begin;
        if (words == 0) {
            const double low = program_.low[t], high = program_.high[t];
            for (Size i = 0; i < kLanes; ++i) in[i] = (v[i] >= low) & (v[i] <= high);
        } else {
            const std::uint32_t* table = program_.table.data() + begin;
            const auto codes = static_cast<double>(words * 32);
            for (Size i = 0; i < kLanes; ++i) {
                const bool inside = v[i] >= 0 && v[i] < codes;
                const auto code = static_cast<std::uint32_t>(inside ? v[i] : 0.0);
                in[i] = inside && ((table[code / 32] >> (code % 32)) & 1U);
            }
        }
        for (Size i = 0; i < kLanes; ++i) missing[i] = v[i] != v[i];
        const std::uint64_t unknown = gather(missing);
        std::uint64_t held = gather(in);  // false for NaN
        if (program_.flags[t] & kExcluded) held = ~held & ~unknown;
        if (program_.flags[t] & kMissing) held |= unknown;
        return held & all();
    }

    const double* column(Size j) {
        double* to = values_.data() + j * kLanes;
        if (packed_[j] == turn_) return to;
        packed_[j] = turn_;
        for (Size i = 0; i < rows_; ++i) to[i] = static_cast<double>(x_.at(row_ + i, j));
        std::fill(to + rows_, to + kLanes, 0.0);
        return to;
    }

    const Dense<T>& x_;
    const Program& program_;
    const RuleTree& tree_;
    Size row_ = 0, rows_ = 0;
    std::uint64_t turn_ = 0;
    std::vector<double> values_;
    std::vector<std::uint64_t> packed_;
    std::vector<std::uint64_t> bits_;
    std::vector<std::uint64_t> known_;
    std::vector<std::uint64_t> stack_;
    std::vector<Open> open_;
    std::vector<Hit> hits_;
};

// Calls work(tile, word) for every 64 rows.
template <class Work>
void for_tiles(const Matrix& x, const Program& program, int threads, const Work& work) {
    require(is_valid(program, cols_of(x)), "rules: program");
    const RuleTree tree(program);
    std::visit(
        [&]<class View>(const View& view) {
            if constexpr (std::is_same_v<View, Dense<double>> || std::is_same_v<View, Dense<float>>) {
                const Size words = words_of(view.rows);
                parallel_for(blocks_of(words, kWordsInBlock), threads, [&](Size b) {
                    Tile tile(view, program, tree);
                    const Size end = std::min(words, (b + 1) * kWordsInBlock);
                    for (Size w = b * kWordsInBlock; w < end; ++w) {
                        tile.move_to(w * kLanes);
                        work(tile, w);
                    }
                });
            } else {
                require(false, "rules: sparse");
            }
        },
        x);
}

}  // namespace

bool is_valid(const Program& program, Size cols) {
    const Size tests = program.tests();
    if (program.starts.empty() || program.low.size() != tests || program.high.size() != tests ||
        program.flags.size() != tests || program.table_start.size() != tests + 1)
        return false;
    for (Size t = 0; t < tests; ++t)
        if (program.feature[t] < 0 || static_cast<Size>(program.feature[t]) >= cols || program.table_start[t] < 0 ||
            program.table_start[t + 1] < program.table_start[t])
            return false;
    if (program.table_start[tests] > static_cast<std::int64_t>(program.table.size())) return false;
    if (program.starts[0] != 0 || program.starts.back() != static_cast<std::int64_t>(program.steps.size()))
        return false;
    for (Size r = 0; r < program.rules(); ++r) {
        if (program.starts[r + 1] <= program.starts[r]) return false;
        std::int64_t depth = 0;
        for (auto s = program.starts[r]; s < program.starts[r + 1]; ++s) {
            const std::int32_t step = program.steps[static_cast<Size>(s)];
            if (step < kNever || step >= static_cast<std::int32_t>(tests)) return false;
            const bool joins = step == kAnd || step == kOr;
            if (joins && depth < 2) return false;
            depth += joins ? -1 : 1;
        }
        if (depth != 1) return false;
    }
    return true;
}

std::vector<std::uint64_t> rule_bits(const Matrix& x, const Program& program, int threads) {
    const Size words = words_of(rows_of(x)), rules = program.rules();
    std::vector<std::uint64_t> bits(rules * words);
    for_tiles(x, program, threads, [&](auto& tile, Size w) {
        for (const Hit& hit : tile.hits()) bits[static_cast<Size>(hit.rule) * words + w] = hit.rows;
    });
    return bits;
}

std::vector<std::int32_t> first_rule(const Matrix& x, const Program& program, const Allowed& allowed, int threads) {
    const bool all = allowed.flags.empty();
    require(all || (allowed.flags.size() == rows_of(x) * allowed.classes && allowed.labels.size() == program.rules()),
            "first_rule: sizes");
    for (const std::int32_t label : allowed.labels)
        require(all || (label >= 0 && static_cast<Size>(label) < allowed.classes), "first_rule: labels");
    std::vector<std::int32_t> first(rows_of(x), -1);
    for_tiles(x, program, threads, [&](auto& tile, Size w) {
        std::uint64_t open = tile.all();
        for (const Hit& hit : tile.hits())
            for (std::uint64_t now = hit.rows & open; now != 0; now &= now - 1) {
                const Size row = w * kLanes + static_cast<Size>(std::countr_zero(now));
                if (!all &&
                    !allowed
                         .flags[row * allowed.classes + static_cast<Size>(allowed.labels[static_cast<Size>(hit.rule)])])
                    continue;
                first[row] = hit.rule;
                open &= ~(now & (~now + 1));
            }
    });
    return first;
}

std::vector<double> rule_votes(const Matrix& x, const Program& program, std::span<const std::int32_t> labels,
                               std::span<const double> weight, Size classes, int threads) {
    require(labels.size() == program.rules() && weight.size() == program.rules(), "rule_votes: sizes");
    for (const std::int32_t label : labels)
        require(label >= 0 && static_cast<Size>(label) < classes, "rule_votes: labels");
    std::vector<double> votes(rows_of(x) * classes, 0.0);
    for_tiles(x, program, threads, [&](auto& tile, Size w) {
        for (const Hit& hit : tile.hits()) {
            const auto r = static_cast<Size>(hit.rule);
            for (std::uint64_t now = hit.rows; now != 0; now &= now - 1) {
                const Size row = w * kLanes + static_cast<Size>(std::countr_zero(now));
                votes[row * classes + static_cast<Size>(labels[r])] += weight[r];
            }
        }
    });
    return votes;
}

Fired fired_rules(const Matrix& x, const Program& program, int threads) {
    const Size rows = rows_of(x);
    Fired found{std::vector<std::int64_t>(rows + 1, 0), {}};
    std::vector<std::vector<std::int32_t>> parts(blocks_of(words_of(rows), kWordsInBlock));
    for_tiles(x, program, threads, [&](auto& tile, Size w) {
        std::int64_t* count = found.starts.data() + w * kLanes + 1;
        const std::vector<Hit>& hits = tile.hits();
        for (const Hit& hit : hits)
            for (std::uint64_t now = hit.rows; now != 0; now &= now - 1) ++count[std::countr_zero(now)];
        std::array<std::int64_t, kLanes> next{};
        std::int64_t all = 0;
        for (Size i = 0; i < tile.rows(); ++i) next[i] = std::exchange(all, all + count[i]);
        std::vector<std::int32_t>& part = parts[w / kWordsInBlock];
        const Size before = part.size();
        part.resize(before + static_cast<Size>(all));
        for (const Hit& hit : hits)
            for (std::uint64_t now = hit.rows; now != 0; now &= now - 1)
                part[before + static_cast<Size>(next[static_cast<Size>(std::countr_zero(now))]++)] = hit.rule;
    });
    std::partial_sum(found.starts.begin(), found.starts.end(), found.starts.begin());
    found.rules.reserve(static_cast<Size>(found.starts.back()));
    for (const auto& part : parts) found.rules.insert(found.rules.end(), part.begin(), part.end());
    return found;
}

std::vector<double> rule_counts(std::span<const std::uint64_t> bits, std::span<const std::int32_t> codes,
                                std::span<const double> weight, Size classes, int threads) {
    const Size words = words_of(codes.size()), rules = words == 0 ? 0 : bits.size() / words;
    require(bits.size() == rules * words && (weight.empty() || weight.size() == codes.size()), "rule_counts: sizes");
    for (const std::int32_t code : codes) require(code < static_cast<std::int32_t>(classes), "rule_counts: codes");
    std::vector<double> counts(rules * classes, 0.0);
    parallel_for(rules, threads, [&](Size r) {
        double* own = counts.data() + r * classes;
        for (Size w = 0; w < words; ++w)
            for (std::uint64_t now = bits[r * words + w]; now != 0; now &= now - 1) {
                const Size row = w * kLanes + static_cast<Size>(std::countr_zero(now));
                if (row < codes.size() && codes[row] >= 0) own[codes[row]] += weight.empty() ? 1.0 : weight[row];
            }
    });
    return counts;
}

std::vector<Overlap> rule_conflicts(std::span<const std::uint64_t> bits, Size words,
                                    std::span<const std::int32_t> labels, int threads) {
    const Size rules = labels.size();
    require(bits.size() == rules * words, "rule_conflicts: sizes");
    std::vector<std::vector<Overlap>> parts(rules);
    parallel_for(rules, threads, [&](Size a) {
        for (Size b = a + 1; b < rules; ++b) {
            if (labels[a] == labels[b]) continue;
            std::int64_t rows = 0;
            for (Size w = 0; w < words; ++w) rows += std::popcount(bits[a * words + w] & bits[b * words + w]);
            if (rows > 0) parts[a].push_back({static_cast<std::int32_t>(a), static_cast<std::int32_t>(b), rows});
        }
    });
    std::vector<Overlap> found;
    for (const auto& part : parts) found.insert(found.end(), part.begin(), part.end());
    return found;
}

}  // namespace pellucid::rules
