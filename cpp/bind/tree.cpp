#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <array>
#include <string_view>

#include "bind/tree_columns.hpp"
#include "bind/tree_nodes.hpp"

namespace pellucid::bind {
namespace {

using tree::Settings;

// A choice by name.
template <class E, Size N>
struct Names {
    std::array<std::pair<std::string_view, E>, N> names;

    E operator[](std::string_view name) const {
        for (const auto& [known, value] : names)
            if (known == name) return value;
        throw ContractError("TreeSettings: no such name: " + std::string(name));
    }
    std::string operator[](E value) const {
        for (const auto& [known, other] : names)
            if (other == value) return std::string(known);
        return {};
    }
};

constexpr Names<tree::Measure, 7> kMeasures{{{{"gini", tree::Measure::gini},
                                              {"entropy", tree::Measure::entropy},
                                              {"log_loss", tree::Measure::entropy},
                                              {"squared_error", tree::Measure::squared_error},
                                              {"friedman_mse", tree::Measure::friedman_mse},
                                              {"absolute_error", tree::Measure::absolute_error},
                                              {"poisson", tree::Measure::poisson}}}};
constexpr Names<tree::Splitter, 3> kSplitters{
    {{{"best", tree::Splitter::best}, {"random", tree::Splitter::random}, {"histogram", tree::Splitter::histogram}}}};
constexpr Names<tree::Threshold, 2> kThresholds{
    {{{"midpoint", tree::Threshold::midpoint}, {"value", tree::Threshold::value}}}};
constexpr Names<tree::Weighting, 2> kWeightings{{{{"size", tree::Weighting::size}, {"none", tree::Weighting::none}}}};
constexpr Names<tree::CategorySplit, 2> kCategorySplits{
    {{{"ordered", tree::CategorySplit::ordered}, {"one_versus_rest", tree::CategorySplit::one_versus_rest}}}};

template <class E, Size N>
void named(nb::class_<Settings>& cls, const char* name, E Settings::* field, const Names<E, N>& names) {
    cls.def_prop_rw(
        name, [field, &names](const Settings& s) { return names[s.*field]; },
        [field, &names](Settings& s, const std::string& value) { s.*field = names[value]; });
}

// No limit is None.
void limit(nb::class_<Settings>& cls, const char* name, Size Settings::* field, Size none) {
    cls.def_prop_rw(
        name,
        [field, none](const Settings& s) {
            return s.*field == none ? std::optional<Size>{} : std::optional<Size>{s.*field};
        },
        [field, none](Settings& s, std::optional<Size> value) { s.*field = value.value_or(none); },
        nb::for_setter(nb::arg("value").none()));
}

nb::dict py_grow_tree(TreeColumns& table, const Rows& y, const Ints& n_classes, const std::optional<Vector>& weight,
                      const std::optional<Signs>& monotone, const Settings& settings, std::uint64_t seed, int threads) {
    tree::Problem problem = table.problem(y, n_classes, weight, monotone, settings, seed, threads);
    tree::Nodes nodes;
    {
        const nb::gil_scoped_release release;
        problem.columns = &table.prepared(settings);
        nodes = tree::grow_tree(problem);
    }
    return nodes_dict(std::move(nodes));
}

}  // namespace

void bind_tree(nb::module_& m) {
    auto settings = nb::class_<Settings>(m, "TreeSettings").def(nb::init<>());
    named(settings, "criterion", &Settings::criterion, kMeasures);
    named(settings, "splitter", &Settings::splitter, kSplitters);
    named(settings, "threshold", &Settings::threshold, kThresholds);
    named(settings, "weighting", &Settings::weighting, kWeightings);
    named(settings, "category_split", &Settings::category_split, kCategorySplits);
    limit(settings, "max_depth", &Settings::max_depth, tree::kNoLimit);
    limit(settings, "max_leaves", &Settings::max_leaves, 0);
    limit(settings, "max_features", &Settings::max_features, tree::kNoLimit);
    settings.def_rw("min_rows_split", &Settings::min_rows_split)
        .def_rw("min_rows_leaf", &Settings::min_rows_leaf)
        .def_rw("min_weight_leaf", &Settings::min_weight_leaf)
        .def_rw("min_decrease", &Settings::min_decrease)
        .def_rw("stop_on_pure", &Settings::stop_on_pure)
        .def_rw("max_bins", &Settings::max_bins)
        .def_rw("draw_ties", &Settings::draw_ties)
        .def_rw("surrogates", &Settings::surrogates);

    nb::class_<TreeColumns>(m, "TreeColumns")
        .def_prop_ro("rows", [](const TreeColumns& t) { return t.columns.rows(); })
        .def_prop_ro("cols", [](const TreeColumns& t) { return t.columns.cols(); });
    m.def(
        "tree_columns",
        [](const BoundMatrix& X, const Ints& n_categories, int threads) {
            return std::make_unique<TreeColumns>(X, n_categories, threads);
        },
        nb::arg("x"), nb::arg("n_categories").noconvert(), nb::arg("threads"));
    m.def("grow_tree", &py_grow_tree, nb::arg("columns"), nb::arg("y").noconvert(), nb::arg("n_classes").noconvert(),
          nb::arg("weight").none(), nb::arg("monotone").none(), nb::arg("settings"), nb::arg("seed"),
          nb::arg("threads"));
}

}  // namespace pellucid::bind
