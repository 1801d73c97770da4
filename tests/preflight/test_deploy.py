"""What lies in deploy/: each recipe as far as it can run here, and the Ansible role over SSH against hosts in network namespaces."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import time

import jsonschema
import pytest
import yaml

TOP = pathlib.Path(__file__).resolve().parents[2]
DEPLOY = TOP / "deploy"
MACHINES = TOP / "fixtures/machines"


def tool(name):
    """A program on PATH or beside the interpreter; the test is skipped without it."""
    beside = pathlib.Path(sys.executable).parent / name
    found = str(beside) if beside.exists() else shutil.which(name)
    if not found:
        pytest.skip(f"{name} is not installed")
    return found


def run(*command, **how):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=how.pop("timeout", 120), **how)


# --- linters and validators of the formats ---

@pytest.mark.parametrize("script", ["slurm/prolog.sh", "slurm/epilog.sh", "nagios/check_rocmdoctor", "nhc/rocmdoctor.nhc"])
def test_shell_scripts_pass_shellcheck(script):
    done = run(tool("shellcheck"), DEPLOY / script)
    assert done.returncode == 0, done.stdout


def test_systemd_units_verify(tmp_path):
    verify = tool("systemd-analyze")
    for name in ("rocmdoctor-preflight.service", "rocmdoctor-preflight.timer"):
        text = (DEPLOY / "systemd" / name).read_text()
        # verify wants the program to be there
        (tmp_path / name).write_text(text.replace("/usr/local/bin/rocmdoctor", shutil.which("true") or "/bin/true"))
    done = run(verify, "verify", tmp_path / "rocmdoctor-preflight.service", tmp_path / "rocmdoctor-preflight.timer")
    assert done.returncode == 0 and "rocmdoctor" not in done.stderr, done.stderr


@pytest.mark.parametrize("manifest", ["preflight-job.yaml", "preflight-daemonset.yaml"])
def test_kubernetes_manifests_have_their_schema(manifest):
    validator = pytest.importorskip("kubernetes_validate", reason="kubernetes-validate is not installed (extra dev)")
    documents = list(yaml.safe_load_all((DEPLOY / "kubernetes" / manifest).read_text()))
    for document in documents:
        validator.validate(document, validator.latest_version(), strict=True)


def test_the_policy_in_the_config_map_and_at_first_boot_are_clean(tmp_path):
    documents = yaml.safe_load_all((DEPLOY / "kubernetes/preflight-daemonset.yaml").read_text())
    texts = [next(d for d in documents if d["kind"] == "ConfigMap")["data"]["policy.yaml"]]
    texts.append(yaml.safe_load((DEPLOY / "cloud-init/user-data.yaml").read_text())["write_files"][0]["content"])
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.yaml").write_text(text)
    done = run(sys.executable, "-m", "rocmdoctor", "preflight", "lint", *sorted(tmp_path.iterdir()), cwd=TOP)
    assert done.returncode == 0, done.stdout


def test_the_container_recipe_passes_a_linter():
    done = run(tool("hadolint"), DEPLOY / "container/Containerfile")
    assert done.returncode == 0, done.stdout


def test_the_action_has_its_schema():
    done = run(tool("check-jsonschema"), "--builtin-schema", "vendor.github-actions", DEPLOY / "github-action/action.yml")
    assert done.returncode == 0, done.stdout


def test_cloud_init_data_has_its_schema():
    schema = pathlib.Path("/usr/lib/python3/dist-packages/cloudinit/config/schemas/schema-cloud-config-v1.json")
    if not schema.exists():
        pytest.skip("cloud-init is not installed, so its schema is not here")
    jsonschema.Draft4Validator(json.loads(schema.read_text())).validate(yaml.safe_load((DEPLOY / "cloud-init/user-data.yaml").read_text()))


# --- scripts, run with the real command ---

@pytest.fixture()
def command(tmp_path):
    """A folder with `rocmdoctor` in it, which examines a recorded machine; and policies that it passes, fails and cannot decide."""
    tree = MACHINES / "rx7900xtx"
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "rocmdoctor"
    here, python = shlex.quote(str(TOP)), shlex.quote(sys.executable)
    script.write_text(f'#!/bin/sh\ncd {here} || exit 70\nexec {python} -m rocmdoctor "$@" --root {shlex.quote(str(tree))}\n')
    script.chmod(0o755)
    texts = {"pass": "expect: {gpus: {count: 1}}", "warn": "expect: {gpus: {count: {want: 2, on_fail: warn}}}", "fail": "expect: {gpus: {count: 8}}",
             "unknown": "expect: {access: {kfd: true}}", "bad": "expect: {gpus: {cuont: 8}}"}
    for name, text in texts.items():
        (tmp_path / f"{name}.yaml").write_text(text)
    env = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "ROCMDOCTOR_REPORTS": str(tmp_path), "SLURM_JOB_ID": "7"}
    return tmp_path, env


@pytest.mark.parametrize(("policy", "status", "word"), [
    ("pass", 0, "OK"), ("warn", 1, "WARNING"), ("fail", 2, "CRITICAL"), ("unknown", 3, "UNKNOWN"), ("bad", 3, "did you mean count")])
def test_the_nagios_plugin_exits_as_plugins_do(command, policy, status, word):
    folder, env = command
    done = run(DEPLOY / "nagios/check_rocmdoctor", folder / f"{policy}.yaml", env=env)
    assert (done.returncode, word in done.stdout) == (status, True), done.stdout


@pytest.mark.parametrize(("policy", "before", "after"), [("pass", 0, 0), ("fail", 1, 1), ("unknown", 1, 0), ("bad", 0, 0)])
def test_slurm_scripts_drain_the_node_or_not(command, policy, before, after):
    folder, env = command
    env["ROCMDOCTOR_POLICY"] = str(folder / f"{policy}.yaml")
    assert run(DEPLOY / "slurm/prolog.sh", env=env).returncode == before
    assert run(DEPLOY / "slurm/epilog.sh", env=env).returncode == after
    assert (folder / "prolog.json").exists() is (policy != "bad")


@pytest.mark.parametrize(("policy", "status", "words"), [("pass", 0, ""), ("fail", 1, "ROCMDOCTOR CRITICAL"), ("unknown", 1, "ROCMDOCTOR UNKNOWN")])
def test_the_check_of_nhc_calls_die_with_the_line(command, policy, status, words):
    """`die` is NHC's; here it prints what it is given."""
    folder, env = command
    done = run(tool("bash"), "-c", f'die() {{ echo "$2"; }}; . {shlex.quote(str(DEPLOY / "nhc/rocmdoctor.nhc"))}; check_rocmdoctor "$1"', "bash",
               folder / f"{policy}.yaml", env=env)
    assert (done.returncode, words in done.stdout) == (status, True), done.stdout


