// One thread pool for the whole process behind one parallel_for.
//
// Work is cut into blocks whose number and borders depend on the data alone, never on the number of threads; blocks are
// taken dynamically. A caller always works on its own job, so a job finishes even if no worker is free. Inside a block
// a nested parallel_for runs serially (a loop of one block is no block: what is inside it may be parallel). After fork
// the child starts with a fresh pool. The calling thread asks the interruption hook between blocks and while it waits,
// at most every 25 ms.
#pragma once

#include <concepts>
#include <type_traits>

#include "core/base/views.hpp"

namespace pellucid {

// Plain reference to a callable: no allocation, no std::function.
class BlockFunction {
  public:
    template <std::invocable<Size> F>
        requires(!std::same_as<std::remove_cv_t<F>, BlockFunction>)
    explicit BlockFunction(F& f)
        : object_(const_cast<void*>(static_cast<const void*>(&f))),
          call_([](void* o, Size i) { (*static_cast<F*>(o))(i); }) {}
    void operator()(Size block) const { call_(object_, block); }

  private:
    void* object_;
    void (*call_)(void*, Size);
};

// Runs f(0) .. f(blocks-1), each once, on at most `threads` threads. Rethrows the exception of the lowest failing
// block; throws Interrupted when the user asked to stop.
void run_blocks(Size blocks, int threads, BlockFunction f);

template <std::invocable<Size> F>
void parallel_for(Size blocks, int threads, F&& f) {
    run_blocks(blocks, threads, BlockFunction(f));
}

// For serial loops that take long: throws Interrupted when the user asked to stop, and in a block of parallel_for also
// when another block failed.
void check_interrupt();

// The hook returns true when the user asked to stop. It is called on the thread that called the kernel.
using InterruptHook = bool (*)();
void set_interrupt_hook(InterruptHook hook);

// Upper limit set from outside (threadpoolctl); 0 means none.
int thread_limit();
void set_thread_limit(int limit);

// Number of blocks of `size` that cover n.
constexpr Size blocks_of(Size n, Size size) { return (n + size - 1) / size; }

}  // namespace pellucid
