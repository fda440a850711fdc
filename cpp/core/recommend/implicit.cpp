#include "core/recommend/implicit.hpp"

#include <atomic>

#include "core/base/pool.hpp"
#include "core/linalg/hot.hpp"
#include "core/linalg/reduce.hpp"
#include "core/recommend/factor_hot.hpp"
#include "core/recommend/small_systems.hpp"

namespace pellucid {
namespace {

constexpr Size kRows = 32;    // of a block
constexpr Size kChunk = 256;  // rows that are packed at a time

void pack(const double* x, Size stride, Size rows, const double* zeros, const double* ones, double* out) {
    hot().pack_f64(x, static_cast<std::ptrdiff_t>(stride), rows, stride / kPanel, zeros, ones, out);
}
void pack(const float* x, Size stride, Size rows, const double* zeros, const double* ones, double* out) {
    hot().pack_f32(x, static_cast<std::ptrdiff_t>(stride), rows, stride / kPanel, zeros, ones, out);
}

// Y'Y, whole, stride x stride.
template <class T>
std::vector<double> gram(const FactorTable<T>& y, int threads) {
    const Size n = y.rows(), w = y.stride, size = std::max<Size>(4 * kChunk, blocks_of(n, 64));
    const std::vector<double> zeros(w, 0.0), ones(w, 1.0);
    std::vector<double> sums(w * w);
    ordered_sum(blocks_of(n, size), w * w, threads, sums.data(), [&](Size block, double* into) {
        std::vector<double> panels(w * kChunk);
        for (Size from = block * size; from < std::min(n, (block + 1) * size); from += kChunk) {
            const Size rows = std::min({n, (block + 1) * size, from + kChunk}) - from;
            pack(y.row(from), w, rows, zeros.data(), ones.data(), panels.data());
            for (Size i = 0; i < w; i += kPanel)
                for (Size j = 0; j <= i; j += kPanel)
                    hot().gram_tile(panels.data() + i * rows, panels.data() + j * rows, rows, into + i * w + j, w);
        }
    });
    for (Size i = 0; i < w; ++i)
        for (Size j = 0; j < i; ++j) sums[j * w + i] = sums[i * w + j];
    return sums;
}

// Confidences in the type of the factors: those above 1, and all with the sign turned.
template <class T>
struct Confidence {
    std::vector<T> extra, minus;
    explicit Confidence(std::span<const double> c) : extra(c.size()), minus(c.size()) {
        for (Size i = 0; i < c.size(); ++i) {
            extra[i] = static_cast<T>(c[i] - 1);
            minus[i] = static_cast<T>(-c[i]);
        }
    }
};

template <class T>
struct Steps {
    const FactorTable<T>& other;
    const std::vector<T>& gram;
    const Confidence<T>& confidence;
    const ImplicitSettings& settings;
};

// Conjugate gradients for the equations of a few rows at a time, A x = b each: the same Y'Y for all, their own items
// besides. r = b - A x.
template <class T>
class Walk {
  public:
    explicit Walk(const Steps<T>& steps)
        : s_(steps), n_(steps.other.stride), x_(kSideBySide * n_), r_(x_), p_(x_), image_(x_) {}

    // From where their factors stand; at most kSideBySide rows, none without items.
    void run(const Rated& rows, std::span<const Size> members, const FactorTable<T>& own) {
        for (Size u = 0; u < members.size(); ++u) std::copy_n(own.row(members[u]), n_, x_.data() + u * n_);
        start(rows, members);
        for (Size step = 0; step < s_.settings.steps; ++step) {
            multiply(p_, image_);
            for (Size u = 0; u < members.size(); ++u)
                if (length_[u] > T{1e-20f}) advance(rows, members[u], u);
        }
        for (Size u = 0; u < members.size(); ++u) std::copy_n(x_.data() + u * n_, n_, own.row(members[u]));
    }

  private:
    void multiply(const std::vector<T>& x, std::vector<T>& out) {
        hot_.multiply(s_.gram.data(), x.data(), static_cast<T>(s_.settings.penalty), n_, out.data());
    }

    void start(const Rated& rows, std::span<const Size> members) {
        multiply(x_, r_);
        for (Size u = 0; u < members.size(); ++u) {
            T *r = r_.data() + u * n_, *p = p_.data() + u * n_;
            add_items(rows, members[u], s_.confidence.minus.data(), x_.data() + u * n_, r);
            for (Size k = 0; k < n_; ++k) p[k] = r[k] = -r[k];
            length_[u] = hot_.dot(r, r, n_);
        }
    }

    void advance(const Rated& rows, Size row, Size u) {
        T *r = r_.data() + u * n_, *p = p_.data() + u * n_, *image = image_.data() + u * n_;
        add_items(rows, row, nullptr, p, image);
        const T along = length_[u] / hot_.dot(p, image, n_);
        hot_.axpy(along, p, n_, x_.data() + u * n_);
        hot_.axpy(-along, image, n_, r);
        const T next = hot_.dot(r, r, n_);
        hot_.turn(r, next / length_[u], n_, p);
        length_[u] = next;
    }

    // out += sum over the row's items of (a + (c - 1) y . x) y
    void add_items(const Rated& rows, Size row, const T* a, const T* x, T* out) {
        const Size from = rows.first(row);
        hot_.add_rows(s_.other.values.data(), rows.indices.data() + from, a ? a + from : nullptr,
                      s_.confidence.extra.data() + from, rows.count(row), x, n_, out);
    }

