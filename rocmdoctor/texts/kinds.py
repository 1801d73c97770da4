"""Which lines of a text are of which kind: a kernel's, a program's log, a tool's output, a configuration, what a person writes.

>>> sample = '''My RX 7900 XTX hangs when the model is loaded, with every kernel I tried.
... ```
... [   12.345678] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout
... ```
... $ ollama --version
... ollama version is 0.12.6'''
>>> parts_of(sample)
[(1, 2, 'prose'), (3, 4, 'kernel_log'), (5, 6, 'shell')]
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from rocmdoctor import later
from rocmdoctor.texts import documents, machine_sections
from rocmdoctor.texts.lines import MONTH

Part = tuple[int, int, str]

KINDS = {
    "kernel_log": "lines of the kernel: dmesg, journalctl -k, the kernel's lines of a journal, an oops",
    "system_log": "lines of a journal or syslog by other programs than those below",
    "xorg_log": "log of the X server",
    "ollama_log": "log of Ollama",
    "llama_log": "output of llama.cpp and what is built on ggml: llama-server, llama-bench, KoboldCpp, whisper.cpp, stable-diffusion.cpp",
    "comfy_log": "output of ComfyUI, its manager and its launchers, and of the other image generators on torch",
    "vllm_log": "log of vLLM and SGLang",
    "lmstudio_log": "log of LM Studio",
    "lemonade_log": "log and lists of Lemonade",
    "rccl_log": "NCCL INFO and NCCL WARN lines of RCCL",
    "hip_trace": "what the HIP runtime prints with AMD_LOG_LEVEL, and ROCr, MIOpen and rocBLAS with their logging on",
    "app_log": "lines with a time or a level of a program that is not known",
    "build_log": "output of a compiler, cmake, make, dkms, pip install",
    "traceback": "a Python traceback and the error at its end",
    "crash": "a native backtrace: gdb, coredumpctl, abort handlers",
    "shell": "a prompt with its command, and output of it that is of no other kind",
    "rocminfo": "output of rocminfo",
    "rocm_smi": "output of rocm-smi",
    "amd_smi": "output of amd-smi",
    "lspci": "output of lspci in any form",
    "vulkaninfo": "output of vulkaninfo",
    "clinfo": "output of clinfo",
    "glxinfo": "output of glxinfo, eglinfo and vainfo",
    "hardware_list": "output of inxi, lshw, hwinfo, fastfetch, dxdiag, systeminfo, lscpu",
    "collect_env": "output of torch.utils.collect_env and those of vLLM and others",
    "os_state": "short outputs of a system: uname, os-release, lsmod, ls -l, id, free, df, dkms status",
    "sysfs": "contents of files of /sys and /proc",
    "package_list": "packages and their versions: pip, conda, dpkg, rpm, pacman",
    "package_history": "what a package manager recorded of its changes",
    "compose": "a compose file",
    "kubernetes": "objects of Kubernetes",
    "env": "NAME=value lines of an environment file or of env",
    "config": "other configuration: unit files, modprobe.d, Dockerfiles, YAML, INI",
    "comment": "comments in configuration",
    "json": "a JSON document",
    "table": "rows of values with commas between them and a first row of names",
    "code": "program code, lock files, workflows: what would be done, on no machine in particular",
    "document": "guides, READMEs, changelogs with their examples: what holds for many, said of no machine",
    "output": "lines with the shape of program output that are of no kind above",
    "form": "fields that a person or a script fills in: 'GPU: RX 7900 XTX', 'Kernel: 6.14', headings of an issue form and their short answers",
    "prose": "sentences that a person wrote",
}

GROUPS = {
    "told": frozenset({"prose", "form"}),
    "app": frozenset({"ollama_log", "llama_log", "comfy_log", "vllm_log", "lmstudio_log", "lemonade_log", "app_log"}),
    "run": frozenset({"ollama_log", "llama_log", "comfy_log", "vllm_log", "lmstudio_log", "lemonade_log", "app_log", "rccl_log", "hip_trace", "build_log",
                      "traceback", "crash", "shell", "output", "json"}),  # what a program says as it runs and ends; no journal of others, no inventory
    "tool": frozenset({"rocminfo", "rocm_smi", "amd_smi", "lspci", "vulkaninfo", "clinfo", "glxinfo", "hardware_list", "collect_env", "os_state",
                       "sysfs"}),
    "setting": frozenset({"compose", "kubernetes", "env", "config"}),
    "program": frozenset(KINDS) - {"prose", "form", "comment", "compose", "kubernetes", "env", "config", "code", "document", "table"},
    "printed": frozenset(KINDS) - {"prose", "comment", "code", "document"},  # a short paste without its surroundings looks like a form
    "any": frozenset(KINDS) - {"comment", "code", "document", "table", "system_log"},
}

OF_MACHINES = frozenset(KINDS) - {"code", "document"}  # what may be said of the machine at hand
QUOTED = OF_MACHINES - {"kernel_log", "xorg_log"}  # where the words of programs may stand; a big log of the kernel or the X server has none

SAMPLED = 1 << 19  # characters from which on a text is sampled first
_SLICES, _SLICE = 24, 4096
_ALIKE = 0.97

LEVELS = ("ERROR", "WARN", "WARNING", "INFO", "DEBUG", "TRACE", "FATAL", "CRITICAL")  # where a journal has its host: the program's own line, without one
_JOURNAL = later.pattern(
    rf"(?: ?{MONTH} [ 0-9][0-9] [0-9:]{{8}}(?:\.\d{{1,6}})? |" r"\d{4}-\d\d-\d\d[T ][0-9:]{8}(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)? )(?=\S{1,60} \S{1,60}: )"
    rf"(?!(?:{'|'.join(LEVELS)}) )"
    r"\S{1,60} (?P<unit>[^\s:\[]{1,60})(?:\[\d{1,9}\])?: ")
_COMPOSED = later.pattern(r"[\w.-]{1,60} +\| ")
_QUOTE = later.pattern(r"(?:[>|] ?){1,9}")
_DOCKER_TIME = later.pattern(r"\d{4}-\d\d-\d\dT[0-9:.]{8,18}Z (?=\S)")
_UNITS = {"kernel": "kernel_log", "audit": "kernel_log", "ollama": "ollama_log", "gdm-x-session": "xorg_log", "lemonade": "lemonade_log"}

# Programs of a journal that draw or compute on a GPU, or run others that do.
_OF_GRAPHICS = later.pattern(
    r"(?:.{0,30}/)?(?:python|llama|vllm|sglang|comfy|koboldcpp|lm-?studio|whisper|stable|docker|podman|conmon|kubelet|containerd|gnome-shell|mutter|kwin"
    r"|plasmashell|sddm|gdm|Xorg|Xwayland|xwayland|sway|hypr|Hypr|wlroots|cosmic|gamescope|weston|steam|wine|proton|lutris|heroic|mangohud|vulkan|vk|gl|mpv|vlc"
    r"|firefox|chrom|brave|electron|code|blender|obs|ffmpeg|rocm|hip|amd|radeon|hashcat|darktable|jellyfin|plex|systemd-coredump|abrt|run-|\w+\.exe)",
    re.IGNORECASE)

# Lines that tell their kind by themselves, the most telling first.
_MARKS: tuple[tuple[str, str], ...] = (
    ("xorg_log", r"\[ *\d+\.\d{3}\] (?!\[drm\]|amdgpu )|\((?:II|EE|WW)\) \w+|X\.Org X Server \d|Markers: \(--\) probed"),
    ("kernel_log",
     r"(?:<\d{1,2}>|\w+ +:\w+ *: )?\[ *\d{1,9}\.\d{4,9}\](?:\[ *[TC]?\d+\])?"
     r"|\[(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ \d]\d |kernel: (?!v?\d\.\d)|(?:\[ *\d{1,9}\.\d{3}\] )?\[drm[\]:]|\[ *\d{1,9}\.\d{3}\] amdgpu "
     r"|(?:amdgpu|radeon|pci|pcieport|vfio-pci|snd_hda_intel) (?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]: |\[TTM\]|amdgpu: "
     r"|kfd kfd: |Linux version \d+\.\d+|RIP: 00|Call Trace:|CPU: \d+ (?:UID: \d+ )?PID: \d+ |BUG: |Oops: |audit: type="
     r"|type=AVC |Command line: |ACPI: "),
    ("traceback",
     r"Traceback \(most recent call last\)|  File \"[^\"]{1,300}\", line \d+"
     r"|(?:[a-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Interrupt|Failure)(?:: |$)|During handling of the above exception"
     r"|The above exception was the direct cause"),
    ("ollama_log",
     r"NAME +ID +SIZE +PROCESSOR +(?:CONTEXT +)?UNTIL|"
     r"time=\S{10,40} level=\w+ |time=\"\S{10,40}\" level=\w+|level=\w+ (?:source|msg)=|\[GIN\] |\[GIN-debug\]"
     r"|source=\S+\.go:\d+ |ollama(?:-rocm)?(?:\[\d+\])?: "),
    ("rccl_log", r".{0,160}\bNCCL (?:INFO|WARN|ERROR|TRACE) "),
    ("hip_trace",
     r":[0-9]:[\w.]+(?:cpp|hpp)? *: ?\d+|MIOpen(?:\(\w+\))?: |rocblas-bench |rocBLAS |List of available Tensile|\"[^\"]{1,200}Tensile\w+[^\"]{0,80}\"$"
     r"|rocblaslt "
     r"|\[?HIP(?:BLASLT)?\]? (?:error|warning)|rocdevice\.cpp|hsa_api_trace"),
    ("vllm_log",
     r"(?:\([\w ]{1,40}pid=\d+\) )?(?:INFO|WARNING|ERROR|DEBUG|CRITICAL) \d\d-\d\d [0-9:.]{8,16} |\(\w{1,30} (?:pid|rank)=\d+"
     r"|\[\d{4}-\d\d-\d\d [0-9:]{8}(?: [TD]P\d+)*\] (?:INFO |server_args|Attention backend|Load weight|Memory pool"
     r"|Capture cuda graph|max_total_num)"),
    ("lmstudio_log",
     r"\[\d{4}-\d\d-\d\d [0-9:]{8}\]\[(?:INFO|DEBUG|ERROR|WARN)\]"
     r"|(?:\[?[0-9:.T-]{8,26}Z?\]? )?\[(?:LM Studio|LMSInternal|BackendManager|ProcessForkingProvider|lmstudio-\S+)\]"
     r"|Survey by |Failed to survey hardware"),
    ("lemonade_log",
     r"(?:\S+ \S+ )?\[(?:Info|Warning|Error|Debug)\] \(\w+\)"
     r"|\[(?:LlamaCpp|WrappedServer|Router|ModelManager|ProcessManager)\]|Recipe {2,}Backend {2,}"),
    ("comfy_log",
     r"\d{4}-\d\d-\d\d [0-9:.]{8,15}\|(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)\||"
     r"Total VRAM \d+ MB|pytorch version: |Set vram state to|AMD arch: |ROCm version: \(|## ComfyUI|\[?ComfyUI-Manager"
     r"|got prompt|\*\* (?:ComfyUI|Platform|Python|Log path|User dir|Python exec)|Prestartup times|Import times for custom"
     r"|Requested to load |loaded (?:completely|partially)|Prompt executed in|To see the GUI go to"
     r"|ComfyUI(?: frontend)? version"
     r"|Using (?:pytorch|split|sub quadratic|async|xformers|sage|flash)[ \w]* (?:attention|optimization)|!!! Exception during"
     r"|model weight dtype|VAE load device|CLIP/text encoder|left over keys|Device: (?:cuda|privateuse|cpu|hip)"
     r"|checkpoint files will always be|Starting server$|Launching Web UI|Loading weights \["),
    ("llama_log",
     r"\d{1,4}\.\d\d\.\d{3}\.\d{3} [IWED] "
     r"|(?:[\d.]{7,16} )?(?:[IWED] )?(?:ggml\w*|llama\w*|llm_load\w*|load_\w+|print_info|clip\w*|whisper\w*|common_\w+"
     r"|sched_reserve|gguf\w*|mtmd\w*|sampler \w+|srv|slot|que|res|system_info|create_memory|graph_reserve|set_\w+|init|main"
     r"|load|build(?:_info)?|log_server_r|request)(?: +\w+)?\s?: |(?:\[\w+ *\] )?stable-diffusion\.cpp:\d+"
     r"|\[(?:INFO |WARN |ERROR|DEBUG) *\] +\w+\.(?:cpp|hpp):\d+|  Device \d: .{1,80}, gfx\d"
     r"|  Device \d: .{1,80}compute capability|ggml_(?:vulkan|cuda_init)|\| model +\| +size|Welcome to KoboldCpp|llama_bench"
     r"|sampler chain:|generate: n_ctx"),
    ("build_log",
     r"==> (?:WARNING|ERROR|Starting|Building|Image|Running|Creating|Generating|Making|Checking|Retrieving|Validating|Extracting)"
     r"|  -> (?:Running|Parsing|Found)"
     r"|adding (?:module|symlink|file|dir|binary|firmware): "
     r"|-- (?:The |Found |Check|Detect|Config|Looking|Perform|Build|Using |Could|HIP|Including|Generating|Adding|ROCm)"
     r"|CMake (?:Error|Warning)|\[ *\d{1,3}%\] |make(?:\[\d+\])?: |Building (?:initial |for )|Sign(?:ing key| command)|ninja: |\[\d+/\d+\] |gmake"
     r"|(?:/|\.\./|[A-Z]:\\)?[\w./\\+<>-]{1,200}\.(?:c|cc|cpp|h|hpp|hip|cu|cuh|td|py):\d+(?::\d+)?: (?:fatal )?(?:error"
     r"|warning|note)|  (?:CC|LD|AR|MODPOST|HOSTCC) |Building module|Error! Bad return|clang(?:\+\+)?: |ld(?:\.lld)?: "
     r"|collect2: |Collecting \w|Downloading \S+\.whl|Requirement already|Successfully (?:installed|built)"
     r"|ERROR: (?:Could not|No matching|pip|Failed)|DKMS make|Consult /var/lib/dkms|(?:Get|Hit|Ign|Err):\d+ http"
     r"|#\d{1,3} (?:\[|RUN |COPY |ERROR|DONE |CACHED|sha256:|\d+\.\d+ |/|ninja|\s+\d+ \|)"
     r"|Reading package lists|E: (?![A-Z][A-Z0-9_]{2,40}=)|W: GPG|dpkg: |Preparing to unpack"
     r"|Unpacking (?=\S+ \(|\S+:|\[)|Setting up (?=\S+ \(\S*\d)|Processing triggers|FAILED: "),
    ("crash",
     r"#\d+ +(?:0x[0-9a-f]{6,16}|\S+ (?:\(|in )|n/a)|Thread \d+ \(|Program received signal|Stack trace of thread"
     r"|(?:Signal|Executable|Coredump|Storage): |\*\*\* (?:SIG|stack|Aborted)|Fatal Python error"
     r"|(?:\[?\d{0,3}\]? )?/[^\s(]{3,300}\([^\s()]{0,300}\+0x[0-9a-f]{1,16}\) ?\[0x"
     r"|(?:Segmentation fault|Bus error|Illegal instruction|Aborted)(?: \(core dumped\))?$"),
    ("rocminfo",
     r"m?ROCk module|HSA (?:System Attributes|Agents)|\*{4,}$|\*{3} Done \*{3}|Agent \d+ *$"
     r"|  (?:Uuid|Marketing Name|Vendor Name|Feature|Profile|Float Round Mode|Max Queue Number|Queue (?:Min|Max) Size"
     r"|Queue Type|Device Type|Chip ID|ASIC Revision|BDFID|Internal Node ID|Compute Unit|SIMDs per CU|Wavefront Size"
     r"|Max Waves Per CU|Node|Cacheline Size|Fast F16|Cache Info|Pool Info|ISA Info|Shader \w+|Max Clock Freq\.[^:]*): "
     r"|  Name: +gfx|      Name: +amdgcn|Runtime (?:Ext )?Version: +1\.|    Pool \d|    ISA \d"
     r"|      (?:Segment|Alloc(?:atable| \w+)?|Accessible|Size): "),
    ("amd_smi", r"\| AMD-SMI |AMDSMI Tool|GPU: \d+$|\+-{20,}|(?: {4}|\t)(?:ASIC|BUS|VBIOS|DRIVER|BOARD|RAS|VRAM|PARTITION|NUMA|LIMIT):$"),
    ("rocm_smi",
     r"=+ *(?:ROCm System Management|ROCm SMI|End of ROCm|Concise Info|Product Info|Memory Usage|VRAM|ID|PCI Bus ID|VBIOS"
     r"|Current|Temperature|Version of|Driver|Show|GPUs? |System|KFD|% )|GPU\[\d+\] *\t*: |Device +Node +IDs|GPU +Temp +\(?"
     r"|\(DID, +GUID\)|WARNING: (?:AMD GPU device|One or more)"),
    ("system_log", r"(?:Log Name|Event ID|Task Category|Problem Event Name|Problem signature):\s|Source:\s{1,20}Microsoft-Windows-"),
    ("lspci",
     r"(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7] (?:\"|[A-Z0-9][\w/ -]{2,40}(?: controller| bridge| device| memory"
     r"| peripheral|accelerators?| Co-Processor|co-processor| \[[0-9a-f]{4}\])|(?:IOMMU|SMBus|PIC|Bridge|Unassigned class): |\[?[0-9a-f]{4}\]?: )|\tSubsystem: "
     r"|\tKernel (?:driver|modules)|\tRegion \d: |\tCapabilities: |\tControl: |\tLatency: |\tFlags: "
     r"|(?:Slot|Class|Vendor|Device|SVendor|SDevice|Driver|Module|IOMMUGroup):\t"),
    ("vulkaninfo",
     r"VULKANINFO|Vulkan Instance Version|Instance Extensions: count|Device Properties and Ext|VkPhysicalDevice\w+|GPU\d+:$"
     r"|GPU id\s*[:=]|VK_LAYER_\w{2,60} \(.{0,300}\) Vulkan version \d"
     r"|\t?(?:apiVersion|driverVersion|vendorID|deviceID|deviceType|deviceName|driverID|driverName|driverInfo"
     r"|conformanceVersion|deviceUUID|driverUUID)\s*= "),
    ("clinfo",
     r"Number of (?:platforms|devices)\s{2,}"
     r"|  ?(?:Platform|Device) (?:Name|Vendor|Version|Profile|Extensions|Type|Board Name|Topology|OpenCL C)[\w ()]* {2,}"
     r"|Platform #\d|NULL platform behavior|  clCreateContext|  clGetPlatformIDs|  Number of devices"),
    ("glxinfo",
     r"(?:name of )?display: :\d|direct rendering: |OpenGL (?:renderer|vendor|core|version|shading|ES)|server glx|client glx"
     r"|Extended renderer info|GLX version|vainfo: |EGL (?:API|version|vendor)"),
    ("collect_env",
     r"Collecting environment information"
     r"|(?:PyTorch version|Is debug build|CUDA used to build PyTorch|ROCM used to build PyTorch|GCC version|Clang version"
     r"|CMake version|Libc version|Python platform|Is CUDA available|CUDA runtime version|GPU models and configuration"
     r"|Nvidia driver version|cuDNN version|HIP runtime version|MIOpen runtime version|Is XNNPACK available"
     r"|Is XPU available): |Versions of relevant libraries|\[(?:pip3|conda)\] "),
    ("hardware_list",
     r" *\d{1,2}: Bus=0x[0-9A-Fa-f]{2}:| *Device: +\d{1,3}, +\S"
     r"| *(?:System|Machine|CPU|Graphics|Audio|Network|Drives|Partition|Swap|Sensors|Info):  ?(?:Host|Kernel|Device-\d|Card"
     r"|Type|Info|Topology|Message|Processes|System)"
     r"|  +(?:Device-\d|Card-\d|Display|OpenGL|Mobo|Vulkan|API|Sound[ -]\w+|RAM): |  +\*-\w+"
     r"|  +(?:description|product|vendor|physical id|bus info|configuration|resources|capabilities|logical name): "
     r"|\d\d: (?:PCI|USB|None|IDE|SCSI) [0-9a-f.]+: \d{4,5} |  \[Created at |  Hardware Class: |  SysFS (?:ID|BusID): "
     r"|System Information$|Display Devices$|DirectX Database|Sound Devices$"
     r"|  +(?:Card name|Manufacturer|Chip type|DAC type|Display Memory|Dedicated Memory|Shared Memory|Driver (?:Version|Name"
     r"|Model|File Version)|DeviceKey|Current Mode): "
     r"|(?:Architecture|CPU op-mode\(s\)|Byte Order|CPU\(s\)|Vendor ID|Model name|Thread\(s\) per core|Core\(s\) per socket"
     r"|Socket\(s\)|Stepping|BogoMIPS|Vulnerability [\w ]+|L[123][di]? cache|NUMA node\w*(?: CPU)?\(s\)|Flags):  +"
     r"|Distributor ID:|Release:\t|Codename:\t|Description:\t"),
    ("os_state",
     r"Linux [\w.-]{1,64} \d+\.\d+\S* #|System uname: Linux-|[dcbl-][rwxsStT-]{9}[.+@]? +\d+ |uid=\d+"
     r"|(?:PRETTY_NAME|VERSION_ID|ID|ID_LIKE|VERSION|NAME|HOME_URL|BUG_REPORT_URL|VERSION_CODENAME|SUPPORT_URL)="
     r"|(?:Mem|Swap): +\d| +total +used +free|Filesystem +|Module +Size +Used"
     r"|(?:amdgpu|amdttm|amdkcl|radeon|drm\w*|ttm|video|i2c_algo_bit) +\d{4,9} +\d"
     r"|amdgpu[/,] ?\d[\w.-]+, .*: (?:installed|built|added)|BOOT_IMAGE=|initrd=\S+ |total \d+$|/dev/(?:kfd|dri/\w+)$"),
    ("sysfs",
     r" *\d{1,3}:(?: +\d+)+ +(?:IR-)?(?:PCI-MSI|IO-APIC|DMAR-MSI|XT-PIC)|E: [A-Z][A-Z0-9_]{2,40}=|P: /devices/|  looking at (?:parent )?device '/devices"
     r"|    (?:KERNELS?|SUBSYSTEMS?|DRIVERS?|ATTRS?\{)"
     r"|(?:simd_count|gfx_target_version|array_count|cu_per_simd_array|mem_banks_count|drm_render_minor|vendor_id|device_id"
     r"|location_id|heap_type|size_in_bytes|local_mem_size|caches_count|io_links_count) \d+"
     r"|(?:DRIVER|PCI_CLASS|PCI_ID|PCI_SUBSYS_ID|PCI_SLOT_NAME|MODALIAS)="
     r"|(?:MemTotal|MemFree|MemAvailable|SwapTotal|Buffers|Cached): +\d+ kB|/sys/\S+: ?\S|\d: \d+Mhz \*?$"),
    ("package_list",
     r"(?:ii|rc|hi|un) +\S+ +\S+|Package +Version|-{5,} -{5,}"
     r"|(?:torch|torchvision|torchaudio|triton|rocm|pytorch-triton-rocm|bitsandbytes|vllm|numpy|transformers"
     r"|onnxruntime[\w-]*|jax\w*|nvidia-[\w-]+|flash[_-]attn)(?:==|[ \t]+)\d+\.\d\S*$"
     r"|[a-z0-9][\w.+-]{1,60}-\d[\w.+~]*-\d[\w.]*\.(?:fc|el|x86_64|noarch)\S*$"
     r"|[a-z0-9][a-z0-9@._+-]{1,50}(?:/\S+)? \d[\w.:+~]*-\d+(?:\.\d+)?(?: \[installed\])?$"
     r"|[a-z0-9][a-z0-9.+-]{1,60}(?::\w+)?(?:/\S+)?\t\d[\w.:+~-]*$|[a-z0-9][\w.+-]{1,60}/[\w,-]+ \S+ (?:amd64|all|i386)"),
    ("package_history",
     r"\[\d{4}-\d\d-\d\d[T ][^\]]{5,20}\] \[(?:ALPM|PACMAN)|Start-Date: |Commandline: "
     r"|(?:Upgrade|Install|Remove|End-Date): \S"
     r"|\d{4}-\d\d-\d\d [0-9:]{8} (?:upgrade|install|remove|status|configure|trigproc) |Transaction ID|(?:Begin|End) time +:"
     r"|\d{4}-\d\d-\d\d [0-9:]{8}\|"),
    ("kubernetes", r"apiVersion: |kind: [A-Z]\w+$|  +amd\.com/gpu: |metadata:$|  Normal +\w+|  Warning +\w+ "),
    ("compose", r"services: *$|  +(?:devices|group_add|security_opt|ipc|cap_add|shm_size|container_name|restart|deploy|reservations): *"),
    ("env", r"(?:export |set |setx |ENV |\$env:|- )?[A-Z][A-Z0-9_]{3,60} ?= ?\S*$|export [A-Z][A-Z0-9_]{3,60}=\S|Environment=\"?[A-Z]"),
    ("config",
     r"(?:options|blacklist|softdep|install) (?:amdgpu|ttm|amdttm|radeon|amdkfd|vfio[-_]pci|nouveau|nvidia\w*|bbswitch|i915)\b"
     r"|\[(?:Unit|Service|Install|Match|Boot)\]"
     r"|(?:ExecStart|WantedBy|After|DeviceAllow|SupplementaryGroups|GRUB_\w+|User|Restart)=|FROM \S+(?: AS \w+)?$|RUN "
     r"|ENTRYPOINT |COPY "),
    ("app_log",
     r"\[?\d{4}-\d\d-\d\d[T ][0-9:]{5,8}(?:[.,]\d+)?Z?[^ ]{0,6}\]?[ \t]|\[?\d\d?:\d\d:\d\d(?:[:.,]\d+)?\]? "
     r"|\[?\d{4}[./]\d\d[./]\d\d[T :_-]{1,2}\d\d?:\d\d:\d\d|\[?\d\d[-./]\d\d[-./]\d{4}[T :_-]{1,2}\d\d?:\d\d:\d\d"
     r"|\S{1,300}\.py:\d{1,6}: \w{0,60}Warning: |  warnings\.warn\(|[^\n|]{0,80} {0,4}\d{1,3}%\|"
     r"|\[?(?:INFO|WARN(?:ING)?|ERROR|DEBUG|FATAL|TRACE|CRITICAL)\]?(?: *[:\-|]|\s{2,}|\] )"
     r"|\[(?:INFO|WARN|ERROR|DEBUG|info|warn|error|debug|notice)\] |INFO: |WARNING:\w+:|[IWEF]\d{4} [0-9:.]{8,16} "),
    ("json", r"\s*\"[^\"]{1,80}\": ?(?:[\[{\"\d-]|true|false|null)|\s*[\]}],?$|[\[{]$"),
)
_PROMPT = later.pattern(
    r"(?:\([\w./-]{1,40}\) )?(?:[\w.-]{1,40}@[\w.-]{1,60}(?::\S{0,120})? ?[$#%>] "
    r"|\[[\w.-]{1,40}@[\w.-]{1,60} [^\]]{1,80}\][$#] ?|\[[^\]]{1,60}@[^\]]{1,60}\]\$ |\$ (?=[\w./~(])"
    r"|PS [A-Z]:\\[^>]{0,120}> ?|[A-Z]:\\[^>]{0,120}>(?=\w)|[❯➜] \S|~ ?[$#%❯] |root# |# (?:\./|sudo |apt |dmesg|ls |cat "
    r"|rocminfo|lspci|docker |podman |journalctl|modprobe|systemctl)|\+ \w+ )")
# What stands in the middle of a text and still has the shape of output, though of no known program.
_SHAPED = later.pattern(
    r"\[[^\]]{1,40}\] |#{2,6} .*\S #{2,6}\s*$|/\S{1,300}: (?:error|symbol lookup)"
    r"|={3,}|-{5,}|\*{4,}|[+|].*[+|]$|\S+=\S+ \S+=\S+|0x[0-9a-fA-F]{4,}|\S+\(\): |[\w./-]+:\d+: |\S+ +: \S"
    r"|\S.*\S {3,}\S|\S.*\t\S|[\w.-]+\.(?:so|dll|go|cpp|py)[.:\d]*: |error: |warning: |fatal: |Error: |ls: |bash: |sh: "
    r"|sudo: |cat: |find: |docker: |~?/[\w./+-]{1,200}: ")
_FIELD = later.pattern(r"[>\s]*(?:[-*+] |\d{1,2}[.)] )?[*_`]{0,3}(?:[A-Z]|[a-z])[\w /().&#'+-]{0,48}[*_`]{0,3} ?[:=][*_`]{0,3}(?: |$|\t)\S?")
_KEYED = later.pattern(r"\s*(?:[-*] )?\**[A-Z][\w.+-]*(?: [\w.+-]+){0,2}\**:\** \S")
# A line that only names the machine, as people put it above a log.
_MACHINE = later.pattern(r"(?=.{0,80}\b(?:RX|Radeon|Ryzen|Instinct|MI\d{2,3}X?|R9700|W[67]\d00|Strix|Vega|Fedora|Ubuntu|Windows|Debian|ROCm)\b)"
                      r"[\w .,/()+&-]{3,120}")
_HEADING = later.pattern(r"#{1,6} \S(?!.* ##+\s*$)|\*\*[^*]{1,80}\*\*:?$|<(?:details|summary|/details|/summary)>")
_VARYING = later.pattern(r"\S{0,200}[/\d]\S{0,200}")
_WORD = later.pattern(r"[A-Za-z][A-Za-z'’-]*[.,:;!?)]*$")
_SMALL = frozenset("a an the is are was were be been it its this that these i my we our you to of on in with without and or but not no do does did when "
                   "after before since if for from by at as only then so every all have has had can cannot can't works work still same".split())
_LISTED = later.pattern(r"[A-Z][\w.+/-]*(?: [\w.+/()-]+){0,5}, [\w(]")
_ERROR_END = later.pattern(r"(?:[a-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Interrupt|Exit|Failure)\b")
_NO_PACKAGE = later.pattern(r"\s*(?:#\d{1,4} |[^@:]{1,80}: |\w+=\")")
_LABELS = {"json": "json", "yaml": "config", "yml": "config", "dockerfile": "config", "ini": "config"}  # of a fence without a telling line
_MARKED = later.pattern("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _MARKS))
_CONTINUED = frozenset({"rocminfo", "rocm_smi", "amd_smi", "lspci", "vulkaninfo", "clinfo", "glxinfo", "hardware_list", "collect_env", "package_list",
                        "compose", "kubernetes", "config", "sysfs", "package_history", "json"})
_IN_COLUMNS = GROUPS["tool"] - {"sysfs"}


def kind_of(line: str) -> str:
    """The kind that one line tells by itself, "" when it tells none.

    >>> kind_of("[    3.960012] [drm] radeon kernel modesetting enabled."), kind_of("Jan 06 14:37:51 box dnsmasq[9]: started")
    ('kernel_log', 'system_log')
    >>> kind_of("Jan 06 14:37:51 box cupsd[9]: ERROR: no printer"), kind_of("Jan 06 14:37:51 box python3[9]: ERROR: no GPU")
    ('system_log', 'app_log')
    >>> kind_of("2026-03-26T19:56:32.594139Z box gpud: started"), kind_of("2026-03-26T19:56:32.594139Z ERROR gpud: no adapter")
    ('system_log', 'app_log')
    >>> kind_of("[    17.323] (WW) Open ACPI failed"), kind_of("My card hangs.")
    ('xorg_log', '')
    """
    return _kind_of(line[:400])


@lru_cache(maxsize=8192)
def _kind_of(line: str) -> str:
    if line[:1] in (">", "|"):
        line = _QUOTE.sub("", line, count=1)
    journal = _JOURNAL.match(line) if line[:2].lstrip()[:1].isalnum() else None
    if journal:
        unit = journal["unit"]
        own = _UNITS.get(unit) or "ollama_log" * ("ollama" in unit) or kind_of_message(line[journal.end():])
        if own in ("", "app_log"):  # a level in front tells no more of the program than its name does
            return "app_log" if _OF_GRAPHICS.match(unit) else "system_log"
        return own
    composed = (_COMPOSED.match(line) or _DOCKER_TIME.match(line)) if line[:1].isalnum() else None
    if composed:
        return kind_of_message(line[composed.end():]) or "app_log"
    return "shell" if _PROMPT.match(line) else kind_of_message(line)


@lru_cache(maxsize=8192)
def kind_of_message(line: str) -> str:
    """The kind of a line without what a journal or a container puts before it."""
    found = _MARKED.match(line)
    if found is None and line[:1] in (" ", "\t"):
        found = _MARKED.match(line.lstrip())
    return str(found.lastgroup) if found else ""


_SHORTEST_PASTE = 5  # lines: an example of one or two shows what a message looks like, not a machine
_LAID = later.pattern(r"(?: {4}|\t)\s*(?![-*+>]|\d{1,2}[.)])\S")
_ENUMERATED = later.pattern(r"[A-Z]\w{2,40}\.[A-Z][A-Z0-9_]{2,40}\s")  # a member of an enumeration, as a program prints it: SDPBackend.MATH


def is_sentence(line: str) -> bool:
    """Whether a line reads as a person's sentence, or as a piece of one: words, some of them small ones, no columns.

    >>> is_sentence("My card hangs when the model is loaded."), is_sentence("VRAM: 65536M 0x0 - 0xF (65536M used)")
    (True, False)
    """
    line = line.strip()
    if len(line) > 4000 or "   " in line or "\t" in line or " 0x" in line or _ENUMERATED.match(line):
        return False
    words = line.split()
    plain = sum(_WORD.match(word) is not None for word in words)
    small = sum(word.lower().strip("(),.;:") in _SMALL for word in words)
    if len(words) >= 4 and line.count(", ") and _LISTED.match(line):  # "Debian 12, apt install hipcc. ./prog --gpu amd"
        bare = [word for word in words if not word.startswith(("-", ".", "/")) and not any(char.isdigit() for char in word)]
        return sum(_WORD.match(word) is not None for word in bare) * 5 >= len(bare) * 3
    return len(words) >= 4 and plain * 2 >= len(words) and small * 8 >= len(words)


# How a document of one program begins, whatever its lines look like.
_HEADS = (
    ("hardware_list", later.pattern(r"-{5,}\s+System Information\s+-{5,}\s+Time of this report: |# dmidecode \d|System Information report written at: "
                                 r"|=+ start (?:debug info|hardware (?:list|log)) =+|hal\.1: read hal data")),
    ("sysfs", later.pattern(r"processor\s{1,9}: \d{1,4}\n(?:\w[\w ]{1,30}\s{0,9}: [^\n]{0,200}\n){3}")),
    ("output", later.pattern(r"# HELP \w[^\n]{0,400}\n# TYPE \w")),
    ("kernel_log", later.pattern(r"(?:---<<BOOT>>---\s+)?Copyright \(c\) [\w, -]{4,40}The (?:\w*BSD|DragonFly)\b|OpenBSD \d\.\d \(")),
)


_TOML = later.pattern(r"\[\[[\w.-]{1,60}\]\]\s*\n")  # a table of an array, which JSON's arrays of arrays begin like
_LONG_LOG = 50  # lines
_BOOT = later.pattern(r"(?:[^\n]{0,200}\n)?Linux version \d+\.\d+\S{0,60} \(")  # a kernel log without times, from its first line


def _whole(text: str) -> str:
    """The kind of a document that is of one kind by its first lines, "" otherwise."""
    head = text[:4000].lstrip("\ufeff \t\r\n")
    kind = next((kind for kind, mark in _HEADS if mark.match(head)), "")
    if kind:
        return kind
    if _BOOT.match(head) and text.count("\n") > _LONG_LOG and "\n\n" not in text.strip():
        return "kernel_log"
    if not _TOML.match(head) and (head[:1] == "{" and re.match(r"\{\s*(?:\"|\})", head) or head[:1] == "[" and re.match(r"\[\s*(?:[\[{\"]|\d+,|\])", head)):
        return documents.kind_of_json(text) or "json"
    if documents.is_manifest(text):
        return "kubernetes"
    if re.search(r"^services:\s*$", text[:20_000], re.MULTILINE) and re.search(r"^ +(?:image|build):", text[:60_000], re.MULTILINE) and not re.search(
            r"^(?:```|#{2,} )", text[:20_000], re.MULTILINE):
        return "compose"
    return ""


def _sampled(text: str) -> str:
    """The kind of a big text whose lines, as far as a sample tells, are of one kind; "" when they are mixed."""
    seen: Counter[str] = Counter()
    step = max(_SLICE, len(text) // _SLICES)
    for at in range(0, len(text), step):
        for line in text[at:at + _SLICE].split("\n")[1:-1]:
            if line.strip():
                seen[kind_of(line)] += 1
    kind, most = (seen.most_common(1) or [("", 0)])[0]
    return kind if kind and most >= _ALIKE * sum(seen.values()) else ""


_BSD = later.pattern(r"(?:OpenBSD|NetBSD|FreeBSD|DragonFly) \d{1,2}\.\d\S{0,20} ?[(#]|Copyright \(c\) [\w, -]{4,40}The (?:\w*BSD|DragonFly)\b")
_SHORTEST_BOOT = 20  # lines
_NAMED = later.pattern(r"([a-z][a-z0-9_.-]{1,30}): \S")
_LONGEST = 2000  # characters of a line that tell its kind; the patterns take the square of a line without spaces


class _Cutter:
    """One pass over the lines; each gets its kind from itself, else from what stands before it."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.told = [kind_of(line) if line and not line.isspace() else "" for line in lines]
        self.named()
        self.booted()
        self.kinds: list[str] = [""] * len(lines)
        self.sentences = [not kind and line != "" and not _SHAPED.match(line.lstrip()) and is_sentence(line)
                          for line, kind in zip(lines, self.told, strict=True)]

    def named(self) -> None:
        """Neighbours that begin with the same name and a colon are a program's, however they read: "ds4: restricting the map to 23 layers"."""
        before = ""
        for i, line in enumerate(self.lines):
            found = _NAMED.match(line) if line[:1].islower() and self.told[i] in ("", "app_log") else None
            name = found[1].partition("-")[0] if found else ""
            if name and name == before:
                self.told[i - 1] = self.told[i - 1] or "app_log"
                self.told[i] = self.told[i] or "app_log"
            before = name

    def booted(self) -> None:
        """What a BSD says as it starts, up to the next empty line or markup: its lines have no time, and none tells its kind."""
        for i, line in enumerate(self.lines):
            if line[:1] in "COND" and _BSD.match(line):
                end = next((at for at in range(i, len(self.lines)) if not self.lines[at].strip() or self.lines[at][:1] in "<`"), len(self.lines))
                if end - i > _SHORTEST_BOOT:
                    self.told[i:end] = ["kernel_log"] * (end - i)

    def cut(self) -> list[str]:
        """The kind of each line; "" for blank lines that belong to nothing."""
        at = 0
        lines = self.lines
        while at < len(lines):
            if lines[at].lstrip(" >").startswith(("```", "~~~")):
                end = next((i for i in range(at + 1, len(lines)) if lines[i].lstrip(" >").startswith(("```", "~~~"))), None)
                if end is None:
                    end = len(lines)
                self.fence(at, end)
                at = end + 1
                continue
            end = next((i for i in range(at, len(lines)) if lines[i].lstrip(" >").startswith(("```", "~~~"))), len(lines))
            self.open(at, end)
            at = end
        return self.kinds

    def fence(self, start: int, end: int) -> None:
        """Fenced lines are no prose, whatever they say."""
        inside = range(start + 1, end)
        label = self.lines[start].lstrip(" >`~").strip().lower()
        known = Counter(self.told[i] for i in inside if self.told[i])
        usual = known.most_common(1)[0][0] if known else _LABELS.get(label, "output")
        if usual == "env" and any(kind == "compose" for kind in known):
            usual = "compose"
        self.follow(inside, usual if not known or self.told[start + 1] in ("", usual) else self.told[start + 1], fenced=True)
        for i in (start, end):
            if i < len(self.lines):
                self.kinds[i] = "="  # belongs to the part before it

    def follow(self, inside: range, first: str, fenced: bool = False) -> None:
        """Lines of output: what does not tell its kind is of the kind before it."""
        kind = first
        trace = False
        for i in inside:
            told = self.told[i]
            line = self.lines[i]
            if not line.strip():
                self.kinds[i] = "="
                trace = False
                continue
            if trace and told != "traceback" and line[:1] in (" ", "\t"):
                told = "traceback"
            elif told:
                trace = told == "traceback" and not _ERROR_END.match(line)
            elif trace:
                trace = False
            if told == "app_log" and kind in GROUPS["app"]:
                told = kind  # a bare time or level is of the program whose lines stand around it
            elif told in ("json", "env", "package_list", "crash", "build_log") and kind in _CONTINUED and line[:1] in (" ", "\t", "]", "}"):
                told = kind
            elif told == "traceback" and kind in ("vllm_log", "comfy_log", "app_log") and not trace and not _ERROR_END.match(line) and line[:1] in " \t":
                told = "traceback"
            if not told and self.strange(kind, line):
                self.kinds[i] = "output"
                continue
            kind = told or kind
            self.kinds[i] = "comment" if kind in GROUPS["setting"] and line.lstrip().startswith("#") else kind
            if told == "traceback" and _ERROR_END.match(line):
                kind = first if first != "traceback" else "output"

    def strange(self, kind: str, line: str) -> bool:
        """Whether a line below those of a kind, which tells none itself, cannot be of it: no variable, no package, no field or column of a tool."""
        if kind == "env":
            return "=" not in line and not line.lstrip().startswith("#")
        if kind == "package_list":
            return _NO_PACKAGE.match(line) is not None
        return kind in _IN_COLUMNS and line[:1] not in (" ", "\t") and not _FIELD.match(line) and not _SHAPED.match(line)

    def open(self, start: int, end: int) -> None:
        """Lines outside of fences: paragraphs of prose, forms, and output that nobody fenced."""
        at = start
        before = ""
        report = self.report(start, end)
        while at < end:
            if not self.lines[at].strip():
                self.kinds[at] = "="
                at += 1
                continue
            stop = at
            while stop < end and self.lines[stop].strip():
                stop += 1
            before = self.paragraph(at, stop, before, report)
            at = stop

    def report(self, start: int, end: int) -> bool:
        """Whether a person writes here: sentences or headings that are not lost among a program's lines."""
        lines = [i for i in range(start, end) if self.lines[i].strip()]
        told = sum(self.told[i] != "" for i in lines)
        written = [_VARYING.sub("", self.lines[i]) for i in lines if self.sentences[i] or _HEADING.match(self.lines[i]) is not None]
        own = len(set(written))
        if len(written) > 3 * own + 10:  # what stands there over and over, but for paths and numbers, a program wrote
            return False
        return own > 0 and (own * 6 >= told or self.sentences[lines[0]])

    def answered(self, start: int, stop: int, before: str) -> None:
        """Lines directly below a command, and indented ones below a tool's, are output however they read."""
        for i in range(start, stop):
            if not self.told[i] and self.sentences[i] and before:
                line = self.lines[i]
                long = line.rstrip().endswith((".", "!", "?", ":")) and len(line.split()) > 5
                self.sentences[i] = not (before == "shell" and not long or before in _CONTINUED and line[:1] in (" ", "\t"))
            before = self.told[i] or ("" if self.sentences[i] else before)

    def field(self, at: int) -> bool:
        """Whether a line is a field with a short key; two in a row are a form, whatever sentence follows."""
        return 0 <= at < len(self.lines) and not self.sentences[at] and _KEYED.match(self.lines[at]) is not None

    def paragraph(self, start: int, stop: int, before: str, report: bool) -> str:
        """Kinds of one paragraph; returns the kind that output after it may continue."""
        self.answered(start, stop, before if before in _CONTINUED else "")
        inside = range(start, stop)
        known = [i for i in inside if self.told[i]]
        if not known and before in _CONTINUED and not any(self.sentences[i] for i in inside) and all(
                self.lines[i][:1] in (" ", "\t") or _FIELD.match(self.lines[i]) or _SHAPED.match(self.lines[i]) for i in inside):
            for i in inside:
                self.kinds[i] = before
            return before
        if not known:
            return self.untold(inside, before, report)
        return self.runs(start, stop, before, report)

    def untold(self, inside: range, before: str, report: bool) -> str:
        """A paragraph of which no line tells its kind; returns the kind that output after it may continue."""
        shaped = sum(_SHAPED.match(self.lines[i].lstrip()) is not None for i in inside)
        sentences = sum(self.sentences[i] for i in inside)
        laid = sum(_LAID.match(self.lines[i]) is not None for i in inside)
        if before and not report and not sentences and not all(_FIELD.match(self.lines[i]) for i in inside):
            kind = before
        elif sentences and (report or sentences * 2 >= len(inside) and not before):
            # What stands indented below its title, a program laid out.
            kind = "output" if _SHORTEST_PASTE <= len(inside) < 2 * laid < 2 * len(inside) else "prose"
        elif shaped * 2 > len(inside):
            kind = "output"
        elif sentences:
            kind = before or "prose"
        else:
            kind = "form"
        for i in inside:
            self.kinds[i] = "form" if kind == "prose" and self.field(i) and (self.field(i - 1) or self.field(i + 1)) else kind
        return before if kind in ("prose", "form") and not report else "" if kind in ("prose", "form") else kind

    def runs(self, start: int, stop: int, before: str, report: bool) -> str:
        """A paragraph in which lines of a kind and a person's words take turns; returns the kind that output after it may continue."""
        kind = before
        run = start
        told_before = False
        while run < stop:
            end = run
            written = self.sentences[run] and (report or not (told_before or before in GROUPS["app"]))
            if not self.told[run] and (written or not told_before and _FIELD.match(self.lines[run]) and report
                                       or not told_before and not before and _MACHINE.fullmatch(self.lines[run])):
                while end < stop and not self.told[end] and (self.sentences[run] or not _SHAPED.match(self.lines[end])):
                    end += 1
                for i in range(run, end):
                    self.kinds[i] = "prose" if self.sentences[run] else "form"
                kind = ""
            else:
                while end < stop and (self.told[end] or not (self.sentences[end] and report)):
                    end += 1
                following = next((self.told[i] for i in range(run, end) if self.told[i]), "output")
                self.follow(range(run, end), before if before and not self.told[run] and before in _CONTINUED else following)
                kind = self.kinds[end - 1]
                told_before = True
            run = max(end, run + 1)
        return kind


