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

# warpwright_add_library(<name> SOURCES ... LINK ...): an internal static library. LINK states the one allowed direction,
# analysis <- rewriters <- feedback <- clang_plugin.
function(warpwright_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK")
  add_library(${name} STATIC ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC warpwright_build_interface ${arg_LINK} clang-cpp LLVM)
  if(NOT name STREQUAL "warpwright_analysis")
    target_precompile_headers(${name} REUSE_FROM warpwright_analysis)
  endif()
endfunction()

function(warpwright_add_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK")
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE warpwright_build_interface ${arg_LINK} clang-cpp LLVM)
  target_precompile_headers(${name} REUSE_FROM warpwright_analysis)
endfunction()
