"""A production whose hermeneutics is played by a real client."""

import json
import shutil
import subprocess
import tempfile
from pathlib import Path

from lib.cases import V2
from lib.home import Home, last_words
from lib.installs import ROOT, python_environment
from lib.server import READY_SECONDS, environment, first_line


def play_stage(binary: Path) -> list[dict]:
    """One row; the server is the example `studio` that stands beside the binary."""
    row = {"client": "Python SDK 2.x", "version": "?", "does": "the hermeneutics of a production",
           "passed": False}
    folder = Path(tempfile.mkdtemp(prefix="ql-studio-"))
    server = subprocess.Popen(
        [binary.parent / "examples" / "studio", folder],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, env=environment(),
    )
    try:
        info = json.loads(first_line(server, READY_SECONDS))
        with Home(info["token"], []) as home:
            extra = {"QUERYLAYER_URL": info["mcp_url"], "QUERYLAYER_TOKEN": info["token"]}
            done = home.run([python_environment(V2), ROOT / "python" / "stage.py"], **extra)
        if done.returncode != 0:
            print(done.stdout + done.stderr, flush=True)
            raise AssertionError(last_words(done))
        row |= {"version": done.stdout.strip().splitlines()[-1], "result": "passed", "passed": True}
    except Exception as problem:
        row["result"] = f"FAILED: {problem}"
    finally:
        server.terminate()
        server.wait(20)
        shutil.rmtree(folder, ignore_errors=True)
    return [row]
