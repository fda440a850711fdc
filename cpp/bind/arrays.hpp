// Arrays in and out. No conversions here: a wrong dtype or order is our bug, not a hidden copy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <utility>
#include <vector>

#include "core/base/check.hpp"
#include "core/base/trace.hpp"
#include "core/base/views.hpp"

namespace pellucid::bind {

namespace nb = nanobind;

using Vector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Grid = nb::ndarray<const double, nb::ndim<2>, nb::device::cpu>;

inline std::span<const double> span_of(const Vector& v) { return {v.data(), v.shape(0)}; }

template <class T>
Dense<T> dense_view(const nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>& a) {
    return {a.data(), a.shape(0), a.shape(1), a.stride(0), a.stride(1)};
}

// A view together with the arrays that keep its memory alive.
struct BoundMatrix {
    Matrix view;
    std::vector<nb::object> owners;
};

// Hands a vector over to NumPy without copying it.
template <class T>
nb::object to_numpy(std::vector<T> values, std::initializer_list<Size> shape) {
    auto* held = new std::vector<T>(std::move(values));
    nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T>(held->data(), shape, owner));
}

// Record as a dict: name of the table -> (column names, array of rows).
nb::dict to_dict(const Record& record);

void bind_approximate(nb::module_& m);
void bind_association(nb::module_& m);
void bind_base(nb::module_& m);
void bind_boosting(nb::module_& m);
void bind_cluster(nb::module_& m);
void bind_coordinate_descent(nb::module_& m);
void bind_data(nb::module_& m);
void bind_decomposition(nb::module_& m);
void bind_discriminants(nb::module_& m);
void bind_distance(nb::module_& m);
void bind_feature_selection(nb::module_& m);
void bind_features(nb::module_& m);
void bind_forest(nb::module_& m);
void bind_impute(nb::module_& m);
void bind_isotonic(nb::module_& m);
void bind_linalg(nb::module_& m);
void bind_metrics(nb::module_& m);
void bind_naive_bayes(nb::module_& m);
void bind_naive_bayes_categories(nb::module_& m);
void bind_neighbors(nb::module_& m);
void bind_neural_network(nb::module_& m);
void bind_outliers(nb::module_& m);
void bind_pairwise(nb::module_& m);
void bind_preprocessing(nb::module_& m);
void bind_prototypes(nb::module_& m);
void bind_quality(nb::module_& m);
void bind_recommend(nb::module_& m);
void bind_ridge(nb::module_& m);
void bind_ripper(nb::module_& m);
void bind_rules(nb::module_& m);
void bind_sgd(nb::module_& m);
void bind_sketch(nb::module_& m);
void bind_smooth(nb::module_& m);
void bind_solvers(nb::module_& m);
void bind_sparse_solvers(nb::module_& m);
void bind_stumps(nb::module_& m);
void bind_svm(nb::module_& m);
void bind_target_statistics(nb::module_& m);
void bind_text(nb::module_& m);
void bind_transforms(nb::module_& m);
void bind_tree(nb::module_& m);
void bind_tree_chaid(nb::module_& m);
void bind_tree_multiway(nb::module_& m);
void bind_tree_predict(nb::module_& m);
void bind_tree_prune(nb::module_& m);
void bind_trees_of_points(nb::module_& m);
void bind_votes(nb::module_& m);

// Hands SciPy's BLAS and LAPACK to the core, once.
void ensure_lapack();

}  // namespace pellucid::bind
