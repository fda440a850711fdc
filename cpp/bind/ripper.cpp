#include "core/rules/ripper.hpp"

#include "bind/arrays.hpp"

namespace pellucid::bind {
namespace {

using namespace pellucid::rules;

template <class T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> view(const Column<T>& a) {
    return {a.data(), a.shape(0)};
}

template <class F>
auto with_dense(const Matrix& x, F&& f) {
    if (const auto* wide = std::get_if<Dense<double>>(&x)) return f(*wide);
    const auto* single = std::get_if<Dense<float>>(&x);
    require(single != nullptr, "ripper: a dense table");
    return f(*single);
}

// Tests of all rules one after the other: starts, columns, signs, values; the class and the counts of each rule.
nb::dict as_dict(const RipperRules& found, const CodedTable& table) {
    std::vector<std::int64_t> starts{0};
    std::vector<std::int32_t> columns, places;
    std::vector<std::uint8_t> signs;
    std::vector<double> values, counts;
    for (const RipperRule& rule : found.rules) {
        for (const RankTest test : rule.tests) {
            columns.push_back(test.column);
            signs.push_back(static_cast<std::uint8_t>(test.sign));
            values.push_back(table.values[static_cast<Size>(test.column)][static_cast<Size>(test.rank)]);
        }
        starts.push_back(static_cast<std::int64_t>(columns.size()));
        places.push_back(rule.place);
        counts.insert(counts.end(), rule.counts.begin(), rule.counts.end());
    }
    counts.insert(counts.end(), found.left.begin(), found.left.end());
    const Size rules = found.rules.size(), tests = columns.size();
    nb::dict out;
    out["start"] = to_numpy(std::move(starts), {rules + 1});
    out["column"] = to_numpy(std::move(columns), {tests});
    out["sign"] = to_numpy(std::move(signs), {tests});
    out["value"] = to_numpy(std::move(values), {tests});
    out["place"] = to_numpy(std::move(places), {rules});
    out["counts"] = to_numpy(std::move(counts), {rules + 1, table.classes});
    return out;
}

// (rules, record): place is each row's class by its place in the order of the classes.
nb::tuple py_ripper(const BoundMatrix& x, const Column<std::uint8_t>& is_category, const Column<std::int32_t>& place,
                    const Column<double>& weight, Size classes, const RipperSettings& settings, bool record) {
    const Size n = rows_of(x.view);
    require(place.shape(0) == n && weight.shape(0) == n && is_category.shape(0) == cols_of(x.view), "ripper: sizes");
    CodedTable table;
    RipperRules found;
    Record tables;
    {
        const nb::gil_scoped_release release;
        table = with_dense(x.view, [&](const auto& dense) {
            return code_table(dense, view(is_category), view(place), view(weight), classes, settings.threads);
        });
        NoTrace none;
        found = record ? ripper(table, settings, tables) : ripper(table, settings, none);
    }
    return nb::make_tuple(as_dict(found, table), record ? nb::object(to_dict(tables)) : nb::none());
}

// The keys by which a split of a fit takes its rows.
nb::object py_ripper_keys(const BoundMatrix& x, const Column<double>& weight, std::uint64_t seed, std::uint64_t split) {
    require(weight.shape(0) == rows_of(x.view), "ripper: sizes");
    std::vector<std::uint64_t> keys =
        with_dense(x.view, [&](const auto& dense) { return row_hashes(dense, view(weight), 1); });
    const SplitKeys key(seed, split);
    for (std::uint64_t& one : keys) one = key(one);
    const Size n = keys.size();
    return to_numpy(std::move(keys), {n});
}

}  // namespace

void bind_ripper(nb::module_& m) {
    nb::class_<RipperSettings>(m, "RipperSettings")
        .def(
            "__init__",
            [](RipperSettings* self, double folds, Size optimizations, double min_weight, Size max_conditions,
               Size max_rules, bool prune, int prune_by, bool check_error, std::uint64_t seed, int threads) {
                const PruneValue by = prune_by == 0 ? PruneValue::laplace : PruneValue::cohen;
                new (self) RipperSettings{
                    folds, optimizations, {min_weight, max_conditions}, prune, by, check_error, max_rules,
                    seed,  threads};
            },
            nb::kw_only(), nb::arg("folds"), nb::arg("optimizations"), nb::arg("min_weight"), nb::arg("max_conditions"),
            nb::arg("max_rules"), nb::arg("prune"), nb::arg("prune_by"), nb::arg("check_error"), nb::arg("seed"),
            nb::arg("threads"));
    m.def("ripper", &py_ripper, nb::arg("x"), nb::arg("is_category").noconvert(), nb::arg("place").noconvert(),
          nb::arg("weight").noconvert(), nb::arg("classes"), nb::arg("settings"), nb::arg("record"));
    m.def("ripper_keys", &py_ripper_keys, nb::arg("x"), nb::arg("weight").noconvert(), nb::arg("seed"),
          nb::arg("split"));
}

}  // namespace pellucid::bind
