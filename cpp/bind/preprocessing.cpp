#include <nanobind/stl/optional.h>

#include "bind/arrays.hpp"
#include "core/preprocessing/encoding.hpp"
#include "core/preprocessing/polynomial.hpp"
#include "core/preprocessing/scaling.hpp"

namespace pellucid::bind {
namespace {

template <class T>
using Result = nb::ndarray<T, nb::ndim<2>, nb::device::cpu>;
template <class T>
using Column = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
void py_polynomial(const BoundMatrix& x, const PolynomialPlan& plan, const Result<T>& out, int threads) {
    const auto* view = std::get_if<Dense<T>>(&x.view);
    require(view != nullptr, "polynomial: X and the result must be dense and of one type");
    const Written<T> written{out.data(), out.shape(0), out.shape(1), out.stride(0), out.stride(1)};
    const nb::gil_scoped_release release;
    polynomial(*view, plan, written, threads);
}

template <class T, class Index>
void py_polynomial_sparse(const BoundMatrix& x, const PolynomialPlan& plan, const Column<const std::int64_t>& starts,
                          const Column<Index>& indices, const Column<T>& values, int threads) {
    const std::span<const std::int64_t> first{starts.data(), starts.shape(0)};
    const std::span<Index> columns{indices.data(), indices.shape(0)};
    const std::span<T> cells{values.data(), values.shape(0)};
    const nb::gil_scoped_release release;
    if (const auto* narrow = std::get_if<Csr<std::int32_t>>(&x.view))
        return polynomial(*narrow, plan, first, columns, cells, threads);
    const auto* wide = std::get_if<Csr<std::int64_t>>(&x.view);
    require(wide != nullptr, "polynomial_sparse: X must be sparse");
    polynomial(*wide, plan, first, columns, cells, threads);
}

template <class T>
void bind_results(nb::module_& m) {
    m.def("polynomial", &py_polynomial<T>, nb::arg("x"), nb::arg("plan"), nb::arg("out").noconvert(),
          nb::arg("threads"));
    m.def("polynomial_sparse", &py_polynomial_sparse<T, std::int32_t>, nb::arg("x"), nb::arg("plan"),
          nb::arg("starts").noconvert(), nb::arg("indices").noconvert(), nb::arg("values").noconvert(),
          nb::arg("threads"));
    m.def("polynomial_sparse", &py_polynomial_sparse<T, std::int64_t>, nb::arg("x"), nb::arg("plan"),
          nb::arg("starts").noconvert(), nb::arg("indices").noconvert(), nb::arg("values").noconvert(),
          nb::arg("threads"));
}

// ----------------------------------------------------------------------------------------------------------- encoding

using KeyColumn = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::device::cpu>;

Keys keys_of(const KeyColumn& column) { return {column.data(), column.shape(0), column.stride(0)}; }

template <class T>
std::span<T> span_of(const Column<T>& column) {
    return {column.data(), column.shape(0)};
}

// (distinct keys, how often each occurs)
nb::tuple py_count_keys(const KeyColumn& keys, int threads) {
    CountedKeys found;
    {
        const nb::gil_scoped_release release;
        found = count_keys(keys_of(keys), threads);
    }
    const Size distinct = found.keys.size();
    return nb::make_tuple(to_numpy(std::move(found.keys), {distinct}), to_numpy(std::move(found.counts), {distinct}));
}

void py_encode_keys(const KeyColumn& keys, const Column<const std::int64_t>& categories,
                    const Column<std::int32_t>& codes, int threads) {
    const nb::gil_scoped_release release;
    encode_keys(keys_of(keys), span_of(categories), span_of(codes), threads);
}

OneHotPlan plan_of(const Column<const std::int32_t>& codes, const Column<const std::int64_t>& first,
                   const Column<const std::int32_t>& places) {
    return {span_of(codes), span_of(first), span_of(places), codes.shape(0) / first.shape(0)};
}

void py_one_hot_lengths(const Column<const std::int32_t>& codes, const Column<const std::int64_t>& first,
                        const Column<const std::int32_t>& places, const Column<std::int64_t>& lengths, int threads) {
    const nb::gil_scoped_release release;
    one_hot_lengths(plan_of(codes, first, places), span_of(lengths), threads);
}

template <class Index>
void py_one_hot(const Column<const std::int32_t>& codes, const Column<const std::int64_t>& first,
                const Column<const std::int32_t>& places, const Column<const std::int64_t>& starts,
                const Column<Index>& indices, int threads) {
    const nb::gil_scoped_release release;
    one_hot(plan_of(codes, first, places), span_of(starts), span_of(indices), threads);
}

template <class Index>
void bind_one_hot(nb::module_& m) {
    m.def("one_hot", &py_one_hot<Index>, nb::arg("codes").noconvert(), nb::arg("first").noconvert(),
          nb::arg("places").noconvert(), nb::arg("starts").noconvert(), nb::arg("indices").noconvert(),
          nb::arg("threads"));
}

void bind_encoding(nb::module_& m) {
    m.def("count_keys", &py_count_keys, nb::arg("keys").noconvert(), nb::arg("threads"));
    m.def("encode_keys", &py_encode_keys, nb::arg("keys").noconvert(), nb::arg("categories").noconvert(),
          nb::arg("codes").noconvert(), nb::arg("threads"));
    m.def("one_hot_lengths", &py_one_hot_lengths, nb::arg("codes").noconvert(), nb::arg("first").noconvert(),
          nb::arg("places").noconvert(), nb::arg("lengths").noconvert(), nb::arg("threads"));
    bind_one_hot<std::int32_t>(m);
    bind_one_hot<std::int64_t>(m);
}

nb::dict to_dict(ColumnFigures found, Size cols) {
    nb::dict result;
    result["shift"] = to_numpy(std::move(found.shift), {cols});
    result["count"] = to_numpy(std::move(found.count), {cols});
    result["weight"] = to_numpy(std::move(found.weight), {cols});
    result["mean"] = to_numpy(std::move(found.mean), {cols});
    result["square"] = to_numpy(std::move(found.square), {cols});
    result["low"] = to_numpy(std::move(found.low), {cols});
    result["high"] = to_numpy(std::move(found.high), {cols});
    return result;
}

nb::dict py_column_figures(const BoundMatrix& x, const std::optional<Vector>& weight, const Vector& unit, int threads) {
    ColumnFigures found;
    {
        const std::span<const double> weights = weight ? span_of(*weight) : std::span<const double>{};
        const nb::gil_scoped_release release;
        found = column_figures(x.view, weights, span_of(unit), threads);
    }
    return to_dict(std::move(found), cols_of(x.view));
}

nb::dict py_column_ends(const BoundMatrix& x, int threads) {
    ColumnFigures found;
    {
        const nb::gil_scoped_release release;
        found = column_ends(x.view, threads);
    }
    return to_dict(std::move(found), cols_of(x.view));
}

nb::object py_column_quantiles(const BoundMatrix& x, const Vector& shares, int threads) {
    std::vector<double> found;
    {
        const nb::gil_scoped_release release;
        found = column_quantiles(x.view, span_of(shares), threads);
    }
    return to_numpy(std::move(found), {cols_of(x.view), shares.shape(0)});
}

// lines: five rows, one number a column: before, factor, after, low, high.
template <class T, auto write>
bool py_lines(const BoundMatrix& x, const nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& lines,
              const Result<T>& out, int threads) {
    const auto* view = std::get_if<Dense<T>>(&x.view);
    require(view != nullptr, "lines: X and the result must be dense and of one type");
    require(lines.shape(0) == 5, "lines: five rows");
    const Size cols = lines.shape(1);
    const auto row = [&](Size i) { return std::span<const double>{lines.data() + i * cols, cols}; };
    const Written<T> written{out.data(), out.shape(0), out.shape(1), out.stride(0), out.stride(1)};
    const nb::gil_scoped_release release;
    return write(*view, Lines{row(0), row(1), row(2), row(3), row(4)}, written, threads);
}

template <class T>
void bind_lines(nb::module_& m) {
    m.def("divide_columns", &py_lines<T, &divide_columns<T>>, nb::arg("x"), nb::arg("lines").noconvert(),
          nb::arg("out").noconvert(), nb::arg("threads"));
    m.def("multiply_columns", &py_lines<T, &multiply_columns<T>>, nb::arg("x"), nb::arg("lines").noconvert(),
          nb::arg("out").noconvert(), nb::arg("threads"));
}

}  // namespace

void bind_preprocessing(nb::module_& m) {
    nb::class_<PolynomialPlan>(m, "PolynomialPlan")
        .def(nb::init<Size, Size, Size, bool, bool>(), nb::arg("columns"), nb::arg("lowest"), nb::arg("highest"),
             nb::arg("distinct"), nb::arg("ones"))
        .def_ro("width", &PolynomialPlan::width);
    bind_encoding(m);
    bind_results<double>(m);
    bind_results<float>(m);
    m.def("column_figures", &py_column_figures, nb::arg("x"), nb::arg("weight").noconvert().none(),
          nb::arg("unit").noconvert(), nb::arg("threads"));
    m.def("column_ends", &py_column_ends, nb::arg("x"), nb::arg("threads"));
    m.def("column_quantiles", &py_column_quantiles, nb::arg("x"), nb::arg("shares").noconvert(), nb::arg("threads"));
    bind_lines<double>(m);
    bind_lines<float>(m);
}

}  // namespace pellucid::bind
