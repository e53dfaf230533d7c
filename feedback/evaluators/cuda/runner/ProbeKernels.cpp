#include "feedback/evaluators/cuda/runner/ProbeKernels.h"

namespace warpwright::runner {
namespace {

constexpr const char *header = R"(.version 7.0
.target sm_75
.address_size 64
)";
constexpr const char *headerForTensors = R"(.version 7.0
.target sm_80
.address_size 64
)";

/// Everything before the loop: parameters in registers, and the two clocks.
constexpr const char *opening =
    R"(.visible .entry warpwright_probe(.param .u64 data, .param .u64 out, .param .u32 mask,
    .param .u32 offset, .param .u32 start, .param .u32 step, .param .u32 rounds)
{
  .reg .pred %p<4>;
  .reg .b32 %i, %mask, %offset, %start, %step, %rounds, %block, %lane, %sum, %r<8>, %t<4>;
  .reg .b64 %data, %out, %a, %c0, %c1, %n0, %n1, %sum64;
  ld.param.u64 %data, [data];
  ld.param.u64 %out, [out];
  ld.param.u32 %mask, [mask];
  ld.param.u32 %offset, [offset];
  ld.param.u32 %start, [start];
  ld.param.u32 %step, [step];
  ld.param.u32 %rounds, [rounds];
  mov.u32 %block, %ctaid.x;
  mov.u32 %lane, %tid.x;
  mad.lo.u32 %i, %block, %start, %lane;
  mul.wide.u32 %a, %block, %offset;
  add.s64 %data, %data, %a;
  mov.u32 %sum, 0;
  mov.u64 %sum64, 0;
)";

constexpr const char *readClocks = R"(  mov.u64 %n0, %globaltimer;
  mov.u64 %c0, %clock64;
)";

constexpr const char *loopHead = R"(next:
)";

constexpr const char *loopEnd = R"(  sub.u32 %rounds, %rounds, 1;
  setp.ne.u32 %p0, %rounds, 0;
  @%p0 bra next;
)";

/// Only the first thread writes times. What was summed up is never the number it is compared with, which
/// nothing but the device knows. The branch makes the clock wait for the sum.
constexpr const char *closing = R"(  cvt.u64.u32 %a, %sum;
  xor.b64 %sum64, %sum64, %a;
  setp.eq.u64 %p1, %sum64, 0x5eed5eed5eed5eed;
  @%p1 bra odd;
  mov.u64 %c1, %clock64;
  mov.u64 %n1, %globaltimer;
  or.b32 %r0, %block, %lane;
  setp.ne.u32 %p2, %r0, 0;
  @%p2 bra done;
  sub.s64 %c1, %c1, %c0;
  sub.s64 %n1, %n1, %n0;
  st.global.u64 [%out], %c1;
  st.global.u64 [%out+8], %n1;
  bra done;
odd:
  st.global.u64 [%out+16], %sum64;
done:
  ret;
}
)";

/// The address of element %i of the block's region, in %a.
constexpr const char *elementAddress = R"(  and.b32 %r0, %i, %mask;
  mul.wide.u32 %a, %r0, 16;
  add.s64 %a, %a, %data;
  add.u32 %i, %i, %step;
)";

std::string repeat(unsigned times, const std::string &text) {
  std::string all;
  for (unsigned i = 0; i < times; ++i)
    all += text;
  return all;
}

std::string kernel(const std::string &before, const std::string &body, const std::string &heading = header) {
  return heading + opening + before + readClocks + loopHead + body + loopEnd + closing;
}

constexpr const char *addUpLoaded = R"(  xor.b32 %t0, %t0, %t1;
  xor.b32 %t2, %t2, %t3;
  xor.b32 %sum, %sum, %t0;
  xor.b32 %sum, %sum, %t2;
)";

} // namespace

std::string readProbe(const std::string &cacheOperator) {
  return kernel("", repeat(accessesARound, elementAddress + ("  ld.global." + cacheOperator) +
                                               ".v4.b32 {%t0, %t1, %t2, %t3}, [%a];\n" + addUpLoaded));
}

std::string writeProbe() {
  return kernel("", repeat(accessesARound,
                           std::string(elementAddress) + "  st.global.v4.b32 [%a], {%i, %i, %i, %i};\n"));
}

