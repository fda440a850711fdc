#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "bind/arrays.hpp"
#include "core/base/pool.hpp"
#include "core/quality/arrow.hpp"
#include "core/quality/codes.hpp"
#include "core/quality/groups.hpp"
#include "core/quality/rows.hpp"

namespace pellucid::bind {
namespace {

using namespace pellucid::quality;

using AnyArray = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;
using Mask = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Floats = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Whole = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Codes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// ------------------------------------------------------------------------------------------------------------ numbers

Stored stored_as(const nb::dlpack::dtype& type) {
    if (type == nb::dtype<double>()) return Stored::f64;
    if (type == nb::dtype<float>()) return Stored::f32;
    if (type == nb::dtype<std::int64_t>()) return Stored::i64;
    if (type == nb::dtype<std::int32_t>()) return Stored::i32;
    if (type == nb::dtype<std::int16_t>()) return Stored::i16;
    if (type == nb::dtype<std::int8_t>()) return Stored::i8;
    if (type == nb::dtype<std::uint64_t>()) return Stored::u64;
    if (type == nb::dtype<std::uint32_t>()) return Stored::u32;
    if (type == nb::dtype<std::uint16_t>()) return Stored::u16;
    require(type == nb::dtype<std::uint8_t>(), "quality: a column of numbers");
    return Stored::u8;
}

// A column as Python hands it over: its numbers, where it is missing (or None), and whether the numbers are times.
struct NumberColumn {
    AnyArray values;
    std::optional<Mask> missing;
    AnyColumn view;
};

void fill(NumberColumn& column, const AnyArray& values, const std::optional<Mask>& missing, bool times) {
    column.values = values;
    column.missing = missing;
    require(!missing || missing->shape(0) == values.shape(0), "quality: a flag a row");
    const auto* flags = missing ? reinterpret_cast<const std::uint8_t*>(missing->data()) : nullptr;
    column.view = {values.data(), values.shape(0), values.stride(0), stored_as(values.dtype()), flags, times};
}

std::vector<AnyColumn> views_of(const nb::list& columns) {
    std::vector<AnyColumn> found;
    for (const nb::handle column : columns) found.push_back(nb::cast<const NumberColumn&>(column).view);
    for (const AnyColumn& column : found) require(column.rows == found[0].rows, "quality: columns of one length");
    return found;
}

nb::object values_of(const std::vector<Key>& keys, Domain domain) {
    return visit_domain(domain, [&](auto as) {
        using V = decltype(as);
        const Size n = keys.size();
        std::vector<V> values(n);
        for (Size i = 0; i < n; ++i) values[i] = value_of<V>(keys[i]);
        return to_numpy(std::move(values), {n});
    });
}

template <class T>
nb::object array_of(std::vector<T> values) {
    const Size n = values.size();
    return to_numpy(std::move(values), {n});
}

nb::dict dict_of(NumberFigures f) {
    nb::dict d;
    const auto three = [](const std::array<double, 3>& q) { return nb::make_tuple(q[0], q[1], q[2]); };
    d["missing"] = f.others.missing;
    d["infinite"] = nb::make_tuple(f.others.minus_infinity, f.others.plus_infinity);
    d["count"] = f.count;
    d["distinct"] = f.distinct;
    d["whole"] = f.whole;
    d["ends"] = f.count == 0 ? values_of({}, f.domain) : values_of({f.low, f.high}, f.domain);
    d["mean"] = f.mean;
    d["squares"] = f.squares;
    d["cubes"] = f.cubes;
    d["exponent"] = f.exponent;
    d["linear"] = three(f.linear);
    d["halves"] = three(f.halves);
    d["halves_with_median"] = three(f.halves_with_median);
    d["fences"] = nb::make_tuple(f.fences[0], f.fences[1]);
    d["outside"] = nb::make_tuple(f.below, f.above);
    d["n_modes"] = f.modes;
    d["mode_count"] = f.mode_count;
    d["modes"] = values_of(f.first_modes, f.domain);
    d["top"] = values_of(f.top, f.domain);
    d["top_counts"] = array_of(std::move(f.top_counts));
    d["edges"] = array_of(std::move(f.edges));
    d["bins"] = array_of(std::move(f.bins));
    return d;
}

nb::list py_number_figures(const nb::list& columns, Size top, Size bins, int threads) {
    const std::vector<AnyColumn> views = views_of(columns);
    std::vector<NumberFigures> found;
    {
        const nb::gil_scoped_release release;
        found = number_figures(views, {top, 10, bins}, threads);
    }
    nb::list result;
    for (NumberFigures& figures : found) result.append(dict_of(std::move(figures)));
    return result;
}

// For each column (figures, distinct values, how often each, a code a row, places of the values in ascending order).
nb::list py_code_numbers(const nb::list& columns, Size top, Size bins, int threads) {
    const std::vector<AnyColumn> views = views_of(columns);
    std::vector<CodedNumbers> found;
    {
        const nb::gil_scoped_release release;
        found = code_numbers(views, {top, 10, bins}, threads);
    }
    nb::list result;
    for (CodedNumbers& one : found)
        result.append(nb::make_tuple(dict_of(std::move(one.figures)), values_of(one.values, one.domain),
                                     array_of(std::move(one.counts)), array_of(std::move(one.codes)),
                                     array_of(std::move(one.order))));
    return result;
}

// (distinct finite values in order, how often each, missing, -inf, inf)
nb::tuple py_sorted_runs(const NumberColumn& column) {
    SortSpace space;
    Others others;
    Runs runs;
    std::vector<Key> keys;
    std::vector<std::int64_t> counts;
    {
        const nb::gil_scoped_release release;
        runs = sorted_runs(column.view, space, others);
        keys.assign(runs.keys.begin(), runs.keys.end());
        counts = counts_of(runs);
    }
    return nb::make_tuple(values_of(keys, runs.domain), array_of(std::move(counts)), others.missing,
                          others.minus_infinity, others.plus_infinity);
}

nb::dict py_run_figures(const NumberColumn& values, const Whole& counts, Size top, Size bins) {
    NumberFigures found;
    {
        const nb::gil_scoped_release release;
        std::vector<Key> keys;
        each_key(values.view, 0, values.view.rows, [&](Size, Key key) { keys.push_back(key); }, [](Size) {});
        require(keys.size() == counts.shape(0), "run_figures: a count a value");
        std::vector<std::int64_t> upto(keys.size());
        std::int64_t sum = 0;
        for (Size i = 0; i < upto.size(); ++i) upto[i] = sum += counts.data()[i];
        found = run_figures({domain_of(values.view.stored), keys, upto}, {top, 10, bins});
    }
    return dict_of(std::move(found));
}

nb::object py_hash_rows(const nb::list& columns, int threads) {
    const std::vector<AnyColumn> views = views_of(columns);
    std::vector<std::uint64_t> hashes;
    {
        const nb::gil_scoped_release release;
        hashes = hash_rows(views, threads);
    }
    return array_of(std::move(hashes));
}

nb::object py_first_equal_rows(const nb::list& columns, int threads) {
    const std::vector<AnyColumn> views = views_of(columns);
    std::vector<std::int64_t> first;
    {
        const nb::gil_scoped_release release;
        first = first_equal_rows(views, threads);
    }
    return array_of(std::move(first));
}

// -------------------------------------------------------------------------------------------------------------- texts

// (distinct texts, how often each, a code a row, hashes of the distinct texts)
nb::tuple texts_of(CodedTexts found) {
    nb::list values;
    for (const std::string_view text : found.values) {
        PyObject* made = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogatepass");
        if (made == nullptr) throw nb::python_error();
        values.append(nb::steal(made));
    }
    return nb::make_tuple(values, array_of(std::move(found.counts)), array_of(std::move(found.codes)),
                          array_of(std::move(found.hashes)));
}

// All chunks of a stream, for as long as their texts are looked at.
class Chunks {
  public:
    Chunks() = default;
    Chunks(const Chunks&) = delete;
    Chunks& operator=(const Chunks&) = delete;
    ~Chunks() {
        for (ArrowArray& array : arrays)
            if (array.release != nullptr) array.release(&array);
        if (schema.release != nullptr) schema.release(&schema);
    }

