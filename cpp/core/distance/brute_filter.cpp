#include "core/distance/brute_filter.hpp"

#include <cmath>
#include <limits>
#include <memory>
#include <new>

#include "core/base/simd.hpp"
#include "core/distance/brute_collect.hpp"
#include "core/distance/brute_rows.hpp"

namespace pellucid {
namespace {

constexpr Size kTaskTiles = 16;          // tiles of queries that go through the rows together
constexpr Size kChunkBytes = 192 << 10;  // of packed rows that stay in the second cache meanwhile
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kTooLong = 1e30;  // beyond it single precision could overflow: such a row always survives

// Memory on a cache line's border, not filled.
template <class T>
class Lines {
  public:
    Lines() = default;
    explicit Lines(Size n) : data_(static_cast<T*>(::operator new(n * sizeof(T) + 64, std::align_val_t{64}))) {}
    T* get() { return data_.get(); }
    const T* get() const { return data_.get(); }

  private:
    struct Free {
        void operator()(T* p) const { ::operator delete(p, std::align_val_t{64}); }
    };
    std::unique_ptr<T, Free> data_;
};

// A row in the filter's terms: stretched by a, and its squared length.
struct Placed {
    double a = 0, squares = 0;
    bool always = false;  // cannot be judged
};

struct NarrowKind {
    using Element = std::int16_t;
    using Real = float;
    using Tile = NarrowTile;
    static constexpr Size words = 2;
    static constexpr double lower = 0x1p-20;

    explicit NarrowKind(Size columns) : error(std::sqrt(static_cast<double>(columns)) / 2 + 1), length(46340 - error) {}
    double error, length;

    Size panel() const { return product_hot().narrow_panel; }
    std::size_t run(const Tile& tile, std::uint32_t* survivors) const { return product_hot().narrow(tile, survivors); }
    double slack() const { return (2 * length * error + error * error + 256) * (1 + lower); }
    Placed place(double squares, double largest) const {
        if (!(squares < kTooLong * kTooLong)) return {0, squares, true};
        if (!(largest > 0)) return {1, 0, false};
        return {std::min({length / std::sqrt(squares), 32766 / largest, 0x1p55}), squares, false};
    }
    void convert(const double* v, double a, Size n, Element* out) const { product_hot().narrow_down(v, a, n, out); }
};

struct WideKind {
    using Element = double;
    using Real = double;
    using Tile = WideTile;
    static constexpr Size words = 1;

    explicit WideKind(Size columns) : lower((static_cast<double>(columns) + 32) * 0x1p-52) {}
    double lower;

    Size panel() const { return product_hot().wide_panel; }
    std::size_t run(const Tile& tile, std::uint32_t* survivors) const { return product_hot().wide(tile, survivors); }
    double slack() const { return lower; }
    Placed place(double squares, double largest) const {
        if (!(squares < kTooLong * kTooLong)) return {0, squares, true};
        if (!(largest > 0)) return {1, 0, false};
        const int power = std::ilogb(squares) / 2 + 1;  // squares < 2^(2 power)
        return {std::ldexp(1.0, std::min(-power, 60)), squares, false};
    }
    void convert(const double* v, double a, Size n, Element* out) const {
        for (Size j = 0; j < n; ++j) out[j] = a * v[j];
    }
};

// What a bound on the reduced distance means for x.z, in the filter's units.
struct Limit {
    bool cosine;
    double columns, unit;

    // x.z + |z|^2 / 2 is at least this for a row z that may still come in (cosine: x.z alone).
    double operator()(double squares, double bound) const {
        if (cosine) return 1 - bound - (columns + 16) * 0x1p-51;
        const double taken = bound * (1 + (columns + 16) * 0x1p-52) + columns * std::numeric_limits<double>::min();
        return (squares - taken * unit * unit) / 2;
    }
};

// Rows less the shift, and in few directions where the plan says so.
class Frame {
  public:
    Frame(const FilterPlan& plan, Size columns) : plan_(plan), columns_(columns) {}
    bool turned() const { return plan_.axes > 0; }
    Size columns() const { return columns_; }
    Size width() const { return turned() ? plan_.axes + 1 : columns_; }
    Size second_width() const { return turned() ? plan_.more_axes + 1 : 0; }

    template <class Cell>
    void center(const Cell* row, double* out, double* squares, double* largest) const {
        if constexpr (sizeof(Cell) == sizeof(float))
            product_hot().center_f32(row, plan_.shift.data(), plan_.unit, columns_, out, squares, largest);
        else
            product_hot().center_f64(row, plan_.shift.data(), plan_.unit, columns_, out, squares, largest);
    }
    // y of four centered rows on the first axes and on all, `width()` and `second_width()` long.
    void turn(const double* v, const double* squares, double* first, double* second, std::vector<double>& room) const {
        const Size padded = plan_.turn.size() / columns_;
        room.resize(4 * padded);
        product_hot().turn(v, plan_.turn.data(), padded, columns_, room.data());
        for (Size r = 0; r < 4; ++r) {
            coordinates(room.data() + r * padded, plan_.axes, squares[r], first + r * width());
            coordinates(room.data() + r * padded, plan_.more_axes, squares[r], second + r * second_width());
        }
    }

