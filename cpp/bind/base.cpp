#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <chrono>

#include "bind/arrays.hpp"
#include "core/base/pool.hpp"
#include "core/base/pool_probe.hpp"
#include "core/base/rng.hpp"
#include "core/base/simd.hpp"

// Plain C entry points: threadpoolctl finds them by name in the loaded library.
extern "C" {
__attribute__((visibility("default"))) int pellucid_get_num_threads() { return pellucid::thread_limit(); }
__attribute__((visibility("default"))) void pellucid_set_num_threads(int n) { pellucid::set_thread_limit(n); }
}

namespace pellucid::bind {

nb::dict to_dict(const Record& record) {
    nb::dict tables;
    for (const auto& [name, table] : record.tables()) {
        nb::list columns;
        for (const auto& column : table.columns) columns.append(column);
        const Size width = table.columns.size();
        tables[name.c_str()] = nb::make_tuple(columns, to_numpy(table.cells, {table.cells.size() / width, width}));
    }
    return tables;
}

void bind_base(nb::module_& m) {
    m.def("thread_limit", &thread_limit);
    m.def("set_thread_limit", &set_thread_limit);
    m.def("simd_level", [] { return level_name(current_level()); });
    m.def("best_simd_level", [] { return level_name(best_level()); });
    m.def("set_simd_level", [](std::string_view name) { return set_level(name); });
    m.def(
        "random_uniform",
        [](std::uint64_t seed, std::uint64_t stream, Size n) {
            const Random random{seed, stream};
            std::vector<double> out(n);
            for (Size i = 0; i < n; ++i) out[i] = random.uniform(i);
            return to_numpy(std::move(out), {n});
        },
        nb::arg("seed"), nb::arg("stream"), nb::arg("n"));
    // For tests of the pool: calls function(block) for every block, on at most `threads` threads.
    m.def(
        "call_blocks",
        [](Size blocks, int threads, const nb::callable& function) {
            const nb::gil_scoped_release release;
            parallel_for(blocks, threads, [&](Size block) {
                const nb::gil_scoped_acquire gil;
                function(block);
            });
        },
        nb::arg("blocks"), nb::arg("threads"), nb::arg("function"));
    m.def("take_most_threads", &take_most_threads);
    m.def(
        "set_poll_interval",
        [](double seconds) {
            const std::chrono::duration<double> interval(seconds);
            set_poll_interval(std::chrono::duration_cast<std::chrono::nanoseconds>(interval));
        },
        nb::arg("seconds"));
}

}  // namespace pellucid::bind
