// The working as a result: an iterative kernel tells what it did through a trace.
//
//   emit(trace, LsqrPass{...});
//
// compiles to nothing with NoTrace, appends a row with Record, and appends a row and asks a listener whether to stop
// with Watch. A trace sees the numbers; it never changes them.
//
// An event is a struct with `static constexpr auto name`, `static constexpr std::array columns` and `values()`. Where
// the number of columns depends on the data, `emit(trace, name, columns, rows)` hands over whole rows instead.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/check.hpp"
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
    // One row or several, one behind the other.
    void add(std::string_view name, std::span<const std::string> columns, std::span<const double> rows) {
        Table& table = tables_[std::string(name)];
        if (table.columns.empty()) table.columns.assign(columns.begin(), columns.end());
        require(table.columns.size() == columns.size() && rows.size() % columns.size() == 0, "record: columns");
        table.cells.insert(table.cells.end(), rows.begin(), rows.end());
    }
    const std::map<std::string, Table>& tables() const { return tables_; }

  private:
    std::map<std::string, Table> tables_;
};

// The first and the last rows of a long table; what lies between is let go, so that memory stays small.
class Ends {
  public:
    Ends(Size width, Size keep) : width_(width), keep_(keep) {}
    void add(std::span<const double> row) {
        require(row.size() == width_, "ends: width");
        if (count_ < 2 * keep_)
            cells_.insert(cells_.end(), row.begin(), row.end());
        else
            std::copy(row.begin(), row.end(), cells_.begin() + offset(keep_ + count_ % keep_));
        ++count_;
    }
    // In the order in which they came.
    std::vector<double> rows() const {
        std::vector<double> out = cells_;
        if (count_ > 2 * keep_)
            std::rotate(out.begin() + offset(keep_), out.begin() + offset(keep_ + count_ % keep_), out.end());
        return out;
    }

  private:
    std::ptrdiff_t offset(Size row) const { return static_cast<std::ptrdiff_t>(row * width_); }
    Size width_, keep_, count_ = 0;
    std::vector<double> cells_;
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

inline void emit(NoTrace&, std::string_view, std::span<const std::string>, std::span<const double>) {}
inline void emit(Record& record, std::string_view name, std::span<const std::string> columns,
                 std::span<const double> rows) {
    record.add(name, columns, rows);
}
inline void emit(Watch& watch, std::string_view name, std::span<const std::string> columns,
                 std::span<const double> rows) {
    watch.record.add(name, columns, rows);
}

// End of a pass: does somebody want to stop here?
inline bool stop_after(NoTrace&, Size, std::span<const double>) { return false; }
inline bool stop_after(Record&, Size, std::span<const double>) { return false; }
inline bool stop_after(Watch& watch, Size pass, std::span<const double> parameters) {
    return watch.listener != nullptr && watch.listener(watch.state, pass, parameters);
}

}  // namespace pellucid
