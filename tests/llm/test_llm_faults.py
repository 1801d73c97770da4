"""`rocmdoctor llm` against servers that are sick: one line, the right status, within the deadline; through the real command."""

import gzip
import os
import subprocess
import sys
import time

import pytest
from click.testing import CliRunner
from llm_servers import drip, ollama, raw, sane, serve

from rocmdoctor.cli import cli

DEADLINE = 2


def run(*words):
    """The command in this process: its result and the seconds it took."""
    began = time.monotonic()
    done = CliRunner().invoke(cli, ["llm", *words])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done, time.monotonic() - began


def run_alone(*words, **environment):
    """The command in a process of its own, with its environment."""
    return subprocess.run([sys.executable, "-m", "rocmdoctor", "llm", *words], capture_output=True, text=True, timeout=120,
                          env={**os.environ, **environment})


def http(status, body, *headers):
    lines = [f"HTTP/1.1 {status}", "Content-Type: application/json", f"Content-Length: {len(body)}", "Connection: close", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def ever(connection, part):
    while True:
        connection.sendall(part)


SICK = {
    "dies": (lambda c: None, "broke off"),
    "dies in the middle": (lambda c: c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{\"vers"), "broke off"),
    "hangs": (lambda c: time.sleep(30), "no whole answer within 2 s"),
    "speaks no HTTP": (lambda c: c.sendall(b"SSH-2.0-OpenSSH_9.2\r\n"), "speaks no HTTP"),
    "HTML": (lambda c: c.sendall(http("200 OK", b"<html><body>router</body></html>")), "HTML"),
    "401": (lambda c: c.sendall(http("401 Unauthorized", b"{}")), "ROCMDOCTOR_API_KEY"),
    "500": (lambda c: c.sendall(http("500 Internal Server Error", b'{"error": {"message": "out of cheese"}}')), "HTTP 500: out of cheese"),
    "JSON of another shape": (lambda c: c.sendall(http("200 OK", b"[1, 2]")), "another shape"),
    "not quite JSON": (lambda c: c.sendall(http("200 OK", b'{"version": ')), "no JSON"),
    "a line of 10 MB": (lambda c: c.sendall(http("200 OK", b'{"version": "' + b"x" * 10_000_000 + b'"}')), "cut off"),
    "streams for ever": (lambda c: (c.sendall(b"HTTP/1.1 200 OK\r\n\r\n"), ever(c, b"x" * 65536)), "cut off"),
    "drips a body": (lambda c: drip(c, b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", b" "), "no whole answer|before the deadline"),
    "drips headers": (lambda c: drip(c, b"HTTP/1.1 200 OK\r\nX: ", b"x"), "no whole answer"),
    "endless headers": (lambda c: (c.sendall(b"HTTP/1.1 200 OK\r\n"), ever(c, b"X-Y: " + b"z" * 1000 + b"\r\n")), "speaks no HTTP|cannot be talked to"),
    "redirects": (lambda c: c.sendall(http("302 Found", b"", "Location: http://192.0.2.1/steal")), "elsewhere"),
    "gzip bomb": (lambda c: c.sendall(http("200 OK", gzip.compress(b" " * 100_000_000, 9), "Content-Encoding: gzip")), "packed"),
}


@pytest.mark.parametrize("name", SICK)
def test_a_sick_server_is_one_line_and_undecided(name):
    import re

    talk, says = SICK[name]
    with raw(talk) as port:
        done, seconds = run(f"http://127.0.0.1:{port}", "--deadline", str(DEADLINE))
    assert done.exit_code == 3, (done.stdout, done.stderr)
    assert done.stdout == "" and len(done.stderr.splitlines()) == 1, done.stderr
    assert re.search(says, done.stderr) and "Traceback" not in done.stderr, done.stderr
    assert f"127.0.0.1:{port}" in done.stderr
    assert seconds < DEADLINE + 2


def test_nothing_listens():
    done, _ = run("http://127.0.0.1:9", "--deadline", "2")
    assert (done.exit_code, done.stdout) == (3, "") and done.stderr == "127.0.0.1:9: nothing listens there\n"


@pytest.mark.parametrize("url", ["ftp://host", "http://", "http://user:key@127.0.0.1:80", "http://127.0.0.1:99999"])
def test_a_bad_address_is_usage(url):
    done, _ = run(url)
    assert done.exit_code == 2 and len(done.stderr.strip().splitlines()) == 1 and "Traceback" not in done.stderr, done.stderr


def test_a_server_that_dies_between_questions_is_judged_by_what_it_said():
    gets, posts = ollama(sane)
    calls = []
    generate = posts["/api/generate"]

    def dying(body):
        calls.append(body)
        if len(calls) > 2:
            raise ConnectionAbortedError
        return generate(body)

    with serve(gets, {**posts, "/api/generate": dying}) as (url, _):
        done, _ = run(url, "--deadline", "20", "-v")
    assert "broke off" in done.stdout and "2 of 2 right" in done.stdout, done.stdout
    assert "Traceback" not in done.stderr


def test_the_key_goes_to_the_address_that_was_given_and_is_never_printed():
    gets, posts = ollama(sane)
    with serve(gets, posts) as (url, seen):
        done = run_alone(url, "--json", ROCMDOCTOR_API_KEY="sk-secret-0123456789")
    assert done.returncode in (0, 1) and {headers.get("Authorization") for _, _, headers in seen} == {"Bearer sk-secret-0123456789"}
    assert "sk-secret" not in done.stdout + done.stderr


def test_no_proxy_hears_what_is_said_to_this_machine():
    gets, posts = ollama(sane)
    with serve(gets, posts) as (url, seen), raw(lambda c: None) as proxy:
        done = run_alone(url, "--json", HTTP_PROXY=f"http://127.0.0.1:{proxy}", ALL_PROXY=f"http://127.0.0.1:{proxy}")
    assert seen and done.returncode in (0, 1), done.stderr


def test_what_a_hostile_server_calls_itself_reaches_no_terminal_as_it_is(tmp_path):
    evil = "\x1b]0;owned\x07\x1b[2J<script>alert(1)</script>"
    gets, posts = ollama(sane)
    for path in ("/api/tags", "/api/ps"):
        gets[path] = {"models": [{**gets[path]["models"][0], "name": evil, "model": evil}]}
    gets["/api/version"] = {"version": evil}
    with serve(gets, posts) as (url, _):
        done, _ = run(url, "--root", str(tmp_path))
        run(url, "--root", str(tmp_path), "--html", str(tmp_path / "page.html"))
    assert "\x1b" not in done.stdout + done.stderr and "<script>alert" not in (tmp_path / "page.html").read_text()
    body = b'{"error": "\\u001b[2Jbad"}'
    with raw(lambda c: c.sendall(http("500 Oops", body))) as port:
        done, _ = run(f"http://127.0.0.1:{port}", "--deadline", "2")
    assert "\x1b" not in done.stderr and "bad" in done.stderr
