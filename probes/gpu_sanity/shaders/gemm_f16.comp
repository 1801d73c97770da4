#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_16bit_storage : require
// C (M x N) = A (M x K) B (K x N), row major, 16 x 16 tiles in shared memory; p = M, N, K
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0, std430) readonly buffer A { float16_t a[]; };
layout(set = 0, binding = 1, std430) readonly buffer B { float16_t b[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Out { float16_t result[]; };
layout(push_constant) uniform Parameters { uint p[8]; };

shared float16_t left[16][17];
shared float16_t right[16][17];
void main() {
    uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
    uint row = gl_WorkGroupID.x * 16u + y, column = gl_WorkGroupID.y * 16u + x;
    float sum = 0.0;
    for (uint at = 0u; at < p[2]; at += 16u) {
        left[y][x] = row < p[0] && at + x < p[2] ? a[row * p[2] + at + x] : float16_t(0.0);
        right[y][x] = column < p[1] && at + y < p[2] ? b[(at + y) * p[1] + column] : float16_t(0.0);
        barrier();
        for (uint k = 0u; k < 16u; k++)
            sum += float(left[y][k] * right[k][x]);
        barrier();
    }
    if (row < p[0] && column < p[1])
        result[row * p[1] + column] = float16_t(sum);
}
