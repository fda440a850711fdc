// Memory for large arrays that are read here and there: on pages of 2 MB where the system has them.
//
// Rows of a node lie all over a table: with pages of 4 KB nearly every look at one first has to find its page. Arrays
// below kLarge come from the usual place.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace pellucid {

namespace large {

inline constexpr std::size_t kPage = std::size_t{1} << 21, kLarge = 2 * kPage;

inline std::align_val_t alignment(std::size_t bytes) { return std::align_val_t{bytes < kLarge ? 64 : kPage}; }

inline void* take(std::size_t bytes) {
    void* memory = ::operator new(bytes, alignment(bytes));
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (bytes >= kLarge) madvise(memory, bytes, MADV_HUGEPAGE);  // a wish: without it the memory is as good, but slower
#endif
    return memory;
}
inline void give_back(void* memory, std::size_t bytes) { ::operator delete(memory, alignment(bytes)); }

template <class T>
struct Allocator {
    using value_type = T;
    Allocator() = default;
    template <class U>
    Allocator(const Allocator<U>&) {}
    T* allocate(std::size_t n) {
        if (n > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_array_new_length();
        return static_cast<T*>(take(n * sizeof(T)));
    }
    void deallocate(T* memory, std::size_t n) { give_back(memory, n * sizeof(T)); }
    bool operator==(const Allocator&) const { return true; }
};

struct Free {
    std::size_t bytes = 0;
    template <class T>
    void operator()(T* memory) const {
        give_back(memory, bytes);
    }
};

}  // namespace large

template <class T>
using LargeVector = std::vector<T, large::Allocator<T>>;

// Bytes with whatever is in them.
template <class T>
using LargeBytes = std::unique_ptr<T[], large::Free>;
template <class T>
LargeBytes<T> large_bytes(std::size_t n) {
    static_assert(sizeof(T) == 1);
    return LargeBytes<T>(static_cast<T*>(large::take(n)), large::Free{n});
}

}  // namespace pellucid
