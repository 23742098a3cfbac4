"""The clients that are tried."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from lib.installs import ROOT, node_folder, python, python_environment
from node22 import node22

GROUPS = ("python", "typescript", "fastmcp", "bridge", "inspector", "hermes", "codex", "claude")
MODERN, LEGACY, CODEX_ERA = "2026-07-28", "2025-11-25", "2025-06-18"
BY_HAND = "address and header"


@dataclass(frozen=True)
class Case:
    """One client in one protocol era.

    `command` installs it and answers how to start what drives it; `programs` are the folders
    in which its own programs are found. `snippet` names the product's text that it is
    configured with; a client without one is given address and token by its driver.
    """

    group: str
    client: str
    era: str
    does: str
    command: Callable[[], list]
    snippet: str | None = None
    programs: Callable[[], list[Path]] = field(default=list)
    slow: bool = False


def python_client(lock: str, script: str, *arguments: str) -> Callable[[], list]:
    return lambda: [python_environment(lock), ROOT / script, *arguments]


def node_client(script: str, *arguments: str) -> Callable[[], list]:
    return lambda: ["node", node_folder("typescript") / script, *arguments]


def driver(script: str, *arguments: str) -> Callable[[], list]:
    """A driver that needs nothing but Python; the client is found by its name."""
    return lambda: [python(), ROOT / script, *arguments]


def hermes() -> list[Path]:
    return [python_environment(HERMES).parent]


def codex() -> list[Path]:
    return [node_folder("codex") / "node_modules" / ".bin"]


def claude() -> list[Path]:
    """The program itself, without the step that links it at its installation."""
    packages = node_folder("claude") / "node_modules" / "@anthropic-ai"
    found = [file.parent for file in packages.glob("claude-code-*/claude")]
    if not found:
        raise RuntimeError("there is no Claude Code for this machine")
    return found


def bridge() -> list[Path]:
    return [node_folder("bridge") / "node_modules" / ".bin"]


def inspector() -> list[Path]:
    return [node_folder("inspector") / "node_modules" / ".bin", node22().parent]


HERMES = "hermes/requirements.txt"
V1, V2 = "python/requirements-sdk-v1.txt", "python/requirements-sdk-v2.txt"
FASTMCP = "python/requirements-fastmcp.txt"
CALLS, TURN = "every call", "a whole agent turn"

CASES = [
    Case("python", "Python SDK 2.x", MODERN, CALLS, python_client(V2, "python/sdk_v2.py", "auto")),
    Case("python", "Python SDK 2.x", LEGACY, CALLS, python_client(V2, "python/sdk_v2.py", "legacy")),
    Case("python", "Python SDK 1.x", LEGACY, CALLS, python_client(V1, "python/sdk_v1.py")),
    Case("typescript", "TypeScript client 2.x", MODERN, CALLS, node_client("sdk-v2.mjs", "auto")),
    Case("typescript", "TypeScript client 2.x", LEGACY, CALLS, node_client("sdk-v2.mjs", "legacy")),
    Case("typescript", "TypeScript SDK 1.x", LEGACY, CALLS, node_client("sdk-v1.mjs")),
    Case("fastmcp", "FastMCP", MODERN, CALLS,
         python_client(FASTMCP, "python/fast.py", "auto"), "cursor"),
    Case("fastmcp", "FastMCP", LEGACY, CALLS,
         python_client(FASTMCP, "python/fast.py", "legacy"), "cursor"),
    Case("bridge", "mcp-remote", MODERN, CALLS,
         python_client(V2, "python/bridge.py", "auto"), "mcp-remote", bridge),
    Case("bridge", "mcp-remote", LEGACY, CALLS,
         python_client(V2, "python/bridge.py", "legacy"), "mcp-remote", bridge),
    Case("inspector", "MCP Inspector CLI", MODERN, CALLS,
         driver("inspector/client.py", "modern"), None, inspector, slow=True),
    Case("inspector", "MCP Inspector CLI", LEGACY, CALLS,
         driver("inspector/client.py", "legacy"), None, inspector, slow=True),
    Case("hermes", "Hermes Agent", LEGACY, "`mcp test`, every call through its registry",
         python_client(HERMES, "hermes/client.py"), "hermes", hermes),
    Case("hermes", "Hermes Agent", LEGACY, TURN, driver("hermes/turn.py"), "hermes", hermes, slow=True),
    Case("codex", "Codex", CODEX_ERA, "every call through its app-server",
         driver("codex/client.py"), "codex", codex),
    Case("codex", "Codex", CODEX_ERA, TURN, driver("codex/turn.py"), "codex", codex),
    Case("claude", "Claude Code", MODERN, f"`mcp get`, {TURN}",
         driver("claude/client.py", "auto"), "claude-code", claude),
    Case("claude", "Claude Code", LEGACY, f"`mcp get`, {TURN}",
         driver("claude/client.py", "legacy"), "claude-code", claude),
]

SHOWN = "shows the fault's text, goes on"

FAULTS = [
    Case("typescript", "TypeScript SDK 1.x", LEGACY, SHOWN, node_client("sdk-v1.mjs", "fault")),
    Case("typescript", "TypeScript client 2.x", MODERN, SHOWN, node_client("sdk-v2.mjs", "auto", "fault")),
    Case("typescript", "TypeScript client 2.x", LEGACY, SHOWN, node_client("sdk-v2.mjs", "legacy", "fault")),
    Case("python", "Python SDK 2.x", MODERN, SHOWN, python_client(V2, "python/sdk_v2.py", "auto", "fault")),
    Case("python", "Python SDK 1.x", LEGACY, SHOWN, python_client(V1, "python/sdk_v1.py", "fault")),
    Case("hermes", "Hermes Agent", LEGACY, SHOWN, python_client(HERMES, "hermes/meets_fault.py"), "hermes", hermes),
    Case("claude", "Claude Code", MODERN, SHOWN, driver("claude/client.py", "auto", "fault"),
         "claude-code", claude),
]
