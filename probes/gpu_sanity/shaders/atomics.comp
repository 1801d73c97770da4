#version 450
// Histogram by atomic additions to memory, 256 bins; p = n
layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) readonly buffer In { uint words[]; };
layout(set = 0, binding = 1, std430) buffer Out { uint result[]; };
layout(push_constant) uniform Parameters { uint p[8]; };

void main() {
    uint stride = gl_NumWorkGroups.x * 256u;
    for (uint i = gl_GlobalInvocationID.x; i < p[0]; i += stride)
        atomicAdd(result[words[i] & 255u], 1u);
}
