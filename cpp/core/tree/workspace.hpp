// Memory that a task needs while it runs, lent out and taken back: nothing is allocated for a row or a cut.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/base/pool.hpp"

namespace pellucid::tree {

// A row in the order of a column.
struct Entry {
    std::uint32_t rank;   // of its value; kMissing last
    std::uint32_t place;  // position of the row
};

struct Workspace {
    std::vector<Entry> sorted, other;
    std::vector<std::uint32_t> counts, numbers;
    std::vector<double> sums;
};

class Workspaces {
  public:
    class Loan {
      public:
        Loan(Workspaces& from, std::unique_ptr<Workspace> what) : from_(from), what_(std::move(what)) {}
        Loan(const Loan&) = delete;
        Loan& operator=(const Loan&) = delete;
        ~Loan() { from_.take_back(std::move(what_)); }
        Workspace& operator*() const { return *what_; }

      private:
        Workspaces& from_;
        std::unique_ptr<Workspace> what_;
    };
    Loan lend() {
        const std::lock_guard lock(mutex_);
        if (idle_.empty()) return Loan(*this, std::make_unique<Workspace>());
        std::unique_ptr<Workspace> last = std::move(idle_.back());
        idle_.pop_back();
        return Loan(*this, std::move(last));
    }

  private:
    void take_back(std::unique_ptr<Workspace> what) {
        const std::lock_guard lock(mutex_);
        idle_.push_back(std::move(what));
    }
    std::mutex mutex_;
    std::vector<std::unique_ptr<Workspace>> idle_;
};

// f(task, workspace) for every task. Rows that all tasks read together decide whether threads pay: waking one takes
// as long as some ten thousand rows.
template <class F>
void for_tasks(Size tasks, Size rows, int threads, Workspaces& workspaces, F&& f) {
    constexpr Size kWorthAThread = 20000;
    if (threads == 1 || tasks == 1 || rows < kWorthAThread) {
        const auto loan = workspaces.lend();
        for (Size task = 0; task < tasks; ++task) {
            if (rows >= kWorthAThread) check_interrupt();
            f(task, *loan);
        }
        return;
    }
    parallel_for(tasks, threads, [&](Size task) {
        const auto loan = workspaces.lend();
        f(task, *loan);
    });
}

}  // namespace pellucid::tree
