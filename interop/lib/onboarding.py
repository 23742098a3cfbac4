"""Follows docs/agent-onboarding.md and the readme word for word: an agent set up by its commands, each client
set up by its blocks, and access taken away again."""

import json
import re
import urllib.error
import urllib.request
from pathlib import Path

from lib.cases import CASES, Case
from lib.home import Home, last_words
from lib.manual import ONBOARDING, README, Block, Manual
from lib.server import Quickstart

CLIENTS = {"Hermes": "hermes", "Codex": "codex", "Claude Code": "claude", "mcp-remote bridge": "bridge",
           "Cursor": "fastmcp"}
FIRST = ("Codex", "Claude Code")


def follow(server: Quickstart) -> list[dict]:
    """One row for the commands and one for each client that can be run."""
    programs = server.folder / "bin"
    programs.mkdir()
    (programs / "querylayer").symlink_to(server.binary)
    reader = Reader(server, programs)
    rows = [row("Setting up by commands", "is typed", reader.set_up)]
    if rows[0]["passed"]:
        rows += [client(reader, title, group) for title, group in CLIENTS.items()]
        rows += [client(reader, title, CLIENTS[title], README) for title in FIRST]
        rows.append(row("Any other client", "is typed", reader.any_other))
        rows.append(row("Taking access away", "is typed, and ends it", reader.take_away))
    return rows


def client(reader: "Reader", title: str, group: str, document: Path = ONBOARDING) -> dict:
    case = next(case for case in CASES if case.group == group)
    does = "its blocks are put in place, then every call or a turn"
    if group == "fastmcp":
        does = "its file is read by FastMCP, then every call"
    part = title if document == ONBOARDING else f"{title}, by the readme"
    return row(part, does, lambda: reader.set_up_client(title, case, document))


def row(part: str, does: str, do) -> dict:
    made = {"client": part, "version": "", "era": "", "does": does, "passed": False}
    try:
        made["version"] = do() or ""
        return made | {"result": "passed", "passed": True}
    except Exception as problem:
        return made | {"result": f"FAILED: {problem}"}


class Reader:
    """Somebody who follows the document, beside a running server."""

    def __init__(self, server: Quickstart, programs: Path):
        self.server = server
        self.programs = programs
        self.filled = {"DIR": str(server.folder / "data")}
        self.token = ""

    def blocks(self, heading: str, document: Path = ONBOARDING) -> list[Block]:
        manual = Manual(document, **self.filled)
        found = manual.blocks(heading, self.server.info["mcp_url"])
        assert found, f"nothing to do stands under {heading}"
        return found

    def typed(self, home: Home, command: str) -> str:
        done = home.type(command)
        assert done.returncode == 0, f"{command.strip()} failed: {last_words(done)}"
        return done.stdout

    def set_up(self) -> None:
        """The commands in their order; what one prints is filled into the next ones."""
        heading = "## Clean-room setup by commands"
        with Home("", [self.programs]) as home:
            for number in range(len(self.blocks(heading))):
                self.keep(self.typed(home, self.blocks(heading)[number].text))
        assert self.token and "CONNECTION" in self.filled, f"only {self.filled} came out"
        with Home(self.token, [self.programs]) as home:
            home.exports = f"export QUERYLAYER_TOKEN={self.token}\n"
            for heading in ("## First call", "## When it doesn't work"):
                said = self.typed(home, self.blocks(heading)[0].text)
                assert "Desk writer" in said, f"{heading} says {said}"

    def keep(self, said: str) -> None:
        """Remembers the ids and the token that a command printed."""
        for line in said.splitlines():
            if found := re.fullmatch(r"id: ((agt|con)_\w+)", line):
                self.filled["AGENT" if found[2] == "agt" else "CONNECTION"] = found[1]
            elif line.startswith("token: "):
                self.token = line.removeprefix("token: ")

    def set_up_client(self, title: str, case: Case, document: Path) -> str:
        """Puts the blocks where they go, runs the client's own check, and does its work."""
        with Home(self.token, case.programs()) as home:
            for block in self.blocks(f"### {title}", document):
                if block.expected:
                    said = self.typed(home, block.text)
                    assert block.expected in said, f"{block.text.strip()} says {said}"
                else:
                    home.put({"file": block.file, "language": block.language, "text": block.text})
            done = home.type(" ".join(f"'{word}'" for word in case.command()))
        assert done.returncode == 0, last_words(done)
        return done.stdout.strip().splitlines()[-1]

    def any_other(self) -> None:
        config, token = self.blocks("### Any other client")
        with Home(self.token, []) as home:
            home.put({"file": token.file, "language": token.language, "text": token.text})
            said = self.typed(home, config.text)
        assert '"name":"querylayer"' in said, f"the answer is {said}"

    def take_away(self) -> None:
        """Each command of the table, and what it does to the token in use."""
        before = self.tools(self.token)
        assert "querylayer_create_draft" in before, f"the token opens {before}"
        with Home("", [self.programs]) as home:
            old = self.token
            self.keep(self.typed(home, self.command("connection rotate")))
            assert self.tools(old) is None and self.tools(self.token) == before
            self.typed(home, self.command("agent permit"))
            narrowed = self.tools(self.token)
            assert narrowed and "querylayer_create_draft" not in narrowed, f"still {narrowed}"
            self.typed(home, self.command("connection revoke"))
        assert self.tools(self.token) is None, "the connection wasn't ended"

    def command(self, word: str) -> str:
        spans = Manual(ONBOARDING, **self.filled).spans("## Taking access away")
        return next(span for span in spans if word in span)

    def tools(self, token: str) -> list[str] | None:
        """What the token lists; none if it opens nothing."""
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode()
        request = urllib.request.Request(self.server.info["mcp_url"], body, {
            "Content-Type": "application/json", "Authorization": f"Bearer {token}"})
        try:
            with urllib.request.urlopen(request) as answer:
                return sorted(tool["name"] for tool in json.load(answer)["result"]["tools"])
        except urllib.error.HTTPError as refused:
            assert refused.code == 401, f"the answer was {refused.code}"
            return None
