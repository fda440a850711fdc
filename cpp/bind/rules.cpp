#include "bind/arrays.hpp"
#include "core/rules/match.hpp"
#include "core/rules/one_r.hpp"
#include "core/rules/prism.hpp"

namespace pellucid::bind {
namespace {

template <class T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Block = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> span_of(const Column<T>& column) {
    return {column.data(), column.shape(0)};
}
template <class T>
std::span<const T> span_of(const Block<T>& block) {
    return {block.data(), block.size()};
}

// ------------------------------------------------------------------------------------------------------------ matching

// The arrays of a program, kept alive.
struct BoundProgram {
    Column<std::int32_t> feature;
    Column<double> low, high;
    Column<std::uint8_t> flags;
    Column<std::int64_t> table_start;
    Column<std::uint32_t> table;
    Column<std::int32_t> steps;
    Column<std::int64_t> starts;

    rules::Program view() const {
        return {span_of(feature),     span_of(low),   span_of(high),  span_of(flags),
                span_of(table_start), span_of(table), span_of(steps), span_of(starts)};
    }
};

nb::object py_rule_bits(const BoundMatrix& x, const BoundProgram& program, int threads) {
    std::vector<std::uint64_t> bits;
    {
        const nb::gil_scoped_release release;
        bits = rules::rule_bits(x.view, program.view(), threads);
    }
    return to_numpy(std::move(bits), {program.view().rules(), rules::words_of(rows_of(x.view))});
}

nb::object py_first_rule(const BoundMatrix& x, const BoundProgram& program, const Column<std::int32_t>& labels,
                         const Block<std::uint8_t>& allowed, int threads) {
    std::vector<std::int32_t> first;
    {
        const nb::gil_scoped_release release;
        const rules::Allowed which{span_of(labels), span_of(allowed), allowed.shape(1)};
        first = rules::first_rule(x.view, program.view(), which, threads);
    }
    return to_numpy(std::move(first), {rows_of(x.view)});
}

nb::object py_rule_votes(const BoundMatrix& x, const BoundProgram& program, const Column<std::int32_t>& labels,
                         const Column<double>& weight, Size classes, int threads) {
    std::vector<double> votes;
    {
        const nb::gil_scoped_release release;
        votes = rules::rule_votes(x.view, program.view(), span_of(labels), span_of(weight), classes, threads);
    }
    return to_numpy(std::move(votes), {rows_of(x.view), classes});
}

// starts and rules: those that fire for row r are rules[starts[r] : starts[r + 1]].
nb::tuple py_fired_rules(const BoundMatrix& x, const BoundProgram& program, int threads) {
    rules::Fired found;
    {
        const nb::gil_scoped_release release;
        found = rules::fired_rules(x.view, program.view(), threads);
    }
    const Size n = found.starts.size(), m = found.rules.size();
    return nb::make_tuple(to_numpy(std::move(found.starts), {n}), to_numpy(std::move(found.rules), {m}));
}

nb::object py_rule_counts(const Block<std::uint64_t>& bits, const Column<std::int32_t>& codes,
                          const Column<double>& weight, Size classes, int threads) {
    std::vector<double> counts;
    {
        const nb::gil_scoped_release release;
        counts = rules::rule_counts(span_of(bits), span_of(codes), span_of(weight), classes, threads);
    }
    return to_numpy(std::move(counts), {bits.shape(0), classes});
}

// k x 3: two rules of different labels, and for how many rows both fire.
nb::object py_rule_conflicts(const Block<std::uint64_t>& bits, const Column<std::int32_t>& labels, int threads) {
    std::vector<rules::Overlap> found;
    {
        const nb::gil_scoped_release release;
        found = rules::rule_conflicts(span_of(bits), bits.shape(1), span_of(labels), threads);
    }
    std::vector<std::int64_t> flat;
    for (const rules::Overlap& one : found) flat.insert(flat.end(), {one.rule, one.other, one.rows});
    return to_numpy(std::move(flat), {found.size(), 3});
}

// ------------------------------------------------------------------------------------------------------------ learning

nb::list py_one_r_buckets(const BoundMatrix& x, const Column<std::int32_t>& columns, const Column<std::int32_t>& codes,
                          const Column<double>& weight, Size classes, double least, int threads) {
    std::vector<rules::Buckets> found;
    {
        const nb::gil_scoped_release release;
        found =
            rules::one_r_buckets(x.view, span_of(columns), {span_of(codes), span_of(weight), classes}, least, threads);
    }
    nb::list out;
    for (rules::Buckets& one : found) {
        const Size cuts = one.cuts.size(), buckets = one.counts.size() / classes;
        out.append(
            nb::make_tuple(to_numpy(std::move(one.cuts), {cuts}), to_numpy(std::move(one.counts), {buckets, classes})));
    }
    return out;
}

// codes: columns x rows. Returns labels, starts, and feature, code, right, covered of every condition.
nb::tuple py_prism(const Block<std::int32_t>& codes, const Column<std::int64_t>& sizes,
                   const Column<std::int32_t>& labels, const Column<std::int64_t>& weight, Size classes,
                   double accuracy, std::int64_t least, Size conditions, int threads) {
    rules::PrismRules found;
    {
        const nb::gil_scoped_release release;
        found = rules::prism({span_of(codes), span_of(sizes), span_of(labels), span_of(weight), classes},
                             {accuracy, least, conditions}, threads);
    }
    const Size n = found.label.size(), m = found.feature.size();
    return nb::make_tuple(to_numpy(std::move(found.label), {n}), to_numpy(std::move(found.starts), {n + 1}),
                          to_numpy(std::move(found.feature), {m}), to_numpy(std::move(found.code), {m}),
                          to_numpy(std::move(found.right), {m}), to_numpy(std::move(found.covered), {m}));
}

}  // namespace

void bind_rules(nb::module_& m) {
    nb::class_<BoundProgram>(m, "RuleProgram")
        .def(
            "__init__",
            [](BoundProgram* self, const Column<std::int32_t>& feature, const Column<double>& low,
               const Column<double>& high, const Column<std::uint8_t>& flags, const Column<std::int64_t>& table_start,
               const Column<std::uint32_t>& table, const Column<std::int32_t>& steps,
               const Column<std::int64_t>& starts) {
                new (self) BoundProgram{feature, low, high, flags, table_start, table, steps, starts};
            },
            nb::arg("feature").noconvert(), nb::arg("low").noconvert(), nb::arg("high").noconvert(),
            nb::arg("flags").noconvert(), nb::arg("table_start").noconvert(), nb::arg("table").noconvert(),
            nb::arg("steps").noconvert(), nb::arg("starts").noconvert());
    m.def("rule_bits", &py_rule_bits, nb::arg("x"), nb::arg("program"), nb::arg("threads"));
    m.def("first_rule", &py_first_rule, nb::arg("x"), nb::arg("program"), nb::arg("labels").noconvert(),
          nb::arg("allowed").noconvert(), nb::arg("threads"));
    m.def("rule_votes", &py_rule_votes, nb::arg("x"), nb::arg("program"), nb::arg("labels").noconvert(),
          nb::arg("weight").noconvert(), nb::arg("classes"), nb::arg("threads"));
    m.def("fired_rules", &py_fired_rules, nb::arg("x"), nb::arg("program"), nb::arg("threads"));
    m.def("rule_counts", &py_rule_counts, nb::arg("bits").noconvert(), nb::arg("codes").noconvert(),
          nb::arg("weight").noconvert(), nb::arg("classes"), nb::arg("threads"));
    m.def("rule_conflicts", &py_rule_conflicts, nb::arg("bits").noconvert(), nb::arg("labels").noconvert(),
          nb::arg("threads"));
    m.def("one_r_buckets", &py_one_r_buckets, nb::arg("x"), nb::arg("columns").noconvert(),
          nb::arg("codes").noconvert(), nb::arg("weight").noconvert(), nb::arg("classes"), nb::arg("least"),
          nb::arg("threads"));
    m.def("prism", &py_prism, nb::arg("codes").noconvert(), nb::arg("sizes").noconvert(), nb::arg("labels").noconvert(),
          nb::arg("weight").noconvert(), nb::arg("classes"), nb::arg("accuracy"), nb::arg("least"),
          nb::arg("conditions"), nb::arg("threads"));
}

}  // namespace pellucid::bind
