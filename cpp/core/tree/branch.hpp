// A node while its tree grows, and the rows of all nodes.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "core/base/pool.hpp"
#include "core/base/rng.hpp"
#include "core/tree/criterion.hpp"
#include "core/tree/problem.hpp"
#include "core/tree/split.hpp"
#include "core/tree/workspace.hpp"

namespace pellucid::tree {

// The rows in use, in an order in which those of every node lie side by side: positions begin .. end of a node. When a
// node is split, the rows of its left child come first, each side in the order it had: that of the table. Everything
// that is looked up again and again for a row (what the criterion knows, which side it takes) is indexed by position,
// so that the work on a small node stays in the cache.
template <Criterion C>
struct RowSet {
    std::vector<std::uint32_t> row;        // row of the table at a position
    std::vector<typename C::Row> what;     // what the criterion knows of it
    std::vector<std::uint32_t> new_place;  // where the row went that was at a position before its node was split

    Size count() const { return row.size(); }
};

// The part of a node that stays in the tree.
struct Branch {
    Size begin = 0, end = 0;  // positions of its rows
    Size middle = 0;          // of a split node: the right child's rows begin here
    Size depth = 0;
    std::uint64_t key = 1;    // of the way from the root: what is drawn at random for a node hangs on it alone
    std::int32_t serial = 0;  // its own number
    std::int32_t parent = -1, first_child = -1;
    double weight = 0, impurity = 0, improvement = 0;
    double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
    Split split;

    Size rows() const { return end - begin; }
    // Where no value was missing, a missing one follows the greater number of rows; the right side if they are even.
    std::int32_t missing_child() const {
        return (split.has_missing ? split.missing_left : middle - begin > end - middle) ? 0 : 1;
    }
};

// Finalizer of SplitMix64 over the way so far and the branch taken.
inline std::uint64_t key_of_child(std::uint64_t key, std::uint64_t branch) {
    std::uint64_t z = key * 2 + branch + 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

// Sums of a criterion: few in most cases, which then need no memory of their own.
class Sums {
  public:
    void resize(Size n) {
        if (n > kFew) many_.resize(n);
    }
    double* data() { return many_.empty() ? few_.data() : many_.data(); }
    const double* data() const { return many_.empty() ? few_.data() : many_.data(); }

  private:
    static constexpr Size kFew = 4;
    std::array<double, kFew> few_{};
    std::vector<double> many_;
};

// What a node's rows amount to.
struct Figures {
    Sums sums;
    double weight = 0, impurity = 0;
};

// What a finder keeps for a node (a histogram, say).
struct Keepsake {
    virtual ~Keepsake() = default;
};

// A node that may be split: what the criterion says of it, what the finder keeps for it, and both sides of its split.
template <Criterion C>
struct Open {
    Sums sums;
    typename C::Prepared prepared;
    std::unique_ptr<Keepsake> kept;
    Figures left, right;
};

template <Criterion C>
struct Asked {
    Branch* branch = nullptr;
    Open<C>* open = nullptr;

    NodeRows<C> node(const RowSet<C>& rows) const {
        return {std::span(rows.what).subspan(branch->begin, branch->rows()), open->sums.data(), &open->prepared};
    }
};

// A split that is being carried out. A child that may not be split further has no Open.
template <Criterion C>
struct Division {
    const Branch *parent = nullptr, *left = nullptr, *right = nullptr;
    Open<C>*parent_open = nullptr, *left_open = nullptr, *right_open = nullptr;
};

}  // namespace pellucid::tree