  private:
    static void coordinates(const double* along, Size axes, double squares, double* out) {
        for (Size t = 0; t < axes; ++t) {
            out[t] = along[t];
            squares -= along[t] * along[t];
        }
        out[axes] = std::sqrt(std::max(squares, 0.0));
    }

    const FilterPlan& plan_;
    Size columns_;
};

double largest_of(const double* v, Size n) {
    double most = 0;
    for (Size j = 0; j < n; ++j) most = std::max(most, std::abs(v[j]));
    return most;
}

// Rows, or queries, as the filter reads them. `abreast` rows lie side by side: [panel][step][row of the panel][word].
template <class Kind>
struct Packed {
    Size abreast = 0, steps = 0, length = 0;
    Lines<typename Kind::Element> panels;
    Lines<std::int16_t> second;  // on more axes, a row behind the other, where panels hold the first ones
    std::vector<Placed> placed, placed_second;

    Packed(Size rows, Size abreast_, const Frame& frame)
        : abreast(abreast_), steps(blocks_of(frame.width(), Kind::words)) {
        panels = Lines<typename Kind::Element>(rows * steps * Kind::words);
        placed.resize(rows);
        if (!frame.turned()) return;
        length = blocks_of(frame.second_width(), 32) * 32;
        second = Lines<std::int16_t>(rows * length);
        placed_second.resize(rows);
    }
    typename Kind::Element* panel(Size row) { return panels.get() + row * steps * Kind::words; }
    const std::int16_t* second_row(Size row) const { return second.get() + row * length; }
};

// Four rows at a time into their places.
template <class Kind>
class Packer {
  public:
    Packer(const Kind& kind, const NarrowKind& second, const Frame& frame)
        : kind_(kind),
          second_(second),
          frame_(frame),
          v_(4 * frame.columns()),
          y_(frame.turned() ? 4 * frame.width() : 0),
          more_(4 * frame.second_width()),
          line_(blocks_of(frame.width(), 2) * 2) {}

    template <class RowAt>
    void pack(Size first, Size count, const RowAt& row_at, Packed<Kind>& out) {
        const Size columns = frame_.columns(), width = frame_.width(), more = frame_.second_width();
        for (Size begin = 0; begin < count; begin += 4) {
            const Size rows = std::min<Size>(4, count - begin);
            double squares[4] = {}, largest[4] = {};
            for (Size r = 0; r < rows; ++r)
                frame_.center(row_at(begin + r), v_.data() + r * columns, squares + r, largest + r);
            if (frame_.turned()) frame_.turn(v_.data(), squares, y_.data(), more_.data(), room_);
            for (Size r = 0; r < rows; ++r) {
                const Size to = first + begin + r;
                const double* y = frame_.turned() ? y_.data() + r * width : v_.data() + r * columns;
                store(y, squares[r], frame_.turned() ? largest_of(y, width) : largest[r], to, out);
                if (frame_.turned()) store_second(more_.data() + r * more, squares[r], to, out);
            }
        }
    }

  private:
    void store(const double* y, double squares, double largest, Size to, Packed<Kind>& out) {
        const Placed placed = out.placed[to] = kind_.place(squares, largest);
        std::fill(line_.begin(), line_.end(), typename Kind::Element{0});
        if (!placed.always) kind_.convert(y, placed.a, frame_.width(), line_.data());
        typename Kind::Element* at = out.panel(to / out.abreast * out.abreast) + to % out.abreast * Kind::words;
        for (Size s = 0; s < out.steps; ++s, at += out.abreast * Kind::words)
            for (Size w = 0; w < Kind::words; ++w) at[w] = line_[s * Kind::words + w];
    }
    void store_second(const double* y, double squares, Size to, Packed<Kind>& out) {
        const Size width = frame_.second_width();
        const Placed placed = out.placed_second[to] = second_.place(squares, largest_of(y, width));
        std::int16_t* at = out.second.get() + to * out.length;
        std::fill_n(at, out.length, std::int16_t{0});
        if (!placed.always) second_.convert(y, placed.a, width, at);
    }

