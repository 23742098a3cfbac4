"""Hermes on a machine of its own: profiles in an empty home folder, and their gateways."""

import json
import socket
import subprocess
import time
import urllib.request
from pathlib import Path

from lib.home import Home

READY_SECONDS = 60
MODEL = """
model:
  provider: custom
  base_url: "{url}/v1"
  default: scripted
  context_length: 131072
"""
SERVERS = """
mcp_servers:
  ql:
    url: "{url}"
    headers:
      Authorization: "Bearer ${{QUERYLAYER_TOKEN}}"
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Hermes:
    """The commands of Hermes, typed in one home folder."""

    def __init__(self, home: Home):
        self.home = home
        self.root = home.folder / ".hermes"
        self.root.mkdir(exist_ok=True)

    def folder(self, profile: str) -> Path:
        return self.root / "profiles" / profile

    def profile(self, *words: str) -> None:
        """`hermes profile …`, with yes to whatever it asks."""
        done = subprocess.run(["hermes", "profile", *words], env=self.home.environment, input="y\n" * 3,
                              cwd=self.home.folder, capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            raise AssertionError(f"hermes profile {' '.join(words)}: {done.stdout}{done.stderr}")

    def create(self, profile: str, model: str, mcp: str, token: str) -> None:
        """A profile that thinks with `model`, may call `mcp`, and whose gateway has an API server."""
        self.profile("create", profile)
        folder = self.folder(profile)
        (folder / "config.yaml").write_text(MODEL.format(url=model) + SERVERS.format(url=mcp))
        (folder / ".env").write_text("".join([
            "API_SERVER_ENABLED=true\n", f"API_SERVER_KEY=a-key-of-{profile}-alone\n",
            f"API_SERVER_PORT={free_port()}\n", f"QUERYLAYER_TOKEN={token}\n",
            "OPENAI_API_KEY=none-is-needed\n",
        ]))

    def settings(self, profile: str) -> dict:
        lines = (self.folder(profile) / ".env").read_text().splitlines()
        return dict(line.split("=", 1) for line in lines if "=" in line)

    def run(self, script: str, profile: str) -> str:
        """Runs a script inside of Hermes, as a profile's own process would."""
        extra = {"HERMES_HOME": str(self.folder(profile))}
        done = self.home.run(["python", "-c", script], **extra)
        if done.returncode != 0:
            raise AssertionError(f"{script}: {done.stderr[-2000:]}")
        return done.stdout


class Gateway:
    """`hermes gateway run` for one profile, for one `with` block."""

    def __init__(self, hermes: Hermes, profile: str):
        self.hermes, self.profile = hermes, profile
        settings = hermes.settings(profile)
        self.url = f"http://127.0.0.1:{settings['API_SERVER_PORT']}"
        self.key = settings["API_SERVER_KEY"]

    def __enter__(self) -> "Gateway":
        self.log = (self.hermes.home.folder / f"{self.profile}.log").open("w+")
        self.process = subprocess.Popen(
            ["hermes", "-p", self.profile, "gateway", "run"], env=self.hermes.home.environment,
            cwd=self.hermes.home.folder, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        until = time.monotonic() + READY_SECONDS
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() > until:
                self.log.seek(0)
                said = self.log.read()[-2000:]
                self.__exit__()
                raise AssertionError(f"the gateway of {self.profile} doesn't run: {said}")
            time.sleep(0.2)
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.log.close()

    def answers(self) -> bool:
        try:
            return self.get("/health")["status"] == "ok"
        except (OSError, ValueError):
            return False

    def get(self, path: str, method: str = "GET") -> dict:
        headers = {"Authorization": f"Bearer {self.key}"}
        request = urllib.request.Request(self.url + path, headers=headers, method=method)
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)

    def delete(self, path: str) -> None:
        self.get(path, "DELETE")

    def sessions(self) -> set[str]:
        listed = self.get("/api/sessions?limit=200&include_children=true")
        return {session["id"] for session in listed["data"]}
