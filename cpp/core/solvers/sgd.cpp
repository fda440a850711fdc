#include "core/solvers/sgd.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/linalg/reduce.hpp"
#include "core/linalg/rows.hpp"
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
#include "core/solvers/sgd_weights.hpp"

namespace pellucid {

AnyLoss loss_named(std::string_view name, double epsilon, std::array<bool, 2> zero_is_wrong) {
    if (name == "squared_error") return AnyLoss(SquaredLoss{});
    if (name == "absolute_error") return AnyLoss(AbsoluteLoss{});
    if (name == "huber") return AnyLoss(HuberLoss{epsilon});
    if (name == "epsilon_insensitive") return AnyLoss(EpsilonInsensitiveLoss{epsilon});
    if (name == "squared_epsilon_insensitive") return AnyLoss(SquaredEpsilonInsensitiveLoss{epsilon});
    if (name == "hinge") return AnyLoss(HingeLoss{});
    if (name == "squared_hinge") return AnyLoss(SquaredHingeLoss{});
    if (name == "log_loss") return AnyLoss(LogisticLoss{});
    if (name == "modified_huber") return AnyLoss(ModifiedHuberLoss{});
    if (name == "squared_sigmoid") return AnyLoss(SquaredSigmoidLoss{});
    require(name == "perceptron", "sgd: loss");
    return AnyLoss(PerceptronLoss{zero_is_wrong[0], zero_is_wrong[1]});
}

namespace {

using namespace sgd_detail;

constexpr Size kBlockRows = 512;           // of a batch that is shared by threads
constexpr Size kRowsBetweenChecks = 1024;  // for Ctrl-C
constexpr double kSteepest = 1e12;         // a steeper slope is cut off, as scikit-learn's is

// ------------------------------------------------------------------------------------------------------- notes

// What a trace is told: the first and the last 5,000 updates, epochs and (in batches of up to 20) visited rows.
template <class Trace>
class Notes {
  public:
    Notes(Size cols, bool intercept, Size batch, bool scored)
        : intercept_(intercept),
          scored_(scored),
          cols_(cols),
          steps_(8 + cols + intercept, kept(8 + cols)),
          epochs_(6 + cols + intercept, kept(6 + cols)),
          order_(3, kKept * std::min<Size>(batch, 20)) {}

    void visit(double step, Size row, double score) { order_.add(std::array{step, static_cast<double>(row), score}); }
    void step(std::initializer_list<double> numbers, double b, const Weights& w) { add(steps_, numbers, b, w); }
    void epoch(std::initializer_list<double> numbers, double b, const Weights& w) { add(epochs_, numbers, b, w); }
    void tell(Trace& trace) const {
        emit(trace, "steps", named({"step", "epoch", "row", "rate", "score", "loss", "slope", "change"}),
             steps_.rows());
        emit(trace, "epochs",
             named({"epoch", "loss", scored_ ? "validation_score" : "objective", "rate", "without_improvement",
                    "mistakes"}),
             epochs_.rows());
        emit(trace, "order", std::array<std::string, 3>{"step", "row", "score"}, order_.rows());
    }

  private:
    static constexpr Size kKept = 5000;
    static Size kept(Size width) { return std::clamp<Size>(1'000'000 / width, 1, kKept); }
    void add(Ends& table, std::initializer_list<double> numbers, double b, const Weights& w) {
        row_.assign(numbers);
        if (intercept_) row_.push_back(b);
        for (Size j = 0; j < cols_; ++j) row_.push_back(w.at(j));
        table.add(row_);
    }
    std::vector<std::string> named(std::vector<std::string> columns) const {
        for (Size j = intercept_ ? 0 : 1; j <= cols_; ++j) columns.push_back("theta_" + std::to_string(j));
        return columns;
    }

