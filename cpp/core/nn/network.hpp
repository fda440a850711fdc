// A feed-forward network: what it answers, what it costs, and the gradient of that (backpropagation).
//
//   a_0 = x,   z_l = a_(l-1) W_l + b_l,   a_l = f(z_l)   for layers l = 1 .. L,  f of the last layer being its own
//
//   F = 1/S sum_i s_i l(y_i, a_L) + alpha/(2 S) sum_l |W_l|^2,   S = sum_i s_i over the rows of the batch
//
//   delta_L = dl/dz_L,   delta_(l-1) = (delta_l W_l') f'(z_(l-1)),   dF/dW_l = (a_(l-1)' delta_l + alpha W_l) / S
//
// (Rumelhart, Hinton, Williams 1986). Parameters are one vector: W_1 (inputs x units, row-major), b_1, W_2, b_2, ...
//
// Rows are cut into parts by the number of rows and parameters alone, and parts are summed in order.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/views.hpp"

namespace pellucid {

enum class Bend : int { identity, logistic, tanh, relu, softmax, exponential };
// Over outputs j: 1/2 (a - y)^2;  -y log a - (1 - y) log(1 - a), of a softmax -y log a;  y log(y/a) - y + a.
enum class NetworkLoss : int { squared, log, poisson };

struct Network {
    std::vector<Size> units;  // columns, units of each hidden layer, outputs
    Bend hidden = Bend::relu, output = Bend::identity;
    NetworkLoss loss = NetworkLoss::squared;

    Size layers() const { return units.size() - 1; }
    Size outputs() const { return units.back(); }
    Size parameters() const { return weights_at(layers()); }
    Size weights_at(Size layer) const;  // where the weights of layer 0, 1, ... begin
    Size biases_at(Size layer) const { return weights_at(layer) + units[layer] * units[layer + 1]; }
    void check() const;
};

// Rows with targets (n x outputs) and weights (empty: 1 each).
struct NetworkRows {
    const Matrix* x = nullptr;
    std::span<const double> y, weight;
};

// out (n x outputs): what the network answers to every row, or to the listed ones.
void network_answers(const Network& network, const Matrix& x, std::span<const double> theta,
                     std::span<const std::int64_t> listed, std::span<double> out, int threads);

// Sums over a batch: of s l, and of s.
struct BatchCost {
    double loss = 0, weight = 0;
};

// The gradient of sum s l over a batch of rows, and memory for it.
class Backpropagation {
  public:
    Backpropagation(const Network& network, const NetworkRows& rows, Size most_rows, int threads);
    // gradient = d(sum s l)/dtheta; the cost of the same rows.
    BatchCost evaluate(std::span<const std::int64_t> listed, std::span<const double> theta, std::span<double> gradient);

  private:
    struct Part {
        std::vector<std::vector<double>> values;  // a_0 .. a_L of some rows
        std::vector<double> delta, next, scratch, gradient;
        BatchCost cost;
    };
    void run(Part& part, std::span<const std::int64_t> listed, const double* theta, bool first) const;

    const Network& network_;
    NetworkRows rows_;
    int threads_;
    Size tile_;
    std::vector<Part> parts_;
};

}  // namespace pellucid
