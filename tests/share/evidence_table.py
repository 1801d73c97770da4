"""What a log says about the machine and its software: no line of it may lose a letter."""

LINES = """\
torch 2.11.0.3+rocm10.1
torch-2.11.0.3+rocm10.1-cp312-cp312-linux_x86_64.whl
Requirement already satisfied: torchaudio in ./venv/lib/python3.12/site-packages (2.11.0.3+rocm10.1.0a20260905)
hip 6.4.43483.0
rocBLAS 4.2.1.60401
driver version 31.0.24033.1003
Adrenalin 32.0.12033.1030
Driver 23.40.27.06
MEC 5.6.7.8
SDMA 4.3.2.1
VCN 9.1.30.5
PFP 7.8.9.10
opt: 1.15.0.0
2026-03-26T19:56:32.594139Z ERROR wgpu_hal: no adapter
lib 12.34.56.78
MEC firmware 10.0.0.5
firmware 10.0.0.5
conformanceVersion = 1.4.0.0
vulkan-sdk@1.4.341.0
VulkanSDK 1.3.250.1
vulkan 1.3.204.0
WSL 2.6.2.0
DirectX 12.0.1.0
numpy==1.26.4.1
torch>=2.4.0.1
rocm-core 7.0.2.70002-56~24.04
ROCm version : 7.14.0.7-9999-2b22ab0195
opencl-icd-1.2.3.4
hsa-rocr 1.14.0.60304-76
libhsa-runtime64.so.1.14.60304
smu fw version = 0x00684700 (104.71.0)
AMDGPU-PRO 22.40.6
kernel 6.8.0-45-generic
Linux version 6.18.9-arch1-1 (linux@archlinux) (gcc (GCC) 15.2.1)
Mesa 25.0.7-0ubuntu0.24.04.2
vbios 113-D7020100-102
VBIOS_PN: 113-4E4710U-T4Y
amdgpu-dkms 6.12.12.60401
amdgpu-dkms/noble,now 1:6.12.12.60401-2164967.24.04 all [installed]
Agent version: 1.1
BIOS F31 12/09/2024
AGESA 1.2.0.2b
microcode: 0x0a601206
--max-token 512
--pad-token 0
tokens_per_second: 41.7
vllm serve x --max-token 4096 --dtype auto
n_tokens = 512
bos token: 1 '<s>'
EOS token = 151645 '<|im_end|>'
token: 12345
max_tokens=4096
key: attention.head_count
tokenizer.ggml.model = gpt2
tokenizer.ggml.pre = llama-bpe
general.name = Qwen2.5 7B Instruct
special_eos_id is not in special_eog_ids
pad_token: <pad>
password prompt none
sudo: a password is required
user: ollama
serial: 0
serial8250: ttyS0 at I/O 0x3f8 (irq = 4, base_baud = 115200) is a 16550A
HSA_OVERRIDE_GFX_VERSION=11.0.0
HIP_VISIBLE_DEVICES=0,1
GGML_CUDA_ENABLE_UNIFIED_MEMORY=1
PYTORCH_HIP_ALLOC_CONF=expandable_segments:True
OLLAMA_HOST=0.0.0.0
host: 127.0.0.1:11434
Listening on 0.0.0.0:8080
http://localhost:8188
http://127.0.0.1:11434/api/tags
listening on [::1]:8080
netmask 255.255.255.0
gfx1151
gfx90a:sramecc+:xnack-
amdgcn-amd-amdhsa--gfx1100
TensileLibrary_lazy_gfx1201.dat
rocBLAS error for GPU arch : gfx1031
0000:03:00.0
c1:00.0
pci 0000:00:01.1: bridge window [mem 0xfce00000-0xfcffffff]
PCI 1002:744c
03:00.0 VGA compatible controller [0300]: Advanced Micro Devices, Inc. [AMD/ATI] Navi 31 [Radeon RX 7900 XTX] [1002:744c] (rev c8)
Subsystem: Sapphire Technology Limited NITRO+ RX 7900 XTX [1da2:e471]
PCI\\VEN_1002&DEV_744C&SUBSYS_E4711DA2&REV_C8
page fault at address 0x0000800100200000
0x00007f1c2a3b4000
hash 00:11:22:33:44:55:66:77
LogicalDisk: 00:11:22
Code: 48 89 e5 41 57 41 56 41 55
amdgpu: SE 6, SH per SE 2, CU per SH 8, active_cu_number 96
amdgpu_device_ip_resume+0x1a/0x30 [amdgpu]
RIP: 0010:amdgpu_vm_update+0x12
ab::c1
std::vector<a::b>
at::native::add(at::Tensor const&)
c10::hip::HIPCachingAllocator
CPU: 3 PID: 1234 Comm: ollama Tainted: G
ring sdma0 timeout
ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=2
GCVM_L2_PROTECTION_FAULT_STATUS:0x00801031
[gfxhub] page fault (src_id:0 ring:24 vmid:8 pasid:32770)
[drm] VRAM RAM=24560M at 0x0000008000000000
[drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring comp_1.1.0 timeout
amdgpu: [mmhub0] no-retry page fault (src_id:0 ring:157 vmid:1 pasid:32769, for process python pid 4242 thread python pid 4242)
psp gfx command LOAD_TA(0x1) failed and response status is (0x7)
hipErrorNoBinaryForGpu: Unable to find code object for all current devices!
HSA_STATUS_ERROR_OUT_OF_RESOURCES: The runtime failed to allocate the necessary resources (0x1008)
RuntimeError: HIP error: invalid device function
llama.cpp build 6123 (a1b2c3d4)
version c1d2e3f4 (b6890)
git-5f2c1a9e8b
commit 5f2c1a9e8b7d6c5f4e3d2c1b0a9f8e7d6c5b4a39
BuildID[sha1]=5f2c1a9e8b7d6c5f4e3d2c1b0a9f8e7d6c5b4a39
sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
rocm/pytorch@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
srcversion:     533BB7E5866E52F63B9ACCB
vermagic:       6.8.0-45-generic SMP preempt mod_unload modversions
sig_key:        4F:2C:1A
lib/python3.12/site-packages/torch/lib/libtorch_hip.so
/usr/lib/x86_64-linux-gnu/libamdhip64.so.7.2.53211
/opt/rocm-7.2.1/lib/libhsa-runtime64.so.1
C:\\Windows\\System32\\amdhip64_7.dll
/root/.cache/huggingface/hub/models--Qwen--Qwen3-8B/snapshots/9c925d64d72725edaf899c6cb9c377fd0709d9c5
/usr/share/ollama/.ollama/models/blobs/sha256-667b0c1932bc6ffc593ed1d03f895bf2dc8dc6df21db3042284a6f4416b06a29
crw-rw---- 1 root render 226, 128 /dev/dri/renderD128
uid=0(root) groups=44(video),992(render)
sudo usermod -aG render,video $USER
sudo chown root:render /dev/kfd
deviceUUID = 00000000-0c00-0000-0000-000000000000
deviceUUID = 414d442d-0000-0000-0000-000000000000
ClassGuid: {4d36e968-e325-11ce-bfc1-08002be10318}
user@1000.service: Failed with result 'exit-code'
getty@tty1.service
git@github.com:ROCm/ROCm.git
git clone https://github.com/ggml-org/llama.cpp
https://rocm.docs.amd.com/projects/install-on-linux/en/latest/
https://download.pytorch.org/whl/nightly/rocm7.0
time=2026-06-01T10:21:07.418+08:00 level=INFO source=routes.go:1784 msg="server config"
Nov 28 10:00:00 localhost kernel: amdgpu: probe of 0000:03:00.0 failed with error -12
[   12.345678] amdgpu 0000:c6:00.0: amdgpu: VRAM: 65536M
ggml_vulkan: Found 1 Vulkan devices
ggml_vulkan: 0 = AMD Radeon Graphics (RADV GFX1151) (radv) | uma: 1 | fp16: 1
llama_model_loader: - kv   0: general.architecture str = qwen3
load_tensors: offloaded 33/33 layers to GPU
Marketing Name: AMD Radeon RX 7900 XTX
Device Name: AMD Ryzen AI Max+ 395 w/ Radeon 8060S
Vendor Name: AMD
Name:                    gfx1100
Node:                    1
Driver date: 2026-03-01 12:12:03
Model: qwen3:8b-q4_K_M
image: rocm/vllm:rocm6.4.1_vllm_0.9.1_20250702
amdgpu.gttsize=131072 ttm.pages_limit=27648000
ro quiet splash amdgpu.ppfeaturemask=0xffffffff iommu=pt
temperature: 52.0 C, power 312.5 W
51.250000, 13.500000 ms
loss 0.123456, 1.234567
torch.Size([1, 4096, 151936])
eos_token_id=151645 bos_token_id=None
model.layers.31.self_attn.q_proj.weight
Tensor-parallel rank 0 of 8, world size 8
+1234567890 bytes
card0-DP-1 connected 3840x2160+0+0
4242 root 20 0 51.2g 12.1g 1.1g S 100.0 9.6 12:34.56 python3
SIGABRT (Aborted) in libamdhip64.so.6
signal 11 (core dumped)
Traceback (most recent call last):
File "/usr/lib/python3.12/site-packages/torch/cuda/__init__.py", line 372, in _lazy_init
IOMMU group 14 03:00.0
cwsr_enable=1 mes=1 uni_mes=0
Secure Boot: enabled
Cijk_Ailk_Bljk_HHS_BH_MT128x128x16_SE_1LDSB0_APM1_ABV0_ACED0_AF0EM1_AF1EM1_AMAS3
_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEESt5arrayIPcLm1EEEEviT0_T1_
/root/.triton/cache/2MCT5XAPDUJYOVF3LKSHQKLGKRLJ3XGQ6Q5HXM5J5X7KJXJZYCKQ/kernel.hsaco
/tmp/torchinductor_root/ab/cabqm4kqxgm3xqqkfmhyzuw4gkyrtaqhcmkb5kuwdrq3pzsbvqst.py
CONFIG_MODULE_SIG_KEY="certs/signing_key.pem"
render:x:992:
torch.Size([1, 3, 64, 64, 128, 128, 16, 16, 8, 8])
C:\\Program Files\\AMD\\ROCm\\7.1\\bin\\hipInfo.exe
CK_USE_OCP_FP8 GemmDefault_fp8_v3_256x128x128_Interwave
the password is required
kfd kfd: amdgpu: added device 1002:744c
snd_hda_intel 0000:03:00.1: bound 0000:03:00.0 (ops amdgpu_dm_audio_component_bind_ops [amdgpu])
Memory access fault by GPU node-1 (Agent handle: 0x55d0c8b1f2a0) on address 0x7f2a00800000. Reason: Unknown.
:0:rocdevice.cpp            :2984: 12345678901 us:  Callback: Queue 0x7f2a00800000 Aborting with error
""".splitlines()
