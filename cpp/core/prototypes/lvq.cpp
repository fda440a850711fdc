#include "core/prototypes/lvq.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <type_traits>

#include "core/base/pool.hpp"
#include "core/base/rng.hpp"
#include "core/prototypes/codebook.hpp"

namespace pellucid {
namespace {

constexpr Size kNone = static_cast<Size>(-1);
constexpr Size kRowsBetweenSignals = 256;

// One row's effect: up to two vectors and their steps.
struct Visit {
    Size first = kNone, second = kNone;
    double first_step = 0, second_step = 0;
    double rate = 0;
};

// ------------------------------------------------------------------------------------------------------- record

template <class Trace>
class Notes {
  public:
    Notes(Size m, Size p) : m_(m), p_(p), steps_(11, kKept), epochs_(3 + m * p, kept(3 + m * p)) {}

    void step(Size number, Size epoch, Size row, int label, const Visit& v, const double* apart) {
        steps_.add(std::array{static_cast<double>(number), static_cast<double>(epoch), static_cast<double>(row),
                              static_cast<double>(label), place(v.first), far(v.first, apart), place(v.second),
                              far(v.second, apart), v.rate, v.first_step, v.second_step});
    }
    void epoch(Size number, double rate, double mistakes, const std::vector<double>& codebook) {
        row_.assign({static_cast<double>(number), rate, mistakes});
        row_.insert(row_.end(), codebook.begin(), codebook.end());
        epochs_.add(row_);
    }
    void tell(Trace& trace) const {
        emit(trace, "updates",
             std::array<std::string, 11>{"update", "epoch", "row", "class", "first", "first_distance", "second",
                                         "second_distance", "rate", "first_step", "second_step"},
             steps_.rows());
        std::vector<std::string> columns{"epoch", "rate", "mistakes"};
        for (Size v = 0; v < m_; ++v)
            for (Size j = 0; j < p_; ++j) columns.push_back("w_" + std::to_string(v) + "_" + std::to_string(j));
        emit(trace, "epochs", columns, epochs_.rows());
    }

  private:
    static constexpr Size kKept = 5000;
    static Size kept(Size width) { return std::clamp<Size>(1'000'000 / width, 1, kKept); }
    static double place(Size v) { return v == kNone ? -1.0 : static_cast<double>(v); }
    static double far(Size v, const double* apart) { return v == kNone ? -1.0 : std::sqrt(apart[v]); }
    Size m_, p_;
    Ends steps_, epochs_;
    std::vector<double> row_;
};

template <>
class Notes<NoTrace> {
  public:
    Notes(Size, Size) {}
    void step(Size, Size, Size, int, const Visit&, const double*) {}
    void epoch(Size, double, double, const std::vector<double>&) {}
    void tell(NoTrace&) const {}
};

// ---------------------------------------------------------------------------------------------------------- run

template <class View, class Trace>
class Lvq {
  public:
    Lvq(const LvqProblem& problem, const View& x, const LvqSettings& settings, LvqState& state, Trace& trace)
        : problem_(problem),
          x_(x),
          s_(settings),
          state_(state),
          trace_(trace),
          m_(state.labels.size()),
          codebook_(state.codebook.data(), m_, x.cols),
          metric_(Metric{}.functions<double>()),
          row_(x.cols),
          apart_(codebook_.room()),
          order_(x.rows),
          notes_(m_, x.cols) {
        require(x.rows > 0 && m_ > 0 && problem.y.size() == x.rows, "lvq: sizes");
        require(state.codebook.size() == m_ * x.cols && state.rates.size() == m_, "lvq: codebook");
        require(problem.weight.empty() || problem.weight.size() == x.rows, "lvq: weights");
        require(problem.scale.empty() || problem.scale.size() == x.cols, "lvq: scale");
        require(problem.low.empty() || problem.low.size() == x.cols, "lvq: box");
        require(problem.high.size() == problem.low.size(), "lvq: box");
    }

    LvqResult run() {
        for (Size e = 0; e < s_.epochs && result_.stop == LvqStop::finished; ++e) pass(e);
        notes_.tell(trace_);
        return std::move(result_);
    }

  private:
    void pass(Size epoch) {
        arrange(epoch);
        double mistakes = 0;
        for (Size t = 0; t < x_.rows; ++t) {
            if (t % kRowsBetweenSignals == 0) check_interrupt();
            mistakes += visit(order_[t], epoch, t);
        }
        codebook_.read(state_.codebook.data());
        ++result_.epochs;
        result_.mistakes.push_back(mistakes);
        if (s_.keep_path) result_.path.insert(result_.path.end(), state_.codebook.begin(), state_.codebook.end());
        notes_.epoch(s_.begin + epoch, rate_at(epoch, 0), mistakes, state_.codebook);
        const auto finite = [](double w) { return std::isfinite(w); };
        if (!std::all_of(state_.codebook.begin(), state_.codebook.end(), finite))
            result_.stop = LvqStop::overflow;
        else if (stop_after(trace_, s_.begin + epoch + 1, state_.codebook))
            result_.stop = LvqStop::callback;
    }

    // The order of an epoch depends on the seed and the epoch's number alone.
    void arrange(Size epoch) {
        std::iota(order_.begin(), order_.end(), Size{0});
        if (!s_.shuffle) return;
        const Random random{s_.seed, s_.begin + epoch};
        for (Size i = x_.rows - 1; i > 0; --i) std::swap(order_[i], order_[random.below(i, i + 1)]);
    }

