"""An empty home folder, with what one client is told to put there and nothing else."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from lib.installs import CACHE, ROOT

LIMIT_SECONDS = 180
PLACEHOLDER = "PASTE-THE-TOKEN-HERE"


class Home:
    """Exists for one `with` block. `programs` are the folders where the client's program is."""

    def __init__(self, token: str, programs: list[Path]):
        self.token = token
        self.programs = programs
        self.exports = ""

    def __enter__(self) -> "Home":
        CACHE.mkdir(parents=True, exist_ok=True)
        self.folder = Path(tempfile.mkdtemp(prefix="home-", dir=CACHE))
        (self.folder / "tmp").mkdir()
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def environment(self) -> dict[str, str]:
        path = os.pathsep.join([*map(str, self.programs), os.environ["PATH"]])
        return {
            "PATH": path, "HOME": str(self.folder), "TMPDIR": str(self.folder / "tmp"),
            "LANG": "C.UTF-8", "NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": f"{ROOT / 'python'}{os.pathsep}{ROOT}",
            "HERMES_HOME": str(self.folder / ".hermes"), "CODEX_HOME": str(self.folder / ".codex"),
            # Claude Code asks nothing but the server, and npx takes what is installed.
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1",
            "npm_config_offline": "true",
        }

    def follow(self, snippet: dict) -> None:
        """Does what the product's snippet says: writes the file, or types the command."""
        if snippet["token"]:
            self.put(snippet["token"])
        self.put(snippet)

    def put(self, block: dict) -> None:
        """One block of text into the place that is named for it."""
        text = block["text"].replace(PLACEHOLDER, self.token)
        if block["language"] != "sh":
            file = self.place(block["file"])
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        elif text.startswith("export "):
            self.exports += text
        else:
            done = self.type(text)
            if done.returncode != 0:
                raise AssertionError(f"{text.strip()} failed: {done.stdout}{done.stderr}")

    def place(self, named: str) -> Path:
        if named == "the client's MCP configuration":
            return self.folder / "mcp.json"
        return self.folder / named.removeprefix("~/")

    def type(self, text: str) -> subprocess.CompletedProcess:
        """Types `text` into a shell in which the exports so far were typed."""
        return self.run(["sh", "-c", f"{self.exports}\n{text}"])

    def run(self, command: list, **extra: str) -> subprocess.CompletedProcess:
        """Runs a program here, with nobody at the keyboard."""
        return subprocess.run(command, env=self.environment | extra, cwd=self.folder,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=LIMIT_SECONDS)


def last_words(done: subprocess.CompletedProcess) -> str:
    lines = (done.stderr or done.stdout).strip().splitlines()
    return lines[-1][:300] if lines else f"exit status {done.returncode}"