std::string sharedReadProbe() {
  const std::string body = R"(  and.b32 %r0, %i, 1023;
  shl.b32 %r0, %r0, 4;
  add.u32 %r0, %r0, %r1;
  ld.shared.v4.b32 {%t0, %t1, %t2, %t3}, [%r0];
  add.u32 %i, %i, %step;
)";
  const std::string before = R"(  .shared .align 16 .b8 arena[16384];
  mov.u32 %r1, arena;
  and.b32 %r0, %i, 1023;
  shl.b32 %r0, %r0, 4;
  add.u32 %r0, %r0, %r1;
  st.shared.v4.b32 [%r0], {%i, %i, %i, %i};
  bar.sync 0;
)";
  return kernel(before, repeat(accessesARound, body + addUpLoaded));
}

std::string chaseProbe(const std::string &cacheOperator) {
  const std::string load = "  ld.global." + cacheOperator + ".u64 %data, [%data];\n";
  const std::string warmUp = R"(  setp.eq.u32 %p3, %step, 0;
  @%p3 bra warm;
walk:
)" + repeat(loadsARound, load) +
                             R"(  sub.u32 %step, %step, 1;
  setp.ne.u32 %p3, %step, 0;
  @%p3 bra walk;
warm:
  setp.eq.u64 %p3, %data, 0;
  @%p3 bra odd;
)";
  return kernel(warmUp, repeat(loadsARound, load) +
                            "  mov.u64 %sum64, %data;\n"); // the clock waits for the last of them
}

std::string sharedChaseProbe() {
  const std::string before = R"(  .shared .align 16 .b8 arena[4096];
  mov.u32 %r1, arena;
  mov.u32 %r2, 0;
link:
  add.u32 %r3, %r2, 68;
  and.b32 %r3, %r3, 4095;
  add.u32 %r4, %r1, %r2;
  add.u32 %r3, %r3, %r1;
  st.shared.u32 [%r4], %r3;
  add.u32 %r2, %r2, 4;
  setp.ne.u32 %p3, %r2, 4096;
  @%p3 bra link;
)";
  return kernel(before, repeat(loadsARound, "  ld.shared.u32 %r1, [%r1];\n") + "  mov.u32 %sum, %r1;\n");
}

std::string arithmeticProbe(const ProbeOperation &operation) {
  const std::string type = operation.type;
  std::string before = "  .reg ." + type + " %v<" + std::to_string(chains + 2) + ">;\n";
  for (unsigned i = 0; i < chains + 2; ++i)
    before += "  add.u32 %r1, %lane, " + std::to_string(i) + ";\n  " + operation.convert + " %v" +
              std::to_string(i) + ", %r1;\n";
  std::string body;
  for (unsigned i = 0; i < operationsARound; ++i) {
    const std::string value = "%v" + std::to_string(i % chains);
    body += std::string("  ") + operation.instruction + " " + value + ", " + value;
    for (unsigned k = 1; k < operation.operands; ++k)
      body += ", %v" + std::to_string(chains + k - 1);
    body += ";\n";
  }
  std::string after; // all chains are alive to the end
  const bool isWide = type == "f64";
  for (unsigned i = 0; i < chains; ++i)
    after += isWide ? "  mov.b64 %a, %v" + std::to_string(i) + ";\n  xor.b64 %sum64, %sum64, %a;\n"
                    : "  mov.b32 %r1, %v" + std::to_string(i) + ";\n  xor.b32 %sum, %sum, %r1;\n";
  return std::string(header) + opening + before + readClocks + loopHead + body + loopEnd + after + closing;
}

std::string tensorProbe() {
  std::string before = "  .reg .f32 %v<" + std::to_string(chains * 4) + ">;\n  .reg .b32 %h<6>;\n";
  for (unsigned i = 0; i < 6; ++i)
    before += "  add.u32 %h" + std::to_string(i) + ", %lane, " + std::to_string(i) + ";\n";
  for (unsigned i = 0; i < chains * 4; ++i)
    before += "  cvt.rn.f32.u32 %v" + std::to_string(i) + ", %lane;\n";
  std::string body, after;
  for (unsigned i = 0; i < operationsARound; ++i) {
    std::string values;
    for (unsigned k = 0; k < 4; ++k)
      values += (k ? ", %v" : "%v") + std::to_string(i % chains * 4 + k);
    body += "  mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {" + values +
            "}, {%h0, %h1, %h2, %h3}, {%h4, %h5}, {" + values + "};\n";
  }
  for (unsigned i = 0; i < chains * 4; ++i)
    after += "  mov.b32 %r1, %v" + std::to_string(i) + ";\n  xor.b32 %sum, %sum, %r1;\n";
  return std::string(headerForTensors) + opening + before + readClocks + loopHead + body + loopEnd + after +
         closing;
}

std::string emptyProbe() {
  return std::string(header) + opening + "  ret;\n}\n";
}

} // namespace warpwright::runner