def test_the_steps_of_the_action(command, tmp_path):
    """The second step with the real command in the place of the first one's environment."""
    folder, env = command
    steps = yaml.safe_load((DEPLOY / "github-action/action.yml").read_text())["runs"]["steps"]
    (folder / "rocmdoctor").mkdir()
    (folder / "bin").rename(folder / "rocmdoctor/bin")
    env |= {"RUNNER_TEMP": str(folder), "GITHUB_OUTPUT": str(folder / "output"), "POLICY": str(folder / "fail.yaml"), "LEVEL": "1",
            "JUNIT": str(folder / "junit.xml")}
    done = run("sh", "-e", "-c", steps[1]["run"], env=env)
    assert done.returncode == 1 and "::error file=" in done.stdout, done.stderr
    assert (folder / "output").read_text() == "status=1\n" and (folder / "junit.xml").exists()


# --- Ansible over SSH, against hosts that are network namespaces ---

BRIDGE, SUBNET = "rdtest0", "10.213.77"


def ip(*arguments):
    return run("ip", *arguments)


@contextlib.contextmanager
def host(number, folder, with_sshd):
    """A namespace with an address and, where it is wanted, an SSH server of its own name; taken away afterwards."""
    name = f"rdtest{number}"
    ip("netns", "del", name)
    server = None
    try:
        for arguments in (("netns", "add", name), ("link", "add", f"rdv{number}", "type", "veth", "peer", "name", "eth0", "netns", name),
                          ("link", "set", f"rdv{number}", "master", BRIDGE, "up"), ("-n", name, "link", "set", "lo", "up"),
                          ("-n", name, "addr", "add", f"{SUBNET}.{10 + number}/24", "dev", "eth0"), ("-n", name, "link", "set", "eth0", "up")):
            done = ip(*arguments)
            if done.returncode:
                pytest.skip(f"no network namespace can be made here: ip {' '.join(arguments)}: {done.stderr.strip()}")
        if with_sshd:
            script = f'hostname gpu{number}; exec {shutil.which("sshd")} -D -e -f {folder / "sshd_config"} -o PidFile=none'
            with open(folder / f"sshd{number}.log", "w") as log:
                server = subprocess.Popen(["ip", "netns", "exec", name, "unshare", "--uts", "sh", "-c", script], stdout=log, stderr=log,
                                          start_new_session=True)
        yield f"{SUBNET}.{10 + number}"
    finally:
        if server:
            os.killpg(server.pid, 15)
            server.wait(timeout=10)
        ip("link", "del", f"rdv{number}")
        ip("netns", "del", name)


