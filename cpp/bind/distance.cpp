#include "bind/arrays.hpp"
#include "core/distance/edit_distance.hpp"
#include "core/distance/neighbors.hpp"
#include "core/distance/shared_keys.hpp"

namespace pellucid::bind {
namespace {

template <class T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> view(const Column<T>& a) {
    return {a.data(), a.shape(0)};
}

// Python stores a text with one, two or four bytes a letter; each is read where it lies.
template <class Stored>
void append(const void* data, Size length, Alphabet& alphabet, std::vector<Letter>& letters) {
    const auto* stored = static_cast<const Stored*>(data);
    for (Size i = 0; i < length; ++i) letters.push_back(alphabet.number_of(stored[i]));
}

void append(const nb::handle& text, Alphabet& alphabet, TextSet& to) {
    PyObject* o = text.ptr();
    if (!PyUnicode_Check(o)) throw nb::type_error("a text must be a str");
    const auto length = static_cast<Size>(PyUnicode_GET_LENGTH(o));
    const void* data = PyUnicode_DATA(o);
    switch (PyUnicode_KIND(o)) {
        case PyUnicode_1BYTE_KIND:
            append<Py_UCS1>(data, length, alphabet, to.letters);
            break;
        case PyUnicode_2BYTE_KIND:
            append<Py_UCS2>(data, length, alphabet, to.letters);
            break;
        default:
            append<Py_UCS4>(data, length, alphabet, to.letters);
            break;
    }
    to.starts.push_back(static_cast<std::int64_t>(to.letters.size()));
}

TextSet text_set(const nb::list& texts) {
    TextSet set;
    Size total = 0;
    for (const nb::handle text : texts)
        if (PyUnicode_Check(text.ptr())) total += static_cast<Size>(PyUnicode_GET_LENGTH(text.ptr()));
    set.letters.reserve(total);
    set.starts.reserve(nb::len(texts) + 1);
    Alphabet alphabet;
    for (const nb::handle text : texts) append(text, alphabet, set);
    set.alphabet = alphabet.size();
    return set;
}

TextSet two_texts(const nb::str& a, const nb::str& b) {
    TextSet set;
    Alphabet alphabet;
    append(a, alphabet, set);
    append(b, alphabet, set);
    set.alphabet = alphabet.size();
    return set;
}

Edit edit_of(int kind) {
    require(kind >= 0 && kind <= 2, "no such kind of edit distance");
    return static_cast<Edit>(kind);
}

std::int64_t py_edit_distance(const nb::str& a, const nb::str& b, int kind, std::int64_t cutoff) {
    const TextSet set = two_texts(a, b);
    const Edit edit = edit_of(kind);
    const nb::gil_scoped_release release;
    EditScratch scratch(set.alphabet);
    return edit_distance(set[0], set[1], edit, cutoff, scratch);
}

double py_weighted_distance(const nb::str& a, const nb::str& b, double insert, double remove, double substitute) {
    const TextSet set = two_texts(a, b);
    const nb::gil_scoped_release release;
    EditScratch scratch(set.alphabet);
    return weighted_distance(set[0], set[1], {insert, remove, substitute}, scratch);
}

double py_jaro(const nb::str& a, const nb::str& b, double weight, double threshold) {
    const TextSet set = two_texts(a, b);
    EditScratch scratch(set.alphabet);
    return jaro_winkler(set[0], set[1], weight, threshold, scratch);
}

// 0 keep, 1 substitute, 2 delete, 3 insert
nb::object py_edit_steps(const nb::str& a, const nb::str& b, double insert, double remove, double substitute) {
    const TextSet set = two_texts(a, b);
    std::vector<std::uint8_t> codes;
    {
        const nb::gil_scoped_release release;
        for (const EditStep step : edit_steps(set[0], set[1], {insert, remove, substitute}))
            codes.push_back(static_cast<std::uint8_t>(step));
    }
    const Size n = codes.size();
    return to_numpy(std::move(codes), {n});
}

TextPairs pairs_of(const TextSet& texts, const Column<std::int64_t>& left, const Column<std::int64_t>& right) {
    require(left.shape(0) == right.shape(0), "text pairs: sizes");
    return {texts, view(left), view(right)};
}

nb::object py_edit_distances(const TextSet& texts, const Column<std::int64_t>& left, const Column<std::int64_t>& right,
                             int kind, std::int64_t cutoff, int threads) {
    std::vector<std::int32_t> out(left.shape(0));
    {
        const nb::gil_scoped_release release;
        edit_distances(pairs_of(texts, left, right), edit_of(kind), cutoff, out, threads);
    }
    return to_numpy(std::move(out), {left.shape(0)});
}

nb::object py_weighted_distances(const TextSet& texts, const Column<std::int64_t>& left,
                                 const Column<std::int64_t>& right, double insert, double remove, double substitute,
                                 int threads) {
    std::vector<double> out(left.shape(0));
    {
        const nb::gil_scoped_release release;
        weighted_distances(pairs_of(texts, left, right), {insert, remove, substitute}, out, threads);
    }
    return to_numpy(std::move(out), {left.shape(0)});
}

nb::object py_jaro_similarities(const TextSet& texts, const Column<std::int64_t>& left,
                                const Column<std::int64_t>& right, double weight, double threshold, int threads) {
    std::vector<double> out(left.shape(0));
    {
        const nb::gil_scoped_release release;
        jaro_similarities(pairs_of(texts, left, right), weight, threshold, out, threads);
    }
    return to_numpy(std::move(out), {left.shape(0)});
}

// The first `rows` texts against the others.
nb::object py_edit_distance_table(const TextSet& texts, Size rows, int kind, int threads) {
    require(rows <= texts.size(), "edit_distance_table: rows");
    const Size cols = texts.size() - rows;
    std::unique_ptr<std::int32_t[]> out(new std::int32_t[rows * cols]);  // every cell is written: no zeros first
    {
        const nb::gil_scoped_release release;
        edit_distance_table(texts, rows, edit_of(kind), {out.get(), rows * cols}, threads);
    }
    std::int32_t* data = out.release();
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<std::int32_t*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, std::int32_t>(data, {rows, cols}, owner));
}

// (left, right, distance)
nb::tuple py_close_pairs(const TextSet& texts, const Column<std::uint8_t>& most, const Column<std::uint8_t>& side,
                         int threads) {
    std::vector<std::int64_t> left, right, distance;
    {
        const nb::gil_scoped_release release;
        for (const ClosePair& pair : close_pairs(texts, view(most), view(side), threads)) {
            left.push_back(pair.left);
            right.push_back(pair.right);
            distance.push_back(pair.distance);
        }
    }
    const Size n = left.size();
    return nb::make_tuple(to_numpy(std::move(left), {n}), to_numpy(std::move(right), {n}),
                          to_numpy(std::move(distance), {n}));
}

// (row, later row)
nb::tuple py_rows_with_shared_keys(const Column<std::int64_t>& starts, const Column<std::int32_t>& keys,
                                   const Vector& weights, Size most, int threads) {
    std::vector<std::int64_t> left, right;
    {
        const nb::gil_scoped_release release;
        const auto pairs = rows_with_shared_keys({view(starts), view(keys), span_of(weights)}, most, threads);
        left.reserve(pairs.size());
        right.reserve(pairs.size());
        for (const auto& [row, later] : pairs) {
            left.push_back(row);
            right.push_back(later);
        }
    }
    const Size n = left.size();
    return nb::make_tuple(to_numpy(std::move(left), {n}), to_numpy(std::move(right), {n}));
}

}  // namespace

