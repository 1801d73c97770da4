"""Each GPU against the lists that were read."""

from answers import answers

TORCH = {"torch__arch_list___0": ["gfx1030", "gfx1034"], "gpu__gfx_target___0": "gfx1034", "gpu__gfx_target___1": "gfx1010",
         "gpu__name___1": "AMD Radeon RX 5700 XT"}


def test_of_several_gpus_the_one_left_out_is_named():
    found = answers("RuntimeError: HIP error: invalid device function", **TORCH)
    assert "RX 5700 XT (gfx1010)" in found["gpu-not-in-target-list"].title


def test_without_trouble_or_with_a_list_that_has_all_nothing_is_said():
    assert "gpu-not-in-target-list" not in answers(**TORCH)
    whole = {**TORCH, "torch__arch_list___0": ["gfx1010", "gfx1034"]}
    assert "gpu-not-in-target-list" not in answers("RuntimeError: HIP error: invalid device function", **whole)


def test_a_library_with_a_list_of_its_own():
    facts = {"pip__packages": {"sgl-kernel": "0.3.0"}, "gpu__gfx_target___0": "gfx1102"}
    assert "gfx1102" in answers("the server crashes at start", **facts)["library-not-made-for-gpu"].title
    assert "library-not-made-for-gpu" not in answers("the server crashes at start", **{**facts, "gpu__gfx_target___0": "gfx942"})


def test_the_list_of_windows():
    facts = {"os__family": "windows", "runtime__rocm_version": "7.2.0", "gpu__gfx_target___0": "gfx1153"}
    found = answers("the program crashes with an access violation", **facts)["windows-release-does-not-list-gpu"]
    assert "gfx1153" in found.title and any("7.13" in fix.title for fix in found.fixes)
    assert "windows-release-does-not-list-gpu" not in answers("it crashes with an access violation", **{**facts, "runtime__rocm_version": "10.0.0"})
    assert "windows-release-does-not-list-gpu" not in answers("it crashes with an access violation", **{**facts, "os__family": "linux"})


def test_the_list_that_torch_prints_is_read():
    text = "torch.cuda.get_arch_list(): ['gfx1100', 'gfx1101']\nRuntimeError: HIP error: no kernel image is available for execution"
    assert "gfx1201" in answers(text, gpu__gfx_target___0="gfx1201")["gpu-not-in-target-list"].title
    assert "gpu-not-in-target-list" not in answers(text, gpu__gfx_target___0="gfx1101")
