#version 450
// out[i] = in[i] ^ (i * 0x9E3779B1 + seed); p = n, seed
layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) readonly buffer In { uint words[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Out { uint result[]; };
layout(push_constant) uniform Parameters { uint p[8]; };

void main() {
    uint stride = gl_NumWorkGroups.x * 256u;
    for (uint i = gl_GlobalInvocationID.x; i < p[0]; i += stride)
        result[i] = words[i] ^ (i * 0x9E3779B1u + p[1]);
}
