"""Hermes Agent: `hermes mcp test ql`, then every call through its own tool registry."""

import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import anyio

from scenario import TOOLS, agent_side, check

PREFIX = "mcp__ql__"
# The control goes on after refusals that were made errors on their way.
CONTROL = "control" in sys.argv


def mcp_test() -> None:
    """The command that an operator runs. It exits 0 even when it failed, so its words count."""
    hermes = Path(sys.executable).with_name("hermes")
    done = subprocess.run([hermes, "mcp", "test", "ql"], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True)
    said = done.stdout + done.stderr
    check("Connected" in said, "hermes mcp test did not connect", said)
    check(all(tool in said for tool in TOOLS), "hermes mcp test does not show all tools", said)


async def call(tool: str, arguments: dict) -> dict:
    """Hermes gives `{"result", "structuredContent"?}`; both must hold the same answer."""
    from tools.registry import registry

    wrapped = json.loads(registry.dispatch(PREFIX + tool, arguments))
    if CONTROL and wrapped.get("error", "").startswith("{"):
        return json.loads(wrapped["error"])
    check("result" in wrapped, "Hermes took the answer for an error", wrapped)
    answer = json.loads(wrapped["result"])
    structured = wrapped.get("structuredContent", answer)
    check(structured == answer, "text and structure differ", wrapped)
    return answer


def main() -> None:
    mcp_test()
    from tools import mcp_tool

    names = mcp_tool.discover_mcp_tools()
    try:
        anyio.run(agent_side, call, {name.removeprefix(PREFIX) for name in names})
    finally:
        mcp_tool.shutdown_mcp_servers()
    print(version("hermes-agent"))


main()
