#include "core/linalg/qr.hpp"

#include <algorithm>
#include <limits>

#include "core/base/check.hpp"
#include "core/base/pool.hpp"
#include "core/linalg/hot.hpp"
#include "core/linalg/lapack.hpp"
#include "core/linalg/moments.hpp"

namespace pellucid {
namespace {

constexpr Size kPanelCols = 64;   // columns factored at a time
constexpr Size kUpdateCols = 64;  // columns updated by one task

void factor_panel(double* a, int m, int n, int ld, double* tau) {
    int info = 0, lwork = n * 64;
    std::vector<double> work(static_cast<Size>(lwork));
    lapack().dgeqrf(&m, &n, a, &ld, tau, work.data(), &lwork, &info);
}

// C <- H' C for the block reflector H = I - V T V'
void apply_panel(double* v, int m, int k, int ld, double* t, double* c, int columns) {
    char left = 'L', transposed = 'T', forward = 'F', columnwise = 'C';
    std::vector<double> work(static_cast<Size>(columns) * static_cast<Size>(k));
    lapack().dlarfb(&left, &transposed, &forward, &columnwise, &m, &columns, &k, v, &ld, t, &k, c, &ld, work.data(),
                    &columns);
}

// Rows of Z as columns of memory, behind a constant column when Z is to be centered: a rounded mean then costs nothing,
// since the reflections take off what it left.
struct Stacked {
    const PanelReader& z;
    bool center;
    Size cols() const { return z.cols() + (center ? 1 : 0); }
    Size source(Size col) const { return !center ? col : col == 0 ? z.cols() : col - 1; }

