// Runs every test, or those whose name contains one of the arguments.
#include <chrono>
#include <exception>

#include "core/base/simd.hpp"
#include "tests/harness.hpp"

namespace {

using namespace pellucid::test;

bool wanted(const Case& c, int argc, char** argv) {
    if (argc < 2) return true;
    for (int i = 1; i < argc; ++i)
        if (std::strstr(c.name, argv[i]) != nullptr) return true;
    return false;
}

bool passes(const Case& c) {
    failures = 0;
    where.clear();
    try {
        c.body();
    } catch (const std::exception& e) {
        check(false, c.name, 0, std::string("threw ") + e.what());
    } catch (...) {
        check(false, c.name, 0, "threw");
    }
    return failures == 0;
}

}  // namespace

int main(int argc, char** argv) {
    using Clock = std::chrono::steady_clock;
    std::printf("SIMD level %s of levels up to %s\n", pellucid::level_name(pellucid::current_level()).data(),
                pellucid::level_name(pellucid::best_level()).data());
    int passed = 0, failed = 0;
    for (const Case& c : cases()) {
        if (!wanted(c, argc, argv)) continue;
        const auto start = Clock::now();
        const bool good = passes(c);
        const std::chrono::duration<double, std::milli> took = Clock::now() - start;
        std::printf("%s %-60s %8.1f ms\n", good ? "ok  " : "FAIL", c.name, took.count());
        std::fflush(stdout);
        ++(good ? passed : failed);
    }
    std::printf("%d passed, %d failed\n", passed, failed);
    return failed == 0 && passed > 0 ? 0 : 1;  // a name that fits no test is a mistake
}
