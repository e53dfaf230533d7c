// REQUIRES: nvcc
// What the device computes where the host would do otherwise, and its functions without an instruction of LLVM.
//
// RUN: echo '[{"name": "integers", "grid": [1], "block": [1], "args": {"zero": 0, "many": 40, "least": -2147483648, "minus": -1}},' > %t.json
// RUN: echo ' {"name": "conversions", "grid": [1], "block": [1], "args": {"large": 1e20, "negative": -3.5, "half": 2.5}},' >> %t.json
// RUN: echo ' {"name": "functions", "grid": [1], "block": [1], "args": {"x": 0.75, "y": 3.0}},' >> %t.json
// RUN: echo ' {"name": "rounding", "grid": [1], "block": [1], "args": {"one": 1.0, "three": 3.0, "tiny": 1e-10}},' >> %t.json
// RUN: echo ' {"name": "halves", "grid": [1], "block": [1], "args": {"x": 1.5, "y": 0.25}},' >> %t.json
// RUN: echo ' {"name": "contracted", "grid": [1], "block": [1], "args": {"a": 1.0000001, "b": 0.9999999, "expected": 1}},' >> %t.json
// RUN: echo ' {"name": "flushed", "grid": [1], "block": [1], "args": {"x": 1e-39, "expected": 0}}]' >> %t.json
// RUN: %warpwright run %s --launches %t.json -- -arch=sm_90 | FileCheck %s
//
// With the flags the other way round contraction and denormals are as they say.
// RUN: echo '[{"name": "contracted", "grid": [1], "block": [1], "args": {"a": 1.0000001, "b": 0.9999999, "expected": 0}},' > %t.flags.json
// RUN: echo ' {"name": "flushed", "grid": [1], "block": [1], "args": {"x": 1e-39, "expected": 1}}]' >> %t.flags.json
// RUN: %warpwright run %s --launches %t.flags.json -- -arch=sm_90 -fmad=false -ftz=true | FileCheck --check-prefix=CLEAN %s
//
// CHECK: "name": "integers"
// CHECK-NOT: "printed"
// CHECK: "name": "flushed"
// CHECK-NOT: "printed"
// CLEAN: "name": "contracted"
// CLEAN-NOT: "printed"
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define CHECK(condition)                                                                                               \
  if (!(condition)) printf("line %d\n", __LINE__)

__device__ volatile int keeper;
/// Keeps the compiler from reasoning about the value.
__device__ int kept(int value) { return keeper = value, keeper; }

__global__ void integers(int zero, int many, int least, int minus) {
  // Undefined in C++; the host would trap on some.
  CHECK(kept(many / zero) == -1 && kept(unsigned(many) / unsigned(zero)) == -1);
  CHECK(kept(least / minus) == least && kept(least % minus) == 0);
  CHECK(kept(1 << many) == 0 && kept(unsigned(least) >> many) == 0 && kept(least >> many) == -1);
  CHECK(__popc(many) == 2 && __clz(many) == 26 && __ffs(many) == 4 && __brev(1u) == 0x80000000u);
  CHECK(__byte_perm(0x33221100, 0x77665544, 0x7610) == 0x77661100);
  CHECK(__mulhi(least, least) == 0x40000000 && __umulhi(0xffffffffu, unsigned(many)) == 39);
  CHECK(__mul64hi(1ll << 62, many) == 10);
  CHECK(__funnelshift_l(0x80000000u, 1u, 4) == 0x18u && __funnelshift_r(0x10u, 0x1u, 4) == 0x10000001u);
  CHECK(__dp4a(0x01020304, 0x01010101, 5) == 15 && __sad(3, many, 1u) == 38);
  unsigned result;
  asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(result) : "r"(12), "r"(10), "r"(6));
  CHECK(result == 14);
  asm("{ .reg .pred p; setp.gt.s32 p, %1, 3; selp.u32 %0, 7, 9, p; }" : "=r"(result) : "r"(many));
  CHECK(result == 7);
  asm("bfe.u32 %0, %1, 4, 8;" : "=r"(result) : "r"(0xabcd));
  CHECK(result == 0xbc);
}

