# One interface target carries every flag; every target goes through the two functions below.
add_library(warpwright_build_interface INTERFACE)
target_compile_features(warpwright_build_interface INTERFACE cxx_std_20)
target_include_directories(warpwright_build_interface INTERFACE "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}")
target_include_directories(warpwright_build_interface SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${CLANG_INCLUDE_DIRS})
separate_arguments(_warpwright_llvm_definitions NATIVE_COMMAND ${LLVM_DEFINITIONS})
target_compile_definitions(warpwright_build_interface INTERFACE ${_warpwright_llvm_definitions})
target_compile_options(warpwright_build_interface INTERFACE -Wall -Wextra -Wno-unused-parameter
                       -fPIC # for libraries and executables alike, so that all share one precompiled header
                       $<$<BOOL:${WARPWRIGHT_WERROR}>:-Werror> $<$<NOT:$<BOOL:${LLVM_ENABLE_RTTI}>>:-fno-rtti>)
target_link_libraries(warpwright_build_interface INTERFACE nlohmann_json::nlohmann_json Threads::Threads)

# Where lld is at hand, it links against the shared LLVM several times faster than bfd.
find_program(WARPWRIGHT_LLD NAMES ld.lld ld.lld-22 HINTS "${LLVM_TOOLS_BINARY_DIR}")
if(WARPWRIGHT_LLD AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_link_options(warpwright_build_interface INTERFACE "--ld-path=${WARPWRIGHT_LLD}")
endif()

# The headers of others that nearly every file reads, parsed once: by warpwright_analysis, whose result the rest shares.
set(WARPWRIGHT_PRECOMPILED
  <clang/AST/ASTContext.h> <clang/AST/Attr.h> <clang/AST/DynamicRecursiveASTVisitor.h> <clang/AST/ExprCXX.h>
  <clang/Frontend/CompilerInstance.h>
  <llvm/ADT/STLExtras.h> <llvm/ADT/StringExtras.h> <llvm/ADT/StringSwitch.h>
  <llvm/IR/InstIterator.h> <llvm/IR/Instructions.h> <llvm/IR/IntrinsicInst.h> <llvm/IR/Module.h>
  <llvm/Support/Error.h> <llvm/Support/FileSystem.h> <llvm/Support/FormatVariadic.h> <llvm/Support/Path.h>
  <llvm/Support/raw_ostream.h>
  <nlohmann/json.hpp> <map> <memory> <optional> <string> <vector>)

option(WARPWRIGHT_UNITY_BUILD "Compile the sources of a folder together" OFF)

# Then the sources of a folder are compiled ten at a time, so that what their headers instantiate is
# compiled once: a whole build takes half as long. The names of a folder's anonymous namespaces are therefore unique in it.
# Rules and rewriters, which are named by their ids, are left alone: all speak the same words ("id", "Proposer").
function(_warpwright_unite_sources name)
  set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  foreach(source IN LISTS ARGN)
    get_filename_component(folder "${source}" DIRECTORY)
    get_filename_component(stem "${source}" NAME_WE)
    if(NOT stem MATCHES "-" AND source MATCHES "[.]cpp$")
      string(MAKE_C_IDENTIFIER "${name}_${folder}" key)
      math(EXPR count_${key} "0${count_${key}} + 1")
      math(EXPR part "(${count_${key}} - 1) / 10")
      set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${key}_${part}")
    endif()
  endforeach()
endfunction()

# warpwright_add_library(<name> SOURCES ... LINK ... [SEPARATE]): an internal static library. LINK states the one allowed
# direction, analysis <- rewriters <- feedback <- clang_plugin. SEPARATE: each source is always a unit of its own, since what
# Clang loads takes single ones out of the archive, and must not lack what others of their folder need.
function(warpwright_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SEPARATE" "" "SOURCES;LINK")
  add_library(${name} STATIC ${arg_SOURCES})
  if(WARPWRIGHT_UNITY_BUILD AND NOT arg_SEPARATE)
    _warpwright_unite_sources(${name} ${arg_SOURCES})
  endif()
  target_link_libraries(${name} PUBLIC warpwright_build_interface ${arg_LINK} clang-cpp LLVM)
  if(NOT name STREQUAL "warpwright_analysis")
    target_precompile_headers(${name} REUSE_FROM warpwright_analysis)
  endif()
endfunction()

# PRECOMPILE: headers that so many files of this program read that a precompiled header of its own pays.
function(warpwright_add_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK;PRECOMPILE")
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE warpwright_build_interface ${arg_LINK} clang-cpp LLVM)
  if(arg_PRECOMPILE)
    target_precompile_headers(${name} PRIVATE ${WARPWRIGHT_PRECOMPILED} ${arg_PRECOMPILE})
  else()
    target_precompile_headers(${name} REUSE_FROM warpwright_analysis)
  endif()
endfunction()
