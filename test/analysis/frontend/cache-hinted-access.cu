// REQUIRES: nvcc
// RUN: %parse_probe %s --print-ir | FileCheck %s
// RUN: not %parse_probe %s -- -DWRONG_TYPE 2>&1 | FileCheck %s --check-prefix=WRONG
//
// An access with a cache hint is the PTX instruction that nvcc makes of it: nothing is hidden from the analyses, of any width.

// CHECK: kernel stores
// CHECK: kernel loads
// CHECK-LABEL: define {{.*}}@_Z6storesPfP6float4PcP7double2Pm
__global__ void stores(float *a, float4 *b, char *c, double2 *d, unsigned long *e) {
  // CHECK: asm sideeffect "st.global.cs.f32 [$0], $1;"
  __stcs(a, 1.0f);
  // CHECK: asm sideeffect "st.global.cg.v4.f32 [$0], {$1,$2,$3,$4};"
  __stcg(b, make_float4(1, 2, 3, 4));
  // CHECK: asm sideeffect "st.global.wb.s8 [$0], $1;"
  __stwb(c, (char)1);
  // CHECK: asm sideeffect "st.global.cs.v2.f64 [$0], {$1,$2};"
  __stcs(d, make_double2(1, 2));
  // CHECK: asm sideeffect "st.global.wt.u64 [$0], $1;"
  __stwt(e, 1ul);
}

// CHECK-LABEL: define {{.*}}@_Z5loadsPfPKfPK4int4PKl
__global__ void loads(float *out, const float *a, const int4 *b, const long *c) {
  // CHECK: asm "ld.global.lu.f32 $0, [$1];"
  // CHECK: asm "ld.global.ca.v4.s32 {$0,$1,$2,$3}, [$4];"
  // CHECK: asm "ld.global.lu.s64 $0, [$1];"
  out[0] = __ldlu(a) + __ldca(b).w + __ldlu(c);
}

#ifdef WRONG_TYPE
struct Pair {
  float first, second;
};
// WRONG: cache-hinted-access.cu:[[@LINE+1]]:{{.*}}error: no matching function for call to '__stcs'
__global__ void noSuchForm(Pair *a) { __stcs(a, Pair{1, 2}); }
#endif
