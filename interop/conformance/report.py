"""docs/conformance.md, written out of what came out."""

import suite
from baseline import BASELINE, reasons

NEWEST = "2026-07-28"
TITLES = {"product": "The product", "fixture": "The fixture"}

HEAD = """# Conformance

<!-- Written by `interop/conformance/run --write`; `.ci/run` runs it again and compares. -->

The official suite, `@modelcontextprotocol/conformance`, in two versions, against two servers. **They are two claims, and the second isn't the product's score.**

- **The product**, started with `quickstart`, as it ships. It has tools of its own and nothing else, so every scenario that calls a tool, prompt or resource of the suite's naming fails. What is expected to fail is in `interop/conformance/baseline.toml`, with the reason; anything else that fails, and anything expected that doesn't, turns the run red.
- **The fixture** (`crates/ql-api/examples/conformance-fixture`, not part of the product) has what the suite calls by name. It goes through the product's router, host and origin check, limits of size, strict JSON, credentials out of a database, configuration of the protocol library and form of schemas. The calls themselves go through the library; that the product's prepared answers are what the library says is held by `eras::the_library_and_the_prepared_way_answer_alike` and `eras::prepared_lists_are_what_the_library_lists`.

The suite has no option for a credential, so a proxy of a few lines adds it and passes everything else on (`interop/conformance/proxy.mjs`). There are no sessions and no streams that a server opens by itself, on any version; scenarios of older versions that need them fail on both servers. A scenario that the suite ticks without a single check isn't counted as passed.
"""


def document(results: dict) -> str:
    parts = [HEAD, table(results)]
    for server, title in TITLES.items():
        parts.append(f"\n## {title}: what is expected to fail\n")
        parts.append(expected(server, results[server]))
    return "\n".join(parts)


def table(results: dict) -> str:
    lines = ["| server | set | suite | scored scenarios passed | all scenarios passed | checks passed, failed |",
             "|---|---|---|---|---|---|"]
    for server, outcomes in results.items():
        for outcome in outcomes:
            lines.append(
                f"| {server} | {outcome.set.name} | {outcome.set.version} | {ratio(outcome.scored())} "
                f"| {ratio(outcome.scenarios)} | {outcome.passed_checks}, {outcome.failed_checks} |"
            )
    return "\n".join(lines)


def ratio(scenarios: dict[str, bool]) -> str:
    return f"{sum(scenarios.values())} of {len(scenarios)}"


def expected(server: str, outcomes: list[suite.Outcome]) -> str:
    """Each reason with what fails for it, in the sets where it does."""
    because: dict[str, dict[str, list[str]]] = {}
    for outcome in outcomes:
        why = reasons(server, outcome.set.name)
        ran = {entry for entry in why
               for failure in outcome.failures if entry in (failure, failure.split(":")[0])}
        for entry in sorted(ran):
            because.setdefault(why[entry], {}).setdefault(entry, []).append(outcome.set.name)
    lines = ["| because | scenario or check |", "|---|---|"]
    for reason, text in BASELINE["reasons"].items():
        names = sorted(because.get(reason, {}))
        if names:
            lines.append(f"| {text} | {', '.join(f'`{name}`' for name in names)} |")
    return "\n".join(lines) + "\n"


def shortfalls(outcomes: list[suite.Outcome]) -> list[str]:
    """Scored scenarios of the newest version that the fixture doesn't pass."""
    newest = next(outcome for outcome in outcomes if outcome.set.name == NEWEST)
    failed = [name for name, ok in newest.scored().items() if not ok]
    wrong = [f"fixture, {NEWEST}: {name} is scored and failed" for name in failed]
    if len(newest.scored()) != 37:
        wrong.append(f"fixture, {NEWEST}: {len(newest.scored())} scenarios are scored, not 37")
    return wrong


def summary(results: dict) -> str:
    return "\n".join(
        f"{server:8}{outcome.set.name:12}{outcome.set.version:16}scored {ratio(outcome.scored()):10}"
        f"all {ratio(outcome.scenarios):10}checks {outcome.passed_checks} passed, {outcome.failed_checks} failed"
        for server, outcomes in results.items() for outcome in outcomes
    )
