// Every SIMD level that this machine has, one after the other.
#pragma once

#include <string>
#include <vector>

#include "core/base/simd.hpp"
#include "tests/harness.hpp"

namespace pellucid::test {

inline std::vector<std::string> levels() {
    std::vector<std::string> all;
    for (const Level l : {Level::baseline, Level::v3, Level::v4})
        if (l <= best_level()) all.emplace_back(level_name(l));
    return all;
}

struct KeepLevel {
    const Level before = current_level();
    ~KeepLevel() { set_level(level_name(before)); }
};

template <class F>
void at_every_level(const F& body) {
    const KeepLevel keep;
    const std::string place = where;
    for (const std::string& level : levels()) {
        CHECK(set_level(level));
        where = place.empty() ? level : place + ", " + level;
        body();
    }
    where = place;
}

}  // namespace pellucid::test