    void unpack(const std::vector<double>& panels, Size rows, double* out, Size ld) const {
        for (Size col = 0; col < cols(); ++col) {
            const double* from = panels.data() + (source(col) / kPanel) * rows * kPanel + source(col) % kPanel;
            for (Size r = 0; r < rows; ++r) out[col * ld + r] = from[r * kPanel];
        }
    }
};

// Triangle of rows [begin, end), started from the triangle in `r` (c x c, zero at first).
void chain(const Stacked& rows_of_z, Size begin, Size end, Size step, int threads, double* r) {
    const PanelReader& z = rows_of_z.z;
    const Size c = rows_of_z.cols(), ld = c + step;
    std::vector<double> stack(ld * c), tau(c), panels(z.panels() * kPanel * step);
    for (; begin < end; begin += step) {
        const Size rows = std::min(step, end - begin);
        std::fill(stack.begin(), stack.end(), 0.0);
        for (Size col = 0; col < c; ++col) std::copy(r + col * c, r + col * c + col + 1, stack.data() + col * ld);
        z.read(begin, rows, panels.data());
        rows_of_z.unpack(panels, rows, stack.data() + c, ld);
        qr_in_place(stack, ld, c, tau, threads);
        for (Size col = 0; col < c; ++col)
            std::copy(stack.data() + col * ld, stack.data() + col * ld + col + 1, r + col * c);
        check_interrupt();
    }
}

// Triangles of several parts stacked on each other become one.
std::vector<double> combine(const std::vector<double>& parts, Size count, Size c, int threads) {
    const Size ld = count * c;
    std::vector<double> stack(ld * c), tau(c), r(c * c, 0.0);
    for (Size part = 0; part < count; ++part)
        for (Size col = 0; col < c; ++col)
            for (Size row = 0; row < c; ++row) stack[col * ld + part * c + row] = parts[(part * c + col) * c + row];
    qr_in_place(stack, ld, c, tau, threads);
    for (Size col = 0; col < c; ++col)
        for (Size row = 0; row <= col; ++row) r[col * c + row] = stack[col * ld + row];
    return r;
}

}  // namespace

void qr_in_place(std::span<double> a, Size m, Size n, std::span<double> tau, int threads) {
    require(a.size() == m * n && tau.size() == n && m >= n, "qr: sizes");
    require(m <= static_cast<Size>(std::numeric_limits<int>::max()), "qr: too many rows for LAPACK");
    const int ld = static_cast<int>(m);
    std::vector<double> t(kPanelCols * kPanelCols);
    for (Size col = 0; col < n; col += kPanelCols) {
        const Size k = std::min(kPanelCols, n - col), after = n - col - k;
        double* v = a.data() + col * m + col;
        int rows = static_cast<int>(m - col), width = static_cast<int>(k);
        factor_panel(v, rows, width, ld, tau.data() + col);
        if (after == 0) break;
        char forward = 'F', columnwise = 'C';
        int lead = ld;
        lapack().dlarft(&forward, &columnwise, &rows, &width, v, &lead, tau.data() + col, t.data(), &width);
        parallel_for(blocks_of(after, kUpdateCols), threads, [&](Size block) {
            const Size first = col + k + block * kUpdateCols, columns = std::min(kUpdateCols, n - first);
            apply_panel(v, rows, width, ld, t.data(), a.data() + first * m + col, static_cast<int>(columns));
        });
    }
}

void apply_q(std::span<double> a, Size m, Size n, std::span<double> tau, std::span<double> c) {
    require(a.size() == m * n && tau.size() == n && c.size() % m == 0, "apply_q: sizes");
    char left = 'L', plain = 'N';
    int rows = static_cast<int>(m), k = static_cast<int>(n), columns = static_cast<int>(c.size() / m), info = 0;
    int lwork = std::max(1, columns) * 64;
    std::vector<double> work(static_cast<Size>(lwork));
    lapack().dormqr(&left, &plain, &rows, &columns, &k, a.data(), &rows, tau.data(), c.data(), &rows, work.data(),
                    &lwork, &info);
}

double solve_triangle(double* r, Size n, Size ld, double* b, Size k, Size ldb) {
    char one = '1', left = 'L', upper = 'U', plain = 'N', not_unit = 'N';
    int size = static_cast<int>(n), lead = static_cast<int>(ld), columns = static_cast<int>(k),
        leadb = static_cast<int>(ldb), info = 0;
    double rcond = 0, alpha = 1;
    std::vector<double> work(3 * n);
    std::vector<int> iwork(n);
    lapack().dtrcon(&one, &upper, &not_unit, &size, r, &lead, &rcond, work.data(), iwork.data(), &info);
    if (rcond > 0) lapack().dtrsm(&left, &upper, &plain, &not_unit, &size, &columns, &alpha, r, &lead, b, &leadb);
    return rcond;
}

std::vector<double> qr_of_rows(const Matrix& X, const Dense<double>& Y, std::span<const double> weight,
                               std::span<const double> shift, std::span<const double> scale, bool center, int threads) {
    const Size n = rows_of(X);
    PanelReader z{&X, &Y, weight, {}, {}, {}};
    require(Y.rows == n && shift.size() == z.cols() && scale.size() == z.cols(), "qr_of_rows: sizes");
    require(weight.empty() || weight.size() == n, "qr_of_rows: weight");
    z.place(shift, scale);
    const Stacked stacked{z, center};
    const Size c = stacked.cols();
    // Small triangles: parts of the rows side by side. Large ones: one chain, its updates side by side.
    const Size step = std::max<Size>(512, c);
    const Size parts = c <= 128 ? std::clamp<Size>(n / (8 * step), 1, 64) : 1;
    const Size part_rows = blocks_of(n, parts);
    std::vector<double> triangles(parts * c * c, 0.0);
    if (parts == 1) {
        chain(stacked, 0, n, step, threads, triangles.data());
    } else {
        parallel_for(parts, threads, [&](Size part) {
            const Size begin = part * part_rows, end = std::min(n, begin + part_rows);
            chain(stacked, begin, end, step, 1, triangles.data() + part * c * c);
        });
        triangles = combine(triangles, parts, c, threads);
    }
    if (!center) return triangles;
    std::vector<double> inner((c - 1) * (c - 1));
    for (Size col = 1; col < c; ++col)
        for (Size row = 1; row < c; ++row) inner[(col - 1) * (c - 1) + row - 1] = triangles[col * c + row];
    return inner;
}

}  // namespace pellucid
