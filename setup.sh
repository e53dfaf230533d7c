#!/usr/bin/env bash
# Installs what is missing (saying what), builds Warpwright, and runs the main job on examples/.
#   --dependencies   stops after the packages
set -euo pipefail
cd "$(dirname "$0")"

packages=(cmake ninja-build make ccache g++ llvm-22-dev libclang-22-dev clang-22 clang-tidy-22 llvm-22-tools lld-22
          nlohmann-json3-dev libcli11-dev libcurl4-openssl-dev libsqlite3-dev libboost-context-dev libgtest-dev libgmock-dev python3 python3-jsonschema
          python3-junitparser python3-pip)
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
if ((${#missing[@]})); then
  echo "setup: installing ${missing[*]}"
  sudo=""
  [ "$(id -u)" = 0 ] || sudo=sudo
  $sudo apt-get update
  for package in "${missing[@]}"; do
    if ! apt-cache show "$package" >/dev/null 2>&1; then
      echo "setup: no source of apt has $package" >&2
      [[ $package != *-22* ]] || echo "setup: LLVM 22 is in the repository that the LLVM project keeps for Debian: add it to the sources of apt, and run this again" >&2
      exit 3
    fi
  done
  $sudo apt-get install -y --no-install-recommends "${missing[@]}"
else
  echo "setup: every package is there"
fi
if ! command -v nvcc >/dev/null; then
  [ -x /usr/local/cuda/bin/nvcc ] || { echo "setup: the CUDA toolkit 13.0 was not found: put nvcc on PATH" >&2; exit 3; }
  export PATH="$PATH:/usr/local/cuda/bin"
fi
[ "${1:-}" = "--dependencies" ] && exit 0

echo "setup: building Warpwright"
cmake --preset release -DWARPWRIGHT_BUILD_TESTS=OFF
cmake --build --preset release

echo "setup: building examples/ with it"
cmake -S examples -B build/examples -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$PWD/build/release"
cmake --build build/examples
build/release/clang_plugin/warpwright report build/examples
