#pragma once

#include "feedback/gate/Gate.h"

namespace warpwright {

/// The named exceptions of a check, from comments and from the policy, and which of them were of use.
class Exceptions {
public:
  explicit Exceptions(const GateRequest &request);

  struct Use {
    std::string reason;
    bool inSource = false;
  };
  /// The exception that lets a finding of the kernel pass, or a number of it, which is placed at its name.
  std::optional<Use> accept(llvm::StringRef rule, const CheckedKernel &kernel, const Place &place);

  /// Those that let nothing pass, though what they speak of was checked, and those that are over.
  std::vector<GateUnused> unused() const;

private:
  struct Comment {
    AcceptComment comment;
    std::vector<std::string> used; ///< rules
  };

  bool isOver(const std::string &expires) const { return !expires.empty() && expires < request_.today; }
  bool wasChecked(const PolicyException &exception) const;

  const GateRequest &request_;
  std::vector<Comment> comments_;
  std::vector<bool> policyUsed_;
};

} // namespace warpwright
