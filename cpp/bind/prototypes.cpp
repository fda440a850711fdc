#include "bind/traced.hpp"
#include "core/prototypes/answers.hpp"
#include "core/prototypes/condense.hpp"
#include "core/prototypes/lvq.hpp"

namespace pellucid::bind {
namespace {

template <class T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Vectors = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Codes = Column<std::int32_t>;

template <class T>
std::span<const T> view(const Column<T>& a) {
    return {a.data(), a.shape(0)};
}
std::span<const double> scale_of(const std::optional<Vector>& scale) {
    return scale ? span_of(*scale) : std::span<const double>{};
}

Codebook codebook_of(const BoundMatrix& X, const Vectors& vectors) {
    require(vectors.shape(1) == cols_of(X.view), "prototypes: columns");
    return Codebook(vectors.data(), vectors.shape(0), vectors.shape(1));
}

// (reduced distances, numbers of vectors), rows x k each.
nb::tuple py_nearest_prototypes(const BoundMatrix& X, const Vectors& vectors, Size k, int metric,
                                const std::optional<Vector>& scale, int threads) {
    const Size n = rows_of(X.view);
    std::vector<double> reduced(n * k);
    std::vector<std::int64_t> numbers(n * k);
    {
        const nb::gil_scoped_release release;
        nearest_prototypes({&X.view, scale_of(scale)}, codebook_of(X, vectors), metric_of(metric, 2, cols_of(X.view)),
                           k, reduced, numbers, threads);
    }
    return nb::make_tuple(to_numpy(std::move(reduced), {n, k}), to_numpy(std::move(numbers), {n, k}));
}

// Reduced distances, rows x classes.
nb::object py_class_distances(const BoundMatrix& X, const Vectors& vectors, const Codes& labels, Size classes,
                              int metric, const std::optional<Vector>& scale, int threads) {
    const Size n = rows_of(X.view);
    std::vector<double> reduced(n * classes);
    {
        const nb::gil_scoped_release release;
        class_distances({&X.view, scale_of(scale)}, codebook_of(X, vectors), view(labels), classes,
                        metric_of(metric, 2, cols_of(X.view)), reduced, threads);
    }
    return to_numpy(std::move(reduced), {n, classes});
}

// (stop, epochs, codebook, rates, mistakes, path, record)
nb::tuple py_lvq(const BoundMatrix& X, const Codes& y, const std::optional<Vector>& weight,
                 const std::optional<Vector>& scale, const std::optional<Vectors>& box, const Vectors& codebook,
                 const Codes& labels, const Vector& rates, const LvqSettings& settings, bool record,
                 std::optional<nb::callable> listener) {
    const Size m = codebook.shape(0), p = codebook.shape(1);
    LvqState state{{codebook.data(), codebook.data() + m * p},
                   {labels.data(), labels.data() + labels.shape(0)},
                   {rates.data(), rates.data() + rates.shape(0)}};
    LvqProblem problem{&X.view, view(y), scale_of(weight), scale_of(scale), {}, {}};
    if (box) {
        require(box->shape(0) == 2 && box->shape(1) == p, "lvq: box");
        problem.low = {box->data(), p};
        problem.high = {box->data() + p, p};
    }
    LvqResult result;
    nb::object tables =
        with_trace(record, listener, [&](auto& trace) { result = lvq(problem, settings, state, trace); });
    const Size kept = result.path.size() / (m * p), epochs = result.mistakes.size();
    return nb::make_tuple(static_cast<int>(result.stop), result.epochs, to_numpy(std::move(state.codebook), {m, p}),
                          to_numpy(std::move(state.rates), {m}), to_numpy(std::move(result.mistakes), {epochs}),
                          to_numpy(std::move(result.path), {kept, m, p}), tables);
}

// (store, passes, judgments x 6: pass, row, nearest, reduced distance, what the vote said, added)
nb::tuple py_condense(const BoundMatrix& X, const Codes& y, const Column<std::int64_t>& order,
                      const Column<std::int64_t>& start, Size k, int metric, const std::optional<Vector>& scale,
                      bool record, int threads) {
    Condensed found;
    {
        const nb::gil_scoped_release release;
        found = condense(
            {&X.view, view(y), view(order), view(start), scale_of(scale), metric_of(metric, 2, cols_of(X.view)), k},
            record, threads);
    }
    std::vector<double> cells;
    for (const Judgment& j : found.judgments)
        cells.insert(cells.end(),
                     {static_cast<double>(j.pass), static_cast<double>(j.row), static_cast<double>(j.nearest),
                      j.reduced, static_cast<double>(j.said), j.added ? 1.0 : 0.0});
    const Size stored = found.store.size(), judged = found.judgments.size();
    return nb::make_tuple(to_numpy(std::move(found.store), {stored}), found.passes,
                          to_numpy(std::move(cells), {judged, 6}));
}

}  // namespace

void bind_prototypes(nb::module_& m) {
    nb::class_<LvqSettings>(m, "LvqSettings")
        .def(nb::init<>())
        .def_rw("rate", &LvqSettings::rate)
        .def_rw("epochs", &LvqSettings::epochs)
        .def_rw("begin", &LvqSettings::begin)
        .def_rw("window", &LvqSettings::window)
        .def_rw("epsilon", &LvqSettings::epsilon)
        .def_rw("steepness", &LvqSettings::steepness)
        .def_rw("spread", &LvqSettings::spread)
        .def_rw("shuffle", &LvqSettings::shuffle)
        .def_rw("seed", &LvqSettings::seed)
        .def_rw("keep_path", &LvqSettings::keep_path)
        .def("set_variant",
             [](LvqSettings& s, int variant) {
                 require(variant >= 0 && variant <= static_cast<int>(LvqVariant::glvq), "lvq: variant");
                 s.variant = static_cast<LvqVariant>(variant);
             })
        .def("set_decay", [](LvqSettings& s, int decay) {
            require(decay >= 0 && decay <= static_cast<int>(LvqDecay::constant), "lvq: decay");
            s.decay = static_cast<LvqDecay>(decay);
        });
    m.def("lvq", &py_lvq, nb::arg("x"), nb::arg("y").noconvert(), nb::arg("weight").none(), nb::arg("scale").none(),
          nb::arg("box").none(), nb::arg("codebook").noconvert(), nb::arg("labels").noconvert(),
          nb::arg("rates").noconvert(), nb::arg("settings"), nb::arg("record") = false,
          nb::arg("listener").none() = nb::none());
    m.def("nearest_prototypes", &py_nearest_prototypes, nb::arg("x"), nb::arg("vectors").noconvert(), nb::arg("k"),
          nb::arg("metric"), nb::arg("scale").none(), nb::arg("threads"));
    m.def("class_distances", &py_class_distances, nb::arg("x"), nb::arg("vectors").noconvert(),
          nb::arg("labels").noconvert(), nb::arg("classes"), nb::arg("metric"), nb::arg("scale").none(),
          nb::arg("threads"));
    m.def("condense", &py_condense, nb::arg("x"), nb::arg("y").noconvert(), nb::arg("order").noconvert(),
          nb::arg("start").noconvert(), nb::arg("k"), nb::arg("metric"), nb::arg("scale").none(), nb::arg("record"),
          nb::arg("threads"));
}

}  // namespace pellucid::bind