    const Kind& kind_;
    const NarrowKind& second_;
    const Frame& frame_;
    std::vector<double> v_, y_, more_, room_;
    std::vector<typename Kind::Element> line_;
};

// Some of the rows, in all the forms that are needed: bounded by kBlockBytes.
template <class Kind, class View>
struct Part {
    using Cell = CellOf<View>;
    std::vector<Size> groups;  // by their first rows
    Packed<Kind> packed;
    std::vector<typename Kind::Real> a, b;
    Lines<Cell> copies;  // rows one behind the other, where the table does not have them so
    const View& view;

    const Cell* row(Size at) const {
        if (copies.get() != nullptr) return copies.get() + at * view.cols;
        return row_of(view, groups[at / kGroup] + at % kGroup);
    }
};

template <class Kind, class View>
Part<Kind, View> pack_part(const View& view, const Deal& deal, Size which, const Kind& kind, const NarrowKind& second,
                           const Frame& frame, bool cosine, int threads) {
    std::vector<Size> groups = deal.part(which);
    const Size room = groups.size() * kGroup;
    Part<Kind, View> part{std::move(groups), Packed<Kind>(room, kind.panel(), frame), {}, {}, {}, view};
    part.a.assign(room, 0);
    part.b.assign(room, std::numeric_limits<typename Kind::Real>::infinity());  // of rows that are none: never near
    if (!in_place(view)) part.copies = Lines<typename Part<Kind, View>::Cell>(room * view.cols);
    parallel_for(part.groups.size(), threads, [&](Size g) {
        Packer<Kind> packer(kind, second, frame);
        const Size begin = part.groups[g], count = deal.rows_from(begin), to = g * kGroup;
        if (!in_place(view)) copy_rows(view, begin, count, part.copies.get() + to * view.cols);
        if (count < kGroup)
            std::fill_n(part.packed.panel(to), kGroup * part.packed.steps * Kind::words, typename Kind::Element{0});
        packer.pack(to, count, [&](Size r) { return part.row(to + r); }, part.packed);
        for (Size r = to; r < to + count; ++r) {
            const Placed& placed = part.packed.placed[r];
            part.a[r] = static_cast<typename Kind::Real>(placed.a);
            part.b[r] = static_cast<typename Kind::Real>(placed.always ? -kInfinity
                                                         : cosine ? 0
                                                                  : placed.squares * placed.a / 2 * (1 - kind.lower));
        }
    });
    return part;
}

// A few tiles of queries on their way through a part of the rows.
template <class Kind, class View, class Collection>
class Task {
  public:
    Task(const Matrix& queries, Size begin, Size count, Size opened, const Kind& kind, const NarrowKind& second,
         const Frame& frame, const Metric& metric, const Limit& limit, Collection& collection)
        : kind_(kind),
          second_kind_(second),
          metric_(metric),
          limit_(limit),
          collection_(collection),
          columns_(cols_of(queries)),
          count_(count),
          at_(begin - opened),
          asked_(count * columns_),
          packed_(blocks_of(count, kTile) * kTile, kTile, frame),
          alpha_(packed_.placed.size(), 0),
          beta_(packed_.placed.size(), 0) {
        std::visit([&](const auto& q) { copy_rows(q, begin, count, asked_.data()); }, queries);
        std::fill_n(packed_.panels.get(), packed_.placed.size() * packed_.steps * Kind::words,
                    typename Kind::Element{0});
        Packer<Kind>(kind, second, frame).pack(0, count, [&](Size r) { return asked_.data() + r * columns_; }, packed_);
        for (Size q = 0; q < packed_.placed.size(); ++q) {
            beta_[q] = static_cast<typename Kind::Real>(packed_.placed[q].a);
            tighten(q);
        }
    }

    void go_through(Part<Kind, View>& part) {
        const Size chunk =
            std::max<Size>(1, kChunkBytes / (kGroup * packed_.steps * Kind::words * sizeof(typename Kind::Element)));
        for (Size from = 0; from < part.groups.size(); from += chunk) {
            check_interrupt();
            const Size to = std::min(part.groups.size(), from + chunk);
            for (Size q = 0; q < count_; q += kTile)
                for (Size g = from; g < to; ++g) meet(q, g, part);
        }
    }

  private:
    // The threshold of query q by its present bound.
    void tighten(Size q) {
        if (q >= count_) {  // no query: no sum reaches it
            alpha_[q] = std::numeric_limits<typename Kind::Real>::infinity();
            return;
        }
        const Placed& placed = packed_.placed[q];
        const double exact = limit_(placed.squares, collection_.bound(at_ + q)) * placed.a;
        alpha_[q] = placed.always ? -std::numeric_limits<typename Kind::Real>::infinity()
                                  : static_cast<typename Kind::Real>(exact - std::abs(exact) * kind_.lower);
    }

