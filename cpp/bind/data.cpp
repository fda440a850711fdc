#include <nanobind/stl/vector.h>

#include "bind/arrays.hpp"
#include "core/data/csv_layout.hpp"
#include "core/linalg/products.hpp"

namespace pellucid::bind {
namespace {

template <class T>
BoundMatrix dense(const nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>& a) {
    return {dense_view(a), {nb::cast(a)}};
}

template <class Index>
using Indices = nb::ndarray<const Index, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Sizes and indices are never trusted: a wrong one would read outside the arrays.
template <class Index>
BoundMatrix csr(const Vector& values, const Indices<Index>& indices, const Indices<Index>& starts, Size cols) {
    require(starts.shape(0) > 0 && values.shape(0) == indices.shape(0), "csr: sizes");
    const Size rows = starts.shape(0) - 1, stored = values.shape(0);
    const Index* s = starts.data();
    require(s[0] == 0 && static_cast<Size>(s[rows]) == stored, "csr: starts must run from 0 to the number of values");
    for (Size r = 0; r < rows; ++r) require(s[r] <= s[r + 1], "csr: starts must not fall");
    const Index* j = indices.data();
    for (Size k = 0; k < stored; ++k)
        require(j[k] >= 0 && static_cast<Size>(j[k]) < cols, "csr: column index out of range");
    return {Csr<Index>{values.data(), j, s, rows, cols}, {nb::cast(values), nb::cast(indices), nb::cast(starts)}};
}

}  // namespace

void bind_data(nb::module_& m) {
    nb::class_<BoundMatrix>(m, "Matrix")
        .def_prop_ro("rows", [](const BoundMatrix& b) { return rows_of(b.view); })
        .def_prop_ro("cols", [](const BoundMatrix& b) { return cols_of(b.view); });
    m.def("dense", &dense<double>, nb::arg("a").noconvert());
    m.def("dense", &dense<float>, nb::arg("a").noconvert());
    m.def("csr", &csr<std::int32_t>, nb::arg("values").noconvert(), nb::arg("indices").noconvert(),
          nb::arg("starts").noconvert(), nb::arg("cols"));
    m.def("csr", &csr<std::int64_t>, nb::arg("values").noconvert(), nb::arg("indices").noconvert(),
          nb::arg("starts").noconvert(), nb::arg("cols"));
    m.def(
        "all_finite",
        [](const BoundMatrix& x, int threads) {
            const nb::gil_scoped_release release;
            return all_finite(x.view, threads);
        },
        nb::arg("x"), nb::arg("threads"));
    m.def(
        "csv_layout",
        [](const nb::bytes& text, char delimiter, char quote, std::int64_t most, int threads) {
            CsvLayout found;
            {
                const nb::gil_scoped_release release;
                found = csv_layout({text.c_str(), text.size()}, delimiter, quote, most, threads);
            }
            nb::dict out;
            out["rows"] = found.rows;
            out["fields"] = found.fields;
            out["widest"] = found.widest;
            out["odd"] = found.odd;
            out["odd_rows"] = found.odd_rows;
            out["stray"] = found.stray;
            out["open_quote"] = found.open_quote;
            nb::list kinds;
            constexpr const char* kWords[] = {"nothing", "whole", "decimal", "other"};
            for (const CsvKind kind : found.kinds) kinds.append(kWords[static_cast<Size>(kind)]);
            out["kinds"] = kinds;
            return out;
        },
        nb::arg("text"), nb::arg("delimiter"), nb::arg("quote"), nb::arg("most"), nb::arg("threads") = 1);
}

}  // namespace pellucid::bind
