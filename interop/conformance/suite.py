"""The official suite's sets, and one of them run against one server."""

import json
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

LIMIT_SECONDS = 300
PACKAGES = {"0.1.16": "conformance-0.1", "0.2.0-alpha.12": "conformance-0.2"}


@dataclass(frozen=True)
class Set:
    """A list of scenarios that a version of the suite runs as one."""

    name: str
    version: str
    options: tuple[str, ...]

    @property
    def knows_checks(self) -> bool:
        """Whether its baseline may name single checks."""
        return self.version != "0.1.16"


SETS = (
    Set("2026-07-28", "0.2.0-alpha.12", ("--requirements", "2026-07-28")),
    Set("2025-11-25", "0.2.0-alpha.12", ("--requirements", "2025-11-25")),
    Set("2025-06-18", "0.2.0-alpha.12", ("--suite", "all", "--spec-version", "2025-06-18")),
    Set("active", "0.1.16", ("--suite", "active",)),
)


@dataclass
class Outcome:
    """What came of a set."""

    set: Set
    status: int
    output: str
    scenarios: dict[str, bool]
    required: set[str]
    failures: dict[str, str]
    passed_checks: int
    failed_checks: int

    def scored(self) -> dict[str, bool]:
        return {name: ok for name, ok in self.scenarios.items() if name in self.required}


def run(node: Path, folder: Path, set_: Set, url: str, expected: list[str]) -> Outcome:
    """Runs a set with a baseline of expected failures, `scenario` or `scenario:check`."""
    if not set_.knows_checks:
        expected = sorted({entry.split(":")[0] for entry in expected})
    scratch = Path(tempfile.mkdtemp(prefix="ql-conformance-"))
    baseline = scratch / "baseline.yml"
    baseline.write_text("server:\n" + "".join(f"  - {entry}\n" for entry in expected))
    program = folder / "node_modules" / PACKAGES[set_.version] / "dist" / "index.js"
    try:
        done = start([node, program, "server", "--url", url, *set_.options,
                      "--expected-failures", baseline, "-o", scratch / "out"], scratch)
        outcome = read(set_, done, scratch / "out")
        if "--requirements" in set_.options:
            listed = start([node, program, "list", *set_.options], scratch).stdout
            outcome.required &= set(re.findall(r"^  - (\S+)$", listed, re.M))
        return outcome
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def start(command: list, home: Path) -> subprocess.CompletedProcess:
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=LIMIT_SECONDS,
                          env={"PATH": os.environ["PATH"], "HOME": str(home), "NO_COLOR": "1"})


def read(set_: Set, done: subprocess.CompletedProcess, folder: Path) -> Outcome:
    """The outcome out of what the suite printed, and out of the checks that it wrote."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout)
    lines = re.findall(r"^([✓✗]) ([a-z0-9-]+): (\d+) passed, (\d+) failed$", text, re.M)
    if not lines:
        raise RuntimeError(f"the suite printed no summary:\n{text[-2000:]}")
    # A tick over no check at all is no evidence.
    scenarios = {name: mark == "✓" and int(passed) > 0 for mark, name, passed, _ in lines}
    return Outcome(
        set=set_, status=done.returncode, output=text, scenarios=scenarios,
        required=set(scenarios),
        failures=failures(folder),
        passed_checks=sum(int(passed) for _, _, passed, _ in lines),
        failed_checks=sum(int(failed) for _, _, _, failed in lines),
    )


def failures(folder: Path) -> dict[str, str]:
    """Every check that didn't go well, a warning too, with what the suite says about it."""
    found = {}
    for checks in sorted(folder.glob("server-*/checks.json")):
        scenario = re.sub(r"^server-|-\d{4}-\d\d-\d\dT.*$", "", checks.parent.name)
        if checks.parent.name.startswith("server-server-"):
            scenario = re.sub(r"-\d{4}-\d\d-\d\dT.*$", "", checks.parent.name.removeprefix("server-"))
        for check in json.loads(checks.read_text()):
            if check["status"] in ("FAILURE", "WARNING"):
                found[f"{scenario}:{check['id']}"] = check.get("errorMessage") or ""
    return found