void bind_distance(nb::module_& m) {
    nb::class_<TextSet>(m, "TextSet")
        .def("__init__", [](TextSet* self, const nb::list& texts) { new (self) TextSet(text_set(texts)); })
        .def("__len__", &TextSet::size);
    m.def("edit_distance", &py_edit_distance, nb::arg("a"), nb::arg("b"), nb::arg("kind"),
          nb::arg("cutoff") = kNoCutoff);
    m.def("weighted_distance", &py_weighted_distance, nb::arg("a"), nb::arg("b"), nb::arg("insert"), nb::arg("delete"),
          nb::arg("substitute"));
    m.def("jaro", &py_jaro, nb::arg("a"), nb::arg("b"), nb::arg("weight"), nb::arg("threshold"));
    m.def("edit_steps", &py_edit_steps, nb::arg("a"), nb::arg("b"), nb::arg("insert"), nb::arg("delete"),
          nb::arg("substitute"));
    m.def("edit_distances", &py_edit_distances, nb::arg("texts"), nb::arg("left").noconvert(),
          nb::arg("right").noconvert(), nb::arg("kind"), nb::arg("cutoff"), nb::arg("threads"));
    m.def("weighted_distances", &py_weighted_distances, nb::arg("texts"), nb::arg("left").noconvert(),
          nb::arg("right").noconvert(), nb::arg("insert"), nb::arg("delete"), nb::arg("substitute"),
          nb::arg("threads"));
    m.def("jaro_similarities", &py_jaro_similarities, nb::arg("texts"), nb::arg("left").noconvert(),
          nb::arg("right").noconvert(), nb::arg("weight"), nb::arg("threshold"), nb::arg("threads"));
    m.def("edit_distance_table", &py_edit_distance_table, nb::arg("texts"), nb::arg("rows"), nb::arg("kind"),
          nb::arg("threads"));
    m.def("rows_with_shared_keys", &py_rows_with_shared_keys, nb::arg("starts").noconvert(),
          nb::arg("keys").noconvert(), nb::arg("weights").noconvert(), nb::arg("most"), nb::arg("threads"));
    m.def("close_pairs", &py_close_pairs, nb::arg("texts"), nb::arg("most").noconvert(), nb::arg("side").noconvert(),
          nb::arg("threads"));
}

}  // namespace pellucid::bind
