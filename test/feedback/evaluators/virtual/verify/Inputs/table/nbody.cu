#include <warpwright/annotate.h>

// Accelerations by a softened force; w is the mass.
KERNEL_OPTIMIZE(grid(ceil_div(n, 64)), block(64), in(bodies[n]), out(forces[n]), shape(n = 4096), shape(n = 200),
                shape(n = 65), init(bodies, uniform(-1, 1)), allow(reassociate), allow(launch_change))
__global__ void nbody(const float4 *bodies, float3 *forces, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n)
    return;
  float4 own = bodies[i];
  float3 sum = {0, 0, 0};
  for (int j = 0; j < n; ++j) {
    float4 other = bodies[j];
    float x = other.x - own.x, y = other.y - own.y, z = other.z - own.z;
    float inverse = rsqrtf(x * x + y * y + z * z + 0.1f), factor = other.w * inverse * inverse * inverse;
    sum.x += x * factor;
    sum.y += y * factor;
    sum.z += z * factor;
  }
  forces[i] = sum;
}

template <bool Barrier, bool Tail, int Twice>
__device__ void tiled(const float4 *bodies, float3 *forces, int n, float softening) {
  __shared__ float4 tile[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  float4 own = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
  float3 sum = {0, 0, 0};
  for (int begin = 0; begin < n; begin += 64) {
    if (begin + threadIdx.x < n)
      tile[threadIdx.x] = bodies[begin + threadIdx.x];
    __syncthreads();
    int count = Tail ? min(64, n - begin) : 64;
    for (int j = -Twice; j < count; ++j) {
      float4 other = tile[max(j, 0)];
      float x = other.x - own.x, y = other.y - own.y, z = other.z - own.z;
      float inverse = rsqrtf(x * x + y * y + z * z + softening), factor = other.w * inverse * inverse * inverse;
      sum.x += x * factor;
      sum.y += y * factor;
      sum.z += z * factor;
    }
    if (Barrier)
      __syncthreads();
  }
  if (i < n)
    forces[i] = sum;
}
//! accept: staged in shared memory
__global__ void nbody_tiled(const float4 *bodies, float3 *forces, int n) {
  tiled<true, true, 0>(bodies, forces, n, 0.1f);
}
//! reject shared-race: bodies are replaced while others still read them
__global__ void nbody_no_barrier(const float4 *bodies, float3 *forces, int n) {
  tiled<false, true, 0>(bodies, forces, n, 0.1f);
}
//! reject wrong-output uninitialised-read: the last tile counts bodies of the one before
__global__ void nbody_stale(const float4 *bodies, float3 *forces, int n) {
  tiled<true, false, 0>(bodies, forces, n, 0.1f);
}
//! reject wrong-output: the first body of a tile counts twice
__global__ void nbody_twice(const float4 *bodies, float3 *forces, int n) {
  tiled<true, true, 1>(bodies, forces, n, 0.1f);
}
//! reject wrong-output not-a-number: no softening, so that a body meets itself at distance zero
__global__ void nbody_hard(const float4 *bodies, float3 *forces, int n) {
  tiled<true, true, 0>(bodies, forces, n, 0);
}
//! reject wrong-output: two components of the force change places
__global__ void nbody_swapped(const float4 *bodies, float3 *forces, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n)
    return;
  float4 own = bodies[i];
  float3 sum = {0, 0, 0};
  for (int j = 0; j < n; ++j) {
    float4 other = bodies[j];
    float x = other.x - own.x, y = other.y - own.y, z = other.z - own.z;
    float inverse = rsqrtf(x * x + y * y + z * z + 0.1f), factor = other.w * inverse * inverse * inverse;
    sum.y += x * factor;
    sum.x += y * factor;
    sum.z += z * factor;
  }
  forces[i] = sum;
}
//! accept: division and root instead of the reciprocal root
__global__ void nbody_root(const float4 *bodies, float3 *forces, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n)
    return;
  float4 own = bodies[i];
  float3 sum = {0, 0, 0};
  for (int j = n - 1; j >= 0; --j) {
    float4 other = bodies[j];
    float x = other.x - own.x, y = other.y - own.y, z = other.z - own.z;
    float inverse = 1 / sqrtf(x * x + y * y + z * z + 0.1f), factor = other.w * inverse * inverse * inverse;
    sum.x += x * factor;
    sum.y += y * factor;
    sum.z += z * factor;
  }
  forces[i] = sum;
}
