// REQUIRES: nvcc
// What the device does not have is undecided and named: never a wrong answer, and no end of the tool. What headers make of
// textures, clusters and grids is in test/bad-input/verify.cu.
//
// RUN: sed -n 's/^__global__ void \([a-z0-9_]*\)() .*/{"name": "\1", "grid": [1], "block": [32]}/p' %s | paste -sd, | sed 's/.*/[&]/' > %t.json
// RUN: exits 2 %warpwright run %s --launches %t.json --output %t.out -- -arch=sm_90a 2>&1 | FileCheck %s
#include <cstdint>

__device__ unsigned word;
__device__ uint64_t wide[2];
__shared__ uint64_t barrier;
__shared__ unsigned tile[64];
__device__ unsigned at(const void *shared) { return static_cast<unsigned>(__cvta_generic_to_shared(shared)); }

// CHECK: 'arrives': undecided: inline PTX mbarrier.arrive.shared.b64
__global__ void arrives() { asm volatile("{.reg .b64 s; mbarrier.arrive.shared.b64 s, [%0];}" ::"r"(at(&barrier)) : "memory"); }
// CHECK: 'initialises': undecided: inline PTX mbarrier.init.shared.b64
__global__ void initialises() { asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(at(&barrier)) : "memory"); }
// CHECK: 'waits': undecided: inline PTX {{mbarrier.try_wait|.*LOOP}}
__global__ void waits() { asm volatile("{.reg .pred p; LOOP: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra LOOP;}" ::"r"(at(&barrier)) : "memory"); }
// CHECK: 'built_in': undecided: llvm.nvvm.mbarrier.init
__global__ void built_in() {
  __nvvm_mbarrier_init_shared((__attribute__((address_space(3))) long *)at(&barrier), 32);
}
// CHECK: 'bulk_copy': undecided: inline PTX cp.async.bulk.shared::cluster.global
__global__ void bulk_copy() { asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 16, [%2];" ::"r"(at(tile)), "l"(wide), "r"(at(&barrier)) : "memory"); }
// CHECK: 'bulk_reduction': undecided: inline PTX cp.reduce.async.bulk
__global__ void bulk_reduction() { asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], 16;" ::"l"(wide), "r"(at(tile)) : "memory"); }
// CHECK: 'bulk_groups': undecided: inline PTX cp.async.bulk.commit_group
__global__ void bulk_groups() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
// CHECK: 'copy_arrives': undecided: inline PTX cp.async.mbarrier.arrive
__global__ void copy_arrives() { asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(at(&barrier)) : "memory"); }
// CHECK: 'stores_async': undecided: inline PTX st.async
__global__ void stores_async() { asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(at(tile)), "r"(1), "r"(at(&barrier)) : "memory"); }
// CHECK: 'reduces_async': undecided: inline PTX red.async
__global__ void reduces_async() { asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32 [%0], %1, [%2];" ::"r"(at(tile)), "r"(1), "r"(at(&barrier)) : "memory"); }
// CHECK: 'cluster_rank': undecided: inline PTX mov.u32 of %cluster_ctarank
__global__ void cluster_rank() { asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(word)); }
// CHECK: 'cluster_extent': undecided: llvm.nvvm.read.ptx.sreg.cluster.nctaid.x
__global__ void cluster_extent() { word = __nvvm_read_ptx_sreg_cluster_nctaid_x(); }
// CHECK: 'cluster_waits': undecided: inline PTX barrier.cluster.arrive
__global__ void cluster_waits() { asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory"); }
// CHECK: 'maps': undecided: inline PTX mapa.shared::cluster.u32
__global__ void maps() { asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(word) : "r"(at(tile))); }
// CHECK: 'eighths': undecided: inline PTX cvt.rn.satfinite.e4m3x2.f32
__global__ void eighths() {
  short pair;
  asm volatile("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(1.0f), "f"(2.0f));
  word = pair;
}
// CHECK: 'from_eighths': undecided: inline PTX cvt.rn.f16x2.e5m2x2
__global__ void from_eighths() { asm volatile("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(word) : "h"(short(word))); }
// CHECK: 'tests': undecided: inline PTX testp.subnormal.f32
__global__ void tests() { asm volatile("{.reg .pred p; testp.subnormal.f32 p, %1; selp.u32 %0, 1, 0, p;}" : "=r"(word) : "f"(__uint_as_float(word))); }
// CHECK: 'selects': undecided: inline PTX slct.u32.s32
__global__ void selects() { asm volatile("slct.u32.s32 %0, 1, 2, %1;" : "=r"(word) : "r"(word)); }
// CHECK: 'masks': undecided: inline PTX bmsk.clamp.b32
__global__ void masks() { asm volatile("bmsk.clamp.b32 %0, %1, 4;" : "=r"(word) : "r"(word)); }
// CHECK: 'extends': undecided: inline PTX szext.wrap.s32
__global__ void extends() { asm volatile("szext.wrap.s32 %0, %1, 4;" : "=r"(word) : "r"(word)); }
// CHECK: 'packs': undecided: inline PTX cvt.pack.sat.s8.s32.b32
__global__ void packs() { asm volatile("cvt.pack.sat.s8.s32.b32 %0, %1, %1, 0;" : "=r"(word) : "r"(word)); }
// CHECK: 'sign_of_both': undecided: inline PTX min.xorsign.abs.f32
__global__ void sign_of_both() { asm volatile("min.xorsign.abs.f32 %0, %1, %1;" : "=r"(word) : "r"(word)); }
// CHECK: 'smaller_half': undecided: inline PTX atom.global.min.noftz.f16x2
__global__ void smaller_half() { asm volatile("{.reg .b32 d; atom.global.min.noftz.f16x2 d, [%0], %1;}" ::"l"(&word), "r"(1) : "memory"); }
// CHECK: 'places': undecided: inline PTX isspacep.shared
__global__ void places() { asm volatile("{.reg .pred p; isspacep.shared p, %1; selp.u32 %0, 1, 0, p;}" : "=r"(word) : "l"(tile)); }
// CHECK: 'parameters': undecided: inline PTX isspacep.param
__global__ void parameters() { asm volatile("{.reg .pred p; isspacep.param p, %1; selp.u32 %0, 1, 0, p;}" : "=r"(word) : "l"(tile)); }
// CHECK: 'matrix_group': undecided: inline PTX wgmma.fence.sync.aligned
__global__ void matrix_group() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
// CHECK: 'multicast': undecided: inline PTX multimem.ld_reduce
__global__ void multicast() { asm volatile("multimem.ld_reduce.relaxed.sys.global.add.u32 %0, [%1];" : "=r"(word) : "l"(&word)); }
// CHECK: 'stops': undecided: inline PTX brkpt
__global__ void stops() { asm volatile("brkpt;"); }
// CHECK: 'environment': undecided: inline PTX mov.u32 of %envreg1
__global__ void environment() { asm volatile("mov.u32 %0, %%envreg1;" : "=r"(word)); }
// CHECK: 'counters': undecided: inline PTX mov.u32 of %pm0
__global__ void counters() { asm volatile("mov.u32 %0, %%pm0;" : "=r"(word)); }
// CHECK: 'fetches': undecided: inline PTX tex.1d.v4.u32.s32
__global__ void fetches() { asm volatile("{.reg .b32 a, b, c; tex.1d.v4.u32.s32 {%0, a, b, c}, [%1, {0}];}" : "=r"(word) : "l"(wide[0])); }
// CHECK: 'reads_surface': undecided: inline PTX suld.b.1d.b32.trap
__global__ void reads_surface() { asm volatile("suld.b.1d.b32.trap {%0}, [%1, {0}];" : "=r"(word) : "l"(wide[0])); }
// CHECK: 'branches': undecided: inline PTX
__global__ void branches() { asm volatile("{bra DONE; add.u32 %0, %0, 1; DONE:}" : "+r"(word)); }
// CHECK: 'queries': undecided: inline PTX {{.*}}clusterlaunchcontrol
__global__ void queries() { asm volatile("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%0], [%1];" ::"r"(at(tile)), "r"(at(&barrier)) : "memory"); }
