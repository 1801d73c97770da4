#version 450
// Compares a block with the same pattern: log = number of wrong words, then (index, word) of the first of them; p as in sweep_write
layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) readonly buffer In { uvec4 words[]; };
layout(set = 0, binding = 1, std430) buffer Log { uint wrong[]; };
layout(push_constant) uniform Parameters { uint p[8]; };

uint word(uint i) { return p[1] == 0u ? p[2] : (i ^ p[2]) * 0x9E3779B1u; }
void check(uint i, uint read) {
    if (read != word(i)) {
        uint at = atomicAdd(wrong[0], 1u);
        if (at < 15u) {
            wrong[1u + 2u * at] = i;
            wrong[2u + 2u * at] = read;
        }
    }
}
void main() {
    uint stride = gl_NumWorkGroups.x * 256u;
    for (uint i = gl_GlobalInvocationID.x; i < p[0] / 4u; i += stride) {
        uvec4 read = words[i];
        check(4u * i, read.x);
        check(4u * i + 1u, read.y);
        check(4u * i + 2u, read.z);
        check(4u * i + 3u, read.w);
    }
}
