#include "core/base/trace.hpp"

#include <type_traits>

#include "tests/harness.hpp"

namespace pellucid::test {
namespace {

int asked = 0;  // how often somebody wanted an event's numbers

struct Step {
    static constexpr std::string_view name = "steps";
    static constexpr std::array<std::string_view, 2> columns = {"step", "loss"};
    double step, loss;
    std::array<double, 2> values() const {
        ++asked;
        return {step, loss};
    }
};

struct Note {
    static constexpr std::string_view name = "notes";
    static constexpr std::array<std::string_view, 1> columns = {"note"};
    double note;
    std::array<double, 1> values() const { return {note}; }
};

struct Heard {
    std::vector<Size> passes;
    std::vector<double> parameters;
    Size stop_at = 0;
};

bool listen(void* state, Size pass, std::span<const double> parameters) {
    auto& heard = *static_cast<Heard*>(state);
    heard.passes.push_back(pass);
    heard.parameters.assign(parameters.begin(), parameters.end());
    return pass == heard.stop_at;
}

}  // namespace

TEST(trace_off_does_nothing) {
    static_assert(std::is_empty_v<NoTrace>);
    NoTrace none;
    asked = 0;
    emit(none, Step{1, 2});
    CHECK(asked == 0);
    CHECK(!stop_after(none, 1, {}));
}

TEST(trace_record_keeps_rows_by_table) {
    Record record;
    CHECK(record.tables().empty());
    emit(record, Step{1, 0.5});
    emit(record, Note{7});
    emit(record, Step{2, 0.25});
    CHECK(record.tables().size() == 2);
    const Record::Table& steps = record.tables().at("steps");
    CHECK((steps.columns == std::vector<std::string>{"step", "loss"}));
    CHECK((steps.cells == std::vector<double>{1, 0.5, 2, 0.25}));
    CHECK((record.tables().at("notes").cells == std::vector<double>{7}));
    CHECK(!stop_after(record, 1, {}));
}

TEST(trace_watch_records_and_returns_the_listeners_answer) {
    Heard heard;
    heard.stop_at = 2;
    Watch watch{{}, listen, &heard};
    const std::vector<double> w = {3, 4};
    emit(watch, Step{1, 0.5});
    CHECK(!stop_after(watch, 1, w));
    CHECK(stop_after(watch, 2, w));
    CHECK((heard.passes == std::vector<Size>{1, 2}));
    CHECK(heard.parameters == w);
    CHECK((watch.record.tables().at("steps").cells == std::vector<double>{1, 0.5}));
}

TEST(trace_watch_without_a_listener_goes_on) {
    Watch watch;
    CHECK(!stop_after(watch, 1, {}));
}

}  // namespace pellucid::test
