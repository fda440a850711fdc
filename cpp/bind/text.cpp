// Words of texts. The texts belong to Python, so they are gone through here; the letters are its own, too.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "bind/arrays.hpp"
#include "core/text/count.hpp"
#include "core/text/tfidf.hpp"

namespace pellucid::bind {
namespace {

using namespace pellucid::text;

using Floats = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class Index>
using Places = nb::ndarray<const Index, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

constexpr Py_UCS4 kSigma = 0x3A3;  // in lower case its form depends on its place in the word

const LetterTable& letters(bool lower) {
    static constexpr Letters python{
        [](char32_t c) { return c == '_' || Py_UNICODE_ISALNUM(static_cast<Py_UCS4>(c)) != 0; },
        [](char32_t c) { return Py_UNICODE_ISSPACE(static_cast<Py_UCS4>(c)) != 0; },
        [](char32_t c) { return static_cast<char32_t>(Py_UNICODE_TOLOWER(static_cast<Py_UCS4>(c))); },
    };
    if (lower) {
        static const LetterTable table(python, true);
        return table;
    }
    static const LetterTable table(python, false);
    return table;
}

// Bytes of a str: its own where it is ASCII, else those of a bytes object that is kept beside.
std::string_view bytes_of(nb::handle cell, std::vector<nb::object>& kept) {
    require(PyUnicode_Check(cell.ptr()), "text: a list of str");
    const Py_ssize_t length = PyUnicode_GetLength(cell.ptr());
    if (PyUnicode_IS_COMPACT_ASCII(cell.ptr()))
        return {static_cast<const char*>(PyUnicode_DATA(cell.ptr())), static_cast<Size>(length)};
    kept.push_back(nb::steal(PyUnicode_AsEncodedString(cell.ptr(), "utf-8", "surrogatepass")));
    if (!kept.back().is_valid()) throw nb::python_error();
    return {PyBytes_AS_STRING(kept.back().ptr()), static_cast<Size>(PyBytes_GET_SIZE(kept.back().ptr()))};
}

nb::object to_str(std::string_view term) {
    return nb::steal(PyUnicode_DecodeUTF8(term.data(), static_cast<Py_ssize_t>(term.size()), "surrogatepass"));
}

// Terms by their numbers, for as long as somebody asks for them.
struct Terms {
    Vocabulary known;
    explicit Terms(const nb::list& terms) {
        std::vector<nb::object> kept;
        for (const nb::handle term : terms) {
            known.add(bytes_of(term, kept));
            kept.clear();
        }
        require(known.size() == nb::len(terms), "text: terms must differ");
    }
};

// How a text is cut into terms.
struct TextAnalysis {
    Analysis settings;
    std::optional<Terms> stop;
    bool lower = false;

    TextAnalysis(int unit, bool lower_case, Size shortest, Size low, Size high, const std::optional<nb::list>& words)
        : lower(lower_case) {
        require(unit >= 0 && unit <= 2 && low >= 1 && low <= high, "text: unit and length of terms");
        if (words) stop.emplace(*words);
        settings = {static_cast<Unit>(unit), shortest, low, high, &letters(lower_case), nullptr};
    }
    Analysis get() const {
        Analysis made = settings;
        made.stop = stop ? &stop->known : nullptr;
        return made;
    }
};

// Views of texts, or of texts that were cut into words: a list of str, or of lists of str.
struct Held {
    std::vector<std::string_view> pieces;
    std::vector<Size> starts;
    std::vector<nb::object> kept;

    Held(const nb::list& texts, bool in_words, bool lower) {
        if (in_words) starts.push_back(0);
        pieces.reserve(nb::len(texts));
        for (const nb::handle text : texts) {
            if (!in_words) {
                pieces.push_back(bytes_of(lower ? lower_by_python(text) : text, kept));
                continue;
            }
            for (const nb::handle word : nb::cast<nb::list>(text)) pieces.push_back(bytes_of(word, kept));
            starts.push_back(pieces.size());
        }
    }
    Documents view() const { return {pieces, starts}; }

