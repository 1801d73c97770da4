// The test kernels for HIP: compiled for the device at hand by hiprtc. Arguments: buffers, the output last, then eight words.
typedef unsigned int uint;
typedef unsigned short ushort;
#define WORDS uint p0, uint p1, uint p2, uint p3, uint p4, uint p5, uint p6, uint p7

// out[i] = a * x[i] + y[i]; p = n, bits of a
extern "C" __global__ void axpy(const float* x, const float* y, float* result, WORDS) {
    for (uint i = blockIdx.x * 256u + threadIdx.x; i < p0; i += gridDim.x * 256u)
        result[i] = __uint_as_float(p1) * x[i] + y[i];
}

// One sum per block over 1024 elements, through shared memory; p = n
extern "C" __global__ void reduction(const float* x, float* result, WORDS) {
    __shared__ float part[256];
    uint lane = threadIdx.x, start = blockIdx.x * 1024u;
    float sum = 0.0f;
    for (uint i = start + lane; i < start + 1024u && i < p0; i += 256u)
        sum += x[i];
    part[lane] = sum;
    __syncthreads();
    for (uint half = 128u; half > 0u; half >>= 1) {
        if (lane < half)
            part[lane] += part[lane + half];
        __syncthreads();
    }
    if (lane == 0u)
        result[blockIdx.x] = part[0];
}

// out[i] = in[i] ^ (i * 0x9E3779B1 + seed); p = n, seed
extern "C" __global__ void pattern(const uint* words, uint* result, WORDS) {
    for (uint i = blockIdx.x * 256u + threadIdx.x; i < p0; i += gridDim.x * 256u)
        result[i] = words[i] ^ (i * 0x9E3779B1u + p1);
}

static __device__ float from_bf16(ushort bits) { return __uint_as_float((uint)bits << 16); }

