"""Hermes Agent: what its registry hands to the model when the server has a fault."""

import json
from importlib.metadata import version

import anyio

from fault import fault_side

PREFIX = "mcp__ql__"


async def raw(tool: str, arguments: dict) -> tuple[str, bool]:
    from tools.registry import registry

    wrapped = json.loads(registry.dispatch(PREFIX + tool, arguments))
    return wrapped.get("result") or wrapped["error"], "error" in wrapped


def main() -> None:
    from tools import mcp_tool

    mcp_tool.discover_mcp_tools()
    try:
        anyio.run(fault_side, raw)
    finally:
        mcp_tool.shutdown_mcp_servers()
    print(version("hermes-agent"))


main()
