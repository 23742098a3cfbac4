"""A fault of the server as clients meet it: a table is taken away under the running server.

The client begins a run, meets the fault in its next call, is shown the server's text, and
goes on with the same call once the table is back. One fault, and no restart of anything.
"""

import sqlite3
import subprocess
import threading
from contextlib import closing

from lib.cases import Case
from lib.home import LIMIT_SECONDS, Home
from lib.server import Quickstart
from lib.wire import Wire

TABLE = "artifacts"


def run_fault(case: Case, server: Quickstart) -> dict:
    """One row of the table."""
    row = {"client": case.client, "version": "?", "era": case.era, "does": case.does, "passed": False}
    try:
        command, programs = case.command(), case.programs()
        with Wire(server.info["mcp_url"]) as wire, Home(server.info["token"], programs) as home:
            row["version"] = met(case, command, server, wire, home)
            assert wire.eras == {case.era}, f"calls were made in {sorted(wire.eras)}"
        row |= {"result": "passed", "passed": True}
    except Exception as problem:
        row["result"] = f"FAILED: {problem}"
    return row


def met(case: Case, command: list, server: Quickstart, wire: Wire, home: Home) -> str:
    """Runs the client's driver, taking the table away and giving it back when it says so."""
    extra = {"QUERYLAYER_URL": wire.url, "QUERYLAYER_TOKEN": server.info["token"]}
    if case.snippet:
        home.follow(server.snippet(case.snippet, wire.url))
    process = subprocess.Popen(command, env=home.environment | extra, cwd=home.folder, text=True,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    # A client that hangs is ended, and what it then lacks fails the row.
    watch = threading.Timer(LIMIT_SECONDS, process.kill)
    watch.start()
    done, last = [], ""
    try:
        for line in process.stdout:
            last = line.strip()
            if last in ("take", "give back"):
                rename(server, last)
                done.append(last)
                process.stdin.write("\n")
                process.stdin.flush()
    finally:
        watch.cancel()
        if process.poll() is None:
            process.kill()
        process.wait()
        process.stdin.close()
        if done == ["take"]:
            rename(server, "give back")
    assert process.returncode == 0 and done == ["take", "give back"], f"after {done}: {last}"
    return last


def rename(server: Quickstart, move: str) -> None:
    names = (TABLE, f"{TABLE}_away")
    old, new = names if move == "take" else reversed(names)
    with closing(sqlite3.connect(server.folder / "data" / "querylayer.db")) as database:
        # Nothing that names the table is rewritten, so that giving it back gives all back.
        database.execute("PRAGMA legacy_alter_table = ON")
        database.execute(f"ALTER TABLE {old} RENAME TO {new}")
