#include <nanobind/stl/optional.h>

#include "bind/arrays.hpp"
#include "core/metrics/counts.hpp"
#include "core/metrics/losses.hpp"
#include "core/metrics/ranking.hpp"
#include "core/metrics/silhouette.hpp"
#include "core/metrics/texts.hpp"

namespace pellucid::bind {
namespace {

template <class T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Rows = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Weights = std::optional<Vector>;

template <class T>
std::span<const T> view(const Column<T>& a) {
    return {a.data(), a.shape(0)};
}
std::span<const double> view(const Weights& w) { return w ? span_of(*w) : std::span<const double>(); }

template <class T>
nb::object hand_over(std::unique_ptr<T[]> values, Size n) {
    T* data = values.release();
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T>(data, {n}, owner));
}

// (status, area, positives, negatives)
template <class T>
nb::tuple py_roc_area(const Column<T>& score, const Column<std::uint8_t>& positive, const Weights& weight,
                      int threads) {
    const ScoredRows<T> rows{view(score), view(positive), view(weight)};
    require(!weight || weight->shape(0) > 0, "roc_area: weights");
    RocArea found;
    {
        const nb::gil_scoped_release release;
        found = roc_area(rows, threads);
    }
    return nb::make_tuple(static_cast<int>(found.status), found.area, found.positives, found.negatives);
}

// (status, scores, positives, negatives)
template <class T>
nb::tuple py_thresholds(const Column<T>& score, const Column<std::uint8_t>& positive, const Weights& weight,
                        int threads) {
    const ScoredRows<T> rows{view(score), view(positive), view(weight)};
    require(!weight || weight->shape(0) > 0, "thresholds: weights");
    Thresholds<T> found;
    {
        const nb::gil_scoped_release release;
        found = thresholds(rows, threads);
    }
    const Size n = found.size;
    return nb::make_tuple(static_cast<int>(found.status), hand_over(std::move(found.score), n),
                          hand_over(std::move(found.positives), n), hand_over(std::move(found.negatives), n));
}

// (are all codes in range?, table)
template <class Code>
nb::tuple py_confusion_counts(const Column<Code>& truth, const Column<Code>& predicted, Size classes,
                              const Weights& weight, int threads, std::int64_t low) {
    require(classes < (Size{1} << 24), "confusion_counts: classes");
    const CodedPairs<Code> rows{view(truth), view(predicted), classes, low};
    const Size cells = classes * classes;
    bool good = false;
    if (weight) {
        std::vector<double> table(cells);
        {
            const nb::gil_scoped_release release;
            good = confusion_weights(rows, view(weight), threads, table);
        }
        return nb::make_tuple(good, to_numpy(std::move(table), {classes, classes}));
    }
    std::vector<std::int64_t> table(cells);
    {
        const nb::gil_scoped_release release;
        good = confusion_counts(rows, threads, table);
    }
    return nb::make_tuple(good, to_numpy(std::move(table), {classes, classes}));
}

// (status, are all labels in range?, lowest, highest, rows that do not sum to one, loss, weight)
template <class Loss, class T, class Code>
nb::tuple py_loss_sums(const Rows<T>& probability, const Column<Code>& label, const Weights& weight, double tolerance,
                       int threads) {
    const PredictedRows<T, Code> rows{probability.data(), probability.shape(0), probability.shape(1),
                                      view(label),        view(weight),         tolerance};
    LossSums s;
    {
        const nb::gil_scoped_release release;
        s = loss_sums<Loss>(rows, threads);
    }
    return nb::make_tuple(static_cast<int>(s.status), s.labels_in_range, s.lowest, s.highest, s.off_one, s.loss,
                          s.weight);
}

// (codes, first row of each distinct text)
nb::tuple py_code_texts(const Rows<std::uint8_t>& text) {
    std::vector<std::int32_t> codes(text.shape(0));
    std::vector<std::int64_t> first;
    {
        const nb::gil_scoped_release release;
        first = code_texts({text.data(), text.shape(0), text.shape(1)}, codes);
    }
    const Size rows = codes.size(), distinct = first.size();
    return nb::make_tuple(to_numpy(std::move(codes), {rows}), to_numpy(std::move(first), {distinct}));
}

nb::object py_silhouettes(const Rows<double>& table, const Column<std::int64_t>& start, int threads) {
    const ClusteredRows rows{table.data(), table.shape(0), table.shape(1), view(start)};
    std::vector<double> found(rows.rows);
    {
        const nb::gil_scoped_release release;
        silhouettes(rows, threads, found);
    }
    return to_numpy(std::move(found), {rows.rows});
}

template <class T>
void bind_ranking(nb::module_& m) {
    m.def("roc_area", &py_roc_area<T>, nb::arg("score").noconvert(), nb::arg("positive").noconvert(),
          nb::arg("weight").none(), nb::arg("threads"));
    m.def("thresholds", &py_thresholds<T>, nb::arg("score").noconvert(), nb::arg("positive").noconvert(),
          nb::arg("weight").none(), nb::arg("threads"));
}

template <class Loss, class T, class Code>
void bind_loss(nb::module_& m, const char* name) {
    m.def(name, &py_loss_sums<Loss, T, Code>, nb::arg("probability").noconvert(), nb::arg("label").noconvert(),
          nb::arg("weight").none(), nb::arg("sum_tolerance"), nb::arg("threads"));
}

template <class Code>
void bind_coded(nb::module_& m) {
    m.def("confusion_counts", &py_confusion_counts<Code>, nb::arg("truth").noconvert(),
          nb::arg("predicted").noconvert(), nb::arg("classes"), nb::arg("weight").none(), nb::arg("threads"),
          nb::arg("low") = 0);
    bind_loss<LogLoss, float, Code>(m, "log_loss_sums");
    bind_loss<LogLoss, double, Code>(m, "log_loss_sums");
    bind_loss<BrierLoss, float, Code>(m, "brier_sums");
    bind_loss<BrierLoss, double, Code>(m, "brier_sums");
}

}  // namespace

void bind_metrics(nb::module_& m) {
    bind_ranking<float>(m);
    bind_ranking<double>(m);
    bind_coded<std::uint8_t>(m);
    bind_coded<std::int32_t>(m);
    bind_coded<std::int64_t>(m);
    m.def("code_texts", &py_code_texts, nb::arg("text").noconvert());
    m.def("silhouettes", &py_silhouettes, nb::arg("table").noconvert(), nb::arg("start").noconvert(),
          nb::arg("threads"));
}

}  // namespace pellucid::bind
