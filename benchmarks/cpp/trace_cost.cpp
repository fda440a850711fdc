// Stochastic gradient descent on a table made here, once: with the trace off, or recorded. Prints the answer's bits.
// Compiled twice: against the kernel as it is, and against a copy from which every line about the trace was taken out.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "core/base/rng.hpp"
#include "core/losses/squared.hpp"
#include "core/penalties/none.hpp"
#include "core/solvers/descent.hpp"

using namespace pellucid;

namespace {

template <class Trace>
void descend_and_print(Size rows, Size columns, Trace& trace) {
    const Random random{1, 0};
    std::vector<double> x(rows * columns), y(rows), theta(columns + 1), path;
    for (Size k = 0; k < x.size(); ++k) x[k] = random.uniform(k) - 0.5;
    for (Size i = 0; i < rows; ++i) y[i] = 2 * x[i * columns] + 0.1 * random.uniform(x.size() + i);
    const Matrix matrix = Dense<double>{x.data(), rows, columns, static_cast<std::ptrdiff_t>(columns), 1};
    DescentProblem problem;
    problem.X = &matrix;
    problem.y = y;
    DescentSettings settings;
    settings.batch = 1;
    settings.order = RowOrder::given;
    settings.rate.eta0 = 0.01;
    settings.most_epochs = 40;
    descend<SquaredLoss, NoPenalty>(problem, settings, theta, path, trace);
    for (const double value : theta) {
        unsigned long long bits = 0;
        std::memcpy(&bits, &value, sizeof bits);
        std::printf("%016llx ", bits);
    }
}

}  // namespace

int main(int count, char** words) {
    const Size rows = count > 2 ? static_cast<Size>(std::atoll(words[2])) : 100000;
    if (count > 1 && std::strcmp(words[1], "recorded") == 0) {
        Record record;
        descend_and_print(rows, 10, record);
    } else {
        NoTrace none;
        descend_and_print(rows, 10, none);
    }
}
