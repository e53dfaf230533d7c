#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>

#include <string>
#include <vector>

namespace warpwright {

/// What became of one task.
struct TaskResult {
  std::string output;  ///< what the task returned
  std::string failure; ///< why there is none: the process was killed, crashed or could not be started
};

/// Runs each task in a process of its own, `atOnce` at a time, and returns their results in order. A task
/// that crashes takes no other with it. The caller must not have threads; what a task changes in memory is
/// lost with its process, and it must not write to standard output.
std::vector<TaskResult> runInProcesses(size_t tasks, unsigned atOnce,
                                       llvm::function_ref<std::string(size_t)> work);

} // namespace warpwright
