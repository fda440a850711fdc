// Baskets: frequent sets of items, and rules between them.
#include "bind/arrays.hpp"
#include "core/itemsets/apriori.hpp"
#include "core/itemsets/baskets.hpp"
#include "core/itemsets/eclat.hpp"
#include "core/itemsets/rules.hpp"

namespace pellucid::bind {
namespace {

using Starts = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Codes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using CodeRows = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

itemsets::Baskets baskets_of(const Starts& starts, const Codes& codes, Size items) {
    return {{starts.data(), starts.shape(0)}, {codes.data(), codes.shape(0)}, items};
}

nb::tuple py_tidy_baskets(const Starts& starts, const Codes& codes, Size items) {
    itemsets::Tidy found;
    {
        const nb::gil_scoped_release release;
        found = itemsets::tidied(baskets_of(starts, codes, items));
    }
    const Size n = found.starts.size(), m = found.codes.size();
    return nb::make_tuple(to_numpy(std::move(found.starts), {n}), to_numpy(std::move(found.codes), {m}));
}

// ------------------------------------------------------------------------------------------------------------ coding

// Python's own objects can be read here alone: items get codes in the order in which they first occur.
class Coder {
  public:
    // False where a basket is a text or no collection at all.
    bool add_basket(nb::handle basket) {
        if (PyUnicode_Check(basket.ptr()) || PyBytes_Check(basket.ptr())) return false;
        if (PyList_CheckExact(basket.ptr()) || PyTuple_CheckExact(basket.ptr())) {
            const Py_ssize_t n = PySequence_Fast_GET_SIZE(basket.ptr());
            for (Py_ssize_t k = 0; k < n; ++k) add(PySequence_Fast_GET_ITEM(basket.ptr(), k));
        } else {
            const nb::object walk = nb::steal(PyObject_GetIter(basket.ptr()));
            if (!walk.is_valid()) {
                PyErr_Clear();
                return false;
            }
            while (PyObject* item = PyIter_Next(walk.ptr())) add(nb::steal(item).ptr());
            if (PyErr_Occurred()) nb::raise_python_error();
        }
        starts.push_back(static_cast<std::int64_t>(codes.size()));
        return true;
    }
    std::vector<std::int64_t> starts{0};
    std::vector<std::int32_t> codes;
    nb::list items;

