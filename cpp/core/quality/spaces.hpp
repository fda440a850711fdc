// Working memory that threads take for a piece of work and put back: as many pieces as threads are at work at once.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

namespace pellucid::quality {

template <class Space>
class Spaces {
  public:
    template <class F>
    void with(F&& f) {
        std::unique_ptr<Space> space = take();
        f(*space);
        const std::scoped_lock held(lock_);
        idle_.push_back(std::move(space));
    }

  private:
    std::unique_ptr<Space> take() {
        const std::scoped_lock held(lock_);
        if (idle_.empty()) return std::make_unique<Space>();
        std::unique_ptr<Space> space = std::move(idle_.back());
        idle_.pop_back();
        return space;
    }

    std::mutex lock_;
    std::vector<std::unique_ptr<Space>> idle_;
};

}  // namespace pellucid::quality
