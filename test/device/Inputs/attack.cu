// What the virtual device could get wrong: each kernel prints what it computes, bit by bit, and the same file runs on a
// GPU (run-attack). A line is the name of an operation and what each lane got. NaNs are printed as one: no rule says
// which bits they have. Names that begin with ~ are of operations that the hardware approximates: the virtual device
// rounds them to the nearest value, and the figures may differ by a little.
//
// Every KERNEL takes nothing and runs as one block of 32 threads with 64 bytes of dynamic shared memory.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdint>
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

constexpr int lanes = 32, mostLines = 128;

__device__ __forceinline__ unsigned long long bits(float v) { return v != v ? 0x7fffffffu : __float_as_uint(v); }
__device__ __forceinline__ unsigned long long bits(double v) {
  return v != v ? 0x7fffffffffffffffull : static_cast<unsigned long long>(__double_as_longlong(v));
}
__device__ __forceinline__ unsigned long long bits(__half v) { return __hisnan(v) ? 0x7fffu : __half_as_ushort(v); }
__device__ __forceinline__ unsigned long long bits(__nv_bfloat16 v) { return __hisnan(v) ? 0x7fffu : __bfloat16_as_ushort(v); }
__device__ __forceinline__ unsigned long long bits(__half2 v) { return bits(v.y) << 16 | bits(v.x); }
__device__ __forceinline__ unsigned long long bits(__nv_bfloat162 v) { return bits(v.y) << 16 | bits(v.x); }
__device__ __forceinline__ unsigned long long bits(unsigned long long v) { return v; }
__device__ __forceinline__ unsigned long long bits(unsigned v) { return v; }
__device__ __forceinline__ unsigned long long bits(int v) { return static_cast<unsigned>(v); }
__device__ __forceinline__ unsigned long long bits(long long v) { return v; }
__device__ __forceinline__ unsigned long long bits(short v) { return static_cast<unsigned short>(v); }
__device__ __forceinline__ unsigned long long bits(unsigned short v) { return v; }
__device__ __forceinline__ unsigned long long bits(bool v) { return v; }
__device__ __forceinline__ unsigned long long bits(long v) { return v; }
__device__ __forceinline__ unsigned long long bits(unsigned long v) { return v; }

__device__ unsigned long long said[mostLines][lanes];
__device__ const char *names[mostLines];
#define SAY(name, value) say(line, name, bits(value))

__device__ __forceinline__ void say(int &line, const char *name, unsigned long long value) {
  said[line][threadIdx.x] = value;
  if (threadIdx.x == 0) names[line] = name;
  ++line;
}

__device__ void print(int lines) {
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int line = 0; line < lines; ++line) {
    printf("%s:", names[line]);
    for (int i = 0; i < lanes; ++i) printf(" %llx", said[line][i]);
    printf("\n");
  }
}

#define KERNEL(name)                                      \
  __device__ __forceinline__ void name##Of(int &line);    \
  extern "C" __global__ void name() {                     \
    int line = 0;                                         \
    name##Of(line);                                       \
    print(line);                                          \
  }                                                       \
  __device__ __forceinline__ void name##Of(int &line)

// Inputs that no compiler knows.
__device__ unsigned words[lanes] = {0, 1, 2, 3, 5, 7, 8, 13, 31, 32, 33, 63, 64, 100, 127, 128, 255, 256, 32767, 32768, 65535, 65536,
                                    0x12345678, 0x7fffffff, 0x80000000, 0x80000001, 0xdeadbeef, 0xff00ff00, 0x0f0f0f0f, 0xfffffffe,
                                    0xffffffff, 0x01ff7f80};
__device__ unsigned floats[lanes] = {0, 0x80000000, 1, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x3f800000,
                                     0xbf800000, 0x3f000000, 0xbf000000, 0x3fc00000, 0x40200000, 0x3eaaaaab, 0x40490fdb, 0xc0490fdb,
                                     0x4b7fffff, 0x4b800001, 0xcf000000, 0x4f000000, 0x4f7fffff, 0x5f000000, 0xdf000000, 0x7f7fffff,
                                     0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x33800000, 0x477fefff, 0x42280000};
__device__ int steps[4] = {1, 5, 11, 17}; // to the other operands

__device__ unsigned word(int k = 0) { return words[(threadIdx.x + (k ? steps[k] : 0)) % lanes]; }
__device__ unsigned long long wide(int k = 0) { return static_cast<unsigned long long>(word(k)) << 32 | word((k + 1) % 4); }
__device__ float number(int k = 0) { return __uint_as_float(floats[(threadIdx.x + (k ? steps[k] : 0)) % lanes]); }
// Ordinary ones, of different sizes.
__device__ float plain(int k = 0) { return (static_cast<int>(words[threadIdx.x % 8 + k] * 2654435761u >> 8) - (1 << 23)) * (k + 1) * 1.1920929e-7f; }
__device__ double twice(int k = 0) {
  float v = number(k);
  return v == v && v - v == 0 ? static_cast<double>(v) * (1 + steps[1] * 1e-9) : v;
}
__device__ double plainTwice(int k = 0) { return static_cast<double>(plain(k)) * (1 + steps[k] * 1e-10) + 1e-12 * threadIdx.x; }

#define ASM1(type, letter, text, a) ([](auto x) { type d; asm volatile(text " %0, %1;" : "=" letter(d) : letter(x)); return d; }(a))
#define ASM2(type, letter, text, a, b)                                                                                            \
  ([](auto x, auto y) { type d; asm volatile(text " %0, %1, %2;" : "=" letter(d) : letter(x), letter(y)); return d; }(a, b))
#define ASM3(type, letter, text, a, b, c)                                                                                         \
  ([](auto x, auto y, auto z) {                                                                                                   \
    type d;                                                                                                                       \
    asm volatile(text " %0, %1, %2, %3;" : "=" letter(d) : letter(x), letter(y), letter(z));                                      \
    return d;                                                                                                                     \
  }(a, b, c))
#define U1(text, a) SAY(text, ASM1(unsigned, "r", text, a))
#define U2(text, a, b) SAY(text, ASM2(unsigned, "r", text, a, b))
#define U3(text, a, b, c) SAY(text, ASM3(unsigned, "r", text, a, b, c))
#define L1(text, a) SAY(text, ASM1(unsigned long long, "l", text, a))
#define L2(text, a, b) SAY(text, ASM2(unsigned long long, "l", text, a, b))
#define F1(text, a) SAY(text, ASM1(float, "f", text, a))
#define F2(text, a, b) SAY(text, ASM2(float, "f", text, a, b))
#define N1(text, a) SAY("~" text, ASM1(float, "f", text, a))
#define N2(text, a, b) SAY("~" text, ASM2(float, "f", text, a, b))
#define F3(text, a, b, c) SAY(text, ASM3(float, "f", text, a, b, c))

