#version 450
// out[i] = in[i], sixteen bytes at a time; p = words
layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) readonly buffer In { uvec4 words[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Out { uvec4 result[]; };
layout(push_constant) uniform Parameters { uint p[8]; };
void main() {
    uint stride = gl_NumWorkGroups.x * 256u;
    for (uint i = gl_GlobalInvocationID.x; i < p[0] / 4u; i += stride)
        result[i] = words[i];
}
