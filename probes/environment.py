"""The environment variables that change what a GPU stack does, as this process sees them."""

import os

from probe_protocol import main

SAYS = "environment variables"
PROVIDES = ("env.*", "environment.set", "environment.server")
LANE = "quiet"
DEADLINE = 3
NEEDS = ()
PYTHON = "own"

NAMES = """
    ACO_DEBUG AMDGPU_TARGETS AMD_DEBUG AMD_LOG_LEVEL AMD_LOG_LEVEL_FILE AMD_LOG_MASK AMD_SERIALIZE_COPY
    AMD_SERIALIZE_KERNEL AMD_VULKAN_ICD CUDA_VISIBLE_DEVICES DISABLE_ADDMM_HIP_LT
    DISABLE_LAYER_AMD_SWITCHABLE_GRAPHICS_1 DRI_PRIME GALLIUM_DRIVER FLASH_ATTENTION_TRITON_AMD_ENABLE GGML_BACKEND_PATH
    GGML_CUDA_ALLREDUCE GGML_CUDA_CUBLAS_COMPUTE_TYPE GGML_CUDA_DEVICES GGML_CUDA_DISABLE_FUSION
    GGML_CUDA_DISABLE_GRAPHS GGML_CUDA_ENABLE_UNIFIED_MEMORY GGML_CUDA_GRAPH_OPT GGML_CUDA_NO_PINNED
    GGML_CUDA_P2P GGML_CUDA_REGISTER_HOST GGML_DISABLE_VULKAN GGML_OP_OFFLOAD_MIN_BATCH
    GGML_VK_ALLOW_GRAPHICS_QUEUE GGML_VK_ALLOW_SYSMEM_FALLBACK GGML_VK_ASYNC_USE_TRANSFER_QUEUE
    GGML_VK_DISABLE_ASYNC GGML_VK_DISABLE_BFLOAT16 GGML_VK_DISABLE_COOPMAT GGML_VK_DISABLE_COOPMAT2
    GGML_VK_DISABLE_COOPMAT2_DECODE_VECTOR GGML_VK_DISABLE_DOT2 GGML_VK_DISABLE_F16 GGML_VK_DISABLE_FUSION
    GGML_VK_DISABLE_GRAPH_OPTIMIZE GGML_VK_DISABLE_HOST_VISIBLE_VIDMEM GGML_VK_DISABLE_INTEGER_DOT_PRODUCT
    GGML_VK_DISABLE_MMVQ GGML_VK_DISABLE_MULTI_ADD GGML_VK_DISABLE_OCP_FP4 GGML_VK_ENABLE_MEMORY_PRIORITY
    GGML_VK_FORCE_MAX_ALLOCATION_SIZE GGML_VK_FORCE_MAX_BUFFER_SIZE GGML_VK_FORCE_MMVQ
    GGML_VK_MAX_NODES_PER_SUBMIT GGML_VK_MEMORY_LOGGER GGML_VK_PERF_LOGGER GGML_VK_PREFER_HOST_MEMORY
    GGML_VK_SERIALIZE_SUBMISSIONS GGML_VK_SUBALLOCATION_BLOCK_SIZE GGML_VK_VISIBLE_DEVICES GPU_DEVICE_ORDINAL
    GPU_ENABLE_PAL GPU_ENABLE_WAVE32_MODE GPU_MAX_HEAP_SIZE GPU_MAX_HW_QUEUES GPU_SINGLE_ALLOC_PERCENT
    GPU_TARGETS HCC_AMDGPU_TARGET HIPBLASLT_ALLOW_TF32 HIPBLASLT_TENSILE_LIBPATH HIPBLASLT_WORKSPACE_SIZE
    HIP_FORCE_DEV_KERNARG HIP_HIDDEN_FREE_MEM HIP_HOST_COHERENT HIP_LAUNCH_BLOCKING HIP_MEM_POOL_SUPPORT
    HIP_PATH HIP_PLATFORM HIP_VISIBLE_DEVICES HIP_VMEM_MANAGE_SUPPORT HSAKMT_DEBUG_LEVEL HSA_CU_MASK
    HSA_DISABLE_FRAGMENT_ALLOCATOR HSA_DISABLE_IMAGE HSA_ENABLE_DEBUG HSA_ENABLE_DXG_DETECTION
    HSA_ENABLE_INTERRUPT HSA_ENABLE_IPC_MODE_LEGACY HSA_ENABLE_PEER_SDMA HSA_ENABLE_SDMA HSA_ENABLE_SRAMECC
    HSA_ENABLE_VM_FAULT_MESSAGE HSA_FORCE_FINE_GRAIN_PCIE HSA_MAX_QUEUES HSA_NO_SCRATCH_RECLAIM
    HSA_OVERRIDE_GFX_VERSION HSA_SCRATCH_SINGLE_LIMIT HSA_TOOLS_LIB HSA_USE_SVM HSA_XNACK HSA_ZFB
    LD_LIBRARY_PATH LD_PRELOAD LIBGL_ALWAYS_SOFTWARE LP_NUM_THREADS MESA_LOADER_DRIVER_OVERRIDE
    MESA_SHADER_CACHE_DIR MESA_SHADER_CACHE_DISABLE MESA_SHADER_CACHE_MAX_SIZE MESA_VK_ABORT_ON_DEVICE_LOSS
    MESA_VK_DEVICE_SELECT MESA_VK_DEVICE_SELECT_FORCE_DEFAULT_DEVICE MESA_VK_VERSION_OVERRIDE
    MIOPEN_CHECK_NUMERICS MIOPEN_ENABLE_LOGGING MIOPEN_ENABLE_LOGGING_CMD MIOPEN_FIND_MODE MIOPEN_LOG_LEVEL
    MIOPEN_USER_DB_PATH OCL_SET_SVM_SIZE OLLAMA_CONTEXT_LENGTH OLLAMA_DEBUG OLLAMA_FLASH_ATTENTION
    OLLAMA_GPU_OVERHEAD OLLAMA_HOST OLLAMA_IGPU_ENABLE OLLAMA_KEEP_ALIVE OLLAMA_KV_CACHE_TYPE OLLAMA_LLM_LIBRARY
    OLLAMA_LOAD_TIMEOUT OLLAMA_MAX_LOADED_MODELS OLLAMA_MODELS OLLAMA_NUM_PARALLEL OLLAMA_SCHED_SPREAD
    OLLAMA_VULKAN PYTORCH_ALLOC_CONF PYTORCH_CUDA_ALLOC_CONF PYTORCH_HIP_ALLOC_CONF
    PYTORCH_NO_HIP_MEMORY_CACHING PYTORCH_ROCM_ARCH PYTORCH_TUNABLEOP_ENABLED RADV_DEBUG RADV_FORCE_FAMILY
    RADV_PERFTEST RADV_PROFILE_PSTATE ROCBLAS_LAYER ROCBLAS_TENSILE_LIBPATH ROCBLAS_USE_HIPBLASLT ROCM_PATH
    ROCR_VISIBLE_DEVICES ROC_ENABLE_LARGE_BAR ROC_GLOBAL_CU_MASK TORCH_BLAS_PREFER_HIPBLASLT
    TORCH_ROCM_AOTRITON_ENABLE_EXPERIMENTAL VK_ADD_DRIVER_FILES VK_DRIVER_FILES VK_ICD_FILENAMES
    VK_INSTANCE_LAYERS VK_LOADER_DEBUG VK_LOADER_LAYERS_ENABLE
""".split()
# Variables whose name goes on with a device number or a switch.
FAMILIES = ("HSA_OVERRIDE_GFX_VERSION_", "DEBUG_CLR_", "MIOPEN_DEBUG_")
APPLICATIONS = ("ollama", "llama-server", "llama-cli", "lmstudio", "lm-studio", "lemonade", "vllm", "koboldcpp", "sd-server")
RECORDED = "/proc/self/environ"
# Other names with these beginnings count as well: they may be misspelt. What may hold a secret never does.
BEGINNINGS = ("HSA_", "HIP_", "ROCR_", "CUDA_VISIBLE_", "OLLAMA_", "GGML_VK_", "GGML_CUDA_", "RADV_")
SECRET = ("KEY", "TOKEN", "SECRET", "PASS", "AUTH")
LONGEST = 4000