    bool intercept_, scored_;
    Size cols_;
    Ends steps_, epochs_, order_;
    std::vector<double> row_;
};

template <>
class Notes<NoTrace> {
  public:
    Notes(Size, bool, Size, bool) {}
    void visit(double, Size, double) {}
    void step(std::initializer_list<double>, double, const Weights&) {}
    void epoch(std::initializer_list<double>, double, const Weights&) {}
    void tell(NoTrace&) const {}
};

// --------------------------------------------------------------------------------------------------------- runs

template <class View, class Trace>
class Sgd {
  public:
    Sgd(const SgdProblem& problem, const SgdSettings& settings, const AnyLoss& loss, const SgdModel& model,
        const View& x, Trace& trace)
        : problem_(problem),
          s_(settings),
          loss_(loss),
          m_(model),
          x_(x),
          trace_(trace),
          w_(model.w, model.average_w, settings.l1 > 0),
          b_(*model.b),
          t_(settings.begin),
          batch_(std::min(s_.batch, x.rows)),
          picker_(s_.order, model.seed, problem.listed, x.rows),
          notes_(x.cols, s_.intercept, batch_, !problem.held_out.empty()),
          y_(batch_),
          f_(batch_),
          value_(batch_),
          change_(batch_) {
        const Size n = x.rows;
        require(n > 0 && problem.y.size() == n && model.w.size() == x.cols && s_.batch > 0, "sgd: sizes");
        require(problem.weight.empty() || problem.weight.size() == n, "sgd: weights");
        require(problem.held_out.empty() || problem.held_out.size() == n, "sgd: rows held out");
        require((s_.order == RowOrder::listed) == !problem.listed.empty(), "sgd: listed rows");
        require(model.average_w.empty() || model.average_w.size() == x.cols, "sgd: averages");
        require(s_.step == StepRule::rate || s_.batch == 1, "sgd: passive-aggressive batches");
        for (const std::int64_t row : problem.listed)
            require(row >= 0 && static_cast<Size>(row) < n, "sgd: a listed row");
        for (Size i = 0; i < problem.held_out.size(); ++i)
            if (problem.held_out[i] != 0) held_out_.push_back(i);
        require(held_out_.size() < n, "sgd: rows to learn from");
    }

    SgdResult run() {
        bool going = true;
        while (going && result_.epochs < s_.most_epochs) going = epoch();
        if (diverging_ > 0) result_.stop = SgdStop::overflow;
        if (s_.restore_best && !best_.empty()) restore();
        w_.settle();
        *m_.b = b_;
        result_.updates = t_ - s_.begin;
        notes_.tell(trace_);
        return result_;
    }

  private:
    static constexpr bool kTraced = !std::is_same_v<Trace, NoTrace>;

    bool penalized() const { return s_.l1 > 0 || s_.l2 > 0; }
    bool scored() const { return !held_out_.empty(); }
    bool watches() const { return s_.tol > -std::numeric_limits<double>::infinity(); }
    bool needs_loss() const { return kTraced || s_.step != StepRule::rate || (watches() && !scored()); }
    double target(Size i) const {
        if (m_.positive < 0) return problem_.y[i];
        return problem_.y[i] == m_.positive ? 1.0 : s_.negative;
    }
    double weight(Size i, double y) const {
        return (y > 0 ? m_.weight_positive : m_.weight_negative) * (problem_.weight.empty() ? 1 : problem_.weight[i]);
    }
    double score_of(Size i) const { return w_.scale() * dot_row(x_, i, w_.v()) + b_; }

    // One pass over as many rows as the table has. Answers whether to go on.
    bool epoch() {
        begin_epoch();
        for (Size at = 0; at < order_.size(); at += count_) {
            count_ = std::min(batch_, order_.size() - at);
            measure(at);
            if (!undoable(at)) continue;
            find_changes(at);
            update(at);
            ++t_;
            look(at);
        }
        return end_epoch();
    }

    void begin_epoch() {
        ++result_.epochs;
        picker_.begin(result_.epochs - 1);
        order_.clear();
        for (Size place = 0; place < x_.rows; ++place) {
            const Size row = picker_.pick(place);
            if (problem_.held_out.empty() || problem_.held_out[row] == 0) order_.push_back(row);
        }
        loss_sum_ = objective_sum_ = mistakes_ = 0;
        diverged_ = false;
        rate_ = s_.rate.at(t_);
        check_interrupt();
    }

    // For the row that is visited some rows after this place.
    [[gnu::always_inline]] void ask_ahead(Size place) {
        constexpr Size kAhead = 8;
        if (place + 2 * kAhead >= order_.size()) return;
        const Size row = order_[place + kAhead];
        prefetch(x_, row);
        __builtin_prefetch(&problem_.y[row]);
        if (!problem_.weight.empty()) __builtin_prefetch(&problem_.weight[row]);
        if constexpr (!is_dense<View>) __builtin_prefetch(&x_.starts[order_[place + 2 * kAhead]]);
    }

    // Scores, losses and slopes of the batch, with the parameters before its update.
    void measure(Size at) {
        const bool ahead = s_.order != RowOrder::given;  // which the hardware sees coming
        const auto block = [&](Size number) {
            const Size begin = number * kBlockRows, size = std::min(kBlockRows, count_ - begin);
            for (Size k = begin; k < begin + size; ++k) {
                if (ahead) ask_ahead(at + k);
                f_[k] = score_of(order_[at + k]);
                y_[k] = target(order_[at + k]);
            }
            loss_.measure(size, &y_[begin], &f_[begin], needs_loss() ? &value_[begin] : nullptr, &change_[begin]);
        };
        const Size blocks = blocks_of(count_, kBlockRows);
        blocks == 1 ? block(0) : parallel_for(blocks, s_.threads, block);
        if (!needs_loss()) return;
        const bool aggressive = s_.step != StepRule::rate;
        const double penalty = penalized() && !aggressive ? 0.5 * s_.l2 * w_.squares() + s_.l1 * w_.absolutes() : 0.0;
        for (Size k = 0; k < count_; ++k) {
            loss_sum_ += value_[k];
            objective_sum_ += value_[k] + penalty;
        }
        if constexpr (kTraced)
            for (Size k = 0; k < count_; ++k) mistakes_ += m_.positive >= 0 && (f_[k] > 0) != (y_[k] > 0);
    }

