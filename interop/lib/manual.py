"""docs/agent-onboarding.md, read as somebody reads it who does what it says."""

import re
from dataclasses import dataclass

from lib.installs import ROOT

DOCUMENT = ROOT.parent / "docs" / "agent-onboarding.md"
ADDRESS = "https://cms.example.com/mcp"

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
    """The document, with its placeholders filled in for one reader."""

    def __init__(self, **filled: str):
        text = DOCUMENT.read_text()
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
            found.append(Block(match["file"], match["language"],
                               match["text"].replace(ADDRESS, address),
                               expected[1] if expected else None))
        return found

    def spans(self, heading: str) -> list[str]:
        """The commands of the product in the running text under a heading."""
        return re.findall(r"`(querylayer [^`]+)`", self.section(heading))
