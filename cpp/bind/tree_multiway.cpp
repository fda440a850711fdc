#include <nanobind/stl/string.h>

#include <string>

#include "bind/arrays.hpp"
#include "bind/tree_nodes.hpp"
#include "core/tree/c45.hpp"

namespace pellucid::bind {
namespace {

using Codes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::span<const std::int32_t> codes_of(const Codes& v) { return {v.data(), v.shape(0)}; }

nb::dict to_dict(tree::MultiwayTree&& grown) {
    const Size m = grown.gain.size();
    nb::dict found = nodes_dict(std::move(grown.nodes));
    found["gain"] = to_numpy(std::move(grown.gain), {m});
    found["split_info"] = to_numpy(std::move(grown.split_info), {m});
    return found;
}

template <class Choice>
Choice chosen(const nb::dict& rules, const char* name, std::initializer_list<std::pair<const char*, Choice>> options) {
    const auto word = nb::cast<std::string>(rules[name]);
    for (const auto& [option, value] : options)
        if (word == option) return value;
    throw ContractError("an unknown word among the rules");
}

// Every rule must be there: a forgotten one is our bug.
tree::MultiwayRules rules_of(const nb::dict& d) {
    using tree::CostRule, tree::Merit, tree::Pruning;
    const auto flag = [&](const char* name) { return nb::cast<bool>(d[name]); };
    const auto number = [&](const char* name) { return nb::cast<double>(d[name]); };
    tree::MultiwayRules r;
    r.merit = chosen<Merit>(d, "merit", {{"gain", Merit::gain}, {"gain_ratio", Merit::gain_ratio}});
    r.cut_merit = chosen<Merit>(d, "cut_merit", {{"gain", Merit::gain}, {"gain_ratio", Merit::gain_ratio}});
    r.mean_gain = flag("mean_gain");
    r.mdl = flag("mdl");
    r.midpoint = flag("midpoint");
    r.one_against_rest = flag("one_against_rest");
    r.share = flag("share");
    r.gain_above = number("gain_above");
    r.min_leaf = number("min_leaf");
    r.min_split = number("min_split");
    r.min_cut_share = number("min_cut_share");
    r.min_case = number("min_case");
    r.max_depth = nb::cast<Size>(d["max_depth"]);
    r.cost_rule = chosen<CostRule>(
        d, "cost_rule",
        {{"none", CostRule::none}, {"quadratic", CostRule::quadratic}, {"exponential", CostRule::exponential}});
    r.cost_power = number("cost_power");
    r.collapse = flag("collapse");
    r.pruning = chosen<Pruning>(
        d, "pruning", {{"none", Pruning::none}, {"error", Pruning::error}, {"reduced_error", Pruning::reduced_error}});
    r.confidence = number("confidence");
    r.normal = number("normal");
    r.raise = flag("raise");
    return r;
}

nb::dict py_grow_multiway(const BoundMatrix& x, const Codes& label, Size n_classes, const Vector& weight,
                          const Vector& validation, const Codes& levels, const Vector& costs, const nb::dict& rules,
                          int threads) {
    tree::MultiwayRules r = rules_of(rules);
    r.costs = span_of(costs);
    const tree::MultiwayProblem problem{x.view,          codes_of(label),     n_classes,
                                        span_of(weight), span_of(validation), codes_of(levels)};
    tree::MultiwayTree grown;
    {
        const nb::gil_scoped_release release;
        grown = tree::grow_multiway(problem, r, threads);
    }
    return to_dict(std::move(grown));
}

}  // namespace

void bind_tree_multiway(nb::module_& m) {
    m.def("grow_multiway", &py_grow_multiway, nb::arg("x"), nb::arg("label").noconvert(), nb::arg("n_classes"),
          nb::arg("weight").noconvert(), nb::arg("validation").noconvert(), nb::arg("levels").noconvert(),
          nb::arg("costs").noconvert(), nb::arg("rules"), nb::arg("threads"));
}

}  // namespace pellucid::bind
