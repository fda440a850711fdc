#include "core/rules/ripper_set.hpp"

#include <algorithm>

namespace pellucid::rules {

RowBits::RowBits(Size rows, bool full) : words_((rows + 63) / 64, full ? ~std::uint64_t{0} : 0) {
    if (full && rows % 64 != 0) words_.back() = (std::uint64_t{1} << (rows % 64)) - 1;
}

RowBits RowBits::covered_by(const ClassRows& all, const Tests& tests) {
    RowBits out(all.rows, true);
    for (const RankTest test : tests) {
        const std::span<const std::int32_t> codes = all.column(static_cast<Size>(test.column));
        for (Size w = 0; w < out.words_.size(); ++w) {
            if (out.words_[w] == 0) continue;
            std::uint64_t met = 0;
            const Size end = std::min<Size>(64, all.rows - 64 * w);
            for (Size b = 0; b < end; ++b) met |= std::uint64_t{test.met_by(codes[64 * w + b])} << b;
            out.words_[w] &= met;
        }
    }
    return out;
}

bool RowBits::none() const {
    return std::ranges::all_of(words_, [](std::uint64_t word) { return word == 0; });
}

RowBits& RowBits::operator|=(const RowBits& other) {
    for (Size w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
    return *this;
}

RowBits& RowBits::operator&=(const RowBits& other) {
    for (Size w = 0; w < words_.size(); ++w) words_[w] &= other.words_[w];
    return *this;
}

RowBits& RowBits::subtract(const RowBits& other) {
    for (Size w = 0; w < words_.size(); ++w) words_[w] &= ~other.words_[w];
    return *this;
}

Coverage RowBits::weight(const ClassRows& all) const {
    Coverage out;
    each([&](Size row) { (row < all.positives ? out.positive : out.negative) += all.weight[row]; });
    return out;
}

Described::Described(const ClassRows& all, const LengthFrame& frame, const std::vector<SetRule>& rules)
    : all_(all), frame_(frame), rules_(rules), times_(all.rows, 0), in_(rules.size(), 1), kept_(rules.size()) {
    for (const SetRule& rule : rules) {
        rule.covered.each([&](Size row) { ++times_[row]; });
        bits_ += theory_bits(rule.tests.size(), frame.possible);
    }
    for (Size row = 0; row < all.rows; ++row)
        if (times_[row] > 0) (row < all.positives ? covered_.positive : covered_.negative) += all.weight[row];
}

Coverage Described::alone(Size rule) const {
    Coverage out;
    rules_[rule].covered.each([&](Size row) {
        if (times_[row] == 1) (row < all_.positives ? out.positive : out.negative) += all_.weight[row];
    });
    return out;
}

Length Described::length_of(Coverage covered, double bits, Size kept) const {
    return {data_bits(frame_.all, covered, frame_.expected), bits, covered, kept};
}

Length Described::length() const { return length_of(covered_, bits_, kept_); }

Length Described::length_without(Size rule) const {
    const Coverage own = alone(rule);
    const Coverage rest{std::max(0.0, covered_.positive - own.positive),
                        std::max(0.0, covered_.negative - own.negative)};
    const double bits = kept_ == 1 ? 0.0 : bits_ - theory_bits(rules_[rule].tests.size(), frame_.possible);
    return length_of(rest, bits, kept_ - 1);
}

void Described::remove(Size rule) {
    const Length rest = length_without(rule);
    covered_ = rest.covered;
    bits_ = rest.rules;
    kept_ = rest.kept;
    in_[rule] = 0;
    rules_[rule].covered.each([&](Size row) { --times_[row]; });
}

}  // namespace pellucid::rules
