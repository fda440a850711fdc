// The innermost loops of the smooth solvers, compiled once per SIMD level.
#pragma once

#include <cstddef>

namespace pellucid {

// Rows of scores and slopes come in whole groups of this many; what pads the last group has weight zero.
inline constexpr std::size_t kRowGroup = 16;

// Products of a block of X with few vectors. X has `rows` rows of `cols` adjacent numbers, `stride` apart; the tables
// of vectors hold one a line.
template <class T, class U>
struct BlockProducts {
    // out[t*ldo + r] += sum_c x[r*stride + c] * w[t*ldw + c]  for t < k
    void (*along)(const T* x, std::ptrdiff_t stride, std::size_t rows, std::size_t cols, const U* w, std::size_t ldw,
                  std::size_t k, U* out, std::size_t ldo);
    // out[t*ldo + c] += sum_r u[t*ldu + r] * x[r*stride + c]  for t < k
    void (*across)(const T* x, std::ptrdiff_t stride, std::size_t rows, std::size_t cols, const U* u, std::size_t ldu,
                   std::size_t k, U* out, std::size_t ldo);
};

struct SmoothHot {
    BlockProducts<double, double> f64;
    BlockProducts<float, double> f32;
    BlockProducts<float, float> single;  // in single precision throughout

    // Logistic loss of rows with targets y (0 or 1), weights s and scores f: f becomes s l', bend s l''. Answers the
    // sum of s l; least becomes the least margin (f toward the row's own class) among rows with a weight, if that is
    // less.
    double (*logistic)(const double* y, const double* s, std::size_t rows, double* f, double* bend, double* least);
    // f[t*ld + r] <- e^(f - largest of the row); largest[r] and sum[r] of these.
    void (*softmax_f64)(std::size_t k, std::size_t rows, double* f, std::size_t ld, double* largest, double* sum);
    void (*softmax_f32)(std::size_t k, std::size_t rows, float* f, std::size_t ld, float* largest, float* sum);
    // f[r] = sum over panels j and columns c of packed[(j*rows + r)*8 + c] * phi[8j + c]
    void (*panel_scores)(const double* packed, std::size_t rows, std::size_t panels, const double* phi, double* f);
    // gradient[8j + c] += sum_r u[r] * packed[(j*rows + r)*8 + c];  scaled = bend[r] * packed
    void (*panel_slopes)(const double* packed, std::size_t rows, std::size_t panels, const double* u,
                         const double* bend, double* gradient, double* scaled);
    // out[i] = e^x[i] for x from -infinity to 0, n a multiple of kRowGroup
    void (*exp_f64)(const double* x, std::size_t n, double* out);
    void (*exp_f32)(const float* x, std::size_t n, float* out);
};

const SmoothHot& smooth_hot();  // the kernels of the current level

}  // namespace pellucid
