"""The agent's side of the governed story, for any client that can list and call tools."""

import hashlib
import json
import uuid
from collections.abc import Awaitable, Callable

TOOLS = {
    "querylayer_site_context", "querylayer_list_content", "querylayer_begin_run",
    "querylayer_record_artifact", "querylayer_finish_run", "querylayer_create_draft",
    "querylayer_record_claim_evidence", "querylayer_list_evidence", "querylayer_create_proposal",
    "querylayer_request_publish_approval", "querylayer_list_proposals",
}
EXCERPT = "Sea kale grows on shingle above the reach of ordinary tides."
REFUSED = {"invalid_arguments", "not_found"}

Call = Callable[[str, dict], Awaitable[dict]]


def check(holds: object, what: str, seen: object) -> None:
    if not holds:
        raise AssertionError(f"{what}; the answer was {seen}")


async def agent_side(call: Call, tools: set[str]) -> None:
    """Drives one whole run: draft, evidence, artifact, request for publication, finish."""
    check(TOOLS <= tools, f"tools are missing: {sorted(TOOLS - tools)}", sorted(tools))
    await reads(call)
    run_id = await begin(call)
    await refusals(call, run_id)
    draft = await create_draft(call, run_id)
    await record(call, run_id, draft)
    await request_publication(call, run_id, draft)


async def accepted(call: Call, tool: str, arguments: dict) -> dict:
    answer = await call(tool, arguments)
    check(answer.get("ok") is True, f"{tool} was refused", answer)
    return answer


async def reads(call: Call) -> None:
    context = await accepted(call, "querylayer_site_context", {})
    templates = {template["key"] for template in context["templates"]}
    check({"article", "author", "landing_page"} <= templates, "templates are missing", context)
    scopes = set(context["connection"]["effective_scopes"])
    check({"content:write", "publish:request"} <= scopes, "scopes are missing", context)
    listed = await accepted(call, "querylayer_list_content", {"template": "article"})
    check(len(listed["items"]) >= 1, "the sample articles are missing", listed)


async def begin(call: Call) -> str:
    answer = await accepted(call, "querylayer_begin_run", {
        "run_type": "interop-draft",
        "input": {"topic": "sea kale"},
        "required_outputs": ["summary"],
        "completion_conditions": ["One article is drafted and its publication is asked for."],
    })
    return answer["run_id"]


async def refusals(call: Call, run_id: str) -> None:
    """Four refusals in a row, after which the client must still call.

    An unknown field is refused by name, and authority never comes from the client.
    """
    unknown_field = {"run_id": run_id, "template": "article", "site_id": "another", "fields": fields("x")}
    nowhere = {"run_id": "run_none", "outcome": "completed", "summary": "Not a run."}
    nothing = {"run_id": run_id, "key": "summary", "media_type": "text/plain"}
    for tool, arguments, named in (
        ("querylayer_create_draft", unknown_field, "site_id"),
        ("querylayer_finish_run", nowhere, "no such run"),
        ("querylayer_record_claim_evidence", {"run_id": run_id}, "claim"),
        ("querylayer_record_artifact", nothing, "body"),
    ):
        answer = await call(tool, arguments)
        check(answer.get("ok") is False, f"{tool} was carried out", answer)
        check(answer["code"] in REFUSED, "the refusal has another code", answer)
        check(named in str(answer), f"the refusal does not name {named}", answer)
    await accepted(call, "querylayer_site_context", {})


def fields(mark: str) -> dict:
    return {
        "title": f"Sea kale in winter ({mark})",
        "summary": "What the largest plant of the shingle garden does while nobody looks.",
        "author": "maren-oxley",
        "date": "2026-12-01",
        "topics": ["shingle garden"],
        "body": f"{EXCERPT}\n\nIn winter only the roots are left — “purple, thick as a wrist”.",
    }


async def create_draft(call: Call, run_id: str) -> dict:
    mark = uuid.uuid4().hex[:8]
    arguments = {
        "run_id": run_id, "template": "article", "locale": "en", "slug": f"sea-kale-{mark}",
        "fields": fields(mark), "change_note": "First draft.", "idempotency_key": mark,
    }
    draft = await accepted(call, "querylayer_create_draft", arguments)
    again = await accepted(call, "querylayer_create_draft", arguments)
    check(again["revision_id"] == draft["revision_id"], "the repeated key made a second", again)
    return draft


async def record(call: Call, run_id: str, draft: dict) -> None:
    claim = await accepted(call, "querylayer_record_claim_evidence", {
        "run_id": run_id, "revision_id": draft["revision_id"], "pointer": "/body",
        "claim": "Sea kale grows above the ordinary tide line.",
        "evidence": [{
            "source_url": "https://flora.example/crambe-maritima", "title": "Crambe maritima",
            "publisher": "A flora", "excerpt": EXCERPT, "locator": "habitat",
            "retrieved_at": "2026-11-30T09:00:00Z", "stance": "supports",
        }],
    })
    listed = await accepted(call, "querylayer_list_evidence", {"revision_id": draft["revision_id"]})
    check(claim["claim_id"] in str(listed), "the claim is not listed", listed)
    body = "One article was drafted — “Sea kale in winter”."
    artifact = await accepted(call, "querylayer_record_artifact", {
        "run_id": run_id, "key": "summary", "media_type": "text/markdown", "body": body,
        "affected_content_ids": [draft["content_id"]],
    })
    expected = hashlib.sha256(body.encode()).hexdigest()
    check(artifact["sha256"] == expected, "the text changed on its way", artifact)


async def request_publication(call: Call, run_id: str, draft: dict) -> None:
    proposal = await accepted(call, "querylayer_request_publish_approval", {
        "run_id": run_id, "rationale": "The article is complete and has its evidence.",
        "items": [{"action": "publish", "content_id": draft["content_id"],
                   "revision_id": draft["revision_id"]}],
    })
    check(proposal["risk"] in ("medium", "high"), "the risk is too low", proposal)
    finished = await accepted(call, "querylayer_finish_run", {
        "run_id": run_id, "outcome": "completed", "summary": "Drafted, publication requested.",
    })
    check(finished["outcome"] == "completed", "the run is not completed", finished)
    listed = await accepted(call, "querylayer_list_proposals", {"run_id": run_id})
    states = {entry["proposal_id"]: entry["state"] for entry in listed["proposals"]}
    check(states[proposal["proposal_id"]] == "pending", "the proposal is not pending", listed)
    item = await accepted(call, "querylayer_list_content", {"content_id": draft["content_id"]})
    check(not item["items"][0].get("published_revision_id"), "a draft went live", item)


def answer_of(text: str, structured: object, is_error: object) -> dict:
    """The answer, which must be the same in the text block and as structured content."""
    answer = json.loads(text)
    check(not is_error, "governed refusals are not errors", text)
    check(structured is None or structured == answer, "text and structure differ", structured)
    return answer
