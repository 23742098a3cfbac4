"""Codex: every call through `codex app-server`."""

import asyncio

from app_server import AppServer, with_server
from scenario import agent_side, check


async def story(server: AppServer) -> None:
    status = await server.request("mcpServerStatus/list", {})
    ours = {entry["name"]: entry for entry in status["data"]}
    check("ql" in ours, "Codex does not know the server", status)
    thread = await server.thread()

    async def call(tool: str, arguments: dict) -> dict:
        return await server.call(thread, tool, arguments)

    await agent_side(call, set(ours["ql"]["tools"]))


asyncio.run(with_server(story))