  private:
    void add(PyObject* item) {
        PyObject* known = PyDict_GetItemWithError(of_.ptr(), item);
        if (known == nullptr) {
            if (PyErr_Occurred()) nb::raise_python_error();
            codes.push_back(static_cast<std::int32_t>(nb::len(items)));
            const nb::object code = nb::steal(PyLong_FromSize_t(nb::len(items)));
            if (PyDict_SetItem(of_.ptr(), item, code.ptr()) != 0) nb::raise_python_error();
            items.append(nb::borrow(item));
        } else {
            codes.push_back(static_cast<std::int32_t>(PyLong_AsLong(known)));
        }
    }
    nb::dict of_;
};

// starts, codes and the items; of a basket that is no collection of items its place alone.
nb::object py_code_baskets(nb::handle baskets) {
    Coder coder;
    Py_ssize_t place = 0;
    const nb::object walk = nb::steal(PyObject_GetIter(baskets.ptr()));
    if (!walk.is_valid()) nb::raise_python_error();
    while (PyObject* next = PyIter_Next(walk.ptr())) {
        const nb::object basket = nb::steal(next);
        if (!coder.add_basket(basket)) return nb::cast(place);
        if ((++place & 0xffff) == 0 && PyErr_CheckSignals() != 0) nb::raise_python_error();
    }
    if (PyErr_Occurred()) nb::raise_python_error();
    const Size n = coder.starts.size(), m = coder.codes.size();
    return nb::make_tuple(to_numpy(std::move(coder.starts), {n}), to_numpy(std::move(coder.codes), {m}), coder.items);
}

// starts, codes, the items as bytes, and how many places between delimiters were empty.
nb::tuple py_code_lines(const nb::bytes& text, char delimiter) {
    itemsets::Lines found;
    {
        const nb::gil_scoped_release release;
        found = itemsets::coded_lines({text.c_str(), text.size()}, delimiter);
    }
    nb::list items;
    for (const std::string_view item : found.items) items.append(nb::bytes(item.data(), item.size()));
    const Size n = found.starts.size(), m = found.codes.size();
    return nb::make_tuple(to_numpy(std::move(found.starts), {n}), to_numpy(std::move(found.codes), {m}), items,
                          found.empty);
}

// ------------------------------------------------------------------------------------------------------------- mining

// A list of (codes: sets x length, counts), one a length; None if there are too many.
nb::object levels_of(itemsets::Found found) {
    if (!found.complete) return nb::none();
    nb::list out;
    for (Size k = 0; k < found.levels.size(); ++k) {
        itemsets::Found::Level& level = found.levels[k];
        const Size n = level.counts.size();
        out.append(
            nb::make_tuple(to_numpy(std::move(level.codes), {n, k + 1}), to_numpy(std::move(level.counts), {n})));
    }
    return out;
}

nb::object py_frequent_sets(const Starts& starts, const Codes& codes, Size items, std::uint32_t least, Size longest,
                            std::uint64_t most, int threads) {
    itemsets::Found found;
    {
        const nb::gil_scoped_release release;
        found = itemsets::frequent_sets(baskets_of(starts, codes, items), {least, longest, most}, threads);
    }
    return levels_of(std::move(found));
}

nb::object py_closed_sets(const Starts& starts, const Codes& codes, Size items, std::uint32_t least, Size longest,
                          std::uint64_t most, bool maximal, int threads) {
    itemsets::Found found;
    {
        const nb::gil_scoped_release release;
        const itemsets::Keep keep = maximal ? itemsets::Keep::maximal : itemsets::Keep::closed;
        found = itemsets::closed_sets(baskets_of(starts, codes, items), {least, longest, most}, keep, threads);
    }
    return levels_of(std::move(found));
}

// The memory of a one-dimensional NumPy array of objects, to be written to.
class ObjectArray {
  public:
    explicit ObjectArray(const nb::object& array) {
        if (PyObject_GetBuffer(array.ptr(), &view_, PyBUF_CONTIG | PyBUF_FORMAT) != 0) nb::raise_python_error();
        objects_ = view_.format != nullptr && view_.format[0] == 'O' && view_.itemsize == sizeof(PyObject*);
    }
    ObjectArray(const ObjectArray&) = delete;
    ObjectArray& operator=(const ObjectArray&) = delete;
    ~ObjectArray() { PyBuffer_Release(&view_); }

    bool holds(Size count) const { return objects_ && view_.len == static_cast<Py_ssize_t>(count * sizeof(PyObject*)); }
    // Takes over the reference.
    void set(Size place, PyObject* one) {
        PyObject*& slot = static_cast<PyObject**>(view_.buf)[place];
        PyObject* before = slot;
        slot = one;
        Py_XDECREF(before);
    }

