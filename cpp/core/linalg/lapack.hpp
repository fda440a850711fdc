// BLAS and LAPACK by pointer: the routines of the SciPy that is installed, handed over once at run time. Column-major,
// 32-bit integers, all arguments by address, as in Fortran.
#pragma once

namespace pellucid {

struct Lapack {
    // A = L L'  (uplo 'L': lower triangle)
    void (*dpotrf)(char* uplo, int* n, double* a, int* lda, int* info);
    // A X = B from the factor of dpotrf
    void (*dpotrs)(char* uplo, int* n, int* nrhs, double* a, int* lda, double* b, int* ldb, int* info);
    // 1-norm reciprocal condition number from the factor of dpotrf
    void (*dpocon)(char* uplo, int* n, double* a, int* lda, double* anorm, double* rcond, double* work, int* iwork,
                   int* info);
    // 1-norm reciprocal condition number of a triangle
    void (*dtrcon)(char* norm, char* uplo, char* diag, int* n, double* a, int* lda, double* rcond, double* work,
                   int* iwork, int* info);
    // A = Q R by Householder reflections
    void (*dgeqrf)(int* m, int* n, double* a, int* lda, double* tau, double* work, int* lwork, int* info);
    void (*dlarft)(char* direct, char* storev, int* n, int* k, double* v, int* ldv, double* tau, double* t, int* ldt);
    void (*dlarfb)(char* side, char* trans, char* direct, char* storev, int* m, int* n, int* k, double* v, int* ldv,
                   double* t, int* ldt, double* c, int* ldc, double* work, int* ldwork);
    // C <- Q C
    void (*dormqr)(char* side, char* trans, int* m, int* n, int* k, double* a, int* lda, double* tau, double* c,
                   int* ldc, double* work, int* lwork, int* info);
    // B <- alpha op(A)^-1 B for triangular A
    void (*dtrsm)(char* side, char* uplo, char* transa, char* diag, int* m, int* n, double* alpha, double* a, int* lda,
                  double* b, int* ldb);
    // C <- alpha op(A) op(B) + beta C
    void (*dgemm)(char* transa, char* transb, int* m, int* n, int* k, double* alpha, double* a, int* lda, double* b,
                  int* ldb, double* beta, double* c, int* ldc);
};

// Throws ContractError when nobody has handed the table over yet.
const Lapack& lapack();
void set_lapack(const Lapack& table);

}  // namespace pellucid
