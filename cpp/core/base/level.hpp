// What the SIMD level decides that a source is compiled for. Macros alone: an inline function of a header that is read
// by sources of several levels could be linked from the wrong one.
#pragma once

// Bytes of the widest vector. The level with AVX-512F has its byte and word instructions (BW) too.
#if defined(__AVX512F__)
#define PELLUCID_BYTES 64
#elif defined(__AVX2__)
#define PELLUCID_BYTES 32
#else
#define PELLUCID_BYTES 16
#endif

#define PELLUCID_JOIN_(a, b) a##b
#define PELLUCID_JOIN(a, b) PELLUCID_JOIN_(a, b)
