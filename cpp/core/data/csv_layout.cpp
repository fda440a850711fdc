#include "core/data/csv_layout.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace pellucid {

namespace {

// Counts rows as their ends come.
class Counter {
  public:
    Counter(CsvLayout& layout, std::int64_t most) : layout_(layout), most_(most) {}

    void field() { ++fields_; }

    void row(bool empty) {
        if (!empty) {
            if (layout_.rows == 0) layout_.fields = fields_ + 1;
            if (fields_ + 1 != layout_.fields) {
                ++layout_.odd;
                if (static_cast<std::int64_t>(layout_.odd_rows.size()) < most_)
                    layout_.odd_rows.push_back(layout_.rows);
            }
            layout_.widest = std::max(layout_.widest, fields_ + 1);
            ++layout_.rows;
        }
        fields_ = 0;
    }

  private:
    CsvLayout& layout_;
    std::int64_t most_;
    std::int64_t fields_ = 0;
};

}  // namespace

CsvLayout csv_layout(std::string_view text, char delimiter, char quote, std::int64_t most) {
    CsvLayout layout;
    Counter counter(layout, most);
    std::array<bool, 256> special{};
    for (char c : {delimiter, quote, '\n', '\r'}) special[static_cast<unsigned char>(c)] = true;
    const std::size_t n = text.size();
    std::size_t i = 0, line = 0;
    bool at_field = true;
    while (i < n) {
        if (at_field && text[i] == quote) {
            const std::size_t opened = i;
            bool closed = false;
            for (++i; i < n && !closed;) {
                const std::size_t next = text.find(quote, i);
                if (next == std::string_view::npos) {
                    i = n;
                } else if (next + 1 < n && text[next + 1] == quote) {
                    i = next + 2;
                } else {
                    i = next + 1;
                    closed = true;
                }
            }
            if (!closed) layout.open_quote = static_cast<std::int64_t>(opened);
        }
        at_field = false;
        while (i < n && !special[static_cast<unsigned char>(text[i])]) ++i;
        if (i == n) break;
        if (text[i] == quote) {
            ++layout.stray;
            ++i;
            continue;
        }
        at_field = true;
        if (text[i] == delimiter) {
            counter.field();
            ++i;
            continue;
        }
        counter.row(i == line);
        i += (text[i] == '\r' && i + 1 < n && text[i + 1] == '\n') ? 2 : 1;
        line = i;
    }
    if (line < n) counter.row(false);
    return layout;
}

}  // namespace pellucid
