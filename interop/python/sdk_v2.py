"""The official Python SDK 2.x, in the era named by the first argument (auto or legacy)."""

import os
import sys
from importlib.metadata import version

import anyio
import httpx2
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from fault import fault_side
from scenario import agent_side, answer_of

HEADERS = {"Authorization": f"Bearer {os.environ['QUERYLAYER_TOKEN']}"}


async def story(client: Client) -> None:
    async def call(tool: str, arguments: dict) -> dict:
        result = await client.call_tool(tool, arguments)
        return answer_of(result.content[0].text, result.structured_content, result.is_error)

    async def raw(tool: str, arguments: dict) -> tuple[str, bool]:
        result = await client.call_tool(tool, arguments)
        return result.content[0].text, result.is_error

    if "fault" in sys.argv:
        return await fault_side(raw)
    listed = await client.list_tools()
    await agent_side(call, {tool.name for tool in listed.tools})


async def main(mode: str) -> None:
    async with httpx2.AsyncClient(headers=HEADERS, timeout=30) as http:
        transport = streamable_http_client(os.environ["QUERYLAYER_URL"], http_client=http)
        async with Client(transport, mode=mode) as client:
            await story(client)
    print(version("mcp"))


anyio.run(main, sys.argv[1])
