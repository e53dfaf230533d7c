# Everything Warpwright is built from. A missing package is named together with the Debian package that brings it.
find_package(LLVM 22.1 CONFIG QUIET HINTS /usr/lib/llvm-22)
if(NOT LLVM_FOUND)
  message(FATAL_ERROR "LLVM 22.1 was not found. Install llvm-22-dev and libclang-22-dev, or set LLVM_DIR.")
endif()
find_package(Clang CONFIG QUIET HINTS "${LLVM_INSTALL_PREFIX}")
if(NOT Clang_FOUND)
  message(FATAL_ERROR "Clang ${LLVM_VERSION} was not found. Install libclang-22-dev, or set Clang_DIR.")
endif()
if(NOT TARGET clang-cpp OR NOT TARGET LLVM)
  message(FATAL_ERROR "The shared libraries clang-cpp and LLVM are needed; this LLVM at ${LLVM_DIR} has only static ones.")
endif()
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(CURL 7.85 REQUIRED) # libcurl4-openssl-dev
find_package(SQLite3 3.35 REQUIRED) # libsqlite3-dev
find_package(Threads REQUIRED)
message(STATUS "Warpwright uses LLVM ${LLVM_PACKAGE_VERSION} from ${LLVM_DIR}")
