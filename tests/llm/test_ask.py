"""`--ask` through the typed command: nothing leaves without it, a sick or hostile server costs one line, and our report stays what it is."""

import contextlib
import html
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from http.server import ThreadingHTTPServer

import pytest
from click.testing import CliRunner
from llm_servers import Mock, lemonade, lmstudio, sane, serve, vllm

from rocmdoctor.cli import cli
from rocmdoctor.facts import schema

TOP = pathlib.Path(__file__).resolve().parents[2]
CASE = str(TOP / "fixtures/cases/lemonade-strix-halo-firmware-20251125/inputs")
GOOD = {"cause": "The firmware of 20251125 hangs [16].", "evidence": [16], "contradicts": "", "decide": [], "fixes": [{"use": "F1", "what": "", "command": ""}]}
MODELS = {"/v1/models": {"object": "list", "data": [{"id": "small"}]}}
TITLE = "A model's opinion, not checked by rules"


def run(*words):
    """The command in this process."""
    done = CliRunner().invoke(cli, list(words))
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


def chat(answer, seen=None, piece=16):
    """A streamed chat that says ``answer``."""
    said = answer if isinstance(answer, str) else json.dumps(answer)

    def post(body):
        if seen is not None:
            seen.append(body)
        return tuple({"choices": [{"index": 0, "delta": {"content": said[at:at + piece]}, "finish_reason": None}]} for at in range(0, len(said), piece))
    return post


def server(answer):
    return serve(MODELS, {"/v1/chat/completions": chat(answer)})


class Counting(ThreadingHTTPServer):
    daemon_threads = True
    connections = 0

    def get_request(self):
        found = super().get_request()
        self.connections += 1
        return found

    def handle_error(self, *_):
        pass


