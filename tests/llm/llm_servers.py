"""Mock servers: the protocols of Ollama, LM Studio, Lemonade and vLLM as their API documentation publishes them, and servers that are sick.

No model runs here. What they answer is given by the test; the shapes of requests and answers are those of the documentation.
"""

import contextlib
import json
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SANE = {"capital of France": " Paris\n\nQuestion:", "Counting:": " six, seven, eight, nine,", "Copy:": " The old boat lies on the beach.\n",
        "Los días": " viernes, sábado y domingo.", '{"name"': ' "Dora", "age": 52}', "The village lies": " go to the market to buy bread and milk for the day.",
        "secret word": " marigold. Remember it."}


def sane(prompt):
    """What a model that works says to the prompts of the product."""
    if "secret word" in prompt:
        return SANE["secret word"]
    return next((answer for start, answer in SANE.items() if start in prompt), " Yes.")


class Mock(BaseHTTPRequestHandler):
    """Answers ``gets[path]`` and calls ``posts[path](body)``; a list is a stream of JSON lines, a tuple of server-sent events."""

    protocol_version = "HTTP/1.1"
    gets, posts, seen = {}, {}, []

    def log_message(self, *_):
        pass

    def do_GET(self):
        found = self.gets.get(self.path)
        self.reply(404 if found is None else 200, {"error": "not found"} if found is None else found() if callable(found) else found)

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.seen.append((self.path, body, dict(self.headers)))
        if self.path not in self.posts:
            return self.reply(404, {"error": "not found"})
        return self.reply(200, self.posts[self.path](body))

    def reply(self, status, body):
        if isinstance(body, list):
            raw = "".join(json.dumps(row) + "\n" for row in body).encode()
        elif isinstance(body, tuple):
            raw = ("".join(f"data: {json.dumps(row)}\n\n" for row in body) + "data: [DONE]\n\n").encode()
        else:
            raw = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)


