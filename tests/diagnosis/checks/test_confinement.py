"""The line of a confinement names what is denied, and beats guesses about groups."""

from answers import answers, loud

SNAP = ('audit: type=1400 audit(1786000211.113:412): apparmor="DENIED" operation="open" class="file" profile="snap.krita.krita" name="/dev/kfd" '
        'pid=8123 comm="krita" requested_mask="rw" denied_mask="rw"')


def test_a_snap_is_named_with_its_way_out():
    found = answers(SNAP + "\n/dev/kfd: Permission denied")
    assert loud(found)[0] == "apparmor-denies-gpu-files"
    assert any("snap connect krita" in command for fix in found["apparmor-denies-gpu-files"].fixes for command in fix.commands)
    assert "server-account-not-in-render-group" not in found


def test_a_denied_file_of_no_gpu_is_no_matter():
    assert "apparmor-denies-gpu-files" not in answers(SNAP.replace("/dev/kfd", "/etc/fstab"))


def test_user_namespaces():
    assert "user-namespace-refused" in answers("bwrap: setting up uid map: Permission denied")


def test_selinux_of_a_service():
    text = ('type=AVC msg=audit(1.1:14): avc:  denied  { open } for  pid=27 comm="ollama" name="kfd" dev="devtmpfs" ino=12 '
            "scontext=system_u:system_r:init_t:s0 tcontext=system_u:object_r:hsa_device_t:s0 tclass=chr_file permissive=0")
    assert loud(answers(text))[0] == "selinux-denies-gpu"
    assert "selinux-denies-gpu" not in answers(text.replace("permissive=0", "permissive=1"))


def test_hardening_of_a_unit():
    unit = "[Service]\nExecStart=/usr/bin/ollama serve\nPrivateDevices=yes\n"
    assert "systemd-hardening-hides-gpu" in answers(unit + "no ROCm-capable device is detected")
    assert "systemd-hardening-hides-gpu" not in answers(unit.replace("=yes", "=no") + "no ROCm-capable device is detected")


def test_a_device_policy_that_names_both_nodes_is_right():
    unit = "[Service]\nDevicePolicy=closed\nDeviceAllow=/dev/kfd rw\nDeviceAllow=char-drm rw\n"
    assert "systemd-hardening-hides-gpu" not in answers(unit + "no ROCm-capable device is detected")
