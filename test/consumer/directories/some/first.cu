__global__ void first(float *p) { p[threadIdx.x] += 1.0f; }
