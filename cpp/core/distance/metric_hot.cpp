// Compiled once per SIMD level (see CMakeLists.txt). Only plain loops and compiler vectors here, and no header with
// inline functions: a function shared with another translation unit could be linked from the wrong level.
#include "core/distance/metric_hot.hpp"

#include "core/base/level.hpp"

extern "C" {
double pow(double, double);
double sin(double);
double cos(double);
}

namespace pellucid {
namespace {

constexpr std::size_t kLanes = 4;

// s + a b: rounded once wherever the level can, said here and not left to the compiler, which fused the products of a
// pair and not those of a panel.
inline double fused(double a, double b, double s) {
#if defined(__FMA__)
    return __builtin_fma(a, b, s);
#else
    return s + a * b;
#endif
}

// A metric: how many sums it keeps, what a pair of numbers adds to each, and what the sums come to.
struct Euclidean {
    static constexpr std::size_t sums = 1;
    static void add(double* s, double x, double z, double) {
        const double t = x - z;
        s[0] = fused(t, t, s[0]);
    }
    static double total(const double* s, std::size_t) { return s[0]; }
};
struct Manhattan {
    static constexpr std::size_t sums = 1;
    static void add(double* s, double x, double z, double) { s[0] += __builtin_fabs(x - z); }
    static double total(const double* s, std::size_t) { return s[0]; }
};
struct Chebyshev {
    static constexpr std::size_t sums = 1;
    static void add(double* s, double x, double z, double) {
        const double t = __builtin_fabs(x - z);
        s[0] = t > s[0] ? t : s[0];
    }
    static double total(const double* s, std::size_t) { return s[0]; }
};
struct Minkowski {
    static constexpr std::size_t sums = 1;
    static void add(double* s, double x, double z, double p) { s[0] += pow(__builtin_fabs(x - z), p); }
    static double total(const double* s, std::size_t) { return s[0]; }
};
struct Hamming {
    static constexpr std::size_t sums = 1;
    static void add(double* s, double x, double z, double) { s[0] += x != z ? 1.0 : 0.0; }
    static double total(const double* s, std::size_t d) { return s[0] / static_cast<double>(d); }
};
struct Cosine {
    static constexpr std::size_t sums = 1;
    static void add(double* s, double x, double z, double) { s[0] = fused(x, z, s[0]); }
    static double total(const double* s, std::size_t) { return s[0] > 1 ? 0.0 : 1.0 - s[0]; }
};
struct Jaccard {
    static constexpr std::size_t sums = 2;
    static void add(double* s, double x, double z, double) {
        const bool either = x != 0 || z != 0;
        s[0] += either && x != z ? 1.0 : 0.0;
        s[1] += either ? 1.0 : 0.0;
    }
    static double total(const double* s, std::size_t) { return s[1] == 0 ? 0.0 : s[0] / s[1]; }
};
struct Tanimoto {
    static constexpr std::size_t sums = 3;
    static void add(double* s, double x, double z, double) {
        s[0] = fused(x, z, s[0]);
        s[1] = fused(x, x, s[1]);
        s[2] = fused(z, z, s[2]);
    }
    static double total(const double* s, std::size_t) {
        const double either = s[1] + s[2] - s[0];
        return either == 0 ? 0.0 : 1.0 - s[0] / either;
    }
};
struct Canberra {
    static constexpr std::size_t sums = 1;
    static void add(double* s, double x, double z, double) {
        const double size = __builtin_fabs(x) + __builtin_fabs(z);
        s[0] += size > 0 ? __builtin_fabs(x - z) / size : 0.0;
    }
    static double total(const double* s, std::size_t) { return s[0]; }
};
struct BrayCurtis {
    static constexpr std::size_t sums = 2;
    static void add(double* s, double x, double z, double) {
        s[0] += __builtin_fabs(x - z);
        s[1] += __builtin_fabs(x + z);
    }
    static double total(const double* s, std::size_t) { return s[0] == 0 ? 0.0 : s[0] / s[1]; }
};
struct NanEuclidean {
    static constexpr std::size_t sums = 2;
    static void add(double* s, double x, double z, double) {
        const double t = x - z;
        const bool both = x == x && z == z;
        s[0] = both ? fused(t, t, s[0]) : s[0];
        s[1] += both ? 1.0 : 0.0;
    }
    static double total(const double* s, std::size_t d) { return static_cast<double>(d) / s[1] * s[0]; }
};

template <class M>
double combine(const double (&s)[M::sums][kLanes], std::size_t d) {
    double whole[M::sums];
    for (std::size_t k = 0; k < M::sums; ++k) {
        if constexpr (__is_same(M, Chebyshev)) {
            const double a = s[k][0] > s[k][1] ? s[k][0] : s[k][1], b = s[k][2] > s[k][3] ? s[k][2] : s[k][3];
            whole[k] = a > b ? a : b;
        } else {
            whole[k] = (s[k][0] + s[k][1]) + (s[k][2] + s[k][3]);
        }
    }
    return M::total(whole, d);
}

template <class M, class T>
void add_lane(double (&s)[M::sums][kLanes], std::size_t lane, double x, T z, double p) {
    double own[M::sums];
    for (std::size_t k = 0; k < M::sums; ++k) own[k] = s[k][lane];
    M::add(own, x, static_cast<double>(z), p);
    for (std::size_t k = 0; k < M::sums; ++k) s[k][lane] = own[k];
}

template <class M, class T>
double pair(const double* x, const T* z, std::size_t d, double p) {
    double s[M::sums][kLanes] = {};
    std::size_t j = 0;
    for (; j + kLanes <= d; j += kLanes)
        for (std::size_t lane = 0; lane < kLanes; ++lane) add_lane<M, T>(s, lane, x[j + lane], z[j + lane], p);
    for (std::size_t lane = 0; j < d; ++j, ++lane) add_lane<M, T>(s, lane, x[j], z[j], p);
    return combine<M>(s, d);
}

template <class M, class T>
void add_abreast(double (&s)[M::sums][kAbreast], double x, const T* z, double p) {
    for (std::size_t r = 0; r < kAbreast; ++r) {
        double own[M::sums];
        for (std::size_t k = 0; k < M::sums; ++k) own[k] = s[k][r];
        M::add(own, x, static_cast<double>(z[r]), p);
        for (std::size_t k = 0; k < M::sums; ++k) s[k][r] = own[k];
    }
}

// Up to four columns, a term a lane: the same sums without a loop over columns.
template <class M, class T, std::size_t D>
void few_columns(const double* x, const T* z, double p, double* out) {
    for (std::size_t r = 0; r < kAbreast; ++r) {
        double one[M::sums][kLanes] = {};
        for (std::size_t j = 0; j < D; ++j) add_lane<M, T>(one, j, x[j], z[j * kAbreast + r], p);
        out[r] = combine<M>(one, D);
    }
}

template <class M, class T>
void panel(const double* x, const T* z, std::size_t d, double p, double* out) {
    if (d == 1) return few_columns<M, T, 1>(x, z, p, out);
    if (d == 2) return few_columns<M, T, 2>(x, z, p, out);
    if (d == 3) return few_columns<M, T, 3>(x, z, p, out);
    if (d == 4) return few_columns<M, T, 4>(x, z, p, out);
    double s[kLanes][M::sums][kAbreast] = {};
    std::size_t j = 0;
    for (; j + kLanes <= d; j += kLanes)
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            add_abreast<M, T>(s[lane], x[j + lane], z + (j + lane) * kAbreast, p);
    for (std::size_t lane = 0; j < d; ++j, ++lane) add_abreast<M, T>(s[lane], x[j], z + j * kAbreast, p);
    for (std::size_t r = 0; r < kAbreast; ++r) {
        double one[M::sums][kLanes];
        for (std::size_t k = 0; k < M::sums; ++k)
            for (std::size_t lane = 0; lane < kLanes; ++lane) one[k][lane] = s[lane][k][r];
        out[r] = combine<M>(one, d);
    }
}

// Not inlined, so that a pair and a panel round alike.
template <class T>
[[gnu::noinline]] double haversine_pair(const double* x, const T* z, std::size_t, double) {
    const double north = sin((x[0] - static_cast<double>(z[0])) / 2),
                 east = sin((x[1] - static_cast<double>(z[1])) / 2);
    return north * north + (cos(x[0]) * cos(static_cast<double>(z[0]))) * (east * east);
}

template <class T>
void haversine_panel(const double* x, const T* z, std::size_t d, double p, double* out) {
    for (std::size_t r = 0; r < kAbreast; ++r) {
        const T row[2] = {z[r], z[kAbreast + r]};
        out[r] = haversine_pair<T>(x, row, d, p);
    }
}

template <class T>
struct Table {
    template <class M>
    static constexpr MetricFunctions<T> of() {
        return {pair<M, T>, panel<M, T>};
    }
};

#define PELLUCID_METRICS(T)                                                                                         \
    {                                                                                                               \
        Table<T>::of<Euclidean>(), Table<T>::of<Manhattan>(), Table<T>::of<Chebyshev>(), Table<T>::of<Minkowski>(), \
            Table<T>::of<Hamming>(), Table<T>::of<Cosine>(), Table<T>::of<Jaccard>(), Table<T>::of<Tanimoto>(),     \
            Table<T>::of<Canberra>(), Table<T>::of<BrayCurtis>(), Table<T>::of<NanEuclidean>(), {                   \
            haversine_pair<T>, haversine_panel<T>                                                                   \
        }                                                                                                           \
    }

}  // namespace

extern const MetricHot PELLUCID_JOIN(metric_hot_, PELLUCID_LEVEL);
const MetricHot PELLUCID_JOIN(metric_hot_, PELLUCID_LEVEL) = {PELLUCID_METRICS(double), PELLUCID_METRICS(float)};

}  // namespace pellucid