  private:
    Py_buffer view_{};
    bool objects_ = false;
};

// Rows of codes as tuples of names, into an array of objects (a list that NumPy would then read takes a third longer in
// all). Tuples of plain values can be part of no cycle: the collector of garbage, which would look at each of them
// again and again, does not have to know them.
void py_item_tuples(const CodeRows& codes, const nb::list& names, const nb::object& out) {
    bool plain = true;
    for (nb::handle name : names) plain = plain && (PyUnicode_CheckExact(name.ptr()) || PyLong_CheckExact(name.ptr()));
    const Size n = codes.shape(0), length = codes.shape(1), known = names.size();
    ObjectArray array(out);
    require(array.holds(n), "item_tuples: sizes");
    require(std::all_of(codes.data(), codes.data() + n * length,
                        [=](std::int32_t code) { return code >= 0 && static_cast<Size>(code) < known; }),
            "item_tuples: codes");
    for (Size k = 0; k < n; ++k) {
        PyObject* one = PyTuple_New(static_cast<Py_ssize_t>(length));
        if (one == nullptr) nb::raise_python_error();
        for (Size j = 0; j < length; ++j) {
            PyObject* name = PyList_GET_ITEM(names.ptr(), codes.data()[k * length + j]);
            Py_INCREF(name);
            PyTuple_SET_ITEM(one, static_cast<Py_ssize_t>(j), name);
        }
        if (plain && length > 0) PyObject_GC_UnTrack(one);
        array.set(k, one);
    }
}

// Levels as above; joined, pruned and frequent of each length; candidates with length, left, right, without, count.
nb::tuple py_apriori_sets(const Starts& starts, const Codes& codes, Size items, std::uint32_t least, Size longest,
                          std::uint64_t most, bool record, int threads) {
    itemsets::AprioriResult found;
    {
        const nb::gil_scoped_release release;
        found = itemsets::apriori(baskets_of(starts, codes, items), {least, longest, most}, record, threads);
    }
    std::vector<std::int64_t> counts, candidates;
    for (const itemsets::LevelCount& one : found.levels)
        counts.insert(counts.end(), {one.joined, one.pruned, one.frequent});
    for (const itemsets::Candidate& one : found.candidates)
        candidates.insert(candidates.end(), {one.length, one.left, one.right, one.without, one.count});
    const Size levels = found.levels.size(), tried = found.candidates.size();
    return nb::make_tuple(levels_of(std::move(found.found)), to_numpy(std::move(counts), {levels, 3}),
                          to_numpy(std::move(candidates), {tried, 5}));
}

// Rules x 3: places of the whole set, the antecedent and the consequent; None if there are too many.
nb::object py_rules_of_sets(const nb::list& levels, const Starts& counts, double least, Size longest,
                            std::uint64_t most, int threads) {
    std::vector<CodeRows> held;
    itemsets::Levels view;
    for (nb::handle one : levels) {
        held.push_back(nb::cast<CodeRows>(one));
        view.codes.emplace_back(held.back().data(), held.back().size());
    }
    view.counts = {counts.data(), counts.shape(0)};
    itemsets::FoundRules found;
    {
        const nb::gil_scoped_release release;
        found = itemsets::rules_of(view, {least, longest, most}, threads);
    }
    if (!found.complete) return nb::none();
    const Size n = found.places.size() / 3;
    return to_numpy(std::move(found.places), {n, 3});
}

}  // namespace

void bind_association(nb::module_& m) {
    m.def("code_baskets", &py_code_baskets, nb::arg("baskets"));
    m.def("code_lines", &py_code_lines, nb::arg("text"), nb::arg("delimiter"));
    m.def("tidy_baskets", &py_tidy_baskets, nb::arg("starts").noconvert(), nb::arg("codes").noconvert(),
          nb::arg("items"));
    m.def("frequent_sets", &py_frequent_sets, nb::arg("starts").noconvert(), nb::arg("codes").noconvert(),
          nb::arg("items"), nb::arg("least"), nb::arg("longest"), nb::arg("most"), nb::arg("threads"));
    m.def("closed_sets", &py_closed_sets, nb::arg("starts").noconvert(), nb::arg("codes").noconvert(), nb::arg("items"),
          nb::arg("least"), nb::arg("longest"), nb::arg("most"), nb::arg("maximal"), nb::arg("threads"));
    m.def("apriori_sets", &py_apriori_sets, nb::arg("starts").noconvert(), nb::arg("codes").noconvert(),
          nb::arg("items"), nb::arg("least"), nb::arg("longest"), nb::arg("most"), nb::arg("record"),
          nb::arg("threads"));
    m.def("item_tuples", &py_item_tuples, nb::arg("codes").noconvert(), nb::arg("names"), nb::arg("out"));
    m.def("rules_of_sets", &py_rules_of_sets, nb::arg("levels"), nb::arg("counts").noconvert(), nb::arg("least"),
          nb::arg("longest"), nb::arg("most"), nb::arg("threads"));
}

}  // namespace pellucid::bind
