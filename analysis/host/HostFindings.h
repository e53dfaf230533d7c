#pragma once

#include "analysis/Finding.h"
#include "analysis/host/ErrorReads.h"
#include "analysis/host/HostCode.h"

#include <string>
#include <vector>

namespace warpwright {

/// What rules of host code read.
struct HostAnalysis {
  explicit HostAnalysis(clang::ASTContext &ast) : code(ast), reads(code) {}

  HostCode code;
  ErrorReads reads;
};

/// A function of the host and what was found in it and in its lambdas.
struct HostFindings {
  const clang::FunctionDecl *declaration = nullptr;
  std::string key;
  std::string name;
  Place place;
  std::vector<Finding> findings; ///< by place and id
};

/// Asks every rule that reads host code. Functions without a finding are left out.
std::vector<HostFindings> findInHostCode(HostAnalysis &analysis);

/// A finding of a rule and the function that it is in.
struct FindingInFunction {
  const HostFunction *function = nullptr;
  Finding finding;
};

/// Where the user's code looks at no error at all, one finding a function says so instead of one a place:
/// `summarise` makes it of the number of places. All of them are less sure then. That is a way to write a
/// program, if a careless one, and what is new in it is not worth a line each.
std::vector<FindingInFunction>
summariseUnlessChecked(const HostAnalysis &analysis, std::vector<FindingInFunction> findings,
                       std::string (*summarise)(size_t count, const std::string &function));

} // namespace warpwright
