"""`codex app-server` over JSON-RPC, with no model and no login."""

import asyncio
import json
import subprocess
from collections.abc import Awaitable, Callable

from scenario import answer_of, check


class AppServer:
    """One `codex app-server`, spoken to in JSON lines over its standard streams."""

    def __init__(self, process: asyncio.subprocess.Process):
        self.process = process
        self.number = 0

    def send(self, message: dict) -> None:
        self.process.stdin.write(json.dumps(message).encode() + b"\n")

    async def request(self, method: str, params: dict) -> dict:
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        while True:
            line = await asyncio.wait_for(self.process.stdout.readline(), 60)
            check(line, f"codex ended before it answered {method}", "nothing")
            message = json.loads(line)
            if "method" in message and "id" in message:
                self.refuse(message)
            elif message.get("id") == self.number:
                check("result" in message, f"{method} failed", message)
                return message["result"]

    def refuse(self, question: dict) -> None:
        """Nobody is there to answer Codex's questions."""
        error = {"code": -32601, "message": "not answered in this test"}
        self.send({"id": question["id"], "error": error})

    async def greet(self) -> None:
        await self.request("initialize", {
            "clientInfo": {"name": "querylayer-interop", "title": None, "version": "1"},
            "capabilities": None,
        })
        self.send({"method": "initialized"})

    async def thread(self) -> str:
        """A new thread's id."""
        started = await self.request("thread/start", {"ephemeral": True})
        return started["thread"]["id"]

    async def call(self, thread: str, tool: str, arguments: dict) -> dict:
        """Calls a tool of the server `ql`."""
        result = await self.request("mcpServer/tool/call", {
            "threadId": thread, "server": "ql", "tool": tool, "arguments": arguments,
        })
        return answer_of(result["content"][0]["text"], result.get("structuredContent"),
                         result.get("isError"))


async def with_server(story: Callable[[AppServer], Awaitable[None]]) -> None:
    """Runs a story with a server of its own, and prints Codex's version."""
    process = await asyncio.create_subprocess_exec(
        "codex", "app-server", stdin=subprocess.PIPE, stdout=subprocess.PIPE, limit=1 << 24)
    try:
        server = AppServer(process)
        await server.greet()
        await story(server)
    finally:
        process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), 10)
        except asyncio.TimeoutError:
            process.kill()
    said = subprocess.run(["codex", "--version"], capture_output=True, text=True, check=True)
    print(said.stdout.split()[-1])
