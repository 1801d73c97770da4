"""Package sets that do not fit, read from lists in texts and from a machine's facts."""

from answers import answers

FREEZE = "torch==2.9.1+rocm6.4\ntorchvision==0.24.1+{}\nRX 7900 XTX on Linux\nRuntimeError: undefined symbol\n"


def test_suffixes_that_differ():
    assert answers(FREEZE.format("cu128"))["torch-packages-of-different-builds"].standing == "cause"
    assert answers(FREEZE.format("rocm7.0"))["torch-packages-of-different-builds"].standing == "cause"
    assert "torch-packages-of-different-builds" not in answers(FREEZE.format("rocm6.4"))


def test_a_machine_without_trouble_has_a_risk():
    packages = {"torch": "2.9.1+rocm6.4", "torchvision": "0.23.0+rocm6.4"}
    found = answers(pip__packages=packages)
    assert found["torch-packages-of-different-builds"].standing == "risk" and "0.24" in found["torch-packages-of-different-builds"].summary


def test_builds_of_a_state_of_the_source_pair_with_any():
    packages = {"torch": "2.10.0+git8514f05", "torchvision": "0.24.1+d801a34"}
    assert "torch-packages-of-different-builds" not in answers(pip__packages=packages)


def test_pypi_torch_on_an_amd_machine():
    packages = {"torch": "2.9.1", "nvidia-cublas-cu12": "12.8.4.1"}
    assert "CUDA" in answers(pip__packages=packages, gpu__gfx_target___0="gfx1100")["torch-build-not-for-amd"].title
    assert "torch-build-not-for-amd" not in answers(pip__packages=packages)
    assert "torch-build-not-for-amd" not in answers(pip__packages={"torch": "2.9.1"}, gpu__gfx_target___0="gfx1100")


def test_a_program_from_pypi_that_draws_in_a_cuda_torch():
    packages = {"vllm": "0.23.0", "torch": "2.11.0+cu130"}
    found = answers(pip__packages=packages, gpu__gfx_target___0="gfx1201")
    assert "vllm 0.23.0" in found["package-build-not-for-amd"].title and "torch-build-not-for-amd" not in found
    of_rocm = {"vllm": "0.22.1+rocm722", "torch": "2.11.0+cu130"}
    assert "package-build-not-for-amd" not in answers(pip__packages=of_rocm, gpu__gfx_target___0="gfx1201")


def test_the_device_part_of_multi_arch_wheels():
    packages = {"torch": "2.13.0+rocm10.0.0", "rocm": "10.0.0", "rocm-sdk-core": "10.0.0", "amd-torch-device-gfx120x": "2.13.0+rocm10.0.0"}
    found = answers(pip__packages=packages, gpu__gfx_target___0="gfx1201")
    assert "rocm-sdk-device-gfx1201" in found["torch-device-part-missing"].title
    whole = {**packages, "rocm-sdk-device-gfx1201": "10.0.0"}
    assert "torch-device-part-missing" not in answers(pip__packages=whole, gpu__gfx_target___0="gfx1201")
    assert "torch-device-part-missing" in answers(pip__packages=whole, gpu__gfx_target___0="gfx1100")


def test_the_user_site_shadows_the_environment():
    text = ("(venv) user@box:~/app$ pip install -r requirements.txt\nRequirement already satisfied: torch in "
            "/home/user/.local/lib/python3.12/site-packages (from -r requirements.txt (line 1)) (2.6.0)\nRadeon RX 9070, no GPU found")
    assert "/home/user/.local" in answers(text)["python-user-site-shadows-environment"].title
    assert "python-user-site-shadows-environment" not in answers(text.replace("/home/user/.local/lib", "/home/user/app/venv/lib"))


def test_one_library_twice():
    packages = {"torch": "2.11.0+rocm7.13.0", "rocm-sdk-core": "7.13.0", "amdsmi": "7.0.2"}
    assert "amdsmi-installed-twice" in answers(pip__packages=packages)
    both = {"torch": "2.9.1+rocm6.4", "triton": "3.5.1", "pytorch-triton-rocm": "3.5.1"}
    assert "triton-installed-twice" in answers("the program crashes at start", pip__packages=both, gpu__gfx_target___0="gfx1100")


def test_jax_plugin_newer_than_jaxlib():
    assert "jax-packages-differ" in answers(pip__packages={"jaxlib": "0.6.0", "jax-rocm7-plugin": "0.8.2"})
    assert "jax-packages-differ" not in answers(pip__packages={"jaxlib": "0.8.0", "jax-rocm7-plugin": "0.8.2"})


def test_system_packages_of_two_releases():
    packages = {"rocm-core": "7.2.1.70201-81~24.04", "rocblas": "4.4.1.60404-129~24.04", "hsa-rocr": "1.18.0.70201-81~24.04"}
    assert "7.2.1" in answers(packages__installed=packages)["rocm-packages-of-several-releases"].title
    assert "rocm-packages-of-several-releases" not in answers(packages__installed={**packages, "rocblas": "5.2.0.70201-81~24.04"})
