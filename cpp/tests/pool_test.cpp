#include "core/base/pool.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "core/base/check.hpp"
#include "core/base/pool_probe.hpp"
#include "tests/harness.hpp"

namespace pellucid::test {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

bool runs_each_block_once(Size blocks, int threads) {
    std::vector<std::atomic<int>> count(blocks);
    parallel_for(blocks, threads, [&](Size b) { count[b].fetch_add(1); });
    for (const auto& c : count)
        if (c.load() != 1) return false;
    return true;
}

// Waits, asleep, until `done`. The limit is only there so that a test that would hang fails instead.
template <class Done>
bool wait_for(const Done& done) {
    const auto until = Clock::now() + std::chrono::minutes(2);
    while (!done() && Clock::now() < until) std::this_thread::sleep_for(std::chrono::microseconds(100));
    return done();
}

// What the first block to fail says; empty when none does.
std::string message_of(Size blocks, int threads, Size first_bad) {
    try {
        parallel_for(blocks, threads, [&](Size b) {
            if (b >= first_bad) throw std::runtime_error(std::to_string(b));
        });
    } catch (const std::runtime_error& e) {
        return e.what();
    }
    return "";
}

std::set<std::thread::id> threads_used(Size blocks, int threads) {
    std::set<std::thread::id> ids;
    std::mutex mutex;
    parallel_for(blocks, threads, [&](Size) {
        std::this_thread::sleep_for(std::chrono::microseconds(200));
        const std::lock_guard lock(mutex);
        ids.insert(std::this_thread::get_id());
    });
    return ids;
}

// The hook is a plain function: what it answers and what it saw is kept here.
std::atomic<bool> stop_wanted{false};
std::atomic<int> times_asked{0};
std::atomic<std::thread::id> asked_on;

bool hook() {
    times_asked.fetch_add(1);
    asked_on.store(std::this_thread::get_id());
    return stop_wanted.load();
}

// The hook is called at every opportunity, or as seldom as `interval` says: no test depends on the clock.
struct Hooked {
    explicit Hooked(bool stop, std::chrono::nanoseconds interval = milliseconds(0)) {
        stop_wanted = stop;
        times_asked = 0;
        set_poll_interval(interval);
        set_interrupt_hook(hook);
    }
    ~Hooked() {
        set_interrupt_hook(nullptr);
        set_poll_interval(milliseconds(25));
    }
};

template <class F>
bool interrupted(const F& f) {
    try {
        f();
    } catch (const Interrupted&) {
        return true;
    }
    return false;
}

struct Limited {
    explicit Limited(int n) { set_thread_limit(n); }
    ~Limited() { set_thread_limit(0); }
};

// 64 MB beyond what the process has: eight stacks of the usual size.
[[maybe_unused]] void leave_room_for_few_threads() {
    rlim_t pages = 0;
    if (!(std::ifstream("/proc/self/statm") >> pages)) return;
    const rlim_t most = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (rlim_t{64} << 20);
    const rlimit room{most, most};
    setrlimit(RLIMIT_AS, &room);
}

// Runs `body` in a forked child; true when it answers true. The limit only ends what would hang.
template <class Body>
bool succeeds_in_child(const Body& body) {
    const pid_t child = fork();
    if (child == 0) _exit(body() ? 0 : 1);
    for (const auto until = Clock::now() + std::chrono::minutes(2); Clock::now() < until;) {
        int status = 0;
        if (waitpid(child, &status, WNOHANG) == child) return WIFEXITED(status) && WEXITSTATUS(status) == 0;
        std::this_thread::sleep_for(milliseconds(1));
    }
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    return false;
}

}  // namespace

TEST(pool_runs_each_block_exactly_once) {
    for (const Size blocks : {0, 1, 2, 3, 4, 7, 8, 64, 1000, 20000})
        for (const int threads : {-1, 0, 1, 2, 3, 4, 8, 17})
            for (int repeat = 0; repeat < 5; ++repeat) {
                where = std::to_string(blocks) + " blocks, " + std::to_string(threads) + " threads";
                CHECK(runs_each_block_once(blocks, threads));
            }
}

