"""docs/agent-onboarding.md and the readme, read as somebody reads them who does what they say."""

import re
from dataclasses import dataclass
from pathlib import Path

from lib.installs import ROOT

ONBOARDING = ROOT.parent / "docs" / "agent-onboarding.md"
README = ROOT.parent / "README.md"
# The addresses that stand for the reader's own.
ADDRESSES = ("https://cms.example.com/mcp", "http://127.0.0.1:8090/mcp")

BLOCK = re.compile(r"(?:Goes into: (?P<file>[^\n]+)\n\n)?(?P<lead>(?:Check with[^\n]*\n\n)?)"
                   r"```(?P<language>\w+)\n(?P<text>.*?)```", re.S)
EXPECTED = re.compile(r"expect `([^`]+)`")


@dataclass(frozen=True)
class Block:
    """A fenced block: where it goes, or what the command in it must print."""

    file: str | None
    language: str
    text: str
    expected: str | None


class Manual:
    """A document, with its placeholders filled in for one reader."""

    def __init__(self, document: Path, **filled: str):
        text = document.read_text()
        for placeholder, value in filled.items():
            text = re.sub(rf"\b{placeholder}\b", value, text)
        self.text = text

    def section(self, heading: str) -> str:
        """What stands under a heading, up to the next of its level."""
        begin = self.text.index(f"\n{heading}\n")
        level = heading.split(" ")[0]
        rest = self.text[begin + len(heading) + 2:]
        end = re.search(rf"^#{{2,{len(level)}}} ", rest, re.M)
        return rest[:end.start()] if end else rest

    def blocks(self, heading: str, address: str) -> list[Block]:
        """The fenced blocks under a heading, with the reader's own address."""
        found = []
        for match in BLOCK.finditer(self.section(heading)):
            expected = EXPECTED.search(match["lead"] or "")
            text = match["text"]
            for stands_for in ADDRESSES:
                text = text.replace(stands_for, address)
            found.append(Block(match["file"], match["language"], text,
                               expected[1] if expected else None))
        return found

    def spans(self, heading: str) -> list[str]:
        """The commands of the product in the running text under a heading."""
        return re.findall(r"`(querylayer [^`]+)`", self.section(heading))
