#include <cmath>

#include "core/tree/grow_with.hpp"
#include "core/tree/targets.hpp"

namespace pellucid::tree {

// Scaling by a power of two loses no bit. The mean is taken off only where the targets lie close together and far from
// zero, so that y - shift is exact (Sterbenz): a leaf of one row answers with that row's y, bit for bit.
std::vector<Scaling> scaling_of(const Problem& problem) {
    std::vector<Scaling> out(problem.outputs);
    if (problem.settings.criterion == Measure::poisson) return out;
    const auto used = [&](Size i) { return problem.weight.empty() || problem.weight[i] != 0; };
    double most = 0;
    for (Size o = 0; o < problem.outputs; ++o) {
        double low = std::numeric_limits<double>::infinity(), high = -low;
        for (Size i = 0; i < problem.rows(); ++i) {
            if (!used(i)) continue;
            low = std::min(low, problem.y[i * problem.outputs + o]);
            high = std::max(high, problem.y[i * problem.outputs + o]);
        }
        const double middle = low / 2 + high / 2, spread = high / 2 - low / 2;
        if (spread < std::abs(middle) / 4) out[o].shift = middle;
        most = std::max({most, std::abs(high - out[o].shift), std::abs(low - out[o].shift)});
    }
    if (!(most > 0)) return out;
    const double scale = std::ldexp(1.0, std::max(std::ilogb(most), -1000));
    for (Scaling& s : out) s.scale = scale;
    return out;
}

ClassTable class_table(const Problem& problem) {
    ClassTable out;
    out.weights = problem.weight;
    out.places.resize(problem.y.size());
    std::uint32_t first = 0;
    for (Size o = 0; o < problem.outputs; ++o) {
        for (Size i = o; i < problem.y.size(); i += problem.outputs)
            out.places[i] = first + static_cast<std::uint32_t>(problem.y[i]);
        out.classes.push_back(static_cast<Size>(problem.n_classes[o]));
        first += static_cast<std::uint32_t>(problem.n_classes[o]);
    }
    return out;
}

NumberTable number_table(const Problem& problem) {
    NumberTable out;
    out.scaling = scaling_of(problem);
    out.outputs = problem.outputs;
    out.weights = problem.weight;
    out.targets.resize(problem.y.size());
    for (Size i = 0; i < problem.y.size(); ++i) out.targets[i] = out.scaling[i % problem.outputs].in(problem.y[i]);
    return out;
}

Nodes grow_tree(const Problem& problem) {
    const Settings& s = problem.settings;
    require(problem.y.size() == problem.rows() * problem.outputs, "grow_tree: targets");
    require(problem.weight.empty() || problem.weight.size() == problem.rows(), "grow_tree: weights");
    require(problem.monotone.empty() || problem.monotone.size() == problem.cols(), "grow_tree: monotone");
    require(!problem.classes() || problem.n_classes.size() == problem.outputs, "grow_tree: classes");
    require(problem.classes() == (s.criterion == Measure::gini || s.criterion == Measure::entropy),
            "grow_tree: criterion");
    require(
        s.weighting == Weighting::size || (s.criterion != Measure::absolute_error && s.criterion != Measure::poisson),
        "grow_tree: plain sums of impurities are for Gini, entropy and squared error");
    if (s.surrogates > 0) {
        require(s.splitter == Splitter::best, "grow_tree: surrogates are for the exact splitter");
        return grow_with_surrogates(problem);
    }
    if (s.criterion == Measure::absolute_error) return grow_absolute(problem);
    if (problem.outputs > 1 || s.weighting == Weighting::none) return grow_many_outputs(problem);
    return problem.classes() ? grow_classes(problem) : grow_numbers(problem);
}

}  // namespace pellucid::tree
