#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <string>

#include "bind/forest_arrays.hpp"
#include "bind/tree_columns.hpp"
#include "bind/tree_nodes.hpp"
#include "core/forest/grow.hpp"
#include "core/forest/walk.hpp"

namespace pellucid::bind {
namespace {

forest::Draw draw_of(const std::string& name) {
    if (name == "all") return forest::Draw::all;
    require(name == "replace" || name == "distinct", "forest: no such way to draw");
    return name == "replace" ? forest::Draw::replace : forest::Draw::distinct;
}

// A sample together with the weights behind it.
struct BoundSampler {
    forest::Sampler sampler;
    BoundSampler(Size rows, const std::string& draw, Size draws, const std::optional<Vector>& weight,
                 std::uint64_t seed)
        : sampler(rows, draw_of(draw), draws, weight ? span_of(*weight) : std::span<const double>{}, seed) {}
};

nb::dict py_grow_forest(TreeColumns& table, const Rows& y, const Ints& n_classes, const std::optional<Vector>& weight,
                        const std::optional<Signs>& monotone, const tree::Settings& settings, std::uint64_t seed,
                        const std::string& draw, Size draws, bool balanced, Size tree_features, double ccp_alpha,
                        Size first, Size count, int threads) {
    forest::Growing growing;
    growing.problem = table.problem(y, n_classes, weight, monotone, settings, seed, threads);
    growing.draw = draw_of(draw);
    growing.draws = draws;
    growing.balanced = balanced;
    growing.tree_features = tree_features;
    growing.ccp_alpha = ccp_alpha;
    growing.first = first;
    growing.count = count;
    forest::Forest found;
    {
        const nb::gil_scoped_release release;
        growing.problem.columns = &table.prepared(settings);
        found = forest::grow_forest(growing);
    }
    return forest_dict(std::move(found), table.columns.cols());
}

nb::object py_predict(const BoundForest& f, const BoundMatrix& x, const Ints& n_classes, int threads) {
    const forest::ForestView view = f.checked();
    const Size n = rows_of(x.view);
    std::vector<double> out(n * view.width);
    {
        const nb::gil_scoped_release release;
        forest::predict(view, x.view, {n_classes.data(), n_classes.size()}, out, threads);
    }
    return to_numpy(std::move(out), {n, view.width});
}

nb::object py_apply(const BoundForest& f, const BoundMatrix& x, int threads) {
    const forest::ForestView view = f.checked();
    const Size n = rows_of(x.view);
    std::vector<std::int32_t> out(n * view.trees());
    {
        const nb::gil_scoped_release release;
        forest::apply(view, x.view, out, threads);
    }
    return to_numpy(std::move(out), {n, view.trees()});
}

nb::dict py_tree(const BoundForest& f, const Column<std::int32_t>& leaf_rows, const Vector& leaf_weight,
                 const Vector& leaf_impurity, const Vector& node_value, const Vector& node_impurity,
                 const Ints& n_classes, const tree::Settings& settings, Size t) {
    const forest::ForestView view = f.checked();
    const forest::FiguresView figures{part(leaf_rows), span_of(leaf_weight), span_of(leaf_impurity),
                                      span_of(node_value), span_of(node_impurity)};
    const auto leaves = static_cast<Size>(view.leaf_start.back());
    forest::Kind kind;
    kind.n_classes = {n_classes.data(), n_classes.size()};
    kind.criterion = settings.criterion;
    kind.below = settings.threshold == tree::Threshold::value;
    kind.figures_kept = node_impurity.size() > 0;
    const Size own = kind.n_classes.empty() ? leaves : 0, kept = kind.figures_kept ? view.nodes.size() : 0;
    require(leaf_rows.size() == leaves && leaf_weight.size() == own && leaf_impurity.size() == own &&
                node_impurity.size() == kept && node_value.size() == kept * view.width,
            "forest: figures of the nodes");
    return nodes_dict(forest::unpack(view, figures, kind, t));
}

forest::Seen seen_of(const BoundMatrix& x, const Rows& y, const Ints& n_classes, const std::optional<Vector>& weight) {
    forest::Seen seen;
    seen.X = &x.view;
    seen.y = {y.data(), y.size()};
    seen.n_classes = {n_classes.data(), n_classes.size()};
    seen.outputs = y.shape(1);
    if (weight) seen.weight = span_of(*weight);
    return seen;
}

nb::dict py_out_of_bag(const BoundForest& f, const BoundMatrix& x, const Rows& y, const Ints& n_classes,
                       const std::optional<Vector>& weight, const BoundSampler& sampler, int threads) {
    const forest::ForestView view = f.checked();
    forest::OutOfBag found;
    {
        const nb::gil_scoped_release release;
        found = forest::out_of_bag(view, seen_of(x, y, n_classes, weight), sampler.sampler, threads);
    }
    nb::dict out;
    out["mean"] = to_numpy(std::move(found.mean), {rows_of(x.view), view.width});
    out["answers"] = column(std::move(found.answers));
    out["loss"] = column(std::move(found.loss));
    out["weight"] = column(std::move(found.weight));
    return out;
}

nb::object py_shuffled(const BoundForest& f, const BoundMatrix& x, const Rows& y, const Ints& n_classes,
                       const std::optional<Vector>& weight, const BoundSampler& sampler, std::uint64_t seed,
                       int threads) {
    const forest::ForestView view = f.checked();
    std::vector<double> found;
    {
        const nb::gil_scoped_release release;
        found = forest::shuffled_losses(view, seen_of(x, y, n_classes, weight), sampler.sampler, seed, threads);
    }
    return to_numpy(std::move(found), {view.trees(), view.cols});
}

nb::tuple py_leaf_targets(const BoundForest& f, const BoundMatrix& x, const Ints& order, const BoundSampler& sampler,
                          int threads) {
    const forest::ForestView view = f.checked();
    forest::LeafTargets found;
    {
        const nb::gil_scoped_release release;
        found = forest::leaf_targets(view, x.view, {order.data(), order.size()}, sampler.sampler, threads);
    }
    return nb::make_tuple(column(std::move(found.start)), column(std::move(found.place)));
}

nb::object py_quantiles(const BoundForest& f, const BoundMatrix& x, const Column<std::int64_t>& start,
                        const Ints& place, const Vector& targets, const std::optional<Vector>& weight, const Vector& q,
                        int threads) {
    const forest::ForestView view = f.checked();
    const Size n = rows_of(x.view), count = q.size();
    std::vector<double> out(n * count);
    {
        const nb::gil_scoped_release release;
        forest::quantiles(view, x.view, part(start), {place.data(), place.size()}, span_of(targets),
                          weight ? span_of(*weight) : std::span<const double>{}, span_of(q), out, threads);
    }
    return to_numpy(std::move(out), {n, count});
}

}  // namespace

void bind_forest(nb::module_& m) {
    m.def("grow_forest", &py_grow_forest, nb::arg("columns"), nb::arg("y").noconvert(),
          nb::arg("n_classes").noconvert(), nb::arg("weight").none(), nb::arg("monotone").none(), nb::arg("settings"),
          nb::arg("seed"), nb::arg("draw"), nb::arg("draws"), nb::arg("balanced"), nb::arg("tree_features"),
          nb::arg("ccp_alpha"), nb::arg("first"), nb::arg("count"), nb::arg("threads"));
    nb::class_<BoundForest>(m, "Forest")
        .def(
            "__init__",
            [](BoundForest* self, Words nodes, Column<std::int64_t> tree_start, Column<std::int64_t> leaf_start,
               Rows leaf_value, Column<std::int64_t> set_start, Column<std::uint32_t> words, Size cols, int threads) {
                new (self) BoundForest{nodes, tree_start, leaf_start, leaf_value, set_start, words, cols};
                require(nodes.shape(1) == 2, "forest: nodes");
                const nb::gil_scoped_release release;
                self->fault = forest::fault_of(self->view());
                if (self->fault == nullptr) self->quick = forest::quicken(self->view(), threads);
            },
            nb::arg("nodes").noconvert(), nb::arg("tree_start").noconvert(), nb::arg("leaf_start").noconvert(),
            nb::arg("leaf_value").noconvert(), nb::arg("set_start").noconvert(), nb::arg("words").noconvert(),
            nb::arg("cols"), nb::arg("threads"))
        .def_prop_ro("fault", [](const BoundForest& f) { return f.fault; });
    nb::class_<BoundSampler>(m, "ForestSampler")
        .def(nb::init<Size, const std::string&, Size, const std::optional<Vector>&, std::uint64_t>(), nb::arg("rows"),
             nb::arg("draw"), nb::arg("draws"), nb::arg("weight").none(), nb::arg("seed"))
        .def(
            "counts",
            [](const BoundSampler& s, Size tree) {
                std::vector<std::uint32_t> counts(s.sampler.rows());
                s.sampler.draw(tree, counts);
                return column(std::move(counts));
            },
            nb::arg("tree"));
    m.def("forest_predict", &py_predict, nb::arg("forest"), nb::arg("x"), nb::arg("n_classes").noconvert(),
          nb::arg("threads"));
    m.def("forest_apply", &py_apply, nb::arg("forest"), nb::arg("x"), nb::arg("threads"));
    m.def("forest_tree", &py_tree, nb::arg("forest"), nb::arg("leaf_rows").noconvert(), nb::arg("leaf_weight"),
          nb::arg("leaf_impurity"), nb::arg("node_value"), nb::arg("node_impurity"), nb::arg("n_classes").noconvert(),
          nb::arg("settings"), nb::arg("tree"));
    m.def("forest_out_of_bag", &py_out_of_bag, nb::arg("forest"), nb::arg("x"), nb::arg("y").noconvert(),
          nb::arg("n_classes").noconvert(), nb::arg("weight").none(), nb::arg("sampler"), nb::arg("threads"));
    m.def("forest_shuffled", &py_shuffled, nb::arg("forest"), nb::arg("x"), nb::arg("y").noconvert(),
          nb::arg("n_classes").noconvert(), nb::arg("weight").none(), nb::arg("sampler"), nb::arg("seed"),
          nb::arg("threads"));
    m.def("forest_leaf_targets", &py_leaf_targets, nb::arg("forest"), nb::arg("x"), nb::arg("order").noconvert(),
          nb::arg("sampler"), nb::arg("threads"));
    m.def("forest_quantiles", &py_quantiles, nb::arg("forest"), nb::arg("x"), nb::arg("start").noconvert(),
          nb::arg("place").noconvert(), nb::arg("targets").noconvert(), nb::arg("weight").none(),
          nb::arg("q").noconvert(), nb::arg("threads"));
}

}  // namespace pellucid::bind
