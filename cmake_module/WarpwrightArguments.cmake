# What a call of kernel_optimize() may say. A mistake is an error at the call that names the way out.
include_guard(GLOBAL)

function(_warpwright_check_keywords call unknown missing)
  if(unknown)
    list(GET unknown 0 first)
    message(FATAL_ERROR "${call}: unknown argument '${first}'. "
            "After the target come SOURCES, MODE, LOCK, POLICY, MAX_REGISTERS and STRICT; one call takes one target.")
  endif()
  if(missing)
    list(GET missing 0 first)
    message(FATAL_ERROR "${call}: ${first} has no value. Give it one or leave it out.")
  endif()
endfunction()

# Objects belong to the target behind an alias; targets that compile nothing have none.
function(_warpwright_resolve_target call target result)
  if(NOT TARGET "${target}")
    message(FATAL_ERROR "${call}: there is no target '${target}'. Call kernel_optimize() after the add_library() or "
            "add_executable() that makes it.")
  endif()
  get_target_property(aliased ${target} ALIASED_TARGET)
  if(aliased)
    set(target ${aliased})
  endif()
  get_target_property(imported ${target} IMPORTED)
  if(imported)
    message(FATAL_ERROR "${call}: the target is imported, its objects are built already. Call kernel_optimize() in the "
            "project that builds it.")
  endif()
  get_target_property(type ${target} TYPE)
  if(NOT type MATCHES "^(EXECUTABLE|(STATIC|SHARED|MODULE|OBJECT)_LIBRARY)$")
    message(FATAL_ERROR "${call}: a target of type ${type} compiles nothing itself. Give the targets whose sources are "
            "compiled.")
  endif()
  set(${result} ${target} PARENT_SCOPE)
endfunction()

function(_warpwright_check_mode call mode result)
  if("${mode}" STREQUAL "")
    set(mode static)
  elseif(NOT mode MATCHES "^(off|check|static|tune)$")
    message(FATAL_ERROR "${call}: unknown MODE '${mode}'. Use off, check, static or tune.")
  endif()
  if(mode STREQUAL "tune")
    message(STATUS "${call}: MODE tune measures nothing while it compiles: the target warpwright_tune does. "
            "This build uses what the lock holds, and the static choice for the rest.")
  endif()
  set(${result} ${mode} PARENT_SCOPE)
endfunction()

# Sets <result> to the option `<option>=<path>`, or to an expression that is this option where <path> yields a file, and
# nothing otherwise: its semicolon is inside, since a list element that came out empty would be an empty argument.
function(_warpwright_file_option call keyword option path result)
  set(${result} "" PARENT_SCOPE)
  if("${path}" STREQUAL "")
    return()
  endif()
  if(path MATCHES "\\$<")
    set(absolute "$<PATH:ABSOLUTE_PATH,NORMALIZE,${path},${CMAKE_CURRENT_SOURCE_DIR}>")
    set(${result} "$<$<BOOL:${path}>:;${option}=${absolute}>" PARENT_SCOPE)
    return()
  endif()
  cmake_path(ABSOLUTE_PATH path BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
  if(NOT EXISTS "${path}" OR IS_DIRECTORY "${path}")
    message(FATAL_ERROR "${call}: ${keyword} '${path}' is not a file. Correct the path, which is relative to the "
            "directory of the call, or leave ${keyword} out.")
  endif()
  set(${result} ";${option}=${path}" PARENT_SCOPE)
endfunction()

# 255 is the most registers that an instruction of any supported architecture can address.
function(_warpwright_check_max_registers call number)
  if("${number}" STREQUAL "")
    return()
  endif()
  if(NOT number MATCHES "^[1-9][0-9]?[0-9]?$" OR number GREATER 255)
    message(FATAL_ERROR "${call}: MAX_REGISTERS '${number}' is not a number of registers. Use 1 to 255.")
  endif()
endfunction()