__global__ void conversions(float large, float negative, double half) {
  CHECK(int(large) == 2147483647 && unsigned(negative) == 0 && (long long)(large) == 0x7fffffffffffffffll);
  CHECK(int(large * 0 / (negative * 0)) == 0);
  CHECK(__float2int_rn(negative) == -4 && __float2int_ru(negative) == -3 && __float2int_rd(negative) == -4);
  CHECK(__double2int_rn(half) == 2 && rint(half) == 2 && round(half) == 3);
  CHECK(__float_as_int(negative) == 0xc0600000 && __int2float_rz(16777217) == 16777216.0f);
  CHECK(__double2hiint(half) == 0x40040000 && __hiloint2double(0x40040000, 0) == half);
  CHECK(__int2float_ru(16777217) == 16777218.0f && __double2float_rd(1.0 / 3) < 1.0f / 3);
}

__device__ bool near(double a, double b) { return fabs(a - b) <= 1e-6 * fabs(b); }

__global__ void functions(float x, float y) {
  CHECK(near(expf(x), 2.1170000166126748) && near(logf(x), -0.2876820724517809) && near(sinf(x), 0.6816387600233341));
  CHECK(near(cosf(x), 0.7316888688738209) && near(tanhf(x), 0.6351489523872873) && near(erff(x), 0.7111556336535151));
  CHECK(near(powf(x, y), 0.421875) && near(rsqrtf(x), 1.1547005383792515) && near(sqrtf(x), 0.8660254037844386));
  CHECK(near(__expf(x), 2.1170000166126748) && near(__sinf(x), 0.6816387600233341) && near(__fdividef(x, y), 0.25));
  CHECK(near(exp(double(x)), 2.1170000166126748) && near(pow(double(x), double(y)), 0.421875));
  CHECK(near(sin(1e5 * double(x)), -0.6878921) && near(sinf(1e5f * x), -0.6878921));
  CHECK(fminf(x, NAN) == x && fmaxf(x, y) == y && fmodf(y, x) == 0 && floorf(-x) == -1 && truncf(-x) == 0);
  CHECK(__saturatef(y) == 1 && fabsf(-x) == x && copysignf(x, -y) == -x && near(cbrtf(y), 1.4422495703074083));
  CHECK(near(lgammaf(y), 0.6931471805599453) && near(atan2f(x, y), 0.24497866312686414) && isnan(sqrtf(-x)));
}

__global__ void rounding(float one, float three, float tiny) {
  CHECK(__fdiv_rd(one, three) < __fdiv_ru(one, three) && __fadd_rz(one, -tiny) < one && __fadd_rn(one, -tiny) == one);
  CHECK(__fmul_ru(three, tiny) >= __fmul_rd(three, tiny) && __fsqrt_rd(three) < __fsqrt_ru(three));
  CHECK(__fmaf_rz(one, one, -tiny) < one && __dadd_ru(one, 1e-20) > 1 && __frcp_rn(three) == one / three);
}

__global__ void halves(float x, float y) {
  __half a = __float2half(x), b = __float2half(y);
  CHECK(__half2float(__hadd(a, b)) == 1.75f && __half2float(__hmul(a, b)) == 0.375f);
  CHECK(__half2float(__hfma(a, b, a)) == 1.875f && __hgt(a, b) && !__hlt(a, b));
  __half2 pair = __halves2half2(a, b);
  CHECK(__low2float(__hadd2(pair, pair)) == 3 && __high2float(__hmul2(pair, pair)) == 0.0625f);
  CHECK(__half2float(hexp(__float2half(0.0f))) == 1 && __half2float(hsqrt(__float2half(4.0f))) == 2);
  CHECK(__half2float(__float2half(65520.0f)) == INFINITY && __half2int_rn(a) == 2);
  CHECK(__half2float(__hmax(a, b)) == x && __half2float(__hneg(a)) == -x && __half2float(__hdiv(a, b)) == 6);
  __nv_bfloat16 c = __float2bfloat16(x), d = __float2bfloat16(y);
  CHECK(__bfloat162float(__hadd(c, d)) == 1.75f && __bfloat162float(__hmul(c, d)) == 0.375f);
  CHECK(__bfloat162float(__hfma(c, d, c)) == 1.875f && __bfloat162float(__float2bfloat16(1.00390625f)) == 1);
  CHECK(float(c * d + c) == 1.875f && __half2float(a * b + a) == 1.875f);
}

/// (1 + e) * (1 - e) - 1 is -e * e where it is fused, and 0 where the product is rounded first.
__global__ void contracted(float a, float b, int expected) {
  CHECK((a * b - 1.0f != __fadd_rn(__fmul_rn(a, b), -1.0f)) == expected);
}

__global__ void flushed(float x, int expected) {
  CHECK((x * 0.5f == 0) == expected && (x + x == 0) == expected);
  CHECK(!(x > 0) == expected && (ceilf(x) == 0) == expected && (double(x) == 0) == expected);
}
