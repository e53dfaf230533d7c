// Launches that nobody watches, and that touch what belongs to nothing.

#include "test/unit/VirtualDeviceFixture.h"

#include <gmock/gmock.h>

namespace warpwright::vdevice {
namespace {

class WildAccesses : public VirtualDevice {
protected:
  /// The faults of one launch of two blocks of 64 threads.
  std::vector<Fault> faultsOf(const std::string &body, uint64_t orderSeed) {
    parse(body);
    llvm::Expected<std::unique_ptr<DeviceProgram>> program = DeviceProgram::create(*module_, options());
    EXPECT_TRUE(static_cast<bool>(program));
    DeviceMemory memory;
    EXPECT_FALSE(static_cast<bool>(memory.addVariables((*program)->variables())));
    LaunchRequest request;
    request.memory = &memory;
    request.launch.kernel = "k";
    request.launch.grid = {2, 1, 1};
    request.launch.block = {64, 1, 1};
    request.orderSeed = orderSeed;
    request.workers = 1;
    llvm::Expected<uint64_t> out = memory.addBuffer({.name = "out", .bytes = 512});
    EXPECT_TRUE(static_cast<bool>(out));
    request.pointers["out"] = *out;
    llvm::Expected<LaunchOutcome> outcome = execute(**program, *(*program)->findKernel("k"), request);
    EXPECT_TRUE(static_cast<bool>(outcome));
    EXPECT_EQ(outcome->state, LaunchOutcome::State::Faulted);
    return outcome->faults;
  }

  /// Thread 5 of block 1 stores `far` words away.
  static std::string storeFar(const std::string &far) {
    return R"(
define ptx_kernel void @k(ptr addrspace(1) %out) !dbg !3 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %base = mul i32 %b, 64
  %i = add i32 %base, %t
  %i64 = zext i32 %i to i64
  %isFar = icmp eq i32 %i, 69
  %index = select i1 %isFar, i64 )" +
           far + R"(, i64 %i64
  %place = getelementptr i32, ptr addrspace(1) %out, i64 %index
  store i32 %t, ptr addrspace(1) %place, !dbg !5
  ret void
}
!llvm.dbg.cu = !{!1}
!llvm.module.flags = !{!0}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !2, emissionKind: LineTablesOnly)
!2 = !DIFile(filename: "wild.cu", directory: "")
!3 = distinct !DISubprogram(name: "k", file: !2, line: 1, type: !4, unit: !1, spFlags: DISPFlagDefinition)
!4 = !DISubroutineType(types: !{})
!5 = !DILocation(line: 42, column: 7, scope: !3)
)";
  }
};

TEST_F(WildAccesses, NameTheirLineAndThread) {
  // The second address is none that the host's processor could tell of.
  for (auto [far, order] : {std::pair("1099511627776", 0), {"1152921504606846976", 7}}) {
    std::vector<Fault> faults = faultsOf(storeFar(far), order);
    ASSERT_THAT(faults, testing::SizeIs(1));
    EXPECT_EQ(faults[0].kind, FaultKind::OutOfBounds);
    EXPECT_EQ(faults[0].party.place.line, 42u);
    EXPECT_THAT(faults[0].message(), testing::HasSubstr("thread (5,0,0) of block (1,0,0) writes 4 bytes"));
  }
}

/// Run again, the block finds in memory what it left there, and goes nowhere.
TEST_F(WildAccesses, ThatDoNotComeAgainHaveAnAddress) {
  std::vector<Fault> faults = faultsOf(R"(
define ptx_kernel void @k(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t64 = zext i32 %t to i64
  %own = getelementptr i32, ptr addrspace(1) %out, i64 %t64
  %old = load volatile i32, ptr addrspace(1) %own
  store volatile i32 1, ptr addrspace(1) %own
  %isFirst = icmp eq i32 %t, 0
  %isNew = icmp eq i32 %old, 0
  %fresh = and i1 %isFirst, %isNew
  %index = select i1 %fresh, i64 1152921504606846976, i64 %t64
  %place = getelementptr i32, ptr addrspace(1) %out, i64 %index
  store volatile i32 2, ptr addrspace(1) %place
  ret void
})",
                                       0);
  ASSERT_THAT(faults, testing::SizeIs(1));
  EXPECT_FALSE(faults[0].party.place.known());
  EXPECT_THAT(faults[0].message(), testing::HasSubstr("belongs to nothing"));
}

} // namespace
} // namespace warpwright::vdevice
