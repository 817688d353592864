// Single-precision products of a program that calls BLAS, done by oneDNN: preloaded, it makes PyTorch's Debian build the
// hardest opponent on processors its OpenBLAS does not know. BLAS stores columns first, dnnl_sgemm rows first.
#include <dnnl.h>

void sgemm_(const char* a_op, const char* b_op, const int* m, const int* n, const int* k, const float* alpha,
            const float* a, const int* lda, const float* b, const int* ldb, const float* beta, float* c, const int* ldc) {
  dnnl_sgemm(*b_op, *a_op, *n, *m, *k, *alpha, b, *ldb, a, *lda, *beta, c, *ldc);
}
