#pragma once

#include "feedback/evaluators/cuda/runner/Fallible.h"
#include "feedback/evaluators/values/Comparison.h"
#include "feedback/evaluators/values/Initialisation.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// A job document (warpwright/job/1, docs/schema/job-1.json), read: everything concrete, no expression left.
namespace warpwright::runner {

enum class Role { In, InOut, Out };

struct Buffer {
  std::string name;
  values::ElementType type = values::ElementType::Float32;
  uint64_t count = 0; ///< elements
  Role role = Role::In;
  values::Initialisation initialisation; ///< of In and InOut
  uint64_t misalignment = 0;             ///< bytes by which the start is off a 256-byte boundary
  std::optional<values::Tolerance> tolerance;

  uint64_t bytes() const { return count * values::sizeOf(type); }
};

/// An address put into an argument.
struct BufferReference {
  std::string buffer; ///< of the shape, or of the plan's scratch
  uint64_t offset = 0;
  uint64_t at = 0; ///< where in the argument's bytes the address goes
};

/// One kernel parameter: its bytes, with addresses filled in when buffers have one.
struct Argument {
  std::string name;
  std::string bytes;
  std::vector<BufferReference> references;
};

struct LaunchAttributes {
  std::optional<uint32_t> maxDynamicSharedBytes;
  std::optional<uint32_t> preferredSharedCarveout; ///< percent
  std::optional<std::array<uint32_t, 3>> cluster;
  bool nonPortableCluster = false;
  bool cooperative = false;
  bool programmaticSerialization = false;
  struct Persisting {
    BufferReference base;
    uint64_t bytes = 0;
    double hitRatio = 1;
  };
  std::optional<Persisting> persisting; ///< an access policy window with the persisting property
};

struct KernelLaunch {
  std::string symbol;
  std::array<uint32_t, 3> grid = {1, 1, 1};
  std::array<uint32_t, 3> block = {1, 1, 1};
  uint32_t dynamicSharedBytes = 0;
  unsigned stream = 0; ///< 0 is the one that is timed
  LaunchAttributes attributes;
  std::vector<Argument> arguments;
};

/// Sets bytes of a buffer, as cudaMemsetAsync does.
struct Fill {
  BufferReference start;
  uint64_t bytes = 0;
  uint8_t value = 0;
};

/// A launch or a fill: exactly one is set.
struct Step {
  std::optional<KernelLaunch> launch;
  std::optional<Fill> fill;
};

struct Scratch {
  std::string name;
  uint64_t bytes = 0;
};

/// The ordered steps that do the kernel's work once.
struct Plan {
  std::vector<Scratch> scratch;
  std::vector<Step> steps;

  bool asksForPersistingLines() const;
};

struct Shape {
  std::string name;
  std::vector<Buffer> buffers;
  Plan original;
  std::optional<Plan> candidate;

  bool writesInPlace() const;
  uint64_t footprint() const; ///< bytes of all buffers
};

struct CodeFile {
  std::string path; ///< absolute, or relative to the job's folder; as written
  std::string sha256;
  std::string image; ///< the file's bytes, once checked
};

struct Measure {
  bool timing = true;
  unsigned warmUps = 25;
  unsigned runs = 100;     ///< warm, of original and candidate each, in two sessions
  unsigned freshRuns = 20; ///< with new inputs and poisoned outputs
  unsigned coldRuns = 30;
  double confidence = 0.01;   ///< half width of the median's interval at which long kernels stop
  double secondsAShape = 1;   ///< after which only what confidence still needs is sampled
  double repeatSeconds = 0.4; ///< how long repeats on the same inputs look for what is rare; 0: none
  bool checkAfter = true;     ///< check on new inputs once more after the timing
  bool coldDecides = false;
};

/// What the device's profiler is asked, after everything else was done.
struct ProfileRequest {
  bool counters = true;
  bool samples = true;
};

struct Limits {
  double seconds = 300;     ///< for the whole job, waiting for the device's lock aside
  double runSeconds = 20;   ///< for one run of one plan
  uint64_t deviceBytes = 0; ///< 0: what is free
  uint64_t hostBytes = 0;   ///< resident; 0: unlimited
};

struct Job {
  std::string name;
  CodeFile original;
  std::optional<CodeFile> candidate;
  std::vector<Shape> shapes;
  std::vector<uint64_t> seeds;
  values::Tolerance tolerance;
  Measure measure;
  std::optional<ProfileRequest> profile;
  Limits limits;
  std::string sha256; ///< of the document's bytes

  const values::Tolerance &toleranceOf(const Buffer &buffer) const;
};

/// Reads and checks a job; code files are read and held against their checksums. `folder` is what relative
/// paths start from. A failure names the place in the document.
Fallible<Job> readJob(const std::string &text, const std::string &folder);

} // namespace warpwright::runner
