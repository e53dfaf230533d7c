# What makes an object out of date, and what `clean` removes. The tool itself appends what it read (its own program,
# lock, policy) to the dependency file that nvcc writes: that holds for sources of any directory, and those in generator
# expressions. Below is what a dependency file cannot carry.
include_guard(GLOBAL)

# Makefiles do not look at the text of a command: without this, another MODE would leave old objects. The file exists
# with Warpwright off, too, so that switching it on rebuilds. Ninja compares commands itself.
function(_warpwright_depend_on_options target cuda_sources)
  if(NOT CMAKE_GENERATOR MATCHES "Makefiles")
    return()
  endif()
  get_target_property(launcher ${target} CUDA_COMPILER_LAUNCHER)
  set(stamp "${CMAKE_BINARY_DIR}/CMakeFiles/warpwright/${target}.launcher")
  set(previous "")
  if(EXISTS "${stamp}")
    file(READ "${stamp}" previous)
  endif()
  if(NOT EXISTS "${stamp}" OR NOT previous STREQUAL launcher)
    file(WRITE "${stamp}" "${launcher}")
  endif()
  _warpwright_append_object_depends(${target} "${cuda_sources}" "${stamp}")
endfunction()

# Where the tool is built in the same build, it must be built first, and a rebuilt tool must rebuild the objects in the
# same run. Ninja knows the program by a relative path, the dependency file by an absolute one, hence the stamp.
function(_warpwright_depend_on_tool_target target cuda_sources)
  get_target_property(tool ${target} WARPWRIGHT_TOOL)
  if(NOT tool MATCHES "TARGET_FILE:" OR NOT TARGET warpwright)
    return()
  endif()
  set(stamp "${CMAKE_BINARY_DIR}/CMakeFiles/warpwright/tool.stamp")
  if(NOT TARGET warpwright_tool_stamp)
    add_custom_command(OUTPUT "${stamp}" COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}" DEPENDS warpwright VERBATIM)
    add_custom_target(warpwright_tool_stamp DEPENDS "${stamp}")
  endif()
  add_dependencies(${target} warpwright_tool_stamp)
  _warpwright_append_object_depends(${target} "${cuda_sources}" "${stamp}")
endfunction()

function(_warpwright_append_object_depends target sources file)
  if(sources)
    set_property(SOURCE ${sources} TARGET_DIRECTORY ${target} APPEND PROPERTY OBJECT_DEPENDS "${file}")
  endif()
endfunction()

# The tool writes <object>.warpwright.json next to each object.
function(_warpwright_remove_evidence_on_clean target)
  set_property(TARGET ${target} APPEND PROPERTY ADDITIONAL_CLEAN_FILES
    "$<JOIN:$<TARGET_OBJECTS:${target}>,.warpwright.json;>.warpwright.json")
endfunction()
