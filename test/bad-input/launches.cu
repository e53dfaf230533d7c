// REQUIRES: nvcc
// Launches that cannot be run are bad input, told with the launch's number; the others run all the same.
//
// RUN: echo '[{"name": "nosuch", "grid": [1], "block": [32]}, {"name": "k", "grid": [1], "block": [32], "args": {"n": 4}}]' > %t.kernel
// RUN: not %warpwright run %s --launches %t.kernel --output %t.out -- -arch=sm_90 2>&1 | FileCheck --check-prefix=KERNEL %s
// RUN: FileCheck --check-prefix=OTHER %s < %t.out
// KERNEL: launch 0: the file holds no kernel 'nosuch'
// OTHER: "name": "k"
//
// RUN: echo '[{"name": "k", "grid": [0], "block": [32], "args": {"n": 4}}]' > %t.grid
// RUN: not %warpwright run %s --launches %t.grid -- -arch=sm_90 2>&1 | FileCheck --check-prefix=GRID %s
// GRID: 'grid' holds 0, not a positive integer
//
// RUN: echo '[{"name": "k", "grid": [2], "block": [32, -2], "args": {"n": 4}}]' > %t.block
// RUN: not %warpwright run %s --launches %t.block -- -arch=sm_90 2>&1 | FileCheck --check-prefix=BLOCK %s
// BLOCK: 'block' holds -2, not a positive integer
//
// RUN: echo '[{"name": "k", "grid": [2], "block": [2048], "args": {"n": 4}}]' > %t.large
// RUN: not %warpwright run %s --launches %t.large -- -arch=sm_90 2>&1 | FileCheck --check-prefix=LARGE %s
// LARGE: launch 0: launch of 'k': a block of (2048, 1, 1) threads is larger than a device runs
//
// RUN: echo '[{"name": "k", "grid": [2], "block": [32], "args": {"n": 4}, "buffers": {"out": {"elements": 1000000000000000}}}]' > %t.memory
// RUN: not %warpwright run %s --launches %t.memory -- -arch=sm_90 2>&1 | FileCheck --check-prefix=MEMORY %s
// MEMORY: launch 0: 'out' needs 4000000000000000 bytes, which is more memory than this machine has left
//
// RUN: echo '[{"name": "k", "grid": [2], "block": [32], "args": {"n": 4}, "buffers": {"out": {"elements": 9000000000000000000}}}]' > %t.huge
// RUN: not %warpwright run %s --launches %t.huge -- -arch=sm_90 2>&1 | FileCheck --check-prefix=HUGE %s
// HUGE: launch 0: {{.*}}'out'
//
// RUN: echo '[{"name": "k", "grid": [2], "block": [32], "args": {"n": 4}, "buffers": {"out": {"elements": -3}}}]' > %t.negative
// RUN: not %warpwright run %s --launches %t.negative -- -arch=sm_90 2>&1 | FileCheck --check-prefix=NEGATIVE %s
// NEGATIVE: buffer 'out': 'elements' must be an integer that is not negative
//
// RUN: echo '[{"name": "k", "grid": [2], "block": [32]}]' > %t.missing
// RUN: not %warpwright run %s --launches %t.missing -- -arch=sm_90 2>&1 | FileCheck --check-prefix=MISSING %s
// MISSING: launch 0: launch of 'k': parameter 'n' has no value
//
// RUN: echo '[{"name": "k", "grid": [2], "block": [32], "args": {"n": 4, "m": 5}}]' > %t.more
// RUN: not %warpwright run %s --launches %t.more -- -arch=sm_90 2>&1 | FileCheck --check-prefix=MORE %s
// MORE: launch 0: launch of 'k': argument 'm' belongs to no parameter
//
// RUN: echo '[{"name": "k", "grid": [2], "block": [32], "args": {"n": 4}, "dynamic_shared_bytes": 1000000}]' > %t.shared
// RUN: not %warpwright run %s --launches %t.shared -- -arch=sm_90 2>&1 | FileCheck --check-prefix=SHARED %s
// SHARED: launch 0: launch of 'k': 1000000 bytes of shared memory are more than a block can have
//
// Their exit code says so.
// RUN: %python -c "import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:]).returncode != 3)" %warpwright run %s --launches %t.kernel --output %t.out -- -arch=sm_90
// RUN: %python -c "import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:]).returncode != 3)" %warpwright run %s --launches %t.grid -- -arch=sm_90
__global__ void k(float *out, int n) {
  if (int(threadIdx.x) < n) out[threadIdx.x] = 1;
}
