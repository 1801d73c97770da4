#version 450
// Softmax of each row, one workgroup a row; p = rows, columns
layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) readonly buffer X { float x[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Out { float result[]; };
layout(push_constant) uniform Parameters { uint p[8]; };

shared float part[256];
void main() {
    uint lane = gl_LocalInvocationID.x, first = gl_WorkGroupID.x * p[1];
    float top = -3.0e38;
    for (uint i = lane; i < p[1]; i += 256u)
        top = max(top, x[first + i]);
    part[lane] = top;
    barrier();
    for (uint half_ = 128u; half_ > 0u; half_ >>= 1) {
        if (lane < half_)
            part[lane] = max(part[lane], part[lane + half_]);
        barrier();
    }
    top = part[0];
    barrier();
    float sum = 0.0;
    for (uint i = lane; i < p[1]; i += 256u)
        sum += exp(x[first + i] - top);
    part[lane] = sum;
    barrier();
    for (uint half_ = 128u; half_ > 0u; half_ >>= 1) {
        if (lane < half_)
            part[lane] += part[lane + half_];
        barrier();
    }
    sum = part[0];
    for (uint i = lane; i < p[1]; i += 256u)
        result[first + i] = exp(x[first + i] - top) / sum;
}