@pytest.fixture()
def hosts(tmp_path):
    """Four hosts; the last has no SSH server."""
    if os.getuid() != 0:
        pytest.skip("network namespaces need root")
    for program in ("ip", "sshd", "ssh-keygen", "ssh", "unshare"):
        tool(program)
    for key in ("host", "user"):
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / key)
    os.makedirs("/run/sshd", mode=0o755, exist_ok=True)
    (tmp_path / "sshd_config").write_text(
        f"Port 22\nHostKey {tmp_path / 'host'}\nAuthorizedKeysFile {tmp_path / 'user.pub'}\nStrictModes no\nUsePAM no\nPermitRootLogin yes\n"
        "PasswordAuthentication no\nUseDNS no\nSubsystem sftp internal-sftp\n")
    ip("link", "del", BRIDGE)
    for arguments in (("link", "add", BRIDGE, "type", "bridge"), ("addr", "add", f"{SUBNET}.1/24", "dev", BRIDGE), ("link", "set", BRIDGE, "up")):
        done = ip(*arguments)
        if done.returncode:
            pytest.skip(f"no network bridge can be made here: ip {' '.join(arguments)}: {done.stderr.strip()}")
    try:
        with contextlib.ExitStack() as stack:
            addresses = [stack.enter_context(host(number, tmp_path, number < 4)) for number in range(1, 5)]
            ssh = ["ssh", "-i", str(tmp_path / "user"), "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "ConnectTimeout=5"]
            for address in addresses[:3]:
                for _ in range(50):
                    done = run(*ssh, f"root@{address}", "hostname")
                    if done.returncode == 0:
                        break
                    time.sleep(0.2)
                else:
                    pytest.skip(f"no SSH server answers in a namespace here: {done.stderr.strip()[-200:]}")
            yield addresses
    finally:
        ip("link", "del", BRIDGE)


def test_the_playbook_is_sound():
    done = run(tool("ansible-playbook"), "--syntax-check", "-i", "localhost,", "preflight.yml", cwd=DEPLOY / "ansible")
    assert done.returncode == 0, done.stdout + done.stderr


def test_ansible_runs_it_over_ssh_and_the_reports_become_one_answer(hosts, tmp_path):
    """Two hosts pass, the third has a narrow link, the fourth cannot be reached."""
    playbook = tool("ansible-playbook")
    narrow = tmp_path / "narrow"
    shutil.copytree(MACHINES / "rx7900xtx", narrow, symlinks=True)
    [width] = [file for file in narrow.rglob("current_link_width") if file.parent.name == "0000:03:00.0"] or [None]
    assert width is not None
    # The link to the slot is that of the port above, where there is one.
    for file in narrow.rglob("current_link_width"):
        file.write_text("4\n")
    assert run(sys.executable, "-m", "rocmdoctor", "preflight", "init", "--root", MACHINES / "rx7900xtx", "-o", tmp_path / "policy.yaml",
               cwd=TOP).returncode == 0
    program = tmp_path / "rocmdoctor"
    program.write_text(f'#!/bin/sh\ncd {shlex.quote(str(TOP))} || exit 70\nexec {shlex.quote(sys.executable)} -m rocmdoctor "$@"\n')
    program.chmod(0o755)
    whole = shutil.copytree(MACHINES / "rx7900xtx", tmp_path / "whole", symlinks=True)
    trees = [whole, shutil.copytree(whole, tmp_path / "second", symlinks=True), narrow, whole]
    for number, tree in enumerate(trees[:3], 1):  # a report of a tree is named after the machine that was recorded
        (tree / "etc").mkdir(exist_ok=True)
        (tree / "etc/hostname").write_text(f"gpu{number}\n")
    inventory = {"all": {"hosts": {
        f"gpu{number}": {"ansible_host": address, "rocmdoctor_preflight_options": ["--root", str(tree)]}
        for number, (address, tree) in enumerate(zip(hosts, trees, strict=True), 1)},
        "vars": {"ansible_user": "root", "ansible_ssh_private_key_file": str(tmp_path / "user"), "ansible_python_interpreter": sys.executable,
                 "ansible_ssh_common_args": "-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o ConnectTimeout=5",
                 "rocmdoctor_preflight_command": str(program), "rocmdoctor_preflight_policy_file": str(tmp_path / "policy.yaml"),
                 "rocmdoctor_preflight_policy_dest": str(tmp_path / "on-host/policy.yaml"),
                 "rocmdoctor_preflight_reports": str(tmp_path / "reports"), "rocmdoctor_fleet_reports": str(tmp_path / "reports"),
                 "rocmdoctor_fleet_command": str(program)}}}
    (tmp_path / "inventory.yaml").write_text(yaml.safe_dump(inventory))
    env = {**os.environ, "ANSIBLE_HOME": str(tmp_path / "ansible"), "ANSIBLE_NOCOLOR": "1", "ANSIBLE_PIPELINING": "1", "ANSIBLE_LOCALHOST_WARNING": "0"}
    done = run(playbook, "-i", tmp_path / "inventory.yaml", "preflight.yml", "-e", f"rocmdoctor_fleet_reports={tmp_path / 'reports'}",
               "-e", f"rocmdoctor_fleet_command={program}", cwd=DEPLOY / "ansible", env=env, timeout=180)
    said = done.stdout + done.stderr
    recap = {line.split()[0]: line for line in done.stdout.partition("PLAY RECAP")[2].splitlines()[1:] if line.strip()}
    assert "failed=0" in recap["gpu1"] and "failed=0" in recap["gpu2"], said
    assert "failed=1" in recap["gpu3"] and "unreachable=1" in recap["gpu4"], said
    assert "FAIL (ISOLATE): pcie.width" in said
    reports = sorted((tmp_path / "reports").glob("gpu*.json"))
    assert [file.stem for file in reports] == ["gpu1", "gpu2", "gpu3"]
    # Each answered under the name of its machine.
    assert [json.loads(file.read_text())["node"] for file in reports] == ["gpu1", "gpu2", "gpu3"]
    fleet = run(program, "fleet", "--json", tmp_path / "reports")
    answer = json.loads(fleet.stdout)
    assert fleet.returncode == 1
    assert (answer["equal"], [outlier["node"] for outlier in answer["outliers"]]) == (2, ["gpu3"])
    assert any(difference["fact"].startswith("gpu.link_width") for difference in answer["outliers"][0]["differences"])
    assert (tmp_path / "reports/fleet.html").exists() and (tmp_path / "reports/fleet.csv").exists()
