"""One Vulkan device: buffers, pipelines, and work that is waited for with a limit. Not a probe itself.

The binding keeps few references: every struct stays in a variable until the driver has answered.
"""

from __future__ import annotations

import os
import time

import numpy as np
from cases import PARAMETERS, REPEATS, poison
from outcome import Failed, Hung, Untestable

SHADERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "shaders")
DEVICE_LOCAL, VISIBLE, COHERENT, CACHED = 1, 2, 4, 8
USAGE = 0x1 | 0x2 | 0x20  # transfer source, transfer destination, storage buffer
COMPUTE_STAGE, TRANSFER_STAGE, HOST_STAGE = 0x800, 0x1000, 0x4000
EVERY_ACCESS = 0x8000 | 0x10000  # memory read, memory write
WHOLE = 0xFFFFFFFFFFFFFFFF
MATRICES = "VK_KHR_cooperative_matrix"
MOST_SHAPES = 3  # of one type of sums


class Buffer:
    """A buffer with memory of its own. ``flags`` are tried in turn."""

    def __init__(self, device, size, flags):
        vk, self.device, self.size = device.vk, device, max(4, -(-size // 4) * 4)
        info = vk.VkBufferCreateInfo(size=self.size, usage=USAGE, sharingMode=0)
        self.handle = vk.vkCreateBuffer(device.handle, info, None)
        needs = vk.vkGetBufferMemoryRequirements(device.handle, self.handle)
        self.memory = None
        try:
            kind = device.memory_type(needs.memoryTypeBits, flags)
            wanted = vk.VkMemoryAllocateInfo(allocationSize=needs.size, memoryTypeIndex=kind)
            self.memory = vk.vkAllocateMemory(device.handle, wanted, None)
            vk.vkBindBufferMemory(device.handle, self.handle, self.memory, 0)
        except BaseException:
            self.free()
            raise

    def mapped(self):
        """The memory as words; host-visible buffers only."""
        view = self.device.vk.vkMapMemory(self.device.handle, self.memory, 0, self.size, 0)
        return np.frombuffer(view, np.uint32)

    def unmap(self):
        self.device.vk.vkUnmapMemory(self.device.handle, self.memory)

    def write(self, data):
        """Bytes from the start."""
        words = self.mapped()
        raw = np.ascontiguousarray(data).view(np.uint8).ravel()
        words.view(np.uint8)[:raw.size] = raw
        self.unmap()

    def read(self, size):
        words = self.mapped()
        raw = words.view(np.uint8)[:size].tobytes()
        self.unmap()
        return raw

    def free(self):
        self.device.vk.vkDestroyBuffer(self.device.handle, self.handle, None)
        if self.memory is not None:
            self.device.vk.vkFreeMemory(self.device.handle, self.memory, None)


class Device:
    """A logical device with its compute queues. ``limit`` is how long one submission may take, in seconds."""

    def __init__(self, vk, instance, physical, limit):
        self.vk, self.instance, self.physical, self.limit = vk, instance, physical, limit
        base = vk.vkGetPhysicalDeviceProperties(physical)
        self.version = (base.apiVersion >> 22 & 0x7F, base.apiVersion >> 12 & 0x3FF)
        self.extensions = {str(e.extensionName) for e in vk.vkEnumerateDeviceExtensionProperties(physical, None)}
        self.memory = vk.vkGetPhysicalDeviceMemoryProperties(physical)
        if not self.memory.memoryHeapCount:
            raise Untestable("the device has no memory: a driver without hardware behind it")
        families = vk.vkGetPhysicalDeviceQueueFamilyProperties(physical)
        usable = [n for n, family in enumerate(families) if family.queueFlags & 2]
        if not usable:
            raise Untestable("the device has no compute queue")
        # Where there is one for computing alone it has several queues, and it is the one that programs take.
        self.family = max(usable, key=lambda n: (families[n].queueCount > 1, not families[n].queueFlags & 1, -n))
        count = min(2, families[self.family].queueCount)
        # Seconds a tick; a counter of fewer than 64 bits may overflow in the middle.
        self.clock = float(base.limits.timestampPeriod) * 1e-9 if families[self.family].timestampValidBits else 0.0
        self._features()
        priorities = [1.0] * count
        queue = vk.VkDeviceQueueCreateInfo(queueFamilyIndex=self.family, queueCount=count, pQueuePriorities=priorities)
        queues = [queue]
        named = [MATRICES] if "coopmat" in self.features else []
        create = vk.VkDeviceCreateInfo(pNext=self.chain, queueCreateInfoCount=1, pQueueCreateInfos=queues, enabledLayerCount=0,
                                       ppEnabledLayerNames=None, enabledExtensionCount=len(named), ppEnabledExtensionNames=named,
                                       pEnabledFeatures=None)
        self.handle = vk.vkCreateDevice(physical, create, None)
        self.queues = [vk.vkGetDeviceQueue(self.handle, self.family, n) for n in range(count)]
        pool = vk.VkCommandPoolCreateInfo(queueFamilyIndex=self.family, flags=2)
        self.pool = vk.vkCreateCommandPool(self.handle, pool, None)

    def _features(self):
        """What the device can do of what the kernels need; ``chain`` turns it on at creation."""
        vk = self.vk
        self.features, self.subgroups, self.chain = set(), (), None
        if self.version < (1, 1):
            return
        new = self.version >= (1, 3)
        sizes = vk.VkPhysicalDeviceSubgroupSizeControlProperties() if new else None
        subgroup = vk.VkPhysicalDeviceSubgroupProperties(pNext=sizes)
        properties = vk.VkPhysicalDeviceProperties2(pNext=subgroup)
        vk.vkGetPhysicalDeviceProperties2(self.physical, properties)
        storage = vk.VkPhysicalDevice16BitStorageFeatures()
        half = vk.VkPhysicalDeviceShaderFloat16Int8Features(pNext=storage)
        dot = vk.VkPhysicalDeviceShaderIntegerDotProductFeatures(pNext=half) if new else half
        control = vk.VkPhysicalDeviceSubgroupSizeControlFeatures(pNext=dot) if new else half
        last, matrix = control if self.version >= (1, 2) else storage, None
        if new and MATRICES in self.extensions and hasattr(vk, "VkPhysicalDeviceCooperativeMatrixFeaturesKHR"):
            model = vk.VkPhysicalDeviceVulkanMemoryModelFeatures(pNext=control)
            last = matrix = vk.VkPhysicalDeviceCooperativeMatrixFeaturesKHR(pNext=model)
        asked = vk.VkPhysicalDeviceFeatures2(pNext=last)
        vk.vkGetPhysicalDeviceFeatures2(self.physical, asked)
        storage_on = vk.VkPhysicalDevice16BitStorageFeatures(storageBuffer16BitAccess=storage.storageBuffer16BitAccess)
        self.chain = storage_on
        if self.version >= (1, 2):
            half_on = vk.VkPhysicalDeviceShaderFloat16Int8Features(pNext=storage_on, shaderFloat16=half.shaderFloat16)
            self.chain = half_on
            if half.shaderFloat16 and storage.storageBuffer16BitAccess:
                self.features.add("fp16")
        if new:
            dot_on = vk.VkPhysicalDeviceShaderIntegerDotProductFeatures(pNext=half_on, shaderIntegerDotProduct=dot.shaderIntegerDotProduct)
            control_on = vk.VkPhysicalDeviceSubgroupSizeControlFeatures(
                pNext=dot_on, subgroupSizeControl=control.subgroupSizeControl, computeFullSubgroups=control.computeFullSubgroups)
            self.chain = control_on
            if matrix is not None and matrix.cooperativeMatrix and model.vulkanMemoryModel and "fp16" in self.features:
                model_on = vk.VkPhysicalDeviceVulkanMemoryModelFeatures(pNext=control_on, vulkanMemoryModel=1)
                self.chain = vk.VkPhysicalDeviceCooperativeMatrixFeaturesKHR(pNext=model_on, cooperativeMatrix=1)
                self.features.add("coopmat")
            if control.computeFullSubgroups:
                self.features.add("full_subgroups")
            if dot.shaderIntegerDotProduct:
                self.features.add("int_dot")
        wanted = 1 | 4 | 16  # basic, arithmetic, shuffle
        if subgroup.supportedStages & 0x20 and subgroup.supportedOperations & wanted == wanted:
            self.features.add("subgroup")
            self.subgroups = (int(subgroup.subgroupSize),)
            if new and control.subgroupSizeControl and sizes.requiredSubgroupSizeStages & 0x20:
                least, most = int(sizes.minSubgroupSize), int(sizes.maxSubgroupSize)
                self.subgroups = tuple(1 << n for n in range(8) if least <= 1 << n <= most)
                self.features.add("subgroup_size")
        self._kept = (sizes, subgroup, properties, storage, half, dot, control, last, asked)

    def matrix_shapes(self):
        """(sums, (M, N, K)) of the cooperative matrices in fp16 that subgroups can multiply; sums are "f32" or "f16". Raises Untestable.

        Asked for when it is needed: drivers have crashed over the question.
        """
        if "coopmat" not in self.features:
            raise Untestable("the device does not offer cooperative matrices with fp16")
        vk, name = self.vk, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR"
        # Not by the binding's own function, which leaves sType empty.
        asks = vk.ffi.cast("PFN_" + name, vk.lib.vkGetInstanceProcAddr(self.instance, name.encode()))
        count = vk.ffi.new("uint32_t *")
        if asks == vk.ffi.NULL or asks(self.physical, count, vk.ffi.NULL):
            raise Failed(name + " gives no answer")
        rows = vk.ffi.new("VkCooperativeMatrixPropertiesKHR[]", max(1, count[0]))
        for row in rows:
            row.sType = vk.VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR
        if asks(self.physical, count, rows):
            raise Failed(name + " gives no answer")
        found = []
        for row in list(rows)[:count[0]]:
            halves = row.AType == row.BType == 0 and row.scope == 3 and not row.saturatingAccumulation  # fp16, subgroup
            sums = {0: "f16", 1: "f32"}.get(row.CType) if row.CType == row.ResultType else None
            shape = (sums, (int(row.MSize), int(row.NSize), int(row.KSize)))
            if halves and sums and shape not in found and sum(sums == other for other, _ in found) < MOST_SHAPES:
                found.append(shape)
        if not found:
            raise Untestable("the device offers cooperative matrices, but none of subgroups in fp16")
        return found

    def memory_type(self, bits, flags):
        """Index of the first memory type with the first of the ``flags`` that any has. Raises Untestable."""
        for wanted in flags:
            for number in range(self.memory.memoryTypeCount):
                if bits >> number & 1 and self.memory.memoryTypes[number].propertyFlags & wanted == wanted:
                    return number
        raise Untestable("no memory type fits")

    def local(self, size):
        return Buffer(self, size, (DEVICE_LOCAL, 0))

    def upload(self, size):
        return Buffer(self, size, (VISIBLE | COHERENT,))

    def download(self, size):
        return Buffer(self, size, (VISIBLE | COHERENT | CACHED, VISIBLE | COHERENT))

    def pipeline(self, kernel, buffers, subgroup=0, constants=()):
        """A pipeline and its descriptor set over the buffers, in the order of their bindings. ``constants`` specialise the kernel,
        and whoever gives any relies on full subgroups."""
        vk, own = self.vk, self.handle
        with open(os.path.join(SHADERS, kernel + ".spv"), "rb") as file:
            code = file.read()
        made = vk.VkShaderModuleCreateInfo(codeSize=len(code), pCode=code)
        module = vk.vkCreateShaderModule(own, made, None)
        bindings = [vk.VkDescriptorSetLayoutBinding(binding=n, descriptorType=7, descriptorCount=1, stageFlags=0x20) for n in range(len(buffers))]
        info = vk.VkDescriptorSetLayoutCreateInfo(bindingCount=len(bindings), pBindings=bindings)
        layout = vk.vkCreateDescriptorSetLayout(own, info, None)
        layouts = [layout]
        pushed = [vk.VkPushConstantRange(stageFlags=0x20, offset=0, size=4 * PARAMETERS)]
        plan = vk.VkPipelineLayoutCreateInfo(setLayoutCount=1, pSetLayouts=layouts, pushConstantRangeCount=1, pPushConstantRanges=pushed)
        pipeline_layout = vk.vkCreatePipelineLayout(own, plan, None)
        size = None
        if subgroup and "subgroup_size" in self.features:
            size = vk.VkPipelineShaderStageRequiredSubgroupSizeCreateInfo(requiredSubgroupSize=subgroup)
        special, flags = None, 0
        if constants:
            words = vk.ffi.new("uint32_t[]", list(constants))
            entries = [vk.VkSpecializationMapEntry(constantID=n, offset=4 * n, size=4) for n in range(len(constants))]
            special = vk.VkSpecializationInfo(mapEntryCount=len(entries), pMapEntries=entries, dataSize=4 * len(constants), pData=words)
            flags = 2 if "full_subgroups" in self.features else 0
        stage = vk.VkPipelineShaderStageCreateInfo(pNext=size, flags=flags, stage=0x20, module=module, pName="main", pSpecializationInfo=special)
        wanted = vk.VkComputePipelineCreateInfo(stage=stage, layout=pipeline_layout)
        wants = [wanted]
        pipeline = vk.vkCreateComputePipelines(own, None, 1, wants, None)[0]
        sizes = [vk.VkDescriptorPoolSize(type=7, descriptorCount=len(buffers))]
        holds = vk.VkDescriptorPoolCreateInfo(maxSets=1, poolSizeCount=1, pPoolSizes=sizes)
        pool = vk.vkCreateDescriptorPool(own, holds, None)
        asked = vk.VkDescriptorSetAllocateInfo(descriptorPool=pool, descriptorSetCount=1, pSetLayouts=layouts)
        held = vk.vkAllocateDescriptorSets(own, asked)[0]
        infos = [[vk.VkDescriptorBufferInfo(buffer=b.handle, offset=0, range=WHOLE)] for b in buffers]
        writes = [vk.VkWriteDescriptorSet(dstSet=held, dstBinding=n, descriptorCount=1, descriptorType=7, pBufferInfo=info)
                  for n, info in enumerate(infos)]
        vk.vkUpdateDescriptorSets(own, len(writes), writes, 0, None)
        return Pipeline(self, module, layout, pipeline_layout, pipeline, pool, held)

    def commands(self, record):
        """A command buffer with what ``record(command_buffer)`` puts into it."""
        vk = self.vk
        asked = vk.VkCommandBufferAllocateInfo(commandPool=self.pool, level=0, commandBufferCount=1)
        made = vk.vkAllocateCommandBuffers(self.handle, asked)[0]
        begin = vk.VkCommandBufferBeginInfo(flags=0)
        vk.vkBeginCommandBuffer(made, begin)
        record(made)
        vk.vkEndCommandBuffer(made)
        return made

    def dispatch(self, commands, pipeline, parameters, groups):
        vk = self.vk
        vk.vkCmdBindPipeline(commands, 1, pipeline.pipeline)
        vk.vkCmdBindDescriptorSets(commands, 1, pipeline.pipeline_layout, 0, 1, [pipeline.held], 0, None)
        words = vk.ffi.new("uint32_t[]", (list(parameters) + [0] * PARAMETERS)[:PARAMETERS])
        vk.vkCmdPushConstants(commands, pipeline.pipeline_layout, 0x20, 0, 4 * PARAMETERS, words)
        vk.vkCmdDispatch(commands, groups[0], groups[1], 1)

    def copy(self, commands, source, target, size, source_at=0, target_at=0):
        region = self.vk.VkBufferCopy(srcOffset=source_at, dstOffset=target_at, size=size)
        self.vk.vkCmdCopyBuffer(commands, source.handle, target.handle, 1, [region])

    def barrier(self, commands):
        """All before, all after, the host too."""
        memory = self.vk.VkMemoryBarrier(srcAccessMask=EVERY_ACCESS, dstAccessMask=EVERY_ACCESS)
        stages = COMPUTE_STAGE | TRANSFER_STAGE | HOST_STAGE
        self.vk.vkCmdPipelineBarrier(commands, stages, stages, 0, 1, [memory], 0, None, 0, None)

    def submit(self, commands, queue=0):
        """Start the work; returns its fence."""
        vk = self.vk
        info = vk.VkFenceCreateInfo()
        fence = vk.vkCreateFence(self.handle, info, None)
        buffers = [commands]
        work = vk.VkSubmitInfo(waitSemaphoreCount=0, commandBufferCount=1, pCommandBuffers=buffers, signalSemaphoreCount=0)
        works = [work]
        vk.vkQueueSubmit(self.queues[queue], 1, works, fence)
        return fence

    def wait(self, fence):
        """Seconds waited. Raises Hung after the limit."""
        began = time.monotonic()
        try:
            self.vk.vkWaitForFences(self.handle, 1, [fence], 1, int(self.limit * 1e9))
        except Exception as error:
            if type(error).__name__ == "VkTimeout":
                raise Hung(f"not done after {self.limit:g} s") from None
            raise
        self.vk.vkDestroyFence(self.handle, fence, None)
        return time.monotonic() - began

    def timed(self, record):
        """Do what ``record(command_buffer)`` puts down; seconds by the device's own clock, or by ours where it has none.

        Waiting for a fence can take milliseconds, more than the work itself.
        """
        vk = self.vk
        if not self.clock:
            commands = self.commands(record)
            seconds = self.wait(self.submit(commands))
        else:
            info = vk.VkQueryPoolCreateInfo(queryType=2, queryCount=2)  # timestamps
            queries = vk.vkCreateQueryPool(self.handle, info, None)

            def measured(commands):
                vk.vkCmdResetQueryPool(commands, queries, 0, 2)
                vk.vkCmdWriteTimestamp(commands, 1, queries, 0)  # top of the pipe
                record(commands)
                vk.vkCmdWriteTimestamp(commands, 0x2000, queries, 1)  # bottom of the pipe

            commands = self.commands(measured)
            waited = self.wait(self.submit(commands))
            ticks = vk.ffi.new("uint64_t[2]")
            vk.vkGetQueryPoolResults(self.handle, queries, 0, 2, 16, ticks, 8, 1 | 2)  # 64 bits each, wait
            vk.vkDestroyQueryPool(self.handle, queries, None)
            seconds = (int(ticks[1]) - int(ticks[0])) * self.clock
            seconds = seconds if 0 < seconds <= waited else waited
        vk.vkFreeCommandBuffers(self.handle, self.pool, 1, [commands])
        return seconds

    def run(self, case, rng, repeats=REPEATS):
        """The case ``repeats`` times: (outputs as bytes, what stood there before each)."""
        sizes = [-(-array.nbytes // 4) * 4 for array in case.inputs]
        size = case.words * 4
        made = []
        try:
            inputs = [self._keep(made, self.local(s)) for s in sizes]
            output = self._keep(made, self.local(size))
            staging = self._keep(made, self.upload(sum(sizes) + size))
            back = self._keep(made, self.download(size))
            pipeline = self._keep(made, self.pipeline(case.kernel, [*inputs, output], case.subgroup, case.constants))
            raw = b"".join(array.tobytes().ljust(s, b"\0") for array, s in zip(case.inputs, sizes))

            def record(commands):
                at = 0
                for buffer, length in zip([*inputs, output], [*sizes, size]):
                    self.copy(commands, staging, buffer, length, at)
                    at += length
                self.barrier(commands)
                self.dispatch(commands, pipeline, case.parameters, case.groups)
                self.barrier(commands)
                self.copy(commands, output, back, size)
                self.barrier(commands)

            commands = self.commands(record)
            outputs, before = [], []
            for _ in range(repeats):
                on_device = poison(rng, case.words) if case.initial is None else case.initial
                on_host = poison(rng, case.words)
                staging.write(np.frombuffer(raw + on_device.tobytes(), np.uint8))
                back.write(on_host)
                self.wait(self.submit(commands))
                outputs.append(back.read(size))
                before.append((on_device, on_host))
            self.vk.vkFreeCommandBuffers(self.handle, self.pool, 1, [commands])
            return outputs, before
        finally:
            for thing in reversed(made):
                thing.free()

    @staticmethod
    def _keep(made, thing):
        made.append(thing)
        return thing

    def close(self):
        self.vk.vkDestroyCommandPool(self.handle, self.pool, None)
        self.vk.vkDestroyDevice(self.handle, None)


class Pipeline:
    """The handles of one pipeline."""

    def __init__(self, device, module, layout, pipeline_layout, pipeline, pool, held):
        self.device, self.module, self.layout, self.pool = device, module, layout, pool
        self.pipeline_layout, self.pipeline, self.held = pipeline_layout, pipeline, held

    def free(self):
        vk, own = self.device.vk, self.device.handle
        vk.vkDestroyDescriptorPool(own, self.pool, None)
        vk.vkDestroyPipeline(own, self.pipeline, None)
        vk.vkDestroyPipelineLayout(own, self.pipeline_layout, None)
        vk.vkDestroyDescriptorSetLayout(own, self.layout, None)
        vk.vkDestroyShaderModule(own, self.module, None)