static __device__ ushort to_bf16(float value) {
    uint bits = __float_as_uint(value);
    return (ushort)((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16);
}

// C (M x N) = A (M x K) B (K x N), row major, 16 x 16 tiles in shared memory; p = M, N, K
#define GEMM(NAME, TYPE, ZERO, PRODUCT, ROUNDED)                                                                \
    extern "C" __global__ void NAME(const TYPE* a, const TYPE* b, TYPE* result, WORDS) {                        \
        __shared__ TYPE left[16][17];                                                                           \
        __shared__ TYPE right[16][17];                                                                          \
        uint x = threadIdx.x, y = threadIdx.y, row = blockIdx.x * 16u + y, column = blockIdx.y * 16u + x;       \
        float sum = 0.0f;                                                                                       \
        for (uint at = 0u; at < p2; at += 16u) {                                                                \
            left[y][x] = row < p0 && at + x < p2 ? a[row * p2 + at + x] : ZERO;                                 \
            right[y][x] = column < p1 && at + y < p2 ? b[(at + y) * p1 + column] : ZERO;                        \
            __syncthreads();                                                                                    \
            for (uint k = 0u; k < 16u; k++)                                                                     \
                sum += PRODUCT(left[y][k], right[k][x]);                                                        \
            __syncthreads();                                                                                    \
        }                                                                                                       \
        if (row < p0 && column < p1)                                                                            \
            result[row * p1 + column] = ROUNDED(sum);                                                           \
    }

// out = A (rows x K) x, one thread a row; p = rows, K
#define GEMV(NAME, TYPE, PRODUCT, ROUNDED)                                                                      \
    extern "C" __global__ void NAME(const TYPE* a, const TYPE* x, TYPE* result, WORDS) {                        \
        uint row = blockIdx.x * 256u + threadIdx.x;                                                             \
        if (row >= p0)                                                                                          \
            return;                                                                                             \
        float sum = 0.0f;                                                                                       \
        for (uint k = 0u; k < p1; k++)                                                                          \
            sum += PRODUCT(a[row * p1 + k], x[k]);                                                              \
        result[row] = ROUNDED(sum);                                                                             \
    }

#define PLAIN(l, r) ((float)((l) * (r)))
#define WIDENED(l, r) (from_bf16(l) * from_bf16(r))
GEMM(gemm_f32, float, 0.0f, PLAIN, (float))
GEMM(gemm_f16, _Float16, (_Float16)0.0f, PLAIN, (_Float16))
GEMM(gemm_bf16, ushort, (ushort)0, WIDENED, to_bf16)
GEMV(gemv_f32, float, PLAIN, (float))
GEMV(gemv_f16, _Float16, PLAIN, (_Float16))
GEMV(gemv_bf16, ushort, WIDENED, to_bf16)

static __device__ int packed_dot(int a, int b, int sum) {
#if defined(__gfx906__) || defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx940__) || defined(__gfx941__) || defined(__gfx942__) || \
    defined(__gfx950__) || defined(__gfx1011__) || defined(__gfx1012__) || defined(__gfx1030__) || defined(__gfx1031__) ||                     \
    defined(__gfx1032__) || defined(__gfx1033__) || defined(__gfx1034__) || defined(__gfx1035__) || defined(__gfx1036__)
    return __builtin_amdgcn_sdot4(a, b, sum, false);
#elif defined(__GFX11__) || defined(__GFX12__)
    return __builtin_amdgcn_sudot4(true, a, true, b, sum, false);
#else
    for (int shift = 0; shift < 32; shift += 8)
        sum += (int)(signed char)(a >> shift) * (int)(signed char)(b >> shift);
    return sum;
#endif
}

// out[row] = dot of K packed signed bytes of a and b; p = rows, words of a row
extern "C" __global__ void int8_dot(const int* a, const int* b, int* result, WORDS) {
    uint row = blockIdx.x * 64u + threadIdx.x;
    if (row >= p0)
        return;
    int sum = 0;
    for (uint k = 0u; k < p1; k++)
        sum = packed_dot(a[row * p1 + k], b[row * p1 + k], sum);
    result[row] = sum;
}

// The width of a wavefront, as the device says it
extern "C" __global__ void wavefront(uint* result, WORDS) {
    if (threadIdx.x == 0u && blockIdx.x == 0u)
        result[0] = (uint)warpSize;
}

// Per thread: sum, inclusive sum, the value of the neighbour (lane ^ 1), and size << 24 | wavefront << 12 | lane
extern "C" __global__ void subgroup(const uint* words, uint* result, WORDS) {
    uint i = blockIdx.x * 256u + threadIdx.x, value = words[i], size = (uint)warpSize, lane = threadIdx.x % size;
    uint sum = value, running = value;
    for (uint step = 1u; step < size; step <<= 1) {
        sum += (uint)__shfl_xor((int)sum, (int)step);
        uint before = (uint)__shfl_up((int)running, step);
        running += lane >= step ? before : 0u;
    }
    result[4u * i] = sum;
    result[4u * i + 1u] = running;
    result[4u * i + 2u] = (uint)__shfl_xor((int)value, 1);
    result[4u * i + 3u] = size << 24 | threadIdx.x / size << 12 | lane;
}

// Histogram by atomic additions to memory, 256 bins; p = n
extern "C" __global__ void atomics(const uint* words, uint* result, WORDS) {
    for (uint i = blockIdx.x * 256u + threadIdx.x; i < p0; i += gridDim.x * 256u)
        atomicAdd(&result[words[i] & 255u], 1u);
}

// Softmax of each row, one block a row; p = rows, columns
extern "C" __global__ void softmax(const float* x, float* result, WORDS) {
    __shared__ float part[256];
    uint lane = threadIdx.x, start = blockIdx.x * p1;
    float top = -3.0e38f;
    for (uint i = lane; i < p1; i += 256u)
        top = fmaxf(top, x[start + i]);
    part[lane] = top;
    __syncthreads();
    for (uint half = 128u; half > 0u; half >>= 1) {
        if (lane < half)
            part[lane] = fmaxf(part[lane], part[lane + half]);
        __syncthreads();
    }
    top = part[0];
    __syncthreads();
    float sum = 0.0f;
    for (uint i = lane; i < p1; i += 256u)
        sum += expf(x[start + i] - top);
    part[lane] = sum;
    __syncthreads();
    for (uint half = 128u; half > 0u; half >>= 1) {
        if (lane < half)
            part[lane] += part[lane + half];
        __syncthreads();
    }
    sum = part[0];
    for (uint i = lane; i < p1; i += 256u)
        result[start + i] = expf(x[start + i] - top) / sum;
}

static __device__ uint swept(uint i, uint kind, uint value) { return kind == 0u ? value : (i ^ value) * 0x9E3779B1u; }

// Fills a block with a pattern that no address shares; p = words, kind (0: constant, 1: address hash), value
extern "C" __global__ void sweep_write(uint4* result, WORDS) {
    for (uint i = blockIdx.x * 256u + threadIdx.x; i < p0 / 4u; i += gridDim.x * 256u) {
        uint4 made;
        made.x = swept(4u * i, p1, p2);
        made.y = swept(4u * i + 1u, p1, p2);
        made.z = swept(4u * i + 2u, p1, p2);
        made.w = swept(4u * i + 3u, p1, p2);
        result[i] = made;
    }
}

static __device__ void compared(uint i, uint read, uint* wrong, uint kind, uint value) {
    if (read != swept(i, kind, value)) {
        uint at = atomicAdd(wrong, 1u);
        if (at < 15u) {
            wrong[1u + 2u * at] = i;
            wrong[2u + 2u * at] = read;
        }
    }
}

// Compares a block with the same pattern: log = number of wrong words, then (index, word) of the first of them; p as in sweep_write
extern "C" __global__ void sweep_read(const uint4* words, uint* wrong, WORDS) {
    for (uint i = blockIdx.x * 256u + threadIdx.x; i < p0 / 4u; i += gridDim.x * 256u) {
        uint4 read = words[i];
        compared(4u * i, read.x, wrong, p1, p2);
        compared(4u * i + 1u, read.y, wrong, p1, p2);
        compared(4u * i + 2u, read.z, wrong, p1, p2);
        compared(4u * i + 3u, read.w, wrong, p1, p2);
    }
}
