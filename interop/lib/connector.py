"""The connector beside the real Hermes: turns are taken to their sessions, and identity drills.

A person writes a turn, `querylayer connect hermes --once` is typed, and what became of the turn,
of Hermes' sessions and of what the model was shown is looked at.
"""

import json
import re
import shutil
from collections.abc import Callable

from lib.cases import HERMES, codex, driver
from lib.console import Console
from lib.dialects import Dialect
from lib.gateways import Gateway, Hermes
from lib.home import Home, last_words
from lib.installs import python_environment
from lib.model import PREFIX, Call, Model
from lib.server import Quickstart

TOOL = PREFIX + "querylayer_complete_console_task"
ROTATE = """
from hermes_state import SessionDB
db = SessionDB()
db.end_session("{old}", "compression")
for new in {new}:
    db.create_session(new, "api_server", parent_session_id="{old}")
"""


class ConsoleModel(Model):
    """Ends the turn by the tool where it's asked to, and answers in words otherwise."""

    def __init__(self):
        super().__init__(None)
        self.shown: list[list[dict]] = []

    def next(self, dialect: Dialect, request: dict) -> Call | str:
        messages = request["messages"]
        asked = [text(message) for message in messages if message["role"] == "user"][-1]
        if TOOL not in dialect.tools(request):
            return "A title"
        self.shown.append(messages)
        if "by the tool" not in asked or messages[-1]["role"] == "tool":
            return f"I did: {asked}"
        system = "\n".join(text(message) for message in messages if message["role"] == "system")
        told = dict(re.findall(r"^(turn_id|lease_token): (\S+)$", system, re.MULTILINE))
        return Call(TOOL, told | {"outcome": "completed", "message": f"Done by the tool: {asked}"})


def text(message: dict) -> str:
    content = message["content"] or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


class World(Console):
    """A server with a person, and a machine with Hermes and the connector."""

    def __init__(self, server: Quickstart, home: Home, model: Model):
        self.home, self.model = home, model
        self.server = server
        self.hermes = Hermes(home)
        self.hermes.create("writer", model.url, server.info["mcp_url"], "not issued yet")
        profile = self.type("connect", "hermes", "enroll", "--profile", "writer")["profile_id"]
        super().__init__(server, "--harness", "hermes", "--profile-id", profile)
        env = self.hermes.folder("writer") / ".env"
        env.write_text(env.read_text().replace("not issued yet", self.token))

    def type(self, *words: str) -> dict:
        done = self.home.run([self.server.binary, *words, "--json"])
        return json.loads(done.stdout)

    def round(self) -> list[str]:
        """One round of the connector: its events, each with its reason."""
        url = self.server.info["dashboard_url"]
        done = self.home.run([self.server.binary, "connect", "hermes", "--once", "--json", "--url", url],
                             QUERYLAYER_TOKEN=self.token)
        said = done.stdout + done.stderr
        assert self.token not in said and "lse_" not in said, "a secret is printed"
        assert not done.stderr, done.stderr
        events = [json.loads(line) for line in done.stdout.splitlines()]
        return [" ".join(filter(None, [event["event"], event.get("reason")])) for event in events]

    def expect(self, events: list[str], state: str, reason: str | None) -> dict:
        """One round that must come out so; the person is shown `reason`, or the link."""
        came = self.round()
        record, turn = self.read()
        assert (came[1:], turn["state"]) == (events, state), f"{came}, {turn}"
        assert record["runtime"]["reason"] == reason, f"the person is shown {record['runtime']}"
        return record


def resumed(world: World, gateway: Gateway) -> None:
    """A conversation gets one session; the next turn is taken to exactly that, and ends by the tool."""
    world.say("Remember the word shingle.")
    record = world.expect(["taken", "answered"], "completed", None)
    session = record["session_id"]
    assert gateway.sessions() == {session}, f"{gateway.sessions()} and {session}"
    world.say("Finish it by the tool.")
    record = world.expect(["taken", "ended"], "completed", None)
    assert world.read()[1]["reply"] == "Done by the tool: Finish it by the tool."
    assert gateway.sessions() == {session} and record["session_id"] == session, "another session"
    seen = json.dumps(world.model.shown[-1])
    assert "Remember the word shingle." in seen, "the session's history isn't there"
    kept = json.dumps(gateway.get(f"/api/sessions/{session}/messages"))
    assert "lse_" in seen and "This turn is a task of" not in kept, "the instructions are kept"


def forgotten(world: World, gateway: Gateway) -> None:
    """Hermes doesn't have the session any more, and nothing is begun in its place."""
    conversation, bound = world.conversation, world.read()[0]["session_id"]
    world.begin()
    world.say("Begin something else.")
    session = world.expect(["taken", "answered"], "completed", None)["session_id"]
    assert session != bound, "two conversations in one session"
    gateway.delete(f"/api/sessions/{session}")
    world.say("Go on.")
    world.expect(["not_taken session_missing"], "queued", "session_missing")
    assert gateway.sessions() == {bound}, "a session was put in its place"
    world.cancel()
    world.conversation = conversation


def cloned(world: World, gateway: Gateway) -> None:
    """A copy with everything is nobody, as is an imported export, until it's gone."""
    archive = str(world.home.folder / "writer.tar.gz")
    ways = {
        "copy": [("create", "copy", "--clone-all", "--clone-from", "writer")],
        "imported": [("export", "writer", "-o", archive), ("import", archive, "--name", "imported")],
    }
    world.say("Who are you?")
    before = gateway.sessions()
    for name, commands in ways.items():
        for command in commands:
            world.hermes.profile(*command)
        world.expect(["not_taken profile_ambiguous"], "queued", "profile_ambiguous")
        world.hermes.profile("delete", name, "-y")
    assert gateway.sessions() == before, "a session was begun"
    world.expect(["taken", "answered"], "completed", None)


