// Handles of cuBLAS, which programs take before they know whether they will need them. What would compute with
// them is not there, and a program that asks for it is told so by name before it runs. Signatures are those of the
// libraries' documentation; zero is success.

namespace {

/// Any address that is not null will do: nobody looks behind it.
char handle;

int create(void **made) {
  *made = &handle;
  return 0;
}

} // namespace

extern "C" {

int cublasCreate_v2(void **made) {
  return create(made);
}
int cublasDestroy_v2(void *) {
  return 0;
}
int cublasSetMathMode(void *, int) {
  return 0;
}
int cublasSetStream_v2(void *, void *) {
  return 0;
}
int cublasLtCreate(void **made) {
  return create(made);
}
int cublasLtDestroy(void *) {
  return 0;
}
}