    // False if the stream fails or holds no texts.
    bool read(ArrowArrayStream& stream) {
        if (stream.get_schema(&stream, &schema) != 0 || !holds_texts(schema)) return false;
        for (;;) {
            ArrowArray next{};
            if (stream.get_next(&stream, &next) != 0) return false;
            if (next.release == nullptr) return true;
            arrays.push_back(next);
            rows += static_cast<Size>(next.length);
        }
    }

    CodedTexts code() const {
        TextCoder coder(rows);
        for (const ArrowArray& array : arrays) code_chunk(array, schema, coder);
        return coder.take();
    }

    ArrowSchema schema{};
    std::vector<ArrowArray> arrays;
    Size rows = 0;
};

// For each capsule of an Arrow stream what texts_of says, or None if there are no texts in it.
nb::list py_code_streams(const nb::list& capsules, int threads) {
    std::vector<std::unique_ptr<Chunks>> columns;
    for (const nb::handle capsule : capsules) {
        void* held = PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream");
        if (held == nullptr) throw nb::python_error();
        columns.push_back(std::make_unique<Chunks>());
        if (!columns.back()->read(*static_cast<ArrowArrayStream*>(held))) columns.back().reset();
    }
    std::vector<CodedTexts> found(columns.size());
    {
        const nb::gil_scoped_release release;
        parallel_for(columns.size(), threads, [&](Size j) {
            if (columns[j]) found[j] = columns[j]->code();
        });
    }
    nb::list result;
    for (Size j = 0; j < columns.size(); ++j)
        result.append(columns[j] ? nb::object(texts_of(std::move(found[j]))) : nb::none());
    return result;
}

bool is_gone(PyObject* cell) {
    return cell == Py_None || (PyFloat_Check(cell) && PyFloat_AS_DOUBLE(cell) != PyFloat_AS_DOUBLE(cell)) ||
           std::string_view(Py_TYPE(cell)->tp_name).ends_with("NAType");
}

// The same for a list of str (and None, NaN, NA); None if it holds anything else. The texts belong to Python, so the
// rows are gone through here.
nb::object py_code_strings(const nb::list& cells) {
    const Size rows = cells.size();
    TextCoder coder(rows);
    for (Size r = 0; r < rows; ++r) {
        PyObject* cell = PyList_GET_ITEM(cells.ptr(), static_cast<Py_ssize_t>(r));
        if (!PyUnicode_CheckExact(cell)) {
            if (!is_gone(cell)) return nb::none();
            coder.add_missing();
            continue;
        }
        Py_ssize_t size = 0;
        const char* text = PyUnicode_AsUTF8AndSize(cell, &size);
        if (text == nullptr) {  // half of a pair of surrogates has no UTF-8
            PyErr_Clear();
            return nb::none();
        }
        coder.add({text, static_cast<Size>(size)});
    }
    return texts_of(coder.take());
}

nb::object py_hash_strings(const nb::list& texts) {
    std::vector<std::uint64_t> hashes;
    for (const nb::handle text : texts) {
        const nb::bytes utf8(nb::steal<nb::bytes>(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogatepass")));
        hashes.push_back(hash_text({utf8.c_str(), utf8.size()}));
    }
    return array_of(std::move(hashes));
}

// ------------------------------------------------------------------------------------------------------------- groups

nb::tuple py_group_squares(const nb::list& codes, const std::vector<Size>& levels, const nb::list& columns,
                           int threads) {
    std::vector<std::span<const std::int32_t>> groups;
    std::vector<std::span<const double>> numbers;
    for (const nb::handle one : codes) {
        const auto array = nb::cast<Codes>(one);
        groups.emplace_back(array.data(), array.shape(0));
    }
    for (const nb::handle one : columns) {
        const auto array = nb::cast<Floats>(one);
        numbers.emplace_back(array.data(), array.shape(0));
    }
    GroupSquares found;
    {
        const nb::gil_scoped_release release;
        found = group_squares(groups, levels, numbers, threads);
    }
    const Size a = groups.size(), b = numbers.size();
    return nb::make_tuple(to_numpy(std::move(found.between), {a, b}), to_numpy(std::move(found.total), {a, b}));
}

}  // namespace

void bind_quality(nb::module_& m) {
    nb::class_<NumberColumn>(m, "NumberColumn")
        .def(
            "__init__",
            [](NumberColumn* self, const AnyArray& values, const std::optional<Mask>& missing, bool times) {
                new (self) NumberColumn();
                fill(*self, values, missing, times);
            },
            nb::arg("values").noconvert(), nb::arg("missing").noconvert().none() = nb::none(),
            nb::arg("times") = false);
    m.def("number_figures", &py_number_figures, nb::arg("columns"), nb::arg("top"), nb::arg("bins"),
          nb::arg("threads"));
    m.def("code_numbers", &py_code_numbers, nb::arg("columns"), nb::arg("top"), nb::arg("bins"), nb::arg("threads"));
    m.def("sorted_runs", &py_sorted_runs, nb::arg("column"));
    m.def("run_figures", &py_run_figures, nb::arg("values"), nb::arg("counts").noconvert(), nb::arg("top"),
          nb::arg("bins"));
    m.def("hash_rows", &py_hash_rows, nb::arg("columns"), nb::arg("threads"));
    m.def("first_equal_rows", &py_first_equal_rows, nb::arg("columns"), nb::arg("threads"));
    m.def("code_streams", &py_code_streams, nb::arg("capsules"), nb::arg("threads"));
    m.def("code_strings", &py_code_strings, nb::arg("cells"));
    m.def("hash_strings", &py_hash_strings, nb::arg("texts"));
    m.def("group_squares", &py_group_squares, nb::arg("codes"), nb::arg("levels"), nb::arg("columns"),
          nb::arg("threads"));
}

}  // namespace pellucid::bind
