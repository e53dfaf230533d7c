// REQUIRES: nvcc
// Inline PTX of rarer instructions: video, permutations, bit fields, guards, reductions and barriers that vote. Each kernel checks
// itself and prints what is wrong.
//
// RUN: echo '[{"name": "video", "grid": [1], "block": [1]}, {"name": "bits", "grid": [1], "block": [1]},' > %t.json
// RUN: echo ' {"name": "guards", "grid": [1], "block": [32]}, {"name": "warps", "grid": [1], "block": [64]},' >> %t.json
// RUN: echo ' {"name": "shorts", "grid": [1], "block": [32]},' >> %t.json
// RUN: echo ' {"name": "prints", "grid": [1], "block": [32]}]' >> %t.json
// RUN: %warpwright run %s --launches %t.json --output %t.out -- -arch=sm_90
// RUN: FileCheck %s < %t.out
//
// CHECK: "name": "video"
// CHECK-NOT: "printed"
// CHECK: "name": "prints"
// CHECK: "printed": "line {{[0-9]+}}: lane 3\n"
#include <cstdint>
#include <cstdio>
#include <cuda_bf16.h>

#define CHECK(condition)                                                                                               \
  if (!(condition)) printf("line %d: lane %d\n", __LINE__, int(threadIdx.x))

#define THREE(name, a, b, c)                                                                                           \
  ([](unsigned x, unsigned y, unsigned z) {                                                                            \
    unsigned d;                                                                                                        \
    asm volatile(name " %0, %1, %2, %3;" : "=r"(d) : "r"(x), "r"(y), "r"(z));                                          \
    return d;                                                                                                          \
  }(a, b, c))

__global__ void video() {
  CHECK(THREE("vadd4.u32.u32.u32", 0x01ff7f80u, 0x01010101u, 0) == 0x02008081u);
  CHECK(THREE("vadd4.u32.u32.u32.sat", 0x01ff7f80u, 0x01010101u, 0) == 0x02ff8081u);
  CHECK(THREE("vadd4.s32.s32.s32.sat", 0x01ff7f80u, 0x01010101u, 0) == 0x02007f81u);
  CHECK(THREE("vsub2.s32.s32.s32.sat", 0x80000005u, 0x00010007u, 0) == 0x8000fffeu);
  CHECK(THREE("vabsdiff4.u32.u32.u32", 0x00ff1020u, 0xff002010u, 0) == 0xffff1010u);
  CHECK(THREE("vabsdiff4.u32.u32.u32.add", 0x00ff1020u, 0xff002010u, 7) == 255 + 255 + 16 + 16 + 7);
  CHECK(THREE("vavrg4.u32.u32.u32", 0x01020304u, 0x02020202u, 0) == 0x02020303u);
  CHECK(THREE("vmax2.s32.s32.s32", 0xffff0001u, 0x00000000u, 0) == 0x00000001u);
  CHECK(THREE("vset4.u32.u32.eq", 0x01020304u, 0x01000300u, 0) == 0x01000100u);
  CHECK(THREE("vshr.u32.u32.u32.clamp.add", 0x80000000u, 40u, 3) == 3);
  CHECK(THREE("vadd.s32.s32.s32.sat.min", 0x7fffffffu, 5, 9) == 9);
  CHECK(__vsubss4(0x80017f00u, 0x01020001u) == 0x80ff7fffu);
  CHECK(__vcmpne4(0x01020304u, 0x01000300u) == 0x00ff00ffu);
  CHECK(__vmaxs4(0xff017f80u, 0) == 0x00017f00u);
}

