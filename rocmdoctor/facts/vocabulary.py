"""Every fact: name, type, unit, meaning. A fact that is not declared here is refused.

Facts whose first part is in :data:`ENTITIES` belong to one device or installation and are stored as ``name[item]``.
Names that end in ``.*`` declare a family (environment variables, firmware blocks).
"""

from __future__ import annotations

import re

from rocmdoctor.records import dataclass

ENTITIES = ("gpu", "vk", "torch", "rocm", "app", "test", "llm")


@dataclass(frozen=True, slots=True)
class Declared:
    """One line of the vocabulary."""

    name: str
    type: str
    unit: str
    meaning: str

    def fields(self) -> tuple[str, ...]:
        """What every row of a list has; a field with "?" may be missing.

        >>> FACTS["boots.history"].fields(), FACTS["gpu.name"].fields()
        (('at', 'kernel'), ())
        """
        row = re.search(r"\[\{([^}]*)\}\]", self.meaning)
        return tuple(re.findall(r'"(\w+)"(?!\?)', row[1])) if row else ()


_TABLE = """
gpu.pci_address         | str  |       | PCI address, domain:bus:device.function
gpu.pci_id              | str  |       | vendor:device in lower-case hex, 1002:1586
gpu.subsystem_id        | str  |       | subsystem vendor:device in lower-case hex
gpu.revision            | str  |       | PCI revision in hex, without 0x
gpu.name                | str  |       | product name as the best source gives it
gpu.driver              | str  |       | kernel driver bound (amdgpu, vfio-pci, radeon); absent when none
gpu.gfx_target          | str  |       | physical gfx target: KFD gfx_target_version or the PCI id, never an overridden tool
gpu.gfx_reported        | str  |       | gfx target as user space reports it; differs under HSA_OVERRIDE_GFX_VERSION
gpu.is_apu              | bool |       | integrated graphics that shares system RAM
gpu.vram_bytes          | int  | bytes | VRAM; on an APU the BIOS carve-out
gpu.vram_used_bytes     | int  | bytes | VRAM in use
gpu.visible_vram_bytes  | int  | bytes | VRAM that the CPU can map (BAR); equals VRAM with Resizable BAR
gpu.gtt_bytes           | int  | bytes | size of the GTT domain
gpu.gtt_used_bytes      | int  | bytes | GTT in use
gpu.kfd_pool_bytes      | int  | bytes | largest memory bank or pool that KFD/HSA offers for the GPU
gpu.kfd_banks           | list | bytes | memory banks of the KFD node: [{"heap", "size"}]
gpu.hip_total_bytes     | int  | bytes | total of hipMemGetInfo
gpu.hip_free_bytes      | int  | bytes | free of hipMemGetInfo
gpu.holders             | list | bytes | processes that hold memory of the GPU: [{"pid", "name", "vram_bytes", "gtt_bytes", "kfd_bytes"}]
gpu.uma_options         | list | bytes | carve-outs that the firmware lets Linux choose: [{"index", "bytes"}]
gpu.uma_selected        | int  |       | index of the chosen carve-out in gpu.uma_options
gpu.bar_bytes           | int  | bytes | largest prefetchable BAR
gpu.link_speed_gts      | float| GT/s  | PCIe link speed now
gpu.link_max_speed_gts  | float| GT/s  | PCIe link speed at best
gpu.link_width          | int  | lanes | PCIe link width now
gpu.link_max_width      | int  | lanes | PCIe link width at best
gpu.atomics             | bool |       | PCIe atomics from the GPU to the host are possible (KFD io_links)
gpu.xgmi_links          | int  |       | other GPUs that this one reaches over XGMI (KFD io_links)
gpu.xgmi_peers          | list |       | their PCI addresses
gpu.vbios               | str  |       | VBIOS version
gpu.numa_node           | int  |       | NUMA node, -1 for none
gpu.cu_count            | int  | CUs   | compute units
gpu.cwsr_size           | int  | bytes | context save area in the KFD node
gpu.kfd_node            | int  |       | number of the KFD node; absent when KFD does not list the GPU
gpu.render_node         | str  |       | /dev/dri/renderDN of the GPU
gpu.power_cap_watts     | float| W     | power limit that is set (hwmon power1_cap)
gpu.power_cap_max_watts | float| W     | highest power limit that the driver takes
gpu.power_cap_min_watts | float| W     | lowest power limit that the driver takes
gpu.power_cap_default_watts | float| W | power limit after a start
gpu.busy_percent        | int  | %     | GPU busy as sysfs says
gpu.ip.*                | str  |       | IP block version from ip_discovery: gc, sdma, mes, umc ...
gpu.fw.*                | str  | hex   | firmware version as sysfs prints it: mes, smc, sdma, vcn, rlc, pfp ...
gpu.compute_partition   | str  |       | SPX, DPX, QPX, CPX
gpu.memory_partition    | str  |       | NPS1, NPS2, NPS4
gpu.ras_ue_count        | int  |       | uncorrectable RAS errors, all blocks
gpu.ras_ce_count        | int  |       | correctable RAS errors, all blocks
gpu.bad_pages           | int  |       | retired and pending memory pages
gpu.power_state         | str  |       | runtime power state (active, suspended, error)
gpu.driver_version      | str  |       | version of the display driver of this GPU in Windows (32.0.x)
gpu.driver_date         | str  |       | date of that driver
gpu.driver_inf          | str  |       | INF file of that driver in the driver store (oem12.inf)
gpu.problem_code        | int  |       | code in Device Manager: 0 works, 10 cannot start, 22 disabled, 28 no driver, 31 not loaded, 43 stopped by a fault
gpu.adapter_order       | int  |       | place of the GPU among the adapters of DXGI, 0 first
gpu.shared_bytes        | int  | bytes | RAM that the GPU may use as well (DXGI, Task Manager: shared GPU memory)
gpu.shared_used_bytes   | int  | bytes | shared GPU memory in use (Task Manager)
gpu.held_bytes          | int  | bytes | dedicated memory that running processes hold, all together
gpu.vram_budget_bytes   | int  | bytes | dedicated memory that Windows lets one process use now
pci.amd_gpu_count       | int  |       | AMD GPUs on the PCI bus (or named in the files)
pci.other_gpus          | list |       | names of GPUs of other vendors
display.only_420        | list |       | modes that a monitor takes as YCbCr 4:2:0 only, by its EDID: 3840x2160@60
os.family               | str  |       | linux, windows, wsl, macos
os.distribution         | str  |       | ID of os-release: ubuntu, fedora, arch, debian, nixos ...
os.version              | str  |       | VERSION_ID of os-release, or the Windows build
os.name                 | str  |       | PRETTY_NAME
os.immutable            | bool |       | image-based system (rpm-ostree, bootc, SteamOS)
boot.loader             | str  |       | grub, systemd-boot, refind, kernelstub, rpm-ostree, nixos
kernel.release          | str  |       | uname -r
kernel.cmdline          | str  |       | kernel command line
kernel.lockdown         | str  |       | none, integrity, confidentiality
kernel.stuck_processes  | list |       | processes in uninterruptible sleep: "pid name wchan"
kernel.numa_balancing   | int  |       | automatic NUMA balancing: 0 off, else on; absent when the kernel has none
machine.board           | str  |       | board vendor and name from DMI
machine.product         | str  |       | product vendor and name from DMI
machine.bios_version    | str  |       | BIOS version from DMI
machine.bios_date       | str  |       | BIOS date from DMI
machine.cpu             | str  |       | CPU model name
machine.secure_boot     | bool |       | UEFI Secure Boot on
machine.iommu           | str  |       | on, off, or passthrough as the kernel runs it
machine.virtual         | str  |       | hypervisor the system runs under (kvm, vmware, hyperv); absent on bare metal
memory.ram_bytes        | int  | bytes | RAM that the kernel has
memory.available_bytes  | int  | bytes | MemAvailable
memory.swap_bytes       | int  | bytes | swap
memory.installed_bytes  | int  | bytes | RAM that is fitted, as the owner or DMI says
memory.ttm_limit_bytes  | int  | bytes | pages_limit of the TTM module in charge
memory.ttm_pool_bytes   | int  | bytes | page_pool_size of the TTM module in charge
memory.hidden_processes | int  |       | processes that this user may not look into, so that what they hold is unknown
memory.ttm_module       | str  |       | ttm or amdttm (amdgpu-dkms)
amdgpu.loaded           | bool |       | amdgpu module is loaded
amdgpu.built            | bool |       | the running kernel has an amdgpu module or built-in
amdgpu.blacklisted      | str  |       | file or parameter that blacklists amdgpu; absent when none
amdgpu.dkms             | bool |       | the loaded module comes from amdgpu-dkms
amdgpu.version          | str  |       | version of the loaded module (DKMS only)
amdgpu.parameters       | dict |       | amdgpu module parameters that differ from nothing set
amdgpu.unknown_parameters | list |     | parameters that the kernel ignored ("amdgpu: unknown parameter 'x' ignored")
amdgpu.modprobe_options | list |       | option lines for amdgpu, ttm, amdttm in modprobe.d and on the command line
amdgpu.without_overdrive | list |      | cards (card1) that have no pp_od_clk_voltage, the file through which clocks and voltage are set
dkms.failed_kernel      | str  |       | kernel for which the amdgpu module did not build
dkms.failed_version     | str  |       | version of amdgpu-dkms that did not build
packages.installed      | dict |       | GPU related packages of the distribution and their versions
packages.bits32         | list |       | of the list that shows the 64-bit driver, the GPU related packages of 32 bits (i386, i686, lib32)
packages.changed        | dict |       | GPU related packages in a package manager's history: name to [old, new], newest last
updates.history         | list |       | changes of GPU stack packages that package managers recorded: [{"at", "name", "old", "new", "by"}], oldest first
updates.unrelated       | dict |       | minute (ISO 8601, UTC) to the number of other packages changed in it
updates.from            | str  |       | earliest time that the package histories at hand go back to
boots.history           | list |       | boots: [{"at", "kernel"}], oldest first; kernel "" where no record names it
checks.history          | list |       | kept checks of this machine: [{"at", "found"}], oldest first; clean, warnings, errors, undecided or no-gpu
changed.components      | list |       | ids of the table components that changed since the state compared with
changed.*               | bool |       | whether this component (of the table components) changed since the state compared with
firmware.package_version | str |       | version of the linux-firmware (amdgpu firmware) package
kfd.available           | bool |       | /sys/class/kfd exists
kfd.gpu_nodes           | int  |       | GPU nodes that KFD lists
dev.kfd_exists          | bool |       | /dev/kfd exists
dev.kfd_group           | str  |       | group that owns /dev/kfd (name or number)
dev.kfd_gid             | int  |       | group id that owns /dev/kfd
dev.kfd_mode            | str  | octal | mode of /dev/kfd
dev.kfd_openable        | bool |       | this user may open /dev/kfd for reading and writing
dev.kfd_errno           | str  |       | errno name when it may not
dev.render_nodes        | list |       | /dev/dri/renderD* that exist
dev.render_group        | str  |       | group that owns the render node
dev.render_openable     | bool |       | this user may open every AMD render node
user.groups             | list |       | names (or numbers) of this user's groups
user.root               | bool |       | effective uid 0
user.render_gid         | int  |       | number of the group render in the system that was asked (getent)
container.kind          | str  |       | docker, podman, lxc, flatpak, kubernetes, toolbox, snap; absent on a host
container.rootless      | bool |       | rootless container (user namespace)
container.image         | str  |       | image and tag of the docker or podman command, the compose file or the pod
container.devices       | list |       | devices handed in: --device, devices: (host paths)
container.mounts        | list |       | folders and files handed in: -v, volumes: (HOST:CONTAINER); empty where devices are handed in and no folder
container.groups        | list |       | groups added: --group-add, group_add:
container.render_gid    | int  |       | group number that the container's configuration gives to the render node
container.privileged    | bool |       | --privileged
container.ipc_host      | bool |       | --ipc=host
container.shm_bytes     | int  | bytes | --shm-size
kubernetes.gpu_requested | int |       | amd.com/gpu that the pod asks for
kubernetes.gpu_allocatable | int |     | amd.com/gpu that the node offers
kubernetes.reason       | str  |       | reason of the last warning event: FailedScheduling, UnexpectedAdmissionError, OOMKilled ...
wsl.kernel              | str  |       | kernel release of the WSL
wsl.rocdxg              | list |       | copies of librocdxg: [{"path", "version"}]; absent when there is none
wsl.hsa_runtimes        | list |       | copies of libhsa-runtime64 of the system and of torch: [{"path", "version"}]
wsl.bundled_runtimes    | list |       | copies of libhsa-runtime64 that torch brings along, by path
wsl.config              | dict |       | .wslconfig of the Windows user: section.key to value
wsl.memory_limit_bytes  | int  | bytes | memory= of .wslconfig; absent when it is not set
wsl.interop             | bool |       | programs of Windows can be started from here
wsl.docker              | str  |       | desktop (Docker Desktop), native; absent when there is none
wsl.gpus                | list |       | AMD adapters as Windows has them: [{"name", "pci_id", "driver_version", "dedicated_bytes"}]
wsl.dxg                 | bool |       | /dev/dxg exists
wsl.libraries           | list |       | GPU libraries in /usr/lib/wsl/lib
env.*                   | str  |       | environment variable of this process or of the application's log; absent when unset
environment.set         | dict |       | variables set in a shell or a unit: name to value
environment.server      | dict |       | variables of a running server, as its process or its log says them: name to value, empty when unset
environment.withheld    | list |       | what a shell holds and its program does not get: [{"name", "value", "how", "line"}], how as in rules/data/env_vars
rocm.path               | str  |       | root of a ROCm installation
rocm.version            | str  |       | version of that installation
rocm.kind               | str  |       | system, therock, torch, ollama, hip-sdk
rocm.tensile_targets    | list |       | gfx targets that its rocBLAS carries
rocm.hip_version        | str  |       | HIP version of that installation
runtime.rocm_version    | str  |       | ROCm version in use, best known
runtime.hip_version     | str  |       | HIP version in use, best known
runtime.rocm_targets    | list |       | gfx targets the bundled or installed BLAS carries, best known
vulkan.loader           | bool |       | a Vulkan loader is installed
vulkan.icds             | list |       | ICD manifest files
vulkan.broken_icds      | list |       | ICD manifests whose library is missing
vulkan.mesa_version     | str  |       | Mesa version
vulkan.amdvlk_version   | str  |       | AMDVLK version
vulkan.instance_version | str  |       | Vulkan instance version
vk.name                 | str  |       | deviceName
vk.type                 | str  |       | cpu, discrete, integrated, virtual, other
vk.driver               | str  |       | radv, amdvlk, amd-proprietary, llvmpipe, other
vk.driver_info          | str  |       | driver version text
vk.pci_id               | str  |       | vendor:device
vk.pci_address          | str  |       | PCI address, where the driver says it
vk.heaps                | list | bytes | heaps, device-local first: [{"size","device_local"}], with "budget" and "usage" where the driver says them
vk.device_local_bytes   | int  | bytes | sum of the device-local heaps
vk.max_allocation_bytes | int  | bytes | maxMemoryAllocationSize
vk.max_buffer_bytes     | int  | bytes | maxBufferSize
vk.fp16                 | bool |       | shaderFloat16
vk.bf16                 | bool |       | shaderBFloat16Type
vk.int_dot              | bool |       | integer dot product accelerated
vk.coopmat              | bool |       | VK_KHR_cooperative_matrix
vk.subgroup_size        | int  |       | default subgroup size
opencl.platforms        | list |       | names of OpenCL platforms (ICD files)
opencl.driver_version   | str  |       | Driver Version of the first AMD device
torch.python            | str  |       | interpreter
torch.version           | str  |       | torch.__version__
torch.hip               | str  |       | torch.version.hip; absent in CPU and CUDA builds
torch.cuda              | str  |       | torch.version.cuda; absent in CPU and ROCm builds
torch.available         | bool |       | torch.cuda.is_available()
torch.devices           | list |       | device names
torch.arch_list         | list |       | torch.cuda.get_arch_list()
torch.error             | str  |       | error when importing torch
test.backend            | str  |       | what the test kernels ran through: vulkan, hip, torch
test.device             | str  |       | name of the tested device as the backend gives it
test.device_type        | str  |       | cpu, integrated, discrete, virtual, other; not known where nothing could be tested
test.gfx_target         | str  |       | gfx target of the tested device, physical where it could be joined with a GPU
test.pci_address        | str  |       | PCI address of the tested device, where the backend says it
test.runtime            | str  |       | library or interpreter that was tested
test.runtimes           | int  |       | runtimes of this backend that were found on the machine
test.verdict            | str  |       | right, wrong, unwritten (work accepted and not done), failed, hung, crashed, device_lost, untestable, skipped
test.reason             | str  |       | why nothing, or not everything, was tested, or how it ended
test.level              | int  |       | level of the test, 1 to 3
test.checks             | list |       | [{"check", "verdict", "detail"?, "seconds"?, "wrong"?, "elements"?, "bytes_per_s"?}]
test.wrong_checks       | list |       | checks whose result was wrong
test.unwritten_checks   | list |       | checks whose output was never written
test.failed_checks      | list |       | checks that the driver refused, or that hung, crashed or lost the device
test.current            | str  |       | check at work when the program ended; absent when it went through all
test.copy_bytes_per_s   | float| B/s   | copies within the device's memory, bytes read and written
test.expected_bytes_per_s | float | B/s | memory bandwidth of this GPU by the table of bandwidths
test.largest_allocation_bytes | int | bytes | largest single allocation that succeeded
test.advertised_allocation_bytes | int | bytes | largest single allocation that the driver advertises
test.allocated_bytes    | int  | bytes | all that could be allocated at once
test.reported_free_bytes | int | bytes | memory reported free before that
test.leaked_bytes       | int  | bytes | device memory that did not come back after cycles of loading and unloading
test.new_kernel_lines   | list |       | kernel log lines about the GPU that came while the kernels ran
kernels.right           | list |       | backends whose test kernels were all right on a GPU (not on a CPU device)
kernels.wrong           | list |       | backends with wrong results on a GPU
kernels.unwritten       | list |       | backends that accept work and do none of it
kernels.broken          | list |       | backends whose kernels crash, hang or lose the device
python.exception        | str  |       | exception that a Python traceback began with, with its message
python.failing_package  | str  |       | installed package of the innermost frame of that traceback
python.failing_file     | str  |       | file of the innermost frame, from its package on
python.failing_function | str  |       | function of that frame
python.importing        | str  |       | the package that the innermost line of the traceback imports
python.calling_files    | list |       | files of the frames above it, the nearest first
hip.failed_call         | str  |       | first HIP function that returned an error in an AMD_LOG_LEVEL trace
hip.error               | str  |       | hipError name it returned
rccl.version            | str  |       | RCCL version that NCCL_DEBUG prints
crash.program           | str  |       | program that crashed
crash.library           | str  |       | library or module of the innermost frame that is not libc: which library crashed
crash.function          | str  |       | function of that frame
crash.signal            | str  |       | signal (SIGSEGV) or exception code (0xc0000005)
crash.after             | str  |       | what a program says last before it ends
crash.end               | str  |       | the line that says that a program ended
crash.import            | str  |       | module whose import alone, typed as one command, ended Python
crash.copies            | list |       | a library of which a backtrace has two versions: its name, then the paths
app.name                | str  |       | ollama, llama.cpp, lmstudio, lemonade, comfyui, vllm, koboldcpp ...
app.version             | str  |       | version or build
app.path                | str  |       | executable
app.backend             | str  |       | backend that the application says it uses: rocm, vulkan, cuda, cpu, directml
app.backends            | dict |       | backends that the application lists and the state of each
ollama.version          | str  |       | Ollama version
ollama.library          | str  |       | library of the "inference compute" line: rocm, vulkan, cpu
ollama.supported_types  | list |       | gfx targets of the "supported types" line; empty list when printed empty
ollama.total_bytes      | int  | bytes | total= of the inference compute line
ollama.available_bytes  | int  | bytes | available= of the inference compute line
llama.build             | int  |       | llama.cpp build number
llama.tag               | str  |       | release tag as the text writes it (b9213)
llama.backend           | str  |       | rocm, vulkan, cpu: the backend that took the model
llama.devices           | list |       | devices that llama.cpp lists
llama.layers_offloaded  | int  |       | layers on the GPU
llama.layers_total      | int  |       | layers of the model
llama.free_bytes        | int  | bytes | free memory of the device used
llama.model_bytes       | int  | bytes | size of the model file
llama.mmap              | bool |       | the model is memory-mapped
llama.tokens_per_second | float| t/s   | generation speed
llama.flash_attention   | bool |       | flash attention asked for
llama.context_tokens    | int  |       | context length asked for
llama.context_given     | int  |       | context length that the program made
llama.options           | dict |       | options of the llama.cpp command line: long name to value, empty for a switch
llama.gpu_layers_asked  | int  |       | layers that the command line wants on the GPU
llama.kv_type           | str  |       | type of the K cache when it is not f16
llm.server              | str  |       | protocol of a running language model server: Ollama, llama-server, LM Studio, Lemonade ...
llm.version             | str  |       | version or build that the server says
llm.model               | str  |       | model that was asked
llm.model_bytes         | int  | bytes | size of the loaded model as the server says
llm.active_bytes        | int  | bytes | bytes of weights that one token reads
llm.vram_bytes          | int  | bytes | part of the model in GPU memory as the server says
llm.says_device         | str  |       | where the server says the model is: gpu, cpu, mixed
llm.backend             | str  |       | compute backend of the server: vulkan, rocm, cuda, cpu
llm.libraries           | list |       | compute libraries that the server's processes have mapped
llm.verdict             | str  |       | answers to the short questions: right, weak, garbage, empty
llm.right               | int  |       | short questions that were answered right
llm.asked               | int  |       | short questions that were answered at all
llm.garbage_kind        | str  |       | kind of garbage: tokens without text, flat probabilities, loop, mixed scripts, random words ...
llm.shown               | str  |       | the answer that the verdict quotes
llm.cpu_verdict         | str  |       | the same questions with the same model on the CPU: right, weak, garbage, empty
llm.chat_verdict        | str  |       | answer through the chat template: right, weak, garbage, empty
llm.long_verdict        | str  |       | answer to a prompt longer than a micro-batch: right, weak, garbage, empty
llm.long_recall         | bool |       | a fact from the start of the long prompt came back
llm.repeat_stable       | bool |       | the same question gave the same answer twice
llm.local               | bool |       | the server runs on this machine
llm.holds_gpu           | bool |       | the server's processes have a render node or KFD open
llm.gpu_busy_percent    | int  | %     | highest GPU busy percentage while the server answered
llm.vram_grew_bytes     | int  | bytes | growth of VRAM in use, all AMD GPUs, while the server loaded and answered
llm.gtt_grew_bytes      | int  | bytes | growth of GTT in use, all AMD GPUs, while the server loaded and answered
llm.own_vram_bytes      | int  | bytes | VRAM that DRM counts for the server's processes
llm.own_gtt_bytes       | int  | bytes | GTT that DRM counts for the server's processes
llm.own_engine_ns       | int  | ns    | GPU time that DRM counted for the server's processes while it answered
llm.generation_tokens_per_s | float| tokens/s | measured generation speed of one sequence
llm.prompt_tokens_per_s | float| tokens/s | measured speed of reading a prompt
llm.gpu_ceiling_tokens_per_s | float| tokens/s | GPU bandwidth over the bytes that one token reads
llm.cpu_ceiling_tokens_per_s | float| tokens/s | bandwidth of system memory over the bytes that one token reads
llm.ceilings_of         | str  |       | which rows of the table the ceilings come from
llm.speed_verdict       | str  |       | gpu_like, cpu_like, mixed
llm.speed_why           | str  |       | how far from the ceilings
llm.loads               | int  |       | loads and unloads of the leak check
llm.leaked_bytes        | int  | bytes | GPU memory (VRAM and GTT) in use after the unloads, over that before the first load
install.refused         | list |       | what an installer refuses: [{"by", "what", "name", "detail", "offered", "place", "python", "line", "text", "in"}]
pip.replaced            | list |       | what an installer took out for another version: [{"name", "old", "new"}]
pip.packages            | dict |       | Python packages and versions of the environment at hand
windows.driver_version  | str  |       | Windows display driver version (32.0.x) or Adrenalin version
windows.adrenalin       | str  |       | Adrenalin version
windows.driver_date     | str  |       | date of the display driver
windows.driver_inf      | str  |       | INF file of the display driver
windows.driver_internal | str  |       | release of the driver in AMD's own count (25.30.33.01)
windows.driver_history  | list |       | display drivers of AMD that Windows installed: [{"at", "version", "inf", "status"}], oldest first
windows.driver_changed  | str  |       | when the driver in use was installed; absent when no record says it
windows.driver_store    | list |       | display drivers of AMD in the driver store: [{"inf", "version", "date"}], oldest first
windows.previous_driver | str  |       | version of the display driver before the one in use
windows.previous_adrenalin | str |     | Adrenalin version of the driver before the one in use
windows.dedicated_bytes | int  | bytes | dedicated GPU memory
windows.shared_bytes    | int  | bytes | shared GPU memory
windows.basic_display   | bool |       | an AMD GPU runs on the Microsoft Basic Display Adapter or without a driver
windows.build           | int  |       | build of Windows (26200)
windows.release         | str  |       | release of Windows (25H2)
windows.reserved_bytes  | int  | bytes | RAM fitted that Windows does not see: the carve-out, and what the firmware keeps
windows.commit_limit_bytes | int | bytes | commit limit: RAM and page files
windows.commit_used_bytes | int | bytes | commit charge
windows.page_files      | list |       | page files as they are set ("C:\\pagefile.sys 0 0": managed by Windows)
windows.hags            | bool |       | hardware-accelerated GPU scheduling is on
windows.tdr_level       | int  |       | TdrLevel; absent: Windows resets the driver after the delay (3)
windows.tdr_delay_s     | int  | s     | TdrDelay; absent: 2
windows.tdr_ddi_delay_s | int  | s     | TdrDdiDelay; absent: 5
windows.mpo             | bool |       | multiplane overlay is allowed; absent: it is
windows.power_plan      | str  |       | balanced, high performance, power saver, ultimate performance, own
windows.fast_startup    | bool |       | fast startup: shutting down keeps the kernel's state
windows.long_paths      | bool |       | paths of more than 260 characters are allowed
windows.smart_app_control | str |      | off, on, evaluation
windows.memory_integrity | bool |      | memory integrity (HVCI) is on
windows.update_drivers  | bool |       | Windows Update may bring drivers, as a policy says; absent: it may
windows.updates         | list |       | updates of the last 14 days: [{"at", "title"}]
windows.vulkan_loader_version | str |  | version of vulkan-1.dll in System32
windows.vulkan_layers   | list |       | implicit Vulkan layers that are on: [{"name", "path", "disable"}], disable: the variable that takes it out
windows.hip_dlls        | list |       | copies of the HIP runtime: [{"name", "path", "version", "for"}]
windows.hip_runtime     | str  |       | HIP runtime that a program without its own copy loads
windows.hip_runtime_version | str |    | version of that file
windows.rocm_in_system  | list |       | ROCm libraries in System32 that no driver puts there
windows.rocm_on_path    | list |       | folders of PATH with ROCm libraries
windows.visual_c_version | str |       | version of the Visual C++ runtime (vcruntime140_1.dll)
windows.environment     | dict |       | GPU variables that are set: name to {"process", "user", "machine": value}
windows.lmstudio_engines | list |      | engines of LM Studio: [{"name", "version", "targets"}]
windows.lmstudio_engine | str  |       | engine that LM Studio uses for GGUF files (llama.cpp-win-x86_64-vulkan-avx2)
windows.lmstudio_engine_version | str | | version of that engine
windows.lmstudio_targets | list |      | gfx targets that the manifest of that engine lists; empty for Vulkan and CPU
windows.capture_programs | list |      | installed programs that lay themselves into graphics: OBS Studio, MSI Afterburner ...
windows.display_resets  | list |       | resets of the display driver in 14 days: [{"at", "code", "driver"}], oldest first
windows.faults          | list |       | crashes in modules of the GPU stack in 14 days: [{"at", "program", "module", "version", "code", "offset"}]
windows.stop_errors     | list |       | blue screens of the display stack in 14 days: [{"at", "code", "name"}]
windows.trouble_before_driver | int |  | resets, crashes and blue screens on record before the driver in use was installed
windows.trouble_since_driver | int |   | resets, crashes and blue screens on record since then
games.layers            | dict |       | releases of what runs Windows games that the texts name: dxvk, vkd3d-proton, proton, ge-proton, gamescope to a list
report.last_good        | str  |       | version that the writer says worked
report.first_bad        | str  |       | version that the writer says failed
report.os_said          | str  |       | operating system as the writer says
report.apps             | list |       | applications that the text names
report.backends         | list |       | backends that the text names: rocm, vulkan, cpu
report.program          | str  |       | the name that a program puts before the lines of its log
report.contrasts        | list |       | what the writer compared: [{"axis", "value", "title", "right", "line", "text", "in"}], axes as in rules/data/contrasts
report.target_lists     | list |       | lists of gfx targets: [{"kind": library, build, configured (printed) or index, "of", "targets", "line", "text", "in"}]
report.changes          | list |       | what the writer tells of a change: [{"name", "good", "bad", "line", "text", "in"}], "" for a version not told
report.triggers         | list |       | what the trouble is tied to: [{"how" (began, when, without), "kind", "clause", "what", "quoted", "line", "text", "in"}]
report.side_programs    | list |       | programs that the writer names and that run beside others: tuners, overlays, browsers (rules/data/side_programs)
report.new_card         | str  |       | the words in which the writer says that the card is new in this machine
report.variables        | list |       | variables that a text sets, NAME=value, without what could be private
report.launch_options   | list |       | variables and wrappers before %command% in the launch options of a game, as written
report.features_on      | list |       | features of AMD's control panel that the text lists as switched on (Anti-Lag, Chill ...)
report.virtual_display  | str  |       | the virtual display driver that the text names
report.options          | list |       | options that the writer ties to the fault or to its absence, as named
report.bios_vram_bytes  | int  | bytes | carve-out the writer set
report.named            | bool |       | a text is called a report, an issue, a question, or was piped
report.texts            | list |       | what was read: [{"text", "kinds", "readers", "facts", "hits", "lines"}], kinds as in texts/kinds.py, numbers as taken
report.words            | list |       | words of the texts in which known defects are told as well, to compare them
report.gfx_mentioned    | list |       | every gfx target that the texts name
about.gpu               | list |       | which GPU it is: gfx targets, families (rdna2, cdna3), apu, dgpu, amd
about.amd               | bool |       | whether AMD hardware or ROCm is meant
about.apu               | bool |       | whether one of the AMD GPUs is part of the processor
about.app               | list |       | applications that were read or named, in small letters
about.backend           | list |       | backends in use or named: hip, vulkan, opencl, cpu
about.os                | str  |       | linux, windows or wsl
about.container         | bool |       | whether the program runs inside a container
"""

