// REQUIRES: nvcc
// Two kernels on a device, here one without silicon: correct and timed, wrong, slower, not to be measured.
//
// RUN: rm -rf %t && mkdir %t && stub-toolkit %t/toolkit %nvcc
// RUN: sed 's/2 \* in\[i\]/in[i] + in[i]/' %s > %t/sum.cu
// DEFINE: %{rules} =
// DEFINE: %{more} =
// DEFINE: %{run} = with-stub-toolkit %t/toolkit "%{rules}" %warpwright verify %s %t/sum.cu --device cuda --runner %runner --driver %stub_driver %{more} -- -arch=sm_90 -I%source_dir/include
//
// REDEFINE: %{rules} = out[[]i[]] = in[[]i[]] [+] in => double 80
// RUN: %{run} | FileCheck %s --check-prefix=FASTER
// FASTER: twice: accepted
// FASTER: on the device: twice: twice: accepted: results hold
// FASTER: n = 65536: FASTER {{0.8|0.79}}
// FASTER-NEXT: original {{[0-9.]+}} us, {{[0-9]+}} GB/s, - TFLOP/s
// FASTER: n = 1000: FASTER
// FASTER: over 3 shapes: median ratio {{[0-9.]+}}, worst {{[0-9.]+}}; Stub, driver 13.0
//
// REDEFINE: %{more} = --format json --output %t/verdict.json
// RUN: %{run}
// RUN: %python -c "import json, sys; print(json.dumps(json.load(open(sys.argv[1]))['verdicts'][0]['measurement']))" %t/verdict.json > %t/measurement.json
// RUN: validate %source_dir/docs/schema/measurement-1.json %t/measurement.json
// RUN: validate %source_dir/docs/schema/verdict-1.json %t/verdict.json
// REDEFINE: %{more} =
//
// REDEFINE: %{rules} = out[[]i[]] = in[[]i[]] [+] in => wrong 80
// RUN: not %{run} | FileCheck %s --check-prefix=WRONG
// WRONG: twice: declined [wrong-result]: wrong-result: 'out': 1 of 65536 elements are not bit-exact
//
// A candidate that the virtual device declines is not run on any other.
// RUN: sed 's/2 \* in\[i\]/3 * in[i]/' %s > %t/sum.cu
// RUN: not %{run} | FileCheck %s --check-prefix=DECLINED
// DECLINED: twice: declined [wrong-output]
// DECLINED-NOT: on the device
//
// Without an extent nothing can be put there.
// RUN: sed 's/in(in\[n\])/in(in)/' %s > %t/open.cu && cp %t/open.cu %t/sum.cu
// RUN: not with-stub-toolkit %t/toolkit "" %warpwright verify %t/open.cu %t/open.cu --device cuda --runner %runner --driver %stub_driver -- -arch=sm_90 -I%source_dir/include | FileCheck %s --check-prefix=OPEN
// OPEN: twice: undecided [not-run]: the annotation gives no extent for 'in'
//
// No device, no runner, no such kind of device: each is said.
// RUN: not env STUB_DEVICES=0 %warpwright verify %s %s --device cuda --runner %runner --driver %stub_driver -- -arch=sm_90 -I%source_dir/include 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: {{.*}}no
// RUN: not %warpwright verify %s %s --device cuda --runner %t/nothing -- -arch=sm_90 -I%source_dir/include 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: nothing' is no program; --runner names warpwright-runner
// RUN: not %warpwright verify %s %s --device tpu -- -arch=sm_90 2>&1 | FileCheck %s --check-prefix=KIND
// KIND: there is no device 'tpu'; there are virtual and cuda
#include <warpwright/annotate.h>

KERNEL_OPTIMIZE(grid(ceil_div(n, 256)), block(256), in(in[n]), out(out[n]), shape(n = 65536), shape(n = 1000),
                shape(n = 4096))
__global__ void twice(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = 2 * in[i];
}