    // PA-I leaves a row of zeros alone: no step would change its score.
    bool undoable(Size at) {
        if (s_.step == StepRule::rate) return true;
        row_square_ = 0;
        each_entry(x_, order_[at], [&](Size, double value) { row_square_ += value * value; });
        return s_.step == StepRule::passive_aggressive_2 || row_square_ > 0;
    }

    // change_[k], the slope of row k, becomes what is added to the parameters along it.
    void find_changes(Size at) {
        if (s_.rate.kind != Rate::Kind::constant) rate_ = s_.rate.at(t_);
        slope_sum_ = change_sum_ = 0;
        const double share = rate_ / static_cast<double>(count_);
        for (Size k = 0; k < count_; ++k) {
            const double slope = std::clamp(change_[k], -kSteepest, kSteepest);
            if (slope != change_[k] && !(std::abs(f_[k]) < s_.diverged)) diverged_ = true;
            slope_sum_ += slope;
            change_[k] = s_.step == StepRule::rate ? -share * slope : undoing(k);
            change_[k] *= weight(order_[at + k], y_[k]);
            change_sum_ += change_[k];
        }
    }
    // The step that makes the row's own loss vanish, cut off or softened by eta0.
    double undoing(Size k) const {
        const double size = s_.step == StepRule::passive_aggressive_1 ? std::min(s_.rate.eta0, value_[k] / row_square_)
                                                                      : value_[k] / (row_square_ + 0.5 / s_.rate.eta0);
        if (m_.positive >= 0) return y_[k] * size;
        return y_[k] < f_[k] ? -size : size;
    }

    void update(Size at) {
        if (s_.l2 > 0) w_.shrink(std::max(0.0, 1 - s_.l2 * rate_));
        const double n = t_ + 2 - s_.average_from;  // how many are averaged, with this one
        const bool averages = s_.average_from > 0 && n >= 1;
        const bool measured = penalized() && watches() && !scored();
        const bool at_once = is_dense<View> && count_ > 1;  // the norms of all columns, after all rows
        if (count_ <= kBlockRows) {
            for (Size k = 0; k < count_; ++k)
                if (change_[k] != 0) w_.add(x_, order_[at + k], change_[k], measured && !at_once);
        } else {
            add_blocks(at);
            w_.add(gradient_.data(), 1);
        }
        if (measured && (at_once || count_ > kBlockRows)) w_.measure();
        if (s_.intercept) b_ += change_sum_ * s_.intercept_decay;
        if (averages) average(at, n);
        if (s_.l1 > 0) {
            drawn_ += s_.l1 * rate_;
            for (Size k = 0; k < count_; ++k) w_.draw(x_, order_[at + k], drawn_);
        }
    }
    // gradient_ = sum of change_[k] x_k over a batch of many rows, block by block.
    void add_blocks(Size at) {
        gradient_.resize(x_.cols);
        ordered_sum(blocks_of(count_, kBlockRows), x_.cols, s_.threads, gradient_.data(),
                    [&](Size block, double* into) {
                        const Size begin = block * kBlockRows, end = std::min(begin + kBlockRows, count_);
                        for (Size k = begin; k < end; ++k) add_row(x_, order_[at + k], change_[k], into);
                    });
    }
    void average(Size at, double n) {
        if (count_ <= kBlockRows) {
            for (Size k = 0; k < count_; ++k)
                if (change_[k] != 0) w_.correct_average(x_, order_[at + k], change_[k]);
        } else {
            w_.correct_average(gradient_.data(), 1);
        }
        w_.count_average(n);
        *m_.average_b += (b_ - *m_.average_b) / n;
    }

    void look(Size at) {
        if constexpr (kTraced) {
            const double step = t_ - s_.begin, rows = static_cast<double>(count_);
            for (Size k = 0; k < count_; ++k) notes_.visit(step, order_[at + k], f_[k]);
            double loss = 0;
            for (Size k = 0; k < count_; ++k) loss += value_[k] / rows;
            notes_.step(
                {step, static_cast<double>(result_.epochs), count_ == 1 ? static_cast<double>(order_[at]) : -1.0, rate_,
                 f_[0], loss, slope_sum_ / rows, change_sum_},
                b_, w_);
        }
        since_check_ += count_;
        if (since_check_ < kRowsBetweenChecks) return;
        since_check_ = 0;
        check_interrupt();
    }

