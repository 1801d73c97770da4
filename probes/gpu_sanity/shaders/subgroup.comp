#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
// Per invocation: sum, inclusive sum, the value of the neighbour (lane ^ 1), and size << 24 | subgroup << 12 | lane
layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) readonly buffer In { uint words[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Out { uvec4 result[]; };
layout(push_constant) uniform Parameters { uint p[8]; };

void main() {
    uint i = gl_GlobalInvocationID.x, value = words[i];
    result[i] = uvec4(subgroupAdd(value), subgroupInclusiveAdd(value), subgroupShuffleXor(value, 1u),
                      gl_SubgroupSize << 24 | gl_SubgroupID << 12 | gl_SubgroupInvocationID);
}
