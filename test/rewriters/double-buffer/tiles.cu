// REQUIRES: nvcc
// Tiles are loaded ahead by copies that nobody waits for, or through registers.
//
// RUN: rm -rf %t && mkdir %t && only-rewriter %warpwright double-buffer > %t/policy.json
// RUN: %warpwright optimize --choose-any --no-verify --policy %t/policy.json %s --output-dir %t -- -arch=sm_90 -I%source_dir/include | FileCheck %s
// RUN: grep -v "^ *//" %t/tiles.cu > %t/code.txt
// RUN: FileCheck --strict-whitespace --check-prefix=TEXT --input-file=%t/code.txt %s
// RUN: %warpwright verify %s %t/tiles.cu -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=VERIFY %s
//
//   before sm_80 there are registers alone
// RUN: mkdir %t/75 && %warpwright optimize --choose-any --no-verify --policy %t/policy.json %s --output-dir %t/75 -- -arch=sm_75 -I%source_dir/include | FileCheck --check-prefix=OLD %s
// RUN: grep -v "^ *//" %t/75/tiles.cu > %t/75/code.txt
// RUN: FileCheck --strict-whitespace --check-prefix=REGISTERS --input-file=%t/75/code.txt %s
// RUN: %warpwright verify %s %t/75/tiles.cu -- -arch=sm_75 -I%source_dir/include | FileCheck --check-prefix=VERIFY %s
#include <warpwright/annotate.h>
#define TILE 16

