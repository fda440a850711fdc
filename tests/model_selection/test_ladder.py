"""The ladder of learning rates: costs by epoch are those of the descent, and what is said of each rate is so."""

from typing import Any

import numpy as np
import pytest
from sklearn import linear_model as peer
from sklearn.pipeline import make_pipeline

from pellucid.base.errors import DataError, ParameterError
from pellucid.linear_model import GradientDescentRegressor, LinearRegression, SGDClassifier, SGDRegressor
from pellucid.model_selection import LearningRateLadder, ladder_rates, learning_rate_sweep
from pellucid.preprocessing import StandardScaler

# Mean 0, mean square 1: descent on (f - y)²/2 has curvature 1 in both directions: rate r leaves (1 - r)^t of the way.
X = np.array([[-1.0], [1.0], [-1.0], [1.0]])
Y = np.array([1.0, 3.0, 1.0, 3.0])  # 2 + x, exactly
START = (1 + 9 + 1 + 9) / 4


def ladder(rates: Any, **settings: Any) -> LearningRateLadder:
    model = GradientDescentRegressor(tol=None, gradient_tol=None)
    return learning_rate_sweep(model, X, Y, rates, **settings)


def test_rates_are_ones_and_threes() -> None:
    assert ladder_rates() == [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0]
    assert ladder_rates(0.02, 0.5) == [0.03, 0.1, 0.3]
    assert ladder_rates(1, 1) == [1.0]
    with pytest.raises(ParameterError, match=r"low at most high; got 1 and 0\.1"):
        ladder_rates(1, 0.1)


@pytest.mark.parametrize("rate", [0.01, 0.1, 0.5, 1.5])
def test_costs_are_those_of_the_descent(rate: float) -> None:
    """After t epochs the errors are (1 - rate)^t of what they were."""
    found = ladder([rate], max_iterations=10)
    wanted = START * (1 - rate) ** (2 * np.arange(1, 11))
    np.testing.assert_allclose(found.rungs[0].costs, wanted, rtol=1e-9)
    assert found.start == START


def test_verdicts() -> None:
    """Of the way 0.99^60 = 55 %, 0.9^60 = 0.2 % and 0.5^60 are left; above rate 2 every step is too long."""
    found = ladder([0.01, 0.1, 0.5, 2.5], max_iterations=30)
    assert [rung.verdict for rung in found.rungs] == ["slow", "steady", "steady", "diverges"]
    assert found.best == 0.5
    assert found.advice == "take eta0=0.5"
    assert "<- best" in str(found).splitlines()[3]


def test_a_run_that_overflows_is_a_result() -> None:
    """Rate 1e150 multiplies the errors by about 1e150 an epoch: their squares leave the numbers after the first."""
    found = ladder([0.5, 1e150], max_iterations=40)
    assert [rung.verdict for rung in found.rungs] == ["steady", "diverges"]
    assert np.isinf(found.rungs[1].costs[-1])
    assert len(found.rungs[1].costs) <= 3


def test_the_epoch_of_an_overflow_is_found_beyond_the_first_fits() -> None:
    """(1 - rate)^2t passes 1e308 at t = 154 / log10(rate - 1)."""
    rate = 1 + 10**1.5
    found = ladder([0.5, rate], max_iterations=200)
    assert abs(len(found.rungs[1].costs) - 154 / 1.5) < 3


def test_all_slow_or_all_diverging_are_said() -> None:
    slow = ladder([0.001, 0.002], max_iterations=20)
    # the lowest cost of all is 0.98^20: the second rate arrives there, the first is behind by half of it
    assert slow.best == 0.002
    wild = ladder([3, 5])
    assert wild.best is None
    assert wild.advice == "every rate diverges: try lower ones than 3, or scale the columns"


