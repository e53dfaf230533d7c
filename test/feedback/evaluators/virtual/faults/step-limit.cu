// REQUIRES: nvcc
// Loops that never end.
// RUN: check-faults %s
#include "Inputs/planted.h"

// LAUNCH: {"name": "strideMisses", "grid": [1], "block": [1], "args": {"n": 7, "step": 2}, "buffers": {"out": {"elements": 1, "type": "int32"}}}
__global__ void strideMisses(unsigned n, unsigned step, int *out) {
  int visited = 0;
  for (unsigned i = 0; PLANTED(i % 4096 != n, i < n); i += step) // FAULT: step-limit
    visited ^= i * 3;
  *out = visited;
}

// LAUNCH: {"name": "searchNeverNarrows", "grid": [1], "block": [1], "args": {"wanted": 5, "n": 64}, "buffers": {"out": {"elements": 1, "type": "int32"}}}
__global__ void searchNeverNarrows(int wanted, int n, int *out) {
  int low = 0, high = n;
  while (high - low > 1) { // FAULT: step-limit
    int middle = (low + high) / 2;
    if (middle * 3 <= wanted)
      low = middle;
    else
      high = PLANTED(high, middle);
  }
  *out = low;
}

// LAUNCH: {"name": "cycleOfLinks", "grid": [1], "block": [1], "args": {"start": 1, "count": 9}, "buffers": {"out": {"elements": 1, "type": "int32"}}}
__global__ void cycleOfLinks(unsigned start, unsigned count, int *out) {
  unsigned at = start, length = 0;
  while (at != 0) { // FAULT: step-limit
    at = (at * 5 + 4) % count + PLANTED(1, 0);
    ++length;
  }
  *out = length;
}
