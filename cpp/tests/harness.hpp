// The smallest harness that serves: TEST(name) { CHECK(...); } in any source, and main() runs them all.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace pellucid::test {

struct Case {
    const char* name;
    void (*body)();
};

inline std::vector<Case>& cases() {
    static std::vector<Case> all;
    return all;
}

struct Register {
    Register(const char* name, void (*body)()) { cases().push_back({name, body}); }
};

inline int failures = 0;   // of the case that is running
inline std::string where;  // what a loop is at, shown with a failure

inline void check(bool good, const char* file, int line, const std::string& what) {
    if (good) return;
    if (++failures <= 5)
        std::printf("  %s:%d: %s%s%s\n", file, line, what.c_str(), where.empty() ? "" : "  at ", where.c_str());
}

inline void check_near(long double got, long double want, long double tolerance, const char* file, int line,
                       const char* what) {
    if (std::abs(got - want) <= tolerance) return;
    char text[200];
    std::snprintf(text, sizeof text, ": got %.17Lg, want %.17Lg within %.3Lg", got, want, tolerance);
    check(false, file, line, what + std::string(text));
}

inline bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

}  // namespace pellucid::test

#define CHECK(condition) ::pellucid::test::check((condition), __FILE__, __LINE__, #condition)
#define CHECK_NEAR(got, want, tolerance) \
    ::pellucid::test::check_near((got), (want), (tolerance), __FILE__, __LINE__, #got)
#define TEST(name)                                                        \
    static void name();                                                   \
    static const ::pellucid::test::Register register_##name{#name, name}; \
    static void name()
