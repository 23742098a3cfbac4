"""Claude Code: `claude mcp get ql`, then a whole turn against the scripted model.

The first argument is the era; with `fault` the turn meets one.
"""

import os
import subprocess
import sys
from pathlib import Path

from lib.turn import play, scripted, version
from scenario import check

# `auto` is what it does by itself.
ERA = {"MCP_PROTOCOL_NEGOTIATION": sys.argv[1]}
NO_LOGIN = {"ANTHROPIC_API_KEY": "none-is-needed"}


def main() -> None:
    kept = (Path.home() / ".claude.json").read_text()
    check(os.environ["QUERYLAYER_TOKEN"] not in kept, "the token is kept in a file", kept)
    got = subprocess.run(["claude", "mcp", "get", "ql"], env=os.environ | ERA, text=True,
                         stdin=subprocess.DEVNULL, capture_output=True)
    check("Connected" in got.stdout, "claude mcp get does not connect", got.stdout + got.stderr)
    with scripted(fault="fault" in sys.argv) as model:
        play(["claude", "--allowedTools", "mcp__ql", "-p"], model,
             ANTHROPIC_BASE_URL=model.url, **ERA, **NO_LOGIN)
    print(version(["claude", "--version"], 0))


main()
