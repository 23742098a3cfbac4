"""Hermes Agent: a whole turn against the scripted model."""

import os
from pathlib import Path

from lib.turn import play, scripted, version

MODEL = """
model:
  provider: custom
  base_url: "{url}/v1"
  default: scripted
  context_length: 131072
"""


def main() -> None:
    config = Path(os.environ["HERMES_HOME"]) / "config.yaml"
    with scripted() as model:
        config.write_text(config.read_text() + MODEL.format(url=model.url))
        play(["hermes", "chat", "-Q", "-q"], model, OPENAI_API_KEY="none-is-needed")
    print(version(["hermes", "--version"], 2).removeprefix("v"))


main()
