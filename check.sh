#!/usr/bin/env bash
# Installs what the tests need, builds, and runs every test. Ends with lit's count.
set -euo pipefail
cd "$(dirname "$0")"
./setup.sh --dependencies
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
cmake --preset dev
cmake --build --preset dev
ctest --preset dev --verbose