@contextlib.contextmanager
def serve(gets, posts):
    """A mock server on a free port: its address and the questions it got."""
    handler = type("Handler", (Mock,), {"gets": gets, "posts": posts, "seen": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    server.handle_error = lambda *_: None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", handler.seen
    finally:
        server.shutdown()
        server.server_close()


def ollama(answer, size=5_000_000_000, size_vram=5_000_000_000, on_cpu=None, speed=40.0):
    """Ollama's API: ``answer(prompt)`` from the GPU, ``on_cpu(prompt)`` where the options say num_gpu 0."""
    row = {"name": "llama3:8b", "model": "llama3:8b", "size": size, "digest": "365c", "details": {"family": "llama"}}

    def generate(body):
        if not body.get("prompt"):
            return {"model": body["model"], "response": "", "done": True, "done_reason": "load" if "keep_alive" not in body else "unload"}
        options = body.get("options", {})
        text = (on_cpu or answer)(body["prompt"]) if options.get("num_gpu") == 0 else answer(body["prompt"])
        count = options["num_predict"]
        return [{"model": body["model"], "response": text, "done": False},
                {"model": body["model"], "response": "", "done": True, "done_reason": "length", "prompt_eval_count": len(body["prompt"]) // 4,
                 "prompt_eval_duration": len(body["prompt"]) * 500_000, "eval_count": count, "eval_duration": int(count / speed * 1e9)}]

    gets = {"/api/version": {"version": "0.30.3"}, "/api/tags": {"models": [row]}, "/api/ps": {"models": [{**row, "size_vram": size_vram}]}}
    return gets, {"/api/generate": generate, "/api/show": lambda body: {"model_info": {"general.parameter_count": 8_030_000_000}}}


def _openai(answer, usage=True):
    def events(kind):
        def post(body):
            prompt = body.get("prompt") or body["messages"][-1]["content"]
            words = answer(prompt)
            place = (lambda text: {"text": text}) if kind == "text" else (lambda text: {"delta": {"content": text}})
            rows = [{"choices": [{"index": 0, **place(words[i:i + 4]), "finish_reason": None}]} for i in range(0, len(words), 4)]
            rows.append({"choices": [{"index": 0, **place(""), "finish_reason": "length"}]})
            if usage:
                rows.append({"choices": [], "usage": {"prompt_tokens": len(prompt) // 4, "completion_tokens": body["max_tokens"]}})
            return tuple(rows)
        return post
    return events("text"), events("chat")


def vllm(answer):
    """vLLM's API with its version and metrics."""
    text, chat = _openai(answer)
    gets = {"/version": {"version": "0.30.0"}, "/v1/models": {"object": "list", "data": [{"id": "meta/llama", "object": "model", "owned_by": "vllm"}]},
            "/metrics": "# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running{model_name=\"meta/llama\"} 2.0\n"}
    return gets, {"/v1/completions": text, "/v1/chat/completions": chat}


def lmstudio(answer):
    """LM Studio's own API beside OpenAI's."""
    _, chat = _openai(answer)
    rows = [{"id": "nomic-embed", "object": "model", "type": "embeddings", "state": "loaded"},
            {"id": "qwen2-7b", "object": "model", "type": "llm", "state": "not-loaded"},
            {"id": "llama-3.1-8b", "object": "model", "type": "llm", "state": "loaded", "quantization": "Q4_K_M"}]

    def complete(body):
        return {"object": "text_completion", "choices": [{"index": 0, "text": answer(body["prompt"]), "finish_reason": "length"}],
                "usage": {"prompt_tokens": len(body["prompt"]) // 4, "completion_tokens": body["max_tokens"]},
                "stats": {"tokens_per_second": 57.7, "time_to_first_token": 0.5, "generation_time": 0.2, "stop_reason": "maxPredictedTokensReached"}}

    return {"/api/v0/models": {"object": "list", "data": rows}, "/v1/models": {"object": "list", "data": rows}}, {
        "/api/v0/completions": complete, "/v1/chat/completions": chat}


def lemonade(answer, device="gpu"):
    """Lemonade's API: health with the loaded models, system-info with the backends."""
    text, chat = _openai(answer)
    loaded = {"model_name": "Qwen3-8B-GGUF", "type": "llm", "device": device, "recipe": "llamacpp", "pid": 12346,
              "recipe_options": {"ctx_size": 8192, "llamacpp_backend": "rocm"}, "backend_url": "http://127.0.0.1:8002/v1"}
    info = {"devices": {"amd_gpu": [{"name": "AMD Radeon 890M", "vram_gb": 0.5, "available": True, "family": "gfx1150"}]},
            "recipes": {"llamacpp": {"default_backend": "vulkan", "backends": {"vulkan": {"state": "installed"}, "rocm": {"state": "installed"},
                                                                              "cpu": {"state": "installable"}}}}}
    gets = {"/api/v1/health": {"status": "ok", "version": "9.3.3", "model_loaded": "Qwen3-8B-GGUF", "all_models_loaded": [loaded]},
            "/api/v1/models": {"object": "list", "data": [{"id": "Qwen3-8B-GGUF"}]}, "/api/v1/system-info": info,
            "/api/version": {"version": "0.5.0"}, "/api/tags": {"models": []}}
    return gets, {"/api/v1/completions": text, "/api/v1/chat/completions": chat}


@contextlib.contextmanager
def raw(talk):
    """A server that does whatever ``talk(connection)`` does, once per connection; its port."""
    listener = socket.create_server(("127.0.0.1", 0))
    stop = threading.Event()

    def one(connection):
        with contextlib.suppress(OSError):
            connection.recv(65536)
            talk(connection)
        connection.close()

    def loop():
        while not stop.is_set():
            with contextlib.suppress(OSError):
                connection, _ = listener.accept()
                threading.Thread(target=one, args=(connection,), daemon=True).start()

    threading.Thread(target=loop, daemon=True).start()
    try:
        yield listener.getsockname()[1]
    finally:
        stop.set()
        listener.close()


def drip(connection, head, byte, pause=0.05):
    """One byte at a time, for ever."""
    connection.sendall(head)
    while True:
        connection.sendall(byte)
        time.sleep(pause)