def wanted(name):
    return name in NAMES or (name.startswith(FAMILIES + BEGINNINGS) and not any(word in name for word in SECRET))


def variables(tree):
    """Name to value, and where they come from. Raises OSError when a recorded machine kept none."""
    if tree.live:
        return dict(os.environ), "environment"
    pairs = tree.read(RECORDED).split("\0")
    return dict(pair.split("=", 1) for pair in pairs if "=" in pair), RECORDED


def services(tree, emit):
    """Variables of running GPU applications: theirs decide, not those of the shell that asks."""
    theirs, read = {}, []
    for pid in tree.names("/proc"):
        if not pid.isdigit() or int(pid) == os.getpid():
            continue
        try:
            name = tree.read("/proc/" + pid + "/comm").strip()
            if not name.lower().startswith(APPLICATIONS):
                continue
            pairs = tree.read("/proc/" + pid + "/environ").split("\0")
        except PermissionError:
            emit.note("The environment of {} (process {}) may not be read; `systemctl show {} -p Environment` shows a "
                      "service's.".format(name, pid, name))
            continue
        except OSError:
            continue
        for pair in pairs:
            key, equals, value = pair.partition("=")
            if equals and wanted(key):
                theirs.setdefault(key, (value, "/proc/{}/environ ({})".format(pid, name)))
        read.append(name)
    return theirs, read


def probe(emit, tree):
    try:
        found, source = variables(tree)
    except OSError as error:
        emit.unknown("env.*", "unreadable", str(error), "env")
        emit.unknown("environment.set", "unreadable", str(error), "env")
        emit.unknown("environment.server", "unreadable", str(error), "env")
        return
    theirs, read = services(tree, emit)
    own = {name: value[:LONGEST] for name, value in sorted(found.items()) if wanted(name)}
    emit.known("environment.set", own, source)
    if read:
        served = dict.fromkeys(own, "")
        served.update((name, value[:LONGEST]) for name, (value, _) in theirs.items())
        emit.known("environment.server", served, ", ".join(sorted(set(read))))
    else:
        emit.absent("environment.server", "no GPU application runs, or none whose environment may be read")
    for name, (value, where) in sorted(theirs.items()):
        emit.known("env." + name, value[:LONGEST], where)
    for name in NAMES:
        if name in theirs:
            continue
        if name in found:
            emit.known("env." + name, found[name][:LONGEST], source)
        else:
            emit.absent("env." + name, source)
    for name in sorted(found):
        if wanted(name) and name not in NAMES and name not in theirs:
            emit.known("env." + name, found[name][:LONGEST], source)


if __name__ == "__main__":
    main(probe)