def parts_of(text: str, name: str = "") -> list[Part]:
    """The text, of a file ``name``, cut into parts ``(first line, last line, kind)``, lines counted from 1, in order and without gaps."""
    count = text.count("\n") + 1
    whole = _whole(text) or (_sampled(text) if len(text) >= SAMPLED else "")
    if whole in ("compose", "kubernetes"):
        return _together(["comment" if line.lstrip().startswith("#") else whole for line in text.split("\n")], count)
    if whole == "json" and count > 1:
        return _together(["document" if _explained(line) else "json" for line in text.split("\n")], count)
    if whole:
        return [(1, count, whole)]
    lines = [line[:_LONGEST] for line in text.split("\n")]
    cut = _together(_Cutter(lines).cut(), count)
    if _LOG_FILE.fullmatch(name):
        cut = _printed(cut, lines)
    of = documents.kind_of_whole(text, name)
    return _of_document(cut, lines, of) if of else cut


# What only programs write to, whatever reads as a sentence there.
_LOG_FILE = later.pattern(r".*\.(?:log|out|err|stdout|stderr|dmesg|journal)(?:\.\d{1,3})?", re.IGNORECASE)
# What a script looks for: behind the program that searches, or on a line of its own.
_LOOKS_FOR = later.pattern(r"\s*(?:'[^']{20,}'|\"[^\"]{20,}\") ?\\?$|(?:[^'\"\n]{0,400}[\s;|&(!/])?(?:[efpz]?grep|rg|sed|awk)\s")
_SAYS = later.pattern(r"(?:\s*|[^\n]{0,300}(?:&&|\|\||[;{]|\bthen|\belse)\s*)(?:(?:&&|\|\|) *)?(?:\{ )?"  # what a script would print
                      r"(?:(?:echo|printf|print|die|fail|warn|info|error|log\w{0,10}|Write-\w{4,12})\b"
                      r"|(?:err|fatal|critical|abort|notice|note|msg|message|success|ok|headline|say|print_\w{1,20}|log\.\w{1,10}) [\"'$])"
                      r"(?![^\n]*(?:>(?!&[12])|\btee\b))")