# These differ between two runs on a machine where nothing changed, or repeat what another fact says better: when two
# snapshots are compared they are no change.
VOLATILE = tuple("""
gpu.vram_used_bytes gpu.gtt_used_bytes gpu.hip_free_bytes gpu.holders gpu.busy_percent gpu.power_state gpu.ras_ce_count
gpu.kfd_banks gpu.xgmi_peers gpu.uma_options gpu.numa_node gpu.render_node gpu.kfd_node
memory.available_bytes memory.hidden_processes memory.ttm_pool_bytes kernel.stuck_processes
ollama.available_bytes llama.free_bytes
packages.changed packages.bits32 updates.* boots.* checks.* changed.* kernels.* seen.* report.* about.* games.layers
runtime.rocm_targets rocm.tensile_targets dev.kfd_gid
gpu.shared_used_bytes gpu.held_bytes gpu.vram_budget_bytes windows.commit_used_bytes windows.display_resets windows.faults windows.stop_errors
windows.driver_history windows.driver_changed windows.driver_store windows.previous_driver windows.previous_adrenalin windows.updates
windows.trouble_before_driver windows.trouble_since_driver
""".split())


def _parse(table: str) -> dict[str, Declared]:
    rows = (tuple(part.strip() for part in line.split("|", 3)) for line in table.strip().splitlines())
    return {name: Declared(name, kind, unit, meaning) for name, kind, unit, meaning in rows}


