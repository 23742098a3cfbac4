"""mcp-remote, started as the snippet says, with the Python SDK 2.x for the local client."""

import json
import os
import sys
from pathlib import Path

import anyio
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from scenario import agent_side, answer_of


def bridge() -> StdioServerParameters:
    entry = json.loads(Path("mcp.json").read_text())["mcpServers"]["ql"]
    environment = {key: os.environ[key] for key in ("PATH", "HOME", "npm_config_offline")}
    return StdioServerParameters(command=entry["command"], args=entry["args"],
                                 env=environment | entry["env"])


async def main(mode: str) -> None:
    # npx takes an installed package before it looks for one.
    installed = next(Path(folder).parent for folder in os.environ["PATH"].split(os.pathsep)
                     if (Path(folder) / "mcp-remote").exists())
    Path("node_modules").symlink_to(installed)
    with anyio.fail_after(60):
        async with Client(stdio_client(bridge()), mode=mode) as client:
            async def call(tool: str, arguments: dict) -> dict:
                result = await client.call_tool(tool, arguments)
                return answer_of(result.content[0].text, result.structured_content, result.is_error)

            listed = await client.list_tools()
            await agent_side(call, {tool.name for tool in listed.tools})
    manifest = installed / "mcp-remote" / "package.json"
    print(json.loads(manifest.read_text())["version"])


anyio.run(main, sys.argv[1])
