"""A whole agent turn of a harness, with the scripted model for its model."""

import json
import os
import subprocess

from lib.model import Model
from fault import fault_side
from scenario import Call, agent_side

PROMPT = "Draft an article about sea kale and ask for its publication."


def play(command: list[str], model: Model, **extra: str) -> str:
    """Runs the harness until its turn is over; answers what it printed."""
    done = subprocess.run([*command, PROMPT], env=os.environ | extra, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=150)
    if done.returncode != 0:
        raise AssertionError(f"the harness ended with {done.returncode}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    model.check()
    return done.stdout


def scripted(fault: bool = False) -> Model:
    return Model(meets_fault if fault else agent_side)


async def meets_fault(call: Call, _: set[str]) -> None:
    """The harness shows the model a text; whether it marks it as an error isn't seen from here."""
    async def raw(tool: str, arguments: dict) -> tuple[str, None]:
        return json.dumps(await call(tool, arguments)), None

    await fault_side(raw)


def version(command: list[str], word: int) -> str:
    """The version, which is one of the words that `command` prints."""
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    return said.stdout.split()[word]
