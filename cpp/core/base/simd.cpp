#include "core/base/simd.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>

namespace pellucid {
namespace {

constexpr std::array<std::string_view, 3> kNames = {"baseline", "v3", "v4"};

Level from_environment() {
    const char* name = std::getenv("PELLUCID_SIMD");
    if (name == nullptr) return best_level();
    const auto found = std::find(kNames.begin(), kNames.end(), std::string_view(name));
    if (found == kNames.end()) return best_level();
    return std::min(best_level(), static_cast<Level>(found - kNames.begin()));
}

std::atomic<Level>& level() {
    static std::atomic<Level> chosen{from_environment()};
    return chosen;
}

}  // namespace

Level best_level() {
#ifdef PELLUCID_X86_LEVELS
    __builtin_cpu_init();
    // __builtin_cpu_supports("x86-64-v3") asks for all that -march=x86-64-v3 may emit, lzcnt, movbe and f16c included.
    const bool v3 = __builtin_cpu_supports("x86-64-v3");
    const bool v4 = __builtin_cpu_supports("x86-64-v4");
    return v4 ? Level::v4 : v3 ? Level::v3 : Level::baseline;
#else
    return Level::baseline;
#endif
}

Level current_level() { return level().load(std::memory_order_relaxed); }

bool set_level(std::string_view name) {
    const auto found = std::find(kNames.begin(), kNames.end(), name);
    if (found == kNames.end()) return false;
    const auto wanted = static_cast<Level>(found - kNames.begin());
    if (wanted > best_level()) return false;
    level().store(wanted, std::memory_order_relaxed);
    return true;
}

std::string_view level_name(Level l) { return kNames[static_cast<unsigned>(l)]; }

}  // namespace pellucid
