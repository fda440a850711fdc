#include <nanobind/stl/optional.h>

#include <algorithm>

#include "bind/tree_nodes.hpp"
#include "core/tree/chaid.hpp"
#include "core/tree/chaid_tails.hpp"

namespace pellucid::bind {
namespace {

using Codes = nb::ndarray<const std::uint32_t, nb::ndim<2>, nb::f_contig, nb::device::cpu>;
using Counts = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Labels = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Places = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Columns: `counts` codes each, of which one more is the code of a missing value; `numeric` ones are cut at
// edges[edges_start[j] .. edges_start[j + 1]).
std::vector<tree::CodedColumn> columns_of(const Codes& codes, const Counts& counts, const Bytes& ordinal,
                                          const Bytes& numeric, const Places& edges_start, const Vector& edges) {
    const Size n = codes.shape(0), p = codes.shape(1);
    require(counts.shape(0) == p && ordinal.shape(0) == p && numeric.shape(0) == p && edges_start.shape(0) == p + 1,
            "grow_chaid: sizes of columns");
    std::vector<tree::CodedColumn> found(p);
    for (Size j = 0; j < p; ++j) {
        const auto begin = static_cast<Size>(edges_start.data()[j]), end = static_cast<Size>(edges_start.data()[j + 1]);
        require(begin <= end && end <= edges.shape(0), "grow_chaid: edges");
        require(!numeric.data()[j] || end - begin + 1 >= counts.data()[j], "grow_chaid: too few edges");
        found[j] = {codes.data() + j * n, counts.data()[j], ordinal.data()[j] != 0,
                    span_of(edges).subspan(begin, end - begin), numeric.data()[j] != 0};
        const std::uint32_t* one = found[j].codes;
        require(std::all_of(one, one + n, [&](std::uint32_t code) { return code <= found[j].count; }),
                "grow_chaid: codes");
    }
    return found;
}

template <class T>
T setting(const nb::dict& settings, const char* name) {
    return nb::cast<T>(settings[name]);
}

void read_settings(tree::ChaidProblem& problem, const nb::dict& settings) {
    const auto resplit = setting<std::optional<double>>(settings, "log_alpha_resplit");
    const auto depth = setting<std::optional<Size>>(settings, "max_depth");
    problem.merge = {setting<bool>(settings, "merge"),
                     setting<bool>(settings, "exhaustive"),
                     resplit.has_value(),
                     setting<double>(settings, "log_alpha_merge"),
                     resplit.value_or(0.0),
                     setting<bool>(settings, "bonferroni"),
                     setting<Size>(settings, "min_leaf"),
                     setting<Size>(settings, "most_categories")};
    problem.likelihood = setting<bool>(settings, "likelihood");
    problem.by_statistic = setting<bool>(settings, "by_statistic");
    problem.log_alpha_split = setting<double>(settings, "log_alpha_split");
    problem.min_split = setting<Size>(settings, "min_split");
    if (depth) problem.max_depth = *depth;
}

// The target is `labels` below `classes`, or `numbers`.
nb::dict py_grow_chaid(const Codes& codes, const Counts& counts, const Bytes& ordinal, const Bytes& numeric,
                       const Places& edges_start, const Vector& edges, const std::optional<Labels>& labels,
                       Size classes, const std::optional<Vector>& numbers, const std::optional<Vector>& weight,
                       const nb::dict& settings, int threads) {
    tree::ChaidProblem problem;
    problem.rows = codes.shape(0);
    problem.columns = columns_of(codes, counts, ordinal, numeric, edges_start, edges);
    problem.classes = classes;
    if (labels) {
        problem.labels = {labels->data(), labels->shape(0)};
        require(std::ranges::all_of(problem.labels,
                                    [&](std::int32_t k) { return k >= 0 && static_cast<Size>(k) < classes; }),
                "grow_chaid: labels");
    }
    if (numbers) problem.numbers = span_of(*numbers);
    if (weight) problem.weight = span_of(*weight);
    require(!weight || weight->shape(0) == problem.rows, "grow_chaid: weight");
    read_settings(problem, settings);
    problem.threads = threads;
    tree::ChaidTree grown;
    {
        const nb::gil_scoped_release release;
        grown = tree::grow_chaid(problem);
    }
    const Size m = grown.nodes.count();
    nb::dict found = nodes_dict(std::move(grown.nodes));
    found["split_column"] = to_numpy(std::move(grown.column), {m});
    found["groups"] = to_numpy(std::move(grown.groups), {m});
    found["statistic"] = to_numpy(std::move(grown.statistic), {m});
    found["df1"] = to_numpy(std::move(grown.df1), {m});
    found["df2"] = to_numpy(std::move(grown.df2), {m});
    found["log_p"] = to_numpy(std::move(grown.log_p), {m});
    found["log_multiplier"] = to_numpy(std::move(grown.log_multiplier), {m});
    found["log_adjusted"] = to_numpy(std::move(grown.log_adjusted), {m});
    return found;
}

}  // namespace

void bind_tree_chaid(nb::module_& m) {
    m.def("grow_chaid", &py_grow_chaid, nb::arg("codes").noconvert(), nb::arg("counts").noconvert(),
          nb::arg("ordinal").noconvert(), nb::arg("numeric").noconvert(), nb::arg("edges_start").noconvert(),
          nb::arg("edges").noconvert(), nb::arg("labels").none(), nb::arg("classes"), nb::arg("numbers").none(),
          nb::arg("weight").none(), nb::arg("settings"), nb::arg("threads"));
    m.def("log_chi_squared_tail", &tree::log_chi_squared_tail, nb::arg("x"), nb::arg("df"));
    m.def("log_f_tail", &tree::log_f_tail, nb::arg("f"), nb::arg("df1"), nb::arg("df2"));
    m.def("log_stirling", &tree::log_stirling, nb::arg("n"), nb::arg("k"));
}

}  // namespace pellucid::bind