def test_a_rate_that_bounces() -> None:
    """Costs that rise again by half of the way."""

    class Bouncing(peer.SGDRegressor):
        def partial_fit(self, X: Any, y: Any) -> "Bouncing":
            self.t_ = getattr(self, "t_", 0) + 1
            return self

        def predict(self, X: Any) -> Any:
            error = (self.t_ % 2 if self.eta0 > 1 else 0.1) + 1 / self.t_
            return Y + error

    found = learning_rate_sweep(Bouncing(), X, Y, [0.5, 2.0], max_iterations=9)
    assert [rung.verdict for rung in found.rungs] == ["steady", "bounces"]
    assert found.best == 0.5
    alone = learning_rate_sweep(Bouncing(), X, Y, [2.0], max_iterations=9)
    assert alone.advice == "take eta0=2 with a rate that shrinks, or try lower ones: no rate falls steadily"


@pytest.mark.parametrize("model", [SGDRegressor, peer.SGDRegressor])
def test_stochastic_descent_of_both_libraries(model: Any) -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(100, 2))
    y = X @ [1, 2] + 3 + random.normal(size=100) / 10
    found = learning_rate_sweep(
        model(learning_rate="constant", penalty=None), X, y, [1e-5, 1e-2, 10], max_iterations=20
    )
    assert [rung.verdict for rung in found.rungs] == ["slow", "steady", "diverges"]
    assert found.best == 1e-2
    assert found.cost_name == "mean squared error"


@pytest.mark.parametrize(("loss", "name"), [("log_loss", "log loss"), ("hinge", "hinge loss")])
def test_classes_and_a_pipeline(loss: str, name: str) -> None:
    random = np.random.default_rng(0)
    X = 1000 * random.normal(size=(120, 2)) + 5000
    y = np.where(X @ [1, -1] + 300 * random.normal(size=120) > 0, "up", "down")
    model = make_pipeline(StandardScaler(), SGDClassifier(loss=loss, learning_rate="constant"))
    found = learning_rate_sweep(model, X, y, [1e-6, 1e-2], max_iterations=15)
    assert [rung.verdict for rung in found.rungs] == ["slow", "steady"]
    assert found.cost_name == name
    assert found.start == pytest.approx(np.log(2) if loss == "log_loss" else 1.0)
    assert not hasattr(model[-1], "coef_")


def test_a_cost_of_ones_own() -> None:
    def off(model: Any, X: Any, y: Any) -> float:
        return float(np.abs(model.predict(X) - y).max())

    found = ladder([0.1, 0.5], cost=off, max_iterations=5)
    assert found.start is None
    assert found.cost_name == "off"
    np.testing.assert_allclose(found.rungs[1].costs, 3 * 0.5 ** np.arange(1, 6))


def test_the_same_rows_come_in_the_same_order() -> None:
    model = GradientDescentRegressor(batch_size=1, tol=None)
    one, two = (learning_rate_sweep(model, X, Y, [0.1], max_iterations=5) for _ in range(2))
    np.testing.assert_array_equal(one.rungs[0].costs, two.rungs[0].costs)


def test_refusals() -> None:
    with pytest.raises(ParameterError, match=r"rates must be a list of numbers above 0; got \[0\]"):
        ladder([0])
    with pytest.raises(ParameterError, match="LinearRegression must have a learning rate"):
        learning_rate_sweep(LinearRegression(), X, Y)
    with pytest.raises(ParameterError, match="learning_rate='optimal' does not look at it"):
        learning_rate_sweep(SGDClassifier(), X, Y)
    with pytest.raises(ParameterError, match="parameter must be one of GradientDescentRegressor's; got 'speed'"):
        ladder([0.1], parameter="speed")
    with pytest.raises(ParameterError, match="max_iterations must be at least 1"):
        ladder([0.1], max_iterations=0)
    with pytest.raises(ParameterError, match="cost must be None or a function"):
        ladder([0.1], cost="mse")
    with pytest.raises(ParameterError, match="the model must be an estimator"):
        learning_rate_sweep(GradientDescentRegressor, X, Y)
    with pytest.raises(DataError, match="missing"):
        learning_rate_sweep(GradientDescentRegressor(), [[np.nan], [1.0]], [1.0, 2.0])
