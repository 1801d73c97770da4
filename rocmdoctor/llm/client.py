"""HTTP to one server, which may be sick or hostile: every call has a deadline that holds, a cap, and one line for what went wrong."""

from __future__ import annotations

import contextlib
import ipaddress
import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import httpx

from rocmdoctor.records import dataclass

MOST_BYTES = 4 << 20
MOST_LINES = 40_000  # of a streamed answer: each costs time to read
MOST_SHOWN = 120
MOST_DETAIL = 2000  # characters of what a server says of its refusal
KEY = "ROCMDOCTOR_API_KEY"  # the environment variable with the key of a server
CONNECT = 3.0
T = TypeVar("T")


class Failed(Exception):
    """What went wrong with the server, in one line. ``status`` is the HTTP status, 0 without one; ``detail`` the body that came with it."""

    def __init__(self, says: str, status: int = 0, detail: str = "") -> None:
        super().__init__(says)
        self.status = status
        self.detail = detail

    @property
    def no_such_call(self) -> bool:
        """Whether the server has no such call, or does not take what was sent; another may do."""
        return self.status in (400, 404, 405, 422, 501)


class BadAddress(ValueError):
    """The text is no address of a server."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole body, and the name that the server gives itself."""

    body: bytes
    server: str
    kind: str

    def json(self) -> dict[str, Any]:
        """The body as an object. Raises :class:`Failed` where it is none."""
        try:
            data = json.loads(self.body)
        except (ValueError, RecursionError):
            looks = "HTML" if self.body.lstrip()[:1] == b"<" else "something that is no JSON"
            raise Failed(f"answers with {looks} where JSON belongs: this is another service, or a proxy in front of it") from None
        if not isinstance(data, dict):
            raise Failed("answers with JSON of another shape than its protocol has")
        return data


def address(text: str) -> tuple[str, str, int]:
    """``http://host:port`` without a path of its own, the host, the port. Raises :class:`BadAddress` with what is wrong.

    >>> address("localhost:8080/v1/")
    ('http://localhost:8080', 'localhost', 8080)
    """
    given = text if "://" in text else "http://" + text
    try:
        url = httpx.URL(given)
        port = url.port
    except (httpx.InvalidURL, ValueError, TypeError) as error:
        raise BadAddress(f"{text[:MOST_SHOWN]}: no address of a server ({error})") from None
    if url.scheme not in ("http", "https") or not url.host:
        raise BadAddress(f"{text[:MOST_SHOWN]}: no address of a server; it looks like http://127.0.0.1:8080")
    if url.userinfo:
        raise BadAddress("a name or key inside the address would end up in logs; put the key into " + KEY)
    path = url.path.rstrip("/")
    for tail in ("/chat/completions", "/completions", "/models", "/api/v1", "/api/v0", "/v1", "/api"):
        path = path.removesuffix(tail)
    port = port or (443 if url.scheme == "https" else 80)
    if not 0 < port < 65536:
        raise BadAddress(f"{text[:MOST_SHOWN]}: there is no port {port}")
    host = f"[{url.host}]" if ":" in url.host else url.host
    return f"{url.scheme}://{host}:{port}{path}", url.host, port


def key_for(place: tuple[str, str, int], told: Callable[[str], None]) -> str:
    """The key out of the environment for a server (as of :func:`address`), "" without one; ``told`` hears that it could be read on the way."""
    key = os.environ.get(KEY, "")
    if key and place[0].startswith("http://") and not is_local(place[1]):
        told(f"the key of {KEY} goes over the network in the clear: the address is not https")
    return key