@contextlib.contextmanager
def counting(post=None, host="127.0.0.1", gets=MODELS):
    """A server that counts connections; ``post`` gets the handler of a question."""
    def do_post(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        with contextlib.suppress(OSError):
            post(self)
        self.close_connection = True

    handler = type("Handler", (Mock,), {"gets": gets, "posts": {}, "seen": [], **({"do_POST": do_post} if post else {})})
    one = Counting((host, 0), handler)
    threading.Thread(target=one.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{one.server_port}", one
    finally:
        one.shutdown()
        one.server_close()


def test_the_opinion_stands_below_in_every_form_and_changes_nothing(tmp_path):
    files = {name: tmp_path / f"report.{name}" for name in ("json", "markdown", "html", "full")}
    with server(GOOD) as (url, seen):
        done = run("explain", CASE, "--ask", url, *(f"--format={name}={file}" for name, file in files.items()), "--format=text")
        alone = run("explain", CASE)
    assert done.exit_code == alone.exit_code and done.stdout.startswith(alone.stdout)
    for text in (done.stdout, *(html.unescape(file.read_text()) for name, file in files.items() if name != "json")):
        assert TITLE in text and "The firmware of 20251125 hangs" in text and "small" in text and text.index(TITLE) > text.index("Most likely cause")
    report, plain = json.loads(files["json"].read_text()), json.loads(run("explain", CASE, "--json").stdout)
    assert report["opinion"]["fixes"][0]["given"] == "apu-firmware-package-known-bad"
    assert {**report, "opinion": 0, "snapshot": 0, "removed": 0} == {**plain, "opinion": 0, "snapshot": 0, "removed": 0}
    assert "opinion" not in plain
    body = seen[0][1]
    assert body["response_format"]["json_schema"]["schema"]["required"] and "F1: " in body["messages"][0]["content"] and len(seen) == 1


def test_the_json_keeps_to_the_published_schema():
    jsonschema = pytest.importorskip("jsonschema")
    with server(GOOD) as (url, _):
        report = json.loads(run("explain", CASE, "--ask", url, "--json").stdout)
    jsonschema.validate(report, schema.generate())


def test_nothing_is_sent_without_ask():
    with counting() as (url, one):
        port = url.rpartition(":")[2]
        env = {"OLLAMA_HOST": f"127.0.0.1:{port}", "OPENAI_BASE_URL": url, "ROCMDOCTOR_API_KEY": "k", "HTTP_PROXY": url, "http_proxy": url}
        for words in (["explain", CASE], ["explain", CASE, "--json"], ["explain", CASE, "--brief"], ["explain", CASE, "--ask-show"], ["explain", CASE, "--ask", url, "--ask-show"],
                      ["check", "--root", str(TOP / "fixtures/machines/strix-halo-96-32")], ["check", "--root", str(TOP / "fixtures/machines/strix-halo-96-32"), "--ask", url, "--ask-show"]):
            assert CliRunner(env=env).invoke(cli, words).exit_code in (0, 1, 3)
        assert one.connections == 0


def test_what_is_shown_is_what_is_sent():
    with server(GOOD) as (url, seen):
        shown = run("explain", CASE, "--ask", url, "--ask-show")
        assert not seen and "nothing was sent" in shown.stderr
        run("explain", CASE, "--ask", url)
    assert seen[0][1]["messages"] == [{"role": "user", "content": shown.stdout}] and shown.exit_code == 1
    assert json.dumps(seen[0][1]["response_format"]["json_schema"]["schema"]) in shown.stderr


def test_another_machine_needs_a_word_more():
    with counting(host="0.0.0.0") as (url, one):
        away = url.replace("127.0.0.1", "0.0.0.0")  # an address that is no loopback and still ends here
        done = run("explain", CASE, "--ask", away)
        assert done.exit_code == 2 and "--ask-remote" in done.stderr and len(done.stderr.strip().splitlines()) == 1 and not done.stdout and one.connections == 0
        run("explain", CASE, "--ask", away, "--ask-remote")
        assert one.connections > 0


@pytest.mark.parametrize("url", ["https://api.example.org/v1", "http://192.168.1.9:8080", "http://10.0.0.1", "http://[2001:db8::1]:80", "http://localhost.example.org", "http://127.0.0.1.example.org",
                                 "http://0x7f000001.example.org", "http://my-host:8080"])
def test_what_counts_as_another_machine(url, monkeypatch):
    monkeypatch.setattr(socket, "create_connection", lambda *_, **__: pytest.fail("connected"))
    done = run("explain", CASE, "--ask", url)
    assert done.exit_code == 2 and "another machine" in done.stderr


@pytest.mark.parametrize("words", [["--ask", "ftp://x"], ["--ask", "http://u:p@localhost"], ["--ask", ""], ["--ask", "http://localhost:99999"], ["--ask-model", "x"], ["--ask-remote"],
                                   ["--ask-deadline", "5"], ["--ask", "http://127.0.0.1:1", "-q"], ["--ask", "http://127.0.0.1:1", "--brief"], ["--ask", "http://127.0.0.1:1", "--ask-deadline", "0"]])
def test_wrong_usage_is_one_line_and_status_2(words):
    done = run("explain", CASE, *words)
    assert done.exit_code == 2 and not done.stdout and "Traceback" not in done.stderr


def test_the_key_goes_along_and_is_never_printed(monkeypatch):
    monkeypatch.setenv("ROCMDOCTOR_API_KEY", "sk-secret-key-1234567890")
    with server(GOOD) as (url, seen):
        done = run("explain", CASE, "--ask", url, "--json")
    assert seen[0][2]["Authorization"] == "Bearer sk-secret-key-1234567890" and "sk-secret" not in done.stdout + done.stderr


def test_names_do_not_leave_even_without_redaction(tmp_path):
    (tmp_path / "a.log").write_text("/home/janedoe/models/x.gguf: failed to load\nROCm error: out of memory\n")
    with server(GOOD) as (url, seen):
        run("explain", str(tmp_path / "a.log"), "--ask", url, "--no-redact", "--json")
    assert "janedoe" not in json.dumps(seen) and "failed to load" in json.dumps(seen)


def test_a_hosted_service_is_asked_where_its_address_says(tmp_path):
    with serve({"/api/v1/models": MODELS["/v1/models"]}, {"/api/v1/chat/completions": chat(GOOD)}) as (url, seen):
        done = run("explain", CASE, "--ask", url.replace("127.0.0.1", "0.0.0.0") + "/api/v1", "--ask-remote")
    assert "The firmware of 20251125 hangs" in done.stdout and seen[0][0] == "/api/v1/chat/completions"


def test_a_hosted_model_that_takes_no_temperature():
    bodies = []

    class Hosted(Mock):
        gets = MODELS

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            bodies.append(body)
            old = "max_tokens" in body
            self.reply(400 if old else 200, {"error": {"message": "Unsupported parameter: use 'max_completion_tokens'"}} if old else chat(GOOD)(body))

    one = Counting(("127.0.0.1", 0), Hosted)
    threading.Thread(target=one.serve_forever, daemon=True).start()
    done = run("explain", CASE, "--ask", f"http://127.0.0.1:{one.server_port}")
    one.shutdown()
    one.server_close()
    assert "The firmware of 20251125 hangs" in done.stdout and len(bodies) == 2 and "temperature" not in bodies[1] and "response_format" in bodies[1]


def test_check_of_a_recorded_machine_asks_too():
    with server({**GOOD, "evidence": [1], "cause": "The pool is small."}) as (url, seen):
        done = run("check", "--root", str(TOP / "fixtures/machines/strix-halo-old-kernel"), "--no-keep", "--ask", url)
    assert "The pool is small." in done.stdout and "[1] " in done.stdout and len(seen) == 1


def test_an_error_in_a_schema_is_asked_again_without():
    def post(self):
        bodies.append(1)
        if len(bodies) < 3:
            return self.reply(400, {"error": {"message": "response_format is not supported"}})
        return self.reply(200, chat(GOOD)(None))
    bodies = []
    with counting(post) as (url, _):
        done = run("explain", CASE, "--ask", url)
    assert "The firmware of 20251125 hangs" in done.stdout and len(bodies) == 3


def schema_of(body):
    return body.get("response_format", {}).get("json_schema", {}).get("schema")


def test_every_text_of_the_form_has_a_length_until_a_server_refuses_one():
    bodies = []

    class Strict(Mock):
        gets = MODELS

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            bodies.append(body)
            refused = "maxLength" in json.dumps(body)
            self.reply(400 if refused else 200, {"error": {"message": "Invalid schema: 'maxLength' is not permitted"}} if refused else chat(GOOD)(body))

    one = Counting(("127.0.0.1", 0), Strict)
    threading.Thread(target=one.serve_forever, daemon=True).start()
    done = run("explain", CASE, "--ask", f"http://127.0.0.1:{one.server_port}")
    one.shutdown()
    one.server_close()
    first, second = map(schema_of, bodies)
    assert "The firmware of 20251125 hangs" in done.stdout
    said = bodies[0]["messages"][0]["content"]
    names = first["properties"]["fixes"]["items"]["properties"]["use"]["enum"]
    assert json.dumps(first).count('"string"') == json.dumps(first).count('"maxLength"') + 1 > 5  # the names of fixes are a list
    assert "F1" in names and all(not name or re.search(rf"^ *{name}[: ]", said, re.M) for name in names)
    assert all(f"[{number}] " in said for number in first["properties"]["evidence"]["items"]["enum"])
    assert second and second["required"] == first["required"] and "maxLength" not in json.dumps(second)


def test_a_server_that_always_refuses_is_asked_three_times():
    bodies = []
    with counting(lambda self: (bodies.append(1), self.reply(500, {"error": "no"}))) as (url, _):
        done = run("explain", CASE, "--ask", url)
    assert "No opinion HTTP 500: no" in done.stdout and len(bodies) == 3 and done.exit_code == 1


@pytest.mark.parametrize("said", ["the request exceeds the available context size, n_ctx 3000", "This model's maximum context length is 3000 tokens. However, you requested 8000 tokens"])
def test_a_smaller_context_is_met(said):
    sizes = []

    class Small(Mock):
        gets = MODELS

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            sizes.append((len(body["messages"][0]["content"]), body["max_tokens"]))
            self.reply(400, {"error": {"message": said}}) if len(sizes) == 1 else self.reply(200, chat(GOOD)(body))

    one = Counting(("127.0.0.1", 0), Small)
    threading.Thread(target=one.serve_forever, daemon=True).start()
    done = run("explain", str(TOP / "fixtures/cases/apu-with-amdgpu-dkms-3020/inputs"), "--ask", f"http://127.0.0.1:{one.server_port}")
    one.shutdown()
    one.server_close()
    assert TITLE in done.stdout and sizes[1][0] < sizes[0][0] and sizes[1][1] <= 750


def test_llama_server_says_its_context():
    gets = {**MODELS, "/props": {"default_generation_settings": {"n_ctx": 4096}, "build_info": "b1"}}
    with serve(gets, {"/v1/chat/completions": chat(GOOD)}) as (url, seen):
        run("explain", CASE, "--ask", url)
        assert seen[0][1]["max_tokens"] == 900
    gets["/props"]["default_generation_settings"]["n_ctx"] = 600
    with serve(gets, {"/v1/chat/completions": chat(GOOD)}) as (url, seen):
        assert "too small for a question" in run("explain", CASE, "--ask", url).stdout and not seen


def test_ollama_gets_its_context_and_the_schema():
    said = json.dumps(GOOD)
    row = {"name": "llama3:8b", "model": "llama3:8b"}
    gets = {"/api/version": {"version": "0.30"}, "/api/tags": {"models": [{"name": "big:cloud", "remote_host": "https://ollama.com:443"}, row]}, "/api/ps": {"models": []}}
    stream = [{"message": {"content": said[:20]}}, {"message": {"content": said[20:]}}, {"done": True, "eval_count": 5}]
    with serve(gets, {"/api/chat": lambda body: stream}) as (url, seen):
        done = run("explain", CASE, "--ask", url)
        assert seen[0][0] == "/api/chat" and seen[0][1]["options"]["num_ctx"] == 8192 and seen[0][1]["format"]["required"] and "llama3:8b (Ollama" in done.stdout
        del seen[:]
        refused = run("explain", CASE, "--ask", url, "--ask-model", "big:cloud")
        assert not seen and "--ask-remote" in refused.stdout
        run("explain", CASE, "--ask", url, "--ask-model", "big:cloud", "--ask-remote")
        assert seen[0][1]["model"] == "big:cloud"


@pytest.mark.parametrize("protocol", [vllm, lmstudio, lemonade])
def test_other_servers(protocol):
    gets, posts = protocol(sane)
    path = next(path for path in posts if path.endswith("chat/completions"))
    with serve(gets, {**posts, path: chat(GOOD)}) as (url, seen):
        assert "The firmware of 20251125 hangs" in run("explain", CASE, "--ask", url).stdout and seen[-1][0] == path


def test_a_model_that_thinks_first():
    def post(body):
        return ({"choices": [{"delta": {"reasoning_content": "{\"cause\": \"wrong thought\"}"}}]}, *chat(GOOD)(body))
    with serve(MODELS, {"/v1/chat/completions": post}) as (url, _):
        done = run("explain", CASE, "--ask", url)
    assert "The firmware of 20251125 hangs" in done.stdout and "wrong thought" not in done.stdout


def _head(self, extra=b""):
    self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n" + extra + b"Connection: close\r\n\r\n")


def _event(text):
    return b"data: " + json.dumps({"choices": [{"delta": {"content": text}}]}).encode() + b"\n\n"


def endless(self):
    _head(self)
    while True:
        self.wfile.write(_event("word " * 20))


def drip(self):
    _head(self)
    while True:
        self.wfile.write(b"d")
        self.wfile.flush()
        time.sleep(0.05)


def drip_events(self):
    _head(self)
    while True:
        self.wfile.write(_event("rm -rf / "))
        self.wfile.flush()
        time.sleep(0.05)


def huge_line(self):
    _head(self)
    for _ in range(200):
        self.wfile.write(b"x" * 65536)


def nothing(self):
    time.sleep(20)


def redirect(self):
    self.wfile.write(b"HTTP/1.1 307 X\r\nLocation: http://192.0.2.1/v1/chat/completions\r\nContent-Length: 0\r\n\r\n")


def packed(self):
    _head(self, b"Content-Encoding: gzip\r\n")


def no_http(self):
    self.wfile.write(b"\x00\xff\x1b[31m garbage\r\n\r\n")


def html_page(self):
    _head(self)
    self.wfile.write(b"<html><script>alert(1)</script>" * 100)


def events_of_rubbish(self):
    _head(self)
    for row in ("[]", "1", "null", '{"choices": 3}', '{"choices": [[]]}', '{"choices": [{"delta": 5}]}', '{"choices": [{"delta": {"content": {"a": 1}}}]}', "{" * 3000, '{"a":' * 3000):
        self.wfile.write(b"data: " + row.encode() + b"\n\n")


def error_event(self):
    _head(self)
    self.wfile.write(b'data: {"error": {"message": "\\u001b[31mout of memory\\u0000"}}\n\n')


def tiny_events(self):
    _head(self)
    self.wfile.write(b"data: {}\n\n" * 300_000)


def many_headers(self):
    self.wfile.write(b"HTTP/1.1 200 OK\r\n" + b"X-A: b\r\n" * 5000 + b"\r\n")


SICK = [endless, drip, drip_events, huge_line, nothing, redirect, packed, no_http, html_page, events_of_rubbish, error_event, tiny_events, many_headers]


@pytest.mark.parametrize("talk", SICK, ids=lambda talk: talk.__name__)
def test_a_sick_server_costs_a_line_and_no_more_than_its_deadline(talk):
    began = time.monotonic()
    with counting(talk) as (url, _):
        done = run("explain", CASE, "--ask", url, "--ask-deadline", "3")
    assert time.monotonic() - began < 3 + 15, "the report itself takes a second or two, on a busy machine more"
    assert done.exit_code == 1 and "Most likely cause" in done.stdout
    below = done.stdout[done.stdout.index(TITLE):]
    assert "No opinion" in below and len(below.splitlines()) <= 6
    assert not [char for char in done.stdout + done.stderr if ord(char) < 32 and char not in "\n"] and "rm -rf" not in done.stdout + done.stderr and "<script" not in done.stdout


def test_a_server_that_is_not_there():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        done = run("explain", CASE, "--ask", f"http://127.0.0.1:{one.getsockname()[1]}")
    assert done.exit_code == 1 and "No opinion nothing listens there" in done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="a terminal of POSIX")
def test_words_on_a_terminal_are_washed_and_name_no_dangerous_command():
    import pty

    def slowly(self):
        _head(self)
        for word in ("{\"cause\": \"The ", "ring ", "hangs ", "\x1b[31m\x07 ", "sudo ", "rm ", "-rf ", "/ ", "now ", "\"}"):
            self.wfile.write(_event(word))
            self.wfile.flush()
            time.sleep(0.05)
    master, slave = pty.openpty()
    with counting(slowly) as (url, _):
        started = subprocess.Popen([sys.executable, "-m", "rocmdoctor", "explain", CASE, "--ask", url], stdout=subprocess.PIPE, stderr=slave, text=True,
                                   env={**os.environ, "PYTHONPATH": str(TOP)})
        os.close(slave)
        parts = []
        with contextlib.suppress(OSError):
            while part := os.read(master, 65536):
                parts.append(part)
        out = started.communicate(timeout=30)[0]
    os.close(master)
    said = b"".join(parts).decode()
    assert "the model writes: " in said and "The ring hangs" in said and "rm -rf" not in said and "-rf" not in said
    assert not [char for char in said.replace("\r\033[K", "") if ord(char) < 32 and char not in "\r\n"]
    assert TITLE in out and "rm -rf" not in out


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("form", [[], ["--json"], ["--format", "html=page.html"]])
def test_ctrl_c_ends_the_question_and_not_the_report(form, tmp_path):
    with counting(nothing) as (url, one):
        started = subprocess.Popen([sys.executable, "-m", "rocmdoctor", "explain", CASE, "--ask", url, *form], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(TOP)})
        line = started.stderr.readline()
        assert "asking small" in line and re.search(r"\b1[12]\d s\b", line)  # of the two minutes what the preparation left
        time.sleep(0.5)
        started.send_signal(signal.SIGINT)
        out, _ = started.communicate(timeout=15)
    said = out if form[:1] != ["--format"] else html.unescape((tmp_path / "page.html").read_text())
    assert started.returncode == 1 and "stopped by Ctrl-C" in said
    assert json.loads(out)["findings"][0]["id"] == "apu-firmware-package-known-bad" if form == ["--json"] else "linux-firmware 20251125 is installed" in said
