// SIMD levels: the hot sources are compiled once per level and one of them is chosen once per call.
#pragma once

#include <string_view>

namespace pellucid {

enum class Level { baseline = 0, v3 = 1, v4 = 2 };

Level best_level();     // what this machine can run
Level current_level();  // best_level(), or the one forced by set_level / PELLUCID_SIMD
bool set_level(std::string_view name);
std::string_view level_name(Level level);

}  // namespace pellucid
