// C (M x N) = A (M x K) B (K x N), row major, one tile for each subgroup, two subgroups in a workgroup.
// p = M, N, K, 1 where all tiles are whole: these are loaded from and stored to the buffers as they lie. Otherwise they go through
// shared memory, padded with zeros and with B turned, as matrix kernels do at the edges.
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_16bit_storage : require
#pragma use_vulkan_memory_model
layout(constant_id = 0) const uint TM = 16;
layout(constant_id = 1) const uint TN = 16;
layout(constant_id = 2) const uint TK = 16;
layout(local_size_x_id = 3) in;
layout(set = 0, binding = 0, std430) readonly buffer A { float16_t a[]; };
layout(set = 0, binding = 1, std430) readonly buffer B { float16_t b[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Out { SUM result[]; };
layout(push_constant) uniform Parameters { uint p[8]; };

const uint WIDTH = TK + 8, SUM_WIDTH = TN + 8; // rows begin at multiples of 16 bytes, as loads and stores want
shared float16_t left[2 * TM * WIDTH];
shared float16_t right[2 * TN * WIDTH];
shared SUM sums[2 * TM * SUM_WIDTH];

void main() {
    uint own = gl_SubgroupID, lane = gl_SubgroupInvocationID, lanes = gl_SubgroupSize;
    uint row = (gl_WorkGroupID.x * 2 + own) * TM, column = gl_WorkGroupID.y * TN;
    coopmat<float16_t, gl_ScopeSubgroup, TM, TK, gl_MatrixUseA> x;
    coopmat<float16_t, gl_ScopeSubgroup, TK, TN, gl_MatrixUseB> y;
    coopmat<SUM, gl_ScopeSubgroup, TM, TN, gl_MatrixUseAccumulator> sum =
        coopmat<SUM, gl_ScopeSubgroup, TM, TN, gl_MatrixUseAccumulator>(SUM(0.0));
    if (p[3] != 0) {
        if (row >= p[0])
            return;
        for (uint at = 0; at < p[2]; at += TK) {
            coopMatLoad(x, a, row * p[2] + at, p[2], gl_CooperativeMatrixLayoutRowMajor);
            coopMatLoad(y, b, at * p[1] + column, p[1], gl_CooperativeMatrixLayoutRowMajor);
            sum = coopMatMulAdd(x, y, sum);
        }
        coopMatStore(sum, result, row * p[1] + column, p[1], gl_CooperativeMatrixLayoutRowMajor);
        return;
    }
    uint left_at = own * TM * WIDTH, right_at = own * TN * WIDTH, sums_at = own * TM * SUM_WIDTH;
    for (uint at = 0; at < p[2]; at += TK) {
        for (uint i = lane; i < TM * TK; i += lanes) {
            uint m = i / TK, k = i % TK;
            left[left_at + m * WIDTH + k] = row + m < p[0] && at + k < p[2] ? a[(row + m) * p[2] + at + k] : float16_t(0.0);
        }
        for (uint i = lane; i < TN * TK; i += lanes) {
            uint k = i / TN, n = i % TN;
            right[right_at + n * WIDTH + k] = column + n < p[1] && at + k < p[2] ? b[(at + k) * p[1] + column + n] : float16_t(0.0);
        }
        barrier();
        coopMatLoad(x, left, left_at, WIDTH, gl_CooperativeMatrixLayoutRowMajor);
        coopMatLoad(y, right, right_at, WIDTH, gl_CooperativeMatrixLayoutColumnMajor);
        sum = coopMatMulAdd(x, y, sum);
        barrier();
    }
    coopMatStore(sum, sums, sums_at, SUM_WIDTH, gl_CooperativeMatrixLayoutRowMajor);
    barrier();
    for (uint i = lane; i < TM * TN; i += lanes) {
        uint m = i / TN, n = i % TN;
        if (row + m < p[0] && column + n < p[1])
            result[(row + m) * p[1] + column + n] = sums[sums_at + m * SUM_WIDTH + n];
    }
}
