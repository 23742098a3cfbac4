"""A pass-through on loopback that notes what a client really sends and is answered."""

import http.client
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length"}


class Server(ThreadingHTTPServer):
    """Serves clients that may hang up, which is nobody's mistake."""

    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class Wire:
    """Listens on a free port and forwards to `target` for one `with` block.

    A control changes what comes back.
    """

    def __init__(self, target: str, change: Callable[[bytes], bytes] = bytes):
        self.target = urlsplit(target)
        self.change = change
        self.statuses: set[tuple[str, str, int]] = set()
        self.eras: set[str] = set()
        self.calls = 0
        self.server = Server(("127.0.0.1", 0), self.handler())

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}{self.target.path}"

    def __enter__(self) -> "Wire":
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()

    def forget(self) -> None:
        self.statuses, self.eras, self.calls = set(), set(), 0

    def note(self, request: BaseHTTPRequestHandler, body: bytes, status: int) -> None:
        headers = request.headers
        self.statuses.add((request.command, request.path, status))
        if b'"tools/call"' in body:
            self.calls += 1
            self.eras.add(headers.get("MCP-Protocol-Version", "none sent"))

    def handler(self) -> type[BaseHTTPRequestHandler]:
        wire = self

        class Forward(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def forward(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                upstream = http.client.HTTPConnection(wire.target.hostname, wire.target.port)
                kept = {k: v for k, v in self.headers.items() if k.lower() not in HOP_BY_HOP}
                upstream.request(self.command, self.path, body or None, kept)
                answer = upstream.getresponse()
                content = wire.change(answer.read())
                upstream.close()
                wire.note(self, body, answer.status)
                self.send_response(answer.status)
                for key, value in answer.getheaders():
                    if key.lower() not in HOP_BY_HOP:
                        self.send_header(key, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(content)

            do_GET = do_POST = do_DELETE = do_HEAD = do_OPTIONS = forward

            def log_message(self, *_: object) -> None:
                """Silent: the notes are the log."""

        return Forward
