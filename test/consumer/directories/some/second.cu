__global__ void second(float *p) { p[threadIdx.x] += 1.0f; }
