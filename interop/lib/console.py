"""The Agent Console of a throw-away server: an agent, a person, and their conversation."""

import json

from lib.person import Person
from lib.server import Quickstart


class Console:
    """An agent that may do everything, and a person who writes to it."""

    def __init__(self, server: Quickstart, *harness: str):
        self.server, self.person = server, Person(server)
        self.agent = self.own("agent", "create", harness[1], *harness)["id"]
        self.own("agent", "permit", self.agent, "--site", "elmsea", "--scopes", "all")
        issued = self.own("connection", "create", harness[1], "--agent", self.agent, "--site", "elmsea")
        self.token = issued["token"]
        self.begin()

    def own(self, *words: str) -> dict:
        """A command of the server's operator."""
        return json.loads(self.server.command(*words, "--json", "--data", str(self.server.data)))

    def begin(self) -> None:
        begun = {"agent": self.agent, "site": self.server.info["site"]}
        self.conversation = self.person.post("/console/conversations", begun)["id"]

    def say(self, message: str) -> None:
        self.person.post(f"/console/conversations/{self.conversation}/turns", {"message": message})

    def cancel(self) -> None:
        self.person.post(f"/console/turns/{self.read()[1]['id']}/cancel", {})

    def read(self) -> tuple[dict, dict]:
        """The conversation, and its newest turn."""
        record = self.person.get(f"/console/conversations/{self.conversation}")
        return record, max(record["turns"], key=lambda turn: turn["number"])