  private:
    nb::handle lower_by_python(nb::handle text) {
        require(PyUnicode_Check(text.ptr()), "text: a list of str");
        const Py_ssize_t length = PyUnicode_GetLength(text.ptr());
        if (PyUnicode_KIND(text.ptr()) == PyUnicode_1BYTE_KIND) return text;
        if (PyUnicode_FindChar(text.ptr(), kSigma, 0, length, 1) < 0) return text;
        kept.push_back(text.attr("lower")());
        return kept.back();
    }
};

nb::tuple arrays_of(Rows rows) {
    const Size lines = rows.starts.size(), entries = rows.columns.size();
    return nb::make_tuple(to_numpy(std::move(rows.values), {entries}), to_numpy(std::move(rows.columns), {entries}),
                          to_numpy(std::move(rows.starts), {lines}));
}

nb::tuple py_text_fit(const nb::list& texts, bool in_words, const TextAnalysis& analysis, double low, double high,
                      std::optional<Size> limit, bool binary, int threads) {
    const Held held(texts, in_words, analysis.lower);
    Fitted found;
    {
        const nb::gil_scoped_release release;
        found = count_fit(held.view(), analysis.get(), {low, high, limit}, binary, threads);
    }
    nb::list terms;
    for (const std::string_view term : found.terms) terms.append(to_str(term));
    const Size kept = found.documents.size();
    return nb::make_tuple(terms, to_numpy(std::move(found.documents), {kept}), found.met,
                          arrays_of(std::move(found.rows)));
}

nb::tuple py_text_transform(const nb::list& texts, bool in_words, const TextAnalysis& analysis, const Terms& terms,
                            bool binary, int threads) {
    const Held held(texts, in_words, analysis.lower);
    Rows found;
    {
        const nb::gil_scoped_release release;
        found = count_transform(held.view(), analysis.get(), terms.known, binary, threads);
    }
    return arrays_of(std::move(found));
}

nb::tuple py_text_hash(const nb::list& texts, bool in_words, const TextAnalysis& analysis, Size columns, bool signs,
                       bool binary, int threads) {
    require(columns >= 1 && columns < (Size{1} << 31), "text: columns of a hash");
    const Held held(texts, in_words, analysis.lower);
    Rows found;
    {
        const nb::gil_scoped_release release;
        found = count_hash(held.view(), analysis.get(), {columns, signs}, binary, threads);
    }
    return arrays_of(std::move(found));
}

template <class Index>
void py_weigh_rows(const Places<Index>& starts, const Places<Index>& columns, Floats& values,
                   const std::optional<Vector>& idf, bool sublinear, int norm, int threads) {
    require(starts.shape(0) >= 1 && columns.shape(0) == values.shape(0) && norm >= 0 && norm <= 2, "text: sparse rows");
    require(static_cast<Size>(starts.data()[starts.shape(0) - 1]) == values.shape(0), "text: ends of sparse rows");
    const nb::gil_scoped_release release;
    weigh_rows<Index>({starts.data(), starts.shape(0)}, {columns.data(), columns.shape(0)},
                      {values.data(), values.shape(0)}, idf ? span_of(*idf) : std::span<const double>{}, sublinear,
                      static_cast<Norm>(norm), threads);
}

template <class Index>
nb::object py_count_rows_with(const Places<Index>& columns, const Vector& values, Size n_columns) {
    require(columns.shape(0) == values.shape(0), "text: sparse rows");
    std::vector<std::int64_t> documents(n_columns);
    {
        const nb::gil_scoped_release release;
        count_rows_with<Index>({columns.data(), columns.shape(0)}, span_of(values), documents);
    }
    return to_numpy(std::move(documents), {n_columns});
}

}  // namespace

void bind_text(nb::module_& m) {
    nb::class_<Terms>(m, "Terms").def(nb::init<const nb::list&>(), nb::arg("terms"));
    nb::class_<TextAnalysis>(m, "TextAnalysis")
        .def(nb::init<int, bool, Size, Size, Size, const std::optional<nb::list>&>(), nb::kw_only(), nb::arg("unit"),
             nb::arg("lower"), nb::arg("shortest"), nb::arg("low"), nb::arg("high"), nb::arg("stop").none());
    m.def("text_fit", &py_text_fit, nb::arg("texts"), nb::arg("in_words"), nb::arg("analysis"), nb::arg("low"),
          nb::arg("high"), nb::arg("limit").none(), nb::arg("binary"), nb::arg("threads"));
    m.def("text_transform", &py_text_transform, nb::arg("texts"), nb::arg("in_words"), nb::arg("analysis"),
          nb::arg("terms"), nb::arg("binary"), nb::arg("threads"));
    m.def("text_hash", &py_text_hash, nb::arg("texts"), nb::arg("in_words"), nb::arg("analysis"), nb::arg("columns"),
          nb::arg("signs"), nb::arg("binary"), nb::arg("threads"));
    m.def("weigh_rows", &py_weigh_rows<std::int32_t>, nb::arg("starts"), nb::arg("columns"), nb::arg("values"),
          nb::arg("idf").none(), nb::arg("sublinear"), nb::arg("norm"), nb::arg("threads"));
    m.def("weigh_rows", &py_weigh_rows<std::int64_t>, nb::arg("starts"), nb::arg("columns"), nb::arg("values"),
          nb::arg("idf").none(), nb::arg("sublinear"), nb::arg("norm"), nb::arg("threads"));
    m.def("count_rows_with", &py_count_rows_with<std::int32_t>, nb::arg("columns"), nb::arg("values"),
          nb::arg("n_columns"));
    m.def("count_rows_with", &py_count_rows_with<std::int64_t>, nb::arg("columns"), nb::arg("values"),
          nb::arg("n_columns"));
}

}  // namespace pellucid::bind
