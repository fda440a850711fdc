// Every loss: its gradient is the slope of its value, by central differences, wherever it has one.
#include <vector>

#include "core/losses/absolute.hpp"
#include "core/losses/epsilon_insensitive.hpp"
#include "core/losses/hinge.hpp"
#include "core/losses/huber.hpp"
#include "core/losses/logistic.hpp"
#include "core/losses/modified_huber.hpp"
#include "core/losses/perceptron.hpp"
#include "core/losses/squared.hpp"
#include "core/losses/squared_epsilon_insensitive.hpp"
#include "core/losses/squared_hinge.hpp"
#include "core/losses/squared_sigmoid.hpp"
#include "tests/harness.hpp"

namespace pellucid::test {
namespace {

// `kinks` are the scores at which the slope jumps or bends, for the target y.
template <class Loss>
void check_slope(const Loss& loss, double y, const std::vector<double>& kinks) {
    constexpr double h = 1e-5;
    for (double f = -6.03; f <= 6; f += 0.17) {
        bool smooth = true;
        for (const double kink : kinks) smooth = smooth && std::abs(f - kink) > 2 * h;
        if (smooth) CHECK_NEAR(loss.gradient(y, f), (loss.value(y, f + h) - loss.value(y, f - h)) / (2 * h), 1e-8);
        CHECK(loss.value(y, f) >= 0);
    }
}

}  // namespace

TEST(losses_of_numbers_have_the_slope_of_their_value) {
    for (const double y : {-1.5, 0.0, 2.0}) {
        check_slope(SquaredLoss{}, y, {});
        check_slope(AbsoluteLoss{}, y, {y});
        check_slope(HuberLoss{0.7}, y, {y - 0.7, y + 0.7});
        check_slope(EpsilonInsensitiveLoss{0.4}, y, {y - 0.4, y + 0.4});
        check_slope(SquaredEpsilonInsensitiveLoss{0.4}, y, {y - 0.4, y + 0.4});
    }
}

TEST(losses_of_classes_have_the_slope_of_their_value) {
    for (const double y : {-1.0, 1.0}) {
        check_slope(HingeLoss{}, y, {y});
        check_slope(SquaredHingeLoss{}, y, {y});
        check_slope(ModifiedHuberLoss{}, y, {-y, y});
        check_slope(PerceptronLoss{}, y, {0.0});
    }
    for (const double y : {0.0, 1.0}) {
        check_slope(LogisticLoss{}, y, {});
        check_slope(SquaredSigmoidLoss{}, y, {});
    }
}

TEST(a_score_at_a_kink_has_the_slope_that_was_agreed_on) {
    CHECK(HingeLoss::gradient(1, 1) == -1);
    CHECK(AbsoluteLoss::gradient(2, 2) == 0);
    CHECK(EpsilonInsensitiveLoss{0.5}.gradient(0, 0.5) == 0);
    CHECK(PerceptronLoss{}.gradient(1, 0) == -1);
    CHECK(PerceptronLoss{}.gradient(-1, 0) == 1);
    const PerceptronLoss zero_says_negative{false, true}, zero_says_positive{true, false};
    CHECK(zero_says_negative.gradient(1, 0) == -1);
    CHECK(zero_says_negative.gradient(-1, 0) == 0);
    CHECK(zero_says_positive.gradient(1, 0) == 0);
    CHECK(zero_says_positive.gradient(-1, 0) == 1);
}

TEST(losses_far_out_stay_finite) {
    for (const double f : {-1e6, 1e6})
        for (const double y : {0.0, 1.0}) {
            CHECK(std::isfinite(LogisticLoss::value(y, f)));
            CHECK(std::isfinite(SquaredSigmoidLoss::gradient(y, f)));
        }
}

}  // namespace pellucid::test
