#include "core/data/csv_layout.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/base/pool.hpp"

namespace pellucid {

namespace {

constexpr Size kBlock = Size{1} << 20;  // bytes, up to the next line end

// Whole numbers of 16 to 18 digits are none with decimals: beside a decimal, the column is neither.
struct Forms {
    bool whole = true, decimal = true, filled = false;

    CsvKind kind() const {
        if (!filled) return CsvKind::nothing;
        return whole ? CsvKind::whole : decimal ? CsvKind::decimal : CsvKind::other;
    }
    void none() { whole = decimal = false, filled = true; }
    void join(const Forms& other) {
        if (!other.filled) return;
        whole = whole && other.whole;
        decimal = decimal && other.decimal;
        filled = true;
    }
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Reads a number from `i` on into what is known of its column, and returns where it ends; `end` tells what may follow.
template <class End>
Size read_number(std::string_view text, Size i, const End& end, Forms& forms) {
    const Size n = text.size();
    const auto digits = [&] {
        const Size from = i;
        while (i < n && is_digit(text[i])) ++i;
        return i - from;
    };
    if (i < n && text[i] == '-') ++i;
    const bool nought = i < n && text[i] == '0';
    const Size before = digits();
    if (before == 0 || before > 18 || (nought && before > 1)) {
        forms.none();
        return i;
    }
    bool whole = true;
    if (i < n && text[i] == '.') {
        whole = false;
        ++i;
        if (digits() == 0) {
            forms.none();
            return i;
        }
    }
    if (i < n && (text[i] == 'e' || text[i] == 'E')) {
        whole = false;
        ++i;
        if (i < n && (text[i] == '-' || text[i] == '+')) ++i;
        const Size power = digits();
        if (power == 0 || power > 2) {
            forms.none();
            return i;
        }
    }
    if (i < n && !end(text[i])) {
        forms.none();
        return i;
    }
    forms.filled = true;
    forms.whole = forms.whole && whole;
    forms.decimal = forms.decimal && before <= 15;
    return i;
}

// A part of the text that begins at a line and ends with one.
struct Block {
    CsvLayout layout;  // odd rows count from the block's first one
    std::vector<Forms> forms;
    bool returns = false;  // is there a line that ends with \r alone?
};

class Scanner {
  public:
    Scanner(std::string_view text, char delimiter, char quote, std::int64_t most, std::int64_t width)
        : text_(text), delimiter_(delimiter), quote_(quote), most_(most), width_(width) {
        for (const char c : {delimiter, quote, '\n', '\r'}) special_[static_cast<unsigned char>(c)] = true;
    }

    // Rows of the text from `from` to `to`; `header` if the first of them is that of the whole text.
    Block scan(Size from, Size to, bool header) const {
        Block block;
        block.forms.resize(static_cast<Size>(width_));
        CsvLayout& layout = block.layout;
        std::int64_t field = 0;
        bool names = header;
        Size i = from, line = from;
        bool at_field = true;
        const auto ends = [&](char c) { return c == delimiter_ || c == '\n' || c == '\r'; };
        const auto row = [&](bool empty) {
            if (!empty) {
                if (field + 1 != width_) {
                    ++layout.odd;
                    if (static_cast<std::int64_t>(layout.odd_rows.size()) < most_)
                        layout.odd_rows.push_back(layout.rows);
                }
                layout.widest = std::max(layout.widest, field + 1);
                ++layout.rows;
                names = false;
            }
            field = 0;
        };
        while (i < to) {
            if (at_field) {
                Forms nowhere;
                Forms& forms = field < width_ && !names ? block.forms[static_cast<Size>(field)] : nowhere;
                if (text_[i] == quote_) {
                    forms.none();
                    i = behind_quoted(i, to, layout);
                } else if ((forms.whole || forms.decimal) && !ends(text_[i])) {
                    i = read_number(text_.substr(0, to), i, ends, forms);
                }
            }
            at_field = false;
            while (i < to && !special_[static_cast<unsigned char>(text_[i])]) ++i;
            if (i == to) break;
            if (text_[i] == quote_) {
                ++layout.stray;
                ++i;
                continue;
            }
            at_field = true;
            if (text_[i] == delimiter_) {
                ++field;
                ++i;
                continue;
            }
            row(i == line);
            const bool both = text_[i] == '\r' && i + 1 < to && text_[i + 1] == '\n';
            block.returns = block.returns || (text_[i] == '\r' && !both);
            i += both ? 2 : 1;
            line = i;
        }
        if (line < to) row(false);
        return block;
    }