    bool end_epoch() {
        if (!w_.finite() || !std::isfinite(b_)) return stop(SgdStop::overflow);
        diverging_ = diverged_ ? diverging_ + 1 : 0;
        if (diverging_ >= s_.patience && s_.rate.kind == Rate::Kind::constant) return stop(SgdStop::overflow);
        const double rows = static_cast<double>(order_.size());
        const double loss = loss_sum_ / rows, objective = objective_sum_ / rows;
        const double reached = scored() ? held_out_score() : -objective;  // the larger, the better
        without_ = watches() && reached < best_reached_ + s_.tol ? without_ + 1 : 0;
        if (reached > best_reached_) keep(reached);
        notes_.epoch({static_cast<double>(result_.epochs), loss, scored() ? reached : objective, rate_,
                      static_cast<double>(without_), mistakes_},
                     b_, w_);
        if (told()) return stop(SgdStop::told);
        if (without_ < s_.patience) return true;
        if (!s_.rate.shrink()) return stop(SgdStop::improvement);
        without_ = 0;
        return true;
    }
    void keep(double reached) {
        best_reached_ = reached;
        if (!scored()) return;
        result_.best_score = reached;
        result_.best_epoch = result_.epochs;
        if (!s_.restore_best) return;
        best_.resize(x_.cols);
        w_.copy_to(best_);
        best_b_ = b_;
        if (m_.average_w.empty()) return;
        w_.settle();
        best_average_.assign(m_.average_w.begin(), m_.average_w.end());
        best_average_b_ = *m_.average_b;
    }
    void restore() {
        w_.copy_from(best_);
        b_ = best_b_;
        if (m_.average_w.empty()) return;
        std::copy(best_average_.begin(), best_average_.end(), m_.average_w.begin());
        *m_.average_b = best_average_b_;
    }
    bool told() {
        if constexpr (kTraced) {
            std::vector<double> now(x_.cols + 1, b_);
            w_.copy_to(std::span(now).subspan(1));
            return stop_after(trace_, result_.epochs, now);
        }
        return false;
    }

    // Of the rows held out: the share that is on its side, or R2 = 1 - SSE/SST. Weighted.
    double held_out_score() const {
        double total = 0, right = 0, sum = 0;
        for (const Size i : held_out_) {
            const double y = target(i), weight = problem_.weight.empty() ? 1 : problem_.weight[i];
            total += weight;
            sum += weight * y;
            if (m_.positive >= 0) right += (score_of(i) > 0) == (y > 0) ? weight : 0;
        }
        if (m_.positive >= 0) return right / total;
        double sse = 0, sst = 0;
        for (const Size i : held_out_) {
            const double y = target(i), weight = problem_.weight.empty() ? 1 : problem_.weight[i];
            const double error = y - score_of(i), off = y - sum / total;
            sse += weight * error * error;
            sst += weight * off * off;
        }
        return sst > 0 ? 1 - sse / sst : sse == 0 ? 1.0 : 0.0;
    }

    bool stop(SgdStop why) {
        result_.stop = why;
        return false;
    }

    const SgdProblem& problem_;
    SgdSettings s_;
    const AnyLoss& loss_;
    const SgdModel& m_;
    const View& x_;
    Trace& trace_;
    Weights w_;
    double b_, t_;
    Size batch_;
    RowPicker picker_;
    Notes<Trace> notes_;
    std::vector<double> y_, f_, value_, change_, gradient_;  // of the batch
    std::vector<Size> order_, held_out_;
    std::vector<double> best_, best_average_;
    double best_b_ = 0, best_average_b_ = 0;
    Size count_ = 0, without_ = 0, diverging_ = 0, since_check_ = 0;
    double rate_ = 0, slope_sum_ = 0, change_sum_ = 0, drawn_ = 0, row_square_ = 0;
    double loss_sum_ = 0, objective_sum_ = 0, mistakes_ = 0;
    double best_reached_ = -std::numeric_limits<double>::infinity();
    bool diverged_ = false;
    SgdResult result_;
};

template <class Trace>
SgdResult run(const SgdProblem& problem, const SgdSettings& settings, const AnyLoss& loss, const SgdModel& model,
              Trace& trace) {
    return std::visit(
        [&]<class View>(const View& x) { return Sgd<View, Trace>(problem, settings, loss, model, x, trace).run(); },
        *problem.X);
}

}  // namespace

SgdResult sgd(const SgdProblem& problem, const SgdSettings& settings, const AnyLoss& loss, const SgdModel& model,
              NoTrace& trace) {
    return run(problem, settings, loss, model, trace);
}
SgdResult sgd(const SgdProblem& problem, const SgdSettings& settings, const AnyLoss& loss, const SgdModel& model,
              Watch& trace) {
    return run(problem, settings, loss, model, trace);
}

}  // namespace pellucid
