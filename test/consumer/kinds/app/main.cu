__global__ void mainKernel(float *p);
int main() {}
__global__ void mainKernel(float *p) { p[threadIdx.x] += 1.0f; }