//   a product by tiles, guarded by a choice and by a statement
// CHECK-LABEL: product (
// CHECK: changed   double-buffer copies=1 stages=3
// TEXT-LABEL: void product(
// TEXT: {{^  }}__shared__ float left[3][TILE][TILE], right[3][TILE][TILE];
// TEXT: {{^  }}float sum = 0.0f;
// TEXT-NEXT: {{^  }}const auto copy4 = [](void *to, const void *from) {
// TEXT-NEXT: {{^    }}const unsigned place = static_cast<unsigned>(__cvta_generic_to_shared(to));
// TEXT-NEXT: {{^    }}asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(place), "l"(from) : "memory");
// TEXT-NEXT: {{^  }}};
// TEXT-NEXT: {{^  }}const auto fill = [&](int t, int buffer) {
// TEXT-NEXT: {{^    }}if (row < m && t + tx < k) {
// TEXT-NEXT: {{^      }}copy4(&left[buffer][ty][tx], &a[row * k + t + tx]);
// TEXT-NEXT: {{^    }}} else {
// TEXT-NEXT: {{^      }}left[buffer][ty][tx] = 0.0f;
// TEXT-NEXT: {{^    }}}
// TEXT-NEXT: {{^    }}if (t + ty < k && col < n) {
// TEXT-NEXT: {{^      }}copy4(&right[buffer][ty][tx], &b[(t + ty) * n + col]);
// TEXT-NEXT: {{^    }}} else {
// TEXT-NEXT: {{^      }}right[buffer][ty][tx] = 0.0f;
// TEXT-NEXT: {{^    }}}
// TEXT-NEXT: {{^  }}};
// TEXT-NEXT: {{^  }}int ahead = 0;
// TEXT-NEXT: {{^  }}for (int stage = 0; stage < 2; ++stage) {
// TEXT-NEXT: {{^    }}if (ahead < k) {
// TEXT-NEXT: {{^      }}fill(ahead, stage);
// TEXT-NEXT: {{^      }}ahead += TILE;
// TEXT-NEXT: {{^    }}}
// TEXT-NEXT: {{^    }}asm volatile("cp.async.commit_group;" ::: "memory");
// TEXT-NEXT: {{^  }}}
// TEXT-NEXT: {{^  }}int buffer = 0;
// TEXT-NEXT: {{^  }}for (int t = 0; t < k; t += TILE) {
// TEXT-NEXT: {{^    }}asm volatile("cp.async.wait_group 1;" ::: "memory");
// TEXT-NEXT: {{^    }}__syncthreads();
// TEXT-NEXT: {{^    }}if (ahead < k) {
// TEXT-NEXT: {{^      }}fill(ahead, buffer == 0 ? 2 : buffer - 1);
// TEXT-NEXT: {{^      }}ahead += TILE;
// TEXT-NEXT: {{^    }}}
// TEXT-NEXT: {{^    }}asm volatile("cp.async.commit_group;" ::: "memory");
// TEXT-NEXT: {{^    }}for (int i = 0; i < TILE; ++i)
// TEXT-NEXT: {{^      }}sum += left[buffer][ty][i] * right[buffer][i][tx];
// TEXT-NEXT: {{^    }}buffer = buffer == 2 ? 0 : buffer + 1;
// TEXT-NEXT: {{^  }}}
// OLD-LABEL: product (
// OLD: changed   double-buffer copies=0 stages=2
// OLD: by copies: there are no copies that go by themselves before sm_80
// REGISTERS-LABEL: void product(
// REGISTERS: {{^  }}float leftNext;
// REGISTERS-NEXT: {{^  }}float rightNext;
// REGISTERS-NEXT: {{^  }}const auto fetch = [&](int t) {
// REGISTERS-NEXT: {{^    }}leftNext = row < m && t + tx < k ? a[row * k + t + tx] : 0.0f;
// REGISTERS-NEXT: {{^    }}if (t + ty < k && col < n) {
// REGISTERS-NEXT: {{^      }}rightNext = b[(t + ty) * n + col];
// REGISTERS-NEXT: {{^    }}} else {
// REGISTERS-NEXT: {{^      }}rightNext = 0.0f;
// REGISTERS-NEXT: {{^    }}}
// REGISTERS-NEXT: {{^  }}};
// REGISTERS-NEXT: {{^  }}const auto keep = [&](int buffer) {
// REGISTERS-NEXT: {{^    }}left[buffer][ty][tx] = leftNext;
// REGISTERS-NEXT: {{^    }}right[buffer][ty][tx] = rightNext;
// REGISTERS-NEXT: {{^  }}};
// REGISTERS-NEXT: {{^  }}int ahead = 0;
// REGISTERS-NEXT: {{^  }}if (ahead < k) {
// REGISTERS-NEXT: {{^    }}fetch(ahead);
// REGISTERS-NEXT: {{^    }}keep(0);
// REGISTERS-NEXT: {{^    }}ahead += TILE;
// REGISTERS-NEXT: {{^  }}}
// REGISTERS-NEXT: {{^  }}__syncthreads();
// REGISTERS-NEXT: {{^  }}int buffer = 0;
// REGISTERS-NEXT: {{^  }}for (int t = 0; t < k; t += TILE) {
// REGISTERS-NEXT: {{^    }}const bool goesOn = ahead < k;
// REGISTERS-NEXT: {{^    }}if (goesOn) {
// REGISTERS-NEXT: {{^      }}fetch(ahead);
// REGISTERS-NEXT: {{^      }}ahead += TILE;
// REGISTERS-NEXT: {{^    }}}
// REGISTERS-NEXT: {{^    }}for (int i = 0; i < TILE; ++i)
// REGISTERS-NEXT: {{^      }}sum += left[buffer][ty][i] * right[buffer][i][tx];
// REGISTERS-NEXT: {{^    }}if (goesOn)
// REGISTERS-NEXT: {{^      }}keep(buffer ^ 1);
// REGISTERS-NEXT: {{^    }}__syncthreads();
// REGISTERS-NEXT: {{^    }}buffer ^= 1;
// REGISTERS-NEXT: {{^  }}}
// VERIFY-DAG: product: accepted
KERNEL_OPTIMIZE(grid(ceil_div(n, 16), ceil_div(m, 16)), block(16, 16), in(a[m * k]), in(b[k * n]), out(c[m * n]),
                shape(m = 32, n = 32, k = 80), shape(m = 20, n = 37, k = 50), shape(m = 5, n = 7, k = 3))
