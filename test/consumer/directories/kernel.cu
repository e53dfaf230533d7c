__global__ void kernel(float *p) { p[threadIdx.x] += 1.0f; }
