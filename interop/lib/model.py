"""A model server on loopback that plays a scenario instead of thinking.

The scenario is the one that the other clients run. Each of its calls leaves here as a tool
call of the model, and what the harness then sends as that call's result is the answer that
the scenario goes on with. So a whole agent turn is tried with no model behind it.
"""

import asyncio
import json
import queue
import re
import threading
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler

from lib.dialects import DIALECTS, Dialect
from lib.wire import Server

PREFIX = "mcp__ql__"
SEARCH = "ToolSearch"
DONE = "Drafted, with evidence; publication is asked for."
PATIENCE_SECONDS = 60

Scenario = Callable[[Callable[[str, dict], Awaitable[dict]], set[str]], Awaitable[None]]


@dataclass(frozen=True)
class Call:
    """A tool that the scenario wants called."""

    tool: str
    arguments: dict
    id: str = field(default_factory=lambda: f"call_{uuid.uuid4().hex[:24]}")


class Model:
    """Plays `scenario` once, to the first harness that offers it the tools of `ql`."""

    def __init__(self, scenario: Scenario):
        self.scenario = scenario
        self.steps: queue.Queue[Call | None] = queue.Queue()
        self.answers: queue.Queue[str] = queue.Queue()
        self.player: threading.Thread | None = None
        self.problem: BaseException | None = None
        self.finished = False
        self.searched = False
        self.called: str | None = None
        self.turn = threading.Lock()
        self.server = Server(("127.0.0.1", 0), self.handler())

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self) -> "Model":
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()

    def check(self) -> None:
        """That the scenario was played to its end."""
        if self.problem:
            raise self.problem
        if not self.finished:
            raise AssertionError("the harness ended the turn before the scenario was over")

    def play(self, tools: set[str]) -> None:
        async def call(tool: str, arguments: dict) -> dict:
            self.steps.put(Call(PREFIX + tool, arguments))
            return parsed(await asyncio.to_thread(self.answers.get))

        try:
            asyncio.run(self.scenario(call, tools))
            self.finished = True
        except BaseException as problem:
            self.problem = problem
        self.steps.put(None)

    def next(self, dialect: Dialect, request: dict) -> Call | str:
        """The model's next move: a call, or the words that end the turn."""
        offered = dialect.tools(request)
        tools = {name.removeprefix(PREFIX) for name in offered if name.startswith(PREFIX)}
        if not tools:
            return self.search(offered, request)
        if self.player is None:
            self.player = threading.Thread(target=self.play, args=(tools,), daemon=True)
            self.player.start()
        elif (result := dialect.results(request).get(self.called)) is not None:
            self.answers.put(result)
        move = self.steps.get(timeout=PATIENCE_SECONDS)
        self.called = move.id if move else None
        return move or DONE

    def search(self, offered: set[str], request: dict) -> Call | str:
        """Claude Code names the tools of servers and describes them when they are searched for."""
        named = set(re.findall(PREFIX + r"\w+", json.dumps(request)))
        if SEARCH not in offered or not named or self.searched:
            return DONE
        self.searched = True
        return Call(SEARCH, {"query": "select:" + ",".join(sorted(named)), "max_results": len(named)})

    def handler(self) -> type[BaseHTTPRequestHandler]:
        model = self

        class Answer(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                path = self.path.split("?")[0]
                dialect = next((d for d in DIALECTS if path.endswith(d.path)), None)
                if dialect is None:
                    return self.send({"error": f"nothing is at {path}"}, 404)
                with model.turn:
                    move = model.next(dialect, request)
                stream = bool(request.get("stream"))
                kind = "text/event-stream" if stream else "application/json"
                if isinstance(move, Call):
                    content = dialect.call(move, stream)
                else:
                    content = dialect.words(move, stream)
                self.send(content, 200, kind)

            def do_GET(self) -> None:
                self.send({"object": "list", "data": [{"id": "scripted", "object": "model"}]})

            def do_HEAD(self) -> None:
                self.send({})

            def send(self, content: dict | str, status: int = 200,
                     kind: str = "application/json") -> None:
                body = (content if isinstance(content, str) else json.dumps(content)).encode()
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Silent."""

        return Answer


def parsed(result: str) -> dict:
    """The answer inside of what a harness makes of a tool's result."""
    begin, end = result.find("{"), result.rfind("}")
    try:
        answer = json.loads(result[begin:end + 1])
    except ValueError:
        raise AssertionError(f"the harness gave the model no answer: {result[:500]}") from None
    # Hermes wraps what a tool said once more.
    while isinstance(answer.get("result"), str):
        answer = json.loads(answer["result"])
    return answer
