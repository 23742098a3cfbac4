"""FastMCP, in the era of the first argument, configured with the JSON that Cursor takes too."""

import asyncio
import json
import os
import sys
from importlib.metadata import version
from pathlib import Path

from fastmcp import Client

from scenario import agent_side, answer_of


async def main(mode: str) -> None:
    text = Path(".cursor/mcp.json").read_text()
    # FastMCP reads the form of the file; its variables are filled in by whoever loads it.
    config = json.loads(text.replace("${env:QUERYLAYER_TOKEN}", os.environ["QUERYLAYER_TOKEN"]))
    async with Client(config, mode=mode) as client:
        async def call(tool: str, arguments: dict) -> dict:
            result = await client.call_tool(tool, arguments, raise_on_error=False)
            return answer_of(result.content[0].text, result.structured_content, result.is_error)

        await agent_side(call, {tool.name for tool in await client.list_tools()})
    print(version("fastmcp"))


asyncio.run(main(sys.argv[1]))
