#version 450
// One sum per workgroup over 1024 elements, through shared memory; p = n
layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) readonly buffer X { float x[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Out { float result[]; };
layout(push_constant) uniform Parameters { uint p[8]; };

shared float part[256];
void main() {
    uint lane = gl_LocalInvocationID.x, first = gl_WorkGroupID.x * 1024u + lane;
    float sum = 0.0;
    for (uint i = first; i < min(first + 1024u - lane, p[0]); i += 256u)
        sum += x[i];
    part[lane] = sum;
    barrier();
    for (uint half_ = 128u; half_ > 0u; half_ >>= 1) {
        if (lane < half_)
            part[lane] += part[lane + half_];
        barrier();
    }
    if (lane == 0u)
        result[gl_WorkGroupID.x] = part[0];
}
