# The target warpwright_report brings the optimised targets up to date and prints the evidence of all of them.
include_guard(GLOBAL)

function(_warpwright_report_target target)
  if(NOT TARGET warpwright_report)
    get_target_property(tool ${target} WARPWRIGHT_TOOL)
    add_custom_target(warpwright_report COMMAND "${tool}" report "${CMAKE_BINARY_DIR}" USES_TERMINAL VERBATIM)
  endif()
  # A target that `all` leaves out may not be buildable here; its evidence is reported where it was built by itself.
  get_target_property(excluded ${target} EXCLUDE_FROM_ALL)
  if(NOT excluded)
    add_dependencies(warpwright_report ${target})
  endif()
endfunction()

# The target exists, too, where every kernel is built as written, so that a script can always ask for it.
function(_warpwright_ensure_report)
  if(NOT TARGET warpwright_report)
    add_custom_target(warpwright_report VERBATIM COMMAND "${CMAKE_COMMAND}" -E echo
      "No target is optimised in this build (WARPWRIGHT=OFF, or MODE off): there is nothing to report.")
  endif()
endfunction()