_BEHIND = later.pattern(r"([^\n=:#'\"]{1,80})\s#\s(\S[^\n]*)$")  # what is said behind a line that sets nothing
_SHORTEST_DUMP = 40  # lines of output that more than three quarters of a document are
_PASTED = GROUPS["tool"] - {"os_state"} | {"kernel_log", "xorg_log", "ollama_log", "llama_log"}
_OWN = {"document": frozenset[str](), "code": frozenset[str](), "table": frozenset[str](),
        "config": frozenset({"env", "config", "compose", "kubernetes", "comment"}), "package_list": frozenset({"package_list"})}


_QUOTED = later.pattern(r"\s*(?:- )?(?:\"?(?P<key>[\w.-]{1,60})\"? ?[:=] ?)?[\"'](?P<said>(?:[^\"\\]|\\.){40,}?)[\"']?$")
_LITERAL = later.pattern(r"\"([^\"]{60,})\"")
# Keys under which somebody tells something, or a program; sentences under any other describe what the document is about.
TELLING = later.pattern(r"(?:\w*[_.-])?(?:body|text|message|msg|content|comment|question|title|report|prompt"
                       r"|(?:std)?(?:out|err)(?:put)?|log|error|detail|reason)s?", re.IGNORECASE)


def _explained(line: str, told: bool = True) -> bool:
    """Whether a value in a document of settings is a sentence about them, and under no key at which somebody tells or a program says something.

    ``told``: whether anybody can have told it there; in a script and in a configuration it is what would be said.

    >>> _explained('  "notes": "The package is built with the generic flags, because the others fail on this target.",')
    True
    >>> _explained('  "error": "The package is built with the generic flags, because the others fail on this target."')
    False
    """
    line = line[:_LONGEST].rstrip().removesuffix(",")  # here, not in the pattern: it would look for them behind every blank
    found = _QUOTED.match(line) or _LITERAL.search(line)
    if found is None:
        return False
    key, said = (found["key"], found["said"]) if "said" in found.re.groupindex else ("", found[1])
    return not (told and key and TELLING.fullmatch(key)) and is_sentence(said)


