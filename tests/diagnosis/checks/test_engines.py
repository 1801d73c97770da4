"""What container engines refuse, and libraries of the host that are, or are not, seen inside."""

import re

import pytest
from answers import answers, loud

TEXTS = [
    ("$ docker run -it --group-add keep-groups --device /dev/kfd rocm/vllm bash\ndocker: Error response from daemon: Unable to find group keep-groups: no matching entries in "
     "group file.", "keep-groups-is-podmans", "podman"),
    ("Error: unable to find group render: no matching entries in group file\nRX 7600", "group-not-in-image", "no group render"),
    ("docker: Error response from daemon: error gathering device information while adding custom device \"/dev/dri/renderD130\": no such file or directory.",
     "device-not-on-host", "/dev/dri/renderD130.*no such file"),
    ("Error: stat /dev/kfd: no such file or directory\npodman run --device /dev/kfd rocm/dev-ubuntu-24.04", "device-not-on-host", "/dev/kfd"),
    ("docker: Error response from daemon: unknown or invalid runtime name: nvidia.\nRX 6800", "runtime-not-configured", "nvidia"),
    ("Error response from daemon: manifest for rocm/vllm:rocm9.9 not found: manifest unknown: manifest unknown", "image-not-found", "rocm/vllm:rocm9.9"),
    ("Error response from daemon: failed to resolve reference \"docker.io/rocm/jax:2.0\": docker.io/rocm/jax:2.0: not found", "image-not-found", "rocm/jax:2.0"),
    ("ERROR: failed to solve: rocm/dev-ubuntu-26.04:9.0: failed to resolve source metadata for docker.io/rocm/dev-ubuntu-26.04:9.0: not found", "image-not-found",
     "rocm/dev-ubuntu-26.04:9.0"),
    ("FATAL:   container creation failed: mount /dev/dri->/dev/dri error: while mounting /dev/dri: mount source /dev/dri doesn't exist", "device-not-on-host", "/dev/dri"),
    ("services.comfy.group_add.0 must be a string\nRX 7600", "compose-file-invalid", r"services\.comfy\.group_add\.0"),
    ("no matching manifest for linux/arm64/v8 in the manifest list entries\nrocm/pytorch", "image-not-for-this-processor", "linux/arm64"),
    ("permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock\nrocm/pytorch", "docker-daemon-not-reached", "may not"),
    ("$ singularity exec --rocm pt.sif python a.py\nImportError: /.singularity.d/libs/libMIOpen.so.1: undefined symbol: hsa_foo", "host-libraries-bound-into-image", "libMIOpen"),
    ("$ flatpak run org.darktable.Darktable\n[opencl_init] could not load libamdocl64.so\nFlatpak 1.15.8", "flatpak-does-not-see-host-rocm", "org.darktable.Darktable.*libamdocl64"),
    ("docker: Error response from daemon: failed to create shim task: OCI runtime create failed: runc create failed: error mounting \"/opt/rocm\": read-only file system: unknown.\n"
     "RX 7900 GRE", "container-not-created", "read-only file system"),
]


@pytest.mark.parametrize(("text", "name", "title"), TEXTS, ids=[f"{name}-{at}" for at, (_, name, _) in enumerate(TEXTS)])
def test_an_answer_is_explained(text, name, title):
    found = answers(text)
    assert name in found, loud(found)
    assert re.search(title, found[name].title), found[name].title
    assert next(iter(found)) == name, loud(found)


def test_the_version_of_flatpak_decides_what_is_said_of_it():
    old = answers("flatpak run org.blender.Blender\nError opening HIP dynamic library\nFlatpak 1.14.6")["flatpak-does-not-see-host-rocm"]
    new = answers("flatpak run org.blender.Blender\nError opening HIP dynamic library\nFlatpak 1.18.2")["flatpak-does-not-see-host-rocm"]
    assert "older than 1.18" in old.summary and "older than" not in new.summary


def test_what_is_only_told_of_a_flatpak_is_a_question():
    found = answers("I use Blender from Flathub with my RX 6700 XT. HIP has no devices found in the preferences.")
    assert found["flatpak-does-not-see-host-rocm"].standing == "possible"


@pytest.mark.parametrize("text", ["docker run --group-add render --device /dev/kfd rocm/pytorch", "podman run --group-add keep-groups rocm/pytorch",
                                  "APPTAINERENV_LD_LIBRARY_PATH=/.singularity.d/libs", "Installed from Flathub, and it works with my RX 6600."])
def test_nothing_is_made_up(text):
    assert not {"keep-groups-is-podmans", "group-not-in-image", "host-libraries-bound-into-image", "flatpak-does-not-see-host-rocm"} & set(answers(text))


def test_a_row_that_only_a_program_ties_asks_for_it():
    line = "Unable to open /dev/kfd read-write: No such file or directory\nrocminfo in a container of ours fails to start.\n"
    without, named = answers(line), answers(line + "It is started by apptainer exec --containall.\n")
    assert without["apptainer-containall-kfd-missing"].standing == "possible"
    assert named["apptainer-containall-kfd-missing"].standing == "cause"
