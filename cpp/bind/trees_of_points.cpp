#include <nanobind/stl/tuple.h>

#include "bind/arrays.hpp"
#include "core/base/pool.hpp"
#include "core/distance/ball_tree.hpp"
#include "core/distance/kd_textbook.hpp"
#include "core/distance/kd_tree.hpp"

namespace pellucid::bind {
namespace {

using Bytes = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Ints = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Memory for NumPy that nobody has touched yet: its pages come in where it is first written, on all threads.
template <class T>
struct Fresh {
    std::unique_ptr<T[]> held;
    Size size;

    explicit Fresh(Size n) : held(std::make_unique_for_overwrite<T[]>(n)), size(n) {}
    std::span<T> span() { return {held.get(), size}; }
    nb::object to_numpy(std::initializer_list<Size> shape) {
        T* data = held.release();
        nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
        return nb::cast(nb::ndarray<nb::numpy, T>(data, shape, owner));
    }
};

// A built tree as Python keeps it: (rows by panels, their numbers, regions, number of rows, of columns, panels a leaf).
struct Held {
    Bytes panels;
    Ints numbers;
    Bytes regions;
    Size rows, dims, leaf;

    explicit Held(const nb::tuple& t)
        : panels(nb::cast<Bytes>(t[0])),
          numbers(nb::cast<Ints>(t[1])),
          regions(nb::cast<Bytes>(t[2])),
          rows(nb::cast<Size>(t[3])),
          dims(nb::cast<Size>(t[4])),
          leaf(nb::cast<Size>(t[5])) {}
    bool single() const { return panels.dtype() == nb::dtype<float>(); }
    void check(const Arrangement& a) const {
        require(panels.shape(0) == a.slots() * a.dims && numbers.shape(0) == a.slots() && regions.shape(0) == a.regions,
                "arrays of the arrangement's sizes");
    }
};

template <class T>
struct KdHeld {
    Metric metric;
    KdView<T> view;

    KdHeld(const Held& h, const Metric& m) : metric(m), view() {
        const Arrangement a = kd_arrangement(h.rows, h.dims, h.leaf);
        h.check(a);
        view = kd_view(a, static_cast<const T*>(h.panels.data()), h.numbers.data(),
                       static_cast<const T*>(h.regions.data()), metric);
    }
    void nearest(const Matrix& q, Size k, const MissBudget& b, std::span<double> d, std::span<std::int64_t> n,
                 int threads) const {
        kd_nearest(view, metric, q, k, b, d, n, threads);
    }
    void others(Size k, const MissBudget& b, std::span<double> d, std::span<std::int64_t> n, int threads) const {
        kd_nearest_others(view, metric, k, b, d, n, threads);
    }
    Neighborhoods within(const Matrix& q, std::span<const double> radii, int threads) const {
        return kd_within(view, metric, q, radii, threads);
    }
    void count(const Matrix& q, std::span<const double> radii, std::span<std::int64_t> counts, int threads) const {
        kd_count(view, metric, q, radii, counts, threads);
    }
};

template <class T>
struct BallHeld {
    BallView<T> view;

