"""One client tried: the whole story with the real token, nothing with a bad one."""

import json
import subprocess

from lib.cases import BY_HAND, Case
from lib.home import Home, last_words
from lib.server import Quickstart
from lib.wire import Wire

# A token of the right form with a wrong checksum would be turned away unseen; this has the right one.
BAD_TOKEN = "qla_" + "0" * 30 + "4BxdyD"
NOT_VALID = "the token isn't valid"


def run_case(case: Case, server: Quickstart) -> dict:
    """One row of the table."""
    row = {"client": case.client, "version": "?", "era": case.era, "does": case.does,
           "configured": f"snippet `{case.snippet}`" if case.snippet else BY_HAND,
           "reason": "?", "passed": False}
    try:
        command, programs = case.command(), case.programs()
        with Wire(server.info["mcp_url"]) as wire:
            row["version"] = accepted(case, command, programs, server, wire)
            wire.forget()
            row["reason"] = refused(case, command, programs, server, wire)
        row |= {"result": "passed", "passed": True}
    except Exception as problem:
        row["result"] = f"FAILED: {problem}"
    return row


def accepted(case: Case, command: list, programs: list, server: Quickstart, wire: Wire) -> str:
    """Runs the story, and answers the client's version, the last line that it prints."""
    done = start(case, command, programs, server, wire, server.info["token"])
    if done.returncode != 0:
        print(done.stdout + done.stderr, flush=True)
        raise AssertionError(last_words(done))
    assert wire.eras == {case.era}, f"calls were made in {sorted(wire.eras)}, not {case.era}"
    assert wire.calls >= 10, f"only {wire.calls} calls reached the server"
    return done.stdout.strip().splitlines()[-1]


def refused(case: Case, command: list, programs: list, server: Quickstart, wire: Wire) -> str:
    """The same with a token that was never issued, and whether the client passes on why.

    Posts to the endpoint are answered 401. Some clients also ask with HEAD and GET, methods
    that it doesn't have for anybody, and look for an OAuth server, which isn't there.
    """
    done = start(case, command, programs, server, wire, BAD_TOKEN)
    assert done.returncode != 0, "the story went through with a bad token"
    seen = sorted(wire.statuses)
    posts = {status for method, path, status in seen if (method, path) == ("POST", "/mcp")}
    others = {status for method, path, status in seen if (method, path) != ("POST", "/mcp")}
    assert posts == {401} and others <= {401, 404, 405}, f"a bad token met {seen}"
    return "the reason" if NOT_VALID in done.stdout + done.stderr else "the status"


def start(case: Case, command: list, programs: list, server: Quickstart, wire: Wire,
          token: str) -> subprocess.CompletedProcess:
    """Runs the client's driver in an empty home that holds the product's snippet."""
    with Home(token, programs) as home:
        if case.snippet is None:
            extra = {"QUERYLAYER_URL": wire.url, "QUERYLAYER_TOKEN": token}
            return home.run(command, **extra)
        home.follow(server.snippet(case.snippet, wire.url))
        return home.type(" ".join(f"'{word}'" for word in command))


def cut_off(case: Case, server: Quickstart) -> dict:
    """The control of Hermes' rows: were refusals errors, it would stop calling after three."""
    row = {"client": f"{case.client}, control", "version": "", "era": case.era,
           "does": "is cut off if refusals are errors", "passed": False}
    try:
        with Wire(server.info["mcp_url"], refusals_as_errors) as wire:
            done = start(case, [*case.command(), "control"], case.programs(), server, wire, server.info["token"])
        said = done.stdout + done.stderr
        assert done.returncode != 0 and "consecutive failures" in said, f"it went on: {last_words(done)}"
        row |= {"result": "passed", "passed": True}
    except Exception as problem:
        row["result"] = f"FAILED: {problem}"
    return row


def refusals_as_errors(content: bytes) -> bytes:
    if b'{\\"ok\\":false' not in content:
        return content
    message = json.loads(content)
    message["result"]["isError"] = True
    return json.dumps(message).encode()
