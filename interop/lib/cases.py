"""The clients that are tried, and how one of them is run."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lib.installs import CACHE, ROOT, node_folder, python, python_environment
from lib.server import Quickstart
from lib.wire import Wire

LIMIT_SECONDS = 180
GROUPS = ("python", "typescript", "hermes", "codex")
BAD_TOKEN = "qla_" + "0" * 36


@dataclass(frozen=True)
class Case:
    """One client in one protocol era. `command` installs it and answers how to start it."""

    group: str
    client: str
    era: str
    command: Callable[[], list]
    snippet: str | None = None


def python_client(lock: str, script: str, *arguments: str) -> Callable[[], list]:
    return lambda: [python_environment(lock), ROOT / script, *arguments]


def node_client(script: str, *arguments: str) -> Callable[[], list]:
    return lambda: ["node", node_folder("typescript") / script, *arguments]


def codex() -> list:
    launcher = node_folder("codex") / "node_modules" / "@openai" / "codex" / "bin" / "codex.js"
    return [python(), ROOT / "codex" / "client.py", launcher]


CASES = [
    Case("python", "Python SDK 2.x", "2026-07-28",
         python_client("python/requirements-sdk-v2.txt", "python/sdk_v2.py", "auto")),
    Case("python", "Python SDK 2.x", "2025-11-25",
         python_client("python/requirements-sdk-v2.txt", "python/sdk_v2.py", "legacy")),
    Case("python", "Python SDK 1.x", "2025-11-25",
         python_client("python/requirements-sdk-v1.txt", "python/sdk_v1.py")),
    Case("typescript", "TypeScript client 2.x", "2026-07-28", node_client("sdk-v2.mjs", "auto")),
    Case("typescript", "TypeScript client 2.x", "2025-11-25", node_client("sdk-v2.mjs", "legacy")),
    Case("typescript", "TypeScript SDK 1.x", "2025-11-25", node_client("sdk-v1.mjs")),
    Case("hermes", "Hermes Agent", "2025-11-25",
         python_client("hermes/requirements.txt", "hermes/client.py"), snippet="hermes"),
    Case("codex", "Codex", "2025-06-18", codex, snippet="codex"),
]


def run_case(case: Case, server: Quickstart) -> dict:
    """One row of the table: the whole story with the real token, nothing with a bad one."""
    row = {"client": case.client, "version": "?", "era": case.era, "passed": False}
    try:
        command = case.command()
        with Wire(server.info["mcp_url"]) as wire:
            row["version"] = accepted(case, command, server, wire)
            wire.forget()
            refused(case, command, server, wire)
        row |= {"result": "passed", "passed": True}
    except Exception as problem:
        row["result"] = f"FAILED: {problem}"
    return row


def accepted(case: Case, command: list, server: Quickstart, wire: Wire) -> str:
    """Runs the story, and answers the client's version, the last line that it prints."""
    done = start(case, command, server, wire, server.info["token"])
    if done.returncode != 0:
        print(done.stdout + done.stderr, flush=True)
        raise AssertionError(last_words(done))
    assert wire.eras == {case.era}, f"calls were made in {sorted(wire.eras)}, not {case.era}"
    assert wire.calls >= 10, f"only {wire.calls} calls reached the server"
    return done.stdout.strip().splitlines()[-1]


def refused(case: Case, command: list, server: Quickstart, wire: Wire) -> None:
    """The same with a token that was never issued: the client fails, having been told 401.

    Hermes also asks with HEAD and GET, methods that the endpoint doesn't have for anybody.
    """
    done = start(case, command, server, wire, BAD_TOKEN)
    assert done.returncode != 0, "the story went through with a bad token"
    posts = {status for method, status in wire.statuses if method == "POST"}
    others = {status for method, status in wire.statuses if method != "POST"}
    assert posts == {401} and others <= {401, 405}, f"a bad token met {sorted(wire.statuses)}"


def start(case: Case, command: list, server: Quickstart, wire: Wire,
          token: str) -> subprocess.CompletedProcess:
    """Runs the client in an empty home that holds the product's snippet and nothing else."""
    CACHE.mkdir(parents=True, exist_ok=True)
    home = Path(tempfile.mkdtemp(prefix="home-", dir=CACHE))
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8", "NO_COLOR": "1",
        "HERMES_HOME": str(home / ".hermes"), "CODEX_HOME": str(home / ".codex"),
        "PYTHONPATH": str(ROOT / "python"), "PYTHONDONTWRITEBYTECODE": "1",
        "QUERYLAYER_URL": wire.url, "QUERYLAYER_TOKEN": token,
    }
    try:
        configure(case, server, wire, home)
        return subprocess.run(command, env=environment, cwd=home, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=LIMIT_SECONDS)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def configure(case: Case, server: Quickstart, wire: Wire, home: Path) -> None:
    """Writes the product's own snippets for this client to the files that they name."""
    if case.snippet is None:
        return
    mine = [entry for entry in server.snippets(wire.url) if entry["client"] == case.snippet]
    assert mine, f"the product prints no snippet for {case.snippet}"
    for entry in mine:
        file = home / entry["file"].removeprefix("~/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(entry["text"])


def last_words(done: subprocess.CompletedProcess) -> str:
    lines = (done.stderr or done.stdout).strip().splitlines()
    return lines[-1][:200] if lines else f"exit status {done.returncode}"
