"""What is expected to fail, and why: `baseline.toml`, read and held against what came out."""

import tomllib
from pathlib import Path

BASELINE = tomllib.loads((Path(__file__).parent / "baseline.toml").read_text())


def reasons(server: str, set_: str) -> dict[str, str]:
    """The expected failures of a set, `scenario` or `scenario:check`, with their reasons."""
    groups = BASELINE[server]
    return {
        entry: reason
        for group in groups.values() if set_ in group["sets"]
        for reason, entries in group["because"].items()
        for entry in entries
    }


def entries(server: str, set_: str) -> list[str]:
    return sorted(reasons(server, set_))


def covers(entry: str, failure: str) -> bool:
    return entry in (failure, failure.split(":")[0])


def disagreements(results: dict) -> list[str]:
    """Failures that nobody expects, expected ones that didn't come, and unknown reasons."""
    wrong = []
    used = set()
    for server, outcomes in results.items():
        for outcome in outcomes:
            where = f"{server}, {outcome.set.name}"
            expected = reasons(server, outcome.set.name)
            if outcome.status != 0:
                wrong.append(f"{where}: the suite doesn't accept the baseline:\n{outcome.output[-1500:]}")
            for failure, message in outcome.failures.items():
                covering = [entry for entry in expected if covers(entry, failure)]
                used |= {(server, entry) for entry in covering}
                if not covering:
                    wrong.append(f"{where}: {failure} failed unexpectedly: {message[:200]}")
    for server, groups in ((name, BASELINE[name]) for name in results):
        for group in groups.values():
            for reason, listed in group["because"].items():
                if reason not in BASELINE["reasons"]:
                    wrong.append(f"baseline.toml has no reason `{reason}`")
                wrong += [f"{server}: {entry} is expected to fail and doesn't"
                          for entry in listed if (server, entry) not in used]
    return wrong