TEST(pool_returns_after_the_last_block_has_ended) {
    const auto caller = std::this_thread::get_id();
    std::atomic<bool> started{false}, ended{false};
    parallel_for(2, 2, [&](Size) {
        if (std::this_thread::get_id() == caller) {
            wait_for([&] { return started.load(); });
            return;
        }
        started = true;
        std::this_thread::sleep_for(milliseconds(20));
        ended = true;
    });
    CHECK(started);
    CHECK(ended);
}

TEST(pool_makes_the_blocks_writes_visible) {
    for (int repeat = 0; repeat < 500; ++repeat) {
        std::vector<Size> written(16, 0);
        parallel_for(16, 4, [&](Size b) { written[b] = b + 1; });
        Size sum = 0;
        for (const Size w : written) sum += w;
        CHECK(sum == 136);
    }
}

// Each of two blocks waits for the other: done in time only when two threads work side by side.
TEST(pool_works_side_by_side) {
    std::atomic<int> started{0};
    std::atomic<bool> met{true};
    parallel_for(2, 2, [&](Size) {
        started.fetch_add(1);
        if (!wait_for([&] { return started.load() == 2; })) met = false;
    });
    CHECK(met);
}

TEST(pool_carries_out_the_lowest_failing_blocks_exception) {
    for (const int threads : {1, 2, 4})
        for (const Size first_bad : {0, 1, 37, 99}) {
            where = std::to_string(threads) + " threads, first bad " + std::to_string(first_bad);
            for (int repeat = 0; repeat < 50; ++repeat)
                CHECK(message_of(100, threads, first_bad) == std::to_string(first_bad));
            CHECK(runs_each_block_once(100, threads));
        }
    CHECK(message_of(100, 2, 100).empty());
}

// The higher block fails first and the lower one still wins.
TEST(pool_prefers_the_lower_of_two_failing_blocks) {
    std::atomic<bool> one_fails{false};
    std::string said;
    try {
        parallel_for(2, 2, [&](Size b) {
            if (b == 1) {
                one_fails = true;
                throw std::runtime_error("1");
            }
            wait_for([&] { return one_fails.load(); });
            std::this_thread::sleep_for(milliseconds(10));
            throw std::runtime_error("0");
        });
    } catch (const std::runtime_error& e) {
        said = e.what();
    }
    CHECK(one_fails);
    CHECK(said == "0");
}

TEST(pool_stops_taking_blocks_after_an_exception) {
    std::atomic<int> run{0};
    bool thrown = false;
    try {
        parallel_for(100000, 2, [&](Size b) {
            run.fetch_add(1);
            if (b == 3) throw 7;
            std::this_thread::sleep_for(std::chrono::microseconds(50));
        });
    } catch (const int& value) {
        thrown = value == 7;
    }
    CHECK(thrown);
    CHECK(run.load() < 50000);
}

TEST(pool_nested_loops_run_serially_and_complete) {
    std::vector<std::atomic<int>> count(8 * 16);
    std::atomic<bool> elsewhere{false};
    parallel_for(8, 3, [&](Size outer) {
        const auto mine = std::this_thread::get_id();
        parallel_for(16, 4, [&](Size inner) {
            if (std::this_thread::get_id() != mine) elsewhere = true;
            parallel_for(1, 2, [&](Size) { count[outer * 16 + inner].fetch_add(1); });
        });
    });
    CHECK(!elsewhere);
    for (const auto& c : count) CHECK(c.load() == 1);
}

TEST(pool_nested_exceptions_come_out) {
    for (const int threads : {1, 2}) {
        std::string said;
        try {
            parallel_for(4, threads, [&](Size outer) {
                parallel_for(4, 4, [&](Size inner) {
                    if (inner >= 2) throw std::runtime_error(std::to_string(10 * outer + inner));
                });
            });
        } catch (const std::runtime_error& e) {
            said = e.what();
        }
        CHECK(said == "2");
        CHECK(runs_each_block_once(50, 2));
    }
}

