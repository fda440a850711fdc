// A column of numbers as somebody else stores it, and its values as 64-bit keys whose order is the order of the values.
//
//   real     key = bits of x with the sign turned (all bits of a negative number); the two zeros are one
//   whole    key = x with the sign bit turned
//   natural  key = x
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/base/check.hpp"
#include "core/base/views.hpp"

namespace pellucid::quality {

using Key = std::uint64_t;

enum class Stored : int { f64, f32, i64, i32, i16, i8, u64, u32, u16, u8 };
enum class Domain : int { real, whole, natural };

struct AnyColumn {
    const void* data = nullptr;
    Size rows = 0;
    std::ptrdiff_t stride = 1;  // in elements
    Stored stored = Stored::f64;
    const std::uint8_t* missing = nullptr;  // a flag a row, or nothing
    bool times = false;                     // the smallest 64-bit number stands for a missing time

    bool is_missing(Size row) const { return missing != nullptr && missing[row] != 0; }
};

inline constexpr Key kSign = Key{1} << 63;

inline Key key_of(double x) {
    const auto bits = std::bit_cast<Key>(x + 0.0);
    return bits ^ ((bits >> 63) != 0 ? ~Key{0} : kSign);
}
inline Key key_of(std::int64_t x) { return static_cast<Key>(x) ^ kSign; }
inline Key key_of(std::uint64_t x) { return x; }

template <class V>
V value_of(Key key) {
    if constexpr (std::is_same_v<V, double>)
        return std::bit_cast<double>(key ^ ((key >> 63) != 0 ? kSign : ~Key{0}));
    else if constexpr (std::is_same_v<V, std::int64_t>)
        return static_cast<std::int64_t>(key ^ kSign);
    else
        return key;
}

inline Domain domain_of(Stored stored) {
    if (stored == Stored::f64 || stored == Stored::f32) return Domain::real;
    return stored == Stored::u64 ? Domain::natural : Domain::whole;
}

// Calls f with the type in which the column's values are looked at: double, int64 or uint64.
template <class F>
decltype(auto) visit_domain(Domain domain, F&& f) {
    switch (domain) {
        case Domain::real:
            return f(double{});
        case Domain::whole:
            return f(std::int64_t{});
        default:
            return f(std::uint64_t{});
    }
}

// Calls f with a pointer of the type that is stored.
template <class F>
decltype(auto) visit_stored(const AnyColumn& column, F&& f) {
    switch (column.stored) {
        case Stored::f64:
            return f(static_cast<const double*>(column.data));
        case Stored::f32:
            return f(static_cast<const float*>(column.data));
        case Stored::i64:
            return f(static_cast<const std::int64_t*>(column.data));
        case Stored::i32:
            return f(static_cast<const std::int32_t*>(column.data));
        case Stored::i16:
            return f(static_cast<const std::int16_t*>(column.data));
        case Stored::i8:
            return f(static_cast<const std::int8_t*>(column.data));
        case Stored::u64:
            return f(static_cast<const std::uint64_t*>(column.data));
        case Stored::u32:
            return f(static_cast<const std::uint32_t*>(column.data));
        case Stored::u16:
            return f(static_cast<const std::uint16_t*>(column.data));
        default:
            return f(static_cast<const std::uint8_t*>(column.data));
    }
}

// The type in which a stored type is looked at.
template <class T>
using Seen = std::conditional_t<std::is_floating_point_v<T>, double,
                                std::conditional_t<std::is_same_v<T, std::uint64_t>, std::uint64_t, std::int64_t>>;

// Calls f(row, key) for rows [from, to) with a value and none(row) for those without one.
template <class F, class G>
void each_key(const AnyColumn& column, Size from, Size to, F&& f, G&& none) {
    visit_stored(column, [&](const auto* data) {
        using T = std::remove_cvref_t<decltype(*data)>;
        for (Size r = from; r < to; ++r) {
            const T x = data[static_cast<std::ptrdiff_t>(r) * column.stride];
            bool gone = column.is_missing(r);
            if constexpr (std::is_floating_point_v<T>) gone = gone || x != x;
            if constexpr (std::is_same_v<T, std::int64_t>)
                gone = gone || (column.times && x == std::numeric_limits<std::int64_t>::min());
            if (gone)
                none(r);
            else
                f(r, key_of(static_cast<Seen<T>>(x)));
        }
    });
}

}  // namespace pellucid::quality
