/* Test only, never shipped: the HIP and hiprtc calls of the test kernels, each forwarded to the CUDA driver and NVRTC, so that the HIP
 * path runs for real on a machine with an NVIDIA card. Build:
 *   gcc -shared -fPIC -O1 -o libamdhip64.so hip_to_cuda.c -ldl
 * Both libraries are opened when first needed; no header of CUDA is. NVRTC_LIBRARY and CUDA_INCLUDE may name them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_DEVICE 100
static void *cuda, *nvrtc;
static void *contexts[16];
static int current = 0, devices = -1;

static void *need(void **library, const char *const *names, const char *function) {
    for (int i = 0; !*library && names[i]; i++)
        *library = names[i][0] ? dlopen(names[i], RTLD_NOW | RTLD_GLOBAL) : NULL;
    return *library ? dlsym(*library, function) : NULL;
}
static void *driver(const char *function) {
    static const char *const names[] = {"libcuda.so.1", "libcuda.so", NULL};
    return need(&cuda, names, function);
}
static void *compiler(const char *function) {
    const char *own = getenv("NVRTC_LIBRARY");
    const char *const names[] = {own ? own : "", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", NULL};
    return need(&nvrtc, names, function);
}
/* One call of the driver, by name; 100 where there is no driver. */
#define CUDA(name, types, ...) ({ int (*f) types = (int (*) types)driver(name); f ? f(__VA_ARGS__) : NO_DEVICE; })
#define NVRTC(name, types, ...) ({ int (*f) types = (int (*) types)compiler(name); f ? f(__VA_ARGS__) : 1; })

static int start(void) {
    if (devices >= 0)
        return devices ? 0 : NO_DEVICE;
    devices = 0;
    if (CUDA("cuInit", (unsigned), 0) || CUDA("cuDeviceGetCount", (int *), &devices))
        devices = 0;
    devices = devices > 16 ? 16 : devices;
    return devices ? 0 : NO_DEVICE;
}
static int enter(void) {
    int code = start();
    if (code)
        return code;
    if (!contexts[current] && (code = CUDA("cuDevicePrimaryCtxRetain", (void **, int), &contexts[current], current)))
        return code;
    return CUDA("cuCtxSetCurrent", (void *), contexts[current]);
}
/* CUresult and hipError_t agree in the numbers that are asked for: 0, 1, 2, 100, 101, 600, 719, 999. */
int hipGetDeviceCount(int *count) { int code = start(); *count = devices; return code; }
int hipSetDevice(int device) { start(); if (device < 0 || device >= devices) return 101; current = device; return enter(); }
int hipGetLastError(void) { return 0; }
int hipDeviceGetName(char *name, int size, int device) { return enter() ?: CUDA("cuDeviceGetName", (char *, int, int), name, size, device); }
int hipDeviceGetPCIBusId(char *name, int size, int device) { return enter() ?: CUDA("cuDeviceGetPCIBusId", (char *, int, int), name, size, device); }
int hipGetDeviceProperties(void *properties, int device) { (void)device; memset(properties, 0, 256); return 0; }
int hipMalloc(void **place, size_t size) { return enter() ?: CUDA("cuMemAlloc_v2", (void **, size_t), place, size); }
int hipFree(void *place) { return enter() ?: CUDA("cuMemFree_v2", (void *), place); }
int hipHostMalloc(void **place, size_t size, unsigned flags) { (void)flags; return enter() ?: CUDA("cuMemAllocHost_v2", (void **, size_t), place, size); }
int hipHostFree(void *place) { return enter() ?: CUDA("cuMemFreeHost", (void *), place); }
int hipMemGetInfo(size_t *available, size_t *total) { return enter() ?: CUDA("cuMemGetInfo_v2", (size_t *, size_t *), available, total); }
int hipMemcpy(void *to, const void *from, size_t size, int kind) { (void)kind; return enter() ?: CUDA("cuMemcpy", (void *, const void *, size_t), to, from, size); }
int hipMemcpyAsync(void *to, const void *from, size_t size, int kind, void *stream) {
    (void)kind;
    return enter() ?: CUDA("cuMemcpyAsync", (void *, const void *, size_t, void *), to, from, size, stream);
}
int hipMemcpyPeer(void *to, int there, const void *from, int here, size_t size) {
    int before = current, code = 0;
    current = there, code = enter();
    current = here, code = code ?: enter();
    current = before;
    return code ?: enter() ?: CUDA("cuMemcpyPeer", (void *, void *, const void *, void *, size_t), to, contexts[there], from, contexts[here], size);
}
int hipDeviceCanAccessPeer(int *can, int here, int there) { return enter() ?: CUDA("cuDeviceCanAccessPeer", (int *, int, int), can, here, there); }
int hipModuleLoadData(void **module, const void *image) { return enter() ?: CUDA("cuModuleLoadData", (void **, const void *), module, image); }
int hipModuleGetFunction(void **function, void *module, const char *name) {
    return enter() ?: CUDA("cuModuleGetFunction", (void **, void *, const char *), function, module, name);
}
int hipModuleLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
                          void *stream, void **arguments, void **extra) {
    return enter() ?: CUDA("cuLaunchKernel", (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **),
                           function, gx, gy, gz, bx, by, bz, shared, stream, arguments, extra);
}
int hipStreamCreate(void **stream) { return enter() ?: CUDA("cuStreamCreate", (void **, unsigned), stream, 1); }
int hipStreamDestroy(void *stream) { return enter() ?: CUDA("cuStreamDestroy_v2", (void *), stream); }
int hipStreamQuery(void *stream) { return enter() ?: CUDA("cuStreamQuery", (void *), stream); }

