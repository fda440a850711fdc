#include "core/recommend/similarity.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"

namespace pellucid {
namespace {

// Rows of a block: few enough for all threads to have work, many enough that a block's scratch is worth its memory.
constexpr Size rows_of_block(Size n) { return std::max<Size>(16, blocks_of(n, 128)); }

// How two rows are compared: what is summed over the columns that they have in common, and what it comes to.
struct AllColumns {
    struct Sums {
        double n = 0, ab = 0;
        void add(double a, double b) {
            n += 1;
            ab += a * b;
        }
    };
    std::vector<double> length;  // of each row

    explicit AllColumns(const Rated& rows) : length(rows.rows(), 0.0) {
        for (Size r = 0; r < rows.rows(); ++r) {
            for (Size at = rows.first(r); at < rows.last(r); ++at) length[r] += rows.values[at] * rows.values[at];
            length[r] = std::sqrt(length[r]);
        }
    }
    double similarity(const Sums& s, Size a, Size b) const {
        const double lengths = length[a] * length[b];
        return lengths > 0 ? s.ab / lengths : NAN;
    }
};

struct CommonColumns {
    struct Sums {
        double n = 0, ab = 0, aa = 0, bb = 0;
        void add(double a, double b) {
            n += 1;
            ab += a * b;
            aa += a * a;
            bb += b * b;
        }
    };

    explicit CommonColumns(const Rated&) {}
    double similarity(const Sums& s, Size, Size) const {
        const double lengths = std::sqrt(s.aa) * std::sqrt(s.bb);
        return lengths > 0 ? s.ab / lengths : NAN;
    }
};

struct CenteredColumns {
    struct Sums : CommonColumns::Sums {
        double a = 0, b = 0;
        void add(double x, double y) {
            CommonColumns::Sums::add(x, y);
            a += x;
            b += y;
        }
    };

    explicit CenteredColumns(const Rated&) {}
    double similarity(const Sums& s, Size, Size) const {
        // What is left of a constant row after its mean is taken off is rounding, not spread.
        constexpr double kRounding = 1e-12;
        const double aa = s.aa - s.a * s.a / s.n, bb = s.bb - s.b * s.b / s.n;
        if (!(aa > kRounding * s.aa) || !(bb > kRounding * s.bb)) return NAN;
        const double r = (s.ab - s.a * s.b / s.n) / (std::sqrt(aa) * std::sqrt(bb));
        return std::clamp(r, -1.0, 1.0);
    }
};

struct Found {
    std::int32_t row;
    double similarity;
};

// Scratch of a block.
template <class How>
struct Walk {
    std::vector<typename How::Sums> shared;
    std::vector<std::int32_t> met;
    explicit Walk(Size rows) : shared(rows) {}
};

// The rows behind row a that are similar to it, in ascending order.
template <class How>
std::vector<Found> alike(const Rated& rows, const Rated& columns, Size a, const How& how, const SimilaritySettings& s,
                         Walk<How>& walk) {
    for (Size at = rows.first(a); at < rows.last(a); ++at) {
        const auto column = columns.indices.subspan(columns.first(rows.column(at)), columns.count(rows.column(at)));
        const auto behind = std::upper_bound(column.begin(), column.end(), static_cast<std::int32_t>(a));
        const Size skipped = static_cast<Size>(behind - column.begin());
        const double* values = columns.values.data() + columns.first(rows.column(at));
        for (Size other = skipped; other < column.size(); ++other) {
            typename How::Sums& sums = walk.shared[static_cast<Size>(column[other])];
            if (sums.n == 0) walk.met.push_back(column[other]);
            sums.add(rows.values[at], values[other]);
        }
    }
    std::sort(walk.met.begin(), walk.met.end());
    std::vector<Found> found;
    for (const std::int32_t row : walk.met) {
        const auto b = static_cast<Size>(row);
        const typename How::Sums sums = walk.shared[b];
        walk.shared[b] = {};
        if (sums.n < static_cast<double>(s.min_overlap)) continue;
        const double similarity = how.similarity(sums, a, b) * (sums.n / (sums.n + s.shrinkage));
        if (similarity > s.above) found.push_back({row, similarity});
    }
    walk.met.clear();
    return found;
}

// Each pair was found once: the other row has it too, before its own.
std::vector<std::vector<Found>> mirrored(std::vector<std::vector<Found>> behind) {
    std::vector<std::vector<Found>> whole(behind.size());
    for (Size a = 0; a < behind.size(); ++a) {
        whole[a].insert(whole[a].end(), behind[a].begin(), behind[a].end());
        for (const Found& f : behind[a])
            whole[static_cast<Size>(f.row)].push_back({static_cast<std::int32_t>(a), f.similarity});
        behind[a] = {};
    }
    return whole;
}

void keep_largest(std::vector<Found>& found, Size keep) {
    if (keep > 0 && keep < found.size()) {
        const auto nearer = [](const Found& x, const Found& y) {
            return x.similarity > y.similarity || (x.similarity == y.similarity && x.row < y.row);
        };
        std::nth_element(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(keep), found.end(), nearer);
        found.resize(keep);
        std::sort(found.begin(), found.end(), [](const Found& x, const Found& y) { return x.row < y.row; });
    }
}

template <class How>
RatedRows all_alike(const Rated& rows, const Rated& columns, const SimilaritySettings& s) {
    const Size n = rows.rows(), size = rows_of_block(n);
    const How how(rows);
    std::vector<std::vector<Found>> parts(n);
    parallel_for(blocks_of(n, size), s.threads, [&](Size block) {
        Walk<How> walk(n);
        for (Size a = block * size; a < std::min(n, (block + 1) * size); ++a)
            parts[a] = alike(rows, columns, a, how, s, walk);
    });
    parts = mirrored(std::move(parts));
    RatedRows out;
    out.starts.push_back(0);
    for (std::vector<Found>& part : parts) {
        keep_largest(part, s.keep);
        for (const Found& f : part) {
            out.indices.push_back(f.row);
            out.values.push_back(f.similarity);
        }
        out.starts.push_back(static_cast<std::int64_t>(out.indices.size()));
        part = {};
    }
    return out;
}

}  // namespace

RatedRows rating_similarities(const Rated& rows, const Rated& columns, const SimilaritySettings& s) {
    require(rows.indices.size() == columns.indices.size(), "similarities: the same ratings by row and by column");
    if (s.over == Over::all) return all_alike<AllColumns>(rows, columns, s);
    if (s.over == Over::common) return all_alike<CommonColumns>(rows, columns, s);
    return all_alike<CenteredColumns>(rows, columns, s);
}

}  // namespace pellucid
