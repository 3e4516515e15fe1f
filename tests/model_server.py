"""A real HTTP server on loopback that speaks the API of a model provider and behaves as it is told."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Behaviour:
    """What the server does with the next requests, one after the other; the last for ever. Each is (status, content,
    finish, extras)."""

    answers: list[dict[str, Any]]
    seen: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    url: str = ""


@contextmanager
def serving(*answers: dict[str, Any]) -> Iterator[Behaviour]:
    """Serve until the block ends."""
    behaviour = Behaviour(list(answers))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None: ...

        def do_POST(self) -> None:
            self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            behaviour.seen.append(body)
            behaviour.keys.append(self.headers.get("authorization", ""))
            one = behaviour.answers.pop(0) if len(behaviour.answers) > 1 else behaviour.answers[0]
            time.sleep(one.get("sleep", 0))
            if one.get("close"):
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            responses = self.path.endswith("/responses")
            whole = (_responses if responses else _chat)(one)
            data = one["body"].encode() if "body" in one else json.dumps(whole).encode()
            self.send_response(one.get("status", 200))
            self.send_header("content-type", "application/json")
            for name, value in one.get("headers", {}).items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            if one.get("dribble"):
                for at in range(len(data)):
                    self.wfile.write(data[at : at + 1])
                    self.wfile.flush()
                    time.sleep(one["dribble"])
            else:
                self.wfile.write(data)

        def handle(self) -> None:
            try:
                super().handle()
            except OSError:
                return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    behaviour.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield behaviour
    finally:
        server.shutdown()
        server.server_close()


def _chat(one: dict[str, Any]) -> dict[str, Any]:
    if one.get("status", 200) >= 400:
        return {"error": {"message": "no, and here is the customer's text", "type": "error", "code": one.get("code")}}
    message = {
        "role": "assistant",
        "content": one.get("content"),
        "refusal": one.get("refusal"),
        **one.get("message", {}),
    }
    return {
        "id": "c1", "object": "chat.completion", "created": 1, "model": "made-up-1",
        "choices": one.get("choices", [{"index": 0, "message": message, "finish_reason": one.get("finish", "stop")}]),
        "usage": {"prompt_tokens": 90, "completion_tokens": 7, "total_tokens": 97, "prompt_tokens_details": {"cached_tokens": 64}},
    }  # fmt: skip


def _responses(one: dict[str, Any]) -> dict[str, Any]:
    if one.get("status", 200) >= 400:
        return _chat(one)
    parts = [{"type": "output_text", "text": one.get("content") or "", "annotations": []}]
    if one.get("refusal"):
        parts = [{"type": "refusal", "refusal": one["refusal"]}]
    cut = one.get("finish") == "length"
    return {
        "id": "r1", "object": "response", "created_at": 1, "model": "made-up-1", "parallel_tool_calls": False,
        "tool_choice": "auto", "tools": [], "status": "incomplete" if cut else "completed", "error": None,
        "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
        "output": [{"id": "m1", "type": "message", "role": "assistant", "status": "completed", "content": parts}],
        "usage": {"input_tokens": 90, "output_tokens": 7, "total_tokens": 97, "input_tokens_details": {"cached_tokens": 64},
                  "output_tokens_details": {"reasoning_tokens": 0}},
    }  # fmt: skip