__global__ void bits() {
  CHECK(THREE("prmt.b32", 0x33221100u, 0x77665544u, 0x9406u) == 0xff440066u - 0xff000000u);
  CHECK(THREE("prmt.b32.f4e", 0x33221100u, 0x77665544u, 1) == 0x44332211u);
  CHECK(THREE("prmt.b32.b4e", 0x33221100u, 0x77665544u, 1) == 0x66770011u);
  CHECK(THREE("prmt.b32.rc8", 0x33221100u, 0x77665544u, 2) == 0x22222222u);
  CHECK(THREE("prmt.b32.ecl", 0x33221100u, 0x77665544u, 1) == 0x33221111u);
  CHECK(THREE("prmt.b32.ecr", 0x33221100u, 0x77665544u, 2) == 0x22221100u);
  CHECK(THREE("prmt.b32.rc16", 0x33221100u, 0x77665544u, 1) == 0x33223322u);
  CHECK(THREE("bfe.u32", 0xabcd1234u, 8, 12) == 0xd12u);
  CHECK(THREE("bfe.s32", 0xabcd1234u, 24, 8) == 0xffffffabu);
  CHECK(THREE("bfe.s32", 0xabcd1234u, 28, 12) == 0xfffffffau);
  CHECK(THREE("bfe.u32", 0xabcd1234u, 4, 0) == 0);
  CHECK(THREE("shf.l.wrap.b32", 0x80000001u, 0x00000002u, 33) == 5);
  CHECK(THREE("shf.r.clamp.b32", 0x80000001u, 0x00000002u, 40) == 2);
  CHECK(THREE("dp4a.s32.s32", 0x01ff02fe, 0x03030303u, 10) == 10u);
  CHECK(THREE("mad24.lo.u32", 0xff000003u, 4, 5) == 17);
  unsigned inserted;
  asm volatile("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(inserted) : "r"(0xabu), "r"(0x11111111u), "r"(28), "r"(8));
  CHECK(inserted == 0xb1111111u);
  unsigned logic;
  asm volatile("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(logic) : "r"(0xf0f0u), "r"(0xff00u), "r"(0xcc00u));
  CHECK(logic == 0xfc00u - 0x0c00u + 0x0000u || logic == ((0xf0f0u & 0xff00u) | (0xf0f0u & 0xcc00u) | (0xff00u & 0xcc00u)));
}

__device__ int words[64];

__global__ void guards() {
  int lane = threadIdx.x, read = -1;
  asm volatile("{.reg .pred p; setp.lt.s32 p, %0, 7; @p st.global.u32 [%1], %2;}" ::"r"(lane), "l"(words + lane), "r"(lane + 1) : "memory");
  asm volatile("{.reg .pred p; setp.ge.s32 p, %1, 4; @p ld.global.u32 %0, [%2];}" : "+r"(read) : "r"(lane), "l"(words + lane) : "memory");
  CHECK(read == (lane < 4 ? -1 : lane < 7 ? lane + 1 : 0));
  asm volatile("setmaxnreg.inc.sync.aligned.u32 240;" ::: "memory");
  __nanosleep(100);
}

__global__ void warps() {
  int lane = threadIdx.x % 32;
  unsigned mask = ~0u, match, sum;
  asm volatile("match.any.sync.b32 %0, %1, %2;" : "=r"(match) : "r"(lane / 8), "r"(mask));
  CHECK(match == 0xffu << lane / 8 * 8);
  asm volatile("redux.sync.add.u32 %0, %1, %2;" : "=r"(sum) : "r"(lane), "r"(mask));
  CHECK(sum == 496);
  unsigned count;
  asm volatile("{.reg .pred p; setp.lt.u32 p, %1, 40; barrier.red.popc.aligned.u32 %0, 3, p;}" : "=r"(count) : "r"(threadIdx.x));
  CHECK(count == 40);
  // The first warp gives, the second takes.
  __shared__ int value;
  if (threadIdx.x < 32) {
    if (lane == 0) value = 12;
    asm volatile("bar.arrive 5, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 5, 64;" ::: "memory");
    CHECK(value == 12);
  }
}

__device__ __nv_bfloat162 pair;

__global__ void shorts() {
  __nv_bfloat162 one = __floats2bfloat162_rn(1.0f, 2.0f);
  unsigned bits = reinterpret_cast<unsigned &>(one);
  asm volatile("red.global.add.noftz.bf16x2 [%0], %1;" ::"l"(&pair), "r"(bits) : "memory");
  __syncwarp();
  float2 sum = __bfloat1622float2(pair);
  CHECK(sum.x == 32.0f && sum.y == 64.0f);
  unsigned short rounded;
  asm volatile("cvt.rn.bf16.s32 %0, %1;" : "=h"(rounded) : "r"(257));
  CHECK(rounded == 0x4380);
  static __device__ signed char signs[2] = {-3, 5};
  short first, second;
  asm volatile("ld.global.v2.s8 {%0, %1}, [%2];" : "=h"(first), "=h"(second) : "l"(signs));
  CHECK(first == -3 && second == 5);
}

__global__ void prints() { CHECK(threadIdx.x != 3); }
