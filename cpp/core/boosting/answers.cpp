#include "core/boosting/answers.hpp"

#include <algorithm>

#include "core/base/pool.hpp"
#include "core/boosting/partition.hpp"

namespace pellucid::boosting {
namespace {

void add_slopes_to_leaves(std::vector<Draft>& nodes, std::span<const std::uint32_t> rows, std::span<const Slope> slopes,
                          int threads) {
    struct Piece {
        Size node, begin, end;
        double gradient = 0, curvature = 0;
    };
    std::vector<Piece> pieces;
    for (Size i = 0; i < nodes.size(); ++i)
        for (Size b = nodes[i].begin; nodes[i].is_leaf() && b < nodes[i].end; b += kPiece)
            pieces.push_back({i, b, std::min(b + kPiece, nodes[i].end)});
    parallel_for(pieces.size(), nodes[0].rows() < kRowsWorthAThread ? 1 : threads, [&](Size p) {
        Piece& piece = pieces[p];
        double g = 0, h = 0;
        for (const std::uint32_t row : rows.subspan(piece.begin, piece.end - piece.begin)) {
            g += static_cast<double>(slopes[row].gradient);
            h += static_cast<double>(slopes[row].curvature);
        }
        piece.gradient = g;
        piece.curvature = h;
    });
    for (const Piece& piece : pieces) {
        nodes[piece.node].gradient += piece.gradient;
        nodes[piece.node].curvature += piece.curvature;
    }
}

}  // namespace

void answer_by_slopes(std::vector<Draft>& nodes, std::span<const std::uint32_t> rows, std::span<const Slope> slopes,
                      const Settings& settings, int threads) {
    for (Draft& node : nodes) {
        if (!node.is_leaf()) continue;
        node.split = Found{};
        node.gradient = node.curvature = 0;
    }
    add_slopes_to_leaves(nodes, rows, slopes, threads);
    const Judge judge{&settings};
    for (Size i = nodes.size(); i-- > 0;) {
        Draft& node = nodes[i];
        if (!node.is_leaf()) {
            const Draft &left = nodes[static_cast<Size>(node.left)], &right = nodes[static_cast<Size>(node.left) + 1];
            node.gradient = left.gradient + right.gradient;
            node.curvature = left.curvature + right.curvature;
        }
        node.worth = judge.worth(node.gradient, node.curvature, settings.l2, node.bounds);
        node.answer = judge.answer(node.gradient, node.curvature, settings.l2, node.bounds);
    }
}

}  // namespace pellucid::boosting
