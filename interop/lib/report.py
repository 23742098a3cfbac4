"""What came out, as a table for the terminal and as docs/clients.md."""

from lib.installs import ROOT

DOCUMENT = ROOT.parent / "docs" / "clients.md"

HEAD = """# Clients

<!-- Written by `interop/run --all --write`; `.ci/run` runs the quick ones again and compares. -->

Real programs at the versions named, against a server that `quickstart` starts, each in a home folder that holds nothing but what the product's own snippet puts there. They reach it through a pass-through that sees what goes over the wire: the calls must be made in the protocol version of the row, and a bad token must be answered 401 and nothing else. No model and no login is needed: where a whole agent turn is played, a scripted model server on the same machine calls the tools.

## Who does the agent's work

Every row does the agent's side of the main job: context, begin a run, **four refusals in a row**, draft (twice with one key), evidence, artifact, request for publication, finish, and reads it back. Then the same with a token that was never issued: nothing goes through. The last column says what the client passes on then: the reason, in the server's words which say what to do, or the status alone.

"""

CONTROL = """
Hermes stops calling a server for a minute after three errors in a row. Refusals are no errors, so it doesn't; a control in which they are marked as errors is cut off.

## What a fault looks like

A table is taken away under the running server, so that a call fails inside of it. The client must be shown the server's text (*"The server failed to carry out the call."*, with what to do), and go on with the same call and the same key once the table is back.

"""

TAIL = """
## Following the document

[agent-onboarding.md](agent-onboarding.md) is followed word for word: its commands are typed, and what it says for each client is put where it says. So is what the readme says first.

"""

CONNECTOR = """
## The connector beside Hermes

`querylayer connect hermes` on a machine with Hermes' own profiles and gateways: a person writes a turn, and what becomes of it, of Hermes' sessions and of what the model is shown is looked at. What isn't taken is shown to the person with its reason ([connector.md](connector.md)).

"""

STAGES = """
## Roles of productions

A production waits for its hermeneutics, which a member gave to an agent. The client claims the task, compares the policy's text with the hash that the task names, is refused with a result that doesn't fit, and submits one that does ([productions.md](productions.md)).

"""

NOTES = """
## Good to know

- **Codex** denies every call that changes something in `codex exec` under the snippet's mode, because nobody can be asked; its row of a whole turn is configured as the snippet's note says.
- **Claude Code** names the tools to its model and describes them only when the model searches for them; the scripted model does.
- **MCP Inspector** starts anew for each call.
- Not run: Cursor, VS Code and Grok Build need a window or an account; their snippets follow their documentation, and FastMCP reads Cursor's file. ChatGPT and claude.ai want OAuth, which isn't here.
"""

COLUMNS = {"client": "client", "version": "version", "era": "protocol", "does": "does"}
STORY = COLUMNS | {"configured": "configured by", "reason": "on 401 it passes on"}
ONBOARDING = {"client": "part", "version": "version", "does": "does"}
DRILLS = {"client": "client", "version": "version", "does": "drill"}


def terminal(rows: list[dict]) -> str:
    head = COLUMNS | {"result": "result"}
    table = [head, *rows]
    width = {key: max(len(row.get(key, "")) for row in table) for key in head}
    return "\n".join("  ".join(row.get(key, "").ljust(width[key]) for key in head).rstrip() for row in table)


def line(columns: dict, row: dict) -> str:
    return "| " + " | ".join(row.get(key, "") for key in columns) + " |\n"


def markdown(columns: dict, rows: list[dict]) -> str:
    rule = "|" + "---|" * len(columns) + "\n"
    return line(columns, columns) + rule + "".join(line(columns, row) for row in rows)


def document(story: list[dict], faults: list[dict], onboarding: list[dict], connector: list[dict],
             stages: list[dict]) -> str:
    return "".join([
        HEAD, markdown(STORY, story), CONTROL, markdown(COLUMNS, faults), TAIL,
        markdown(ONBOARDING, onboarding), CONNECTOR, markdown(DRILLS, connector), STAGES,
        markdown(DRILLS, stages), NOTES,
    ])


def disagreements(story: list[dict], faults: list[dict], onboarding: list[dict],
                  connector: list[dict], stages: list[dict]) -> list[str]:
    """Rows that came out and that the document doesn't have."""
    written = DOCUMENT.read_text() if DOCUMENT.exists() else ""
    lines = [line(columns, row) for columns, rows in
             ((STORY, story), (COLUMNS, faults), (ONBOARDING, onboarding), (DRILLS, connector),
              (DRILLS, stages))
             for row in rows if row["passed"]]
    return [f"docs/clients.md doesn't have {found.strip()}" for found in lines if found not in written]