TEST(pool_serves_many_callers_at_once) {
    std::atomic<int> wrong{0};
    std::vector<std::thread> callers;
    for (int caller = 0; caller < 8; ++caller)
        callers.emplace_back([&wrong, caller] {
            for (int job = 0; job < 150; ++job)
                if (!runs_each_block_once(static_cast<Size>((caller * 7 + job) % 40), 1 + (caller + job) % 4)) ++wrong;
        });
    for (std::thread& caller : callers) caller.join();
    CHECK(wrong.load() == 0);
}

TEST(pool_keeps_the_exceptions_of_many_callers_apart) {
    std::atomic<int> wrong{0};
    std::vector<std::thread> callers;
    for (int caller = 0; caller < 8; ++caller)
        callers.emplace_back([&wrong, caller] {
            const auto bad = static_cast<Size>(caller);
            for (int job = 0; job < 50; ++job)
                if (message_of(20, 3, bad) != std::to_string(bad)) ++wrong;
        });
    for (std::thread& caller : callers) caller.join();
    CHECK(wrong.load() == 0);
}

TEST(pool_uses_no_more_threads_than_asked) {
    CHECK(runs_each_block_once(100, 8));  // there are seven workers now
    CHECK((threads_used(60, 1) == std::set{std::this_thread::get_id()}));
    CHECK(threads_used(60, 2).size() <= 2);
    CHECK(threads_used(60, 3).size() <= 3);
    CHECK(threads_used(60, 2).count(std::this_thread::get_id()) == 1);
}

TEST(pool_honours_the_limit_from_outside) {
    CHECK(thread_limit() == 0);
    {
        const Limited two(2);
        CHECK(thread_limit() == 2);
        CHECK(threads_used(60, 8).size() <= 2);
        CHECK((threads_used(60, 1) == std::set{std::this_thread::get_id()}));
    }
    const Limited one(1);
    CHECK((threads_used(60, 8) == std::set{std::this_thread::get_id()}));
}

// The caller asks after its first block. A block of the other thread lasts until the loop is cancelled.
TEST(pool_stops_when_interrupted) {
    const auto caller = std::this_thread::get_id();
    for (const int threads : {1, 2}) {
        where = std::to_string(threads) + " threads";
        const Hooked stop(true);
        std::atomic<int> blocks_run{0};
        CHECK(interrupted([&] {
            parallel_for(100000, threads, [&](Size) {
                blocks_run.fetch_add(1);
                if (std::this_thread::get_id() == caller) return;
                wait_for([] {
                    check_interrupt();
                    return false;
                });
            });
        }));
        CHECK(blocks_run.load() <= threads);
        CHECK(asked_on.load() == caller);
    }
    CHECK(runs_each_block_once(1000, 2));
}

// No single loop need be long enough to ask, but all of them together are. The limit only ends what would hang.
TEST(pool_stops_when_interrupted_in_one_of_many_short_loops) {
    for (const int threads : {1, 2}) {
        where = std::to_string(threads) + " threads";
        const Hooked stop(true, milliseconds(25));
        CHECK(interrupted([&] {
            for (const auto until = Clock::now() + std::chrono::minutes(2); Clock::now() < until;)
                parallel_for(4, threads, [](Size) {});
        }));
    }
}

TEST(pool_asks_the_hook_as_often_as_the_interval_allows) {
    {
        const Hooked go_on(false, std::chrono::hours(1));
        parallel_for(1000, 1, [](Size) {});
        CHECK(times_asked.load() == 0);
    }
    const Hooked go_on(false);
    parallel_for(1000, 1, [](Size) {});
    CHECK(times_asked.load() == 1000);
}

