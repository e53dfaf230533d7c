# The target warpwright_tune measures what targets of MODE tune compile, and writes the choices into their locks. It is no part
# of a build: nothing depends on it.
include_guard(GLOBAL)

# A lock that is to be made is made empty, so that objects can depend on it from the first build on.
function(_warpwright_prepare_lock call mode lock)
  if(NOT mode STREQUAL "tune" OR "${lock}" STREQUAL "" OR lock MATCHES "\\$<")
    return()
  endif()
  cmake_path(ABSOLUTE_PATH lock BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
  cmake_path(GET lock PARENT_PATH folder)
  if(EXISTS "${lock}" OR NOT IS_DIRECTORY "${folder}")
    return()
  endif()
  file(WRITE "${lock}" "{\n \"schema\": \"warpwright/lock/1\",\n \"entries\": []\n}\n")
  message(STATUS "${call}: '${lock}' is a new lock without entries; the target warpwright_tune fills it.")
endfunction()

# One run of the tool a target: each has a lock and options of its own.
function(_warpwright_tune_target target cuda_sources)
  get_target_property(mode ${target} WARPWRIGHT_MODE)
  get_target_property(options ${target} WARPWRIGHT_OPTIONS)
  if(NOT mode STREQUAL "tune" OR NOT options MATCHES "--lock=" OR NOT cuda_sources)
    return()
  endif()
  set_property(TARGET ${target} PROPERTY EXPORT_COMPILE_COMMANDS ON)
  # What speaks of compiling is not for tuning.
  list(FILTER options EXCLUDE REGEX "^--(mode|strict)")
  get_target_property(tool ${target} WARPWRIGHT_TOOL)
  if(NOT TARGET warpwright_tune)
    add_custom_target(warpwright_tune)
  endif()
  add_custom_target(warpwright_tune_${target}
    COMMAND "${tool}" tune ${cuda_sources} "${options}" -p "${CMAKE_BINARY_DIR}"
            --bundle-dir "${CMAKE_BINARY_DIR}/warpwright-bundle/${target}"
            --knowledge "${CMAKE_BINARY_DIR}/warpwright-knowledge.sqlite" --resume
    USES_TERMINAL VERBATIM COMMAND_EXPAND_LISTS)
  add_dependencies(warpwright_tune warpwright_tune_${target})
  # One after the other: several targets may share a lock, and all of them share the GPU.
  get_property(previous GLOBAL PROPERTY WARPWRIGHT_LAST_TUNED)
  if(previous)
    add_dependencies(warpwright_tune_${target} ${previous})
  endif()
  set_property(GLOBAL PROPERTY WARPWRIGHT_LAST_TUNED warpwright_tune_${target})
endfunction()

function(_warpwright_ensure_tune)
  if(NOT TARGET warpwright_tune)
    add_custom_target(warpwright_tune VERBATIM COMMAND "${CMAKE_COMMAND}" -E echo
      "No target is tuned in this build: kernel_optimize() measures with MODE tune and a LOCK.")
  endif()
endfunction()
