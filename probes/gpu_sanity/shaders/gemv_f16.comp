#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_16bit_storage : require
// out = A (rows x K) x, one invocation a row; p = rows, K
layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) readonly buffer A { float16_t a[]; };
layout(set = 0, binding = 1, std430) readonly buffer X { float16_t x[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Out { float16_t result[]; };
layout(push_constant) uniform Parameters { uint p[8]; };
void main() {
    uint row = gl_GlobalInvocationID.x;
    if (row >= p[0])
        return;
    float sum = 0.0;
    for (uint k = 0u; k < p[1]; k++)
        sum += float(a[row * p[1] + k] * x[k]);
    result[row] = float16_t(sum);
}
