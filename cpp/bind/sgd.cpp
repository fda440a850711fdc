#include "core/solvers/sgd.hpp"

#include <nanobind/stl/string_view.h>

#include "bind/linear_problem.hpp"
#include "core/base/pool.hpp"

namespace pellucid::bind {
namespace {

using Flags = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Parameters of k models, overwritten by what is found.
struct Found {
    std::vector<double> coef, intercept, average_coef, average_intercept;
    Size k, p;

    Found(const Parameters& start, const Vector& b, const std::optional<Parameters>& average,
          const std::optional<Vector>& average_b)
        : coef(start.data(), start.data() + start.size()),
          intercept(b.data(), b.data() + b.size()),
          k(b.size()),
          p(start.shape(1)) {
        require(start.shape(0) == k && average.has_value() == average_b.has_value(), "sgd: parameters");
        if (!average) return;
        require(average->size() == k * p && average_b->size() == k, "sgd: averages");
        average_coef.assign(average->data(), average->data() + k * p);
        average_intercept.assign(average_b->data(), average_b->data() + k);
    }
    // `run`: the class's code (below 0: a regression), the weights of its rows and of the others, and a seed.
    SgdModel model(Size t, const double* run) {
        SgdModel m{run[0],        run[1], run[2], static_cast<std::uint64_t>(run[3]), {coef.data() + t * p, p},
                   &intercept[t], {},     nullptr};
        if (average_coef.empty()) return m;
        m.average_w = {average_coef.data() + t * p, p};
        m.average_b = &average_intercept[t];
        return m;
    }
};

// (k x 5: stop, epochs, updates, best score, its epoch; coef, intercept, average coef, average intercept; record)
nb::tuple py_sgd(const BoundMatrix& X, const Vector& y, const std::optional<Vector>& weight,
                 const std::optional<Whole>& listed, const std::optional<Flags>& held_out, const Parameters& runs,
                 const Parameters& start, const Vector& intercept, const std::optional<Parameters>& average,
                 const std::optional<Vector>& average_intercept, const AnyLoss& loss, const SgdSettings& settings,
                 bool record, std::optional<nb::callable> listener) {
    SgdProblem problem{&X.view, span_of(y), {}, {}, {}};
    if (weight) problem.weight = span_of(*weight);
    if (listed) problem.listed = {listed->data(), listed->shape(0)};
    if (held_out) problem.held_out = {held_out->data(), held_out->shape(0)};
    Found found(start, intercept, average, average_intercept);
    const Size k = found.k, p = found.p;
    require(runs.shape(0) == k && runs.shape(1) == 4, "sgd: runs");
    require(k == 1 || (!record && !listener), "sgd: one run at a time can be followed");
    std::vector<SgdResult> results(k);
    nb::object tables = with_trace(record, listener, [&](auto& trace) {
        parallel_for(k, settings.threads, [&](Size t) {
            results[t] = sgd(problem, settings, loss, found.model(t, runs.data() + 4 * t), trace);
        });
    });
    std::vector<double> ends;
    for (const SgdResult& r : results)
        ends.insert(ends.end(), {static_cast<double>(r.stop), static_cast<double>(r.epochs), r.updates, r.best_score,
                                 static_cast<double>(r.best_epoch)});
    const Size averaged = found.average_intercept.size();  // models: k or none
    return nb::make_tuple(to_numpy(std::move(ends), {k, 5}), to_numpy(std::move(found.coef), {k, p}),
                          to_numpy(std::move(found.intercept), {k}),
                          to_numpy(std::move(found.average_coef), {averaged, p}),
                          to_numpy(std::move(found.average_intercept), {averaged}), tables);
}

}  // namespace

void bind_sgd(nb::module_& m) {
    nb::class_<AnyLoss>(m, "Loss")
        .def("__init__",
             [](AnyLoss* self, std::string_view name, double epsilon, bool zero_negative, bool zero_positive) {
                 new (self) AnyLoss(loss_named(name, epsilon, {zero_negative, zero_positive}));
             })
        .def(
            "measure",
            [](const AnyLoss& loss, double y, double f) {
                double value, slope;
                loss.measure(1, &y, &f, &value, &slope);
                return nb::make_tuple(value, slope);
            },
            nb::arg("y"), nb::arg("f"));
    nb::class_<SgdSettings>(m, "SgdSettings")
        .def(nb::init<>())
        .def_rw("l1", &SgdSettings::l1)
        .def_rw("l2", &SgdSettings::l2)
        .def_rw("intercept", &SgdSettings::intercept)
        .def_rw("intercept_decay", &SgdSettings::intercept_decay)
        .def_rw("negative", &SgdSettings::negative)
        .def_rw("batch", &SgdSettings::batch)
        .def_rw("tol", &SgdSettings::tol)
        .def_rw("patience", &SgdSettings::patience)
        .def_rw("most_epochs", &SgdSettings::most_epochs)
        .def_rw("begin", &SgdSettings::begin)
        .def_rw("average_from", &SgdSettings::average_from)
        .def_rw("restore_best", &SgdSettings::restore_best)
        .def_rw("diverged", &SgdSettings::diverged)
        .def_rw("threads", &SgdSettings::threads)
        .def("set_order",
             [](SgdSettings& s, int order) {
                 require(order >= 0 && order <= static_cast<int>(RowOrder::swapped), "sgd: order");
                 s.order = static_cast<RowOrder>(order);
             })
        .def("set_step",
             [](SgdSettings& s, int rule) {
                 require(rule >= 0 && rule <= static_cast<int>(StepRule::passive_aggressive_2), "sgd: step");
                 s.step = static_cast<StepRule>(rule);
             })
        .def("set_rate",
             [](SgdSettings& s, int kind, double eta0, double power, double t0, double t1, double alpha,
                double t_optimal) {
                 require(kind >= 0 && kind <= static_cast<int>(Rate::Kind::optimal), "sgd: rate");
                 s.rate = {static_cast<Rate::Kind>(kind), eta0, power, t0, t1, 1, alpha, t_optimal};
             })
        .def("rate_at", [](const SgdSettings& s, double t) { return s.rate.at(t); });
    m.def("sgd", &py_sgd, nb::arg("x"), nb::arg("y").noconvert(), nb::arg("weight").none(), nb::arg("listed").none(),
          nb::arg("held_out").none(), nb::arg("runs").noconvert(), nb::arg("start").noconvert(),
          nb::arg("intercept").noconvert(), nb::arg("average").none(), nb::arg("average_intercept").none(),
          nb::arg("loss"), nb::arg("settings"), nb::arg("record") = false, nb::arg("listener").none() = nb::none());
}

}  // namespace pellucid::bind
