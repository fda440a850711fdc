// The working as a result: an iterative kernel tells what it did through a trace.
//
//   emit(trace, LsqrPass{...});
//
// compiles to nothing with NoTrace, appends a row with Record, and appends a row and asks a listener whether to stop
// with Watch. A trace sees the numbers; it never changes them.
//
// An event is a struct with `static constexpr auto name`, `static constexpr std::array columns` and `values()`.
#pragma once

#include <array>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/views.hpp"

namespace pellucid {

struct NoTrace {};

// Tables of events by name; each table is row-major with one column per field.
class Record {
  public:
    struct Table {
        std::vector<std::string> columns;
        std::vector<double> cells;
    };

    template <class Event>
    void add(const Event& event) {
        Table& table = tables_[std::string(Event::name)];
        if (table.columns.empty()) table.columns.assign(Event::columns.begin(), Event::columns.end());
        const auto values = event.values();
        static_assert(values.size() == Event::columns.size());
        table.cells.insert(table.cells.end(), values.begin(), values.end());
    }
    const std::map<std::string, Table>& tables() const { return tables_; }

  private:
    std::map<std::string, Table> tables_;
};

// A record with a listener: told the number of the pass and the current parameters, it answers whether to stop.
struct Watch {
    using Listener = bool (*)(void* state, Size pass, std::span<const double> parameters);
    Record record;
    Listener listener = nullptr;
    void* state = nullptr;
};

template <class Event>
void emit(NoTrace&, const Event&) {}
template <class Event>
void emit(Record& record, const Event& event) {
    record.add(event);
}
template <class Event>
void emit(Watch& watch, const Event& event) {
    watch.record.add(event);
}

// End of a pass: does somebody want to stop here?
inline bool stop_after(NoTrace&, Size, std::span<const double>) { return false; }
inline bool stop_after(Record&, Size, std::span<const double>) { return false; }
inline bool stop_after(Watch& watch, Size pass, std::span<const double> parameters) {
    return watch.listener != nullptr && watch.listener(watch.state, pass, parameters);
}

}  // namespace pellucid
