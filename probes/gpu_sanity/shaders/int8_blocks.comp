#version 450
#extension GL_EXT_spirv_intrinsics : require
// out[row] = sum over the blocks of a row: scale of a * (scale of b * (packed dot of 32 nibbles of a and bytes of b) - 8 * sum of b),
// the nibbles of a word being elements i and i + 16: quantised weights (4 bits, offset 8) against quantised activations
// a: 4 words of nibbles and the scale; b: 8 words of bytes, the scale and the scaled sum; p = rows, blocks of a row
spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6018, 6019], id = 4450)
int packed_dot(int a, int b, spirv_literal int format);
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer A { int a[]; };
layout(set = 0, binding = 1, std430) readonly buffer B { int b[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Out { float result[]; };
layout(push_constant) uniform Parameters { uint p[8]; };

void main() {
    uint row = gl_GlobalInvocationID.x;
    if (row >= p[0])
        return;
    float sum = 0.0;
    for (uint block = 0u; block < p[1]; block++) {
        uint x = (row * p[1] + block) * 5u, y = block * 10u;
        int dot = 0;
        for (uint i = 0u; i < 4u; i++) {
            dot += packed_dot(a[x + i] & 0x0F0F0F0F, b[y + i], 0);
            dot += packed_dot((a[x + i] >> 4) & 0x0F0F0F0F, b[y + 4u + i], 0);
        }
        sum += intBitsToFloat(a[x + 4u]) * (intBitsToFloat(b[y + 8u]) * float(dot) - 8.0 * intBitsToFloat(b[y + 9u]));
    }
    result[row] = sum;
}
