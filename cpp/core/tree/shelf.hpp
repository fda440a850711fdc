// Memory that is lent out and taken back, one thing a task: nothing is allocated again and again.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace pellucid::tree {

template <class T>
class Shelf {
  public:
    class Loan {
      public:
        Loan(Shelf& from, std::unique_ptr<T> what) : from_(from), what_(std::move(what)) {}
        Loan(const Loan&) = delete;
        Loan& operator=(const Loan&) = delete;
        ~Loan() { from_.take_back(std::move(what_)); }
        T& operator*() const { return *what_; }
        T* operator->() const { return what_.get(); }

      private:
        Shelf& from_;
        std::unique_ptr<T> what_;
    };

    Shelf() = default;
    // For things that are not made of nothing.
    explicit Shelf(std::function<std::unique_ptr<T>()> make) : make_(std::move(make)) {}

    Loan lend() { return Loan(*this, take()); }
    // For good, or until it is given back by hand.
    std::unique_ptr<T> take() {
        const std::lock_guard lock(mutex_);
        if (idle_.empty()) return make();
        std::unique_ptr<T> last = std::move(idle_.back());
        idle_.pop_back();
        return last;
    }
    void take_back(std::unique_ptr<T> what) {
        const std::lock_guard lock(mutex_);
        idle_.push_back(std::move(what));
    }

  private:
    std::unique_ptr<T> make() const {
        if constexpr (std::is_default_constructible_v<T>)
            if (!make_) return std::make_unique<T>();
        return make_();
    }

    const std::function<std::unique_ptr<T>()> make_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<T>> idle_;
};

}  // namespace pellucid::tree
