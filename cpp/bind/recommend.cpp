// Factors and neighbors of ratings.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <stdexcept>

#include "bind/arrays.hpp"
#include "bind/traced.hpp"
#include "core/recommend/biases.hpp"
#include "core/recommend/factor_hot.hpp"
#include "core/recommend/factors.hpp"
#include "core/recommend/implicit.hpp"
#include "core/recommend/neighbors.hpp"
#include "core/recommend/similarity.hpp"

namespace pellucid::bind {
namespace {

template <class T>
using Column = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Rows = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Codes = Column<const std::int32_t>;
// starts, indices, values
using RatedArrays = std::tuple<Column<const std::int64_t>, Codes, Column<const double>>;

template <class T>
std::span<T> span_of(const Column<T>& column) {
    return {column.data(), column.shape(0)};
}
template <class T>
std::span<T> span_of(const Rows<T>& rows) {
    return {rows.data(), rows.shape(0) * rows.shape(1)};
}

Rated rated(const RatedArrays& arrays) {
    const Rated found{span_of(std::get<0>(arrays)), span_of(std::get<1>(arrays)), span_of(std::get<2>(arrays))};
    require(!found.starts.empty() && found.indices.size() == found.values.size() &&
                static_cast<Size>(found.starts.back()) == found.indices.size() && found.starts.front() == 0 &&
                std::is_sorted(found.starts.begin(), found.starts.end()),
            "ratings: starts, indices and values");
    return found;
}

// Codes that a kernel takes as places: they come out of a model, which may come out of a file.
void check_below(std::span<const std::int32_t> codes, Size most) {
    std::uint32_t last = 0;  // a negative code is a very large one
    for (const std::int32_t code : codes) last = std::max(last, static_cast<std::uint32_t>(code));
    if (!codes.empty() && last >= most) throw std::invalid_argument("ratings: a code beyond the users or items");
}

nb::tuple to_tuple(RatedRows rows) {
    const Size n = rows.starts.size(), entries = rows.indices.size();
    return nb::make_tuple(to_numpy(std::move(rows.starts), {n}), to_numpy(std::move(rows.indices), {entries}),
                          to_numpy(std::move(rows.values), {entries}));
}

// ((starts, indices, values), triples whose pair stood before)
nb::tuple py_group_ratings(const Codes& rows, const Codes& columns, const Column<const double>& values, Size n_rows,
                           Size n_columns, int twice) {
    Grouped found;
    {
        const nb::gil_scoped_release release;
        found = group_ratings({span_of(rows), span_of(columns), span_of(values)}, n_rows, n_columns,
                              static_cast<Twice>(twice));
    }
    return nb::make_tuple(to_tuple(std::move(found.rated)), found.repeated);
}

nb::tuple py_transpose_ratings(const RatedArrays& arrays, Size columns) {
    RatedRows found;
    {
        const nb::gil_scoped_release release;
        found = transposed(rated(arrays), columns);
    }
    return to_tuple(std::move(found));
}

// (passes, largest change, record)
nb::tuple py_fit_biases(const RatedArrays& users, const RatedArrays& items, double mean, double user_penalty,
                        double item_penalty, Size passes, double tol, const Column<double>& user_bias,
                        const Column<double>& item_bias, int threads, bool record,
                        std::optional<nb::callable> listener) {
    BiasResult result;
    const BiasSettings settings{mean, user_penalty, item_penalty, passes, tol, threads};
    nb::object told = with_trace(record, listener, [&](auto& trace) {
        result = fit_biases(rated(users), rated(items), settings, span_of(user_bias), span_of(item_bias), trace);
    });
    return nb::make_tuple(result.passes, result.change, told);
}

nb::tuple py_similarities(const RatedArrays& rows, const RatedArrays& columns, int over, Size min_overlap,
                          double shrinkage, double above, Size keep, int threads) {
    RatedRows found;
    {
        const nb::gil_scoped_release release;
        found = rating_similarities(rated(rows), rated(columns),
                                    {static_cast<Over>(over), min_overlap, shrinkage, above, keep, threads});
    }
    return to_tuple(std::move(found));
}

nb::object py_neighbor_means(const RatedArrays& similar, const RatedArrays& columns, const Codes& rows,
                             const Codes& about, Size k, Size least, int threads) {
    const Size n = rows.shape(0);
    std::vector<double> out(n);
    {
        const nb::gil_scoped_release release;
        const Rated others = rated(similar), voices = rated(columns);
        check_below(others.indices, others.rows());
        check_below(voices.indices, others.rows());
        check_below(span_of(rows), others.rows());
        check_below(span_of(about), voices.rows());
        neighbor_means(others, voices, {span_of(rows), span_of(about)}, {k, least, threads}, out);
    }
    return to_numpy(std::move(out), {n});
}

// (columns, scores), n of each row
nb::tuple py_best_columns(const Rows<const double>& scores, const RatedArrays& seen, const Codes& seen_rows, Size n,
                          int threads) {
    const Size rows = scores.shape(0);
    BestOfRows found;
    {
        const nb::gil_scoped_release release;
        const Rated known = rated(seen);
        for (const std::int32_t row : span_of(seen_rows))
            if (row >= 0 && static_cast<Size>(row) >= known.rows()) throw std::invalid_argument("ratings: no such row");
        found = best_columns(span_of(scores), scores.shape(1), known, span_of(seen_rows), n, threads);
    }
    return nb::make_tuple(to_numpy(std::move(found.columns), {rows, n}), to_numpy(std::move(found.scores), {rows, n}));
}

FactorSide side(const Rows<double>& factors, const Column<double>& bias) {
    require(factors.shape(0) == bias.shape(0) && factors.shape(1) % kFactorStep == 0, "factors: rows and their length");
    return {span_of(factors), span_of(bias), factors.shape(1)};
}

// (status, passes, objective, settled, record); factors and biases are written in place
nb::tuple py_fit_factors(const RatedArrays& users, const RatedArrays& items, const Rows<double>& p,
                         const Column<double>& user_bias, const Rows<double>& q, const Column<double>& item_bias,
                         Size factors, double mean, double penalty, bool by_count, bool biases, Size passes, double tol,
                         int threads, bool record, std::optional<nb::callable> listener) {
    ensure_lapack();
    FactorResult result;
    FactorSide of_users = side(p, user_bias), of_items = side(q, item_bias);
    const FactorSettings settings{factors, mean, penalty, by_count, biases, passes, tol, threads};
    nb::object told = with_trace(record, listener, [&](auto& trace) {
        result = fit_factors(rated(users), rated(items), settings, of_users, of_items, trace);
    });
    return nb::make_tuple(static_cast<int>(result.status), result.passes, result.objective, result.settled, told);
}

template <class T>
FactorTable<T> table(const Rows<T>& factors) {
    require(factors.shape(1) > 0 && factors.shape(1) % kFactorStep == 0, "factors: the length of a row");
    return {span_of(factors), factors.shape(1)};
}

template <class T>
nb::tuple py_fit_implicit(const RatedArrays& users, const RatedArrays& items, const Rows<T>& x, const Rows<T>& y,
                          Size factors, Size steps, double penalty, Size passes, double tol, int threads, bool record,
                          std::optional<nb::callable> listener) {
    ensure_lapack();
    ImplicitResult result;
    const ImplicitSettings settings{factors, steps, penalty, passes, tol, threads};
    nb::object told = with_trace(record, listener, [&](auto& trace) {
        result = fit_implicit(rated(users), rated(items), settings, table(x), table(y), trace);
    });
    return nb::make_tuple(static_cast<int>(result.status), result.passes, result.objective, result.settled, told);
}

template <class T>
double py_implicit_objective(const RatedArrays& users, const Rows<T>& x, const Rows<T>& y, double penalty,
                             int threads) {
    const nb::gil_scoped_release release;
    return implicit_objective(rated(users), table(x), table(y), {0, 0, penalty, 0, 0, threads});
}

template <class T>
nb::object py_pair_products(const Rows<T>& x, const Rows<T>& y, const Codes& rows, const Codes& columns, int threads) {
    const Size n = rows.shape(0);
    std::vector<double> out(n);
    {
        const nb::gil_scoped_release release;
        require(x.shape(1) == y.shape(1), "factors: the length of a row");
        check_below(span_of(rows), x.shape(0));
        check_below(span_of(columns), y.shape(0));
        pair_products<T>(x.data(), y.data(), table(x).stride, span_of(rows), span_of(columns), out, threads);
    }
    return to_numpy(std::move(out), {n});
}

template <class T>
nb::object py_all_products(const Rows<T>& x, const Rows<T>& y, const Codes& rows, int threads) {
    const Size n = rows.shape(0), columns = y.shape(0);
    std::vector<double> out(n * columns);
    {
        const nb::gil_scoped_release release;
        require(x.shape(1) == y.shape(1), "factors: the length of a row");
        check_below(span_of(rows), x.shape(0));
        all_products<T>(x.data(), y.data(), columns, table(x).stride, span_of(rows), out, threads);
    }
    return to_numpy(std::move(out), {n, columns});
}

template <class T>
void bind_tables(nb::module_& m) {
    m.def("fit_implicit", &py_fit_implicit<T>, nb::arg("users"), nb::arg("items"), nb::arg("x").noconvert(),
          nb::arg("y").noconvert(), nb::arg("factors"), nb::arg("steps"), nb::arg("penalty"), nb::arg("passes"),
          nb::arg("tol"), nb::arg("threads"), nb::arg("record"), nb::arg("listener").none());
    m.def("implicit_objective", &py_implicit_objective<T>, nb::arg("users"), nb::arg("x").noconvert(),
          nb::arg("y").noconvert(), nb::arg("penalty"), nb::arg("threads"));
    m.def("pair_products", &py_pair_products<T>, nb::arg("x").noconvert(), nb::arg("y").noconvert(),
          nb::arg("rows").noconvert(), nb::arg("columns").noconvert(), nb::arg("threads"));
    m.def("all_products", &py_all_products<T>, nb::arg("x").noconvert(), nb::arg("y").noconvert(),
          nb::arg("rows").noconvert(), nb::arg("threads"));
}

}  // namespace

void bind_recommend(nb::module_& m) {
    m.def("group_ratings", &py_group_ratings, nb::arg("rows").noconvert(), nb::arg("columns").noconvert(),
          nb::arg("values").noconvert(), nb::arg("n_rows"), nb::arg("n_columns"), nb::arg("twice"));
    m.def("transpose_ratings", &py_transpose_ratings, nb::arg("rated"), nb::arg("columns"));
    m.def("fit_biases", &py_fit_biases, nb::arg("users"), nb::arg("items"), nb::arg("mean"), nb::arg("user_penalty"),
          nb::arg("item_penalty"), nb::arg("passes"), nb::arg("tol"), nb::arg("user_bias").noconvert(),
          nb::arg("item_bias").noconvert(), nb::arg("threads"), nb::arg("record"), nb::arg("listener").none());
    m.def("rating_similarities", &py_similarities, nb::arg("rows"), nb::arg("columns"), nb::arg("over"),
          nb::arg("min_overlap"), nb::arg("shrinkage"), nb::arg("above"), nb::arg("keep"), nb::arg("threads"));
    m.def("neighbor_means", &py_neighbor_means, nb::arg("similar"), nb::arg("columns"), nb::arg("rows").noconvert(),
          nb::arg("about").noconvert(), nb::arg("k"), nb::arg("least"), nb::arg("threads"));
    m.def("best_columns", &py_best_columns, nb::arg("scores").noconvert(), nb::arg("seen"),
          nb::arg("seen_rows").noconvert(), nb::arg("n"), nb::arg("threads"));
    m.def("fit_factors", &py_fit_factors, nb::arg("users"), nb::arg("items"), nb::arg("p").noconvert(),
          nb::arg("user_bias").noconvert(), nb::arg("q").noconvert(), nb::arg("item_bias").noconvert(),
          nb::arg("factors"), nb::arg("mean"), nb::arg("penalty"), nb::arg("by_count"), nb::arg("biases"),
          nb::arg("passes"), nb::arg("tol"), nb::arg("threads"), nb::arg("record"), nb::arg("listener").none());
    bind_tables<float>(m);
    bind_tables<double>(m);
}

}  // namespace pellucid::bind
