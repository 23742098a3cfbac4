"""The official Python SDK 1.x, which knows the eras with an initialize handshake only."""

import os
import sys
from importlib.metadata import version

import anyio
import httpx
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client

from fault import fault_side
from scenario import agent_side, answer_of

HEADERS = {"Authorization": f"Bearer {os.environ['QUERYLAYER_TOKEN']}"}


async def story(session: ClientSession) -> None:
    async def call(tool: str, arguments: dict) -> dict:
        result = await session.call_tool(tool, arguments)
        return answer_of(result.content[0].text, result.structuredContent, result.isError)

    async def raw(tool: str, arguments: dict) -> tuple[str, bool]:
        result = await session.call_tool(tool, arguments)
        return result.content[0].text, result.isError

    with anyio.fail_after(20):
        await session.initialize()
    if "fault" in sys.argv:
        return await fault_side(raw)
    listed = await session.list_tools()
    await agent_side(call, {tool.name for tool in listed.tools})


async def main() -> None:
    async with httpx.AsyncClient(headers=HEADERS, timeout=30) as http:
        url = os.environ["QUERYLAYER_URL"]
        async with streamable_http_client(url, http_client=http) as (read, write, _):
            async with ClientSession(read, write) as session:
                await story(session)
    print(version("mcp"))


anyio.run(main)
