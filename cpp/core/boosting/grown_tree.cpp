#include "core/boosting/grown_tree.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "core/boosting/partition.hpp"

namespace pellucid::boosting {
namespace {

// Categories of some bins, as bits of words.
std::vector<std::int32_t> words_of(const ColumnBins& bins, std::span<const std::uint8_t> some) {
    std::array<bool, 256> in{};
    for (const std::uint8_t bin : some) in[bin] = true;
    std::vector<std::uint32_t> words((bins.bin_of_category.size() + 31) / 32, 0);
    for (Size code = 0; code < bins.bin_of_category.size(); ++code)
        if (in[bins.bin_of_category[code]]) words[code / 32] |= std::uint32_t{1} << (code % 32);
    std::vector<std::int32_t> out(words.size());
    std::transform(words.begin(), words.end(), out.begin(),
                   [](std::uint32_t w) { return std::bit_cast<std::int32_t>(w); });
    return out;
}

const ColumnBins& bins_of(const Draft& node, const Table& table) {
    return table.bins(static_cast<Size>(node.split.column));
}

// Where the node met no missing value, one goes to the side with more rows.
bool missing_goes_left(std::span<const Draft> drafts, const Draft& node) {
    const Size left_rows = drafts[static_cast<Size>(node.left)].rows();
    return node.split.has_missing ? node.split.missing_left : left_rows > node.rows() - left_rows;
}

}  // namespace

tree::Nodes nodes_of(std::span<const Draft> drafts, std::span<const double> answers, Size width, const Table& table,
                     double rate) {
    tree::Nodes out;
    out.width = width;
    const bool sets = std::any_of(drafts.begin(), drafts.end(),
                                  [&](const Draft& d) { return !d.is_leaf() && bins_of(d, table).is_category(); });
    if (sets) out.table_start.push_back(0);
    for (const double answer : answers) out.value.push_back(answer * rate);
    for (const Draft& d : drafts) {
        out.parent.push_back(d.parent);
        out.first_child.push_back(d.left);
        out.n_children.push_back(d.is_leaf() ? 0 : 2);
        out.feature.push_back(d.is_leaf() ? -1 : d.split.column);
        out.n_rows.push_back(static_cast<std::int64_t>(d.rows()));
        out.weight.push_back(d.curvature);
        out.impurity.push_back(d.curvature > 0 ? -d.worth / d.curvature : 0);
        double threshold = std::numeric_limits<double>::quiet_NaN();
        std::int32_t missing = tree::kStop;
        auto test = tree::Test::leaf;
        if (!d.is_leaf()) {
            const ColumnBins& bins = bins_of(d, table);
            missing = missing_goes_left(drafts, d) ? 0 : 1;
            test = bins.is_category() ? tree::Test::subset : tree::Test::at_most;
            if (bins.is_category()) {
                const std::vector<std::int32_t> words = words_of(bins, d.split.subset);
                out.table.insert(out.table.end(), words.begin(), words.end());
            } else {
                threshold = d.split.threshold;
            }
        }
        out.threshold.push_back(threshold);
        out.missing_child.push_back(missing);
        out.test.push_back(static_cast<std::uint8_t>(test));
        if (sets) out.table_start.push_back(static_cast<std::int64_t>(out.table.size()));
    }
    return out;
}

std::vector<double> gains_of(std::span<const Draft> drafts, Size cols) {
    std::vector<double> out(cols, 0.0);
    for (const Draft& d : drafts)
        if (!d.is_leaf()) out[static_cast<Size>(d.split.column)] += d.split.gain;
    return out;
}

LeafFinder::LeafFinder(std::span<const Draft> drafts, const Table& table)
    : drafts_(drafts), table_(table), sides_(drafts.size()) {
    for (Size i = 0; i < drafts.size(); ++i) {
        if (drafts[i].is_leaf()) continue;
        const ColumnBins& bins = bins_of(drafts[i], table);
        sides_[i] = sides_of(drafts[i].split, bins);
        sides_[i][bins.count] = missing_goes_left(drafts, drafts[i]);
    }
}

}  // namespace pellucid::boosting
