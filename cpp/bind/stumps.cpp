#include "core/ensemble/stumps.hpp"

#include "bind/arrays.hpp"

namespace pellucid::bind {
namespace {

using Ints = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Flags = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Votes = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class A>
auto spanned(const A& a) {
    return std::span(a.data(), a.shape(0));
}

nb::dict py_boost_stumps(const BoundMatrix& X, const Ints& n_categories, const Ints& codes, Size classes,
                         const Vector& weight, Size rounds, double rate, bool half, bool normalize, bool record,
                         int threads) {
    ensemble::StumpProblem problem{
        X.view, spanned(n_categories), spanned(codes), classes, span_of(weight), rounds, rate, half, normalize, record,
        threads};
    require(rows_of(X.view) == problem.rows() && weight.shape(0) == problem.rows(), "boost_stumps: rows");
    require(cols_of(X.view) == problem.cols(), "boost_stumps: columns");
    for (const std::int32_t code : problem.codes)
        require(code >= 0 && static_cast<Size>(code) < classes, "boost_stumps: a class out of range");
    ensemble::Stumps found;
    {
        const nb::gil_scoped_release release;
        found = ensemble::boost_stumps(problem);
    }
    const Size m = found.count(), recorded = found.error.size();
    const auto column = [](auto&& values) {
        const Size n = values.size();
        return to_numpy(std::move(values), {n});
    };
    nb::dict out;
    out["ending"] = static_cast<int>(found.ending);
    out["feature"] = column(std::move(found.feature));
    out["test"] = column(std::move(found.test));
    out["missing_child"] = column(std::move(found.missing_child));
    out["threshold"] = column(std::move(found.threshold));
    out["n_rows"] = to_numpy(std::move(found.n_rows), {m, 3});
    out["weight"] = to_numpy(std::move(found.node_weight), {m, 3});
    out["impurity"] = to_numpy(std::move(found.impurity), {m, 3});
    out["value"] = to_numpy(std::move(found.value), {m, 3, classes});
    out["table_start"] = column(std::move(found.table_start));
    out["table"] = column(std::move(found.table));
    out["error"] = column(std::move(found.error));
    out["stage"] = column(std::move(found.stage));
    out["row_weight"] = to_numpy(std::move(found.row_weight), {record ? recorded : 0, problem.rows()});
    return out;
}

void py_add_stump_votes(const BoundMatrix& X, const Ints& feature, const Vector& threshold, const Flags& missing_left,
                        const Ints& left, const Ints& right, const Vector& stage, const Votes& votes, int threads) {
    const ensemble::StumpVotes stumps{spanned(feature), span_of(threshold), spanned(missing_left),
                                      spanned(left),    spanned(right),     span_of(stage)};
    const Size m = stumps.count(), rows = rows_of(X.view), cols = cols_of(X.view);
    require(threshold.shape(0) == m && missing_left.shape(0) == m && left.shape(0) == m && right.shape(0) == m &&
                stage.shape(0) == m,
            "add_stump_votes: one entry a stump");
    require(votes.shape(1) == rows, "add_stump_votes: rows");
    for (Size t = 0; t < m; ++t) {
        require(stumps.feature[t] < static_cast<std::int64_t>(cols), "add_stump_votes: a column out of range");
        require(stumps.left[t] >= 0 && static_cast<Size>(stumps.left[t]) < votes.shape(0) && stumps.right[t] >= 0 &&
                    static_cast<Size>(stumps.right[t]) < votes.shape(0),
                "add_stump_votes: a class out of range");
    }
    const nb::gil_scoped_release release;
    ensemble::add_stump_votes(X.view, stumps, {votes.data(), votes.size()}, threads);
}

}  // namespace

void bind_stumps(nb::module_& m) {
    m.def("boost_stumps", &py_boost_stumps, nb::arg("x"), nb::arg("n_categories").noconvert(),
          nb::arg("codes").noconvert(), nb::arg("classes"), nb::arg("weight").noconvert(), nb::arg("rounds"),
          nb::arg("rate"), nb::arg("half"), nb::arg("normalize"), nb::arg("record"), nb::arg("threads"));
    m.def("add_stump_votes", &py_add_stump_votes, nb::arg("x"), nb::arg("feature").noconvert(),
          nb::arg("threshold").noconvert(), nb::arg("missing_left").noconvert(), nb::arg("left").noconvert(),
          nb::arg("right").noconvert(), nb::arg("stage").noconvert(), nb::arg("votes").noconvert(), nb::arg("threads"));
}

}  // namespace pellucid::bind