FACTS: dict[str, Declared] = _parse(_TABLE)
_FAMILIES = tuple(name[:-1] for name in FACTS if name.endswith(".*"))


def declared(name: str) -> bool:
    """Whether ``name`` (without an item) is in the vocabulary."""
    return name in FACTS or name.startswith("changed.") or any(
        name.startswith(family) and len(name) > len(family) for family in _FAMILIES)


def volatile(name: str) -> bool:
    """Whether the fact differs from run to run without anything being changed.

    >>> volatile("gpu.vram_used_bytes"), volatile("updates.history"), volatile("gpu.vram_bytes")
    (True, True, False)
    """
    return any(name == one or (one.endswith(".*") and name.startswith(one[:-1])) for one in VOLATILE)


def entity(name: str) -> str:
    """``gpu`` for ``gpu.vram_bytes``, "" for a fact of the machine."""
    first = name.split(".", 1)[0]
    return first if first in ENTITIES else ""


def key(name: str, item: str = "") -> str:
    """The key under which a Snapshot holds the fact."""
    return f"{name}[{item}]" if item else name


def split_key(stored: str) -> tuple[str, str]:
    """The inverse of :func:`key`."""
    if stored.endswith("]") and "[" in stored:
        name, _, item = stored[:-1].partition("[")
        return name, item
    return stored, ""
