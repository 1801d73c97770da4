#version 450
#extension GL_EXT_spirv_intrinsics : require
// out[row] = dot of K packed signed bytes of a and b; p = rows, words of a row
spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6018, 6019], id = 4450)
int packed_dot(int a, int b, spirv_literal int format);
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer A { int a[]; };
layout(set = 0, binding = 1, std430) readonly buffer B { int b[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Out { int result[]; };
layout(push_constant) uniform Parameters { uint p[8]; };

void main() {
    uint row = gl_GlobalInvocationID.x;
    if (row >= p[0])
        return;
    int sum = 0;
    for (uint k = 0u; k < p[1]; k++)
        sum += packed_dot(a[row * p[1] + k], b[row * p[1] + k], 0);
    result[row] = sum;
}
