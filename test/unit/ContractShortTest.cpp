// Products and sums of 16 bits: which become one operation was read off the code that ptxas makes of
// CUDA 13.0's headers for sm_90.

#include "feedback/evaluators/virtual/lowering/Entry.h"
#include "test/unit/VirtualDeviceFixture.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

namespace warpwright::vdevice {
namespace {

class ContractShort : public VirtualDevice {
protected:
  static std::string mul(const char *name, const char *a, const char *b, const char *opcode = "mul.f16") {
    return "  %" + std::string(name) + " = call i16 asm \"{" + opcode +
           " $0,$1,$2;\\0A}\", \"=h,h,h\"(i16 %" + a + ", i16 %" + b + ")\n";
  }
  static std::string add(const char *name, const char *a, const char *b, const char *opcode = "add.f16") {
    return mul(name, a, b, opcode);
  }
  static std::string negate(const char *name, const char *a) {
    return "  %" + std::string(name) + " = call i16 asm \"{neg.f16 $0,$1;\\0A}\", \"=h,h\"(i16 %" + a + ")\n";
  }
  static std::string store(const char *value) {
    return "  store volatile i16 %" + std::string(value) + ", ptr addrspace(1) %out\n";
  }

  /// Operations that multiply and add at once in a kernel of the numbers %a to %d and the condition %c1.
  size_t fusedIn(const std::string &body) {
    std::string text = "define ptx_kernel void @k(ptr addrspace(1) %out) {\nentry:\n";
    for (const char *name : {"a", "b", "c", "d"})
      text += "  %" + std::string(name) + " = load volatile i16, ptr addrspace(1) %out\n";
    parse(text + "  %c1 = icmp eq i16 %a, 0\n" + body + "  ret void\n}");
    LoweredKernel lowered = lower(Lowering::Plain, ThreadOrder::Ascending);
    EXPECT_EQ(lowered.uncovered, "");
    size_t count = 0;
    for (const llvm::Instruction &instruction : llvm::instructions(*lowered.module->getFunction(blockEntry)))
      if (const auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
        count += call->getCalledFunction() && call->getCalledFunction()->getName().contains(".fma.rn.");
    return count;
  }
};

TEST_F(ContractShort, FusesWhatSumsAloneUse) {
  EXPECT_EQ(fusedIn(mul("p", "a", "b") + add("s", "p", "c") + store("s")), 1u);
  EXPECT_EQ(fusedIn(mul("p", "a", "b") + add("s", "c", "p", "sub.f16") + store("s")), 1u);
  EXPECT_EQ(fusedIn(mul("p", "a", "b") + negate("n", "p") + add("s", "n", "c") + store("s")), 1u);
  EXPECT_EQ(fusedIn(mul("p", "a", "b") + add("s", "p", "c", "add.sat.f16") + store("s")), 1u);
  EXPECT_EQ(fusedIn(mul("p", "a", "b") + add("s", "p", "c") + add("t", "p", "d", "sub.f16") + store("s") +
                    store("t")),
            2u);
}

TEST_F(ContractShort, FusesOneOfTwoProducts) {
  EXPECT_EQ(fusedIn(mul("p", "a", "b") + mul("q", "c", "d") + add("s", "p", "q") + store("s")), 1u);
}

TEST_F(ContractShort, LeavesProductsThatOthersNeed) {
  EXPECT_EQ(fusedIn(mul("p", "a", "b") + add("s", "p", "c") + store("s") + store("p")), 0u);
  EXPECT_EQ(fusedIn(mul("p", "a", "b") + add("s", "p", "p") + store("s")), 0u);
  EXPECT_EQ(fusedIn(mul("p", "a", "b") + "  br i1 %c1, label %then, label %end\nthen:\n" +
                    add("s", "p", "c") + store("s") + "  br label %end\nend:\n"),
            0u);
}

TEST_F(ContractShort, LeavesWhatHasARoundingOfItsOwn) {
  EXPECT_EQ(fusedIn(mul("p", "a", "b", "mul.rn.f16") + add("s", "p", "c") + store("s")), 0u);
  EXPECT_EQ(fusedIn(mul("p", "a", "b") + add("s", "p", "c", "add.rn.f16") + store("s")), 0u);
  EXPECT_EQ(fusedIn(mul("p", "a", "b", "mul.sat.f16") + add("s", "p", "c") + store("s")), 0u);
}

} // namespace
} // namespace warpwright::vdevice
