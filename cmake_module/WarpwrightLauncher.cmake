# The compiler launcher: CMake puts it before nvcc's command of each object, in the configuration that is built.
include_guard(GLOBAL)

# Sets <result> to whether the calling directory can be built through a launcher. Where it cannot, the kernels are built
# as written.
function(_warpwright_check_support result)
  set(${result} FALSE PARENT_SCOPE)
  if(DEFINED WARPWRIGHT AND NOT WARPWRIGHT) # undefined after set(WARPWRIGHT OFF) in another directory, see option()
    _warpwright_say_once(STATUS "Warpwright is off (WARPWRIGHT=${WARPWRIGHT}): kernels are built as written.")
  elseif(NOT CMAKE_GENERATOR MATCHES "Ninja|Makefiles")
    _warpwright_say_once(WARNING "The generator ${CMAKE_GENERATOR} knows no compiler launchers: kernels are built as "
                         "written. Use Ninja, Ninja Multi-Config or Makefiles to have them optimised.")
  elseif(CMAKE_CUDA_COMPILER_ID AND NOT CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA")
    _warpwright_say_once(WARNING "Warpwright compiles with nvcc, and the CUDA compiler here is "
                         "${CMAKE_CUDA_COMPILER_ID}: kernels are built as written.")
  else()
    set(${result} TRUE PARENT_SCOPE)
  endif()
endfunction()

function(_warpwright_say_once severity)
  list(JOIN ARGN "" text)
  get_property(said GLOBAL PROPERTY WARPWRIGHT_SAID)
  if(NOT text IN_LIST said)
    message(${severity} "${text}")
    set_property(GLOBAL APPEND PROPERTY WARPWRIGHT_SAID "${text}")
  endif()
endfunction()

function(_warpwright_tool result)
  if("${WARPWRIGHT_EXECUTABLE}" STREQUAL "")
    set(${result} "$<TARGET_FILE:Warpwright::warpwright>" PARENT_SCOPE)
    return()
  endif()
  if(NOT EXISTS "${WARPWRIGHT_EXECUTABLE}" OR IS_DIRECTORY "${WARPWRIGHT_EXECUTABLE}")
    message(FATAL_ERROR "WARPWRIGHT_EXECUTABLE is '${WARPWRIGHT_EXECUTABLE}', which is not a file. Correct it, or make "
            "it empty to use the program of the package.")
  endif()
  set(${result} "${WARPWRIGHT_EXECUTABLE}" PARENT_SCOPE)
endfunction()

# A launcher that the target has already (ccache, distcc) is handed to the tool, which runs it before nvcc.
function(_warpwright_set_launcher target only_options)
  get_target_property(tool ${target} WARPWRIGHT_TOOL)
  get_target_property(options ${target} WARPWRIGHT_OPTIONS)
  get_target_property(chained ${target} CUDA_COMPILER_LAUNCHER)
  set(command "${tool}" cc ${options} ${only_options})
  if(chained MATCHES "\\$<")
    # One expression around the whole list: an element that came out empty would be an empty argument of the tool.
    set(elements "$<FILTER:${chained},EXCLUDE,^$>")
    string(APPEND command "$<$<BOOL:${elements}>:;--launcher=$<JOIN:${elements},;--launcher=>>")
  elseif(chained)
    list(TRANSFORM chained PREPEND "--launcher=")
    list(APPEND command ${chained})
  endif()
  list(APPEND command --)
  set_property(TARGET ${target} PROPERTY CUDA_COMPILER_LAUNCHER "${command}")
endfunction()
