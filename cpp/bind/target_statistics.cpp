#include "core/preprocessing/target_statistics.hpp"

#include "bind/arrays.hpp"

namespace pellucid::bind {
namespace {

template <class T>
using Column = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<T> span_of(const Column<T>& column) {
    return {column.data(), column.shape(0)};
}

// (count, mean, squares), each parts x categories; squares is empty unless asked for.
nb::tuple py_category_moments(const Column<const std::int32_t>& codes, Size categories,
                              const Column<const std::int32_t>& parts, Size n_parts, const Column<const double>& target,
                              bool with_squares, int threads) {
    CategoryMoments found;
    {
        const nb::gil_scoped_release release;
        found = category_moments({span_of(codes), categories, span_of(parts), n_parts, span_of(target)}, with_squares,
                                 threads);
    }
    const Size rows = with_squares ? n_parts : 0;
    return nb::make_tuple(to_numpy(std::move(found.count), {n_parts, categories}),
                          to_numpy(std::move(found.mean), {n_parts, categories}),
                          to_numpy(std::move(found.square), {rows, categories}));
}

void py_write_encodings(const Column<const std::int32_t>& codes, const Column<const std::int32_t>& parts,
                        const Column<const std::int64_t>& first, const Column<const std::int64_t>& widths,
                        const Column<const double>& tables, Size targets, const Column<double>& out, int threads) {
    const Size rows = codes.shape(0) * targets / first.shape(0);
    const nb::gil_scoped_release release;
    write_encodings({span_of(codes), span_of(parts), span_of(first), span_of(widths), span_of(tables), targets, rows},
                    span_of(out), threads);
}

void py_ordered_statistics(const Column<const std::int32_t>& codes, const Column<const std::int64_t>& categories,
                           const Column<const double>& target, const Column<const double>& priors, double prior_weight,
                           const Column<const std::int64_t>& orders, const Column<double>& out, int threads) {
    const Size rows = codes.shape(0) / categories.shape(0);
    const nb::gil_scoped_release release;
    ordered_statistics(
        {span_of(codes), span_of(categories), span_of(target), span_of(priors), span_of(orders), prior_weight, rows},
        span_of(out), threads);
}

}  // namespace

void bind_target_statistics(nb::module_& m) {
    m.def("category_moments", &py_category_moments, nb::arg("codes").noconvert(), nb::arg("categories"),
          nb::arg("parts").noconvert(), nb::arg("n_parts"), nb::arg("target").noconvert(), nb::arg("with_squares"),
          nb::arg("threads"));
    m.def("write_encodings", &py_write_encodings, nb::arg("codes").noconvert(), nb::arg("parts").noconvert(),
          nb::arg("first").noconvert(), nb::arg("widths").noconvert(), nb::arg("tables").noconvert(),
          nb::arg("targets"), nb::arg("out").noconvert(), nb::arg("threads"));
    m.def("ordered_statistics", &py_ordered_statistics, nb::arg("codes").noconvert(), nb::arg("categories").noconvert(),
          nb::arg("target").noconvert(), nb::arg("priors").noconvert(), nb::arg("prior_weight"),
          nb::arg("orders").noconvert(), nb::arg("out").noconvert(), nb::arg("threads"));
}

}  // namespace pellucid::bind
