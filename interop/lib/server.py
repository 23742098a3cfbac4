"""A throw-away QueryLayer server, started with `quickstart` and ended by its process id."""

import json
import os
import queue
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path

READY_SECONDS = 60


class Quickstart:
    """Starts the server on a free port with a fresh data folder, for one `with` block."""

    def __init__(self, binary: Path):
        self.binary = binary
        self.folder = Path(tempfile.mkdtemp(prefix="ql-interop-"))
        self.process: subprocess.Popen | None = None
        self.info: dict = {}

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def __enter__(self) -> "Quickstart":
        log = (self.folder / "server.log").open("w")
        self.process = subprocess.Popen(
            [self.binary, "quickstart", "--json", "--data", self.data,
             "--listen", "127.0.0.1:0"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, text=True,
            env=environment(),
        )
        try:
            self.info = json.loads(first_line(self.process, READY_SECONDS))
        except Exception:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def snippet(self, client: str, url: str) -> dict:
        """What the product prints for one client of `url`: `{file, language, text, token, …}`."""
        done = self.command("connection", "snippets", "--url", url, "--client", client, "--json")
        return json.loads(done)[0]

    def command(self, *arguments: str) -> str:
        """What a command of the product prints, which must succeed."""
        return subprocess.run(
            [self.binary, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
            check=True, env=environment(),
        ).stdout


def environment() -> dict[str, str]:
    """The caller's environment without settings that would change the server."""
    return {
        key: value for key, value in os.environ.items()
        if not key.startswith("QUERYLAYER_") and key != "DATABASE_URL"
    }


def first_line(process: subprocess.Popen, seconds: int) -> str:
    """The first line of standard output; the rest is read and dropped, so nothing blocks."""
    lines: queue.Queue[str] = queue.Queue()

    def drain() -> None:
        lines.put(process.stdout.readline())
        for _ in process.stdout:
            pass

    threading.Thread(target=drain, daemon=True).start()
    try:
        line = lines.get(timeout=seconds)
    except queue.Empty:
        raise RuntimeError(f"the server printed nothing within {seconds} s") from None
    if not line:
        raise RuntimeError(f"the server ended with status {process.wait()} before it was ready")
    return line