int hiprtcCreateProgram(void **program, const char *source, const char *name, int headers, const char **sources, const char **names) {
    static const char head[] = "#include <cuda_fp16.h>\n#define _Float16 __half\n"
        "#define __shfl_xor(v, m) __shfl_xor_sync(0xffffffffu, v, m)\n#define __shfl_up(v, m) __shfl_up_sync(0xffffffffu, v, m)\n";
    char *whole = malloc(sizeof head + strlen(source));
    strcat(strcpy(whole, head), source);
    int code = NVRTC("nvrtcCreateProgram", (void **, const char *, const char *, int, const char **, const char **), program, whole, name, headers, sources, names);
    free(whole);
    return code;
}
int hiprtcCompileProgram(void *program, int count, const char **options) {
    (void)count, (void)options;
    int major = 0, minor = 0;
    static char target[40], include[512];
    if (enter() || CUDA("cuDeviceGetAttribute", (int *, int, int), &major, 75, current) || CUDA("cuDeviceGetAttribute", (int *, int, int), &minor, 76, current))
        return 1;
    const char *folder = getenv("CUDA_INCLUDE");
    snprintf(target, sizeof target, "--gpu-architecture=sm_%d%d", major, minor);
    snprintf(include, sizeof include, "--include-path=%s", folder ? folder : "/usr/local/cuda/include");
    const char *given[] = {target, include};
    return NVRTC("nvrtcCompileProgram", (void *, int, const char **), program, 2, given);
}
int hiprtcGetProgramLogSize(void *program, size_t *size) { return NVRTC("nvrtcGetProgramLogSize", (void *, size_t *), program, size); }
int hiprtcGetProgramLog(void *program, char *log) { return NVRTC("nvrtcGetProgramLog", (void *, char *), program, log); }
int hiprtcGetCodeSize(void *program, size_t *size) { return NVRTC("nvrtcGetCUBINSize", (void *, size_t *), program, size); }
int hiprtcGetCode(void *program, char *code) { return NVRTC("nvrtcGetCUBIN", (void *, char *), program, code); }
int hiprtcDestroyProgram(void **program) { return NVRTC("nvrtcDestroyProgram", (void **), program); }