    double rate_at(Size epoch, Size t) const {
        const auto whole = static_cast<double>(s_.epochs), rows = static_cast<double>(x_.rows);
        if (s_.decay == LvqDecay::constant) return s_.rate;
        if (s_.decay == LvqDecay::epoch) return s_.rate * (1 - static_cast<double>(epoch) / whole);
        return s_.rate * (1 - (static_cast<double>(epoch) * rows + static_cast<double>(t)) / (whole * rows));
    }

    // Returns what the row counts as a mistake.
    double visit(Size r, Size epoch, Size t) {
        const double weight = problem_.weight.empty() ? 1.0 : problem_.weight[r];
        if (weight == 0) return 0;
        load_row(x_, r, problem_.scale.empty() ? nullptr : problem_.scale.data(), row_.data());
        codebook_.distances(metric_, row_.data(), 0, apart_.size() / kAbreast, apart_.data());
        const std::int32_t y = problem_.y[r];
        const Size winner = nearest([](Size) { return true; });
        Visit v = step(winner, y, rate_at(epoch, t));
        v.first_step = std::clamp(weight * v.first_step, -1.0, 1.0);
        v.second_step = std::clamp(weight * v.second_step, -1.0, 1.0);
        notes_.step((s_.begin + epoch) * x_.rows + t, s_.begin + epoch, r, y, v, apart_.data());
        move(v.first, v.first_step);
        move(v.second, v.second_step);
        return state_.labels[winner] == y ? 0.0 : weight;
    }

    void move(Size v, double step) {
        if (step == 0) return;
        codebook_.move(v, step, row_.data());
        if (step < 0 && !problem_.low.empty()) codebook_.hold(v, problem_.low.data(), problem_.high.data());
    }

    // The nearest of some vectors, the first of equals; kNone if there are none.
    template <class Among>
    Size nearest(const Among& among) const {
        Size best = kNone;
        for (Size v = 0; v < m_; ++v)
            if (among(v) && (best == kNone || apart_[v] < apart_[best])) best = v;
        return best;
    }

    Visit step(Size winner, std::int32_t y, double rate) {
        switch (s_.variant) {
            case LvqVariant::lvq1:
                return {winner, kNone, sign(winner, y) * rate, 0, rate};
            case LvqVariant::olvq1:
                return own_rate(winner, y);
            case LvqVariant::lvq21:
            case LvqVariant::lvq3:
                return two_nearest(winner, y, rate);
            default:
                return gradient(y, rate);
        }
    }

    double sign(Size v, std::int32_t y) const { return state_.labels[v] == y ? 1.0 : -1.0; }

    Visit own_rate(Size winner, std::int32_t y) {
        double& own = state_.rates[winner];
        const Visit v{winner, kNone, sign(winner, y) * own, 0, own};
        const double next = own / (1 + sign(winner, y) * own);
        own = next > 0 && next < s_.rate ? next : s_.rate;  // pushed away by a rate of 1, the quotient is no number
        return v;
    }

    Visit two_nearest(Size winner, std::int32_t y, double rate) const {
        const Size other = nearest([&](Size v) { return v != winner; });
        Visit v{winner, other, 0, 0, rate};
        if (other == kNone) return v;
        const double edge = (1 - s_.window) / (1 + s_.window);
        const bool first = state_.labels[winner] == y, second = state_.labels[other] == y;
        if (first != second) {
            if (apart_[winner] > edge * edge * apart_[other]) {
                v.first_step = first ? rate : -rate;
                v.second_step = second ? rate : -rate;
            }
        } else if (first && s_.variant == LvqVariant::lvq3) {
            v.first_step = v.second_step = s_.epsilon * rate;
        }
        return v;
    }

    Visit gradient(std::int32_t y, double rate) const {
        const Size own = nearest([&](Size v) { return state_.labels[v] == y; });
        const Size other = nearest([&](Size v) { return state_.labels[v] != y; });
        Visit v{own, other, 0, 0, rate};
        if (own == kNone || other == kNone) return v;
        const double to_own = apart_[own], to_other = apart_[other], both = to_own + to_other;
        if (both == 0) return v;
        const double f = 1 / (1 + std::exp(-s_.steepness * (to_own - to_other) / both));
        const double common = rate * s_.steepness * f * (1 - f) * s_.spread / both;
        v.first_step = common * (to_other / both);
        v.second_step = -common * (to_own / both);
        return v;
    }

    const LvqProblem& problem_;
    const View& x_;
    const LvqSettings& s_;
    LvqState& state_;
    Trace& trace_;
    Size m_;
    Codebook codebook_;
    const MetricFunctions<double>& metric_;
    std::vector<double> row_, apart_;
    std::vector<Size> order_;
    Notes<Trace> notes_;
    LvqResult result_;
};

template <class Trace>
LvqResult run(const LvqProblem& problem, const LvqSettings& settings, LvqState& state, Trace& trace) {
    return std::visit(
        [&](const auto& x) -> LvqResult {
            using View = std::decay_t<decltype(x)>;
            if constexpr (std::is_same_v<View, Dense<double>> || std::is_same_v<View, Dense<float>>)
                return Lvq<View, Trace>(problem, x, settings, state, trace).run();
            else
                throw ContractError("lvq: a dense table");
        },
        *problem.X);
}

}  // namespace

LvqResult lvq(const LvqProblem& problem, const LvqSettings& settings, LvqState& state, NoTrace& trace) {
    return run(problem, settings, state, trace);
}
LvqResult lvq(const LvqProblem& problem, const LvqSettings& settings, LvqState& state, Watch& trace) {
    return run(problem, settings, state, trace);
}

}  // namespace pellucid