    BallHeld(const Held& h, const Metric& m) : view() {
        const Arrangement a = ball_arrangement(h.rows, h.dims, h.leaf);
        h.check(a);
        view = {a, static_cast<const T*>(h.panels.data()), h.numbers.data(),
                static_cast<const double*>(h.regions.data()), m};
    }
    void nearest(const Matrix& q, Size k, const MissBudget& b, std::span<double> d, std::span<std::int64_t> n,
                 int threads) const {
        ball_nearest(view, q, k, b, d, n, threads);
    }
    void others(Size k, const MissBudget& b, std::span<double> d, std::span<std::int64_t> n, int threads) const {
        ball_nearest_others(view, k, b, d, n, threads);
    }
    Neighborhoods within(const Matrix& q, std::span<const double> radii, int threads) const {
        return ball_within(view, q, radii, threads);
    }
    void count(const Matrix& q, std::span<const double> radii, std::span<std::int64_t> counts, int threads) const {
        ball_count(view, q, radii, counts, threads);
    }
};

// Calls f(tree) with the GIL released. Kind is KdHeld or BallHeld.
template <template <class> class Kind, class F>
void with_tree(const Held& held, const Metric& metric, const F& f) {
    const nb::gil_scoped_release release;
    held.single() ? f(Kind<float>(held, metric)) : f(Kind<double>(held, metric));
}

template <template <class> class Kind>
nb::tuple py_nearest(const nb::tuple& tree, const BoundMatrix& queries, Size k, int metric, double p, double eps,
                     Size most_leaves, int threads) {
    const Held held(tree);
    const Size n = rows_of(queries.view);
    Fresh<double> distances(n * k);
    Fresh<std::int64_t> numbers(n * k);
    with_tree<Kind>(held, metric_of(metric, p), [&](const auto& t) {
        t.nearest(queries.view, k, {eps, most_leaves}, distances.span(), numbers.span(), threads);
    });
    return nb::make_tuple(distances.to_numpy({n, k}), numbers.to_numpy({n, k}));
}

template <template <class> class Kind>
nb::tuple py_nearest_others(const nb::tuple& tree, Size k, int metric, double p, double eps, Size most_leaves,
                            int threads) {
    const Held held(tree);
    Fresh<double> distances(held.rows * k);
    Fresh<std::int64_t> numbers(held.rows * k);
    with_tree<Kind>(held, metric_of(metric, p),
                    [&](const auto& t) { t.others(k, {eps, most_leaves}, distances.span(), numbers.span(), threads); });
    return nb::make_tuple(distances.to_numpy({held.rows, k}), numbers.to_numpy({held.rows, k}));
}

template <template <class> class Kind>
nb::tuple py_within(const nb::tuple& tree, const BoundMatrix& queries, const Vector& radii, int metric, double p,
                    int threads) {
    const Held held(tree);
    Neighborhoods found;
    with_tree<Kind>(held, metric_of(metric, p),
                    [&](const auto& t) { found = t.within(queries.view, span_of(radii), threads); });
    const Size pairs = found.rows.size(), starts = found.starts.size();
    return nb::make_tuple(to_numpy(std::move(found.starts), {starts}), to_numpy(std::move(found.distances), {pairs}),
                          to_numpy(std::move(found.rows), {pairs}));
}

template <template <class> class Kind>
nb::object py_count(const nb::tuple& tree, const BoundMatrix& queries, const Vector& radii, int metric, double p,
                    int threads) {
    const Held held(tree);
    Fresh<std::int64_t> counts(rows_of(queries.view));
    with_tree<Kind>(held, metric_of(metric, p),
                    [&](const auto& t) { t.count(queries.view, span_of(radii), counts.span(), threads); });
    return counts.to_numpy({counts.size});
}

// (panels, numbers, regions); build(x, arrangement, panels, numbers, regions).
template <class T, class Region, class Build>
nb::tuple built(const Dense<T>& x, const Arrangement& a, const Build& build) {
    Fresh<T> panels(a.slots() * a.dims);
    Fresh<std::int32_t> numbers(a.slots());
    Fresh<Region> regions(a.regions);
    {
        const nb::gil_scoped_release release;
        build(x, panels.span(), numbers.span(), regions.span());
    }
    return nb::make_tuple(panels.to_numpy({panels.size}), numbers.to_numpy({numbers.size}),
                          regions.to_numpy({regions.size}));
}

nb::tuple py_kd_build(const BoundMatrix& x, Size leaf, int threads) {
    const Arrangement a = kd_arrangement(rows_of(x.view), cols_of(x.view), leaf);
    const auto of = [&]<class T>(const Dense<T>& dense) {
        return built<T, T>(dense, a, [&](const auto& rows, auto panels, auto numbers, auto boxes) {
            kd_build<T>(rows, a, panels, numbers, boxes, threads);
        });
    };
    if (const auto* single = std::get_if<Dense<float>>(&x.view)) return of(*single);
    return of(std::get<Dense<double>>(x.view));
}

nb::tuple py_ball_build(const BoundMatrix& x, Size leaf, int metric, double p, int threads) {
    const Arrangement a = ball_arrangement(rows_of(x.view), cols_of(x.view), leaf);
    const auto of = [&]<class T>(const Dense<T>& dense) {
        return built<T, double>(dense, a, [&](const auto& rows, auto panels, auto numbers, auto balls) {
            ball_build<T>(rows, a, metric_of(metric, p), panels, numbers, balls, threads);
        });
    };
    if (const auto* single = std::get_if<Dense<float>>(&x.view)) return of(*single);
    return of(std::get<Dense<double>>(x.view));
}

// (axis, threshold, left, right, first, count, skipped, order): the first seven by nodes.
nb::tuple py_textbook_tree(const Grid& x, Size leaf_size) {
    TextbookTree tree;
    {
        const nb::gil_scoped_release release;
        tree = textbook_tree(dense_view<double>(x), leaf_size);
    }
    const Size n = tree.nodes.size();
    std::vector<double> threshold(n);
    std::vector<std::int32_t> whole[6];
    for (auto& column : whole) column.resize(n);
    for (Size i = 0; i < n; ++i) {
        const TextbookNode& t = tree.nodes[i];
        threshold[i] = t.threshold;
        const std::int32_t values[6] = {t.axis, t.left, t.right, t.first, t.count, t.skipped};
        for (Size c = 0; c < 6; ++c) whole[c][i] = values[c];
    }
    const Size rows = tree.order.size();
    return nb::make_tuple(to_numpy(std::move(whole[0]), {n}), to_numpy(std::move(threshold), {n}),
                          to_numpy(std::move(whole[1]), {n}), to_numpy(std::move(whole[2]), {n}),
                          to_numpy(std::move(whole[3]), {n}), to_numpy(std::move(whole[4]), {n}),
                          to_numpy(std::move(whole[5]), {n}), to_numpy(std::move(tree.order), {rows}));
}

std::vector<TextbookNode> nodes_of(const nb::tuple& tree) {
    const auto axis = nb::cast<Ints>(tree[0]), left = nb::cast<Ints>(tree[2]), right = nb::cast<Ints>(tree[3]);
    const auto first = nb::cast<Ints>(tree[4]), count = nb::cast<Ints>(tree[5]);
    const auto threshold = nb::cast<Vector>(tree[1]);
    std::vector<TextbookNode> nodes(axis.shape(0));
    for (Size i = 0; i < nodes.size(); ++i)
        nodes[i] = {
            axis.data()[i], threshold.data()[i], left.data()[i], right.data()[i], first.data()[i], count.data()[i], 0};
    return nodes;
}

// (distances, rows) of all queries, and of the first query the visits: nodes x (node, bound, limit, entered?).
nb::tuple py_textbook_nearest(const nb::tuple& tree, const Grid& x, const Grid& queries, Size k, int metric, double p,
                              int threads) {
    const std::vector<TextbookNode> nodes = nodes_of(tree);
    const auto order = nb::cast<Ints>(tree[7]);
    const Dense<double> rows = dense_view<double>(x), asked = dense_view<double>(queries);
    require(k >= 1 && k <= rows.rows && rows.cols == asked.cols, "k of the rows, as many columns");
    Fresh<double> distances(asked.rows * k);
    Fresh<std::int64_t> numbers(asked.rows * k);
    std::vector<Visit> visits;
    {
        const nb::gil_scoped_release release;
        const Metric m = metric_of(metric, p);
        parallel_for(asked.rows, threads, [&](Size i) {
            std::vector<double> query(asked.cols);
            for (Size j = 0; j < asked.cols; ++j) query[j] = asked.at(i, j);
            textbook_nearest(rows, nodes, {order.data(), order.shape(0)}, m, query.data(), k,
                             distances.span().data() + i * k, numbers.span().data() + i * k,
                             i == 0 ? &visits : nullptr);
        });
    }
    std::vector<double> told;
    for (const Visit& v : visits)
        told.insert(told.end(), {static_cast<double>(v.node), v.bound, v.limit, v.entered ? 1.0 : 0.0});
    return nb::make_tuple(distances.to_numpy({asked.rows, k}), numbers.to_numpy({asked.rows, k}),
                          to_numpy(std::move(told), {visits.size(), 4}));
}

}  // namespace

void bind_trees_of_points(nb::module_& m) {
    m.def("kd_build", &py_kd_build);
    m.def("kd_nearest", &py_nearest<KdHeld>);
    m.def("kd_nearest_others", &py_nearest_others<KdHeld>);
    m.def("kd_within", &py_within<KdHeld>);
    m.def("kd_count", &py_count<KdHeld>);
    m.def("ball_build", &py_ball_build);
    m.def("ball_nearest", &py_nearest<BallHeld>);
    m.def("ball_nearest_others", &py_nearest_others<BallHeld>);
    m.def("ball_within", &py_within<BallHeld>);
    m.def("ball_count", &py_count<BallHeld>);
    m.def("textbook_tree", &py_textbook_tree);
    m.def("textbook_nearest", &py_textbook_nearest);
}

}  // namespace pellucid::bind
