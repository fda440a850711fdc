#include "core/neighbors/votes.hpp"

#include <nanobind/stl/optional.h>

#include <optional>
#include <stdexcept>

#include "bind/arrays.hpp"

namespace pellucid::bind {
namespace {

using Whole = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Codes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Table = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class A>
auto span_or_none(const std::optional<A>& a) {
    using T = typename A::Scalar;
    return a ? std::span<const T>(a->data(), a->size()) : std::span<const T>();
}

// Neighbors of queries and how much each counts; keeps the arrays alive.
struct BoundVotes {
    Whole rows;
    std::optional<Vector> distances, given, of_row;
    std::optional<Whole> starts, stations;
    Asked asked;
};

void check_rows_below(const Asked& asked, Size n) {
    const Size weights = asked.weighing.of_row.size();
    if (weights != 0 && weights != n) throw std::invalid_argument("votes: one weight a fitted row");
    for (const std::int64_t row : asked.lists.rows)
        if (row < 0 || static_cast<Size>(row) >= n) throw std::invalid_argument("votes: a row that was not fitted");
}

// Codes come out of a model, which may come out of a file. Only those that vote are looked at.
std::span<const std::int32_t> checked_codes(const Asked& asked, const Codes& codes, Size classes) {
    check_rows_below(asked, codes.shape(0));
    for (const std::int64_t row : asked.lists.rows) {
        const std::int32_t code = codes.data()[row];
        if (code < 0 || static_cast<Size>(code) >= classes) throw std::invalid_argument("votes: no such class");
    }
    return {codes.data(), codes.shape(0)};
}

// `each` neighbors a query where there are no starts. `stations`: the k that are answered.
BoundVotes py_votes(Whole rows, std::optional<Vector> distances, std::optional<Whole> starts, Size each, int weighting,
                    std::optional<Vector> given, std::optional<Vector> of_row, std::optional<Whole> stations) {
    BoundVotes bound{rows, distances, given, of_row, starts, stations, {}};
    NeighborLists& lists = bound.asked.lists;
    lists.rows = {rows.data(), rows.shape(0)};
    lists.distances = span_or_none(distances);
    lists.starts = span_or_none(starts);
    lists.each = each;
    lists.queries = starts ? starts->shape(0) - 1 : (each == 0 ? 0 : rows.shape(0) / each);
    Weighing& weighing = bound.asked.weighing;
    weighing.kind = static_cast<Weighting>(weighting);
    weighing.given = span_or_none(given);
    weighing.of_row = span_or_none(of_row);
    bound.asked.stations = span_or_none(stations);
    const bool by_distance = weighing.kind == Weighting::inverse || weighing.kind == Weighting::inverse_square;
    require(!by_distance || lists.distances.size() == lists.rows.size(), "weights by distance need distances");
    require(weighing.kind != Weighting::given || weighing.given.size() == lists.rows.size(), "one weight a neighbor");
    return bound;
}

nb::object py_class_votes(const BoundVotes& votes, Codes codes, Size classes, int threads) {
    const Size answers = votes.asked.answers(), queries = votes.asked.lists.queries;
    std::vector<double> sums(answers * queries * classes);
    {
        const nb::gil_scoped_release release;
        class_votes(votes.asked, checked_codes(votes.asked, codes, classes), classes, sums, threads);
    }
    return to_numpy(std::move(sums), {answers, queries, classes});
}

nb::object py_class_winners(const BoundVotes& votes, Codes codes, Size classes, int ties, int threads) {
    const Size answers = votes.asked.answers(), queries = votes.asked.lists.queries;
    std::vector<std::int32_t> winners(answers * queries);
    {
        const nb::gil_scoped_release release;
        class_winners(votes.asked, checked_codes(votes.asked, codes, classes), classes, static_cast<Ties>(ties),
                      winners, threads);
    }
    return to_numpy(std::move(winners), {answers, queries});
}

nb::tuple py_class_settled(const BoundVotes& votes, Codes codes, Size classes, Size k, int threads) {
    const Size queries = votes.asked.lists.queries;
    std::vector<std::int32_t> winners(queries);
    std::vector<std::int64_t> used(queries);
    {
        const nb::gil_scoped_release release;
        class_settled(votes.asked, checked_codes(votes.asked, codes, classes), classes, k, winners, used, threads);
    }
    return nb::make_tuple(to_numpy(std::move(winners), {queries}), to_numpy(std::move(used), {queries}));
}

nb::object py_neighbor_averages(const BoundVotes& votes, Table values, int average, int threads) {
    const Size answers = votes.asked.answers(), queries = votes.asked.lists.queries, targets = values.shape(1);
    std::vector<double> out(answers * queries * targets);
    {
        const nb::gil_scoped_release release;
        check_rows_below(votes.asked, values.shape(0));
        neighbor_averages(votes.asked, {values.data(), values.size()}, targets, static_cast<Average>(average), out,
                          threads);
    }
    return to_numpy(std::move(out), {answers, queries, targets});
}

nb::tuple py_smallest_in_rows(const Grid& table, Size k, int threads) {
    const Size rows = table.shape(0);
    std::vector<double> values(rows * k);
    std::vector<std::int64_t> columns(rows * k);
    {
        const nb::gil_scoped_release release;
        smallest_in_rows(dense_view(table), k, values, columns, threads);
    }
    return nb::make_tuple(to_numpy(std::move(values), {rows, k}), to_numpy(std::move(columns), {rows, k}));
}

}  // namespace

void bind_votes(nb::module_& m) {
    nb::class_<BoundVotes>(m, "Votes");
    m.def("votes", &py_votes, nb::arg("rows"), nb::arg("distances").none(), nb::arg("starts").none(), nb::arg("each"),
          nb::arg("weighting"), nb::arg("given").none(), nb::arg("of_row").none(), nb::arg("stations").none());
    m.def("class_votes", &py_class_votes);
    m.def("class_winners", &py_class_winners);
    m.def("class_settled", &py_class_settled);
    m.def("neighbor_averages", &py_neighbor_averages);
    m.def("smallest_in_rows", &py_smallest_in_rows);
}

}  // namespace pellucid::bind