// The caller's block is over and a worker's is not: the caller waits, and asks the hook while it does. The worker's
// block lasts until the caller has asked once more than after its own block, and was then told to stop.
TEST(pool_hears_an_interrupt_while_it_waits_for_a_worker) {
    const Hooked go_on(false);
    const auto caller = std::this_thread::get_id();
    std::atomic<bool> worker_busy{false};
    const bool stopped = interrupted([&] {
        parallel_for(2, 2, [&](Size) {
            if (std::this_thread::get_id() == caller) {
                wait_for([&] { return worker_busy.load(); });
                return;
            }
            worker_busy = true;
            wait_for([] { return times_asked.load() > 1; });
            stop_wanted = true;
            const int asked = times_asked.load();
            wait_for([&] { return times_asked.load() > asked; });
        });
    });
    stop_wanted = false;
    CHECK(worker_busy);
    CHECK(stopped);
    CHECK(asked_on.load() == caller);
    CHECK(runs_each_block_once(100, 2));
}

TEST(pool_tells_how_many_threads_a_loop_may_use) {
    take_most_threads();
    parallel_for(100, 3, [](Size) { parallel_for(10, 8, [](Size) {}); });
    parallel_for(2, 8, [](Size) {});
    CHECK(take_most_threads() == 3);
    CHECK(take_most_threads() == 0);
}

TEST(check_interrupt_throws_in_serial_loops) {
    check_interrupt();  // no hook: nothing to ask
    const Hooked stop(true);
    CHECK(interrupted([] {
        wait_for([] {
            check_interrupt();
            return false;
        });
    }));
}

// The thread that called asks the hook, and the others hear of it.
TEST(check_interrupt_ends_long_blocks) {
    const Hooked stop(true);
    const auto caller = std::this_thread::get_id();
    std::atomic<int> ended{0};
    CHECK(interrupted([&] {
        parallel_for(2, 2, [&](Size) {
            const bool stopped = interrupted([] {
                wait_for([] {
                    check_interrupt();
                    return false;
                });
            });
            if (!stopped) return;
            ended.fetch_add(1);
            throw Interrupted{};
        });
    }));
    stop_wanted = false;
    CHECK(ended >= 1);
    CHECK(asked_on.load() == caller);
    CHECK(runs_each_block_once(100, 2));
}

TEST(check_interrupt_in_a_block_does_not_hide_the_error_of_another) {
    bool told = false;
    try {
        parallel_for(2, 2, [&](Size block) {
            if (block == 1) throw ContractError("of block 1");
            for (int i = 0; i < 1000; ++i) {
                check_interrupt();
                std::this_thread::sleep_for(std::chrono::microseconds(100));
            }
        });
    } catch (const ContractError&) {
        told = true;
    }
    CHECK(told);
}

// The job is done by those threads that could be started. The sanitizers need the room for themselves.
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
TEST(pool_does_with_fewer_threads_when_there_are_no_more) {
    CHECK(succeeds_in_child([] {
        leave_room_for_few_threads();
        try {
            return runs_each_block_once(1000, 200);
        } catch (...) {
            return false;
        }
    }));
}
#endif

// ThreadSanitizer does not allow new threads in a forked child.
#ifndef __SANITIZE_THREAD__
TEST(pool_works_in_a_forked_child) {
    CHECK(runs_each_block_once(100, 4));  // the parent has workers; the child has none of them
    CHECK(succeeds_in_child([] { return runs_each_block_once(100, 4); }));
    CHECK(succeeds_in_child([] { return succeeds_in_child([] { return runs_each_block_once(100, 4); }); }));
    CHECK(runs_each_block_once(100, 4));
}

TEST(pool_works_in_a_child_forked_from_within_a_block) {
    std::atomic<int> good{0};
    parallel_for(2, 2, [&](Size) { good += succeeds_in_child([] { return runs_each_block_once(100, 3); }) ? 1 : 0; });
    CHECK(good.load() == 2);
}
#endif

// AddressSanitizer's allocator may be locked by the other thread at the moment of the fork.
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
TEST(pool_works_in_a_child_forked_while_the_pool_is_busy) {
    std::atomic<bool> over{false};
    std::thread busy([&] {
        while (!over.load()) runs_each_block_once(20, 3);
    });
    for (int i = 0; i < 20; ++i) CHECK(succeeds_in_child([] { return runs_each_block_once(50, 3); }));
    over = true;
    busy.join();
}
#endif

}  // namespace pellucid::test