// ---- integers

KERNEL(division) {
  unsigned a = word(), b = word(1);
  U2("div.u32", a, b);
  U2("rem.u32", a, b);
  U2("div.s32", a, b);
  U2("rem.s32", a, b);
  unsigned long long x = wide(), y = wide(2) >> (threadIdx.x & 1 ? 40 : 0);
  L2("div.u64", x, y);
  L2("rem.u64", x, y);
  L2("div.s64", x, y);
  L2("rem.s64", x, y);
  SAY("s32 / s32", b != 0 && (a != 0x80000000u || b != ~0u) ? int(a) / int(b) : 0);
  SAY("u64 % u32", b ? x % b : 0);
}

KERNEL(shifts) {
  unsigned a = word(), b = word(1), c = word(2);
  U2("shl.b32", a, b);
  U2("shr.u32", a, b);
  U2("shr.s32", a, b);
  unsigned long long w;
  asm volatile("shl.b64 %0, %1, %2;" : "=l"(w) : "l"(wide()), "r"(b));
  SAY("shl.b64", w);
  asm volatile("shr.s64 %0, %1, %2;" : "=l"(w) : "l"(wide()), "r"(b));
  SAY("shr.s64", w);
  unsigned short h;
  asm volatile("shr.s16 %0, %1, %2;" : "=h"(h) : "h"((unsigned short)a), "r"(b));
  SAY("shr.s16", h);
  asm volatile("shl.b16 %0, %1, %2;" : "=h"(h) : "h"((unsigned short)a), "r"(b));
  SAY("shl.b16", h);
  SAY("funnelshift_l", __funnelshift_l(a, b, c));
  SAY("funnelshift_r", __funnelshift_r(a, b, c));
  SAY("funnelshift_lc", __funnelshift_lc(a, b, c));
  SAY("funnelshift_rc", __funnelshift_rc(a, b, c));
}

