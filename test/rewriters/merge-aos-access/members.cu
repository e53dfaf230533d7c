// REQUIRES: nvcc
// Members that are read or written one by one travel together, where nothing may come between and the structure is a vector's like.
//
// RUN: rm -rf %t && mkdir %t && only-rewriter %warpwright merge-aos-access > %t/policy.json
// RUN: %warpwright optimize --choose-any --policy %t/policy.json %s --output-dir %t -- -arch=sm_90 -I%source_dir/include | FileCheck %s
// RUN: grep -v "^//" %t/members.cu > %t/code.txt
// RUN: FileCheck --strict-whitespace --check-prefix=TEXT --input-file=%t/code.txt %s
// RUN: %warpwright verify %s %t/members.cu -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=VERIFY %s
// RUN: %nvcc -arch=sm_90 -cubin -Werror all-warnings -I%source_dir/include -o %t/members.cubin %t/members.cu
#include <warpwright/annotate.h>
struct Particle {
  float x, y, z, mass;
};
struct Point {
  double u, v;
};
struct Odd {
  float a, b, c;
};

//   read and written; the alignment is tested, or promised
// CHECK-LABEL: move (
// CHECK: changed   merge-aos-access
// TEXT-LABEL: void move(
// TEXT: {{^    }}// All members of an element of 'in' at once, where it is aligned for 16 bytes.
// TEXT-NEXT: {{^    }}const float4 particle = reinterpret_cast<size_t>(in) % 16 == 0 ? reinterpret_cast<const float4 *>(in)[i] : make_float4(in[i].x, in[i].y, in[i].z, in[i].mass);
// TEXT-NEXT: {{^    }}float k = 2.0f * particle.w;
// TEXT-NEXT: {{^    }}// All members of an element of 'out' at once: 16 bytes.
// TEXT-NEXT: {{^    }}reinterpret_cast<float4 *>(out)[i] = make_float4(particle.x * k, particle.y + k, particle.z, k);
// TEXT-NEXT: {{^  }}}
// VERIFY: move: accepted
KERNEL_OPTIMIZE(grid(ceil_div(n, 64)), block(64), in(in[n]), out(out[n]), aligned(out, 16), shape(n = 1000), shape(n = 7))
__global__ void move(const Particle *in, Particle *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float k = 2.0f * in[i].mass;
    out[i].x = in[i].x * k;
    out[i].y = in[i].y + k;
    out[i].z = in[i].z;
    out[i].mass = k;
  }
}

//   in place
// CHECK-LABEL: turn (
// CHECK: changed   merge-aos-access
// TEXT-LABEL: void turn(
// TEXT: {{^  }}const double2 point = reinterpret_cast<const double2 *>(p)[i];
// TEXT-NEXT: {{^  }}double u = point.x, v = point.y;
// TEXT: {{^  }}reinterpret_cast<double2 *>(p)[i] = make_double2(v, -u);
// VERIFY: turn: accepted
KERNEL_OPTIMIZE(grid(1), block(64), inout(p[64]), aligned(p, 16))
__global__ void turn(Point *p) {
  int i = threadIdx.x;
  double u = p[i].u, v = p[i].v;
  p[i].u = v;
  p[i].v = -u;
}

//   one member sees what another was given; three numbers; one member alone
// CHECK-LABEL: chained (
// CHECK: declined  merge-aos-access: 'p': its members are written one by one, but what is stored is read from memory
KERNEL_OPTIMIZE(grid(1), block(64), inout(p[64]))
__global__ void chained(Point *p) {
  p[threadIdx.x].u = p[threadIdx.x].v * 2.0;
  p[threadIdx.x].v = p[threadIdx.x].u + 1.0;
}

// CHECK-LABEL: odd (
// CHECK: kept
KERNEL_OPTIMIZE(grid(1), block(64), in(p[64]), in(q[64]), out(y[64]))
__global__ void odd(const Odd *p, const Particle *q, float *y) {
  y[threadIdx.x] = p[threadIdx.x].a + p[threadIdx.x].b + q[threadIdx.x].y;
}
