#include "core/tree/predict.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"

namespace pellucid::tree {
namespace {

constexpr Size kTogether = 128;  // rows that walk side by side
constexpr Size kRowsOfBlock = 2048;
constexpr Size kSparseTile = 64;  // rows of a sparse table spread out at a time

// A test by threshold in 16 bytes: the child is first + (x > threshold). A node that cannot be packed (a leaf, a test
// of another kind) leads to itself whatever x is, and so does one that asks for more than a branch where x is missing.
struct Packed {
    double threshold = std::numeric_limits<double>::infinity();
    std::uint32_t column = 0;  // with the two bits below
    std::int32_t first = 0;
};
constexpr std::uint32_t kMissingRight = std::uint32_t{1} << 31;
constexpr std::uint32_t kMissingStays = std::uint32_t{1} << 30;
static_assert(kMostColumns <= kMissingStays);

// Where the columns that a tree asks lie in a row: at their own number, or, if rows are spread out, at a place of
// theirs.
struct Places {
    std::vector<std::int32_t> of_column;  // -1: no node asks it; empty: the column's own number
    Size count = 0;

    std::int32_t operator()(std::int32_t column) const {
        return of_column.empty() ? column : of_column[static_cast<Size>(column)];
    }
};

Places places_of(const NodesView& t, Size cols) {
    Places places{std::vector<std::int32_t>(cols, -1), 0};
    const auto ask = [&](std::int32_t column) {
        auto& place = places.of_column[static_cast<Size>(column)];
        if (place < 0) place = static_cast<std::int32_t>(places.count++);
    };
    for (Size i = 0; i < t.count(); ++i)
        if (t.n_children[i] > 0) ask(t.feature[i]);
    for (const std::int32_t column : t.surrogate_feature) ask(column);
    return places;
}

bool has_surrogates(const NodesView& t, Size i) {
    return !t.surrogate_start.empty() && t.surrogate_start[i] < t.surrogate_start[i + 1];
}

// x < t asked as x <= t', with the number before t: the same answer for every x.
bool can_pack(const NodesView& t, Size i) {
    return t.n_children[i] > 0 && (t.test[i] == static_cast<std::uint8_t>(Test::at_most) ||
                                   (t.test[i] == static_cast<std::uint8_t>(Test::below) && t.threshold[i] > -HUGE_VAL));
}

std::vector<Packed> pack(const NodesView& t, const Places& places) {
    std::vector<Packed> packed(t.count());
    for (Size i = 0; i < t.count(); ++i) {
        packed[i].first = static_cast<std::int32_t>(i);
        if (!can_pack(t, i)) continue;
        const bool below = t.test[i] == static_cast<std::uint8_t>(Test::below);
        packed[i].threshold = below ? std::nextafter(t.threshold[i], -HUGE_VAL) : t.threshold[i];
        packed[i].first = t.first_child[i];
        packed[i].column = static_cast<std::uint32_t>(places(t.feature[i]));
        if (t.missing_child[i] < 0 || has_surrogates(t, i))
            packed[i].column |= kMissingStays;
        else if (t.missing_child[i] == 1)
            packed[i].column |= kMissingRight;
    }
    return packed;
}

// One row of numbers; values may lie apart.
template <class T>
struct Row {
    const T* data;
    std::ptrdiff_t step;
    const Places* places;

