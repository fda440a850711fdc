#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "bind/forest_arrays.hpp"
#include "core/base/check.hpp"
#include "core/boosting/booster.hpp"
#include "core/boosting/exact.hpp"
#include "core/boosting/predict.hpp"
#include "core/boosting/vector_booster.hpp"

namespace pellucid::bind {
namespace {

using boosting::Booster;
using boosting::Plan;

// A table in bins, and the arrays behind nothing: the bins are its own.
struct BoundBins {
    boosting::Table table;
};

// Of each bundle its columns and the value at which each begins (columns with a byte of their own begin at 0).
nb::list bundles_of(const BoundBins& b) {
    nb::list out;
    for (const std::vector<std::uint32_t>& members : b.table.bundles()) {
        nb::list columns;
        for (const std::uint32_t j : members)
            columns.append(nb::make_tuple(j, static_cast<int>(b.table.place(j).shared ? b.table.place(j).first : 0)));
        out.append(columns);
    }
    return out;
}

// The bin of each row in each column, rows x columns.
nb::object codes_of(const BoundBins& b) {
    std::vector<std::uint8_t> out(b.table.rows() * b.table.cols()), room;
    for (Size j = 0; j < b.table.cols(); ++j) {
        const boosting::ColumnCodes codes = b.table.codes(j, room);
        for (Size i = 0; i < b.table.rows(); ++i) out[i * b.table.cols() + j] = codes.bin(codes.stored(i));
    }
    return to_numpy(std::move(out), {b.table.rows(), b.table.cols()});
}

// A booster with what it reads.
template <class B>
struct Bound {
    nb::object table;      // the bins, or the columns
    const BoundMatrix* x;  // exact: the rows themselves
    nb::object x_owner;
    Vector y_owner;
    std::span<const double> y;
    std::vector<double> weight;
    std::vector<double> targets;  // of trees that answer vectors: target k at k * rows; y is the first
    std::vector<std::uint8_t> held;
    std::vector<std::int8_t> monotone;
    std::unique_ptr<B> booster;
    Size cols = 0;
    const BoundMatrix* other = nullptr;  // rows that are watched, and their scores so far
    nb::object other_owner;
    std::vector<double> other_scores;
    Size other_trees = 0;
};
using BoundBooster = Bound<Booster>;
using BoundExact = Bound<boosting::ExactBooster>;
using BoundVector = Bound<boosting::VectorBooster>;

template <class E, Size N>
E named(const std::array<std::pair<std::string_view, E>, N>& names, std::string_view name) {
    for (const auto& [known, value] : names)
        if (known == name) return value;
    throw ContractError("boosting: no such name: " + std::string(name));
}
constexpr std::array<std::pair<std::string_view, boosting::Growth>, 3> kGrowths{
    {{"leaf", boosting::Growth::leaf}, {"depth", boosting::Growth::depth}, {"oblivious", boosting::Growth::oblivious}}};
constexpr std::array<std::pair<std::string_view, boosting::LossKind>, 7> kLosses{
    {{"squared_error", boosting::LossKind::squared},
     {"absolute_error", boosting::LossKind::absolute},
     {"quantile", boosting::LossKind::quantile},
     {"huber", boosting::LossKind::huber},
     {"poisson", boosting::LossKind::poisson},
     {"logistic", boosting::LossKind::logistic},
     {"softmax", boosting::LossKind::softmax}}};
constexpr std::array<std::pair<std::string_view, boosting::Draw>, 6> kDraws{{{"all", boosting::Draw::all},
                                                                             {"share", boosting::Draw::share},
                                                                             {"bernoulli", boosting::Draw::bernoulli},
                                                                             {"goss", boosting::Draw::goss},
                                                                             {"mvs", boosting::Draw::mvs},
                                                                             {"bayesian", boosting::Draw::bayesian}}};

template <class T>
void read(const nb::dict& from, const char* name, T& into) {
    if (from.contains(name)) into = nb::cast<T>(from[name]);
}
template <class E, Size N>
void read(const nb::dict& from, const char* name, E& into, const std::array<std::pair<std::string_view, E>, N>& names) {
    if (from.contains(name)) into = named(names, nb::cast<std::string>(from[name]));
}
// No limit is None.
void read_limit(const nb::dict& from, const char* name, Size& into, Size none) {
    if (from.contains(name)) into = nb::cast<std::optional<Size>>(from[name]).value_or(none);
}

Plan plan_of(const nb::dict& from) {
    Plan p;
    read(from, "growth", p.trees.growth, kGrowths);
    read_limit(from, "max_leaves", p.trees.max_leaves, 0);
    read_limit(from, "max_depth", p.trees.max_depth, boosting::kNoLimit);
    read(from, "min_rows_leaf", p.trees.min_rows_leaf);
    read(from, "min_weight_leaf", p.trees.min_weight_leaf);
    read(from, "l1", p.trees.l1);
    read(from, "l2", p.trees.l2);
    read(from, "min_gain", p.trees.min_gain);
    read(from, "prune", p.trees.prune);
    read(from, "floats", p.trees.floats);
    read(from, "random_strength", p.trees.random_strength);
    read(from, "max_step", p.trees.max_step);
    read(from, "learning_rate", p.trees.learning_rate);
    read(from, "one_by_one", p.trees.categories.one_by_one);
    read(from, "category_l2", p.trees.categories.l2);
    read(from, "category_smooth", p.trees.categories.smooth);
    read(from, "most_categories", p.trees.categories.most);
    read(from, "least_category_rows", p.trees.categories.least_rows);
    read(from, "columns_by_tree", p.trees.columns_by_tree);
    read(from, "columns_by_level", p.trees.columns_by_level);
    read(from, "columns_by_node", p.trees.columns_by_node);
    read(from, "loss", p.loss.kind, kLosses);
    read(from, "level", p.loss.level);
    read(from, "outputs", p.loss.outputs);
    read(from, "curvature_factor", p.loss.curvature_factor);
    read(from, "least_curvature", p.loss.least_curvature);
    read(from, "most_poisson_step", p.loss.most_poisson_step);
    read(from, "draw", p.sampling.draw, kDraws);
    read(from, "share", p.sampling.share);
    read(from, "top", p.sampling.top);
    read(from, "other", p.sampling.other);
    read(from, "temperature", p.sampling.temperature);
    read(from, "curvature_weight", p.sampling.curvature_weight);
    read(from, "after", p.sampling.after);
    read(from, "seed", p.seed);
    read(from, "threads", p.threads);
    return p;
}

using Flags = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class B>
void keep(Bound<B>& self, const Vector& y, const std::optional<Vector>& weight, const std::optional<Flags>& held,
          const std::optional<Signs>& monotone) {
    self.y_owner = y;
    self.y = span_of(y);
    if (weight) self.weight.assign(weight->data(), weight->data() + weight->size());
    if (held) self.held.assign(held->data(), held->data() + held->size());
    if (monotone) self.monotone.assign(monotone->data(), monotone->data() + monotone->size());
}

std::vector<const boosting::Table*> tables_of(const nb::list& bins) {
    std::vector<const boosting::Table*> out;
    for (const nb::handle one : bins) out.push_back(&nb::cast<BoundBins&>(one).table);
    require(!out.empty(), "boosting: tables");
    return out;
}

void make_booster(
    BoundBooster* self, nb::list bins, const Vector& y, const std::optional<Vector>& weight,
    const std::optional<Flags>& held, const std::optional<Signs>& monotone, const std::optional<Vector>& start,
    const nb::dict& plan,
    const std::optional<nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>>& orders) {
    BoundBooster made{};  // whole before it is put in place: what is refused must not be left behind
    made.table = bins;
    std::vector<const boosting::Table*> tables = tables_of(bins);
    made.cols = tables[0]->cols();
    keep(made, y, weight, held, monotone);
    made.booster = std::make_unique<Booster>(
        std::move(tables), made.y, made.weight, made.held, made.monotone,
        start ? span_of(*start) : std::span<const double>{}, plan_of(plan),
        orders ? std::span<const std::uint32_t>{orders->data(), orders->size()} : std::span<const std::uint32_t>{});
    new (self) BoundBooster(std::move(made));
}

void make_exact(BoundExact* self, nb::object columns, nb::object x, const Vector& y,
                const std::optional<Vector>& weight, const std::optional<Flags>& held,
                const std::optional<Signs>& monotone, const std::optional<Vector>& start,
                const tree::Settings& settings, const nb::dict& plan) {
    BoundExact made{};
    made.table = columns;
    made.x_owner = x;
    made.x = &nb::cast<BoundMatrix&>(x);
    keep(made, y, weight, held, monotone);
    TreeColumns& table = nb::cast<TreeColumns&>(columns);
    made.cols = table.columns.cols();
    const Plan told = plan_of(plan);
    boosting::ExactPlan exact;
    exact.problem.columns = &table.prepared(settings);
    exact.problem.weight = made.weight;
    exact.problem.monotone = made.monotone;
    exact.problem.settings = settings;
    exact.problem.seed = told.seed;
    exact.problem.threads = told.threads;
    exact.loss = told.loss;
    exact.learning_rate = told.trees.learning_rate;
    exact.subsample = told.sampling.share;
    made.booster = std::make_unique<boosting::ExactBooster>(made.x->view, made.y, made.held,
                                                            start ? span_of(*start) : std::span<const double>{}, exact);
    new (self) BoundExact(std::move(made));
}

// y: rows x targets, or the classes of the softmax in one column.
void make_vector(BoundVector* self, nb::list bins, const Rows& y, const std::optional<Vector>& weight,
                 const std::optional<Flags>& held, const std::optional<Signs>& monotone,
                 const std::optional<Vector>& start, const nb::dict& plan) {
    BoundVector made{};
    made.table = bins;
    std::vector<const boosting::Table*> tables = tables_of(bins);
    require(y.shape(0) == tables[0]->rows(), "boosting: targets");
    require(!monotone, "boosting: monotone columns are for one target");
    const Plan told = plan_of(plan);
    require(y.shape(1) == (told.loss.kind == boosting::LossKind::softmax ? 1 : told.loss.outputs), "boosting: targets");
    made.cols = tables[0]->cols();
    const Size n = y.shape(0);
    made.targets.resize(y.size());
    for (Size i = 0; i < n; ++i)
        for (Size k = 0; k < y.shape(1); ++k) made.targets[k * n + i] = y.data()[i * y.shape(1) + k];
    made.y = std::span(made.targets).first(n);
    if (weight) made.weight.assign(weight->data(), weight->data() + weight->size());
    if (held) made.held.assign(held->data(), held->data() + held->size());
    made.booster = std::make_unique<boosting::VectorBooster>(std::move(tables), made.targets, made.weight, made.held,
                                                             start ? span_of(*start) : std::span<const double>{}, told);
    new (self) BoundVector(std::move(made));
}

template <class B>
nb::object scores_of(const Bound<B>& b) {
    const Size n = b.y.size(), outputs = b.booster->start().size();
    std::vector<double> out(n * outputs);
    for (Size k = 0; k < outputs; ++k)
        for (Size i = 0; i < n; ++i) out[i * outputs + k] = b.booster->scores()[k * n + i];
    return to_numpy(std::move(out), {n, outputs});
}

using Pairs = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class B>
void round_on(Bound<B>& b, const Pairs& gradient, const Pairs& curvature) {
    const Size n = b.y.size(), outputs = b.booster->start().size();
    require(gradient.shape(0) == n && gradient.shape(1) == outputs && curvature.shape(0) == n &&
                curvature.shape(1) == outputs,
            "boosting: slopes");
    std::vector<boosting::Slope> slopes(n * outputs);
    for (Size i = 0; i < n; ++i)
        for (Size k = 0; k < outputs; ++k)
            slopes[k * n + i] = {static_cast<float>(gradient.data()[i * outputs + k]),
                                 static_cast<float>(curvature.data()[i * outputs + k])};
    const nb::gil_scoped_release release;
    b.booster->round_on(slopes);
}

nb::object py_scores(const BoundForest& f, const BoundMatrix& x, const Vector& start, Size first, Size last,
                     int threads) {
    const forest::ForestView view = f.checked();
    const Size n = rows_of(x.view), outputs = start.size();
    require(outputs >= 1, "boosting: a start for each output");
    std::vector<double> out(n * outputs);
    {
        const nb::gil_scoped_release release;
        for (Size i = 0; i < out.size(); ++i) out[i] = start.data()[i % outputs];
        boosting::add_scores(view, outputs, first, last, x.view, out, threads);
    }
    return to_numpy(std::move(out), {n, outputs});
}

// What both kinds of boosters can do.
template <class B>
void def_rounds(nb::class_<Bound<B>>& cls) {
    cls.def(
           "grow",
           [](Bound<B>& b, Size rounds) {
               const nb::gil_scoped_release release;
               for (Size i = 0; i < rounds; ++i) b.booster->round();
           },
           nb::arg("rounds"))
        .def(
            "resume",
            [](Bound<B>& b, const Rows& scores, Size rounds) {
                const Size n = b.y.size(), outputs = b.booster->start().size();
                require(scores.shape(0) == n && scores.shape(1) == outputs, "boosting: scores");
                std::vector<double> by_output(n * outputs);
                for (Size i = 0; i < n; ++i)
                    for (Size k = 0; k < outputs; ++k) by_output[k * n + i] = scores.data()[i * outputs + k];
                b.booster->resume(by_output, rounds);
            },
            nb::arg("scores").noconvert(), nb::arg("rounds"))
        .def("scores", &scores_of<B>)
        .def(
            "mean_loss",
            [](const Bound<B>& b, bool held) {
                const nb::gil_scoped_release release;
                return b.booster->mean_loss(held);
            },
            nb::arg("held") = false)
        .def_prop_ro("start",
                     [](const Bound<B>& b) {
                         std::vector<double> start = b.booster->start();
                         return column(std::move(start));
                     })
        .def_prop_ro("rounds", [](const Bound<B>& b) { return b.booster->rounds(); })
        .def("trees", [](const Bound<B>& b) { return forest_dict(b.booster->trees(0), b.cols); })
        .def(
            "watch",
            [](Bound<B>& b, nb::object x) {
                b.other_owner = x;
                b.other = &nb::cast<BoundMatrix&>(x);
                require(cols_of(b.other->view) == b.cols, "boosting: columns of rows that are watched");
                const std::vector<double>& start = b.booster->start();
                b.other_scores.resize(rows_of(b.other->view) * start.size());
                for (Size i = 0; i < b.other_scores.size(); ++i) b.other_scores[i] = start[i % start.size()];
                b.other_trees = 0;
            },
            nb::arg("x"))
        .def(
            "watched",
            [](Bound<B>& b, int threads) {
                require(b.other != nullptr, "boosting: no rows are watched");
                const Size outputs = b.booster->start().size();
                {
                    const nb::gil_scoped_release release;
                    const forest::Forest trees = b.booster->trees(b.other_trees);
                    if (trees.trees() > 0)
                        boosting::add_scores(forest::view_of(trees, b.cols), outputs, 0, trees.trees(), b.other->view,
                                             b.other_scores, threads);
                    b.other_trees += trees.trees();
                }
                std::vector<double> scores = b.other_scores;
                return to_numpy(std::move(scores), {rows_of(b.other->view), outputs});
            },
            nb::arg("threads"));
}

}  // namespace

void bind_boosting(nb::module_& m) {
    nb::class_<BoundBins>(m, "BinnedTable")
        .def_prop_ro("rows", [](const BoundBins& b) { return b.table.rows(); })
        .def_prop_ro("cols", [](const BoundBins& b) { return b.table.cols(); })
        .def_prop_ro("storage",
                     [](const BoundBins& b) {
                         return b.table.is_sparse() ? "sparse" : b.table.is_bundled() ? "bundled" : "dense";
                     })
        .def_prop_ro("bundles", &bundles_of)
        .def("codes", &codes_of);
    m.def(
        "binned_table",
        [](const BoundMatrix& x, const Ints& n_categories, const std::optional<Vector>& weight, Size most_bins,
           int threads, bool bundle, double most_conflicts, bool sketch) {
            require(most_bins >= 2 && most_bins <= kMostBins, "bins: from 2 to 255");
            require(most_conflicts >= 0 && most_conflicts <= 1, "bins: conflicts are a share of the rows");
            boosting::TableSettings settings;
            settings.bins.most_bins = most_bins;
            settings.bundle = bundle;
            settings.most_conflicts = most_conflicts;
            settings.bins.sketch = sketch;
            const nb::gil_scoped_release release;
            return std::make_unique<BoundBins>(boosting::Table(x.view, {n_categories.data(), n_categories.size()},
                                                               weight ? span_of(*weight) : std::span<const double>{},
                                                               settings, threads));
        },
        nb::arg("x"), nb::arg("n_categories").noconvert(), nb::arg("weight").none(), nb::arg("most_bins"),
        nb::arg("threads"), nb::arg("bundle") = false, nb::arg("most_conflicts") = 0.0, nb::arg("sketch") = false);
    m.def(
        "binned_like",
        [](const BoundMatrix& x, const BoundBins& like, int threads) {
            const nb::gil_scoped_release release;
            return std::make_unique<BoundBins>(boosting::Table(x.view, like.table, threads));
        },
        nb::arg("x"), nb::arg("like"), nb::arg("threads"));
    auto booster =
        nb::class_<BoundBooster>(m, "Booster")
            .def("__init__", &make_booster, nb::arg("bins"), nb::arg("y").noconvert(), nb::arg("weight").none(),
                 nb::arg("held").none(), nb::arg("monotone").none(), nb::arg("start").none(), nb::arg("plan"),
                 nb::arg("orders").none() = nb::none())
            .def("grow_on", &round_on<Booster>, nb::arg("gradient").noconvert(), nb::arg("curvature").noconvert());
    def_rounds(booster);
    auto exact = nb::class_<BoundExact>(m, "ExactBooster")
                     .def("__init__", &make_exact, nb::arg("columns"), nb::arg("x"), nb::arg("y").noconvert(),
                          nb::arg("weight").none(), nb::arg("held").none(), nb::arg("monotone").none(),
                          nb::arg("start").none(), nb::arg("settings"), nb::arg("plan"));
    def_rounds(exact);
    auto vector =
        nb::class_<BoundVector>(m, "VectorBooster")
            .def("__init__", &make_vector, nb::arg("bins"), nb::arg("y").noconvert(), nb::arg("weight").none(),
                 nb::arg("held").none(), nb::arg("monotone").none(), nb::arg("start").none(), nb::arg("plan"))
            .def("grow_on", &round_on<boosting::VectorBooster>, nb::arg("gradient").noconvert(),
                 nb::arg("curvature").noconvert());
    def_rounds(vector);
    m.def("boosted_scores", &py_scores, nb::arg("forest"), nb::arg("x"), nb::arg("start").noconvert(), nb::arg("first"),
          nb::arg("last"), nb::arg("threads"));
}

}  // namespace pellucid::bind
