#version 450
// Fills a block with a pattern that no address shares; p = words, kind (0: constant, 1: address hash), value
layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) writeonly buffer Out { uvec4 result[]; };
layout(push_constant) uniform Parameters { uint p[8]; };

uint word(uint i) { return p[1] == 0u ? p[2] : (i ^ p[2]) * 0x9E3779B1u; }
void main() {
    uint stride = gl_NumWorkGroups.x * 256u;
    for (uint i = gl_GlobalInvocationID.x; i < p[0] / 4u; i += stride)
        result[i] = uvec4(word(4u * i), word(4u * i + 1u), word(4u * i + 2u), word(4u * i + 3u));
}