def _printed(cut: list[Part], lines: list[str]) -> list[Part]:
    """The parts of a log, in which nobody writes: a sentence is of the program before it, unless somebody speaks of himself."""
    found: list[Part] = []
    before = "output"
    for start, end, kind in cut:
        if kind == "prose" and not documents.is_somebodys("\n".join(lines[start - 1:end])):
            kind = before
        found.append((start, end, kind))
        before = kind if kind in GROUPS["app"] else "output"
    return found


def _commented(line: str) -> bool:
    """Whether a line sets nothing and has a sentence as its comment."""
    found = _BEHIND.match(line[:_LONGEST])
    return found is not None and is_sentence(found[2])


def _in_settings(line: str, own: str) -> str:
    """The kind of a line of a script or of a configuration: what is said about it and what it would print are neither done nor told."""
    if line.lstrip().startswith("#") or _explained(line, told=False) or _commented(line):
        return "comment"
    return "code" if _SAYS.match(line[:_LONGEST]) or _LOOKS_FOR.match(line) else own


def _of_document(cut: list[Part], lines: list[str], of: str) -> list[Part]:
    """The parts of a text that is one whole: what a tool printed and somebody pasted stays, but for a document, where it is an example unless the document
    is hardly more than that; everything else is of the whole's kind."""
    commented = of in ("config", "package_list")
    printed = sum(sum(line.strip() != "" for line in lines[start - 1:end]) for start, end, kind in cut if kind in _PASTED)
    dump = printed >= _SHORTEST_DUMP and printed * 4 > 3 * sum(line.strip() != "" for line in lines)
    kinds = []
    for start, end, kind in cut:
        pasted = kind in _PASTED and end - start + 1 >= _SHORTEST_PASTE and of != "package_list" and (of != "document" or dump)
        own = kind if pasted or kind in _OWN[of] else of
        if pasted or not commented:
            kinds += [own] * (end - start + 1)
        else:
            kinds += [_in_settings(line, own) for line in lines[start - 1:end]]
    if of == "document":
        for number in machine_sections.fields(lines):
            kinds[number] = "form"
    return _together(kinds, len(lines))


def _together(kinds: list[str], count: int) -> list[Part]:
    """Runs of lines of one kind; a line that belongs to what stands before it goes on with it."""
    found: list[Part] = []
    start, kind = 1, ""
    for number, own in enumerate(kinds, 1):
        if own in ("=", "") or own == kind:
            continue
        if kind:
            found.append((start, number - 1, kind))
            start = number
        kind = own
    return [*found, (start, count, kind or "prose")]
