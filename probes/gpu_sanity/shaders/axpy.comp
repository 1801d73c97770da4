#version 450
// out[i] = a * x[i] + y[i]; p = n, bits of a
layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) readonly buffer X { float x[]; };
layout(set = 0, binding = 1, std430) readonly buffer Y { float y[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Out { float result[]; };
layout(push_constant) uniform Parameters { uint p[8]; };

void main() {
    uint stride = gl_NumWorkGroups.x * 256u;
    for (uint i = gl_GlobalInvocationID.x; i < p[0]; i += stride)
        result[i] = uintBitsToFloat(p[1]) * x[i] + y[i];
}