__global__ void product(const float *a, const float *b, float *c, int m, int n, int k) {
  __shared__ float left[TILE][TILE], right[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0.0f;
  for (int t = 0; t < k; t += TILE) {
    left[ty][tx] = row < m && t + tx < k ? a[row * k + t + tx] : 0.0f;
    if (t + ty < k && col < n)
      right[ty][tx] = b[(t + ty) * n + col];
    else
      right[ty][tx] = 0.0f;
    __syncthreads();
    for (int i = 0; i < TILE; ++i)
      sum += left[ty][i] * right[i][tx];
    __syncthreads();
  }
  if (row < m && col < n)
    c[row * n + col] = sum;
}

//   pointers that move along, tiles declared in the loop, 16 bytes at a time, a loop around the loop, a name that both
//   need, and elements that a loop brings
// CHECK-LABEL: moving (
// CHECK: changed   double-buffer copies=1 stages=3
// TEXT-LABEL: void moving(
// TEXT: {{^    }}__shared__ __align__(16) float left[3][64];
// TEXT: {{^    }}__shared__ float4 right[3][16];
// TEXT: asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
// TEXT: {{^    }}const auto fill = [&](int t, int buffer) {
// TEXT-NEXT: {{^      }}const int first = t * 16;
// TEXT-NEXT: {{^}}#pragma unroll
// TEXT-NEXT: {{^      }}for (int j = 0; j < 2; ++j) {
// TEXT-NEXT: {{^        }}const int at = j * 32 + lane;
// TEXT-NEXT: {{^        }}copy4(&left[buffer][at], &from[at]);
// TEXT-NEXT: {{^      }}}
// TEXT-NEXT: {{^      }}if (lane < 16) {
// TEXT-NEXT: {{^        }}copy16(&right[buffer][lane], &b[first + lane]);
// TEXT-NEXT: {{^      }}}
// TEXT-NEXT: {{^      }}from += 64;
// TEXT-NEXT: {{^    }}};
// TEXT: {{^    }}for (int t = 0; t < n; ++t) {
// TEXT: {{^      }}const int first = t * 16;
// TEXT-NEXT: {{^      }}for (int i = 0; i < 16; ++i)
// TEXT-NEXT: {{^        }}sum += (left[buffer][i * 4 + lane % 4] + right[buffer][i].y) * first;
// TEXT: {{^    }}}
// TEXT-NEXT: {{^    }}__syncthreads();
// TEXT-NEXT: {{^    }}c[
// REGISTERS-LABEL: void moving(
// REGISTERS: {{^    }}float leftNext[2];
// REGISTERS-NEXT: {{^    }}float4 rightNext;
// REGISTERS: {{^        }}leftNext[j] = from[at];
// REGISTERS: {{^      }}if (lane < 16) {
// REGISTERS-NEXT: {{^        }}rightNext = b[first + lane];
// REGISTERS: {{^    }}const auto keep = [&](int buffer) {
// REGISTERS-NEXT: {{^}}#pragma unroll
// REGISTERS-NEXT: {{^      }}for (int j = 0; j < 2; ++j) {
// REGISTERS-NEXT: {{^        }}const int at = j * 32 + lane;
// REGISTERS-NEXT: {{^        }}left[buffer][at] = leftNext[j];
// REGISTERS-NEXT: {{^      }}}
// REGISTERS-NEXT: {{^      }}if (lane < 16) {
// REGISTERS-NEXT: {{^        }}right[buffer][lane] = rightNext;
// REGISTERS-NEXT: {{^      }}}
// REGISTERS-NEXT: {{^    }}};
// VERIFY-DAG: moving: accepted
KERNEL_OPTIMIZE(grid(4), block(32), in(a[n * 64]), in(b[n * 16]), out(c[512]),
                shape(n = 9), shape(n = 2), shape(n = 1))
__global__ void moving(const float *__restrict__ a, const float4 *__restrict__ b, float *__restrict__ c, int n) {
  const int lane = threadIdx.x;
  for (int part = 0; part < 4; ++part) {
    const float *from = a;
    float sum = 0.0f;
    for (int t = 0; t < n; ++t) {
      __shared__ __align__(16) float left[64];
      __shared__ float4 right[16];
      const int first = t * 16;
      // two elements each
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        const int at = j * 32 + lane;
        left[at] = from[at];
      }
      if (lane < 16)
        right[lane] = b[first + lane];
      __syncthreads();
      from += 64;
      for (int i = 0; i < 16; ++i)
        sum += (left[i * 4 + lane % 4] + right[i].y) * first;
      __syncthreads();
    }
    c[part * 128 + blockIdx.x * 32 + lane] = sum;
  }
}
