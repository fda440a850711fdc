#include <atomic>
#include <cstdint>

#include "bind/arrays.hpp"
#include "core/base/pool.hpp"

namespace pellucid::bind {
namespace {

// For tests of interruption: how often the hook was called, and at which call it behaves as if Ctrl-C had been pressed
// (never for 0).
std::atomic<std::int64_t> hook_calls{0};
std::atomic<std::int64_t> interrupt_at{0};

// Python runs signal handlers on its main thread only; on any other thread this finds nothing to do.
bool python_wants_to_stop() {
    const nb::gil_scoped_acquire gil;
    if (hook_calls.fetch_add(1) + 1 == interrupt_at.load()) PyErr_SetNone(PyExc_KeyboardInterrupt);
    return PyErr_Occurred() != nullptr || PyErr_CheckSignals() != 0;  // asked again, it still says yes
}

void translate(const std::exception_ptr& p, void*) {
    try {
        std::rethrow_exception(p);
    } catch (const Interrupted&) {
        if (!PyErr_Occurred()) PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
}

}  // namespace
}  // namespace pellucid::bind

NB_MODULE(_core, m) {
    using namespace pellucid::bind;
    m.doc() = "Compiled kernels of pellucid. Not a public interface.";
    pellucid::set_interrupt_hook(python_wants_to_stop);
    nb::register_exception_translator(translate);
    m.def("hook_calls", [] { return hook_calls.load(); });
    m.def(
        "interrupt_at",
        [](std::int64_t call) {
            interrupt_at.store(call);
            hook_calls.store(0);
        },
        nb::arg("call"));
    bind_approximate(m);
    bind_association(m);
    bind_base(m);
    bind_boosting(m);
    bind_cluster(m);
    bind_coordinate_descent(m);
    bind_data(m);
    bind_decomposition(m);
    bind_discriminants(m);
    bind_distance(m);
    bind_feature_selection(m);
    bind_features(m);
    bind_forest(m);
    bind_impute(m);
    bind_isotonic(m);
    bind_linalg(m);
    bind_metrics(m);
    bind_naive_bayes(m);
    bind_naive_bayes_categories(m);
    bind_neighbors(m);
    bind_neural_network(m);
    bind_outliers(m);
    bind_pairwise(m);
    bind_preprocessing(m);
    bind_prototypes(m);
    bind_quality(m);
    bind_recommend(m);
    bind_ridge(m);
    bind_ripper(m);
    bind_rules(m);
    bind_sgd(m);
    bind_sketch(m);
    bind_smooth(m);
    bind_solvers(m);
    bind_sparse_solvers(m);
    bind_stumps(m);
    bind_svm(m);
    bind_target_statistics(m);
    bind_text(m);
    bind_transforms(m);
    bind_tree(m);
    bind_tree_chaid(m);
    bind_tree_multiway(m);
    bind_tree_predict(m);
    bind_tree_prune(m);
    bind_trees_of_points(m);
    bind_votes(m);
}