  private:
    Size behind_quoted(Size i, Size to, CsvLayout& layout) const {
        const Size opened = i;
        for (++i; i < to;) {
            const Size next = text_.find(quote_, i);
            if (next == std::string_view::npos) break;
            if (next + 1 >= to || text_[next + 1] != quote_) return next + 1;
            i = next + 2;
        }
        layout.open_quote = static_cast<std::int64_t>(opened);
        return to;
    }

    std::string_view text_;
    char delimiter_, quote_;
    std::int64_t most_, width_;
    std::array<bool, 256> special_{};
};

// Fields of the first row that is not empty.
std::int64_t first_width(std::string_view text, char delimiter, char quote) {
    Size i = 0;
    while (i < text.size() && (text[i] == '\n' || text[i] == '\r')) ++i;
    std::int64_t fields = 1;
    bool quoted = false, at_field = true;
    for (; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted) {
            if (c != quote) continue;
            if (i + 1 < text.size() && text[i + 1] == quote)
                ++i;
            else
                quoted = false;
            continue;
        }
        if (at_field && c == quote) {
            quoted = true;
            at_field = false;
            continue;
        }
        if (c == '\n' || c == '\r') break;
        at_field = c == delimiter;
        fields += c == delimiter;
    }
    return fields;
}

// Where blocks begin, and the end of the text: all of it is one block if there are quotes, which may hold line ends.
std::vector<Size> block_starts(std::string_view text, char quote) {
    std::vector<Size> starts{0};
    if (std::memchr(text.data(), quote, text.size()) == nullptr)
        while (text.size() - starts.back() > kBlock) {
            const Size end = text.find('\n', starts.back() + kBlock);
            if (end == std::string_view::npos || end + 1 >= text.size()) break;
            starts.push_back(end + 1);
        }
    starts.push_back(text.size());
    return starts;
}

}  // namespace

CsvLayout csv_layout(std::string_view text, char delimiter, char quote, std::int64_t most, int threads) {
    CsvLayout all;
    if (text.empty()) return all;
    const std::int64_t width = first_width(text, delimiter, quote);
    const Scanner scanner(text, delimiter, quote, most, width);
    const std::vector<Size> starts = block_starts(text, quote);
    std::vector<Block> blocks(starts.size() - 1);
    parallel_for(blocks.size(), threads, [&](Size b) { blocks[b] = scanner.scan(starts[b], starts[b + 1], b == 0); });
    std::vector<Forms> forms(static_cast<Size>(width));
    bool returns = false;
    for (const Block& block : blocks) {
        for (const std::int64_t row : block.layout.odd_rows)
            if (static_cast<std::int64_t>(all.odd_rows.size()) < most) all.odd_rows.push_back(all.rows + row);
        all.rows += block.layout.rows;
        all.widest = std::max(all.widest, block.layout.widest);
        all.odd += block.layout.odd;
        all.stray += block.layout.stray;
        if (block.layout.open_quote >= 0) all.open_quote = block.layout.open_quote;
        for (Size j = 0; j < forms.size(); ++j) forms[j].join(block.forms[j]);
        returns = returns || block.returns;
    }
    all.fields = all.rows > 0 ? width : 0;
    for (const Forms& one : forms) all.kinds.push_back(returns ? CsvKind::other : one.kind());
    return all;
}

}  // namespace pellucid