    double operator[](std::int32_t column) const { return static_cast<double>(data[(*places)(column)*step]); }
};

// Branch of category x in a table of `n` entries; -1 if x is none of 0 .. n-1.
std::int64_t code_of(double x, std::int64_t n) {
    if (!(x >= 0 && x < static_cast<double>(n))) return -1;
    const auto code = static_cast<std::int64_t>(x);
    return static_cast<double>(code) == x ? code : -1;
}

// Branch by the node's own column; -1 where its value is missing or a category that was never met.
std::int32_t branch_by_value(const NodesView& t, Size i, double x) {
    if (std::isnan(x)) return -1;
    switch (static_cast<Test>(t.test[i])) {
        case Test::at_most:
            return x <= t.threshold[i] ? 0 : 1;
        case Test::below:
            return x < t.threshold[i] ? 0 : 1;
        case Test::subset: {
            const std::int64_t begin = t.table_start[i], code = code_of(x, (t.table_start[i + 1] - begin) * 32);
            if (code < 0) return -1;
            const auto word = static_cast<std::uint32_t>(t.table[static_cast<Size>(begin + code / 32)]);
            return (word >> (code % 32)) & 1U ? 0 : 1;
        }
        case Test::categories: {
            const std::int64_t begin = t.table_start[i], code = code_of(x, t.table_start[i + 1] - begin);
            return code < 0 ? -1 : t.table[static_cast<Size>(begin + code)];
        }
        default: {
            const double* begin = t.cuts.data() + t.cuts_start[i];
            const double* end = t.cuts.data() + t.cuts_start[i + 1];
            return static_cast<std::int32_t>(std::lower_bound(begin, end, x) - begin);
        }
    }
}

// Branch that a row takes at an inner node; or kShare or kStop.
template <class T>
std::int32_t branch_of(const NodesView& t, Size i, const Row<T>& row) {
    if (const std::int32_t branch = branch_by_value(t, i, row[t.feature[i]]); branch >= 0) return branch;
    if (has_surrogates(t, i))
        for (auto k = static_cast<Size>(t.surrogate_start[i]); k < static_cast<Size>(t.surrogate_start[i + 1]); ++k)
            if (const double x = row[t.surrogate_feature[k]]; !std::isnan(x))
                return (x <= t.surrogate_threshold[k]) == (t.surrogate_reverse[k] == 0) ? 0 : 1;
    return t.missing_child[i];
}

// From node `at` on: the node that answers, or ~node if the row is shared out from that node on.
template <class T>
std::int32_t walk_on(const NodesView& t, std::int32_t at, const Row<T>& row) {
    while (t.n_children[static_cast<Size>(at)] > 0) {
        const std::int32_t branch = branch_of(t, static_cast<Size>(at), row);
        if (branch == kStop) return at;
        if (branch == kShare) return ~at;
        at = t.first_child[static_cast<Size>(at)] + branch;
    }
    return at;
}

// One step of a row from a node that is packed; the node itself where the row goes no further.
template <class T>
std::int32_t step(const Packed* nodes, std::int32_t at, const T* row, std::ptrdiff_t col_step) {
    const Packed node = nodes[at];
    const double x =
        static_cast<double>(row[static_cast<std::ptrdiff_t>(node.column & (kMissingStays - 1)) * col_step]);
    if (std::isnan(x)) [[unlikely]] {  // a branch that is guessed right: without it all the others wait for its answer
        if ((node.column & kMissingStays) != 0) return at;
        return node.first + static_cast<std::int32_t>((node.column & kMissingRight) != 0);
    }
    return node.first + static_cast<std::int32_t>(x > node.threshold);
}

// Rows [0, n) walk side by side, a step each in turn, so that the loads of one hide behind those of the others. After
// the first `together` steps a row that does not move any more drops out. Measured on 1,000,000 x 20 and 10,000 nodes,
// 15 deep on average and 45 at most, one thread: 0.05 s (float) and 0.07 s (double); 16 rows at a time until the last
// has arrived take 1.7 times as long, one row after the other 3 times.
template <class T>
void walk_packed(const Packed* nodes, Size together, const T* rows, std::ptrdiff_t row_step, std::ptrdiff_t col_step,
                 Size n, std::int32_t* at) {
    for (Size k = 0; k < together; ++k)
        for (Size r = 0; r < n; ++r)
            at[r] = step(nodes, at[r], rows + static_cast<std::ptrdiff_t>(r) * row_step, col_step);
    std::array<std::uint16_t, kTogether> active;
    std::iota(active.begin(), active.begin() + static_cast<std::ptrdiff_t>(n), std::uint16_t{0});
    while (n > 0) {
        Size moving = 0;
        for (Size k = 0; k < n; ++k) {
            const std::uint16_t r = active[k];
            const std::int32_t next = step(nodes, at[r], rows + r * row_step, col_step);
            active[moving] = r;
            moving += next != at[r];
            at[r] = next;
        }
        n = moving;
    }
}

// A tree ready for many rows.
struct Walker {
    const NodesView* nodes;
    Places places;
    std::vector<Packed> packed;  // empty: too few rows to be worth it
    Size together = 0;           // steps that nearly every row takes
};

// Rows [0, n) of a table of any strides; at[k] as of walk_on.
template <class T>
void walk_rows(const Walker& w, const T* rows, std::ptrdiff_t row_step, std::ptrdiff_t col_step, Size n,
               std::int32_t* at) {
    const NodesView& t = *w.nodes;
    std::fill_n(at, n, 0);
    if (!w.packed.empty()) {
        for (Size k = 0; k < n; k += kTogether)
            walk_packed(w.packed.data(), w.together, rows + static_cast<std::ptrdiff_t>(k) * row_step, row_step,
                        col_step, std::min(kTogether, n - k), at + k);
    }
    for (Size k = 0; k < n; ++k)
        if (t.n_children[static_cast<Size>(at[k])] > 0)
            at[k] = walk_on(t, at[k], Row<T>{rows + static_cast<std::ptrdiff_t>(k) * row_step, col_step, &w.places});
}

// A place in the tree that has a share of a row.
struct Shared {
    std::int32_t node;
    double share;
};

// Shares a row out from a node on, first branches first: enter(node) for every node that is reached and
// arrive(node, share) for those that answer.
template <class T, class Enter, class Arrive>
void share_out(const NodesView& t, std::int32_t from, const Row<T>& row, std::vector<Shared>& waiting,
               const Enter& enter, const Arrive& arrive) {
    waiting.assign(1, {from, 1.0});
    while (!waiting.empty()) {
        const Shared here = waiting.back();
        waiting.pop_back();
        enter(here.node);
        const auto i = static_cast<Size>(here.node);
        const std::int32_t branch = t.n_children[i] > 0 ? branch_of(t, i, row) : kStop;
        if (branch == kStop) {
            arrive(here.node, here.share);
        } else if (branch != kShare) {
            waiting.push_back({t.first_child[i] + branch, here.share});
        } else {
            double total = 0;
            for (std::int32_t c = 0; c < t.n_children[i]; ++c)
                total += t.weight[static_cast<Size>(t.first_child[i] + c)];
            for (std::int32_t c = t.n_children[i] - 1; c >= 0; --c) {
                const std::int32_t child = t.first_child[i] + c;
                const double part = total > 0 ? t.weight[static_cast<Size>(child)] / total : 1.0 / t.n_children[i];
                if (part > 0) waiting.push_back({child, here.share * part});
            }
        }
    }
}

// Calls use(row number, row, where it ended as of walk_on, scratch) for rows [begin, end).
template <class T, class Use>
void each_row(const Walker& w, const Dense<T>& x, Size begin, Size end, const Use& use) {
    std::array<std::int32_t, kRowsOfBlock> at;
    std::vector<Shared> scratch;
    for (Size first = begin; first < end; first += kRowsOfBlock) {
        const Size n = std::min(kRowsOfBlock, end - first);
        const T* rows = &x.at(first, 0);
        walk_rows(w, rows, x.row_stride, x.col_stride, n, at.data());
        for (Size k = 0; k < n; ++k)
            use(first + k, Row<T>{rows + static_cast<std::ptrdiff_t>(k) * x.row_stride, x.col_stride, &w.places}, at[k],
                scratch);
    }
}

// A sparse row is spread out over the columns that the tree asks, and swept up after it walked: work by its entries.
template <class Index, class Use>
void each_row(const Walker& w, const Csr<Index>& x, Size begin, Size end, const Use& use) {
    const Size width = std::max<Size>(w.places.count, 1);
    std::vector<double> tile(kSparseTile * width, 0.0);
    std::array<std::int32_t, kSparseTile> at;
    std::vector<Shared> scratch;
    const auto spread = [&](Size row, double* into, bool sweep) {
        for (auto k = x.starts[row]; k < x.starts[row + 1]; ++k)
            if (const std::int32_t place = w.places(static_cast<std::int32_t>(x.indices[k])); place >= 0)
                into[place] = sweep ? 0.0 : x.values[k];
    };
    for (Size first = begin; first < end; first += kSparseTile) {
        const Size n = std::min(kSparseTile, end - first);
        for (Size k = 0; k < n; ++k) spread(first + k, tile.data() + k * width, false);
        walk_rows(w, tile.data(), static_cast<std::ptrdiff_t>(width), 1, n, at.data());
        for (Size k = 0; k < n; ++k) {
            use(first + k, Row<double>{tile.data() + k * width, 1, &w.places}, at[k], scratch);
            spread(first + k, tile.data() + k * width, true);
        }
    }
}

template <class T>
bool spreads(const Dense<T>&) {
    return false;
}
template <class Index>
bool spreads(const Csr<Index>&) {
    return true;
}

template <class View>
Walker walker_of(const NodesView& t, const View& x, Size rows) {
    Walker w{&t, {}, {}, static_cast<Size>(std::bit_width(t.count())) * 2 / 3};
    if (spreads(x)) w.places = places_of(t, x.cols);
    // Packing reads every node once: worth it as soon as the rows together pass about as many.
    if (t.count() > 1 && rows * 8 > t.count()) w.packed = pack(t, w.places);
    return w;
}

template <class T>
std::int32_t heaviest(const NodesView& t, std::int32_t from, const Row<T>& row, std::vector<Shared>& scratch) {
    Shared best{from, -1.0};
    share_out(
        t, from, row, scratch, [](std::int32_t) {},
        [&](std::int32_t node, double share) {
            if (share > best.share) best = {node, share};
        });
    return best.node;
}

// out += share * value of a node, each output's classes turned into shares first.
void add_value(const NodesView& t, std::int32_t node, double share, std::span<const std::int64_t> classes,
               double* out) {
    const double* value = t.value.data() + static_cast<Size>(node) * t.width;
    if (classes.empty()) {
        for (Size c = 0; c < t.width; ++c) out[c] += share * value[c];
        return;
    }
    for (const std::int64_t count : classes) {
        double total = 0;
        for (std::int64_t c = 0; c < count; ++c) total += value[c];
        if (total > 0)
            for (std::int64_t c = 0; c < count; ++c) out[c] += share * (value[c] / total);
        value += count;
        out += count;
    }
}

// Lists of a block of rows, joined in order afterward.
struct Piece {
    std::vector<std::int32_t> node;
    std::vector<double> share;
    std::vector<std::int64_t> count;
};

NodeLists join(const std::vector<Piece>& pieces, bool with_shares) {
    NodeLists all;
    all.start.push_back(0);
    for (const Piece& piece : pieces) {
        for (const std::int64_t count : piece.count) all.start.push_back(all.start.back() + count);
        all.node.insert(all.node.end(), piece.node.begin(), piece.node.end());
        if (with_shares) all.share.insert(all.share.end(), piece.share.begin(), piece.share.end());
    }
    return all;
}

// list(row, end of its walk, scratch, piece) appends one row's entries to the piece.
template <class List>
NodeLists list_rows(const NodesView& t, const Matrix& x, Size begin, Size end, int threads, bool with_shares,
                    const List& list) {
    require(begin <= end && end <= rows_of(x), "tree: rows");
    std::vector<Piece> pieces(blocks_of(end - begin, kRowsOfBlock));
    std::visit(
        [&](const auto& view) {
            const Walker w = walker_of(t, view, end - begin);
            parallel_for(pieces.size(), threads, [&](Size b) {
                const Size first = begin + b * kRowsOfBlock;
                each_row(w, view, first, std::min(first + kRowsOfBlock, end),
                         [&](Size, const auto& row, std::int32_t at, std::vector<Shared>& scratch) {
                             const Size before = pieces[b].node.size();
                             list(row, at, scratch, pieces[b]);
                             pieces[b].count.push_back(static_cast<std::int64_t>(pieces[b].node.size() - before));
                         });
            });
        },
        x);
    return join(pieces, with_shares);
}

template <class Use>
void for_rows(const NodesView& t, const Matrix& x, int threads, const Use& use) {
    std::visit(
        [&](const auto& view) {
            const Walker w = walker_of(t, view, view.rows);
            parallel_for(blocks_of(view.rows, kRowsOfBlock), threads, [&](Size b) {
                each_row(w, view, b * kRowsOfBlock, std::min((b + 1) * kRowsOfBlock, view.rows), use);
            });
        },
        x);
}

}  // namespace

void apply(const NodesView& t, const Matrix& x, std::span<std::int32_t> out, int threads) {
    require(out.size() == rows_of(x), "tree apply: size of the result");
    for_rows(t, x, threads, [&](Size r, const auto& row, std::int32_t at, std::vector<Shared>& scratch) {
        out[r] = at >= 0 ? at : heaviest(t, ~at, row, scratch);
    });
}

void answer(const NodesView& t, const Matrix& x, std::span<const std::int64_t> classes, std::span<double> out,
            int threads) {
    std::int64_t sum = 0;
    for (const std::int64_t count : classes) {
        require(count >= 1, "tree answer: classes");
        sum += count;
    }
    require(classes.empty() || sum == static_cast<std::int64_t>(t.width), "tree answer: classes");
    require(out.size() == rows_of(x) * t.width, "tree answer: size of the result");
    for_rows(t, x, threads, [&](Size r, const auto& row, std::int32_t at, std::vector<Shared>& scratch) {
        double* into = out.data() + r * t.width;
        if (at >= 0 && classes.empty()) {
            std::copy_n(t.value.data() + static_cast<Size>(at) * t.width, t.width, into);
            return;
        }
        std::fill_n(into, t.width, 0.0);
        if (at >= 0) return add_value(t, at, 1.0, classes, into);
        share_out(
            t, ~at, row, scratch, [](std::int32_t) {},
            [&](std::int32_t node, double share) { add_value(t, node, share, classes, into); });
    });
}

NodeLists paths(const NodesView& t, const Matrix& x, Size begin, Size end, int threads) {
    return list_rows(t, x, begin, end, threads, false,
                     [&](const auto& row, std::int32_t at, std::vector<Shared>& scratch, Piece& piece) {
                         const auto first = static_cast<std::ptrdiff_t>(piece.node.size());
                         // Sharing enters its first node again.
                         for (std::int32_t i = at >= 0 ? at : t.parent[static_cast<Size>(~at)]; i >= 0;
                              i = t.parent[static_cast<Size>(i)])
                             piece.node.push_back(i);
                         if (at < 0)
                             share_out(
                                 t, ~at, row, scratch, [&](std::int32_t node) { piece.node.push_back(node); },
                                 [](std::int32_t, double) {});
                         std::sort(piece.node.begin() + first, piece.node.end());
                     });
}

NodeLists answering(const NodesView& t, const Matrix& x, Size begin, Size end, int threads) {
    return list_rows(t, x, begin, end, threads, true,
                     [&](const auto& row, std::int32_t at, std::vector<Shared>& scratch, Piece& piece) {
                         const auto put = [&](const Shared& s) {
                             piece.node.push_back(s.node);
                             piece.share.push_back(s.share);
                         };
                         if (at >= 0) return put({at, 1.0});
                         std::vector<Shared> reached;
                         share_out(
                             t, ~at, row, scratch, [](std::int32_t) {},
                             [&](std::int32_t node, double share) { reached.push_back({node, share}); });
                         std::sort(reached.begin(), reached.end(),
                                   [](const Shared& a, const Shared& b) { return a.node < b.node; });
                         std::for_each(reached.begin(), reached.end(), put);
                     });
}

}  // namespace pellucid::tree
