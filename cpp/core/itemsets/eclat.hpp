// Frequent sets by a search in depth over rows of bits.
#pragma once

#include "core/itemsets/baskets.hpp"
#include "core/itemsets/found.hpp"

namespace pellucid::itemsets {

// Every set of items that is in at least `least` baskets (Zaki 2000, Eclat; the first step as in LCM, Uno et al. 2004).
// A set is met once: its items from the rarest to the most frequent, each prefix before it. For every first item the
// baskets that have it are read once, which counts its pairs; those that are frequent get a row of bits over these
// baskets, and from there on
//   baskets(P + a + b) = baskets(P + a) & baskets(P + b).
// An item that is in all baskets of a prefix joins every set found below it without another look.
// First items are shared out among threads; what is found, and its order, do not depend on them.
Found frequent_sets(const Baskets& baskets, const Settings& settings, int threads);

enum class Keep { closed, maximal };

// Closed: sets that no further item can join without losing a basket. Maximal: sets that no further item can join and
// stay frequent. A search as above that also carries the rows of the items it has passed: where one of them is in all
// baskets of a prefix, all that lies below was found with it, and is left out. Sets of more than `longest` items are
// not told, but count when it is judged whether a shorter one is closed or maximal.
Found closed_sets(const Baskets& baskets, const Settings& settings, Keep keep, int threads);

}  // namespace pellucid::itemsets
