"""MCP Inspector's command line: one process for each call, in the era of the first argument."""

import asyncio
import json
import os
import sys

from scenario import agent_side, answer_of, check

COMMON = [
    "mcp-inspector", "--cli", os.environ["QUERYLAYER_URL"], "--transport", "http",
    "--header", f"Authorization: Bearer {os.environ['QUERYLAYER_TOKEN']}",
    "--protocol-era", sys.argv[1], "--quiet",
]


async def inspect(*options: str) -> dict:
    process = await asyncio.create_subprocess_exec(
        *COMMON, *options, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE)
    said, complaint = await process.communicate()
    check(process.returncode == 0, "the Inspector failed", (said + complaint).decode())
    return json.loads(said)


async def call(tool: str, arguments: dict) -> dict:
    result = await inspect("--method", "tools/call", "--tool-name", tool,
                           "--tool-args-json", json.dumps(arguments))
    return answer_of(result["content"][0]["text"], result.get("structuredContent"),
                     result.get("isError"))


async def main() -> None:
    listed = await inspect("--method", "tools/list")
    await agent_side(call, {tool["name"] for tool in listed["tools"]})
    process = await asyncio.create_subprocess_exec(
        "mcp-inspector", "--cli", "--version", stdout=asyncio.subprocess.PIPE)
    print((await process.communicate())[0].decode().split()[-1])


asyncio.run(main())
