__global__ void plainKernel(float *p) { p[threadIdx.x] += 1.0f; }