def is_local(host: str) -> bool:
    """Whether the host is this machine, by its name or a loopback address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower().rstrip(".") == "localhost" or host.lower().endswith(".localhost")


class Client:
    """One server. ``per_call`` and ``total`` are seconds; the key goes to this address only."""

    def __init__(self, base: str, local: bool, key: str = "", per_call: float = 5.0, total: float = 60.0) -> None:
        self.base, self.local, self.per_call = base, local, per_call
        headers = {"User-Agent": "rocmdoctor", "Accept-Encoding": "identity"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        # Whatever proxy the environment names must not see what is said to this machine.
        # The store of certificates takes a third of a second to read: only where it is needed.
        self._http = httpx.Client(headers=headers, follow_redirects=False, trust_env=not local, verify=base.startswith("https://"))
        self.until = time.monotonic() + total

    def left(self) -> float:
        """Seconds until the whole check must end."""
        return max(0.0, self.until - time.monotonic())

    def close(self) -> None:
        """Drop the connections."""
        self._http.close()

    def get(self, path: str) -> Reply:
        """The body of ``path``. Raises :class:`Failed`."""
        return self._within(self.per_call, lambda until: self._whole("GET", path, None, until))

    def post(self, path: str, body: dict[str, Any], seconds: float) -> Reply:
        """The answer to a question, within ``seconds``. Raises :class:`Failed`."""
        return self._within(seconds, lambda until: self._whole("POST", path, body, until))

    def stream(self, path: str, body: dict[str, Any], seconds: float, heard: Callable[[str], None] | None = None) -> tuple[list[tuple[float, str]], bool]:
        """The lines of a streamed answer with their seconds since the question, and whether it ended by itself.

        What came before a deadline is given back: half an answer can be judged. ``heard`` gets each line as it comes, in the thread that
        reads. Raises :class:`Failed` where nothing came.
        """
        lines: list[tuple[float, str]] = []

        def work(until: float) -> bool:
            began, held, size = time.monotonic(), b"", 0
            with self._answered("POST", path, body, until) as response:
                for chunk in self._chunks(response, until):
                    size += len(chunk)
                    held += chunk
                    *whole, held = held.split(b"\n")
                    for line in whole:
                        lines.append((time.monotonic() - began, line.decode("utf-8", "replace").strip()))
                        if heard:
                            heard(lines[-1][1])
                    if size > MOST_BYTES or len(held) > MOST_BYTES or len(lines) > MOST_LINES:
                        raise Failed("sends more than an answer can be; it was cut off")
            if held.strip():
                lines.append((time.monotonic() - began, held.decode("utf-8", "replace").strip()))
            return True

        try:
            return lines, self._within(seconds, work)
        except Failed:
            if len(lines) < 2:
                raise
            return list(lines), False

    def _within(self, seconds: float, work: Callable[[float], T]) -> T:
        """``work`` in a thread of its own: a header that drips for ever resets every timeout of a socket, but not this one."""
        seconds = min(seconds, self.left())
        if seconds <= 0:
            raise Failed("no time left: the deadline of the whole check has passed")
        done: list[T] = []
        error: list[Failed] = []

        def run() -> None:
            try:
                done.append(work(time.monotonic() + seconds))
            except Failed as failed:
                error.append(failed)
            except httpx.HTTPError as failed:
                error.append(_said(failed, seconds))
            except Exception as failed:  # noqa: BLE001 - whatever a broken answer does to the library is the server's failure
                error.append(Failed(f"cannot be talked to ({type(failed).__name__})"))

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        thread.join(seconds + 0.2)
        if done:
            return done[0]
        raise error[0] if error else Failed(f"no whole answer within {seconds:.0f} s")

    def _answered(self, method: str, path: str, body: dict[str, Any] | None, until: float) -> _Answered:
        timeout = httpx.Timeout(max(0.1, until - time.monotonic()), connect=CONNECT)
        content = None if body is None else json.dumps(body).encode()
        headers = {} if body is None else {"Content-Type": "application/json"}
        request = self._http.build_request(method, self.base + path, content=content, headers=headers, timeout=timeout)
        return _Answered(self._http.send(request, stream=True), until)

    def _whole(self, method: str, path: str, body: dict[str, Any] | None, until: float) -> Reply:
        with self._answered(method, path, body, until) as response:
            parts = bytearray()
            for chunk in self._chunks(response, until):
                parts += chunk
                if len(parts) > MOST_BYTES:
                    raise Failed("sends more than an answer can be; it was cut off")
            return Reply(bytes(parts), response.headers.get("server", ""), response.headers.get("content-type", ""))

    def _chunks(self, response: httpx.Response, until: float) -> Iterator[bytes]:
        for chunk in response.iter_raw(1 << 14) if "content-length" in response.headers else response.iter_raw():
            if time.monotonic() > until:
                raise Failed("its answer did not end before the deadline")
            yield chunk


class _Answered:
    """A response that is good; anything else is said in one line."""

    def __init__(self, response: httpx.Response, until: float) -> None:
        self.response, self.until = response, until

    def __enter__(self) -> httpx.Response:
        response = self.response
        encoding = response.headers.get("content-encoding", "identity").lower()
        try:
            if response.is_redirect:
                where = response.headers.get("location", "")[:MOST_SHOWN]
                raise Failed(f"sends the caller elsewhere ({where}); that address was not asked: give it if it is meant", response.status_code)
            if response.status_code in (401, 403):
                raise Failed(f"wants a key (HTTP {response.status_code}): put it into the environment variable {KEY}", response.status_code)
            if response.status_code >= 400:
                body = self._body()
                raise Failed(f"HTTP {response.status_code}" + _reason(body), response.status_code, body[:MOST_DETAIL].decode("utf-8", "replace"))
            if encoding not in ("identity", ""):
                raise Failed(f"answers packed ({encoding[:20]}) although it was asked not to; it was not unpacked")
        except BaseException:
            response.close()
            raise
        return response

    def __exit__(self, *_: object) -> None:
        self.response.close()

    def _body(self) -> bytes:
        body = b""
        with contextlib.suppress(httpx.HTTPError):
            for chunk in self.response.iter_raw():
                body += chunk
                if len(body) > 1 << 16 or time.monotonic() > self.until:
                    break
        return body


def _reason(body: bytes) -> str:
    """What a server says of its refusal, "" where it says nothing readable."""
    try:
        data = json.loads(body)
        said = data.get("error") or data.get("detail") or data.get("message")
        said = said.get("message") if isinstance(said, dict) else said
    except (ValueError, AttributeError, RecursionError):
        return ""
    return f": {' '.join(str(said).split())[:MOST_SHOWN]}" if said else ""


def _said(error: httpx.HTTPError, seconds: float) -> Failed:
    """One line for what the library raises."""
    if isinstance(error, httpx.ConnectTimeout):
        return Failed(f"no connection within {CONNECT:.0f} s")
    if isinstance(error, httpx.TimeoutException):
        return Failed(f"no whole answer within {seconds:.0f} s")
    if isinstance(error, httpx.ConnectError):
        return Failed("nothing listens there" if "refused" in str(error).lower() else f"no connection ({' '.join(str(error).split())[:MOST_SHOWN]})")
    if isinstance(error, (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError)):
        return Failed("broke off in the middle of its answer, or speaks no HTTP")
    return Failed(f"cannot be talked to ({type(error).__name__})")
