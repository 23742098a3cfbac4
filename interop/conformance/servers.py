"""The servers that are tried, and the proxy before each."""

import json
import subprocess
from pathlib import Path

from lib.server import environment, first_line

READY_SECONDS = 60


class Program:
    """A program that prints one line when it's ready and ends when it's told to."""

    def __init__(self, command: list):
        self.command = command
        self.line = ""

    def __enter__(self) -> "Program":
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, env=environment(),
        )
        try:
            self.line = first_line(self.process, READY_SECONDS).strip()
        except Exception:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def fixture(binary: Path) -> Program:
    """The development fixture; its line is JSON with `mcp_url` and `token`."""
    return Program([binary])


def proxy(node: Path, folder: Path, info: dict) -> Program:
    """The proxy that adds the credential; its line is the address to use."""
    return Program([node, folder / "proxy.mjs", info["mcp_url"], info["token"]])


def described(program: Program) -> dict:
    return json.loads(program.line)
