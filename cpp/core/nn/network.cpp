#include "core/nn/network.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/base/simd.hpp"
#include "core/linalg/hot.hpp"
#include "core/linalg/lapack.hpp"
#include "core/nn/network_hot.hpp"
#include "core/solvers/smooth_hot.hpp"

namespace pellucid {

extern const NetworkHot network_hot_baseline;
#ifdef PELLUCID_X86_LEVELS
extern const NetworkHot network_hot_v3;
extern const NetworkHot network_hot_v4;
#endif

const NetworkHot& network_hot() {
#ifdef PELLUCID_X86_LEVELS
    switch (current_level()) {
        case Level::v4:
            return network_hot_v4;
        case Level::v3:
            return network_hot_v3;
        default:
            return network_hot_baseline;
    }
#else
    return network_hot_baseline;
#endif
}

namespace {

constexpr Size kTile = 256;           // rows that go through the layers together
constexpr Size kLeastRows = 100;      // of a part: a batch of 200 rows is two
constexpr Size kLeastWork = 1 << 18;  // products of a part: less is not worth a thread
constexpr Size kMostParts = 16;       // each has a gradient of its own

Size padded(Size n) { return (n + kRowGroup - 1) / kRowGroup * kRowGroup; }

// C = op(A) op(B) + beta C, all row-major: C is m x n, the inner size k, A and B have rows of lda and ldb numbers.
void product(bool a_turned, bool b_turned, Size m, Size n, Size k, const double* a, Size lda, const double* b, Size ldb,
             double beta, double* c) {
    char ta = b_turned ? 'T' : 'N', tb = a_turned ? 'T' : 'N';
    int rows = static_cast<int>(n), cols = static_cast<int>(m), inner = static_cast<int>(k);
    int first = static_cast<int>(ldb), second = static_cast<int>(lda), third = rows;
    double one = 1;
    lapack().dgemm(&ta, &tb, &rows, &cols, &inner, &one, const_cast<double*>(b), &first, const_cast<double*>(a),
                   &second, &beta, c, &third);
}

template <class T>
void copy_row(const Dense<T>& x, Size row, double* out) {
    const T* from = &x.at(row, 0);
    for (Size c = 0; c < x.cols; ++c) out[c] = static_cast<double>(from[static_cast<std::ptrdiff_t>(c) * x.col_stride]);
}
template <class Index>
void copy_row(const Csr<Index>& x, Size row, double* out) {
    std::fill(out, out + x.cols, 0.0);
    for (auto k = x.starts[row]; k < x.starts[row + 1]; ++k) out[x.indices[k]] = x.values[k];
}

void copy_rows(const Matrix& m, std::span<const std::int64_t> listed, double* out) {
    std::visit(
        [&](const auto& x) {
            for (Size r = 0; r < listed.size(); ++r) copy_row(x, static_cast<Size>(listed[r]), out + r * x.cols);
        },
        m);
}

// In place; scratch has room for padded(n) numbers, and so has x.
void bend(Bend kind, double* x, Size n, double* scratch) {
    const NetworkHot& hot = network_hot();
    if (kind == Bend::relu) return hot.relu(x, n);
    if (kind == Bend::exponential) {
        for (Size i = 0; i < n; ++i) x[i] = std::exp(x[i]);
        return;
    }
    if (kind != Bend::logistic && kind != Bend::tanh) return;
    hot.minus_size(x, n, kind == Bend::tanh ? 2.0 : 1.0, scratch);
    std::fill(scratch + n, scratch + padded(n), 0.0);
    smooth_hot().exp_f64(scratch, padded(n), scratch);
    kind == Bend::tanh ? hot.tanh(scratch, n, x) : hot.logistic(scratch, n, x);
}

void slope(Bend kind, const double* a, Size n, double* d) {
    if (kind == Bend::relu) network_hot().relu_slope(a, n, d);
    if (kind == Bend::logistic) network_hot().logistic_slope(a, n, d);
    if (kind == Bend::tanh) network_hot().tanh_slope(a, n, d);
}

// Shares of e^z; answers log sum e^z.
double softmax(double* z, Size k) {
    const double largest = *std::max_element(z, z + k);
    double sum = 0;
    for (Size j = 0; j < k; ++j) sum += z[j] = std::exp(z[j] - largest);
    for (Size j = 0; j < k; ++j) z[j] /= sum;
    return largest + std::log(sum);
}

double logistic_of(double z) {
    const double e = std::exp(-std::abs(z));
    return (z < 0 ? e : 1.0) / (1 + e);
}

// The loss of one row from its z, which becomes dl/dz. Logarithms are taken of z: no probability rounds to zero.
double cost_of_logs(Bend output, const double* y, Size k, double* z) {
    double loss = 0;
    if (output == Bend::softmax) {
        double own = 0, all = 0;
        for (Size j = 0; j < k; ++j) own += y[j] * z[j], all += y[j];
        loss = all * softmax(z, k) - own;
        for (Size j = 0; j < k; ++j) z[j] = all * z[j] - y[j];
        return loss;
    }
    for (Size j = 0; j < k; ++j) {
        loss += std::max(z[j], 0.0) - y[j] * z[j] + std::log1p(std::exp(-std::abs(z[j])));
        z[j] = logistic_of(z[j]) - y[j];
    }
    return loss;
}

double cost_of_squares(Bend output, const double* y, Size k, double* z) {
    double loss = 0;
    for (Size j = 0; j < k; ++j) {
        const double a = output == Bend::logistic ? logistic_of(z[j]) : output == Bend::tanh ? std::tanh(z[j]) : z[j];
        const double steep = output == Bend::logistic ? a * (1 - a) : output == Bend::tanh ? 1 - a * a : 1.0;
        const double error = a - y[j];
        loss += 0.5 * error * error;
        z[j] = error * steep;
    }
    return loss;
}

double cost_of_counts(const double* y, Size k, double* z) {
    double loss = 0;
    for (Size j = 0; j < k; ++j) {
        const double a = std::exp(z[j]);
        loss += (y[j] > 0 ? y[j] * (std::log(y[j]) - z[j]) : 0.0) - y[j] + a;
        z[j] = a - y[j];
    }
    return loss;
}

double cost_of_row(const Network& network, const double* y, double* z) {
    const Size k = network.outputs();
    if (network.loss == NetworkLoss::log) return cost_of_logs(network.output, y, k, z);
    if (network.loss == NetworkLoss::poisson) return cost_of_counts(y, k, z);
    return cost_of_squares(network.output, y, k, z);
}

// z_(l+1) of `rows` rows from a_l.
void layer_forward(const Network& network, Size l, Size rows, const double* theta, const double* a, double* z) {
    const Size in = network.units[l], out = network.units[l + 1];
    const double* b = theta + network.biases_at(l);
    for (Size r = 0; r < rows; ++r) std::copy(b, b + out, z + r * out);
    product(false, false, rows, out, in, a, in, theta + network.weights_at(l), out, 1.0, z);
}

Size widest(const Network& network) { return *std::max_element(network.units.begin(), network.units.end()); }

}  // namespace

Size Network::weights_at(Size layer) const {
    Size at = 0;
    for (Size l = 0; l < layer; ++l) at += (units[l] + 1) * units[l + 1];
    return at;
}

void Network::check() const {
    require(units.size() >= 2, "network: layers");
    for (const Size n : units) require(n > 0 && n < (Size{1} << 30), "network: units");
    const bool logs = output == Bend::softmax || (output == Bend::logistic && loss != NetworkLoss::squared);
    require(hidden != Bend::softmax && hidden != Bend::exponential, "network: bend of hidden layers");
    require((loss == NetworkLoss::log) == logs, "network: log loss and its outputs");
    require((loss == NetworkLoss::poisson) == (output == Bend::exponential), "network: counts and their outputs");
    require(output != Bend::relu, "network: bend of the outputs");
}

void network_answers(const Network& network, const Matrix& x, std::span<const double> theta,
                     std::span<const std::int64_t> listed, std::span<double> out, int threads) {
    network.check();
    const Size n = listed.empty() ? rows_of(x) : listed.size(), k = network.outputs(), p = network.units[0];
    require(cols_of(x) == p && theta.size() == network.parameters() && out.size() == n * k, "network: sizes");
    parallel_for(blocks_of(n, kTile), threads, [&](Size block) {
        const Size begin = block * kTile, rows = std::min(kTile, n - begin);
        const Size room = padded(rows * widest(network));
        std::vector<double> a(room), z(room), scratch(room);
        std::int64_t places[kTile];
        for (Size r = 0; r < rows; ++r)
            places[r] = listed.empty() ? static_cast<std::int64_t>(begin + r) : listed[begin + r];
        copy_rows(x, {places, rows}, a.data());
        for (Size l = 0; l < network.layers(); ++l) {
            layer_forward(network, l, rows, theta.data(), a.data(), z.data());
            const bool last = l + 1 == network.layers();
            bend(last ? network.output : network.hidden, z.data(), rows * network.units[l + 1], scratch.data());
            std::swap(a, z);
        }
        if (network.output == Bend::softmax)
            for (Size r = 0; r < rows; ++r) softmax(a.data() + r * k, k);
        std::copy_n(a.data(), rows * k, out.data() + begin * k);
    });
}

Backpropagation::Backpropagation(const Network& network, const NetworkRows& rows, Size most_rows, int threads)
    : network_(network), rows_(rows), threads_(threads) {
    network.check();
    const Size n = rows_of(*rows.x), size = network.parameters();
    require(cols_of(*rows.x) == network.units[0] && rows.y.size() == n * network.outputs(), "network: rows");
    require(rows.weight.empty() || rows.weight.size() == n, "network: weights");
    const Size least = std::max(kLeastRows, kLeastWork / std::max<Size>(size, 1));
    parts_.resize(std::clamp<Size>(blocks_of(most_rows, least), 1, kMostParts));
    tile_ = std::min(kTile, blocks_of(most_rows, parts_.size()));
    for (Part& part : parts_) {
        for (const Size units : network.units) part.values.emplace_back(padded(tile_ * units));
        const Size room = padded(tile_ * widest(network));
        part.delta.resize(room);
        part.next.resize(room);
        part.scratch.resize(room);
        part.gradient.resize(size);
    }
}

// One tile of rows, there and back; its gradient is added to the part's, or is its first.
void Backpropagation::run(Part& part, std::span<const std::int64_t> listed, const double* theta, bool first) const {
    const Size rows = listed.size(), layers = network_.layers(), k = network_.outputs();
    copy_rows(*rows_.x, listed, part.values[0].data());
    for (Size l = 0; l < layers; ++l) {
        double* z = part.values[l + 1].data();
        layer_forward(network_, l, rows, theta, part.values[l].data(), z);
        if (l + 1 < layers) bend(network_.hidden, z, rows * network_.units[l + 1], part.scratch.data());
    }
    double* delta = part.delta.data();
    std::copy_n(part.values[layers].data(), rows * k, delta);
    for (Size r = 0; r < rows; ++r) {
        const Size row = static_cast<Size>(listed[r]);
        const double s = rows_.weight.empty() ? 1.0 : rows_.weight[row];
        part.cost.weight += s;
        const double loss = cost_of_row(network_, rows_.y.data() + row * k, delta + r * k);
        if (s != 0) part.cost.loss += s * loss;
        if (s != 1)
            for (Size j = 0; j < k; ++j) delta[r * k + j] *= s;
    }
    for (Size l = layers; l-- > 0;) {
        const Size in = network_.units[l], out = network_.units[l + 1];
        const double beta = first ? 0.0 : 1.0;
        double* g = part.gradient.data();
        product(true, false, in, out, rows, part.values[l].data(), in, part.delta.data(), out, beta,
                g + network_.weights_at(l));
        double* b = g + network_.biases_at(l);
        if (first) std::fill(b, b + out, 0.0);
        for (Size r = 0; r < rows; ++r) hot().axpy_f64(1.0, part.delta.data() + r * out, out, b);
        if (l == 0) break;
        product(false, true, rows, in, out, part.delta.data(), out, theta + network_.weights_at(l), out, 0.0,
                part.next.data());
        slope(network_.hidden, part.values[l].data(), rows * in, part.next.data());
        std::swap(part.delta, part.next);
    }
}

BatchCost Backpropagation::evaluate(std::span<const std::int64_t> listed, std::span<const double> theta,
                                    std::span<double> gradient) {
    const Size n = listed.size(), size = network_.parameters();
    require(theta.size() == size && gradient.size() == size && n > 0, "network: parameters");
    const Size least = std::max(kLeastRows, kLeastWork / std::max<Size>(size, 1));
    const Size parts = std::min(std::clamp<Size>(blocks_of(n, least), 1, kMostParts), parts_.size());
    const Size each = blocks_of(n, parts);
    parallel_for(parts, threads_, [&](Size p) {
        Part& part = parts_[p];
        part.cost = {};
        const Size begin = std::min(n, p * each), end = std::min(n, begin + each);
        if (begin == end) std::fill(part.gradient.begin(), part.gradient.end(), 0.0);
        for (Size at = begin; at < end; at += tile_)
            run(part, listed.subspan(at, std::min(tile_, end - at)), theta.data(), at == begin);
    });
    BatchCost cost;
    for (Size p = 0; p < parts; ++p) cost.loss += parts_[p].cost.loss, cost.weight += parts_[p].cost.weight;
    const Size chunk = 8192;
    parallel_for(blocks_of(size, chunk), threads_, [&](Size c) {
        const Size begin = c * chunk, count = std::min(chunk, size - begin);
        std::copy_n(parts_[0].gradient.data() + begin, count, gradient.data() + begin);
        for (Size p = 1; p < parts; ++p)
            hot().axpy_f64(1.0, parts_[p].gradient.data() + begin, count, gradient.data() + begin);
    });
    return cost;
}

}  // namespace pellucid
