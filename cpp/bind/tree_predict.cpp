#include "bind/arrays.hpp"
#include "core/tree/predict.hpp"

namespace pellucid::bind {
namespace {

template <class T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Values = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> span_of(const Column<T>& column) {
    return {column.data(), column.shape(0)};
}

// The arrays of a tree, kept alive, and what is wrong with them for tables of so many columns.
struct BoundTree {
    Column<std::int32_t> parent, first_child, n_children, feature;
    Column<std::uint8_t> test;
    Column<std::int32_t> missing_child;
    Column<double> threshold, weight;
    Values value;
    Column<std::int64_t> table_start;
    Column<std::int32_t> table;
    Column<std::int64_t> cuts_start;
    Column<double> cuts;
    Column<std::int64_t> surrogate_start;
    Column<std::int32_t> surrogate_feature;
    Column<double> surrogate_threshold;
    Column<std::uint8_t> surrogate_reverse;
    Size cols;
    const char* fault = nullptr;  // found once, when the tree is made

    tree::NodesView view() const {
        return {value.shape(1),
                span_of(parent),
                span_of(first_child),
                span_of(n_children),
                span_of(feature),
                span_of(test),
                span_of(missing_child),
                span_of(threshold),
                span_of(weight),
                {value.data(), value.size()},
                span_of(table_start),
                span_of(table),
                span_of(cuts_start),
                span_of(cuts),
                span_of(surrogate_start),
                span_of(surrogate_feature),
                span_of(surrogate_threshold),
                span_of(surrogate_reverse)};
    }
    // Nobody may write into the arrays between this and the walk: parts/tree/answer.py makes a tree for one call.
    tree::NodesView checked(const BoundMatrix& x) const {
        require(cols_of(x.view) == cols && fault == nullptr, "tree: nodes or columns do not fit");
        return view();
    }
};

nb::object py_apply(const BoundTree& nodes, const BoundMatrix& x, int threads) {
    const tree::NodesView t = nodes.checked(x);
    const Size n = rows_of(x.view);
    std::vector<std::int32_t> out(n);
    {
        const nb::gil_scoped_release release;
        tree::apply(t, x.view, out, threads);
    }
    return to_numpy(std::move(out), {n});
}

nb::object py_answer(const BoundTree& nodes, const BoundMatrix& x, const Column<std::int64_t>& classes, int threads) {
    const tree::NodesView t = nodes.checked(x);
    const Size n = rows_of(x.view);
    std::vector<double> out(n * t.width);
    {
        const nb::gil_scoped_release release;
        tree::answer(t, x.view, span_of(classes), out, threads);
    }
    return to_numpy(std::move(out), {n, t.width});
}

// (starts, nodes, shares)
nb::tuple lists_to_numpy(tree::NodeLists lists) {
    const Size n = lists.start.size(), entries = lists.node.size(), shares = lists.share.size();
    return nb::make_tuple(to_numpy(std::move(lists.start), {n}), to_numpy(std::move(lists.node), {entries}),
                          to_numpy(std::move(lists.share), {shares}));
}

using Lister = tree::NodeLists (*)(const tree::NodesView&, const Matrix&, Size, Size, int);

template <Lister list>
nb::tuple py_lists(const BoundTree& nodes, const BoundMatrix& x, Size begin, Size end, int threads) {
    const tree::NodesView t = nodes.checked(x);
    tree::NodeLists lists;
    {
        const nb::gil_scoped_release release;
        lists = list(t, x.view, begin, end, threads);
    }
    return lists_to_numpy(std::move(lists));
}

}  // namespace

void bind_tree_predict(nb::module_& m) {
    using Ints = Column<std::int32_t>;
    using Longs = Column<std::int64_t>;
    using Bytes = Column<std::uint8_t>;
    using Numbers = Column<double>;
    nb::class_<BoundTree>(m, "Tree")
        .def(
            "__init__",
            [](BoundTree* self, Ints parent, Ints first_child, Ints n_children, Ints feature, Bytes test,
               Ints missing_child, Numbers threshold, Numbers weight, Values value, Longs table_start, Ints table,
               Longs cuts_start, Numbers cuts, Longs surrogate_start, Ints surrogate_feature,
               Numbers surrogate_threshold, Bytes surrogate_reverse, Size cols) {
                new (self) BoundTree{parent,
                                     first_child,
                                     n_children,
                                     feature,
                                     test,
                                     missing_child,
                                     threshold,
                                     weight,
                                     value,
                                     table_start,
                                     table,
                                     cuts_start,
                                     cuts,
                                     surrogate_start,
                                     surrogate_feature,
                                     surrogate_threshold,
                                     surrogate_reverse,
                                     cols};
                self->fault = tree::fault_of(self->view(), cols);
            },
            nb::arg("parent").noconvert(), nb::arg("first_child").noconvert(), nb::arg("n_children").noconvert(),
            nb::arg("feature").noconvert(), nb::arg("test").noconvert(), nb::arg("missing_child").noconvert(),
            nb::arg("threshold").noconvert(), nb::arg("weight").noconvert(), nb::arg("value").noconvert(),
            nb::arg("table_start").noconvert(), nb::arg("table").noconvert(), nb::arg("cuts_start").noconvert(),
            nb::arg("cuts").noconvert(), nb::arg("surrogate_start").noconvert(),
            nb::arg("surrogate_feature").noconvert(), nb::arg("surrogate_threshold").noconvert(),
            nb::arg("surrogate_reverse").noconvert(), nb::arg("cols"))
        .def_prop_ro("fault", [](const BoundTree& self) { return self.fault; });
    m.def("tree_apply", &py_apply, nb::arg("tree"), nb::arg("x"), nb::arg("threads"));
    m.def("tree_answer", &py_answer, nb::arg("tree"), nb::arg("x"), nb::arg("classes").noconvert(), nb::arg("threads"));
    m.def("tree_paths", &py_lists<tree::paths>, nb::arg("tree"), nb::arg("x"), nb::arg("begin"), nb::arg("end"),
          nb::arg("threads"));
    m.def("tree_answering", &py_lists<tree::answering>, nb::arg("tree"), nb::arg("x"), nb::arg("begin"), nb::arg("end"),
          nb::arg("threads"));
}

}  // namespace pellucid::bind
