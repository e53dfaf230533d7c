# kernel_optimize(<target> [SOURCES <file>...] [MODE off|check|static|tune] [LOCK <file>] [POLICY <file>]
#                 [MAX_REGISTERS <n>] [STRICT])
#
# Compiles the CUDA sources of <target> through `warpwright cc`. docs/cmake.md is the reference.
include_guard(GLOBAL)
include("${CMAKE_CURRENT_LIST_DIR}/WarpwrightArguments.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/WarpwrightLauncher.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/WarpwrightRebuild.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/WarpwrightReport.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/WarpwrightSources.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/WarpwrightTune.cmake")

option(WARPWRIGHT "Compile the targets of kernel_optimize() through Warpwright; OFF builds the kernels as written" ON)
set(WARPWRIGHT_EXECUTABLE "" CACHE FILEPATH "The warpwright program to use; empty for the one of the package")
mark_as_advanced(WARPWRIGHT_EXECUTABLE)

# The call only checks and records what it is told. The launcher is set when the whole project has been read, since
# sources, launchers and properties of the target may be set after the call as well as before it.
function(kernel_optimize target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "STRICT" "LOCK;MAX_REGISTERS;MODE;POLICY" "SOURCES")
  set(call "kernel_optimize(${target})")
  _warpwright_check_keywords("${call}" "${arg_UNPARSED_ARGUMENTS}" "${arg_KEYWORDS_MISSING_VALUES}")
  _warpwright_resolve_target("${call}" "${target}" target)
  _warpwright_check_mode("${call}" "${arg_MODE}" mode)
  _warpwright_prepare_lock("${call}" "${mode}" "${arg_LOCK}")
  _warpwright_file_option("${call}" LOCK --lock "${arg_LOCK}" lock)
  _warpwright_file_option("${call}" POLICY --policy "${arg_POLICY}" policy)
  _warpwright_check_max_registers("${call}" "${arg_MAX_REGISTERS}")
  _warpwright_check_support(supported)
  if(NOT supported)
    set(mode off)
  endif()

  set(options "--mode=${mode}${lock}${policy}")
  if(arg_MAX_REGISTERS)
    list(APPEND options "--max-registers=${arg_MAX_REGISTERS}")
  endif()
  if(arg_STRICT)
    list(APPEND options --strict)
  endif()
  _warpwright_record("${call}" "${target}" "${mode}" "${options}" "${arg_SOURCES}")
endfunction()

# Several calls for one target would have to be merged, and what wins is anyone's guess; the same call twice is harmless.
function(_warpwright_record call target mode options only)
  set(request "${options}" "${only}" "${CMAKE_CURRENT_SOURCE_DIR}")
  get_target_property(previous ${target} WARPWRIGHT_REQUEST)
  if(previous STREQUAL request)
    return()
  elseif(previous)
    message(FATAL_ERROR "${call}: the target was given to kernel_optimize() before, with other arguments. "
            "Put all of them into one call.")
  endif()
  _warpwright_tool(tool)
  set_target_properties(${target} PROPERTIES
    WARPWRIGHT_REQUEST "${request}"
    WARPWRIGHT_CALLER_DIR "${CMAKE_CURRENT_SOURCE_DIR}"
    WARPWRIGHT_MODE "${mode}"
    WARPWRIGHT_ONLY "${only}"
    WARPWRIGHT_OPTIONS "${options}"
    WARPWRIGHT_TOOL "${tool}")
  target_include_directories(${target} SYSTEM PRIVATE
    "$<TARGET_PROPERTY:Warpwright::annotate,INTERFACE_INCLUDE_DIRECTORIES>")

  get_property(pending GLOBAL PROPERTY WARPWRIGHT_PENDING_TARGETS)
  if(NOT pending)
    cmake_language(DEFER DIRECTORY "${CMAKE_SOURCE_DIR}" CALL _warpwright_apply_pending)
  endif()
  set_property(GLOBAL APPEND PROPERTY WARPWRIGHT_PENDING_TARGETS ${target})
endfunction()

function(_warpwright_apply_pending)
  get_property(targets GLOBAL PROPERTY WARPWRIGHT_PENDING_TARGETS)
  set_property(GLOBAL PROPERTY WARPWRIGHT_PENDING_TARGETS)
  foreach(target IN LISTS targets)
    _warpwright_apply(${target})
  endforeach()
  _warpwright_ensure_report()
  _warpwright_ensure_tune()
endfunction()

function(_warpwright_apply target)
  _warpwright_cuda_sources(${target} cuda_sources is_open)
  get_target_property(caller_dir ${target} WARPWRIGHT_CALLER_DIR)
  set(call "kernel_optimize(${target}), called in ${caller_dir}")
  _warpwright_check_has_cuda("${call}" ${target} "${cuda_sources}" ${is_open})
  _warpwright_only_options("${call}" ${target} "${cuda_sources}" ${is_open} only_options)

  get_target_property(mode ${target} WARPWRIGHT_MODE)
  if(NOT mode STREQUAL "off")
    _warpwright_set_launcher(${target} "${only_options}")
    _warpwright_remove_evidence_on_clean(${target})
    _warpwright_depend_on_tool_target(${target} "${cuda_sources}")
    _warpwright_report_target(${target})
    _warpwright_tune_target(${target} "${cuda_sources}")
  endif()
  _warpwright_depend_on_options(${target} "${cuda_sources}")
endfunction()
