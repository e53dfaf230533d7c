__global__ void releaseKernel(float *p) { p[threadIdx.x] += 1.0f; }