KERNEL(fields) {
  unsigned a = word(), b = word(1), c = word(2), d;
  U3("bfe.u32", a, b, c);
  U3("bfe.s32", a, b, c);
  U3("bfe.u32", a, b & 31, c & 15);
  U3("bfe.s32", a, b & 31, c & 15);
  asm volatile("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(d) : "r"(a), "r"(b), "r"(c), "r"(a >> 3));
  SAY("bfi.b32", d);
  asm volatile("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(d) : "r"(a), "r"(b), "r"(c & 31), "r"(a & 31));
  SAY("bfi.b32 of few", d);
  unsigned long long w;
  asm volatile("bfe.s64 %0, %1, %2, %3;" : "=l"(w) : "l"(wide()), "r"(b & 63), "r"(c & 63));
  SAY("bfe.s64", w);
  asm volatile("bfi.b64 %0, %1, %2, %3, %4;" : "=l"(w) : "l"(wide()), "l"(wide(1)), "r"(b & 63), "r"(c & 63));
  SAY("bfi.b64", w);
  U1("bfind.u32", a);
  U1("bfind.s32", a);
  U1("bfind.shiftamt.u32", a);
  U1("bfind.shiftamt.s32", a);
  asm volatile("bfind.s64 %0, %1;" : "=r"(d) : "l"(wide()));
  SAY("bfind.s64", d);
  asm volatile("bfind.shiftamt.u64 %0, %1;" : "=r"(d) : "l"(wide() >> 20));
  SAY("bfind.shiftamt.u64", d);
  SAY("brev", __brev(a));
  SAY("brevll", __brevll(wide()));
  SAY("clz", __clz(a));
  SAY("clzll", __clzll(wide()));
  SAY("ffs", __ffs(a));
  SAY("ffsll", __ffsll(wide()));
  SAY("popc", __popc(a));
  SAY("popcll", __popcll(wide()));
  for (int base : {0, 7, 31})
    for (int offset : {-3, -1, 0, 1, 2, 9}) SAY("fns", __fns(a, base, offset));
}

KERNEL(bytes) {
  unsigned a = word(), b = word(1), c = word(2);
  U3("prmt.b32", a, b, c);
  U3("prmt.b32.f4e", a, b, c);
  U3("prmt.b32.b4e", a, b, c);
  U3("prmt.b32.rc8", a, b, c);
  U3("prmt.b32.ecl", a, b, c);
  U3("prmt.b32.ecr", a, b, c);
  U3("prmt.b32.rc16", a, b, c);
  SAY("byte_perm", __byte_perm(a, b, c));
  U3("dp4a.u32.u32", a, b, c);
  U3("dp4a.s32.s32", a, b, c);
  U3("dp4a.s32.u32", a, b, c);
  U3("dp4a.u32.s32", a, b, c);
  U3("dp2a.lo.s32.s32", a, b, c);
  U3("dp2a.hi.s32.u32", a, b, c);
  U3("dp2a.lo.u32.s32", a, b, c);
  U3("dp2a.hi.u32.u32", a, b, c);
  SAY("__dp4a", __dp4a(int(a), int(b), int(c)));
  SAY("__dp2a_hi", __dp2a_hi(a, b, c));
  unsigned d;
#define LOGIC(table)                                                                            \
  asm volatile("lop3.b32 %0, %1, %2, %3, " #table ";" : "=r"(d) : "r"(a), "r"(b), "r"(c)); \
  SAY("lop3 " #table, d)
  LOGIC(0x96);
  LOGIC(0xe8);
  LOGIC(0x1b);
  LOGIC(0xfe);
}

KERNEL(products) {
  unsigned a = word(), b = word(1), c = word(2);
  unsigned long long x = wide(), y = wide(1);
  SAY("mulhi", __mulhi(int(a), int(b)));
  SAY("umulhi", __umulhi(a, b));
  SAY("mul64hi", __mul64hi(x, y));
  SAY("umul64hi", __umul64hi(x, y));
  SAY("mul24", __mul24(a, b));
  SAY("umul24", __umul24(a, b));
  U2("mul24.hi.s32", a, b);
  U2("mul24.hi.u32", a, b);
  U3("mad24.lo.s32", a, b, c);
  U3("mad24.hi.u32", a, b, c);
  U3("mad.hi.s32", a, b, c);
  U3("mad.lo.u32", a, b, c);
  U3("sad.s32", a, b, c);
  U3("sad.u32", a, b, c);
  SAY("hadd", __hadd(int(a), int(b)));
  SAY("rhadd", __rhadd(int(a), int(b)));
  SAY("uhadd", __uhadd(a, b));
  SAY("urhadd", __urhadd(a, b));
  SAY("abs", abs(int(a)));
  U2("add.sat.s32", a, b);
  U2("sub.sat.s32", a, b);
  unsigned low, high;
  asm volatile("{add.cc.u32 %0, %2, %4; addc.u32 %1, %3, %5;}" : "=r"(low), "=r"(high) : "r"(a), "r"(b), "r"(c), "r"(a));
  SAY("add.cc", low);
  SAY("addc", high);
  asm volatile("{sub.cc.u32 %0, %2, %4; subc.u32 %1, %3, %5;}" : "=r"(low), "=r"(high) : "r"(a), "r"(b), "r"(c), "r"(a));
  SAY("sub.cc", low);
  SAY("subc", high);
  asm volatile("{mad.lo.cc.u32 %0, %2, %3, %4; madc.hi.u32 %1, %2, %3, %5;}" : "=r"(low), "=r"(high) : "r"(a), "r"(b), "r"(c), "r"(a));
  SAY("mad.lo.cc", low);
  SAY("madc.hi", high);
  unsigned __int128 product = static_cast<unsigned __int128>(x) * y + x;
  SAY("u128 product", static_cast<unsigned long long>(product >> 64));
}

KERNEL(video) {
  unsigned a = word(), b = word(1), c = word(2);
#define TWO(name) SAY(#name, name(a, b))
  TWO(__vadd2); TWO(__vadd4); TWO(__vaddss2); TWO(__vaddss4); TWO(__vaddus2); TWO(__vaddus4); TWO(__vsub2); TWO(__vsub4);
  TWO(__vsubss2); TWO(__vsubss4); TWO(__vsubus2); TWO(__vsubus4); TWO(__vabsdiffs2); TWO(__vabsdiffs4); TWO(__vabsdiffu2);
  TWO(__vabsdiffu4); TWO(__vavgs2); TWO(__vavgs4); TWO(__vavgu2); TWO(__vavgu4); TWO(__vhaddu2); TWO(__vhaddu4); TWO(__vmaxs2);
  TWO(__vmaxs4); TWO(__vmaxu2); TWO(__vmaxu4); TWO(__vmins2); TWO(__vmins4); TWO(__vminu2); TWO(__vminu4); TWO(__vsads2);
  TWO(__vsads4); TWO(__vsadu2); TWO(__vsadu4); TWO(__vcmpeq2); TWO(__vcmpeq4); TWO(__vcmpges2); TWO(__vcmpgeu4); TWO(__vcmpgts4);
  TWO(__vcmpleu2); TWO(__vcmplts2); TWO(__vcmpne4); TWO(__vseteq4); TWO(__vsetges2); TWO(__vsetltu4);
  SAY("__vabsss2", __vabsss2(a)); SAY("__vabsss4", __vabsss4(a)); SAY("__vneg2", __vneg2(a)); SAY("__vnegss4", __vnegss4(a));
  U3("vabsdiff.u32.s32.s32.add", a, b, c);
  U3("vmax.s32.s32.u32.min", a, b, c);
  U3("vadd4.s32.s32.s32.sat", a, b, c);
  U3("vabsdiff4.u32.s32.u32.add", a, b, c);
  U3("vavrg2.s32.s32.u32", a, b, c);
  U3("vset4.s32.u32.lt.add", a, b, c);
  U3("vshl.u32.u32.u32.wrap.add", a, b, c);
  U3("vshr.s32.s32.u32.clamp.max", a, b, c);
  SAY("__viaddmax_s32", __viaddmax_s32(a, b, c));
}

KERNEL(rectified) {
  unsigned a = word(), b = word(1), c = word(2);
  SAY("__vimax3_s16x2_relu", __vimax3_s16x2_relu(a, b, c));
  SAY("__vimin_s32_relu", __vimin_s32_relu(a, b));
}

// ---- floating point

#define ROUNDED(stem, ...) \
  SAY(#stem "_rn", stem##_rn(__VA_ARGS__)); SAY(#stem "_rz", stem##_rz(__VA_ARGS__)); \
  SAY(#stem "_rd", stem##_rd(__VA_ARGS__)); SAY(#stem "_ru", stem##_ru(__VA_ARGS__))

KERNEL(rounding) {
  for (int k = 1; k < 4; ++k) {
    float a = number(), b = number(k), c = number((k + 1) % 4);
    ROUNDED(__fadd, a, b);
    ROUNDED(__fsub, a, b);
    ROUNDED(__fmul, a, b);
    ROUNDED(__fdiv, a, b);
    ROUNDED(__fmaf, a, b, c);
  }
  ROUNDED(__fadd, plain(), plain(1));
  ROUNDED(__fmul, plain(), plain(1));
  ROUNDED(__fdiv, plain(), plain(1));
  ROUNDED(__fmaf, plain(), plain(1), plain(2));
  ROUNDED(__frcp, number());
  ROUNDED(__fsqrt, number());
  ROUNDED(__frcp, plain());
  ROUNDED(__fsqrt, plain());
}

KERNEL(roundingTwice) {
  double a = twice(), b = twice(1), c = twice(2);
  ROUNDED(__dadd, a, b);
  ROUNDED(__dsub, a, b);
  ROUNDED(__dmul, a, b);
  ROUNDED(__ddiv, a, b);
  ROUNDED(__fma, a, b, c);
  ROUNDED(__drcp, a);
  ROUNDED(__dsqrt, a);
  ROUNDED(__dadd, plainTwice(), plainTwice(1));
  ROUNDED(__dmul, plainTwice(), plainTwice(1));
  ROUNDED(__ddiv, plainTwice(), plainTwice(1));
  ROUNDED(__fma, plainTwice(), plainTwice(1), plainTwice(2));
  ROUNDED(__dsqrt, plainTwice());
}

KERNEL(operators) {
  float a = number(), b = number(1), c = number(2);
  SAY("a + b", a + b);
  SAY("a * b", a * b);
  SAY("a / b", a / b);
  SAY("sqrt", sqrtf(a));
  SAY("fma", fmaf(a, b, c));
  SAY("min", fminf(a, b));
  SAY("max", fmaxf(a, b));
  SAY("a < b", a < b);
  SAY("a != b", a != b);
  SAY("a <= b", a <= b);
  SAY("abs", fabsf(a));
  SAY("saturate", __saturatef(a));
  SAY("copysign", copysignf(a, b));
  SAY("isnan", isnan(a));
  SAY("isinf", isinf(a));
  SAY("signbit", bool(signbit(a)));
  double x = twice(), y = twice(1);
  SAY("x / y", x / y);
  SAY("sqrt x", sqrt(x));
  SAY("min x", fmin(x, y));
  SAY("max x", fmax(x, y));
  F2("min.NaN.f32", a, b);
  F2("max.NaN.f32", a, b);
  F2("min.f32", a, b);
  F2("copysign.f32", a, b);
}

KERNEL(flushing) {
  float a = number(), b = number(1), c = number(2);
  for (int k = 0; k < 2; ++k, b = number(3), c = number(1)) {
    F2("add.ftz.f32", a, b);
    F2("sub.rz.ftz.f32", a, b);
    F2("mul.ftz.f32", a, b);
    F2("mul.sat.f32", a, b);
    F2("add.ftz.sat.f32", a, b);
    F3("fma.rn.ftz.f32", a, b, c);
    F3("fma.rp.ftz.sat.f32", a, b, c);
    F2("div.rn.ftz.f32", a, b);
    F2("min.ftz.f32", a, b);
    F2("max.ftz.NaN.f32", a, b);
  }
  F1("abs.ftz.f32", a);
  F1("neg.ftz.f32", a);
  F1("rcp.rn.ftz.f32", a);
  F1("sqrt.rn.ftz.f32", a);
  F1("cvt.rni.ftz.f32.f32", a);
  F1("cvt.sat.ftz.f32.f32", a);
  F1("cvt.rpi.f32.f32", a);
  unsigned flags;
  asm volatile("{.reg .pred p; setp.lt.ftz.f32 p, %1, %2; selp.u32 %0, 1, 0, p;}" : "=r"(flags) : "f"(a), "f"(b));
  SAY("setp.lt.ftz.f32", flags);
  asm volatile("{.reg .pred p; setp.neu.f32 p, %1, %2; selp.u32 %0, 1, 0, p;}" : "=r"(flags) : "f"(a), "f"(b));
  SAY("setp.neu.f32", flags);
  asm volatile("set.geu.ftz.u32.f32 %0, %1, %2;" : "=r"(flags) : "f"(a), "f"(b));
  SAY("set.geu.ftz.u32.f32", flags);
  double d;
  asm volatile("cvt.ftz.f64.f32 %0, %1;" : "=d"(d) : "f"(a));
  SAY("cvt.ftz.f64.f32", d);
  asm volatile("cvt.rn.ftz.f32.f64 %0, %1;" : "=f"(a) : "d"(twice()));
  SAY("cvt.rn.ftz.f32.f64", a);
  asm volatile("cvt.rzi.ftz.s32.f32 %0, %1;" : "=r"(flags) : "f"(number()));
  SAY("cvt.rzi.ftz.s32.f32", flags);
  asm volatile("cvt.rpi.ftz.s32.f32 %0, %1;" : "=r"(flags) : "f"(number()));
  SAY("cvt.rpi.ftz.s32.f32", flags);
  asm volatile("cvt.rpi.s32.f32 %0, %1;" : "=r"(flags) : "f"(number()));
  SAY("cvt.rpi.s32.f32", flags);
}

// Which product goes into a sum decides the last bit.
KERNEL(contraction) {
  float a = plain(), b = plain(1), c = plain(2), d = plain(3);
  SAY("a * b + c", a * b + c);
  SAY("a * b - c", a * b - c);
  SAY("c - a * b", c - a * b);
  SAY("-(a * b) + c", -(a * b) + c);
  SAY("-a * b - c", -a * b - c);
  SAY("a * b + c * d", a * b + c * d);
  SAY("a * b - c * d", a * b - c * d);
  SAY("a * b * c + d", a * b * c + d);
  SAY("a * b + a * b", a * b + c * d + a * b);
  SAY("sum of four", a * b + b * c + c * d + d * a);
  SAY("a * b + (c + d)", a * b + (c + d));
  SAY("(a + b) * (c + d)", (a + b) * (c + d));
  SAY("(a + b) * c + d", (a + b) * c + d);
  SAY("a * (b + 1)", a * (b + 1));
  SAY("a * (b - 1)", a * (b - 1));
  SAY("a * (1 - b)", a * (1 - b));
  float product = a * b;
  SAY("product used twice", product + c);
  SAY("product used twice, again", product - d);
  SAY("product kept", product);
  float sum = 0;
  for (int i = 0; i < 4; ++i) sum += plain(i) * plain((i + 1) % 4);
  SAY("~sum of a loop", sum);
  SAY("a / b + c", a / b + c);
  SAY("a * 3 + c", a * 3 + c);
  SAY("a * 2 + c", a * 2 + c);
  SAY("a + a * b", a + a * b);
  SAY("a * a - b * b", a * a - b * b);
  SAY("complex", (a * c - b * d) * (a * d + b * c));
  SAY("chosen", (threadIdx.x % 2 ? a * b : c * d) + a);
  double x = plainTwice(), y = plainTwice(1), z = plainTwice(2), w = plainTwice(3);
  SAY("x * y + z", x * y + z);
  SAY("x * y - z * w", x * y - z * w);
  SAY("x * y + z * w + x", x * y + z * w + x);
  SAY("intrinsics", __fadd_rn(__fmul_rn(a, b), c));
  SAY("__fmul_rn + c", __fmul_rn(a, b) + c);
}

KERNEL(conversions) {
  float f = number();
  double d = twice();
#define FROM(name) SAY(#name, name(f))
  FROM(__float2int_rn); FROM(__float2int_rz); FROM(__float2int_rd); FROM(__float2int_ru); FROM(__float2uint_rn); FROM(__float2uint_rz);
  FROM(__float2uint_rd); FROM(__float2uint_ru); FROM(__float2ll_rn); FROM(__float2ll_rz); FROM(__float2ll_rd); FROM(__float2ll_ru);
  FROM(__float2ull_rn); FROM(__float2ull_rz); FROM(__float2ull_rd); FROM(__float2ull_ru);
  FROM(__float2half_rn); FROM(__float2half_rz); FROM(__float2half_rd); FROM(__float2half_ru);
  FROM(__float2bfloat16_rn); FROM(__float2bfloat16_rz); FROM(__float2bfloat16_rd); FROM(__float2bfloat16_ru);
  FROM(rintf); FROM(truncf); FROM(floorf); FROM(ceilf); FROM(roundf); FROM(nearbyintf); FROM(lrintf); FROM(llroundf);
#undef FROM
#define FROM(name) SAY(#name, name(d))
  FROM(__double2int_rn); FROM(__double2int_rz); FROM(__double2int_rd); FROM(__double2int_ru); FROM(__double2uint_rn);
  FROM(__double2uint_rz); FROM(__double2ll_rn); FROM(__double2ll_rz); FROM(__double2ull_rn); FROM(__double2ull_rz);
  FROM(__double2float_rn); FROM(__double2float_rz); FROM(__double2float_rd); FROM(__double2float_ru); FROM(__double2half);
  FROM(__double2bfloat16); FROM(__double2hiint); FROM(__double2loint); FROM(rint); FROM(round); FROM(trunc);
#undef FROM
  SAY("(int)f", int(f == f && fabsf(f) < 2e9f ? f : 0));
  SAY("(unsigned char)", unsigned(static_cast<unsigned char>(f > 0 && f < 255 ? f : 0)));
  unsigned a = word();
  unsigned long long w = wide();
#define FROM(name, value) SAY(#name, name(value))
  FROM(__int2float_rn, a); FROM(__int2float_rz, a); FROM(__int2float_rd, a); FROM(__int2float_ru, a); FROM(__uint2float_rn, a);
  FROM(__uint2float_ru, a); FROM(__ll2float_rn, w); FROM(__ll2float_rz, w); FROM(__ll2float_ru, w); FROM(__ull2float_rn, w);
  FROM(__ull2float_rd, w); FROM(__ll2double_rn, w); FROM(__ll2double_rz, w); FROM(__ull2double_ru, w); FROM(__ull2double_rd, w);
  FROM(__int2double_rn, a); FROM(__int2half_rn, a); FROM(__int2half_rz, a); FROM(__int2half_ru, a); FROM(__uint2half_rn, a);
 FROM(__int2bfloat16_rn, a); FROM(__uint2bfloat16_rz, a);
  __half h = __ushort_as_half(static_cast<unsigned short>(a >> 8 ^ a));
  FROM(__half2int_rn, h); FROM(__half2int_rz, h); FROM(__half2uint_rd, h); FROM(__half2ll_ru, h); FROM(__half2float, h);
  FROM(__half2short_rn, h); FROM(__half2ushort_rz, h); FROM(hrint, h); FROM(hfloor, h); FROM(hceil, h); FROM(htrunc, h);
  unsigned d8;
  asm volatile("cvt.rzi.u8.f32 %0, %1;" : "=r"(d8) : "f"(f));
  SAY("cvt.rzi.u8.f32", d8);
  asm volatile("cvt.rni.s8.f32 %0, %1;" : "=r"(d8) : "f"(f));
  SAY("cvt.rni.s8.f32", d8);
  unsigned short d16;
  asm volatile("cvt.rni.s16.f32 %0, %1;" : "=h"(d16) : "f"(f));
  SAY("cvt.rni.s16.f32", d16);
  asm volatile("cvt.rn.relu.bf16x2.f32 %0, %1, %2;" : "=r"(d8) : "f"(f), "f"(number(1)));
  SAY("cvt.rn.relu.bf16x2.f32", *reinterpret_cast<__nv_bfloat162 *>(&d8));
  asm volatile("cvt.rz.f16x2.f32 %0, %1, %2;" : "=r"(d8) : "f"(f), "f"(number(1)));
  SAY("cvt.rz.f16x2.f32", *reinterpret_cast<__half2 *>(&d8));
  asm volatile("cvt.rna.tf32.f32 %0, %1;" : "=r"(d8) : "f"(plain()));
  SAY("cvt.rna.tf32.f32", d8);
}

__device__ __half half1(int k = 0) { return __float2half(k ? plain(k) : number()); }
__device__ __nv_bfloat16 bf1(int k = 0) { return __float2bfloat16(k ? plain(k) : number()); }

KERNEL(halves) {
  for (int k = 0; k < 2; ++k) {
    __half a = half1(k), b = __float2half(k ? plain(2) : number(1)), c = __float2half(k ? plain(3) : number(2));
    SAY("h add", __hadd(a, b)); SAY("h add_rn", __hadd_rn(a, b)); SAY("h sub", __hsub(a, b)); SAY("h mul", __hmul(a, b));
    SAY("h fma", __hfma(a, b, c)); SAY("h fma_relu", __hfma_relu(a, b, c)); SAY("h fma_sat", __hfma_sat(a, b, c));
    SAY("h add_sat", __hadd_sat(a, b)); SAY("h mul_sat", __hmul_sat(a, b)); SAY("h neg", __hneg(a)); SAY("h abs", __habs(a));
    SAY("h min", __hmin(a, b)); SAY("h max_nan", __hmax_nan(a, b)); SAY("h lt", __hlt(a, b)); SAY("h neu", __hneu(a, b));
    SAY("h gtu", __hgtu(a, b)); SAY("h div", __hdiv(a, b)); SAY("h mul_rn then add", __hadd_rn(__hmul_rn(a, b), c));
    SAY("~h sqrt", hsqrt(a)); SAY("~h rsqrt", hrsqrt(a)); SAY("~h rcp", hrcp(a)); SAY("~h exp2", hexp2(a)); SAY("~h log2", hlog2(a));
    SAY("~h sin", hsin(a)); SAY("~h tanh", htanh_approx(a));
    __half2 p = __halves2half2(a, b), q = __halves2half2(b, c);
    SAY("h2 add", __hadd2(p, q)); SAY("h2 fma", __hfma2(p, q, p)); SAY("h2 min_nan", __hmin2_nan(p, q)); SAY("h2 ne", __hne2(p, q));
    SAY("h2 le mask", __hle2_mask(p, q)); SAY("h2 cmadd", __hcmadd(p, q, p)); SAY("h2 div", __h2div(p, q));
  }
}

KERNEL(bfloats) {
  for (int k = 0; k < 2; ++k) {
    __nv_bfloat16 a = bf1(k), b = __float2bfloat16(k ? plain(2) : number(1)), c = __float2bfloat16(k ? plain(3) : number(2));
    SAY("b add", __hadd(a, b)); SAY("b sub", __hsub(a, b)); SAY("b mul", __hmul(a, b)); SAY("b fma", __hfma(a, b, c));
    SAY("b fma_relu", __hfma_relu(a, b, c)); SAY("b add_sat", __hadd_sat(a, b)); SAY("b neg", __hneg(a)); SAY("b abs", __habs(a));
    SAY("b min", __hmin(a, b)); SAY("b max_nan", __hmax_nan(a, b)); SAY("b le", __hle(a, b)); SAY("b equ", __hequ(a, b));
    SAY("b div", __hdiv(a, b)); SAY("b add_rn", __hadd_rn(a, b)); SAY("b to int", __bfloat162int_rz(a)); SAY("~b exp2", hexp2(a));
    __nv_bfloat162 p = __halves2bfloat162(a, b), q = __halves2bfloat162(b, c);
    SAY("b2 add", __hadd2(p, q)); SAY("b2 mul", __hmul2(p, q)); SAY("b2 fma", __hfma2(p, q, p)); SAY("b2 max", __hmax2(p, q));
    SAY("b2 gt mask", __hgt2_mask(p, q));
  }
}

// Products and sums of 16 bits without a rounding of their own may be fused by ptxas.
KERNEL(halvesFused) {
  __half a = half1(1), b = half1(2), c = half1(3);
  SAY("h mul then add", __hadd(__hmul(a, b), c));
  SAY("h operators", a * b + c);
  __half2 p = __halves2half2(a, b), q = __halves2half2(b, c), r = __halves2half2(c, a);
  SAY("h2 mul then add", __hadd2(__hmul2(p, q), r));
  SAY("h2 mul then sub", __hsub2(__hmul2(p, q), r));
  __nv_bfloat16 x = bf1(1), y = bf1(2), z = bf1(3);
  SAY("b mul then add", __hadd(__hmul(x, y), z));
  SAY("b operators", x * y - z);
}

// ---- mathematics: those that consist of exact operations have the same bits everywhere.
KERNEL(mathematics) {
  float a = number(), b = number(1);
#define OF(name) SAY(#name, name(a)); SAY(#name " of plain", name(plain() * 3))
#define NEAR(name) SAY("~" #name, name(a)); SAY("~" #name " of plain", name(plain() * 3))
  OF(sinf); OF(cosf); OF(tanf); OF(asinf); OF(acosf); OF(atanf); OF(logf); OF(log1pf); OF(erff); OF(ilogbf); OF(logbf);
  NEAR(expf); NEAR(cbrtf); NEAR(exp2f); NEAR(expm1f); NEAR(tanhf); NEAR(sinhf); NEAR(coshf); NEAR(erfcf); NEAR(lgammaf); NEAR(tgammaf); NEAR(log2f);
  NEAR(log10f); NEAR(rsqrtf); NEAR(rcbrtf); NEAR(asinhf); NEAR(acoshf); NEAR(atanhf); NEAR(j0f); NEAR(normcdff); NEAR(sinpif);
  SAY("atan2f", atan2f(a, b)); SAY("fmodf", fmodf(a, b)); SAY("remainderf", remainderf(a, b)); SAY("~powf", powf(a, b));
  SAY("~powf of plain", powf(fabsf(plain()) + 0.5f, plain(1) * 4)); SAY("~hypotf", hypotf(a, b)); SAY("nextafterf", nextafterf(a, b));
  SAY("ldexpf", ldexpf(a, int(word()) % 40)); SAY("fdimf", fdimf(a, b)); SAY("~rhypotf", rhypotf(a, b)); SAY("scalbnf", scalbnf(a, -30));
  int exponent;
  float fraction = frexpf(a, &exponent), whole;
  SAY("frexpf", fraction); SAY("frexpf exponent", a == a && a - a == 0 ? exponent : 0);
  SAY("modff", modff(a, &whole)); SAY("modff whole", whole);
}

KERNEL(mathematicsTwice) {
  double a = twice(), b = twice(1);
// Whose last bit depends on how much of its argument the compiler finds to have been computed before.
#define OF2(name) SAY(#name, name(a)); SAY("~" #name " of plain", name(plainTwice() * 3))
#define NEAR2(name) SAY("~" #name, name(a)); SAY("~" #name " of plain", name(plainTwice() * 3))
  OF2(sin); OF2(cos); OF2(exp); OF2(exp2); OF2(atan); OF2(erf); OF2(ceil); OF2(logb);
  NEAR2(log); NEAR2(log2); NEAR2(tanh); NEAR2(tan); NEAR2(cbrt); NEAR2(rsqrt); NEAR2(asin); NEAR2(lgamma); NEAR2(expm1); NEAR2(erfc);
  SAY("~pow", pow(fabs(a), b)); SAY("fmod", fmod(a, b)); SAY("~atan2", atan2(a, b)); SAY("~hypot", hypot(a, b)); SAY("remainder", remainder(a, b));
}

KERNEL(approximations) {
  float a = number(), b = number(1), p = plain() * 3, q = plain(1) * 3;
  SAY("~__sinf", __sinf(p)); SAY("~__cosf", __cosf(p)); SAY("~__tanf", __tanf(p)); SAY("~__expf", __expf(p)); SAY("~__exp10f", __exp10f(p));
  SAY("~__logf", __logf(fabsf(p))); SAY("~__log2f", __log2f(fabsf(p))); SAY("~__log10f", __log10f(fabsf(p)));
  SAY("~__powf", __powf(fabsf(p), q)); SAY("~__fdividef", __fdividef(p, q)); SAY("~rsqrtf", rsqrtf(fabsf(p)));
  N1("tanh.approx.f32", p); N1("rcp.approx.f32", p); N1("rcp.approx.ftz.f32", p); N1("sqrt.approx.f32", fabsf(p));
  N1("rcp.approx.f32", a); N1("rcp.approx.ftz.f32", a); N1("sqrt.approx.f32", a); N1("sqrt.approx.ftz.f32", a);
  N1("rsqrt.approx.f32", a); N1("rsqrt.approx.ftz.f32", a); N1("ex2.approx.f32", a); N1("ex2.approx.ftz.f32", a);
  N1("lg2.approx.f32", a); N1("lg2.approx.ftz.f32", a); N1("tanh.approx.f32", a);
  N2("div.approx.f32", a, b); N2("div.full.f32", a, b); N2("div.approx.ftz.f32", a, b);
  SAY("~__fdividef by large", __fdividef(p, __uint_as_float(0x7f000000u + threadIdx.x * 0x20000u)));
  SAY("~__fdividef of inf", __fdividef(__uint_as_float(0x7f800000), __uint_as_float(0x7f000000u + threadIdx.x * 0x20000u)));
  double x = twice(), d;
  asm volatile("rcp.approx.ftz.f64 %0, %1;" : "=d"(d) : "d"(x));
  SAY("~rcp.approx.ftz.f64", d);
  asm volatile("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(d) : "d"(fabs(x)));
  SAY("~rsqrt.approx.ftz.f64", d);
}

// ---- atomics

__device__ float globalFloats[lanes];
__device__ double globalDoubles[lanes];
__device__ unsigned globalWords[lanes];
__device__ unsigned long long globalWide[lanes];
__device__ __half2 globalHalves[lanes];
__device__ __half globalHalf[lanes];
__device__ __nv_bfloat162 globalBfloats[lanes];
__device__ __nv_bfloat16 globalBfloat[lanes];
__device__ unsigned short globalShorts[lanes];

// Atomic sums of floats flush denormals in global memory, and keep them in shared memory.
KERNEL(atomicNumbers) {
  __shared__ float sharedFloats[lanes];
  int i = threadIdx.x;
  float a = number(), b = number(1);
  for (int k = 0; k < 2; ++k, b = number(2)) {
    globalFloats[i] = a;
    sharedFloats[i] = a;
    SAY("atomicAdd global", atomicAdd(&globalFloats[i], b));
    SAY("atomicAdd global after", globalFloats[i]);
    SAY("atomicAdd shared", atomicAdd(&sharedFloats[i], b));
    SAY("atomicAdd shared after", sharedFloats[i]);
    globalFloats[i] = a;
    asm volatile("red.global.add.f32 [%0], %1;" ::"l"(&globalFloats[i]), "f"(b) : "memory");
    SAY("red after", *const_cast<volatile float *>(&globalFloats[i]));
    globalDoubles[i] = a;
    atomicAdd(&globalDoubles[i], twice(1));
    SAY("atomicAdd double", globalDoubles[i]);
    SAY("atomicExch", atomicExch(&globalFloats[i], b));
  }
}

KERNEL(atomicWords) {
  int i = threadIdx.x;
  unsigned a = word(), b = word(1), c = word(2);
#define ATOMIC(name, ...)                                             \
  globalWords[i] = a;                                                 \
  SAY(#name, name(&globalWords[i], __VA_ARGS__));                     \
  SAY(#name " after", globalWords[i])
  ATOMIC(atomicAdd, b); ATOMIC(atomicSub, b); ATOMIC(atomicMin, b); ATOMIC(atomicMax, b); ATOMIC(atomicAnd, b); ATOMIC(atomicOr, b);
  ATOMIC(atomicXor, b); ATOMIC(atomicInc, b); ATOMIC(atomicDec, b); ATOMIC(atomicCAS, threadIdx.x % 2 ? a : b, c); ATOMIC(atomicExch, b);
  globalWords[i] = a;
  SAY("signed min", atomicMin(reinterpret_cast<int *>(&globalWords[i]), int(b)));
  SAY("signed min after", globalWords[i]);
  globalWide[i] = wide();
  SAY("wide max", atomicMax(&globalWide[i], wide(1)));
  SAY("wide signed max", unsigned(atomicMax(reinterpret_cast<long long *>(&globalWide[i]), (long long)wide(2)) >> 32));
  SAY("wide xor", atomicXor(&globalWide[i], wide(1)));
  SAY("wide after", globalWide[i]);
  globalShorts[i] = a;
  SAY("cas16", atomicCAS(&globalShorts[i], (unsigned short)(i % 2 ? a : b), (unsigned short)c));
  SAY("cas16 after", globalShorts[i]);
  unsigned old;
  globalWords[i] = a;
  asm volatile("atom.global.inc.u32 %0, [%1], %2;" : "=r"(old) : "l"(&globalWords[i]), "r"(b) : "memory");
  SAY("atom.inc", old);
  asm volatile("atom.acq_rel.gpu.global.cas.b32 %0, [%1], %2, %3;" : "=r"(old) : "l"(&globalWords[i]), "r"(b), "r"(c) : "memory");
  SAY("atom.cas", old);
  asm volatile("red.relaxed.gpu.global.max.s32 [%0], %1;" ::"l"(&globalWords[i]), "r"(c) : "memory");
  SAY("red.max", globalWords[i]);
}

KERNEL(atomicHalves) {
  int i = threadIdx.x;
  for (int k = 0; k < 2; ++k) {
    __half a = half1(k), b = __float2half(k ? plain(2) : number(1));
    __nv_bfloat16 x = bf1(k), y = __float2bfloat16(k ? plain(2) : number(1));
    globalHalves[i] = __halves2half2(a, b);
    globalHalf[i] = a;
    globalBfloats[i] = __halves2bfloat162(x, y);
    globalBfloat[i] = x;
    __syncthreads();
    SAY("atomicAdd half2", atomicAdd(&globalHalves[i], __halves2half2(b, a)));
    SAY("atomicAdd half2 after", globalHalves[i]);
    SAY("atomicAdd half", atomicAdd(&globalHalf[i], b));
    SAY("atomicAdd half after", globalHalf[i]);
    SAY("atomicAdd bf162", atomicAdd(&globalBfloats[i], __halves2bfloat162(y, x)));
    SAY("atomicAdd bf162 after", globalBfloats[i]);
    SAY("atomicAdd bf16", atomicAdd(&globalBfloat[i], y));
    SAY("atomicAdd bf16 after", globalBfloat[i]);
  }
}

// ---- warps

KERNEL(shuffles) {
  unsigned a = word(), all = ~0u;
  for (int width : {32, 16, 8, 4}) {
    SAY("up 1", __shfl_up_sync(all, a, 1, width));
    SAY("up 9", __shfl_up_sync(all, a, 9, width));
    SAY("down 3", __shfl_down_sync(all, a, 3, width));
    SAY("down 31", __shfl_down_sync(all, a, 31, width));
    SAY("xor 5", __shfl_xor_sync(all, a, 5, width));
    SAY("xor 17", __shfl_xor_sync(all, a, 17, width));
    SAY("index 35", __shfl_sync(all, a, 35, width));
    SAY("index of each", __shfl_sync(all, a, threadIdx.x * 7, width));
  }
  SAY("wide", __shfl_down_sync(all, wide(), 2));
  SAY("double", __shfl_xor_sync(all, plainTwice(), 8));
  unsigned d, p;
#define PAIR(text, distance, c)                                                                                           \
  asm volatile("{.reg .pred p; " text " %0|p, %2, %3, %4, -1; selp.u32 %1, 1, 0, p;}" : "=r"(d), "=r"(p)                  \
               : "r"(a), "r"(distance), "r"(c));                                                                          \
  SAY(text, d); SAY(text " in range", p)
  PAIR("shfl.sync.up.b32", 5, 0x0);
  PAIR("shfl.sync.up.b32", 5, 0x1807);
  PAIR("shfl.sync.down.b32", 40, 0x1f);
  PAIR("shfl.sync.down.b32", 2, 0x1c0f);
  PAIR("shfl.sync.bfly.b32", 6, 0x1003);
  PAIR("shfl.sync.idx.b32", 20, 0x181f);
}

KERNEL(votes) {
  unsigned a = word(), lane = threadIdx.x;
  SAY("ballot", __ballot_sync(~0u, a & 1));
  SAY("all", bool(__all_sync(~0u, a != 9)));
  SAY("any", bool(__any_sync(~0u, a == 13)));
  SAY("match any", __match_any_sync(~0u, a & 3));
  SAY("match any wide", __match_any_sync(~0u, wide() & 0x700000000ull));
  int same;
  unsigned mask = __match_all_sync(~0u, lane / 32, &same);
  SAY("match all", mask); SAY("match all holds", same);
  mask = __match_all_sync(~0u, lane / 31, &same);
  SAY("match all, not", mask); SAY("match all, not holds", same);
  SAY("add", __reduce_add_sync(~0u, a)); SAY("min", __reduce_min_sync(~0u, a)); SAY("max", __reduce_max_sync(~0u, a));
  SAY("signed min", __reduce_min_sync(~0u, int(a))); SAY("signed max", __reduce_max_sync(~0u, int(a)));
  SAY("and", __reduce_and_sync(~0u, a | 3)); SAY("or", __reduce_or_sync(~0u, a)); SAY("xor", __reduce_xor_sync(~0u, a));
  unsigned inside = 0;
  if (lane % 3 == 0) inside = __ballot_sync(0x49249249u, a > 30) ^ __reduce_add_sync(0x49249249u, a);
  SAY("of some lanes", inside);
  unsigned leader, elected;
  asm volatile("{.reg .pred p; elect.sync %0|p, %2; selp.u32 %1, 1, 0, p;}" : "=r"(leader), "=r"(elected) : "r"(~0u));
  SAY("elect", elected); SAY("elect lane", leader);
  if (lane >= 12) asm volatile("{.reg .pred p; elect.sync %0|p, %2; selp.u32 %1, 1, 0, p;}" : "=r"(leader), "=r"(elected) : "r"(0xfffff000u));
  SAY("elect of some", elected);
  unsigned uniform;
  asm volatile("{.reg .pred p, q; setp.ne.u32 q, %1, 99; vote.sync.uni.pred p, q, -1; selp.u32 %0, 1, 0, p;}" : "=r"(uniform) : "r"(a));
  SAY("uniform", uniform);
  unsigned active = 0;
  if (lane < 10) active = __activemask();
  else active = __activemask() & 0xfffffc00u;
  SAY("activemask", active);
  unsigned lt, le, gt, ge;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lt)); asm("mov.u32 %0, %%lanemask_le;" : "=r"(le));
  asm("mov.u32 %0, %%lanemask_gt;" : "=r"(gt)); asm("mov.u32 %0, %%lanemask_ge;" : "=r"(ge));
  SAY("lanemasks", lt * 3 + le * 5 + gt * 7 + ge * 11);
}

KERNEL(groups) {
  namespace cg = cooperative_groups;
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  SAY("tile sum", cg::reduce(tile, int(word() & 0xffff), cg::plus<int>()));
  SAY("tile rank", tile.thread_rank() * 100 + tile.meta_group_rank());
  unsigned result = 0;
  if (threadIdx.x % 5 == 2) {
    auto some = cg::coalesced_threads();
    result = some.size() * 1000 + some.thread_rank() * 10 + some.shfl(threadIdx.x, 1);
  }
  SAY("coalesced", result);
  auto parts = cg::labeled_partition(tile, int(threadIdx.x % 3));
  SAY("labels", parts.size() * 100 + parts.thread_rank());
  SAY("binary", cg::binary_partition(tile, word() & 1).size());
}

// ---- addresses and registers

__constant__ int constants[4] = {1, 2, 3, 4};
__device__ int variable;

KERNEL(spaces) {
  __shared__ int array[4];
  extern __shared__ int dynamic[];
  int local[4] = {int(threadIdx.x), 1, 2, 3};
  int *volatile pointers[] = {array, &variable, const_cast<int *>(constants), local};
  for (int *pointer : pointers)
    SAY("spaces", __isGlobal(pointer) * 1000 + __isShared(pointer) * 100 + __isLocal(pointer) * 10 + __isConstant(pointer));
  SAY("shared", *static_cast<int *>(__cvta_shared_to_generic(__cvta_generic_to_shared(pointers[0]))) * 0 + 1);
  SAY("shared distance", unsigned(__cvta_generic_to_shared(array + 3) - __cvta_generic_to_shared(array)));
  unsigned d;
#define REGISTER(name) asm volatile("mov.u32 %0, %%" #name ";" : "=r"(d)); SAY(#name, d)
  REGISTER(tid.x); REGISTER(tid.z); REGISTER(ntid.x); REGISTER(ctaid.x); REGISTER(nctaid.y); REGISTER(laneid);
  REGISTER(dynamic_smem_size);
  asm volatile("mov.u32 %0, %%smid;" : "=r"(d));
  unsigned count;
  asm volatile("mov.u32 %0, %%nsmid;" : "=r"(count));
  SAY("smid < nsmid", d < count);
  asm volatile("mov.u32 %0, %%nwarpid;" : "=r"(count));
  SAY("warpid < nwarpid", 0 < count);
}

KERNEL(ends) {
  __shared__ int seen[lanes];
  seen[threadIdx.x] = 0;
  __syncthreads();
  asm volatile("{.reg .pred p; setp.gt.u32 p, %0, 19; @p exit;}" ::"r"(threadIdx.x));
  __nanosleep(20);
  asm volatile("griddepcontrol.wait;\ngriddepcontrol.launch_dependents;" ::: "memory");
  seen[threadIdx.x] = threadIdx.x + 1;
  __syncthreads();
  SAY("others", seen[threadIdx.x]);
}

KERNEL(formats) {
  float f = number();
  if (threadIdx.x == 14) {
    printf("%d %5d %-5d| %05d %+d %x %X %#x %o %u %c %%\n", -3, 42, 42, 42, 42, 255, 255, 255, 8, 4000000000u, 'x');
    printf("%f %e %g %.3f %10.2f %-10.2e| %G %a\n", f, f, f, f, f, f, f, f);
    printf("%s %.3s %8s|%-8s|%5.1f%%\n", "text", "abcdef", "right", "left", 99.5);
    printf("%f %f %f %d\n", __uint_as_float(0x7f800000), __uint_as_float(0xff800000), 1e30, printf("%d %d\n", 1, 2));
  }
}
