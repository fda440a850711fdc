// A split finder proposes splits for several nodes at once, and is told when splits are carried out.
#pragma once

#include "core/tree/branch.hpp"
#include "core/tree/sides.hpp"

namespace pellucid::tree {

// Memory for rows that go right while their node is parted, and for what a finder does.
template <Criterion C>
struct Memory {
    Workspace task;
    std::vector<std::uint32_t> row;
    std::vector<typename C::Row> what;
};

// Who knows which side of a split a row takes: what a finder has, and what looks at its columns (column_finder.hpp).
template <Criterion C>
class Parting {
  public:
    virtual ~Parting() = default;
    // Moves the rows of a node to their sides (see part_rows), and sets branch.middle.
    virtual void part(Branch& branch, RowSet<C>& rows, Memory<C>& memory) const = 0;
    // Categories of the split's column among these rows, ascending.
    virtual std::vector<std::uint32_t> categories(const Split& split, std::span<const std::uint32_t> rows,
                                                  const Workspace& workspace) const = 0;
};

// Nodes are disjoint sets of rows; calls for different nodes come from several threads at once.
template <Criterion C>
class Finder : public Parting<C> {
  public:
    // Writes branch->split of each node; where there is none its feature stays -1.
    virtual void find(std::span<const Asked<C>> asked, int threads) = 0;
    // The rows have moved (RowSet::new_place says where to, Branch::middle where the right child begins): the finder's
    // own memory goes the same way. Rows of children that are not asked about need not be moved.
    virtual void follow(std::span<const Division<C>> divisions, int threads) = 0;

    // The same for one node of a subtree that is grown in one go, on one thread, with a workspace that stays with it.
    // At its root: may fetch what it reads of these rows (see Near).
    virtual void approach(std::span<std::uint32_t>, Workspace&) {}
    // At each of its nodes: the same, from what was fetched for a node above.
    virtual void approach_one(const Branch&, std::span<std::uint32_t>, Workspace&) {}
    // Whether it asks RowSet::new_place at all.
    virtual bool follows() const { return true; }
    // How many rows the root of such a subtree may have, of `usual` that fit the cache with all columns.
    virtual Size subtree_rows(Size usual) const { return usual; }
    virtual void find_one(const Asked<C>& asked, Workspace& workspace) = 0;
    virtual void follow_one(const Division<C>& division, Workspace& workspace) = 0;
};

// Left ones first, both sides in the order they have. Every row is written to both sides, and only one of the two moves
// on: no branch to be guessed. note(i, place): left ones are numbered 0, 1, ..., right ones ~0, ~1, ...
template <Criterion C, class Sides, class Note>
void move_rows(const Sides& sides, Branch& branch, RowSet<C>& rows, Memory<C>& memory, Note note) {
    const Size n = branch.rows();
    if (memory.row.size() < n) {
        memory.row.resize(n);
        memory.what.resize(n);
    }
    std::uint32_t* row = rows.row.data() + branch.begin;
    typename C::Row* what = rows.what.data() + branch.begin;
    std::uint32_t *other_row = memory.row.data(), left = 0, right = 0;
    typename C::Row* other_what = memory.what.data();
    // What is written may be bytes, which might be anything for all a compiler knows: nothing that counts is reached
    // through memory.
    sides.with([=, &left_out = left, &right_out = right](auto goes_left) {
        std::uint32_t left = 0, right = 0;
        for (Size i = 0; i < n; ++i) {
            const std::uint32_t r = row[i];
            const typename C::Row w = what[i];
            const bool side = goes_left(r);
            note(i, side ? left : ~right);
            row[left] = other_row[right] = r;
            what[left] = other_what[right] = w;
            left += side;
            right += !side;
        }
        left_out = left;
        right_out = right;
    });
    std::copy_n(other_row, right, row + left);
    std::copy_n(other_what, right, what + left);
    branch.middle = branch.begin + left;
}

// The same, and RowSet::new_place says where each row went.
template <Criterion C, class Sides>
void part_rows(const Sides& sides, Branch& branch, RowSet<C>& rows, Memory<C>& memory) {
    std::uint32_t* place = rows.new_place.data() + branch.begin;
    move_rows(sides, branch, rows, memory, [place](Size i, std::uint32_t where) { place[i] = where; });
    const auto begin = static_cast<std::uint32_t>(branch.begin), middle = static_cast<std::uint32_t>(branch.middle);
    for (Size i = 0; i < branch.rows(); ++i)
        place[i] = static_cast<std::int32_t>(place[i]) >= 0 ? begin + place[i] : middle + ~place[i];
}

}  // namespace pellucid::tree