def renamed(world: World) -> None:
    world.hermes.profile("rename", "writer", "author")
    try:
        with Gateway(world.hermes, "author"):
            world.say("Once more, under another name.")
            record = world.expect(["taken", "answered"], "completed", None)
            assert record["runtime"]["command"].startswith("hermes -p author --resume "), record
    finally:
        world.hermes.profile("rename", "author", "writer")


def elsewhere(world: World) -> None:
    """The session is under another profile, whose gateway runs too; then neither gateway runs."""
    world.hermes.create("other", world.model.url, world.server.info["mcp_url"], world.token)
    session = world.read()[0]["session_id"]
    move(world, "writer", "other")
    with Gateway(world.hermes, "writer") as gateway, Gateway(world.hermes, "other") as other:
        world.say("Where are you?")
        assert session in other.sessions() and session not in gateway.sessions()
        world.expect(["not_taken session_missing"], "queued", "session_missing")
        assert gateway.sessions() == set(), "a session was put in its place"
        env = world.hermes.folder("writer") / ".env"
        own = env.read_text()
        env.write_text((world.hermes.folder("other") / ".env").read_text())
        world.expect(["not_taken gateway_foreign"], "queued", "gateway_foreign")
        env.write_text(own)
    world.expect(["not_taken gateway_unreachable"], "queued", "gateway_unreachable")
    move(world, "other", "writer")
    world.hermes.profile("delete", "other", "-y")


def move(world: World, source: str, target: str) -> None:
    """Moves every session of one profile to another, in place of the other's own."""
    for name in ("state.db", "state.db-wal", "state.db-shm"):
        (world.hermes.folder(target) / name).unlink(missing_ok=True)
        file = world.hermes.folder(source) / name
        if file.exists():
            shutil.move(file, world.hermes.folder(target) / name)


def compressed(world: World, _: Gateway) -> None:
    """The session was compressed: its one successor is followed, and of two neither."""
    session = world.read()[0]["session_id"]
    world.hermes.run(ROTATE.format(old=session, new=["after_1"]), "writer")
    record = world.expect(["taken", "answered"], "completed", None)
    assert (record["root_session_id"], record["session_id"]) == (session, "after_1"), record
    world.hermes.run(ROTATE.format(old="after_1", new=["after_2", "after_2_too"]), "writer")
    world.say("And now?")
    world.expect(["not_taken successor_unclear"], "queued", "successor_unclear")


def made_anew(world: World) -> None:
    """A profile that was deleted and made again under its name is another one."""
    env, config = (world.hermes.folder("writer") / name for name in (".env", "config.yaml"))
    kept = {file: file.read_text() for file in (env, config)}
    world.hermes.profile("delete", "writer", "-y")
    world.hermes.profile("create", "writer")
    for file, content in kept.items():
        file.write_text(content)
    came = world.round()
    assert came == ["unavailable profile_missing", "not_taken profile_missing"], came
    assert world.read()[0]["runtime"]["reason"] == "profile_missing"


def connect(server: Quickstart) -> list[dict]:
    """One row for each drill; they follow each other on one machine."""
    programs = [python_environment(HERMES).parent]
    with Home("", programs) as home, ConsoleModel() as model:
        version = home.run(["hermes", "--version"]).stdout.split()[2].removeprefix("v")
        rows = Rows(version, World(server, home, model))
        with Gateway(rows.world.hermes, "writer") as gateway:
            rows.add("a turn resumes exactly its session; the agent ends it by the tool", resumed, gateway)
            rows.add("a session that Hermes deleted isn't replaced", forgotten, gateway)
            rows.add("a clone, and an imported export: nobody is taken", cloned, gateway)
        rows.add("a renamed profile goes on", renamed)
        rows.add("a session under another profile isn't taken", elsewhere)
        with Gateway(rows.world.hermes, "writer") as gateway:
            rows.add("a compressed session's one successor is followed, of two neither", compressed, gateway)
        rows.add("a profile that is made anew isn't taken", made_anew)
    return [*rows.made, other_harness(server)]


class Rows:
    """The rows of the table so far."""

    def __init__(self, version: str, world: World):
        self.version, self.world = version, world
        self.made: list[dict] = []

    def add(self, does: str, drill: Callable[..., None], *gateway: Gateway) -> None:
        def done() -> str:
            drill(self.world, *gateway)
            return self.version

        self.made.append(row("Hermes Agent", does, done))


def other_harness(server: Quickstart) -> dict:
    """Codex needs no connector: it claims and completes in a thread of its own."""
    def done() -> str:
        console = Console(server, "--harness", "codex")
        console.say("Which thread are you?")
        with Home(console.token, codex()) as home:
            home.follow(server.snippet("codex", server.info["mcp_url"]))
            ran = home.type(" ".join(f"'{word}'" for word in driver("codex/console.py")()))
        assert ran.returncode == 0, last_words(ran)
        thread, version = ran.stdout.split()
        record, turn = console.read()
        assert record["session_id"] == thread == turn["reply"], f"{thread}: {record}"
        assert turn["state"] == "completed", turn
        return version

    return row("Codex", "without a connector: claims and completes with its thread's own id", done)


def row(client: str, does: str, drill: Callable[[], str]) -> dict:
    made = {"client": client, "version": "?", "era": "", "does": does, "passed": False}
    try:
        return made | {"version": drill(), "result": "passed", "passed": True}
    except Exception as problem:
        return made | {"result": f"FAILED: {type(problem).__name__}: {problem}"}
