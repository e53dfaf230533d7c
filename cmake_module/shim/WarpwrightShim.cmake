# For projects that build where Warpwright is not installed: copy this folder, and include this file in the place of
# find_package(Warpwright). Where the package is found it is used; else kernel_optimize() does nothing but say so.
include_guard(GLOBAL)

if(NOT COMMAND kernel_optimize)
  find_package(Warpwright CONFIG QUIET)
endif()
if(COMMAND kernel_optimize)
  return()
endif()

add_library(Warpwright::annotate INTERFACE IMPORTED GLOBAL)
target_include_directories(Warpwright::annotate INTERFACE "${CMAKE_CURRENT_LIST_DIR}/include")

function(kernel_optimize target)
  get_property(said GLOBAL PROPERTY WARPWRIGHT_SHIM_SAID)
  if(NOT said)
    message(STATUS "Warpwright was not found: kernel_optimize() does nothing, kernels are built as written.")
    set_property(GLOBAL PROPERTY WARPWRIGHT_SHIM_SAID TRUE)
  endif()
  if(NOT TARGET "${target}")
    message(FATAL_ERROR "kernel_optimize(${target}): there is no target '${target}'.")
  endif()
  get_target_property(aliased ${target} ALIASED_TARGET)
  if(aliased)
    set(target ${aliased})
  endif()
  # The annotated sources include <warpwright/annotate.h>.
  target_include_directories(${target} SYSTEM PRIVATE
    "$<TARGET_PROPERTY:Warpwright::annotate,INTERFACE_INCLUDE_DIRECTORIES>")
endfunction()

# There is nothing to check with, and a test that ran nothing must not pass.
function(kernel_optimize_add_checks target)
  message(STATUS "Warpwright was not found: kernel_optimize_add_checks(${target}) adds no tests.")
endfunction()
