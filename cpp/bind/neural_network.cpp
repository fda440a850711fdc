// Layers of a network.
#include <nanobind/stl/vector.h>

#include <numeric>

#include "bind/traced.hpp"
#include "core/nn/train.hpp"

namespace pellucid::bind {
namespace {

using Targets = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

Network network_of(std::vector<Size> units, int hidden, int output, int loss) {
    require(hidden >= 0 && hidden <= static_cast<int>(Bend::relu), "network: hidden");
    require(output >= 0 && output <= static_cast<int>(Bend::exponential), "network: output");
    require(loss >= 0 && loss <= static_cast<int>(NetworkLoss::poisson), "network: loss");
    Network network{std::move(units), static_cast<Bend>(hidden), static_cast<Bend>(output),
                    static_cast<NetworkLoss>(loss)};
    network.check();
    return network;
}

NetworkRows rows_with(const BoundMatrix& X, const Targets& y, const std::optional<Vector>& weight) {
    return {&X.view, {y.data(), y.size()}, weight ? span_of(*weight) : std::span<const double>{}};
}

std::vector<std::int64_t> all_or(const std::optional<Whole>& listed, Size n) {
    std::vector<std::int64_t> rows(listed ? listed->shape(0) : n);
    if (listed)
        std::copy_n(listed->data(), rows.size(), rows.begin());
    else
        std::iota(rows.begin(), rows.end(), std::int64_t{0});
    for (const std::int64_t row : rows) require(row >= 0 && row < static_cast<std::int64_t>(n), "network: row");
    return rows;
}

// (stop, epochs, losses, scores, best score, theta, first, second, [updates, rows, epochs, shrunk, lowest, waited],
//  record)
nb::tuple py_train_network(const BoundMatrix& X, const Targets& y, const std::optional<Vector>& weight,
                           const std::optional<Whole>& learned, const std::optional<Whole>& held,
                           const Network& network, const NetworkSettings& settings, const Vector& start,
                           const Vector& first, const Vector& second, const Vector& counts, bool record,
                           std::optional<nb::callable> listener) {
    ensure_lapack();
    const Size n = rows_of(X.view);
    NetworkSplit split{all_or(learned, n), {}};
    if (held) split.held = all_or(held, n);
    require(start.shape(0) == network.parameters() && counts.shape(0) == 6, "network: start");
    std::vector<double> theta(start.data(), start.data() + start.size());
    const double* c = counts.data();
    NetworkState state{{first.data(), first.data() + first.size()},
                       {second.data(), second.data() + second.size()},
                       c[0],
                       c[1],
                       c[2],
                       c[3],
                       c[4],
                       static_cast<Size>(c[5])};
    NetworkResult result;
    const NetworkRows rows = rows_with(X, y, weight);
    nb::object told = with_trace(record, listener, [&](auto& trace) {
        result = settings.solver == NetworkSolver::lbfgs
                     ? train_at_once(network, rows, split, settings, theta, trace)
                     : train_by_batches(network, rows, split, settings, theta, state, trace);
    });
    std::vector<double> after = {state.updates, state.rows,   state.epochs,
                                 state.shrunk,  state.lowest, static_cast<double>(state.waited)};
    const Size losses = result.losses.size(), scores = result.scores.size(), size = theta.size();
    const Size of_first = state.first.size(), of_second = state.second.size();
    return nb::make_tuple(static_cast<int>(result.stop), result.epochs, to_numpy(std::move(result.losses), {losses}),
                          to_numpy(std::move(result.scores), {scores}), result.best_score,
                          to_numpy(std::move(theta), {size}), to_numpy(std::move(state.first), {of_first}),
                          to_numpy(std::move(state.second), {of_second}), to_numpy(std::move(after), {6}), told);
}

nb::object py_network_answers(const BoundMatrix& X, const Network& network, const Vector& theta, int threads) {
    ensure_lapack();
    const Size n = rows_of(X.view), k = network.outputs();
    std::vector<double> out(n * k);
    {
        const nb::gil_scoped_release release;
        network_answers(network, X.view, span_of(theta), {}, out, threads);
    }
    return to_numpy(std::move(out), {n, k});
}

// (F, its gradient)
nb::tuple py_network_gradient(const BoundMatrix& X, const Targets& y, const std::optional<Vector>& weight,
                              const Network& network, double alpha, const Vector& theta, int threads) {
    ensure_lapack();
    NetworkSettings settings;
    settings.alpha = alpha;
    settings.threads = threads;
    const NetworkSplit split{all_or(std::nullopt, rows_of(X.view)), {}};
    std::vector<double> gradient(theta.shape(0));
    double value = 0;
    {
        const nb::gil_scoped_release release;
        NetworkObjective objective(network, rows_with(X, y, weight), split, settings);
        value = objective.evaluate(span_of(theta), gradient);
    }
    const Size size = gradient.size();
    return nb::make_tuple(value, to_numpy(std::move(gradient), {size}));
}

}  // namespace

void bind_neural_network(nb::module_& m) {
    nb::class_<Network>(m, "Network")
        .def("__init__", [](Network* self, std::vector<Size> units, int hidden, int output, int loss) {
            new (self) Network(network_of(std::move(units), hidden, output, loss));
        });
    nb::class_<NetworkSettings>(m, "NetworkSettings")
        .def(nb::init<>())
        .def_rw("alpha", &NetworkSettings::alpha)
        .def_rw("batch", &NetworkSettings::batch)
        .def_rw("most_epochs", &NetworkSettings::most_epochs)
        .def_rw("patience", &NetworkSettings::patience)
        .def_rw("most_evaluations", &NetworkSettings::most_evaluations)
        .def_rw("tol", &NetworkSettings::tol)
        .def_rw("momentum", &NetworkSettings::momentum)
        .def_rw("beta_1", &NetworkSettings::beta_1)
        .def_rw("beta_2", &NetworkSettings::beta_2)
        .def_rw("epsilon", &NetworkSettings::epsilon)
        .def_rw("nesterov", &NetworkSettings::nesterov)
        .def_rw("shuffle", &NetworkSettings::shuffle)
        .def_rw("seed", &NetworkSettings::seed)
        .def_rw("threads", &NetworkSettings::threads)
        .def("set_solver",
             [](NetworkSettings& s, int solver) {
                 require(solver >= 0 && solver <= static_cast<int>(NetworkSolver::lbfgs), "network: solver");
                 s.solver = static_cast<NetworkSolver>(solver);
             })
        .def("set_score",
             [](NetworkSettings& s, int score) {
                 require(score >= 0 && score <= static_cast<int>(NetworkScore::r2), "network: score");
                 s.score = static_cast<NetworkScore>(score);
             })
        .def("set_rate", [](NetworkSettings& s, int kind, double eta0, double power) {
            require(kind >= 0 && kind <= static_cast<int>(Rate::Kind::adaptive), "network: rate");
            s.rate = {static_cast<Rate::Kind>(kind), eta0, power, 0, 0, 1, 0, 0};
        });
    m.def("train_network", &py_train_network, nb::arg("x"), nb::arg("y").noconvert(), nb::arg("weight").none(),
          nb::arg("learned").none(), nb::arg("held").none(), nb::arg("network"), nb::arg("settings"),
          nb::arg("start").noconvert(), nb::arg("first").noconvert(), nb::arg("second").noconvert(),
          nb::arg("counts").noconvert(), nb::arg("record"), nb::arg("listener").none());
    m.def("network_answers", &py_network_answers, nb::arg("x"), nb::arg("network"), nb::arg("theta").noconvert(),
          nb::arg("threads"));
    m.def("network_gradient", &py_network_gradient, nb::arg("x"), nb::arg("y").noconvert(), nb::arg("weight").none(),
          nb::arg("network"), nb::arg("alpha"), nb::arg("theta").noconvert(), nb::arg("threads"));
}

}  // namespace pellucid::bind
