#include "core/distance/brute_direct.hpp"

#include "core/distance/brute_collect.hpp"
#include "core/distance/brute_rows.hpp"

namespace pellucid {
namespace {

constexpr Size kChunkBytes = 128 << 10;  // of packed rows that stay in the second cache for a task's queries
constexpr Size kTaskQueries = 16;
constexpr Size kWaiting = 1 << 16;  // distances that wait for their selection

std::vector<double> doubles_of(const Matrix& queries, Size first, Size count) {
    std::vector<double> asked(count * cols_of(queries));
    std::visit([&](const auto& q) { copy_rows(q, first, count, asked.data()); }, queries);
    return asked;
}

// Rows of a part in panels of kAbreast, group by group.
template <class View>
std::vector<CellOf<View>> panels_of(const View& view, const std::vector<Size>& groups, const Deal& deal, int threads) {
    using Cell = CellOf<View>;
    std::vector<Cell> panels(groups.size() * kGroup * view.cols);
    parallel_for(groups.size(), threads, [&](Size g) {
        const Size count = deal.rows_from(groups[g]);
        std::vector<Cell> copies(in_place(view) ? 0 : count * view.cols);
        if (!in_place(view)) copy_rows(view, groups[g], count, copies.data());
        for (Size r = 0; r < count; ++r) {
            const Cell* row = copies.empty() ? row_of(view, groups[g] + r) : copies.data() + r * view.cols;
            Cell* to = panels.data() + (g * kGroup + r / kAbreast * kAbreast) * view.cols + r % kAbreast;
            for (Size j = 0; j < view.cols; ++j) to[j * kAbreast] = row[j];
        }
    });
    return panels;
}

template <class Cell, class Collection>
class PanelTask {
  public:
    PanelTask(const std::vector<Cell>& panels, const std::vector<Size>& groups, const Deal& deal, Size cols,
              const Metric& metric, Collection& collection)
        : panels_(panels), groups_(groups), deal_(deal), cols_(cols), metric_(metric), collection_(collection) {}

    void go_through(const std::vector<double>& asked, Size at, Size count) {
        const Size chunk = std::max<Size>(1, kChunkBytes / (kGroup * cols_ * sizeof(Cell)));
        for (Size from = 0; from < groups_.size(); from += chunk) {
            check_interrupt();
            for (Size q = 0; q < count; ++q)
                for (Size g = from; g < std::min(groups_.size(), from + chunk); ++g)
                    meet(asked.data() + q * cols_, at + q, g);
        }
    }

  private:
    void meet(const double* query, Size i, Size g) {
        double reduced[kGroup];
        std::uint32_t near[kGroup];
        const Size count = deal_.rows_from(groups_[g]);
        const auto panel = metric_.functions<Cell>().panel;
        for (Size r = 0; r < count; r += kAbreast)
            panel(query, panels_.data() + (g * kGroup + r) * cols_, cols_, metric_.p, reduced + r);
        const Size found = product_hot().at_most(reduced, count, collection_.bound(i), near);
        for (Size n = 0; n < found; ++n)
            collection_.offer(i, reduced[near[n]], static_cast<std::int64_t>(groups_[g] + near[n]));
    }

    const std::vector<Cell>& panels_;
    const std::vector<Size>& groups_;
    const Deal& deal_;
    Size cols_;
    const Metric& metric_;
    Collection& collection_;
};

}  // namespace

template <class Collection>
void row_by_row(const Matrix& rows, const Matrix& queries, Size first, Size count, const Metric& metric,
                Collection& collection, int threads) {
    const std::vector<double> asked = doubles_of(queries, first, count);
    const Size cols = cols_of(rows), waiting = std::max<Size>(kGroup, kWaiting / count);
    const Size each = std::clamp<Size>((Size{1} << 17) / (cols * count), 16, waiting);  // about 30 microseconds
    std::vector<double> reduced(std::min(waiting, rows_of(rows)) * count);
    std::vector<std::uint32_t> near(std::min(waiting, rows_of(rows)));
    for (Size from = 0; from < rows_of(rows); from += waiting) {
        const Size size = std::min(waiting, rows_of(rows) - from);
        std::visit(
            [&](const auto& view) {
                using Cell = CellOf<std::decay_t<decltype(view)>>;
                const auto pair = metric.functions<Cell>().pair;
                parallel_for(blocks_of(size, each), threads, [&](Size block) {
                    std::vector<Cell> copy(in_place(view) ? 0 : cols);
                    for (Size r = block * each; r < std::min(size, (block + 1) * each); ++r) {
                        if (!in_place(view)) copy_rows(view, from + r, 1, copy.data());
                        const Cell* row = copy.empty() ? row_of(view, from + r) : copy.data();
                        for (Size q = 0; q < count; ++q)
                            reduced[q * size + r] = pair(asked.data() + q * cols, row, cols, metric.p);
                    }
                });
            },
            rows);
        for (Size q = 0; q < count; ++q) {
            const double* own = reduced.data() + q * size;
            for (Size at = 0; at < size; at += kGroup) {
                const Size found =
                    product_hot().at_most(own + at, std::min(kGroup, size - at), collection.bound(q), near.data());
                for (Size n = 0; n < found; ++n)
                    collection.offer(q, own[at + near[n]], static_cast<std::int64_t>(from + at + near[n]));
            }
        }
    }
}

template <class Collection>
void by_panels(const Matrix& rows, const Matrix& queries, Size first, Size count, const Metric& metric,
               Collection& collection, int threads) {
    std::visit(
        [&](const auto& view) {
            using Cell = CellOf<std::decay_t<decltype(view)>>;
            const Deal deal(view.rows, kBlockBytes / (view.cols * sizeof(Cell)));
            const Size size = std::clamp<Size>((Size{1} << 20) / (view.cols * sizeof(double)), 1, kTaskQueries);
            for (Size p = 0; p < deal.parts(); ++p) {
                const std::vector<Size> groups = deal.part(p);
                const std::vector<Cell> panels = panels_of(view, groups, deal, threads);
                parallel_for(blocks_of(count, size), threads, [&](Size t) {
                    const Size own = std::min(size, count - t * size);
                    const std::vector<double> asked = doubles_of(queries, first + t * size, own);
                    PanelTask<Cell, Collection>(panels, groups, deal, view.cols, metric, collection)
                        .go_through(asked, t * size, own);
                });
            }
        },
        rows);
}

template void row_by_row(const Matrix&, const Matrix&, Size, Size, const Metric&, NearestOfMany&, int);
template void row_by_row(const Matrix&, const Matrix&, Size, Size, const Metric&, WithinOfMany&, int);
template void by_panels(const Matrix&, const Matrix&, Size, Size, const Metric&, NearestOfMany&, int);
template void by_panels(const Matrix&, const Matrix&, Size, Size, const Metric&, WithinOfMany&, int);

}  // namespace pellucid
