#version 450
#extension GL_GOOGLE_include_directive : require
#define SUM float16_t
#include "coopmat.glsl"
