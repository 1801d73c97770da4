#version 450
#extension GL_GOOGLE_include_directive : require
#define SUM float
#include "coopmat.glsl"