    void meet(Size q, Size g, Part<Kind, View>& part) {
        const Size row = g * kGroup;
        const typename Kind::Tile tile{packed_.panel(q),    part.packed.panel(row),
                                       packed_.steps,       alpha_.data() + q,
                                       beta_.data() + q,    part.a.data() + row,
                                       part.b.data() + row, static_cast<typename Kind::Real>(kind_.slack())};
        std::uint32_t survivors[kTile * kGroup];
        const Size found = kind_.run(tile, survivors);
        for (Size i = 0; i < found; ++i) judge(q + survivors[i] % 8, row + survivors[i] / 8, part);
    }

    void judge(Size q, Size at, Part<Kind, View>& part) {
        if (q >= count_) return;
        const Size number = part.groups[at / kGroup] + at % kGroup;
        if (number >= part.view.rows) return;
        if (packed_.length > 0 && too_far(q, at, part.packed)) return;
        const double bound = collection_.bound(at_ + q);
        const double reduced =
            metric_.functions<CellOf<View>>().pair(asked_.data() + q * columns_, part.row(at), columns_, metric_.p);
        collection_.offer(at_ + q, reduced, static_cast<std::int64_t>(number));
        if (collection_.bound(at_ + q) != bound) tighten(q);
    }

    // The test of the panels for one pair, on more axes.
    bool too_far(Size q, Size at, const Packed<Kind>& rows) const {
        const Placed &x = packed_.placed_second[q], &z = rows.placed_second[at];
        if (x.always || z.always) return false;
        const double sum = product_hot().narrow_dot(packed_.second_row(q), rows.second_row(at), packed_.length);
        const double alpha = limit_(x.squares, collection_.bound(at_ + q));
        const double rest = limit_.cosine ? 0 : z.squares / 2;
        return sum < (alpha + rest - (std::abs(alpha) + rest) * 0x1p-40) * x.a * z.a - second_kind_.slack();
    }

    const Kind& kind_;
    const NarrowKind& second_kind_;
    const Metric& metric_;
    const Limit& limit_;
    Collection& collection_;
    Size columns_, count_, at_;
    std::vector<double> asked_;
    Packed<Kind> packed_;
    std::vector<typename Kind::Real> alpha_, beta_;
};

template <class Kind, class View, class Collection>
void search(const View& rows, const Matrix& queries, Size first, Size count, const Metric& metric,
            const FilterPlan& plan, Collection& collection, int threads) {
    const Frame frame(plan, rows.cols);
    const Kind kind(frame.width());
    const NarrowKind second(frame.second_width());
    const Limit limit{metric.kind == MetricKind::cosine, static_cast<double>(rows.cols), plan.unit};
    const Size bytes = blocks_of(frame.width(), 2) * 2 * sizeof(typename Kind::Element) +
                       blocks_of(frame.second_width(), 32) * 32 * sizeof(std::int16_t) +
                       (in_place(rows) ? 0 : rows.cols * sizeof(CellOf<View>));
    const Deal deal(rows.rows, kBlockBytes / bytes);
    const Size size = std::clamp<Size>(count / (16 * kTile), 1, kTaskTiles) * kTile;
    for (Size p = 0; p < deal.parts(); ++p) {
        auto part = pack_part<Kind>(rows, deal, p, kind, second, frame, limit.cosine, threads);
        parallel_for(blocks_of(count, size), threads, [&](Size t) {
            const Size begin = first + t * size, end = std::min(first + count, begin + size);
            Task<Kind, View, Collection>(queries, begin, end - begin, first, kind, second, frame, metric, limit,
                                         collection)
                .go_through(part);
        });
    }
}

}  // namespace

template <class Collection>
void filter_search(const Matrix& rows, const Matrix& queries, Size first, Size count, const Metric& metric,
                   const FilterPlan& plan, Collection& collection, int threads) {
    std::visit(
        [&](const auto& view) {
            if (plan.wide)
                search<WideKind>(view, queries, first, count, metric, plan, collection, threads);
            else
                search<NarrowKind>(view, queries, first, count, metric, plan, collection, threads);
        },
        rows);
}

template void filter_search(const Matrix&, const Matrix&, Size, Size, const Metric&, const FilterPlan&, NearestOfMany&,
                            int);
template void filter_search(const Matrix&, const Matrix&, Size, Size, const Metric&, const FilterPlan&, WithinOfMany&,
                            int);

extern const ProductHot product_hot_baseline;
#ifdef PELLUCID_X86_LEVELS
extern const ProductHot product_hot_v3;
extern const ProductHot product_hot_v4;
#endif

const ProductHot& product_hot() {
#ifdef PELLUCID_X86_LEVELS
    switch (current_level()) {
        case Level::v4:
            return product_hot_v4;
        case Level::v3:
            return product_hot_v3;
        default:
            return product_hot_baseline;
    }
#else
    return product_hot_baseline;
#endif
}

}  // namespace pellucid