    const Steps<T>& s_;
    const FactorHot<T>& hot_ = factor_hot<T>();
    Size n_;
    std::vector<T> x_, r_, p_, image_;
    T length_[kSideBySide] = {};
};

template <class T>
void walk_all(const Rated& rows, const FactorTable<T>& other, const std::vector<double>& gram,
              const ImplicitSettings& s, const FactorTable<T>& own) {
    const std::vector<T> rounded(gram.begin(), gram.end());
    const Confidence<T> confidence(rows.values);
    const Steps<T> steps{other, rounded, confidence, s};
    const Size n = rows.rows();
    parallel_for(blocks_of(n, kRows), s.threads, [&](Size block) {
        Walk<T> walk(steps);
        std::vector<Size> members;
        const Size end = std::min(n, (block + 1) * kRows);
        for (Size r = block * kRows; r < end; ++r) {
            if (rows.count(r) == 0)
                std::fill_n(own.row(r), own.stride, T{0});
            else
                members.push_back(r);
            if (members.size() == kSideBySide || (r + 1 == end && !members.empty())) {
                walk.run(rows, members, own);
                members.clear();
            }
        }
    });
}

// Packs (c - 1) y with the confidence where t stands, and y with 1 there: their products are both sides.
template <class T>
void pack_items(const Rated& rows, Size from, Size to, const FactorTable<T>& other, Size factors, double* left,
                double* right) {
    const Size n = to - from;
    const auto place = [&](Size r, Size c) { return (c / kPanel * n + r) * kPanel + c % kPanel; };
    for (Size r = 0; r < n; ++r) {
        const T* y = other.row(rows.column(from + r));
        const double c = rows.values[from + r];
        for (Size k = 0; k < factors; ++k) {
            left[place(r, k)] = (c - 1) * static_cast<double>(y[k]);
            right[place(r, k)] = static_cast<double>(y[k]);
        }
        left[place(r, factors)] = c;
        right[place(r, factors)] = 1;
    }
}

template <class T>
bool solve_all(const Rated& rows, const FactorTable<T>& other, const std::vector<double>& gram,
               const ImplicitSettings& s, const FactorTable<T>& own) {
    const Size n = rows.rows();
    std::atomic<bool> good = true;
    parallel_for(blocks_of(n, kRows), s.threads, [&](Size block) {
        SmallSystem system(s.factors, kChunk);
        for (Size r = block * kRows; r < std::min(n, (block + 1) * kRows); ++r) {
            std::fill_n(own.row(r), own.stride, T{0});
            if (rows.count(r) == 0) continue;
            system.start_from(gram.data(), other.stride);
            for (Size from = rows.first(r); from < rows.last(r); from += kChunk) {
                const Size to = std::min(rows.last(r), from + kChunk);
                pack_items(rows, from, to, other, s.factors, system.panels(), system.more_panels());
                system.add(system.panels(), system.more_panels(), to - from);
            }
            if (!system.solve(s.penalty)) good = false;
            for (Size k = 0; k < s.factors; ++k) own.row(r)[k] = static_cast<T>(system.answer()[k]);
        }
    });
    return good;
}

double squares(std::span<const double> gram, Size stride) {
    double sum = 0;
    for (Size k = 0; k < stride; ++k) sum += gram[k * stride + k];
    return sum;
}

}  // namespace

template <class T>
bool refresh_implicit(const Rated& rows, const FactorTable<T>& other, const ImplicitSettings& s,
                      const FactorTable<T>& own) {
    require(own.rows() == rows.rows() && own.stride == other.stride, "implicit: one row of factors for each row");
    const std::vector<double> products = gram(other, s.threads);
    if (s.steps == 0) return solve_all(rows, other, products, s, own);
    walk_all(rows, other, products, s, own);
    return true;
}

// Over all pairs as if nothing were known, sum_u x_u' Y'Y x_u = trace(X'X Y'Y); then what the known ones change.
template <class T>
double implicit_objective(const Rated& users, const FactorTable<T>& x, const FactorTable<T>& y,
                          const ImplicitSettings& s) {
    const FactorHot<T>& h = factor_hot<T>();
    const std::vector<double> xx = gram(x, s.threads), yy = gram(y, s.threads);
    double all = 0, known = 0;
    for (Size k = 0; k < xx.size(); ++k) all += xx[k] * yy[k];
    const Size n = users.rows(), size = std::max<Size>(256, blocks_of(n, 64));
    ordered_sum(blocks_of(n, size), 1, s.threads, &known, [&](Size block, double* into) {
        for (Size u = block * size; u < std::min(n, (block + 1) * size); ++u)
            for (Size at = users.first(u); at < users.last(u); ++at) {
                const double found = static_cast<double>(h.dot(x.row(u), y.row(users.column(at)), x.stride));
                *into += users.values[at] * (1 - found) * (1 - found) - found * found;
            }
    });
    return all + known + s.penalty * (squares(xx, x.stride) + squares(yy, y.stride));
}

template bool refresh_implicit<float>(const Rated&, const FactorTable<float>&, const ImplicitSettings&,
                                      const FactorTable<float>&);
template bool refresh_implicit<double>(const Rated&, const FactorTable<double>&, const ImplicitSettings&,
                                       const FactorTable<double>&);
template double implicit_objective<float>(const Rated&, const FactorTable<float>&, const FactorTable<float>&,
                                          const ImplicitSettings&);
template double implicit_objective<double>(const Rated&, const FactorTable<double>&, const FactorTable<double>&,
                                           const ImplicitSettings&);

}  // namespace pellucid
